"""Who sits at a table with one learner: its role, and the agents on the other seats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from pontoon_env.agent import AnyAgent, checked_agent
from pontoon_env.agent_names import find_agent
from pontoon_env.arguments import is_whole
from pontoon_env.opponents import OPPONENTS, opponent_number

Role = Literal["player", "banker", "any"]
OnIllegal = Literal["raise", "terminate", "penalise", "replace"]


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

    def check_seats(self, seats: int, banker: object, seat: object) -> None:
        """Refuse seats of the first banker and the learner that cannot be; None is drawn.

        Raises:
            ValueError: One is no seat of a table of so many, or they do not fit the role.
        """
        for name, value in (("banker", banker), ("seat", seat)):
            if value is not None and not is_whole(value, seats - 1):
                raise ValueError(f"{name}={value!r} is no seat from 0 to {seats - 1}")
        if (
            is_whole(banker, seats)
            and is_whole(seat, seats)
            and (seat - banker) % seats not in self.offsets(seats)
        ):
            raise ValueError(f"seat={seat} beside banker={banker} does not fit role={self.role!r}")


def _seated(agent: object) -> int | AnyAgent:
    """Return a compiled agent's number, or another agent."""
    if isinstance(agent, str):
        return opponent_number(agent) if agent in OPPONENTS else find_agent(agent)
    return checked_agent(agent)
