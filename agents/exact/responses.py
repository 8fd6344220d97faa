"""Best responses in the two-seat game, and how far a pair of strategies is from an equilibrium."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.exact.kinds import N_KINDS, SOFT_21
from agents.exact.passes import (
    DRAW,
    N_FINALS,
    STAY,
    follow_banker,
    follow_player,
    weigh_banker,
    weigh_player,
)
from agents.exact.public_tree import N_ACTIONS, N_DECISIONS, TwoSeatGame
from pontoon_env.engine.hands import Strength
from pontoon_env.engine.settlement import HALVES


@dataclass(frozen=True)
class PlayerStrategy:
    """How the player stakes and plays."""

    stakes: NDArray[np.float64]
    """``(11, n_stakes)``: chance of each stake by the pips of the first card."""
    play: NDArray[np.float64]
    """``(n_open, 34, 13)``: chance of each action by node and kind of hand."""


@dataclass(frozen=True)
class BankerStrategy:
    """How the banker plays where the player's hand is closed."""

    draws: NDArray[np.float64]
    """``(n_nodes, 3, 34)``: chance of drawing by node, number of cards less two, and kind."""


@dataclass(frozen=True)
class Exploitability:
    """What best responses of both sides win, in chips a deal."""

    player_at_worst: float
    """What the player's strategy wins against the banker's best response."""
    player_at_best: float
    """What the player's best response wins against the banker's strategy."""

    @property
    def nash_conv(self) -> float:
        """What both sides together could gain; the value of the game lies in between."""
        return self.player_at_best - self.player_at_worst

    @property
    def exploitability(self) -> float:
        """What a side could gain on average: half of `nash_conv`."""
        return self.nash_conv / 2


def exploitability_of(
    game: TwoSeatGame, player: PlayerStrategy, banker: BankerStrategy
) -> Exploitability:
    """Return how far a pair of strategies is from an equilibrium, by exact best responses."""
    return Exploitability(best_banker(game, player)[0], best_player(game, banker)[0])


def best_player(game: TwoSeatGame, banker: BankerStrategy) -> tuple[float, PlayerStrategy]:
    """Return what the player's best response wins in chips a deal, and that response."""
    values, actions = weigh_actions(game, finals_of(game, banker), None)
    by_stake = values_of_stakes(game, values)
    stakes = _only_best(by_stake)
    value = float(game.chances @ by_stake.max(axis=1))
    return value, PlayerStrategy(stakes, _only_best(actions))


def best_banker(game: TwoSeatGame, player: PlayerStrategy) -> tuple[float, BankerStrategy]:
    """Return what the player is left with, in chips a deal, by the banker's best response."""
    _, showdowns, lost = follow(game, player)
    draws = np.zeros((game.nodes.size, N_DECISIONS, N_KINDS))
    worth, values = np.full((*draws.shape, 2), -np.inf), np.zeros_like(draws)
    weigh_banker(game.nodes, game.chances, game.halves, showdowns, draws, True, worth, values)
    draws[worth[..., DRAW] > worth[..., STAY]] = 1.0
    won = -lost - float((values[:, 0] @ banker_start(game)).sum())
    return _with_pontoons(game, player, won), BankerStrategy(draws)


def value_of(game: TwoSeatGame, player: PlayerStrategy, banker: BankerStrategy) -> float:
    """Return what the player wins in chips a deal when both play by their strategies."""
    values, _ = weigh_actions(game, finals_of(game, banker), player.play)
    by_stake = values_of_stakes(game, values)
    return float(game.chances @ (player.stakes * by_stake).sum(axis=1))


def weigh_actions(
    game: TwoSeatGame, finals: NDArray[np.float64], play: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what every kind is worth at every node, and every action, against a banker's ends.

    Args:
        game: The game.
        finals: As of `finals_of`.
        play: How the player goes on; as well as possible where None.

    Returns:
        Values ``(n_nodes, 34)``, and actions ``(n_open, 34, 13)``, minus infinity where they are
        illegal; in the player's chips.
    """
    actions = np.full((game.n_open, N_KINDS, N_ACTIONS), -np.inf)
    values = np.zeros((game.nodes.size, N_KINDS))
    weigh_player(
        game.nodes,
        game.chances,
        game.rights,
        game.halves,
        finals,
        actions if play is None else play,
        play is None,
        actions,
        values,
    )
    return values, actions


def values_of_stakes(game: TwoSeatGame, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what each stake is worth on each first card, ``(11, n_stakes)``, in chips a deal.

    Args:
        game: The game.
        values: What every kind is worth at every node, where there is no pontoon.
    """
    stakes = game.stakes
    two_cards = values[: stakes.size].copy()
    two_cards[:, SOFT_21] = stakes * game.halves[Strength.PONTOON, Strength.BUST] / HALVES
    against_pontoon = np.full(N_KINDS, game.halves[Strength.BUST, Strength.PONTOON])
    against_pontoon[SOFT_21] = game.halves[Strength.PONTOON, Strength.PONTOON]
    lost = np.outer(game.by_first_card @ against_pontoon, stakes / HALVES)
    played: NDArray[np.float64] = game.by_first_card @ two_cards.T
    return game.natural * lost + (1.0 - game.natural) * played


def banker_start(game: TwoSeatGame) -> NDArray[np.float64]:
    """Return the chances of the banker's first two cards where they are no pontoon, ``(34,)``."""
    start = game.two_cards.copy()
    start[SOFT_21] = 0.0
    start /= start.sum()
    return start


def finals_of(game: TwoSeatGame, banker: BankerStrategy) -> NDArray[np.float64]:
    """Return how often the banker ends with each strength at each node, ``(n_nodes, 23)``."""
    finals = np.zeros((game.nodes.size, N_FINALS))
    reach = np.zeros_like(banker.draws)
    follow_banker(banker_start(game), game.chances, banker.draws, reach, finals)
    return finals


def reach_of_two_cards(game: TwoSeatGame, stakes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how often each stake is played with each kind, ``(n_stakes, 34)``; no pontoons."""
    reach: NDArray[np.float64] = (game.chances[:, None] * stakes).T @ game.by_first_card
    reach[:, SOFT_21] = 0.0
    return reach


def follow(
    game: TwoSeatGame, player: PlayerStrategy
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Return how often the player gets to each kind and each showdown, and the chips lost by busts.

    All is given that the banker has no pontoon: ``(n_open, 34)``, ``(n_nodes, 23)``, chips.
    """
    reach = np.zeros((game.n_open, N_KINDS))
    reach[: game.stakes.size] = reach_of_two_cards(game, player.stakes)
    showdowns = np.zeros((game.nodes.size, N_FINALS))
    lost = follow_player(game.nodes, game.chances, game.rights, player.play, reach, showdowns)
    return reach, showdowns, lost


def _with_pontoons(game: TwoSeatGame, player: PlayerStrategy, won: float) -> float:
    """Return the player's chips a deal from those won where neither side has a pontoon."""
    nothing = np.zeros((game.stakes.size, N_KINDS))
    of_pontoons = values_of_stakes(game, nothing)
    return (
        float(game.chances @ (player.stakes * of_pontoons).sum(axis=1)) + (1.0 - game.natural) * won
    )


def _only_best(worth: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return chances of one for the first of the best actions along the last axis."""
    chances = np.zeros(worth.shape)
    np.put_along_axis(chances, worth.argmax(axis=-1)[..., None], 1.0, axis=-1)
    return chances
