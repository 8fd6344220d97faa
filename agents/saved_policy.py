"""Trained policies in files: save them with their settings, load them as agents.

A saved policy is a folder with ``policy.zip``, as Stable-Baselines3 writes it, and
``settings.json``, which says what it was trained for and holds the digest of the first. Loading
unpickles: load only what you trust.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

import pontoon_env
from pontoon_env.actions import FRACTION_OF_DISCRETE, MOVE_OF_DISCRETE
from pontoon_env.agent import Decisions
from pontoon_env.observation import observation_size
from pontoon_env.rules import Rules

if TYPE_CHECKING:
    from sb3_contrib import MaskablePPO

FORMAT: Final = "pontoon_policy_v1"
ENV_VERSION: Final = "pontoon_v0"
"""The version of the environment whose observations and actions the policy knows."""
POLICY_FILE: Final = "policy.zip"
SETTINGS_FILE: Final = "settings.json"

BOUND_FIELDS: Final = (
    "seats",
    "min_stake",
    "max_stake",
    "max_price",
    "shoot",
    "min_kitty",
    "max_kitty",
    "split",
    "max_hands",
    "split_aces_one_card",
    "split_pontoon",
    "stick_min",
    "soft21_draws",
    "banker_doubles",
    "trick_beats_pontoon",
    "no_certain_fifth",
    "royal",
    "burn",
    "burn_repeat",
    "bank_passes",
    "bank_refusable",
    "bank_sale",
    "banker_rule",
)
"""Fields of the rules that change what is seen, what may be chosen or who comes to choose it: a
policy plays only by those it was trained with. So it does by ``deals`` where the bank may change
hands or a kitty goes on: one deal alone has none of the decisions between deals. The others (deals
else, packs, shuffles and payments) may differ: the policy plays on, though it is not trained for
them."""

_LOADABLE: Final = {
    "format": FORMAT,
    "env_version": ENV_VERSION,
    "encoding": "discrete",
    "algorithm": "MaskablePPO",
}
"""What a saved policy must be to be loaded."""

_LIBRARIES: Final = ("numpy", "gymnasium", "torch", "stable-baselines3", "sb3-contrib")


@dataclass(frozen=True, kw_only=True)
class PolicySettings:
    """What a saved policy was trained for, and how."""

    rules: Rules
    role: str
    """Where the learner sat: ``player``, ``banker`` or ``any``."""
    opponents: str
    """Name of the agent on the other seats."""
    banker_opponent: str | None
    """Name of the agent that played for them as banker; ``opponents`` where None."""
    seed: int
    timesteps: int
    """Decisions of the learner that it was trained on."""
    training: dict[str, Any]
    """All settings of the training."""
    algorithm: str = "MaskablePPO"
    encoding: str = "discrete"
    format: str = FORMAT
    env_version: str = ENV_VERSION
    package_version: str = pontoon_env.__version__
    library_versions: dict[str, str] = field(
        default_factory=lambda: {name: importlib.metadata.version(name) for name in _LIBRARIES}
    )

    def to_dict(self) -> dict[str, Any]:
        """Return every field by name, as JSON can hold it."""
        return {**asdict(self), "rules": self.rules.to_dict()}


def save_policy(folder: Path, model: MaskablePPO, settings: PolicySettings) -> None:
    """Write a saved policy.

    The settings go last, each file is written beside and renamed: a kill at any moment leaves the
    folder without settings, or whole.

    Args:
        folder: Made where it is missing; a policy in it is replaced.
        model: The trained model.
        settings: What it was trained for.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / SETTINGS_FILE).unlink(missing_ok=True)
    beside = folder / f".{POLICY_FILE}"
    with beside.open("wb") as file:
        model.save(file, exclude=["_last_obs", "_last_original_obs", "_last_episode_starts"])
    os.replace(beside, folder / POLICY_FILE)
    digest = _digest(folder / POLICY_FILE)
    write_text(
        folder / SETTINGS_FILE, json.dumps({**settings.to_dict(), "digest": digest}, indent=2)
    )


def write_text(path: Path, text: str) -> None:
    """Write a text file, with one line end at its end, so that it is there whole or not at all."""
    beside = path.with_name(f".{path.name}")
    with beside.open("w", encoding="utf-8") as file:
        file.write(text.rstrip("\n") + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)


def _digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_settings(folder: Path) -> PolicySettings:
    """Return the settings of a saved policy, checked against this version of the environment.

    Raises:
        FileNotFoundError: There is no saved policy, or only half of one.
        ValueError: It is of another format, version or encoding, or damaged; the message says what.
    """
    for name in (SETTINGS_FILE, POLICY_FILE):
        if not (folder / name).is_file():
            raise FileNotFoundError(f"{folder} is no saved policy: it has no {name}")
    try:
        found = _parse(folder / SETTINGS_FILE)
        digest = found.pop("digest", None)
        settings = PolicySettings(**{**found, "rules": Rules.from_dict(found["rules"])})
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{folder / SETTINGS_FILE}: {error}") from error
    if digest != _digest(folder / POLICY_FILE):
        raise ValueError(
            f"{folder / POLICY_FILE} is damaged: its digest is not the one in {SETTINGS_FILE}"
        )
    return settings


def _parse(path: Path) -> dict[str, Any]:
    """Return the settings in a file, refusing those of a policy that cannot be loaded here."""
    found = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(found, dict):
        raise TypeError("it holds no JSON object")
    for name, expected in _LOADABLE.items():
        if found.get(name) != expected:
            raise ValueError(f"{name} is {found.get(name)!r}, and only {expected!r} can be loaded")
    return found


def load_policy(path: str | Path, deterministic: bool = True) -> SavedPolicy:
    """Return a saved policy as an agent.

    Args:
        path: Its folder.
        deterministic: Whether it plays its likeliest action, or draws from all by their
            probabilities.

    Raises:
        FileNotFoundError: There is no saved policy, or only half of one.
        ImportError: PyTorch or sb3-contrib is not installed.
        ValueError: It is of another format, version or encoding, or damaged; the message says what.
    """
    folder = Path(path)
    settings = read_settings(folder)
    from sb3_contrib import MaskablePPO

    try:
        model = MaskablePPO.load(folder / POLICY_FILE, device="cpu")
    except Exception as error:  # whatever a pickle of other libraries may raise
        raise ValueError(f"{folder / POLICY_FILE} cannot be read: {error}") from error
    expected = observation_size(settings.rules)
    if model.observation_space.shape != (expected,):
        raise ValueError(
            f"{folder / POLICY_FILE} reads observations of shape "
            f"{model.observation_space.shape}, not ({expected},): it was trained with another "
            "version of the environment"
        )
    return SavedPolicy(folder.resolve().name, model, settings, deterministic)


def _bound_values(rules: Rules) -> dict[str, object]:
    """Return what a policy is bound to, by field of the rules; see `BOUND_FIELDS`."""
    has_decisions_between_deals = rules.deals > 1 and (
        rules.shoot or rules.bank_sale or rules.bank_passes != "never"
    )
    record = rules.to_record()[0]
    derived = {name: int(record[name]) for name in ("max_price", "min_kitty", "max_kitty")}
    chosen = {name: getattr(rules, name) for name in BOUND_FIELDS}
    return {**chosen, **derived, "deals": has_decisions_between_deals}


class SavedPolicy:
    """A trained policy as an agent; see `pontoon_env.agent.Agent`."""

    def __init__(
        self, name: str, model: MaskablePPO, settings: PolicySettings, deterministic: bool = True
    ) -> None:
        """Wrap a model; arguments as of `load_policy`."""
        self.name = name
        self.settings = settings
        self.deterministic = deterministic
        self._policy = model.policy
        self._policy.set_training_mode(False)

    def check_rules(self, rules: Rules) -> None:
        """Do nothing where the policy can play by ``rules``: see `BOUND_FIELDS`.

        Raises:
            ValueError: It cannot; the message names the field and what would work.
        """
        trained, asked = _bound_values(self.settings.rules), _bound_values(rules)
        for name, value in trained.items():
            if value != asked[name]:
                raise ValueError(
                    f"policy {self.name!r} was trained with "
                    f"{name}={getattr(self.settings.rules, name)!r} "
                    f"and cannot play with {name}={getattr(rules, name)!r}"
                )

    def act(
        self, decisions: Decisions, generator: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return a legal move for each decision, and its amount; see `pontoon_env.agent.Agent`."""
        probabilities = self.probabilities(decisions)
        if self.deterministic:
            actions = probabilities.argmax(axis=1)
        else:
            sums = probabilities.cumsum(axis=1)
            drawn = generator.random((len(decisions), 1)) * sums[:, -1:]
            actions = (sums > drawn).argmax(axis=1)
        return MOVE_OF_DISCRETE[actions], FRACTION_OF_DISCRETE[actions]

    def alternatives(
        self, decisions: Decisions
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
        """Return what it may choose for each decision; see `pontoon_env.agent.Mixing`."""
        chances = self.probabilities(decisions)
        if self.deterministic:
            chances = np.eye(chances.shape[1])[chances.argmax(axis=1)]
        else:
            chances /= chances.sum(axis=1, keepdims=True)
        moves = np.broadcast_to(MOVE_OF_DISCRETE, chances.shape)
        return chances, moves, np.broadcast_to(FRACTION_OF_DISCRETE, chances.shape)

    def probabilities(self, decisions: Decisions) -> NDArray[np.float64]:
        """Return the probability of each discrete action, float64 ``(n, N_DISCRETE)``."""
        import torch

        masks = decisions.masks[:, MOVE_OF_DISCRETE]
        with torch.no_grad():
            observations = torch.from_numpy(decisions.observations)
            distribution = self._policy.get_distribution(observations, action_masks=masks)
            categorical: Any = distribution.distribution  # annotated as one of several kinds
            chances = categorical.probs.numpy().astype(np.float64)
        legal: NDArray[np.float64] = np.where(masks != 0, chances, 0.0)
        return legal
