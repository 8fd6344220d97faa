"""Masked PPO in one file, in the manner of CleanRL, on many tables at once: plain torch."""

import gymnasium
import numpy as np
import torch
import tyro
from gymnasium.spaces import flatdim
from torch import nn
from torch.distributions import Categorical


def main(rollouts: int = 20, num_envs: int = 64, n_steps: int = 16, epochs: int = 4) -> None:
    """Train one seat against ``stick17``."""
    torch.manual_seed(1)
    torch.set_num_threads(1)
    envs = gymnasium.make_vec(
        "pontoon_env:Pontoon-v0", num_envs=num_envs, mask_in_observation=False
    )
    n_seen = flatdim(envs.single_observation_space)
    n_actions = flatdim(envs.single_action_space)
    network = nn.Sequential(nn.Linear(n_seen, 64), nn.Tanh(), nn.Linear(64, n_actions + 1))
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3, eps=1e-5)

    def policy(seen: torch.Tensor, masks: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """Return the distribution of the legal actions, and the value."""
        outputs = network(seen)
        return Categorical(logits=outputs[..., :-1].masked_fill(~masks, -1e8)), outputs[..., -1]

    seen, infos = envs.reset(seed=1)
    won, deals = np.zeros((2, rollouts))
    for rollout in range(rollouts):
        rows = []
        for _ in range(n_steps):
            kept = torch.from_numpy(seen), torch.from_numpy(infos["action_mask"]).bool()
            with torch.no_grad():
                choices, values = policy(*kept)
                actions = choices.sample()
            seen, rewards, ended, _, infos = envs.step(actions.numpy())
            scaled = torch.from_numpy(rewards * 0.1).float()
            going_on = torch.from_numpy(~ended).float()
            rows.append((*kept, actions, choices.log_prob(actions), values, scaled, going_on))
            won[rollout] += rewards.sum()
            deals[rollout] += ended.sum()
        everything = [torch.stack(part) for part in zip(*rows, strict=True)]
        *_, values, rewards, going_on = everything
        with torch.no_grad():
            following = policy(torch.from_numpy(seen), kept[1])[1]
        advantages, advantage = torch.zeros_like(rewards), torch.zeros(num_envs)
        for step in reversed(range(n_steps)):  # generalised advantage estimation, lambda 0.95
            surprise = rewards[step] + going_on[step] * following - values[step]
            advantages[step] = advantage = surprise + 0.95 * going_on[step] * advantage
            following = values[step]
        observed, masks, actions, before, values, *_ = [part.flatten(0, 1) for part in everything]
        advantages = advantages.flatten()
        returns = advantages + values
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        for _ in range(epochs):
            for batch in torch.randperm(len(returns)).split(256):
                choices, estimates = policy(observed[batch], masks[batch])
                ratio = (choices.log_prob(actions[batch]) - before[batch]).exp()
                gain = torch.min(
                    ratio * advantages[batch], ratio.clamp(0.8, 1.2) * advantages[batch]
                )
                errors = (estimates - returns[batch]) ** 2
                loss = (0.5 * errors - gain - 0.01 * choices.entropy()).mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(network.parameters(), 0.5)
                optimizer.step()
    half = rollouts // 2
    first, last = (won[part].sum() / deals[part].sum() for part in (np.s_[:half], np.s_[half:]))
    made = rollouts * n_steps * num_envs
    print(f"{made} legal decisions; least stakes a deal {first:+.2f}, then {last:+.2f}")


if __name__ == "__main__":
    tyro.cli(main)
