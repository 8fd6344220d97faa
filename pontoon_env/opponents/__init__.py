"""The rule-based agents that play inside the batch loop: compiled, deterministic, by name.

An agent reads the rules, its own cards and what everybody sees (P26), never the pack or a hidden
card of another seat, and remembers nothing from one decision to the next. One that plays at random
draws from a stream of its own, keyed by deal, seat and decision.
"""

from __future__ import annotations

from typing import Final

from pontoon_env._jit import kernel
from pontoon_env.opponents.at_random import choose_at_random
from pontoon_env.opponents.basic import choose_basic
from pontoon_env.opponents.by_total import choose_by_total
from pontoon_env.rules import RulesRecord
from pontoon_env.state import Game

RANDOM: Final = 0
"""Number of the agent that plays uniformly at random."""
BASIC: Final = 1
"""Number of the agent that plays soundly; an agent that sticks on N has number N."""

OPPONENTS: Final = {"random": RANDOM, **{f"stick{n}": n for n in range(15, 20)}, "basic": BASIC}
"""Numbers of the agents by name."""


def opponent_number(name: str) -> int:
    """Return the number of the agent called ``name``.

    Raises:
        ValueError: There is no such agent.
    """
    if name not in OPPONENTS:
        raise ValueError(f"no agent is called {name!r}; the agents are {', '.join(OPPONENTS)}")
    return OPPONENTS[name]


@kernel
def choose(opponent: int, rules: RulesRecord, game: Game) -> tuple[int, int]:
    """Return the move and the chips that an agent chooses for the seat to act.

    Args:
        opponent: A number of `OPPONENTS`.
        rules: The rules.
        game: At a decision; not changed.
    """
    if opponent == RANDOM:
        return choose_at_random(rules, game)
    if opponent == BASIC:
        return choose_basic(rules, game)
    return choose_by_total(opponent, rules, game)
