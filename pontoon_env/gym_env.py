"""One learner, as a Gymnasium environment: ``gymnasium.make("pontoon_env:Pontoon-v0")``.

The other seats are played by agents. An episode is a session; the default is a single deal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import gymnasium
import numpy as np
from numpy.typing import NDArray

from pontoon_env.action_reading import read_box, read_hybrid
from pontoon_env.actions import N_DISCRETE, Encoding
from pontoon_env.agent import AnyAgent
from pontoon_env.arguments import check_seed, is_whole
from pontoon_env.errors import NotResetError
from pontoon_env.learner_tables import LearnerTables
from pontoon_env.rules import Rules
from pontoon_env.saved_state import check_names, clash
from pontoon_env.seating import OnIllegal, Role, Seating
from pontoon_env.spaces import action_space, learner_observation_space
from pontoon_env.state import Phase
from pontoon_env.table import checked_game

Observation = dict[str, NDArray[Any]] | NDArray[np.float32]

NAME: Final = "Pontoon-v0"
"""The environment and its version, as states name it."""

_ONE_ROW: Final = np.zeros(1, np.intp)


class PontoonEnv(gymnasium.Env[Observation, Any]):
    """One learner at a table of other agents.

    **Action**, ``discrete``: the number of one of `pontoon_env.actions.DISCRETE_ACTIONS`.
    ``hybrid``: ``{"move": m, "amount": a}``, a move and the fraction of its legal interval.
    ``box``: float32 ``(N_SCORES,)``, a score for each move, of which the highest legal one is made,
    and that fraction. **Observation**: a dict of ``observation``, float32, what the learner sees
    (docs/observation.md), and ``action_mask``, int8, its legal actions, or moves; beside them, but
    in the discrete encoding, ``amount_low`` and ``amount_high``, float32 ``(N_MOVES,)``, in least
    stakes. The mask stands in ``info["action_mask"]`` too, and `action_masks` returns it.
    **Reward**: the change of the learner's own worth since its last decision, in least
    stakes; over an episode the rewards sum to what it won. ``terminated`` at the session's end;
    never ``truncated``.

    A session in which the learner is never asked is dealt through; what it pays is part of the
    first reward of the episode that follows. ``info["session"]`` counts them: it is the number of
    the session.

    ``info``: ``action_mask``; ``seat``, the learner's; ``banker``, the present banker's seat;
    ``session``; ``illegal``, whether the action was illegal, where that does not raise; and, but in
    the discrete encoding, ``chips_low`` and ``chips_high``, int64 ``(N_MOVES,)``, the least and the
    largest amount of each legal move in chips.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 4}

    def __init__(
        self,
        rules: Rules | None = None,
        role: Role = "player",
        opponents: str | AnyAgent = "stick17",
        banker_opponent: str | AnyAgent | None = None,
        on_illegal: OnIllegal = "raise",
        illegal_penalty: float = 1.0,
        mask_in_observation: bool = True,
        render_mode: str | None = None,
        encoding: Encoding = "discrete",
        memory: bool = False,
        padded: bool = False,
    ) -> None:
        """Lay the table.

        Args:
            rules: The rules; `Rules.single_deal` where None.
            role: Whether the learner begins as a ``player``, as the ``banker``, or on ``any`` seat.
                Its seat and the first banker are drawn uniformly beyond that.
            opponents: The agent on every other seat, or its name. Compiled agents are quickest;
                another that draws from its generator draws by what is asked together with it.
            banker_opponent: The agent that plays for another seat while it is banker, likewise;
                ``opponents`` where None.
            on_illegal: ``raise``; ``terminate`` the episode with a penalty; ``penalise`` and ask
                again; or ``replace`` by the first legal action, for tools that ignore masks.
            illegal_penalty: What an illegal action costs, in least stakes, where it costs
                something.
            mask_in_observation: Whether the observation is a dict with the mask. Otherwise it is
                the vector alone, and mask and amounts stand in ``info`` only.
            render_mode: None or ``ansi``.
            encoding: Of the actions: ``discrete``, ``hybrid`` or ``box``.
            memory: Whether the vector holds what a perfect memory knows.
            padded: Whether the vector is laid out as at the largest table, eight seats and four
                hands, whatever the rules allow.

        Raises:
            TypeError: ``rules`` are no `Rules`, or an agent is neither a name nor an agent.
            ValueError: Another argument is out of its range.
        """
        self.render_mode = check_render_mode(render_mode)
        seating = Seating(role=role, opponents=opponents, banker_opponent=banker_opponent)
        self._tables = LearnerTables(
            1, rules, seating, on_illegal, illegal_penalty, memory, encoding, padded
        )
        self.rules = self._tables.rules
        self._fields, self._record = self.rules.to_dict(), self.rules.to_record()
        self.encoding: Encoding = encoding
        self._reports_illegal = on_illegal != "raise"
        self._mask_in_observation = mask_in_observation
        self._seed: int | None = None
        self._has_ended = False
        self.action_space = action_space(encoding)
        self.observation_space = learner_observation_space(
            self.rules, encoding, mask_in_observation, memory, padded
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode: session 0 of ``seed``, or the next session of the seed before.

        Args:
            seed: A whole number of [0, 2**64).
            options: ``banker``, the first banker's seat; ``seat``, the learner's; ``pack``, names
                or numbers of cards to put on top of the pack, the next one first. Other keys are
                not read.

        Raises:
            TypeError: The options are no mapping.
            ValueError: The seed or an option is out of its range; the present episode goes on.
            RuntimeError: The learner has nothing to decide under these rules and in this role.
        """
        tables = self._tables
        if seed is not None:
            own = seed = check_seed(seed)
            episode = 0
        elif self._seed is None:
            own, episode = int(self.np_random.integers(2**63)), 0
        elif options is None and self._has_ended:
            tables.begin_next()
            return self._begun()
        else:
            own, episode = self._seed, int(tables.learners["session"][0]) + 1
        tables.begin(_ONE_ROW, np.array([own], np.uint64), np.array([episode], np.uint64), options)
        super().reset(seed=seed)
        self._seed = own
        return self._begun()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Make the learner's decision and play to its next one.

        Args:
            action: As the class says.

        Returns:
            Observation, reward, terminated, truncated and info, as the class says.

        Raises:
            IllegalActionError: The action is illegal and ``on_illegal="raise"``; nothing has
                changed.
            TypeError: It is none of this encoding (hybrid, box).
            ValueError: It is out of range, or no number of an action (discrete).
            NotResetError: The episode is over, or none has begun.
        """
        if self.encoding == "discrete":
            learner = self._decide(action)
        elif self.encoding == "hybrid":
            learner = self._tables.decide(*read_hybrid(action))
        else:
            learner = self._tables.decide(*read_box(action, self._tables.masks[0]))
        seat, banker, session, _, reward, self._has_ended, is_illegal = learner
        observation, info = self._told(seat, banker, session)
        if self._reports_illegal:
            info["illegal"] = is_illegal
        return observation, reward, self._has_ended, False, info

    def _decide(self, action: Any) -> tuple[Any, ...]:
        """Make the learner's decision, in the discrete encoding; see `LearnerTables.decide`."""
        if type(action) is int or isinstance(action, np.integer):
            number = int(action)
            if 0 <= number < N_DISCRETE:
                return self._tables.decide(number)
        self._tables.step(np.asarray(action).reshape(-1))  # an array of one action, or refused
        return self._tables.learner()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions, or moves, are legal, bool, as sb3-contrib asks for it."""
        masks: NDArray[np.bool_] = self._tables.masks[0].astype(np.bool_)
        return masks

    def render(self) -> str | None:
        """Return what the learner sees of the table as text, in mode ``ansi``.

        Raises:
            NotResetError: No episode has begun.
        """
        if self.render_mode is None:
            return None
        self._check_has_begun("render")
        from pontoon_env.render import render_ansi

        return render_ansi(self.rules, self._tables.games[0], int(self._tables.seats[0]))

    def clone(self) -> PontoonEnv:
        """Return an independent copy of the environment and its game, fast.

        Its action space and its generator are new and not seeded; the other agents are the same.
        """
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._tables = self._tables.copy()
        twin.action_space = action_space(self.encoding)
        twin._np_random = None
        return twin

    def get_state(self) -> dict[str, Any]:
        """Return the game, hidden cards too, as plain picklable values.

        Returns:
            ``env``, name and version; ``rules``, every field by name; ``game``, an array of one
            `state.GAME` record; ``seat``, the learner's; and ``worth``, the chips it owned when it
            was paid last.

        Raises:
            NotResetError: No episode has begun.
        """
        self._check_has_begun("get_state")
        return {
            "env": NAME,
            "rules": self._fields.copy(),
            "game": self._tables.games.take(_ONE_ROW),
            "seat": int(self._tables.seats[0]),
            "worth": int(self._tables.get_state()["worth"][0]),
        }

    def set_state(self, state: Mapping[str, Any]) -> tuple[Observation, dict[str, Any]]:
        """Go back, or over, to a state that `get_state` returned; the other agents stay.

        Returns:
            Observation and info, as of `reset`.

        Raises:
            ValueError: It is of another version or of other rules, or no state at all, or one that
                cannot be, which the message says; nothing has changed.
        """
        check_names(
            state, ("env", "rules", "game", "seat", "worth"), "this is no state of get_state()"
        )
        if state["env"] != NAME:
            raise ValueError(f"a state of {state['env']} does not fit {NAME}")
        if state["rules"] != self._fields:
            raise ValueError(clash(state["rules"], self._fields))
        games = checked_game(self._record, state["game"])
        seat, worth = state["seat"], state["worth"]
        is_over = games["phase"][0] == Phase.OVER
        if not is_whole(seat, self.rules.seats - 1) or not (is_over or seat == games["seat"][0]):
            raise ValueError(f"the state has seat={seat!r}, which is not the seat to act")
        if isinstance(worth, bool) or not (isinstance(worth, int) and abs(worth) < 2**62):
            raise ValueError(f"the state has worth={worth!r}, which is no number of chips")
        self._tables.load(games, np.array([seat]), np.array([worth]))
        self._seed = int(games["seed"][0])
        return self._begun()

    def resample_hidden(self, rng: np.random.Generator) -> PontoonEnv:
        """Return a copy in a world that the learner cannot tell from this one; see `hidden`.

        Args:
            rng: All that is drawn comes from it.

        Raises:
            NotResetError: No episode has begun.
        """
        self._check_has_begun("resample_hidden")
        twin = self.clone()
        twin._tables.resample_hidden(rng)
        return twin

    def _check_has_begun(self, call: str) -> None:
        """Refuse a call that needs an episode where none has begun."""
        if self._seed is None:
            raise NotResetError(f"no episode has begun: call reset() before {call}()")

    def _told(self, seat: int, banker: int, session: int) -> tuple[Observation, dict[str, Any]]:
        """Return a fresh observation and a fresh info."""
        tables = self._tables
        mask = tables.masks[0]
        vector: NDArray[np.float32] = tables.observations[0].copy()
        info: dict[str, Any] = {
            "action_mask": mask.copy(),
            "seat": seat,
            "banker": banker,
            "session": session,
        }
        observation = {"observation": vector, "action_mask": mask.copy()}
        if self.encoding != "discrete":
            observation["amount_low"], observation["amount_high"] = tables.amounts[:, 0].copy()
            lows, highs = tables.chips(_ONE_ROW)
            info["chips_low"], info["chips_high"] = lows[0], highs[0]
        return observation if self._mask_in_observation else vector, info

    def _begun(self) -> tuple[Observation, dict[str, Any]]:
        """Return the observation and the info of where the table stands."""
        seat, banker, session, _, _, self._has_ended, _ = self._tables.learner()
        return self._told(seat, banker, session)


def check_render_mode(render_mode: str | None) -> str | None:
    """Return ``render_mode``.

    Raises:
        ValueError: It is neither None nor ``ansi``.
    """
    if render_mode not in (None, "ansi"):
        raise ValueError(f"render_mode={render_mode!r} is neither None nor 'ansi'")
    return render_mode
