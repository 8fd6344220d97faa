"""The agent ``timid``: afraid to bust and afraid to pay, in both roles.

What it stands for is the cautious beginner, and what it shows is what caution costs in this game:

* It stakes the least, on an ace too. So it forgoes the one choice in which the player has the edge
  over a banker who must take any stake.
* It never buys, splits or burns: each of them is more money on the table. So its tricks are paid on
  E alone, and most of what a player can win lies in tricks with bought cards.
* It sticks as soon as it may, on 15 and on a soft 15 too, which cannot bust. Every total below 17
  wins only where the banker busts.
* As the banker it stays from 16 on, whatever stands against it, and never doubles.
* It shoots only where the card it must draw cannot bust it, before a fourth card, and never more
  than its initial stake: below 12 with three cards a hand wins more than half of its bets, even one
  that then sticks at the first chance.
* The bank it prices as ``basic`` does (`bank`).
"""

from __future__ import annotations

from typing import Final

from pontoon_env._jit import kernel
from pontoon_env.engine.hands import best_total, lowest_count
from pontoon_env.engine.legality import room_to_shoot
from pontoon_env.opponents.bank import choose_about_bank
from pontoon_env.rules import RulesRecord
from pontoon_env.state import Game, Move, Phase

STAY_FROM: Final = 16
"""The least total that it stays on as the banker."""
SHOOT_UP_TO: Final = 11
"""It shoots before a fourth card up to here, aces as 1: the card cannot bust the hand."""


@kernel
def choose_timid(rules: RulesRecord, game: Game, moves: int) -> tuple[int, int]:
    """Choose as ``timid``, for the seat to act."""
    phase = game["phase"]
    seat = game["seats"][game["seat"]]
    hand = seat["hands"][game["hand"]]
    move: int = Move.PASS
    chips = 0
    if phase == Phase.PLAY:
        if (moves >> Move.STICK) & 1 != 0:
            move = Move.STICK
        elif (moves >> Move.SHOOT) & 1 != 0 and lowest_count(hand) <= SHOOT_UP_TO:
            move = Move.SHOOT
            chips = min(seat["initial_stake"], room_to_shoot(game))
        else:
            move = Move.TWIST
    elif phase == Phase.STAKE:
        move = Move.STAKE
        chips = rules["min_stake"]
    elif phase == Phase.BANKER:
        move = Move.STICK if best_total(hand) >= STAY_FROM else Move.TWIST
    elif phase not in (Phase.SHOOT, Phase.SPLIT_SHOOT, Phase.DOUBLE):
        return choose_about_bank(rules, game, 0)
    return move, chips
