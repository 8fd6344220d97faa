"""Any policy as strategies of the two-seat game, by asking it at every information set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.exact.information_sets import MARKED, N_MARKS, PLAIN, InformationSets, Positions
from agents.exact.kinds import AFTER, BUST, FIRST_SOFT, HARD_21, MAX_PIPS, N_KINDS, NO_CARDS
from agents.exact.public_tree import (
    FIRST_PRICE,
    N_ACTIONS,
    N_DECISIONS,
    STICK,
    TWIST,
    TwoSeatGame,
)
from agents.exact.responses import (
    BankerStrategy,
    PlayerStrategy,
    banker_start,
    reach_of_two_cards,
)
from pontoon_env.agent import AnyAgent, ask_for_alternatives
from pontoon_env.cards import N_RANKS
from pontoon_env.state import Move

TOLERANCE: Final = 1e-5
"""How far chances may differ between two hands of a kind: networks round by their batch."""
_PAIR_OF_TENS: Final = 1 / (N_RANKS - MAX_PIPS + 1)
"""Chance that two ten-valued cards are of one rank."""

Answers = tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]
Progress = Callable[[int], None]
"""Told how many information sets have been asked since it was last told."""


def strategies_of(
    agent: AnyAgent, game: TwoSeatGame, seed: int = 0, progress: Progress | None = None
) -> tuple[PlayerStrategy, BankerStrategy]:
    """Return how an agent plays the two-seat game, on both sides.

    It is asked twice, with other cards of the same kinds and from other seeds.

    Args:
        agent: An agent whose rules are those of the game.
        game: The game.
        seed: Picks the hands that stand for their kinds.
        progress: Told after each batch of questions.

    Raises:
        ValueError: It fails, chooses what is illegal, or answers differently when it is asked
            again.
    """
    agent.check_rules(game.rules)
    first, second = (_ask_all(agent, game, seed ^ i, progress) for i in range(2))
    for mine, again in zip(first, second, strict=True):
        if not np.allclose(mine, again, atol=TOLERANCE, rtol=0):
            raise ValueError(
                f"agent {agent.name!r} answers differently when it is asked again with a hand of "
                "the same kind: it plays at random, or by more than an observation shows; one that "
                "plays at random must say how, in `alternatives`"
            )
    stakes, play, draws = first
    player = PlayerStrategy(stakes, _play_by_kind(game, stakes, play))
    return player, BankerStrategy(_draws_by_kind(game, draws))


def _ask_all(
    agent: AnyAgent, game: TwoSeatGame, seed: int, progress: Progress | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return how an agent stakes, plays and draws, hands of a kind apart by their marks.

    Shapes: ``(11, n_stakes)``, ``(n_open, 34, 2, 13)`` and ``(n_nodes, 3, 34, 2)``; see
    `PlayerStrategy`, `BankerStrategy` and `agents.exact.information_sets.MARKED`.
    """
    sets = InformationSets(game, seed)
    generator = np.random.default_rng(seed)

    def ask(positions: Positions) -> Answers:
        answers = ask_for_alternatives(agent, game.rules, positions.games, generator)
        if progress is not None:
            progress(positions.games.size)
        return answers

    stakes = np.zeros((MAX_PIPS + 1, game.stakes.size))
    positions = sets.stakes()
    chances, _, chips = ask(positions)
    rows, columns = np.nonzero(chances)
    first = positions.sets[rows, 0]
    np.add.at(stakes, (first, chips[rows, columns] - game.rules.min_stake), chances[rows, columns])

    play = np.zeros((game.n_open, N_KINDS, N_MARKS, N_ACTIONS))
    positions = sets.player()
    chances, moves, chips = ask(positions)
    rows, columns = np.nonzero(chances)
    place, kind, mark = positions.sets[rows].T
    prices = chips[rows, columns] - game.nodes["stake"][place] + FIRST_PRICE
    played = moves[rows, columns]
    actions = np.where(played == Move.BUY, prices, np.where(played == Move.TWIST, TWIST, STICK))
    np.add.at(play, (place, kind, mark, actions), chances[rows, columns])

    draws = np.ones((game.nodes.size, N_DECISIONS, N_KINDS, N_MARKS))
    for positions in sets.banker():
        chances, moves, _ = ask(positions)
        draws[tuple(positions.sets.T)] = np.where(moves == Move.TWIST, chances, 0.0).sum(axis=1)
    return stakes, play, draws


def _play_by_kind(
    game: TwoSeatGame, stakes: NDArray[np.float64], play: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return play by kind alone: pairs and others weigh as often as they are held.

    Args:
        game: The game.
        stakes: How the agent stakes: it says how often a pair comes to a stake.
        play: ``(n_open, 34, 2, 13)``.
    """
    n_stakes = game.stakes.size
    weights = np.zeros((*play.shape[:2], N_MARKS, 1))
    weights[:, :, PLAIN] = 1.0
    all_alike = np.full_like(stakes, 1 / n_stakes)
    for chosen in (all_alike, stakes):
        reach = reach_of_two_cards(game, chosen)
        pairs = _pairs(game, chosen)
        share = pairs / np.where(reach > 0, reach, 1.0)
        held = reach > 0
        weights[:n_stakes, :, MARKED, 0] = np.where(held, share, weights[:n_stakes, :, MARKED, 0])
        weights[:n_stakes, :, PLAIN, 0] = 1.0 - weights[:n_stakes, :, MARKED, 0]
    by_kind: NDArray[np.float64] = (weights * play).sum(axis=2)
    return by_kind


def _pairs(game: TwoSeatGame, stakes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how often each stake is played with a pair of each kind, ``(n_stakes, 34)``."""
    pairs = np.zeros((stakes.shape[1], N_KINDS))
    for pips in range(1, MAX_PIPS + 1):
        kind = AFTER[AFTER[NO_CARDS, pips], pips]
        of_a_rank = _PAIR_OF_TENS if pips == MAX_PIPS else 1.0
        pairs[:, kind] += game.chances[pips] ** 2 * stakes[pips] * of_a_rank
    return pairs


def _draws_by_kind(game: TwoSeatGame, draws: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return draws by kind alone: marked hands and others weigh as often as they are held.

    Args:
        game: The game.
        draws: ``(n_nodes, 3, 34, 2)``: how the agent draws says how often it holds three cards and
            four; where it never does, as if it always drew.
    """
    start = np.zeros((N_KINDS, N_MARKS))
    start[:, MARKED] = _pairs(game, np.ones((MAX_PIPS + 1, 1)))[0] / (1.0 - game.natural)
    start[:, PLAIN] = np.maximum(banker_start(game) - start[:, MARKED], 0.0)
    by_kind = draws[..., PLAIN].copy()
    for drawn in (np.ones_like(draws), draws):
        reach = np.broadcast_to(start, (len(draws), *start.shape))
        for step in range(N_DECISIONS):
            held = reach.sum(axis=2)
            mixed = (reach * draws[:, step]).sum(axis=2)
            np.divide(mixed, held, out=by_kind[:, step], where=held > 0)
            reach = _after_a_card(game, reach * drawn[:, step], step)
    return by_kind


def _after_a_card(game: TwoSeatGame, reach: NDArray[np.float64], step: int) -> NDArray[np.float64]:
    """Return how often the banker holds each hand after one more card, ``(n_nodes, 34, 2)``.

    Args:
        game: The game.
        reach: How often the banker draws to each hand, likewise.
        step: Its number of cards less two.
    """
    after = np.zeros_like(reach)
    for kind, mark in np.ndindex(N_KINDS, N_MARKS):
        has_ace = kind >= FIRST_SOFT or (step > 0 and mark == MARKED)
        if kind == HARD_21 or not reach[:, kind, mark].any():
            continue
        for pips in range(1, MAX_PIPS + 1):
            then = AFTER[kind, pips]
            if then != BUST:
                is_marked = then < FIRST_SOFT and (has_ace or pips == 1)
                after[:, then, int(is_marked)] += reach[:, kind, mark] * game.chances[pips]
    return after
