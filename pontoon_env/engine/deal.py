"""A deal, phase by phase in the order of play: cards, stakes, the players, the banker."""

from __future__ import annotations

from pontoon_env._jit import inlined, kernel
from pontoon_env.cards import ACE, N_SUITS
from pontoon_env.engine.hands import (
    Strength,
    best_total,
    hand_of,
    is_ace_and_ten,
    is_pontoon,
    lowest_count,
    player_strength,
    seat_of,
)
from pontoon_env.engine.pack import cards_left, emit, give, put_under
from pontoon_env.rules import RulesRecord
from pontoon_env.state import (
    ALL_UP,
    MAX_HAND_CARDS,
    TARGET,
    Event,
    Game,
    Hand,
    HandStatus,
    Move,
    Phase,
    Seat,
)


@inlined
def left_of(rules: RulesRecord, seat: int) -> int:
    """Return the next seat clockwise."""
    return seat + 1 if seat + 1 < rules["seats"] else 0


# First cards and stakes (P10 to P12).


@kernel
def clear_table(rules: RulesRecord, game: Game) -> None:
    """Take away the hands, stakes and bids of the deal before."""
    for place in range(rules["seats"]):
        _clear_seat(seat_of(game, place))
    game["is_doubled"] = 0
    game["decision"] = 0
    game["drawn"] = 0
    game["fresh_drawn"] = 0


@kernel
def deal_first_cards(rules: RulesRecord, game: Game) -> None:
    """Deal one card face down to each seat, the banker last (P10)."""
    game["is_bank_new"] = 0
    emit(game, Event.DEAL, game["banker"], 0, 0)
    seat = game["banker"]
    for _ in range(rules["seats"]):
        seat = left_of(rules, seat)
        seat_of(game, seat)["n_hands"] = 1
        give(rules, game, seat, 0, False)
    _ask_players(rules, game, Phase.STAKE)


@inlined
def _clear_seat(seat: Seat) -> None:
    """Take away what a seat had in the deal before."""
    seat["bid"] = 0
    seat["deal_net"] = 0
    seat["initial_stake"] = 0
    seat["n_hands"] = 0
    _clear_hand(seat["hands"][0])


@inlined
def _clear_hand(hand: Hand) -> None:
    """Make a hand a new one: no cards, no stakes, open."""
    hand["bet"] = 0
    hand["stake"] = 0
    hand["last_price"] = 0
    hand["n_cards"] = 0
    hand["up"] = 0
    hand["status"] = HandStatus.OPEN
    hand["is_twisted"] = 0
    hand["is_split_ace"] = 0
    hand["n_burns"] = 0
    hand["fresh"] = 0


@inlined
def _ask_players(rules: RulesRecord, game: Game, phase: int) -> None:
    """Ask the players in turn, from the banker's left."""
    game["phase"] = phase
    game["seat"] = left_of(rules, game["banker"])
    game["hand"] = 0


@inlined
def place_stake(rules: RulesRecord, game: Game, chips: int) -> None:
    """Stake on the first card; after the last player the stakes are closed (P12)."""
    seat = seat_of(game, game["seat"])
    seat["initial_stake"] = chips
    seat["hands"][0]["stake"] = chips
    game["seat"] = left_of(rules, game["seat"])
    if game["seat"] == game["banker"]:
        if rules["banker_doubles"] != 0:
            game["phase"] = Phase.DOUBLE
        else:
            _end_stakes(rules, game)


@kernel
def double(rules: RulesRecord, game: Game, move: int) -> None:
    """Double every payment of this deal, or leave it (``banker_doubles``)."""
    if move == Move.DOUBLE:
        game["is_doubled"] = 1
    _end_stakes(rules, game)


@inlined
def _end_stakes(rules: RulesRecord, game: Game) -> None:
    """Go on to the first shoot bets, in Shoot Pontoon, or to the second cards."""
    if rules["shoot"] != 0:
        _ask_players(rules, game, Phase.SHOOT)
    else:
        game["phase"] = Phase.SECOND_CARDS


@kernel
def shoot_first(rules: RulesRecord, game: Game, move: int, chips: int) -> None:
    """Bet against the kitty before the second card, or pass (S2)."""
    if move == Move.SHOOT:
        _add_bet(game, hand_of(game, game["seat"], 0), chips)
    game["seat"] = left_of(rules, game["seat"])
    if game["seat"] == game["banker"]:
        game["phase"] = Phase.SECOND_CARDS


@inlined
def _add_bet(game: Game, hand: Hand, chips: int) -> None:
    """Add a shoot bet to a hand; the kitty owes as much until it is settled (S2, S8)."""
    hand["bet"] += chips
    game["outstanding"] += chips


# Second cards (P13, P14).


@kernel
def deal_second_cards(rules: RulesRecord, game: Game) -> None:
    """Deal the second cards; a banker's pontoon ends the deal (P13, P14)."""
    seat = game["banker"]
    for _ in range(rules["seats"]):
        seat = left_of(rules, seat)
        give(rules, game, seat, 0, False)
    banker_hand = hand_of(game, game["banker"], 0)
    if is_ace_and_ten(banker_hand):
        banker_hand["status"] = HandStatus.DECLARED
        game["phase"] = Phase.SETTLE
    else:
        game["seat"] = left_of(rules, game["banker"])
        game["hand"] = 0
        ask_next_hand(rules, game)


# Players' turns (P15 to P25).


@inlined
def ask_next_hand(rules: RulesRecord, game: Game) -> None:
    """Ask for the next open hand, the present one first; after the last, turn to the banker."""
    while game["seat"] != game["banker"]:
        seat = seat_of(game, game["seat"])
        if game["hand"] >= seat["n_hands"]:
            game["seat"] = left_of(rules, game["seat"])
            game["hand"] = 0
        elif hand_of(game, game["seat"], game["hand"])["status"] != HandStatus.OPEN:
            game["hand"] += 1
        elif not close_if_done(rules, game, game["seat"], game["hand"]):
            game["phase"] = Phase.PLAY
            return
    game["phase"] = Phase.BANKER_CARDS


@inlined
def close_if_done(rules: RulesRecord, game: Game, seat: int, hand: int) -> bool:
    """Close a hand that nobody is asked for (P15, P23 to P25, P35); tell whether it is closed."""
    owner = seat_of(game, seat)
    held = hand_of(game, seat, hand)
    count = lowest_count(held)
    if count > TARGET:
        _bust(rules, game, seat, hand)
        return True
    if is_pontoon(rules, owner, held):
        _declare(game, seat, hand)
        return True
    total = best_total(held)
    is_soft_21 = total == TARGET and count != TARGET
    must_draw = total < rules["stick_min"]
    if (
        held["n_cards"] == MAX_HAND_CARDS
        or count == TARGET
        or (is_soft_21 and rules["soft21_draws"] == 0)
        or (held["is_split_ace"] != 0 and rules["split_aces_one_card"] != 0)
        or (must_draw and cards_left(rules, game) == 0)
    ):
        held["status"] = HandStatus.FINISHED
        return True
    return False


@kernel
def _declare(game: Game, seat: int, hand: int) -> None:
    """Show a pontoon: its ace goes up; a split hand's first card lies up already (P15, P18)."""
    held = hand_of(game, seat, hand)
    held["status"] = HandStatus.DECLARED
    held["up"] |= 1 if held["cards"][0] // N_SUITS == ACE else 2
    emit(game, Event.DECLARE, seat, hand, 0)


@kernel
def _bust(rules: RulesRecord, game: Game, seat: int, hand: int) -> None:
    """Show a bust hand: its stake is the banker's, its shoot bets the kitty's (P25, S6)."""
    owner = seat_of(game, seat)
    held = hand_of(game, seat, hand)
    held["status"] = HandStatus.BUST
    held["up"] = ALL_UP
    emit(game, Event.BUST, seat, hand, 0)
    pay(game, owner, -(1 + game["is_doubled"]) * held["stake"])
    settle_bet(game, owner, held, -1)
    put_under(rules, game, held)


@inlined
def pay(game: Game, player: Seat, chips: int) -> None:
    """Move chips from the banker to a player; a negative amount the other way (P4)."""
    banker = seat_of(game, game["banker"])
    player["chips"] += chips
    player["deal_net"] += chips
    banker["chips"] -= chips
    banker["deal_net"] -= chips


@inlined
def settle_bet(game: Game, player: Seat, hand: Hand, result: int) -> None:
    """Settle shoot bets one to one: won from the kitty (1), back (0), lost to it (-1) (S6, S7)."""
    bet = hand["bet"]
    hand["bet"] = 0
    game["outstanding"] -= bet
    game["kitty"] -= result * bet
    player["chips"] += result * bet
    player["deal_net"] += result * bet


@inlined
def play_hand(rules: RulesRecord, game: Game, move: int, chips: int) -> None:
    """Do a player's move with the hand in play (P16 to P22)."""
    seat = game["seat"]
    hand = game["hand"]
    held = hand_of(game, seat, hand)
    if move in (Move.BUY, Move.TWIST):
        game["must_draw"] = 0
        if move == Move.BUY:
            held["stake"] += chips
            held["last_price"] = chips
        else:
            held["is_twisted"] = 1
        give(rules, game, seat, hand, move == Move.TWIST)
        if close_if_done(rules, game, seat, hand):
            ask_next_hand(rules, game)
    elif move == Move.STICK:
        held["status"] = HandStatus.FINISHED
        ask_next_hand(rules, game)
    elif move == Move.SHOOT:
        _add_bet(game, held, chips)
        game["must_draw"] = 1
    elif move == Move.SPLIT:
        _split(seat_of(game, seat), hand)
        if rules["shoot"] != 0:
            game["phase"] = Phase.SPLIT_SHOOT
            game["hand"] = hand + 1
        else:
            _deal_to_halves(rules, game)
    else:
        _burn(rules, game, seat, hand)


@kernel
def _split(seat: Seat, hand: int) -> None:
    """Lay a pair as two hands, face up, a stake of E on each; shoot bets stay left (P16, S5)."""
    hands = seat["hands"]
    for place in range(seat["n_hands"], hand + 1, -1):
        _move_waiting_hand(hands[place - 1], hands[place])
    seat["n_hands"] += 1
    left = hands[hand]
    right = hands[hand + 1]
    bet = left["bet"]
    left_card = left["cards"][0]
    right_card = left["cards"][1]
    _lay_half(left, left_card, seat["initial_stake"])
    _lay_half(right, right_card, seat["initial_stake"])
    left["bet"] = bet


@kernel
def _move_waiting_hand(source: Hand, target: Hand) -> None:
    """Move a split hand that waits for its turn one place to the right (P17)."""
    _clear_hand(target)
    target["bet"] = source["bet"]
    target["stake"] = source["stake"]
    target["n_cards"] = source["n_cards"]
    for i in range(source["n_cards"]):
        target["cards"][i] = source["cards"][i]
    target["up"] = source["up"]
    target["fresh"] = source["fresh"]
    target["is_split_ace"] = source["is_split_ace"]


@kernel
def _lay_half(hand: Hand, card: int, stake: int) -> None:
    """Begin half of a split hand with one card, face up (P16)."""
    _clear_hand(hand)
    hand["stake"] = stake
    hand["cards"][0] = card
    hand["n_cards"] = 1
    hand["up"] = 1
    hand["is_split_ace"] = card // N_SUITS == ACE


@kernel
def shoot_on_split(rules: RulesRecord, game: Game, move: int, chips: int) -> None:
    """Bet on the other half of a split hand, or pass; then its cards come (S5)."""
    if move == Move.SHOOT:
        _add_bet(game, hand_of(game, game["seat"], game["hand"]), chips)
    game["hand"] -= 1
    _deal_to_halves(rules, game)


@kernel
def _deal_to_halves(rules: RulesRecord, game: Game) -> None:
    """Deal one card face down to each half, the left one first, and go on with it (P16)."""
    give(rules, game, game["seat"], game["hand"], False)
    give(rules, game, game["seat"], game["hand"] + 1, False)
    ask_next_hand(rules, game)


@kernel
def _burn(rules: RulesRecord, game: Game, seat: int, hand: int) -> None:
    """Show a hand, put it under the pack and deal two new cards, face down (``burn``)."""
    held = hand_of(game, seat, hand)
    put_under(rules, game, held)
    held["n_cards"] = 0
    held["up"] = 0
    held["fresh"] = 0
    held["n_burns"] += 1
    give(rules, game, seat, hand, False)
    give(rules, game, seat, hand, False)
    ask_next_hand(rules, game)


# The banker's turn (P28, P29).


@kernel
def turn_up_banker(rules: RulesRecord, game: Game) -> None:
    """Turn up the banker's cards; ask, or play by ``banker_rule``, where it matters (P28, P29)."""
    banker = game["banker"]
    hand = hand_of(game, banker, 0)
    game["seat"] = banker
    game["hand"] = 0
    hand["up"] = ALL_UP
    game["phase"] = Phase.SETTLE
    if nothing_can_change(rules, game):
        return
    if rules["banker_sticks_on"] == 0:
        if not _is_banker_done(rules, game):
            game["phase"] = Phase.BANKER
        return
    while not _is_banker_done(rules, game) and _fixed_rule_draws(rules, hand):
        give(rules, game, banker, 0, True)


@kernel
def nothing_can_change(rules: RulesRecord, game: Game) -> bool:
    """Tell whether every player's hand is bust or above anything the banker can reach (P29)."""
    safe = Strength.ROYAL if rules["trick_beats_pontoon"] != 0 else Strength.PONTOON
    for seat in range(rules["seats"]):
        if seat == game["banker"]:
            continue
        player = seat_of(game, seat)
        for hand in range(player["n_hands"]):
            rank = player_strength(rules, player, player["hands"][hand])
            if rank != Strength.BUST and rank < safe:
                return False
    return True


@inlined
def _is_banker_done(rules: RulesRecord, game: Game) -> bool:
    """Tell whether the banker's hand has ended by itself (P29, P35)."""
    hand = hand_of(game, game["banker"], 0)
    is_full = hand["n_cards"] == MAX_HAND_CARDS or cards_left(rules, game) == 0
    return is_full or lowest_count(hand) >= TARGET


@kernel
def _fixed_rule_draws(rules: RulesRecord, hand: Hand) -> bool:
    """Tell whether ``banker_rule`` draws to the banker's hand."""
    total = best_total(hand)
    if total == rules["banker_sticks_on"] and rules["banker_draws_soft"] != 0:
        return total != lowest_count(hand)
    return total < rules["banker_sticks_on"]


@inlined
def play_banker(rules: RulesRecord, game: Game, move: int) -> None:
    """Draw a card face up, or stay (P28)."""
    if move == Move.TWIST:
        give(rules, game, game["banker"], 0, True)
        if not _is_banker_done(rules, game):
            return
    game["phase"] = Phase.SETTLE
