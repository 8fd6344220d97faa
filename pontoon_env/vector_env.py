"""Many learners in one batch: ``gymnasium.make_vec("pontoon_env:Pontoon-v0", num_envs=1024)``.

Row ``i`` of a batch reset with ``seed`` plays as a single `PontoonEnv` reset with ``seed + i``
does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from pontoon_env.action_reading import read_box_batch, split_hybrid_batch
from pontoon_env.actions import Encoding
from pontoon_env.agent import AnyAgent
from pontoon_env.arguments import check_options, check_seed
from pontoon_env.errors import NotResetError
from pontoon_env.gym_env import Observation, check_render_mode
from pontoon_env.learner_tables import LearnerTables
from pontoon_env.rules import Rules
from pontoon_env.seating import OnIllegal, Role, Seating
from pontoon_env.spaces import action_space, learner_observation_space

Infos = dict[str, Any]
StepResult = tuple[Observation, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Infos]

_SEEN: Final = ("observation", "action_mask", "amount_low", "amount_high")
"""Parts of an observation; those behind the mask but in the discrete encoding."""


class PontoonVectorEnv(VectorEnv[Observation, Any, NDArray[Any]]):
    """A batch of tables with a learner each; spaces, rewards and settings as of `PontoonEnv`.

    **Actions**, as Gymnasium batches those of `PontoonEnv`: ``discrete``, ``(num_envs,)``;
    ``hybrid``, ``{"move": moves, "amount": fractions}``, ``(num_envs,)`` each; ``box``,
    ``(num_envs, N_SCORES)``.

    An ended row begins its next session in the same step (``AutoresetMode.SAME_STEP``), so that no
    step is idle. What it saw last stands in ``infos["final_obs"]``, an object array, where
    ``infos["_final_obs"]`` is true, and ``infos["final_info"]`` holds the infos of that moment.
    ``infos["action_mask"]`` is int8 ``(num_envs, N_DISCRETE)``, or ``(num_envs, N_MOVES)`` in the
    other encodings, the masks of the observations returned.
    """

    metadata = {
        "render_modes": ["ansi"],
        "render_fps": 4,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        num_envs: int,
        rules: Rules | None = None,
        role: Role = "player",
        opponents: str | AnyAgent = "stick17",
        banker_opponent: str | AnyAgent | None = None,
        on_illegal: OnIllegal = "raise",
        illegal_penalty: float = 1.0,
        mask_in_observation: bool = True,
        render_mode: str | None = None,
        copy: bool = True,
        encoding: Encoding = "discrete",
        memory: bool = False,
        padded: bool = False,
    ) -> None:
        """Lay the tables.

        Args:
            num_envs: Number of tables.
            rules: As of `PontoonEnv`, like all that follow but ``copy``.
            role: As there.
            opponents: As there.
            banker_opponent: As there.
            on_illegal: As there.
            illegal_penalty: As there.
            mask_in_observation: As there.
            render_mode: As there.
            copy: Whether observations, masks and amounts are fresh arrays. Otherwise the next step
                overwrites them.
            encoding: As there.
            memory: As there.
            padded: As there.

        Raises:
            TypeError: ``rules`` are no `Rules`, or an agent is neither a name nor an agent.
            ValueError: Another argument is out of its range.
        """
        self.num_envs = num_envs
        self.render_mode = check_render_mode(render_mode)
        seating = Seating(role=role, opponents=opponents, banker_opponent=banker_opponent)
        self._tables = LearnerTables(
            num_envs, rules, seating, on_illegal, illegal_penalty, memory, encoding, padded
        )
        self.rules = self._tables.rules
        self.encoding: Encoding = encoding
        self._reports_illegal = on_illegal != "raise"
        self._mask_in_observation = mask_in_observation
        self._n_seen = 1 if not mask_in_observation else 2 if encoding == "discrete" else len(_SEEN)
        self._copy = copy
        self._rows = np.arange(num_envs)
        self._seeds = np.zeros(num_envs, np.uint64)
        self._has_begun = np.zeros(num_envs, np.bool_)
        self.single_action_space = action_space(encoding)
        self.single_observation_space = learner_observation_space(
            self.rules, encoding, mask_in_observation, memory, padded
        )
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, Infos]:
        """Begin an episode on every table.

        Args:
            seed: Row ``i`` gets ``seed + i``; or a sequence, one a row. A row whose seed is None
                goes on with the next session of its seed.
            options: As of `PontoonEnv.reset`, for every row. ``reset_mask``, a bool array
                ``(num_envs,)``, leaves the other rows as they are, their seeds and episodes too.

        Raises:
            TypeError: The options are no mapping.
            ValueError: A seed or an option is out of its range; the present episodes go on.
            RuntimeError: The learner has nothing to decide under these rules and in this role.
        """
        row_seeds = self._row_seeds(seed)
        rows = self._rows_to_reset(check_options(options))
        seeds, episodes = self._seeds[rows], self._tables.games["episode"][rows] + np.uint64(1)
        for place, row in enumerate(rows):
            row_seed = row_seeds[row]
            if row_seed is None and self._has_begun[row]:
                continue
            seeds[place] = self.np_random.integers(2**63) if row_seed is None else row_seed
            episodes[place] = 0
        if self._copy:
            self._tables.renew_observations()
        self._tables.begin(rows, seeds, episodes, options)
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
        self._seeds[rows] = seeds
        self._has_begun[rows] = True
        self._tables.observations[~self._has_begun] = 0.0
        return self._observation(), _described(
            self._infos(self._rows, self._tables.masks), self._rows, self.num_envs
        )

    def _row_seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        """Return the seed of each row, None where it is to go on with its own."""
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, str) or not isinstance(seed, Sequence | np.ndarray):
            first = check_seed(seed)
            return [check_seed(first + row) for row in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(f"{len(seed)} seeds for {self.num_envs} rows")
        return [None if row_seed is None else check_seed(row_seed) for row_seed in seed]

    def _rows_to_reset(self, options: Mapping[str, Any]) -> NDArray[np.intp]:
        """Return the rows that ``reset_mask`` asks for, all without one."""
        if "reset_mask" not in options:
            return self._rows
        mask = options["reset_mask"]
        is_mask = isinstance(mask, np.ndarray) and mask.dtype == np.bool_
        if not is_mask or mask.shape != self._rows.shape or not mask.any():
            raise ValueError(
                f"reset_mask={mask!r} must be a bool array of shape ({self.num_envs},), true for "
                "at least one row"
            )
        return np.flatnonzero(mask)

    def step(self, actions: Any) -> StepResult:
        """Make the learners' decisions and play to their next ones; restart where a session ends.

        Args:
            actions: As the class says.

        Returns:
            Observations, rewards float64, terminated bool, truncated bool (none), each
            ``(num_envs,)``, and infos.

        Raises:
            IllegalActionError: An action is illegal and ``on_illegal="raise"``; no row has changed.
            ValueError: The actions have another shape or type, or are out of range.
            NotResetError: No episode has begun.
        """
        rewards, ended, illegal = self._decide(actions)
        rows = np.flatnonzero(ended)
        finals = self._finals(rows, illegal) if rows.size else {}
        if self._copy:
            self._tables.renew_observations()
        self._tables.begin_next()
        infos = _described(self._infos(self._rows, self._tables.masks), self._rows, self.num_envs)
        if self._reports_illegal and not ended.all():
            going_on = np.flatnonzero(~ended)
            infos |= _described({"illegal": illegal[going_on]}, going_on, self.num_envs)
        infos |= finals
        return self._observation(), rewards, ended, np.zeros(self.num_envs, np.bool_), infos

    def _decide(
        self, actions: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Make the learners' decisions; see `LearnerTables.step`."""
        if self.encoding == "discrete":
            return self._tables.step(actions, is_shown=False)
        read = split_hybrid_batch(actions) if self.encoding == "hybrid" else None
        moves, fractions = read or read_box_batch(actions, self._tables.masks)
        return self._tables.step_moves(moves, fractions, is_shown=False)

    def _finals(self, rows: NDArray[np.intp], illegal: NDArray[np.bool_]) -> Infos:
        """Return the final observations and infos of the rows whose sessions have ended."""
        vectors, masks, amounts = self._tables.finals(rows.size)
        final_info = self._infos(rows, masks)
        if self._reports_illegal:
            final_info["illegal"] = illegal[rows]
        parts = [list(array) for array in (vectors, masks, *amounts)[: self._n_seen]]
        by_row: Sequence[Observation] = parts[0]
        if self._n_seen == 2:  # as nearly always; spelt out, which takes a third of the time
            by_row = [
                {"observation": vector, "action_mask": mask}
                for vector, mask in zip(*parts, strict=True)
            ]
        elif self._n_seen > 2:
            by_row = [dict(zip(_SEEN, row, strict=True)) for row in zip(*parts, strict=True)]
        final_obs = np.full(self.num_envs, None, object)
        final_obs[rows] = np.fromiter(by_row, object, rows.size)
        has_ended = np.zeros(self.num_envs, np.bool_)
        has_ended[rows] = True
        return {
            "final_obs": final_obs,
            "_final_obs": has_ended,
            "final_info": _described(final_info, rows, self.num_envs),
            "_final_info": has_ended.copy(),
        }

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions, or moves, are legal, bool, ``num_envs`` rows."""
        return self._tables.masks.astype(np.bool_)

    def render(self) -> tuple[str, ...] | None:
        """Return what each learner sees of its table as text, in mode ``ansi``.

        Raises:
            NotResetError: A row's first episode has not begun.
        """
        if self.render_mode is None:
            return None
        if not self._has_begun.all():
            raise NotResetError("no episode has begun: call reset() before render()")
        from pontoon_env.render import render_ansi

        tables = zip(self._tables.games, self._tables.seats, strict=True)
        return tuple(render_ansi(self.rules, game, int(seat)) for game, seat in tables)

    def _observation(self) -> Observation:
        """Return the batch of observations, fresh where ``copy`` asks for it."""
        tables = self._tables
        vectors, *others = (tables.observations, tables.masks, *tables.amounts)
        if not self._mask_in_observation:
            return vectors
        if self._copy:  # the vectors, which are large, have been written to a fresh array
            others = [array.copy() for array in others]
        return dict(zip(_SEEN[: self._n_seen], (vectors, *others), strict=False))

    def _infos(self, rows: NDArray[np.intp], masks: NDArray[np.int8]) -> Infos:
        """Return the infos of some rows, which have these masks; each value is a fresh array."""
        learners = self._tables.learners.take(rows)
        infos = {
            "action_mask": masks.copy(),
            "seat": learners["seat"].copy(),
            "banker": learners["banker"].copy(),
            "session": learners["session"].copy(),
        }
        if self.encoding != "discrete":
            infos["chips_low"], infos["chips_high"] = self._tables.chips(rows)
        return infos


def _described(values: Infos, rows: NDArray[np.intp], n: int) -> Infos:
    """Spread infos of some rows over ``n``, each with a mask of those rows, as Gymnasium does."""
    infos: Infos = {}
    has_value = np.zeros(n, np.bool_)
    has_value[rows] = True
    for name, value in values.items():
        spread = value
        if rows.size != n:
            spread = np.zeros((n, *value.shape[1:]), value.dtype)
            spread[rows] = value
        infos[name], infos[f"_{name}"] = spread, has_value.copy()
    return infos
