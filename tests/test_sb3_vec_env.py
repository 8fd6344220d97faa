"""The batch for Stable-Baselines3 with hybrid actions and memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from stable_baselines3 import PPO
from stable_baselines3.common.buffers import DictRolloutBuffer

from pontoon_env import Rules
from pontoon_env.errors import IllegalActionError
from pontoon_env.learner_tables import LearnerTables
from pontoon_env.observation import observation_size
from pontoon_env.seating import Seating
from pontoon_env.state import N_MOVES, Move
from train.sb3_vec_env import PontoonVecEnv

N = 5


def hybrid(**settings: Any) -> PontoonVecEnv:
    """A batch with hybrid actions."""
    return PontoonVecEnv(N, opponents="basic", seed=30, encoding="hybrid", **settings)


def random_legal(rng: np.random.Generator, observations: Any) -> np.ndarray:
    """A random legal move and a random fraction for each row."""
    moves = (rng.random((N, N_MOVES)) * observations["action_mask"]).argmax(axis=1)
    return np.stack([moves, rng.random(N)], axis=1).astype(np.float32)


def test_hybrid_rows_are_the_tables_of_one_learner() -> None:
    """Observations, masks, rewards and final observations; what SB3 still needs stays."""
    rules = Rules.pontoon(seats=4, deals=2)
    env = hybrid(rules=rules, memory=True, reward_scale=0.5)
    seating = Seating(opponents="basic")
    tables = LearnerTables(N, rules, seating, memory=True, encoding="hybrid")
    seeds = np.arange(30, 30 + N, dtype=np.uint64)
    tables.begin(np.arange(N), seeds, np.zeros(N, np.uint64))
    rng, n_ended = np.random.default_rng(0), 0
    observations = env.reset()
    for _ in range(120):
        assert isinstance(observations, dict)
        assert env.observation_space.contains({key: row[0] for key, row in observations.items()})
        assert observations["observation"].shape == (N, observation_size(rules, memory=True))
        assert np.array_equal(observations["observation"], tables.observations)
        assert np.array_equal(observations["action_mask"], tables.masks)
        assert np.array_equal(np.stack(env.env_method("action_masks")), tables.masks)
        actions = random_legal(rng, observations)
        kept = {key: array.copy() for key, array in observations.items()}
        before = observations
        observations, scaled, dones, infos = env.step(actions)
        assert all(np.array_equal(before[key], kept[key]) for key in kept)
        rewards, ended, _ = tables.step_moves(actions[:, 0].astype(np.int64), actions[:, 1])
        assert np.array_equal(scaled, (rewards * 0.5).astype(np.float32))
        assert np.array_equal(dones, ended)
        for row in np.flatnonzero(ended):
            final = infos[row]["terminal_observation"]
            assert np.array_equal(final["observation"], tables.observations[row])
            assert not final["action_mask"].any()
            n_ended += 1
        rows = np.flatnonzero(ended)
        if rows.size:
            tables.begin(rows, seeds[rows], tables.games["episode"][rows] + np.uint64(1))
    assert n_ended > 20


def test_spaces_of_both_encodings() -> None:
    """The discrete one is as it was; memory makes the vector longer, with values below 0."""
    rules = Rules.single_deal()
    env = hybrid(rules=rules)
    assert env.action_space == spaces.Box(
        np.zeros(2, np.float32), np.array([N_MOVES - 1, 1], np.float32)
    )
    assert isinstance(env.observation_space, spaces.Dict)
    assert set(env.observation_space.spaces) == {"observation", "action_mask"}
    plain = PontoonVecEnv(N, rules, memory=True).observation_space
    assert isinstance(plain, spaces.Box)
    assert plain.shape == (observation_size(rules, memory=True),)
    assert plain.low.min() < 0
    assert env.observation_space["observation"].shape == (observation_size(rules),)


def test_numbers_of_moves_are_rounded_a_little() -> None:
    env = hybrid()
    env.reset()
    env.step(np.tile([Move.STAKE + 4e-4, 0.5], (N, 1)).astype(np.float32))
    for wrong, message in (
        (np.tile([0.4, 0.5], (N, 1)), "whole number of a move"),
        (np.tile([np.nan, 0.5], (N, 1)), "whole number of a move"),
        (np.tile([0.0, np.nan], (N, 1)), "fractions must be numbers from 0 to 1"),
        (np.tile([N_MOVES, 0.5], (N, 1)), "moves must be whole numbers"),
        (np.zeros(N), r"not \(5, 2\)"),
    ):
        env.reset()
        with pytest.raises(ValueError, match=message):
            env.step(wrong)
    env.reset()
    with pytest.raises(IllegalActionError, match="cannot twist"):
        env.step(np.tile([Move.TWIST, 0.0], (N, 1)))


def test_a_state_leads_the_same_course_on() -> None:
    """Of a batch with memory and hybrid actions."""
    rules = Rules.pontoon(seats=4, deals=2)
    one, other = (hybrid(rules=rules, memory=True) for _ in range(2))
    rng = np.random.default_rng(3)
    seen = one.reset()
    for _ in range(10):
        seen = one.step(random_legal(rng, seen))[0]
    other.reset()
    other.set_state(one.get_state())
    assert isinstance(seen, dict)
    for _ in range(40):
        actions = random_legal(rng, seen)
        seen, rewards, dones, _ = one.step(actions)
        found, found_rewards, found_dones, _ = other.step(actions)
        assert all(np.array_equal(seen[key], found[key]) for key in seen)
        assert np.array_equal(rewards, found_rewards)
        assert np.array_equal(dones, found_dones)


def test_rollouts_of_sb3_take_hybrid_observations() -> None:
    """A rollout buffer for dicts fills, and a policy for them reads it."""
    env = hybrid(memory=True)
    model = PPO("MultiInputPolicy", env, n_steps=4, batch_size=10, device="cpu", seed=0)
    assert isinstance(model.rollout_buffer, DictRolloutBuffer)
    rng = np.random.default_rng(4)
    seen = env.reset()
    _, values, chances = model.policy(model.policy.obs_to_tensor(seen)[0])
    values, chances, starts = values.detach(), chances.detach(), np.ones(N, np.bool_)
    masks = []
    for _ in range(4):
        assert isinstance(seen, dict)
        masks.append(seen["action_mask"].copy())
        actions = random_legal(rng, seen)
        later, rewards, dones, _ = env.step(actions)
        model.rollout_buffer.add(seen, actions, rewards, starts, values, chances)
        seen, starts = later, dones
    assert np.array_equal(model.rollout_buffer.observations["action_mask"], np.stack(masks))
    batch = next(iter(model.rollout_buffer.get(20)))
    assert batch.actions.shape == (20, 2)
    assert model.policy.evaluate_actions(batch.observations, batch.actions)[0].shape == (20, 1)
