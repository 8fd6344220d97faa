"""The solver against OpenSpiel's: the two-seat game once more, written for it from docs/rules.md.

``make test-openspiel`` installs OpenSpiel and runs this. The packs have two or three cards, since a
game in Python is slow there. Every hand is told apart by its cards in their order: the many
information states that are one information set of the solver's must come to the same.

What examples/pontoon_openspiel.py makes of the engine is that game a third time, and must be the
same.
"""

from __future__ import annotations

import functools
import importlib
import re
import runpy
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from agents.exact.equilibrium import solve_equilibrium
from agents.exact.public_tree import (
    FIRST_PRICE,
    N_ACTIONS,
    N_DECISIONS,
    STICK,
    TWIST,
    TwoSeatGame,
)
from agents.exact.responses import (
    BankerStrategy,
    PlayerStrategy,
    best_banker,
    best_player,
    exploitability_of,
    value_of,
)
from tests.two_seat import (
    Cards,
    Path,
    even_pair,
    kind_of_cards,
    places_of,
    random_pair,
    small_game,
)

MISSING = "OpenSpiel is not installed: `make test-openspiel` installs it and runs these tests"
pyspiel = pytest.importorskip("pyspiel", reason=MISSING)
cfr = pytest.importorskip("open_spiel.python.algorithms.cfr", reason=MISSING)
best_response = pytest.importorskip("open_spiel.python.algorithms.best_response", reason=MISSING)
expected_game_score = pytest.importorskip(
    "open_spiel.python.algorithms.expected_game_score", reason=MISSING
)
exploitability = pytest.importorskip("open_spiel.python.algorithms.exploitability", reason=MISSING)
policy = pytest.importorskip("open_spiel.python.policy", reason=MISSING)

PLAYER, BANKER = 0, 1
TO_STICK, TO_TWIST = 0, 1
"""Actions of both sides; to buy for so many chips is the number after them, to stake the number."""
MOST = 14
"""P14, P20, P30: the most that one chip can win, by a trick bought for seven."""
EXACTLY = pytest.approx


# The game, from the rulebook.


def best_total(cards: Cards) -> int:
    """P2: one ace counts 11 where that does not bust."""
    count = sum(cards)
    return count + 10 if 1 in cards and count <= 11 else count


def is_pontoon(cards: Cards) -> bool:
    """P6 (a)."""
    return len(cards) == 2 and best_total(cards) == 21


def is_full(cards: Cards) -> bool:
    """P23, P24, P29: no card can follow, or none that would help."""
    return len(cards) == 5 or sum(cards) >= 21


def stakes_won(player: Cards, banker: Cards) -> int:
    """P30, for hands without a pontoon."""
    player_has_trick = len(player) == 5
    if sum(banker) > 21:
        return 2 if player_has_trick else 1
    if len(banker) == 5:
        return -2
    if player_has_trick:
        return 2
    return 1 if best_total(player) > best_total(banker) else -1


GAME_TYPE = pyspiel.GameType(
    short_name="python_two_seat_pontoon",
    long_name="Pontoon for a player and a banker",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=False,
    provides_observation_tensor=False,
    parameter_specification={"cards": "", "max_stake": 1},
)


class PontoonGame(pyspiel.Game):
    """A deal at stakes of one to ``max_stake`` chips, from an infinite pack of few cards.

    ``cards`` names them with their chances: ``1:0.2 10:0.8``.
    """

    def __init__(self, params: Any = None) -> None:
        super().__init__(GAME_TYPE, self._info(params), params or {})
        parameters = self.get_parameters()
        self.max_stake = parameters["max_stake"]
        self.pack = tuple(
            (int(pips), float(chance))
            for pips, chance in (card.split(":") for card in parameters["cards"].split())
        )

    @staticmethod
    def _info(params: Any) -> Any:
        """Sizes that OpenSpiel asks for."""
        most = MOST * params["max_stake"]
        return pyspiel.GameInfo(
            num_distinct_actions=2 * params["max_stake"] + 2,
            max_chance_outcomes=11,
            num_players=2,
            min_utility=-most,
            max_utility=most,
            utility_sum=0.0,
            max_game_length=10,
        )

    def new_initial_state(self) -> PontoonState:
        """Before the first card."""
        return PontoonState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """What sees for a seat."""
        return Observer()


class PontoonState(pyspiel.State):
    """A deal under way; all that it holds is replaced, never changed in place."""

    def __init__(self, game: PontoonGame) -> None:
        super().__init__(game)
        self.pack = game.pack
        self.max_stake = game.max_stake
        self.player: Cards = ()
        self.banker: Cards = ()
        self.stake = 0
        self.total = 0
        self.highest_price = 0
        self.shown: Path = ()
        """What everybody sees (P26): stake, prices, twisted cards; not how a hand was closed."""
        self.turn = "deal"
        self.won = 0

    def current_player(self) -> int:
        """Who decides, or what."""
        seats = {"stake": PLAYER, "play": PLAYER, "banker": BANKER}
        if self.turn == "over":
            return pyspiel.PlayerId.TERMINAL
        return seats.get(self.turn, pyspiel.PlayerId.CHANCE)

    def is_terminal(self) -> bool:
        """Whether all is paid."""
        return self.turn == "over"

    def returns(self) -> list[float]:
        """P4: chips of both seats."""
        return [float(self.won), -float(self.won)]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Every card comes from a whole pack."""
        return list(self.pack)

    def _legal_actions(self, player: int) -> list[int]:
        """P12, P20 to P22, P28."""
        if self.turn == "stake":
            return list(range(1, self.max_stake + 1))
        if self.turn == "banker":
            return [TO_STICK, TO_TWIST]
        sticks = [TO_STICK] if best_total(self.player) >= 15 else []
        prices = range(self.stake, self.highest_price + 1)
        return [*sticks, TO_TWIST, *(TO_TWIST + price for price in prices)]

    def _apply_action(self, action: int) -> None:
        """Go on by a card or a decision."""
        if self.turn == "deal":
            self._deal(action)
        elif self.turn == "stake":
            self.stake = self.total = action
            self.highest_price = 2 * action
            self.shown = (("stake", action),)
            self.turn = "deal"
        elif self.turn == "play":
            self._play(action)
        elif self.turn in ("buy", "twist"):
            self._give_player(action)
        elif self.turn == "banker":
            self.turn = "draw"
            if action == TO_STICK:
                self._settle()
        else:
            self.banker += (action,)
            self._ask_banker()

    def _deal(self, card: int) -> None:
        """P10 to P15. Nobody sees the banker's cards before the second: they come last."""
        if len(self.player) < 2:
            self.player += (card,)
            self.turn = "deal" if len(self.player) == 2 else "stake"
            return
        self.banker += (card,)
        if len(self.banker) < 2:
            return
        self.turn = "play"
        if is_pontoon(self.banker):
            self._pay(-2 * self.stake)
        elif is_pontoon(self.player):
            self._pay(2 * self.stake)

    def _play(self, action: int) -> None:
        """P20 to P22."""
        if action == TO_STICK:
            self._ask_banker()
        elif action == TO_TWIST:
            self.highest_price = 0
            self.turn = "twist"
        else:
            price = action - TO_TWIST
            self.total += price
            self.highest_price = price
            self.shown += (("buy", price),)
            self.turn = "buy"

    def _give_player(self, card: int) -> None:
        """P20, P21, P23 to P25."""
        if self.turn == "twist":
            self.shown += (("twist", card),)
        self.player += (card,)
        self.turn = "play"
        if sum(self.player) > 21:
            self._pay(-self.total)
        elif is_full(self.player):
            self._ask_banker()

    def _ask_banker(self) -> None:
        """P28, P29."""
        self.turn = "banker"
        if is_full(self.banker):
            self._settle()

    def _settle(self) -> None:
        """P30."""
        self._pay(self.total * stakes_won(self.player, self.banker))

    def _pay(self, won: int) -> None:
        """End the deal."""
        self.won = won
        self.turn = "over"

    def own(self, seat: int) -> Cards:
        """The cards that a seat may look at (P11, P13)."""
        return self.player if seat == PLAYER else self.banker

    def __str__(self) -> str:
        """For debugging."""
        return f"{self.player} {self.banker} {self.shown} {self.turn}"


class Observer:
    """Tells information states apart: own cards in their order, and what everybody has seen."""

    tensor = None
    dict: dict[str, Any] = {}

    def set_from(self, state: PontoonState, player: int) -> None:
        """There is no tensor."""

    def string_from(self, state: PontoonState, player: int) -> str:
        """All that a seat remembers; its own moves are public, but for a last one to stick."""
        return f"{player} {state.own(player)} {state.shown}"


pyspiel.register_game(GAME_TYPE, PontoonGame)


# Strategies, there and back.


@dataclass(frozen=True)
class Both:
    """A game, as the solver has it and as OpenSpiel has it."""

    ours: TwoSeatGame
    theirs: Any
    places: dict[Path, int]


@functools.cache
def both(cards: str, max_stake: int) -> Both:
    """Return both forms of a game."""
    theirs = pyspiel.load_game(GAME_TYPE.short_name, {"cards": cards, "max_stake": max_stake})
    pack = {int(pips): float(chance) for pips, chance in (c.split(":") for c in cards.split())}
    ours = small_game(pack, max_stake=max_stake)
    return Both(ours, theirs, places_of(ours))


Pair = tuple[PlayerStrategy, BankerStrategy]


def choices_of(game: Both, state: PontoonState, pair: Pair) -> dict[int, float]:
    """How a pair of strategies chooses at a decision of OpenSpiel's, by its actions."""
    player, banker = pair
    if state.turn == "stake":
        return dict(enumerate(player.stakes[state.player[0]].tolist(), start=1))
    place, kind = game.places[state.shown], kind_of_cards(state.own(state.current_player()))
    if state.turn == "banker":
        drawing = float(banker.draws[place, len(state.banker) - 2, kind])
        return {TO_STICK: 1 - drawing, TO_TWIST: drawing}
    chances = player.play[place, kind]
    return {
        action: float(chances[action_of_ours(action, state.stake)])
        for action in state.legal_actions()
    }


def action_of_ours(action: int, stake: int) -> int:
    """The solver's number of a player's action."""
    if action <= TO_TWIST:
        return STICK if action == TO_STICK else TWIST
    return FIRST_PRICE + action - TO_TWIST - stake


def to_theirs(game: Both, pair: Pair) -> Any:
    """A pair of strategies as a policy of OpenSpiel's."""
    found = policy.TabularPolicy(game.theirs)
    for row, state in enumerate(found.states):
        chances = choices_of(game, state, pair)
        assert sum(chances.values()) == EXACTLY(1), "what is legal there is legal here"
        found.action_probability_array[row] = 0
        for action, chance in chances.items():
            found.action_probability_array[row, action] = chance
    return found


def to_ours(game: Both, theirs: Any) -> Pair:
    """A policy of OpenSpiel's as strategies: states of one information set weigh as they are met.

    So often is a state met by its own side's choices and the cards; what the other side does weighs
    on all states of an information set alike.
    """
    stakes = np.zeros((len(game.ours.chances), game.ours.stakes.size))
    play = np.zeros((game.ours.n_open, game.ours.rights.shape[1], N_ACTIONS))
    draws = np.zeros((game.ours.nodes.size, N_DECISIONS, game.ours.rights.shape[1], 2))
    for state, met in decisions_met(game.theirs.new_initial_state(), theirs, (1.0, 1.0)):
        chances = theirs.action_probabilities(state)
        for action, chance in chances.items():
            if state.turn == "stake":
                stakes[state.player[0], action - 1] += met * chance
                continue
            place, cards = game.places[state.shown], state.own(state.current_player())
            kind = kind_of_cards(cards)
            if state.turn == "banker":
                draws[place, len(cards) - 2, kind, action] += met * chance
            else:
                play[place, kind, action_of_ours(action, state.stake)] += met * chance
    even = even_pair(game.ours)
    return (
        PlayerStrategy(shares(stakes, even[0].stakes), shares(play, even[0].play)),
        BankerStrategy(shares(draws, np.full(2, 0.5))[..., TO_TWIST]),
    )


def decisions_met(
    state: PontoonState, theirs: Any, met: tuple[float, float]
) -> Iterator[tuple[PontoonState, float]]:
    """Every decision, and how often its own side and the cards lead to it."""
    if state.is_terminal():
        return
    if state.is_chance_node():
        for card, chance in state.chance_outcomes():
            both_met = (met[PLAYER] * chance, met[BANKER] * chance)
            yield from decisions_met(state.child(card), theirs, both_met)
        return
    seat = state.current_player()
    yield state, met[seat]
    for action, chance in theirs.action_probabilities(state).items():
        mine = met[seat] * chance
        then = (mine, met[BANKER]) if seat == PLAYER else (met[PLAYER], mine)
        yield from decisions_met(state.child(action), theirs, then)


def shares(sums: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
    """Each sum's share along the last axis; what is given where there is none."""
    whole = sums.sum(axis=-1, keepdims=True)
    return np.where(whole > 0, sums / np.where(whole > 0, whole, 1), otherwise)


@dataclass(frozen=True)
class Measures:
    """What a pair of strategies wins, in the player's chips a deal."""

    value: float
    at_best: float
    """Of the player, against the banker's strategy."""
    at_worst: float
    """Of the player's strategy, against the best banker."""
    nash_conv: float


def measured_here(game: Both, pair: Pair) -> Measures:
    """What the solver says."""
    player, banker = pair
    return Measures(
        value_of(game.ours, player, banker),
        best_player(game.ours, banker)[0],
        best_banker(game.ours, player)[0],
        exploitability_of(game.ours, player, banker).nash_conv,
    )


def measured_there(game: Both, theirs: Any) -> Measures:
    """What OpenSpiel says, by its own algorithms."""
    root = game.theirs.new_initial_state()
    value = expected_game_score.policy_value(root, [theirs, theirs])
    best = [
        best_response.BestResponsePolicy(game.theirs, seat, theirs).value(root)
        for seat in (PLAYER, BANKER)
    ]
    assert value.sum() == EXACTLY(0)
    nash_conv = exploitability.nash_conv(game.theirs, theirs)
    return Measures(value[PLAYER], best[PLAYER], -best[BANKER], nash_conv)


def agree(here: Measures, there: Measures) -> None:
    """Hold that two measurements agree to nine places."""
    for name in ("value", "at_best", "at_worst", "nash_conv"):
        assert getattr(here, name) == pytest.approx(getattr(there, name), abs=1e-9), name


# Pontoons and soft hands; tricks and busts; a ladder of hard hands; and a pack with all of them.
SMALL = [("1:0.3 10:0.7", 1), ("1:0.4 10:0.6", 2), ("3:0.6 10:0.4", 1), ("5:0.3 8:0.3 10:0.4", 1)]
LARGE = ("1:0.3 9:0.3 10:0.4", 1)


def pairs(game: Both) -> dict[str, Pair]:
    """Strategies by name."""
    solved = solve_equilibrium(game.ours, target=1e-4)
    return {
        "even": even_pair(game.ours),
        "random": random_pair(game.ours, 1),
        "nearly pure": random_pair(game.ours, 2, spread=0.02),
        "equilibrium": (solved.player, solved.banker),
    }


@pytest.mark.parametrize(("cards", "max_stake"), SMALL)
def test_values_and_best_responses_agree(cards: str, max_stake: int) -> None:
    """For strategies that choose alike, at random, all but purely, and as an equilibrium does."""
    game = both(cards, max_stake)
    for pair in pairs(game).values():
        agree(measured_here(game, pair), measured_there(game, to_theirs(game, pair)))


@pytest.mark.slow
def test_values_and_best_responses_agree_in_a_game_of_57_thousand_states() -> None:
    """Soft hands that turn hard, a soft 21 that draws on, pontoons, tricks and busts at once."""
    game = both(*LARGE)
    found = pairs(game)
    for name in ("random", "equilibrium"):
        there = to_theirs(game, found[name])
        agree(measured_here(game, found[name]), measured_there(game, there))


@pytest.mark.parametrize(("cards", "max_stake"), SMALL)
def test_hands_of_a_kind_are_one_information_set(cards: str, max_stake: int) -> None:
    """A policy that tells them apart wins as much where it is merged, at its best and worst too."""
    game = both(cards, max_stake)
    theirs = policy.TabularPolicy(game.theirs)
    generator = np.random.default_rng(4)
    weights = generator.gamma(0.5, size=theirs.action_probability_array.shape)
    weights *= theirs.legal_actions_mask
    theirs.action_probability_array[:] = weights / weights.sum(axis=1, keepdims=True)
    ours = to_ours(game, theirs)
    agree(measured_here(game, ours), measured_there(game, theirs))
    if "3:" not in cards:
        merged = to_theirs(game, ours).action_probability_array
        assert np.abs(merged - theirs.action_probability_array).max() > 0.1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("algorithm", "n_iterations", "below"), [("CFRSolver", 60, 0.08), ("CFRPlusSolver", 60, 0.02)]
)
@pytest.mark.parametrize(("cards", "max_stake"), [SMALL[0], SMALL[2]])
def test_openspiels_cfr_comes_to_the_same_equilibrium(
    cards: str, max_stake: int, algorithm: str, n_iterations: int, below: float
) -> None:
    """Its average policy is as exploitable here as there, and its value within what both lose."""
    game = both(cards, max_stake)
    solver = getattr(cfr, algorithm)(game.theirs)
    for _ in range(n_iterations):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    there = measured_there(game, average)
    agree(measured_here(game, to_ours(game, average)), there)
    found = solve_equilibrium(game.ours, target=1e-4)
    assert there.nash_conv < below
    assert abs(there.value - found.value) <= there.nash_conv + found.exploitability.nash_conv
    assert there.at_worst <= found.exploitability.player_at_best
    assert there.at_best >= found.exploitability.player_at_worst


# The game that the example makes of the engine.


@functools.cache
def engines(cards: str, max_stake: int) -> Any:
    """The same game, played by the engine."""
    importlib.import_module("examples.pontoon_openspiel")
    return pyspiel.load_game("python_pontoon", {"cards": cards, "max_stake": max_stake})


@pytest.mark.parametrize(("cards", "max_stake"), [("", 2), ("", 5), SMALL[1]])
def test_the_engines_game_passes_openspiels_own_tests(cards: str, max_stake: int) -> None:
    """Random play with its clones, its history, its tensors and its text, back and forth."""
    pyspiel.random_sim_test(engines(cards, max_stake), num_sims=30, serialize=True, verbose=False)


@pytest.mark.parametrize(
    ("cards", "max_stake"),
    [SMALL[0], *(pytest.param(*game, marks=pytest.mark.slow) for game in SMALL[1:3])],
)
def test_the_engines_game_is_the_rulebooks_game(cards: str, max_stake: int) -> None:
    """Played evenly it is worth as much, and every best response to that wins as much."""
    game = engines(cards, max_stake)
    even = policy.UniformRandomPolicy(game)
    ours = both(cards, max_stake).ours
    there = Both(ours, game, {})
    agree(measured_here(there, even_pair(ours)), measured_there(there, even))


@pytest.mark.parametrize("cards", ["0:1", "11:1", "1:0.5 10:0.6"])
def test_a_pack_that_is_none_is_refused(cards: str) -> None:
    with pytest.raises(ValueError, match="must be pips, 1 to 10, with chances that sum to 1"):
        engines(cards, 1)


def after(game: Any, cards: tuple[int, ...]) -> Any:
    """The state after the first cards of both, a stake of one chip and the second cards."""
    state = game.new_initial_state()
    for card in cards[:2]:
        state.apply_action(card)
    state.apply_action(state.string_to_action("stake 1"))
    for card in cards[2:]:
        state.apply_action(card)
    return state


def test_an_information_state_holds_the_own_cards_in_their_order_and_no_others() -> None:
    """Player, banker, player, banker: the player has 4 and 6, 4 and 6, 6 and 4."""
    game = engines("", 2)
    states = [after(game, cards) for cards in [(4, 10, 6, 10), (4, 9, 6, 7), (6, 10, 4, 10)]]
    for tell in ("information_state_string", "information_state_tensor"):
        of_player, of_banker = (
            [getattr(state, tell)(seat) for state in states] for seat in (PLAYER, BANKER)
        )
        assert of_player[0] == of_player[1] != of_player[2]
        assert of_banker[0] == of_banker[2] != of_banker[1]


def test_a_hand_that_stuck_reads_to_the_banker_as_one_that_closed() -> None:
    """P26, and a card bought face down: 16 that stuck, and 21 on the same price."""
    game = engines("", 2)
    told = []
    for card in (6, 10):
        state = after(game, (4, 10, 7, 10))
        state.apply_action(state.string_to_action("buy 2"))
        state.apply_action(card)
        if card == 6:
            state.apply_action(state.string_to_action("stick"))
        assert state.current_player() == BANKER
        told.append(
            (state.information_state_string(BANKER), state.information_state_tensor(BANKER))
        )
    assert told[0] == told[1]


def test_the_example_solves_and_samples(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["openspiel_game"])
    runpy.run_module("examples.openspiel_game", run_name="__main__")
    found = re.fullmatch(
        r"CFR\+ of aces and tens: NashConv (\S+); MCCFR: (\d+) information states met\n",
        capsys.readouterr().out,
    )
    assert found is not None
    assert float(found[1]) < 0.1
    assert int(found[2]) > 100
