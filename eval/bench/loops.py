"""Loops of random legal play that ours and other environments are played with alike."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from eval.bench.timing import Play

_STEPS: Final = 100
"""Decisions at least of a call, where one takes microseconds."""

Decide = Callable[[Any], Any]
"""Returns a random action for an observation."""


def stepwise(steps: Iterator[int]) -> Play:
    """Return what goes on with an endless loop, which yields decisions, by `_STEPS` of them."""

    def play() -> int:
        decisions = 0
        while decisions < _STEPS:
            decisions += next(steps)
        return decisions

    return play


def draw(mask: NDArray[Any]) -> Any:
    """Return a random legal choice."""
    legal = np.flatnonzero(mask)
    return legal[int(random.random() * legal.size)]


def draw_seen(observation: Any) -> Any:
    """Return a random choice of those that an observation says are legal."""
    return draw(observation["action_mask"])


def gym_loop(env: Any, decide: Decide) -> Iterator[int]:
    """Play a Gymnasium environment."""
    while True:
        observation, _ = env.reset()
        terminated = truncated = False
        while not (terminated or truncated):
            observation, _, terminated, truncated, _ = env.step(decide(observation))
            yield 1


def aec_loop(env: Any, decide: Decide = draw_seen) -> Iterator[int]:
    """Play an AEC environment in the shortest loop there is."""
    while True:
        env.reset()
        while env.agents:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            env.step(decide(observation))
            yield 1


def aec_docs_loop(env: Any, decide: Decide = draw_seen) -> Iterator[int]:
    """Play an AEC environment in the loop of PettingZoo's documentation."""
    while True:
        env.reset()
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            is_out = terminated or truncated
            env.step(None if is_out else decide(observation))
            if not is_out:
                yield 1
