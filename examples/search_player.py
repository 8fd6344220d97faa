"""A player that searches, and beats the player that it searches with.

At each decision it makes up worlds that its seat cannot tell from the true one, plays every legal
choice out to the end of the deal in each of them, `basic` on all seats, and takes the choice that
wins most on average (determinised Monte Carlo; Tesauro and Galperin, "On-line policy improvement
using Monte-Carlo search", NIPS 1996). Where none is clearly better than the choice of `basic`, it
plays that. From the folder of the checkout:

    python -m eval.benchmark examples.search_player:SearchPlayer --deals 2000 --seed 1
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_env import Rules, batch
from pontoon_env.actions import chips_of
from pontoon_env.hidden import draw_keys, resample_batch
from pontoon_env.opponents import BASIC
from pontoon_env.state import MAX_SEATS, N_AMOUNT_MOVES, N_MOVES, Phase

SEARCHED = (
    Phase.STAKE,
    Phase.DOUBLE,
    Phase.SHOOT,
    Phase.PLAY,
    Phase.SPLIT_SHOOT,
    Phase.BANKER,
)
"""Between deals it plays as `basic`: what the bank is worth shows in no single deal."""
STANDARD_ERRORS = 2.0
"""By how much a choice must seem better than that of `basic`."""


class SearchPlayer:
    """Searches among worlds; a `pontoon_env.agent.TableAgent`."""

    def __init__(self, n_worlds: int = 200) -> None:
        self.name = f"search-{n_worlds}"
        self.n_worlds = n_worlds

    def check_rules(self, rules: Rules) -> None:
        """Play by all rules."""

    def choose(
        self, rules: Rules, games: NDArray[np.void]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the move and the chips for the seat to act of each game."""
        record = rules.to_record()
        moves, chips = np.zeros((2, games.size), np.int64)
        batch.choose_batch(record, games, np.full(games.size, BASIC), moves, chips)
        for i in np.flatnonzero(np.isin(games["phase"], SEARCHED)):
            record["deals"] = games["deal"][i] + 1  # the session ends with the deal
            choices = self._choices(record, games[i : i + 1], (int(moves[i]), int(chips[i])))
            if len(choices) > 1:
                gains = self._play_out(record, games[i : i + 1], choices)
                edge = gains - gains[0]
                error = edge.std(axis=1) / self.n_worlds**0.5
                best = int((edge.mean(axis=1) - STANDARD_ERRORS * error).argmax())
                moves[i], chips[i] = choices[best]
        return moves, chips

    def _choices(
        self, record: NDArray[np.void], game: NDArray[np.void], of_basic: tuple[int, int]
    ) -> list[tuple[int, int]]:
        """Return what may be chosen, first what `basic` would choose: three amounts of a move."""
        seat, worth = np.zeros(1, np.int64), np.zeros((1, MAX_SEATS), np.int64)
        mask = np.zeros((1, N_MOVES), np.int8)
        low, high = np.zeros((2, 1, N_MOVES), np.int64)
        batch.status_batch(record, game, seat, mask, low, high, worth)
        choices = {of_basic: None}
        for move in np.flatnonzero(mask[0]).tolist():
            fractions = (0.0, 0.5, 1.0) if move < N_AMOUNT_MOVES else (0.0,)
            for fraction in fractions:
                choices[move, chips_of(int(low[0, move]), int(high[0, move]), fraction)] = None
        return list(choices)

    def _play_out(
        self, record: NDArray[np.void], game: NDArray[np.void], choices: list[tuple[int, int]]
    ) -> NDArray[np.int64]:
        """Return each choice's chips in each world, ``(choices, worlds)``, in chips."""
        n, seat = self.n_worlds, int(game["seat"][0])
        keys = [game[name][0] for name in ("seed", "episode", "world", "deal", "seat", "decision")]
        generator = np.random.default_rng([int(key) for key in keys])
        worlds = game.repeat(n)
        resample_batch(record, worlds, np.full(n, seat), draw_keys(generator, n))
        games = worlds.take(np.tile(np.arange(n), len(choices)))
        moves, chips = np.array(choices, np.int64).repeat(n, axis=0).T.copy()
        outcomes = np.zeros(games.size, np.int64)
        batch.step_batch(record, games, moves, chips, outcomes, True)
        agents = np.full((games.size, MAX_SEATS, 2), BASIC)
        moves[:] = batch.NO_MOVE
        batch.play_batch(record, games, agents, moves, np.zeros(moves.size), outcomes, 10**6)
        return batch.worth(games)[:, seat].reshape(len(choices), n)
