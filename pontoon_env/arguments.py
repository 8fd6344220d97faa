"""What callers hand over beside actions, checked: seeds, options, numbers, cards on the pack."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeGuard

import numpy as np

from pontoon_env.cards import N_CARDS, card_name, parse_card
from pontoon_env.history import pack_in_order, stack_pack
from pontoon_env.rules import Rules
from pontoon_env.state import MAX_PACK_CARDS

MAX_SEED: Final = 2**64 - 1


def check_seed(seed: int) -> int:
    """Return ``seed``.

    Raises:
        ValueError: It is no whole number of [0, 2**64).
    """
    if not is_whole(seed, MAX_SEED):
        raise ValueError(f"seed={seed!r} is not a whole number from 0 to 2**64 - 1")
    return int(seed)


def check_options(options: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return the options of a reset, an empty mapping for None.

    Raises:
        TypeError: They are no mapping.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise TypeError(f"options={options!r} are no mapping")
    return options


def is_whole(value: object, largest: int) -> TypeGuard[int]:
    """Tell whether ``value`` is a whole number of [0, ``largest``]; True and False are none."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        return False
    return bool(0 <= value <= largest)


def is_nonnegative(value: object) -> TypeGuard[float]:
    """Tell whether ``value`` is a number of [0, inf) that a float can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    return bool(0 <= value <= sys.float_info.max)


def card_numbers(cards: Iterable[int | str]) -> list[int]:
    """Return the numbers of cards that a caller gives by name or number.

    Raises:
        ValueError: They are no list of cards, or one of them is none.
    """
    is_one = isinstance(cards, str | Mapping)  # whose letters, or keys, are no cards
    try:
        listed = list(cards)
    except TypeError:
        is_one = True
    if is_one:
        raise ValueError(f"pack={cards!r} is no list of cards, such as ['As', 'Kd']")
    numbers = []
    for card in listed:
        if isinstance(card, str):
            numbers.append(parse_card(card))
        elif is_whole(card, N_CARDS - 1):
            numbers.append(int(card))
        else:
            raise ValueError(
                f"pack: {card!r} is no card: a name such as 'As', or a number from 0 to 51"
            )
    return numbers


def stack_top(game: np.void, cards: Iterable[int | str], rules: Rules) -> None:
    """Put ``cards`` on top of a game's pack, the next one first; the others keep their order.

    Args:
        game: A game that has begun; changed in place.
        cards: Numbers or names of cards. On an infinite pack they come first, and any of the 52
            after them.
        rules: The rules of the game.

    Raises:
        ValueError: A card is none, or stands there more often than the packs hold it; the game has
            not changed.
    """
    numbers = card_numbers(cards)
    if rules.packs == "infinite":
        if len(numbers) > MAX_PACK_CARDS:
            raise ValueError(
                f"pack: {len(numbers)} cards are more than the {MAX_PACK_CARDS} that can be stacked"
            )
        stack_pack(game, numbers)
        return
    others = pack_in_order(game).tolist()
    for number in numbers:
        if number not in others:
            raise ValueError(
                f"pack: {card_name(number)} is there more often than the game's packs hold it"
            )
        others.remove(number)
    stack_pack(game, [*numbers, *others])
