"""The state of a game: one record of `GAME`, and the names of the numbers in it.

A session is one record, with records of seats and hands in it: a batch is an array, and to clone,
save or compare is to copy or compare records. Kernels change ``games[i]`` in place.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Final, TypedDict

import numpy as np
from numpy.typing import NDArray

MAX_SEATS: Final = 8
"""Most seats at a table, the banker's included (P1)."""
MAX_HANDS: Final = 4
"""Most hands that one seat may split into (P17)."""
MAX_HAND_CARDS: Final = 5
"""A hand closes on its fifth card (P23, P29)."""
MAX_PACK_CARDS: Final = 104
"""Cards of two packs."""
MAX_EVENTS: Final = 48
"""More than any step sets off: a deal's end and the next deal's start take under 40."""

MAX_KITTY: Final = 2**50
"""A kitty of more chips is not shot at: fractions of it stay exact in float64, sums in int64.

A kitty that is never taken grows with the bets that are lost into it, each up to what it holds:
without a bound a long session of a bank that never passes would leave every fixed width.
"""

TARGET: Final = 21
"""The count to reach and not to pass (P6)."""
ALL_UP: Final = 31
"""The ``up`` bits of a hand of which every card is turned up."""


class Phase(IntEnum):
    """Where a session stands, in order of play."""

    FORM_KITTY = 0
    """A new banker forms the kitty (S1)."""
    FIRST_CARDS = 1
    """One card to each seat (P10); nobody is asked."""
    STAKE = 2
    """Each player stakes (P12)."""
    DOUBLE = 3
    """The banker may double (``banker_doubles``)."""
    SHOOT = 4
    """Each player may shoot (S2)."""
    SECOND_CARDS = 5
    """A second card to each seat (P13, P14); nobody is asked."""
    PLAY = 6
    """A player plays a hand (P15 to P25)."""
    SPLIT_SHOOT = 7
    """A shoot bet on the other half of a split hand (S5)."""
    BANKER_CARDS = 8
    """The banker's cards are turned up (P28, P29); nobody is asked."""
    BANKER = 9
    """The banker draws or stays (P28)."""
    SETTLE = 10
    """Payments, and the cards go under the pack (P30, P31); nobody is asked."""
    PASS_BANK = 11
    """The bank passes or stays, or the session ends (P33, P37); nobody is asked."""
    ACCEPT_BANK = 12
    """The holder of a natural takes or refuses the bank (``bank_refusable``)."""
    OFFER = 13
    """The banker names a price for the bank or keeps it (P34)."""
    SALE = 14
    """A player takes the bank at that price or declines (P34)."""
    SHUFFLE = 15
    """The pack is shuffled where it is due (P32); nobody is asked."""
    TOP_UP = 16
    """The banker may add to the kitty (S9)."""
    DRY_KITTY = 17
    """The banker forms a new kitty or puts the bank up to auction (S10)."""
    BID = 18
    """A player bids for the bank (S10)."""
    OVER = 19
    """The session has ended."""


class Move(IntEnum):
    """What a seat can choose, by the names of the hand history."""

    STAKE = 0
    SHOOT = 1
    BUY = 2
    KITTY = 3
    OFFER = 4
    BID = 5
    TWIST = 6
    STICK = 7
    SPLIT = 8
    BURN = 9
    DOUBLE = 10
    PASS = 11
    ACCEPT = 12
    REFUSE = 13
    AUCTION = 14


N_MOVES: Final = len(Move)
N_AMOUNT_MOVES: Final = 6
"""The first six moves take an amount of chips."""


class HandStatus(IntEnum):
    """How a hand stands."""

    OPEN = 0
    FINISHED = 1
    """Stuck, or closed on a lowest count of 21, on five cards or for want of cards."""
    DECLARED = 2
    """A pontoon that has been shown (P15, P18)."""
    BUST = 3


class Outcome(IntEnum):
    """What came of a decision that was handed to the engine."""

    OK = 0
    ILLEGAL_MOVE = 1
    ILLEGAL_AMOUNT = 2
    SESSION_OVER = 3


class Event(IntEnum):
    """What everybody at the table, or the owner of a card, saw happen."""

    DEAL = 0
    CARD_DOWN = 1
    CARD_UP = 2
    DECLARE = 3
    BUST = 4
    SETTLE = 5
    BANK = 6
    SHUFFLE = 7
    END = 8


class BankReason(IntEnum):
    """Why the bank changed hands; stands in the card's place of a `BANK` event."""

    NATURAL = 0
    SALE = 1
    AUCTION = 2
    ROTATION = 3


HAND: Final = np.dtype(
    [
        ("bet", np.int64),
        ("stake", np.int32),
        ("last_price", np.int32),
        ("n_cards", np.int32),
        ("n_burns", np.int8),
        ("fresh", np.uint8),
        ("status", np.int16),
        ("cards", np.int8, (MAX_HAND_CARDS,)),
        ("up", np.uint8),
        ("is_twisted", np.int8),
        ("is_split_ace", np.int8),
    ],
    align=True,
)
"""A hand of a seat. The type of a record; `Hand` says what each field holds."""

SEAT: Final = np.dtype(
    [
        ("chips", np.int64),
        ("deal_net", np.int64),
        ("bid", np.int64),
        ("initial_stake", np.int32),
        ("n_hands", np.int32),
        ("hands", HAND, (MAX_HANDS,)),
    ],
    align=True,
)
"""A seat. The type of a record; `Seat` says what each field holds."""

GAME: Final = np.dtype(
    [
        ("seed", np.uint64),
        ("episode", np.uint64),
        ("world", np.uint64),
        ("deal", np.int64),
        ("decision", np.int64),
        ("drawn", np.int64),
        ("phase", np.int64),
        ("seat", np.int64),
        ("hand", np.int64),
        ("banker", np.int64),
        ("kitty", np.int64),
        ("outstanding", np.int64),
        ("price", np.int64),
        ("is_doubled", np.int64),
        ("must_draw", np.int64),
        ("is_bank_new", np.int64),
        ("is_shuffle_due", np.int64),
        ("top", np.int64),
        ("n_pack", np.int64),
        ("n_fresh", np.int64),
        ("fresh_drawn", np.int64),
        ("n_events", np.int64),
        ("seats", SEAT, (MAX_SEATS,)),
        ("pack", np.int8, (MAX_PACK_CARDS,)),
        ("events", np.int8, (MAX_EVENTS, 4)),
    ],
    align=True,
)
"""A session. The type of a record; `Game` says what each field holds.

Numbers that kernels hand to one another are int64: every other type would compile each kernel once
more. Those of seats and hands are narrow, so that a batch stays in the processor's cache. No record
has bytes that belong to no field: equal games are equal byte for byte.
"""


class Hand(TypedDict):
    """The fields of `HAND`, for type checkers."""

    bet: int
    """Shoot bets that the hand carries, in chips."""
    stake: int
    """T of P20: the hand's stake, purchases included, in chips."""
    last_price: int
    """Price of the last card bought; 0 where none was."""
    n_cards: int
    n_burns: int
    """How often the hand has been burnt."""
    fresh: int
    """Bit ``i`` is set where nobody had seen card ``i`` since the last shuffle when it was dealt;
    of cards that lie face down."""
    status: int
    """A `HandStatus`."""
    cards: NDArray[np.int8]
    """The cards in the order they arrived; only the first ``n_cards`` are held."""
    up: int
    """Bit ``i`` is set where everybody sees card ``i``."""
    is_twisted: int
    """1 where a card has been twisted (P21)."""
    is_split_ace: int
    """1 for a half of split aces."""


class Seat(TypedDict):
    """The fields of `SEAT`, for type checkers."""

    chips: int
    """Net change of the seat's cash in this session, kitties and prices included."""
    deal_net: int
    """Net change of the seat's cash by this deal's stakes and shoot bets."""
    bid: int
    """Sealed bid of an auction; 0 where there is none."""
    initial_stake: int
    """E of P12; 0 before the seat has staked, and for the banker."""
    n_hands: int
    hands: Sequence[Hand]


class Game(TypedDict):
    """The fields of `GAME`, for type checkers; ``games[i]`` is such a record at run time."""

    seed: int
    """Key of the random streams."""
    episode: int
    """Number of this session among those of its seed: the other half of the key."""
    world: int
    """0 where chance takes the course of the key; else the number of another course (`hidden`)."""
    deal: int
    """Number of the deal, from 0."""
    decision: int
    """Decisions made so far in this deal."""
    drawn: int
    """Cards drawn so far in this deal."""
    phase: int
    """A `Phase`."""
    seat: int
    """The seat to act."""
    hand: int
    """Its hand in play; 0 where the decision is about no hand."""
    banker: int
    kitty: int
    """K of S2: what the kitty holds, in chips."""
    outstanding: int
    """O of S2: shoot bets not settled yet, in chips."""
    price: int
    """What the bank was last offered or sold for, in chips."""
    is_doubled: int
    """1 where the banker has doubled this deal."""
    must_draw: int
    """1 after a shoot bet before a fourth card: the hand must draw (S4)."""
    is_bank_new: int
    """1 where the bank has changed hands since the last deal."""
    is_shuffle_due: int
    """1 where the pack is to be shuffled before the next deal (P32)."""
    top: int
    """Where the pack begins in ``pack``."""
    n_pack: int
    """Cards in the pack."""
    n_fresh: int
    """Cards on top of the pack that nobody has seen since the last shuffle."""
    fresh_drawn: int
    """Cards drawn so far in this deal that nobody had seen since the last shuffle."""
    n_events: int
    seats: Sequence[Seat]
    pack: NDArray[np.int8]
    """The pack, a ring: ``n_pack`` cards from ``top`` on."""
    events: NDArray[np.int8]
    """What happened since the decision before: rows of `Event`, seat, hand, card."""
