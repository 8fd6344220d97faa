"""The agent ``exact``: the best response of a player to a banker who plays by a fixed rule.

Against such a banker a player is alone in the world, and what is best with a hand is a table: by
the hand, its stake and the most that its next card may cost. The table is solved outside this
package, by dynamic programming (`agents.exact`), and handed over as a record of `tables.TABLES`;
here it is only read. Prices between the least and the largest are never best: payments grow with
stakes in proportion.

On a first card that is worth more than nothing it stakes the most, else the least. Where it is the
banker itself, it plays by the rule that it answers.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pontoon_env._jit import kernel
from pontoon_env.engine.hands import best_total, lowest_count, points
from pontoon_env.engine.legality import can_split
from pontoon_env.rules import RulesRecord
from pontoon_env.state import Game, Hand, Move, Phase

DEAR: Final = 2
"""The largest price of a third card, in E (P20)."""


class Choice(IntEnum):
    """What a hand in play may do; the number less one is the price of a card bought, in E."""

    STICK = 0
    TWIST = 1
    BUY_LEAST = 2
    BUY_MOST = 3


@kernel
def choose_by_table(rules: RulesRecord, game: Game, tables: NDArray[np.void]) -> tuple[int, int]:
    """Choose as ``exact``, for the seat to act."""
    seat = game["seats"][game["seat"]]
    if game["phase"] == Phase.STAKE:
        is_most = tables[0]["stakes_most"][points(seat["hands"][0]["cards"][0])] != 0
        return Move.STAKE, rules["max_stake"] if is_most else rules["min_stake"]
    if game["phase"] == Phase.PLAY:
        return _choose_in_play(rules, game, tables)
    return Move.TWIST if _draws(tables, seat["hands"][0]) else Move.STICK, 0


@kernel
def _choose_in_play(rules: RulesRecord, game: Game, tables: NDArray[np.void]) -> tuple[int, int]:
    """Return move and chips of the hand in play.

    A hand that somebody else has begun, at prices between the extremes, is played as the nearest
    one that the tables hold.
    """
    table = tables[0]
    seat = game["seats"][game["seat"]]
    hand = seat["hands"][game["hand"]]
    move: int = Move.SPLIT
    chips = 0
    if can_split(rules, game, seat, hand) and table["splits"][points(hand["cards"][0])] != 0:
        return move, chips
    number = 0
    for i in range(hand["n_cards"]):
        number = np.int64(table["after"][number, points(hand["cards"][i])])  # type: ignore[assignment]
    if seat["n_hands"] > 1 and number == table["natural"]:
        number = table["split_pontoon"]
    least = seat["initial_stake"]
    stake = min(hand["stake"] // least, 2 * hand["n_cards"] - 3)
    choice = table["choices"][number, stake, _most(hand, least)]
    move = Move.STICK
    if choice == Choice.TWIST:
        move = Move.TWIST
    elif choice >= Choice.BUY_LEAST:
        move = Move.BUY
        chips = least * (choice - 1)
    return move, chips


@kernel
def _most(hand: Hand, least: int) -> int:
    """Return the most that the next card may cost, in E; 0 where the hand has twisted (P20)."""
    if hand["is_twisted"] != 0:
        return 0
    if hand["last_price"] == 0:
        return DEAR
    return min(hand["last_price"] // least, DEAR)


@kernel
def _draws(tables: NDArray[np.void], hand: Hand) -> bool:
    """Tell whether the rule that is answered draws to the banker's hand."""
    total = best_total(hand)
    sticks_on = tables[0]["banker_sticks_on"]
    if total == sticks_on and tables[0]["banker_draws_soft"] != 0:
        return total != lowest_count(hand)
    is_under: bool = total < sticks_on
    return is_under
