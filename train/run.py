"""What every training run shares: settings, its folder, checkpoints, resuming and how it ends.

An algorithm's file (`train.maskable_ppo`, say) gives its settings and makes its model; `run` does
the rest. The run's folder becomes a saved policy (`agents.saved_policy`); beside it stand
``checkpoints``, each a saved policy with all that a resumed run needs, and ``log``, for TensorBoard
and as CSV.

Ctrl-C stops at the next rollout's start and leaves a checkpoint there. ``--resume`` goes on from
the last checkpoint, after a kill too, on the same course as an unbroken run: weights, optimiser,
schedules, the tables in the middle of their sessions and the states of all random generators are
restored. Only an opponent that remembers, as a saved policy with an LSTM does, has forgotten.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import IO, Any, Final, TypeVar

import numpy as np
import torch
import tyro
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from tqdm import tqdm

from agents.registry import make_agent
from agents.saved_policy import PolicyEncoding, PolicySettings, save_policy, write_text
from pontoon_env.agent import AgentError, AnyAgent
from pontoon_env.opponents import OPPONENTS
from train.learner_state import learner_state, policy_tensors, set_learner_state
from train.sb3_vec_env import PontoonVecEnv
from train.settings import SharedSettings

Progress = Callable[[int, int, float], None]
"""Told after each rollout: decisions made, decisions to make, mean return in least stakes."""

_CHECKPOINTS: Final = "checkpoints"
_MODEL_FILE: Final = "model.zip"
_STATE_FILE: Final = "state.npz"
_SETTINGS_FILE: Final = "training.json"
_LOG: Final = "log"
_BEFORE_A_CHECKPOINT: Final = {_SETTINGS_FILE, f".{_SETTINGS_FILE}", _CHECKPOINTS, _LOG}
"""All that a run has written before its first checkpoint is whole."""
_KEPT_CHECKPOINTS: Final = 2
_WRONG: Final = 2
"""Exit status where a setting is wrong, a file cannot be written or the learning has failed."""
_INTERRUPTED: Final = 130
"""Exit status of a program that Ctrl-C has stopped."""

S = TypeVar("S", bound=SharedSettings)


def make_tables(
    settings: SharedSettings, encoding: PolicyEncoding, kind: type[PontoonVecEnv] = PontoonVecEnv
) -> PontoonVecEnv:
    """Return tables of a kind as settings ask for them.

    Raises:
        ImportError: An agent needs a library that is not installed.
        TypeError: A value of the rules has the wrong type.
        ValueError: A rule, the role or an agent is unknown, or an agent cannot play by the rules.
    """
    banker = settings.banker_opponent
    return kind(
        settings.num_envs,
        settings.table_rules(),
        settings.role,
        _agent(settings.opponents),
        None if banker is None else _agent(banker),
        settings.reward_scale,
        settings.seed,
        memory=settings.memory,
        encoding=encoding,
    )


def _agent(spec: str) -> str | AnyAgent:
    """Return the agent that ``spec`` names, or its name where it is compiled."""
    return spec if spec in OPPONENTS else make_agent(spec)


def run(
    settings: S,
    algorithm: str,
    encoding: PolicyEncoding,
    make_model: Callable[[S, PontoonVecEnv], OnPolicyAlgorithm],
    progress: Progress | None = None,
    *,
    make_env: Callable[[S, PolicyEncoding], PontoonVecEnv] = make_tables,
    before_rollout: Callable[[OnPolicyAlgorithm], None] | None = None,
) -> Path:
    """Train a policy and return the folder that holds it.

    Args:
        settings: Of the run.
        algorithm: What its saved policy says that it was trained by.
        encoding: Of its actions.
        make_model: Makes the untrained model; it depends on the settings alone.
        progress: Called after each rollout; a progress bar is shown where None.
        make_env: Makes the tables. Checkpoints hold what their ``get_state`` returns.
        before_rollout: Called before each rollout, after a checkpoint that is written there. A
            resumed run begins with it, so that it may draw from SB3's generators.

    Raises:
        AgentError: An opponent has failed.
        FileExistsError: The folder holds a run, and it is not to be resumed, or something else.
        FileNotFoundError: There is no run to resume.
        FloatingPointError: The learning has left the finite numbers.
        KeyboardInterrupt: Ctrl-C; a checkpoint has been written, unless it came twice.
        OSError: A file cannot be written; checkpoints written before are whole.
        ValueError: A setting is wrong, or the run to resume had another.
    """
    settings.check()
    with _stop_on_interrupt() as stop, _silent_log_threads(), _bar(settings, progress) as tell:
        torch.set_num_threads(1)
        # Left on, they hide which loss went wrong behind an error about logits, and cost time.
        torch.distributions.Distribution.set_default_validate_args(False)
        env = make_env(settings, encoding)
        begun = {"algorithm": algorithm, **settings.to_dict()}
        last = _last_checkpoint(settings.out, begun) if settings.resume else None
        if not settings.resume:
            _claim_folder(settings.out, begun)
        model = make_model(settings, env)
        if last is not None:
            _restore(model, env, last)

        def save(folder: Path) -> None:
            described = PolicySettings(
                rules=env.rules,
                role=settings.role,
                opponents=settings.opponents,
                banker_opponent=settings.banker_opponent,
                seed=settings.seed,
                timesteps=model.num_timesteps,
                training=settings.to_dict(),
                algorithm=algorithm,
                encoding=encoding,
                memory=settings.memory,
            )
            save_policy(folder, policy_tensors(model.policy), described)

        keeper = _Keeper(settings, env, save, stop, tell, before_rollout)
        try:
            keeper.carry_through(model)
        except OSError as error:
            if error.errno is None:  # raised by no file
                raise
            raise OSError(
                f"{settings.out} cannot be written ({error.strerror}): {keeper.way_back()}"
            ) from error
        return settings.out


def _claim_folder(out: Path, begun: dict[str, Any]) -> None:
    """Make the run's folder and write its settings; a run without a checkpoint is begun anew."""
    is_free = not out.exists() or (
        out.is_dir()
        and not _checkpoints_in(out)
        and {path.name for path in out.iterdir()} <= _BEFORE_A_CHECKPOINT
    )
    if not is_free:
        raise FileExistsError(
            f"{out} is not empty: --resume goes on with the run in it, --out names another folder"
        )
    out.mkdir(parents=True, exist_ok=True)
    write_text(out / _SETTINGS_FILE, json.dumps(begun, indent=2))


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


def _last_checkpoint(out: Path, asked: dict[str, Any]) -> Path | None:
    """Return the last checkpoint of the run to resume, None where it was killed before the first.

    Raises:
        FileNotFoundError: There is no run.
        ValueError: It was begun with other settings than are asked for.
    """
    begun = _settings_in(out)
    for name, value in asked.items():
        may_differ = name in ("out", "resume", "timesteps", "checkpoint_every")
        if not may_differ and begun.get(name) != value:
            raise ValueError(f"{name}={value!r}, but the run in {out} has {begun.get(name)!r}")
    checkpoints = _checkpoints_in(out)
    return checkpoints[-1] if checkpoints else None


def _restore(model: OnPolicyAlgorithm, env: PontoonVecEnv, checkpoint: Path) -> None:
    """Have a new model and its tables go on from a checkpoint; nothing in it is unpickled."""
    model.set_parameters(str(checkpoint / _MODEL_FILE), device="cpu")
    with np.load(checkpoint / _STATE_FILE) as state:
        parts: dict[str, dict[str, Any]] = {"tables": {}, "learner": {}}
        for key in state.files:
            part, _, name = key.partition(".")
            parts[part][name] = state[key]
    env.set_state(parts["tables"])
    set_learner_state(model, parts["learner"])


class _Keeper(BaseCallback):
    """Tells progress, writes checkpoints and stops when asked to, between two rollouts."""

    def __init__(
        self,
        settings: SharedSettings,
        env: PontoonVecEnv,
        save_policy: Callable[[Path], None],
        stop: threading.Event,
        tell: Progress,
        before_rollout: Callable[[OnPolicyAlgorithm], None] | None,
    ) -> None:
        super().__init__()
        self._settings = settings
        self._env = env
        self._save_policy = save_policy
        self._stop = stop
        self._tell = tell
        self._before_rollout = before_rollout
        self._saved_at = 0

    def carry_through(self, model: OnPolicyAlgorithm) -> None:
        """Train a model to its last decision, and write its policy; errors as of `run`."""
        log = self._settings.out / _LOG / f"{model.num_timesteps:012d}"
        model.set_logger(configure(str(log), ["csv", "tensorboard"]))
        left = self._settings.timesteps - model.num_timesteps
        try:
            if left > 0:
                model.learn(left, callback=self, reset_num_timesteps=False)
                self._check_finite(model)
        finally:
            model.logger.close()
        self._save_checkpoint(model)
        if self._stop.is_set():
            raise KeyboardInterrupt
        self._save_policy(self._settings.out)

    def way_back(self) -> str:
        """Say which checkpoint is the last."""
        whole = _checkpoints_in(self._settings.out)
        return f"the last good checkpoint is {whole[-1]}" if whole else "there is no checkpoint"

    def _on_training_start(self) -> None:
        self._saved_at = self.model.num_timesteps

    def _on_rollout_start(self) -> None:
        assert isinstance(self.model, OnPolicyAlgorithm), "the trainer's own model"
        self._check_finite(self.model)
        done = self.model.num_timesteps
        stops = self._stop.is_set()
        if stops or done - self._saved_at >= self._settings.checkpoint_every:
            self._save_checkpoint(self.model)
        if stops:
            raise KeyboardInterrupt
        first, last = self._settings.ent_coef, self._settings.ent_coef_end
        self.model.ent_coef = first * (last / first) ** min(done / self._settings.timesteps, 1.0)
        if self._before_rollout is not None:
            self._before_rollout(self.model)

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        returns = [episode["r"] for episode in self.model.ep_info_buffer or ()]
        mean = float(np.mean(returns)) if returns else float("nan")
        self._tell(self.model.num_timesteps, self._settings.timesteps, mean)

    def _check_finite(self, model: OnPolicyAlgorithm) -> None:
        """Check what the last update has left.

        Raises:
            FloatingPointError: A loss or a parameter is not finite.
        """
        logged = model.logger.name_to_value
        wrong = [
            f"{name.removeprefix('train/')} is {value}"
            for name, value in logged.items()
            if name.endswith("loss") and not math.isfinite(value)
        ]
        wrong += [
            f"the weights {name} are not finite"
            for name, parameter in model.policy.named_parameters()
            if not torch.isfinite(parameter).all()
        ]
        if wrong:
            raise FloatingPointError(
                f"after {model.num_timesteps} decisions {wrong[0]}: {self.way_back()}; a lower "
                "learning_rate or reward_scale may help"
            )

    def _save_checkpoint(self, model: OnPolicyAlgorithm) -> None:
        """Write a checkpoint in one go, and drop the oldest beyond those that are kept.

        Raises:
            OSError: It cannot be written, on a full disk say; what was written of it is gone.
        """
        folder = self._settings.out / _CHECKPOINTS
        target = folder / f"{model.num_timesteps:012d}"
        if target.exists():
            return
        partial = folder / f".{target.name}"
        shutil.rmtree(partial, ignore_errors=True)
        try:
            self._write_checkpoint(partial, model)
        except OSError:
            shutil.rmtree(partial, ignore_errors=True)
            raise
        os.replace(partial, target)
        self._saved_at = model.num_timesteps
        for old in _checkpoints_in(self._settings.out)[:-_KEPT_CHECKPOINTS]:
            shutil.rmtree(old)

    def _write_checkpoint(self, folder: Path, model: OnPolicyAlgorithm) -> None:
        """Write the files of a checkpoint."""
        self._save_policy(folder)
        with (folder / _MODEL_FILE).open("wb") as file:
            model.save(file, exclude=["_last_obs", "_last_original_obs", "_last_episode_starts"])
            _to_disk(file)
        state: dict[str, Any] = {
            f"tables.{name}": array for name, array in self._env.get_state().items()
        }
        state |= {f"learner.{name}": array for name, array in learner_state(model).items()}
        with (folder / _STATE_FILE).open("wb") as file:
            np.savez(file, **state)
            _to_disk(file)


def _to_disk(file: IO[bytes]) -> None:
    """Have a file's bytes on the disk before its folder gets its name."""
    file.flush()
    os.fsync(file.fileno())


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
def _silent_log_threads() -> Iterator[None]:
    """Print no traceback of a thread that could not write: TensorBoard raises it in `run` again."""
    before = threading.excepthook

    def hook(failed: threading.ExceptHookArgs) -> None:
        if not isinstance(failed.exc_value, OSError):
            before(failed)

    threading.excepthook = hook
    try:
        yield
    finally:
        threading.excepthook = before


@contextmanager
def _bar(settings: SharedSettings, progress: Progress | None) -> Iterator[Progress]:
    """Yield what is told of progress: ``progress``, or a progress bar on a terminal."""
    if progress is not None:
        yield progress
        return
    with tqdm(total=settings.timesteps, unit="decision", unit_scale=True, disable=None) as bar:

        def show(done: int, _total: int, mean_return: float) -> None:
            bar.set_postfix_str(f"return {mean_return:+.2f}", refresh=False)
            bar.update(done - bar.n)

        yield show


def run_command(
    settings_class: type[S],
    train: Callable[[S], Path],
    program: str,
    description: str | None,
    arguments: Sequence[str] | None = None,
) -> int:
    """Run an algorithm's command.

    Args:
        settings_class: What the arguments are read into.
        train: Trains by the settings and returns the folder of the policy.
        program: The name of the algorithm's module.
        description: What ``--help`` says first.
        arguments: Of the command line; those of the process where None.

    Returns:
        0; 2 where a setting is wrong, a file cannot be written or the learning has failed; 130
        after Ctrl-C.
    """
    settings = tyro.cli(
        settings_class, args=arguments, prog=f"python -m {program}", description=description
    )
    try:
        folder = train(settings)
    except (AgentError, FloatingPointError, ImportError, OSError, TypeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return _WRONG
    except KeyboardInterrupt:
        print(
            f"stopped; go on with the same settings and --resume (--out {settings.out})",
            file=sys.stderr,
        )
        return _INTERRUPTED
    print(f"policy: {folder}")
    return 0
