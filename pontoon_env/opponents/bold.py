"""The agent ``bold``: it stakes, buys and splits all it may, in both roles.

What it stands for is the gambler, and what it shows is that money follows the cards in this game,
not the other way round:

* It stakes the most on any card, though only an ace, a two and a three win on average.
* It buys every card that it draws, at the highest price. That is right where the hand cannot bust,
  and dear where it can: a hand of 13 that buys its card busts five times in thirteen, and pays
  three stakes for it.
* It draws to a hard 15, where two cards in three points bust or leave it below 17, and to a soft
  18; with four cards it goes for the trick up to 18, aces as 1.
* It splits every pair, tens too, which gives up 20 for two hands of less.
* As the banker it draws to 17 and stays from 18 on, on a soft 18 too, and doubles whenever it may.
* It shoots all it can where shooting gains: on an ace before the second card, and before a fourth
  card that cannot bust it. Boldness elsewhere would feed the kitty of another.
* The bank it prices as ``basic`` does (`bank`).
"""

from __future__ import annotations

from typing import Final

from pontoon_env._jit import kernel
from pontoon_env.actions import chips_of_move
from pontoon_env.engine.hands import best_total, lowest_count
from pontoon_env.engine.legality import room_to_shoot
from pontoon_env.opponents.bank import choose_about_bank
from pontoon_env.opponents.basic_player import SHOOT_UP_TO, shoots_first
from pontoon_env.rules import RulesRecord
from pontoon_env.state import Game, Hand, Move, Phase

DRAW_HARD_UP_TO: Final = 15
"""Two and three cards draw up to here."""
DRAW_SOFT_UP_TO: Final = 18
"""Two and three cards with an ace as 11 draw up to here."""
DRAW_FIFTH_UP_TO: Final = 18
"""Four cards draw up to here, aces as 1."""
STAY_FROM: Final = 18
"""The least total that it stays on as the banker."""


@kernel
def choose_bold(rules: RulesRecord, game: Game, moves: int) -> tuple[int, int]:
    """Choose as ``bold``, for the seat to act."""
    phase = game["phase"]
    hand = game["seats"][game["seat"]]["hands"][game["hand"]]
    move: int = Move.PASS
    if phase == Phase.PLAY:
        move = _choose_in_play(hand, moves)
    elif phase == Phase.STAKE:
        move = Move.STAKE
    elif phase == Phase.BANKER:
        move = Move.STICK if best_total(hand) >= STAY_FROM else Move.TWIST
    elif phase == Phase.DOUBLE:
        move = Move.DOUBLE
    elif phase == Phase.SHOOT:
        if room_to_shoot(game) > 0 and shoots_first(hand):
            move = Move.SHOOT
    elif phase != Phase.SPLIT_SHOOT:
        return choose_about_bank(rules, game, 0)
    return move, chips_of_move(rules, game, move, 1.0)


@kernel
def _choose_in_play(hand: Hand, moves: int) -> int:
    """Choose the move with the hand in play."""
    can_stick = (moves >> Move.STICK) & 1 != 0
    if (moves >> Move.BURN) & 1 != 0:
        move = Move.BURN
    elif (moves >> Move.SPLIT) & 1 != 0:
        move = Move.SPLIT
    elif (moves >> Move.TWIST) & 1 == 0 or (can_stick and not _wants_card(hand)):
        move = Move.STICK
    elif (moves >> Move.SHOOT) & 1 != 0 and lowest_count(hand) <= SHOOT_UP_TO:
        move = Move.SHOOT
    elif (moves >> Move.BUY) & 1 != 0:
        move = Move.BUY
    else:
        move = Move.TWIST
    return move


@kernel
def _wants_card(hand: Hand) -> bool:
    """Tell whether a hand that may stick draws all the same."""
    count = lowest_count(hand)
    total = best_total(hand)
    if hand["n_cards"] == 4:
        return count <= DRAW_FIFTH_UP_TO
    return total <= (DRAW_HARD_UP_TO if total == count else DRAW_SOFT_UP_TO)
