"""The page docs/observation.md, made from the code: ``python -m pontoon_env.observation_page``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from pontoon_env.actions import DISCRETE_ACTIONS
from pontoon_env.observation import Slice, hand_slots, layout, observation_size
from pontoon_env.rules import Rules
from pontoon_env.state import N_AMOUNT_MOVES, Move

_EXAMPLE: Final = Rules.pontoon()

_HEAD: Final = """# Observation and actions

<!-- Made by `python -m pontoon_env.observation_page`; edit that instead. -->

The observation of a seat is a flat float32 vector. It holds what the rulebook lets that seat know
at the moment (P26, P27), the bids of an auction excepted, and nothing else: own cards as counts
and totals, and of every seat and hand what lies open on the table. Everything is scaled to about
one; money is in largest stakes (`max_stake`). Seats stand in relative order: `seat_0` is the
observer, `seat_1` the next clockwise. Places of hands that a seat does not hold are zero. The
banker's own cards are zero until the banker may look at them (P11, P13).

Its length depends on the number of seats and on how many hands the rules allow a seat
(`max_hands`, one where `split` is `none`):
"""

_MEMORY: Final = """
## Memory

What a perfect memory knows since the last shuffle (P27, P31) stands behind the observation where it
is asked for: `layout(rules, memory=True)`. The bust hands are shown, and the live ones at
settlement; so the cards under the pack are known, each in its place where `under_pack` is `order`,
and with them, in sum, the fresh cards above them and the hidden ones. Cards dealt after the last
fresh one are known too, in whosever hand. With an infinite pack all of it is 0; a shuffle that is
due counts as made.

| seats | memory, added to the length |
|---|---|
"""

_ACTIONS: Final = """
## Moves and amounts

The hybrid encoding is `Dict(move=Discrete(15), amount=Box(0, 1))`. The first six moves take an
amount `a`, a fraction of the legal interval: `low + floor(a * (high - low) + 0.5)` chips, in
float64.

| number | move | takes an amount |
|---|---|---|
"""

_DISCRETE: Final = """
## The discrete encoding

An action is a move at a fixed fraction of its legal interval, or a move without an amount.

| number | action |
|---|---|
"""


def observation_page() -> str:
    """Return the page as Markdown."""
    slices = layout(_EXAMPLE)
    table = [part for part in slices if "." not in part.name]
    own = [part for part in slices if part.name.startswith("own_hand_0.")]
    seat = [
        part for part in slices if part.name.startswith("seat_0.") and ".hand_" not in part.name
    ]
    hand = [part for part in slices if part.name.startswith("seat_0.hand_0.")]
    seat_size = len(seat) + hand_slots(_EXAMPLE) * len(hand)
    lines = [_HEAD, "| seats | length, four hands | length, one hand |", "|---|---|---|"]
    for seats in range(2, 9):
        four = observation_size(Rules.pontoon(seats=seats))
        one = observation_size(Rules.pontoon(seats=seats, split="none"))
        lines.append(f"| {seats} | {four} | {one} |")
    lines.append(
        f"\nThe tables give the places under the default rules ({_EXAMPLE.seats} seats).\n"
    )
    lines += ["## The table", "", *_rows(table)]
    lines += ["", f"## Own hand `h`: add `{len(own)} * h`", "", *_rows(own)]
    lines += ["", f"## Seat `s`: add `{seat_size} * s`", "", *_rows(seat)]
    lines += [
        "",
        f"## Hand `h` of seat `s`: add `{seat_size} * s + {len(hand)} * h`",
        "",
        *_rows(hand),
    ]
    lines.append(_MEMORY.rstrip())
    for seats in range(2, 9):
        plain = Rules.pontoon(seats=seats)
        added = observation_size(plain, memory=True) - observation_size(plain)
        lines.append(f"| {seats} | {added} |")
    memory = layout(_EXAMPLE, memory=True)[len(slices) :]
    pack = [part for part in memory if ".seat_" not in part.name]
    seat = [part for part in memory if part.name.startswith("memory.seat_0.")]
    lines += ["", "The pack, under the default rules:", "", *_rows(pack, with_least=True)]
    lines += ["", f"Seat `s`: add `{len(seat)} * s`", "", *_rows(seat)]
    lines.append(_ACTIONS.rstrip())
    lines += [
        f"| {m.value} | {m.name.lower()} | {'yes' if m < N_AMOUNT_MOVES else ''} |" for m in Move
    ]
    lines.append(_DISCRETE.rstrip())
    lines += [f"| {number} | {action} |" for number, action in enumerate(DISCRETE_ACTIONS)]
    return "\n".join(lines) + "\n"


def _rows(slices: Sequence[Slice], with_least: bool = False) -> list[str]:
    """Return a table of slices, with the least values of their elements where not all are 0."""
    rows = ["| place | name | largest | meaning |", "|---|---|---|---|"]
    if with_least:
        rows = ["| place | name | least | largest | meaning |", "|---|---|---|---|---|"]
    for part in slices:
        place = (
            str(part.start) if part.stop == part.start + 1 else f"{part.start} to {part.stop - 1}"
        )
        name = (
            part.name.replace("own_hand_0.", "")
            .replace("memory.", "")
            .replace("seat_0.hand_0.", "")
            .replace("seat_0.", "")
        )
        high = f"{part.high:.3g}" if part.high < 1e6 else "unbounded"
        least = f" {part.low:.3g} |" if with_least else ""
        rows.append(f"| {place} | {name} |{least} {high} | {part.meaning} |")
    return rows


if __name__ == "__main__":
    sys.stdout.write(observation_page())
