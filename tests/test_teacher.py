"""The teacher: what it says, that the learner comes to do the same, and when it falls silent."""

from __future__ import annotations

import csv
import dataclasses
from pathlib import Path

import numpy as np
import pytest

from agents.registry import make_agent
from agents.saved_policy import load_policy
from pontoon_env import Rules, batch
from pontoon_env.actions import FRACTION_OF_DISCRETE, MOVE_OF_DISCRETE, N_DISCRETE
from pontoon_env.agent import TableAgent, legal_choices
from pontoon_env.state import Move, Phase
from tests.test_run import assert_same_policy, quiet
from train.self_play import FallingTwice, Settings, train
from train.teacher import nearest_actions

TAUGHT = Settings(
    rules=("seats=3", "deals=2", "bank_sale=false"),
    timesteps=43_008,
    num_envs=256,
    n_steps=8,
    batch_size=256,
    learning_rate=5e-3,
    ent_coef=0.01,
    net_arch=(32,),
    baselines=("basic", "stick17"),
    teacher="basic",
    taught=40_960,
    seed=2,
)


def test_an_action_is_nearest_to_itself_and_no_illegal_one_is_named() -> None:
    everything = np.arange(N_DISCRETE)
    moves, fractions = MOVE_OF_DISCRETE, FRACTION_OF_DISCRETE
    legal = np.ones((N_DISCRETE, N_DISCRETE), np.int8)
    assert (nearest_actions(moves, fractions, legal) == everything).all()
    buys = np.flatnonzero(moves == Move.BUY)
    masks = np.zeros((1, N_DISCRETE), np.int8)
    masks[0, buys[0]] = 1
    assert nearest_actions(np.array([Move.BUY]), np.array([1.0]), masks) == buys[0]
    masks[0, buys[-1]] = 1
    assert nearest_actions(np.array([Move.BUY]), np.array([0.6]), masks) == buys[-1]


def _agreement(folder: Path, teacher: str) -> float:
    """At which part of its decisions in play a policy makes the move of its teacher."""
    policy, agent = load_policy(folder), make_agent(teacher)
    assert isinstance(agent, TableAgent)
    rules: Rules = policy.settings.rules
    games = batch.new_games(256)
    batch.begin_batch(
        rules.to_record(), games, np.arange(256, dtype=np.uint64), np.zeros(256, np.uint64)
    )
    moves, chips = np.full(256, batch.NO_MOVE), np.zeros(256, np.int64)
    same = n = 0
    for _ in range(40):
        outcomes = np.zeros(256, np.int64)
        batch.step_batch(rules.to_record(), games, moves, chips, outcomes, True)
        assert (outcomes == 0).all()
        games = games.take(np.flatnonzero(games["phase"] != Phase.OVER))
        if games.size == 0:
            break
        moves, chips = agent.choose(rules, games)
        is_free = legal_choices(rules, games)[0].sum(axis=1) > 1
        same += int((policy.choose(rules, games)[0] == moves)[is_free].sum())
        n += int(is_free.sum())
    assert n > 1000
    return same / n


def test_the_learner_comes_to_do_as_its_teacher_does(tmp_path: Path) -> None:
    taught = train(dataclasses.replace(TAUGHT, out=tmp_path / "taught"), quiet)
    alone = train(
        dataclasses.replace(TAUGHT, out=tmp_path / "alone", teacher=None, taught=0), quiet
    )
    assert _agreement(taught, "basic") > max(0.9, _agreement(alone, "basic"))


def test_ppo_goes_on_where_the_teacher_falls_silent(tmp_path: Path) -> None:
    settings = dataclasses.replace(TAUGHT, timesteps=8192, taught=4096, out=tmp_path / "run")
    train(settings, quiet)
    with next((settings.out / "log").glob("*/progress.csv")).open() as file:
        rows = [*csv.DictReader(file)]
    imitates = [bool(row["train/imitation_loss"]) for row in rows]
    # A row tells of the update before its rollout: the last one of the teacher's is in the third.
    assert imitates == [False, True, True, False]
    assert [bool(row["train/policy_gradient_loss"]) for row in rows] == [False, False, False, True]


def test_the_learning_rate_falls_to_zero_twice() -> None:
    rate = FallingTwice(taught_rate=4.0, rate=2.0, taught=0.25)
    found = [rate(1.0 - done) for done in (0.0, 0.125, 0.25, 0.625, 1.0)]
    assert found == pytest.approx([4.0, 2.0, 2.0, 1.0, 0.0])


def test_a_taught_run_repeats_itself(tmp_path: Path) -> None:
    short = dataclasses.replace(TAUGHT, timesteps=4096, taught=2048)
    runs = [train(dataclasses.replace(short, out=tmp_path / name), quiet) for name in "ab"]
    assert_same_policy(*runs)
