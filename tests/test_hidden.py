"""Worlds that a seat cannot tell from the true one: possible, sound, uniform; another future."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from pontoon_env import batch
from pontoon_env.cards import parse_cards
from pontoon_env.hidden import draw_keys, resample_batch
from pontoon_env.history import pack_in_order, stack_pack
from pontoon_env.observation import DECISION_PHASES, knows_own_cards
from pontoon_env.opponents import OPPONENTS
from pontoon_env.rules import Rules
from pontoon_env.state import ALL_UP, HandStatus, Move, Outcome, Phase
from pontoon_env.status import Status, check_batch, describe
from tests.naive import random_rules
from tests.test_opponents import begun, run, stack
from tests.views import observed, record_of

Decision = tuple[int, int, int, int]
"""Seat, hand, move and chips."""


def worlds_of(rules: Rules, games: np.ndarray, seat: int, n: int, seed: int = 0) -> np.ndarray:
    """Draw worlds that a seat cannot tell from a game."""
    worlds = games.repeat(n)
    keys = draw_keys(np.random.default_rng(seed), n)
    resample_batch(record_of(rules), worlds, np.full(n, seat), keys)
    return worlds


def shown(rules: Rules, games: np.ndarray, seat: int) -> bytes:
    """All that a seat sees, remembers and may choose, and the cards that it sees."""
    seen = np.zeros((2, 1, 8, 4), np.int64)
    batch.see_batch(record_of(rules), games, np.array([seat]), *seen)
    cards = [
        games["seats"]["hands"]["cards"][0, owner, hand, card]
        for owner, hand, card in itertools.product(range(rules.seats), range(4), range(5))
        if (seen[0, 0, owner, hand] >> card) & 1
    ]
    parts = [*observed(rules, games, seat, memory=True), seen, np.array(cards)]
    return b"".join(part.tobytes() for part in parts)


def choose(rules: Rules, games: np.ndarray, agent: str) -> tuple[int, int]:
    """The move and the chips that a compiled agent chooses."""
    move, chips = np.zeros((2, 1), np.int64)
    batch.choose_batch(record_of(rules), games, np.array([OPPONENTS[agent]]), move, chips)
    return int(move[0]), int(chips[0])


def step(rules: Rules, games: np.ndarray, move: int, chips: int) -> int:
    """Make a decision; return its outcome."""
    outcome = np.zeros(1, np.int64)
    moves, amounts = np.array([move]), np.array([chips])
    batch.step_batch(record_of(rules), games, moves, amounts, outcome, True)
    return int(outcome[0])


def finish(rules: Rules, games: np.ndarray, agent: str = "random") -> None:
    """Play all games to their ends, one agent on all seats."""
    n = games.size
    agents, outcomes = np.full((n, 8, 2), OPPONENTS[agent]), np.zeros(n, np.int64)
    moves = np.full(n, batch.NO_MOVE)
    batch.play_batch(record_of(rules), games, agents, moves, np.zeros(n), outcomes, 10**6)
    assert not outcomes.any()
    assert (games["phase"] == Phase.OVER).all()


@pytest.mark.parametrize("first", range(0, 60, 15))
def test_worlds_are_sound_show_the_seat_the_same_and_can_be_played_out(first: int) -> None:
    """P26, P27, P31, P4: in every phase, under random rules, with every invariant checked."""
    phases = Counter[Phase]()
    for seed in range(first, first + 15):
        rules = Rules.from_dict(random_rules(random.Random(seed)))
        games = begun(rules, seed)
        run(rules, games)
        agent = ("random", "basic", "bold")[seed % 3]
        generator = np.random.default_rng(seed)
        while games["phase"][0] != Phase.OVER:
            seat = int(generator.integers(rules.seats))
            before = games.copy()
            worlds = worlds_of(rules, games, seat, 6, int(generator.integers(2**32)))
            assert games.tobytes() == before.tobytes()
            found = np.zeros(worlds.size, np.int64)
            check_batch(record_of(rules), worlds, found)
            assert not found.any(), describe(Status(int(found.max())))
            expected = shown(rules, games, seat)
            for i in range(worlds.size):
                assert shown(rules, worlds[i : i + 1], seat) == expected
            for name in ("seed", "episode", "deal", "decision", "phase", "seat", "hand", "n_pack"):
                if name != "n_pack" or rules.packs != "infinite":
                    assert (worlds[name] == games[name]).all()
            assert len(set(worlds["world"].tolist())) == worlds.size
            if games["decision"][0] % 5 == 0:
                finish(rules, worlds)
                assert not worlds["seats"]["chips"].sum(axis=1).any()
            phases[Phase(int(games["phase"][0]))] += 1
            assert step(rules, games, *choose(rules, games, agent)) == Outcome.OK
    assert len(phases) >= 10, phases


def test_every_phase_in_which_a_seat_is_asked_was_looked_at() -> None:
    """The test before, under rules by which every phase comes up."""
    rules = Rules.shoot(
        seats=4, deals=12, banker_doubles=True, bank_refusable=True, burn="14", max_kitty=300
    )
    phases = set()
    for seed in range(12):
        games = begun(rules, seed)
        run(rules, games)
        while games["phase"][0] != Phase.OVER:
            phases.add(Phase(int(games["phase"][0])))
            for seat in range(rules.seats):
                world = worlds_of(rules, games, seat, 1, seed)
                assert shown(rules, world, seat) == shown(rules, games, seat)
            assert step(rules, games, *choose(rules, games, "random")) == Outcome.OK
    assert phases == set(DECISION_PHASES)


# A second way to tell what can be: to play the deal again with the cards of a world.


def start_of(rules: Rules, seed: int, n_fresh: int, pack: list[str] | None = None) -> np.ndarray:
    """A table before the first card, whose first cards alone nobody has seen."""
    games = begun(rules, seed)
    if pack is not None:
        stack(games, pack)
    games["n_fresh"] = n_fresh
    return games


def cells(rules: Rules, games: np.ndarray) -> dict[int, int]:
    """Where each card lies: a number of its place for each card."""
    found = {}
    for owner in range(rules.seats):
        for number in range(int(games["seats"]["n_hands"][0, owner])):
            hand = games["seats"]["hands"][0, owner, number]
            if hand["status"] != HandStatus.BUST:
                for card in range(hand["n_cards"]):
                    found[int(hand["cards"][card])] = 1000 + (owner * 4 + number) * 5 + card
    return found | {card: place for place, card in enumerate(pack_in_order(games[0]).tolist())}


def play_again(
    rules: Rules, start: np.ndarray, true: np.ndarray, world: np.ndarray, decisions: list[Decision]
) -> np.ndarray | None:
    """Play a deal with the cards of a world; None where that cannot come to the same table.

    Nobody can tell a hand that stuck from one that closed on 21 (P24, P26): what sticks is left out
    of ``decisions``, and whoever is asked in between sticks.
    """
    here, there = cells(rules, true), {at: card for card, at in cells(rules, world).items()}
    order = [there[here[card]] if card in here else card for card in pack_in_order(start[0])]
    games = start.copy()
    stack_pack(games[0], order)
    run(rules, games)

    def stick_until(seat: int, hand: int, phase: int | None) -> bool:
        while (games["seat"][0], games["hand"][0]) != (seat, hand) or (
            phase is not None and games["phase"][0] != phase
        ):
            if games["phase"][0] != Phase.PLAY or step(rules, games, Move.STICK, 0) != Outcome.OK:
                return False
        return True

    for seat, hand, move, chips in decisions:
        if not stick_until(seat, hand, None) or step(rules, games, move, chips) != Outcome.OK:
            return None
    target = int(true["seat"][0]), int(true["hand"][0]), int(true["phase"][0])
    return games if stick_until(*target) else None


def positions(
    rules: Rules, start: np.ndarray, agent: str
) -> list[tuple[np.ndarray, list[Decision]]]:
    """The decisions of a deal in which cards are hidden, each with those before it."""
    games = start.copy()
    run(rules, games)
    before: list[Decision] = []
    found = []
    while games["phase"][0] in (Phase.STAKE, Phase.SHOOT, Phase.PLAY, Phase.BANKER):
        found.append((games.copy(), before.copy()))
        move, chips = choose(rules, games, agent)
        if move != Move.STICK or games["phase"][0] == Phase.BANKER:
            before.append((int(games["seat"][0]), int(games["hand"][0]), move, chips))
        step(rules, games, move, chips)
    return found


DEALS = Rules.single_deal(seats=4)
VARIED: list[dict[str, Any]] = [
    {},
    {"soft21_draws": False, "no_certain_fifth": True, "stick_min": 16},
    {"split_aces_one_card": True, "split_pontoon": "plain"},
    {"royal": True, "trick_beats_pontoon": True},
]


@pytest.mark.parametrize("fields", VARIED, ids=str)
def test_the_deal_could_have_been_played_with_the_cards_of_a_world(fields: dict[str, Any]) -> None:
    """P14 to P29: the same decisions lead to the same table, by the engine's own rules."""
    rules = Rules.from_dict({**DEALS.to_dict(), **fields})
    n = Counter[str]()
    for seed in range(40):
        start = start_of(rules, seed, 52)
        generator = np.random.default_rng(seed)
        for games, before in positions(rules, start, ("random", "bold")[seed % 2]):
            seat = int(generator.integers(rules.seats))
            worlds = worlds_of(rules, games, seat, 3, seed)
            for i in range(worlds.size):
                world = worlds[i : i + 1]
                again = play_again(rules, start, games, world, before)
                assert again is not None
                assert cells(rules, again) == cells(rules, world)
                assert shown(rules, again, seat) == shown(rules, world, seat)
                n[Phase(int(games["phase"][0])).name] += 1
    assert n["PLAY"] > 500
    assert n["BANKER"] > 50


PACK = ["9c", "Ah", "6c", "Tc", "4c", "5d", "Td", "7h", "3h"]
"""Of three seats: P1 19, P2 A-4, the banker 6-5."""
UNIFORM = {
    "a player before its turn and the banker": (PACK, 8, 1, [("stake", 2)]),
    "a hand that is asked, and the banker": (PACK, 8, 0, [("stake", 2), ("stick", 1)]),
    "a hand that bought": (PACK, 8, 0, [("stake", 2), ("stick", 1), ("buy", 1)]),
    "hands against an asked banker": (
        ["9c", "8h", "6c", "9d", "3c", "5d", "9h", "2c"],
        8,
        2,
        [("stake", 2), ("stick", 1), ("buy", 1), ("stick", 1)],
    ),
    "a declared pontoon": (
        ["Ac", "8h", "6c", "Td", "3c", "5d", "9h", "Kc"],
        8,
        2,
        [("stake", 2), ("buy", 1), ("stick", 1)],
    ),
}


@pytest.mark.statistical
@pytest.mark.parametrize("name", UNIFORM)
def test_worlds_are_uniform_among_those_that_can_be(name: str) -> None:
    """All ways to lay the unknown cards are tried; n = 30 a possible one, chi-square, p > 0.001."""
    pack, n_fresh, observer, moves = UNIFORM[name]
    rules = Rules.single_deal(seats=3, max_stake=100)
    start = start_of(rules, 1, n_fresh, pack)
    start["banker"] = start["seat"] = 2
    games = start.copy()
    run(rules, games)
    before: list[Decision] = []
    for move_name, times in moves:
        move, chips = Move[move_name.upper()], 100
        for _ in range(times):
            if move != Move.STICK:
                before.append((int(games["seat"][0]), int(games["hand"][0]), move, chips))
            assert step(rules, games, move, chips) == Outcome.OK
    record = record_of(rules)[0]
    fresh = set(pack_in_order(start[0])[:n_fresh].tolist())
    known = set()
    for owner in range(3):
        hand = games["seats"]["hands"][0, owner, 0]
        looks = owner == observer and knows_own_cards(record, games[0], owner)
        up = ALL_UP if looks else int(hand["up"])
        known |= {int(c) for k, c in enumerate(hand["cards"][: hand["n_cards"]]) if (up >> k) & 1}
    unknown = sorted(fresh - known)
    here = cells(rules, games)
    possible = set()
    for cards in itertools.permutations(unknown):
        world = games.copy()
        moved = dict(zip(unknown, cards, strict=True))
        for card, other in moved.items():
            at = here[card]
            if at < 1000:
                place = (int(world["top"][0]) + at) % 104
                world["pack"][0, place] = other
            else:
                owner, hand, place = (at - 1000) // 20, (at - 1000) // 5 % 4, (at - 1000) % 5
                world["seats"]["hands"]["cards"][0, owner, hand, place] = other
        again = play_again(rules, start, games, world, before)
        if again is not None and shown(rules, again, observer) == shown(rules, games, observer):
            possible.add(cards)
    assert len(possible) > 20
    n = 30 * len(possible)
    counts = Counter[tuple[int, ...]]()
    for world in np.split(worlds_of(rules, games, observer, n, 5), n):
        there = {at: card for card, at in cells(rules, world).items()}
        counts[tuple(there[here[card]] for card in unknown)] += 1
    assert set(counts) <= possible
    assert chisquare([counts[cards] for cards in possible]).pvalue > 0.001


@pytest.mark.statistical
def test_a_world_is_the_true_one_no_more_often_than_chance() -> None:
    """Hidden card, next card and next shuffle: 1 in 51, 51 and 52; n = 60,000, 4 deviations."""
    rules = Rules.pontoon(seats=2, deals=2, shuffle="every", bank_sale=False, bank_passes="never")
    n_games, n = 300, 200
    hits = np.zeros(3)
    for seed in range(n_games):
        games = begun(rules, seed)
        run(rules, games)
        player, banker = int(games["seat"][0]), int(games["banker"][0])
        worlds = worlds_of(rules, games, player, n, seed)
        cards = worlds["seats"]["hands"]["cards"][:, banker, 0, 0]
        hits[0] += (cards == games["seats"]["hands"]["cards"][0, banker, 0, 0]).sum()
        top = int(games["top"][0])
        hits[1] += (worlds["pack"][:, top] == games["pack"][0, top]).sum()
        for each in (games, worlds):
            n_each = each.size
            agents = np.full((n_each, 8, 2), OPPONENTS["stick17"])
            outcomes, no_moves = np.zeros(n_each, np.int64), np.full(n_each, batch.NO_MOVE)
            while (each["deal"] == 0).any():
                agents[each["deal"] == 1] = batch.EXTERNAL
                batch.play_batch(
                    record_of(rules), each, agents, no_moves, np.zeros(n_each), outcomes, 1
                )
        first = worlds["seats"]["hands"]["cards"][:, player, 0, 0]
        hits[2] += (first == games["seats"]["hands"]["cards"][0, player, 0, 0]).sum()
    total = n_games * n
    for found, chance in zip(hits / total, (1 / 51, 1 / 51, 1 / 52), strict=True):
        assert abs(found - chance) < 4 * (chance / total) ** 0.5


def test_the_worlds_of_a_key_are_the_same_in_all_worlds_that_a_seat_cannot_tell_apart() -> None:
    """So that a search with keys of its own cannot be led by where the cards lie."""
    n_moved = 0
    for seed in range(20):
        rules = Rules.from_dict(random_rules(random.Random(seed), deals=2))
        games = begun(rules, seed)
        run(rules, games)
        while games["phase"][0] != Phase.OVER:
            seat = int(games["seat"][0])
            other = worlds_of(rules, games, seat, 1, seed)
            n_moved += bool((other["seats"] != games["seats"]).any())
            here, there = (worlds_of(rules, each, seat, 3, 9) for each in (games, other))
            assert (here["seats"] == there["seats"]).all()
            for one, two in zip(here, there, strict=True):
                assert (pack_in_order(one) == pack_in_order(two)).all()
            assert step(rules, games, *choose(rules, games, "basic")) == Outcome.OK
    assert n_moved > 200


def test_cards_of_an_infinite_pack_come_anew() -> None:
    """Stacked ones too: no world tells what comes."""
    rules = Rules.single_deal(seats=2, packs="infinite")
    games = begun(rules, 1)
    stack(games, ["9c", "Ad", "6d", "7h", "2c"])
    run(rules, games)
    worlds = worlds_of(rules, games, int(games["seat"][0]), 2000)
    assert not worlds["n_pack"].any()
    run_all = worlds.copy()
    finish(rules, run_all, "basic")
    banker = int(games["banker"][0])
    second = run_all["seats"]["hands"]["cards"][:, banker, 0, 1]
    assert len(set(second.tolist())) == 52
    assert (worlds["seats"]["hands"]["cards"][:, banker, 0, 0] == 3).mean() < 0.05


def test_what_is_known_of_the_pack_stays() -> None:
    """P31: the known order below the fresh cards, and hands that were dealt from it."""
    rules = Rules.pontoon(seats=5, shuffle="never", deals=30)
    n_known = 0
    for seed in range(3):
        games = begun(rules, seed)
        run(rules, games)
        while games["phase"][0] != Phase.OVER:
            seat = int(games["seat"][0])
            world = worlds_of(rules, games, seat, 1, seed)
            n_fresh = int(games["n_fresh"][0])
            here, there = pack_in_order(games[0]), pack_in_order(world[0])
            assert (here[n_fresh:] == there[n_fresh:]).all()
            if n_fresh == 0 and games["fresh_drawn"][0] == 0:
                n_known += 1
                assert (games["seats"] == world["seats"]).all()
            assert step(rules, games, *choose(rules, games, "basic")) == Outcome.OK
    assert n_known > 100


def test_sealed_bids_may_be_any() -> None:
    """S10: those of others; the own one is known."""
    rules = Rules.shoot(seats=3, deals=2, max_price=3)
    games = begun(rules, 1)
    run(rules, games)
    games["phase"] = Phase.BID
    games["kitty"] = 0
    games["seats"]["n_hands"] = 0
    banker = int(games["banker"][0])
    first, second = (banker + 1) % 3, (banker + 2) % 3
    games["seat"] = second
    games["seats"]["bid"][0, first] = 2
    bids = worlds_of(rules, games, second, 400)["seats"]["bid"]
    assert set(bids[:, first].tolist()) == {0, 1, 2, 3}
    assert not bids[:, second].any()
    assert (worlds_of(rules, games, first, 50)["seats"]["bid"][:, first] == 2).all()


def test_worlds_that_few_cards_fit_are_found() -> None:
    """Seven hands of five cards each: rejection alone would try for minutes."""
    rules = Rules.single_deal(seats=8, packs=2)
    names = [f"{rank}{suit}" for rank in "A23" for suit in "cdhs"]
    games = begun(rules, 1)
    low = [name for name in names for _ in range(2)]
    pack = [*low[:7], "Tc", *low[7:14], "9c", *low[14:], *["4c", "4d", "4h", "4s"] * 2]
    pack += ["5c", "5d", "5h", "5s"] * 2
    top = parse_cards(pack)
    rest = list(pack_in_order(games[0]))
    for card in top:
        rest.remove(card)
    stack_pack(games[0], [*top, *rest])
    run(rules, games, *[Move.STAKE] * 7)
    while games["phase"][0] == Phase.PLAY:
        assert step(rules, games, Move.BUY, 100) == Outcome.OK
    assert games["phase"][0] == Phase.BANKER
    banker = int(games["banker"][0])
    worlds = worlds_of(rules, games, banker, 20)
    found = np.zeros(worlds.size, np.int64)
    check_batch(record_of(rules), worlds, found)
    assert not found.any()
    cards = worlds["seats"]["hands"]["cards"]
    assert len({world.tobytes() for world in cards}) == worlds.size
