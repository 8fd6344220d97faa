"""Chance: counter-based streams, so that a draw depends on what it is for and on nothing else.

A word is Philox4x64-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2,
3", SC 2011) of a key, (seed, episode), and a counter, (block, purpose, deal, place). Each shuffle
is keyed by its deal, not by what was drawn before: two courses of one seed meet again at the next
shuffle. Agents draw from streams of their own, keyed by seat and decision.

A world that was made up for a search (`hidden`) has other streams of the same key: its number goes
into the block, which by itself is small.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pontoon_env._instructions import multiply_wide
from pontoon_env._jit import inlined, kernel, word_kernel
from pontoon_env.state import Game

_LOW: Final = np.uint64(0xFFFFFFFF)
_HALF: Final = np.uint64(32)
_HALVES: Final = 8
"""Halves of the four words of a block."""
_CARD_BITS: Final = 127
"""No card's place has other bits: see `engine.hands.seat_of`."""
_M0: Final = np.uint64(0xD2E7470EE14C6C93)
_M1: Final = np.uint64(0xCA5A826395121157)
_W0: Final = np.uint64(0x9E3779B97F4A7C15)
_W1: Final = np.uint64(0xBB67AE8584CAA73B)
_ROUNDS: Final = 10
_MANTISSA_SHIFT: Final = np.uint64(11)
_MANTISSA_UNIT: Final = 1.0 / 9007199254740992.0
"""2 to the power of -53: a float64 holds 53 random bits."""

Words = tuple[np.uint64, np.uint64, np.uint64, np.uint64]


class Purpose(IntEnum):
    """What a draw is for: the second word of the counter."""

    CUT = 0
    """The cut for the first bank (P8)."""
    SHUFFLE = 1
    """The shuffle before a deal (P9, P32)."""
    CARD = 2
    """A card of an infinite pack."""
    GATHER = 3
    """The random order of cards gathered at settlement (``under_pack=random``)."""
    AGENT = 4
    """A choice of an agent that plays at random."""
    SEAT = 5
    """The seat of the learner, in the faces that have one."""


@word_kernel
def philox(
    c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, k0: np.uint64, k1: np.uint64
) -> Words:
    """Return the four words of Philox4x64-10 for a counter and a key."""
    for _ in range(_ROUNDS):
        high0, low0 = multiply_wide(_M0, c0)
        high1, low1 = multiply_wide(_M1, c2)
        c0 = high1 ^ c1 ^ k0
        c1 = low1
        c2 = high0 ^ c3 ^ k1
        c3 = low0
        k0 = k0 + _W0
        k1 = k1 + _W1
    return c0, c1, c2, c3


@inlined
def words(game: Game, purpose: int, place: int, block: int) -> Words:
    """Return four random words of this game and deal.

    Args:
        game: Gives seed, episode, world and deal.
        purpose: A `Purpose`.
        place: Which of the purpose's draws in this deal.
        block: Which four words of that draw.
    """
    return philox(
        np.uint64(block) ^ np.uint64(game["world"]),
        np.uint64(purpose),
        np.uint64(game["deal"]),
        np.uint64(place),
        np.uint64(game["seed"]),
        np.uint64(game["episode"]),
    )


@word_kernel
def below(half_word: np.uint64, n: int) -> int:
    """Return an integer of [0, n) from 32 random bits; its bias is under ``n / 2**32``."""
    return np.int64((half_word * np.uint64(n)) >> _HALF)  # type: ignore[return-value]


@inlined
def unit(word: np.uint64) -> float:
    """Return a float64 of [0, 1) from a random word."""
    return np.float64(word >> _MANTISSA_SHIFT) * _MANTISSA_UNIT


@kernel
def draw_below(game: Game, purpose: int, place: int, n: int) -> int:
    """Return the uniform integer of [0, n) that belongs to a purpose and a place of this deal."""
    return below(words(game, purpose, place, 0)[0] >> _HALF, n)


@inlined
def shuffle(cards: NDArray[np.int8], n: int, game: Game, purpose: int) -> None:
    """Bring ``cards[:n]`` into uniformly random order, in place (Fisher and Yates)."""
    last = n - 1
    for block in range((last + _HALVES - 1) // _HALVES):
        drawn = words(game, purpose, 0, block)
        for k in range(_HALVES):
            if last > 0:
                half = (drawn[k // 2] >> _HALF) if k % 2 == 0 else (drawn[k // 2] & _LOW)
                j = below(half, last + 1)
                kept = cards[last & _CARD_BITS]
                cards[last & _CARD_BITS] = cards[j & _CARD_BITS]
                cards[j & _CARD_BITS] = kept
                last -= 1
