"""The best response of a player to a fixed banker's rule: its values, its play and its limits."""

from __future__ import annotations

import itertools
import json
import random
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from agents.baselines import Baseline
from agents.exact.banker_rule import final_strengths
from agents.exact.fresh_pack import fresh_pack_response
from agents.exact.kinds import CHANCES, MAX_PIPS
from agents.exact.player_response import LADDERS, player_response
from agents.exact.players import ExactPlayer, best_response
from agents.registry import make_agent
from eval.exact import main, simulate_player
from eval.match import Lineup, everywhere, play_sessions
from pontoon_env import batch
from pontoon_env.engine.hands import Strength
from pontoon_env.rules import Rules
from pontoon_env.state import Move, Outcome, Phase
from tests.naive import random_rules
from tests.test_observation import hide_otherwise
from tests.test_opponents import at_first_hand, begun, run

BANKERS = [f"stick{n}{soft}" for n in range(15, 22) for soft in ("", "soft")]
SOLVED = {
    "packs": "infinite",
    "shoot": False,
    "min_kitty": None,
    "max_kitty": None,
    "max_price": None,
    "banker_doubles": False,
    "royal": False,
    "burn": "none",
    "burn_repeat": 0,
    "trick_pays": 2,
    "bank_sale": False,
    "bank_refusable": False,
    "shuffle": "pontoon",
    "under_pack": "order",
}
"""Fields of random rules that are fixed so that exact play is solved."""


def solved_rules(seed: int, **fields: Any) -> Rules:
    """Random rules from an infinite pack that exact play is solved for."""
    rng = random.Random(seed)
    fixed = {**SOLVED, "banker_rule": rng.choice(BANKERS), "trick_pays": rng.choice([1, 2])}
    return Rules.from_dict(random_rules(rng, **{**fixed, **fields}))


def exact_rules(**fields: Any) -> Rules:
    """The small game against ``stick17``, with ``fields`` changed."""
    return Rules.two_seat_exact(**{"banker_rule": "stick17", **fields})


# What a deal is worth.


def test_the_best_play_against_stick17_is_worth_what_is_known() -> None:
    """0.0671 E a deal; less than half where a soft 21 may not draw."""
    assert player_response(exact_rules()).ev_flat == pytest.approx(0.0671, abs=5e-5)
    soft_21_closes = exact_rules(soft21_draws=False)
    assert player_response(soft_21_closes).ev_flat == pytest.approx(0.0318, abs=5e-5)


@pytest.mark.parametrize("banker", BANKERS)
def test_more_rights_are_never_worth_less(banker: str) -> None:
    """P16, P17, P20, P22, P24: each change lets the player do all that could be done before."""
    rights: list[list[dict[str, Any]]] = [
        [{"split": "none"}, {"split": "aces"}, {"split": "any"}],
        [{"split": "any", "max_hands": n} for n in range(1, 5)],
        [{"split": "aces", "split_aces_one_card": one_card} for one_card in (True, False)],
        [{"soft21_draws": may_draw} for may_draw in (False, True)],
        [{"stick_min": total} for total in (16, 15)],
        [{"no_certain_fifth": is_barred} for is_barred in (True, False)],
    ]
    for steps in rights:
        found = [player_response(exact_rules(banker_rule=banker, **step)) for step in steps]
        for less, more in itertools.pairwise(found):
            assert (more.ev_by_first_card >= less.ev_by_first_card - 1e-12).all()


def test_the_best_stake_is_worth_more_the_wider_the_limits() -> None:
    """P12: up to ratio E on first cards that win, E on the others."""
    found = player_response(exact_rules())
    values = [found.ev_best_stake(ratio) for ratio in (1, 2, 10)]
    assert values[0] == found.ev_flat
    assert values == sorted(values)
    won = found.ev_by_first_card
    assert values[2] == pytest.approx(CHANCES @ np.where(won > 0, 10 * won, won))


def test_a_banker_ends_with_one_strength_of_all_that_the_rule_allows() -> None:
    """P29: the chances sum to one; a banker who stays on N ends on N or more, or bust."""
    for banker in BANKERS:
        chances = final_strengths(banker)
        assert chances.sum() == pytest.approx(1)
        assert not chances[1 : int(banker[5:7])].any()
        assert chances[Strength.PONTOON] == pytest.approx(2 * 4 / 169)


# Against a search of the whole tree, from the rulebook alone.

PRICES = (1.0, 1.5, 2.0)
"""What the search may pay, in E: the extremes, and a price between."""


class Search:
    """Every decision of a deal from an infinite pack of few ranks, by lists of cards.

    Ranks are 1 to 13. A hand's value is what it may expect where the banker has no natural.
    """

    def __init__(self, rules: Rules, ranks: dict[int, float]) -> None:
        self.rules = rules
        self.ranks = ranks
        digits = rules.banker_rule.removeprefix("stick").removesuffix("soft")
        self.sticks_on, self.draws_soft = int(digits), rules.banker_rule.endswith("soft")
        self.banker: dict[str | int, float] = {}
        self.follow_banker((), 1.0)
        self.natural = self.banker.pop("pontoon")
        self.banker = {rank: p / (1 - self.natural) for rank, p in self.banker.items()}
        self.play = cache(self._play)
        self.play_all = cache(self._play_all)

    @staticmethod
    def count(cards: tuple[int, ...]) -> tuple[int, int]:
        """Lowest and best count (P2)."""
        low = sum(min(rank, 10) for rank in cards)
        return low, low + 10 if 1 in cards and low <= 11 else low

    def rank(self, cards: tuple[int, ...], is_split: bool) -> str | int:
        """P6, P19."""
        low, best = self.count(cards)
        if low > 21:
            return "bust"
        if (
            len(cards) == 2
            and best == 21
            and not (is_split and self.rules.split_pontoon == "plain")
        ):
            return "split pontoon" if is_split else "pontoon"
        return "trick" if len(cards) == 5 else best

    def follow_banker(self, cards: tuple[int, ...], chance: float) -> None:
        """P28, P29, ``banker_rule``."""
        low, best = self.count(cards)
        is_soft = best != low
        ends = low >= 21 or len(cards) == 5 or (len(cards) == 2 and best == 21)
        stays = best >= self.sticks_on
        if self.draws_soft and is_soft and best == self.sticks_on:
            stays = False
        if len(cards) >= 2 and (ends or stays):
            rank = self.rank(cards, False)
            self.banker[rank] = self.banker.get(rank, 0.0) + chance
            return
        for card, p in self.ranks.items():
            self.follow_banker((*cards, card), chance * p)

    def won(self, rank: str | int, banker: str | int) -> float:
        """Stakes won by a live hand: the table of P30."""
        rules = self.rules
        order = [*range(22), "trick", "pontoon"]
        own = "pontoon" if rank == "split pontoon" else rank
        place = -1 if banker == "bust" else order.index(banker)
        is_beaten = order.index(own) < place
        if own == "pontoon" and banker == "trick":
            is_beaten = rules.trick_beats_pontoon
        if own == banker:
            if rules.ties == "push":
                return 0
            is_beaten = True
        if is_beaten:
            return -rules.banker_trick_collects if banker == "trick" else -1
        if rank == "split pontoon" and rules.split_pontoon == "once":
            return 1
        return {"pontoon": rules.pontoon_pays, "trick": rules.trick_pays}.get(str(own), 1)

    def settle(self, cards: tuple[int, ...], stake: float, is_split: bool) -> float:
        """P25, P30."""
        rank = self.rank(cards, is_split)
        if rank == "bust":
            return -stake
        return stake * sum(p * self.won(rank, banker) for banker, p in self.banker.items())

    def _play(
        self, cards: tuple[int, ...], stake: float, last: float | None, is_split: bool
    ) -> float:
        """P15, P20 to P24: the best that a hand can do that is not split; ``last`` 0 is a twist."""
        rules = self.rules
        low, best = self.count(cards)
        if (
            low >= 21
            or len(cards) == 5
            or self.rank(cards, is_split) in ("pontoon", "split pontoon")
        ):
            return self.settle(cards, stake, is_split)
        if best == 21 and not rules.soft21_draws:
            return self.settle(cards, stake, is_split)
        values = []
        if best >= rules.stick_min:
            values.append(self.settle(cards, stake, is_split))
        prices = [0.0]
        if last != 0 and not (rules.no_certain_fifth and len(cards) == 4 and low <= 11):
            prices += [price for price in PRICES if last is None or price <= last]
        values += [
            sum(
                p * self.play(tuple(sorted((*cards, card))), stake + price, price, is_split)
                for card, p in self.ranks.items()
            )
            for price in prices
        ]
        return max(values)

    def _play_all(self, hands: tuple[tuple[int, ...], ...], n_hands: int) -> float:
        """P16 to P18: the best that a seat can do with hands that wait, their first cards first."""
        if not hands:
            return 0.0
        hand, *others = hands
        rules = self.rules
        is_split = n_hands > 1
        if is_split and rules.split_aces_one_card and hand[0] == 1:
            return self.settle(hand, 1, True) + self.play_all(tuple(others), n_hands)
        as_it_is = self.play(hand, 1, None, is_split) + self.play_all(tuple(others), n_hands)
        if hand[0] != hand[1] or n_hands == rules.max_hands:
            return as_it_is
        if rules.split == "none" or (rules.split == "aces" and hand[0] != 1):
            return as_it_is
        halves = 0.0
        for (left, p), (right, q) in itertools.product(self.ranks.items(), repeat=2):
            new = ((hand[0], left), (hand[0], right), *others)
            halves += p * q * self.play_all(new, n_hands + 1)
        return max(as_it_is, halves)

    def value_of(self, first: int) -> float:
        """What the deal is worth on a first card."""
        value = 0.0
        for second, p in self.ranks.items():
            is_natural = self.rank((first, second), False) == "pontoon"
            both = self.rules.both_pontoon
            lost = -self.rules.banker_pontoon_collects
            if is_natural and both is not None:
                lost = both
            value += p * self.natural * lost
            value += p * (1 - self.natural) * self.play_all(((first, second),), 1)
        return value


DECKS = ({1: 0.25, 5: 0.25, 10: 0.5}, {1: 0.3, 3: 0.4, 10: 0.3}, {1: 0.2, 2: 0.3, 7: 0.3, 10: 0.2})
"""Chances by pips; a ten is one of four ranks."""


@pytest.mark.parametrize("seed", range(60))
def test_the_response_is_the_best_of_all_ways_to_play(seed: int) -> None:
    """P15 to P30, section 3, by exhaustive search; no price between the extremes is better."""
    rules = solved_rules(seed)
    deck = DECKS[seed % len(DECKS)]
    chances = np.array([deck.get(pips, 0.0) for pips in range(MAX_PIPS + 1)])
    ranks = {rank: p for rank, p in deck.items() if rank != MAX_PIPS}
    ranks |= dict.fromkeys(range(MAX_PIPS, MAX_PIPS + 4), deck[MAX_PIPS] / 4)
    search = Search(rules, ranks)
    found = player_response(rules, chances).ev_by_first_card
    for pips in deck:
        assert found[pips] == pytest.approx(search.value_of(pips), abs=1e-12), rules


# Against a plain recursion, from a fresh pack.


class Fresh:
    """A hand of a fresh pack that is asked for its fourth or fifth card, the banker's dealt first.

    The banker's two cards are dealt before the player draws, as at the table; those that are a
    natural are left out.
    """

    def __init__(self, sticks_on: int) -> None:
        self.sticks_on = sticks_on

    def left(self, cards: tuple[int, ...]) -> dict[int, int]:
        """Cards of the pack that are not among ``cards``, by pips."""
        whole = {pips: 16 if pips == 10 else 4 for pips in range(1, 11)}
        return {pips: n - cards.count(pips) for pips, n in whole.items() if n > cards.count(pips)}

    def deals(self, held: tuple[int, ...]) -> list[tuple[tuple[int, int], float]]:
        """The banker's two cards and their chances, without naturals."""
        found = []
        n = 52 - len(held)
        for one, n_one in self.left(held).items():
            for two, n_two in self.left((*held, one)).items():
                if {one, two} != {1, 10}:
                    found.append(((one, two), n_one * n_two / (n * (n - 1))))
        total = sum(p for _, p in found)
        return [(cards, p / total) for cards, p in found]

    def against(
        self, own: int, stake: float, banker: tuple[int, ...], held: tuple[int, ...]
    ) -> float:
        """What a total, or 22 for a trick, wins against a banker who goes on from some cards."""
        low = sum(banker)
        best = low + 10 if 1 in banker and low <= 11 else low
        if low > 21:
            return stake * (2 if own == 22 else 1)
        if len(banker) == 5:
            return -2 * stake
        if low == 21 or best >= self.sticks_on:
            if own > best:
                return stake * (2 if own == 22 else 1)
            return -stake
        left = self.left((*held, *banker))
        n = sum(left.values())
        return sum(
            n_card / n * self.against(own, stake, (*banker, card), held)
            for card, n_card in left.items()
        )

    def end(self, held: tuple[int, ...], stake: float) -> float:
        """What a hand wins where it ends."""
        low = sum(held)
        if low > 21:
            return -stake
        best = 22 if len(held) == 5 else low + 10 if 1 in held and low <= 11 else low
        return sum(p * self.against(best, stake, banker, held) for banker, p in self.deals(held))

    def value(self, held: tuple[int, ...], stake: float, most: int) -> float:
        """What a hand may expect that may buy for up to ``most`` E, or only twist where it is 0."""
        low = sum(held)
        if low >= 21 or len(held) == 5:
            return self.end(held, stake)
        best = low + 10 if 1 in held and low <= 11 else low
        cards: dict[int, float] = {}
        for banker, p in self.deals(held):
            left = self.left((*held, *banker))
            for card, n in left.items():
                cards[card] = cards.get(card, 0.0) + p * n / sum(left.values())
        values = [self.end(held, stake)] if best >= 15 else []
        values += [
            sum(p * self.value((*held, c), stake + price, price) for c, p in cards.items())
            for price in range(most + 1)
        ]
        return max(values)


@pytest.mark.parametrize(
    ("held", "stake", "most"),
    [
        ((1, 2, 3, 4), 5, 2),
        ((1, 1, 6, 7), 4, 1),
        ((2, 4, 6, 6), 3, 1),
        ((3, 4, 4, 6), 1, 0),
        ((5, 6, 8), 3, 2),
        ((1, 8, 10), 2, 1),
    ],
)
def test_a_hand_of_a_fresh_pack_is_worth_what_dealing_it_out_gives(
    held: tuple[int, ...], stake: int, most: int
) -> None:
    """P14, P20 to P25, P30: that the banker's cards lie dealt already makes no difference."""
    found = fresh_pack_response(exact_rules(packs=1))
    hand = found.hands.cards.index(held)
    weight = 1 - found.hands.banker[hand, Strength.PONTOON]
    expected = Fresh(17).value(held, stake, most)
    assert found.values[hand, stake, most] / weight == pytest.approx(expected, abs=1e-12)


def test_two_packs_lie_between_one_and_infinitely_many() -> None:
    values = [best_response(exact_rules(packs=packs)).ev_flat for packs in (1, 2, "infinite")]
    assert values == sorted(values)


# The agent.


def choice(rules: Rules, games: np.ndarray, agent: ExactPlayer) -> str:
    """What the agent would do now."""
    moves, chips = agent.choose(rules, games)
    move = Move(int(moves[0])).name.lower()
    return f"{move} {chips[0]}" if chips[0] else move


@pytest.mark.parametrize(
    ("hand", "expected"),
    [("56", "buy 200"), ("A7", "buy 200"), ("T4", "twist"), ("T5", "stick"), ("88", "split")],
)
def test_exact_plays_two_cards_as_solved(hand: str, expected: str) -> None:
    """P16, P20 to P22."""
    rules = Rules.single_deal(seats=2, packs="infinite")
    assert choice(rules, at_first_hand(rules, [hand, "T7"]), ExactPlayer()) == expected


def test_exact_goes_on_from_hands_that_others_began() -> None:
    """P20: at a price between, its next one is legal all the same."""
    rules = Rules.single_deal(seats=2, packs="infinite")
    games = at_first_hand(rules, ["23", "T7"], "45")
    outcomes = np.zeros(1, np.int64)
    for price in (150, 120):
        step = np.array([Move.BUY]), np.array([price])
        batch.step_batch(rules.to_record(), games, *step, outcomes, True)
        assert outcomes[0] == Outcome.OK
        assert choice(rules, games, ExactPlayer()) == "buy 100"


@pytest.mark.parametrize("packs", [1, 2, "infinite"])
def test_the_kernel_plays_the_table(packs: int) -> None:
    """Each decision of 300 deals is the row of its cards, its stake and its last price."""
    rules = exact_rules(packs=packs, max_stake=10)
    found = best_response(rules)
    table = {
        (row["hand"], row["cards"], row["stake"], row["price_up_to"]): row for row in found.table()
    }
    agent = ExactPlayer()
    n_found = 0
    for seed in range(300):
        games = begun(rules, seed)
        run(rules, games)
        while games["phase"][0] != Phase.OVER:
            moves, chips = agent.choose(rules, games)
            seat = games[0]["seats"][games["seat"][0]]
            if games["phase"][0] == Phase.PLAY:
                hand, least = seat["hands"][0], seat["initial_stake"]
                pips = [min(card // 4 + 1, 10) for card in hand["cards"][: hand["n_cards"]]]
                number = 0
                for card in pips:
                    number = found.hands.after[number, card]
                price = 2 if len(pips) == 2 else hand["last_price"] // least
                if hand["is_twisted"]:
                    price = 0
                stake = hand["stake"] // least
                row = table[found.hands.names[number], len(pips), stake if price else 1, price]
                assert Move(moves[0]).name.lower() == row["move"]
                assert chips[0] == row.get("price", 0) * least
                n_found += 1
            batch.step_batch(rules.to_record(), games, moves, chips, np.zeros(1, np.int64), True)
    assert n_found > 200


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_exact_makes_only_legal_decisions_in_every_seat(first: int) -> None:
    """P12 to P37, section 3, from an infinite pack; the engine refuses what is illegal."""
    for seed in range(first, first + 20):
        free = {"banker_rule": "free"} if seed % 2 else {}
        rules = solved_rules(seed, **free)
        play_sessions(rules, everywhere(ExactPlayer(), rules), 10, seed)


def test_exact_makes_only_legal_decisions_from_fresh_packs() -> None:
    """P12 to P37, ``shuffle=every``: the bank passes on, the pack is whole again."""
    for fields in ({"packs": 1}, {"packs": 2}, {"packs": 1, "soft21_draws": False}):
        rules = exact_rules(**fields, shuffle="every", deals=30, bank_passes="natural")
        play_sessions(rules, everywhere(ExactPlayer(), rules), 30, 1)


@pytest.mark.parametrize("packs", [1, "infinite"])
def test_exact_does_not_see_what_is_hidden(packs: int) -> None:
    """P26: in a paired world that differs in hidden cards only, it chooses alike."""
    split = "none" if packs == 1 else "any"
    seats = 2 if packs == 1 else 5
    shuffle = {"shuffle": "every"} if packs == 1 else {}
    rules = Rules.pontoon(
        seats=seats, packs=packs, split=split, deals=4, bank_sale=False, **shuffle
    )
    agent = ExactPlayer()
    generator = np.random.default_rng(4)
    n_changed = 0
    for seed in range(60 if packs == 1 else 20):
        games = begun(rules, seed)
        run(rules, games)
        while games["phase"][0] != Phase.OVER:
            moves, chips = agent.choose(rules, games)
            other = games.copy()
            n_changed += hide_otherwise(rules, other, int(games["seat"][0]), generator)
            there = agent.choose(rules, other)
            assert (moves[0], chips[0]) == (there[0][0], there[1][0])
            batch.step_batch(rules.to_record(), games, moves, chips, np.zeros(1, np.int64), True)
    assert n_changed > 200


def test_exact_as_the_banker_plays_the_rule_that_it_answers() -> None:
    """P28: the same deals against the same players as the baseline of that rule."""
    rules = Rules.single_deal(seats=4, packs="infinite")
    pattern = np.array([[[0, 1]] * 4])
    for name in ("stick15", "stick17", "stick19"):
        agents = Baseline("basic"), ExactPlayer(name), Baseline(name)
        own, baseline = (
            play_sessions(rules, Lineup(agents=[agents[0], banker], patterns=pattern), 500, 3)
            for banker in agents[1:]
        )
        np.testing.assert_array_equal(own.chips, baseline.chips)


def test_double_stakes_win_double_chips() -> None:
    """P12, P20: all that is paid grows with the stakes."""
    for fields in ({"packs": 1, "split": "none", "seats": 2}, {"packs": "infinite", "seats": 3}):
        once = Rules.single_deal(**fields)
        twice = replace(once, min_stake=200, max_stake=2000)
        small, large = (
            play_sessions(rules, everywhere(ExactPlayer(), rules), 500, 8).chips
            for rules in (once, twice)
        )
        np.testing.assert_array_equal(2 * small, large)


def test_exact_is_found_by_name() -> None:
    assert isinstance(make_agent("exact"), ExactPlayer)
    with pytest.raises(ValueError, match="equilibrium, exact, "):
        make_agent("inexact")


@pytest.mark.parametrize(
    ("banker", "fields", "reason"),
    [
        (None, {"shoot": True}, "exact: shoot=true is not solved; it plays shoot=false"),
        (None, {"royal": True}, "royal=true is not solved"),
        (None, {"burn": "13"}, "burn='13' is not solved; it plays burn='none'"),
        (None, {"banker_doubles": True}, "banker_doubles=true is not solved"),
        (None, {"trick_pays": 1.5}, "trick_pays=1.5 is not solved; it plays trick_pays=1 or 2"),
        (None, {"packs": 1}, "packs=1 with seats=6 is not solved; it plays packs='infinite'"),
        (None, {"packs": 1, "seats": 2}, "packs=1 with split='any' is not solved; .* split='none'"),
        (
            None,
            {"packs": 2, "seats": 2, "split": "none", "deals": 3},
            "packs=2 with deals=3 and shuffle='pontoon' .* shuffle='every'",
        ),
        (None, {"deals": 3, "bank_sale": True}, "deals=3 with bank_sale=true .* bank_sale=false"),
        (
            None,
            {"deals": 3, "bank_refusable": True, "bank_passes": "natural"},
            "deals=3 with bank_refusable=true .* bank_refusable=false",
        ),
        (
            "stick17",
            {"banker_rule": "stick18"},
            "banker_rule='stick18' is not .*'free' or 'stick17'",
        ),
    ],
)
def test_what_is_not_solved_is_refused_by_name(
    banker: str | None, fields: dict[str, Any], reason: str
) -> None:
    rules = Rules.single_deal(**{"packs": "infinite", **fields})
    with pytest.raises(ValueError, match=reason):
        ExactPlayer(banker).check_rules(rules)


@pytest.mark.parametrize("banker", ["basic", "free", "stick22"])
def test_what_is_no_fixed_rule_is_not_answered(banker: str) -> None:
    with pytest.raises(ValueError, match=f"banker_rule='{banker}'"):
        ExactPlayer(banker)


def test_solvers_refuse_the_pack_of_the_other() -> None:
    with pytest.raises(ValueError, match="packs=1 is no infinite pack"):
        player_response(exact_rules(packs=1))
    with pytest.raises(ValueError, match="packs='infinite' has no fresh pack"):
        fresh_pack_response(exact_rules())
    with pytest.raises(ValueError, match="banker_rule='free' is not solved"):
        player_response(exact_rules(banker_rule="free"))


# Simulation.


@pytest.mark.statistical
@pytest.mark.parametrize("is_flat", [True, False])
@pytest.mark.parametrize(
    "fields", [{}, {"split": "any", "banker_rule": "stick21"}, {"packs": 1}, {"packs": 2}]
)
def test_the_agent_wins_what_its_play_is_worth(fields: dict[str, Any], is_flat: bool) -> None:
    """20,000 deals, within 3 standard errors: 1 in 400 seeds would fail."""
    rules = exact_rules(**fields)
    found = best_response(rules)
    value = found.ev_flat if is_flat else found.ev_best_stake(10)
    assert abs(simulate_player(rules, value, is_flat, 20_000, 5).z) < 3


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("packs", [1, "infinite"])
@pytest.mark.parametrize("banker", [f"stick{n}" for n in range(15, 20)])
def test_the_agent_wins_what_its_play_is_worth_against_every_stick(banker: str, packs: int) -> None:
    """2,000,000 deals, within 3 standard errors: 1 in 400 seeds would fail."""
    rules = exact_rules(packs=packs, banker_rule=banker)
    value = best_response(rules).ev_flat
    assert abs(simulate_player(rules, value, True, 2_000_000, 6).z) < 3


# The command.


def test_the_command_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--banker", "stick17", "--pack", "infinite", "--no-split", "--table"]
    assert main([*arguments, "--simulate", "2000", "--seed", "3", "--max-stake", "5"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["ev_flat"] == pytest.approx(0.0671, abs=5e-5)
    assert list(report["ev_by_first_card"]) == ["A", *map(str, range(2, 11))]
    assert report["ev_best_stake"] == pytest.approx(player_response(exact_rules()).ev_best_stake(5))
    assert report["banker"] == report["rules"]["banker_rule"] == "stick17"
    assert report["simulated_flat"]["value"] == report["ev_flat"]
    assert report["simulated_best_stake"]["standard_error"] > 0
    states = {(row["cards"], row["stake"], row["price_up_to"]) for row in report["table"]}
    assert states == {(n, *state) for n, states in LADDERS.items() for state in states}


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--pack", "fresh"], "--pack fresh is solved without splits only: add --no-split"),
        (["--banker", "basic"], "banker_rule='basic'"),
        (["--banker", "free"], "banker_rule='free'"),
        (["--rules", "packs=2"], "--pack infinite and --rules packs=2"),
        (["--no-split", "--rules", "split=aces"], "--no-split and --rules split=aces"),
        (["--rules", "banker_rule=stick18"], "--banker and --rules banker_rule=stick18"),
        (["--rules", "seats=4"], "seats"),
        (["--rules", "royal=true"], "royal=true is not solved"),
        (["--simulate", "1"], "too few to simulate"),
        (["--simulate", "-1"], "too few to simulate"),
    ],
)
def test_what_the_command_cannot_solve_is_refused_in_one_line(
    arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("error: ")
    assert reason in printed.err
