"""Tables with one learner each, played up to the learner's decisions.

The single-seat faces, `gym_env` and `vector_env`, are this room with two kinds of door.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Final, get_args

import numpy as np
from numpy.typing import NDArray

from pontoon_env import batch
from pontoon_env.actions import FRACTION_OF_DISCRETE, MOVE_OF_DISCRETE, N_CHOICES, Encoding
from pontoon_env.agent import AnyAgent, ask, check_agent, seat_compiled
from pontoon_env.arguments import card_numbers, check_options, is_nonnegative, is_whole, stack_top
from pontoon_env.errors import NotResetError, illegal_action
from pontoon_env.hidden import draw_keys, resample_batch
from pontoon_env.observation import observation_size
from pontoon_env.padding import padding_runs, write_padded
from pontoon_env.rules import Rules
from pontoon_env.seating import OnIllegal, Seating, draw_offsets
from pontoon_env.state import MAX_SEATS, N_MOVES, Phase

_OVER: Final = int(Phase.OVER)
_NO_LIMIT: Final = 2**62
_MOST_SKIPPED: Final = 10_000
"""Sessions in a row without a decision of the learner before the settings are at fault."""
_WRITTEN: Final = (
    "seats",
    "observations",
    "_compact",
    "masks",
    "lows",
    "highs",
    "_opponents",
    "_worth",
)
"""Arrays that tables write to, beside their games."""


class LearnerTables:
    """Tables with one learner each, which stand at the learner's decision or at a session's end.

    A table's course depends on its seed, its episode, the rules and its decisions, never on the
    tables beside it, but where an opponent that is asked draws from its generator: it draws for all
    tables that it is asked for at once.

    A session in which the learner is never asked (a banker whose players are all bust, say) is
    dealt through; what it pays the learner is delivered with the first reward of the session that
    follows.
    """

    def __init__(
        self,
        n: int,
        rules: Rules | None,
        seating: Seating,
        on_illegal: OnIllegal = "raise",
        illegal_penalty: float = 1.0,
        memory: bool = False,
        encoding: Encoding = "discrete",
        padded: bool = False,
    ) -> None:
        """Lay ``n`` tables, at which nothing has begun.

        Args:
            n: Number of tables.
            rules: The rules of every table; `Rules.single_deal` where None.
            seating: Who sits there.
            on_illegal: What an illegal action does: it raises; it ends the session at once, with a
                penalty; it costs a penalty and the learner is asked again; it is replaced by the
                first legal action.
            illegal_penalty: What an illegal action costs, in least stakes, where it costs
                something.
            memory: Whether the observations hold what a perfect memory knows.
            encoding: Of the actions: ``discrete`` ones are made by `step`, ``hybrid`` and ``box``
                ones by `step_moves`.
            padded: Whether the observations are laid out as at the largest table.

        Raises:
            TypeError: ``rules`` are no `Rules`.
            ValueError: Another argument is out of its range.
        """
        rules = Rules.single_deal() if rules is None else rules
        if not isinstance(rules, Rules):
            raise TypeError(f"rules={rules!r} are no Rules; try pontoon_env.Rules.single_deal()")
        if not is_whole(n, sys.maxsize) or n == 0:
            raise ValueError(f"the number of tables must be a whole number from 1 on, not {n!r}")
        if on_illegal not in get_args(OnIllegal):
            raise ValueError(
                f"on_illegal={on_illegal!r} is none of {', '.join(get_args(OnIllegal))}"
            )
        if not is_nonnegative(illegal_penalty):
            raise ValueError(
                f"illegal_penalty={illegal_penalty!r} must be 0 or more, in least stakes"
            )
        if encoding not in N_CHOICES:
            raise ValueError(f"encoding={encoding!r} is none of {', '.join(N_CHOICES)}")
        self.rules = rules
        self.seating = seating
        self.games = batch.new_games(n)
        self.games["phase"] = _OVER
        self.seats = np.zeros(n, np.int64)
        """``(n,)``, the learner's seat."""
        self.observations = np.zeros((n, observation_size(rules, memory, padded)), np.float32)
        """``(n, observation_size)``, what the learner sees; written in place by every step."""
        self._padding = padding_runs(rules, memory) if padded else None
        self._compact = np.zeros((n if padded else 0, observation_size(rules, memory)), np.float32)
        """What the learner sees, without padding, where there is any."""
        self.masks = np.zeros((n, N_CHOICES[encoding]), np.int8)
        """``(n, N_DISCRETE)``, or ``(n, N_MOVES)`` in the other encodings: its legal actions; all
        zero at a session's end. Written in place."""
        self.lows = np.zeros((n, N_MOVES), np.float32)
        self.highs = np.zeros((n, N_MOVES), np.float32)
        self._record = rules.to_record()
        self._opponents = batch.external_seats(n)
        self._worth = np.zeros(n, np.int64)
        self._rows = np.arange(n)
        agents = seating.agents()
        for agent in agents:
            if not isinstance(agent, int):
                check_agent(agent, rules)
        self._numbers, self._tables = seat_compiled(agents, rules)
        self._asked: dict[int, AnyAgent] = {}
        for role, agent in enumerate(agents):
            if isinstance(agent, int):
                self._numbers[role] = agent
            elif self._numbers[role] == batch.EXTERNAL:
                self._asked[role] = agent
        self._encoding: Encoding = encoding
        self._move_of = MOVE_OF_DISCRETE if encoding == "discrete" else np.arange(N_MOVES)
        """The move of each choice that a mask tells of."""
        self._on_illegal = on_illegal
        self._penalty = float(illegal_penalty)

    def begin(
        self,
        rows: NDArray[np.intp],
        seeds: NDArray[np.uint64],
        episodes: NDArray[np.uint64],
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Begin a session on some tables and play to the learner's first decision.

        What is refused changes no table.

        Args:
            rows: ``(k,)``, which tables.
            seeds: ``(k,)``, their seeds.
            episodes: ``(k,)``, the numbers of their sessions; sessions without a decision are
                passed over.
            options: ``banker``, the first banker, and ``seat``, the learner's, where they are not
                to be drawn; ``pack``, names or numbers of cards on top of the pack, the next one
                first: the others follow in shuffled order. Other keys are not read.

        Raises:
            TypeError: The options are no mapping.
            ValueError: ``banker`` and ``seat`` do not fit the role, or ``pack`` holds what is no
                card, or a card too often.
            RuntimeError: The learner has nothing to decide under these rules and in this role.
        """
        options = check_options(options)
        banker, seat = self._check_seats(options)
        pack = options.get("pack")
        cards = [] if pack is None else card_numbers(pack)
        kept = np.zeros(rows.size, np.int64)
        episodes = episodes.copy()
        games, seats, opponents = self._begin_sessions(seeds, episodes, banker, seat, cards)
        for _ in range(_MOST_SKIPPED):
            waiting = np.flatnonzero(games["phase"] == _OVER)
            if waiting.size == 0:
                self.games.put(rows, games)
                self.seats[rows] = seats
                self._opponents[rows] = opponents
                self._worth[rows] = -kept
                self._observe(rows)
                return
            kept[waiting] += self._worth_of(games.take(waiting), seats[waiting])
            episodes[waiting] += np.uint64(1)
            games[waiting], seats[waiting], opponents[waiting] = self._begin_sessions(
                seeds[waiting], episodes[waiting], banker, seat, cards
            )
        raise RuntimeError(
            f"a learner with role={self.seating.role!r} was not asked once in "
            f"{_MOST_SKIPPED} sessions: these rules, role and pack leave it nothing to decide"
        )

    def _check_seats(self, options: Mapping[str, Any]) -> tuple[int | None, int | None]:
        """Return the seats of the first banker and the learner, None where they are drawn."""
        n_seats = self.rules.seats
        banker, seat = options.get("banker"), options.get("seat")
        for name, value in (("banker", banker), ("seat", seat)):
            if value is not None and not is_whole(value, n_seats - 1):
                raise ValueError(f"{name}={value!r} is no seat from 0 to {n_seats - 1}")
        if (
            banker is not None
            and seat is not None
            and (seat - banker) % n_seats not in self.seating.offsets(n_seats)
        ):
            raise ValueError(
                f"seat={seat} beside banker={banker} does not fit role={self.seating.role!r}"
            )
        return banker, seat

    def _begin_sessions(
        self,
        seeds: NDArray[np.uint64],
        episodes: NDArray[np.uint64],
        banker: int | None,
        seat: int | None,
        cards: list[int],
    ) -> tuple[NDArray[np.void], NDArray[np.int64], NDArray[np.int64]]:
        """Begin sessions; return the games at the learners' first decisions, seats, opponents."""
        n = seeds.size
        games = batch.new_games(n)
        batch.begin_batch(self._record, games, seeds, episodes)
        seats = self._seat(games, banker, seat)
        if cards:
            for game in games:
                stack_top(game, cards, self.rules)
        opponents = self._opponents_of(games, seats)
        self._play(games, seats, opponents, np.full(n, batch.NO_MOVE), np.zeros(n))
        return games, seats, opponents

    def _play(
        self,
        games: NDArray[np.void],
        seats: NDArray[np.int64],
        opponents: NDArray[np.int64],
        moves: NDArray[np.int64],
        fractions: NDArray[np.float64],
    ) -> None:
        """Make the learners' decisions, then all others', up to the learners' next ones."""
        outcomes = np.zeros(games.size, np.int64)
        while True:
            batch.play_batch(
                self._record,
                games,
                opponents,
                moves,
                fractions,
                outcomes,
                _NO_LIMIT,
                self._tables,
            )
            _check_opponents(outcomes)
            if not self._is_asking:
                return
            waiting = np.flatnonzero((games["phase"] != _OVER) & (games["seat"] != seats))
            if waiting.size == 0:
                return
            moves, fractions = np.full(games.size, batch.NO_MOVE), np.zeros(games.size)
            moves[waiting], fractions[waiting] = self._ask(games.take(waiting), opponents[waiting])

    @property
    def _is_asking(self) -> bool:
        """Tell whether any opponent decides outside the compiled loop."""
        return bool(self._asked)

    def _ask(
        self, games: NDArray[np.void], opponents: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the moves and fractions of opponents that decide outside the compiled loop."""
        moves, fractions = np.empty(games.size, np.int64), np.empty(games.size)
        is_banker = games["seat"] == games["banker"]
        for role, agent in self._asked.items():
            rows = np.flatnonzero(is_banker == role)
            if rows.size:
                generator = _generator_of(games[rows[0]])
                moves[rows], fractions[rows] = ask(agent, self.rules, games.take(rows), generator)
        return moves, fractions

    def _opponents_of(self, games: NDArray[np.void], seats: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the agents beside learners on some seats, as `batch.play_batch` reads them.

        Args:
            games: ``(n,)``, begun.
            seats: ``(n,)``, the learners'.
        """
        opponents = batch.external_seats(seats.size)
        opponents[:] = self._numbers
        opponents[np.arange(seats.size), seats] = batch.EXTERNAL
        return opponents

    def _seat(
        self, games: NDArray[np.void], banker: int | None, seat: int | None
    ) -> NDArray[np.int64]:
        """Return the learners' seats; set the first banker where it is given."""
        n_seats = self.rules.seats
        possible = self.seating.offsets(n_seats)
        offsets = np.zeros(games.size, np.int64)
        draw_offsets(games, len(possible), offsets)
        offsets += possible.start
        if banker is None and seat is not None:
            games["banker"] = (seat - offsets) % n_seats
        elif banker is not None:
            games["banker"] = banker
        games["seat"] = games["banker"]
        seats: NDArray[np.int64] = (games["banker"] + offsets) % n_seats
        return seats if seat is None else np.full(games.size, seat, np.int64)

    def step(
        self, actions: NDArray[np.integer]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Make the learners' decisions, in the discrete encoding, and play to the next ones.

        Args:
            actions: ``(n,)``, a discrete action each.

        Returns:
            The rewards, float64 ``(n,)``: changes of the learner's own worth since its last
            decision, in least stakes; whether each session has ended; and whether each action was
            illegal.

        Raises:
            IllegalActionError: An action is illegal and ``on_illegal="raise"``; no table has
                changed.
            ValueError: The actions have another shape, are no whole numbers, or are out of range;
                or the encoding is another.
            NotResetError: A session is over, or none has begun.
        """
        self._check_encoding(("discrete",), "step(actions)")
        actions = self._check_choices(actions, "actions")
        return self._step(actions, FRACTION_OF_DISCRETE[actions])

    def step_moves(
        self, moves: NDArray[np.integer], fractions: NDArray[np.floating]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Make the learners' decisions, by moves and fractions; result and errors as of `step`.

        Args:
            moves: ``(n,)``, a `Move` each.
            fractions: ``(n,)``, amounts as fractions of the legal intervals, 0 to 1; they make no
                difference where the move takes none.
        """
        self._check_encoding(("hybrid", "box"), "step_moves(moves, fractions)")
        moves = self._check_choices(moves, "moves")
        return self._step(moves, self._check_fractions(fractions))

    def _step(
        self, choices: NDArray[np.integer], fractions: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Make decisions that have been checked, each a choice that the masks tell of."""
        illegal = self.masks[self._rows, choices] == 0
        moves = self._move_of[choices]
        if illegal.any():
            self._refuse(illegal, choices)
            if self._on_illegal == "replace":
                first = self._move_of[self.masks.argmax(axis=1)]
                moves, fractions = (
                    np.where(illegal, first, moves),
                    np.where(illegal, 0.0, fractions),
                )
            else:
                moves[illegal] = batch.NO_MOVE
        self._play(self.games, self.seats, self._opponents, moves, fractions)
        worth = self._worth_of(self.games, self.seats)
        rewards = (worth - self._worth) / self.rules.min_stake
        self._worth = worth
        ended = self.games["phase"] == _OVER
        if self._on_illegal in ("penalise", "terminate"):
            rewards -= self._penalty * illegal
        if self._on_illegal == "terminate":
            self.games["phase"][illegal] = _OVER
            ended |= illegal
        self._observe(self._rows)
        return rewards, ended, illegal

    def _check_encoding(self, encodings: tuple[Encoding, ...], call: str) -> None:
        """Refuse a call that belongs to other encodings."""
        if self._encoding not in encodings:
            theirs = " or ".join(map(repr, encodings))
            raise ValueError(f"{call} is for encoding={theirs}, not {self._encoding!r}")

    def _check_choices(self, choices: NDArray[np.integer], name: str) -> NDArray[np.integer]:
        """Return actions, or moves, as an array, refusing what is none."""
        choices = self._check_shape(choices, name)
        last = self.masks.shape[1] - 1
        if choices.dtype.kind not in "iu" or choices.min() < 0 or choices.max() > last:
            found = _first_wrong(choices, last)
            raise ValueError(f"{name} must be whole numbers from 0 to {last}, not {found}")
        return choices

    def _check_fractions(self, fractions: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return fractions as an array, refusing what is none."""
        fractions = self._check_shape(fractions, "fractions")
        if fractions.dtype.kind not in "fiu" or not ((fractions >= 0) & (fractions <= 1)).all():
            found = _first_wrong(fractions, 1)
            raise ValueError(f"fractions must be numbers from 0 to 1, not {found}")
        return np.asarray(fractions, np.float64)

    def _check_shape(self, values: Any, name: str) -> NDArray[Any]:
        """Return values as an array, refusing any other number of them than one a table."""
        try:
            array: NDArray[Any] = np.asarray(values)
        except (TypeError, ValueError) as error:  # lists of unequal length, say
            raise ValueError(f"the {name} are no array: {values!r}") from error
        if array.shape != self._rows.shape:
            found = (
                f"have shape {array.shape}, not" if array.ndim else f"are {values!r}, no array of"
            )
            raise ValueError(f"the {name} {found} {self._rows.shape}: one a table")
        return array

    def _refuse(self, illegal: NDArray[np.bool_], choices: NDArray[np.integer]) -> None:
        """Raise what a step with illegal actions raises, if it does."""
        row = int(illegal.argmax())
        if not self.masks[illegal].any(axis=1).all():
            raise NotResetError(
                "the session is over, or none has begun: call reset() before step()"
            )
        if self._on_illegal == "raise":
            place = f"table {row}: " if self._rows.size > 1 else ""
            move = int(self._move_of[choices[row]])
            raise illegal_action(self.rules, self.games[row], move, prefix=place)

    def amounts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the least and the largest amount of each legal move in chips, ``(n, N_MOVES)``."""
        n = self._rows.size
        to_act, masks = np.zeros(n, np.int64), np.zeros((n, N_MOVES), np.int8)
        lows, highs = np.zeros((2, n, N_MOVES), np.int64)
        worths = np.zeros((n, MAX_SEATS), np.int64)
        batch.status_batch(self._record, self.games, to_act, masks, lows, highs, worths)
        return lows, highs

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Return copies of all that the tables' further course depends on."""
        return {
            "games": self.games.take(self._rows),
            "seats": self.seats.copy(),
            "opponents": self._opponents.copy(),
            "worth": self._worth.copy(),
        }

    def set_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on from what `get_state` returned at tables of the same number, rules and settings.

        Raises:
            ValueError: The records of the games are those of another version; nothing has changed.
        """
        found, expected = state["games"].dtype, self.games.dtype
        if found != expected:
            raise ValueError(
                "these tables were saved by another version of pontoon_env: its records of games "
                f"have {found.itemsize} bytes, not the {expected.itemsize} of this one, or other "
                "fields; begin anew"
            )
        self.games.put(self._rows, state["games"])
        self.seats[:] = state["seats"]
        self._worth = state["worth"].copy()
        self._opponents[:] = state["opponents"]
        self._observe(self._rows)

    def copy(self) -> LearnerTables:
        """Return independent tables with the same games, fast; agents that are asked are shared."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.games = self.games.take(self._rows)
        for name in _WRITTEN:
            twin.__dict__[name] = self.__dict__[name].copy()
        return twin

    def load(
        self, games: NDArray[np.void], seats: NDArray[np.int64], worth: NDArray[np.int64]
    ) -> None:
        """Go on from other games, each at its learner's decision or over, with the same agents.

        Args:
            games: ``(n,)``.
            seats: ``(n,)``, the learners'.
            worth: ``(n,)``, what each owned when it was paid last.
        """
        self.games = games
        self.seats[:] = seats
        self._opponents = self._opponents_of(games, seats)
        self._worth = worth
        self._observe(self._rows)

    def resample_hidden(self, rng: np.random.Generator) -> None:
        """Go on at every table in a world that its learner cannot tell from this one (`hidden`)."""
        resample_batch(self._record, self.games, self.seats, draw_keys(rng, self.games.size))

    def _worth_of(self, games: NDArray[np.void], seats: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return a seat's chips in each game, int64 ``(k,)``; the kitty is the banker's (S11)."""
        worth: NDArray[np.int64] = games["seats"]["chips"][np.arange(games.size), seats]
        return worth + np.where(games["banker"] == seats, games["kitty"], 0)

    def _observe(self, rows: NDArray[np.intp]) -> None:
        """Write what the learner sees on some tables."""
        seen = self.observations if self._padding is None else self._compact
        arrays: list[NDArray[Any]] = [seen, self.masks, self.lows, self.highs]
        if rows.size == self._rows.size:
            batch.observe_batch(self._record, self.games, self.seats, *arrays)
            if self._padding is not None:
                write_padded(self._padding, seen, self.observations)
            return
        written = [np.empty((rows.size, array.shape[1]), array.dtype) for array in arrays]
        batch.observe_batch(self._record, self.games.take(rows), self.seats[rows], *written)
        if self._padding is not None:
            write_padded(self._padding, written[0], self.observations, rows)
        for array, part in zip(arrays, written, strict=True):
            array[rows] = part


def _generator_of(game: np.void) -> np.random.Generator:
    """Return where an agent that is asked draws from, of the place of one table alone."""
    place = [game["seed"], game["episode"], game["deal"], game["seat"], game["decision"]]
    if game["world"] != 0:
        place.append(game["world"])
    return np.random.default_rng([int(number) for number in place])


def _first_wrong(values: NDArray[Any], highest: float) -> str:
    """Show the first of some values, one a table, that is not of [0, ``highest``]."""
    if values.dtype.kind not in "fiu":
        return repr(values)
    table = int((~((values >= 0) & (values <= highest))).argmax())
    return f"{values[table]} at table {table}"


def _check_opponents(outcomes: NDArray[np.int64]) -> None:
    """Raise where the engine refused a decision: the learner's is checked, so it is an agent's."""
    if outcomes.any():
        raise RuntimeError(f"table {outcomes.argmax()}: a compiled agent made an illegal decision")
