"""Our faces in random legal play, and limits that play no game."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import gymnasium
import numpy as np
from numpy.typing import NDArray

from eval.bench.loops import aec_docs_loop, aec_loop, draw, draw_seen, gym_loop, stepwise
from eval.bench.timing import Play
from pontoon_env import batch, pontoon_v0
from pontoon_env._jit import entry_point, kernel
from pontoon_env.actions import N_CHOICES, N_DISCRETE, Encoding
from pontoon_env.observation import observation_size
from pontoon_env.opponents import RANDOM
from pontoon_env.opponents.tables import NO_TABLES
from pontoon_env.rules import Rules
from pontoon_env.state import N_MOVES

N_TABLES: Final = 1024
LONG_SESSION: Final = 1000
"""Deals of a session in a batch: what its beginning costs does not show."""
_AT_ONCE: Final = 16
"""Decisions of a table in a row where nothing is observed."""
_DECISIONS: Final = 16 * N_TABLES
"""Decisions of a batch in a call, where it is neither very small nor very large."""
_MOST: Final = 256
"""Most decisions of a table in a call; so there are no more deals in it."""

Deals = Callable[[], int]
"""Returns the number of deals that have been played so far."""


@dataclass(frozen=True)
class Face:
    """What is measured."""

    name: str
    play: Play
    limit: str | None = None
    """Name of the limit that it is measured against; None for a limit."""
    deals: Deals | None = None
    observation_bytes: int = 0
    """Size of what is observed at a decision."""


def batch_rules(seats: int, **fields: Any) -> Rules:
    """Return the rules that batches play by: the bank is not for sale, which would be most of it.

    Raises:
        ValueError: A field is out of its range.
    """
    return Rules.pontoon(**{"seats": seats, "deals": LONG_SESSION, "bank_sale": False, **fields})


def varied_rules(seats: int) -> Rules:
    """Return the rules with a good many variations on."""
    return batch_rules(
        seats,
        packs=2,
        banker_doubles=True,
        split_pontoon="once",
        trick_pays=1.5,
        trick_beats_pontoon=True,
        no_certain_fifth=True,
        royal=True,
        burn="14",
        burn_repeat=1,
        ties="push",
        bank_refusable=True,
        under_pack="random",
    )


# ---------------------------------------------------------------------------------------- limits

DRAW: Final = "limit: a random word drawn"
PICK: Final = "limit: a choice drawn"
WRITE: Final = "limit: a choice drawn, an observation written"
CALL: Final = "limit: a compiled call from Python"


@kernel
def _next_word(word: np.uint64) -> np.uint64:
    """Return the word after ``word`` of xorshift64."""
    word ^= word << np.uint64(13)
    word ^= word >> np.uint64(7)
    return word ^ (word << np.uint64(17))


@entry_point
def _draw_words(words: NDArray[np.uint64], n: int) -> None:
    """Draw ``n`` words one after another."""
    for _ in range(n):
        words[0] = _next_word(words[0])


@entry_point
def _write_rows(out: NDArray[np.float32], mask: NDArray[np.int8], words: NDArray[np.uint64]) -> int:
    """Draw a word, pick a legal move and write an observation for each table; play no game."""
    total = 0
    for row in range(out.shape[0]):
        words[0] = _next_word(words[0])
        left = (words[0] >> np.uint64(33)) % np.uint64(mask.sum())
        for move in range(mask.size):
            if mask[move] != 0:
                if left == np.uint64(0):
                    total += move
                    break
                left -= np.uint64(1)
        for column in range(out.shape[1]):
            out[row, column] = np.float32(column)
    return total


@entry_point
def _pick(masks: NDArray[np.int8], words: NDArray[np.uint64], choices: NDArray[np.int64]) -> None:
    """Write a random legal choice for each row of masks."""
    for row in range(masks.shape[0]):
        n_legal = 0
        for choice in range(masks.shape[1]):
            n_legal += masks[row, choice]
        words[0] = _next_word(words[0])
        left = np.int64((words[0] >> np.uint64(33)) % np.uint64(n_legal))
        for choice in range(masks.shape[1]):
            if masks[row, choice] != 0:
                if left == 0:
                    choices[row] = choice
                    break
                left -= 1


def limits(observation: int) -> list[Face]:
    """Return the limits, with an observation of so many floats.

    Engine and faces are measured against choices, not against bare words: those wait for one
    another, so that neighbours on the processor, which slow everything else down, leave them be.
    """
    n = 1_000_000
    words, mask = np.ones(1, np.uint64), np.ones(4, np.int8)
    out = np.zeros((N_TABLES, observation), np.float32)

    def draw_words() -> int:
        _draw_words(words, n)
        return n

    def pick() -> int:
        _write_rows(out[:, :0], mask, words)
        return N_TABLES

    def write_rows() -> int:
        _write_rows(out, mask, words)
        return N_TABLES

    def call() -> int:
        for _ in range(_DECISIONS):
            _draw_words(words, 1)
        return _DECISIONS

    return [
        Face(DRAW, draw_words),
        Face(PICK, pick),
        Face(WRITE, write_rows, observation_bytes=out[0].nbytes),
        Face(CALL, call),
    ]


# ----------------------------------------------------------------------------------------- faces


class Batch:
    """Tables that the engine plays in one call, moves chosen in the kernel."""

    def __init__(self, rules: Rules, n_tables: int, observed: bool) -> None:
        """Lay the tables; where ``observed``, each is observed before every decision."""
        self._rules, self._record = rules, rules.to_record()
        limit = 1 if observed else _AT_ONCE
        self._calls = min(max(_DECISIONS // (limit * n_tables), 1), _MOST // limit)
        self._games = batch.new_games(n_tables)
        agents = batch.external_seats(n_tables)
        agents[:] = RANDOM
        moves, fractions = np.full(n_tables, batch.NO_MOVE), np.zeros(n_tables)
        outcomes = np.zeros(n_tables, np.int64)
        at_tables = (self._record, self._games, agents, moves, fractions, outcomes)
        seen = (
            np.full(n_tables, batch.TO_ACT),
            np.zeros((n_tables, observation_size(rules)), np.float32),
            np.zeros((n_tables, N_MOVES), np.int8),
            *np.zeros((2, n_tables, N_MOVES), np.float32),
        )
        play: Any = batch.play_observed_batch if observed else batch.play_batch
        self._play = partial(play, *at_tables, limit, NO_TABLES, *(seen if observed else ()))
        self._seeds = np.zeros(n_tables, np.uint64)
        self._episodes = np.arange(n_tables, dtype=np.uint64)
        self._gone_deals = 0
        self._begin()

    def _begin(self) -> None:
        """Begin a session on every table."""
        self._gone_deals += int(self._games["deal"].sum())
        self._seeds += np.uint64(1)
        batch.begin_batch(self._record, self._games, self._seeds, self._episodes)

    def play(self) -> int:
        """Make some decisions on every table."""
        if (self._games["deal"] > self._rules.deals - _MOST).any():
            self._begin()
        return sum(self._play() for _ in range(self._calls))

    def deals(self) -> int:
        """Return the number of deals that have been played."""
        return self._gone_deals + int(self._games["deal"].sum())


def _batch_face(name: str, rules: Rules, n_tables: int, observed: bool = False) -> Face:
    """Return a batch as a face."""
    tables = Batch(rules, n_tables, observed)
    n_bytes = 4 * observation_size(rules) if observed else 0
    return Face(name, tables.play, WRITE if observed else PICK, tables.deals, n_bytes)


def _vector_face(rules: Rules, n_tables: int) -> Face:
    """Return the vector environment; only the learners' decisions count."""
    envs = gymnasium.make_vec("pontoon_env:Pontoon-v0", num_envs=n_tables, rules=rules)
    _, infos = envs.reset(seed=1)
    words, choices = np.ones(1, np.uint64), np.zeros(n_tables, np.int64)
    n_deals = 0

    def play() -> int:
        nonlocal infos, n_deals
        _pick(infos["action_mask"], words, choices)
        _, _, terminated, _, infos = envs.step(choices)
        n_deals += int(np.count_nonzero(terminated)) * rules.deals
        return n_tables

    return Face("make_vec", play, WRITE, lambda: n_deals, 4 * observation_size(rules) + N_DISCRETE)


def _single_face(rules: Rules) -> Face:
    """Return one learner's table, as ``make`` wraps it; only its decisions count."""
    env = gymnasium.make("pontoon_env:Pontoon-v0", rules=rules)
    play = stepwise(gym_loop(env, draw_seen))
    unwrapped: Any = env.unwrapped

    def deals() -> int:
        return int(unwrapped.get_state()["game"]["episode"][0]) * rules.deals

    return Face("make", play, CALL, deals, 4 * observation_size(rules) + N_DISCRETE)


def _draw_hybrid(observation: Any) -> dict[str, Any]:
    """Return a random legal move and a random amount."""
    return {"move": draw(observation["action_mask"]), "amount": random.random()}


def _aec_face(
    name: str, rules: Rules, loop: Callable[..., Iterator[int]], encoding: Encoding
) -> Face:
    """Return PettingZoo's face in a loop that asks for an observation at every decision."""
    env = pontoon_v0.env(rules=rules, encoding=encoding)
    decide = _draw_hybrid if encoding == "hybrid" else draw_seen

    def deals() -> int:
        game = env.get_state()["game"][0]
        return int(game["episode"]) * rules.deals + int(game["deal"])

    amounts = 8 * N_MOVES if encoding == "hybrid" else 0
    n_bytes = 4 * observation_size(rules) + N_CHOICES[encoding] + amounts
    return Face(name, stepwise(loop(env, decide)), CALL, deals, n_bytes)


def our_faces(seats: int, n_tables: int = N_TABLES) -> list[Face]:
    """Return all our faces, the limits first.

    Raises:
        ValueError: There is no table of so many seats.
    """
    rules = batch_rules(seats)
    single, session = Rules.single_deal(seats=seats), Rules.pontoon(seats=seats, bank_sale=False)
    sale = batch_rules(seats, bank_sale=True)
    return [
        *limits(observation_size(rules)),
        _batch_face("batch, nothing observed", rules, n_tables),
        _batch_face("batch, all observed", rules, n_tables, observed=True),
        _batch_face("batch, bank for sale", sale, n_tables),
        _batch_face("batch, Shoot Pontoon", dataclasses.replace(rules, shoot=True), n_tables),
        _batch_face("batch, many variations", varied_rules(seats), n_tables),
        _vector_face(single, n_tables),
        _single_face(single),
        _aec_face("AEC, raw", session, aec_loop, "hybrid"),
        _aec_face("AEC, raw, discrete", session, aec_loop, "discrete"),
        _aec_face("AEC, docs", session, aec_docs_loop, "hybrid"),
    ]
