"""Tables with one learner each, in one compiled call: begin, read choices, play on, pay, show."""

from __future__ import annotations

from enum import IntEnum, IntFlag, auto
from typing import Final, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from pontoon_env._jit import entry_point, inlined, kernel
from pontoon_env.actions import FRACTION_OF_DISCRETE, MOVE_OF_DISCRETE
from pontoon_env.batch import BLANK, EXTERNAL, NO_MOVE, fetch_game, fetch_row, observe_row, play_row
from pontoon_env.engine.session import begin_session
from pontoon_env.random_stream import Purpose, draw_below
from pontoon_env.rules import RULES, RulesRecord
from pontoon_env.state import MAX_SEATS, N_MOVES, Game, Outcome, Phase

LEARNER: Final = np.dtype(
    [
        ("seat", np.int64),
        ("banker", np.int64),
        ("session", np.int64),
        ("worth", np.int64),
        ("reward", np.float64),
        ("has_ended", np.bool_),
        ("is_illegal", np.bool_),
    ],
    align=True,
)
"""What a table holds beside its game; all but the first and ``worth`` is written by each step."""


class Learner(TypedDict):
    """The fields of `LEARNER`, for the type checker."""

    seat: int
    """The learner's seat."""
    banker: int
    """The present banker's seat."""
    session: int
    """The number of the session among those of its seed."""
    worth: int
    """What the learner owned when it was paid last, in chips; less what was kept for it."""
    reward: float
    """What the last decision brought, in least stakes."""
    has_ended: bool
    """Whether the session is over."""
    is_illegal: bool
    """Whether the last decision was illegal."""


class OnIllegalChoice(IntEnum):
    """What an illegal choice of a learner does, as kernels are told."""

    RAISE = 0
    TERMINATE = auto()
    PENALISE = auto()
    REPLACE = auto()


SETTING: Final = np.dtype(
    [
        ("rules", RULES),
        ("first_offset", np.int64),
        ("n_offsets", np.int64),
        ("banker", np.int64),
        ("seat", np.int64),
        ("on_illegal", np.int64),
        ("penalty", np.float64),
    ],
    align=True,
)
"""What holds at every table."""


class Setting(TypedDict):
    """The fields of `SETTING`, for the type checker."""

    rules: RulesRecord
    """The rules."""
    first_offset: int
    """The fewest seats left of the first banker that the learner may sit."""
    n_offsets: int
    """How many seats there are from there on that it may sit on."""
    banker: int
    """The first banker's seat; `DRAWN` where the cut decides."""
    seat: int
    """The learner's seat, likewise."""
    on_illegal: int
    """An `OnIllegalChoice`."""
    penalty: float
    """What an illegal choice costs where it costs something, in least stakes."""


class Part(IntFlag):
    """Parts of a step of learners' tables, done in this order."""

    BEGIN = auto()
    """Begin the next session where one has ended; what that has not paid stays to be paid."""
    READ = auto()
    """Read the decisions as learners' choices; without it they are moves, or `batch.NO_MOVE`."""
    PLAY = auto()
    """Make the decisions and the compiled agents', up to others'."""
    PAY = auto()
    """Pay the learners what has changed hands."""
    SHOW = auto()
    """Write what the learners see."""
    SHOW_ENDED = auto()
    """Write what those see whose sessions have ended, in the first rows."""


WHOLE_STEP: Final = int(Part.READ | Part.PLAY | Part.PAY | Part.SHOW)

OUT_OF_RANGE: Final = -1
"""Answer: a decision is no choice, or an amount no fraction; nothing has changed."""
REFUSED: Final = -2
"""Answer: a choice is illegal where that raises, or a session is over; nothing has changed."""
FAULTY: Final = -3
"""Answer: a compiled agent made an illegal decision."""

DRAWN: Final = -1
"""Stands for a seat that is to be drawn."""

_NO_LIMIT: Final = 2**62


class Courses(NamedTuple):
    """Some tables' courses of play, and all else that `step_learners` takes, in its order."""

    setting: NDArray[np.void]
    games: NDArray[np.void]
    learners: NDArray[np.void]
    opponents: NDArray[np.int64]
    tables: NDArray[np.void]
    observations: NDArray[np.float32]
    masks: NDArray[np.int8]
    amounts: NDArray[np.float32]

    def put(self, rows: NDArray[np.intp], others: Courses) -> None:
        """Go on from others in some rows."""
        self.games.put(rows, others.games)
        self.learners.put(rows, others.learners)
        self.opponents[rows] = others.opponents

    def shown_elsewhere(self, n: int) -> Courses:
        """Return the same courses with room for what ``n`` learners see, unwritten."""
        return self._replace(
            observations=np.empty((n, self.observations.shape[1]), np.float32),
            masks=np.empty((n, self.masks.shape[1]), np.int8),
            amounts=np.empty((2, n, N_MOVES), np.float32),
        )


@entry_point
def begin_learners(
    seeds: NDArray[np.uint64],
    episodes: NDArray[np.uint64],
    setting: NDArray[np.void],
    games: NDArray[np.void],
    learners: NDArray[np.void],
    opponents: NDArray[np.int64],
) -> None:
    """Begin a session in each record, and seat a learner there.

    Seats are drawn of a game's seed and episode alone.

    Args:
        seeds: As of `batch.begin_batch`.
        episodes: Likewise.
        setting: One record of `SETTING`.
        games: Out, ``(n,)``.
        learners: Out, `LEARNER` records, ``(n,)``: the seats, and that nothing was paid.
        opponents: In and out, ``(n, 8, 2)``: as of `step_learners`.
    """
    for i in range(games.size):
        _begin(setting, games, learners, opponents, i, seeds[i], episodes[i])
        learners[i]["worth"] = 0


@inlined
def _begin(
    setting: NDArray[np.void],
    games: NDArray[np.void],
    learners: NDArray[np.void],
    opponents: NDArray[np.int64],
    row: int,
    seed: np.uint64,
    episode: np.uint64,
) -> None:
    """Begin a session at one table, and seat its learner."""
    games[row] = BLANK[0]
    game, learner, rules = games[row], learners[row], setting[0]["rules"]
    game["seed"] = seed
    game["episode"] = episode
    begin_session(rules, game)
    offset = setting[0]["first_offset"]
    offset += draw_below(game, Purpose.SEAT, 0, setting[0]["n_offsets"])
    if setting[0]["banker"] != DRAWN:
        game["banker"] = setting[0]["banker"]
    elif setting[0]["seat"] != DRAWN:
        game["banker"] = (setting[0]["seat"] - offset) % rules["seats"]
    game["seat"] = game["banker"]
    left, beside = learner["seat"], (learner["seat"] + 1) % MAX_SEATS
    learner["seat"] = setting[0]["seat"]
    if setting[0]["seat"] == DRAWN:
        learner["seat"] = (game["banker"] + offset) % rules["seats"]
    learner["reward"] = 0.0
    learner["is_illegal"] = False
    for role in range(2):
        opponents[row, left, role] = opponents[row, beside, role]
        opponents[row, learner["seat"], role] = EXTERNAL


@entry_point
def step_learners(
    parts: int,
    decisions: NDArray[np.int64],
    fractions: NDArray[np.float64],
    setting: NDArray[np.void],
    games: NDArray[np.void],
    learners: NDArray[np.void],
    opponents: NDArray[np.int64],
    tables: NDArray[np.void],
    observations: NDArray[np.float32],
    masks: NDArray[np.int8],
    amounts: NDArray[np.float32],
) -> int:
    """Do parts of a step at ``n`` tables.

    Args:
        parts: Which, as of `Part`.
        decisions: ``(n,)``: choices that the masks tell of, or moves; see `Part.READ`. None where
            the games are only to run on.
        fractions: ``(n,)``: the amounts as fractions of the legal interval; none, or any,
            where they follow from discrete choices.
        setting: One record of `SETTING`.
        games: ``(n,)``, changed in place.
        learners: `LEARNER` records, ``(n,)``, changed in place.
        opponents: ``(n, 8, 2)``: as of `batch.play_batch`, the same agents in all places but the
            learners', where `batch.EXTERNAL` stands; changed where the learners change seats.
        tables: As of `batch.play_batch`.
        observations: Out, as of `batch.observe_batch`.
        masks: In and out, likewise: choices are read by them.
        amounts: Out, ``(2, n, N_MOVES)``: the least and the largest amounts, likewise.

    Returns:
        How many sessions are over; or `OUT_OF_RANGE`, `REFUSED` or `FAULTY`.
    """
    rules, on_illegal = setting[0]["rules"], setting[0]["on_illegal"]
    if parts & Part.BEGIN.value != 0:
        for i in range(games.size):
            if learners[i]["has_ended"]:
                seed, episode = games[i]["seed"], games[i]["episode"] + np.uint64(1)
                unpaid = _worth(games[i], learners[i]) - learners[i]["worth"]
                _begin(setting, games, learners, opponents, i, seed, episode)
                learners[i]["worth"] = -unpaid
    is_read = parts & Part.READ.value != 0
    if is_read:
        answer = _find_fault(games, decisions, fractions, on_illegal, masks)
        if answer != 0:
            return answer
    is_faulty = False
    n_over = n_shown = 0
    lows, highs = amounts[0], amounts[1]
    for i in range(games.size):
        if parts & (Part.PLAY.value | Part.SHOW.value) != 0:
            fetch_game(games, i + 1)
        game, learner = games[i], learners[i]
        if parts & Part.PLAY.value != 0:
            move = decisions[i] if decisions.size > 0 else NO_MOVE
            fraction = fractions[i] if fractions.size > 0 else 0.0
            if is_read:
                learner["is_illegal"] = masks[i, move] == 0
                move, fraction = _read(move, fraction, on_illegal, masks, i)
            _, outcome = play_row(rules, game, move, fraction, opponents, i, _NO_LIMIT, tables)
            is_faulty |= outcome != Outcome.OK
        if parts & Part.PAY.value != 0:
            _pay(setting[0], game, learner)
        learner["banker"] = game["banker"]
        learner["session"] = game["episode"]
        learner["has_ended"] = game["phase"] == Phase.OVER
        n_over += learner["has_ended"]
        if parts & Part.SHOW.value != 0 or (
            parts & Part.SHOW_ENDED.value != 0 and learner["has_ended"]
        ):
            fetch_row(observations, n_shown + 1)
            observe_row(rules, game, learner["seat"], observations, masks, lows, highs, n_shown)
            n_shown += 1
    return FAULTY if is_faulty else n_over


@kernel
def _find_fault(
    games: NDArray[np.void],
    choices: NDArray[np.int64],
    fractions: NDArray[np.float64],
    on_illegal: int,
    masks: NDArray[np.int8],
) -> int:
    """Return what keeps choices from being made, `OUT_OF_RANGE` or `REFUSED`; 0 where nothing."""
    for choice in choices:
        if choice < 0 or choice >= masks.shape[1]:
            return OUT_OF_RANGE
    for fraction in fractions:
        if not 0 <= fraction <= 1:
            return OUT_OF_RANGE
    for i in range(games.size):
        is_fatal = on_illegal == OnIllegalChoice.RAISE or games[i]["phase"] == Phase.OVER
        if is_fatal and masks[i, choices[i]] == 0:
            return REFUSED
    return 0


@inlined
def _read(
    choice: int, fraction: float, on_illegal: int, masks: NDArray[np.int8], row: int
) -> tuple[int, float]:
    """Return the move and the fraction that a choice stands for, `NO_MOVE` where it makes none."""
    if masks[row, choice] == 0:
        if on_illegal != OnIllegalChoice.REPLACE:
            return NO_MOVE, 0.0
        choice, fraction = 0, 0.0  # a move's first discrete action is that of its least amount
        while masks[row, choice] == 0:
            choice += 1
    if masks.shape[1] == N_MOVES:
        return choice, fraction
    return MOVE_OF_DISCRETE[choice], FRACTION_OF_DISCRETE[choice]


@inlined
def _worth(game: Game, learner: Learner) -> int:
    """Return what a learner owns, in chips; the kitty is the banker's (S11)."""
    kitty = game["kitty"] if game["banker"] == learner["seat"] else 0
    return game["seats"][learner["seat"]]["chips"] + kitty


@inlined
def _pay(setting: Setting, game: Game, learner: Learner) -> None:
    """Pay a learner what it has won since it was paid last; end its session where that is due."""
    worth, on_illegal = _worth(game, learner), setting["on_illegal"]
    learner["reward"] = (worth - learner["worth"]) / setting["rules"]["min_stake"]
    learner["worth"] = worth
    if learner["is_illegal"] and on_illegal != OnIllegalChoice.REPLACE:
        learner["reward"] -= setting["penalty"]
        if on_illegal == OnIllegalChoice.TERMINATE:
            game["phase"] = Phase.OVER
