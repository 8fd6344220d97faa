"""Learn one seat with sb3-contrib's MaskablePPO: on one table, then on many at once.

One table is a plain Gymnasium environment and needs nothing. Stable-Baselines3 does not take
Gymnasium's vector environments, `Tables` hands one over; `train.sb3_vec_env` does it faster.
"""

from typing import Any

import gymnasium
import numpy as np
import tyro
from gymnasium.vector import VectorEnv
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn

NAME = "pontoon_env:Pontoon-v0"


class Tables(VecEnv):
    def __init__(self, tables: VectorEnv[Any, Any, Any]) -> None:
        self.tables = tables
        super().__init__(
            tables.num_envs, tables.single_observation_space, tables.single_action_space
        )

    def reset(self) -> VecEnvObs:
        seen: VecEnvObs = self.tables.reset(seed=self._seeds[0])[0]
        return seen

    def step_async(self, actions: NDArray[Any]) -> None:
        self.actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        seen, rewards, ended, _, infos = self.tables.step(self.actions)
        rows: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row in np.flatnonzero(ended):
            rows[row] = {"terminal_observation": infos["final_obs"][row]}
        return seen, rewards.astype(np.float32), ended, rows

    def env_method(
        self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any
    ) -> list[Any]:
        return list(getattr(self.tables.unwrapped, method_name)(*args, **kwargs))

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        return [getattr(self.tables.unwrapped, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        raise AttributeError(f"{attr_name} belongs to all tables alike")

    def env_is_wrapped(
        self,
        wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]],
        indices: VecEnvIndices = None,
    ) -> list[bool]:
        return [False] * self.num_envs

    def close(self) -> None:
        self.tables.close()


def main(timesteps: int = 1024, num_envs: int = 32) -> None:
    """Train on one table, then on ``num_envs``."""
    table = gymnasium.make(NAME, opponents="stick17")
    MaskablePPO("MultiInputPolicy", table, n_steps=128, gamma=1.0, device="cpu").learn(128)

    tables = Tables(gymnasium.make_vec(NAME, num_envs=num_envs, opponents="stick17"))
    settings: dict[str, Any] = {
        "n_steps": 16,
        "batch_size": 256,
        "gamma": 1.0,
        "seed": 1,
        "device": "cpu",
    }
    model = MaskablePPO("MultiInputPolicy", tables, **settings).learn(timesteps)
    print(f"one table and {num_envs} tables: {model.num_timesteps} masked decisions learned from")


if __name__ == "__main__":
    tyro.cli(main)
