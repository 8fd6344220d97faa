"""One table: a game as a batch of one, with fresh arrays and plain numbers for the faces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pontoon_env import batch, information
from pontoon_env.actions import chips_of
from pontoon_env.arguments import stack_top
from pontoon_env.cards import N_CARDS
from pontoon_env.errors import NotResetError
from pontoon_env.hidden import draw_keys, resample_batch
from pontoon_env.history import Line, Recorder, pack_in_order
from pontoon_env.observation import DECISION_PHASES, observation_size
from pontoon_env.padding import padding_runs, write_padded
from pontoon_env.rules import Rules
from pontoon_env.state import (
    GAME,
    MAX_HAND_CARDS,
    MAX_HANDS,
    MAX_SEATS,
    N_AMOUNT_MOVES,
    N_MOVES,
    Phase,
)
from pontoon_env.status import Status, check_batch, describe
from pontoon_env.table_batch import step_tables

_WAITING: Final = frozenset((*map(int, DECISION_PHASES), int(Phase.OVER)))
"""The phases in which a game can be handed over: it waits for a decision, or is over."""


class _Buffers:
    """What the engine reads and writes in a call.

    They hold nothing between calls: a copy, and what was pickled, is a new set.
    """

    def __init__(self, n_seen: int, n_choices: int) -> None:
        self.sizes = n_seen, n_choices
        self.move = np.full(1, batch.NO_MOVE, np.int64)
        self.fraction = np.zeros(1)
        self.outcome = np.zeros(1, np.int64)
        self.observer = np.zeros(1, np.int64)
        self.to_act = np.zeros(1, np.int64)
        self.seen = np.zeros((1, n_seen), np.float32)
        self.mask, self.seen_mask = np.zeros((2, 1, n_choices), np.int8)
        self.lows, self.highs = np.zeros((2, 1, N_MOVES), np.float32)
        self.chips_low, self.chips_high = np.zeros((2, 1, N_MOVES), np.int64)
        self.worths = np.zeros((1, MAX_SEATS), np.int64)
        self.seen_row, self.seen_mask_row = self.seen[0], self.seen_mask[0]
        self.mask_row = self.mask[0]
        self.low_row, self.high_row = self.lows[0], self.highs[0]
        self.chips_low_row, self.chips_high_row = self.chips_low[0], self.chips_high[0]
        self.worths_row = self.worths[0]

    def __reduce__(self) -> tuple[type[_Buffers], tuple[int, int]]:
        """Say how to make a copy."""
        return _Buffers, self.sizes


class _Recording:
    """The history of the present session, whose recorder plays and writes it on."""

    def __init__(self, rules: Rules, games: NDArray[np.void], lines: Sequence[Line] = ()) -> None:
        self.lines = list(lines)
        self.recorder = Recorder(rules, games, self._add)

    def _add(self, line: Line) -> None:
        """Keep a line."""
        self.lines.append(line)


class Table:
    """A game, and the engine's calls on it.

    Copies are independent. They record no history, but for what the seats see of it.
    """

    def __init__(
        self,
        rules: Rules,
        n_choices: int,
        memory: bool = False,
        padded: bool = False,
        keeps_sights: bool = False,
    ) -> None:
        """Lay the table.

        Args:
            rules: The rules.
            n_choices: Length of the masks: ``N_MOVES`` or ``N_DISCRETE``.
            memory: Whether observations hold what a perfect memory knows.
            padded: Whether they are laid out as at the largest table.
            keeps_sights: Whether to keep what `sights` returns.
        """
        self.rules = rules
        self.games = batch.new_games(1)
        self._record = rules.to_record()
        self._buffers = _Buffers(observation_size(rules, memory), n_choices)
        self._n_padded = observation_size(rules, memory, padded)
        self._padding = padding_runs(rules, memory) if padded else None
        self._keeps_sights = keeps_sights
        self._recording: _Recording | None = None
        self._is_cut = False

    def __getstate__(self) -> dict[str, Any]:
        """Return what a deep copy and a pickle hold."""
        return {**self.__dict__, "_recording": self._recording if self._keeps_sights else None}

    @property
    def key(self) -> tuple[int, int]:
        """The seed of the session, and its number among the sessions of that seed."""
        return int(self.games["seed"][0]), int(self.games["episode"][0])

    @property
    def seen(self) -> list[Line] | None:
        """What `sights` are made of, in a fresh list; None where it is not kept or not there."""
        if self._recording is None or not self._keeps_sights:
            return None
        return self._recording.lines.copy()

    @property
    def lines(self) -> list[Line] | None:
        """The lines of the session's history so far; None where it is not recorded or cut off."""
        return None if self._recording is None or self._is_cut else self._recording.lines

    def begin(
        self,
        key: tuple[int, int],
        banker: int | None,
        pack: Sequence[str] | None,
        is_recorded: bool,
    ) -> None:
        """Begin a session and run on to its first decision.

        Args:
            key: Its seed and its number.
            banker: The first banker's seat; None for the one who is cut.
            pack: Names of cards to put on top of the pack, the next one first.
            is_recorded: Whether to keep its history. Its seed stands there where the session
                follows from that alone: session 0, with neither banker nor pack given.

        Raises:
            ValueError: A card is none, or stands there too often; nothing has changed.
        """
        games = batch.new_games(1)
        seeds, episodes = (np.array([number], np.uint64) for number in key)
        batch.begin_batch(self._record, games, seeds, episodes)
        if banker is not None:
            games["banker"] = games["seat"] = banker
        if pack is not None:
            stack_top(games[0], pack, self.rules)
        self.games = games
        is_recorded = is_recorded or self._keeps_sights
        self._recording = _Recording(self.rules, games) if is_recorded else None
        self._is_cut = False
        if self._recording is None:
            self.play(batch.NO_MOVE, 0.0)
        else:
            follows_from_seed = key[1] == 0 and banker is None and pack is None
            self._recording.recorder.begin(key[0] if follows_from_seed else None)
            self._look()

    def check(self, games: object) -> NDArray[np.void]:
        """Return a copy of a game that could stand here: every invariant of `status` holds.

        Raises:
            ValueError: It is no array of one `GAME` record, neither waits for a decision nor is
                over, or breaks an invariant, which the message says.
        """
        return checked_game(self._record, games)

    def check_seen(self, games: NDArray[np.void], seen: Any) -> list[Line] | None:
        """Return what has been `seen` of a game, as far as it is kept here, as `load` takes it.

        Args:
            games: What `check` has returned.
            seen: Such lines, or those of a world that the game was drawn from; or None.

        Raises:
            ValueError: They are no history of this session, as far as the present deal tells.
        """
        if seen is None or not self._keeps_sights:
            return None
        return information.fit_lines(games, seen)

    def load(self, games: NDArray[np.void], seen: list[Line] | None) -> None:
        """Go on from a game; no history of it is written.

        Args:
            games: What `check` has returned.
            seen: What `check_seen` has returned.
        """
        self.games = games
        self._recording = None if seen is None else _Recording(self.rules, games, seen)
        self._is_cut = True
        self._look()

    def resample_hidden(self, seat: int, rng: np.random.Generator) -> None:
        """Go on in a world that a seat cannot tell from this one; no history of it is written.

        Args:
            seat: Who knows what it knows; see `hidden`.
            rng: All that is drawn comes from it.
        """
        resample_batch(self._record, self.games, np.array([seat]), draw_keys(rng, 1))
        self.load(self.games, self.check_seen(self.games, self.seen))

    def play(self, move: int, fraction: float) -> int:
        """Make a decision and run on to the next; return its `Outcome`.

        Args:
            move: A `Move`; one that is illegal changes nothing.
            fraction: Its amount as a fraction of the legal interval; not read where it takes none.
        """
        if self._recording is not None:
            return self._play_recorded(self._recording, move, fraction)
        buffers = self._buffers
        buffers.move[0] = move
        buffers.fraction[0] = fraction
        step_tables(
            self._record,
            self.games,
            buffers.move,
            buffers.fraction,
            buffers.outcome,
            buffers.to_act,
            buffers.mask,
            buffers.chips_low,
            buffers.chips_high,
            buffers.worths,
        )
        return buffers.outcome.item()

    def _play_recorded(self, recording: _Recording, move: int, fraction: float) -> int:
        """Let the recorder make a decision; return its `Outcome`."""
        chips = 0
        if move < N_AMOUNT_MOVES:
            self._look()
            buffers = self._buffers
            low, high = buffers.chips_low_row[move], buffers.chips_high_row[move]
            chips = chips_of(int(low), int(high), fraction)
        outcome = int(recording.recorder.decide(move, chips))
        self._look()
        return outcome

    def end(self) -> None:
        """End the session as it stands; what is at stake is paid to nobody."""
        self.games["phase"] = Phase.OVER
        self._is_cut = True
        self._look()

    def read_status(self) -> tuple[int, list[int]]:
        """Return who is to act, `batch.NOBODY` at the end, and the chips that each seat owns.

        What that seat may choose is there for `choice`.
        """
        buffers = self._buffers
        return buffers.to_act.item(), buffers.worths_row.tolist()

    def _look(self) -> None:
        """Have `read_status` and `choice` tell of the game as it stands, as `play` does too."""
        buffers = self._buffers
        batch.status_batch(
            self._record,
            self.games,
            buffers.to_act,
            buffers.mask,
            buffers.chips_low,
            buffers.chips_high,
            buffers.worths,
        )

    def choice(self) -> tuple[NDArray[np.int8], NDArray[np.int64], NDArray[np.int64]]:
        """Return what the seat to act may choose, in fresh arrays.

        Returns:
            The mask, int8 ``(n_choices,)``; the least and the largest amount of each legal move in
            chips, int64 ``(N_MOVES,)``.
        """
        buffers = self._buffers
        mask = buffers.mask_row.copy()
        return mask, buffers.chips_low_row.copy(), buffers.chips_high_row.copy()

    def mask_to_act(self) -> NDArray[np.int8]:
        """Return the mask of the seat to act, which the next call overwrites."""
        self._look()
        mask: NDArray[np.int8] = self._buffers.mask_row
        return mask

    def sights(self, seat: int) -> list[information.Sight]:
        """Return what a seat has seen in the session; see `pontoon_env.information`.

        Raises:
            NotResetError: The session was set without what had been seen of it.
            ValueError: It is not kept.
        """
        if not self._keeps_sights:
            raise ValueError(
                "information states are not kept: make the environment with information_state=True"
            )
        if self._recording is None:
            raise NotResetError(
                "the state that was set does not hold what had been seen of its session, as one "
                "of an environment with information_state=True does: call reset()"
            )
        return information.sights(self.rules, self.games, self._recording.lines, seat)

    def observe(self, seat: int, with_amounts: bool) -> dict[str, NDArray[np.generic]]:
        """Return what a seat sees, in fresh arrays; see `spaces.observation_space`."""
        buffers = self._buffers
        buffers.observer[0] = seat
        batch.observe_batch(
            self._record,
            self.games,
            buffers.observer,
            buffers.seen,
            buffers.seen_mask,
            buffers.lows,
            buffers.highs,
        )
        if self._padding is None:
            vector = buffers.seen_row.copy()
        else:
            padded = np.zeros((1, self._n_padded), np.float32)
            write_padded(self._padding, buffers.seen, padded)
            vector = padded[0]
        observation: dict[str, NDArray[np.generic]] = {
            "observation": vector,
            "action_mask": buffers.seen_mask_row.copy(),
        }
        if with_amounts:
            observation["amount_low"] = buffers.low_row.copy()
            observation["amount_high"] = buffers.high_row.copy()
        return observation

    def full_view(self) -> NDArray[np.float32]:
        """Return the privileged full view, float32, hidden cards and all.

        One after the other: the observations of all seats, from seat 0 on, neither padded nor with
        memory; the sealed bid of each
        seat, as a part of the highest price; the cards of each seat, 4 hands of 5; and the pack,
        the next card first: 52 or 104, none of an infinite pack. A card is ``(number + 1) / 52``,
        0 stands for none.
        """
        n = self.rules.seats
        seen = np.empty((n, observation_size(self.rules)), np.float32)
        mask = np.empty((n, N_MOVES), np.int8)
        lows, highs = np.empty((2, n, N_MOVES), np.float32)
        games = self.games.repeat(n)
        batch.observe_batch(self._record, games, np.arange(n), seen, mask, lows, highs)
        seats = self.games["seats"][0, :n]
        bids = seats["bid"] / self._record["max_price"][0]
        is_hand = np.arange(MAX_HANDS) < seats["n_hands"][:, None]
        is_card = np.arange(MAX_HAND_CARDS) < seats["hands"]["n_cards"][..., None]
        cards = (seats["hands"]["cards"] + 1) * (is_card & is_hand[..., None]) / N_CARDS
        pack = np.zeros(n_pack_slots(self.rules))
        if pack.size > 0:
            pack[: self.games["n_pack"][0]] = (pack_in_order(self.games[0]) + 1) / N_CARDS
        return np.concatenate([seen.ravel(), bids, cards.ravel(), pack], dtype=np.float32)

    def copy(self) -> Table:
        """Return an independent table with the same game, fast; it records no history."""
        twin = object.__new__(Table)
        twin.__dict__.update(self.__getstate__())
        twin.games = copy_game(self.games)
        if twin._recording is not None:
            twin._recording = _Recording(self.rules, twin.games, twin._recording.lines)
        twin._buffers = _Buffers(*self._buffers.sizes)
        return twin


def checked_game(rules: NDArray[np.void], games: object) -> NDArray[np.void]:
    """Return a copy of a game that could stand at a table; see `Table.check`.

    Args:
        rules: One record of rules.
        games: An array of one record.
    """
    if not isinstance(games, np.ndarray) or games.dtype != GAME or games.shape != (1,):
        raise ValueError("the game is no array of one state.GAME record")
    games = copy_game(games)
    found = np.zeros(1, np.int64)
    check_batch(rules, games, found)
    if found.item() != 0:
        raise ValueError(f"the game cannot be: {describe(Status(found.item()))}")
    phase = games["phase"].item()
    if phase not in _WAITING:
        raise ValueError(f"the game waits for nobody: it stands in {Phase(phase).name}")
    return games


def copy_game(games: NDArray[np.void]) -> NDArray[np.void]:
    """Return a copy of an array of games; numpy's, field by field, takes fifty times as long."""
    return np.frombuffer(bytearray(games.tobytes()), GAME)


def n_pack_slots(rules: Rules) -> int:
    """Return how many cards of the pack the full view holds: all, or none of an infinite one."""
    return 0 if rules.packs == "infinite" else N_CARDS * int(rules.packs)


def n_beyond_observations(rules: Rules) -> int:
    """Return how many elements of the full view follow the observations: bids and cards."""
    return rules.seats + rules.seats * MAX_HANDS * MAX_HAND_CARDS + n_pack_slots(rules)
