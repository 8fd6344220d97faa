"""What a seat sees: every element against the naive referee's view, and nothing that is hidden."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import numpy as np
import pytest

from pontoon_env.cards import N_SUITS
from pontoon_env.history import pack_in_order
from pontoon_env.observation import knows_own_cards, layout, observation_size
from pontoon_env.observation_page import observation_page
from pontoon_env.rules import Rules
from pontoon_env.state import ALL_UP, MAX_PACK_CARDS, HandStatus, Phase
from tests.lockstep import Lockstep, random_decision
from tests.naive import random_rules
from tests.views import compare_views, observed


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_every_element_is_what_the_referee_sees(first: int) -> None:
    """P26: at every decision, for every seat, under random rules; the mask is the mover's alone."""
    for seed in range(first, first + 10):
        lockstep = Lockstep(Rules.from_dict(random_rules(random.Random(seed))), seed)
        generator = np.random.default_rng(seed)
        while lockstep.engine.seat is not None:
            compare_views(lockstep)
            lockstep.decide(*random_decision(lockstep, generator))


def test_elements_keep_their_bounds() -> None:
    """Each slice says its largest value; the least is 0."""
    for seed in range(30):
        rules = Rules.from_dict(random_rules(random.Random(seed)))
        highs = np.concatenate([np.full(s.stop - s.start, s.high) for s in layout(rules)])
        lockstep = Lockstep(rules, seed)
        generator = np.random.default_rng(seed)
        while lockstep.engine.seat is not None:
            for seat in range(rules.seats):
                found = observed(rules, lockstep.engine.games, seat)[0][0]
                assert (found >= 0).all()
                assert (found <= highs * (1 + 1e-6)).all()
            lockstep.decide(*random_decision(lockstep, generator))


def hide_otherwise(
    rules: Rules, games: np.ndarray, observer: int, generator: np.random.Generator
) -> bool:
    """Deal the cards that ``observer`` does not see anew, in place; tell whether any changed."""
    game = games[0]
    places: list[tuple[np.ndarray, int]] = []
    record = rules.to_record()[0]
    for number in range(rules.seats):
        seat = game["seats"][number]
        if number == observer and knows_own_cards(record, game, number):
            continue
        for hand in seat["hands"][: seat["n_hands"]]:
            if hand["status"] != HandStatus.BUST and hand["up"] != ALL_UP:
                hidden = [i for i in range(hand["n_cards"]) if not (hand["up"] >> i) & 1]
                places += [(hand["cards"], i) for i in hidden]
    fresh = [(game["top"] + i) % MAX_PACK_CARDS for i in range(game["n_fresh"])]
    places += [(game["pack"], i) for i in fresh]
    before = [int(cards[i]) for cards, i in places]
    after = generator.permutation(before).tolist()
    for (cards, i), card in zip(places, after, strict=True):
        cards[i] = card
    return bool(before != after)


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_nothing_hidden_shows(first: int) -> None:
    """P26: where a paired world differs in hidden cards only, a seat sees the same bits."""
    n_changed = 0
    for seed in range(first, first + 10):
        rules = Rules.from_dict(random_rules(random.Random(seed), packs=1))
        lockstep = Lockstep(rules, seed)
        generator = np.random.default_rng(seed)
        while lockstep.engine.seat is not None:
            for seat in range(rules.seats):
                other = lockstep.engine.games.copy()
                n_changed += hide_otherwise(rules, other, seat, generator)
                here = observed(rules, lockstep.engine.games, seat)
                there = observed(rules, other, seat)
                for one, two in zip(here, there, strict=True):
                    assert one.tobytes() == two.tobytes()
            lockstep.decide(*random_decision(lockstep, generator))
    assert n_changed > 1000


def test_the_layout_covers_the_observation_without_gaps() -> None:
    """Slices follow one another, each with a name of its own and a meaning."""
    for rules in (Rules(), Rules(seats=2, split="none"), Rules(seats=8, max_hands=2)):
        slices = layout(rules)
        assert slices[0].start == 0
        assert all(a.stop == b.start for a, b in itertools.pairwise(slices))
        assert len({part.name for part in slices}) == len(slices)
        assert all(part.meaning for part in slices)
        assert slices[-1].stop == observation_size(rules)


def test_the_pack_below_its_fresh_cards_is_known_to_all() -> None:
    """P27, P31: every card gathered since the last shuffle has been shown."""
    for seed in range(40):
        rules = Rules.from_dict(random_rules(random.Random(seed), packs=1, under_pack="order"))
        lockstep = Lockstep(rules, seed)
        generator = np.random.default_rng(seed)
        while lockstep.engine.seat is not None:
            view = lockstep.referee.view(0)
            game = lockstep.engine.game
            assert game["n_fresh"] == view["unknown_above"]
            assert len(view["known_below"]) == len(pack_in_order(game)) - game["n_fresh"]
            lockstep.decide(*random_decision(lockstep, generator))


def test_the_page_of_the_observation_is_made_from_the_code() -> None:
    """docs/observation.md; made anew by ``python -m pontoon_env.observation_page``."""
    page = Path(__file__).parent.parent / "docs" / "observation.md"
    assert page.read_text() == observation_page()


def test_what_a_seat_may_know_shows() -> None:
    """P26: where an own card, or one that lies face up, counts otherwise, the seat sees it."""
    n_own = n_shown = 0
    for seed in range(12):
        rules = Rules.from_dict(random_rules(random.Random(seed)))
        lockstep = Lockstep(rules, seed)
        generator = np.random.default_rng(seed)
        while (mover := lockstep.engine.seat) is not None:
            if lockstep.engine.game["phase"] == Phase.PLAY:
                here = observed(rules, lockstep.engine.games, mover)[0]
                for owner in range(rules.seats):
                    other = lockstep.engine.games.copy()
                    hand = other[0]["seats"][owner]["hands"][0]
                    is_seen = owner == mover or hand["up"] & 1
                    if hand["n_cards"] and is_seen:
                        rank = hand["cards"][0] // N_SUITS
                        hand["cards"][0] = (4 if rank != 4 else 5) * N_SUITS
                        there = observed(rules, other, mover)[0]
                        assert here.tobytes() != there.tobytes()
                        n_own += owner == mover
                        n_shown += owner != mover
            lockstep.decide(*random_decision(lockstep, generator))
    assert n_own > 200
    assert n_shown > 30
