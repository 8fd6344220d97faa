"""What may be chosen: the one place that says so, for masks and for steps alike."""

from __future__ import annotations

from typing import Final

from pontoon_env._jit import inlined
from pontoon_env.cards import ACE, N_SUITS
from pontoon_env.engine.hands import best_total, hand_of, is_pair, lowest_count, seat_of
from pontoon_env.engine.pack import cards_left
from pontoon_env.rules import RulesRecord, SplitRule
from pontoon_env.state import MAX_KITTY, Game, Hand, Move, Phase, Seat

CERTAIN_FIFTH: Final = 11
"""A hand of four cards that counts this or less cannot bust on a fifth (``no_certain_fifth``)."""


@inlined
def room_to_shoot(game: Game) -> int:
    """Return K - O, the most that may be shot (S2, S8); less where a kitty nears `MAX_KITTY`."""
    left = game["kitty"] - game["outstanding"]
    growth = MAX_KITTY - game["kitty"] - game["outstanding"]
    return left if left < growth else growth


@inlined
def can_split(rules: RulesRecord, game: Game, seat: Seat, hand: Hand) -> bool:
    """Tell whether a hand may be split in its turn (P16, P17)."""
    if not is_pair(hand) or seat["n_hands"] >= rules["max_hands"] or cards_left(rules, game) < 2:
        return False
    is_allowed = rules["split"] == SplitRule.ANY
    if rules["split"] == SplitRule.ACES:
        is_allowed = hand["cards"][0] // N_SUITS == ACE
    return is_allowed


@inlined
def can_burn(rules: RulesRecord, game: Game, hand: Hand) -> bool:
    """Tell whether a hand may be exchanged for two new cards (``burn``).

    Two cards that count 13 or 14 at the lowest hold no ace.
    """
    if rules["burn_total"] == 0 or hand["n_cards"] != 2 or cards_left(rules, game) < 2:
        return False
    return hand["n_burns"] <= rules["burn_repeat"] and lowest_count(hand) == rules["burn_total"]


@inlined
def can_buy(rules: RulesRecord, hand: Hand) -> bool:
    """Tell whether a hand that may draw may buy the card (P20)."""
    if hand["is_twisted"] != 0:
        return False
    is_certain = hand["n_cards"] == 4 and lowest_count(hand) <= CERTAIN_FIFTH
    return not (is_certain and rules["no_certain_fifth"] != 0)


@inlined
def legal_in_play(rules: RulesRecord, game: Game) -> int:
    """Return the legal moves of a player whose hand is in play, as bits (P16 to P22, S4).

    A hand that is asked is one that `deal.close_if_done` left open: under 21 with an ace as 1, of
    two to four cards.
    """
    seat = seat_of(game, game["seat"])
    hand = hand_of(game, game["seat"], game["hand"])
    moves = 0
    if cards_left(rules, game) > 0:
        moves |= 1 << Move.TWIST
        if can_buy(rules, hand):
            moves |= 1 << Move.BUY
        if game["must_draw"] != 0:
            return moves
        if rules["shoot"] != 0 and hand["n_cards"] == 3 and room_to_shoot(game) > 0:
            moves |= 1 << Move.SHOOT
    if best_total(hand) >= rules["stick_min"]:
        moves |= 1 << Move.STICK
    if can_split(rules, game, seat, hand):
        moves |= 1 << Move.SPLIT
    if can_burn(rules, game, hand):
        moves |= 1 << Move.BURN
    return moves


@inlined
def legal_moves(rules: RulesRecord, game: Game) -> int:
    """Return the legal moves of the seat to act: bit ``m`` is set where move ``m`` is legal."""
    phase = game["phase"]
    if phase == Phase.PLAY:
        moves = legal_in_play(rules, game)
    elif phase == Phase.STAKE:
        moves = 1 << Move.STAKE
    elif phase == Phase.BANKER:
        moves = (1 << Move.TWIST) | (1 << Move.STICK)
    elif phase in (Phase.SHOOT, Phase.SPLIT_SHOOT):
        moves = 1 << Move.PASS
        if room_to_shoot(game) > 0:
            moves |= 1 << Move.SHOOT
    elif phase == Phase.DOUBLE:
        moves = (1 << Move.DOUBLE) | (1 << Move.PASS)
    elif phase == Phase.ACCEPT_BANK:
        moves = (1 << Move.ACCEPT) | (1 << Move.REFUSE)
    elif phase == Phase.OFFER:
        moves = (1 << Move.OFFER) | (1 << Move.PASS)
    elif phase == Phase.SALE:
        moves = (1 << Move.ACCEPT) | (1 << Move.PASS)
    elif phase == Phase.FORM_KITTY:
        moves = 1 << Move.KITTY
    elif phase == Phase.TOP_UP:
        moves = (1 << Move.KITTY) | (1 << Move.PASS)
    elif phase == Phase.DRY_KITTY:
        moves = (1 << Move.KITTY) | (1 << Move.AUCTION)
    elif phase == Phase.BID:
        moves = (1 << Move.BID) | (1 << Move.PASS)
    else:
        moves = 0
    return moves


@inlined
def amount_bounds(rules: RulesRecord, game: Game, move: int) -> tuple[int, int]:
    """Return least and largest amount of a legal move, in chips; (0, 0) where it takes none."""
    low = 1
    if move == Move.STAKE:
        low = rules["min_stake"]
        high = rules["max_stake"]
    elif move == Move.BUY:
        low = seat_of(game, game["seat"])["initial_stake"]
        last_price = hand_of(game, game["seat"], game["hand"])["last_price"]
        high = last_price if last_price > 0 else 2 * low
    elif move == Move.SHOOT:
        high = room_to_shoot(game)
    elif move == Move.KITTY:
        high = rules["max_kitty"]
        if game["phase"] != Phase.TOP_UP:
            low = rules["min_kitty"]
    elif move in (Move.OFFER, Move.BID):
        high = rules["max_price"]
    else:
        low = 0
        high = 0
    return low, high
