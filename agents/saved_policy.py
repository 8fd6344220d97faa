"""Trained policies in files: save them with their settings, load them as agents.

A saved policy is a folder with ``policy.safetensors``, the weights of a network
(`agents.network.Network`), and ``settings.json``, which says what it was trained for and how its
outputs are read, and holds the digest of the first. Loading runs no code from the files.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, get_args

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray
from safetensors import SafetensorError

import pontoon_env
from agents.bound_rules import check_bound
from agents.network import Network
from agents.policy_heads import (
    N_UNIFORMS,
    draw_choices,
    draw_uniforms,
    pick_likeliest,
    write_fractions,
)
from agents.session_states import SessionStates
from pontoon_env.actions import FRACTION_OF_DISCRETE, MOVE_OF_DISCRETE, N_DISCRETE
from pontoon_env.agent import Decisions, decisions_of, legal_choices
from pontoon_env.observation import observation_size
from pontoon_env.rules import Rules
from pontoon_env.state import N_AMOUNT_MOVES, N_MOVES

FORMAT: Final = "pontoon_policy_v2"
_OLD_FORMAT: Final = "pontoon_policy_v1"
"""Policies of Stable-Baselines3, whose loading ran code from the file."""
ENV_VERSION: Final = "pontoon_v0"
"""The version of the environment whose observations and actions the policy knows."""
POLICY_FILE: Final = "policy.safetensors"
SETTINGS_FILE: Final = "settings.json"

PolicyEncoding = Literal["discrete", "hybrid"]
"""What policies are trained and saved in: those of `pontoon_env.actions.Encoding` with masks."""

N_OUTPUTS: Final[dict[PolicyEncoding, int]] = {"discrete": N_DISCRETE, "hybrid": N_MOVES + 2}
"""Outputs of a network in each encoding: a logit for each discrete action; or one for each move,
and the two raw numbers of the amount's distribution (`agents.policy_heads`)."""

Plays = Literal["likeliest", "drawn"]
"""Whether a policy plays its likeliest choice, or draws one from all by their probabilities."""

_LIBRARIES: Final = (
    "numpy",
    "gymnasium",
    "safetensors",
    "torch",
    "stable-baselines3",
    "sb3-contrib",
)


def _versions() -> dict[str, str]:
    """Return the versions of the libraries that are installed."""
    installed = {}
    for name in _LIBRARIES:
        try:
            installed[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return installed


@dataclass(frozen=True, kw_only=True)
class PolicySettings:
    """What a saved policy was trained for, and how."""

    rules: Rules
    role: str
    """Where the learner sat: ``player``, ``banker`` or ``any``."""
    opponents: str
    """Name of the agent on the other seats; or what it was, such as ``pool``."""
    banker_opponent: str | None
    """Name of the agent that played for them as banker; ``opponents`` where None."""
    seed: int
    timesteps: int
    """Decisions of the learner that it was trained on."""
    training: dict[str, Any]
    """All settings of the training."""
    algorithm: str
    """How it was trained, such as ``maskable_ppo``."""
    encoding: PolicyEncoding
    """What its outputs are: see `N_OUTPUTS`."""
    memory: bool = False
    """Whether its observations hold what a seat may remember."""
    plays: Plays = "likeliest"
    """How it is meant to be played."""
    format: str = FORMAT
    env_version: str = ENV_VERSION
    package_version: str = pontoon_env.__version__
    library_versions: dict[str, str] = field(default_factory=_versions)

    def __post_init__(self) -> None:
        """Check what decides how the policy is played.

        Raises:
            ValueError: A field is out of its range; the message names it.
        """
        for name, known in (
            ("encoding", (*N_OUTPUTS,)),
            ("memory", (False, True)),
            ("plays", get_args(Plays)),
        ):
            value = getattr(self, name)
            if value not in known or not isinstance(value, type(known[0])):
                listed = " or ".join(map(repr, known))
                raise ValueError(f"{name} is {value!r}, and must be {listed}")

    def to_dict(self) -> dict[str, Any]:
        """Return every field by name, as JSON can hold it."""
        return {**asdict(self), "rules": self.rules.to_dict()}


def save_policy(
    folder: Path, tensors: Mapping[str, NDArray[np.float32]], settings: PolicySettings
) -> None:
    """Write a saved policy.

    The settings go last, each file is written beside and renamed: a kill at any moment leaves the
    folder without settings, or whole.

    Args:
        folder: Made where it is missing; a policy in it is replaced.
        tensors: The weights, as `Network` takes them.
        settings: What it was trained for.

    Raises:
        ValueError: The weights are those of no network, or of one that does not fit the settings;
            nothing is written then.
    """
    path = folder / POLICY_FILE
    _network_of(path, tensors, settings)
    data = safetensors.numpy.save({name: np.ascontiguousarray(tensors[name]) for name in tensors})
    folder.mkdir(parents=True, exist_ok=True)
    (folder / SETTINGS_FILE).unlink(missing_ok=True)
    _write(path, data)
    described = {**settings.to_dict(), "digest": _digest(data)}
    write_text(folder / SETTINGS_FILE, json.dumps(described, indent=2))


def write_text(path: Path, text: str) -> None:
    """Write a text file, with one line end at its end, so that it is there whole or not at all."""
    _write(path, (text.rstrip("\n") + "\n").encode())


def _write(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    beside = path.with_name(f".{path.name}")
    with beside.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)


def _digest(data: bytes) -> str:
    """Return the SHA-256 of a file's content, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def read_settings(folder: Path) -> PolicySettings:
    """Return the settings of a saved policy, checked against this version of the environment.

    Raises:
        FileNotFoundError: There is no saved policy, or only half of one.
        ValueError: It is of another format, version or encoding, or damaged; the message says what.
    """
    return _read(folder)[0]


def _read(folder: Path) -> tuple[PolicySettings, bytes]:
    """Return the settings of a saved policy and the content of its weights' file, both checked."""
    path = folder / SETTINGS_FILE
    _check_there(path)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(found, dict):
            raise TypeError("it holds no JSON object")  # noqa: TRY301 -- all have one message
        _check_version(found)
        expected = found.pop("digest", None)
        found["rules"] = Rules.from_dict(found["rules"])
        settings = PolicySettings(**found)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from error
    path = folder / POLICY_FILE
    _check_there(path)
    data = path.read_bytes()
    if _digest(data) != expected:
        raise ValueError(
            f"{path} is damaged: its digest is {_digest(data)}, and {SETTINGS_FILE} says {expected}"
        )
    return settings, data


def _check_version(found: dict[str, Any]) -> None:
    """Refuse the settings of a policy that was written for another version."""
    if found.get("format") == _OLD_FORMAT:
        raise ValueError(
            f"format is {_OLD_FORMAT!r}, written by an older version, and only {FORMAT!r} can be "
            "loaded: train it anew"
        )
    for name, expected in (("format", FORMAT), ("env_version", ENV_VERSION)):
        if found.get(name) != expected:
            raise ValueError(f"{name} is {found.get(name)!r}, and only {expected!r} can be loaded")


def _check_there(path: Path) -> None:
    """Refuse a folder without one of its files."""
    if not path.is_file():
        raise FileNotFoundError(f"{path.parent} is no saved policy: it has no {path.name}")


def load_policy(path: str | Path, deterministic: bool | None = None) -> SavedPolicy:
    """Return a saved policy as an agent.

    Args:
        path: Its folder.
        deterministic: Whether it plays its likeliest choice, or draws from all by their
            probabilities; None for how it is meant to be played.

    Raises:
        FileNotFoundError: There is no saved policy, or only half of one.
        ValueError: It is of another format, version or encoding, or damaged; the message says what.
    """
    folder = Path(path)
    settings, data = _read(folder)
    try:
        tensors = safetensors.numpy.load(data)
    except (SafetensorError, KeyError, ValueError) as error:
        raise ValueError(f"{folder / POLICY_FILE} cannot be read: {error}") from error
    network = _network_of(folder / POLICY_FILE, tensors, settings)
    if deterministic is None:
        deterministic = settings.plays == "likeliest"
    return SavedPolicy(folder.resolve().name, network, settings, deterministic)


def _network_of(
    path: Path, tensors: Mapping[str, NDArray[np.float32]], settings: PolicySettings
) -> Network:
    """Return the network of some weights.

    Raises:
        ValueError: They are those of none, or of one that does not fit the settings; the message
            names their file, ``path``.
    """
    try:
        network = Network(tensors)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    n_inputs = observation_size(settings.rules, settings.memory)
    if network.n_inputs != n_inputs:
        raise ValueError(
            f"{path} reads observations of {network.n_inputs} numbers, not {n_inputs} as "
            f"{SETTINGS_FILE} has it: it was trained with another version of the environment"
        )
    n_outputs = N_OUTPUTS[settings.encoding]
    if network.n_outputs != n_outputs:
        raise ValueError(
            f"{path} has {network.n_outputs} outputs, not {n_outputs} as encoding "
            f"{settings.encoding!r} has"
        )
    return network


class SavedPolicy:
    """A trained policy as an agent; see `pontoon_env.agent.TableAgent`.

    Of a record it reads what an observation shows its seat, and the place in the session: the
    random words are drawn for that, and what a recurrent network remembers is found by it.
    """

    def __init__(
        self, name: str, network: Network, settings: PolicySettings, deterministic: bool
    ) -> None:
        """Wrap a network that fits the settings; arguments as of `load_policy`."""
        self.name = name
        self.network = network
        self.settings = settings
        self.deterministic = deterministic
        self._is_discrete = settings.encoding == "discrete"
        self._moves = MOVE_OF_DISCRETE if self._is_discrete else np.arange(N_MOVES)
        self._states = SessionStates(network.n_hidden) if network.is_recurrent else None

    def check_rules(self, rules: Rules) -> None:
        """Do nothing where the policy can play by ``rules``: see `agents.bound_rules`.

        Raises:
            ValueError: It cannot; the message names the field and what would work.
        """
        check_bound(self.name, self.settings.rules, rules)

    def choose(
        self, rules: Rules, games: NDArray[np.void]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return a legal move and chips for each game; see `pontoon_env.agent.TableAgent`."""
        decisions = self._decisions(rules, games)
        if self._states is None:
            outputs = self.network.outputs(decisions.observations)
        else:
            rows, hidden, cell = self._states.recall(games)
            outputs, hidden, cell = self.network.outputs_from(decisions.observations, hidden, cell)
            self._states.keep(games, rows, hidden, cell)
        uniforms = None
        if not self.deterministic:
            uniforms = np.empty((games.size, N_UNIFORMS))
            draw_uniforms(games, uniforms)
        moves, fractions = self._choices(outputs, decisions.masks, uniforms)
        return moves, _chips(rules, games, moves[:, None], fractions[:, None])[:, 0]

    def forget(self) -> None:
        """Forget all that has been played; see `pontoon_env.agent.Remembering`."""
        if self._states is not None:
            self._states.forget()

    def decide(
        self,
        observations: NDArray[np.float32],
        masks: NDArray[np.int8],
        uniforms: NDArray[np.float64] | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return a legal move for each observation, and its amount: all that is needed in loops.

        Args:
            observations: ``(n, observation_size)``.
            masks: ``(n, N_MOVES)``: 1 where a `Move` is legal, for one or more in each row.
            uniforms: ``(n, N_UNIFORMS)``, of [0, 1): draw by them; None for the likeliest choices.

        Returns:
            Moves int64 ``(n,)``, and fractions of the legal intervals, float64 ``(n,)``: 0 where
            the move takes no amount.

        Raises:
            ValueError: The network is recurrent: it needs more than an observation.
        """
        return self._choices(self.network.outputs(observations), masks, uniforms)

    def alternatives(
        self, rules: Rules, games: NDArray[np.void]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        """Return what it may choose for each game; see `pontoon_env.agent.Mixing`.

        Raises:
            ValueError: It cannot say, since it remembers, or draws amounts from a continuum.
        """
        if self.network.is_recurrent:
            raise ValueError(
                f"policy {self.name!r} remembers: positions without their past mean nothing to it"
            )
        if self.deterministic:
            moves, chips = self.choose(rules, games)
            return np.ones((games.size, 1)), moves[:, None], chips[:, None]
        if not self._is_discrete:
            raise ValueError(
                f"policy {self.name!r} draws amounts from a continuum: load it with "
                "deterministic=True"
            )
        chances = self.probabilities(self._decisions(rules, games))
        moves = np.broadcast_to(MOVE_OF_DISCRETE, chances.shape)
        fractions = np.broadcast_to(FRACTION_OF_DISCRETE, chances.shape)
        return chances, moves, _chips(rules, games, moves, fractions)

    def probabilities(self, decisions: Decisions) -> NDArray[np.float64]:
        """Return the probability of each move or discrete action, float64 ``(n, k)``.

        There are `pontoon_env.spaces.N_CHOICES` of them; illegal ones have 0.

        Raises:
            ValueError: The network is recurrent: it needs more than an observation.
        """
        logits = self.network.outputs(decisions.observations)[:, : self._moves.size]
        is_legal = decisions.masks[:, self._moves] != 0
        legal = np.where(is_legal, logits.astype(np.float64), -np.inf)
        chances: NDArray[np.float64] = np.exp(legal - legal.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        return chances

    def _decisions(self, rules: Rules, games: NDArray[np.void]) -> Decisions:
        """Return what the seats to act see."""
        return decisions_of(rules, games, self.settings.memory)

    def _choices(
        self,
        outputs: NDArray[np.float32],
        masks: NDArray[np.int8],
        uniforms: NDArray[np.float64] | None,
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return moves and fractions; arguments and result as of `decide`."""
        picked = np.empty(len(outputs), np.int64)
        if uniforms is None:
            pick_likeliest(outputs, masks, self._moves, picked)
            uniforms = np.empty((0, N_UNIFORMS))
        else:
            draw_choices(outputs, masks, self._moves, uniforms, picked)
        if self._is_discrete:
            return MOVE_OF_DISCRETE[picked], FRACTION_OF_DISCRETE[picked]
        fractions = np.empty(len(outputs))
        write_fractions(outputs, picked < N_AMOUNT_MOVES, uniforms, fractions)
        return picked, fractions


def _chips(
    rules: Rules,
    games: NDArray[np.void],
    moves: NDArray[np.int64],
    fractions: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Return the chips of fractions of the legal intervals, 0 where a move takes none.

    They are those of `pontoon_env.actions.chips_of`; moves and fractions ``(n, k)``.
    """
    _, lows, highs = legal_choices(rules, games)
    rows = np.arange(games.size)[:, None]
    low, high = lows[rows, moves], highs[rows, moves]
    chips = low + np.floor(fractions * (high - low) + 0.5).astype(np.int64)
    return np.where(moves < N_AMOUNT_MOVES, chips, 0)
