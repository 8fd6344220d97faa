"""What an agent is: a batch of decisions in, a move and an amount for each out.

Most agents see decisions as observations (`Agent`). What is compiled, or needs more of the course
of play than an observation holds, reads the records of the tables themselves (`TableAgent`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeGuard, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pontoon_env import batch
from pontoon_env.observation import observation_size
from pontoon_env.opponents import EQUILIBRIUM, EXACT, OPPONENTS
from pontoon_env.opponents.tables import NO_TABLES, TABLES
from pontoon_env.rules import Rules
from pontoon_env.state import MAX_SEATS, N_AMOUNT_MOVES, N_MOVES, Move, Phase


class AgentError(RuntimeError):
    """An agent has failed; the message names it, and in play the seed, the episode and the deal."""


@dataclass(frozen=True)
class Decisions:
    """N decisions to make, each seen by the seat that makes it; the arrays are the agent's own."""

    observations: NDArray[np.float32]
    """``(n, observation_size)``: docs/observation.md; with memory where that is asked for."""
    masks: NDArray[np.int8]
    """``(n, N_MOVES)``: 1 where a `Move` is legal."""
    lows: NDArray[np.float32]
    """``(n, N_MOVES)``: least amount of each legal move, in least stakes."""
    highs: NDArray[np.float32]
    """``(n, N_MOVES)``: largest amount of each legal move, in least stakes."""

    def __len__(self) -> int:
        """Return N."""
        return len(self.masks)


@runtime_checkable
class Agent(Protocol):
    """Anything that plays."""

    name: str
    """What tables of results call it."""

    def check_rules(self, rules: Rules) -> None:
        """Do nothing where the agent can play by ``rules``.

        Raises:
            ValueError: It cannot; the message names the field and what would work.
        """

    def act(
        self, decisions: Decisions, generator: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return a legal `Move` for each decision, int64 ``(n,)``, and an amount, float64 ``(n,)``.

        The amount is the fraction of the legal interval, from 0 (least) to 1 (largest); it is not
        read where the move takes none. All chance comes from ``generator``.
        """
        ...


@runtime_checkable
class TableAgent(Protocol):
    """An agent that reads the records of tables.

    It keeps to what the seat to act may know (P26): a record holds more.
    """

    name: str
    """What tables of results call it."""

    def check_rules(self, rules: Rules) -> None:
        """Do nothing where the agent can play by ``rules``; see `Agent.check_rules`."""

    def choose(
        self, rules: Rules, games: NDArray[np.void]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return a legal `Move` for the seat to act of each game, and its amount in chips.

        Args:
            rules: Rules that `check_rules` has let pass.
            games: Records of `pontoon_env.state.GAME`, ``(n,)``, each at a decision; the agent's
                own copies.

        Returns:
            Moves and chips, int64 ``(n,)`` each; chips are not read where the move takes none. All
            chance comes from the game's own stream (`pontoon_env.random_stream`).
        """
        ...


AnyAgent = Agent | TableAgent


@runtime_checkable
class CompiledAgent(TableAgent, Protocol):
    """An agent that plays inside the batch loop (`pontoon_env.batch.play_batch`)."""

    number: int
    """Its number among `pontoon_env.opponents`."""

    def write_tables(self, rules: Rules, tables: NDArray[np.void]) -> None:
        """Write what the agent plays from, if it plays from tables.

        Args:
            rules: Rules that `check_rules` has let pass.
            tables: In and out, one record of `pontoon_env.opponents.tables.TABLES`: other fields
                are left as they are.
        """
        ...


@runtime_checkable
class Remembering(Protocol):
    """An agent that carries something over from one decision to the next.

    It knows a course of play by the seed, the episode and the seat: where one is played again, it
    must be told.
    """

    def forget(self) -> None:
        """Forget all that has been played; what follows is the beginning of a course of play."""


def checked_agent(agent: object) -> AnyAgent:
    """Return an agent.

    Raises:
        TypeError: It is none; the message says what it lacks.
    """
    if isinstance(agent, type):
        raise TypeError(f"{agent.__name__} is a class: hand over an agent that it makes")
    if not isinstance(agent, Agent | TableAgent):
        raise TypeError(
            f"{agent!r} is neither an agent nor the name of one, such as 'stick17': "
            f"{type(agent).__name__} lacks name, check_rules or act (choose)"
        )
    if not isinstance(agent.name, str) or not agent.name:
        raise TypeError(f"its name is {agent.name!r}, not a text for tables")
    return agent


def _plays_by_number(agent: object) -> TypeGuard[CompiledAgent]:
    """Tell whether an agent is what its number says: none that makes choices of its own."""
    if not isinstance(agent, CompiledAgent):
        return False
    if agent.number not in (*OPPONENTS.values(), EXACT, EQUILIBRIUM):
        raise ValueError(f"agent {agent.name!r} has number {agent.number!r}: no compiled agent has")
    owners = {
        next(each for each in type(agent).__mro__ if name in vars(each))
        for name in ("choose", "write_tables")
    }
    return len(owners) == 1


def seat_compiled(
    agents: Sequence[object], rules: Rules
) -> tuple[NDArray[np.int64], NDArray[np.void]]:
    """Return agents' numbers in the compiled loop, `EXTERNAL` for one that is asked, and tables.

    Args:
        agents: Agents; of two that play from one kind of table, the second is asked.
        rules: Rules that all of them know.

    Returns:
        Numbers ``(n,)``, and `pontoon_env.opponents.tables.TABLES`, a record or none, as
        `pontoon_env.batch.play_batch` takes them.
    """
    numbers = np.full(len(agents), batch.EXTERNAL)
    tables = NO_TABLES
    from_tables: dict[int, object] = {}
    for i, agent in enumerate(agents):
        if not _plays_by_number(agent):
            continue
        if agent.number in (EXACT, EQUILIBRIUM):
            if tables.size == 0:
                tables = np.zeros(1, TABLES)
            if from_tables.setdefault(agent.number, agent) is not agent:
                continue
            agent.write_tables(rules, tables)
        numbers[i] = agent.number
    return numbers, tables


@runtime_checkable
class Mixing(Protocol):
    """An agent that can say how it mixes its choices: its exploitability needs no sampling then.

    One without it must play no choice at random where its exploitability is asked for.
    """

    def alternatives(
        self, *decisions: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[Any]]:
        """Return what the agent may choose, and how likely each choice is.

        Args:
            *decisions: `Decisions`, as `Agent.act` takes them, or rules and games, as
                `TableAgent.choose` does.

        Returns:
            Chances, moves and amounts, ``(n, k)`` each, for ``k`` alternatives; a row's chances sum
            to 1, what has none is not read. Amounts are fractions of the legal interval from an
            `Agent`, chips from a `TableAgent`.
        """
        ...


def check_agent(agent: AnyAgent, rules: Rules) -> None:
    """See that an agent can play by the rules.

    Raises:
        AgentError: Its check failed.
        ValueError: It cannot; the message names it and its reason.
    """
    try:
        agent.check_rules(rules)
    except ValueError as error:
        raise ValueError(f"agent {agent.name!r} refuses these rules: {error}") from error
    except Exception as error:
        raise AgentError(
            f"agent {agent.name!r} raised {type(error).__name__} when its rules were checked: "
            f"{error}"
        ) from error


def decisions_of(rules: Rules, games: NDArray[np.void], memory: bool = False) -> Decisions:
    """Return what the seats to act of some games see, and what is legal there.

    Args:
        rules: The rules.
        games: ``(n,)``, each at a decision; not changed.
        memory: Whether the observations hold what a perfect memory knows.
    """
    n = games.size
    decisions = Decisions(
        np.zeros((n, observation_size(rules, memory)), np.float32),
        np.zeros((n, N_MOVES), np.int8),
        np.zeros((n, N_MOVES), np.float32),
        np.zeros((n, N_MOVES), np.float32),
    )
    batch.observe_batch(
        rules.to_record(),
        games,
        np.full(n, batch.TO_ACT, np.int64),
        decisions.observations,
        decisions.masks,
        decisions.lows,
        decisions.highs,
    )
    return decisions


def legal_choices(
    rules: Rules, games: NDArray[np.void]
) -> tuple[NDArray[np.int8], NDArray[np.int64], NDArray[np.int64]]:
    """Return the legal moves at each table, with least and largest amounts in chips.

    Args:
        rules: The rules.
        games: ``(n,)``, each at a decision; not changed.

    Returns:
        Masks int8, least and largest amounts int64, ``(n, N_MOVES)`` each.
    """
    n = games.size
    masks = np.zeros((n, N_MOVES), np.int8)
    seats, lows, highs = np.zeros(n, np.int64), *(np.zeros((n, N_MOVES), np.int64) for _ in "lh")
    worths = np.zeros((n, MAX_SEATS), np.int64)
    batch.status_batch(rules.to_record(), games, seats, masks, lows, highs, worths)
    return masks, lows, highs


def ask(
    agent: AnyAgent, rules: Rules, games: NDArray[np.void], generator: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return an agent's legal moves, int64 ``(n,)``, for the seats to act, and their amounts.

    Amounts are fractions of the legal intervals, float64 ``(n,)``, whatever the agent gives: whole
    chips have fractions that lead back to them.

    Args:
        agent: The agent.
        rules: Rules that its `check_rules` has let pass.
        games: ``(n,)``, each at a decision; not changed.
        generator: Where an `Agent` draws from.

    Raises:
        AgentError: It raised an exception, or its answer is none that could be played.
    """
    question = _Question(agent, rules, games)
    _, moves, amounts = question.checked(question.choice(generator))
    return moves[:, 0], question.fractions(moves, amounts)[:, 0]


def ask_for_chips(
    agent: AnyAgent, rules: Rules, games: NDArray[np.void], generator: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return an agent's legal moves and chips, int64 ``(n,)`` each; all else as `ask`."""
    question = _Question(agent, rules, games)
    _, moves, amounts = question.checked(question.choice(generator))
    return moves[:, 0], question.chips(moves, amounts)[:, 0]


def ask_for_alternatives(
    agent: AnyAgent, rules: Rules, games: NDArray[np.void], generator: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Return chances, legal moves and chips of all that an agent may choose, ``(n, k)`` each.

    Where it is not `Mixing`, that is the one choice it makes. All else as `ask`; what has no chance
    need not be legal.
    """
    question = _Question(agent, rules, games)
    answer = question.mixture() if isinstance(agent, Mixing) else question.choice(generator)
    chances, moves, amounts = question.checked(answer)
    return chances, moves, question.chips(moves, amounts)


_CHANCES_SUM: Final = 1e-5
"""How far the chances of a mixture may sum from 1: networks reckon in float32."""


class _Question:
    """What an agent is asked, and the checks of what it answers."""

    def __init__(self, agent: AnyAgent, rules: Rules, games: NDArray[np.void]) -> None:
        """Prepare to ask ``agent`` for the seats to act of ``games``."""
        self.agent = agent
        self.rules = rules
        self.games = games
        self.gives_chips = isinstance(agent, TableAgent)
        self.n_parts = 2
        self.masks, self.lows, self.highs = legal_choices(rules, games)
        self.rows = np.arange(games.size)[:, None]

    def _copies(self) -> NDArray[np.void]:
        """Return copies of the games: `numpy.copy` goes field by field, 20 times as slow."""
        return self.games.take(self.rows[:, 0])

    def choice(self, generator: np.random.Generator) -> tuple[Any, ...]:
        """Return the choices that the agent makes, as its only alternatives."""
        agent = self.agent
        try:
            if isinstance(agent, TableAgent):
                answer: object = agent.choose(self.rules, self._copies())
            else:
                answer = agent.act(decisions_of(self.rules, self.games), generator)
        except (Exception, SystemExit) as error:
            raise self._raised(error) from error
        try:
            moves, amounts = (np.asarray(part)[..., None] for part in answer)  # type: ignore[attr-defined]
        except Exception as error:  # whatever arrays of other libraries may raise
            raise self._wrong(
                0, f"it answered {type(answer).__name__}, not moves and amounts: {error}"
            ) from error
        return np.ones(moves.shape), moves, amounts

    def mixture(self) -> tuple[Any, ...]:
        """Return chances, moves and amounts of all that the agent may choose."""
        agent: Any = self.agent
        self.n_parts = 3
        try:
            if self.gives_chips:
                answer = agent.alternatives(self.rules, self._copies())
            else:
                answer = agent.alternatives(decisions_of(self.rules, self.games))
        except (Exception, SystemExit) as error:
            raise self._raised(error) from error
        try:
            chances, moves, amounts = (np.asarray(part) for part in answer)
        except Exception as error:
            raise self._wrong(
                0, f"it answered {type(answer).__name__}, not chances, moves and amounts: {error}"
            ) from error
        return chances, moves, amounts

    def checked(
        self, answer: tuple[Any, ...]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[Any]]:
        """Return an answer that can be played: what has no chance is 0, as are amounts not read."""
        chances, moves, amounts = answer
        n = self.games.size
        own = answer[-self.n_parts :]
        if len({part.shape for part in answer}) > 1 or moves.ndim != 2 or len(moves) != n:
            shapes = [part.shape if self.n_parts == 3 else part.shape[:-1] for part in own]
            expected = f"({n}, k)" if self.n_parts == 3 else f"({n},)"
            listed = " and ".join(map(str, shapes))
            raise self._wrong(0, f"its answer has shapes {listed}, not {expected} each")
        kinds = "f", "iu", "iu" if self.gives_chips else "iuf"
        if not all(part.dtype.kind in kind for part, kind in zip(answer, kinds, strict=True)):
            listed = " and ".join(str(part.dtype) for part in own)
            types = ("float64", "int64", "int64" if self.gives_chips else "float64")
            expected = " and ".join(types[-self.n_parts :])
            raise self._wrong(0, f"its answer has types {listed}, not {expected}")
        is_off = ~(np.abs(chances.sum(axis=1) - 1.0) <= _CHANCES_SUM) | (chances < 0).any(axis=1)
        for i in np.flatnonzero(is_off).tolist():
            raise self._wrong(i, "the chances of its choices do not sum to 1")
        has_chance = chances > 0
        self._check_moves(moves, has_chance)
        moves = np.where(has_chance, moves, 0).astype(np.int64)
        takes_amount = has_chance & (moves < N_AMOUNT_MOVES)
        self._check_amounts(moves, amounts, takes_amount)
        return chances.astype(np.float64), moves, np.where(takes_amount, amounts, 0)

    def fractions(self, moves: NDArray[np.int64], amounts: NDArray[Any]) -> NDArray[np.float64]:
        """Return amounts as fractions of the legal intervals."""
        if not self.gives_chips:
            return amounts.astype(np.float64)
        low, high = self.lows[self.rows, moves], self.highs[self.rows, moves]
        fractions: NDArray[np.float64] = np.maximum(amounts - low, 0) / np.maximum(high - low, 1)
        return fractions

    def chips(self, moves: NDArray[np.int64], amounts: NDArray[Any]) -> NDArray[np.int64]:
        """Return amounts in chips."""
        if self.gives_chips:
            return amounts.astype(np.int64)
        low, high = self.lows[self.rows, moves], self.highs[self.rows, moves]
        chips: NDArray[np.int64] = low + np.floor(amounts * (high - low) + 0.5).astype(np.int64)
        return chips

    def _check_moves(self, moves: NDArray[Any], has_chance: NDArray[np.bool_]) -> None:
        """Refuse moves that are illegal or none."""
        is_move = (moves >= 0) & (moves < N_MOVES)
        is_legal = is_move & (self.masks[self.rows, np.where(is_move, moves, 0)] != 0)
        for i, column in np.argwhere(has_chance & ~is_legal).tolist():
            move = int(moves[i, column])
            legal = ", ".join(Move(m).name.lower() for m in np.flatnonzero(self.masks[i]).tolist())
            played = Move(move).name.lower() if is_move[i, column] else str(move)
            raise self._wrong(i, f"move {played} is illegal; legal are {legal}")

    def _check_amounts(
        self, moves: NDArray[np.int64], amounts: NDArray[Any], is_read: NDArray[np.bool_]
    ) -> None:
        """Refuse amounts that are illegal."""
        low, high = self.lows[self.rows, moves], self.highs[self.rows, moves]
        fits = (amounts >= low) & (amounts <= high)
        if not self.gives_chips:
            fits = (amounts >= 0) & (amounts <= 1)  # what is not finite does not fit
        for i, column in np.argwhere(is_read & ~fits).tolist():
            amount, name = amounts[i, column], Move(moves[i, column]).name.lower()
            if self.gives_chips:
                least, most = low[i, column], high[i, column]
                raise self._wrong(
                    i, f"{name} {amount} is illegal; it may be {least} to {most} chips"
                )
            raise self._wrong(i, f"amount {amount} of {name} is no fraction from 0 to 1")

    def _raised(self, error: BaseException) -> AgentError:
        """Return the error of an agent that has raised one."""
        return AgentError(
            f"agent {self.agent.name!r} raised {type(error).__name__}: {error}; it was asked for "
            f"{self.games.size} decisions, the first of {where(self.games[0])}"
        )

    def _wrong(self, i: int, reason: str) -> AgentError:
        """Return the error of a wrong answer at table ``i``."""
        return AgentError(f"agent {self.agent.name!r}, {where(self.games[i])}: {reason}")


def where(game: np.void) -> str:
    """Name a table's place in a match."""
    return (
        f"seed {game['seed']}, episode {game['episode']}, deal {game['deal']}, "
        f"seat {game['seat']}, phase {Phase(game['phase']).name.lower()}"
    )
