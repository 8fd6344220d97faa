"""The agent ``counter`` as the banker: it reads what it does not know, and knows the rest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_env._jit import kernel
from pontoon_env.cards import ACE, ACE_BONUS, N_PIPS, N_SUITS
from pontoon_env.engine.hands import (
    Strength,
    best_total,
    has_ace,
    lowest_count,
    points,
)
from pontoon_env.memory import card_to_come, count_unknown, knows_next_cards
from pontoon_env.opponents.bayes import (
    to_chances,
    unseen_cards,
    value_of_drawing,
    weigh_hands,
)
from pontoon_env.opponents.posterior import N_STRENGTHS
from pontoon_env.rules import RulesRecord
from pontoon_env.state import MAX_HAND_CARDS, TARGET, Game, Hand, Move


@kernel
def choose_as_counting_banker(rules: RulesRecord, game: Game) -> int:
    """Draw or stay (P28)."""
    hand = game["seats"][game["banker"]]["hands"][0]
    paid = np.zeros(N_STRENGTHS)
    pack = np.zeros(N_PIPS)
    if rules["packs"] == 0:
        unseen_cards(rules, game, pack)
    else:
        count_unknown(rules, game, game["banker"], pack)
    weigh_hands(rules, game, paid, pack, True)
    if knows_next_cards(rules, game):
        drawing = _best_of_known_draws(game, hand, paid)
    else:
        to_chances(rules, pack)
        drawing = value_of_drawing(hand, paid, pack)
    return Move.TWIST if drawing > paid[best_total(hand)] else Move.STICK


@kernel
def _best_of_known_draws(game: Game, hand: Hand, paid: NDArray[np.float64]) -> float:
    """Return what the best number of draws, one at least, is paid where they are known."""
    count = lowest_count(hand)
    ace = has_ace(hand)
    best: float = paid[Strength.BUST]
    for place in range(min(MAX_HAND_CARDS - hand["n_cards"], game["n_pack"])):
        card = card_to_come(game, place)
        count += points(card)
        ace |= card // N_SUITS == ACE
        if count > TARGET:
            break
        if hand["n_cards"] + place + 1 == MAX_HAND_CARDS:
            end: int = Strength.TRICK
        else:
            end = count + ACE_BONUS if ace and count + ACE_BONUS <= TARGET else count
        if place == 0 or paid[end] > best:
            best = paid[end]
        if count == TARGET:
            break
    return best
