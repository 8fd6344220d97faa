"""Policies of random weights, and decisions for them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.baselines import Baseline
from agents.network import Network
from agents.saved_policy import N_OUTPUTS, PolicyEncoding, PolicySettings, SavedPolicy
from pontoon_env import Rules, batch
from pontoon_env.observation import observation_size
from pontoon_env.state import Phase

RULES = Rules.single_deal(seats=3)


def random_tensors(
    n_inputs: int,
    n_outputs: int,
    hidden: tuple[int, ...] = (8,),
    n_lstm: int = 0,
    seed: int = 0,
    scale: float = 1.0,
) -> dict[str, NDArray[np.float32]]:
    """Return the tensors of a network; ``scale`` multiplies the last layer's weights."""
    generator = np.random.default_rng(seed)

    def normal(*shape: int) -> NDArray[np.float32]:
        return (generator.standard_normal(shape) / shape[-1] ** 0.5).astype(np.float32)

    tensors = {}
    if n_lstm:
        tensors["lstm.weight_ih"] = normal(4 * n_lstm, n_inputs)
        tensors["lstm.weight_hh"] = normal(4 * n_lstm, n_lstm)
        tensors["lstm.bias"] = normal(4 * n_lstm)
    width = n_lstm or n_inputs
    for i, size in enumerate(hidden):
        tensors[f"hidden.{i}.weight"] = normal(size, width)
        tensors[f"hidden.{i}.bias"] = normal(size)
        width = size
    tensors["head.weight"] = np.float32(scale) * normal(n_outputs, width)
    tensors["head.bias"] = normal(n_outputs)
    return tensors


def settings_of(rules: Rules, **fields: Any) -> PolicySettings:
    """Return settings of a policy of discrete actions, with other fields where they are given."""
    common: dict[str, Any] = {
        "role": "player",
        "opponents": "stick17",
        "banker_opponent": None,
        "seed": 1,
        "timesteps": 256,
        "training": {"num_envs": 64},
        "algorithm": "maskable_ppo",
        "encoding": "discrete",
    }
    return PolicySettings(rules=rules, **{**common, **fields})


def tensors_for(
    settings: PolicySettings, n_lstm: int = 0, scale: float = 1.0
) -> dict[str, NDArray[np.float32]]:
    """Return random weights that fit some settings."""
    n_inputs = observation_size(settings.rules)
    return random_tensors(n_inputs, N_OUTPUTS[settings.encoding], n_lstm=n_lstm, scale=scale)


def make_policy(
    encoding: PolicyEncoding = "discrete",
    n_lstm: int = 0,
    deterministic: bool = True,
    rules: Rules = RULES,
    scale: float = 1.0,
) -> SavedPolicy:
    """A policy of random weights."""
    settings = settings_of(rules, encoding=encoding)
    network = Network(tensors_for(settings, n_lstm, scale))
    return SavedPolicy("mine", network, settings, deterministic)


def begin(rules: Rules, n: int, seed: int = 0) -> np.ndarray:
    """Sessions of one seed at their first decisions."""
    games = batch.new_games(n)
    seeds, episodes = np.full(n, seed, np.uint64), np.arange(n, dtype=np.uint64)
    batch.begin_batch(rules.to_record(), games, seeds, episodes)
    return played(rules, games, np.full(n, batch.NO_MOVE), np.zeros(n, np.int64))


def played(rules: Rules, games: np.ndarray, moves: np.ndarray, chips: np.ndarray) -> np.ndarray:
    """The same sessions one decision further."""
    following, outcomes = games.copy(), np.zeros(games.size, np.int64)
    batch.step_batch(rules.to_record(), following, moves, chips, outcomes, True)
    assert not outcomes.any()
    return following


def some_games(rules: Rules = RULES, n: int = 200) -> np.ndarray:
    """Decisions of many phases: sessions of `random`, each at another of its first decisions."""
    games, random = begin(rules, n), Baseline("random")
    for step in range(1, 8):
        rows = np.flatnonzero((np.arange(n) % 8 >= step) & (games["phase"] != Phase.OVER))
        games[rows] = played(rules, games[rows], *random.choose(rules, games[rows]))
    return games[games["phase"] != Phase.OVER]
