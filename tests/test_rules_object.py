"""`Rules`: defaults, presets, and every refusal."""

from __future__ import annotations

import dataclasses
import json
import pickle
import random
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from pontoon_env.rules import Rules, rules_from_pairs
from tests.naive import DEFAULT_RULES, random_rules

RANGES: list[tuple[str, Any]] = [
    ("seats", 1),
    ("seats", 9),
    ("deals", 0),
    ("packs", 3),
    ("packs", "many"),
    ("packs", 1.0),
    ("packs", True),
    ("packs", Decimal(2)),
    ("trick_pays", Fraction(3, 2)),
    ("split", ["any"]),
    ("min_stake", 0),
    ("max_stake", 1_000_001),
    ("max_price", 0),
    ("min_kitty", 0),
    ("max_kitty", 0),
    ("split", "kings"),
    ("max_hands", 5),
    ("max_hands", 0),
    ("split_pontoon", "triple"),
    ("stick_min", 14),
    ("stick_min", 17),
    ("pontoon_pays", 4),
    ("banker_pontoon_collects", 3),
    ("both_pontoon", 1),
    ("both_pontoon", -3),
    ("trick_pays", 1.25),
    ("banker_trick_collects", 0),
    ("burn", "15"),
    ("burn", 13),
    ("burn_repeat", 4),
    ("ties", "player"),
    ("bank_passes", "always"),
    ("shuffle", "often"),
    ("under_pack", "sorted"),
    ("banker_rule", "stick14"),
    ("banker_rule", "stick22"),
    ("banker_rule", "stick17hard"),
]

CLASHES: list[tuple[dict[str, Any], str, str]] = [
    ({"bank_passes": "rotation"}, "bank_passes", "bank_sale"),
    ({"bank_passes": "never", "bank_refusable": True}, "bank_refusable", "bank_passes"),
    ({"burn_repeat": 1}, "burn_repeat", "burn"),
    ({"min_kitty": 5}, "min_kitty", "shoot"),
    ({"max_kitty": 5}, "max_kitty", "shoot"),
    ({"shoot": True, "min_kitty": 9, "max_kitty": 5}, "min_kitty", "max_kitty"),
    ({"shoot": True, "max_kitty": 50}, "min_kitty", "max_kitty"),
    ({"max_price": 5, "bank_sale": False}, "max_price", "bank_sale"),
    ({"split": "none", "max_hands": 2}, "max_hands", "split"),
    ({"split": "aces", "max_hands": 1}, "split", "max_hands"),
    ({"split": "none", "split_aces_one_card": True}, "split_aces_one_card", "split"),
    ({"max_hands": 1, "split_pontoon": "once"}, "split_pontoon", "max_hands"),
    ({"packs": "infinite", "shuffle": "every"}, "shuffle", "packs"),
    ({"packs": "infinite", "under_pack": "random"}, "under_pack", "packs"),
    ({"shuffle": "every", "under_pack": "random"}, "under_pack", "shuffle"),
    ({"min_stake": 200, "max_stake": 100}, "min_stake", "max_stake"),
    ({"split": "aces", "split_aces_one_card": True, "max_hands": 3}, "max_hands", "split"),
    ({"split_pontoon": "once", "pontoon_pays": 1}, "split_pontoon", "pontoon_pays"),
]

TYPES: list[tuple[str, Any]] = [
    ("seats", 6.0),
    ("seats", "6"),
    ("seats", True),
    ("deals", None),
    ("shoot", 1),
    ("soft21_draws", "false"),
    ("min_stake", 99.5),
]


@pytest.mark.parametrize(("field", "value"), RANGES)
def test_a_value_out_of_range_is_refused_by_name(field: str, value: Any) -> None:
    """Section 3: the error names the field, the value and what it may be."""
    with pytest.raises((ValueError, TypeError), match=field) as error:
        Rules(**{field: value})
    assert repr(value) in str(error.value)


@pytest.mark.parametrize(("field", "value"), TYPES)
def test_a_value_of_another_type_is_refused_by_name(field: str, value: Any) -> None:
    """True is no number, 6.0 is no whole number, and 1 is not true."""
    with pytest.raises(TypeError, match=field):
        Rules(**{field: value})


@pytest.mark.parametrize(("fields", "one", "other"), CLASHES)
def test_fields_that_clash_are_refused_by_both_names(
    fields: dict[str, Any], one: str, other: str
) -> None:
    """Section 3, last paragraph."""
    with pytest.raises(ValueError, match=one) as error:
        Rules(**fields)
    assert other in str(error.value)


def test_an_unknown_field_is_refused_with_those_there_are() -> None:
    """A misspelt field is not ignored."""
    with pytest.raises(ValueError, match=r"no field 'splits'.*split_aces_one_card"):
        Rules.from_dict({"splits": "any"})


def test_the_defaults_are_those_of_the_rulebook() -> None:
    """Section 3, first values; the referee's defaults were read from the same table."""
    assert Rules().to_dict() == DEFAULT_RULES


def test_presets() -> None:
    """Section 3, last line."""
    assert Rules.pontoon() == Rules()
    assert Rules.shoot(seats=3) == Rules(shoot=True, seats=3)
    single = Rules.single_deal()
    assert (single.deals, single.bank_passes, single.bank_sale) == (1, "never", False)
    exact = Rules.two_seat_exact()
    assert (exact.seats, exact.packs, exact.split) == (2, "infinite", "none")
    assert (exact.min_stake, exact.max_stake) == (1, 10)


def test_rules_are_frozen_hashable_and_survive_json_and_pickle() -> None:
    """Settings are values."""
    for seed in range(50):
        rules = Rules.from_dict(random_rules(random.Random(seed)))
        assert Rules.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules
        assert pickle.loads(pickle.dumps(rules)) == rules
        assert len({rules, dataclasses.replace(rules)}) == 1
        with pytest.raises(dataclasses.FrozenInstanceError):
            rules.seats = 3  # type: ignore[misc]


def test_pairs_of_a_command_line_are_read_as_json_or_bare_words() -> None:
    """``FIELD=VALUE`` as the commands take it."""
    pairs = ["bank_sale=false", "split=aces", "burn=13", "trick_pays=1.5", "max_price=null"]
    rules = rules_from_pairs(Rules.shoot, pairs, seats=4, deals=7)
    assert rules == Rules(
        shoot=True, seats=4, deals=7, bank_sale=False, split="aces", burn="13", trick_pays=1.5
    )
    for wrong in (["split"], ["split=aces", "split=any"], ["spilt=aces"]):
        with pytest.raises(ValueError, match=r"FIELD=VALUE|twice|no field"):
            rules_from_pairs(Rules.pontoon, wrong)


def test_numbers_of_numpy_are_taken_as_python_numbers() -> None:
    """So that rules stay what JSON can hold."""
    rules = Rules(
        seats=np.int64(4), packs=np.int8(2), trick_pays=np.float32(1.5), shoot=np.bool_(True)
    )
    assert rules == Rules(seats=4, packs=2, trick_pays=1.5, shoot=True)
    assert json.loads(json.dumps(rules.to_dict())) == rules.to_dict()
    with pytest.raises(ValueError, match="seats"):
        Rules(seats=np.int64(9))
