"""A session: the phases tied together, and the one way to make a decision."""

from __future__ import annotations

from pontoon_env._jit import inlined, kernel
from pontoon_env.engine.bank import (
    answer_natural,
    answer_offer,
    bid,
    end_deal,
    fill_kitty,
    offer_bank,
    refill_dry_kitty,
    shuffle_if_due,
)
from pontoon_env.engine.deal import (
    deal_first_cards,
    deal_second_cards,
    double,
    place_stake,
    play_banker,
    play_hand,
    shoot_first,
    shoot_on_split,
    turn_up_banker,
)
from pontoon_env.engine.legality import amount_bounds, legal_moves
from pontoon_env.engine.pack import shuffle_pack
from pontoon_env.engine.settlement import settle
from pontoon_env.random_stream import Purpose, draw_below
from pontoon_env.rules import RulesRecord
from pontoon_env.state import N_AMOUNT_MOVES, N_MOVES, Game, Outcome, Phase


@kernel
def begin_session(rules: RulesRecord, game: Game) -> None:
    """Cut for the first bank and shuffle (P8, P9); the record holds its key, else zeros."""
    game["banker"] = draw_below(game, Purpose.CUT, 0, rules["seats"])
    game["seat"] = game["banker"]
    game["phase"] = Phase.FORM_KITTY if rules["shoot"] != 0 else Phase.FIRST_CARDS
    if rules["packs"] != 0:
        shuffle_pack(rules, game)


@inlined
def is_automatic(phase: int) -> bool:
    """Tell whether a phase is one in which nobody is asked."""
    return phase in (
        Phase.FIRST_CARDS,
        Phase.SECOND_CARDS,
        Phase.BANKER_CARDS,
        Phase.SETTLE,
        Phase.PASS_BANK,
        Phase.SHUFFLE,
    )


@kernel
def run_automatic_phase(rules: RulesRecord, game: Game) -> None:
    """Do what the present phase does without asking anybody."""
    phase = game["phase"]
    if phase == Phase.FIRST_CARDS:
        deal_first_cards(rules, game)
    elif phase == Phase.SECOND_CARDS:
        deal_second_cards(rules, game)
    elif phase == Phase.BANKER_CARDS:
        turn_up_banker(rules, game)
    elif phase == Phase.SETTLE:
        settle(rules, game)
    elif phase == Phase.PASS_BANK:
        end_deal(rules, game)
    elif phase == Phase.SHUFFLE:
        shuffle_if_due(rules, game)


@inlined
def advance(rules: RulesRecord, game: Game) -> None:
    """Run on until a seat must be asked or the session is over."""
    while is_automatic(game["phase"]):
        run_automatic_phase(rules, game)


@inlined
def check_decision(rules: RulesRecord, game: Game, moves: int, move: int, chips: int) -> int:
    """Return the `Outcome` that a decision would have where ``moves`` are legal, as bits."""
    if game["phase"] == Phase.OVER:
        return Outcome.SESSION_OVER
    if move < 0 or move >= N_MOVES or (moves >> move) & 1 == 0:
        return Outcome.ILLEGAL_MOVE
    if move < N_AMOUNT_MOVES:
        low, high = amount_bounds(rules, game, move)
        if chips < low or chips > high:
            return Outcome.ILLEGAL_AMOUNT
    return Outcome.OK


@inlined
def decide(rules: RulesRecord, game: Game, move: int, chips: int) -> int:
    """Make a decision of the seat to act, without running on.

    Args:
        rules: The rules.
        game: Changed in place; unchanged where the decision is refused.
        move: A `Move`.
        chips: Its amount in chips; not read where the move takes none.

    Returns:
        The `Outcome`.
    """
    outcome = check_decision(rules, game, legal_moves(rules, game), move, chips)
    if outcome == Outcome.OK:
        make_decision(rules, game, move, chips)
    return outcome


@inlined
def make_decision(rules: RulesRecord, game: Game, move: int, chips: int) -> None:
    """Make a decision that is legal; arguments as of `decide`."""
    game["decision"] += 1
    game["n_events"] = 0
    phase = game["phase"]
    if phase == Phase.PLAY:
        play_hand(rules, game, move, chips)
    elif phase == Phase.STAKE:
        place_stake(rules, game, chips)
    elif phase == Phase.BANKER:
        play_banker(rules, game, move)
    elif phase == Phase.SHOOT:
        shoot_first(rules, game, move, chips)
    elif phase == Phase.SPLIT_SHOOT:
        shoot_on_split(rules, game, move, chips)
    elif phase == Phase.DOUBLE:
        double(rules, game, move)
    elif phase == Phase.ACCEPT_BANK:
        answer_natural(rules, game, move)
    elif phase == Phase.OFFER:
        offer_bank(rules, game, move, chips)
    elif phase == Phase.SALE:
        answer_offer(rules, game, move)
    elif phase == Phase.DRY_KITTY:
        refill_dry_kitty(rules, game, move, chips)
    elif phase == Phase.BID:
        bid(rules, game, move, chips)
    else:
        fill_kitty(game, move, chips)
