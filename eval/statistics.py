"""Means with confidence intervals that count what is independent: sessions, not deals.

The deals of a session share a pack that is not shuffled between them, so they are one cluster. The
mean of n values in G clusters with sums s_g and sizes n_g has the variance

    G / (G - 1) * sum_g (s_g - mean * n_g)^2 / n^2

(Liang and Zeger, "Longitudinal data analysis using generalized linear models", Biometrika 73,
1986), and the interval is Student's with G - 1 degrees of freedom. Where agents are compared on the
same sessions, `paired_difference` takes the differences first: what luck the deals brought both
cancels out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

CONFIDENCE: Final = 0.95
"""How often an interval holds the true mean."""


@dataclass(frozen=True)
class Estimate:
    """A mean and its confidence interval."""

    mean: float
    low: float
    high: float
    n_clusters: int
    """How many independent clusters it rests on."""

    @property
    def half_width(self) -> float:
        """Half the interval's width."""
        return (self.high - self.low) / 2

    def is_above(self, other: Estimate) -> bool:
        """Tell whether this interval lies above the other one whole."""
        return self.low > other.high

    def __str__(self) -> str:
        """Write it as ``+0.067 ± 0.010``."""
        return f"{self.mean:+.3f} ± {self.half_width:.3f}"


def clustered_mean(
    values: NDArray[np.floating[Any] | np.integer[Any]],
    clusters: NDArray[np.integer[Any]] | None = None,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """Return the mean of ``values`` and its interval, with clusters as what is independent.

    Args:
        values: ``(n,)``.
        clusters: ``(n,)``, the number of each value's cluster; each value is its own where None.
        confidence: How often the interval should hold the true mean, between 0 and 1.

    Raises:
        ValueError: There are fewer than two clusters, or a value is not finite.
    """
    from scipy.special import stdtrit

    values = np.asarray(values, np.float64)
    if values.ndim != 1 or (clusters is not None and clusters.shape != values.shape):
        raise ValueError("values and clusters must be two vectors of one length")
    if not np.isfinite(values).all():
        raise ValueError("a value is not finite: there is no mean of it")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence} must be between 0 and 1")
    if clusters is None:
        clusters = np.arange(values.size)
    _, cluster_of = np.unique(clusters, return_inverse=True)
    sizes = np.bincount(cluster_of)
    n_clusters = sizes.size
    if n_clusters < 2:
        raise ValueError(f"{n_clusters} clusters are too few for an interval: two are the least")
    mean = float(values.mean())
    residuals = np.bincount(cluster_of, values) - mean * sizes
    variance = n_clusters / (n_clusters - 1) * float(residuals @ residuals) / values.size**2
    half = float(stdtrit(n_clusters - 1, (1 + confidence) / 2)) * variance**0.5
    return Estimate(mean, mean - half, mean + half, n_clusters)


def paired_difference(
    values: NDArray[np.floating[Any] | np.integer[Any]],
    others: NDArray[np.floating[Any] | np.integer[Any]],
    clusters: NDArray[np.integer[Any]] | None = None,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """Return the mean of ``values - others``, both of the same deals in the same order.

    Other arguments and errors as of `clustered_mean`.
    """
    if np.shape(values) != np.shape(others):
        raise ValueError(
            f"{np.shape(values)} values cannot be paired with {np.shape(others)} others"
        )
    differences = np.asarray(values, np.float64) - np.asarray(others, np.float64)
    return clustered_mean(differences, clusters, confidence)
