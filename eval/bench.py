"""Measure the speed of every face: ``python -m eval.bench``.

All faces play random legal moves of the same rules in one process, in turn, in short slices, so
that a machine that speeds up or slows down does so for all. A figure is the median over the
slices, per second of processor time; a decision is one choice of one agent.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import platform
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import gymnasium
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from agents.saved_policy import write_text
from eval.command import check_writable, exit_status
from pontoon_env import batch, pontoon_v0
from pontoon_env._jit import kernel
from pontoon_env.actions import N_DISCRETE
from pontoon_env.observation import observation_size
from pontoon_env.opponents import RANDOM
from pontoon_env.rules import Rules
from pontoon_env.state import GAME, N_MOVES

N_TABLES: Final = 1024
SLICE: Final = 0.15
"""Seconds of processor time of a slice."""

Slice = Callable[[], int]
"""Plays a little and returns the number of decisions made."""


@dataclass(frozen=True)
class Face:
    """What is measured."""

    name: str
    play: Slice
    beside: int = 0
    """Number of the face that it is compared with."""


@kernel
def _limit(out: NDArray[np.float32], mask: NDArray[np.int8], word: np.uint64) -> np.uint64:
    """Draw a word, pick a legal move and write an observation for each table; play no game."""
    for row in range(out.shape[0]):
        word = word * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        left = (word >> np.uint64(33)) % np.uint64(mask.sum())
        for move in range(mask.size):
            if mask[move] != 0:
                if left == np.uint64(0):
                    break
                left -= np.uint64(1)
        for column in range(out.shape[1]):
            out[row, column] = np.float32(column)
    return word


def faces(rules: Rules, n_tables: int) -> list[Face]:
    """Return the faces to measure."""
    batch_name = f"batch of {n_tables}"
    return [
        Face("limit: no game, an observation written", _limit_slice(rules, n_tables)),
        Face(f"{batch_name}, nothing observed", _batch_slice(rules, n_tables, False)),
        Face(f"{batch_name}, all observed", _batch_slice(rules, n_tables, True)),
        Face(f"{batch_name}, Shoot Pontoon", _batch_slice(_shoot(rules), n_tables, False), 1),
        Face(f"{batch_name}, many variations", _batch_slice(_varied(rules), n_tables, False), 1),
        Face(f"make_vec, {n_tables} tables", _vector_slice(rules, n_tables)),
        Face("make, one table", _single_slice(rules)),
        Face("AEC, hybrid", _aec_slice(rules, "hybrid")),
        Face("AEC, discrete", _aec_slice(rules, "discrete")),
    ]


def _shoot(rules: Rules) -> Rules:
    """Return the rules with a kitty."""
    return dataclasses.replace(rules, shoot=True)


def _varied(rules: Rules) -> Rules:
    """Return the rules with a good many variations on."""
    return dataclasses.replace(
        rules,
        packs=2,
        banker_doubles=True,
        split_pontoon="once",
        trick_pays=1.5,
        trick_beats_pontoon=True,
        no_certain_fifth=True,
        royal=True,
        burn="14",
        burn_repeat=1,
        ties="push",
        bank_refusable=True,
        under_pack="random",
    )


def _limit_slice(rules: Rules, n_tables: int) -> Slice:
    """Return the slice that plays no game."""
    out = np.zeros((n_tables, observation_size(rules)), np.float32)
    mask = np.ones(4, np.int8)

    def play() -> int:
        for _ in range(20):
            _limit(out, mask, np.uint64(1))
        return 20 * n_tables

    return play


def _batch_slice(rules: Rules, n_tables: int, observed: bool) -> Slice:
    """Return the slice of the engine, moves chosen in the kernel."""
    games = batch.new_games(n_tables)
    record = rules.to_record()
    agents = batch.external_seats(n_tables)
    agents[:] = RANDOM
    moves, fractions = np.full(n_tables, batch.NO_MOVE), np.zeros(n_tables)
    outcomes, seats = np.zeros(n_tables, np.int64), np.full(n_tables, batch.TO_ACT)
    seen = np.zeros((n_tables, observation_size(rules)), np.float32)
    mask = np.zeros((n_tables, N_MOVES), np.int8)
    low, high = np.zeros((2, n_tables, N_MOVES), np.float32)
    seeds, episodes = np.zeros(n_tables, np.uint64), np.arange(n_tables, dtype=np.uint64)

    def play() -> int:
        if (games["deal"] > rules.deals - 8).any() or (games["seed"] == 0).all():
            seeds[:] += np.uint64(1)
            batch.begin_batch(record, games, seeds, episodes)
        n = 0
        for _ in range(16):
            limit = 1 if observed else 16
            n += batch.play_batch(record, games, agents, moves, fractions, outcomes, limit)
            if observed:
                batch.observe_batch(record, games, seats, seen, mask, low, high)
        return n

    return play


def _vector_slice(rules: Rules, n_tables: int) -> Slice:
    """Return the slice of the vector environment; only the learner's decisions count."""
    env = gymnasium.make_vec("pontoon_env:Pontoon-v0", num_envs=n_tables, rules=rules)
    _, info = env.reset(seed=1)
    generator = np.random.default_rng(1)
    masks = [info["action_mask"]]

    def play() -> int:
        scores = generator.random((n_tables, N_DISCRETE), np.float32) * masks[0]
        masks[0] = env.step(scores.argmax(1))[4]["action_mask"]
        return n_tables

    return play


def _single_slice(rules: Rules) -> Slice:
    """Return the slice of one learner's table; only the learner's decisions count."""
    env = gymnasium.make("pontoon_env:Pontoon-v0", rules=rules)
    generator = np.random.default_rng(1)
    infos = [env.reset(seed=1)[1]]

    def play() -> int:
        for _ in range(200):
            legal = np.flatnonzero(infos[0]["action_mask"])
            *_, terminated, _, infos[0] = env.step(legal[generator.integers(legal.size)])
            if terminated:
                infos[0] = env.reset()[1]
        return 200

    return play


def _aec_slice(rules: Rules, encoding: Any) -> Slice:
    """Return the slice of PettingZoo's loop, with an observation at every step."""
    env = pontoon_v0.env(rules=rules, encoding=encoding)
    env.reset(seed=1)
    generator = np.random.default_rng(1)

    def play() -> int:
        n = 0
        while n < 200:
            observation, _, terminated, _, _ = env.last()
            if terminated:
                env.reset()
                continue
            assert observation is not None
            legal = np.flatnonzero(observation["action_mask"])
            choice = legal[int(generator.random() * legal.size)]
            env.step({"move": choice, "amount": 0.5} if encoding == "hybrid" else choice)
            n += 1
        return n

    return play


def measure(chosen: Sequence[Face], rounds: int, progress: bool = True) -> list[list[float]]:
    """Return for each face its decisions per second of processor time in each round."""
    for face in chosen:
        face.play()  # compiled and warm
    rates: list[list[float]] = [[] for _ in chosen]
    for number in tqdm(range(rounds), unit="round", disable=None if progress else True):
        order = range(len(chosen)) if number % 2 == 0 else reversed(range(len(chosen)))
        for place in order:
            start, n = time.process_time(), 0
            while (spent := time.process_time() - start) < SLICE:
                n += chosen[place].play()
            rates[place].append(n / spent)
    return rates


def report(rules: Rules, n_tables: int, rounds: int) -> dict[str, Any]:
    """Measure all faces; return the figures as JSON can hold them."""
    chosen = faces(rules, n_tables)
    rates = measure(chosen, rounds)
    return {
        "machine": f"{platform.machine()}, {platform.system()}, Python {platform.python_version()}",
        "versions": {name: version(name) for name in ("numpy", "numba", "gymnasium", "pettingzoo")},
        "rules": rules.to_dict(),
        "bytes_a_table": GAME.itemsize,
        "bytes_an_observation": 4 * observation_size(rules),
        "rounds": rounds,
        "faces": [
            {
                "name": face.name,
                "decisions_a_second": float(np.median(rate)),
                "lowest": min(rate),
                "highest": max(rate),
                "beside": chosen[face.beside].name,
                "ratio": float(np.median(np.array(rate) / np.array(rates[face.beside]))),
            }
            for face, rate in zip(chosen, rates, strict=True)
        ],
    }


@exit_status
def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m eval.bench", description=__doc__)
    parser.add_argument("--seats", type=int, default=6, help="seats of a table")
    parser.add_argument("--tables", type=int, default=N_TABLES, help="tables of a batch")
    parser.add_argument("--rounds", type=int, default=15, help="slices of each face")
    parser.add_argument("--json", type=Path, default=None, help="file to write the figures to")
    settings = parser.parse_args(arguments)
    rules = Rules.pontoon(seats=settings.seats, deals=1000, bank_sale=False)
    if settings.tables < 1 or settings.rounds < 1:
        raise ValueError("--tables and --rounds must be 1 or more")
    if settings.json:
        check_writable(settings.json)
    figures = report(rules, settings.tables, settings.rounds)
    print(f"{settings.seats} seats, random legal play; decisions a second of processor time")
    for face in figures["faces"]:
        spread = f"{face['lowest']:,.0f} to {face['highest']:,.0f}"
        share = f"{face['ratio']:.4f} of {face['beside'].partition(':')[0]}"
        print(f"  {face['name']:<40} {face['decisions_a_second']:>12,.0f}  ({spread}), {share}")
    if settings.json:
        write_text(settings.json, json.dumps(figures, indent=2))


if __name__ == "__main__":
    sys.exit(main())
