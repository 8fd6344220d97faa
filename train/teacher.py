"""Learn from a teacher first: what an agent would have done, at the learner's own decisions.

Reinforcement finds slowly what an agent has already that counts the pack. So the learner may begin
by imitation: it plays, the teacher says of each of its decisions what it would have chosen there
(Ross, Gordon and Bagnell 2011, DAgger), and the network is fitted to that. The value function is
fitted as ever. After so many decisions the teacher falls silent and PPO goes on from there.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from torch.nn.functional import mse_loss

from pontoon_env.actions import FRACTION_OF_DISCRETE, MOVE_OF_DISCRETE
from pontoon_env.agent import AnyAgent, ask
from pontoon_env.learner_tables import LearnerTables

_FAR: Final = 2.0
"""More than any two fractions differ."""


class Teacher:
    """Says what an agent would choose at the decisions of a rollout."""

    def __init__(self, agent: AnyAgent, tables: LearnerTables) -> None:
        """Prepare to teach.

        Args:
            agent: Who knows; it must draw nothing at random.
            tables: Where the learners sit, with discrete actions.
        """
        self.is_teaching = True
        self._agent = agent
        self._tables = tables
        self._generator = np.random.default_rng(0)
        self._choices: list[NDArray[np.int64]] = []

    def look(self) -> None:
        """Note what the agent would choose now at each table, if it is teaching."""
        if self.is_teaching:
            tables = self._tables
            moves, fractions = ask(self._agent, tables.rules, tables.games, self._generator)
            self._choices.append(nearest_actions(moves, fractions, tables.masks))

    def take_choices(self) -> NDArray[np.int64]:
        """Return what has been noted since the last call, ``(steps, n)``, and forget it."""
        choices = np.stack(self._choices)
        self._choices.clear()
        return choices


def nearest_actions(
    moves: NDArray[np.int64], fractions: NDArray[np.float64], masks: NDArray[np.int8]
) -> NDArray[np.int64]:
    """Return the legal discrete actions, ``(n,)``, that come nearest to hybrid ones.

    Args:
        moves: Legal moves, ``(n,)``.
        fractions: Their amounts, ``(n,)``.
        masks: The legal discrete actions, ``(n, N_DISCRETE)``.
    """
    away = np.abs(FRACTION_OF_DISCRETE - fractions[:, None])
    is_other = (masks == 0) | (moves[:, None] != MOVE_OF_DISCRETE)
    nearest: NDArray[np.int64] = np.where(is_other, _FAR, away).argmin(axis=1)
    return nearest


class TaughtPPO(MaskablePPO):
    """MaskablePPO that may have a teacher in its first decisions."""

    teacher: Teacher | None = None

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "teacher"]

    def train(self) -> None:
        """Update the policy by the rollout."""
        if self.teacher is not None and self.teacher.is_teaching:
            self._imitate(self.teacher.take_choices())
        else:
            super().train()

    def _imitate(self, choices: NDArray[np.int64]) -> None:
        """Fit the policy to what the teacher would have chosen, ``(n_steps, n_envs)``."""
        buffer: Any = self.rollout_buffer
        buffer.actions[:] = choices.reshape(buffer.actions.shape)
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        losses = []
        for _ in range(self.n_epochs):
            for part in buffer.get(self.batch_size):
                values, log_chances, _ = self.policy.evaluate_actions(
                    part.observations, part.actions.long().flatten(), part.action_masks
                )
                imitation_loss = -log_chances.mean()
                value_loss = mse_loss(values.flatten(), part.returns)
                self.policy.optimizer.zero_grad()
                (imitation_loss + self.vf_coef * value_loss).backward()
                self.policy.optimizer.step()
                losses.append([imitation_loss.item(), value_loss.item()])
            self._n_updates += 1
        imitation, value = np.mean(losses, axis=0)
        self.logger.record("train/imitation_loss", imitation)
        self.logger.record("train/value_loss", value)
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
