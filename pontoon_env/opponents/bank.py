"""What the bank is worth, and the choices about it (P33, P34, S1, S9, S10).

The bank has no worth by itself: it wins or loses by how the players stake and how the banker draws.
So it was measured, at tables of ``basic`` players, for a banker who plays as ``basic`` and for one
who reads hands as ``bayes``: the banker's net a deal less the mean net of the players, in least
stakes, by the number of seats and for both games. The commands:

    python -m eval.bank_worth --deals 1000000 --seed 71 --banker basic
    python -m eval.bank_worth --deals 1000000 --seed 71 --banker bayes

The 95% intervals are 0.01 (two seats) to 0.03 (eight) wide to either side at equal limits, 0.09 to
0.15 at the default ones. ``basic`` loses by the bank everywhere, for stakes that may differ ten to
one it loses most; ``bayes`` gains where all stakes are alike, but for most tables of Shoot Pontoon.

Between equal limits and the default ones the gain is a line in the ratio of the limits: such
players stake the least or the most, by their first card. A bank lasts until a player has a natural
while the banker has none, or the session ends; the mean number of deals is measured too. The gain a
deal times the deals is what the bank is worth:

* Where that is positive, the banker keeps the bank or sells it for more, and a player buys it for
  less, or bids less: the difference is what a trade must gain. A dry kitty is filled.
* Where it is negative, nobody who knows it pays for the bank. The banker is glad to be rid of it at
  any price, and asks what it is worth the wrong way round: so much changes hands by it. A dry kitty
  goes to auction, and who may refuse the bank does.

Players who know the game shoot only where they win, so the kitty is the smallest that may be
formed, and nothing is added to it.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from pontoon_env._jit import kernel
from pontoon_env.rules import BankPasses, RulesRecord
from pontoon_env.state import Game, Move, Phase

GAIN_AT_EQUAL_LIMITS: Final = np.array(
    [
        [
            [0, 0, -0.024, -0.059, -0.121, -0.183, -0.175, -0.232, -0.207],
            [0, 0, -0.089, -0.160, -0.259, -0.358, -0.386, -0.468, -0.476],
        ],
        [
            [0, 0, 0.073, 0.070, 0.048, 0.029, 0.069, 0.035, 0.073],
            [0, 0, 0.011, -0.030, -0.083, -0.135, -0.128, -0.189, -0.184],
        ],
    ]
)
"""``(2, 2, 9)``: what holding the bank gains a deal, in least stakes, where all stakes are alike.

By whether the banker reads hands, whether this is Shoot Pontoon, and seats.
"""
LOSS_BY_RATIO: Final = np.array(
    [
        [
            [0, 0, 0.247, 0.373, 0.512, 0.655, 0.778, 0.904, 1.031],
            [0, 0, 0.247, 0.373, 0.512, 0.655, 0.778, 0.904, 1.031],
        ],
        [
            [0, 0, 0.204, 0.307, 0.434, 0.561, 0.672, 0.779, 0.894],
            [0, 0, 0.203, 0.305, 0.433, 0.560, 0.672, 0.779, 0.894],
        ],
    ]
)
"""``(2, 2, 9)``: by how much the gain falls for each least stake that the limits lie apart."""
DEALS_OF_A_BANK: Final = np.array([1, 1, 20.1, 9.9, 6.7, 5.4, 4.3, 3.7, 3.2])
"""``(9,)``: deals after which a natural takes the bank, on average, by seats."""

MARGIN: Final = 0.25
"""A buyer pays what the bank is worth, less this part; a seller asks as much more."""


@kernel
def bank_gain(rules: RulesRecord, is_reader: int) -> float:
    """Return what holding the bank for a deal gains a seat, in chips.

    Args:
        rules: The rules.
        is_reader: 1 for a banker who reads the players' hands.
    """
    seats = rules["seats"]
    excess = rules["max_stake"] - rules["min_stake"]
    gain: float = GAIN_AT_EQUAL_LIMITS[is_reader, rules["shoot"], seats] * rules["min_stake"]
    loss: float = LOSS_BY_RATIO[is_reader, rules["shoot"], seats] * excess
    return gain - loss


@kernel
def deals_to_hold(rules: RulesRecord, game: Game) -> float:
    """Return how many deals a bank taken now may be expected to last."""
    left = float(rules["deals"] - 1 - game["deal"])
    if rules["bank_passes"] == BankPasses.ROTATION:
        return min(left, 1.0)
    if rules["bank_passes"] == BankPasses.NEVER:
        return left
    lasts: float = DEALS_OF_A_BANK[rules["seats"]]
    return min(left, lasts)


@kernel
def choose_about_bank(rules: RulesRecord, game: Game, is_reader: int) -> tuple[int, int]:
    """Choose between deals, for the seat to act; arguments as of `bank_gain`."""
    phase = game["phase"]
    worth = bank_gain(rules, is_reader) * deals_to_hold(rules, game)
    wanted = worth > 0.0
    offered = _price(rules, (1.0 - MARGIN) * worth)
    move: int = Move.PASS
    chips = 0
    if phase == Phase.FORM_KITTY or (phase == Phase.DRY_KITTY and wanted):
        move = Move.KITTY
        chips = rules["min_kitty"]
    elif phase == Phase.DRY_KITTY:
        move = Move.AUCTION
    elif phase == Phase.ACCEPT_BANK:
        move = Move.ACCEPT if wanted else Move.REFUSE
    elif phase == Phase.OFFER:
        move = Move.OFFER
        chips = max(1, _price(rules, (1.0 + MARGIN) * worth if wanted else -worth))
    elif phase == Phase.SALE and wanted and game["price"] <= offered:
        move = Move.ACCEPT
    elif phase == Phase.BID and wanted and offered > 0:
        move = Move.BID
        chips = offered
    return move, chips


@kernel
def _price(rules: RulesRecord, worth: float) -> int:
    """Return the whole chips of a worth, no more than the highest price."""
    return min(np.int64(worth), rules["max_price"])  # type: ignore[return-value]
