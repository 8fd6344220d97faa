"""Collect and learn hybrid, masked decisions of all seats through TorchRL's PettingZooWrapper.

TorchRL gives every seat a row at every step; ``("seats", "mask")`` marks the one that acted. It
reads ``action_mask`` itself, but only for flat actions, and keeps no infos beside it. So `Seats`
calls the mask ``legal``, which TorchRL hands on with the observation, and leaves the infos out.
"""

import warnings
from typing import Any

import torch
import tyro
from gymnasium import spaces
from pettingzoo.utils.wrappers import BaseWrapper
from torch import nn
from torch.distributions import Beta
from torch.nn.functional import softplus
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.modules import MaskedCategorical

from pontoon_env import Rules, pontoon_v0
from pontoon_env.state import N_AMOUNT_MOVES, N_MOVES


class Seats(BaseWrapper[str, Any, Any]):
    def observation_space(self, agent: str) -> spaces.Dict:
        parts = super().observation_space(agent)
        assert isinstance(parts, spaces.Dict)
        return spaces.Dict({"seen": parts["observation"], "legal": parts["action_mask"]})

    def observe(self, agent: str) -> dict[str, Any]:
        parts: Any = super().observe(agent)
        return {"seen": parts["observation"], "legal": parts["action_mask"]}

    @property
    def infos(self) -> dict[str, dict[str, Any]]:  # type: ignore[override]  # it is only read
        return {agent: {} for agent in self.possible_agents}


def main(rollouts: int = 3, steps: int = 128, seats: int = 3) -> None:
    """Train one network on all seats by policy gradient with a baseline."""
    torch.manual_seed(1)
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", "PettingZoo in TorchRL is tested")
    groups = {"seats": [f"seat_{seat}" for seat in range(seats)]}
    rules = Rules.single_deal(seats=seats)
    table = Seats(pontoon_v0.env(rules=rules))
    tables = PettingZooWrapper(table, use_mask=True, group_map=groups, done_on_any=False, seed=1)
    n_seen = spaces.flatdim(table.observation_space("seat_0")["seen"])
    network = nn.Sequential(nn.Linear(n_seen, 64), nn.Tanh(), nn.Linear(64, N_MOVES + 3))
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)

    def choices(rows: Any) -> tuple[MaskedCategorical, Beta, torch.Tensor]:
        """Return the distributions of move and amount, and the value."""
        seen, legal = rows["seats", "observation", "seen"], rows["seats", "observation", "legal"]
        logits, shape, value = network(seen).split([N_MOVES, 2, 1], dim=-1)
        is_idle = ~rows["seats", "mask"][..., None]  # a seat that is not to act has no legal move
        moves = MaskedCategorical(logits=logits, mask=legal.bool() | is_idle)
        more, less = (1 + softplus(shape)).unbind(-1)
        return moves, Beta(more, less), value[..., 0]

    @torch.no_grad()
    def play(tensordict: Any) -> Any:  # TorchRL goes by this name
        """Write an action for every seat; only the mover's counts."""
        moves, amounts, _ = choices(tensordict)
        tensordict["seats", "action", "move"] = moves.sample()
        tensordict["seats", "action", "amount"] = amounts.sample().double()
        return tensordict

    decisions = 0
    for _ in range(rollouts):
        rows = tables.rollout(steps, play, break_when_any_done=False)
        acted = rows["seats", "mask"]
        going_on = (~rows["next", "seats", "done"][..., 0]).float()
        rewards = rows["next", "seats", "reward"][..., 0] * 0.1
        returns, to_come = torch.zeros_like(rewards), torch.zeros(seats)
        for step in reversed(range(steps)):
            returns[step] = to_come = rewards[step] + going_on[step] * to_come
        moves, amounts, values = choices(rows)
        move, amount = rows["seats", "action", "move"], rows["seats", "action", "amount"]
        chance = moves.log_prob(move)
        takes_amount = (move < N_AMOUNT_MOVES).float()
        chance = chance + takes_amount * amounts.log_prob(amount.float().clamp(1e-6, 1 - 1e-6))
        gain = chance * (returns - values).detach()
        loss = (0.5 * (returns - values) ** 2 - gain)[acted].mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        decisions += int(acted.sum())
    print(f"{decisions} legal decisions of {seats} seats, {rollouts} updates")


if __name__ == "__main__":
    tyro.cli(main)
