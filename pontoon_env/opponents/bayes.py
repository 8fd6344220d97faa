"""The agent ``bayes``: as the banker it reads the players' hands; as a player it is ``basic``.

The banker's one choice, to draw or to stay (P28), is made against all hands at once, each for its
own stake. So ``bayes`` asks what each live hand holds. It has not seen the cards, but it has seen
how they were played: `posterior` turns the stake on the first card, each price paid, each card
twisted and the sticking in the end into the chances of every strength, for a player who plays as
``basic`` does but for a share of other styles.

From that follows what ending on each strength would be paid, all hands and shoot bets summed
(P30, S7), and the choice is the better of staying and drawing, where drawing goes on as well as
possible. The next cards are those that do not lie face up, without those that the players' hidden
hands may be expected to hold: whoever stuck on two cards holds more tens than the pack does, and so
a table that has stuck leaves a pack that busts the banker less often.

What the reading is worth, against a banker who looks at totals alone: a high stake on a hand that
bought nothing is an ace, a two or a three with a good second card; a hand of four bought cards
lives by its trick or is low; and where the stakes of the tables differ ten to one, one of the hands
decides. Against players who do not play as supposed it loses most of that, and little more: the
share of other styles keeps every strength possible.

Because it banks better, the bank is worth more to it than to ``basic`` (`bank`). All choices of a
player it makes as ``basic``.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pontoon_env._jit import kernel
from pontoon_env.cards import ACE_BONUS, EVEN_PACK, N_PIPS, TEN_POINTS
from pontoon_env.engine.hands import (
    Strength,
    best_total,
    has_ace,
    lowest_count,
    player_strength,
    points,
)
from pontoon_env.engine.settlement import HALVES, stakes_won
from pontoon_env.memory import knows_hand
from pontoon_env.opponents.basic import choose_basic
from pontoon_env.opponents.posterior import N_COUNTS, N_STRENGTHS, read_hand
from pontoon_env.rules import RulesRecord
from pontoon_env.state import MAX_HAND_CARDS, TARGET, Game, Hand, HandStatus, Move, Phase

_OF_A_PACK: Final = 4.0 * 13.0
_LEAST_SHARE: Final = 0.02
"""Least number of cards of some pips that is supposed to be left: what hands hold is a guess."""


@kernel
def choose_bayes(rules: RulesRecord, game: Game, moves: int) -> tuple[int, int]:
    """Choose as ``bayes``, for the seat to act."""
    if game["phase"] != Phase.BANKER:
        return choose_basic(rules, game, moves, 1)
    hand = game["seats"][game["banker"]]["hands"][0]
    paid = np.zeros(N_STRENGTHS)
    pack = np.zeros(N_PIPS)
    weigh_table(rules, game, paid, pack)
    draws = value_of_drawing(hand, paid, pack) > paid[best_total(hand)]
    return Move.TWIST if draws else Move.STICK, 0


@kernel
def weigh_table(
    rules: RulesRecord, game: Game, paid: NDArray[np.float64], pack: NDArray[np.float64]
) -> None:
    """Write what each strength of the banker may expect to be paid, and the chances of a card.

    Args:
        rules: The rules.
        game: In the banker's turn.
        paid: Out, chips, ``(25,)``, all 0 before: by the banker's `Strength` or total.
        pack: Out, ``(11,)``: chances of the next card by its pips.
    """
    unseen_cards(rules, game, pack)
    weigh_hands(rules, game, paid, pack, False)
    to_chances(rules, pack)


@kernel
def weigh_hands(
    rules: RulesRecord,
    game: Game,
    paid: NDArray[np.float64],
    pack: NDArray[np.float64],
    remembers: bool,
) -> None:
    """Write what each strength is expected to be paid, and take the hands' cards from the pack.

    Args:
        rules: The rules.
        game: In the banker's turn.
        paid: Out, chips, ``(25,)``, all 0 before.
        pack: Changed, ``(11,)``: numbers of cards that may come or be hidden, by pips.
        remembers: Whether the banker knows the hands that were dealt from the remembered cards.
    """
    stakes = np.zeros(N_STRENGTHS)
    bets = np.zeros(N_STRENGTHS)
    chances = np.zeros(N_STRENGTHS)
    for seat in range(rules["seats"]):
        if seat == game["banker"]:
            continue
        owner = game["seats"][seat]
        is_known = remembers and knows_hand(rules, game, seat)
        for i in range(owner["n_hands"]):
            hand = owner["hands"][i]
            if hand["status"] == HandStatus.BUST:
                continue
            for rank in range(N_STRENGTHS):
                chances[rank] = 0.0
            if is_known:
                chances[player_strength(rules, owner, hand)] = 1.0
            else:
                read_hand(rules, game, owner, hand, chances, pack)
            for rank in range(N_STRENGTHS):
                stakes[rank] += chances[rank] * hand["stake"]
                bets[rank] += chances[rank] * hand["bet"]
    expect_payments(rules, game, stakes, bets, paid)


@kernel
def unseen_cards(rules: RulesRecord, game: Game, cards: NDArray[np.float64]) -> None:
    """Write how many cards of each number of pips do not lie face up, ``(11,)``.

    Args:
        rules: The rules; of an infinite pack there are as many as of two packs.
        game: In the banker's turn.
        cards: Out.
    """
    n_packs = 2 if rules["packs"] == 0 else rules["packs"]
    for pips in range(1, N_PIPS):
        cards[pips] = _OF_A_PACK * n_packs * EVEN_PACK[pips]
    for seat in range(rules["seats"]):
        owner = game["seats"][seat]
        for i in range(owner["n_hands"]):
            hand = owner["hands"][i]
            if hand["up"] != 0:
                for card in range(hand["n_cards"]):
                    if (hand["up"] >> card) & 1 != 0:
                        cards[points(hand["cards"][card])] -= 1.0


@kernel
def to_chances(rules: RulesRecord, cards: NDArray[np.float64]) -> None:
    """Turn numbers of cards by pips into chances of the next card, in place."""
    n_cards = 0.0
    for pips in range(1, N_PIPS):
        if rules["packs"] == 0:
            cards[pips] = EVEN_PACK[pips]
        elif cards[pips] < _LEAST_SHARE:
            cards[pips] = _LEAST_SHARE
        n_cards += cards[pips]
    for pips in range(1, N_PIPS):
        cards[pips] /= n_cards


@kernel
def expect_payments(
    rules: RulesRecord,
    game: Game,
    stakes: NDArray[np.float64],
    bets: NDArray[np.float64],
    paid: NDArray[np.float64],
) -> None:
    """Write what the live hands are expected to pay for each strength of the banker (P30, S7).

    Args:
        rules: The rules.
        game: In the banker's turn.
        stakes: Stakes by the strength of the hands that they lie on, ``(25,)``.
        bets: Shoot bets, likewise.
        paid: Out, chips, ``(25,)``, all 0 before; strengths that the banker cannot reach stay 0.
    """
    least = lowest_count(game["seats"][game["banker"]]["hands"][0])
    for rank in range(N_STRENGTHS):
        if stakes[rank] <= 0.0:
            continue
        for own in range(Strength.TRICK + 1):
            if Strength.BUST < own < least:
                continue
            won = stakes_won(rules, rank, own, False)
            if game["is_doubled"] != 0 and -2 * HALVES < won < 2 * HALVES and won != 0:
                won = 2 * HALVES if won > 0 else -2 * HALVES
            paid[own] -= stakes[rank] * won / HALVES
            paid[own] -= bets[rank] if won > 0 else -bets[rank] if won < 0 else 0.0


@kernel
def value_of_drawing(hand: Hand, paid: NDArray[np.float64], pack: NDArray[np.float64]) -> float:
    """Return what the banker may expect who draws now and goes on as well as possible, in chips.

    Args:
        hand: The banker's, of two to four cards.
        paid: What ending with each strength is paid, in chips, ``(25,)``.
        pack: Chances of the next card by its pips, ``(11,)``.
    """
    own_count = lowest_count(hand)
    own_ace = 1 if has_ace(hand) else 0
    values = np.zeros((MAX_HAND_CARDS + 1, N_COUNTS, 2))
    drawing = 0.0
    for n in range(MAX_HAND_CARDS - 1, hand["n_cards"] - 1, -1):
        top = own_count if n == hand["n_cards"] else TARGET - 1
        for count in range(own_count, top + 1):
            for ace in range(own_ace, 2):
                drawing = 0.0
                for pips in range(1, TEN_POINTS + 1):
                    after = count + pips
                    if after > TARGET:
                        drawing += pack[pips] * paid[Strength.BUST]
                    elif n + 1 == MAX_HAND_CARDS:
                        drawing += pack[pips] * paid[Strength.TRICK]
                    elif after == TARGET:
                        drawing += pack[pips] * paid[TARGET]
                    else:
                        drawing += pack[pips] * values[n + 1, after, 1 if pips == 1 else ace]
                if top == own_count and ace == own_ace:
                    return drawing
                total = count + ACE_BONUS if ace == 1 and count + ACE_BONUS <= TARGET else count
                values[n, count, ace] = max(drawing, paid[total])
    return drawing
