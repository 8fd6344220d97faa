"""What must hold at every moment of a game: a named flag for each invariant, with its sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from enum import IntFlag, auto
from typing import Final

import numpy as np

from pontoon_env.cards import N_CARDS, N_SUITS, TEN_POINTS
from pontoon_env.rules import Rules
from pontoon_env.state import (
    ALL_UP,
    MAX_HAND_CARDS,
    MAX_PACK_CARDS,
    TARGET,
    HandStatus,
    Phase,
)

MAX_STAKE_MULTIPLE: Final = 7
"""T of a hand is at most 7E: E, a third card at 2E, two more at no more than that (P20)."""


class Status(IntFlag):
    """What is wrong with a game; none of them where all is well."""

    SOUND = 0
    CHIPS_NOT_CONSERVED = auto()
    DEAL_NET_NOT_CONSERVED = auto()
    CARDS_NOT_CONSERVED = auto()
    BETS_ABOVE_KITTY = auto()
    BETS_NOT_OUTSTANDING = auto()
    STAKE_OUT_OF_RANGE = auto()
    TOO_MANY_HANDS = auto()
    TOO_MANY_CARDS = auto()
    LIVE_HAND_OVER_21 = auto()
    BUST_HAND_UNDER_22 = auto()
    DECLARED_HAND_IS_NO_PONTOON = auto()
    BANKER_HAS_STAKE = auto()
    HIDDEN_CARD_OF_CLOSED_DEAL = auto()
    FRESH_CARDS_OUT_OF_RANGE = auto()
    NOBODY_TO_ACT = auto()


SENTENCES: Final = {
    Status.CHIPS_NOT_CONSERVED: "The seats' chips and the kitty must sum to zero.",
    Status.DEAL_NET_NOT_CONSERVED: "Outside Shoot Pontoon a deal's results sum to zero.",
    Status.CARDS_NOT_CONSERVED: "Every card must be in one place: the pack or a hand.",
    Status.BETS_ABOVE_KITTY: "Shoot bets outstanding must lie between 0 and the kitty.",
    Status.BETS_NOT_OUTSTANDING: "The hands' shoot bets must sum to those outstanding.",
    Status.STAKE_OUT_OF_RANGE: "A hand's stake must be one to seven initial stakes.",
    Status.TOO_MANY_HANDS: "A player must not hold more hands than the rules allow.",
    Status.TOO_MANY_CARDS: "A hand must not hold more than five cards.",
    Status.LIVE_HAND_OVER_21: "A player's live hand must be countable at 21 or less.",
    Status.BUST_HAND_UNDER_22: "A bust hand must count over 21.",
    Status.DECLARED_HAND_IS_NO_PONTOON: "A declared hand must be an ace and a ten-valued card.",
    Status.BANKER_HAS_STAKE: "The banker stakes nothing and shoots nothing.",
    Status.HIDDEN_CARD_OF_CLOSED_DEAL: "After settlement every hand must lie face up.",
    Status.FRESH_CARDS_OUT_OF_RANGE: "The pack must hold its unseen cards and fit its place.",
    Status.NOBODY_TO_ACT: "The seat to act must be one of the table, with a hand it holds.",
}
"""What each flag says must hold."""

_CLOSED_PHASES: Final = (
    Phase.PASS_BANK,
    Phase.ACCEPT_BANK,
    Phase.OFFER,
    Phase.SALE,
    Phase.SHUFFLE,
    Phase.OVER,
)
"""Phases after a settlement in which its hands still lie on the table, gathered but for the eye."""


def status(rules: Rules, game: np.void) -> Status:
    """Return what is wrong with a game, `Status.SOUND` where nothing is.

    Args:
        rules: The rules it is played by.
        game: A record of `GAME`, at any moment after it has begun; not changed.
    """
    found = Status.SOUND
    for flag, is_wrong in _findings(rules, game):
        if is_wrong:
            found |= flag
    return found


def describe(found: Status) -> str:
    """Return the sentences of the flags that are set."""
    return " ".join(SENTENCES[flag] for flag in found)


def _findings(rules: Rules, game: np.void) -> Iterator[tuple[Status, bool]]:
    """Yield each flag with whether it is set."""
    seats = game["seats"][: rules.seats]
    banker = seats[game["banker"]]
    banker_hand = banker["hands"][0]
    owned = [
        (seat, hand)
        for place, seat in enumerate(seats)
        if place != game["banker"]
        for hand in seat["hands"][: seat["n_hands"]]
    ]
    hands = [banker_hand][: banker["n_hands"]] + [hand for _, hand in owned]
    is_closed = game["phase"] in _CLOSED_PHASES

    yield Status.CHIPS_NOT_CONSERVED, seats["chips"].sum() + game["kitty"] != 0
    yield Status.DEAL_NET_NOT_CONSERVED, not rules.shoot and seats["deal_net"].sum() != 0
    yield Status.CARDS_NOT_CONSERVED, not _has_whole_pack(rules, game, hands)
    yield Status.BETS_ABOVE_KITTY, not 0 <= game["outstanding"] <= game["kitty"]
    yield Status.BETS_NOT_OUTSTANDING, sum(h["bet"] for h in hands) != game["outstanding"]
    yield (
        Status.STAKE_OUT_OF_RANGE,
        any(
            not s["initial_stake"] <= h["stake"] <= MAX_STAKE_MULTIPLE * s["initial_stake"]
            for s, h in owned
        ),
    )
    yield Status.TOO_MANY_HANDS, any(s["n_hands"] > rules.max_hands for s, _ in owned)
    yield Status.TOO_MANY_CARDS, any(h["n_cards"] > MAX_HAND_CARDS for h in hands)
    yield (
        Status.LIVE_HAND_OVER_21,
        any(h["status"] != HandStatus.BUST and _count(h) > TARGET for _, h in owned),
    )
    yield (
        Status.BUST_HAND_UNDER_22,
        any(h["status"] == HandStatus.BUST and _count(h) <= TARGET for h in hands),
    )
    yield (
        Status.DECLARED_HAND_IS_NO_PONTOON,
        any(h["status"] == HandStatus.DECLARED and not _is_pontoon(h) for h in hands),
    )
    yield (
        Status.BANKER_HAS_STAKE,
        not is_closed
        and bool(banker["initial_stake"] or banker_hand["stake"] or banker_hand["bet"]),
    )
    yield Status.HIDDEN_CARD_OF_CLOSED_DEAL, is_closed and any(h["up"] != ALL_UP for h in hands)
    yield (
        Status.FRESH_CARDS_OUT_OF_RANGE,
        not 0 <= game["n_fresh"] <= game["n_pack"] <= MAX_PACK_CARDS,
    )
    yield (
        Status.NOBODY_TO_ACT,
        not (0 <= game["seat"] < rules.seats and 0 <= game["hand"] <= rules.max_hands),
    )


def _count(hand: np.void) -> int:
    """Return the count of a hand with its aces as 1, by its own arithmetic."""
    ranks = hand["cards"][: hand["n_cards"]] // N_SUITS + 1
    return int(np.minimum(ranks, TEN_POINTS).sum())


def _is_pontoon(hand: np.void) -> bool:
    """Tell whether a hand is an ace and a ten-valued card."""
    points = np.minimum(hand["cards"][: hand["n_cards"]] // N_SUITS + 1, TEN_POINTS)
    return sorted(points.tolist()) == [1, TEN_POINTS]


def _has_whole_pack(rules: Rules, game: np.void, hands: list[np.void]) -> bool:
    """Tell whether pack and table hold every card as often as there are packs."""
    if rules.packs == "infinite":
        return True
    places = (game["top"] + np.arange(game["n_pack"])) % MAX_PACK_CARDS
    cards = Counter(game["pack"][places].tolist())
    if game["phase"] not in _CLOSED_PHASES:
        for hand in hands:
            if hand["status"] != HandStatus.BUST:
                cards.update(hand["cards"][: hand["n_cards"]].tolist())
    return cards == Counter(dict.fromkeys(range(N_CARDS), int(rules.packs)))
