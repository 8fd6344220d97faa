"""Drawing a world: cards for the hidden places, the rest for the pack.

Below, ``places`` are the hidden ones, ``pools[p, :sizes[p]]`` the cards of a pool: first those of
its places, in their order, then those that lie in the pack. Before the places have been drawn they
are sorted.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pontoon_env._jit import kernel, word_kernel
from pontoon_env.cards import N_CARDS
from pontoon_env.engine.hands import is_ace_and_ten
from pontoon_env.hidden.places import (
    FRESH,
    HAND,
    IN_POOL,
    N_POOLS,
    OWNER,
    POOL,
    card_on,
    count_in_pool,
    end_of_hand,
    lay,
)
from pontoon_env.hidden.possible import can_be, is_pointless
from pontoon_env.random_stream import below
from pontoon_env.rules import RulesRecord
from pontoon_env.state import MAX_PACK_CARDS, Game

MOST_ROUNDS: Final = 200
"""Rounds of drawing before cards are exchanged; each is `N_IN_TURN` draws of hands in turn, and one
of hands apart."""
N_IN_TURN: Final = 8
MOST_OF_A_HAND: Final = 500
"""Draws of a hand apart before the world is given up."""
N_EXCHANGES: Final = 4000
"""Exchanges from the true cards on, many times the number of hidden ones."""

_STEP: Final = np.uint64(0x9E3779B97F4A7C15)
_MIX_1: Final = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2: Final = np.uint64(0x94D049BB133111EB)
_SHIFTS: Final = (np.uint64(30), np.uint64(27), np.uint64(31))
_UPPER_HALF: Final = np.uint64(32)


@kernel
def draw_world(
    rules: RulesRecord,
    game: Game,
    places: NDArray[np.int64],
    n_declared: int,
    n_hard: int,
    n: int,
    pools: NDArray[np.int8],
    sizes: NDArray[np.int64],
    has_run_out: bool,
    stream: NDArray[np.uint64],
) -> bool:
    """Draw worlds until one can be; tell whether one was found."""
    for attempt in range(MOST_ROUNDS * (N_IN_TURN + 1)):
        if attempt % (N_IN_TURN + 1) == N_IN_TURN:
            is_drawn = _draw_apart(
                rules, game, places, n_declared, n_hard, pools, sizes, has_run_out, stream
            )
        else:
            is_drawn = _draw_in_turn(
                rules, game, places, n_declared, n_hard, pools, sizes, has_run_out, stream
            )
        if (
            is_drawn
            and _draw_in_turn(rules, game, places, n_hard, n, pools, sizes, has_run_out, stream)
            and not is_pointless(rules, game)
        ):
            return True
    return False


@kernel
def draw_tens(
    rules: RulesRecord,
    game: Game,
    places: NDArray[np.int64],
    n_declared: int,
    pools: NDArray[np.int8],
    sizes: NDArray[np.int64],
    stream: NDArray[np.uint64],
) -> None:
    """Lay ten-valued cards on the hidden places of declared pontoons, the first in their pools.

    Which ten it is makes no difference to what else may lie where.
    """
    for place in range(n_declared):
        hand = game["seats"][places[place, OWNER]]["hands"][places[place, HAND]]
        _put(rules, game, places, place, pools, sizes, stream)
        while not is_ace_and_ten(hand):
            _put(rules, game, places, place, pools, sizes, stream)


@kernel
def _draw_in_turn(
    rules: RulesRecord,
    game: Game,
    places: NDArray[np.int64],
    first: int,
    last: int,
    pools: NDArray[np.int8],
    sizes: NDArray[np.int64],
    has_run_out: bool,
    stream: NDArray[np.uint64],
) -> bool:
    """Draw places ``[first, last)`` hand by hand, from what is left; tell whether all can be."""
    place = first
    while place < last:
        end = end_of_hand(places, place, last)
        for each in range(place, end):
            _put(rules, game, places, each, pools, sizes, stream)
        if not can_be(rules, game, places[place, OWNER], places[place, HAND], has_run_out):
            return False
        place = end
    return True


@kernel
def _put(
    rules: RulesRecord,
    game: Game,
    places: NDArray[np.int64],
    place: int,
    pools: NDArray[np.int8],
    sizes: NDArray[np.int64],
    stream: NDArray[np.uint64],
) -> None:
    """Lay a card that no place before holds on a place: any of its pool's, alike."""
    at = places[place, IN_POOL]
    if rules["packs"] == 0:
        card = draw(stream, N_CARDS)
    else:
        pool = pools[places[place, POOL]]
        other = at + draw(stream, sizes[places[place, POOL]] - at)
        card = np.int64(pool[other])  # type: ignore[assignment]
        pool[other] = pool[at]
        pool[at] = card
    lay(game, places, place, card)


@kernel
def _draw_apart(
    rules: RulesRecord,
    game: Game,
    places: NDArray[np.int64],
    first: int,
    last: int,
    pools: NDArray[np.int8],
    sizes: NDArray[np.int64],
    has_run_out: bool,
    stream: NDArray[np.uint64],
) -> bool:
    """Draw the hands of places ``[first, last)`` each as if there were no other.

    Tell whether all can be and no two hold the same card; only then the pools have changed. What a
    hand gets does not depend on the others, so that whether it is given up does not either.
    """
    is_taken = np.zeros((N_POOLS, MAX_PACK_CARDS), np.bool_)
    chosen = np.zeros(max(last, 1), np.int64)
    place = first
    while place < last:
        end = end_of_hand(places, place, last)
        is_drawn = False
        for _ in range(MOST_OF_A_HAND):
            is_drawn = _draw_hand_apart(
                rules, game, places, first, place, end, pools, sizes, chosen, stream
            ) and can_be(rules, game, places[place, OWNER], places[place, HAND], has_run_out)
            if is_drawn:
                break
        if not is_drawn:
            return False
        for each in range(place, end):
            if rules["packs"] != 0:
                if is_taken[places[each, POOL], chosen[each]]:
                    return False
                is_taken[places[each, POOL], chosen[each]] = True
        place = end
    if rules["packs"] != 0:
        _take_chosen(game, places, first, last, pools, sizes, is_taken)
    return True


@kernel
def _draw_hand_apart(
    rules: RulesRecord,
    game: Game,
    places: NDArray[np.int64],
    first: int,
    place: int,
    end: int,
    pools: NDArray[np.int8],
    sizes: NDArray[np.int64],
    chosen: NDArray[np.int64],
    stream: NDArray[np.uint64],
) -> bool:
    """Draw places ``[place, end)`` from what no place before ``first`` holds; see `_draw_apart`.

    Tell whether they hold different cards.
    """
    for each in range(place, end):
        if rules["packs"] == 0:
            lay(game, places, each, draw(stream, N_CARDS))
            continue
        pool = places[each, POOL]
        n_before = count_in_pool(places, first, pool)
        chosen[each] = n_before + draw(stream, sizes[pool] - n_before)
        for other in range(place, each):
            if places[other, POOL] == pool and chosen[other] == chosen[each]:
                return False
        lay(game, places, each, np.int64(pools[pool, chosen[each]]))  # type: ignore[arg-type]
    return True


@kernel
def _take_chosen(
    game: Game,
    places: NDArray[np.int64],
    first: int,
    last: int,
    pools: NDArray[np.int8],
    sizes: NDArray[np.int64],
    is_taken: NDArray[np.bool_],
) -> None:
    """Bring the cards on places ``[first, last)`` to their places in the pools, others behind."""
    for pool in range(N_POOLS):
        n_before = count_in_pool(places, first, pool)
        to = sizes[pool] - 1
        for at in range(sizes[pool] - 1, n_before - 1, -1):
            if not is_taken[pool, at]:
                pools[pool, to] = pools[pool, at]
                to -= 1
    for place in range(first, last):
        pools[places[place, POOL], places[place, IN_POOL]] = card_on(game, places, place)


@kernel
def exchange(
    rules: RulesRecord,
    game: Game,
    places: NDArray[np.int64],
    n: int,
    pools: NDArray[np.int8],
    sizes: NDArray[np.int64],
    has_run_out: bool,
    stream: NDArray[np.uint64],
) -> None:
    """Exchange hidden cards with others of their pool, whenever the rules allow it."""
    holders = np.full((N_POOLS, MAX_PACK_CARDS), -1, np.int64)
    if rules["packs"] != 0:
        for place in range(n):
            holders[places[place, POOL], places[place, IN_POOL]] = place
    for _ in range(N_EXCHANGES):
        place = draw(stream, n)
        card = card_on(game, places, place)
        if rules["packs"] == 0:
            lay(game, places, place, draw(stream, N_CARDS))
            if not _can_both_be(rules, game, places, place, place, has_run_out):
                lay(game, places, place, card)
            continue
        pool, at = places[place, POOL], places[place, IN_POOL]
        to = draw(stream, sizes[pool])
        got = pools[pool, to]
        other = holders[pool, to] if holders[pool, to] >= 0 else place
        lay(game, places, other, card)
        lay(game, places, place, got)
        if _can_both_be(rules, game, places, place, other, has_run_out):
            pools[pool, at] = got
            pools[pool, to] = card
        else:
            lay(game, places, other, got)
            lay(game, places, place, card)


@kernel
def _can_both_be(
    rules: RulesRecord,
    game: Game,
    places: NDArray[np.int64],
    place: int,
    other: int,
    has_run_out: bool,
) -> bool:
    """Tell whether the hands of two places, and the table, can be as they are."""
    for each in (place, other):
        if not can_be(rules, game, places[each, OWNER], places[each, HAND], has_run_out):
            return False
    return not is_pointless(rules, game)


@kernel
def lay_pack(
    rules: RulesRecord,
    game: Game,
    pools: NDArray[np.int8],
    sizes: NDArray[np.int64],
    n_known: int,
    stream: NDArray[np.uint64],
) -> None:
    """Lay the cards that no hand took into the pack, in random order."""
    if rules["packs"] == 0:
        game["n_pack"] = 0
        return
    at = game["top"]
    for pool in range(N_POOLS):
        first = sizes[pool] - (
            game["n_fresh"] if pool == FRESH else game["n_pack"] - game["n_fresh"] - n_known
        )
        for card in range(first, sizes[pool]):
            other = card + draw(stream, sizes[pool] - card)
            game["pack"][at % MAX_PACK_CARDS] = pools[pool, other]
            pools[pool, other] = pools[pool, card]
            at += 1


@kernel
def draw(stream: NDArray[np.uint64], n: int) -> int:
    """Return a uniform number of [0, n)."""
    return below(word_of(stream) >> _UPPER_HALF, n)


@word_kernel
def word_of(stream: NDArray[np.uint64]) -> np.uint64:
    """Return the next 64 random bits (SplitMix64; Steele, Lea and Flood, OOPSLA 2014)."""
    stream[0] += _STEP
    word = stream[0]
    word = (word ^ (word >> _SHIFTS[0])) * _MIX_1
    word = (word ^ (word >> _SHIFTS[1])) * _MIX_2
    return word ^ (word >> _SHIFTS[2])  # type: ignore[no-any-return]
