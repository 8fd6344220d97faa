"""The engine against the naive referee, on random games under random rules."""

from __future__ import annotations

import numpy as np
import pytest

from pontoon_env.rules import Rules
from tests.lockstep import play_lockstep, play_rules

N_SESSIONS = 300
N_SESSIONS_SLOW = 27_000
"""Sessions of random rules hold 3.9 deals: these are over 100,000."""


def play_seed(seed: int) -> int:
    """Play the session of a seed, of its own rules and pack, on both; return its decisions."""
    rules, pack = play_rules(seed)
    return play_lockstep(rules, seed, np.random.default_rng(seed), pack)


@pytest.mark.parametrize("first", range(0, N_SESSIONS, 50))
def test_engine_and_referee_agree_after_every_decision(first: int) -> None:
    """All rules, P35 too: seat, legal moves, bounds, cards, chips, kitty, pack order, lines."""
    for seed in range(first, first + 50):
        play_seed(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(10_000, 10_000 + N_SESSIONS_SLOW, 1000))
def test_engine_and_referee_agree_on_a_hundred_thousand_deals(first: int) -> None:
    """The same, over 100,000 deals of other seeds."""
    for seed in range(first, first + 1000):
        play_seed(seed)


@pytest.mark.parametrize("seats", range(2, 9))
@pytest.mark.parametrize("game", [Rules.pontoon, Rules.shoot])
def test_engine_and_referee_agree_under_default_rules(seats: int, game: type[Rules]) -> None:
    """P1 to P37 and S1 to S11, 2 to 8 seats, whole sessions in which nothing is varied."""
    for seed in range(3):
        play_lockstep(game(seats=seats, deals=12), seed, np.random.default_rng(seed))
