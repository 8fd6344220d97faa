"""The native batch of tables as a Stable-Baselines3 ``VecEnv``."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from agents.saved_policy import N_OUTPUTS, PolicyEncoding
from pontoon_env.actions import N_DISCRETE
from pontoon_env.agent import AnyAgent
from pontoon_env.arguments import check_seed, is_nonnegative
from pontoon_env.learner_tables import LearnerTables
from pontoon_env.rules import Rules
from pontoon_env.seating import Role, Seating
from pontoon_env.spaces import observation_space
from pontoon_env.state import N_MOVES

_Observations = NDArray[np.float32] | dict[str, NDArray[Any]]

_ROUNDING: Final = 1e-3
"""How far the number of a move may be from a whole one."""


class PontoonVecEnv(VecEnv):
    """A batch of tables with a learner each, which Stable-Baselines3 and sb3-contrib train on.

    Row ``i`` plays the sessions of seed ``seed + i``. In the discrete encoding observations are the
    flat vector, float32 ``(num_envs, observation_size)``; the masks come by
    ``env_method("action_masks")``. In the hybrid one they are a dict of ``observation``, that
    vector, and ``action_mask``, int8 ``(num_envs, N_MOVES)``; an action is the number of a move and
    its amount as a fraction of the legal interval, float32 ``(num_envs, 2)``.

    Two arrays of observations are written in turn, and two of masks where they are observed: one
    that was returned is overwritten by the step after the next.

    Rewards are handed out times ``reward_scale``, for learners alone: ``info["episode"]["r"]``, the
    return of an episode, stays in least stakes.
    """

    def __init__(
        self,
        num_envs: int,
        rules: Rules | None = None,
        role: Role = "player",
        opponents: str | AnyAgent = "stick17",
        banker_opponent: str | AnyAgent | None = None,
        reward_scale: float = 1.0,
        seed: int | None = None,
        *,
        memory: bool = False,
        encoding: PolicyEncoding = "discrete",
    ) -> None:
        """Lay the tables.

        Args:
            num_envs: Number of tables.
            rules: The rules; `Rules.single_deal` where None.
            role: Where the learner sits, as of `pontoon_env.gym_env.PontoonEnv`.
            opponents: Who plays the other seats, as there.
            banker_opponent: Who plays for them as banker, as there.
            reward_scale: What rewards are multiplied by.
            seed: Of the first row; drawn where None.
            memory: Whether the vector holds what a perfect memory knows.
            encoding: Of the actions.

        Raises:
            TypeError: ``rules`` are no `Rules`, or an agent is neither a name nor an agent.
            ValueError: Another argument is out of its range.
        """
        if encoding not in N_OUTPUTS:
            raise ValueError(f"encoding={encoding!r} is none of {', '.join(N_OUTPUTS)}")
        seating = Seating(role=role, opponents=opponents, banker_opponent=banker_opponent)
        self.tables = self._lay_tables(num_envs, rules, seating, memory=memory, encoding=encoding)
        self.rules = self.tables.rules
        if not is_nonnegative(reward_scale) or reward_scale == 0:
            raise ValueError(f"reward_scale={reward_scale!r} must be above 0")
        self.reward_scale = reward_scale
        self.encoding: PolicyEncoding = encoding
        parts = observation_space(self.rules, encoding, memory)
        seen: spaces.Space[Any] = parts["observation"]
        actions: spaces.Space[Any] = spaces.Discrete(N_DISCRETE)
        if encoding == "hybrid":
            seen = spaces.Dict({name: parts[name] for name in ("observation", "action_mask")})
            highest = np.array([N_MOVES - 1, 1], np.float32)
            actions = spaces.Box(np.zeros_like(highest), highest, dtype=np.float32)
        super().__init__(num_envs, seen, actions)
        self._rows = np.arange(num_envs)
        self._row_seeds: NDArray[np.uint64] | None = None
        self._spare = np.zeros_like(self.tables.observations)
        self._spare_masks = np.zeros_like(self.tables.masks)
        self._actions: NDArray[Any] = np.zeros(num_envs, np.int64)
        self._returns = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, np.int64)
        self._start = time.time()
        self.seed(seed)

    def _lay_tables(
        self, n: int, rules: Rules | None, seating: Seating, **kwargs: Any
    ) -> LearnerTables:
        """Return the tables; arguments as of `LearnerTables`."""
        return LearnerTables(n, rules, seating, **kwargs)

    def _note_ends(self, rows: NDArray[np.intp]) -> None:
        """Take note of sessions that have ended, before the next ones begin."""

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Give row ``i`` the seed ``seed + i`` from the next reset on; random seeds where None."""
        first = int(np.random.default_rng().integers(2**62)) if seed is None else check_seed(seed)
        self._seeds = [check_seed(first + row) for row in range(self.num_envs)]
        return self._seeds

    def reset(self) -> _Observations:
        """Begin a session in each row: session 0 of seeds set since, else the next one."""
        episodes = self.tables.games["episode"] + np.uint64(1)
        if self._seeds[0] is not None or self._row_seeds is None:
            self._row_seeds = np.array(self._seeds, np.uint64)
            episodes[:] = 0
        self._reset_seeds()
        self._reset_options()
        self._returns[:] = 0
        self._lengths[:] = 0
        self.reset_infos = [{} for _ in range(self.num_envs)]
        self._swap()
        self.tables.begin(self._rows, self._row_seeds, episodes)
        return self._observed()

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Return copies of all that the rows' further course depends on."""
        assert self._row_seeds is not None, "reset() sets the seeds"
        own = {"row_seeds": self._row_seeds, "returns": self._returns, "lengths": self._lengths}
        return {**self.tables.get_state(), **{name: array.copy() for name, array in own.items()}}

    def set_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on from what `get_state` returned in a batch of the same settings."""
        self._reset_seeds()
        self._row_seeds = state["row_seeds"].copy()
        self._returns = state["returns"].copy()
        self._lengths = state["lengths"].copy()
        self.tables.set_state(state)

    def _swap(self) -> None:
        """Have the next observations written to the other arrays."""
        spare, masks = self._spare, self._spare_masks
        self._spare = self.tables.observations
        if self.encoding == "discrete":
            self.tables.write_to(spare)
            return
        self._spare_masks = self.tables.masks
        self.tables.write_to(spare, masks)

    def _observed(self) -> _Observations:
        """Return the present observations, in the arrays that they are written to."""
        if self.encoding == "discrete":
            return self.tables.observations
        return {"observation": self.tables.observations, "action_mask": self.tables.masks}

    def step_async(self, actions: NDArray[Any]) -> None:
        """Take the actions of the step to come, ``(num_envs,)``, or ``(num_envs, 2)`` if hybrid.

        Raises:
            ValueError: The actions of the hybrid encoding have another shape.
        """
        actions = np.asarray(actions)
        if self.encoding == "hybrid" and actions.shape != (self.num_envs, 2):
            raise ValueError(
                f"the actions have shape {actions.shape}, not ({self.num_envs}, 2): the number of "
                "a move and a fraction for each table"
            )
        self._actions = actions

    def _step(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Make the decisions taken; return the rewards and whether each session has ended."""
        if self.encoding == "discrete":
            rewards, ended, _ = self.tables.step(self._actions, is_shown=False)
            return rewards, ended
        numbers, fractions = self._actions.T
        moves = np.rint(numbers)
        if not (np.abs(numbers - moves) <= _ROUNDING).all():
            raise ValueError(f"the first of an action is the whole number of a move, not {numbers}")
        moves = moves.astype(np.int64)
        rewards, ended, _ = self.tables.step_moves(moves, fractions, is_shown=False)
        return rewards, ended

    def _final_observations(self, rows: NDArray[np.intp]) -> list[Any]:
        """Return copies of what some rows see, each as an environment of its own would."""
        observations, masks, _ = self.tables.finals(rows.size)
        if self.encoding == "discrete":
            return list(observations)
        return [
            {"observation": observation, "action_mask": mask}
            for observation, mask in zip(observations, masks, strict=True)
        ]

    def step_wait(self) -> VecEnvStepReturn:
        """Make the step; an ended row begins its next session and says in its info how it ended.

        Raises:
            ValueError: An action is none, or is illegal.
        """
        assert self._row_seeds is not None, "step() before reset()"
        rewards, ended = self._step()
        self._returns += rewards
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        rows = np.flatnonzero(ended)
        if rows.size:
            elapsed = round(time.time() - self._start, 6)
            finals = self._final_observations(rows)
            lengths, returns = self._lengths[rows].tolist(), self._returns[rows].tolist()
            for place, row in enumerate(rows.tolist()):
                infos[row] = {
                    "terminal_observation": finals[place],
                    "TimeLimit.truncated": False,
                    "episode": {"r": returns[place], "l": lengths[place], "t": elapsed},
                }
            self._note_ends(rows)
            self._returns[rows] = 0
            self._lengths[rows] = 0
        self._swap()
        self.tables.begin_next()
        scaled = (rewards * self.reward_scale).astype(np.float32)
        return self._observed(), scaled, ended, infos

    def action_masks(self) -> NDArray[np.int8]:
        """Return the present masks, int8 ``(num_envs, n_choices)``; do not change them."""
        return self.tables.masks

    def close(self) -> None:
        """Do nothing: there is nothing to clean up."""

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute, or a method, once for each row asked for."""
        value = None if attr_name == "render_mode" else getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Refuse: the rows are no environments of their own.

        Raises:
            AttributeError: Always.
        """
        raise AttributeError(
            f"{attr_name} cannot be set by row: all rows share one set of rules and settings"
        )

    def env_method(
        self,
        method_name: str,
        *method_args: Any,
        indices: VecEnvIndices = None,
        **method_kwargs: Any,
    ) -> list[Any]:
        """Return what ``action_masks`` holds for each row asked for.

        Raises:
            AttributeError: Another method is asked for: the rows are no environments of their own.
        """
        if method_name != "action_masks":
            raise AttributeError(f"rows have no method {method_name}; they have action_masks")
        return [self.tables.masks[row] for row in self._get_indices(indices)]

    def env_is_wrapped(
        self,
        wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]],
        indices: VecEnvIndices = None,
    ) -> list[bool]:
        """Return that no row is wrapped, but for ``Monitor``, whose infos it writes."""
        is_monitor = wrapper_class.__name__ == "Monitor"
        return [is_monitor for _ in self._get_indices(indices)]
