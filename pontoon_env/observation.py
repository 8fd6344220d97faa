"""What a seat sees: a flat float32 vector of named slices, of what P26 and P27 let it know.

Seats stand in relative order: the observer first, then clockwise. Hands beyond those of a seat are
zero. The slices are read off the enumerations below; no index is written by hand.

Behind it may stand what a perfect memory knows (`pontoon_env.memory`), where that is asked for; and
it may be laid out as at the largest table (`pontoon_env.padding`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pontoon_env._jit import inlined
from pontoon_env.cards import N_RANKS, TEN_POINTS
from pontoon_env.engine.hands import (
    ONE_ACE,
    best_of,
    held_cards,
    is_pair,
    seat_of,
    tally,
)
from pontoon_env.rules import Rules, RulesRecord, SplitRule
from pontoon_env.state import (
    MAX_HAND_CARDS,
    MAX_HANDS,
    MAX_SEATS,
    TARGET,
    Game,
    Hand,
    HandStatus,
    Phase,
    Seat,
)

DECISION_PHASES: Final = (
    Phase.FORM_KITTY,
    Phase.STAKE,
    Phase.DOUBLE,
    Phase.SHOOT,
    Phase.PLAY,
    Phase.SPLIT_SHOOT,
    Phase.BANKER,
    Phase.ACCEPT_BANK,
    Phase.OFFER,
    Phase.SALE,
    Phase.TOP_UP,
    Phase.DRY_KITTY,
    Phase.BID,
)
"""The phases in which a seat is asked, in order of play."""

_PHASE_SLOT: Final = np.array(
    [DECISION_PHASES.index(phase) if phase in DECISION_PHASES else -1 for phase in Phase], np.int64
)
_N_PHASES: Final = len(DECISION_PHASES)


class TableSlot(IntEnum):
    """What is seen of the table, after the phase."""

    DEALS_LEFT = 0
    KITTY = 1
    OUTSTANDING = 2
    PRICE = 3
    DOUBLED = 4


class OwnHandSlot(IntEnum):
    """What a seat knows of a hand of its own, beside what everybody sees."""

    COUNT = 0
    TOTAL = 1
    PAIR = 2
    LAST_PRICE = 3


class SeatSlot(IntEnum):
    """What everybody sees of a seat."""

    IS_BANKER = 0
    IS_TO_ACT = 1
    INITIAL_STAKE = 2


class HandSlot(IntEnum):
    """What everybody sees of a hand."""

    N_CARDS = 0
    SHOWN_COUNT = 1
    SHOWN_ACE = 2
    IS_FINISHED = 3
    IS_DECLARED = 4
    IS_BUST = 5
    STAKE = 6
    BET = 7


N_CARDS_TO_COME: Final = 8
"""Of so many cards to come the observation holds the pips: a second card for every seat."""


class MemorySlot(IntEnum):
    """What a perfect memory knows of the pack; where each part begins."""

    FRESH = 0
    IS_ORDERED = 1
    N_UNKNOWN = 2
    EXCESS = 3
    TO_COME = EXCESS + TEN_POINTS


class MemorySeatSlot(IntEnum):
    """What a perfect memory knows of the cards of a seat that the observer does not see."""

    COUNT = 0
    ACE = 1
    SECOND = 2


_MEANINGS: Final[dict[type[IntEnum], tuple[str, ...]]] = {
    TableSlot: (
        "deals to come after this one, as a part of the session",
        "K, what the kitty holds, in largest stakes",
        "O, shoot bets not settled yet, in largest stakes",
        "price that the bank is offered for, as a part of the highest; 0 without an offer",
        "1 where the banker has doubled",
    ),
    OwnHandSlot: (
        "count with aces as 1, in 21sts",
        "best total, in 21sts",
        "1 where it is two cards of one rank",
        "price of the last card bought, in largest stakes",
    ),
    SeatSlot: (
        "1 for the banker",
        "1 for the seat to act",
        "E, in largest stakes; 0 before the seat has staked",
    ),
    HandSlot: (
        "number of cards, in fifths",
        "count of the cards that are face up, aces as 1, in 21sts",
        "1 where an ace is face up",
        "1 where a player's hand is closed, however it closed",
        "1 where it is a declared pontoon",
        "1 where it is bust",
        "T, in largest stakes",
        "shoot bets, in largest stakes",
    ),
    MemorySeatSlot: (
        "count of its hidden cards, aces as 1, in 21sts; 0 where they are not known",
        "1 where one of them is an ace; 0 where they are not known",
        "pips of the second card it is about to be dealt, in 11ths; 0 where that is not known",
    ),
}
"""The meaning of every slot, in the order of its enumeration: the source of docs/observation.md."""


ANY_CHIPS: Final = 2.0**63
"""Stands for the bound of what has none: a kitty grows as long as shoot bets are lost into it."""

_BUST_COUNT: Final = 30 / TARGET
"""The highest count of a hand: a ten to a hard 20."""

_HIGHEST: Final[dict[type[IntEnum], tuple[float, ...]]] = {
    TableSlot: (1.0, ANY_CHIPS, ANY_CHIPS, 1.0, 1.0),
    OwnHandSlot: (_BUST_COUNT, _BUST_COUNT, 1.0, 2.0),
    SeatSlot: (1.0, 1.0, 1.0),
    HandSlot: (1.0, _BUST_COUNT, 1.0, 1.0, 1.0, 1.0, 7.0, ANY_CHIPS),
}
"""The largest value of every slot; the least is 0. A price is 2 E at most, a stake 7 E (P20)."""

EXCESS_SCALE: Final = 10.0
"""What the excess of a share over an even pack's is multiplied by: with fresh cards on top it is
about a tenth."""

_LEAST_EXCESS: Final = -EXCESS_SCALE * (N_RANKS - TEN_POINTS + 1) / N_RANKS
_LARGEST_EXCESS: Final = EXCESS_SCALE * (N_RANKS - 1) / N_RANKS
_LARGEST_PIPS: Final = TEN_POINTS / (TEN_POINTS + 1)

_MEMORY: Final[tuple[tuple[MemorySlot, int, str, float, float], ...]] = (
    (
        MemorySlot.FRESH,
        1,
        "cards on top of the pack that nobody has seen since the last shuffle, as a part of all",
        0.0,
        1.0,
    ),
    (
        MemorySlot.IS_ORDERED,
        1,
        "1 where the cards below those are known each in its place (`under_pack`)",
        0.0,
        1.0,
    ),
    (
        MemorySlot.N_UNKNOWN,
        1,
        "number of cards that may come next or are hidden from the observer: the fresh ones, "
        "without any the whole pack, and the hidden ones; in 52nds",
        0.0,
        2.0,
    ),
    (
        MemorySlot.EXCESS,
        TEN_POINTS,
        "cards of 1 pip to 10: their share of those cards less that of an even pack, "
        f"times {EXCESS_SCALE:g}",
        _LEAST_EXCESS,
        _LARGEST_EXCESS,
    ),
    (
        MemorySlot.TO_COME,
        N_CARDS_TO_COME,
        "pips of the cards to come, the next one first, in 11ths; 0 where a card is not known",
        0.0,
        _LARGEST_PIPS,
    ),
)
"""Each part of what is remembered of the pack: size, meaning, least and largest value."""

_COUNTED_BITS: Final = 31
"""No count that a hand can have has more bits."""
_PARTS_OF_21: Final = (np.arange(_COUNTED_BITS + 1) * (1.0 / TARGET)).astype(np.float32)
"""Each count in 21sts: to read one takes less time than to reckon it."""
_N_TABLE: Final = _N_PHASES + len(TableSlot)
_N_OWN: Final = len(OwnHandSlot)
_N_SEAT: Final = len(SeatSlot)
_N_HAND: Final = len(HandSlot)
_COLUMN_BITS: Final = 0xFFFF
"""No column's number has more bits. Of a number without others the compiler sees that it is not
negative, and does not ask at every write whether it counts from the end of the row."""

_N_LOOKS: Final = 8
"""Places for each status in `_LOOKS`, by the number of cards."""
_LOOK_BITS: Final = len(HandStatus) * _N_LOOKS - 1


def _looks() -> NDArray[np.float32]:
    """Return what is seen of a hand of which no card is up, by its status and number of cards."""
    looks = np.zeros((_LOOK_BITS + 1, HandSlot.STAKE), np.float32)
    for status in HandStatus:
        for n_cards in range(MAX_HAND_CARDS + 1):
            look = looks[status * _N_LOOKS + n_cards]
            look[HandSlot.N_CARDS] = n_cards * (1.0 / MAX_HAND_CARDS)
            look[HandSlot.IS_FINISHED] = status != HandStatus.OPEN
            look[HandSlot.IS_DECLARED] = status == HandStatus.DECLARED
            look[HandSlot.IS_BUST] = status == HandStatus.BUST
    return looks


_LOOKS: Final = _looks()
"""``(32, 6)``: the slots before `HandSlot.STAKE`."""
N_MEMORY: Final = MemorySlot.TO_COME + N_CARDS_TO_COME
N_MEMORY_SEAT: Final = len(MemorySeatSlot)


@dataclass(frozen=True)
class Slice:
    """A named part of the observation: elements ``[start, stop)``."""

    name: str
    start: int
    stop: int
    meaning: str
    high: float
    """The largest value that an element can have."""
    low: float = 0.0
    """The least value."""


def hand_slots(rules: Rules) -> int:
    """Return how many hands of a seat the observation holds: as many as the rules allow."""
    return 1 if rules.split == "none" else rules.max_hands


def observation_size(rules: Rules, memory: bool = False, padded: bool = False) -> int:
    """Return the length of the observation under ``rules``; arguments as of `layout`."""
    return layout(rules, memory, padded)[-1].stop


@cache
def layout(rules: Rules, memory: bool = False, padded: bool = False) -> tuple[Slice, ...]:
    """Return the slices of the observation under ``rules``, in order.

    Args:
        rules: The rules.
        memory: Whether what a perfect memory knows stands behind what is seen.
        padded: Whether there are places for eight seats and four hands each, whatever the rules
            allow; those of seats and hands that are not there are zero.
    """
    seats, slots = (MAX_SEATS, MAX_HANDS) if padded else (rules.seats, hand_slots(rules))
    phases = "one-hot: " + ", ".join(phase.name for phase in DECISION_PHASES)
    sizes: list[tuple[str, int, str, float]] = [("phase", _N_PHASES, phases, 1.0)]
    sizes += [
        (slot.name.lower(), 1, _meaning(slot), _HIGHEST[type(slot)][slot]) for slot in TableSlot
    ]
    for hand in range(slots):
        sizes += [
            (f"own_hand_{hand}.{slot.name.lower()}", 1, _meaning(slot), _HIGHEST[type(slot)][slot])
            for slot in OwnHandSlot
        ]
    for seat in range(seats):
        sizes += [
            (f"seat_{seat}.{slot.name.lower()}", 1, _meaning(slot), _HIGHEST[type(slot)][slot])
            for slot in SeatSlot
        ]
        for hand in range(slots):
            sizes += [
                (
                    f"seat_{seat}.hand_{hand}.{slot.name.lower()}",
                    1,
                    _meaning(slot),
                    _HIGHEST[type(slot)][slot],
                )
                for slot in HandSlot
            ]
    slices = []
    start = 0
    for name, size, meaning, high in sizes:
        slices.append(Slice(name, start, start + size, meaning, high))
        start += size
    return tuple(slices) + (_memory_layout(seats, slots, start) if memory else ())


def _memory_layout(seats: int, slots: int, start: int) -> tuple[Slice, ...]:
    """Return the slices of what a perfect memory knows, the first of which begins at ``start``."""
    slices = [
        Slice(f"memory.{slot.name.lower()}", start + slot, start + slot + size, meaning, high, low)
        for slot, size, meaning, low, high in _MEMORY
    ]
    highs = {
        MemorySeatSlot.COUNT: float(slots),
        MemorySeatSlot.ACE: 1.0,
        MemorySeatSlot.SECOND: _LARGEST_PIPS,
    }
    for seat in range(seats):
        base = start + N_MEMORY + seat * N_MEMORY_SEAT
        slices += [
            Slice(
                f"memory.seat_{seat}.{slot.name.lower()}",
                base + slot,
                base + slot + 1,
                _meaning(slot),
                highs[slot],
            )
            for slot in MemorySeatSlot
        ]
    return tuple(slices)


def _meaning(slot: IntEnum) -> str:
    """Return the sentence that describes a slot."""
    return _MEANINGS[type(slot)][slot]


@inlined
def knows_own_cards(rules: RulesRecord, game: Game, seat: int) -> bool:
    """Tell whether a seat has looked at its own cards; the banker does so late (P11, P13)."""
    if seat != game["banker"] or game["phase"] > Phase.SHOOT:
        return True
    return rules["banker_doubles"] != 0 and game["phase"] >= Phase.DOUBLE


@inlined
def visible_cards(rules: RulesRecord, game: Game, observer: int, owner: int, hand: Hand) -> int:
    """Return which cards of a hand ``observer`` sees, as bits (P26, P27); -1 is everybody."""
    if observer == owner and knows_own_cards(rules, game, owner):
        return (1 << hand["n_cards"]) - 1
    return hand["up"] & ((1 << hand["n_cards"]) - 1)


@inlined
def observe(rules: RulesRecord, game: Game, seat: int, out: NDArray[np.float32], row: int) -> int:
    """Write what ``seat`` sees, and zeros to the end of the row.

    Args:
        rules: The rules.
        game: At a decision, or over.
        seat: The observer.
        out: Out, float32 ``(n, observation_size)``, or wider.
        row: Which row of ``out`` to write. (A slice handed over would cost more than writing it.)

    Returns:
        The length of what is seen.
    """
    seats = rules["seats"]
    slots = 1 if rules["split"] == SplitRule.NONE else rules["max_hands"]
    for column in range(out.shape[1]):
        out[row, column] = 0.0
    unit = 1.0 / rules["max_stake"]
    _write_table(rules, game, out, row, unit)
    if knows_own_cards(rules, game, seat):
        _write_own_hands(game["seats"][seat], out, row, unit)
    start = _N_TABLE + slots * _N_OWN
    width = _N_SEAT + slots * _N_HAND
    place_of_banker = _place_from(seat, game["banker"], seats)
    out[row, start + place_of_banker * width + SeatSlot.IS_BANKER] = 1.0
    if game["phase"] != Phase.OVER:
        place_to_act = _place_from(seat, game["seat"], seats)
        out[row, start + place_to_act * width + SeatSlot.IS_TO_ACT] = 1.0
    other = seat
    for _ in range(seats):
        _write_seat(seat_of(game, other), out, row, start & _COLUMN_BITS, unit)
        start += width
        other = other + 1 if other + 1 < seats else 0
    return start


@inlined
def _place_from(observer: int, seat: int, seats: int) -> int:
    """Return how many seats clockwise of the observer a seat is."""
    return seat - observer if seat >= observer else seat - observer + seats


@inlined
def _write_table(
    rules: RulesRecord, game: Game, out: NDArray[np.float32], row: int, unit: float
) -> None:
    """Write the phase and the `TableSlot` part."""
    phase = _PHASE_SLOT[game["phase"]]
    if phase >= 0:
        out[row, phase] = 1.0
    out[row, _N_PHASES + TableSlot.DEALS_LEFT] = (rules["deals"] - 1 - game["deal"]) / rules[
        "deals"
    ]
    out[row, _N_PHASES + TableSlot.KITTY] = game["kitty"] * unit
    out[row, _N_PHASES + TableSlot.OUTSTANDING] = game["outstanding"] * unit
    if game["phase"] == Phase.SALE:
        out[row, _N_PHASES + TableSlot.PRICE] = game["price"] / rules["max_price"]
    out[row, _N_PHASES + TableSlot.DOUBLED] = game["is_doubled"]


@inlined
def _write_own_hands(seat: Seat, out: NDArray[np.float32], row: int, unit: float) -> None:
    """Write the `OwnHandSlot` part of each hand of the observer."""
    for i in range(MAX_HANDS):
        if i == seat["n_hands"]:
            break
        hand = seat["hands"][i]
        last_price = hand["last_price"]
        found = tally(hand, held_cards(hand))
        has_pair = is_pair(hand)
        base = _N_TABLE + i * _N_OWN
        out[row, base + OwnHandSlot.COUNT] = _PARTS_OF_21[found & _COUNTED_BITS]
        out[row, base + OwnHandSlot.TOTAL] = _PARTS_OF_21[best_of(found) & _COUNTED_BITS]
        out[row, base + OwnHandSlot.PAIR] = has_pair
        out[row, base + OwnHandSlot.LAST_PRICE] = last_price * unit


@inlined
def _write_seat(seat: Seat, out: NDArray[np.float32], row: int, start: int, unit: float) -> None:
    """Write the `SeatSlot` part of a seat that everybody knows, and its hands."""
    out[row, start + SeatSlot.INITIAL_STAKE] = seat["initial_stake"] * unit
    start += _N_SEAT
    if seat["n_hands"] == 0:
        return
    _write_hand(seat["hands"][0], out, row, start, unit)
    for i in range(1, seat["n_hands"]):  # which there seldom are
        _write_hand(seat["hands"][i], out, row, (start + i * _N_HAND) & _COLUMN_BITS, unit)


@inlined
def _write_hand(hand: Hand, out: NDArray[np.float32], row: int, start: int, unit: float) -> None:
    """Write the `HandSlot` part of a hand.

    All of it is read before anything is written: the compiler cannot know that what is written does
    not change what is still to be read.
    """
    look = (hand["status"] * _N_LOOKS + hand["n_cards"]) & _LOOK_BITS
    up = hand["up"]
    stake = hand["stake"]
    bet = hand["bet"]
    for slot in range(HandSlot.STAKE):
        out[row, start + slot] = _LOOKS[look, slot]
    if up != 0:  # which it seldom is
        found = tally(hand, up & held_cards(hand))
        out[row, start + HandSlot.SHOWN_COUNT] = _PARTS_OF_21[found & _COUNTED_BITS]
        out[row, start + HandSlot.SHOWN_ACE] = found >= ONE_ACE
    out[row, start + HandSlot.STAKE] = stake * unit
    if bet != 0:
        out[row, start + HandSlot.BET] = bet * unit
