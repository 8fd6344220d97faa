"""One table: a game as a batch of one, with fresh arrays and plain numbers for the faces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pontoon_env import batch, information
from pontoon_env.actions import N_CHOICES, Encoding, chips_of
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
from pontoon_env.table_batch import play_table

_WAITING: Final = frozenset((*map(int, DECISION_PHASES), int(Phase.OVER)))
"""The phases in which a game can be handed over: it waits for a decision, or is over."""

_FLOAT: Final = np.dtype(np.float32)
_MASK: Final = np.dtype(np.int8)
_CHIPS: Final = np.dtype(np.int64)

_Arrays = tuple[
    NDArray[np.float32],
    NDArray[np.int8],
    NDArray[np.float32],
    NDArray[np.float32],
    NDArray[np.int8],
    NDArray[np.int64],
    NDArray[np.int64],
]
"""What `play_table` writes: what the observer sees, its mask, its least and largest amounts; the
mask of the seat to act, its least and largest amounts in chips."""


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

    Attributes:
        games: The game, an array of one `GAME` record.
        to_act: Who is to act; `batch.NOBODY` where the session is over.
        choice: What that seat may choose, in fresh arrays: ``action_mask``, int8; ``chips_low`` and
            ``chips_high``, int64 ``(N_MOVES,)``, the amounts of each legal move in chips.
        paid: By how much the last decision changed what each seat owns, in chips; empty where it
            did not.
    """

    to_act: int
    choice: dict[str, NDArray[Any]]
    paid: list[int]

    def __init__(
        self,
        rules: Rules,
        encoding: Encoding,
        memory: bool = False,
        padded: bool = False,
        keeps_sights: bool = False,
    ) -> None:
        """Lay the table.

        Args:
            rules: The rules.
            encoding: Of the actions that masks tell of; the discrete one tells no amounts.
            memory: Whether observations hold what a perfect memory knows.
            padded: Whether they are laid out as at the largest table.
            keeps_sights: Whether to keep what `sights` returns.
        """
        self.rules = rules
        self.games = batch.new_games(1)
        self._record = rules.to_record()
        self._has_amounts = encoding != "discrete"
        self._widths = observation_size(rules, memory), N_CHOICES[encoding]
        self._ledger = np.zeros((2, MAX_SEATS), np.int64)
        self._unread: _Arrays | None = None
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
        self._ledger[:] = 0
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
        self.paid = []

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
        return self._play(move, fraction)

    def _play(self, move: int, fraction: float) -> int:
        """Do the work of `play`, and learn how the game stands; with `batch.NO_MOVE` only that."""
        arrays = self._new_arrays()
        outcome, self.to_act, is_paid = play_table(
            self._record, self.games, move, fraction, batch.TO_ACT, *arrays, self._ledger
        )
        self._unread = arrays
        _, _, _, _, mask, lows, highs = arrays
        self.choice = {"action_mask": mask, "chips_low": lows, "chips_high": highs}
        self.paid = self._ledger[1].tolist() if is_paid else []
        return outcome

    def _new_arrays(self) -> _Arrays:
        """Return arrays for `play_table` to write, which callers may keep."""
        n_seen, n_choices = self._widths
        empty = np.empty
        return (
            empty(n_seen, _FLOAT),
            empty(n_choices, _MASK),
            empty(N_MOVES, _FLOAT),
            empty(N_MOVES, _FLOAT),
            empty(n_choices, _MASK),
            empty(N_MOVES, _CHIPS),
            empty(N_MOVES, _CHIPS),
        )

    def _play_recorded(self, recording: _Recording, move: int, fraction: float) -> int:
        """Let the recorder make a decision; return its `Outcome`."""
        chips = 0
        if move < N_AMOUNT_MOVES:
            self._look()
            low, high = self.choice["chips_low"][move], self.choice["chips_high"][move]
            chips = chips_of(int(low), int(high), fraction)
        outcome = int(recording.recorder.decide(move, chips))
        self._look()
        return outcome

    def end(self) -> None:
        """End the session as it stands; what is at stake is paid to nobody."""
        self.games["phase"] = Phase.OVER
        self._is_cut = True
        self._look()

    def _look(self) -> None:
        """Learn how the game stands, where it was not `_play` that changed it."""
        self._play(batch.NO_MOVE, 0.0)

    def mask_to_act(self) -> NDArray[np.int8]:
        """Return the mask of the seat to act, a fresh array."""
        self._look()
        mask: NDArray[np.int8] = self.choice["action_mask"]
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

    def observe(self, seat: int) -> dict[str, NDArray[np.generic]]:
        """Return what a seat sees, in fresh arrays; see `spaces.observation_space`.

        What the seat to act sees was written when it came to act, and is handed out once.
        """
        arrays = self._unread
        if arrays is None or seat != self.to_act:
            arrays = self._new_arrays()
            play_table(self._record, self.games, batch.NO_MOVE, 0.0, seat, *arrays, self._ledger)
        else:
            self._unread = None
        seen, mask, low, high, _, _, _ = arrays
        if self._padding is not None:
            padded = np.zeros((1, self._n_padded), np.float32)
            write_padded(self._padding, seen[None], padded)
            seen = padded[0]
        if self._has_amounts:
            return {
                "observation": seen,
                "action_mask": mask,
                "amount_low": low,
                "amount_high": high,
            }
        return {"observation": seen, "action_mask": mask}

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
        twin._ledger = self._ledger.copy()
        twin._unread = None
        if twin._recording is not None:
            twin._recording = _Recording(self.rules, twin.games, twin._recording.lines)
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
