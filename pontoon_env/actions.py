"""Encodings of actions: amounts as fractions of the legal interval, and the discrete action set.

Maps are exact: a discrete action is a move and a fraction (`hybrid_of_discrete`), a fraction is
whole chips (`chips_of`), and a box action names the same chips (`box_of_hybrid`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from pontoon_env._jit import inlined
from pontoon_env.engine.legality import amount_bounds, legal_moves
from pontoon_env.rules import RulesRecord
from pontoon_env.state import N_AMOUNT_MOVES, N_MOVES, Game, Move

_EVEN: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
_PRICES: Final = (0.0, 0.01, 0.05, 0.2, 1.0)
"""Prices of the bank lie close together at the low end, where agreement is found."""

FRACTIONS: Final = {
    Move.STAKE: _EVEN,
    Move.SHOOT: _EVEN,
    Move.BUY: _EVEN,
    Move.KITTY: _EVEN,
    Move.OFFER: _PRICES,
    Move.BID: _PRICES,
}
"""The amounts that the discrete encoding names, as fractions of the legal interval."""


@dataclass(frozen=True)
class DiscreteAction:
    """One action of the discrete encoding."""

    move: Move
    fraction: float

    def __str__(self) -> str:
        """Name the action, such as ``buy 0.25`` or ``twist``."""
        name = self.move.name.lower()
        return f"{name} {self.fraction:g}" if self.move < N_AMOUNT_MOVES else name


DISCRETE_ACTIONS: Final = tuple(
    DiscreteAction(move, fraction) for move in Move for fraction in FRACTIONS.get(move, (0.0,))
)
"""The discrete action set; an action's number is its place."""

N_DISCRETE: Final = len(DISCRETE_ACTIONS)

Encoding = Literal["hybrid", "discrete", "box"]
"""How a decision is written as an action: a move and a fraction, a number of that set, or a score
for each move and a fraction."""

N_CHOICES: Final[dict[Encoding, int]] = {
    "hybrid": N_MOVES,
    "discrete": N_DISCRETE,
    "box": N_MOVES,
}
"""Length of the action mask in each encoding."""

N_SCORES: Final = N_MOVES + 1
"""Length of a box action: a score for each move, and the amount."""


class HybridAction(TypedDict):
    """An action of the hybrid encoding."""

    move: int
    """A `Move`."""
    amount: float
    """Its amount as a fraction of the legal interval, 0 to 1; not read where it takes none."""


MOVE_OF_DISCRETE: Final = np.array([action.move for action in DISCRETE_ACTIONS], np.int64)
"""The move of each discrete action."""
FRACTION_OF_DISCRETE: Final = np.array([action.fraction for action in DISCRETE_ACTIONS], np.float64)
"""The fraction of the legal interval of each discrete action; 0 where the move takes no amount."""


def hybrid_of_discrete(action: int) -> HybridAction:
    """Return the hybrid action that a discrete one stands for.

    Raises:
        ValueError: There is no such discrete action.
    """
    if not 0 <= action < N_DISCRETE:
        raise ValueError(f"a discrete action is a number from 0 to {N_DISCRETE - 1}, not {action}")
    named = DISCRETE_ACTIONS[action]
    return {"move": int(named.move), "amount": named.fraction}


def box_of_hybrid(action: HybridAction, low: int, high: int) -> NDArray[np.float32]:
    """Return the box action that does the same as a legal hybrid one, float32 ``(N_SCORES,)``.

    A fraction is float64 there and float32 here: the nearest that stands for the same chips is
    taken. There is one for every amount of an interval under 2**24 chips, which bets on a large
    kitty alone can leave.

    Args:
        action: A legal hybrid action.
        low: Least amount of its move, in chips; not read where it takes none.
        high: Its largest amount.
    """
    scores = np.zeros(N_SCORES, np.float32)
    scores[action["move"]] = 1.0
    if action["move"] < N_AMOUNT_MOVES and high > low:
        chips = low + np.floor(action["amount"] * (high - low) + 0.5)
        scores[-1] = (chips - low) / (high - low)
    return scores


def hybrid_of_box(scores: NDArray[Any], mask: NDArray[np.int8]) -> HybridAction:
    """Return the hybrid action that a box one stands for.

    Args:
        scores: ``(N_SCORES,)``, a score for each move and the amount. The legal move of the
            highest score is made, the first of several.
        mask: ``(N_MOVES,)``, the legal moves, one at least.
    """
    move = int(np.where(mask, scores[:N_MOVES], -1.0).argmax())
    return {"move": move, "amount": float(scores[-1])}


@inlined
def chips_of(low: int, high: int, fraction: float) -> int:
    """Return the chips that a fraction of the interval [low, high] stands for, in float64.

    ``low + floor(fraction * (high - low) + 0.5)``: 0 gives ``low``, 1 gives ``high``.
    """
    return low + np.int64(np.floor(fraction * (high - low) + 0.5))  # type: ignore[return-value]


@inlined
def chips_of_move(rules: RulesRecord, game: Game, move: int, fraction: float) -> int:
    """Return the chips of a legal move at a fraction of its interval; 0 where it takes none."""
    if move < 0 or move >= N_AMOUNT_MOVES:
        return 0
    low, high = amount_bounds(rules, game, move)
    return chips_of(low, high, fraction)


_FIRST_MOVES: Final = 8
_FIRST_BITS: Final = (1 << _FIRST_MOVES) - 1
_FIRST_MASKS: Final = ((np.arange(_FIRST_BITS + 1)[:, None] >> np.arange(_FIRST_MOVES)) & 1).astype(
    np.int8
)
"""``(256, 8)``: the masks of the first eight moves, by the moves as bits. To copy one is quicker
than to write it number by number; more moves would make the table large."""
_FIRST_ACTIONS: Final = int(np.searchsorted(MOVE_OF_DISCRETE, _FIRST_MOVES))
_FIRST_DISCRETE: Final = np.ascontiguousarray(_FIRST_MASKS[:, MOVE_OF_DISCRETE[:_FIRST_ACTIONS]])
"""``(256, 32)``: likewise of the discrete actions of those moves."""


@inlined
def write_mask(moves: int, masks: NDArray[np.int8], row: int) -> None:
    """Write the mask of some moves: of moves or of discrete actions, as wide as ``masks`` is."""
    if masks.shape[1] == N_MOVES:
        for move in range(_FIRST_MOVES):
            masks[row, move] = _FIRST_MASKS[moves & _FIRST_BITS, move]
        for move in range(_FIRST_MOVES, N_MOVES):
            masks[row, move] = (moves >> move) & 1
    else:
        for action in range(_FIRST_ACTIONS):
            masks[row, action] = _FIRST_DISCRETE[moves & _FIRST_BITS, action]
        for action in range(_FIRST_ACTIONS, N_DISCRETE):
            masks[row, action] = (moves >> MOVE_OF_DISCRETE[action]) & 1


@inlined
def write_legal(
    rules: RulesRecord,
    game: Game,
    masks: NDArray[np.int8],
    lows: NDArray[np.float32],
    highs: NDArray[np.float32],
    row: int,
) -> None:
    """Write the legal moves and their amounts of the seat to act.

    Args:
        rules: The rules.
        game: In any phase; where it is over, nothing is legal.
        masks: Out, int8 ``(n, N_MOVES)`` or ``(n, N_DISCRETE)``: 1 where the move, or the action,
            is legal.
        lows: Out, float32 ``(n, N_MOVES)``: least amount of each legal move, in least stakes; 0
            elsewhere.
        highs: Out, likewise the largest amount.
        row: Which row to write.
    """
    moves = legal_moves(rules, game)
    write_mask(moves, masks, row)
    _write_no_amounts(lows, row)
    _write_no_amounts(highs, row)
    for move in range(N_AMOUNT_MOVES):
        if (moves >> move) & 1 != 0:
            low, high = amount_bounds(rules, game, move)
            lows[row, move] = low / rules["min_stake"]
            highs[row, move] = high / rules["min_stake"]


@inlined
def write_nothing_legal(
    masks: NDArray[np.int8], lows: NDArray[np.float32], highs: NDArray[np.float32], row: int
) -> None:
    """Write that nothing may be chosen, for a seat that is not to act; see `write_legal`."""
    for action in range(masks.shape[1]):
        masks[row, action] = 0
    _write_no_amounts(lows, row)
    _write_no_amounts(highs, row)


@inlined
def _write_no_amounts(amounts: NDArray[np.float32], row: int) -> None:
    """Write zeros for all moves; two rows in one loop would be written number by number."""
    for move in range(N_MOVES):
        amounts[row, move] = 0.0
