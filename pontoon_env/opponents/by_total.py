"""The agents ``stick15`` to ``stick19``: they look at their own total and at nothing else."""

from __future__ import annotations

from pontoon_env._jit import kernel
from pontoon_env.actions import chips_of_move
from pontoon_env.engine.hands import best_total
from pontoon_env.engine.legality import legal_moves
from pontoon_env.rules import RulesRecord
from pontoon_env.state import Game, Move, Phase


@kernel
def choose_by_total(total: int, rules: RulesRecord, game: Game) -> tuple[int, int]:
    """Twist below a total and stick from it on, for the least stake.

    Never buy, split, shoot or trade. Where the rules forbid to stick on the total, it twists; where
    no card is left, it sticks.
    """
    phase = game["phase"]
    moves = legal_moves(rules, game)
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
