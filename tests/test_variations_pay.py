"""The variations of payment, from stacked packs, on engine and naive referee.

Every field of the rules has its value on, its value off, and a boundary or the meeting with another
rule; test_variations.py says which test holds which field. Expected chips were worked out by hand.
Seat 0 is the first banker of every scripted deal, so seats are dealt to in the order 1, 2, .., 0.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.scripted import (
    MakeTable,
    last_hands,
    lines,
    names_after_settlement,
    net,
    play,
    stakes,
)

case = pytest.param


# banker_doubles


def test_the_banker_is_asked_to_double_before_any_shoot_bet(table: MakeTable) -> None:
    """P12, S2, banker_doubles: and before the second cards; who passes doubles nothing."""
    game = table(["T8", "T9", "T7"], shoot=True, banker_doubles=True)
    play(game, "0 kitty 20", *stakes(2))
    assert (game.seat, game.legal()) == (0, {"double": None, "pass": None})
    assert len(lines(game, "card")) == 3
    play(game, "0 pass")
    assert (game.seat, game.legal()) == (1, {"shoot": (1, 20), "pass": None})
    assert len(lines(game, "card")) == 3
    play(game, "1 pass", "2 pass", "1 stick", "2 stick", "0 stick")
    assert net(game) == [0, 10, -10]


def test_the_banker_is_not_asked_to_double_by_default(table: MakeTable) -> None:
    """banker_doubles=false: the second cards follow the stakes."""
    game = table(["T8", "T9"])
    play(game, "1 stake 10")
    assert (game.seat, len(lines(game, "card"))) == (1, 4)


def test_doubling_leaves_prices_as_they_are_and_doubles_what_was_bought(table: MakeTable) -> None:
    """P20, banker_doubles: E to 2E of the stake as placed; 30 at stake, paid twice."""
    game = table(["T8", "T2"], "7", banker_doubles=True)
    play(game, "1 stake 10", "0 double")
    assert game.legal() == {"twist": None, "buy": (10, 20)}
    play(game, "1 buy 20")
    assert game.legal()["buy"] == (10, 20)
    play(game, "1 stick", "0 stick")
    assert net(game) == [-60, 60]


def test_a_bust_hand_pays_twice_at_once_where_the_banker_doubled(table: MakeTable) -> None:
    """P25, banker_doubles."""
    game = table(["T8", "T6", "T9"], "K", banker_doubles=True)
    play(game, *stakes(2), "0 double", "1 twist")
    assert (game.seat, game.chips) == (2, [20, -20, 0])


def test_doubling_leaves_shoot_bets_at_one_to_one(table: MakeTable) -> None:
    """S7, banker_doubles: 20 for the stake, 5 out of the kitty."""
    game = table(["T8", "T9"], shoot=True, banker_doubles=True)
    play(game, "0 kitty 20", "1 stake 10", "0 double", "1 shoot 5", "1 stick", "0 stick")
    assert (net(game), lines(game, "settle")[0]["kitty"]) == ([-20, 25], 15)


def test_the_banker_is_asked_to_double_anew_in_every_deal(table: MakeTable) -> None:
    """banker_doubles: a doubled deal does not double the next one."""
    game = table(["T8", "T9"], "98JJ", banker_doubles=True, deals=2, bank_sale=False)
    play(game, "1 stake 10", "0 double", "1 stick", "0 stick")
    play(game, "1 stake 10", "0 pass", "1 stick", "0 stick")
    assert [line["net"] for line in lines(game, "settle")] == [[-20, 20], [-10, 10]]


# pontoon_pays, banker_pontoon_collects, both_pontoon


@pytest.mark.parametrize(
    ("rules", "won"),
    [
        case({}, 20, id="twice by default"),
        case({"pontoon_pays": 1}, 10, id="once"),
        case({"pontoon_pays": 3}, 30, id="three times"),
        case({"pontoon_pays": 1, "banker_doubles": True}, 20, id="once doubled"),
        case({"pontoon_pays": 2, "banker_doubles": True}, 20, id="twice stays where doubled"),
        case({"pontoon_pays": 3, "banker_doubles": True}, 30, id="three times stays where doubled"),
    ],
)
def test_a_natural_wins_what_was_agreed_and_the_bank(
    table: MakeTable, rules: dict[str, Any], won: int
) -> None:
    """P15, P33, pontoon_pays: in stakes of ten."""
    game = table(["T8", "AK"], deals=2, **rules)
    play(game, "1 stake 10", *["0 double"] * ("banker_doubles" in rules))
    assert net(game) == [-won, won]
    assert game.banker == 1


@pytest.mark.parametrize(
    ("rules", "changes"),
    [
        case({}, [60, -20, -40], id="twice by default"),
        case({"banker_pontoon_collects": 1}, [30, -10, -20], id="once"),
        case(
            {"banker_pontoon_collects": 1, "banker_doubles": True},
            [60, -20, -40],
            id="once doubled",
        ),
        case({"banker_doubles": True}, [60, -20, -40], id="twice stays where doubled"),
        case({"both_pontoon": 0}, [20, -20, 0], id="a pontoon pays nothing"),
        case({"both_pontoon": -1}, [40, -20, -20], id="a pontoon pays once"),
        case(
            {"both_pontoon": -1, "banker_doubles": True},
            [60, -20, -40],
            id="a pontoon pays once doubled",
        ),
        case(
            {"both_pontoon": 0, "banker_doubles": True},
            [20, -20, 0],
            id="nothing stays nothing where doubled",
        ),
        case(
            {"both_pontoon": 0, "banker_pontoon_collects": 1},
            [10, -10, 0],
            id="nothing beside once",
        ),
        case({"both_pontoon": 0, "pontoon_pays": 3}, [20, -20, 0], id="pays no part of three"),
        case({"ties": "push"}, [60, -20, -40], id="a push is no matter"),
        case({"ties": "push", "both_pontoon": -1}, [40, -20, -20], id="its own field beside push"),
    ],
)
def test_a_bankers_pontoon_takes_what_was_agreed(
    table: MakeTable, rules: dict[str, Any], changes: list[int]
) -> None:
    """P14, banker_pontoon_collects, both_pontoon: from 19 staked 10, a pontoon staked 20."""
    game = table(["AK", "T9", "AQ"], **rules)
    play(game, "1 stake 10", "2 stake 20", *["0 double"] * ("banker_doubles" in rules))
    assert net(game) == changes
    assert not lines(game, "declare")


def test_the_bank_stays_where_both_pontoons_pay_nothing(table: MakeTable) -> None:
    """P32, P33, both_pontoon=0: not after P14; and a shuffle."""
    game = table(["AK", "AQ"], both_pontoon=0, deals=2, bank_sale=False)
    play(game, "1 stake 10")
    assert (net(game), game.banker) == ([0, 0], 0)
    assert names_after_settlement(game)[:2] == ["shuffle", "deal"]


# trick_pays, banker_trick_collects, trick_beats_pontoon


@pytest.mark.parametrize(
    ("rules", "won"),
    [
        case({}, 22, id="twice by default"),
        case({"trick_pays": 1}, 11, id="once"),
        case({"trick_pays": 1.5}, 16, id="one and a half"),
        case({"trick_pays": 1, "banker_doubles": True}, 22, id="once doubled"),
        case({"trick_pays": 1.5, "banker_doubles": True}, 22, id="one and a half doubled"),
    ],
)
def test_a_trick_wins_what_was_agreed(table: MakeTable, rules: dict[str, Any], won: int) -> None:
    """P30, trick_pays: of eleven chips, 16.5 being rounded down."""
    game = table(["T8", "23"], "456", **rules)
    play(game, "1 stake 11", *["0 double"] * ("banker_doubles" in rules))
    play(game, "1 twist", "1 twist", "1 twist", "0 stick")
    assert net(game) == [-won, won]


def test_one_and_a_half_times_is_of_all_that_was_bought(table: MakeTable) -> None:
    """P20, trick_pays=1.5: of 5 + 6 + 5 + 5 = 21, 31."""
    game = table(["T8", "23"], "456", trick_pays=1.5)
    play(game, "1 stake 5", "1 buy 6", "1 buy 5", "1 buy 5", "0 stick")
    assert net(game) == [-31, 31]


def test_every_hand_is_rounded_by_itself(table: MakeTable) -> None:
    """P18, trick_pays=1.5: two split tricks of 11 win 16 each, not 33 together."""
    game = table(["T8", "22"], "33" + "445" + "445", trick_pays=1.5)
    play(game, "1 stake 11", "1 split", *["1 twist"] * 6, "0 stick")
    assert net(game) == [-32, 32]


@pytest.mark.parametrize(
    ("rules", "lost"),
    [
        case({}, 20, id="twice by default"),
        case({"banker_trick_collects": 1}, 10, id="once"),
        case({"banker_trick_collects": 1, "banker_doubles": True}, 20, id="once doubled"),
        case({"banker_doubles": True}, 20, id="twice stays where doubled"),
    ],
)
def test_a_bankers_trick_takes_what_was_agreed(
    table: MakeTable, rules: dict[str, Any], lost: int
) -> None:
    """P30, banker_trick_collects: from a 20 staked 10."""
    game = table(["23", "KQ"], "456", **rules)
    play(game, "1 stake 10", *["0 double"] * ("banker_doubles" in rules))
    play(game, "1 stick", "0 twist", "0 twist", "0 twist")
    assert net(game) == [lost, -lost]


def test_a_bankers_trick_takes_as_much_from_a_trick(table: MakeTable) -> None:
    """P7, banker_trick_collects=1: the tie is the banker's, the price the same."""
    game = table(["23", "22"], "358" + "456", banker_trick_collects=1)
    play(game, "1 stake 10", *["1 twist"] * 3, *["0 twist"] * 3)
    assert net(game) == [10, -10]


def test_a_bust_is_taken_once_before_the_bankers_trick(table: MakeTable) -> None:
    """P25, banker_trick_collects=2: a later trick does not double it."""
    game = table(["23", "T6", "KQ"], "K" + "456")
    play(game, *stakes(2), "1 twist", "2 stick", *["0 twist"] * 3)
    assert net(game) == [30, -10, -20]


def test_a_banker_who_may_beat_pontoons_is_asked(table: MakeTable) -> None:
    """P29, P33, trick_beats_pontoon: the trick takes twice; the natural wins the bank."""
    game = table(["23", "AK"], "456", trick_beats_pontoon=True, deals=2)
    play(game, "1 stake 10", "0 twist", "0 twist", "0 twist")
    assert net(game) == [20, -20]
    assert game.banker == 1
    assert names_after_settlement(game)[:2] == ["bank", "shuffle"]


def test_a_banker_who_cannot_beat_pontoons_is_not_asked(table: MakeTable) -> None:
    """P15, P29, trick_beats_pontoon=false: the same cards."""
    game = table(["23", "AK"], "456")
    play(game, "1 stake 10")
    assert net(game) == [-20, 20]
    assert last_hands(game)[0] == ["23"]


def test_a_bankers_trick_beats_a_split_pontoon_too(table: MakeTable) -> None:
    """P19, trick_beats_pontoon: and a 20 beside it."""
    game = table(["23", "AA"], "K9" + "456", trick_beats_pontoon=True)
    play(game, "1 stake 10", "1 split", "1 stick", "0 twist", "0 twist", "0 twist")
    assert net(game) == [40, -40]


def test_no_other_hand_of_the_banker_beats_a_pontoon(table: MakeTable) -> None:
    """P30, trick_beats_pontoon: a 21 of three cards pays it."""
    game = table(["T5", "AK"], "6", trick_beats_pontoon=True)
    play(game, "1 stake 10", "0 twist")
    assert net(game) == [-20, 20]


# ties


def test_equal_totals_push(table: MakeTable) -> None:
    """P7, ties=push: 18 gets its stake back, 17 loses, whatever was bought."""
    game = table(["T8", "T8", "T7", "T3"], "5", ties="push")
    play(game, *stakes(3), "1 stick", "2 stick", "3 buy 20", "3 stick", "0 stick")
    assert net(game) == [10, 0, -10, 0]


def test_trick_against_trick_pushes(table: MakeTable) -> None:
    """P6, P7, ties=push: whatever the totals."""
    game = table(["23", "22"], "358" + "45A", ties="push")
    play(game, "1 stake 10", *["1 twist"] * 3, *["0 twist"] * 3)
    assert net(game) == [0, 0]


def test_a_push_stays_nothing_where_the_banker_doubled(table: MakeTable) -> None:
    """ties=push, banker_doubles: nothing is paid, so nothing is doubled."""
    game = table(["T8", "T8", "T9"], ties="push", banker_doubles=True)
    play(game, *stakes(2), "0 double", "1 stick", "2 stick", "0 stick")
    assert net(game) == [-20, 0, 20]


def test_the_banker_wins_every_tie_by_default(table: MakeTable) -> None:
    """P7, ties=banker: 18 against 18, and 21 of three cards against 21 of three."""
    game = table(["T5", "T7"], "4" + "6")
    play(game, "1 stake 10", "1 twist", "0 twist")
    assert net(game) == [10, -10]
