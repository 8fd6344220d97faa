"""Figures as they are kept: a median with its spread."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import TypedDict


class Spread(TypedDict):
    """A figure that was measured several times."""

    median: float
    low: float
    high: float


def spread(values: Sequence[float]) -> Spread:
    """Return the median of some values, the least and the largest."""
    return {"median": statistics.median(values), "low": min(values), "high": max(values)}
