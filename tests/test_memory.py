"""What an observation with memory adds: right, and no more than a perfect memory knows."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import numpy as np
import pytest

from pontoon_env.agent import decisions_of
from pontoon_env.cards import parse_card, parse_cards
from pontoon_env.engine.hands import points
from pontoon_env.observation import knows_own_cards, layout, observation_size
from pontoon_env.opponents import OPPONENTS
from pontoon_env.rules import Rules
from pontoon_env.state import Move, Phase
from tests.lockstep import Lockstep, random_decision
from tests.naive import full_pack, random_rules
from tests.test_counter import deal_unknown_cards_anew, decisions_with_fresh_cards
from tests.test_opponents import begun, run, stack
from tests.views import DEAL_PHASES, observed

EVEN = np.array([1] * 9 + [4]) / 13


def memory_of(rules: Rules, games: np.ndarray, seat: int) -> dict[str, np.ndarray]:
    """What is remembered, by the names of its parts without ``memory.``."""
    row = observed(rules, games, seat, memory=True)[0][0]
    return {
        part.name.removeprefix("memory."): row[part.start : part.stop]
        for part in layout(rules, memory=True)
        if part.name.startswith("memory.")
    }


def pips(card: str) -> int:
    """The pips of a card by its name."""
    return points(parse_card(card))


def excess(cards: Counter[int]) -> np.ndarray:
    """Ten times the shares of the pips 1 to 10, less those of an even pack."""
    shares = np.array([cards[n] for n in range(1, 11)]) / cards.total()
    return 10 * (shares - EVEN)


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_the_pack_is_remembered_as_the_referee_knows_it(first: int) -> None:
    """P27, P31: the cards to come by place, what may come in sum, under random rules."""
    n_mixed = n_known = 0
    for seed in range(first, first + 20):
        packs = 2 if seed % 4 == 0 else 1
        fields = random_rules(random.Random(seed), packs=packs, under_pack="order")
        rules = Rules.from_dict({**fields, "shuffle": "never"} if seed % 2 else fields)
        lockstep = Lockstep(rules, seed)
        generator = np.random.default_rng(seed)
        while lockstep.engine.seat is not None:
            if Phase(int(lockstep.engine.game["phase"])) in DEAL_PHASES:
                seat = int(generator.integers(rules.seats))
                found = memory_of(rules, lockstep.engine.games, seat)
                view = lockstep.referee.view(seat)
                n_fresh, below = view["unknown_above"], view["known_below"]
                come = ([0] * n_fresh + [pips(card) for card in below])[:8]
                come += [0] * (8 - len(come))
                assert np.allclose(found["to_come"], np.array(come) / 11)
                n_mixed += 0 < n_fresh < 8
                n_known += n_fresh == 0
                hands = [
                    hand["cards"]
                    for owner in view["seats"]
                    for hand in owner["hands"]
                    if hand["status"] != "bust"
                ]
                unknown = Counter(map(pips, full_pack(packs)))
                unknown.subtract(pips(card) for hand in hands for card in hand if card)
                if n_fresh:
                    unknown.subtract(map(pips, below))
                assert found["fresh"] == pytest.approx(n_fresh / (52 * packs))
                assert found["is_ordered"] == 1
                assert found["n_unknown"] == pytest.approx(unknown.total() / 52)
                assert np.allclose(found["excess"], excess(unknown), atol=1e-6)
            lockstep.decide(*random_decision(lockstep, generator))
    assert n_mixed > 20
    assert n_known > 100


def test_hands_from_the_known_part_of_the_pack_are_known() -> None:
    """P31: once the pack has gone round, a seat's hidden cards, if all came from that part."""
    rules = Rules.pontoon(seats=5, shuffle="never", deals=40)
    n_known = n_unknown = 0
    for seed in range(6):
        games = begun(rules, seed)
        game = games[0]
        agents = [OPPONENTS["basic"], OPPONENTS["random"]]
        for _, fresh in decisions_with_fresh_cards(rules, games, agents):
            observer = int(game["seat"])
            found = memory_of(rules, games, observer)
            for place in range(rules.seats):
                other = (observer + place) % rules.seats
                seat = game["seats"][other]
                held: list[int] = []
                hidden: list[int] = []
                for hand in seat["hands"][: seat["n_hands"]]:
                    cards = hand["cards"][: hand["n_cards"]].tolist()
                    held += cards
                    hidden += [card for i, card in enumerate(cards) if not (hand["up"] >> i) & 1]
                if other == observer and knows_own_cards(rules.to_record()[0], game, observer):
                    hidden = []
                is_known = not fresh.intersection(held)
                expected = sum(map(points, hidden)) if is_known else 0
                assert found[f"seat_{place}.count"] == pytest.approx(expected / 21)
                assert found[f"seat_{place}.ace"] == (
                    is_known and any(points(card) == 1 for card in hidden)
                )
                n_known += is_known and bool(hidden)
                n_unknown += not is_known and bool(hidden)
    assert n_known > 1000
    assert n_unknown > 300


@pytest.mark.parametrize(
    "rules",
    [
        Rules.pontoon(seats=6, deals=40, shuffle="never"),
        Rules.shoot(seats=4, deals=40, shuffle="never"),
    ],
)
def test_second_cards_that_are_known_are_the_ones_that_come(rules: Rules) -> None:
    """P13, P31: while all hold one card, the next round of the deal is dealt as it lies."""
    n_compared = n_unknown = 0
    for seed in range(4):
        games = begun(rules, seed)
        game = games[0]
        told: dict[tuple[int, int], float] = {}
        agents = [OPPONENTS["basic"], OPPONENTS["random"]]
        for _ in decisions_with_fresh_cards(rules, games, agents):
            observer, deal = int(game["seat"]), int(game["deal"])
            found = memory_of(rules, games, observer)
            for place in range(rules.seats):
                seat = (observer + place) % rules.seats
                hand = game["seats"][seat]["hands"][0]
                second = found[f"seat_{place}.second"][0]
                if hand["n_cards"] == 1 and second > 0:
                    told[deal, seat] = second
                elif hand["n_cards"] == 1:
                    n_unknown += 1
                elif hand["n_cards"] == 2:
                    assert second == 0
                    if game["seats"][seat]["n_hands"] == 1 and (deal, seat) in told:
                        assert told[deal, seat] == pytest.approx(points(hand["cards"][1]) / 11)
                        n_compared += 1
    assert n_compared > 500
    assert n_unknown > 50


def test_the_banker_knows_the_own_cards_from_the_known_part_before_it_may_look() -> None:
    """P11, P31: the first card before the second comes; after that it sees both."""
    rules = Rules.single_deal(seats=2)
    games = begun(rules, 1)
    stack(games, ["9c", "Ad", "6d", "6h", "2c"])
    games["n_fresh"] = 0
    run(rules, games)
    banker = int(games["banker"][0])
    found = memory_of(rules, games, banker)
    assert found["seat_0.count"] == pytest.approx(1 / 21)
    assert found["seat_0.ace"] == 1
    assert found["seat_1.count"] == pytest.approx(9 / 21)
    assert np.allclose(found["to_come"][:3], np.array([6, 6, 2]) / 11)
    run(rules, games, Move.STAKE)
    found = memory_of(rules, games, banker)
    assert found["seat_0.count"] == 0
    assert found["seat_0.ace"] == 0
    assert found["seat_1.count"] == pytest.approx(15 / 21)


@pytest.mark.parametrize("under_pack", ["order", "random"])
def test_no_more_shows_than_a_perfect_memory_knows(under_pack: str) -> None:
    """P26, P31: where fresh cards and hidden ones lie otherwise, every seat has the same bits."""
    generator = np.random.default_rng(11)
    n_changed = n_used_up = 0
    for seed in range(60):
        fields = random_rules(random.Random(seed), packs=1)
        if fields.get("shuffle") == "every":
            continue
        rules = Rules.from_dict({**fields, "under_pack": under_pack, "deals": 9})
        games = begun(rules, seed)
        agents = [OPPONENTS["basic"], OPPONENTS["random"]]
        for _, fresh in decisions_with_fresh_cards(rules, games, agents):
            observer = int(generator.integers(rules.seats))
            other = games.copy()
            if deal_unknown_cards_anew(rules, other, observer, fresh, generator):
                n_changed += 1
                n_used_up += games["n_fresh"][0] == 0
                here = observed(rules, games, observer, memory=True)[0]
                there = observed(rules, other, observer, memory=True)[0]
                assert here.tobytes() == there.tobytes()
    assert n_changed > 2000
    assert n_used_up > 100


def test_without_an_order_the_cards_are_known_in_sum_alone() -> None:
    """``under_pack``: neither a card to come nor a hand."""
    rules = Rules.pontoon(seats=4, shuffle="never", under_pack="random", deals=20)
    games = begun(rules, 3)
    n_used_up = 0
    for _ in decisions_with_fresh_cards(rules, games, [OPPONENTS["basic"]]):
        found = memory_of(rules, games, int(games["seat"][0]))
        assert found["is_ordered"] == 0
        assert not found["to_come"].any()
        assert not any(value.any() for name, value in found.items() if "seat_" in name)
        assert found["n_unknown"] > 0
        n_used_up += found["fresh"] == 0
    assert n_used_up > 100


def test_of_an_infinite_pack_nothing_is_remembered() -> None:
    """Section 3: nothing is gathered, shuffled or remembered, whatever is stacked."""
    rules = Rules.pontoon(packs="infinite", deals=3)
    games = begun(rules, 4)
    stack(games, ["9c", "Ad", "6d"])
    for _ in decisions_with_fresh_cards(rules, games, [OPPONENTS["basic"]]):
        for seat in range(rules.seats):
            assert not any(value.any() for value in memory_of(rules, games, seat).values())


def test_a_shuffle_that_is_due_counts_as_made() -> None:
    """P32, P34: the banker who is asked for an offer after a pontoon deals from a whole pack."""
    rules = Rules.pontoon(seats=2, deals=2, bank_passes="never")
    for second, is_due in (("Tc", True), ("9d", False)):
        games = begun(rules, 1)
        stack(games, ["Ac", "9c", second, "8d", "2c", "3c"])
        run(rules, games, Move.STAKE, *([] if is_due else [Move.STICK]))
        while games["phase"][0] == Phase.BANKER:
            run(rules, games, Move.STICK)
        assert games["phase"][0] == Phase.OFFER
        found = memory_of(rules, games, 0)
        assert found["fresh"] == pytest.approx(1 if is_due else 48 / 52)
        assert found["n_unknown"] == pytest.approx(1 if is_due else 48 / 52)
        assert found["excess"].any() == (not is_due)


def test_what_is_seen_stands_before_it_unchanged() -> None:
    """The plain observation is the beginning of the one with memory, bit by bit."""
    for seed in range(20):
        rules = Rules.from_dict(random_rules(random.Random(seed)))
        lockstep = Lockstep(rules, seed)
        generator = np.random.default_rng(seed)
        n_seen = observation_size(rules)
        while lockstep.engine.seat is not None:
            for seat in range(rules.seats):
                plain = observed(rules, lockstep.engine.games, seat)
                longer = observed(rules, lockstep.engine.games, seat, memory=True)
                assert plain[0].tobytes() == longer[0][:, :n_seen].tobytes()
                for one, two in zip(plain[1:], longer[1:], strict=True):
                    assert one.tobytes() == two.tobytes()
            lockstep.decide(*random_decision(lockstep, generator))


def test_what_is_remembered_keeps_its_bounds() -> None:
    """Each slice says its least and its largest value."""
    least, most = np.inf, -np.inf
    for seed in range(30):
        rules = Rules.from_dict(random_rules(random.Random(seed)))
        parts = layout(rules, memory=True)
        lows = np.concatenate([np.full(s.stop - s.start, s.low) for s in parts])
        highs = np.concatenate([np.full(s.stop - s.start, s.high) for s in parts])
        lockstep = Lockstep(rules, seed)
        generator = np.random.default_rng(seed)
        while lockstep.engine.seat is not None:
            for seat in range(rules.seats):
                found = observed(rules, lockstep.engine.games, seat, memory=True)[0][0]
                assert (found >= lows - 1e-6).all()
                assert (found <= highs * (1 + 1e-6)).all()
                least, most = min(least, found[lows < 0].min()), max(most, found[lows < 0].max())
            lockstep.decide(*random_decision(lockstep, generator))
    assert least < -0.5
    assert most > 0.5


def test_the_layout_with_memory_goes_on_without_gaps() -> None:
    """Behind the plain slices stand those of the pack, then three for each seat."""
    for rules in (Rules(), Rules(seats=2, split="none"), Rules(seats=8, max_hands=2)):
        slices = layout(rules, memory=True)
        assert slices[: len(layout(rules))] == layout(rules)
        assert all(a.stop == b.start for a, b in itertools.pairwise(slices))
        assert len({part.name for part in slices}) == len(slices)
        assert all(part.meaning for part in slices)
        assert slices[-1].stop == observation_size(rules, memory=True)
        assert slices[-1].stop == observation_size(rules) + 21 + 3 * rules.seats


def test_decisions_hold_memory_where_it_is_asked_for() -> None:
    """Each row as the seat to act remembers it."""
    rules = Rules.pontoon(seats=3, shuffle="never")
    games = begun(rules, 2)
    for _ in decisions_with_fresh_cards(rules, games, [OPPONENTS["basic"]]):
        found = decisions_of(rules, games, memory=True)
        expected = observed(rules, games, int(games["seat"][0]), memory=True)
        assert found.observations.tobytes() == expected[0].tobytes()
        assert found.masks.tobytes() == expected[1].tobytes()
        plain = decisions_of(rules, games)
        assert plain.observations.shape == (1, observation_size(rules))


def test_eight_cards_to_come_hold_a_second_card_of_every_seat() -> None:
    """P13: at the stakes of a table of eight, by name and place."""
    rules = Rules.single_deal(seats=8)
    names = ["2c", "3c", "4c", "5c", "6c", "7c", "8c", "9c", "Ac", "2d", "Td", "Kd", "5d", "6d"]
    games = begun(rules, 1)
    stack(games, [*names, "7d", "8d"])
    games["n_fresh"] = 10
    run(rules, games)
    found = memory_of(rules, games, int(games["seat"][0]))
    come = [points(card) for card in parse_cards([*names[8:], "7d", "8d"])]
    assert np.allclose(found["to_come"], np.array([0, 0, *come[2:]]) / 11)
    assert found["fresh"] == pytest.approx(2 / 52)
