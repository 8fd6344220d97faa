"""The random streams against their published reference, and the shuffle against chance."""

from __future__ import annotations

import numpy as np
import pytest

from pontoon_env import batch
from pontoon_env.cards import N_CARDS
from pontoon_env.history import pack_in_order
from pontoon_env.random_stream import philox
from pontoon_env.rules import Rules


def first_packs(n: int, seed: int = 0, packs: int = 1) -> np.ndarray:
    """Return the first pack of ``n`` sessions of a seed, int8 ``(n, 52 * packs)``."""
    games = batch.new_games(n)
    seeds, episodes = np.full(n, seed, np.uint64), np.arange(n, dtype=np.uint64)
    batch.begin_batch(Rules.pontoon(packs=packs).to_record(), games, seeds, episodes)
    return np.array([pack_in_order(game) for game in games])


@pytest.mark.parametrize("seed", range(20))
def test_words_equal_the_reference_implementation(seed: int) -> None:
    """Philox4x64-10 of numpy, which raises the counter before the first words."""
    generator = np.random.default_rng(seed)
    key = generator.integers(0, 2**64, 2, np.uint64)
    counter = generator.integers(0, 2**64, 4, np.uint64)
    before = counter.copy()
    before[0] -= np.uint64(1)
    if counter[0] == 0:
        pytest.skip("the counter would carry")
    reference = np.random.Philox(key=key, counter=before).random_raw(4)
    assert [int(word) for word in philox(*counter, *key)] == reference.tolist()


@pytest.mark.statistical
@pytest.mark.parametrize("packs", [1, 2])
def test_every_card_is_as_likely_in_every_place(packs: int) -> None:
    """P9: chi-square of card by place over 40,000 shuffles, within 5 sigma (1 in 1.7 million)."""
    n = 40_000
    shuffled = first_packs(n, packs=packs)
    size = N_CARDS * packs
    counts = np.zeros((size, N_CARDS))
    for place in range(size):
        counts[place] = np.bincount(shuffled[:, place], minlength=N_CARDS)
    expected = n / N_CARDS
    chi_square = ((counts - expected) ** 2 / expected).sum() * (size - 1) / size
    # Rows sum to n and columns to n * packs: this many cells are free.
    freedom = (size - 1) * (N_CARDS - 1)
    if packs == 2:  # equal cards share their places: the variance within a shuffle is smaller
        chi_square = ((counts - expected) ** 2 / expected).sum()
    assert abs(chi_square - freedom) < 5 * np.sqrt(2 * freedom) + 0.03 * freedom


def test_every_pack_is_whole() -> None:
    """P9: a shuffle moves cards, it makes none."""
    shuffled = np.sort(first_packs(2000), axis=1)
    assert (shuffled == np.arange(N_CARDS)).all()


def test_a_session_depends_on_seed_and_episode() -> None:
    """Two seeds, or two episodes of a seed, are two different packs."""
    packs = {first_packs(3, seed)[episode].tobytes() for seed in range(3) for episode in range(3)}
    assert len(packs) == 9


@pytest.mark.statistical
def test_the_first_bank_is_a_fair_cut() -> None:
    """P8: 60,000 cuts at six seats, each within 5 sigma of 10,000 (6 in 1.7 million)."""
    n = 60_000
    games = batch.new_games(n)
    record = Rules.pontoon().to_record()
    batch.begin_batch(record, games, np.zeros(n, np.uint64), np.arange(n, dtype=np.uint64))
    counts = np.bincount(games["banker"], minlength=6)
    assert np.abs(counts - n / 6).max() < 5 * np.sqrt(n / 6 * 5 / 6)
