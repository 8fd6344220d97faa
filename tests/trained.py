"""How well a policy of the trainers plays."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from agents.saved_policy import load_policy
from pontoon_env import Rules
from train.sb3_vec_env import PontoonVecEnv


def mean_return(folder: Path, deals: int) -> float:
    """Return what a saved policy without an LSTM wins a deal, in least stakes.

    It plays its likeliest choices against a banker and one player who stick on 17, at tables whose
    seeds no test trains on.
    """
    policy = load_policy(folder)
    env = PontoonVecEnv(1000, Rules.single_deal(seats=3), seed=10**6, encoding="hybrid")
    seen, won = env.reset(), []
    while len(won) < deals:
        moves, fractions = policy.decide(seen["observation"], seen["action_mask"])
        seen, _, _, infos = env.step(np.stack([moves, fractions], axis=1))
        won += [info["episode"]["r"] for info in infos if "episode" in info]
    return float(np.mean(won))
