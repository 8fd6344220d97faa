"""Matches: sessions of many tables at once, an agent on each seat, from explicit seeds.

Baselines play inside the compiled loop; other agents are asked for many tables in one call. Session
``i`` of a match is episode ``first_episode + i`` of its seed, so that two matches with one seed
play the same deals. Sessions are played in blocks of fixed size: what an agent is asked together,
and what it draws from its generator, does not depend on the number of sessions that follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pontoon_env import batch
from pontoon_env.agent import (
    AgentError,
    AnyAgent,
    Remembering,
    ask,
    check_agent,
    seat_compiled,
    where,
)
from pontoon_env.rules import Rules
from pontoon_env.state import Move, Outcome, Phase

BLOCK: Final = 1024
"""Sessions that are played at once."""
_NO_LIMIT: Final = 2**62

Progress = Callable[[int], None]
"""Told how many sessions have been played since it was last told."""


@dataclass(frozen=True, kw_only=True)
class Lineup:
    """Who plays where, by place: place 0 is the first banker, 1 the seat on its left, and so on."""

    agents: Sequence[AnyAgent]
    patterns: NDArray[np.int64]
    """``(n_patterns, seats, 2)``: the number in ``agents`` of who plays a place, as a player and as
    the banker. Session ``i`` is seated by pattern ``i % n_patterns``."""
    stakes_least: frozenset[int] = frozenset()
    """Numbers in ``agents`` of those whose every initial stake is made the least, whatever they
    choose; all else is their own. So an agent's play is compared without its staking."""


@dataclass(frozen=True)
class Sessions:
    """What came of sessions."""

    chips: NDArray[np.int64]
    """``(n, seats)``: each seat's net change; a kitty counts as the banker's."""
    first_bankers: NDArray[np.int64]
    """``(n,)``: the seat that was the first banker."""

    def by_place(self) -> NDArray[np.int64]:
        """Return the net changes with the first banker's first, the others' clockwise."""
        seats = self.chips.shape[1]
        order = (self.first_bankers[:, None] + np.arange(seats)) % seats
        return np.take_along_axis(self.chips, order, axis=1)


def everywhere(agent: AnyAgent, rules: Rules) -> Lineup:
    """Return the line-up in which one agent plays all seats."""
    return Lineup(agents=[agent], patterns=np.zeros((1, rules.seats, 2), np.int64))


def play_sessions(
    rules: Rules,
    lineup: Lineup,
    n: int,
    seed: int,
    first_episode: int = 0,
    progress: Progress | None = None,
    threads: int = 1,
) -> Sessions:
    """Play ``n`` sessions, for agents that remember as if nothing had been played before.

    Args:
        rules: The rules of every table.
        lineup: Who plays where.
        n: How many sessions.
        seed: Key of all random streams, the agents' too.
        first_episode: The first session's number among those of the seed.
        progress: Told after each block.
        threads: On how many threads compiled agents play, which alters nothing but the time it
            takes. Where another agent is asked, all is played on one.

    Raises:
        AgentError: An agent made an illegal choice, or raised an exception.
        ValueError: An agent cannot play by the rules, or the line-up does not fit them.
    """
    if n < 1:
        raise ValueError(f"{n} sessions are none to play")
    if lineup.patterns.shape[1:] != (rules.seats, 2):
        raise ValueError(f"the line-up is for {lineup.patterns.shape[1]} seats, not {rules.seats}")
    for agent in lineup.agents:
        check_agent(agent, rules)
        if isinstance(agent, Remembering):
            agent.forget()
    numbers, tables = seat_compiled(lineup.agents, rules)
    numbers[list(lineup.stakes_least)] = batch.EXTERNAL
    if (numbers == batch.EXTERNAL).any():
        threads = 1
    most = min(BLOCK, -(-n // threads)) if threads > 1 else BLOCK
    sizes = {start: min(most, n - start) for start in range(0, n, most)}

    def play(start: int) -> Sessions:
        block = _Block(rules, lineup, (numbers, tables), start, sizes[start], seed, first_episode)
        return block.play()

    blocks = []
    for size, block in zip(sizes.values(), _in_order(play, list(sizes), threads), strict=True):
        blocks.append(block)
        if progress is not None:
            progress(size)
    return Sessions(
        np.concatenate([block.chips for block in blocks]),
        np.concatenate([block.first_bankers for block in blocks]),
    )


def _in_order(
    play: Callable[[int], Sessions], starts: Sequence[int], threads: int
) -> Iterator[Sessions]:
    """Yield what is played from each start, one after the other, or side by side on threads."""
    if threads == 1:
        yield from map(play, starts)
        return
    with ThreadPoolExecutor(threads) as pool:
        try:
            yield from pool.map(play, starts)
        finally:
            pool.shutdown(cancel_futures=True)


class _Block:
    """Some sessions that are played together."""

    def __init__(
        self,
        rules: Rules,
        lineup: Lineup,
        compiled: tuple[NDArray[np.int64], NDArray[np.void]],
        start: int,
        n: int,
        seed: int,
        first_episode: int,
    ) -> None:
        """Begin ``n`` sessions, of which the first is session ``start`` of the match.

        ``compiled`` is what `pontoon_env.agent.seat_compiled` returns for the line-up.
        """
        numbers, self.tables = compiled
        self.rules = rules
        self.record = rules.to_record()
        self.lineup = lineup
        self.n = n
        self.seed = seed
        self.generators = [
            np.random.default_rng((seed, first_episode + start, i))
            for i in range(len(lineup.agents))
        ]
        episodes = np.arange(first_episode + start, first_episode + start + n, dtype=np.uint64)
        self.games = batch.new_games(n)
        batch.begin_batch(self.record, self.games, np.full(n, seed, np.uint64), episodes)
        self.first_bankers = self.games["banker"].copy()
        places = (np.arange(rules.seats) - self.first_bankers[:, None]) % rules.seats
        patterns = (np.arange(n) + start) % len(lineup.patterns)
        self.agent_of = lineup.patterns[patterns[:, None], places]
        self.opponents = batch.external_seats(n)
        self.opponents[:, : rules.seats] = numbers[self.agent_of]
        self.moves = np.full(n, batch.NO_MOVE, np.int64)
        self.fractions = np.zeros(n)
        self.outcomes = np.zeros(n, np.int64)

    def play(self) -> Sessions:
        """Play all sessions to their end."""
        self._run()
        while True:
            rows = np.flatnonzero(self.games["phase"] != Phase.OVER)
            if rows.size == 0:
                break
            self.moves[:] = batch.NO_MOVE
            seats = self.games["seat"][rows]
            as_banker = (seats == self.games["banker"][rows]).astype(np.int64)
            acting = self.agent_of[rows, seats, as_banker]
            for number in np.unique(acting).tolist():
                self._ask(number, rows[acting == number])
            self._run()
        return Sessions(batch.worth(self.games)[:, : self.rules.seats], self.first_bankers)

    def _run(self) -> None:
        """Make the decisions at hand, then the baselines', up to the next decision to ask for."""
        batch.play_batch(
            self.record,
            self.games,
            self.opponents,
            self.moves,
            self.fractions,
            self.outcomes,
            _NO_LIMIT,
            self.tables,
        )
        for row in np.flatnonzero(self.outcomes != Outcome.OK):
            seat = self.games["seat"][row]
            number = self.agent_of[row, seat, int(seat == self.games["banker"][row])]
            name = self.lineup.agents[number].name
            place = where(self.games[row])
            raise AgentError(f"agent {name!r}, {place}: the engine refused its decision")

    def _ask(self, number: int, rows: NDArray[np.intp]) -> None:
        """Take an agent's decisions for some tables; a baseline makes its steps at once."""
        agent = self.lineup.agents[number]
        if number in self.lineup.stakes_least:
            is_stake = self.games["phase"][rows] == Phase.STAKE
            self.moves[rows[is_stake]] = Move.STAKE
            self.fractions[rows[is_stake]] = 0.0
            rows = rows[~is_stake]
            if rows.size == 0:
                return
        self.moves[rows], self.fractions[rows] = ask(
            agent, self.rules, self.games.take(rows), self.generators[number]
        )
