"""Train a seat with sb3-contrib's MaskablePPO: ``python -m train.maskable_ppo``.

The learner meets compiled agents at many tables at once and chooses among the discrete actions. The
run's folder becomes a saved policy (`agents.saved_policy`); beside it stand ``checkpoints``, each a
saved policy with all that a resumed run needs, and ``log``, for TensorBoard and as CSV.

Ctrl-C stops at the next rollout's start and leaves a checkpoint there. ``--resume`` goes on from
the last checkpoint, after a kill too, on the same course as an unbroken run: weights, optimiser,
schedules, the tables in the middle of their sessions and the states of all random generators are
restored.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small matrices run slower on two threads
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import json
import random
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, Final, Literal

import numpy as np
import torch
import tyro
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from stable_baselines3.common.utils import LinearSchedule
from tqdm import tqdm

from agents.saved_policy import PolicySettings, save_policy, write_text
from pontoon_env.rules import PRESETS, Rules, rules_from_pairs
from pontoon_env.seating import Role
from train.sb3_vec_env import PontoonVecEnv

Progress = Callable[[int, int, float], None]
"""Told after each rollout: decisions made, decisions to make, mean return in least stakes."""

_CHECKPOINTS: Final = "checkpoints"
_STATE_FILE: Final = "state.npz"
_SETTINGS_FILE: Final = "training.json"
_LOG: Final = "log"
_BEFORE_A_CHECKPOINT: Final = {_SETTINGS_FILE, f".{_SETTINGS_FILE}", _CHECKPOINTS, _LOG}
"""All that a run has written before its first checkpoint is whole."""
_KEPT_CHECKPOINTS: Final = 2
_ENTROPY_FALLS_OVER: Final = 0.3
"""The last part of a run, in which the entropy's weight falls to zero."""
_INTERRUPTED: Final = 130
"""Exit status of a program that Ctrl-C has stopped."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of a training run."""

    out: Path = Path("runs/maskable_ppo")
    """Folder of the run; it must be new, or hold the run that is to be resumed."""
    preset: Literal["single_deal", "pontoon", "shoot", "two_seat_exact"] = "single_deal"
    """Which rules to start from."""
    rules: Annotated[tuple[str, ...], tyro.conf.arg(metavar="FIELD=VALUE")] = ()
    """Fields of the rules to change, such as seats=4 split=aces."""
    role: Role = "player"
    """Where the learner sits when a session begins: player, banker or any."""
    opponents: str = "stick17"
    """Agent on the other seats."""
    banker_opponent: str | None = None
    """Agent that plays for them as banker; the one of opponents where None."""
    seed: int = 1
    """Of weights, choices and tables; table i plays the sessions of seed + i."""
    timesteps: int = 2_000_000
    """Decisions of the learner to train on; rounded up to whole rollouts."""
    num_envs: int = 1024
    """Tables played at once."""
    n_steps: int = 16
    """Decisions at each table between two updates."""
    batch_size: int = 2048
    """Decisions in a step of the optimiser."""
    n_epochs: int = 4
    """Passes over a rollout."""
    learning_rate: float = 2e-3
    """At the start; it falls linearly to zero."""
    ent_coef: float = 0.1
    """Weight of the policy's entropy; it stays for most of the run, then falls linearly to zero.
    With too little the learner settles on least stakes while it still plays its hands badly."""
    gamma: float = 1.0
    """Discount; 1 counts a session's chips as they are."""
    gae_lambda: float = 0.95
    """Lambda of generalised advantage estimation."""
    clip_range: float = 0.2
    """Clip range of PPO."""
    net_arch: tuple[int, ...] = (64, 64)
    """Hidden layers of the policy, and of the value function beside it."""
    reward_scale: float = 1.0
    """What the learner's rewards are multiplied by. Logged returns are never scaled."""
    checkpoint_every: int = 200_000
    """Decisions between two checkpoints."""
    resume: bool = False
    """Go on with the run in the folder, from its last checkpoint."""

    def table_rules(self) -> Rules:
        """Return the rules of the tables.

        Raises:
            TypeError: A value has the wrong type.
            ValueError: A field is unknown or out of range, or fields clash.
        """
        return rules_from_pairs(PRESETS[self.preset], self.rules)

    def check(self) -> None:
        """Check the numbers that no library checks.

        Raises:
            ValueError: One is out of its range; the message names it.
        """
        whole = ("timesteps", "num_envs", "n_steps", "batch_size", "n_epochs", "checkpoint_every")
        counts = {name: getattr(self, name) for name in whole}
        counts |= {f"net_arch[{i}]": size for i, size in enumerate(self.net_arch)}
        for name, value in counts.items():
            if value < 1:
                raise ValueError(f"{name}={value} must be 1 or more")
        for name in ("learning_rate", "reward_scale", "clip_range"):
            if not 0 < getattr(self, name) < np.inf:
                raise ValueError(f"{name}={getattr(self, name)} must be above 0")
        for name in ("gamma", "gae_lambda"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name}={getattr(self, name)} must be from 0 to 1")
        if not 0 <= self.ent_coef < np.inf:
            raise ValueError(f"ent_coef={self.ent_coef} must be 0 or more")
        if not 0 <= self.seed < 2**32:
            raise ValueError(f"seed={self.seed} must be from 0 to 2**32 - 1")
        rollout = self.num_envs * self.n_steps
        if self.batch_size == 1 or rollout % self.batch_size == 1:
            raise ValueError(
                f"batch_size={self.batch_size} leaves a batch of one of num_envs * n_steps = "
                f"{rollout} decisions, whose advantages cannot be normalised"
            )
        if self.batch_size > rollout:
            raise ValueError(
                f"batch_size={self.batch_size} is above num_envs * n_steps = {rollout}"
            )

    def to_dict(self) -> dict[str, Any]:
        """Return every field by name, as JSON can hold it."""
        return json.loads(json.dumps(asdict(self), default=str))  # type: ignore[no-any-return]


def train(settings: Settings, progress: Progress | None = None) -> Path:
    """Train a policy and return the folder that holds it.

    Args:
        settings: Of the run.
        progress: Called after each rollout; a progress bar is shown where None.

    Raises:
        FileExistsError: The folder holds a run, and it is not to be resumed, or something else.
        FileNotFoundError: There is no run to resume.
        KeyboardInterrupt: Ctrl-C; a checkpoint has been written, unless it came twice.
        ValueError: A setting is wrong, or the run to resume had another.
    """
    settings.check()
    rules = settings.table_rules()
    with _stop_on_interrupt() as stop, _bar(settings, progress) as tell:
        return _train(settings, rules, stop, tell)


def _train(settings: Settings, rules: Rules, stop: threading.Event, tell: Progress) -> Path:
    """Train a policy; as `train`, stopping where ``stop`` asks for it."""
    torch.set_num_threads(1)
    env = PontoonVecEnv(
        settings.num_envs,
        rules,
        settings.role,
        settings.opponents,
        settings.banker_opponent,
        settings.reward_scale,
        settings.seed,
    )
    if settings.resume:
        model = _resume(settings, env)
    else:
        _claim_folder(settings)
        model = _new_model(settings, env)
    log = settings.out / _LOG / f"{model.num_timesteps:012d}"
    model.set_logger(configure(str(log), ["csv", "tensorboard"]))
    keeper = _Keeper(settings, rules, env, stop, tell)
    left = settings.timesteps - model.num_timesteps
    try:
        if left > 0:
            model.learn(left, callback=keeper, reset_num_timesteps=False)
    finally:
        model.logger.close()
    keeper.save_checkpoint(model)
    if stop.is_set():
        raise KeyboardInterrupt
    save_policy(settings.out, model, _described(settings, rules, model))
    return settings.out


def _new_model(settings: Settings, env: PontoonVecEnv) -> MaskablePPO:
    """Return an untrained model."""
    return MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=LinearSchedule(settings.learning_rate, 0.0, 1.0),
        n_steps=settings.n_steps,
        batch_size=settings.batch_size,
        n_epochs=settings.n_epochs,
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        clip_range=settings.clip_range,
        ent_coef=settings.ent_coef,
        stats_window_size=10_000,
        policy_kwargs={"net_arch": list(settings.net_arch)},
        seed=settings.seed,
        device="cpu",
    )


def _claim_folder(settings: Settings) -> None:
    """Make the run's folder and write its settings; a run without a checkpoint is begun anew."""
    is_free = not settings.out.exists() or (
        settings.out.is_dir()
        and not _checkpoints_in(settings.out)
        and {path.name for path in settings.out.iterdir()} <= _BEFORE_A_CHECKPOINT
    )
    if not is_free:
        raise FileExistsError(
            f"{settings.out} is not empty: --resume goes on with the run in it, "
            "--out names another folder"
        )
    settings.out.mkdir(parents=True, exist_ok=True)
    write_text(settings.out / _SETTINGS_FILE, json.dumps(settings.to_dict(), indent=2))


def _checkpoints_in(out: Path) -> list[Path]:
    """Return the checkpoints of a run, the last one last."""
    return sorted((out / _CHECKPOINTS).glob("[0-9]*"))


def _settings_in(out: Path) -> dict[str, Any]:
    """Return the settings that a run was begun with."""
    path = out / _SETTINGS_FILE
    if not path.is_file():
        raise FileNotFoundError(f"{out} holds no run to resume: it has no {_SETTINGS_FILE}")
    try:
        begun = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    if not isinstance(begun, dict):
        raise ValueError(f"{path}: it holds no JSON object")  # noqa: TRY004 -- the file is at fault
    return begun


def _resume(settings: Settings, env: PontoonVecEnv) -> MaskablePPO:
    """Return the model of the last checkpoint; tables and random generators go on from there.

    A run that was killed before its first checkpoint starts once more.
    """
    begun = _settings_in(settings.out)
    for name, value in settings.to_dict().items():
        if (
            name not in ("out", "resume", "timesteps", "checkpoint_every")
            and begun.get(name) != value
        ):
            raise ValueError(
                f"{name}={value!r}, but the run in {settings.out} has {begun.get(name)!r}"
            )
    checkpoints = _checkpoints_in(settings.out)
    if not checkpoints:
        return _new_model(settings, env)
    model = MaskablePPO.load(
        checkpoints[-1] / "policy.zip", env=env, device="cpu", force_reset=False
    )
    with np.load(checkpoints[-1] / _STATE_FILE) as state:
        env.set_state({name: state[name] for name in env.state_names})
        model._last_obs = env.tables.observations
        model._last_episode_starts = state["episode_starts"]
        _set_random_state(state)
    return model


def _random_state() -> dict[str, Any]:
    """Return the states of the generators that the learner draws from."""
    _, keys, position, _, _ = np.random.get_state(legacy=True)  # noqa: NPY002 -- SB3 draws from it
    version, words, _ = random.getstate()
    return {
        "torch_state": torch.get_rng_state().numpy(),
        "numpy_keys": keys,
        "numpy_position": position,
        "python_words": np.array(words, np.uint64),
        "python_version": version,
    }


def _set_random_state(state: Any) -> None:
    """Restore what `_random_state` returned."""
    torch.set_rng_state(torch.from_numpy(state["torch_state"]))
    numpy_state = ("MT19937", state["numpy_keys"], int(state["numpy_position"]), 0, 0.0)
    np.random.set_state(numpy_state)  # noqa: NPY002 -- SB3 draws from it
    words = tuple(int(word) for word in state["python_words"])
    random.setstate((int(state["python_version"]), words, None))


def _described(settings: Settings, rules: Rules, model: MaskablePPO) -> PolicySettings:
    """Return what a policy's folder says of it."""
    return PolicySettings(
        rules=rules,
        role=settings.role,
        opponents=settings.opponents,
        banker_opponent=settings.banker_opponent,
        seed=settings.seed,
        timesteps=model.num_timesteps,
        training=settings.to_dict(),
    )


class _Keeper(BaseCallback):
    """Tells progress, writes checkpoints and stops when asked to, between two rollouts."""

    def __init__(
        self,
        settings: Settings,
        rules: Rules,
        env: PontoonVecEnv,
        stop: threading.Event,
        tell: Progress,
    ) -> None:
        super().__init__()
        self._settings = settings
        self._rules = rules
        self._env = env
        self._stop = stop
        self._tell = tell
        self._saved_at = 0

    def _on_training_start(self) -> None:
        self._saved_at = self.model.num_timesteps

    def _on_rollout_start(self) -> None:
        assert isinstance(self.model, MaskablePPO), "the trainer's own model"
        done = self.model.num_timesteps
        stops = self._stop.is_set()
        if stops or done - self._saved_at >= self._settings.checkpoint_every:
            self.save_checkpoint(self.model)
        if stops:
            raise KeyboardInterrupt
        left = max(1.0 - done / self._settings.timesteps, 0.0)
        self.model.ent_coef = self._settings.ent_coef * min(left / _ENTROPY_FALLS_OVER, 1.0)

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        returns = [episode["r"] for episode in self.model.ep_info_buffer or ()]
        mean = float(np.mean(returns)) if returns else float("nan")
        self._tell(self.model.num_timesteps, self._settings.timesteps, mean)

    def save_checkpoint(self, model: MaskablePPO) -> None:
        """Write a checkpoint in one go, and drop the oldest beyond those that are kept."""
        folder = self._settings.out / _CHECKPOINTS
        target = folder / f"{model.num_timesteps:012d}"
        if target.exists():
            return
        partial = folder / f".{target.name}"
        shutil.rmtree(partial, ignore_errors=True)
        save_policy(partial, model, _described(self._settings, self._rules, model))
        with (partial / _STATE_FILE).open("wb") as file:
            starts = {"episode_starts": model._last_episode_starts}
            state: dict[str, Any] = {**starts, **self._env.get_state(), **_random_state()}
            np.savez(file, **state)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, target)
        self._saved_at = model.num_timesteps
        for old in sorted(folder.glob("[0-9]*"))[:-_KEPT_CHECKPOINTS]:
            shutil.rmtree(old)


@contextmanager
def _stop_on_interrupt() -> Iterator[threading.Event]:
    """Yield an event that the first Ctrl-C sets; the second one interrupts at once."""
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def handle(_number: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _bar(settings: Settings, progress: Progress | None) -> Iterator[Progress]:
    """Yield what is told of progress: ``progress``, or a progress bar on a terminal."""
    if progress is not None:
        yield progress
        return
    with tqdm(total=settings.timesteps, unit="decision", unit_scale=True, disable=None) as bar:

        def show(done: int, _total: int, mean_return: float) -> None:
            bar.set_postfix_str(f"return {mean_return:+.2f}", refresh=False)
            bar.update(done - bar.n)

        yield show


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return 0, 2 where a setting is wrong, 130 after Ctrl-C."""
    settings = tyro.cli(
        Settings, args=arguments, prog="python -m train.maskable_ppo", description=__doc__
    )
    try:
        folder = train(settings)
    except (OSError, TypeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            f"stopped; go on with the same settings and --resume (--out {settings.out})",
            file=sys.stderr,
        )
        return _INTERRUPTED
    print(f"policy: {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
