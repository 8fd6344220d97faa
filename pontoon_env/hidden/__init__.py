"""Worlds that a seat cannot tell from the true one, for a search over what is hidden (P26, P31).

Whoever remembers every card that was shown since the last shuffle knows which cards nobody has seen
(`memory`). Of these, some lie on top of the pack and some face down in the hands of others; a world
is one way in which they may lie. All ways that the rules allow are alike likely, since a shuffle is
uniform. The rules forbid those in which the course of the deal could not have been what was seen:

* a banker who did not show a pontoon has none (P14); a declared one holds a ten-valued card (P15);
* a hand that was asked for more had not closed: it was neither bust nor on a lowest count of 21 nor
  an undeclared pontoon (P15, P23 to P25), and bought no fifth card that ``no_certain_fifth`` bars;
* a hand that is finished could stick, or closed by itself (P22 to P24);
* a banker who is asked faces a hand that can still be beaten (P29).

How the others choose tells more, to whoever knows it: that is left to the search.

Known cards lie as they lie: those of the pack below the fresh ones, and those that were dealt from
there. Where the gathered cards go under the pack at random (``under_pack``), they are known in sum
alone, as in `memory`, but for those that went under in this deal, in order. From an infinite pack
every card may come at any time; cards that were stacked on it are forgotten. Bids of an auction
that are sealed yet may be any (S10).

**The future.** Chance is keyed by seed, episode and deal, so that the true record tells every
shuffle to come. A world has a number, the field ``world`` of the record, which changes all streams
of that key: shuffles, cards of an infinite pack, the order of gathered cards and the draws of
agents. Seed and episode stay.

Worlds are drawn by rejection, which is exactly uniform, in two ways in turn. Either the hands get
their cards one after another, up to the first hand that cannot be: quick where most can. Or every
hand is drawn apart, as if the others had no cards, until it can be, and the world is kept if no two
hands hold the same card: quick where few can. Where the rules allow so few that `draws.MOST_ROUNDS`
found none, the true cards are exchanged in pairs, `draws.N_EXCHANGES` times, whenever the rules
allow it (Metropolis): a chain whose limit is uniform. All else follows from the key and from what
the seat knows: a search that draws its keys from the place of the game draws the same worlds in
every world that it cannot tell apart.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pontoon_env._jit import entry_point, kernel
from pontoon_env.engine.deal import left_of
from pontoon_env.hidden.draws import draw, draw_tens, draw_world, exchange, lay_pack, word_of
from pontoon_env.hidden.places import (
    MOST_HIDDEN,
    N_COLUMNS,
    N_POOLS,
    card_on,
    fill_pools,
    find_places,
    lay,
    sort_pools,
)
from pontoon_env.hidden.possible import may_have_run_out
from pontoon_env.rules import RulesRecord
from pontoon_env.state import MAX_PACK_CARDS, Event, Game, Phase

_OTHER_WORLD: Final = np.uint64(1 << 63)
"""Set in the number of every world but the true one: no small number of a block has it."""


def draw_keys(rng: np.random.Generator, n: int) -> NDArray[np.uint64]:
    """Return keys for ``n`` worlds, each of which follows from its key alone.

    Raises:
        TypeError: ``rng`` is no generator.
    """
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng={rng!r} is no generator; try numpy.random.default_rng(seed)")
    return rng.integers(2**64, size=n, dtype=np.uint64)


@entry_point
def resample_batch(
    rules: NDArray[np.void],
    games: NDArray[np.void],
    seats: NDArray[np.int64],
    keys: NDArray[np.uint64],
) -> None:
    """Turn each game into a world that a seat cannot tell from it; see the module.

    What the seat sees, may choose and remembers stays, as does all that everybody sees.

    Args:
        rules: One record of rules.
        games: ``(n,)``, each at a decision or over; changed in place.
        seats: ``(n,)``, who knows what it knows.
        keys: ``(n,)``, see `draw_keys`.
    """
    places = np.zeros((MOST_HIDDEN, N_COLUMNS), np.int64)
    pools = np.zeros((N_POOLS, MAX_PACK_CARDS), np.int8)
    sizes = np.zeros(N_POOLS, np.int64)
    stream = np.zeros(1, np.uint64)
    for i in range(games.size):
        stream[0] = keys[i]
        _resample(rules[0], games[i], seats[i], places, pools, sizes, stream)


@kernel
def _resample(
    rules: RulesRecord,
    game: Game,
    seat: int,
    places: NDArray[np.int64],
    pools: NDArray[np.int8],
    sizes: NDArray[np.int64],
    stream: NDArray[np.uint64],
) -> None:
    """Resample one game; the arrays are room to work in, ``stream`` the key."""
    game["world"] = word_of(stream) | _OTHER_WORLD  # type: ignore[typeddict-item]
    n_declared, n_hard, n = find_places(rules, game, seat, places)
    n_known = fill_pools(rules, game, places, n, pools, sizes)
    truth = np.empty(n, np.int64)
    for place in range(n):
        truth[place] = card_on(game, places, place)
    sort_pools(pools, sizes)
    has_run_out = may_have_run_out(rules, game)
    draw_tens(rules, game, places, n_declared, pools, sizes, stream)
    if not draw_world(
        rules, game, places, n_declared, n_hard, n, pools, sizes, has_run_out, stream
    ):
        for place in range(n):
            lay(game, places, place, truth[place])
        fill_pools(rules, game, places, n, pools, sizes)
        exchange(rules, game, places, n, pools, sizes, has_run_out, stream)
    lay_pack(rules, game, pools, sizes, n_known, stream)
    _rewrite_events(game)
    if game["phase"] == Phase.BID:
        _draw_bids(rules, game, seat, stream)


@kernel
def _rewrite_events(game: Game) -> None:
    """Let what happened last tell of the cards that lie there now.

    A card that was dealt face down is the last of its hand, but for those that came after it.
    """
    for row in range(game["n_events"]):
        event = game["events"][row]
        if event[0] != Event.CARD_DOWN:
            continue
        n_after = 0
        is_held = True
        for later in range(row + 1, game["n_events"]):
            follows = game["events"][later]
            if follows[0] == Event.DEAL:
                is_held = False
            is_card = follows[0] in (Event.CARD_DOWN, Event.CARD_UP)
            if is_card and follows[1] == event[1] and follows[2] == event[2]:
                n_after += 1
        hand = game["seats"][event[1]]["hands"][event[2]]
        if is_held and n_after < hand["n_cards"]:
            event[3] = hand["cards"][hand["n_cards"] - 1 - n_after]


@kernel
def _draw_bids(rules: RulesRecord, game: Game, seat: int, stream: NDArray[np.uint64]) -> None:
    """Draw the others' bids so far, or none, alike: they are sealed (S10)."""
    bidder = left_of(rules, game["banker"])
    while bidder != game["seat"]:
        if bidder != seat:
            game["seats"][bidder]["bid"] = draw(stream, rules["max_price"] + 1)
        bidder = left_of(rules, bidder)
