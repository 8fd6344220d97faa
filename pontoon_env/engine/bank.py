"""Between deals: who holds the bank, and its kitty (P33, P34, P37, S1, S9 to S11)."""

from __future__ import annotations

from pontoon_env._jit import kernel
from pontoon_env.engine.deal import clear_table, left_of
from pontoon_env.engine.hands import is_natural, seat_of
from pontoon_env.engine.pack import emit, shuffle_pack
from pontoon_env.rules import BankPasses, RulesRecord
from pontoon_env.state import BankReason, Event, Game, Move, Phase


@kernel
def end_deal(rules: RulesRecord, game: Game) -> None:
    """End the session, or pass the bank, or offer it (P5, P33, P34, P37)."""
    if game["deal"] + 1 == rules["deals"]:
        _take_kitty(game)
        game["phase"] = Phase.OVER
        emit(game, Event.END, game["banker"], 0, 0)
        return
    if rules["bank_passes"] == BankPasses.ROTATION:
        _change_bank(game, left_of(rules, game["banker"]), BankReason.ROTATION)
        game["phase"] = Phase.SHUFFLE
        return
    if rules["bank_passes"] == BankPasses.NATURAL:
        game["seat"] = game["banker"]
        if _next_natural(rules, game):
            if rules["bank_refusable"] != 0:
                game["phase"] = Phase.ACCEPT_BANK
            else:
                _change_bank(game, game["seat"], BankReason.NATURAL)
                game["phase"] = Phase.SHUFFLE
            return
    _offer_or_go_on(rules, game)


@kernel
def _next_natural(rules: RulesRecord, game: Game) -> bool:
    """Turn to the next player with a natural, up to the banker; tell whether there is one (P33)."""
    game["hand"] = 0
    game["seat"] = left_of(rules, game["seat"])
    while game["seat"] != game["banker"]:
        if is_natural(seat_of(game, game["seat"])):
            return True
        game["seat"] = left_of(rules, game["seat"])
    return False


@kernel
def answer_natural(rules: RulesRecord, game: Game, move: int) -> None:
    """Take the bank that a natural won, or leave it to the next natural (``bank_refusable``)."""
    if move == Move.ACCEPT:
        _change_bank(game, game["seat"], BankReason.NATURAL)
        game["phase"] = Phase.SHUFFLE
    elif not _next_natural(rules, game):
        _offer_or_go_on(rules, game)


@kernel
def _offer_or_go_on(rules: RulesRecord, game: Game) -> None:
    """Ask the banker for an offer where the bank may be sold, else go on (P34)."""
    game["seat"] = game["banker"]
    game["hand"] = 0
    game["phase"] = Phase.OFFER if rules["bank_sale"] != 0 else Phase.SHUFFLE


@kernel
def offer_bank(rules: RulesRecord, game: Game, move: int, chips: int) -> None:
    """Name a price for the bank, or keep it (P34)."""
    if move == Move.OFFER:
        game["price"] = chips
        game["phase"] = Phase.SALE
        game["seat"] = left_of(rules, game["banker"])
    else:
        game["phase"] = Phase.SHUFFLE


@kernel
def answer_offer(rules: RulesRecord, game: Game, move: int) -> None:
    """Buy the bank at the price named, or decline (P34)."""
    if move == Move.ACCEPT:
        _buy_bank(game, game["seat"], BankReason.SALE)
        game["phase"] = Phase.SHUFFLE
        return
    game["seat"] = left_of(rules, game["seat"])
    if game["seat"] == game["banker"]:
        game["phase"] = Phase.SHUFFLE


@kernel
def _buy_bank(game: Game, seat: int, reason: int) -> None:
    """Pay the banker ``price`` and take the bank (P34, S10)."""
    seat_of(game, seat)["chips"] -= game["price"]
    seat_of(game, game["banker"])["chips"] += game["price"]
    _change_bank(game, seat, reason)


@kernel
def _change_bank(game: Game, seat: int, reason: int) -> None:
    """Make a seat the banker; the old one takes what the kitty holds (P33, S11)."""
    _take_kitty(game)
    game["banker"] = seat
    game["is_bank_new"] = 1
    emit(game, Event.BANK, seat, 0, reason)


@kernel
def _take_kitty(game: Game) -> None:
    """Give the kitty to the banker (S11)."""
    seat_of(game, game["banker"])["chips"] += game["kitty"]
    game["kitty"] = 0


@kernel
def shuffle_if_due(rules: RulesRecord, game: Game) -> None:
    """Clear the table, shuffle where it is due, then see to the kitty (P32, P37)."""
    clear_table(rules, game)
    game["deal"] += 1
    if game["is_shuffle_due"] != 0:
        game["is_shuffle_due"] = 0
        shuffle_pack(rules, game)
        emit(game, Event.SHUFFLE, game["banker"], 0, 0)
    game["seat"] = game["banker"]
    game["hand"] = 0
    if rules["shoot"] == 0:
        game["phase"] = Phase.FIRST_CARDS
    elif game["is_bank_new"] != 0:
        game["phase"] = Phase.FORM_KITTY
    elif game["kitty"] > 0:
        game["phase"] = Phase.TOP_UP
    else:
        game["phase"] = Phase.DRY_KITTY


@kernel
def fill_kitty(game: Game, move: int, chips: int) -> None:
    """Put chips of the banker's into the kitty, or none; then the deal begins (S1, S9)."""
    if move == Move.KITTY:
        seat_of(game, game["banker"])["chips"] -= chips
        game["kitty"] += chips
    game["phase"] = Phase.FIRST_CARDS


@kernel
def refill_dry_kitty(rules: RulesRecord, game: Game, move: int, chips: int) -> None:
    """Form a new kitty, or put the bank up to auction (S10)."""
    if move == Move.KITTY:
        fill_kitty(game, move, chips)
        return
    game["phase"] = Phase.BID
    game["seat"] = left_of(rules, game["banker"])


@kernel
def bid(rules: RulesRecord, game: Game, move: int, chips: int) -> None:
    """Bid for the bank, sealed, or pass; after the last bid the highest takes it (S10)."""
    if move == Move.BID:
        seat_of(game, game["seat"])["bid"] = chips
    game["seat"] = left_of(rules, game["seat"])
    if game["seat"] != game["banker"]:
        return
    winner = game["banker"]
    seat = left_of(rules, game["banker"])
    while seat != game["banker"]:
        if seat_of(game, seat)["bid"] > seat_of(game, winner)["bid"]:
            winner = seat
        seat = left_of(rules, seat)
    if winner != game["banker"]:
        game["price"] = seat_of(game, winner)["bid"]
        _buy_bank(game, winner, BankReason.AUCTION)
    game["seat"] = game["banker"]
    game["phase"] = Phase.FORM_KITTY
