"""The equilibrium of the two-seat game: CFR+ in vector form over the kinds of hands.

Counterfactual regret minimisation, with regrets floored at zero, the two sides learning in turn and
averages weighted towards the later iterations (Tammelin, "Solving large imperfect information games
using CFR+", 2014; polynomial weights as in Brown and Sandholm, "Solving imperfect-information games
via discounted regret minimization", AAAI 2019). Hands of a kind are one information set: what they
can do and win is alike, so their regrets differ by a constant factor and their choices not at all.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.exact.kinds import MAX_PIPS, N_KINDS
from agents.exact.passes import DRAW, N_FINALS, follow_banker, weigh_banker
from agents.exact.public_tree import N_DECISIONS, TwoSeatGame
from agents.exact.responses import (
    BankerStrategy,
    Exploitability,
    PlayerStrategy,
    banker_start,
    exploitability_of,
    follow,
    value_of,
    values_of_stakes,
    weigh_actions,
)
from pontoon_env._jit import entry_point

TARGET: Final = 0.001
"""Exploitability to reach, in least stakes."""
MOST_ITERATIONS: Final = 20_000
"""No setting takes a tenth of it to get to `TARGET`."""
MEASURE_EVERY: Final = 25
"""Iterations between two measurements of the exploitability."""
WEIGHT_POWER: Final = 4
"""Iteration ``t`` weighs ``t`` to this power in the averages."""


@dataclass(frozen=True)
class Equilibrium:
    """A pair of strategies, and how near to an equilibrium it is."""

    game: TwoSeatGame
    player: PlayerStrategy
    banker: BankerStrategy
    value: float
    """What the player wins when both play by it, in chips a deal."""
    exploitability: Exploitability
    """In chips a deal."""
    course: tuple[tuple[int, float], ...]
    """Iterations, and the exploitability after them in chips."""
    seconds: float


def solve_equilibrium(
    game: TwoSeatGame,
    target: float = TARGET,
    most_iterations: int = MOST_ITERATIONS,
    progress: Callable[[int, float], None] | None = None,
) -> Equilibrium:
    """Return a pair of strategies close to an equilibrium.

    Args:
        game: The game.
        target: Exploitability to reach, in least stakes.
        most_iterations: Where to stop all the same.
        progress: Told iterations and exploitability, in chips, whenever it is measured.

    Raises:
        ValueError: The target is not above 0, or not finite.
    """
    if not 0 < target < np.inf:
        raise ValueError(f"target={target} must be above 0 and finite, in least stakes")
    begun = time.perf_counter()
    player, banker = _Player(game), _Banker(game)
    course: list[tuple[int, float]] = []
    for iteration in range(1, most_iterations + 1):
        weight = float(iteration) ** WEIGHT_POWER
        showdowns = player.learn(banker.follow(weight), weight)
        banker.learn(showdowns)
        if iteration % MEASURE_EVERY == 0 or iteration == most_iterations:
            found = exploitability_of(game, player.average(), banker.average())
            course.append((iteration, found.exploitability))
            if progress is not None:
                progress(iteration, found.exploitability)
            if found.exploitability < target * game.rules.min_stake:
                break
    pair = player.average(), banker.average()
    seconds = time.perf_counter() - begun
    return Equilibrium(game, *pair, value_of(game, *pair), found, tuple(course), seconds)


class _Player:
    """The player's regrets, strategy and its average."""

    def __init__(self, game: TwoSeatGame) -> None:
        """Begin with every legal action alike."""
        self.game = game
        _, actions = weigh_actions(game, np.zeros((game.nodes.size, N_FINALS)), None)
        self.play = _all_alike(np.isfinite(actions))
        self.stakes = _all_alike(np.ones((MAX_PIPS + 1, game.stakes.size), np.bool_))
        self._play_regrets, self._played = np.zeros_like(self.play), np.zeros_like(self.play)
        self._stake_regrets, self._staked = np.zeros_like(self.stakes), np.zeros_like(self.stakes)

    def learn(self, finals: NDArray[np.float64], weight: float) -> NDArray[np.float64]:
        """Learn from the banker's ends; return the showdowns of what is played then."""
        values, actions = weigh_actions(self.game, finals, self.play)
        _match_regrets(actions, self._play_regrets, self.play)
        _match_regrets(values_of_stakes(self.game, values), self._stake_regrets, self.stakes)
        reach, showdowns, _ = follow(self.game, PlayerStrategy(self.stakes, self.play))
        _add(weight * reach, self.play, self._played)
        self._staked += weight * self.stakes
        return showdowns

    def average(self) -> PlayerStrategy:
        """Return the average of all that was played, by how often it was."""
        return PlayerStrategy(_shares(self._staked, self.stakes), _shares(self._played, self.play))


class _Banker:
    """The banker's regrets, strategy and its average, at the nodes of open hands.

    Against a five-card trick there is one thing to do: nothing but a trick of the banker's own
    loses less than all.
    """

    def __init__(self, game: TwoSeatGame) -> None:
        """Begin with drawing and staying alike."""
        self.game = game
        shape = (game.n_open, N_DECISIONS, N_KINDS)
        self._worth, self._values = np.full((*shape, 2), -np.inf), np.zeros(shape)
        self._regrets, self._played = np.zeros((*shape, 2)), np.zeros((*shape, 2))
        self._weigh(np.zeros((game.n_open, N_FINALS)), np.zeros(shape))
        self._chances = _all_alike(np.isfinite(self._worth))
        self._reach = np.zeros((game.nodes.size, N_DECISIONS, N_KINDS))
        self._finals = np.zeros((game.nodes.size, N_FINALS))
        self._follow(np.ones_like(self._reach), self._finals, self._reach)

    def follow(self, weight: float) -> NDArray[np.float64]:
        """Return how the banker ends at each node by what is played at present."""
        n = self.game.n_open
        self._follow(self._chances[..., DRAW].copy(), self._finals[:n], self._reach[:n])
        _add(weight * self._reach[:n], self._chances, self._played)
        return self._finals

    def learn(self, showdowns: NDArray[np.float64]) -> None:
        """Learn from the player's showdowns."""
        self._weigh(showdowns, self._chances[..., DRAW].copy())
        _match_regrets(self._worth, self._regrets, self._chances)

    def average(self) -> BankerStrategy:
        """Return the average of all that was played, by how often it was."""
        draws = np.ones_like(self._reach)
        draws[: self.game.n_open] = _shares(self._played, self._chances)[..., DRAW]
        return BankerStrategy(draws)

    def _weigh(self, showdowns: NDArray[np.float64], draws: NDArray[np.float64]) -> None:
        """Put a worth on drawing and staying."""
        game = self.game
        weigh_banker(
            game.nodes,
            game.chances,
            game.halves,
            showdowns,
            draws,
            False,
            self._worth,
            self._values,
        )

    def _follow(
        self,
        draws: NDArray[np.float64],
        finals: NDArray[np.float64],
        reach: NDArray[np.float64],
    ) -> None:
        """Write where a strategy leads."""
        follow_banker(banker_start(self.game), self.game.chances, draws, reach, finals)


def _all_alike(legal: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return chances that are alike for what is legal along the last axis, 0 elsewhere."""
    n_legal = np.maximum(legal.sum(axis=-1, keepdims=True), 1)
    chances: NDArray[np.float64] = legal / n_legal
    return chances


def _shares(sums: NDArray[np.float64], otherwise: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each sum's share along the last axis; what is given where there is none."""
    whole = sums.sum(axis=-1, keepdims=True)
    return np.where(whole > 0.0, sums / np.where(whole > 0.0, whole, 1.0), otherwise)


def _match_regrets(
    worth: NDArray[np.float64], regrets: NDArray[np.float64], chances: NDArray[np.float64]
) -> None:
    """Add regrets, floor them at zero, and choose in proportion to them; see `_match_rows`."""
    n_actions = worth.shape[-1]
    _match_rows(
        worth.reshape(-1, n_actions), regrets.reshape(-1, n_actions), chances.reshape(-1, n_actions)
    )


@entry_point
def _match_rows(
    worth: NDArray[np.float64], regrets: NDArray[np.float64], chances: NDArray[np.float64]
) -> None:
    """Learn row by row what was regretted (regret matching plus).

    Args:
        worth: ``(n, n_actions)``, of each action; minus infinity where it is illegal.
        regrets: In and out, likewise.
        chances: In and out: those that were played, then those to play.
    """
    n_actions = worth.shape[1]
    for row in range(worth.shape[0]):
        value = 0.0
        n_legal = 0
        for action in range(n_actions):
            if worth[row, action] > -np.inf:
                value += chances[row, action] * worth[row, action]
                n_legal += 1
        whole = 0.0
        for action in range(n_actions):
            if worth[row, action] > -np.inf:
                regret = max(0.0, regrets[row, action] + worth[row, action] - value)
                regrets[row, action] = regret
                whole += regret
        for action in range(n_actions):
            if worth[row, action] > -np.inf:
                chances[row, action] = regrets[row, action] / whole if whole > 0.0 else 1 / n_legal


def _add(
    reach: NDArray[np.float64], chances: NDArray[np.float64], sums: NDArray[np.float64]
) -> None:
    """Add chances to their sums, each row by how often it is reached; see `_add_rows`."""
    n_actions = chances.shape[-1]
    _add_rows(reach.reshape(-1), chances.reshape(-1, n_actions), sums.reshape(-1, n_actions))


@entry_point
def _add_rows(
    reach: NDArray[np.float64], chances: NDArray[np.float64], sums: NDArray[np.float64]
) -> None:
    """Add ``reach[row] * chances[row]`` to ``sums[row]`` in every row."""
    for row in range(reach.size):
        if reach[row] != 0.0:
            for action in range(chances.shape[1]):
                sums[row, action] += reach[row] * chances[row, action]
