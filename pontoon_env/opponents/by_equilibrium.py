"""The agent ``equilibrium``: both sides of the two-seat game, by an equilibrium of it.

In the game of `Rules.two_seat_exact` all that both sides know in common is a place in a tree: the
stake, each price, each twisted card. Beside it a player knows the kind of the own hand, and so does
the banker; for each place and kind an equilibrium says how often to do what. It is solved outside
this package, by counterfactual regret minimisation (`agents.exact`), and handed over as a record of
`tables.TABLES`; here a choice is drawn, from the stream that belongs to the decision.

Nothing that the other side can do wins more against it than the value of the game, but for the
exploitability that is left.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pontoon_env._jit import kernel
from pontoon_env.cards import ACE_BONUS
from pontoon_env.engine.hands import has_ace, lowest_count, points
from pontoon_env.opponents.at_random import agent_words
from pontoon_env.opponents.tables import FIRST_SOFT, N_ACTIONS
from pontoon_env.random_stream import unit
from pontoon_env.rules import RulesRecord
from pontoon_env.state import MAX_HAND_CARDS, TARGET, Game, Hand, Move, Phase, Seat

FIRST_DECISION: Final = 2
"""A hand is played from two cards on."""
STICK: Final = 0
TWIST: Final = 1
FIRST_PRICE: Final = 2
"""Actions of the tree: stick, twist, and from here on buy for E, E + 1, … chips."""


@kernel
def choose_by_equilibrium(
    rules: RulesRecord, game: Game, tables: NDArray[np.void]
) -> tuple[int, int]:
    """Choose as ``equilibrium``, for the seat to act."""
    table = tables[0]
    drawn = unit(agent_words(game)[0])
    own = game["seats"][game["seat"]]["hands"][0]
    if game["phase"] == Phase.STAKE:
        first = points(own["cards"][0])
        n_stakes = rules["max_stake"] - rules["min_stake"] + 1
        for i in range(n_stakes - 1):
            drawn -= table["stakes"][first, i]
            if drawn < 0.0:
                return Move.STAKE, rules["min_stake"] + i
        return Move.STAKE, rules["max_stake"]
    place = find_node(rules, tables, game)
    kind = kind_of_hand(own)
    if game["phase"] == Phase.BANKER:
        draws = place < 0 or drawn < table["draws"][place, own["n_cards"] - FIRST_DECISION, kind]
        return Move.TWIST if draws else Move.STICK, 0
    action = 0
    for candidate in range(N_ACTIONS):
        chance = table["play"][place, kind, candidate]
        if chance > 0.0:
            action = candidate
            drawn -= chance
            if drawn < 0.0:
                break
    if action >= FIRST_PRICE:
        stake = game["seats"][game["seat"]]["initial_stake"]
        return Move.BUY, stake + action - FIRST_PRICE
    return Move.TWIST if action == TWIST else Move.STICK, 0


@kernel
def kind_of_hand(hand: Hand) -> int:
    """Return the kind of a hand: its lowest count, and whether an ace may count 11 (P2)."""
    count = lowest_count(hand)
    if has_ace(hand) and count + ACE_BONUS <= TARGET:
        return FIRST_SOFT + count
    return count


@kernel
def find_node(rules: RulesRecord, tables: NDArray[np.void], game: Game) -> int:
    """Return the node that the player's hand has come to, from what everybody sees of it.

    A hand of five cards is at none that needs to be told apart: -1. All that the banker can do
    against a trick is to draw.
    """
    player: Seat = game["seats"][1 - game["banker"]]
    hand = player["hands"][0]
    if hand["n_cards"] == MAX_HAND_CARDS:
        return -1
    stake = player["initial_stake"]
    place = stake - rules["min_stake"]
    paid = hand["stake"] - stake
    n_bought = 0
    for card in range(FIRST_DECISION, hand["n_cards"]):
        n_bought += 1 - ((hand["up"] >> card) & 1)
    for card in range(FIRST_DECISION, hand["n_cards"]):
        if (hand["up"] >> card) & 1 != 0:
            place = tables[0]["first_twisted"][place] + points(hand["cards"][card]) - 1
        else:
            price = paid - hand["last_price"] if n_bought == 2 else paid
            place = tables[0]["first_bought"][place] + price - stake
            paid -= price
            n_bought -= 1
    return place
