"""Deals against published and exact probabilities.

Tolerances are 5 standard deviations of the sample: a sound engine fails one of these in 1.7 million
runs. The seeds are fixed, so a pass stays a pass.
"""

from __future__ import annotations

import numpy as np
import pytest

from pontoon_env import batch
from pontoon_env.cards import N_SUITS
from pontoon_env.rules import Rules
from pontoon_env.state import GAME, Move, Phase

pytestmark = pytest.mark.statistical

SIGMAS = 5


def dealt(n: int, seats: int) -> np.ndarray:
    """Return ``n`` deals with two cards on every seat, about to be played or settled."""
    rules = Rules.single_deal(seats=seats)
    games = np.zeros(n, GAME)
    record = rules.to_record()
    batch.begin_batch(record, games, np.full(n, 1, np.uint64), np.arange(n, dtype=np.uint64))
    outcomes, chips = np.zeros(n, np.int64), np.full(n, rules.min_stake)
    batch.step_batch(record, games, np.full(n, batch.NO_MOVE), chips, outcomes, True)
    for _ in range(seats - 1):
        batch.step_batch(record, games, np.full(n, Move.STAKE), chips, outcomes, False)
    assert (games["phase"] == Phase.SECOND_CARDS).all()
    batch.step_batch(record, games, np.full(n, batch.NO_MOVE), chips, outcomes, False)
    assert not outcomes.any()
    return games


def ranks_of_two(games: np.ndarray, seats: int) -> np.ndarray:
    """Return the ranks of the first two cards of every seat, int ``(n, seats, 2)``."""
    cards: np.ndarray = games["seats"]["hands"]["cards"][:, :seats, 0, :2]
    return cards // N_SUITS


def assert_frequency(found: np.ndarray, probability: float) -> None:
    """Assert that a frequency of independent events is within 5 standard deviations."""
    deviation = np.sqrt(probability * (1 - probability) / found.size)
    assert abs(found.mean() - probability) < SIGMAS * deviation


def is_pontoon(ranks: np.ndarray) -> np.ndarray:
    """Tell where two ranks are an ace and a ten-valued card."""
    return (ranks.min(-1) == 0) & (ranks.max(-1) >= 9)


def test_a_two_card_pontoon() -> None:
    """4 * 16 / C(52, 2) = 32/663; n = 400,000 first hands of a fresh pack."""
    assert_frequency(is_pontoon(ranks_of_two(dealt(400_000, 2), 2))[:, 0], 32 / 663)


def test_a_pair_of_one_rank() -> None:
    """3/51 = 1/17; n = 400,000."""
    ranks = ranks_of_two(dealt(400_000, 2), 2)[:, 0]
    assert_frequency(ranks[:, 0] == ranks[:, 1], 1 / 17)


def test_a_two_card_total_of_fifteen_or_more() -> None:
    """50.98% with an ace as 11: counted over all 1,326 hands; n = 400,000."""
    points = np.minimum(np.arange(52) // N_SUITS + 1, 10)
    one, two = np.triu_indices(52, 1)

    def best(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return a + b + 10 * (((a == 1) | (b == 1)) & (a + b <= 11))

    exact = (best(points[one], points[two]) >= 15).mean()
    assert round(float(exact), 4) == 0.5098
    ranks = np.minimum(ranks_of_two(dealt(400_000, 2), 2)[:, 0] + 1, 10)
    assert_frequency(best(ranks[:, 0], ranks[:, 1]) >= 15, float(exact))


def test_at_least_one_pontoon_is_dealt_among_five_seats() -> None:
    """22.40%, by inclusion and exclusion over aces and tens; n = 400,000 deals."""
    assert_frequency(is_pontoon(ranks_of_two(dealt(400_000, 5), 5)).any(1), 0.2240)


def test_a_natural_passes_the_bank_at_five_seats() -> None:
    """P33: 17.58% from a fresh pack, a player's and not the banker's; n = 400,000."""
    games = dealt(400_000, 5)
    pontoons = is_pontoon(ranks_of_two(games, 5))
    rows = np.arange(len(games))
    banker = pontoons[rows, games["banker"]]
    players = pontoons.copy()
    players[rows, games["banker"]] = False
    assert_frequency(players.any(1) & ~banker, 0.1758)
    assert (games["phase"][banker] == Phase.SETTLE).all()
