"""Passes over the tree of the two-seat game: who gets where how often, and what it is worth.

Forward passes follow a strategy from the deal to the showdowns; backward passes put a value on
every action, against the other side's showdowns. Chips are the player's; all is given that neither
side holds a pontoon, which ends a deal or a hand before there is anything to choose.

Arrays: ``play`` ``(n_open, 34, 13)`` holds the chance of each action at a node with a kind of hand,
``draws`` ``(n_nodes, 3, 34)`` that of the banker's drawing, by node, number of cards less two, and
kind. ``showdowns`` ``(n_nodes, 23)`` holds how often a hand is closed at a node with a strength,
``finals`` ``(n_nodes, 23)`` how often the banker ends there with one.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.exact.kinds import AFTER, BUST, COUNT, MAX_PIPS, N_KINDS, TOTAL
from agents.exact.public_tree import (
    FIRST_DECISION,
    FIRST_PRICE,
    MAY_BUY,
    MAY_STICK,
    N_DECISIONS,
    STICK,
    TWIST,
    Node,
)
from pontoon_env._jit import entry_point, kernel
from pontoon_env.engine.hands import Strength
from pontoon_env.engine.settlement import HALVES
from pontoon_env.state import MAX_HAND_CARDS, TARGET

N_FINALS: Final = int(Strength.TRICK) + 1
"""Strengths that a hand can have where neither side has a pontoon; 0 is bust."""
LEAST_STICK: Final = 15
"""No player's hand of two to four cards is closed on less (P22)."""
DRAW: Final = 0
STAY: Final = 1
"""Actions of the banker."""


@kernel
def _n_actions(node: Node) -> int:
    """Return how many actions a node has, legal or not: stick, twist and the prices."""
    prices = node["highest_price"] - node["stake"] + 1
    return FIRST_PRICE + (prices if prices > 0 else 0)


@kernel
def _is_legal(rights: int, action: int) -> bool:
    """Tell whether an action that a node has is legal with a kind of hand."""
    if action == STICK:
        return rights & MAY_STICK != 0
    return action == TWIST or rights & MAY_BUY != 0


@kernel
def _child(node: Node, action: int, pips: int) -> int:
    """Return the node after a card of so many pips, which was twisted, or bought unseen."""
    if action == TWIST:
        return node["first_twisted"] + pips - 1
    return node["first_bought"] + action - FIRST_PRICE


@kernel
def _chips(halves: NDArray[np.int64], strength: int, final: int, stake: int) -> int:
    """Return what a hand is paid at a showdown, rounded as at settlement."""
    chips: int = halves[strength, final] * stake // HALVES
    return chips


@entry_point
def follow_player(
    nodes: NDArray[np.void],
    chances: NDArray[np.float64],
    rights: NDArray[np.int64],
    play: NDArray[np.float64],
    reach: NDArray[np.float64],
    showdowns: NDArray[np.float64],
) -> float:
    """Write how often a player gets to each node and showdown; return the chips lost by busts.

    Args:
        nodes: The tree.
        chances: ``(11,)``, of a card by its pips.
        rights: As of `agents.exact.public_tree.rights_by_kind`.
        play: The player's strategy.
        reach: In and out, ``(n_open, 34)``: chances of each kind at each node; those of two cards
            are given, the others written.
        showdowns: Out.
    """
    n_open = reach.shape[0]
    showdowns[:] = 0.0
    lost = 0.0
    for place in range(n_open):
        if nodes[place]["n_cards"] > FIRST_DECISION:
            reach[place] = 0.0
    for place in range(n_open):
        node = nodes[place]
        for kind in range(N_KINDS):
            here = reach[place, kind]
            if here == 0.0:
                continue
            if rights[node["n_cards"], kind] == 0:
                showdowns[place, TOTAL[kind]] += here
                continue
            showdowns[place, TOTAL[kind]] += here * play[place, kind, STICK]
            for action in range(TWIST, _n_actions(node)):
                there = here * play[place, kind, action]
                if there == 0.0:
                    continue
                for pips in range(1, MAX_PIPS + 1):
                    child = _child(node, action, pips)
                    after = AFTER[kind, pips]
                    if after == BUST:
                        lost += there * chances[pips] * nodes[child]["total_stake"]
                    elif child >= n_open:
                        showdowns[child, Strength.TRICK] += there * chances[pips]
                    else:
                        reach[child, after] += there * chances[pips]
    return lost


@entry_point
def follow_banker(
    start: NDArray[np.float64],
    chances: NDArray[np.float64],
    draws: NDArray[np.float64],
    reach: NDArray[np.float64],
    finals: NDArray[np.float64],
) -> None:
    """Write how often the banker gets to each hand and ends with each strength, at every node.

    Args:
        start: ``(34,)``, chances of the banker's first two cards, that are no pontoon.
        chances: ``(11,)``, of a card by its pips.
        draws: The banker's strategy.
        reach: Out, like ``draws``: chances of each hand, cards and own choices alike.
        finals: Out.
    """
    finals[:] = 0.0
    reach[:] = 0.0
    for place in range(draws.shape[0]):
        reach[place, 0] = start
        for step in range(N_DECISIONS):
            for kind in range(N_KINDS):
                here = reach[place, step, kind]
                if here == 0.0:
                    continue
                drawing = 0.0 if COUNT[kind] == TARGET else draws[place, step, kind]
                finals[place, TOTAL[kind]] += here * (1.0 - drawing)
                for pips in range(1, MAX_PIPS + 1):
                    there = here * drawing * chances[pips]
                    after = AFTER[kind, pips]
                    if after == BUST:
                        finals[place, Strength.BUST] += there
                    elif step == N_DECISIONS - 1:
                        finals[place, Strength.TRICK] += there
                    else:
                        reach[place, step + 1, after] += there


@kernel
def _weigh_showdowns(
    halves: NDArray[np.int64],
    node: Node,
    finals: NDArray[np.float64],
    place: int,
    worth: NDArray[np.float64],
) -> None:
    """Write what a hand of each strength may expect at a node's showdown, in chips ``(23,)``."""
    first = Strength.TRICK if node["n_cards"] == MAX_HAND_CARDS else LEAST_STICK
    for strength in range(first, N_FINALS):
        worth[strength] = 0.0
        for final in range(N_FINALS):
            worth[strength] += finals[place, final] * _chips(
                halves, strength, final, node["total_stake"]
            )


@entry_point
def weigh_player(
    nodes: NDArray[np.void],
    chances: NDArray[np.float64],
    rights: NDArray[np.int64],
    halves: NDArray[np.int64],
    finals: NDArray[np.float64],
    play: NDArray[np.float64],
    is_best: bool,
    actions: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    """Write what every action of the player is worth against the banker's ends, in chips.

    Args:
        nodes: The tree.
        chances: ``(11,)``, of a card by its pips.
        rights: As of `agents.exact.public_tree.rights_by_kind`.
        halves: ``(25, 25)``, as of `agents.exact.payments.halves_won`.
        finals: How often the banker ends with each strength at each node.
        play: The player's strategy; not read where ``is_best``.
        is_best: Whether the player goes on by the best action, or by ``play``.
        actions: Out, like ``play``: what each legal action is worth.
        values: Out, ``(n_nodes, 34)``: what each kind is worth at each node.
    """
    n_open = actions.shape[0]
    closed = np.zeros(N_FINALS)
    for place in range(nodes.size - 1, -1, -1):
        node = nodes[place]
        n_cards = node["n_cards"]
        _weigh_showdowns(halves, node, finals, place, closed)
        if place >= n_open:
            values[place] = closed[Strength.TRICK]
            continue
        for kind in range(N_KINDS):
            can = rights[n_cards, kind]
            if can == 0:
                values[place, kind] = closed[TOTAL[kind]]
                continue
            if can & MAY_STICK != 0:
                actions[place, kind, STICK] = closed[TOTAL[kind]]
            value = -np.inf if is_best else 0.0
            for action in range(_n_actions(node)):
                if not _is_legal(can, action):
                    continue
                if action > STICK:
                    actions[place, kind, action] = _weigh_card(
                        nodes, chances, values, place, kind, action
                    )
                worth = actions[place, kind, action]
                if is_best:
                    value = max(value, worth)
                else:
                    value += play[place, kind, action] * worth
            values[place, kind] = value


@kernel
def _weigh_card(
    nodes: NDArray[np.void],
    chances: NDArray[np.float64],
    values: NDArray[np.float64],
    place: int,
    kind: int,
    action: int,
) -> float:
    """Return what a card is worth that is twisted, or bought."""
    node = nodes[place]
    worth = 0.0
    for pips in range(1, MAX_PIPS + 1):
        child = _child(node, action, pips)
        after = AFTER[kind, pips]
        if after == BUST:
            worth -= chances[pips] * nodes[child]["total_stake"]
        else:
            worth += chances[pips] * values[child, after]
    return worth


@entry_point
def weigh_banker(
    nodes: NDArray[np.void],
    chances: NDArray[np.float64],
    halves: NDArray[np.int64],
    showdowns: NDArray[np.float64],
    draws: NDArray[np.float64],
    is_best: bool,
    worth: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    """Write what the banker's drawing and staying are worth against the player's showdowns.

    Both are in the banker's chips, times how often the player gets to the node's showdown.

    Args:
        nodes: The tree; as many of its nodes as ``draws`` has are weighed.
        chances: ``(11,)``, of a card by its pips.
        halves: ``(25, 25)``, as of `agents.exact.payments.halves_won`.
        showdowns: How often the player's hand is closed at each node with each strength.
        draws: The banker's strategy; not read where ``is_best``.
        is_best: Whether the banker goes on as well as possible, or by ``draws``.
        worth: Out, ``(n, 3, 34, 2)``: of `DRAW` and `STAY` with each hand of the banker; a hand
            that closes by itself has no worth of drawing.
        values: Out, like ``draws``: what each hand of the banker is worth.
    """
    paid = np.zeros(N_FINALS)
    for place in range(draws.shape[0]):
        stake = nodes[place]["total_stake"]
        for final in range(N_FINALS):
            paid[final] = 0.0
            for strength in range(N_FINALS):
                if showdowns[place, strength] != 0.0:
                    paid[final] -= showdowns[place, strength] * _chips(
                        halves, strength, final, stake
                    )
        for step in range(N_DECISIONS - 1, -1, -1):
            for kind in range(N_KINDS):
                stay = paid[TOTAL[kind]]
                worth[place, step, kind, STAY] = stay
                values[place, step, kind] = stay
                if COUNT[kind] == TARGET:
                    continue
                draw = 0.0
                for pips in range(1, MAX_PIPS + 1):
                    after = AFTER[kind, pips]
                    if after == BUST:
                        draw += chances[pips] * paid[Strength.BUST]
                    elif step == N_DECISIONS - 1:
                        draw += chances[pips] * paid[Strength.TRICK]
                    else:
                        draw += chances[pips] * values[place, step + 1, after]
                worth[place, step, kind, DRAW] = draw
                part = draws[place, step, kind]
                values[place, step, kind] = (
                    max(stay, draw) if is_best else part * draw + (1.0 - part) * stay
                )
