"""Pontoon for OpenSpiel: the two-seat game of an infinite pack, played by this project's engine.

Import it, and ``pyspiel.load_game("python_pontoon", {"max_stake": 2})`` returns the game. Player 0
is the player, player 1 the banker. Cards are chance nodes and prices whole chips. Cards tell apart
by their pips, 1 to 10: the two-seat game knows neither pairs nor suits.

The engine deals from the top of a stacked pack. A decision that brings cards is tried with as many
as chance has dealt, and made when the engine draws no more than those.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyspiel

from pontoon_env import Rules, batch
from pontoon_env.cards import EVEN_PACK, N_SUITS
from pontoon_env.history import stack_pack
from pontoon_env.observation import observation_size
from pontoon_env.state import GAME, MAX_HANDS, MAX_SEATS, N_MOVES, Event, Move, Phase

PLAYER, BANKER = 0, 1
MAX_VIEWS: Final = 9
"""Sights of a seat in a deal: one card, the stake, three cards of each side, and two to spare."""
MOST_WON: Final = 14
"""P20, P30: a stake of one chip, bought up to seven, wins twice that by a trick."""

GAME_TYPE = pyspiel.GameType(
    short_name="python_pontoon",
    long_name="Pontoon for a player and a banker",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"cards": "", "min_stake": 1, "max_stake": 2},
)


class Setting:
    """What all states of a game share."""

    def __init__(self, cards: str, min_stake: int, max_stake: int) -> None:
        self.rules = Rules.two_seat_exact(min_stake=min_stake, max_stake=max_stake)
        self.record = self.rules.to_record()
        self.n_seen = observation_size(self.rules)
        named = [card.split(":") for card in cards.split()]
        even = [(pips, float(chance)) for pips, chance in enumerate(EVEN_PACK) if chance > 0]
        self.cards = [(int(pips), float(chance)) for pips, chance in named] or even
        is_card = all(pips in range(1, len(EVEN_PACK)) for pips, _ in self.cards)
        if not is_card or not np.isclose(sum(chance for _, chance in self.cards), 1):
            raise ValueError(f"cards={cards!r} must be pips, 1 to 10, with chances that sum to 1")
        self.choices = [(Move.STICK, 0), (Move.TWIST, 0)]
        self.choices += [(Move.STAKE, chips) for chips in range(min_stake, max_stake + 1)]
        self.choices += [(Move.BUY, chips) for chips in range(min_stake, 2 * max_stake + 1)]

    def __deepcopy__(self, memo: dict[int, Any]) -> Setting:
        """Return itself: a clone of a state is of the same game."""
        return self


class PontoonGame(pyspiel.Game):
    """One deal at stakes of ``min_stake`` to ``max_stake`` chips.

    ``cards`` names the pips in the pack with their chances, such as ``1:0.3 10:0.7`` for a tiny
    game; empty, the pack is an even one.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        fields = {"cards": "", "min_stake": 1, "max_stake": 2, **(params or {})}
        self.setting = Setting(**fields)
        most = MOST_WON * fields["max_stake"]
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.setting.choices),
            max_chance_outcomes=len(EVEN_PACK),
            num_players=2,
            min_utility=-most,
            max_utility=most,
            utility_sum=0.0,
            max_game_length=7,
        )
        super().__init__(GAME_TYPE, info, params or {})

    def new_initial_state(self) -> PontoonState:
        """Return the state before the first card."""
        return PontoonState(self)

    def make_py_observer(
        self, iig_obs_type: Any = None, params: dict[str, Any] | None = None
    ) -> Observer:
        """Return what sees for a seat."""
        recalls = iig_obs_type is not None and iig_obs_type.perfect_recall
        return Observer(self.setting.n_seen, recalls)


class PontoonState(pyspiel.State):
    """A deal under way; all that it holds is replaced, never changed in place."""

    def __init__(self, game: PontoonGame) -> None:
        super().__init__(game)
        self.setting = game.setting
        games = batch.new_games(1)
        batch.begin_batch(
            self.setting.record, games, np.zeros(1, np.uint64), np.zeros(1, np.uint64)
        )
        games["banker"] = games["seat"] = BANKER
        self.before = games.tobytes()
        """The game before the choice that is being made, a record of `GAME`."""
        self.choice = (batch.NO_MOVE, 0)
        self.dealt: tuple[int, ...] = ()
        """Cards that this choice has brought so far."""
        self.is_dealing = True
        self.legal: tuple[int, ...] = ()
        self.views: tuple[tuple[tuple[str, bytes], ...], ...] = ((), ())
        """What each seat has seen: a text and the engine's observation, after every change."""

    @property
    def games(self) -> np.ndarray:
        """A copy of the game, one record."""
        return np.frombuffer(bytearray(self.before), GAME)

    def current_player(self) -> int:
        """Return who decides, or what."""
        if self.is_dealing:
            return int(pyspiel.PlayerId.CHANCE)
        game = self.games[0]
        is_over = game["phase"] == Phase.OVER
        return int(pyspiel.PlayerId.TERMINAL if is_over else game["seat"])

    def is_terminal(self) -> bool:
        """Tell whether all is paid."""
        return self.current_player() == int(pyspiel.PlayerId.TERMINAL)

    def returns(self) -> list[float]:
        """Return the chips that each player has won; 0 before the end."""
        if not self.is_terminal():
            return [0.0, 0.0]
        return [float(chips) for chips in batch.worth(self.games)[0, :2]]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the pips of a card and their chances: every card comes from a whole pack."""
        return list(self.setting.cards)

    def _legal_actions(self, player: int) -> list[int]:
        """Return the numbers of the legal choices."""
        return list(self.legal)

    def _apply_action(self, action: int) -> None:
        """Go on by a card or a decision."""
        if self.is_dealing:
            self.dealt = (*self.dealt, (action - 1) * N_SUITS)
        else:
            self.choice = self.setting.choices[action]
        self._try()

    def _try(self) -> None:
        """Make the choice, if it brings no more cards than are dealt."""
        games, outcomes = self.games, np.zeros(1, np.int64)
        stack_pack(games[0], self.dealt)
        moves, chips = np.array(self.choice, np.int64)[:, None]
        batch.step_batch(self.setting.record, games, moves, chips, outcomes, True)
        assert outcomes[0] == 0, "what is legal is made"
        events = games["events"][0, : games["n_events"][0], 0]
        n_drawn = np.isin(events, (Event.CARD_DOWN, Event.CARD_UP)).sum()
        self.is_dealing = bool(n_drawn > len(self.dealt))
        if not self.is_dealing:
            self.before, self.dealt = games.tobytes(), ()
            self._look()

    def _look(self) -> None:
        """Note what is legal and what each seat sees, over a sight that reads the same."""
        record, games = self.setting.record, self.games
        masks = np.zeros((1, N_MOVES), np.int8)
        lows, highs = np.zeros((2, 1, N_MOVES), np.int64)
        worths = np.zeros((1, MAX_SEATS), np.int64)
        batch.status_batch(record, games, np.zeros(1, np.int64), masks, lows, highs, worths)
        self.legal = tuple(
            number
            for number, (move, chips) in enumerate(self.setting.choices)
            if masks[0, move] and lows[0, move] <= chips <= highs[0, move]
        )
        both, observers = games.repeat(2), np.arange(2)
        visible, totals = np.zeros((2, 2, MAX_SEATS, MAX_HANDS), np.int64)
        batch.see_batch(record, both, observers, visible, totals)
        seen = np.zeros((2, self.setting.n_seen), np.float32)
        unread = np.zeros((2, N_MOVES), np.int8), *np.zeros((2, 2, N_MOVES), np.float32)
        batch.observe_batch(record, both, observers, seen, *unread)
        texts = [sight_of(games[0], visible[seat, :, 0]) for seat in (PLAYER, BANKER)]
        self.views = tuple(
            (*(views[:-1] if views and views[-1][0] == text else views), (text, sight.tobytes()))
            for views, text, sight in zip(self.views, texts, seen, strict=True)
        )

    def _action_to_string(self, player: int, action: int) -> str:
        """Return an action in words."""
        if player == pyspiel.PlayerId.CHANCE:
            return f"card {action}"
        move, chips = self.setting.choices[action]
        return f"{move.name.lower()} {chips}" if chips else move.name.lower()

    def __str__(self) -> str:
        """Return the table as somebody sees it who sees all, and the cards about to be dealt."""
        everything = np.full(MAX_SEATS, -1)
        return f"{sight_of(self.games[0], everything)}; then {self.choice}, {self.dealt}"


def sight_of(game: np.void, visible: np.ndarray) -> str:
    """Return what can be seen of a deal: pips of the player's and the banker's cards, and chips.

    That a hand sticks is not among it (P26): the next seat is asked, as after a hand that closed.
    """
    texts = []
    for seat in (PLAYER, BANKER):
        hand = game["seats"][seat]["hands"][0]
        pips = [min(int(card) // N_SUITS + 1, 10) for card in hand["cards"][: hand["n_cards"]]]
        shown = [str(pip) if visible[seat] >> n & 1 else "?" for n, pip in enumerate(pips)]
        texts.append(
            f"{' '.join(shown)} for {hand['stake']}" if seat == PLAYER else " ".join(shown)
        )
    return " against ".join(texts)


class Observer:
    """Sees for a seat: all that it remembers, or what is there to be seen now."""

    def __init__(self, n_seen: int, recalls: bool) -> None:
        self.n_seen, self.recalls = n_seen, recalls
        self.tensor = np.zeros(2 + n_seen * (MAX_VIEWS if recalls else 1), np.float32)
        sights = self.tensor[2:].reshape(-1, n_seen)
        self.dict = {"player": self.tensor[:2], "sights": sights}

    def views(self, state: PontoonState, player: int) -> tuple[tuple[str, bytes], ...]:
        """Return the sights that are told of."""
        return state.views[player] if self.recalls else state.views[player][-1:]

    def set_from(self, state: PontoonState, player: int) -> None:
        """Write which player it is, and the engine's observation at every sight, else zeros."""
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        for place, (_, sight) in enumerate(self.views(state, player)):
            self.dict["sights"][place] = np.frombuffer(sight, np.float32)

    def string_from(self, state: PontoonState, player: int) -> str:
        """Return the sights in words."""
        return " | ".join([f"player {player}", *(text for text, _ in self.views(state, player))])


pyspiel.register_game(GAME_TYPE, PontoonGame)
