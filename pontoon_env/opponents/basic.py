"""The agent ``basic``: sound play in every phase, by hand-made rules.

`basic_player` and `basic_banker` play the hands; here stand the choices about the bank. Against
players who play as it does itself, the bank gains where all stakes are equal, and loses where they
may stake over about 1.2 times the least on a good first card. So it wants the bank at equal limits
only.
"""

from __future__ import annotations

from typing import Final

from pontoon_env._jit import kernel
from pontoon_env.actions import chips_of_move
from pontoon_env.cards import ACE, N_SUITS, TEN_POINTS
from pontoon_env.engine.hands import points
from pontoon_env.engine.legality import room_to_shoot
from pontoon_env.opponents.basic_banker import choose_as_banker
from pontoon_env.opponents.basic_player import choose_in_play, choose_stake, shoots_first
from pontoon_env.rules import RulesRecord
from pontoon_env.state import Game, Move, Phase

BANK_WORTH: Final = 2
"""A bank is worth the least stake by this: some 0.15 E a deal, for the few deals that it lasts."""


@kernel
def choose_basic(rules: RulesRecord, game: Game) -> tuple[int, int]:
    """Choose as ``basic``, for the seat to act."""
    phase = game["phase"]
    first_card = game["seats"][game["seat"]]["hands"][0]["cards"][0]
    move: int = Move.PASS
    fraction = 0.0
    if phase == Phase.PLAY:
        move = choose_in_play(rules, game)
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
        return choose_about_bank(rules, game)
    return move, chips_of_move(rules, game, move, fraction)


@kernel
def doubles(first_card: int) -> bool:
    """Tell whether the banker doubles: on an ace or a ten-valued card (``banker_doubles``)."""
    return first_card // N_SUITS == ACE or points(first_card) == TEN_POINTS


@kernel
def is_bank_wanted(rules: RulesRecord) -> bool:
    """Tell whether the bank gains against players who stake freely within the limits."""
    return rules["max_stake"] == rules["min_stake"]


@kernel
def choose_about_bank(rules: RulesRecord, game: Game) -> tuple[int, int]:
    """Take, keep, sell, buy or fill the bank (P33, P34, S1, S9, S10).

    Players who know the game shoot only where they win, so the kitty is the smallest and nothing is
    added. A bank that is not wanted is offered for a largest stake, and auctioned when the kitty is
    dry.
    """
    phase = game["phase"]
    wanted = is_bank_wanted(rules)
    worth = min(rules["min_stake"] // BANK_WORTH, rules["max_price"])
    move = Move.PASS
    chips = 0
    if phase == Phase.FORM_KITTY or (phase == Phase.DRY_KITTY and wanted):
        move = Move.KITTY
        chips = rules["min_kitty"]
    elif phase == Phase.DRY_KITTY:
        move = Move.AUCTION
    elif phase == Phase.ACCEPT_BANK:
        move = Move.ACCEPT if wanted else Move.REFUSE
    elif phase == Phase.OFFER and not wanted:
        move = Move.OFFER
        chips = min(rules["max_stake"], rules["max_price"])
    elif phase == Phase.SALE and wanted and game["price"] <= worth:
        move = Move.ACCEPT
    elif phase == Phase.BID and wanted and worth > 0:
        move = Move.BID
        chips = worth
    return move, chips
