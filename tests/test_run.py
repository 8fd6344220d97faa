"""Training runs, whatever the algorithm: they can be killed and resumed, and say what is wrong."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
import torch
from numpy.typing import NDArray

from agents.saved_policy import load_policy
from pontoon_env import Rules
from train import hybrid_ppo, maskable_ppo, recurrent_ppo, self_play
from train.maskable_ppo import Settings, main, make_model, train
from train.run import make_tables, run
from train.sb3_vec_env import PontoonVecEnv
from train.settings import SharedSettings

TINY: dict[str, Any] = {
    "preset": "pontoon",
    "rules": ("seats=3", "deals=2"),
    "timesteps": 512,
    "num_envs": 8,
    "n_steps": 8,
    "batch_size": 32,
    "net_arch": (8,),
    "checkpoint_every": 128,
}
"""Eight rollouts of 64 decisions, a checkpoint before every third."""
SMALL = Settings(
    rules=("seats=3",), timesteps=2048, num_envs=64, n_steps=4, batch_size=128, checkpoint_every=512
)
ALGORITHMS: dict[str, tuple[ModuleType, dict[str, Any]]] = {
    "maskable": (maskable_ppo, {}),
    "hybrid": (hybrid_ppo, {}),
    "recurrent": (recurrent_ppo, {"lstm_size": 4}),
    "recurrent discrete": (recurrent_ppo, {"lstm_size": 4, "encoding": "discrete"}),
    "self-play": (self_play, {"freeze_every": 64, "n_past": 2}),
    "self-play with a teacher": (
        self_play,
        {"freeze_every": 64, "n_past": 2, "teacher": "basic", "taught": 384},
    ),
}

each_algorithm = pytest.mark.parametrize("algorithm", ALGORITHMS)
each_with_opponents = pytest.mark.parametrize(
    "algorithm", [name for name, (module, _) in ALGORITHMS.items() if module is not self_play]
)


class BrokenOffError(Exception):
    """A test has broken a run off."""


def quiet(*_: object) -> None:
    """Show no progress."""


def break_off(*_: object) -> None:
    raise BrokenOffError


def tiny(algorithm: str, out: Path, **fields: Any) -> tuple[ModuleType, Any]:
    """Return an algorithm's module, and tiny settings for it."""
    module, own = ALGORITHMS[algorithm]
    return module, module.Settings(out=out, **{**TINY, **own, **fields})


def tensors(folder: Path) -> dict[str, NDArray[np.float32]]:
    """Return the tensors of a saved policy."""
    return safetensors.numpy.load_file(folder / "policy.safetensors")


def assert_same_policy(found: Path, expected: Path) -> None:
    """Compare the tensors of two saved policies, bit by bit."""
    found_tensors, expected_tensors = tensors(found), tensors(expected)
    assert found_tensors.keys() == expected_tensors.keys()
    for name, tensor in found_tensors.items():
        assert np.array_equal(tensor, expected_tensors[name]), name


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of `SMALL` without a break."""
    out = tmp_path_factory.mktemp("unbroken") / "run"
    return train(dataclasses.replace(SMALL, out=out), progress=quiet)


@each_algorithm
def test_a_broken_run_resumes_on_the_same_course(algorithm: str, tmp_path: Path) -> None:
    """The policy at the end is that of the unbroken run, bit by bit."""
    module, settings = tiny(algorithm, tmp_path / "unbroken", memory=True)
    unbroken = module.train(settings, quiet)
    assert load_policy(unbroken).settings.memory

    def break_off_late(done: int, _total: int, _mean: float) -> None:
        if done >= 320:
            raise BrokenOffError

    broken = dataclasses.replace(settings, out=tmp_path / "broken")
    with pytest.raises(BrokenOffError):
        module.train(broken, break_off_late)
    assert not (broken.out / "settings.json").exists()
    np.random.seed(9)  # noqa: NPY002 -- SB3 draws from it
    torch.manual_seed(9)
    random.seed(9)
    told = []
    resumed = module.train(
        dataclasses.replace(broken, resume=True), lambda done, *_: told.append(done)
    )
    assert told[0] == 320, "it goes on from the checkpoint at 256"
    assert_same_policy(resumed, unbroken)


@each_with_opponents
def test_a_policy_says_how_it_was_trained(algorithm: str, tmp_path: Path) -> None:
    module, settings = tiny(algorithm, tmp_path / "run", opponents="random", role="any")
    saved = load_policy(module.train(settings, quiet)).settings
    assert f"train.{saved.algorithm}" == module.__name__
    is_discrete = algorithm in ("maskable", "recurrent discrete")
    assert saved.encoding == ("discrete" if is_discrete else "hybrid")
    assert saved.rules == Rules.pontoon(seats=3, deals=2)
    assert (saved.role, saved.opponents, saved.banker_opponent) == ("any", "random", None)
    assert (saved.timesteps, saved.seed) == (512, 1)
    assert saved.training == settings.to_dict()
    assert not saved.memory


@each_algorithm
def test_a_checkpoint_is_a_saved_policy(algorithm: str, tmp_path: Path) -> None:
    module, settings = tiny(algorithm, tmp_path / "run")
    module.train(settings, quiet)
    folders = sorted((tmp_path / "run" / "checkpoints").iterdir())
    assert [folder.name for folder in folders] == ["000000000384", "000000000512"]
    assert load_policy(folders[0]).settings.timesteps == 384
    assert_same_policy(folders[1], tmp_path / "run")


@each_algorithm
@pytest.mark.filterwarnings("ignore:(overflow|invalid value) encountered:RuntimeWarning")
def test_learning_that_leaves_the_finite_numbers_stops(
    algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rewards whose squares are beyond float32, as any fault of learning, spoil the next update."""
    module, settings = tiny(algorithm, tmp_path / "run")
    made: list[PontoonVecEnv] = []
    make = module.make_model

    def make_model_and_keep_its_tables(
        settings: SharedSettings, tables: PontoonVecEnv, *kind: type[Any]
    ) -> Any:
        made.append(tables)
        return make(settings, tables, *kind)

    def spoil(done: int, _total: int, _mean: float) -> None:
        if done == 320:
            made[0].reward_scale = 1e30

    monkeypatch.setattr(module, "make_model", make_model_and_keep_its_tables)
    with pytest.raises(
        FloatingPointError, match=r"after 384 decisions value_loss is (inf|nan): .*/000000000256;"
    ):
        module.train(settings, spoil)
    assert not (settings.out / "settings.json").exists()
    folders = sorted((settings.out / "checkpoints").iterdir())
    assert [folder.name for folder in folders] == ["000000000128", "000000000256"]
    for folder in folders:
        assert all(np.isfinite(tensor).all() for tensor in tensors(folder).values())


@pytest.mark.parametrize("size", [500, 60_000])
def test_a_full_disk_leaves_the_checkpoint_before(tmp_path: Path, size: int) -> None:
    """No file may grow beyond so many bytes: less than the log takes, or than the weights do."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill(done: int, _total: int, _mean: float) -> None:
        if done == 768:
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))

    settings = dataclasses.replace(SMALL, out=tmp_path / "run")
    try:
        with pytest.raises(OSError, match=r"cannot be written .*too large.*: .*/000000000512$"):
            train(settings, fill)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    folders = list((settings.out / "checkpoints").iterdir())
    assert [folder.name for folder in folders] == ["000000000512"], "what was half written is gone"
    load_policy(folders[0])
    train(dataclasses.replace(settings, resume=True), quiet)


def command(program: str, out: Path, **fields: Any) -> list[str]:
    """Return the command line of a run."""
    arguments = [sys.executable, "-m", program, "--out", str(out)]
    for name, value in fields.items():
        values = value if isinstance(value, tuple) else (value,)
        arguments += [f"--{name.replace('_', '-')}", *map(str, values)]
    return arguments


def start_and_signal(
    arguments: list[str], out: Path, number: signal.Signals, wait: float
) -> subprocess.Popen[bytes]:
    """Start a command and send it a signal some seconds after its first checkpoint."""
    root = Path(__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONWARNINGS": "default"}
    process = subprocess.Popen(arguments, cwd=root, env=environment, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 240
    while not list(out.glob("checkpoints/[0-9]*")) and time.monotonic() < deadline:
        assert process.poll() is None, process.communicate()[1].decode()
        time.sleep(0.01)
    time.sleep(wait)
    process.send_signal(number)
    return process


@pytest.mark.parametrize(
    "algorithm",
    ["maskable", *(pytest.param(name, marks=pytest.mark.slow) for name in list(ALGORITHMS)[1:])],
)
def test_a_run_killed_at_any_moment_resumes_on_the_same_course(
    algorithm: str, tmp_path: Path
) -> None:
    """``kill -9`` within half a second of many checkpoints; the run goes on as if it had not been.

    The moment is drawn anew each time: whatever it is, the outcome is to be the same.
    """
    wait = random.SystemRandom().uniform(0.0, 0.5)
    fields = {"timesteps": 64 * 60, "checkpoint_every": 64}
    module, settings = tiny(algorithm, tmp_path / "unbroken", **fields)
    unbroken = module.train(settings, quiet)
    out = tmp_path / "killed"
    arguments = command(module.__name__, out, **{**TINY, **ALGORITHMS[algorithm][1], **fields})
    process = start_and_signal(arguments, out, signal.SIGKILL, wait)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert not (out / "settings.json").exists()
    resumed = module.train(dataclasses.replace(settings, out=out, resume=True), quiet)
    assert_same_policy(resumed, unbroken)


@pytest.mark.slow
def test_ctrl_c_stops_with_a_checkpoint(tmp_path: Path) -> None:
    out = tmp_path / "run"
    arguments = command("train.maskable_ppo", out, **{**TINY, "timesteps": 10**8})
    process = start_and_signal(arguments, out, signal.SIGINT, 0.3)
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
        ({"opponents": "nobody"}, "no agent is called 'nobody'"),
        ({"banker_opponent": "tests"}, "tests is no saved policy"),
        ({"opponents": "no.module:Class"}, r"'no\.module:Class' gives no agent"),
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
    fields = dataclasses.asdict(SMALL) | {"out": unbroken, "resume": True}
    hybrid = hybrid_ppo.Settings(**fields)
    with pytest.raises(ValueError, match=r"algorithm='hybrid_ppo', but the run .* 'maskable_ppo'"):
        hybrid_ppo.train(hybrid, quiet)
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
    settings = dataclasses.replace(SMALL, out=tmp_path / "run")
    with pytest.raises(BrokenOffError):
        train(settings, progress=break_off)
    assert sorted(path.name for path in settings.out.iterdir()) == ["log", "training.json"]
    again = train(dataclasses.replace(settings, resume=resume), progress=quiet)
    assert_same_policy(again, unbroken)


def test_ctrl_c_while_the_model_is_built_leaves_a_checkpoint(
    unbroken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build_and_interrupt(*arguments: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return make_model(*arguments)

    settings = dataclasses.replace(SMALL, out=tmp_path / "run")
    with monkeypatch.context() as patch:
        patch.setattr(maskable_ppo, "make_model", build_and_interrupt)
        with pytest.raises(KeyboardInterrupt):
            train(settings, progress=quiet)
    assert [path.name for path in (settings.out / "checkpoints").iterdir()] == ["0" * 12]
    assert_same_policy(train(dataclasses.replace(settings, resume=True), progress=quiet), unbroken)


def test_ctrl_c_in_the_last_rollout_leaves_a_checkpoint(unbroken: Path, tmp_path: Path) -> None:
    def interrupt(done: int, total: int, _mean: float) -> None:
        if done == total:
            signal.raise_signal(signal.SIGINT)

    settings = dataclasses.replace(SMALL, out=tmp_path / "run", checkpoint_every=10**9)
    with pytest.raises(KeyboardInterrupt):
        train(settings, progress=interrupt)
    assert [path.name for path in (settings.out / "checkpoints").iterdir()] == ["000000002048"]
    assert_same_policy(train(dataclasses.replace(settings, resume=True), progress=quiet), unbroken)


def test_the_command_says_what_is_wrong(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["--out", str(tmp_path / "run"), "--opponents", "nobody"]) == 2
    assert capsys.readouterr().err.startswith("error: no agent is called 'nobody'")
    (tmp_path / "file").touch()
    assert main(["--out", str(tmp_path / "file" / "run"), "--num-envs", "128"]) == 2
    assert "Not a directory" in capsys.readouterr().err


def test_a_finished_run_resumed_only_writes_the_policy_again(unbroken: Path) -> None:
    before = tensors(unbroken)
    train(dataclasses.replace(SMALL, out=unbroken, resume=True), progress=quiet)
    after = tensors(unbroken)
    assert all(np.array_equal(after[name], before[name]) for name in before)


@each_with_opponents
def test_a_saved_policy_may_be_the_opponent(algorithm: str, unbroken: Path, tmp_path: Path) -> None:
    module, settings = tiny(algorithm, tmp_path / "run")
    fields = {"preset": "single_deal", "rules": ("seats=3",), "opponents": str(unbroken)}
    policy = load_policy(module.train(dataclasses.replace(settings, **fields), quiet))
    assert policy.settings.opponents == str(unbroken)


def test_more_state_of_tables_and_a_call_before_rollouts_resume_too(tmp_path: Path) -> None:
    """Tables count the calls, and their rewards shrink with the count."""

    class Counting(PontoonVecEnv):
        calls = 0

        def get_state(self) -> dict[str, NDArray[Any]]:
            return {**super().get_state(), "calls": np.array(self.calls)}

        def set_state(self, state: dict[str, NDArray[Any]]) -> None:
            super().set_state(state)
            self.calls = int(state["calls"])

    def train_counting(
        settings: SharedSettings, progress: Callable[[int, int, float], None]
    ) -> Path:
        def make(settings: SharedSettings, encoding: Any) -> Counting:
            made.append(make_tables(settings, encoding, Counting))
            return made[-1]

        def count(_model: object) -> None:
            made[-1].calls += 1
            made[-1].reward_scale = 1 / made[-1].calls

        made: list[Any] = []
        return run(
            settings,
            "counting",
            "discrete",
            make_model,
            progress,
            make_env=make,
            before_rollout=count,
        )

    def break_off_late(done: int, _total: int, _mean: float) -> None:
        if done >= 320:
            raise BrokenOffError

    _, settings = tiny("maskable", tmp_path / "unbroken")
    whole = train_counting(settings, quiet)
    assert load_policy(whole).settings.plays == "likeliest"
    broken = dataclasses.replace(settings, out=tmp_path / "broken")
    with pytest.raises(BrokenOffError):
        train_counting(broken, break_off_late)
    resumed = train_counting(dataclasses.replace(broken, resume=True), quiet)
    assert_same_policy(resumed, whole)
    assert json.loads((resumed / "training.json").read_text())["algorithm"] == "counting"
