"""The trainer: it learns, it can be killed and resumed, it refuses bad settings."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

from agents.saved_policy import load_policy
from pontoon_env import Rules
from pontoon_env.vector_env import PontoonVectorEnv
from train import maskable_ppo as trainer
from train.maskable_ppo import Settings, main, train
from train.sb3_vec_env import PontoonVecEnv

SMALL = Settings(
    rules=("seats=3",), timesteps=2048, num_envs=64, n_steps=4, batch_size=128, checkpoint_every=512
)


def quiet(*_: object) -> None:
    """Show no progress."""


def weights(folder: Path) -> dict[str, torch.Tensor]:
    """Return the parameters of a saved policy."""
    state: dict[str, torch.Tensor] = MaskablePPO.load(folder / "policy.zip").policy.state_dict()
    return state


def assert_same_weights(found: Path, expected: Path) -> None:
    """Compare two saved policies, bit by bit."""
    expected_weights = weights(expected)
    for name, tensor in weights(found).items():
        assert torch.equal(tensor, expected_weights[name]), name


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of `SMALL` without a break."""
    out = tmp_path_factory.mktemp("unbroken") / "run"
    return train(dataclasses.replace(SMALL, out=out), progress=quiet)


def test_the_batch_is_the_vector_environment(unbroken: Path) -> None:
    """Observations, masks, rewards and final observations; returns are not scaled."""
    native = PontoonVectorEnv(5, opponents="random")
    env = PontoonVecEnv(5, opponents="random", reward_scale=0.5, seed=30)
    expected, infos = native.reset(seed=30)
    rng = np.random.default_rng(0)
    assert is_masking_supported(env)
    assert np.array_equal(env.reset(), expected["observation"])
    sums, n_ended = np.zeros(5), 0
    for _ in range(60):
        masks = get_action_masks(env)
        assert np.array_equal(masks, infos["action_mask"])
        actions = (rng.random(masks.shape) * masks).argmax(axis=1)
        before = env.tables.observations
        kept = before.copy()
        expected, rewards, ended, _, infos = native.step(actions)
        observations, scaled, dones, episode_infos = env.step(actions)
        assert np.array_equal(before, kept), "SB3 still needs the observations of the step before"
        assert np.array_equal(observations, expected["observation"])
        assert np.array_equal(scaled, (rewards * 0.5).astype(np.float32))
        assert np.array_equal(dones, ended)
        sums += rewards
        for row in range(5):
            assert ("episode" in episode_infos[row]) == ended[row]
            if ended[row]:
                assert episode_infos[row]["episode"]["r"] == pytest.approx(sums[row])
                final = infos["final_obs"][row]["observation"]
                assert np.array_equal(episode_infos[row]["terminal_observation"], final)
                sums[row], n_ended = 0, n_ended + 1
    assert n_ended > 20


def test_the_batch_refuses_what_rows_do_not_have() -> None:
    env = PontoonVecEnv(2, seed=1)
    assert not env.has_attr("no_such_thing")
    with pytest.raises(AttributeError, match="no method render"):
        env.env_method("render")
    with pytest.raises(AttributeError, match="cannot be set by row"):
        env.set_attr("rules", Rules.shoot())
    with pytest.raises(ValueError, match="reward_scale"):
        PontoonVecEnv(2, reward_scale=0)
    with pytest.raises(TypeError, match="no Rules"):
        PontoonVecEnv(2, rules="pontoon")


def test_it_learns(tmp_path: Path) -> None:
    """Against two seats that stick on 17, 60,000 decisions bring a return of -4 above -1.

    Random play loses about 4 a deal; the mean of 10,000 episodes has a standard error under 0.1.
    """
    returns = []
    settings = dataclasses.replace(
        SMALL,
        out=tmp_path / "run",
        timesteps=60_000,
        num_envs=256,
        n_steps=16,
        batch_size=512,
        checkpoint_every=10**9,
    )
    train(settings, progress=lambda _done, _total, mean: returns.append(mean))
    assert returns[0] < -2.5
    policy = load_policy(tmp_path / "run")
    env = PontoonVecEnv(1000, Rules.single_deal(seats=3), seed=10**6)
    observations, won = env.reset(), []
    model = MaskablePPO.load(tmp_path / "run" / "policy.zip")
    while len(won) < 10_000:
        masks = get_action_masks(env)
        actions, _ = model.predict(observations, deterministic=True, action_masks=masks)
        observations, _, _, infos = env.step(actions)
        won += [info["episode"]["r"] for info in infos if "episode" in info]
    assert np.mean(won) > -1
    policy.check_rules(Rules.single_deal(seats=3))


def test_a_broken_run_resumes_on_the_same_course(unbroken: Path, tmp_path: Path) -> None:
    """The weights at the end are those of the unbroken run, bit by bit."""

    def break_off(done: int, _total: int, _mean: float) -> None:
        if done >= 1500:
            raise ConnectionAbortedError

    broken = dataclasses.replace(SMALL, out=tmp_path / "run")
    with pytest.raises(ConnectionAbortedError):
        train(broken, progress=break_off)
    assert not (broken.out / "settings.json").exists()
    np.random.seed(9)  # noqa: NPY002 -- SB3 draws from it
    torch.manual_seed(9)
    told = []
    resumed = train(
        dataclasses.replace(broken, resume=True), progress=lambda done, *_: told.append(done)
    )
    assert told[0] == 1280, "it goes on from the checkpoint at 1024"
    assert_same_weights(resumed, unbroken)


def command(out: Path, *more: str) -> list[str]:
    """Return the command line of `SMALL`, endless unless `more` says otherwise."""
    settings = dataclasses.asdict(SMALL)
    arguments = ["--out", str(out), "--rules", "seats=3"]
    for name in ("num_envs", "n_steps", "batch_size", "checkpoint_every"):
        arguments += [f"--{name.replace('_', '-')}", str(settings[name])]
    return [sys.executable, "-m", "train.maskable_ppo", *arguments, *more]


def start_and_signal(out: Path, number: signal.Signals) -> subprocess.Popen[bytes]:
    """Start an endless run, send a signal once a checkpoint stands, and wait for its end."""
    root = Path(__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONWARNINGS": "default"}
    process = subprocess.Popen(
        command(out, "--timesteps", "100000000"),
        cwd=root,
        env=environment,
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + 240
    while not list(out.glob("checkpoints/[0-9]*")) and time.monotonic() < deadline:
        assert process.poll() is None, process.communicate()[1].decode()
        time.sleep(0.05)
    time.sleep(0.3)
    process.send_signal(number)
    return process


def test_a_killed_run_resumes(tmp_path: Path) -> None:
    """After ``kill -9`` at any moment the last checkpoint is whole."""
    out = tmp_path / "run"
    process = start_and_signal(out, signal.SIGKILL)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    reached = max(int(folder.name) for folder in out.glob("checkpoints/[0-9]*"))
    load_policy(out / "checkpoints" / f"{reached:012d}")
    goal = ("--timesteps", str(reached + 512), "--resume")
    assert main(command(out, *goal)[3:]) == 0
    assert load_policy(out).settings.timesteps == reached + 512


@pytest.mark.slow
def test_ctrl_c_stops_with_a_checkpoint(tmp_path: Path) -> None:
    out = tmp_path / "run"
    process = start_and_signal(out, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"--resume" in errors
    assert b"Traceback" not in errors
    load_policy(max(out.glob("checkpoints/[0-9]*")))
    assert not (out / "settings.json").exists()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"rules": ("seats",)}, "FIELD=VALUE"),
        ({"rules": ("seats=99",)}, "seats=99"),
        ({"rules": ("colour=red",)}, "colour"),
        ({"role": "dealer"}, "role='dealer'"),
        ({"opponents": "nobody"}, "nobody"),
        ({"timesteps": 0}, "timesteps=0"),
        ({"net_arch": (64, 0)}, r"net_arch\[1\]=0"),
        ({"learning_rate": 0.0}, "learning_rate"),
        ({"learning_rate": float("nan")}, "learning_rate"),
        ({"reward_scale": -1.0}, "reward_scale"),
        ({"gamma": 1.5}, "gamma=1.5"),
        ({"ent_coef": -0.1}, "ent_coef"),
        ({"seed": -1}, "seed=-1"),
        ({"batch_size": 10_000}, "batch_size=10000 is above"),
        ({"num_envs": 1, "n_steps": 1, "batch_size": 1}, "batch_size=1 leaves a batch of one"),
        ({"num_envs": 1, "n_steps": 1, "batch_size": 2}, "one of num_envs .* 1 decisions"),
        ({"num_envs": 43, "n_steps": 3}, "batch_size=128 leaves a batch of one .* 129"),
    ],
)
def test_bad_settings_are_refused_before_anything_is_written(
    tmp_path: Path, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        train(dataclasses.replace(SMALL, out=tmp_path / "run", **fields), progress=quiet)
    assert not (tmp_path / "run").exists()


def test_a_used_folder_and_a_wrong_resume_are_refused(unbroken: Path, tmp_path: Path) -> None:
    with pytest.raises(FileExistsError, match="--resume"):
        train(dataclasses.replace(SMALL, out=unbroken), progress=quiet)
    with pytest.raises(ValueError, match=r"seed=2, but the run .* has 1"):
        train(dataclasses.replace(SMALL, out=unbroken, seed=2, resume=True), progress=quiet)
    with pytest.raises(FileNotFoundError, match=r"no run to resume.*training\.json"):
        train(dataclasses.replace(SMALL, out=tmp_path, resume=True), progress=quiet)
    (tmp_path / "notes.txt").touch()
    with pytest.raises(FileExistsError, match="not empty"):
        train(dataclasses.replace(SMALL, out=tmp_path), progress=quiet)


@pytest.mark.parametrize("text", ["[]", "null", "{", "\xff"])
def test_broken_settings_are_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "training.json").write_text(text, encoding="latin-1")
    with pytest.raises(ValueError, match=r"training\.json: "):
        train(dataclasses.replace(SMALL, out=tmp_path, resume=True), progress=quiet)


@pytest.mark.parametrize("resume", [False, True])
def test_a_run_broken_off_before_its_first_checkpoint_starts_once_more(
    unbroken: Path, tmp_path: Path, resume: bool
) -> None:
    """It has left its settings and a log; whether resumed or begun anew, its course is the same."""

    def break_off(*_: object) -> None:
        raise ConnectionAbortedError

    settings = dataclasses.replace(SMALL, out=tmp_path / "run")
    with pytest.raises(ConnectionAbortedError):
        train(settings, progress=break_off)
    assert sorted(path.name for path in settings.out.iterdir()) == ["log", "training.json"]
    again = train(dataclasses.replace(settings, resume=resume), progress=quiet)
    assert_same_weights(again, unbroken)


def test_ctrl_c_while_the_model_is_built_leaves_a_checkpoint(
    unbroken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = trainer._new_model

    def build_and_interrupt(*arguments: Any) -> MaskablePPO:
        signal.raise_signal(signal.SIGINT)
        return build(*arguments)

    settings = dataclasses.replace(SMALL, out=tmp_path / "run")
    with monkeypatch.context() as patch:
        patch.setattr(trainer, "_new_model", build_and_interrupt)
        with pytest.raises(KeyboardInterrupt):
            train(settings, progress=quiet)
    assert [path.name for path in (settings.out / "checkpoints").iterdir()] == ["0" * 12]
    assert_same_weights(train(dataclasses.replace(settings, resume=True), progress=quiet), unbroken)


def test_ctrl_c_in_the_last_rollout_leaves_a_checkpoint(unbroken: Path, tmp_path: Path) -> None:
    def interrupt(done: int, total: int, _mean: float) -> None:
        if done == total:
            signal.raise_signal(signal.SIGINT)

    settings = dataclasses.replace(SMALL, out=tmp_path / "run", checkpoint_every=10**9)
    with pytest.raises(KeyboardInterrupt):
        train(settings, progress=interrupt)
    assert [path.name for path in (settings.out / "checkpoints").iterdir()] == ["000000002048"]
    assert_same_weights(train(dataclasses.replace(settings, resume=True), progress=quiet), unbroken)


def test_the_command_says_what_is_wrong(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["--out", str(tmp_path / "run"), "--opponents", "nobody"]) == 2
    assert capsys.readouterr().err.startswith("error: no agent is called 'nobody'")


def test_a_finished_run_resumed_only_writes_the_policy_again(unbroken: Path) -> None:
    before = weights(unbroken)
    train(dataclasses.replace(SMALL, out=unbroken, resume=True), progress=quiet)
    assert all(torch.equal(tensor, before[name]) for name, tensor in weights(unbroken).items())
