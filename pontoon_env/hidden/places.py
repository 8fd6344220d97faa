"""Where hidden cards lie, and which cards they may be."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pontoon_env._jit import kernel
from pontoon_env.cards import N_CARDS
from pontoon_env.hidden.possible import cards_on_table, is_asked
from pontoon_env.observation import visible_cards
from pontoon_env.rules import RulesRecord
from pontoon_env.state import (
    MAX_HAND_CARDS,
    MAX_HANDS,
    MAX_PACK_CARDS,
    MAX_SEATS,
    Game,
    HandStatus,
    Phase,
)

FRESH: Final = 0
"""The pool of cards that nobody has seen since the last shuffle."""
BELOW: Final = 1
"""The pool of those that were below them in the pack, where no order is remembered."""
N_POOLS: Final = 2
MOST_HIDDEN: Final = MAX_SEATS * MAX_HANDS * MAX_HAND_CARDS
"""More cards than can be hidden."""

OWNER: Final = 0
HAND: Final = 1
CARD: Final = 2
POOL: Final = 3
IN_POOL: Final = 4
"""Columns of a hidden place: whose it is, which hand, which card of it, and where in which pool."""
N_COLUMNS: Final = 5


@kernel
def find_places(
    rules: RulesRecord, game: Game, seat: int, places: NDArray[np.int64]
) -> tuple[int, int, int]:
    """Write the places of hidden cards, those of a hand together.

    First come declared hands, of which the hidden card is a ten; then the hard ones, those of
    players whose turn has come, with most cards first, so that a draw that fails fails early; then
    the banker's and those of which nothing is known.

    Returns:
        How many places there are in declared hands; in those and hard ones; in all.
    """
    n_declared = 0
    n_hard = 0
    n = 0
    for rank in range(MAX_HAND_CARDS + 2, 0, -1):
        for owner in range(rules["seats"]):
            for i in range(game["seats"][owner]["n_hands"]):
                hand = game["seats"][owner]["hands"][i]
                if _rank_of(game, owner, i) != rank:
                    continue
                seen = visible_cards(rules, game, seat, owner, hand)
                for card in range(hand["n_cards"]):
                    is_fresh = (hand["fresh"] >> card) & 1 != 0
                    if (seen >> card) & 1 == 0 and (is_fresh or not _has_order(rules)):
                        places[n, OWNER] = owner
                        places[n, HAND] = i
                        places[n, CARD] = card
                        places[n, POOL] = FRESH if is_fresh else BELOW
                        n += 1
        if rank == MAX_HAND_CARDS + 2:
            n_declared = n
        elif rank == 2:
            n_hard = n
    return n_declared, n_hard, n


@kernel
def _rank_of(game: Game, owner: int, i: int) -> int:
    """Return where a hand stands in the order of drawing, from 7, the first, to 1."""
    hand = game["seats"][owner]["hands"][i]
    if hand["status"] == HandStatus.DECLARED:
        return MAX_HAND_CARDS + 2
    if owner == game["banker"] or (
        hand["status"] == HandStatus.OPEN and not is_asked(game, owner, i)
    ):
        return 1
    return hand["n_cards"]


@kernel
def _has_order(rules: RulesRecord) -> bool:
    """Tell whether a card that is not fresh is known, in its place, from before."""
    return rules["packs"] != 0 and rules["random_under_pack"] == 0


@kernel
def fill_pools(
    rules: RulesRecord,
    game: Game,
    places: NDArray[np.int64],
    n: int,
    pools: NDArray[np.int8],
    sizes: NDArray[np.int64],
) -> int:
    """Gather the cards that may lie otherwise: hidden ones in the order of places, then the pack's.

    Returns:
        How many cards at the bottom of the pack are known, each in its place.
    """
    sizes[:] = 0
    if rules["packs"] == 0:
        return 0
    for place in range(n):
        pool = places[place, POOL]
        places[place, IN_POOL] = sizes[pool]
        pools[pool, sizes[pool]] = card_on(game, places, place)
        sizes[pool] += 1
    n_known = game["n_pack"] - game["n_fresh"]
    if rules["random_under_pack"] != 0:
        n_known = min(n_known, game["drawn"] - cards_on_table(rules, game))
        if _is_gathered(game):
            n_known = 0
    for at in range(game["n_pack"] - n_known):
        pool = FRESH if at < game["n_fresh"] else BELOW
        pools[pool, sizes[pool]] = game["pack"][(game["top"] + at) % MAX_PACK_CARDS]
        sizes[pool] += 1
    return n_known


@kernel
def sort_pools(pools: NDArray[np.int8], sizes: NDArray[np.int64]) -> None:
    """Sort the cards of each pool, so that what is drawn does not follow from where they lay."""
    counts = np.zeros(N_CARDS, np.int64)
    for pool in range(N_POOLS):
        counts[:] = 0
        for at in range(sizes[pool]):
            counts[pools[pool, at]] += 1
        at = 0
        for card in range(N_CARDS):
            for _ in range(counts[card]):
                pools[pool, at] = card
                at += 1


@kernel
def _is_gathered(game: Game) -> bool:
    """Tell whether the cards of the deal have gone under the pack."""
    phase = game["phase"]
    return phase == Phase.OVER or Phase.SETTLE < phase <= Phase.SHUFFLE


@kernel
def end_of_hand(places: NDArray[np.int64], place: int, last: int) -> int:
    """Return the first place, up to ``last``, that is not in the hand of ``place``."""
    end = place + 1
    while (
        end < last
        and places[end, OWNER] == places[place, OWNER]
        and places[end, HAND] == places[place, HAND]
    ):
        end += 1
    return end


@kernel
def count_in_pool(places: NDArray[np.int64], n: int, pool: int) -> int:
    """Return how many of the first ``n`` places have their cards from a pool."""
    count = 0
    for place in range(n):
        if places[place, POOL] == pool:
            count += 1
    return count


@kernel
def card_on(game: Game, places: NDArray[np.int64], place: int) -> int:
    """Return the card on a place."""
    hand = game["seats"][places[place, OWNER]]["hands"][places[place, HAND]]
    return np.int64(hand["cards"][places[place, CARD]])  # type: ignore[return-value]


@kernel
def lay(game: Game, places: NDArray[np.int64], place: int, card: int) -> None:
    """Lay a card on a place."""
    hand = game["seats"][places[place, OWNER]]["hands"][places[place, HAND]]
    hand["cards"][places[place, CARD]] = card
