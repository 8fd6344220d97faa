"""All that is measured, section by section, as JSON can hold it."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from tqdm import tqdm

from eval.bench.census import census
from eval.bench.evaluation import DEALS, measure_deals, measure_training
from eval.bench.faces import N_TABLES, Face, batch_rules, our_faces
from eval.bench.figures import spread
from eval.bench.peers import PAIRS, measure_peers
from eval.bench.scale import measure_scale
from eval.bench.start import measure_start
from eval.bench.timing import Slice, on_one_core, play_slice
from pontoon_env.rules import Rules

FORMAT: Final = "pontoon_bench_v1"
SECTIONS: Final = ("faces", "peers", "scale", "start", "evaluation", "training")
_PACKAGES: Final = ("numpy", "numba", "gymnasium", "pettingzoo")
_STARTS: Final = 5
"""Processes that are started of a kind."""
_ROLLOUTS: Final = 7
"""Slices of each trainer."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What to measure, and how long."""

    sections: Sequence[str] = SECTIONS
    seats: int = Rules.seats
    tables: int = N_TABLES
    """Of our batches in the sections faces and peers."""
    rounds: int = 15
    """Slices of everything."""
    peers: str | None = None
    """The interpreter that has the peers; without one they are left out."""
    deals: int = DEALS
    """To play between agents."""


def measure_faces(
    faces: Sequence[Face], rounds: int, told: Callable[[], None]
) -> list[dict[str, Any]]:
    """Return what each face does in slices that take turns, each beside a slice of its limit.

    Args:
        faces: What to measure, with the limits that they name.
        rounds: Slices of each face.
        told: Called after each round.
    """
    by_name = {face.name: face for face in faces}
    slices: dict[str, list[Slice]] = {name: [] for name in by_name}
    ratios: dict[str, list[float]] = {name: [] for name in by_name}
    with on_one_core():
        for face in faces:
            face.play()  # compiled and warm
        before = {face.name: face.deals() for face in faces if face.deals}
        for number in range(rounds):
            for face in faces if number % 2 == 0 else reversed(faces):
                if face.limit is None:
                    slices[face.name].append(play_slice(face.play))
                    continue
                names = (face.name, face.limit)
                order = names if number % 2 == 0 else names[::-1]
                turn = {name: play_slice(by_name[name].play) for name in order}
                for name in names:
                    slices[name].append(turn[name])
                ratios[face.name].append(turn[face.name].rate / turn[face.limit].rate)
            told()
    found = []
    for face in faces:
        played = slices[face.name]
        rates = spread([each.rate for each in played])
        figure: dict[str, Any] = {
            "name": face.name,
            "decisions_a_second": rates,
            "ns_a_decision": spread([1e9 / each.rate for each in played]),
            "cpu_seconds": sum(each.cpu_ns for each in played) / 1e9,
            "clock_seconds": sum(each.wall_ns for each in played) / 1e9,
            "observation_bytes": face.observation_bytes,
        }
        if face.deals and face.limit:
            n_deals = face.deals() - before[face.name]
            figure |= {
                "deals_a_second": rates["median"]
                * n_deals
                / sum(each.decisions for each in played),
                "limit": face.limit,
                "ratio": spread(ratios[face.name]),
            }
        found.append(figure)
    return found


def _machine() -> dict[str, Any]:
    """Return what the figures depend on besides the code."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": load,
        "system": platform.system(),
        "python": platform.python_version(),
        "threads": os.environ.get("OMP_NUM_THREADS", "not set"),
        "versions": {name: version(name) for name in _PACKAGES},
    }


def _processor() -> str:
    """Return the name of the processor, as far as it can be told."""
    listing = Path("/proc/cpuinfo")
    if listing.is_file():
        for line in listing.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def measure(settings: Settings, progress: bool = True) -> dict[str, Any]:
    """Measure the sections that are asked for, with a progress bar on a terminal.

    Raises:
        OSError: A process could not be started.
        ValueError: There is no table of so many seats.
    """
    wanted = [
        section
        for section in SECTIONS
        if section in settings.sections and (section != "peers" or settings.peers)
    ]
    steps = {
        "faces": settings.rounds,
        "peers": len(PAIRS),
        "scale": 3 * settings.rounds,
        "start": 2 * _STARTS + 2,
        "evaluation": 1,
        "training": 1,
    }
    rules = batch_rules(settings.seats)
    found: dict[str, Any] = {
        "format": FORMAT,
        "machine": _machine(),
        "rules": rules.to_dict(),
        "tables": settings.tables,
        "rounds": settings.rounds,
        "sections": wanted,
    }
    total = sum(steps[section] for section in wanted)
    with tqdm(total=total, unit="step", disable=None if progress else True) as bar:

        def told(*_: str) -> None:
            bar.update()

        faces = (
            our_faces(settings.seats, settings.tables) if {"faces", "peers"} & set(wanted) else []
        )
        for section in wanted:
            bar.set_description(section)
            if section == "faces":
                found["faces"] = measure_faces(faces, settings.rounds, told)
                found["decisions"] = {
                    "bank not for sale": census(rules),
                    "bank for sale": census(batch_rules(settings.seats, bank_sale=True)),
                    "Shoot Pontoon": census(batch_rules(settings.seats, shoot=True)),
                }
            elif section == "peers":
                assert settings.peers is not None, "left out otherwise"
                by_name = {face.name: face for face in faces}
                found["peers"] = measure_peers(by_name, settings.peers, settings.rounds, told)
            elif section == "scale":
                found["scale"] = measure_scale(settings.seats, settings.rounds, told)
            elif section == "start":
                found["start"] = measure_start(_STARTS, told)
            elif section == "evaluation":
                found["evaluation"] = measure_deals(settings.deals, told)
            else:
                rounds = min(settings.rounds, _ROLLOUTS)
                found["training"] = measure_training(N_TABLES, rounds, told)
    return found
