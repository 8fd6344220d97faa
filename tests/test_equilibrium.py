"""The two-seat game: its tree, best responses, the equilibrium, and the agent that plays it."""

from __future__ import annotations

import functools
import itertools
import random
from dataclasses import replace
from math import comb
from typing import Any

import numpy as np
import pytest

from agents.baselines import Baseline, legal_choices
from agents.exact.equilibrium import Equilibrium, solve_equilibrium
from agents.exact.equilibrium_agent import EquilibriumAgent, _find_batch, equilibrium_of
from agents.exact.information_sets import InformationSets, Positions
from agents.exact.kinds import AFTER, N_KINDS, NO_CARDS, TOTAL
from agents.exact.player_response import player_response
from agents.exact.players import ExactPlayer
from agents.exact.policy_strategy import strategies_of
from agents.exact.public_tree import (
    _NEEDED,
    FIRST_PRICE,
    MAY_BUY,
    MAY_STICK,
    N_DECISIONS,
    STICK,
    TwoSeatGame,
    build_game,
)
from agents.exact.responses import (
    BankerStrategy,
    PlayerStrategy,
    best_banker,
    best_player,
    exploitability_of,
    finals_of,
    follow,
    value_of,
)
from pontoon_env import batch
from pontoon_env.agent import AnyAgent
from pontoon_env.opponents.tables import MAX_OPEN_NODES, N_ACTIONS, N_FIRST_STAKES, TABLES
from pontoon_env.rules import Rules
from pontoon_env.state import Move, Outcome, Phase
from tests.naive import random_rules
from tests.two_seat import (
    Histories,
    even_pair,
    legal_actions,
    paths_of,
    places_of,
    random_pair,
    small_game,
)

pytestmark = pytest.mark.usefixtures("own_cache")

ONE = Rules.two_seat_exact(max_stake=1)
TWO = Rules.two_seat_exact(max_stake=2)
NO_EFFECT = {
    "min_kitty": None,
    "max_kitty": None,
    "max_price": None,
    "max_hands": 4,
    "split_aces_one_card": False,
    "split_pontoon": "double",
    "burn_repeat": 0,
    "bank_sale": False,
    "bank_refusable": False,
    "shuffle": "pontoon",
    "under_pack": "order",
}
"""Fields that clash with those of the two-seat game where they are not at their defaults."""


def some_rules(seed: int, **fields: Any) -> Rules:
    """Random rules of the two-seat game for a stake of one or of one and two chips."""
    stakes = {"min_stake": 1, "max_stake": 1 + seed % 2}
    fixed: dict[str, Any] = {**_NEEDED, **NO_EFFECT, **stakes, **fields}
    return Rules.from_dict(random_rules(random.Random(seed), **fixed))


@functools.cache
def solved(rules: Rules) -> Equilibrium:
    """The equilibrium, closer than the agent plays it."""
    return solve_equilibrium(build_game(rules), target=1e-4)


# The tree.


@pytest.mark.parametrize(("low", "high"), [(1, 1), (1, 2), (3, 3), (2, 5), (1, 10)])
def test_the_tree_holds_every_course_of_stakes_prices_and_shown_cards(low: int, high: int) -> None:
    """P12, P20, P21: falling prices of up to E + 1 amounts, then twisted cards of ten counts."""
    n_nodes = n_open = 0
    for stake in range(low, high + 1):
        # So many ladders of none, one, two and three prices: multisets of E + 1 amounts.
        ladders = [comb(stake + n, n) for n in range(4)]
        open_ones = sum(ladders[n] * 10**m for n in range(3) for m in range(3 - n))
        tricks = sum(ladders[n] * 10 ** (3 - n) for n in range(4))
        n_nodes, n_open = n_nodes + open_ones + tricks, n_open + open_ones
    game = build_game(Rules.two_seat_exact(min_stake=low, max_stake=high))
    assert (game.nodes.size, game.n_open) == (n_nodes, n_open)
    if (low, high) == (1, 10):
        assert (n_nodes, n_open) == (22_460, 2110)


def test_the_tables_of_the_compiled_agent_hold_the_largest_tree() -> None:
    """`pontoon_env.opponents.tables` fixes sizes: prices run from E to 2E of the largest stake."""
    game = build_game(Rules.two_seat_exact())
    assert game.n_open == MAX_OPEN_NODES
    assert game.stakes.size == N_FIRST_STAKES
    prices = game.nodes["highest_price"] - game.nodes["stake"] + 1
    assert prices.max() + FIRST_PRICE == N_ACTIONS


def test_every_node_is_a_course_of_its_own() -> None:
    game = build_game(Rules.two_seat_exact(min_stake=2, max_stake=3))
    assert len(set(paths_of(game))) == game.nodes.size
    for node, path in zip(game.nodes, paths_of(game), strict=True):
        paid = [chips for word, chips in path if word != "twist"]
        assert node["stake"] == paid[0]
        assert node["total_stake"] == sum(paid)
        assert node["n_cards"] == 1 + len(path)


def found_sets(game: TwoSeatGame, positions: Positions) -> tuple[np.ndarray, ...]:
    """Nodes, cards less two and kinds by which the agent reads tables."""
    places, steps, kinds = np.zeros((3, positions.games.size), np.int64)
    record = game.rules.to_record()
    tables = np.zeros(1, TABLES)
    for field in ("first_bought", "first_twisted"):
        tables[field][0, : game.n_open] = game.nodes[field][: game.n_open]
    _find_batch(record, positions.games, tables, places, steps, kinds)
    return places, steps, kinds


def test_the_agent_finds_every_information_set_on_its_table() -> None:
    """The engine plays each course, and the node is found again; tricks are all one."""
    game = build_game(Rules.two_seat_exact(min_stake=1, max_stake=3))
    sets = InformationSets(game, 5)
    places, _, kinds = found_sets(game, sets.stakes())
    assert not places.any()
    assert kinds.tolist() == list(range(1, 11))
    positions = sets.player()
    assert not positions.games["n_pack"].any(), "no card is stacked beyond those dealt"
    places, steps, kinds = found_sets(game, positions)
    assert np.array_equal(places, positions.sets[:, 0])
    assert np.array_equal(steps + 2, game.nodes["n_cards"][places])
    assert np.array_equal(kinds, positions.sets[:, 1])
    hand = positions.games["seats"]["hands"][np.arange(places.size), positions.games["seat"], 0]
    assert np.array_equal(hand["stake"], game.nodes["total_stake"][places])
    for positions in sets.banker():
        assert not positions.games["n_pack"].any()
        places, steps, kinds = found_sets(game, positions)
        nodes = positions.sets[:, 0]
        assert np.array_equal(places, np.where(nodes < game.n_open, nodes, -1))
        assert np.array_equal(np.stack([steps, kinds]), positions.sets[:, 1:3].T)


@pytest.mark.parametrize("seed", range(4))
def test_information_sets_are_all_that_can_be_held(seed: int) -> None:
    """Every hand by its cards, drawn where the rules let its holder draw (P20 to P24, P28)."""
    game = build_game(some_rules(seed))
    sets, rulebook = InformationSets(game, seed), Histories(game)
    held = {(0, cards) for cards in itertools.product(range(1, 11), repeat=2)}
    asked_for: set[tuple[int, int, int]] = set()
    while held:
        place, cards = held.pop()
        node = game.nodes[place]
        if rulebook.rank(cards) in (0, 23) or rulebook.is_closed(cards):
            continue
        asked_for.add((place, kind_after(cards), len(cards) == 2 and cards[0] == cards[1]))
        choices = rulebook.choices(cards, int(node["stake"]), int(node["highest_price"]))
        for action, price in choices:
            for pips in range(1, 11) if action != STICK else ():
                bought = node["first_bought"] + price - node["stake"]
                child = bought if price else node["first_twisted"] + pips - 1
                if child < game.n_open:
                    drawn = (*cards, pips)
                    held.add((int(child), tuple(sorted(drawn)) if len(drawn) > 2 else drawn))
    of_one_stake = [
        tuple(row) for row in sets.player().sets.tolist() if starts_at(game, row[0]) == 0
    ]
    tens_apart = {(0, TWENTY, 0)}  # ten-valued cards of two ranks
    assert len(of_one_stake) == len(set(of_one_stake))
    assert set(of_one_stake) == asked_for | tens_apart


TWENTY = int(AFTER[AFTER[NO_CARDS, 10], 10])


def kind_after(cards: tuple[int, ...]) -> int:
    """The kind of a hand, card by card."""
    kind = NO_CARDS
    for pips in cards:
        kind = int(AFTER[kind, pips])
    return kind


def starts_at(game: TwoSeatGame, place: int) -> int:
    """The node of two cards that a course begins at."""
    while game.nodes[place]["parent"] >= 0:
        place = int(game.nodes[place]["parent"])
    return place


def random_play(rules: Rules, n: int, seed: int) -> np.ndarray:
    """The record of every decision of ``n`` deals that both sides play at random."""
    games, record = batch.new_games(n), rules.to_record()
    batch.begin_batch(record, games, np.full(n, seed, np.uint64), np.arange(n, dtype=np.uint64))
    moves, chips, outcomes = np.full(n, batch.NO_MOVE), np.zeros(n, np.int64), np.zeros(n, np.int64)
    batch.step_batch(record, games, moves, chips, outcomes, True)
    met = []
    while games.size:
        met.append(games.copy())
        moves, chips = Baseline("random").choose(rules, games)
        batch.step_batch(record, games, moves, chips, outcomes[: games.size], True)
        assert (outcomes[: games.size] == Outcome.OK).all()
        games = games[games["phase"] != Phase.OVER]
    return np.concatenate(met)


@pytest.mark.parametrize("seed", range(6))
def test_the_tree_allows_what_the_engine_allows(seed: int) -> None:
    """P12, P20 to P24, P28: at every decision of 2,000 deals; each is an information set."""
    rules = some_rules(seed, max_stake=3)
    game, games = build_game(rules), random_play(rules, 2000, seed)
    masks, lows, highs = legal_choices(rules, games)
    places, steps, kinds = found_sets(game, Positions(games, np.zeros((0, 3), np.int64)))
    rows = games["phase"] == Phase.STAKE
    assert (masks[rows].sum(axis=1) == masks[rows, Move.STAKE]).all()
    assert set(lows[rows, Move.STAKE]) == {game.stakes[0]}
    assert set(highs[rows, Move.STAKE]) == {game.stakes[-1]}
    rows = games["phase"] == Phase.BANKER
    assert set(np.flatnonzero(masks[rows].all(axis=0))) == {Move.TWIST, Move.STICK}
    asked = np.concatenate([part.sets[:, :3] for part in InformationSets(game, 0).banker()])
    asked[asked[:, 0] >= game.n_open, 0] = -1  # tricks are all one
    met = np.column_stack([places, steps, kinds])[rows]
    assert set(map(tuple, met.tolist())) <= set(map(tuple, asked.tolist()))
    rows = np.flatnonzero(games["phase"] == Phase.PLAY)
    nodes, rights = game.nodes[places[rows]], game.rights[steps[rows] + 2, kinds[rows]]
    can_buy = (rights & MAY_BUY != 0) & (nodes["highest_price"] > 0)
    assert masks[rows, Move.TWIST].all()
    assert np.array_equal(masks[rows, Move.STICK] != 0, rights & MAY_STICK != 0)
    assert np.array_equal(masks[rows, Move.BUY] != 0, can_buy)
    assert not np.delete(masks[rows], [Move.TWIST, Move.STICK, Move.BUY], axis=1).any()
    assert np.array_equal(lows[rows, Move.BUY][can_buy], nodes["stake"][can_buy])
    assert np.array_equal(highs[rows, Move.BUY][can_buy], nodes["highest_price"][can_buy])
    assert np.array_equal(
        legal_actions(game)[places[rows], kinds[rows]].sum(axis=1),
        (
            masks[rows, Move.TWIST]
            + masks[rows, Move.STICK]
            + can_buy * (nodes["highest_price"] - nodes["stake"] + 1)
        ),
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("seats", 3),
        ("deals", 2),
        ("packs", 1),
        ("shoot", True),
        ("split", "aces"),
        ("banker_doubles", True),
        ("trick_beats_pontoon", True),
        ("royal", True),
        ("burn", "13"),
        ("banker_rule", "stick17"),
        ("max_stake", 11),
    ],
)
def test_rules_that_make_another_game_are_refused_with_what_would_work(
    field: str, value: object
) -> None:
    rules = Rules.two_seat_exact(**{field: value})
    works = "stakes of 1 to 10 chips" if field == "max_stake" else f"{field}={_NEEDED[field]!r}"
    for refuse in (EquilibriumAgent().check_rules, build_game, equilibrium_of):
        with pytest.raises(
            ValueError, match=f"^{field}={value!r} is not solved: .*asks for "
        ) as raised:
            refuse(rules)
        assert f"asks for {works}, as in Rules.two_seat_exact()" in str(raised.value)


def test_a_refusal_is_tested_for_every_field_that_the_game_needs() -> None:
    tested = test_rules_that_make_another_game_are_refused_with_what_would_work.pytestmark[0].args[
        1
    ]
    assert {field for field, _ in tested} == {*_NEEDED, "max_stake"}


# Values and best responses.

PACKS = ({1: 0.3, 6: 0.3, 10: 0.4}, {3: 0.4, 5: 0.3, 10: 0.3}, {1: 0.5, 10: 0.5})


@pytest.mark.parametrize("seed", range(9))
def test_values_are_those_of_a_search_of_every_history(seed: int) -> None:
    """P2 to P30, under random rules, for random strategies and the best against them."""
    game = small_game(PACKS[seed % 3], **some_rules(seed).to_dict())
    histories = Histories(game)
    for player, banker in (random_pair(game, seed), random_pair(game, seed, spread=0.05)):
        assert value_of(game, player, banker) == pytest.approx(
            histories.player_wins(player, banker), abs=1e-12
        )
        assert best_player(game, banker)[0] == pytest.approx(
            histories.player_wins(None, banker), abs=1e-12
        )
        assert best_banker(game, player)[0] == pytest.approx(
            histories.player_keeps(player), abs=1e-12
        )


@pytest.mark.parametrize("seed", range(6))
def test_a_best_response_wins_what_is_said_and_no_strategy_wins_more(seed: int) -> None:
    game = build_game(some_rules(seed))
    player, banker = random_pair(game, seed)
    found = exploitability_of(game, player, banker)
    most, best = best_player(game, banker)
    least, worst = best_banker(game, player)
    assert (least, most) == (found.player_at_worst, found.player_at_best)
    assert value_of(game, best, banker) == pytest.approx(most, abs=1e-12)
    assert value_of(game, player, worst) == pytest.approx(least, abs=1e-12)
    for other in range(20):
        another, house = random_pair(game, 100 + other, spread=0.1)
        assert value_of(game, another, banker) <= most
        assert value_of(game, player, house) >= least


@pytest.mark.parametrize("seed", range(6))
def test_the_value_of_the_game_lies_between_the_best_responses(seed: int) -> None:
    """Whoever plays: nash_conv is never negative, and 0 only where nobody can gain."""
    rules = some_rules(seed)
    game, (least, most) = build_game(rules), bounds(rules)
    for player, banker in (even_pair(game), random_pair(game, seed), random_pair(game, 9, 0.1)):
        found = exploitability_of(game, player, banker)
        assert found.player_at_worst <= most
        assert found.player_at_best >= least
        assert found.nash_conv > 0
        assert found.exploitability == found.nash_conv / 2
        assert found.player_at_worst <= value_of(game, player, banker) <= found.player_at_best


def bounds(rules: Rules) -> tuple[float, float]:
    """Between what the value of the game must lie."""
    found = solved(rules).exploitability
    return found.player_at_worst, found.player_at_best


def test_chances_follow_a_strategy_to_its_ends() -> None:
    """What is closed, bust or a natural is all there is, for the player and for the banker."""
    game = build_game(TWO)
    player, banker = random_pair(game, 3)
    _, showdowns, _ = follow(game, player)
    everything_costs_1 = game.nodes.copy()
    everything_costs_1["total_stake"] = 1
    _, _, busts = follow(replace(game, nodes=everything_costs_1), player)
    assert showdowns.sum() + busts + game.natural == pytest.approx(1)
    assert finals_of(game, banker).sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize(("low", "rules"), [(15, ONE), (17, TWO), (19, ONE)])
def test_the_best_response_to_a_fixed_banker_is_the_dynamic_programme(
    low: int, rules: Rules
) -> None:
    """Two programmes that share no line: every price here, the extremes there."""
    game = build_game(rules)
    _, banker = asked(baseline(f"stick{low}"), rules)
    found = player_response(replace(rules, banker_rule=f"stick{low}"))
    expected = found.ev_best_stake(rules.max_stake)
    assert best_player(game, banker)[0] == pytest.approx(expected, abs=1e-12)
    draws = np.broadcast_to(low > TOTAL, (game.nodes.size, N_DECISIONS, N_KINDS)).astype(float)
    player, _ = even_pair(game)
    assert value_of(game, player, banker) == pytest.approx(
        value_of(game, player, BankerStrategy(draws)), abs=1e-12
    )


baseline = functools.cache(Baseline)


@functools.cache
def asked(agent: AnyAgent, rules: Rules) -> tuple[PlayerStrategy, BankerStrategy]:
    """How an agent plays."""
    return strategies_of(agent, build_game(rules))


@pytest.mark.parametrize("fields", [{}, {"soft21_draws": False, "no_certain_fifth": True}])
def test_the_best_response_to_stick17_at_all_stakes(fields: dict[str, Any]) -> None:
    """1.53305 least stakes a deal at stakes of 1 to 10 chips, under the rules of the project."""
    rules = Rules.two_seat_exact(**fields)
    game = build_game(rules)
    draws = np.broadcast_to(TOTAL <= 16, (game.nodes.size, N_DECISIONS, N_KINDS)).astype(float)
    found = best_player(game, BankerStrategy(draws))[0]
    if not fields:
        assert found == pytest.approx(1.53305, abs=5e-6)
    expected = player_response(replace(rules, banker_rule="stick17")).ev_best_stake(10)
    assert found == pytest.approx(expected, abs=1e-12)


def test_the_exact_player_plays_the_best_response() -> None:
    """The agent `exact`, asked on tables, wins all that can be won against ``stick17``."""
    player, banker = asked(ExactPlayer(), TWO)
    most = best_player(build_game(TWO), banker)[0]
    assert value_of(build_game(TWO), player, banker) == pytest.approx(most, abs=1e-12)
    assert best_player(build_game(TWO), asked(baseline("stick17"), TWO)[1])[0] == most


# What must hold between games.


def test_a_game_at_doubled_stakes_holds_the_game_itself() -> None:
    """P20, P30: all is in proportion where every price is doubled too, to the last chip."""
    fields = {"trick_pays": 2, "both_pontoon": -1}
    once = build_game(Rules.two_seat_exact(min_stake=1, max_stake=1, **fields))
    twice = build_game(Rules.two_seat_exact(min_stake=2, max_stake=2, **fields))
    places = places_of(twice)
    doubled = [
        places[tuple((word, n if word == "twist" else 2 * n) for word, n in path)]
        for path in paths_of(once)
    ]
    for seed in range(5):
        player, banker = random_pair(once, seed)
        play, draws = (
            strategy.copy() for strategy in (even_pair(twice)[0].play, even_pair(twice)[1].draws)
        )
        play[doubled[: once.n_open]] = 0.0
        play[doubled[: once.n_open], :, :FIRST_PRICE] = player.play[..., :FIRST_PRICE]
        play[doubled[: once.n_open], :, FIRST_PRICE : FIRST_PRICE + 4 : 2] = player.play[
            ..., FIRST_PRICE : FIRST_PRICE + 2
        ]
        draws[doubled] = banker.draws
        pair = PlayerStrategy(player.stakes, play), BankerStrategy(draws)
        assert value_of(twice, *pair) == pytest.approx(2 * value_of(once, player, banker))
        assert best_banker(twice, pair[0])[0] == pytest.approx(2 * best_banker(once, player)[0])
        assert best_player(twice, pair[1])[0] >= 2 * best_player(once, banker)[0] - 1e-12


@pytest.mark.parametrize(
    ("less", "more"),
    [
        ({"ties": "banker"}, {"ties": "push"}),
        ({"soft21_draws": False}, {"soft21_draws": True}),
        ({"no_certain_fifth": True}, {"no_certain_fifth": False}),
        ({"stick_min": 16}, {"stick_min": 15}),
        ({"pontoon_pays": 2}, {"pontoon_pays": 3}),
        ({"pontoon_pays": 1}, {"pontoon_pays": 2}),
        ({"trick_pays": 1}, {"trick_pays": 2}),
        ({"trick_pays": 1}, {"trick_pays": 1.5}),
        ({"banker_trick_collects": 2}, {"banker_trick_collects": 1}),
        ({"banker_pontoon_collects": 2}, {"banker_pontoon_collects": 1}),
        ({"both_pontoon": -2}, {"both_pontoon": 0}),
        ({"max_stake": 1}, {"max_stake": 2}),
        ({"min_stake": 2, "max_stake": 2}, {"max_stake": 2}),
        ({"max_stake": 2}, {"max_stake": 3}),
    ],
    ids=lambda fields: "-".join(map(str, fields.values())) if isinstance(fields, dict) else "",
)
def test_a_right_never_hurts_who_has_it(less: dict[str, Any], more: dict[str, Any]) -> None:
    """Each change pays the player more, or lets the player do all that could be done before.

    The bounds of the two values do not even overlap: all of these rights are worth something.
    """
    low, high = (
        bounds(Rules.two_seat_exact(**{"max_stake": 1, **fields})) for fields in (less, more)
    )
    assert high[0] > low[1]


def test_more_prices_never_hurt_the_player() -> None:
    """P20: at a stake of two chips all prices of one chip can be paid twice over, and 3 besides."""
    once, twice = (bounds(Rules.two_seat_exact(min_stake=n, max_stake=n)) for n in (1, 2))
    assert twice[1] / 2 >= once[0]


# The equilibrium.


@pytest.mark.parametrize("rules", [ONE, TWO, *(some_rules(seed) for seed in range(4))])
def test_the_exploitability_falls_below_a_thousandth_of_the_least_stake(rules: Rules) -> None:
    """It is measured anew from the strategies; every doubling of the iterations brings it down."""
    game = build_game(rules)
    found = solve_equilibrium(game)
    measured = exploitability_of(game, found.player, found.banker)
    assert measured == found.exploitability
    assert 0 <= measured.exploitability < 0.001 * rules.min_stake
    assert measured.player_at_worst <= found.value <= measured.player_at_best
    assert found.value == value_of(game, found.player, found.banker)
    assert found.course[-1][1] == measured.exploitability
    course = dict(solve_equilibrium(game, target=1e-12, most_iterations=400).course)
    doublings = [course[25 * 2**n] for n in range(5)]
    assert doublings == sorted(doublings, reverse=True)
    assert doublings[-1] < 1e-4
    assert course | dict(found.course) == course


def test_the_values_of_the_smallest_games() -> None:
    """Net chips a deal of the player, from bounds a ten-thousandth apart or less."""
    for rules, value in ((ONE, -0.02417), (TWO, 0.08982)):
        found = solve_equilibrium(build_game(rules), target=2e-5)
        least, most = found.exploitability.player_at_worst, found.exploitability.player_at_best
        assert most - least < 1e-4
        assert least - 5e-6 <= value <= most + 5e-6


def test_strategies_are_chances_of_what_is_legal() -> None:
    game, found = build_game(TWO), solved(TWO)
    legal = legal_actions(game)
    assert found.player.stakes.sum(axis=1) == pytest.approx(1)
    assert not found.player.play[~legal].any()
    assert found.player.play.sum(axis=2)[legal.any(axis=2)] == pytest.approx(1)
    for chances in (found.player.stakes, found.player.play, found.banker.draws):
        assert ((chances >= 0) & (chances <= 1)).all()


@pytest.mark.parametrize("rules", [ONE, *(some_rules(seed) for seed in range(4))])
def test_the_banker_always_draws_to_a_trick(rules: Rules) -> None:
    """P30: nothing but a trick of the banker's own loses less than all; it costs nothing to try."""
    game = build_game(rules)
    player, _ = random_pair(game, 1)
    least, best = best_banker(game, player)
    draws = best.draws.copy()
    draws[game.n_open :] = 1.0
    assert value_of(game, player, BankerStrategy(draws)) == pytest.approx(least, abs=1e-12)
    assert (solved(rules).banker.draws[game.n_open :] == 1).all()


def test_solving_stops_where_it_is_told_and_tells_how_far_it_is() -> None:
    told: list[tuple[int, float]] = []
    found = solve_equilibrium(build_game(ONE), 1e-9, 60, lambda *now: told.append(now))
    assert [iteration for iteration, _ in found.course] == [25, 50, 60]
    assert told == list(found.course)
    for target in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match=f"target={target} must be above 0 and finite"):
            solve_equilibrium(build_game(ONE), target)


def test_solving_again_finds_the_same() -> None:
    first, again = (solve_equilibrium(build_game(ONE)) for _ in range(2))
    assert np.array_equal(first.player.play, again.player.play)
    assert np.array_equal(first.banker.draws, again.banker.draws)
