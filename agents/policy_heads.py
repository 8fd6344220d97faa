"""From what a network puts out to moves and amounts: compiled, a row at a time.

The first columns of the outputs are logits of choices: discrete actions, or moves. Where they are
moves, two more columns are the raw numbers (a, b) of a Beta distribution of the amount's fraction,
with alpha = 1 + softplus(a) and beta = 1 + softplus(b).
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pontoon_env._jit import entry_point, kernel
from pontoon_env.opponents.at_random import agent_words
from pontoon_env.random_stream import unit

N_UNIFORMS: Final = 2
"""Uniform numbers that a drawn choice takes: one for the move or action, one for the amount."""

_PRECISION: Final = 1e-12
_LAST_STEP: Final = 1e-9
"""Of Newton's method: what is left after it is about its square."""
_MOST_TERMS: Final = 10_000
"""Of a continued fraction: it takes about the root of the larger parameter."""
_MOST_STEPS: Final = 100
_TINY: Final = 1e-300


@entry_point
def draw_uniforms(games: NDArray[np.void], uniforms: NDArray[np.float64]) -> None:
    """Draw uniform numbers of [0, 1) from the streams of the seats to act.

    Args:
        games: ``(n,)``, not changed.
        uniforms: Out, ``(n, N_UNIFORMS)``.
    """
    for i in range(games.size):
        block = agent_words(games[i])
        uniforms[i, 0] = unit(block[0])
        uniforms[i, 1] = unit(block[1])


@entry_point
def pick_likeliest(
    outputs: NDArray[np.float32],
    masks: NDArray[np.int8],
    moves: NDArray[np.int64],
    picked: NDArray[np.int64],
) -> None:
    """Pick the legal choice of the largest logit; the first of those that are equal.

    Args:
        outputs: ``(n, k or more)``.
        masks: ``(n, N_MOVES)``: 1 where a move is legal, for one or more in each row.
        moves: ``(k,)``, the move of each choice.
        picked: Out, ``(n,)``: numbers of choices.
    """
    for i in range(len(picked)):
        best = -1
        for choice in range(moves.size):
            if masks[i, moves[choice]] != 0 and (best < 0 or outputs[i, choice] > outputs[i, best]):
                best = choice
        picked[i] = best


@entry_point
def draw_choices(
    outputs: NDArray[np.float32],
    masks: NDArray[np.int8],
    moves: NDArray[np.int64],
    uniforms: NDArray[np.float64],
    picked: NDArray[np.int64],
) -> None:
    """Draw a legal choice by its probability, the softmax of the logits of what is legal.

    Args:
        outputs: See `pick_likeliest`, as all below but the uniform numbers.
        masks: ``(n, N_MOVES)``.
        moves: ``(k,)``.
        uniforms: ``(n, N_UNIFORMS)``: of [0, 1); the first is read.
        picked: Out, ``(n,)``.
    """
    weights = np.zeros(moves.size)
    for i in range(len(picked)):
        highest = -np.inf
        for choice in range(moves.size):
            if masks[i, moves[choice]] != 0:
                highest = max(highest, outputs[i, choice])
        total = 0.0
        for choice in range(moves.size):
            weights[choice] = 0.0
            if masks[i, moves[choice]] != 0:
                weights[choice] = math.exp(outputs[i, choice] - highest)
                total += weights[choice]
        left = uniforms[i, 0] * total
        picked[i] = -1
        for choice in range(moves.size):
            if weights[choice] > 0.0:
                picked[i] = choice  # rounding may leave a remnant: it goes to the last
                left -= weights[choice]
                if left < 0.0:
                    break


@entry_point
def write_fractions(
    outputs: NDArray[np.float32],
    takes_amount: NDArray[np.bool_],
    uniforms: NDArray[np.float64],
    fractions: NDArray[np.float64],
) -> None:
    """Write the fractions of amounts: the likeliest, or drawn ones.

    Args:
        outputs: ``(n, k + 2)``: the last two columns are read.
        takes_amount: ``(n,)``: other rows get 0.
        uniforms: ``(n, N_UNIFORMS)``, of which the second is read; ``(0, N_UNIFORMS)`` for the
            likeliest.
        fractions: Out, ``(n,)``.
    """
    first = outputs.shape[1] - 2
    for i in range(len(fractions)):
        fractions[i] = 0.0
        if takes_amount[i]:
            over_a, over_b = _softplus(outputs[i, first]), _softplus(outputs[i, first + 1])
            if len(uniforms) > 0:
                fractions[i] = beta_quantile(uniforms[i, 1], 1.0 + over_a, 1.0 + over_b)
            else:
                # The mode; where both are 0 the distribution is flat.
                fractions[i] = over_a / (over_a + over_b) if over_a + over_b > 0.0 else 0.5


@kernel
def _softplus(value: float) -> float:
    """Return log(1 + exp(value)), which so written does not overflow."""
    return max(value, 0.0) + math.log1p(math.exp(-abs(value)))


@kernel
def beta_quantile(chance: float, alpha: float, beta: float) -> float:
    """Return where the distribution function of a Beta distribution reaches a chance.

    Newton's method inside an interval that holds the place; a step that would leave it halves it.

    Args:
        chance: Of [0, 1).
        alpha: 1 or more.
        beta: 1 or more.
    """
    low, high = 0.0, 1.0
    place = min(max(alpha / (alpha + beta), _PRECISION), 1.0 - _PRECISION)
    scale = math.lgamma(alpha + beta) - math.lgamma(alpha) - math.lgamma(beta)
    for _ in range(_MOST_STEPS):
        off = _beta_distribution(place, alpha, beta, scale) - chance
        if off > 0.0:
            high = place
        else:
            low = place
        density = math.exp(
            scale + (alpha - 1.0) * math.log(place) + (beta - 1.0) * math.log1p(-place)
        )
        following = place - off / density if density > _TINY else -1.0
        if not (low <= following <= high and 0.0 < following < 1.0):
            following = 0.5 * (low + high)
        step = abs(following - place)
        place = following
        if step < _LAST_STEP:
            break
    return place


@kernel
def _beta_distribution(place: float, alpha: float, beta: float, scale: float) -> float:
    """Return the distribution function of a Beta distribution at a place inside (0, 1).

    Args:
        place: Where.
        alpha: 1 or more.
        beta: 1 or more.
        scale: Minus the logarithm of the Beta function of ``alpha`` and ``beta``.
    """
    front = math.exp(scale + alpha * math.log(place) + beta * math.log1p(-place))
    if place < (alpha + 1.0) / (alpha + beta + 2.0):
        return front * _continued_fraction(place, alpha, beta) / alpha
    return 1.0 - front * _continued_fraction(1.0 - place, beta, alpha) / beta


@kernel
def _continued_fraction(place: float, alpha: float, beta: float) -> float:
    """Return the continued fraction of the incomplete Beta function, by Lentz's method."""
    upper = 1.0
    lower = 1.0 - (alpha + beta) * place / (alpha + 1.0)
    lower = 1.0 / (lower if abs(lower) > _TINY else _TINY)
    value = lower
    for m in range(1, _MOST_TERMS):
        twice = alpha + 2 * m
        change = 1.0
        for is_odd in range(2):
            if is_odd == 0:
                term = m * (beta - m) * place / ((twice - 1.0) * twice)
            else:
                term = -(alpha + m) * (alpha + beta + m) * place / (twice * (twice + 1.0))
            lower = 1.0 + term * lower
            lower = 1.0 / (lower if abs(lower) > _TINY else _TINY)
            upper = 1.0 + term / upper
            upper = upper if abs(upper) > _TINY else _TINY
            change = lower * upper
            value *= change
        if abs(change - 1.0) < _PRECISION:
            break
    return value
