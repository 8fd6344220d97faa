"""The rules of a table: every variation of the rulebook a field, checked when they are made."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypedDict, cast, overload

import numpy as np
from numpy.typing import NDArray

MAX_CHIPS: Final = 1_000_000
"""Largest limit of an initial stake, of a kitty or of a price of the bank, in chips."""
MAX_DEALS: Final = 1_000_000
"""Most deals of a session."""

_BANKER_TOTALS: Final = range(15, 22)
_BANKER_RULES: Final = (
    "free",
    *(f"stick{n}{soft}" for n in _BANKER_TOTALS for soft in ("", "soft")),
)


class SplitRule(IntEnum):
    """Which pairs may be split (P16)."""

    ANY = 0
    ACES = 1
    NONE = 2


class SplitPontoon(IntEnum):
    """What an ace and a ten-valued card are on a split hand (P19)."""

    DOUBLE = 0
    ONCE = 1
    PLAIN = 2


class BankPasses(IntEnum):
    """How the bank passes between deals (P33)."""

    NATURAL = 0
    ROTATION = 1
    NEVER = 2


class Shuffle(IntEnum):
    """When the pack is shuffled between deals (P32)."""

    PONTOON = 0
    EVERY = 1
    NEVER = 2


RULES: Final = np.dtype(
    [
        ("seats", np.int64),
        ("deals", np.int64),
        ("packs", np.int64),
        ("min_stake", np.int64),
        ("max_stake", np.int64),
        ("max_price", np.int64),
        ("shoot", np.int64),
        ("min_kitty", np.int64),
        ("max_kitty", np.int64),
        ("split", np.int64),
        ("max_hands", np.int64),
        ("split_aces_one_card", np.int64),
        ("split_pontoon", np.int64),
        ("stick_min", np.int64),
        ("soft21_draws", np.int64),
        ("banker_doubles", np.int64),
        ("pontoon_pays", np.int64),
        ("banker_pontoon_collects", np.int64),
        ("both_pontoon", np.int64),
        ("trick_pays_halves", np.int64),
        ("banker_trick_collects", np.int64),
        ("trick_beats_pontoon", np.int64),
        ("no_certain_fifth", np.int64),
        ("royal", np.int64),
        ("burn_total", np.int64),
        ("burn_repeat", np.int64),
        ("push", np.int64),
        ("bank_passes", np.int64),
        ("bank_refusable", np.int64),
        ("bank_sale", np.int64),
        ("shuffle", np.int64),
        ("random_under_pack", np.int64),
        ("banker_sticks_on", np.int64),
        ("banker_draws_soft", np.int64),
    ]
)
"""The rules as kernels read them: numbers only, nothing left to be derived."""


class RulesRecord(TypedDict):
    """The fields of `RULES`, for type checkers: as in `Rules`, with the differences noted."""

    seats: int
    deals: int
    packs: int
    """0 for an infinite pack."""
    min_stake: int
    max_stake: int
    max_price: int
    shoot: int
    min_kitty: int
    max_kitty: int
    split: int
    """A `SplitRule`."""
    max_hands: int
    split_aces_one_card: int
    split_pontoon: int
    """A `SplitPontoon`."""
    stick_min: int
    soft21_draws: int
    banker_doubles: int
    pontoon_pays: int
    banker_pontoon_collects: int
    both_pontoon: int
    trick_pays_halves: int
    """Twice ``trick_pays``, so that one and a half is whole."""
    banker_trick_collects: int
    trick_beats_pontoon: int
    no_certain_fifth: int
    royal: int
    burn_total: int
    """0 where nothing may be burnt."""
    burn_repeat: int
    push: int
    """1 for ``ties=push``."""
    bank_passes: int
    """A `BankPasses`."""
    bank_refusable: int
    bank_sale: int
    shuffle: int
    """A `Shuffle`."""
    random_under_pack: int
    """1 for ``under_pack=random``."""
    banker_sticks_on: int
    """N of ``banker_rule``; 0 where the banker is free."""
    banker_draws_soft: int
    """1 for a banker rule that draws on a soft N."""


if TYPE_CHECKING:

    class _ShootField(Protocol):
        """What `shoot` is to type checkers: a preset on the class, a flag on rules."""

        @overload
        def __get__(self, instance: None, owner: type[Rules]) -> Callable[..., Rules]: ...
        @overload
        def __get__(self, instance: Rules, owner: type[Rules]) -> bool: ...
        def __set__(self, instance: Rules, value: bool) -> None: ...


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The rules of a table. The defaults are the game of the rulebook; money is in whole chips.

    Raises:
        TypeError: A field has a value of the wrong type.
        ValueError: A value is out of its range, or two fields clash; the message names them.
    """

    seats: int = 6
    """Seats, the banker's included, 2 to 8 (P1)."""
    deals: int = 20
    """Deals of a session (P5)."""
    packs: int | Literal["infinite"] = 1
    """Packs of 52: 1, 2 or ``"infinite"`` (P1)."""
    min_stake: int = 100
    """Least initial stake, in chips (P3)."""
    max_stake: int = 1000
    """Largest initial stake, in chips (P3)."""
    max_price: int | None = None
    """Highest price of the bank, in chips (P34, S10); ten times ``max_stake`` where None."""
    if TYPE_CHECKING:
        shoot: _ShootField = cast("_ShootField", False)
    else:
        shoot: bool = False
    """Whether this is Shoot Pontoon (section 2). On the class, `Rules.shoot` is the preset."""
    min_kitty: int | None = None
    """Smallest kitty to form, in chips (S1); ``min_stake`` where None."""
    max_kitty: int | None = None
    """Largest kitty to form, in chips (S1); ``max_stake`` where None."""
    split: Literal["any", "aces", "none"] = "any"
    """Which pairs may be split (P16)."""
    max_hands: int = 4
    """Most hands that one hand may be split into, 1 to 4 (P17)."""
    split_aces_one_card: bool = False
    """Whether each half of split aces closes on its two cards (P18)."""
    split_pontoon: Literal["double", "once", "plain"] = "double"
    """Whether a pontoon on a split hand is paid as one, is paid once, or is a plain 21 (P19)."""
    stick_min: int = 15
    """Least total that a player may stick on: 15 or 16 (P22)."""
    soft21_draws: bool = True
    """Whether a soft 21 of three or four cards may draw on (P24)."""
    banker_doubles: bool = False
    """Whether the banker may double the stakes after a look at the first card."""
    pontoon_pays: int = 2
    """Stakes that a player's pontoon wins: 1, 2 or 3 (P15, P30)."""
    banker_pontoon_collects: int = 2
    """Stakes that the banker's pontoon wins: 1 or 2 (P14)."""
    both_pontoon: int | None = None
    """Stakes that a player's pontoon wins against the banker's: a loss of at most
    ``banker_pontoon_collects``, or 0; that loss where None (P14)."""
    trick_pays: float = 2
    """Stakes that a player's five-card trick wins: 1, 1.5 or 2 (P30)."""
    banker_trick_collects: int = 2
    """Stakes that the banker's five-card trick wins: 1 or 2 (P30)."""
    trick_beats_pontoon: bool = False
    """Whether the banker's five-card trick beats a player's pontoon."""
    no_certain_fifth: bool = False
    """Whether a fifth card that cannot bust may not be bought, only twisted."""
    royal: bool = False
    """Whether a player's 7-7-7 beats everything and is paid three times."""
    burn: Literal["none", "13", "14"] = "none"
    """The two-card total that may be exchanged for two new cards."""
    burn_repeat: int = 0
    """How many more times it may be, 0 to 3."""
    ties: Literal["banker", "push"] = "banker"
    """Who wins equal ranks (P7)."""
    bank_passes: Literal["natural", "rotation", "never"] = "natural"
    """How the bank passes (P33)."""
    bank_refusable: bool = False
    """Whether the holder of a natural may refuse the bank (P33)."""
    bank_sale: bool = True
    """Whether the bank may be sold between deals (P34)."""
    shuffle: Literal["pontoon", "every", "never"] = "pontoon"
    """When the pack is shuffled between deals (P32)."""
    under_pack: Literal["order", "random"] = "order"
    """The order in which the cards gathered at settlement go under the pack (P31)."""
    banker_rule: str = "free"
    """``free``, or the rule that the banker plays by: ``stickN`` or ``stickNsoft``, N 15 to 21."""

    def __post_init__(self) -> None:
        """Check every field, then the fields beside one another."""
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.generic):  # numpy's numbers are none to JSON
                object.__setattr__(self, field.name, value.item())
        _check_ranges(self)
        _check_clashes(self)

    @classmethod
    def pontoon(cls, **fields: Any) -> Rules:
        """Return the rules of Pontoon: the defaults, with ``fields`` changed."""
        return cls.from_dict(fields)

    @classmethod
    def single_deal(cls, **fields: Any) -> Rules:
        """Return the rules of one deal from a fresh pack: the small, stationary task."""
        return cls.from_dict({"deals": 1, "bank_passes": "never", "bank_sale": False, **fields})

    @classmethod
    def two_seat_exact(cls, **fields: Any) -> Rules:
        """Return the rules of the two-seat game that is small enough to be solved exactly."""
        exact = {
            "seats": 2,
            "deals": 1,
            "packs": "infinite",
            "split": "none",
            "min_stake": 1,
            "max_stake": 10,
            "bank_passes": "never",
            "bank_sale": False,
        }
        return cls.from_dict({**exact, **fields})

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Rules:
        """Return the rules with ``fields``, the others at their defaults.

        Raises:
            TypeError: A value has the wrong type.
            ValueError: A field is unknown, out of range or clashes with another.
        """
        known = [field.name for field in dataclasses.fields(cls)]
        for name in fields:
            if name not in known:
                raise ValueError(f"rules have no field {name!r}; the fields are {', '.join(known)}")
        return cls(**fields)

    def to_dict(self) -> dict[str, Any]:
        """Return every field by name, as JSON can hold it."""
        return dataclasses.asdict(self)

    def to_record(self) -> NDArray[np.void]:
        """Return the rules as kernels read them: an array of one `RULES` record."""
        return _record_of(self).copy()


@functools.cache
def _record_of(rules: Rules) -> NDArray[np.void]:
    """Return the rules as kernels read them; nobody writes into it."""
    banker_sticks_on = (
        0
        if rules.banker_rule == "free"
        else int(rules.banker_rule.removeprefix("stick").removesuffix("soft"))
    )
    values = {
        **rules.to_dict(),
        "packs": 0 if rules.packs == "infinite" else rules.packs,
        "max_price": 10 * rules.max_stake if rules.max_price is None else rules.max_price,
        "min_kitty": rules.min_stake if rules.min_kitty is None else rules.min_kitty,
        "max_kitty": rules.max_stake if rules.max_kitty is None else rules.max_kitty,
        "split": SplitRule[rules.split.upper()],
        "split_pontoon": SplitPontoon[rules.split_pontoon.upper()],
        "both_pontoon": -rules.banker_pontoon_collects
        if rules.both_pontoon is None
        else rules.both_pontoon,
        "trick_pays_halves": round(2 * rules.trick_pays),
        "burn_total": 0 if rules.burn == "none" else int(rules.burn),
        "push": rules.ties == "push",
        "bank_passes": BankPasses[rules.bank_passes.upper()],
        "shuffle": Shuffle[rules.shuffle.upper()],
        "random_under_pack": rules.under_pack == "random",
        "banker_sticks_on": banker_sticks_on,
        "banker_draws_soft": rules.banker_rule.endswith("soft"),
    }
    record = np.zeros(1, RULES)
    for name in RULES.names or ():
        record[name] = values[name]
    return record


def _shoot(cls: type[Rules], /, **fields: Any) -> Rules:
    """Return the rules of Shoot Pontoon, with ``fields`` changed."""
    return cls.from_dict({"shoot": True, **fields})


# The field and the preset share a name: the dataclass has read the field's default by now, rules
# hold the flag themselves, and the class is left with the preset.
type.__setattr__(Rules, "shoot", classmethod(_shoot))


PRESETS: Final[dict[str, Callable[..., Rules]]] = {
    "pontoon": Rules.pontoon,
    "shoot": Rules.shoot,
    "single_deal": Rules.single_deal,
    "two_seat_exact": Rules.two_seat_exact,
}
"""The presets by name; each takes fields to change."""


def _refuse(field: str, value: object, allowed: str) -> ValueError:
    """Return the error of a value out of range."""
    return ValueError(f"rules: {field}={value!r} is out of range; it may be {allowed}")


def _check_whole(rules: Rules, field: str, low: int, high: int) -> None:
    """Refuse a field that is not a whole number of [low, high]."""
    value = getattr(rules, field)
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"rules: {field}={value!r} must be a whole number from {low} to {high}")
    if not low <= value <= high:
        raise _refuse(field, value, f"{low} to {high}")


def _check_choice(rules: Rules, field: str, choices: tuple[object, ...]) -> None:
    """Refuse a field that is none of the choices, type and all: ``True`` and 1.0 are not 1."""
    value = getattr(rules, field)
    if not any(type(value) is type(choice) and value == choice for choice in choices):
        raise _refuse(field, value, "one of " + ", ".join(repr(choice) for choice in choices))


def _check_ranges(rules: Rules) -> None:
    """Refuse any field that is out of its range by itself."""
    for field in dataclasses.fields(rules):
        if field.type == "bool" and not isinstance(getattr(rules, field.name), bool):
            raise TypeError(
                f"rules: {field.name}={getattr(rules, field.name)!r} must be true or false"
            )
    for name, low, high in (
        ("seats", 2, 8),
        ("deals", 1, MAX_DEALS),
        ("max_stake", 1, MAX_CHIPS),
        ("min_stake", 1, MAX_CHIPS),
        ("max_hands", 1, 4),
        ("stick_min", 15, 16),
        ("pontoon_pays", 1, 3),
        ("banker_pontoon_collects", 1, 2),
        ("banker_trick_collects", 1, 2),
        ("burn_repeat", 0, 3),
    ):
        _check_whole(rules, name, low, high)
    if rules.min_stake > rules.max_stake:
        raise ValueError(f"rules: min_stake={rules.min_stake} is above max_stake={rules.max_stake}")
    for name, high in (
        ("max_price", 10 * MAX_CHIPS),
        ("min_kitty", MAX_CHIPS),
        ("max_kitty", MAX_CHIPS),
    ):
        if getattr(rules, name) is not None:
            _check_whole(rules, name, 1, high)
    if rules.both_pontoon is not None:
        _check_whole(rules, "both_pontoon", -rules.banker_pontoon_collects, 0)
    choices: tuple[tuple[str, tuple[object, ...]], ...] = (
        ("packs", (1, 2, "infinite")),
        ("split", ("any", "aces", "none")),
        ("split_pontoon", ("double", "once", "plain")),
        ("trick_pays", (1, 1.5, 2, 1.0, 2.0)),
        ("burn", ("none", "13", "14")),
        ("ties", ("banker", "push")),
        ("bank_passes", ("natural", "rotation", "never")),
        ("shuffle", ("pontoon", "every", "never")),
        ("under_pack", ("order", "random")),
        ("banker_rule", _BANKER_RULES),
    )
    for name, values in choices:
        _check_choice(rules, name, values)


def _check_clashes(rules: Rules) -> None:
    """Refuse fields that clash, or that have no effect beside another, by both names.

    A session of one deal is no reason to refuse: what lies between deals is let stand.
    """
    has_auction = rules.shoot and rules.bank_passes != "rotation"
    no_splits = rules.split == "none" or rules.max_hands == 1
    no_splits_because = "split='none'" if rules.split == "none" else "max_hands=1"
    infinite = rules.packs == "infinite"
    clashes = (
        (
            rules.bank_passes == "rotation" and rules.bank_sale,
            "bank_passes='rotation' asks for bank_sale=false: a bank that rotates is not sold",
        ),
        (
            rules.bank_refusable and rules.bank_passes != "natural",
            f"bank_refusable=true has no effect beside bank_passes={rules.bank_passes!r}",
        ),
        (
            rules.burn_repeat > 0 and rules.burn == "none",
            "burn_repeat has no effect beside burn='none'",
        ),
        (
            rules.min_kitty is not None and not rules.shoot,
            "min_kitty has no effect beside shoot=false: there is no kitty",
        ),
        (
            rules.max_kitty is not None and not rules.shoot,
            "max_kitty has no effect beside shoot=false: there is no kitty",
        ),
        (
            rules.max_price is not None and not rules.bank_sale and not has_auction,
            "max_price has no effect beside bank_sale=false where there is no auction either",
        ),
        (
            rules.max_hands != Rules.max_hands and rules.split == "none",
            "max_hands has no effect beside split='none'",
        ),
        (
            rules.split == "aces" and rules.max_hands == 1,
            "split='aces' has no effect beside max_hands=1",
        ),
        (
            rules.split == "aces" and rules.split_aces_one_card and rules.max_hands in (2, 3),
            f"max_hands={rules.max_hands} has no effect beside split='aces' and "
            "split_aces_one_card=true: such halves are not split again",
        ),
        (
            rules.split_pontoon == "once" and rules.pontoon_pays == 1,
            "split_pontoon='once' has no effect beside pontoon_pays=1",
        ),
        (
            rules.split_aces_one_card and no_splits,
            f"split_aces_one_card=true has no effect beside {no_splits_because}",
        ),
        (
            rules.split_pontoon != "double" and no_splits,
            f"split_pontoon={rules.split_pontoon!r} has no effect beside {no_splits_because}",
        ),
        (
            rules.shuffle != "pontoon" and infinite,
            f"shuffle={rules.shuffle!r} has no effect beside packs='infinite'",
        ),
        (
            rules.under_pack != "order" and infinite,
            f"under_pack={rules.under_pack!r} has no effect beside packs='infinite'",
        ),
        (
            rules.under_pack != "order" and rules.shuffle == "every",
            f"under_pack={rules.under_pack!r} has no effect beside shuffle='every'",
        ),
    )
    for clash, reason in clashes:
        if clash:
            raise ValueError(f"rules clash: {reason}")
    least, most = rules.min_kitty or rules.min_stake, rules.max_kitty or rules.max_stake
    if rules.shoot and least > most:
        raise ValueError(f"rules clash: min_kitty={least} is above max_kitty={most}")


def rules_from_pairs(preset: Callable[..., Rules], pairs: Sequence[str], **fields: Any) -> Rules:
    """Return a preset with fields changed, as ``FIELD=VALUE`` gives them on a command line.

    Args:
        preset: Such as `Rules.pontoon`.
        pairs: ``FIELD=VALUE``, the values as in JSON or bare words: ``bank_sale=false
            split=aces``.
        **fields: Further fields; a pair of the same name goes before.

    Raises:
        TypeError: A value has the wrong type.
        ValueError: A pair has no ``=``, stands twice, or the rules are refused.
    """
    changed: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise ValueError(f"{pair!r} is no FIELD=VALUE, as in split=aces")
        if name in changed:
            raise ValueError(f"{name} is given twice")
        changed[name] = _value_of(name, text)
    return preset(**{**fields, **changed})


def _value_of(name: str, text: str) -> Any:
    """Return a value as JSON reads it; a bare word, and the total of ``burn``, stays text."""
    if name == "burn":
        return text.strip('"')
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
