"""The agents ``stick15`` to ``stick19``: they look at their own total and at nothing else.

They are yardsticks: so simple that what beats them, and by how much, can be understood.

* As the banker, ``stick17`` is the dealer of the casino games, and the banker against whom the best
  play is known exactly (`removal`, and the exact agents). Below 17 a total beats few hands that
  stuck; from 17 on a card busts more often than it helps.
* As a player each shows what a total alone is worth: the five lie close together, for what moves a
  player's result are stakes, purchases and tricks, and these they leave alone.
* They stake the least, and never buy, split, burn or shoot: a bet says that the hand is good, and
  about that they have no opinion. There is no copy of them that shoots to compare with.
* They neither buy nor sell the bank, take it where a natural brings it, and form the least kitty.
  So a match of theirs is about hands, not about banks.
"""

from __future__ import annotations

from pontoon_env._jit import kernel
from pontoon_env.actions import chips_of_move
from pontoon_env.engine.hands import best_total
from pontoon_env.rules import RulesRecord
from pontoon_env.state import Game, Move, Phase


@kernel
def choose_by_total(total: int, rules: RulesRecord, game: Game, moves: int) -> tuple[int, int]:
    """Twist below a total and stick from it on, for the least stake.

    Never buy, split, shoot or trade. Where the rules forbid to stick on the total, it twists; where
    no card is left, it sticks.
    """
    phase = game["phase"]
    if phase in (Phase.PLAY, Phase.BANKER):
        wants_card = best_total(game["seats"][game["seat"]]["hands"][game["hand"]]) < total
        can_stick = (moves >> Move.STICK) & 1 != 0
        can_twist = (moves >> Move.TWIST) & 1 != 0
        move = Move.TWIST if can_twist and (wants_card or not can_stick) else Move.STICK
    elif phase == Phase.STAKE:
        move = Move.STAKE
    elif phase in (Phase.FORM_KITTY, Phase.DRY_KITTY):
        move = Move.KITTY
    elif phase == Phase.ACCEPT_BANK:
        move = Move.ACCEPT
    else:
        move = Move.PASS
    return move, chips_of_move(rules, game, move, 0.0)
