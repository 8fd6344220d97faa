"""Tables for the tests of the PettingZoo faces, and random legal play on them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pontoon_env import Rules
from pontoon_env.actions import N_SCORES
from pontoon_env.aec import PontoonAECEnv

PETTINGZOO_REMARKS = (
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
    "ignore:Action space for each agent probably should be",
)
"""What PettingZoo's tests remark on every environment with masks or hybrid actions; harmless."""

ENCODINGS = ("hybrid", "discrete", "box")
FALLIBLE_ENCODINGS = ("hybrid", "discrete")
"""Those in which an action can be illegal."""

RULES = {
    "pontoon-2": Rules.pontoon(seats=2, deals=6),
    "pontoon-6": Rules.pontoon(seats=6, deals=3),
    "pontoon-8": Rules.pontoon(seats=8, deals=3),
    "shoot-2": Rules.shoot(seats=2, deals=6),
    "shoot-6": Rules.shoot(seats=6, deals=3),
    "shoot-8": Rules.shoot(seats=8, deals=3),
}

VARIED = Rules.shoot(
    seats=4,
    deals=5,
    banker_doubles=True,
    burn="14",
    burn_repeat=1,
    bank_refusable=True,
    no_certain_fifth=True,
    max_kitty=300,
)
"""Rules under which every move can be met with."""


def draw(env: PontoonAECEnv, generator: np.random.Generator) -> Any:
    """Return a random legal action of the agent to act, off its info."""
    mask = env.infos[env.agent_selection]["action_mask"]
    if env.encoding == "box":
        return generator.random(N_SCORES).astype(np.float32)
    choice = int(generator.choice(np.flatnonzero(mask)))
    return {"move": choice, "amount": generator.random()} if env.encoding == "hybrid" else choice


def play(env: PontoonAECEnv, generator: np.random.Generator, most: int = 10_000) -> Iterator[str]:
    """Play random legal actions to the session's end; yield the agent before each of them."""
    for _ in range(most):
        if env.terminations[env.agent_selection]:
            return
        yield env.agent_selection
        env.step(draw(env, generator))


def play_on(env: PontoonAECEnv, seed: int = 0, most: int = 10_000) -> list[tuple[Any, ...]]:
    """Play on at random and return what everybody is told on the way."""
    generator = np.random.default_rng(seed)
    told = []
    for agent in play(env, generator, most):
        seen = {key: value.tobytes() for key, value in env.observe(agent).items()}
        told.append((agent, seen, tuple(env.rewards.values()), env._cumulative_rewards[agent]))
    told.append((env.agents, env.rewards, env.terminations, env.state().tobytes()))
    return told
