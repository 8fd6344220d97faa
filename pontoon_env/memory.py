"""What a perfect memory knows of the pack: which cards come next, or what they may be (P26, P31).

Whoever remembers every card that was shown knows the order of the cards that went under the pack
since the last shuffle: bust hands are shown when they bust, the live ones at settlement, and all go
under in public order. Above them lie the fresh cards, which nobody has seen: ``n_fresh`` of them.
While there are any, every hidden card on the table was fresh too when it was dealt; so the next
card is any of the fresh ones and the other seats' hidden ones, alike. The cards after the last
fresh one are known, each in its place; once they are dealt, so is every hidden one of them. A
record of a game holds more than that; these kernels read no more.

Where the gathered cards go under the pack at random (``under_pack``), no order is remembered: then
the cards of the pack and the hidden ones are known in sum alone.

`write_memory` puts it into an observation that has room for it.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pontoon_env._jit import kernel
from pontoon_env.cards import ACE, EVEN_PACK, N_CARDS, N_PIPS, N_SUITS
from pontoon_env.engine.hands import points
from pontoon_env.observation import (
    EXCESS_SCALE,
    N_CARDS_TO_COME,
    N_MEMORY,
    N_MEMORY_SEAT,
    MemorySeatSlot,
    MemorySlot,
    visible_cards,
)
from pontoon_env.rules import RulesRecord
from pontoon_env.state import MAX_PACK_CARDS, TARGET, Game

_PART_OF_PACK: Final = 1.0 / N_CARDS
_PART_OF_PIPS: Final = 1.0 / N_PIPS
_PART_OF_21: Final = 1.0 / TARGET


@kernel
def remembers_order(rules: RulesRecord) -> bool:
    """Tell whether the cards below the fresh ones are known, each in its place."""
    return rules["packs"] != 0 and rules["random_under_pack"] == 0


@kernel
def knows_next_cards(rules: RulesRecord, game: Game) -> bool:
    """Tell whether the cards to come are known, each in its place."""
    return remembers_order(rules) and game["n_fresh"] == 0


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


@kernel
def write_memory(
    rules: RulesRecord, game: Game, seat: int, out: NDArray[np.float32], row: int, base: int
) -> None:
    """Write what ``seat`` knows that remembers every card shown since the last shuffle.

    With an infinite pack that is nothing. A shuffle that is due counts as made: the cards under the
    pack are not to come.

    Args:
        rules: The rules.
        game: At a decision, or over.
        seat: Who remembers.
        out: Out, float32 ``(n, observation_size)`` with memory; all zero there before.
        row: Which row of ``out`` to write.
        base: Where in the row what is remembered begins.
    """
    n_packs = rules["packs"]
    if n_packs == 0:
        return
    out[row, base + MemorySlot.IS_ORDERED] = remembers_order(rules)
    if game["is_shuffle_due"] != 0:
        out[row, base + MemorySlot.FRESH] = 1.0
        out[row, base + MemorySlot.N_UNKNOWN] = n_packs
        return
    n_fresh = game["n_fresh"]
    out[row, base + MemorySlot.FRESH] = n_fresh * _PART_OF_PACK / n_packs
    cards = np.zeros(N_PIPS)
    count_unknown(rules, game, seat, cards)
    out[row, base + MemorySlot.N_UNKNOWN] = cards.sum() * _PART_OF_PACK
    to_deviations(cards)
    for pips in range(1, N_PIPS):
        out[row, base + MemorySlot.EXCESS + pips - 1] = cards[pips] * EXCESS_SCALE
    if not remembers_order(rules):
        return
    for place in range(n_fresh, min(N_CARDS_TO_COME, game["n_pack"])):
        pips = points(card_to_come(game, place))
        out[row, base + MemorySlot.TO_COME + place] = pips * _PART_OF_PIPS
    base += N_MEMORY
    comes_second = game["seats"][game["banker"]]["hands"][0]["n_cards"] == 1
    for place in range(rules["seats"]):
        other = seat + place if seat + place < rules["seats"] else seat + place - rules["seats"]
        if knows_hand(rules, game, other):
            _write_hidden(rules, game, seat, other, out, row, base)
        turn = place_of(rules, game, other)
        if comes_second and n_fresh <= turn < game["n_pack"]:
            pips = points(card_to_come(game, turn))
            out[row, base + MemorySeatSlot.SECOND] = pips * _PART_OF_PIPS
        base += N_MEMORY_SEAT


@kernel
def _write_hidden(
    rules: RulesRecord,
    game: Game,
    seat: int,
    other: int,
    out: NDArray[np.float32],
    row: int,
    base: int,
) -> None:
    """Write the `MemorySeatSlot` part of a seat whose cards are known."""
    owner = game["seats"][other]
    count = 0
    for i in range(owner["n_hands"]):
        hand = owner["hands"][i]
        hidden = ~visible_cards(rules, game, seat, other, hand)
        for place in range(hand["n_cards"]):
            if (hidden >> place) & 1 != 0:
                card = hand["cards"][place]
                count += points(card)
                if card // N_SUITS == ACE:
                    out[row, base + MemorySeatSlot.ACE] = 1.0
    out[row, base + MemorySeatSlot.COUNT] = count * _PART_OF_21
