"""What a perfect memory knows of the pack: which cards come next, or what they may be (P26, P31).

Whoever remembers every card that was shown knows the order of the cards that went under the pack
since the last shuffle: bust hands are shown when they bust, the live ones at settlement, and all go
under in public order. Above them lie the fresh cards, which nobody has seen: ``n_fresh`` of them.
While there are any, every hidden card on the table was fresh too when it was dealt; so the next
card is any of the fresh ones and the other seats' hidden ones, alike. When there are none left, the
next card is known, and so is every hidden card that came after the last fresh one. A record of a
game holds more than that; these kernels read no more.

Where the gathered cards go under the pack at random (``under_pack``), no order is remembered: then
the cards of the pack and the hidden ones are known in sum alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_env._jit import kernel
from pontoon_env.cards import EVEN_PACK, N_PIPS
from pontoon_env.engine.hands import points
from pontoon_env.observation import visible_cards
from pontoon_env.rules import RulesRecord
from pontoon_env.state import MAX_PACK_CARDS, Game


@kernel
def knows_next_cards(rules: RulesRecord, game: Game) -> bool:
    """Tell whether the cards to come are known, each in its place."""
    is_ordered = rules["packs"] != 0 and rules["random_under_pack"] == 0
    return is_ordered and game["n_fresh"] == 0


@kernel
def card_to_come(game: Game, place: int) -> int:
    """Return the card that comes after ``place`` others; see `knows_next_cards`."""
    at = game["top"] + place
    return np.int64(game["pack"][at if at < MAX_PACK_CARDS else at - MAX_PACK_CARDS])  # type: ignore[return-value]


@kernel
def place_of(rules: RulesRecord, game: Game, seat: int) -> int:
    """Return how many seats are dealt to before ``seat`` in a round of the deal (P10)."""
    place = seat - game["banker"] - 1
    return place if place >= 0 else place + rules["seats"]


@kernel
def knows_hand(rules: RulesRecord, game: Game, seat: int) -> bool:
    """Tell whether all cards of another seat are known, as `knows_next_cards` knows those to come.

    The first card is dealt first, so that it is enough to look at.
    """
    return knows_next_cards(rules, game) and game["fresh_drawn"] <= place_of(rules, game, seat)


@kernel
def count_unknown(rules: RulesRecord, game: Game, seat: int, cards: NDArray[np.float64]) -> None:
    """Write how many of the cards that may come next there are, by pips, ``(11,)``.

    Args:
        rules: The rules; of a finite pack.
        game: At a decision.
        seat: Who remembers.
        cards: Out.
    """
    for pips in range(N_PIPS):
        cards[pips] = 0.0
    n_cards = game["n_fresh"] if game["n_fresh"] > 0 else game["n_pack"]
    for place in range(n_cards):
        cards[points(card_to_come(game, place))] += 1.0
    for other in range(rules["seats"]):
        owner = game["seats"][other]
        for i in range(owner["n_hands"]):
            hand = owner["hands"][i]
            hidden = ~visible_cards(rules, game, seat, other, hand)
            for card in range(hand["n_cards"]):
                if (hidden >> card) & 1 != 0:
                    cards[points(hand["cards"][card])] += 1.0


@kernel
def to_deviations(cards: NDArray[np.float64]) -> None:
    """Turn numbers of cards by pips into deviations of their shares from an even pack's."""
    n_cards = 0.0
    for pips in range(1, N_PIPS):
        n_cards += cards[pips]
    for pips in range(1, N_PIPS):
        cards[pips] = cards[pips] / n_cards - EVEN_PACK[pips] if n_cards > 0.0 else 0.0
