"""The agent ``basic``: sound play in every phase, by rules that a person can keep in mind.

`basic_player` plays the hands as close to the best against a banker who draws below 17 as fixed
thresholds come, `basic_banker` banks by a total and a look at the tricks on the table, and `bank`
prices the bank by what it was measured to be worth. It remembers nothing and reads nobody's hand:
what that would gain, ``bayes`` and ``counter`` show.
"""

from __future__ import annotations

from pontoon_env._jit import kernel
from pontoon_env.actions import chips_of_move
from pontoon_env.cards import ACE, N_SUITS, TEN_POINTS
from pontoon_env.engine.hands import points
from pontoon_env.engine.legality import room_to_shoot
from pontoon_env.opponents.bank import choose_about_bank
from pontoon_env.opponents.basic_banker import choose_as_banker
from pontoon_env.opponents.basic_player import choose_in_play, choose_stake, shoots_first
from pontoon_env.rules import RulesRecord
from pontoon_env.state import Game, Move, Phase


@kernel
def choose_basic(rules: RulesRecord, game: Game, moves: int, is_reader: int) -> tuple[int, int]:
    """Choose as ``basic``, for the seat to act.

    Args:
        rules: The rules.
        game: At a decision.
        moves: What is legal there, as bits.
        is_reader: 1 for an agent that banks better, by reading hands, and prices the bank by that.
    """
    phase = game["phase"]
    first_card = game["seats"][game["seat"]]["hands"][0]["cards"][0]
    move: int = Move.PASS
    fraction = 0.0
    if phase == Phase.PLAY:
        move = choose_in_play(rules, game, moves)
        fraction = 1.0  # where a card or a shoot bet is worth its price, most of it is
    elif phase == Phase.STAKE:
        return Move.STAKE, choose_stake(rules, first_card)
    elif phase == Phase.BANKER:
        move = choose_as_banker(rules, game)
    elif phase == Phase.SHOOT:
        if room_to_shoot(game) > 0 and shoots_first(game["seats"][game["seat"]]["hands"][0]):
            move = Move.SHOOT
            fraction = 1.0
    elif phase == Phase.DOUBLE:
        if doubles(first_card):
            move = Move.DOUBLE
    elif phase != Phase.SPLIT_SHOOT:  # no card that is split wins half its shoot bets (S5)
        return choose_about_bank(rules, game, is_reader)
    return move, chips_of_move(rules, game, move, fraction)


@kernel
def doubles(first_card: int) -> bool:
    """Tell whether the banker doubles: on an ace or a ten-valued card (``banker_doubles``)."""
    return first_card // N_SUITS == ACE or points(first_card) == TEN_POINTS
