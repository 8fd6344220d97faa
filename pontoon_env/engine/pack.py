"""The pack: drawing from its top, going under it, shuffling (P9, P31, P32, P35)."""

from __future__ import annotations

from typing import Final

import numpy as np

from pontoon_env._jit import inlined, kernel
from pontoon_env.cards import N_CARDS
from pontoon_env.engine.hands import hand_of
from pontoon_env.random_stream import Purpose, draw_below, shuffle
from pontoon_env.rules import RulesRecord
from pontoon_env.state import MAX_EVENTS, MAX_PACK_CARDS, Event, Game, Hand

_PLACE_BITS: Final = 127
"""No place of the pack has other bits: see `hands.seat_of`."""


@inlined
def after(place: int) -> int:
    """Return the place after one of the pack, which is a ring."""
    return place + 1 if place + 1 < MAX_PACK_CARDS else 0


@inlined
def emit(game: Game, event: int, seat: int, hand: int, card: int) -> None:
    """Add to what has happened since the last decision."""
    n = game["n_events"]
    if n < MAX_EVENTS:
        row = game["events"][n]
        row[0] = event
        row[1] = seat
        row[2] = hand
        row[3] = card
        game["n_events"] = n + 1


@inlined
def cards_left(rules: RulesRecord, game: Game) -> int:
    """Return how many cards can still be drawn (P35); an infinite pack has always enough."""
    if rules["packs"] == 0:
        return N_CARDS
    return game["n_pack"]


@inlined
def _draw(rules: RulesRecord, game: Game) -> int:
    """Take the top card; from an infinite pack, a stacked card first, then any of the 52."""
    game["drawn"] += 1
    if game["n_pack"] == 0 and rules["packs"] == 0:
        return draw_below(game, Purpose.CARD, game["drawn"], N_CARDS)
    top = game["top"]
    game["top"] = after(top)
    game["n_pack"] -= 1
    is_fresh = 1 if game["n_fresh"] > 0 else 0
    game["n_fresh"] -= is_fresh
    game["fresh_drawn"] += is_fresh
    return np.int64(game["pack"][top & _PLACE_BITS])  # type: ignore[return-value]


@inlined
def give(rules: RulesRecord, game: Game, seat: int, hand: int, is_up: bool) -> None:
    """Deal the top card to a hand, face up or down (P10, P13, P20, P21, P28)."""
    held = hand_of(game, seat, hand)
    n = held["n_cards"]
    is_fresh = 1 if game["n_fresh"] > 0 else 0
    held["fresh"] |= is_fresh << n
    card = _draw(rules, game)
    held["cards"][n] = card
    held["n_cards"] = n + 1
    event = Event.CARD_DOWN
    if is_up:
        held["up"] |= 1 << n
        event = Event.CARD_UP
    emit(game, event, seat, hand, card)


@kernel
def put_under(rules: RulesRecord, game: Game, hand: Hand) -> None:
    """Put a hand's cards under the pack as they arrived (P25, P31); its record stays."""
    if rules["packs"] == 0:
        return
    place = game["top"] + game["n_pack"]
    if place >= MAX_PACK_CARDS:
        place -= MAX_PACK_CARDS
    n_cards = hand["n_cards"]
    for i in range(n_cards):
        game["pack"][place & _PLACE_BITS] = hand["cards"][i]
        place = after(place)
    game["n_pack"] += n_cards


@kernel
def shuffle_pack(rules: RulesRecord, game: Game) -> None:
    """Bring the whole pack into the order that belongs to this deal (P9, P32).

    It starts from the sorted pack, so that the order depends on the deal alone. It is uniform,
    which a cut does not change.
    """
    game["top"] = 0
    game["n_pack"] = N_CARDS * rules["packs"]
    game["n_fresh"] = game["n_pack"]
    for first in range(0, game["n_pack"], N_CARDS):
        for card in range(N_CARDS):
            game["pack"][(first + card) & _PLACE_BITS] = card
    shuffle(game["pack"], game["n_pack"], game, Purpose.SHUFFLE)


@kernel
def mix_bottom(game: Game, n: int) -> None:
    """Bring the last ``n`` cards of the pack into random order (``under_pack=random``)."""
    first = game["top"] + game["n_pack"] - n
    for i in range(n - 1, 0, -1):
        j = draw_below(game, Purpose.GATHER, i, i + 1)
        a = (first + i) % MAX_PACK_CARDS
        b = (first + j) % MAX_PACK_CARDS
        kept = game["pack"][a]
        game["pack"][a] = game["pack"][b]
        game["pack"][b] = kept
