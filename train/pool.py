"""The pool that a learner plays against: itself, frozen past selves, and baselines.

A table's learner meets one member of the pool, on all other seats. Networks are asked in batches,
baselines play inside the compiled loop.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.network import Network
from agents.policy_heads import N_UNIFORMS, draw_uniforms
from agents.saved_policy import PolicySettings, SavedPolicy
from pontoon_env import batch
from pontoon_env.agent import decisions_of
from pontoon_env.learner_batch import Courses
from pontoon_env.learner_tables import LearnerTables
from pontoon_env.opponents import opponent_number
from pontoon_env.rules import Rules
from pontoon_env.seating import Seating
from train.sb3_vec_env import PontoonVecEnv
from train.teacher import Teacher

_FIRST_NETWORK: Final = batch.EXTERNAL - 1
"""The number of the first network among opponents; the others' lie below it."""
_SEEN: Final = 0.9
"""What is left of earlier sessions' part in a member's pay-off with each rollout."""
_EVENNESS: Final = 0.3
"""A past self or baseline is met this often as a share of the others, even if it always loses."""

Tensors = Mapping[str, NDArray[np.float32]]


class Pool:
    """Who may sit beside learners, how often, and what they win there.

    Place 0 is the learner's present self, then come the past ones, then the baselines.
    """

    def __init__(
        self,
        settings: PolicySettings,
        baselines: tuple[str, ...],
        n_past: int,
        shares: tuple[float, float],
        seed: int,
    ) -> None:
        """Make a pool in which no network has been put yet.

        Args:
            settings: How the networks are read.
            baselines: Names of compiled agents.
            n_past: How many past selves are kept.
            shares: How often a table meets the present self, and how often a past one; else it
                meets a baseline.
            seed: Of which table meets whom.
        """
        self.is_only_baselines = False  # from the next draw on
        self.names = ["self", *(f"past_{i}" for i in range(n_past)), *baselines]
        self._settings = settings
        self._policies: list[SavedPolicy | None] = [None] * (1 + n_past)
        self._tensors: list[Tensors] = [{} for _ in self._policies]
        self._numbers = np.array(
            [_FIRST_NETWORK - place for place in range(1 + n_past)]
            + [opponent_number(name) for name in baselines],
            np.int64,
        )
        self._shares = shares
        self._random = np.random.default_rng(seed)
        self._won = np.zeros(len(self.names))
        self._played = np.zeros(len(self.names))

    def payoffs(self) -> NDArray[np.float64]:
        """Return what the learner has won lately against each member, in least stakes a session.

        NaN where they have not met.
        """
        return np.where(self._played > 0, self._won, np.nan) / np.maximum(self._played, 1e-9)

    def chances(self) -> NDArray[np.float64]:
        """Return how likely a table meets each member.

        Among the past selves, and among the baselines, those that still win more are met more.
        Where there are to be only baselines but there are none, it meets its present self.
        """
        n_networks = len(self._policies)
        is_here = np.array([policy is not None for policy in self._policies], bool)
        ranks = np.nan_to_num(self.payoffs(), nan=0.0)
        chances = np.zeros(len(self.names))
        groups = [np.arange(n_networks)[1:][is_here[1:]], np.arange(n_networks, len(self.names))]
        own, past = (0.0, 0.0) if self.is_only_baselines else self._shares
        for members, share in zip(groups, (past, 1.0 - own - past), strict=True):
            if members.size:
                spread = max(float(np.std(ranks[members])), 1e-9)
                weights = np.exp(-(ranks[members] - ranks[members].min()) / spread)
                weights = weights / weights.sum() + _EVENNESS / members.size
                chances[members] = share * weights / weights.sum()
        chances[0] = max(1.0 - chances[1:].sum(), 0.0)
        return chances

    def draw(self, n: int) -> NDArray[np.int64]:
        """Return the numbers of the members that ``n`` tables meet, ``(n,)``."""
        return self._numbers[self._random.choice(len(self.names), n, p=self.chances())]

    def note(self, numbers: NDArray[np.int64], returns: NDArray[np.float64]) -> None:
        """Note what learners have won in sessions against members of these numbers."""
        places = (numbers[:, None] == self._numbers).argmax(axis=1)
        self._won += np.bincount(places, returns, len(self.names))
        self._played += np.bincount(places, minlength=len(self.names))

    def renew(self, tensors: Tensors) -> None:
        """Make these weights the present self."""
        self._put(0, tensors)
        self._won *= _SEEN
        self._played *= _SEEN

    def freeze(self) -> None:
        """Keep the present self among the past ones, in place of the one that wins least.

        Where none are kept, nothing is done.
        """
        if len(self._policies) == 1:
            return
        missing = [i for i, policy in enumerate(self._policies) if policy is None]
        losses = np.nan_to_num(self.payoffs()[1 : len(self._policies)], nan=-np.inf)
        place = missing[0] if missing else 1 + int(losses.argmax())
        self._put(place, self._tensors[0])
        self._won[place] = self._played[place] = 0.0

    def _put(self, place: int, tensors: Tensors) -> None:
        """Put a network in a place."""
        self._tensors[place] = dict(tensors)
        name = self.names[place]
        self._policies[place] = SavedPolicy(name, Network(tensors), self._settings, False)

    def ask(
        self, rules: Rules, games: NDArray[np.void], numbers: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return moves and fractions, ``(n,)`` each, of the networks of these numbers."""
        seen = decisions_of(rules, games, self._settings.memory)
        uniforms = np.empty((games.size, N_UNIFORMS))
        draw_uniforms(games, uniforms)
        moves, fractions = np.empty(games.size, np.int64), np.empty(games.size)
        for place, policy in enumerate(self._policies):
            rows = np.flatnonzero(numbers == _FIRST_NETWORK - place)
            if rows.size:
                assert policy is not None, "only networks that are there are met"
                moves[rows], fractions[rows] = policy.decide(
                    seen.observations[rows], seen.masks[rows], uniforms[rows]
                )
        return moves, fractions

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Return all that the pool's further course depends on, as arrays by name."""
        state: dict[str, NDArray[Any]] = {"won": self._won.copy(), "played": self._played.copy()}
        words = self._random.bit_generator.state
        state["random"] = np.array(repr(words))
        for place, tensors in enumerate(self._tensors):
            state |= {f"network.{place}.{name}": array for name, array in tensors.items()}
        return state

    def set_state(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `get_state` returned in a pool of the same settings."""
        for place in range(len(self._policies)):
            begins = f"network.{place}."
            tensors = {
                name.removeprefix(begins): array
                for name, array in state.items()
                if name.startswith(begins)
            }
            if tensors:
                self._put(place, tensors)
        self._won, self._played = state["won"].copy(), state["played"].copy()
        self._random.bit_generator.state = ast.literal_eval(str(state["random"]))


class PoolTables(LearnerTables):
    """Learners' tables whose other seats are members of a pool."""

    def __init__(self, pool: Pool, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.pool = pool
        self._is_asking = True

    def members(self, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the numbers of the members that sit at some tables, ``(k,)``."""
        beside = (self.seats[rows] + 1) % self.rules.seats
        numbers: NDArray[np.int64] = self.opponents[rows, beside, 0]
        return numbers

    def _meet(self, courses: Courses) -> None:
        rows = np.flatnonzero(courses.learners["has_ended"])
        if rows.size:
            courses.opponents[rows] = self.pool.draw(rows.size)[:, None, None]

    def _ask(
        self, games: NDArray[np.void], opponents: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        is_banker = (games["seat"] == games["banker"]).astype(np.int64)
        numbers = opponents[np.arange(games.size), games["seat"], is_banker]
        return self.pool.ask(self.rules, games, numbers)


class PoolVecEnv(PontoonVecEnv):
    """A `PontoonVecEnv` whose learners meet a pool, and whose state holds the pool's."""

    tables: PoolTables
    teacher: Teacher | None = None
    """Who looks at each decision of the learners before it is made."""

    def __init__(self, pool: Pool, *args: Any, **kwargs: Any) -> None:
        self._pool = pool
        super().__init__(*args, **kwargs)

    def step_async(self, actions: NDArray[Any]) -> None:
        """Take the actions of the step to come; see `PontoonVecEnv.step_async`."""
        if self.teacher is not None:
            self.teacher.look()
        super().step_async(actions)

    def _lay_tables(
        self, n: int, rules: Rules | None, seating: Seating, **kwargs: Any
    ) -> PoolTables:
        return PoolTables(self._pool, n, rules, seating, **kwargs)

    def _note_ends(self, rows: NDArray[np.intp]) -> None:
        self._pool.note(self.tables.members(rows), self._returns[rows])

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Return copies of all that the rows' further course depends on."""
        state = super().get_state()
        return state | {f"pool.{name}": array for name, array in self._pool.get_state().items()}

    def set_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on from what `get_state` returned in a batch of the same settings."""
        self._pool.set_state(
            {
                name.removeprefix("pool."): array
                for name, array in state.items()
                if name.startswith("pool.")
            }
        )
        super().set_state(state)
