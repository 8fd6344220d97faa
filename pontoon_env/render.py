"""The table as text, from a seat's eyes or from everybody's, without what they cannot see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from pontoon_env.batch import NOBODY, new_games, see_batch, worth
from pontoon_env.cards import card_name
from pontoon_env.errors import ASKED_TO
from pontoon_env.rules import Rules
from pontoon_env.state import MAX_HANDS, MAX_SEATS, BankReason, Event, HandStatus, Phase

HIDDEN: Final = "??"
"""Stands for a card that the observer does not see."""

_HEADINGS: Final = ("", "seat", "net", "stake", "shot", "cards", "total", "")
_IS_NUMBER: Final = (False, False, True, True, True, False, True, False)
_STATUS: Final = {
    HandStatus.OPEN: "",
    HandStatus.FINISHED: "finished",
    HandStatus.DECLARED: "pontoon",
    HandStatus.BUST: "bust",
}
_REASONS: Final = {
    BankReason.NATURAL: "by a pontoon",
    BankReason.SALE: "by a sale",
    BankReason.AUCTION: "by auction",
    BankReason.ROTATION: "in turn",
}


def render_ansi(rules: Rules, game: np.void, seat: int | None = None) -> str:
    """Return the table as text, in ASCII: a row a hand, ``>`` where a decision is due.

    ``net`` is what a seat has won in the session so far, the kitty being the banker's own; it,
    stakes and shoot bets are in chips. ``total`` stands where the observer sees the whole hand.

    Args:
        rules: The rules.
        game: One record, at a decision or over; not changed.
        seat: The observer; None for what everybody sees.

    Raises:
        ValueError: There is no such seat.
    """
    if seat is not None and not 0 <= seat < rules.seats:
        raise ValueError(f"seat={seat!r} is no seat from 0 to {rules.seats - 1}")
    games = new_games(1)
    games[0] = game
    visible, totals = np.zeros((2, 1, MAX_SEATS, MAX_HANDS), np.int64)
    observers = np.array([NOBODY if seat is None else seat])
    see_batch(rules.to_record(), games, observers, visible, totals)
    net = worth(games)[0].tolist()
    rows: list[tuple[str, ...]] = [_HEADINGS]
    for place in range(rules.seats):
        rows += _seat_rows(
            games[0], place, net[place], visible[0, place].tolist(), totals[0, place].tolist()
        )
    lines = [_headline(rules, games[0]), *_aligned(rows)]
    events = _events_in_words(games[0])
    if events:
        lines.append("Last: " + "; ".join(events) + ".")
    lines.append(_what_is_due(games[0]))
    return "\n".join(lines)


def _headline(rules: Rules, game: np.void) -> str:
    """Return which game and deal it is, and the kitty where there is one."""
    name = "Shoot Pontoon" if rules.shoot else "Pontoon"
    line = f"{name}, deal {game['deal'] + 1} of {rules.deals}."
    if rules.shoot:
        line += f" The kitty holds {game['kitty']} chips, {game['outstanding']} of them shot for."
    if game["is_doubled"]:
        line += " The banker has doubled."
    return line


def _seat_rows(
    game: np.void, place: int, net: int, visible: Sequence[int], totals: Sequence[int]
) -> list[tuple[str, ...]]:
    """Return the rows of a seat, one for each hand, or one without a hand."""
    seat = game["seats"][place]
    role = "banker" if place == game["banker"] else ""
    is_due = place == game["seat"] and game["phase"] != Phase.OVER
    rows: list[tuple[str, ...]] = []
    for i in range(max(1, seat["n_hands"])):
        hand = seat["hands"][i]
        is_there = i < seat["n_hands"]
        cards = hand["cards"][: hand["n_cards"] if is_there else 0].tolist()
        names = [card_name(card) if visible[i] >> k & 1 else HIDDEN for k, card in enumerate(cards)]
        words = (role if i == 0 else "", _STATUS[HandStatus(hand["status"])] if is_there else "")
        rows.append(
            (
                ">" if is_due and i == game["hand"] else "",
                f"seat_{place}" if i == 0 else "",
                f"{net:+d}" if i == 0 else "",
                str(hand["stake"]) if is_there and hand["stake"] else "",
                str(hand["bet"]) if is_there and hand["bet"] else "",
                " ".join(names),
                str(totals[i]) if totals[i] else "",
                " ".join(word for word in words if word),
            )
        )
    return rows


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines with aligned columns, without those that are empty."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows[1:], strict=True)]
    widths = [
        max(width, len(head)) if width else 0 for width, head in zip(widths, rows[0], strict=True)
    ]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if is_number else cell.ljust(width)
            for cell, width, is_number in zip(row, widths, _IS_NUMBER, strict=True)
            if width
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def _events_in_words(game: np.void) -> list[str]:
    """Return what has happened since the decision before; cards dealt face down are not named."""
    words: list[str] = []
    dealt_down: list[str] = []
    for event, seat, _, card in game["events"][: game["n_events"]].tolist():
        if event == Event.CARD_DOWN:
            dealt_down.append(f"seat_{seat}")
            continue
        if dealt_down:
            words.append(f"a card face down to {', '.join(dealt_down)}")
            dealt_down = []
        words.append(_event_in_words(Event(event), seat, card))
    if dealt_down:
        words.append(f"a card face down to {', '.join(dealt_down)}")
    return words


def _event_in_words(event: Event, seat: int, card: int) -> str:
    """Return an event that everybody saw."""
    if event == Event.CARD_UP:
        return f"{card_name(card)} to seat_{seat}"
    if event == Event.BANK:
        return f"seat_{seat} takes the bank {_REASONS[BankReason(card)]}"
    return {
        Event.DEAL: f"seat_{seat} deals",
        Event.DECLARE: f"seat_{seat} shows a pontoon",
        Event.BUST: f"seat_{seat} is bust",
        Event.SETTLE: "the deal is settled",
        Event.SHUFFLE: "the pack is shuffled",
    }.get(event, "the session ends")


def _what_is_due(game: np.void) -> str:
    """Return who is asked for what."""
    phase = Phase(int(game["phase"]))
    if phase == Phase.OVER:
        return "The session is over."
    due = f"seat_{game['seat']} is to {ASKED_TO[phase]}."
    if phase == Phase.SALE:
        return f"The bank is offered for {game['price']} chips. {due}"
    return due
