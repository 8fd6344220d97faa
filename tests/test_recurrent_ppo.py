"""PPO with an LSTM: its sequences, and what is saved of it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib.common.recurrent.policies import RecurrentActorCriticPolicy

from agents.saved_policy import PolicyEncoding, load_policy, save_policy
from pontoon_env.actions import MOVE_OF_DISCRETE
from tests.policies import settings_of
from train.learner_state import policy_tensors
from train.recurrent_ppo import RecurrentMaskedPolicy, Settings, make_env, make_model, train

SMALL = Settings(
    rules=("seats=3", "deals=3"), num_envs=64, n_steps=16, batch_size=256, lstm_size=16, seed=4
)


def test_sequences_are_run_as_the_stock_policy_runs_them() -> None:
    """Seven sequences of five steps; where an episode starts, the states before do not count."""
    torch.manual_seed(0)
    lstm = torch.nn.LSTM(3, 4)
    features = torch.randn(35, 3)
    states = (torch.randn(1, 7, 4), torch.randn(1, 7, 4))
    starts = torch.zeros(7, 5)
    starts[[0, 2, 3], 0] = 1.0
    found, found_states = RecurrentMaskedPolicy._process_sequence(
        features, states, starts.flatten(), lstm
    )
    expected, expected_states = RecurrentActorCriticPolicy._process_sequence(
        features, states, starts.flatten(), lstm
    )
    torch.testing.assert_close(found, expected)
    for state, expected_state in zip(found_states, expected_states, strict=True):
        torch.testing.assert_close(state, expected_state)


@pytest.mark.parametrize("encoding", ["hybrid", "discrete"])
def test_the_saved_policy_plays_and_remembers_as_the_model_does(
    tmp_path: Path, encoding: PolicyEncoding
) -> None:
    """Over whole sessions: states are carried on, and reset where the next session begins."""
    env = make_env(dataclasses.replace(SMALL, opponents="random"), encoding)
    model = make_model(SMALL, env)
    with torch.no_grad():
        model.policy.action_net.weight *= 100.0  # far from all alike
    save_policy(tmp_path, policy_tensors(model.policy), settings_of(env.rules, encoding=encoding))
    policy = load_policy(tmp_path)
    observations: Any = env.reset()
    states, starts = None, np.ones(64, np.bool_)
    n_ended, forgetful = 0, 0
    for _ in range(40):
        actions, states = model.predict(observations, states, starts, deterministic=True)
        afresh, _ = model.predict(observations, None, np.ones(64, np.bool_), deterministic=True)
        moves, _ = policy.choose(env.rules, env.tables.games.copy())
        predicted = actions[:, 0] if encoding == "hybrid" else MOVE_OF_DISCRETE[actions]
        assert (moves == predicted).mean() > 0.98, "rounding may decide between two that are close"
        forgetful += int((np.abs(afresh - actions) > 1e-3).any(axis=-1).sum())
        observations, _, starts, _ = env.step(actions)
        n_ended += int(starts.sum())
    assert n_ended > 64
    assert forgetful > 0, "memory makes a difference"


@pytest.mark.parametrize("encoding", ["hybrid", "discrete"])
def test_it_learns_to_play_its_stakes(tmp_path: Path, encoding: PolicyEncoding) -> None:
    """Sessions of three deals against stick17: 20,000 decisions halve what it loses."""
    returns = []
    settings = dataclasses.replace(SMALL, out=tmp_path / "run", encoding=encoding, timesteps=20_000)
    train(settings, lambda _done, _total, mean: returns.append(mean))
    assert returns[-1] > returns[0] / 2


def test_the_size_of_the_lstm_is_checked(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="lstm_size=0 must be 1 or more"):
        train(dataclasses.replace(SMALL, out=tmp_path / "run", lstm_size=0))
    assert not (tmp_path / "run").exists()
