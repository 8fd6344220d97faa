"""Information states: all that a seat has seen of a session, in order, and nothing else.

A seat that forgets nothing has seen a sequence of `Sight`: the decisions of all seats and the cards
that were dealt, with their faces where it saw them (P26, P27). Two courses of play have the same
sequence where the seat cannot tell them apart, and only there:

- A hand that sticks leaves no sight, because to the others it looks like one that closed on 21
  (P24); its owner knows it from its cards and from who is asked next.
- A sealed bid shows its amount to its owner alone until the auction is over (S10).
- The banker's own cards have no faces until the banker may look at them (P11, P13).
- Results are not repeated: payments, the kitty and the pack below its fresh cards follow from what
  was seen.

The last sight says who is asked for what; it is not kept. So a seat's sequence at one of its
decisions, without the last sight, begins every later one, but that faces and bids are filled in
once they are seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pontoon_env import batch
from pontoon_env.cards import card_name, parse_card
from pontoon_env.history import Line
from pontoon_env.observation import hand_slots
from pontoon_env.rules import Rules
from pontoon_env.state import MAX_HAND_CARDS, MAX_HANDS, MAX_SEATS, N_MOVES, Move, Phase


class What(IntEnum):
    """What was seen. 1 to ``N_MOVES`` stand for decisions: a `Move`, and one more."""

    OBSERVER = N_MOVES + 1
    """The first sight: whose sequence it is."""
    FIRST_BANKER = N_MOVES + 2
    DEAL = N_MOVES + 3
    """A deal begins; ``seat`` is its banker."""
    DOWN = N_MOVES + 4
    """A card was dealt face down."""
    UP = N_MOVES + 5
    """A card was dealt face up."""
    SHOWN = N_MOVES + 6
    """A card of a hand was shown to everybody, whether it had lain face down or not."""
    DECLARE = N_MOVES + 7
    """A pontoon was shown; its ace follows."""
    BUST = N_MOVES + 8
    """A hand went bust; its cards follow."""
    SETTLE = N_MOVES + 9
    """A deal was settled; the cards of all live hands follow."""
    BANK = N_MOVES + 10
    """The bank went to ``seat``."""
    SHUFFLE = N_MOVES + 11
    END = N_MOVES + 12
    """The session ended."""
    SEALED = N_MOVES + 13
    """A seat answered in an auction; nobody else knows what."""
    ASKED = N_MOVES + 14
    """The last sight: ``seat`` is asked, about ``hand``; ``chips`` is the `Phase`."""


class Sight(NamedTuple):
    """One thing that a seat saw. A field that does not apply is 0."""

    what: int
    """A `What`, or a `Move` and one more."""
    seat: int = 0
    """Number of the seat, and one more."""
    hand: int = 0
    """Place of the hand at that moment, and one more."""
    card: int = 0
    """Number of the card, and one more; 0 where its face was not seen."""
    chips: int = 0
    """Amount of a decision, in chips."""


N_COLUMNS: Final = len(Sight._fields)
"""Width of an information state as a tensor: a column for each field of `Sight`."""


def sights(rules: Rules, games: NDArray[np.void], lines: Sequence[Line], seat: int) -> list[Sight]:
    """Return what a seat has seen in a session.

    Args:
        rules: The rules.
        games: The session as it stands, one record; not changed.
        lines: Its history up to there (docs/history.md).
        seat: The observer.
    """
    phase = Phase(games["phase"].item())
    sequence = _Sequence(seat, _first_hidden(rules, games, lines, seat))
    first_sealed = len(lines)
    if phase == Phase.BID:
        is_auction = [line.get("move") == "auction" for line in lines]
        first_sealed -= is_auction[::-1].index(True)
    for number, line in enumerate(lines):
        sequence.add(number, line, is_sealed=number >= first_sealed)
    if phase == Phase.BANKER:
        sequence.turn_up_banker()
    if phase == Phase.OVER:
        if lines[-1]["line"] != "end":  # an illegal action has ended the session
            sequence.found.append(Sight(What.END))
    else:
        asked, hand = games["seat"].item(), games["hand"].item()
        sequence.found.append(Sight(What.ASKED, asked + 1, hand + 1, 0, phase))
    return sequence.found


def fit_lines(games: NDArray[np.void], lines: Sequence[Line]) -> list[Line]:
    """Return a history in which the present deal has the cards and sealed bids of a game.

    So a history goes on in another world: all that lies hidden there is of the present deal, since
    every hand is shown when a deal is settled (P27).

    Args:
        games: The session as it stands, one record; not changed.
        lines: Its history up to there, or that of a world that the game was drawn from; kept.

    Raises:
        ValueError: They are no history of this session, as far as the present deal tells.
    """
    try:
        fitted = list(lines)
        _fit(games[0], fitted)
    except (AttributeError, IndexError, KeyError, StopIteration, TypeError) as error:
        raise ValueError("the lines are no history of the game") from error
    return fitted


def _fit(game: np.void, lines: list[Line]) -> None:
    """Put the cards and the sealed bids of a game into the lines of its present deal."""
    hands: dict[int, list[list[int]]] = {}
    """Which lines brought the cards of every hand on the table, by seats."""
    is_auction = is_settled = False
    if lines[0]["line"] != "session":
        raise IndexError
    for number in range(_start_of_deal(lines), len(lines)):
        line = lines[number]
        kind, move = line["line"], line.get("move")
        is_settled = is_settled or kind == "settle"
        if kind == "card":
            hands.setdefault(line["seat"], [[]])[line["hand"]].append(number)
        elif move in ("split", "burn"):
            held, place = hands[line["seat"]], line["hand"]
            held[place : place + 1] = [[]] if move == "burn" else [[at] for at in held[place]]
        elif kind == "decision" and is_auction and game["phase"] == Phase.BID:
            bid = int(game["seats"]["bid"][line["seat"]])
            lines[number] = {**line, "move": "bid" if bid else "pass", "chips": bid or None}
        is_auction = is_auction or move == "auction"
    if is_settled:
        return
    hands_of = game["seats"]["n_hands"].tolist()
    counts = game["seats"]["hands"]["n_cards"].tolist()
    cards = game["seats"]["hands"]["cards"].tolist()
    for seat, n_hands in enumerate(hands_of):
        held = hands.get(seat, [])
        if list(map(len, held)) != counts[seat][:n_hands]:
            raise IndexError
        for place, numbers in enumerate(held):
            for number, card in zip(numbers, cards[seat][place], strict=False):
                name = card_name(card)
                if lines[number]["card"] != name:
                    lines[number] = {**lines[number], "card": name}


def _start_of_deal(lines: Sequence[Line]) -> int:
    """Return where the last deal of a history begins; its end, where none has begun."""
    starts = (n for n in range(len(lines) - 1, -1, -1) if lines[n]["line"] == "deal")
    return next(starts, len(lines))


def _first_hidden(rules: Rules, games: NDArray[np.void], lines: Sequence[Line], seat: int) -> int:
    """Return from which line on a seat has not seen its own cards: none, but for a banker."""
    if seat != games["banker"].item() or games["phase"].item() == Phase.FORM_KITTY:
        return len(lines)
    visible, totals = np.zeros((2, 1, MAX_SEATS, MAX_HANDS), np.int64)
    batch.see_batch(rules.to_record(), games, np.array([seat]), visible, totals)
    if games["seats"]["n_hands"][0, seat] == 0 or visible[0, seat, 0] != 0:
        return len(lines)
    return _start_of_deal(lines)


class _Sequence:
    """What one seat sees of a session's history, line by line."""

    def __init__(self, observer: int, first_hidden: int) -> None:
        self.found = [Sight(What.OBSERVER, observer + 1)]
        self._observer = observer
        self._first_hidden = first_hidden
        self._banker = 0
        self._is_banker_up = False
        self._hands: dict[int, list[list[int]]] = {}
        """The cards of every hand on the table, by seats; numbers, and one more."""

    def add(self, number: int, line: Line, is_sealed: bool) -> None:
        """Add what the observer sees of a line.

        Args:
            number: Of the line in the session.
            line: The line.
            is_sealed: Whether it is a bid of an auction that is not over.
        """
        kind = line["line"]
        if kind == "decision":
            self._add_decision(line, is_sealed)
        elif kind == "card":
            self._add_card(line, is_hidden=number >= self._first_hidden)
        elif kind == "session":
            self.found.append(Sight(What.FIRST_BANKER, line["banker"] + 1))
        elif kind == "deal":
            self._banker, self._is_banker_up, self._hands = line["banker"], False, {}
            self.found.append(Sight(What.DEAL, line["banker"] + 1))
        elif kind == "declare":
            self._add_declaration(line["seat"], line["hand"])
        elif kind == "bust":
            self.found.append(Sight(What.BUST, line["seat"] + 1, line["hand"] + 1))
            self._show(line["seat"], line["hand"])
        elif kind == "settle":
            self._add_settlement(line["shown"])
        elif kind == "bank":
            self.found.append(Sight(What.BANK, line["seat"] + 1))
        else:
            self.found.append(Sight(What.SHUFFLE if kind == "shuffle" else What.END))

    def turn_up_banker(self) -> None:
        """Add the banker's cards, where they are not up yet (P28)."""
        if not self._is_banker_up:
            self._is_banker_up = True
            self._show(self._banker, 0)

    def _add_decision(self, line: Line, is_sealed: bool) -> None:
        """Add a decision."""
        seat, hand, move = line["seat"], line["hand"] or 0, Move[line["move"].upper()]
        if seat == self._banker and move in (Move.TWIST, Move.STICK):
            self.turn_up_banker()
        if move == Move.STICK:
            return
        if is_sealed and seat != self._observer:
            self.found.append(Sight(What.SEALED, seat + 1))
            return
        self.found.append(Sight(move + 1, seat + 1, hand + 1, 0, line["chips"] or 0))
        if move in (Move.SPLIT, Move.BURN):
            self._show(seat, hand)
            hands = self._hands[seat]
            if move == Move.BURN:
                hands[hand] = []
            else:
                hands[hand : hand + 1] = [[card] for card in hands[hand]]

    def _add_card(self, line: Line, is_hidden: bool) -> None:
        """Add a card."""
        seat, hand, card = line["seat"], line["hand"], parse_card(line["card"]) + 1
        if seat == self._banker and line["up"]:
            self.turn_up_banker()
        hands = self._hands.setdefault(seat, [[]])
        hands[hand].append(card)
        is_seen = line["up"] or (seat == self._observer and not is_hidden)
        what = What.UP if line["up"] else What.DOWN
        self.found.append(Sight(what, seat + 1, hand + 1, card if is_seen else 0))

    def _add_declaration(self, seat: int, hand: int) -> None:
        """Add a pontoon that is shown, and its ace (P15)."""
        self.found.append(Sight(What.DECLARE, seat + 1, hand + 1))
        ace = next(card for card in self._hands[seat][hand] if card_name(card - 1)[0] == "A")
        self.found.append(Sight(What.SHOWN, seat + 1, hand + 1, ace))

    def _add_settlement(self, shown: Sequence[Sequence[Sequence[str]]]) -> None:
        """Add a settlement, and the cards of all live hands (P27)."""
        self.found.append(Sight(What.SETTLE))
        for seat, hands in enumerate(shown):
            for hand, cards in enumerate(hands):
                self.found += [
                    Sight(What.SHOWN, seat + 1, hand + 1, parse_card(card) + 1) for card in cards
                ]

    def _show(self, seat: int, hand: int) -> None:
        """Add the cards of a hand."""
        cards = self._hands[seat][hand]
        self.found += [Sight(What.SHOWN, seat + 1, hand + 1, card) for card in cards]


def in_words(sequence: Sequence[Sight]) -> str:
    """Return sights as text, such as ``…; down 2.0 ?; stake 1.0 100; …``: seat, hand, card, chips.

    Different sequences give different texts.
    """
    return "; ".join(map(_in_words, sequence))


def _in_words(sight: Sight) -> str:
    """Return a sight as text."""
    what = sight.what
    words = [Move(what - 1).name.lower() if what <= N_MOVES else What(what).name.lower()]
    if sight.seat:
        words.append(f"{sight.seat - 1}" + (f".{sight.hand - 1}" if sight.hand else ""))
    if what in (What.DOWN, What.UP, What.SHOWN):
        words.append(card_name(sight.card - 1) if sight.card else "?")
    if what == What.ASKED:
        words.append(Phase(sight.chips).name.lower())
    elif sight.chips:
        words.append(str(sight.chips))
    return " ".join(words)


def as_tensor(rules: Rules, sequence: Sequence[Sight]) -> NDArray[np.float64]:
    """Return sights as rows, float64 ``(n_rows(rules), N_COLUMNS)``, zero after the last one.

    In float64 every amount is exact.
    """
    tensor = np.zeros((n_rows(rules), N_COLUMNS))
    tensor[: len(sequence)] = sequence
    return tensor


def n_rows(rules: Rules) -> int:
    """Return how many sights a session can have at most under ``rules``.

    The bound counts for every deal all that the rules allow, and the tensor is made for a session
    of one deal; at 20 deals it is long and nearly empty.
    """
    players, slots = rules.seats - 1, hand_slots(rules)
    n_burns = 0 if rules.burn == "none" else 1 + rules.burn_repeat
    split = 1 + 2 + 1 + 2  # the move, both cards, a shoot bet, the new cards
    burn = 1 + 2 + 2  # the move, both cards, the new cards
    draws = 3 * (1 + 1) + 1  # the moves and the cards, a shoot bet
    end = 1 + MAX_HAND_CARDS  # bust, or declared
    n_split = slots - 1
    player = n_split * split + (slots + n_split) * n_burns * burn + slots * (draws + end)
    banker = 2 + 3 * (1 + 1)
    start = 1 + 2 * rules.seats + 2 * players + 1  # cards, stakes, shoot bets, doubling
    settlement = 1 + MAX_HAND_CARDS * (players * slots + 1)
    between = 3 * players + 6  # answers, sale, bids; bank twice, offer, shuffle, kitty, auction
    deal = start + players * player + banker + settlement + between
    n_others = 5  # observer, first banker, kitty, end, asked
    return rules.deals * deal + n_others
