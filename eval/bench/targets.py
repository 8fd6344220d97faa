"""What speed is aimed at, and the floors below which a run fails."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

FLOORS: Final = Path(__file__).with_name("floors.json")
"""For each face the least ratio to its limit."""
_MARGIN: Final = 0.25
"""Between what was measured and the floor: such ratios repeat within a fifth."""
_OF_LIMIT: Final = 0.28
"""5 million decisions a second where the limit with an observation does 18 million."""


@dataclass(frozen=True)
class Target:
    """An aim, and what was found."""

    name: str
    wanted: str
    found: str
    is_met: bool


def targets(figures: Mapping[str, Any]) -> list[Target]:
    """Return the aims of all sections that were measured."""
    return [
        *_of_faces(figures.get("faces", [])),
        *_of_peers(figures.get("peers", [])),
        *(_of_scale(figures["scale"]) if "scale" in figures else []),
        *(_of_start(figures["start"]) if "start" in figures else []),
        *(_of_evaluation(figures["evaluation"]) if "evaluation" in figures else []),
        *(_of_training(figures["training"]) if "training" in figures else []),
    ]


def _at_least(name: str, found: float, wanted: float, unit: str = "") -> Target:
    """Return an aim that is met from ``wanted`` on."""
    return Target(name, f"≥ {wanted:g}{unit}", f"{found:.2f}{unit}", found >= wanted)


def _below(name: str, found: float, wanted: float, unit: str) -> Target:
    """Return an aim that is met below ``wanted``."""
    return Target(name, f"< {wanted:g}{unit}", f"{found:.4g}{unit}", found < wanted)


def _of_faces(faces: list[dict[str, Any]]) -> list[Target]:
    """Return the aims of the faces by themselves."""
    return [
        _at_least(f"{face['name']}, to the limit that writes as much", found, _OF_LIMIT)
        for face in faces
        if face["name"] == "batch, all observed"
        for found in [face["ratio"]["median"]]
    ]


def _of_peers(pairs: list[dict[str, Any]]) -> list[Target]:
    """Return the aims beside peers; one that could not be measured is not met."""
    found = []
    for pair in pairs:
        if pair["wanted"] is None:
            continue
        name = f"{pair['face']}, to {pair['peer']}"
        if "missing" in pair:
            found.append(Target(name, f"≥ {pair['wanted']:g}", "not measured", is_met=False))
        else:
            found.append(_at_least(name, pair["ratio"]["median"], pair["wanted"]))
    return found


def _of_scale(scale: dict[str, Any]) -> list[Target]:
    """Return the aims of scale."""
    found = []
    for observed in (False, True):
        ratios = [
            size["ratio"]["median"] for size in scale["sizes"] if size["observed"] == observed
        ]
        name = f"64 to 65,536 tables, {'all' if observed else 'nothing'} observed: least to most"
        found.append(_at_least(name, min(ratios) / max(ratios), 0.7))
    return [
        *found,
        _at_least("two threads to one", scale["threads"]["ratio"]["median"], 1.8),
        _below("a table", scale["bytes_a_table"] / 1000, 4, " kB"),
    ]


def _of_start(start: dict[str, Any]) -> list[Target]:
    """Return the aims of the start, in seconds of processor time."""
    loaded = start["import"]["loaded"]
    names = {"import": 0.6, "first step": 1.5, "first step ever": 40}
    return [
        *(
            _below(f"{name}, CPU", start[name]["cpu_seconds"]["median"], wanted, " s")
            for name, wanted in names.items()
        ),
        Target("import loads numba or torch", "no", ", ".join(loaded) or "no", not loaded),
    ]


def _of_evaluation(evaluation: dict[str, Any]) -> list[Target]:
    """Return the aim of play between agents."""
    seconds = evaluation["seconds_on_free_cores"] * 1e6 / evaluation["deals"]
    return [_below("a million deals on two free cores", seconds, 20, " s")]


def _of_training(training: dict[str, Any]) -> list[Target]:
    """Return the aim of each trainer."""
    return [
        _below(f"share of the tables in {name}", 100 * found["share_of_tables"]["median"], 10, " %")
        for name, found in training.items()
    ]


def read_floors() -> dict[str, float]:
    """Return the floors that are stored."""
    floors: dict[str, float] = json.loads(FLOORS.read_text(encoding="utf-8"))
    return floors


def floors_of(faces: list[dict[str, Any]]) -> dict[str, float]:
    """Return floors below what was measured, to three figures."""
    return {
        face["name"]: float(f"{(1 - _MARGIN) * face['ratio']['median']:.3g}")
        for face in faces
        if "ratio" in face
    }


def too_slow(faces: list[dict[str, Any]], floors: Mapping[str, float]) -> list[str]:
    """Return a sentence for each face that falls below its floor."""
    return [
        f"{face['name']} does {face['ratio']['median']:.4g} of its limit, less than {floor:.4g}"
        for face in faces
        if "ratio" in face
        for floor in [floors.get(face["name"])]
        if floor is not None and face["ratio"]["median"] < floor
    ]
