"""The agent ``basic`` as the banker: it draws or stays by its total and by what stands against it.

A rule that a person can follow. Below 17 a total beats few of the hands that stuck, from 17 on a
card busts more often than it helps; a soft 17 cannot bust and draws on. What changes that are the
tricks: they are paid twice, and no total beats them (P30). Where more is at stake on tricks than on
all other hands, staying loses in any case, and the banker draws on to 18, for a trick of its own.

That is better than to stick on any fixed total, by 0.3 least stakes a deal at six seats, and a good
deal worse than to read the hands as ``bayes`` does, by 0.9: docs/baselines.md has the command.
"""

from __future__ import annotations

from typing import Final

from pontoon_env._jit import kernel
from pontoon_env.cards import ACE_BONUS
from pontoon_env.engine.hands import best_total, lowest_count
from pontoon_env.rules import RulesRecord
from pontoon_env.state import MAX_HAND_CARDS, Game, HandStatus, Move

STAY_FROM: Final = 17
"""The least hard total that the banker stays on."""
STAY_SOFT_FROM: Final = 18
"""The least total with an ace as 11 that it stays on: below, drawing costs little."""
CHASE_UP_TO: Final = 18
"""Against tricks it draws on up to here, aces as 1."""


@kernel
def choose_as_banker(rules: RulesRecord, game: Game) -> int:
    """Draw or stay."""
    hand = game["seats"][game["banker"]]["hands"][0]
    count = lowest_count(hand)
    total = best_total(hand)
    tricks = 0
    others = 0
    for seat in range(rules["seats"]):
        owner = game["seats"][seat]
        if seat == game["banker"]:
            continue
        for i in range(owner["n_hands"]):
            held = owner["hands"][i]
            if held["status"] == HandStatus.FINISHED:
                if held["n_cards"] == MAX_HAND_CARDS:
                    tricks += held["stake"]
                else:
                    others += held["stake"]
    if tricks > others:
        draws = count <= CHASE_UP_TO
    elif total == count + ACE_BONUS:
        draws = total < STAY_SOFT_FROM
    else:
        draws = total < STAY_FROM
    return Move.TWIST if draws else Move.STICK
