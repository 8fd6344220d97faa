"""Measurements to show and to ship."""

from __future__ import annotations

from typing import Any

from eval.measurements import Measurement, Value

EXACT = Value("regret", 0.01)
SAMPLED = Value("over basic", 0.25, 0.2, 0.3)


def make_measurement(*values: Value, **fields: Any) -> Measurement:
    """A measurement of the policy ``mine-1``, with other fields where they are given."""
    common: dict[str, Any] = {
        "title": "advantage",
        "subject": "mine-1",
        "recipe": "mine",
        "seed": 1,
        "values": values or (SAMPLED,),
        "rules": {},
        "deals": 2000,
        "sessions": 100,
        "evaluation_seed": 1000,
        "command": "python -m eval.benchmark mine-1",
        "digests": {"mine-1": "0"},
        "training_command": "python -m train.maskable_ppo --out mine-1",
        "decisions": 64,
        "core_seconds": 90.0,
        "versions": {"numpy": "2"},
        "is_shortened": False,
    }
    return Measurement(**{**common, **fields})
