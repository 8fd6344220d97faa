"""The agent ``counter``: it remembers every card that was shown, and the order under the pack.

Without a shuffle the used cards go under the pack in public order, and come again (P31): to
remember them is the skill of the game. ``counter`` has the memory of `memory` and uses it so.

*By composition.* While fresh cards lie on top, it knows what they and the hidden hands are in sum.
Each choice of its hand is the best by its value for such a pack, by the effects of each card that
stands too often or too seldom in it (`removal`): whether to split, buy, twist or stick, and whether
a shoot bet wins more than half. Its initial stake is the largest where the first card is worth
something with these cards, and the least elsewhere: not always on an ace, and now and then on a
four or a ten.

*By place.* Where the fresh cards are used up, the cards to come are known, each in its place. Then
it sees the end of every number of draws and takes the best (`known_cards`). When it stakes it knows
its second card too, and whether the banker has a pontoon; and the last player before the banker
chooses, by drawing or not, which cards the banker will get.

*As the banker* it reads hands as ``bayes`` does, with the next card from the cards that are
left, not from all that do not lie face up. Hands that were dealt from the known part of the pack it
need not read, it knows them; and where the next cards are known, it draws exactly to where it is
paid most.

*About the bank* it decides as ``bayes``.

What that is worth: next to nothing in a fresh pack, where a deal shows too little of it; a tenth of
a least stake a deal by composition alone (``under_pack=random``); some four by place with the
default shuffle, since two or three deals without a pontoon use the fresh cards up; and more than
ten where the pack is never shuffled.

With an infinite pack there is nothing to remember: it plays as ``basic`` and ``bayes``. Its values
are those of the default rules; under variations they lead it to sound play, not to the best.
"""

from __future__ import annotations

import numpy as np

from pontoon_env._jit import kernel
from pontoon_env.actions import chips_of_move
from pontoon_env.cards import ACE, N_PIPS, N_SUITS, TEN_POINTS
from pontoon_env.engine.deal import left_of
from pontoon_env.engine.hands import Strength, best_total, has_ace, lowest_count, points
from pontoon_env.engine.legality import amount_bounds, room_to_shoot
from pontoon_env.memory import (
    card_to_come,
    count_unknown,
    knows_hand,
    knows_next_cards,
    place_of,
    to_deviations,
)
from pontoon_env.opponents.basic import choose_basic
from pontoon_env.opponents.basic_player import tricks_pay_double
from pontoon_env.opponents.counting_banker import choose_as_counting_banker
from pontoon_env.opponents.known_cards import UNKNOWN, first_shift, last_shift, plan_hand
from pontoon_env.opponents.removal import (
    BUY,
    FIRST_AT,
    FIRST_BETS_AT,
    HALVES_AT,
    TWIST,
    bets_at,
    draws_at,
    value_at,
)
from pontoon_env.rules import RulesRecord
from pontoon_env.state import Game, Move, Phase


@kernel
def choose_counter(rules: RulesRecord, game: Game, moves: int) -> tuple[int, int]:
    """Choose as ``counter``, for the seat to act."""
    phase = game["phase"]
    if phase == Phase.BANKER:
        return choose_as_counting_banker(rules, game), 0
    if rules["packs"] == 0 or phase not in (Phase.STAKE, Phase.SHOOT, Phase.PLAY):
        return choose_basic(rules, game, moves, 1)
    if phase == Phase.PLAY:
        if knows_next_cards(rules, game):
            move = _play_by_place(rules, game, moves)
        else:
            move = _play_by_composition(rules, game, moves)
        return move, chips_of_move(rules, game, move, 1.0)
    worth, bet = _worth_of_first_card(rules, game)
    if phase == Phase.STAKE:
        return Move.STAKE, rules["max_stake"] if worth > 0.0 else rules["min_stake"]
    if bet > 0.0 and room_to_shoot(game) > 0:
        return Move.SHOOT, chips_of_move(rules, game, Move.SHOOT, 1.0)
    return Move.PASS, 0


@kernel
def _worth_of_first_card(rules: RulesRecord, game: Game) -> tuple[float, float]:
    """Return what a stake of one, and a shoot bet of one, on the first card are worth."""
    if knows_next_cards(rules, game):
        return _worth_by_place(rules, game)
    pack = np.zeros(N_PIPS)
    count_unknown(rules, game, game["seat"], pack)
    to_deviations(pack)
    pips = points(game["seats"][game["seat"]]["hands"][0]["cards"][0])
    tricks = 1 if tricks_pay_double(rules, game) else 0
    return value_at(tricks, FIRST_AT + pips, pack), value_at(tricks, FIRST_BETS_AT + pips, pack)


@kernel
def _worth_by_place(rules: RulesRecord, game: Game) -> tuple[float, float]:
    """Do as `_worth_of_first_card` where the second cards and those after them are known."""
    seat = game["seat"]
    place = place_of(rules, game, seat)
    first = game["seats"][seat]["hands"][0]["cards"][0]
    second = card_to_come(game, place)
    count, ace = _count_two(first, second)
    banker_count = UNKNOWN
    banker_ace = 0
    if knows_hand(rules, game, game["banker"]):
        banker_first = game["seats"][game["banker"]]["hands"][0]["cards"][0]
        banker_count, banker_ace = _count_two(banker_first, card_to_come(game, rules["seats"] - 1))
        if banker_ace == 1 and banker_count == 1 + TEN_POINTS:
            return -2.0, -1.0
    if ace == 1 and count == 1 + TEN_POINTS:
        return 2.0, 1.0
    hand = np.array([2, count, ace])
    worth = 0.0
    bet = 0.0
    n_after = _n_players_after(rules, game, seat)
    for shift in range(first_shift(place), last_shift(place) + 1):
        at = rules["seats"] + shift
        found, found_bet, _, _ = plan_hand(
            rules, game, hand, 1.0, 2.0, at, banker_count, banker_ace, n_after
        )
        worth += found
        bet += found_bet
    return worth, bet


@kernel
def _count_two(first: int, second: int) -> tuple[int, int]:
    """Return the count of two cards with aces as 1, and 1 where one of them is an ace."""
    ace = 1 if first // N_SUITS == ACE or second // N_SUITS == ACE else 0
    return points(first) + points(second), ace


@kernel
def _n_players_after(rules: RulesRecord, game: Game, seat: int) -> int:
    """Return how many players have their turn between ``seat``, a player, and the banker."""
    n = 0
    other = left_of(rules, seat)
    while other != game["banker"]:
        n += 1
        other = left_of(rules, other)
    return n


@kernel
def _play_by_place(rules: RulesRecord, game: Game, moves: int) -> int:
    """Choose the move with the hand in play where the cards to come are known."""
    seat = game["seat"]
    owner = game["seats"][seat]
    hand = owner["hands"][game["hand"]]
    banker_count = UNKNOWN
    banker_ace = 0
    if knows_hand(rules, game, game["banker"]):
        cards = game["seats"][game["banker"]]["hands"][0]["cards"]
        banker_count, banker_ace = _count_two(cards[0], cards[1])
    n_after = _n_players_after(rules, game, seat)
    can_buy = (moves >> Move.BUY) & 1 != 0
    price = amount_bounds(rules, game, Move.BUY)[1] if can_buy else 0
    state = np.array([hand["n_cards"], lowest_count(hand), 1 if has_ace(hand) else 0])
    worth, bet, draws, buys = plan_hand(
        rules, game, state, hand["stake"], price, 0, banker_count, banker_ace, n_after
    )
    if (moves >> Move.SPLIT) & 1 != 0:
        stake = float(owner["initial_stake"])
        place = 2
        halves = 0.0
        for half in range(2):
            count, ace = _count_two(hand["cards"][half], card_to_come(game, half))
            if ace == 1 and count == 1 + TEN_POINTS:
                halves += 2 * stake
                continue
            state[0] = 2
            state[1] = count
            state[2] = ace
            found, _, taken, _ = plan_hand(
                rules, game, state, stake, 2 * stake, place, banker_count, banker_ace, n_after
            )
            halves += found
            place += taken
        if halves > worth:
            return Move.SPLIT
    if (moves >> Move.TWIST) & 1 == 0 or (draws == 0 and (moves >> Move.STICK) & 1 != 0):
        return Move.STICK
    if (moves >> Move.SHOOT) & 1 != 0 and bet > 0.0:
        return Move.SHOOT
    return Move.BUY if buys and can_buy else Move.TWIST


@kernel
def _play_by_composition(rules: RulesRecord, game: Game, moves: int) -> int:
    """Choose the move with the hand in play by the values for a pack of what is left."""
    owner = game["seats"][game["seat"]]
    hand = owner["hands"][game["hand"]]
    if (moves >> Move.BURN) & 1 != 0:
        return Move.BURN
    if (moves >> Move.TWIST) & 1 == 0:
        return Move.STICK
    pack = np.zeros(N_PIPS)
    count_unknown(rules, game, game["seat"], pack)
    to_deviations(pack)
    tricks = 1 if tricks_pay_double(rules, game) else 0
    count = lowest_count(hand)
    ace = 1 if has_ace(hand) else 0
    n_cards, twisted = hand["n_cards"], hand["is_twisted"]
    stake = hand["stake"] / owner["initial_stake"]
    move: int = Move.TWIST
    worth = value_at(tricks, draws_at(twisted, n_cards, count, ace, TWIST), pack)
    if twisted == 1:
        worth *= stake
    way = TWIST
    if (moves >> Move.BUY) & 1 != 0:
        bought = value_at(tricks, draws_at(0, n_cards, count, ace, BUY), pack)
        if bought > worth:
            worth, move, way = bought, Move.BUY, BUY
    if (moves >> Move.STICK) & 1 != 0:
        beats = 0.0
        total = best_total(hand)
        for own in range(total):
            beats += value_at(tricks, own, pack)
        sticks = stake * (2.0 * beats - 1.0 - value_at(tricks, Strength.TRICK, pack))
        if sticks >= worth:
            worth, move = sticks, Move.STICK
    if (moves >> Move.SPLIT) & 1 != 0:
        halves = 2.0 * value_at(tricks, HALVES_AT + points(hand["cards"][0]), pack)
        if halves > worth:
            return Move.SPLIT
    if (
        (moves >> Move.SHOOT) & 1 != 0
        and move != Move.STICK
        and value_at(tricks, bets_at(twisted, n_cards, count, ace, way), pack) > 0.0
    ):
        return Move.SHOOT
    return move
