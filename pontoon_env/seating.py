"""Tables with one learner each: who sits where, and play up to the learner's decisions.

The single-seat faces, `gym_env` and `vector_env`, are this room with two kinds of door.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeGuard, get_args

import numpy as np
from numpy.typing import NDArray

from pontoon_env import batch
from pontoon_env._jit import entry_point
from pontoon_env.actions import FRACTION_OF_DISCRETE, MOVE_OF_DISCRETE, N_CHOICES, Encoding
from pontoon_env.agent import AnyAgent, ask, check_agent, checked_agent, seat_compiled
from pontoon_env.agent_names import find_agent
from pontoon_env.cards import N_CARDS, card_name, parse_card
from pontoon_env.errors import NotResetError, illegal_action
from pontoon_env.hidden import draw_keys, resample_batch
from pontoon_env.history import pack_in_order, stack_pack
from pontoon_env.observation import observation_size
from pontoon_env.opponents import OPPONENTS, opponent_number
from pontoon_env.random_stream import Purpose, draw_below
from pontoon_env.rules import Rules
from pontoon_env.state import MAX_PACK_CARDS, N_MOVES, Phase

_WRITTEN: Final = ("seats", "observations", "masks", "lows", "highs", "_opponents", "_worth")
"""Arrays that tables write to, beside their games."""

Role = Literal["player", "banker", "any"]
OnIllegal = Literal["raise", "terminate", "penalise", "replace"]

MAX_SEED: Final = 2**64 - 1
_OVER: Final = int(Phase.OVER)
_NO_LIMIT: Final = 2**62
_MOST_SKIPPED: Final = 10_000
"""Sessions in a row without a decision of the learner before the settings are at fault."""


@dataclass(frozen=True, kw_only=True)
class Seating:
    """Who sits at a table.

    Raises:
        TypeError: An agent is neither a name nor an agent.
        ValueError: The role or an agent is unknown.
    """

    role: Role = "player"
    """Whether the learner begins a session as a player, as the banker, or on any seat."""
    opponents: str | AnyAgent = "stick17"
    """The agent that plays the other seats, or its name: that of a compiled agent, or one that
    `pontoon_env.agent_names.find_agent` knows."""
    banker_opponent: str | AnyAgent | None = None
    """The agent that plays for them as banker, likewise; ``opponents`` where None."""

    def __post_init__(self) -> None:
        """Check the names."""
        if self.role not in get_args(Role):
            raise ValueError(f"role={self.role!r} is none of {', '.join(get_args(Role))}")
        self.agents()

    def agents(self) -> tuple[int | AnyAgent, int | AnyAgent]:
        """Return the agents on the other seats, as a player and as the banker.

        A compiled one is its number; any other is asked.
        """
        player = _seated(self.opponents)
        if self.banker_opponent is None or self.banker_opponent == self.opponents:
            return player, player
        return player, _seated(self.banker_opponent)

    def offsets(self, seats: int) -> range:
        """Return how many seats left of the first banker the learner may sit."""
        return {"player": range(1, seats), "banker": range(1), "any": range(seats)}[self.role]


def _seated(agent: object) -> int | AnyAgent:
    """Return a compiled agent's number, or another agent."""
    if isinstance(agent, str):
        return opponent_number(agent) if agent in OPPONENTS else find_agent(agent)
    return checked_agent(agent)


@entry_point
def draw_offsets(games: NDArray[np.void], n: int, offsets: NDArray[np.int64]) -> None:
    """Draw a uniform number of [0, n) for each game, of its seed and episode alone.

    Args:
        games: ``(n_games,)``, begun; not changed.
        n: How many choices there are.
        offsets: Out, ``(n_games,)``.
    """
    for i in range(games.size):
        offsets[i] = draw_below(games[i], Purpose.SEAT, 0, n)


def check_seed(seed: int) -> int:
    """Return ``seed``.

    Raises:
        ValueError: It is no whole number of [0, 2**64).
    """
    if not is_whole(seed, MAX_SEED):
        raise ValueError(f"seed={seed!r} is not a whole number from 0 to 2**64 - 1")
    return int(seed)


def check_options(options: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return the options of a reset, an empty mapping for None.

    Raises:
        TypeError: They are no mapping.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise TypeError(f"options={options!r} are no mapping")
    return options


def is_whole(value: object, largest: int) -> TypeGuard[int]:
    """Tell whether ``value`` is a whole number of [0, ``largest``]; True and False are none."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        return False
    return bool(0 <= value <= largest)


def is_nonnegative(value: object) -> TypeGuard[float]:
    """Tell whether ``value`` is a number of [0, inf) that a float can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    return bool(0 <= value <= sys.float_info.max)


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
            encoding: Of the actions: ``discrete`` ones are made by `step`, ``hybrid`` ones by
                `step_moves`.

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
        self.observations = np.zeros((n, observation_size(rules, memory)), np.float32)
        """``(n, observation_size)``, what the learner sees; written in place by every step."""
        self.masks = np.zeros((n, N_CHOICES[encoding]), np.int8)
        """``(n, N_DISCRETE)``, or ``(n, N_MOVES)`` in the hybrid encoding: its legal actions; all
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
        self._check_encoding("discrete", "step(actions)")
        actions = self._check_choices(actions, "actions")
        return self._step(actions, FRACTION_OF_DISCRETE[actions])

    def step_moves(
        self, moves: NDArray[np.integer], fractions: NDArray[np.floating]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Make the learners' decisions, in the hybrid encoding; result and errors as of `step`.

        Args:
            moves: ``(n,)``, a `Move` each.
            fractions: ``(n,)``, amounts as fractions of the legal intervals, 0 to 1; they make no
                difference where the move takes none.
        """
        self._check_encoding("hybrid", "step_moves(moves, fractions)")
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

    def _check_encoding(self, encoding: Encoding, call: str) -> None:
        """Refuse a call that belongs to another encoding."""
        if self._encoding != encoding:
            raise ValueError(f"{call} is for encoding={encoding!r}, not {self._encoding!r}")

    def _check_choices(self, choices: NDArray[np.integer], name: str) -> NDArray[np.integer]:
        """Return actions, or moves, as an array, refusing what is none."""
        choices = self._check_shape(choices, name)
        last = self.masks.shape[1] - 1
        if choices.dtype.kind not in "iu" or choices.min() < 0 or choices.max() > last:
            raise ValueError(f"{name} must be whole numbers from 0 to {last}, not {choices!r}")
        return choices

    def _check_fractions(self, fractions: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return fractions as an array, refusing what is none."""
        fractions = self._check_shape(fractions, "fractions")
        if fractions.dtype.kind not in "fiu" or not ((fractions >= 0) & (fractions <= 1)).all():
            raise ValueError(f"fractions must be numbers from 0 to 1, not {fractions!r}")
        return np.asarray(fractions, np.float64)

    def _check_shape(self, values: Any, name: str) -> NDArray[Any]:
        """Return values as an array, refusing any other number of them than one a table."""
        array: NDArray[Any] = np.asarray(values)
        if array.shape != self._rows.shape:
            raise ValueError(
                f"the {name} have shape {array.shape}, not {self._rows.shape}: one a table"
            )
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

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Return copies of all that the tables' further course depends on."""
        return {
            "games": self.games.take(self._rows),
            "seats": self.seats.copy(),
            "opponents": self._opponents.copy(),
            "worth": self._worth.copy(),
        }

    def set_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on from what `get_state` returned at tables of the same number, rules and settings."""
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
        arrays: list[NDArray[Any]] = [self.observations, self.masks, self.lows, self.highs]
        if rows.size == self._rows.size:
            batch.observe_batch(self._record, self.games, self.seats, *arrays)
            return
        written = [np.empty((rows.size, array.shape[1]), array.dtype) for array in arrays]
        batch.observe_batch(self._record, self.games.take(rows), self.seats[rows], *written)
        for array, part in zip(arrays, written, strict=True):
            array[rows] = part


def card_numbers(cards: Iterable[int | str]) -> list[int]:
    """Return the numbers of cards that a caller gives by name or number.

    Raises:
        ValueError: They are no list of cards, or one of them is none.
    """
    try:
        listed = list(cards)
    except TypeError as error:
        raise ValueError(f"pack={cards!r} is no list of cards") from error
    numbers = []
    for card in listed:
        if isinstance(card, str):
            numbers.append(parse_card(card))
        elif is_whole(card, N_CARDS - 1):
            numbers.append(int(card))
        else:
            raise ValueError(
                f"pack: {card!r} is no card: a name such as 'As', or a number from 0 to 51"
            )
    return numbers


def _generator_of(game: np.void) -> np.random.Generator:
    """Return where an agent that is asked draws from, of the place of one table alone."""
    place = [game["seed"], game["episode"], game["deal"], game["seat"], game["decision"]]
    if game["world"] != 0:
        place.append(game["world"])
    return np.random.default_rng([int(number) for number in place])


def _check_opponents(outcomes: NDArray[np.int64]) -> None:
    """Raise where the engine refused a decision: the learner's is checked, so it is an agent's."""
    if outcomes.any():
        raise RuntimeError(f"table {outcomes.argmax()}: a compiled agent made an illegal decision")


def stack_top(game: np.void, cards: Iterable[int | str], rules: Rules) -> None:
    """Put ``cards`` on top of a game's pack, the next one first; the others keep their order.

    Args:
        game: A game that has begun; changed in place.
        cards: Numbers or names of cards. On an infinite pack they come first, and any of the 52
            after them.
        rules: The rules of the game.

    Raises:
        ValueError: A card is none, or stands there more often than the packs hold it; the game has
            not changed.
    """
    numbers = card_numbers(cards)
    if rules.packs == "infinite":
        if len(numbers) > MAX_PACK_CARDS:
            raise ValueError(
                f"pack: {len(numbers)} cards are more than the {MAX_PACK_CARDS} that can be stacked"
            )
        stack_pack(game, numbers)
        return
    others = pack_in_order(game).tolist()
    for number in numbers:
        if number not in others:
            raise ValueError(
                f"pack: {card_name(number)} is there more often than the game's packs hold it"
            )
        others.remove(number)
    stack_pack(game, [*numbers, *others])
