"""The PettingZoo face: every seat an agent. It turns seats into agents, outcomes into errors."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, get_args

import gymnasium
import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv

from pontoon_env import batch, information, spaces
from pontoon_env.action_reading import read_box, read_discrete, read_hybrid
from pontoon_env.actions import N_CHOICES, Encoding
from pontoon_env.arguments import check_options, check_seed, is_nonnegative, is_whole
from pontoon_env.errors import IllegalActionError, NotResetError, illegal_action
from pontoon_env.history import write_history
from pontoon_env.render import render_ansi
from pontoon_env.rules import Rules
from pontoon_env.saved_state import LOOP, check_loop, check_names, clash, saved_loop
from pontoon_env.seating import OnIllegal
from pontoon_env.state import N_MOVES, Move, Outcome, Phase
from pontoon_env.table import Table, copy_game

NAME: Final = "pontoon_v0"
"""The environment and its version, which anything that alters the course of a game raises."""

Observation = dict[str, NDArray[np.generic]]

_NO_CHOICE: Final[dict[Encoding, dict[str, NDArray[Any]]]] = {
    encoding: {
        "action_mask": np.zeros(n_choices, np.int8),
        "chips_low": np.zeros(N_MOVES, np.int64),
        "chips_high": np.zeros(N_MOVES, np.int64),
    }
    for encoding, n_choices in N_CHOICES.items()
}
for _array in (array for choice in _NO_CHOICE.values() for array in choice.values()):
    _array.setflags(write=False)  # many infos hold the same one
_ALL_OVER: Final = "the session is over, for every agent: call reset()"
_OK: Final = int(Outcome.OK)
_OVER: Final = int(Phase.OVER)
_COLLECTIONS: Final = (*LOOP[:-1], "terminations", "truncations")
"""What a clone must not share."""


class _SetByReset:
    """An attribute that says, until `reset` sets it, that it is not there yet.

    A ``__getattr__`` would say so too, but make every attribute take three times as long to read.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: PontoonAECEnv | None, owner: type) -> _SetByReset:
        if instance is None:
            return self
        raise NotResetError(f"there is no {self._name} before the first session: call reset()")


class PontoonAECEnv(AECEnv[str, Any, Any]):
    """Pontoon for PettingZoo: agents ``seat_0`` to ``seat_{n-1}``; an episode is a session.

    **Action**, ``hybrid``: ``{"move": m, "amount": a}``, a `state.Move` and the fraction, 0 to 1,
    of its legal interval of chips: ``low + floor(a * (high - low) + 0.5)``. ``discrete``: a number
    of `actions.DISCRETE_ACTIONS`. ``box``: float32 ``(N_SCORES,)``, a score from 0 to 1 for each
    move, of which the highest legal one is made, the first of several, and that fraction; never
    illegal.

    **Observation**, fresh arrays each time: ``observation``, float32, what the seat sees
    (docs/observation.md); ``action_mask``, int8, the legal moves or actions, all zero for a seat
    that is not to act; and, but in the discrete encoding, ``amount_low`` and ``amount_high``,
    float32 ``(N_MOVES,)``, in least stakes.

    **Info**: ``action_mask``, the same mask; ``chips_low``, ``chips_high``, int64 ``(N_MOVES,)``,
    the least and the largest amount of each legal move in chips; and, where the seat's last action
    was illegal and did not raise, ``illegal_action``, the error in words.

    **Reward**: the change of what the seat owns, the kitty being the banker's own, in least stakes:
    zero-sum over the seats, each part delivered once. All seats are terminated together, at the
    session's agreed end; none is ever truncated.

    **Illegal actions**, by ``on_illegal``. ``raise``: `IllegalActionError`, nothing changes.
    ``penalise``: the seat is paid ``-illegal_penalty`` and asked again; nothing else changes.
    ``replace``: the first legal move is made in its place, for the least amount. ``terminate``: the
    seat is paid ``-illegal_penalty``, what is still at stake is paid to nobody, and the session is
    over: terminated and not truncated, because nothing of it is left to be played.

    What a seat sees when it is to act does not tell a hand that closed on 21 from one that stuck
    (P24, P26). Somebody who looks after every step can: a hand that sticks takes a step of its own.

    It checks its own calls, so that no stock wrapper is needed. Copies, by `clone`, ``deepcopy`` or
    pickle, go on as the original would have; they record no history, or two would write one file.
    """

    metadata = {
        "name": NAME,
        "render_modes": ["human", "ansi"],
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        rules: Rules | None = None,
        encoding: Encoding = "hybrid",
        on_illegal: OnIllegal = "raise",
        illegal_penalty: float = 1.0,
        render_mode: str | None = None,
        history: str | os.PathLike[str] | None = None,
        memory: bool = False,
        padded: bool = False,
        information_state: bool = False,
    ) -> None:
        """Lay the table.

        Args:
            rules: The rules; `Rules.pontoon` where None.
            encoding: ``hybrid``, ``discrete`` or ``box``.
            on_illegal: ``raise``, ``terminate``, ``penalise`` or ``replace``.
            illegal_penalty: What an illegal action costs where it costs something, in least stakes.
            render_mode: None; ``ansi``, `render` returns text; ``human``, every step prints it.
            history: Where to write the history of each session at its agreed end; ``{episode}`` in
                it is the number of the session. Its ``seed`` is null where the session does not
                follow from the seed alone: all but session 0, and where `reset` was given a banker
                or a pack. A session that `set_state` or an illegal action cut into is not written,
                nor are those of a copy. Recording is slow.
            memory: Whether ``observation`` holds what a perfect memory knows.
            padded: Whether it is laid out as at the largest table, eight seats and four hands,
                whatever the rules allow.
            information_state: Whether to keep what the information states are made of, which is
                as slow as a history.

        Raises:
            TypeError: ``rules`` are no `Rules`.
            ValueError: Another argument is out of its range.
        """
        super().__init__()  # type: ignore[no-untyped-call]  # PettingZoo's has no annotations
        self.rules = Rules.pontoon() if rules is None else rules
        if not isinstance(self.rules, Rules):
            raise TypeError(f"rules={rules!r} are no Rules; try pontoon_env.Rules.pontoon()")
        for name, value, choices in (
            ("encoding", encoding, get_args(Encoding)),
            ("on_illegal", on_illegal, get_args(OnIllegal)),
            ("render_mode", render_mode, (None, *self.metadata["render_modes"])),
        ):
            if value not in choices:
                raise ValueError(f"{name}={value!r} is none of {', '.join(map(repr, choices))}")
        if not is_nonnegative(illegal_penalty):
            raise ValueError(f"illegal_penalty={illegal_penalty!r} must be 0 or more least stakes")
        self.encoding: Encoding = encoding
        self.on_illegal: OnIllegal = on_illegal
        self.illegal_penalty = float(illegal_penalty)
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(self.rules.seats)]
        self.state_space = spaces.state_space(self.rules)
        self._history = history
        self._history_path(0)
        self._observation_space = spaces.observation_space(self.rules, encoding, memory, padded)
        self._action_spaces: dict[str, gymnasium.Space[Any]] = {}
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._fields = self.rules.to_dict()
        self._table = Table(self.rules, encoding, memory, padded, information_state)
        self._has_game = False

    def __getstate__(self) -> dict[str, Any]:
        """Return what a deep copy and a pickle hold."""
        return {**self.__dict__, "_history": None}

    def _history_path(self, episode: int) -> Path | None:
        """Return where the history of a session goes, a file that can be written; None: nowhere."""
        if self._history is None:
            return None
        try:
            path = Path(os.fspath(self._history).replace("{episode}", str(episode)))
            if path.is_dir():
                raise IsADirectoryError("it is a folder")
            with tempfile.NamedTemporaryFile(prefix=f".{path.name}.", dir=path.parent):
                return path
        except (OSError, TypeError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise ValueError(f"history={self._history!r} cannot be written: {reason}") from error

    # ------------------------------------------------------------------------------------ spaces

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """Return the observation space of an agent, always the same object."""
        self._seat(agent)
        return self._observation_space

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        """Return the action space of an agent, always the same object, with its own generator."""
        space = self._action_spaces.get(agent)
        if space is None:
            self._seat(agent)
            space = self._action_spaces[agent] = spaces.action_space(self.encoding)
        return space

    def _seat(self, agent: str) -> int:
        """Return the seat of an agent."""
        try:
            return self._seat_of[agent]
        except (KeyError, TypeError):
            names = f"seat_0 to seat_{self.rules.seats - 1}"
            raise ValueError(f"no agent is called {agent!r}; the agents are {names}") from None

    # --------------------------------------------------------------------------------- a session

    @property
    def key(self) -> tuple[int, int]:
        """The seed of the present session, and its number among the sessions of that seed."""
        self._check_has_game("key")
        return self._table.key

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin session 0 of ``seed``; without one, the next session of the seed before.

        The very first session, where no seed is given, takes one from the operating system.

        Args:
            seed: A whole number of [0, 2**64).
            options: ``banker``, the number of the first banker's seat. ``pack``, names of cards to
                put on top of the pack, the next one first: the others follow in the order of the
                shuffle. On an infinite pack they come first, 104 of them at most. Other keys are
                not read.

        Raises:
            TypeError: The options are no mapping.
            ValueError: The seed or an option is out of its range, or the history cannot be
                written; the present session goes on.
        """
        options = check_options(options)
        if seed is not None:
            key = check_seed(seed), 0
        elif self._has_game:
            key = self._table.key[0], self._table.key[1] + 1
        else:
            key = secrets.randbits(64), 0
        banker = self._check_banker(options.get("banker"))
        self._history_path(key[1])
        self._table.begin(key, banker, options.get("pack"), self._history is not None)
        self._has_game = True
        self._begin()

    def _check_banker(self, banker: Any) -> int | None:
        """Return the first banker's seat, None where it is not given."""
        if banker is None:
            return None
        if not is_whole(banker, self.rules.seats - 1):
            raise ValueError(f"banker={banker!r} is no seat from 0 to {self.rules.seats - 1}")
        return int(banker)

    def _begin(self) -> None:
        """Set up what PettingZoo's loop reads."""
        agents = self.possible_agents
        self.agents = agents[:]
        self.agent_selection = agents[0]
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        self._skip_agent_selection = None  # type: ignore[assignment]  # PettingZoo's own use
        self._remarks: dict[str, str] = {}
        self._has_paid = False
        self.infos = self._idle_infos()
        self._take_turn()
        if self.render_mode == "human":
            self.render()

    def step(self, action: Any) -> None:
        """Make the decision of the agent to act, and run on to the next one.

        Args:
            action: As the class says; None for an agent whose session is over.

        Raises:
            IllegalActionError: The rules forbid it, under ``on_illegal='raise'``; nothing changes.
            NotResetError: No session has begun, or every agent has taken its last step.
            TypeError: The action is none of this encoding.
            ValueError: A move or an amount is out of range, or the agent's session is over and the
                action is not None.
        """
        agent = self.agent_selection
        if self.terminations.get(agent, True):
            self._step_out(action)
            return
        move, fraction = self._read(agent, action)
        if self._table.play(move, fraction) == _OK:
            self._begin_step(agent)
        else:
            self._refuse(agent, move)
        self._take_turn()
        if self.render_mode == "human":
            self.render()

    def _step_out(self, action: Any) -> None:
        """Take the last step of an agent whose session is over."""
        if not self.agents:
            raise NotResetError(_ALL_OVER)
        if action is not None:
            agent = self.agent_selection
            raise ValueError(f"the session of {agent} is over: step(None) is left, not {action!r}")
        self._was_dead_step(action)

    def _begin_step(self, agent: str) -> None:
        """Take what has been delivered off the books."""
        self._cumulative_rewards[agent] = 0.0
        if self._has_paid:
            self.rewards = dict.fromkeys(self.agents, 0.0)
            self._has_paid = False
        if self._remarks:
            self._remarks.pop(agent, None)

    def _take_turn(self) -> None:
        """Pay out what has changed hands, and turn to the agent to act; or end the session."""
        table = self._table
        if table.paid:
            for agent, chips in zip(self.possible_agents, table.paid, strict=False):
                if chips != 0:
                    self._reward(agent, chips / self.rules.min_stake)
        if table.to_act == batch.NOBODY:
            self._end()
            return
        agent, last = self.possible_agents[table.to_act], self.agent_selection
        self.infos[last] = self._info(last, _NO_CHOICE[self.encoding].copy())
        self.infos[agent] = self._info(agent, table.choice)
        self.agent_selection = agent

    def _idle_infos(self) -> dict[str, dict[str, Any]]:
        """Return the infos of all agents where none is to act."""
        return {agent: self._info(agent, _NO_CHOICE[self.encoding].copy()) for agent in self.agents}

    def _info(self, agent: str, info: dict[str, Any]) -> dict[str, Any]:
        """Return the info of an agent, given what it may choose."""
        if agent in self._remarks:
            info["illegal_action"] = self._remarks[agent]
        return info

    def _reward(self, agent: str, reward: float) -> None:
        """Deliver a reward."""
        self.rewards[agent] += reward
        self._cumulative_rewards[agent] += reward
        self._has_paid = True

    def _end(self) -> None:
        """End the session for every seat."""
        self.terminations = dict.fromkeys(self.agents, True)
        self.infos = self._idle_infos()
        self.agent_selection = self.agents[0]
        lines = self._table.lines
        if lines is not None and (path := self._history_path(self.key[1])) is not None:
            write_history(path, lines)

    # ----------------------------------------------------------------------------------- actions

    def _read(self, agent: str, action: Any) -> tuple[int, float]:
        """Return the move and the fraction that an action stands for; it need not be legal."""
        try:
            if self.encoding == "hybrid":
                return read_hybrid(action)
            if self.encoding == "discrete":
                return read_discrete(action)
            return read_box(action, self._table.mask_to_act())
        except (TypeError, ValueError) as error:
            raise type(error)(f"{agent} is to act: {error}") from None

    def _refuse(self, agent: str, move: int) -> None:
        """Deal with a decision that the engine has refused, as ``on_illegal`` says."""
        error = illegal_action(self.rules, self._table.games[0], move)
        if self.on_illegal == "raise":
            raise error
        self._begin_step(agent)
        self._remarks[agent] = str(error)
        if self.on_illegal == "replace":
            self._replace(error)
            return
        self._reward(agent, -self.illegal_penalty)
        if self.on_illegal == "terminate":
            self._table.end()

    def _replace(self, error: IllegalActionError) -> None:
        """Make the first legal move in the place of an illegal one, for the least amount."""
        name = next(iter(error.legal))
        self._remarks[error.agent] += f"; {name} was made in its place"
        self._table.play(int(Move[name.upper()]), 0.0)

    # ------------------------------------------------------------------------------------- views

    def last(
        self, observe: bool = True
    ) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Return what the agent to act is told: observation, reward, the two ends, info.

        Args:
            observe: Whether to observe; None stands for the observation where not.

        Raises:
            NotResetError: No session has begun, or every agent has taken its last step.
        """
        agent = self.agent_selection
        if agent not in self.infos:
            raise NotResetError(_ALL_OVER)
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees, as the class says; it changes nothing.

        Raises:
            NotResetError: No session has begun.
            ValueError: There is no such agent.
        """
        self._check_has_game("observation")
        return self._table.observe(self._seat(agent))

    def state(self) -> NDArray[np.float32]:
        """Return the privileged full view, for critics and referees; see `Table.full_view`."""
        self._check_has_game("state")
        return self._table.full_view()

    def information_state_string(self, agent: str) -> str:
        """Return all that an agent has seen in the session, in words; see `information`.

        Two courses of play give the same words where the agent cannot tell them apart, and only
        there.

        Raises:
            NotResetError: No session has begun, or `set_state` was given one without ``seen``.
            ValueError: There is no such agent, or ``information_state=True`` was not asked for.
        """
        return information.in_words(self._sights(agent))

    def information_state_tensor(self, agent: str) -> NDArray[np.float64]:
        """Return the same as numbers, ``(information.n_rows(rules), information.N_COLUMNS)``."""
        return information.as_tensor(self.rules, self._sights(agent))

    def _sights(self, agent: str) -> list[information.Sight]:
        """Return what an agent has seen in the session."""
        self._check_has_game("information state")
        return self._table.sights(self._seat(agent))

    def render(self) -> str | None:
        """Return (``ansi``) or print (``human``) the table as text, as everybody sees it."""
        if self.render_mode is None:
            gymnasium.logger.warn("nothing is rendered without a render_mode, 'ansi' or 'human'")
            return None
        self._check_has_game("table")
        text = render_ansi(self.rules, self._table.games[0])
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def __repr__(self) -> str:
        """Name the environment and its settings, nothing of the game."""
        seats = f"{self.rules.seats} seats"
        return f"<{NAME}: {seats}, {self.encoding} actions, on_illegal={self.on_illegal!r}>"

    def _check_has_game(self, what: str) -> None:
        """Refuse what needs a session where none has begun."""
        if not self._has_game:
            raise NotResetError(f"there is no {what} before the first session: call reset()")

    # ------------------------------------------------------------------------------------ search

    def clone(self) -> PontoonAECEnv:
        """Return an independent copy of the environment and its game, fast.

        Its action spaces are new and not seeded; it records no history.
        """
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._table = self._table.copy()
        twin._action_spaces = {}
        twin._history = None
        if self._has_game:
            for name in _COLLECTIONS:
                twin.__dict__[name] = self.__dict__[name].copy()
            twin.infos = {agent: info.copy() for agent, info in self.infos.items()}
        return twin

    def resample_hidden(self, agent: str, rng: np.random.Generator) -> PontoonAECEnv:
        """Return a copy that stands in a world which an agent cannot tell from this one.

        The agent is told the same there: what it sees, its mask, its info. Hidden cards lie in any
        way that fits what it knows, all ways alike likely, and what chance brings later is drawn
        anew; see `pontoon_env.hidden`. Its information state is the same too, where it is kept.

        Args:
            agent: Who knows what it knows.
            rng: All that is drawn comes from it.
        """
        self._check_has_game("world")
        seat = self._seat(agent)
        twin = self.clone()
        twin._table.resample_hidden(seat, rng)
        if not twin.terminations.get(twin.agent_selection, True):
            twin._take_turn()
        return twin

    def get_state(self) -> dict[str, Any]:
        """Return the game, hidden cards too, and where the loop stands, as plain picklable values.

        Returns:
            ``env``, name and version; ``rules``, every field by name; ``game``, an array of one
            `state.GAME` record; and ``loop``, what PettingZoo's loop reads. Where information
            states are kept, ``seen`` too: the lines of the history so far, shared with the
            environment, so not to be changed.
        """
        self._check_has_game("state")
        state: dict[str, Any] = {
            "env": NAME,
            "rules": self._fields.copy(),
            "game": copy_game(self._table.games),
            "loop": saved_loop(self.__dict__),
        }
        seen = self._table.seen
        return state if seen is None else {**state, "seen": seen}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go back, or over, to a state that `get_state` returned.

        The game may be another than was returned, for a search over hidden cards: every invariant
        of `status.Status` is checked, cards and chips, whose turn it is and in what phase. What was
        seen, where the state holds it and this environment keeps it, goes on with the cards of that
        game; information states raise until `reset` where the state does not hold it.

        Raises:
            ValueError: It is of another version or of other rules, or no state at all, or one that
                cannot be, which the message says; nothing has changed.
        """
        check_names(state, ("env", "rules", "game", "loop"), "this is no state of get_state()")
        if state["env"] != NAME:
            raise ValueError(f"a state of {state['env']} does not fit {NAME}")
        if state["rules"] != self._fields:
            raise ValueError(clash(state["rules"], self._fields))
        games = self._table.check(state["game"])
        is_over = games["phase"].item() == _OVER
        mover = None if is_over else self.possible_agents[games["seat"].item()]
        loop = check_loop(state["loop"], self.possible_agents, mover)
        seen = self._table.check_seen(games, state.get("seen"))
        self._table.load(games, seen)
        self.__dict__.update(loop)
        self.terminations = dict.fromkeys(self.agents, is_over)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None  # type: ignore[assignment]  # PettingZoo's own use
        self._has_game = self._has_paid = True
        self.infos = self._idle_infos()
        if not is_over:
            self._take_turn()


for _name in (*LOOP, *_COLLECTIONS, "infos"):
    setattr(PontoonAECEnv, _name, _SetByReset(_name))
