"""Means and intervals on synthetic data whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from eval.statistics import Estimate, clustered_mean, paired_difference


def test_the_interval_of_unclustered_values_is_students() -> None:
    """Five values with mean 3 and variance 2.5: t(4, 0.975) = 2.776 times sqrt(2.5 / 5)."""
    found = clustered_mean(np.arange(1, 6))
    assert found.mean == 3.0
    assert found.half_width == pytest.approx(2.7764451 * 0.5**0.5)
    assert found.n_clusters == 5


def test_repeated_values_in_clusters_add_no_precision() -> None:
    """A hundred copies of each value, as one cluster, leave the interval as it was."""
    values = np.array([1.0, 4.0, -2.0, 7.0])
    once = clustered_mean(values)
    often = clustered_mean(np.repeat(values, 100), np.repeat(np.arange(4), 100))
    assert (often.mean, often.low, often.high) == pytest.approx((once.mean, once.low, once.high))


@pytest.mark.statistical
def test_the_interval_covers_the_mean_of_clustered_data_as_often_as_it_says() -> None:
    """1,000 data sets of 60 clusters of 10 values, correlated within.

    Coverage must be 95% within 2.5 points, 3.6 standard errors: a false alarm in some 3,000 seeds.
    Intervals that took the values as independent would cover some 53%.
    """
    generator = np.random.default_rng(5)
    clusters = np.repeat(np.arange(60), 10)
    covered = 0
    for _ in range(1000):
        values = 0.3 + np.repeat(generator.normal(size=60), 10) + generator.normal(size=600)
        found = clustered_mean(values, clusters)
        covered += found.low <= 0.3 <= found.high
    assert abs(covered / 1000 - 0.95) < 0.025


def test_pairing_takes_away_what_both_share() -> None:
    """The same luck on both sides leaves the difference, with an interval of its own noise."""
    generator = np.random.default_rng(6)
    luck = generator.normal(scale=100, size=500)
    found = paired_difference(luck + 1.0 + generator.normal(size=500), luck)
    assert found.low < 1.0 < found.high
    assert found.half_width < 0.15


def test_an_interval_is_above_another_only_where_they_are_apart() -> None:
    low, touching, high = (Estimate(m, m - 1, m + 1, 9) for m in (0.0, 2.0, 2.5))
    assert high.is_above(low)
    assert not touching.is_above(low)
    assert not low.is_above(high)


@pytest.mark.parametrize(
    ("values", "clusters", "reason"),
    [
        ([1.0], None, "too few"),
        ([1.0, 2.0], [3, 3], "too few"),
        ([1.0, np.nan], None, "not finite"),
        ([1.0, 2.0], [1], "one length"),
    ],
)
def test_values_without_an_interval_are_refused(
    values: list[float], clusters: list[int] | None, reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        clustered_mean(np.array(values), None if clusters is None else np.array(clusters))


def test_unequal_numbers_of_values_cannot_be_paired() -> None:
    with pytest.raises(ValueError, match="cannot be paired"):
        paired_difference(np.zeros(3), np.zeros(4))
