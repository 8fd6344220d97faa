"""Tables with one learner each, played up to the learner's decisions.

The single-seat faces, `gym_env` and `vector_env`, are this room with two kinds of door.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn, get_args

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
    SETTING,
    WHOLE_STEP,
    Courses,
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
_ASKING: Final = int(Part.BEGIN | Part.READ | Part.PLAY)
"""What is done before agents are asked."""
_ANSWERED: Final = int(Part.PAY | Part.SHOW | Part.SHOW_ENDED)
"""What is done when all have answered."""
_BEGIN: Final = int(Part.BEGIN)
_PLAY: Final = int(Part.PLAY)
_SHOW: Final = int(Part.SHOW)
_SHOW_ENDED: Final = int(Part.SHOW_ENDED)
_UNSHOWN_STEP: Final = WHOLE_STEP & ~_SHOW
_NEXT_SESSION: Final = _BEGIN | _PLAY | _SHOW
_NO_DECISIONS: Final = np.zeros(0, np.int64)
_NO_FRACTIONS: Final = np.zeros(0)


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
        self.observations = np.zeros((n, observation_size(rules, memory, padded)), np.float32)
        """``(n, observation_size)``, what the learner sees; written in place by every step, and
        replaced by `write_to` alone, as are the masks."""
        self._padding = padding_runs(rules, memory) if padded else None
        compact = np.zeros((n, observation_size(rules, memory)), np.float32)
        self._rows = np.arange(n)
        self._choice, self._fraction = np.zeros(1, np.int64), np.zeros(1)
        agents = seating.agents()
        for agent in agents:
            if not isinstance(agent, int):
                check_agent(agent, rules)
        self._numbers, tables = seat_compiled(agents, rules)
        self._asked: dict[int, AnyAgent] = {}
        """The agents that decide outside the compiled loop, by whether they are asked as banker."""
        for role, agent in enumerate(agents):
            if isinstance(agent, int):
                self._numbers[role] = agent
            elif self._numbers[role] == batch.EXTERNAL:
                self._asked[role] = agent
        self._encoding: Encoding = encoding
        offsets, kind = seating.offsets(rules.seats), OnIllegalChoice[on_illegal.upper()]
        self._record = rules.to_record()
        setting = (self._record[0], offsets.start, len(offsets), DRAWN, DRAWN, kind)
        self._is_asking = bool(self._asked)
        self._courses = Courses(
            np.array([(*setting, illegal_penalty)], SETTING),
            *self._new_games(n),
            tables,
            compact if padded else self.observations,
            np.zeros((n, N_CHOICES[encoding]), np.int8),
            np.zeros((2, n, N_MOVES), np.float32),
        )
        self.games["phase"] = _OVER

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
    def masks(self) -> NDArray[np.int8]:
        """``(n, N_DISCRETE)``, or ``(n, N_MOVES)`` in the other encodings: what is legal.

        All zero at a session's end. Written in place by every step.
        """
        return self._courses.masks

    @property
    def amounts(self) -> NDArray[np.float32]:
        """Least and largest amounts of the legal moves, ``(2, n, N_MOVES)``, in least stakes."""
        return self._courses.amounts

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
        setting, cards = self._wishes(check_options(options))
        games, learners, opponents = self._new_games(rows.size)
        begun = self._courses._replace(
            setting=setting, games=games, learners=learners, opponents=opponents
        )
        self._meet(begun)
        begin_learners(seeds, episodes, *begun[:4])
        self._stack(cards, begun.games)
        if self._do(_PLAY, begun) > 0:
            self._pass_over(begun, cards)
        self._put(rows, games, learners, opponents)

    def begin_next(self) -> None:
        """Begin the next session of its seed at each table where one has ended, likewise.

        What the learners see is written again at all tables, where it raises too.

        Raises:
            RuntimeError: As of `begin`.
        """
        try:
            if self._is_asking:  # an agent may fail: that is to change no table
                rows = np.flatnonzero(self.learners["has_ended"])
                ended = self.games.take(rows)
                self.begin(rows, ended["seed"].copy(), ended["episode"] + np.uint64(1))
            elif self._do(_NEXT_SESSION, self._courses) > 0:
                self._pass_over(self._courses)
                self.show()
            elif self._padding is not None:
                self._pad()
        except Exception:
            self.show()
            raise

    def _pass_over(self, courses: Courses, cards: Sequence[int] = ()) -> None:
        """Begin the next sessions where some are over already; what they paid stays to be paid."""
        for _ in range(_MOST_SKIPPED):
            rows = np.flatnonzero(courses.learners["has_ended"])
            self._meet(courses)
            step_learners(_BEGIN, _NO_DECISIONS, _NO_FRACTIONS, *courses)
            self._stack(cards, courses.games, rows)
            if self._do(_PLAY, courses) == 0:
                return
        raise RuntimeError(
            f"a learner with role={self.seating.role!r} was not asked once in "
            f"{_MOST_SKIPPED} sessions: these rules, role and pack leave it nothing to decide"
        )

    def _wishes(self, options: Mapping[str, Any]) -> tuple[NDArray[np.void], Sequence[int]]:
        """Return the setting with the seats that are asked for, and the cards on the packs."""
        if not options:
            return self._courses.setting, ()
        setting = self._courses.setting.copy()
        banker, seat, pack = (options.get(name) for name in ("banker", "seat", "pack"))
        self.seating.check_seats(self.rules.seats, banker, seat)
        setting["banker"] = DRAWN if banker is None else banker
        setting["seat"] = DRAWN if seat is None else seat
        return setting, () if pack is None else card_numbers(pack)

    def _stack(self, cards: Sequence[int], games: NDArray[np.void], rows: Any = np.s_[:]) -> None:
        """Put cards on the packs of some games, where there are any."""
        if cards:
            for row in self._rows[: games.size][rows]:
                stack_top(games[row], cards, self.rules)

    def _new_games(self, n: int) -> tuple[NDArray[np.void], NDArray[np.void], NDArray[np.int64]]:
        """Return games, learners and opponents of ``n`` tables at which nothing has begun."""
        learners, opponents = np.zeros(n, LEARNER), np.empty((n, MAX_SEATS, 2), np.int64)
        learners["has_ended"] = True
        opponents[:] = self._numbers
        return batch.new_games(n), learners, opponents

    def _meet(self, courses: Courses) -> None:
        """Seat other agents where the next session is to begin; here they stay the same."""

    def _do(
        self,
        parts: int,
        courses: Courses,
        decisions: NDArray[np.int64] = _NO_DECISIONS,
        fractions: NDArray[np.float64] = _NO_FRACTIONS,
    ) -> int:
        """Do parts of a step, as of `step_learners`, and ask the agents that are to be asked."""
        at_first = parts & _ASKING if self._is_asking else parts
        answer: int = step_learners(at_first, decisions, fractions, *courses)
        if self._is_asking:
            games = courses.games
            while answer >= 0:
                is_asked = (games["phase"] != _OVER) & (games["seat"] != courses.learners["seat"])
                rows = np.flatnonzero(is_asked)
                if rows.size == 0:
                    return step_learners(parts & _ANSWERED, decisions, fractions, *courses)
                decisions, fractions = np.full(games.size, batch.NO_MOVE), np.zeros(games.size)
                taken = games.take(rows), courses.opponents[rows]
                decisions[rows], fractions[rows] = self._ask(*taken)
                answer = step_learners(_PLAY, decisions, fractions, *courses)
        if answer == FAULTY:
            raise RuntimeError("a compiled agent made an illegal decision")
        return answer

    def _put(
        self,
        rows: NDArray[np.intp],
        games: NDArray[np.void],
        learners: NDArray[np.void],
        opponents: NDArray[np.int64],
    ) -> None:
        """Go on from other games at some tables, and write again what all learners see."""
        courses = self._courses._replace(games=games, learners=learners, opponents=opponents)
        if rows.size == self._rows.size:
            self._courses = courses
        else:
            self._courses.put(rows, courses)
        self.show()

    def finals(self, n: int) -> tuple[NDArray[np.float32], NDArray[np.int8], NDArray[np.float32]]:
        """Return what the learners see at the ``n`` tables where sessions have ended, fresh.

        Returns:
            Observations, masks and amounts, in the order of the tables.
        """
        courses = self._courses.shown_elsewhere(n)
        self._do(_SHOW_ENDED, courses)
        observations = courses.observations
        if self._padding is not None:
            observations = np.zeros((n, self.observations.shape[1]), np.float32)
            write_padded(self._padding, courses.observations, observations)
        return observations, courses.masks, courses.amounts

    def write_to(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8] | None = None
    ) -> None:
        """Have what follows write what the learners see to other arrays, of the same shapes.

        Args:
            observations: To be zero where padding is.
            masks: What choices are read by, until the next are written.
        """
        self.observations = observations
        compact = observations if self._padding is None else self._courses.observations
        shown = self.masks if masks is None else masks
        self._courses = self._courses._replace(observations=compact, masks=shown)

    def renew_observations(self) -> None:
        """Have what follows write observations to a fresh array, which holds none before that."""
        renewed = np.empty_like if self._padding is None else np.zeros_like
        self.write_to(renewed(self.observations))

    def show(self) -> None:
        """Write again what all learners see."""
        self._do(_SHOW, self._courses)
        self._pad()

    def _pad(self) -> None:
        """Lay out what has been shown as at the largest table, where that is asked for."""
        if self._padding is not None:
            write_padded(self._padding, self._courses.observations, self.observations)

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

    def step(
        self, actions: NDArray[np.integer], is_shown: bool = True
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Make the learners' decisions, in the discrete encoding, and play to the next ones.

        Args:
            actions: ``(n,)``, a discrete action each.
            is_shown: Whether to write what the learners see; `begin_next` does, else.

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
        self._step(check_choices(actions, *self._choosable), _NO_FRACTIONS, is_shown)
        return self._outcome()

    def step_moves(
        self,
        moves: NDArray[np.integer],
        fractions: NDArray[np.floating],
        is_shown: bool = True,
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Make the learners' decisions, by moves and fractions; result and errors as of `step`.

        Args:
            moves: ``(n,)``, a `Move` each.
            fractions: ``(n,)``, amounts as fractions of the legal intervals, 0 to 1; they make no
                difference where the move takes none.
            is_shown: As of `step`.
        """
        self._check_encoding(("hybrid", "box"), "step_moves(moves, fractions)")
        choices = check_choices(moves, *self._choosable)
        self._step(choices, check_fractions(fractions, self._rows.size), is_shown)
        return self._outcome()

    def decide(self, choice: int, fraction: float = 0.0) -> tuple[Any, ...]:
        """Do the same at the only table; errors as of `step`.

        Args:
            choice: A discrete action, or a move.
            fraction: As of `step_moves`; it makes no difference to an action.

        Returns:
            As of `learner`.
        """
        self._choice[0], self._fraction[0] = choice, fraction
        self._step(self._choice, self._fraction)
        return self.learner()

    def learner(self) -> tuple[Any, ...]:
        """Return the fields of the only table's `learner_batch.LEARNER` record."""
        fields: Any = self._courses.learners.item()
        values: tuple[Any, ...] = fields
        return values

    def _outcome(self) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Return what has come of a step, in fresh arrays."""
        learners = self.learners
        return (
            learners["reward"].copy(),
            learners["has_ended"].copy(),
            learners["is_illegal"].copy(),
        )

    def _step(
        self, choices: NDArray[np.int64], fractions: NDArray[np.float64], is_shown: bool = True
    ) -> None:
        """Make the learners' decisions and play to their next ones."""
        parts, courses = WHOLE_STEP if is_shown else _UNSHOWN_STEP, self._courses
        if self._is_asking:  # an agent may fail: that is to change no table
            courses = courses._replace(
                games=self.games.take(self._rows), learners=self.learners.copy()
            )
        answer = self._do(parts, courses, choices, fractions)
        self._courses = courses
        if answer == REFUSED:
            self._refuse(choices)
        if answer == OUT_OF_RANGE:
            raise out_of_range(choices, fractions, *self._choosable)
        if is_shown and self._padding is not None:
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

    def chips(self, rows: NDArray[np.intp]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the least and the largest amount of each legal move in chips, ``(k, N_MOVES)``."""
        n = rows.size
        to_act, masks = np.zeros(n, np.int64), np.zeros((n, N_MOVES), np.int8)
        lows, highs = np.zeros((2, n, N_MOVES), np.int64)
        worths = np.zeros((n, MAX_SEATS), np.int64)
        games = self.games.take(rows)
        batch.status_batch(self._record, games, to_act, masks, lows, highs, worths)
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
        twin._choice, twin._fraction = self._choice.copy(), self._fraction.copy()
        courses = self._courses
        twin._courses = courses._replace(
            games=courses.games.take(self._rows),
            learners=courses.learners.copy(),
            opponents=courses.opponents.copy(),
            observations=courses.observations.copy(),
            masks=courses.masks.copy(),
            amounts=courses.amounts.copy(),
        )
        padded = self._padding is not None
        twin.observations = self.observations.copy() if padded else twin._courses.observations
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
        opponents = self._new_games(games.size)[2]
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
        self._put(self._rows, games, learners, opponents)

    def resample_hidden(self, rng: np.random.Generator) -> None:
        """Go on at every table in a world that its learner cannot tell from this one (`hidden`)."""
        resample_batch(self._record, self.games, self.seats, draw_keys(rng, self.games.size))


def _generator_of(game: np.void) -> np.random.Generator:
    """Return where an agent that is asked draws from, of the place of one table alone."""
    place = [game["seed"], game["episode"], game["deal"], game["seat"], game["decision"]]
    if game["world"] != 0:
        place.append(game["world"])
    return np.random.default_rng([int(number) for number in place])
