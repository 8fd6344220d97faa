"""The page docs/observation.md, made from the code: ``python -m pontoon_env.observation_page``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from string import Template
from typing import Final

from pontoon_env.actions import DISCRETE_ACTIONS, N_SCORES
from pontoon_env.information import N_COLUMNS, n_rows
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
is asked for, by `memory=True`. The bust hands are shown, and the live ones at settlement; so the
cards under the pack are known, each in its place where `under_pack` is `order`, and with them, in
sum, the fresh cards above them and the hidden ones. Cards dealt after the last fresh one are known
too, in whosever hand. With an infinite pack all of it is 0; a shuffle that is due counts as made.

| seats | memory, added to the length |
|---|---|
"""

_PADDED: Final = """
## One layout for all tables

With `padded=True` every table is laid out as one of eight seats and four hands: $size elements, and
$size_with_memory with memory. Seats and hands that are not there are zero; seats keep their
relative order, so that those of a table of six are `seat_0` to `seat_5`. Every face takes both
options, `memory` and `padded`; so do `layout`, `observation_size` and `observation_space`.

## Information state

The observation forgets. All that a seat has seen of a session, in order, is its information state:
`env.information_state_string(agent)` and `env.information_state_tensor(agent)` of the AEC
environment, made with `information_state=True`. Two courses of play have the same one where the
seat cannot tell them apart (P24, P26, P27), and only there.

The tensor is float64: a row for each sight, $n_columns columns (what, seat, hand, card, chips;
`pontoon_env.information` names them), zero after the last one. Amounts are in chips, not scaled. It
has as many rows as the rules allow sights. So it is meant for sessions of one deal ($rows_exact
rows with `Rules.two_seat_exact()`, $rows_single with `Rules.single_deal()`) and long for others
($rows_default with the defaults).
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

_BOX: Final = """
## The box encoding

For algorithms that know `Box` alone: `Box(0, 1, ($n_scores,), float32)`, a score for each move and,
last, the amount as a fraction. The legal move of the highest score is made, the first of several;
no action is illegal. It is harder to learn than the others, whose masks say what is legal.
Stable-Baselines3 would like bounds of -1 and 1: `gymnasium.wrappers.RescaleAction` gives it those.

## From one encoding to another

`pontoon_env.actions` has the maps: `hybrid_of_discrete(action)`, `box_of_hybrid(action, low, high)`
and `hybrid_of_box(scores, mask)`, with `low` and `high` the chips that `info["chips_low"]` and
`info["chips_high"]` give for the move. Mapped actions lead to the same course, chip by chip; only
bets on a kitty of more than 16 million chips are beyond float32.

## Rewards for learners

Returns can be large: a deal can win or lose more than 100 least stakes. For one learner Gymnasium's
own wrappers scale and clip them:

```python
import gymnasium
from gymnasium.wrappers import TransformReward

env = gymnasium.make("pontoon_env:Pontoon-v0")
env = TransformReward(env, lambda reward: max(-1.0, min(1.0, reward / 10)))
```

`gymnasium.wrappers.vector` has the same for a batch. For PettingZoo there is
`pontoon_env.scaled_rewards.ScaledRewards(env, scale, clip)`. Results are measured without them.
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
    lines.append(Template(_PADDED).substitute(_numbers()).rstrip())
    lines.append(_ACTIONS.rstrip())
    lines += [
        f"| {m.value} | {m.name.lower()} | {'yes' if m < N_AMOUNT_MOVES else ''} |" for m in Move
    ]
    lines.append(_DISCRETE.rstrip())
    lines += [f"| {number} | {action} |" for number, action in enumerate(DISCRETE_ACTIONS)]
    lines.append(Template(_BOX).substitute(_numbers()).rstrip())
    return "\n".join(lines) + "\n"


def _numbers() -> dict[str, str]:
    """Return the numbers that stand in the text."""
    numbers = {
        "size": observation_size(_EXAMPLE, padded=True),
        "size_with_memory": observation_size(_EXAMPLE, memory=True, padded=True),
        "n_columns": N_COLUMNS,
        "rows_exact": n_rows(Rules.two_seat_exact()),
        "rows_single": n_rows(Rules.single_deal()),
        "rows_default": n_rows(_EXAMPLE),
        "n_scores": N_SCORES,
    }
    return {name: f"{number:,}" for name, number in numbers.items()}


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
