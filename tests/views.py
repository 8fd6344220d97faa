"""The observation, made a second time: from the naive referee's view of the table."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from pontoon_env import batch
from pontoon_env.cards import N_SUITS, parse_card
from pontoon_env.observation import DECISION_PHASES, layout, observation_size
from pontoon_env.rules import Rules
from pontoon_env.state import N_MOVES, Phase

if TYPE_CHECKING:
    from tests.lockstep import Lockstep

DEAL_PHASES = (Phase.STAKE, Phase.DOUBLE, Phase.SHOOT, Phase.PLAY, Phase.SPLIT_SHOOT, Phase.BANKER)


@cache
def record_of(rules: Rules) -> np.ndarray:
    """Return the rules as kernels read them."""
    return rules.to_record()


def observed(
    rules: Rules, games: np.ndarray, seat: int, memory: bool = False
) -> tuple[np.ndarray, ...]:
    """Return observation, mask and bounds of a seat, each of one row."""
    out = (
        np.full((1, observation_size(rules, memory)), np.nan, np.float32),
        np.full((1, N_MOVES), 7, np.int8),
        np.full((1, N_MOVES), np.nan, np.float32),
        np.full((1, N_MOVES), np.nan, np.float32),
    )
    batch.observe_batch(record_of(rules), games, np.array([seat]), *out)
    return out


def count(cards: list[str]) -> int:
    """Return the count of cards with aces as 1."""
    return sum(min(parse_card(card) // N_SUITS + 1, 10) for card in cards)


def expected(rules: Rules, view: dict[str, Any], phase: Phase) -> dict[str, float]:
    """Return the elements that are not zero, by name, from the referee's view of the table."""
    unit = 1 / rules.max_stake
    limit = 10 * rules.max_stake if rules.max_price is None else rules.max_price
    viewer = view["viewer"]
    elements: dict[str, float] = {
        f"phase[{DECISION_PHASES.index(phase)}]": 1,
        "deals_left": (rules.deals - 1 - view["deal"]) / rules.deals,
        "kitty": view["kitty"] * unit,
        "outstanding": view["outstanding"] * unit,
        "price": 0 if view["offer"] is None else view["offer"] / limit,
        "doubled": view["doubled"],
    }
    for number, hand in enumerate(view["seats"][viewer]["hands"]):
        if None not in hand["cards"]:
            name = f"own_hand_{number}"
            low = count(hand["cards"])
            soft = any(card[0] == "A" for card in hand["cards"]) and low + 10 <= 21
            ranks = [card[0] for card in hand["cards"]]
            elements[f"{name}.count"] = low / 21
            elements[f"{name}.total"] = (low + 10 * soft) / 21
            elements[f"{name}.pair"] = len(ranks) == 2 and len(set(ranks)) == 1
            elements[f"{name}.last_price"] = (hand["last_price"] or 0) * unit
    for place in range(rules.seats):
        seat = (viewer + place) % rules.seats
        name = f"seat_{place}"
        elements[f"{name}.is_banker"] = seat == view["banker"]
        elements[f"{name}.is_to_act"] = seat == view["seat"]
        elements[f"{name}.initial_stake"] = (view["seats"][seat]["stake"] or 0) * unit
    return elements


def expected_hands(rules: Rules, public: list[dict[str, Any]]) -> dict[str, float]:
    """Return the elements of hands from the view of a seat that holds none of them.

    Args:
        rules: The rules.
        public: For each relative seat its entry in the view of a seat other than that one.
    """
    unit = 1 / rules.max_stake
    elements: dict[str, float] = {}
    for place, seat in enumerate(public):
        for number, hand in enumerate(seat["hands"]):
            name = f"seat_{place}.hand_{number}"
            shown = [card for card in hand["cards"] if card is not None]
            elements[f"{name}.n_cards"] = hand["count"] / 5
            elements[f"{name}.shown_count"] = count(shown) / 21
            elements[f"{name}.shown_ace"] = any(card[0] == "A" for card in shown)
            elements[f"{name}.is_finished"] = hand["status"] != "open"
            elements[f"{name}.is_declared"] = hand["status"] == "declared"
            elements[f"{name}.is_bust"] = hand["status"] == "bust"
            elements[f"{name}.stake"] = hand["total"] * unit
            elements[f"{name}.bet"] = hand["shoot"] * unit
    return elements


@cache
def element_names(rules: Rules) -> list[str]:
    """Return a name for every element."""
    names = []
    for part in layout(rules):
        size = part.stop - part.start
        names += [part.name] if size == 1 else [f"{part.name}[{i}]" for i in range(size)]
    return names


def compare_views(lockstep: Lockstep, observers: Iterable[int] | None = None) -> None:
    """Assert that seats see what the referee says, and that the mover alone has a mask.

    Args:
        lockstep: The session on both engines.
        observers: The seats to compare; all where None.
    """
    engine, rules = lockstep.engine, lockstep.engine.rules
    phase = Phase(int(engine.game["phase"]))
    if phase not in DEAL_PHASES:
        return
    names = element_names(rules)
    for seat in range(rules.seats) if observers is None else observers:
        view = lockstep.referee.view(seat)
        seats = [(seat + place) % rules.seats for place in range(rules.seats)]
        own = lockstep.referee.view(seats[1])["seats"][seat]  # as others see the observer's hands
        public = [own, *(view["seats"][other] for other in seats[1:])]
        elements = expected(rules, view, phase) | expected_hands(rules, public)
        found, mask, low, high = observed(rules, engine.games, seat)
        wanted = np.array([elements.pop(name, 0) for name in names], np.float32)
        assert not elements, "the observation has no place for these"
        assert np.allclose(found[0], wanted, rtol=1e-6, atol=0), (found[0], wanted)
        assert mask.any() == (seat == engine.seat)
        assert (low <= high).all()
