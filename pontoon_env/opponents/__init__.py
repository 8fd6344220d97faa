"""The rule-based agents that play inside the batch loop: compiled, by name; each repeats itself.

Each plays both roles, under all rules, and its module says what it does and why:

* ``random`` chooses uniformly among what is legal;
* ``stick15`` to ``stick19`` look at their own total alone;
* ``timid`` and ``bold`` pay as little, and as much, as they may;
* ``basic`` plays soundly by rules that a person can keep in mind;
* ``bayes`` banks by reading the players' hands, and plays as ``basic``;
* ``counter`` remembers the cards that were shown and their order under the pack;
* ``exact`` and ``equilibrium`` play from tables what was solved for some rules, and only there.

An agent reads the rules, its own cards and what everybody sees (P26), never the pack or a hidden
card of another seat; ``counter`` reads as much of the pack as a perfect memory would know. None
keeps anything from one decision to the next. One that plays at random draws from a stream of its
own, keyed by deal, seat and decision.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pontoon_env._jit import inlined
from pontoon_env.opponents.at_random import choose_at_random
from pontoon_env.opponents.basic import choose_basic
from pontoon_env.opponents.bayes import choose_bayes
from pontoon_env.opponents.bold import choose_bold
from pontoon_env.opponents.by_equilibrium import choose_by_equilibrium
from pontoon_env.opponents.by_table import choose_by_table
from pontoon_env.opponents.by_total import choose_by_total
from pontoon_env.opponents.counter import choose_counter
from pontoon_env.opponents.timid import choose_timid
from pontoon_env.rules import RulesRecord
from pontoon_env.state import Game

RANDOM: Final = 0
"""Number of the agent that plays uniformly at random."""
BASIC: Final = 1
"""Number of the agent that plays soundly; an agent that sticks on N has number N."""

TIMID: Final = 2
"""Number of the agent that is afraid to bust and to pay."""
BOLD: Final = 3
"""Number of the agent that stakes, buys and splits all it may."""
BAYES: Final = 4
"""Number of the agent that reads the players' hands as the banker."""
COUNTER: Final = 5
"""Number of the agent that remembers the pack."""
EXACT: Final = 6
"""Number of the agent that plays a player's best response from `tables`."""
EQUILIBRIUM: Final = 7
"""Number of the agent that plays an equilibrium from `tables`."""

OPPONENTS: Final = {
    "random": RANDOM,
    **{f"stick{n}": n for n in range(15, 20)},
    "timid": TIMID,
    "bold": BOLD,
    "basic": BASIC,
    "bayes": BAYES,
    "counter": COUNTER,
}
"""Numbers of the agents by name; those that play from tables are found by whoever solves them."""


def opponent_number(name: str) -> int:
    """Return the number of the agent called ``name``.

    Raises:
        ValueError: There is no such agent.
    """
    if name not in OPPONENTS:
        raise ValueError(f"no agent is called {name!r}; the agents are {', '.join(OPPONENTS)}")
    return OPPONENTS[name]


@inlined
def choose(
    opponent: int, rules: RulesRecord, game: Game, moves: int, tables: NDArray[np.void]
) -> tuple[int, int]:
    """Return the move and the chips that an agent chooses for the seat to act.

    Args:
        opponent: A number of `OPPONENTS`, `EXACT` or `EQUILIBRIUM`.
        rules: The rules.
        game: At a decision; not changed.
        moves: What is legal there, as bits.
        tables: One record of `tables.TABLES`; none where no agent plays from tables.
    """
    if opponent == RANDOM:
        return choose_at_random(rules, game, moves)
    if opponent == BASIC:
        return choose_basic(rules, game, moves, 0)
    if opponent == TIMID:
        return choose_timid(rules, game, moves)
    if opponent == BOLD:
        return choose_bold(rules, game, moves)
    if opponent == BAYES:
        return choose_bayes(rules, game, moves)
    if opponent == COUNTER:
        return choose_counter(rules, game, moves)
    if opponent == EXACT:
        return choose_by_table(rules, game, tables)
    if opponent == EQUILIBRIUM:
        return choose_by_equilibrium(rules, game, tables)
    return choose_by_total(opponent, rules, game, moves)
