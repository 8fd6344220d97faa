"""Observations with memory, and laid out as at the largest table, on every face."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pontoon_env import Rules, pontoon_v0
from pontoon_env.gym_env import PontoonEnv
from pontoon_env.observation import layout, observation_size
from pontoon_env.padding import padding_runs
from pontoon_env.vector_env import PontoonVectorEnv
from tests.tables import VARIED, play
from tests.views import observed

TABLES = [
    Rules.pontoon(seats=2, split="none"),
    Rules.pontoon(seats=5, max_hands=2, shuffle="never"),
    Rules.pontoon(seats=8),
    VARIED,
]
both = pytest.mark.parametrize("memory", [False, True])
every_table = pytest.mark.parametrize("rules", TABLES, ids=["2x1", "5x2", "8x4", "varied"])


def by_name(rules: Rules, vector: np.ndarray, memory: bool, padded: bool) -> dict[str, bytes]:
    """Return the slices of an observation by name."""
    parts = layout(rules, memory, padded)
    return {part.name: vector[part.start : part.stop].tobytes() for part in parts}


@both
def test_every_padded_table_is_laid_out_as_one_of_eight_seats_and_four_hands(memory: bool) -> None:
    """Names, places, meanings and bounds."""
    largest = layout(Rules.pontoon(seats=8), memory)
    for rules in TABLES:
        assert layout(rules, memory, padded=True) == largest
        assert observation_size(rules, memory, padded=True) == (359 if memory else 314)


@both
@every_table
def test_the_runs_carry_every_element_to_its_place(rules: Rules, memory: bool) -> None:
    compact = np.concatenate([np.arange(*run[:2]) for run in padding_runs(rules, memory)])
    assert np.array_equal(compact, np.arange(observation_size(rules, memory)))
    assert len(padding_runs(Rules.pontoon(seats=8), memory)) == 1


@both
@every_table
def test_a_padded_observation_holds_the_compact_one_and_zeros(rules: Rules, memory: bool) -> None:
    """Of every seat at every decision, in the AEC environment; inside its space."""
    env = pontoon_v0.env(rules=rules, memory=memory, padded=True, encoding="discrete")
    plain = pontoon_v0.env(rules=rules, memory=memory)
    env.reset(seed=1)
    plain.reset(seed=1)
    n_zero = 0
    for _ in play(env, np.random.default_rng(1), 200):
        state = env.get_state()
        plain.set_state({**state, "loop": state["loop"]})
        for seat, agent in enumerate(env.agents):
            vector = env.observe(agent)["observation"]
            assert env.observation_space(agent).contains(env.observe(agent))
            compact = observed(rules, state["game"], seat, memory)[0][0]
            assert np.array_equal(plain.observe(agent)["observation"], compact)
            named = by_name(rules, vector, memory, padded=True)
            for name, part in by_name(rules, compact, memory, padded=False).items():
                assert named.pop(name) == part
            n_zero += len(named)
            assert not any(any(part) for part in named.values())
    assert (n_zero > 0) == (observation_size(rules) < 314)


@both
@pytest.mark.parametrize("padded", [False, True])
def test_one_learner_sees_what_its_seat_at_a_table_of_agents_sees(
    memory: bool, padded: bool
) -> None:
    """Single and batched; rows that begin anew on their own too."""
    rules = Rules.pontoon(seats=3, deals=3, split="none", shuffle="never")
    options: Any = {"memory": memory, "padded": padded, "role": "any"}
    envs = PontoonVectorEnv(5, rules, **options)
    env = PontoonEnv(rules, **options)
    observations, infos = envs.reset(seed=7)
    seen, _ = env.reset(seed=7)
    rng = np.random.default_rng(0)
    n_ended = 0
    for _ in range(60):
        assert envs.observation_space.contains(observations)
        assert env.observation_space.contains(seen)
        for row in range(5):
            game = envs._tables.games[row : row + 1]
            compact = observed(rules, game, int(infos["seat"][row]), memory)[0][0]
            vector = observations["observation"][row]
            named = by_name(rules, vector, memory, padded)
            assert by_name(rules, compact, memory, padded=False).items() <= named.items()
            assert np.count_nonzero(vector) == np.count_nonzero(compact)
        assert np.array_equal(seen["observation"], observations["observation"][0])  # type: ignore[index]
        actions = (rng.random(infos["action_mask"].shape) * infos["action_mask"]).argmax(axis=1)
        observations, _, ended, _, infos = envs.step(actions)
        seen, _, is_over, _, _ = env.step(int(actions[0]))
        if is_over:
            assert np.array_equal(
                seen["observation"],  # type: ignore[index]
                infos["final_obs"][0]["observation"],
            )
            seen, _ = env.reset()
        n_ended += ended.sum()
    assert n_ended > 5


def test_the_privileged_view_is_the_same_whatever_is_observed() -> None:
    envs = [pontoon_v0.env(rules=VARIED, memory=memory, padded=memory) for memory in (False, True)]
    for env in envs:
        env.reset(seed=3)
    assert np.array_equal(envs[0].state(), envs[1].state())
    assert envs[1].state_space.contains(envs[1].state())
    twin = envs[1].clone()
    assert np.array_equal(
        twin.observe("seat_0")["observation"], envs[1].observe("seat_0")["observation"]
    )
