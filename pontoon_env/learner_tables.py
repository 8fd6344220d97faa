"""Tables with one learner each, played up to the learner's decisions.

The single-seat faces, `gym_env` and `vector_env`, are this room with two kinds of door.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, NoReturn, get_args

import numpy as np
from numpy.typing import NDArray

from pontoon_env import batch
from pontoon_env.action_reading import check_choices, check_fractions, out_of_range
from pontoon_env.actions import MOVE_OF_DISCRETE, N_CHOICES, Encoding
from pontoon_env.agent import AnyAgent, ask, check_agent, seat_compiled
from pontoon_env.arguments import card_numbers, check_options, is_nonnegative, is_whole, stack_top
from pontoon_env.errors import NotResetError, illegal_action
from pontoon_env.hidden import draw_keys, resample_batch
from pontoon_env.learner_batch import (
    DRAWN,
    FAULTY,
    LEARNER,
    OUT_OF_RANGE,
    REFUSED,
    WHOLE_STEP,
    OnIllegalChoice,
    Part,
    begin_learners,
    step_learners,
)
from pontoon_env.observation import observation_size
from pontoon_env.padding import padding_runs, write_padded
from pontoon_env.rules import Rules
from pontoon_env.seating import OnIllegal, Seating
from pontoon_env.state import MAX_SEATS, N_MOVES, Phase

_OVER: Final = int(Phase.OVER)
_MOST_SKIPPED: Final = 10_000
"""Sessions in a row without a decision of the learner before the settings are at fault."""
_ASKING: Final = int(Part.READ | Part.PLAY)
"""What is done before agents are asked."""
_ANSWERED: Final = int(Part.PAY | Part.SHOW)
"""What is done when all have answered."""
_PLAY: Final = int(Part.PLAY)
_SHOW: Final = int(Part.SHOW)
_NO_DECISIONS: Final = np.zeros(0, np.int64)
_NO_FRACTIONS: Final = np.zeros(0)
_WRITTEN: Final = ("observations", "_compact", "masks", "lows", "highs")
"""Arrays that tables write to, beside their courses."""


class _Courses(NamedTuple):
    """Some tables' courses of play, a row each."""

    games: NDArray[np.void]
    learners: NDArray[np.void]
    opponents: NDArray[np.int64]

    def put(self, rows: NDArray[np.intp], others: _Courses) -> None:
        """Replace some rows."""
        self.games.put(rows, others.games)
        self.learners.put(rows, others.learners)
        self.opponents[rows] = others.opponents

    def copy(self) -> _Courses:
        """Return independent ones."""
        rows = np.arange(self.games.size)
        return _Courses(self.games.take(rows), self.learners.copy(), self.opponents.copy())


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
        self._courses = _Courses(batch.new_games(n), np.zeros(n, LEARNER), batch.external_seats(n))
        self.games["phase"] = _OVER
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
        self._rows = np.arange(n)
        offsets = seating.offsets(rules.seats)
        self._offsets = np.array([offsets.start, offsets.stop])
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
        self._on_illegal = int(OnIllegalChoice[on_illegal.upper()])
        self._penalty = float(illegal_penalty)

    @property
    def games(self) -> NDArray[np.void]:
        """The games, ``(n,)`` records of `state.GAME`, changed in place by every step."""
        return self._courses.games

    @property
    def learners(self) -> NDArray[np.void]:
        """What the tables hold beside them, ``(n,)`` records of `learner_batch.LEARNER`."""
        return self._courses.learners

    @property
    def opponents(self) -> NDArray[np.int64]:
        """The agents on the other seats, ``(n, 8, 2)``, as of `batch.play_batch`."""
        return self._courses.opponents

    @property
    def seats(self) -> NDArray[np.int64]:
        """The learners' seats, ``(n,)``."""
        seats: NDArray[np.int64] = self.learners["seat"]
        return seats

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
            rows: ``(k,)``, which tables, in ascending order.
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
        is_shown = rows.size == self._rows.size
        parts = _PLAY | _SHOW if is_shown else _PLAY
        begun, n_over = self._begin_sessions(parts, seeds, episodes, banker, seat, cards)
        if n_over > 0:
            is_shown = False
            self._pass_over(begun, seeds, episodes, banker, seat, cards)
        self._put(rows, begun, is_shown)

    def _pass_over(
        self,
        begun: _Courses,
        seeds: NDArray[np.uint64],
        episodes: NDArray[np.uint64],
        *options: Any,
    ) -> None:
        """Begin the next sessions where some are over already; what they paid stays to be paid."""
        kept, episodes = np.zeros(seeds.size, np.int64), episodes.copy()
        for _ in range(_MOST_SKIPPED):
            waiting = np.flatnonzero(begun.learners["has_ended"])
            if waiting.size == 0:
                begun.learners["worth"] = -kept
                return
            seats = begun.learners["seat"][waiting]
            worths = batch.worth(begun.games.take(waiting))
            kept[waiting] += worths[np.arange(waiting.size), seats]
            episodes[waiting] += np.uint64(1)
            begun.put(
                waiting, self._begin_sessions(_PLAY, seeds[waiting], episodes[waiting], *options)[0]
            )
        self.show()  # of what is given up, something may have been shown
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
        parts: int,
        seeds: NDArray[np.uint64],
        episodes: NDArray[np.uint64],
        banker: int | None,
        seat: int | None,
        cards: list[int],
    ) -> tuple[_Courses, int]:
        """Begin sessions, play to the first decisions; return how many are over by then."""
        n = seeds.size
        opponents = np.empty((n, MAX_SEATS, 2), np.int64)
        begun = _Courses(batch.new_games(n), np.zeros(n, LEARNER), opponents)
        begin_learners(
            self._record,
            begun.games,
            seeds,
            episodes,
            self._agents_beside(n),
            self._offsets,
            DRAWN if banker is None else banker,
            DRAWN if seat is None else seat,
            begun.learners,
            begun.opponents,
        )
        if cards:
            for game in begun.games:
                stack_top(game, cards, self.rules)
        return begun, self._do(parts, begun)

    def _do(
        self,
        parts: int,
        courses: _Courses,
        decisions: NDArray[np.int64] = _NO_DECISIONS,
        fractions: NDArray[np.float64] = _NO_FRACTIONS,
    ) -> int:
        """Do parts of a step, as of `step_learners`, and ask the agents that are to be asked."""
        if not self._is_asking:
            return self._do_compiled(parts, courses, decisions, fractions)
        answer = self._do_compiled(parts & _ASKING, courses, decisions, fractions)
        games = courses.games
        while answer >= 0:
            is_asked = (games["phase"] != _OVER) & (games["seat"] != courses.learners["seat"])
            rows = np.flatnonzero(is_asked)
            if rows.size == 0:
                return self._do_compiled(parts & _ANSWERED, courses, decisions, fractions)
            decisions, fractions = np.full(games.size, batch.NO_MOVE), np.zeros(games.size)
            decisions[rows], fractions[rows] = self._ask(games.take(rows), courses.opponents[rows])
            answer = self._do_compiled(_PLAY, courses, decisions, fractions)
        return answer

    def _do_compiled(
        self,
        parts: int,
        courses: _Courses,
        decisions: NDArray[np.int64] = _NO_DECISIONS,
        fractions: NDArray[np.float64] = _NO_FRACTIONS,
        arrays: Sequence[NDArray[Any]] = (),
    ) -> int:
        """Do parts of a step, as of `step_learners`; show in ``arrays``, or the tables' own."""
        answer: int = step_learners(
            parts,
            self._record,
            *courses,
            decisions,
            fractions,
            self._on_illegal,
            self._penalty,
            self._tables,
            *(arrays or self._arrays),
        )
        if answer == FAULTY:
            raise RuntimeError("a compiled agent made an illegal decision")
        return answer

    @property
    def _arrays(self) -> tuple[NDArray[Any], ...]:
        """What a step writes: observations without padding, masks, least and largest amounts."""
        seen = self.observations if self._padding is None else self._compact
        return seen, self.masks, self.lows, self.highs

    def _put(self, rows: NDArray[np.intp], courses: _Courses, is_shown: bool = False) -> None:
        """Go on from other courses at some tables, and show them if they are not."""
        if rows.size == self._rows.size:
            self._courses = courses
            if is_shown:
                self._pad()
            else:
                self.show()
            return
        self._courses.put(rows, courses)
        shown = [np.empty((rows.size, array.shape[1]), array.dtype) for array in self._arrays]
        self._do_compiled(_SHOW, courses, arrays=shown)
        for array, part in zip(self._arrays, shown, strict=True):
            array[rows] = part
        if self._padding is not None:
            write_padded(self._padding, shown[0], self.observations, rows)

    def renew_observations(self) -> None:
        """Have what follows write observations to a fresh array, which holds none before that."""
        renewed = np.empty_like if self._padding is None else np.zeros_like
        self.observations = renewed(self.observations)

    def show(self) -> None:
        """Write again what all learners see."""
        self._do_compiled(_SHOW, self._courses)
        self._pad()

    def _pad(self) -> None:
        """Lay out what has been shown as at the largest table, where that is asked for."""
        if self._padding is not None:
            write_padded(self._padding, self._compact, self.observations)

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

    def _agents_beside(self, n: int) -> NDArray[np.int64]:
        """Return the numbers of the agents on the other seats of ``n`` tables.

        As players and as bankers, ``(n, 2)``; or ``(1, 2)`` where they are the same at all tables.
        """
        return self._numbers.reshape(1, 2)

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
        self.decide(actions)
        return self._outcome()

    def decide(self, actions: Any) -> None:
        """Do the same as `step`; what comes of it stands in `learners`."""
        self._check_encoding(("discrete",), "step(actions)")
        self._step(check_choices(actions, *self._choosable), _NO_FRACTIONS)

    def step_moves(
        self, moves: NDArray[np.integer], fractions: NDArray[np.floating]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Make the learners' decisions, by moves and fractions; result and errors as of `step`.

        Args:
            moves: ``(n,)``, a `Move` each.
            fractions: ``(n,)``, amounts as fractions of the legal intervals, 0 to 1; they make no
                difference where the move takes none.
        """
        self.decide_moves(moves, fractions)
        return self._outcome()

    def decide_moves(self, moves: Any, fractions: Any) -> None:
        """Do the same as `step_moves`; what comes of it stands in `learners`."""
        self._check_encoding(("hybrid", "box"), "step_moves(moves, fractions)")
        choices = check_choices(moves, *self._choosable)
        self._step(choices, check_fractions(fractions, self._rows.size))

    def _outcome(self) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Return what has come of a step, in fresh arrays."""
        learners = self.learners
        return (
            learners["reward"].copy(),
            learners["has_ended"].copy(),
            learners["is_illegal"].copy(),
        )

    def _step(self, choices: NDArray[np.int64], fractions: NDArray[np.float64]) -> None:
        """Make the learners' decisions and play to their next ones."""
        answer = self._do(WHOLE_STEP, self._courses, choices, fractions)
        if answer == REFUSED:
            self._refuse(choices)
        if answer == OUT_OF_RANGE:
            raise out_of_range(choices, fractions, *self._choosable)
        self._pad()

    @property
    def _choosable(self) -> tuple[int, str, int]:
        """How many choices a step takes, what they are called, and the largest of them."""
        name = "actions" if self._encoding == "discrete" else "moves"
        return self._rows.size, name, self.masks.shape[1] - 1

    def _check_encoding(self, encodings: tuple[Encoding, ...], call: str) -> None:
        """Refuse a call that belongs to other encodings."""
        if self._encoding not in encodings:
            theirs = " or ".join(map(repr, encodings))
            raise ValueError(f"{call} is for encoding={theirs}, not {self._encoding!r}")

    def _refuse(self, choices: NDArray[np.int64]) -> NoReturn:
        """Raise what a step with illegal choices raises."""
        is_illegal = self.masks[self._rows, choices] == 0
        if not self.masks[is_illegal].any(axis=1).all():
            raise NotResetError(
                "the session is over, or none has begun: call reset() before step()"
            )
        row = int(is_illegal.argmax())
        choice = int(choices[row])
        move = int(MOVE_OF_DISCRETE[choice]) if self._encoding == "discrete" else choice
        place = f"table {row}: " if self._rows.size > 1 else ""
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
            "seats": self.learners["seat"].copy(),
            "opponents": self._courses.opponents.copy(),
            "worth": self.learners["worth"].copy(),
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
        opponents = np.array(state["opponents"], np.int64)
        self._load(state["games"].take(self._rows), opponents, state["seats"], state["worth"])

    def copy(self) -> LearnerTables:
        """Return independent tables with the same games, fast; agents that are asked are shared."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._courses = self._courses.copy()
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
        opponents = batch.external_seats(games.size)
        opponents[:] = self._agents_beside(games.size)[:, None]
        opponents[self._rows, seats] = batch.EXTERNAL
        self._load(games, opponents, seats, worth)

    def _load(
        self,
        games: NDArray[np.void],
        opponents: NDArray[np.int64],
        seats: NDArray[np.int64],
        worth: NDArray[np.int64],
    ) -> None:
        """Go on from other games with these opponents."""
        learners = np.zeros(games.size, LEARNER)
        learners["seat"], learners["worth"] = seats, worth
        self._put(self._rows, _Courses(games, learners, opponents))

    def resample_hidden(self, rng: np.random.Generator) -> None:
        """Go on at every table in a world that its learner cannot tell from this one (`hidden`)."""
        resample_batch(self._record, self.games, self.seats, draw_keys(rng, self.games.size))


def _generator_of(game: np.void) -> np.random.Generator:
    """Return where an agent that is asked draws from, of the place of one table alone."""
    place = [game["seed"], game["episode"], game["deal"], game["seat"], game["decision"]]
    if game["world"] != 0:
        place.append(game["world"])
    return np.random.default_rng([int(number) for number in place])
