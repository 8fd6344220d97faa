"""Shoot Pontoon, rule by rule (S1 to S11), from stacked packs, on engine and naive referee.

`CASES` at the end says which test holds which rule. Expected chips were worked out by hand.
Seat 0 is the first banker of every scripted deal, so seats are dealt to in the order 1, 2, .., 0.
"""

from __future__ import annotations

from typing import Any

import pytest

import tests.test_rules
import tests.test_variations
from tests.scripted import (
    MakeTable,
    case_names,
    lines,
    names_after_settlement,
    net,
    play,
    told,
)

case = pytest.param


def shoot_table(table: MakeTable, hands: list[str], then: str = "", **rules: Any) -> Any:
    """A table of Shoot Pontoon whose first kitty is about to be formed."""
    return table(hands, then, shoot=True, **rules)


def kitty_and_bets(game: Any) -> tuple[int, int]:
    """`K` and `O`."""
    return game.kitty, game.outstanding


# S1


def test_the_first_banker_forms_a_kitty_before_the_first_deal(table: MakeTable) -> None:
    """S1: no card lies yet, nothing else may be done, and it is the banker's own cash."""
    game = shoot_table(table, ["T8", "T9"])
    assert (game.seat, game.legal()) == (0, {"kitty": (1, 1000)})
    assert [line["line"] for line in game.lines] == ["session"]
    play(game, "0 kitty 20")
    assert (game.kitty, game.chips) == (20, [-20, 0])
    assert lines(game, "decision")[0]["hand"] is None
    assert lines(game, "deal")[0]["kitty"] == 20


def test_who_buys_the_bank_forms_a_kitty(table: MakeTable) -> None:
    """S1, P34: whatever the old one held; it is the only move."""
    game = shoot_table(table, ["T8", "T9"], deals=2)
    play(game, "0 kitty 20", "1 stake 10", "1 pass", "1 stick", "0 stick")
    play(game, "0 offer 7", "1 accept")
    assert (game.seat, game.legal()) == (1, {"kitty": (1, 1000)})
    play(game, "1 kitty 6")
    assert (game.kitty, game.seat) == (6, 0)
    assert lines(game, "deal")[1]["kitty"] == 6


def test_a_banker_who_stays_forms_no_new_kitty(table: MakeTable) -> None:
    """S1, S9: what is left of the old one may be added to, that is all."""
    game = shoot_table(table, ["T8", "T9"], deals=2, bank_sale=False)
    play(game, "0 kitty 20", "1 stake 10", "1 shoot 5", "1 stick", "0 stick", "0 pass")
    assert (game.kitty, game.seat, game.legal()) == (15, 1, {"stake": (1, 1000)})


def test_whoever_takes_the_bank_in_turn_forms_a_kitty_each_time(table: MakeTable) -> None:
    """S1, bank_passes=rotation: two bankers, two kitties, each taken by its own banker."""
    rules = {"bank_passes": "rotation", "bank_sale": False, "deals": 2}
    game = shoot_table(table, ["T8", "T9"], "98JJ", **rules)
    play(game, "0 kitty 20", "1 stake 10", "1 pass", "1 stick", "0 stick")
    play(game, "1 kitty 30", "0 stake 10", "0 shoot 30", "0 stick", "1 stick")
    assert lines(game, "end")[0]["net"] == [30, -30]


# S2


def test_shoot_bets_stand_between_the_stakes_and_the_second_cards(table: MakeTable) -> None:
    """S2, P13: asked from the banker's left, the banker is not."""
    game = shoot_table(table, ["T8", "T9", "T7"])
    play(game, "0 kitty 20", "1 stake 10", "2 stake 10", "1 shoot 5")
    assert len(lines(game, "card")) == 3
    play(game, "2 pass")
    assert len(lines(game, "card")) == 6
    assert told(game)[1:] == ["1 stake", "2 stake", "1 shoot", "2 pass"]


def test_a_later_player_may_shoot_what_the_others_left(table: MakeTable) -> None:
    """S2: `K - O`, where a pass leaves everything."""
    game = shoot_table(table, ["T8", "T9", "T7", "J7"])
    play(game, "0 kitty 20", "1 stake 10", "2 stake 10", "3 stake 10")
    assert game.legal() == {"shoot": (1, 20), "pass": None}
    play(game, "1 pass")
    assert game.legal() == {"shoot": (1, 20), "pass": None}
    play(game, "2 shoot 12")
    assert game.legal() == {"shoot": (1, 8), "pass": None}
    play(game, "3 shoot 8")
    assert kitty_and_bets(game) == (20, 20)


def test_the_first_player_may_shoot_it_all(table: MakeTable) -> None:
    """S2, P36: then the next is asked for a pass."""
    game = shoot_table(table, ["T8", "T9", "T7"])
    play(game, "0 kitty 20", "1 stake 10", "2 stake 10", "1 shoot 20")
    assert (game.seat, game.legal()) == (2, {"pass": None})


def test_a_shoot_bet_may_be_larger_or_smaller_than_the_stake(table: MakeTable) -> None:
    """S2: any amount; it moves nothing before settlement (readings)."""
    game = shoot_table(table, ["T8", "T9", "T7"])
    play(game, "0 kitty 900", "1 stake 10", "2 stake 1000", "1 shoot 899", "2 shoot 1")
    assert (game.chips, game.kitty) == ([-900, 0, 0], 900)


# S3


@pytest.mark.parametrize(
    ("rules", "changes"),
    [
        case({}, [20, -22, -18], id="by default"),
        case({"banker_pontoon_collects": 1}, [10, -17, -13], id="stakes once"),
        case({"both_pontoon": 0}, [10, -12, -18], id="a pontoon pays no stake"),
        case({"ties": "push"}, [20, -22, -18], id="ties push"),
        case({"banker_doubles": True}, [20, -22, -18], id="doubled"),
    ],
)
def test_a_bankers_pontoon_takes_every_shoot_bet_once_into_the_kitty(
    table: MakeTable, rules: dict[str, Any], changes: list[int]
) -> None:
    """S3, P14: 12 from a pontoon and 8 from 19, with stakes of 5, whatever the variations."""
    game = shoot_table(table, ["AK", "AQ", "T9"], **rules)
    play(game, "0 kitty 20", "1 stake 5", "2 stake 5")
    play(game, *["0 double"] * ("banker_doubles" in rules), "1 shoot 12", "2 shoot 8")
    assert net(game) == changes
    assert lines(game, "settle")[0]["kitty"] == 40


# S4


def test_a_shoot_bet_precedes_the_fourth_card_alone(table: MakeTable) -> None:
    """S4: none at two cards, one at three, none at four."""
    game = shoot_table(table, ["T8", "23"], "TA")
    play(game, "0 kitty 20", "1 stake 10", "1 pass")
    assert game.legal() == {"twist": None, "buy": (10, 20)}
    play(game, "1 buy 15")
    assert game.legal() == {"stick": None, "shoot": (1, 20), "twist": None, "buy": (10, 15)}
    play(game, "1 buy 10")
    assert game.legal() == {"stick": None, "twist": None, "buy": (10, 10)}


def test_who_has_shot_must_draw_bought_or_twisted(table: MakeTable) -> None:
    """S4: 15 might have stuck; one bet only; the price ladder goes on."""
    game = shoot_table(table, ["T8", "23"], "T4")
    play(game, "0 kitty 20", "1 stake 10", "1 pass", "1 buy 15", "1 shoot 5")
    assert game.legal() == {"twist": None, "buy": (10, 15)}
    play(game, "1 buy 10", "1 stick", "0 stick")
    assert (net(game), lines(game, "settle")[0]["kitty"]) == ([-35, 40], 15)


def test_a_twisted_hand_that_has_shot_must_twist(table: MakeTable) -> None:
    """S4, P21."""
    game = shoot_table(table, ["T8", "23"], "T4")
    play(game, "0 kitty 20", "1 stake 10", "1 pass", "1 twist")
    assert game.legal() == {"stick": None, "shoot": (1, 20), "twist": None}
    play(game, "1 shoot 20")
    assert game.legal() == {"twist": None}


def test_a_fourth_card_bet_comes_on_top_of_an_earlier_one(table: MakeTable) -> None:
    """S4, S7: 8, then up to the 12 that are left; both are won."""
    game = shoot_table(table, ["T8", "23"], "T4")
    play(game, "0 kitty 20", "1 stake 10", "1 shoot 8", "1 twist")
    assert game.legal()["shoot"] == (1, 12)
    play(game, "1 shoot 12", "1 twist", "1 stick", "0 stick")
    assert (net(game), lines(game, "settle")[0]["kitty"]) == ([-10, 30], 0)


def test_no_fourth_card_bet_is_asked_where_nothing_is_left_to_shoot(table: MakeTable) -> None:
    """S4, S8: nor is a pass."""
    game = shoot_table(table, ["T8", "23"], "T4")
    play(game, "0 kitty 20", "1 stake 10", "1 shoot 20", "1 twist")
    assert game.legal() == {"stick": None, "twist": None}


def test_a_fourth_card_without_a_bet_needs_no_pass(table: MakeTable) -> None:
    """S4: whoever twists has not shot."""
    game = shoot_table(table, ["T8", "23"], "54")
    play(game, "0 kitty 20", "1 stake 10", "1 pass", "1 twist", "1 twist")
    assert told(game)[2:] == ["1 pass", "1 twist", "1 twist"]


def test_an_empty_pack_has_no_fourth_card_to_shoot_on(table: MakeTable) -> None:
    """S4, P35: a soft 18 of three cards with nothing left to draw may only stick."""
    game = shoot_table(table, [""] * 2, pack=["Ac", "Tc", "2c", "8c", "5c"])
    play(game, "0 kitty 20", "1 stake 10", "1 pass", "1 twist")
    assert game.legal() == {"stick": None}


def test_each_split_hand_has_its_own_fourth_card_bet(table: MakeTable) -> None:
    """S4, S5: 5 on the left hand, then up to the 15 that are left on the right one."""
    game = shoot_table(table, ["T8", "99"], "23" + "35" + "34")
    play(game, "0 kitty 20", "1 stake 10", "1 pass", "1 split", "1 pass")
    play(game, "1 twist", "1 shoot 5", "1 twist", "1 stick", "1 twist")
    assert (game.hand, game.legal()["shoot"]) == (1, (1, 15))
    play(game, "1 shoot 15", "1 twist", "1 stick", "0 stick")
    assert (net(game), lines(game, "settle")[0]["kitty"]) == ([-20, 40], 0)


# S5


def test_a_bet_stays_with_the_first_dealt_card_through_two_splits(table: MakeTable) -> None:
    """S5: 20 wins 10, 17 loses its own 7, 19 wins its own 5."""
    game = shoot_table(table, ["T8", "KK"], "K9" + "T7")
    play(game, "0 kitty 30", "1 stake 10", "1 shoot 10", "1 split")
    assert (game.hand, game.legal()) == (1, {"shoot": (1, 20), "pass": None})
    play(game, "1 shoot 5", "1 split")
    assert (game.hand, game.legal()) == (1, {"shoot": (1, 15), "pass": None})
    play(game, "1 shoot 7", "1 stick", "1 stick", "1 stick", "0 stick")
    assert net(game) == [-10, 10 + 10 - 10 - 7 + 10 + 5]
    assert lines(game, "settle")[0]["kitty"] == 30 - 10 + 7 - 5


def test_the_other_half_may_shoot_where_there_was_no_first_bet(table: MakeTable) -> None:
    """S5: on the right half; the left one has none, and wins its stake alone."""
    game = shoot_table(table, ["T8", "99"], "T7")
    play(game, "0 kitty 30", "1 stake 10", "1 pass", "1 split")
    assert (game.hand, game.legal()) == (1, {"shoot": (1, 30), "pass": None})
    play(game, "1 shoot 6", "1 stick", "1 stick", "0 stick")
    assert (net(game), lines(game, "settle")[0]["kitty"]) == ([0, -6], 36)


def test_a_split_bet_comes_before_the_new_cards(table: MakeTable) -> None:
    """S5, P36: asked with nothing left to shoot, too."""
    game = shoot_table(table, ["T8", "99"], "T7")
    play(game, "0 kitty 10", "1 stake 10", "1 shoot 10", "1 split")
    assert (game.legal(), len(lines(game, "card"))) == ({"pass": None}, 4)
    play(game, "1 pass")
    assert len(lines(game, "card")) == 6


def test_a_bet_of_the_right_half_stays_with_its_left_half(table: MakeTable) -> None:
    """S5: when the right half is split in its turn; 19 and 19 win, 17 loses."""
    game = shoot_table(table, ["T8", "99"], "T9" + "J8")
    play(game, "0 kitty 30", "1 stake 10", "1 pass", "1 split", "1 shoot 5", "1 stick", "1 split")
    assert (game.hand, game.legal()) == (2, {"shoot": (1, 25), "pass": None})
    play(game, "1 pass", "1 stick", "1 stick", "0 stick")
    assert (net(game), lines(game, "settle")[0]["kitty"]) == ([-10, 15], 25)


# S6


def test_a_bust_hand_loses_both_its_bets_at_once(table: MakeTable) -> None:
    """S6, P25: 8 and 12 go into the kitty, the stake to the banker, before seat 2 plays."""
    game = shoot_table(table, ["T8", "23", "T9"], "TK")
    play(game, "0 kitty 20", "1 stake 10", "2 stake 10", "1 shoot 8", "2 pass")
    play(game, "1 twist", "1 shoot 12", "1 twist")
    assert game.seat == 2
    assert kitty_and_bets(game) == (40, 0)
    assert game.chips == [-10, -30, 0]


def test_a_bet_lost_by_a_bust_does_not_come_back_with_the_bankers_bust(table: MakeTable) -> None:
    """S6, S7: seat 2 wins its own."""
    game = shoot_table(table, ["T6", "J6", "T9"], "KK")
    play(game, "0 kitty 20", "1 stake 10", "2 stake 10", "1 shoot 5", "2 shoot 10")
    play(game, "1 twist", "2 stick", "0 twist")
    assert (net(game), lines(game, "settle")[0]["kitty"]) == ([0, -15, 20], 15)


def test_a_bust_half_feeds_the_bet_of_the_other_half(table: MakeTable) -> None:
    """S5, S6: 10 of 10 shot; the bust makes the kitty 20, all of which the right hand shoots."""
    game = shoot_table(table, ["T8", "88"], "62" + "K" + "38")
    play(game, "0 kitty 10", "1 stake 10", "1 shoot 10", "1 split", "1 pass", "1 twist")
    assert kitty_and_bets(game) == (20, 0)
    play(game, "1 twist")
    assert game.legal()["shoot"] == (1, 20)
    play(game, "1 shoot 20", "1 twist", "0 stick")
    assert (net(game), lines(game, "settle")[0]["kitty"]) == ([0, 0 - 10 + 20], 0)


# S7


@pytest.mark.parametrize(
    ("hands", "then", "steps", "stake", "bet"),
    [
        case(["T8", "T9"], "", ["1 stick", "0 stick"], 10, 5, id="better"),
        case(["T8", "J8"], "", ["1 stick", "0 stick"], -10, -5, id="equal"),
        case(["T8", "T7"], "", ["1 stick", "0 stick"], -10, -5, id="worse"),
        case(["T8", "AK"], "", [], 20, 5, id="a pontoon"),
        case(["T8", "23"], "456", ["1 twist"] * 3 + ["0 stick"], 20, 5, id="a trick"),
        case(["23", "T9"], "456", ["1 stick"] + ["0 twist"] * 3, -20, -5, id="a banker's trick"),
        case(["T6", "T5"], "K", ["1 stick", "0 twist"], 10, 5, id="a bust banker"),
        case(["23", "AK"], "", [], 20, 5, id="a pontoon, the banker not asked"),
    ],
)
def test_shoot_bets_are_settled_one_to_one_with_the_stakes(
    table: MakeTable, hands: list[str], then: str, steps: list[str], stake: int, bet: int
) -> None:
    """S7: 5 of 20, beside a stake of 10; nothing is doubled in the kitty."""
    game = shoot_table(table, hands, then)
    play(game, "0 kitty 20", "1 stake 10", "1 shoot 5", *steps)
    assert net(game) == [-stake, stake + bet]
    assert lines(game, "settle")[0]["kitty"] == 20 - bet


def test_the_shoot_bet_of_a_tie_goes_back_where_ties_push(table: MakeTable) -> None:
    """S7, ties=push: the kitty keeps what it had."""
    game = shoot_table(table, ["T8", "J8"], ties="push")
    play(game, "0 kitty 20", "1 stake 10", "1 shoot 5", "1 stick", "0 stick")
    assert (net(game), lines(game, "settle")[0]["kitty"]) == ([0, 0], 20)


# S8


def test_a_kitty_that_loses_every_bet_is_empty_and_not_short(table: MakeTable) -> None:
    """S8: all of it was shot, all of it is won."""
    game = shoot_table(table, ["T7", "T8", "T9"])
    play(game, "0 kitty 20", "1 stake 10", "2 stake 10", "1 shoot 12", "2 shoot 8")
    assert kitty_and_bets(game) == (20, 20)
    play(game, "1 stick", "2 stick", "0 stick")
    assert (net(game), lines(game, "settle")[0]["kitty"]) == ([-20, 22, 18], 0)
    assert lines(game, "end")[0]["net"] == [-40, 22, 18]


def test_a_bet_above_what_is_left_is_refused(table: MakeTable) -> None:
    """S8, S2: and nothing has changed."""
    game = shoot_table(table, ["T8", "T9", "T7"])
    play(game, "0 kitty 20", "1 stake 10", "2 stake 10", "1 shoot 12")
    for chips in (9, 0):
        with pytest.raises(ValueError, match="shoot"):
            game.act("shoot", chips)
    assert (game.seat, kitty_and_bets(game)) == (2, (20, 12))


def test_bets_never_pass_the_kitty_through_split_bust_and_fourth_card(table: MakeTable) -> None:
    """S8: `K` and `O` after every bet and after the bust."""
    game = shoot_table(table, ["T9", "88", "T5"], "T2" + "3K")
    play(game, "0 kitty 30", "1 stake 10", "2 stake 10")
    seen = []
    for step in ("1 shoot 10", "2 shoot 4", "1 split", "1 shoot 9", "1 stick", "1 twist"):
        play(game, step)
        seen.append(kitty_and_bets(game))
    assert seen == [(30, 10), (30, 14), (30, 14), (30, 23), (30, 23), (30, 23)]
    assert game.legal()["shoot"] == (1, 7)
    play(game, "1 shoot 7")
    assert kitty_and_bets(game) == (30, 30)
    play(game, "1 twist")
    assert kitty_and_bets(game) == (46, 14)


# S9


def test_adding_to_the_kitty_is_asked_once_and_may_be_passed(table: MakeTable) -> None:
    """S9, P37: then the next deal begins."""
    game = shoot_table(table, ["T8", "T9"], deals=2, bank_sale=False)
    play(game, "0 kitty 20", "1 stake 10", "1 pass", "1 stick", "0 stick")
    assert (game.seat, game.legal()) == (0, {"kitty": (1, 1000), "pass": None})
    play(game, "0 pass")
    assert (game.seat, game.kitty) == (1, 20)
    assert names_after_settlement(game)[:2] == ["decision", "deal"]


def test_a_kitty_just_formed_is_not_added_to(table: MakeTable) -> None:
    """S9: neither before the first deal nor where the bank has changed hands."""
    game = shoot_table(table, ["T8", "AK"], deals=2)
    play(game, "0 kitty 20")
    assert (game.seat, game.legal()) == (1, {"stake": (1, 1000)})
    play(game, "1 stake 10", "1 pass", "1 kitty 30")
    assert (game.seat, game.legal()) == (0, {"stake": (1, 1000)})
    assert names_after_settlement(game)[:4] == ["bank", "shuffle", "decision", "deal"]


def test_what_is_added_comes_from_the_banker_and_may_be_shot_at_once(table: MakeTable) -> None:
    """S9, S2: 15 left and 40 added."""
    game = shoot_table(table, ["T8", "T9"], deals=2, bank_sale=False)
    play(game, "0 kitty 20", "1 stake 10", "1 shoot 5", "1 stick", "0 stick", "0 kitty 40")
    assert (game.chips, game.kitty) == ([-20 - 10 - 40, 15], 55)
    play(game, "1 stake 10")
    assert game.legal() == {"shoot": (1, 55), "pass": None}


def test_a_declined_sale_leaves_the_question_of_the_kitty(table: MakeTable) -> None:
    """S9, P37: the sale comes first."""
    game = shoot_table(table, ["T8", "T9"], deals=2)
    play(game, "0 kitty 20", "1 stake 10", "1 pass", "1 stick", "0 stick", "0 offer 5", "1 pass")
    assert (game.seat, game.legal()) == (0, {"kitty": (1, 1000), "pass": None})


# S10


def dry(table: MakeTable, **rules: Any) -> Any:
    """A table of four after a deal that left no kitty: banker 18, 19 with all bets, 17, 17."""
    game = shoot_table(table, ["T8", "T9", "T7", "J7"], deals=2, bank_sale=False, **rules)
    play(game, "0 kitty 5", "1 stake 1", "2 stake 1", "3 stake 1", "1 shoot 5", "2 pass", "3 pass")
    play(game, "1 stick", "2 stick", "3 stick", "0 stick")
    return game


def test_of_equal_bids_the_nearest_on_the_left_wins(table: MakeTable) -> None:
    """S10: seat 2 pays nine to the old banker and must form a kitty."""
    game = dry(table)
    assert game.chips == [-4, 6, -1, -1]
    play(game, "0 auction", "1 bid 4", "2 bid 9")
    assert (game.seat, game.legal()) == (3, {"bid": (1, 10_000), "pass": None})
    play(game, "3 bid 9")
    assert lines(game, "bank") == [
        {"line": "bank", "seat": 2, "reason": "auction", "chips": 9, "kitty_taken": 0}
    ]
    assert game.chips == [5, 6, -10, -1]
    assert (game.seat, game.legal()) == (2, {"kitty": (1, 1000)})


def test_a_higher_bid_wins_from_further_off(table: MakeTable) -> None:
    """S10: one bid each, or none."""
    game = dry(table)
    play(game, "0 auction", "1 bid 4", "2 pass", "3 bid 5")
    assert (game.banker, game.chips) == (3, [1, 6, -1, -6])
    assert told(game)[-4:] == ["0 auction", "1 bid", "2 pass", "3 bid"]


def test_a_dry_banker_may_form_a_new_kitty_and_keep_the_bank(table: MakeTable) -> None:
    """S10: nobody bids, and nothing more is asked before the next deal."""
    game = dry(table)
    assert (game.seat, game.legal()) == (0, {"kitty": (1, 1000), "auction": None})
    play(game, "0 kitty 8")
    assert (game.banker, game.kitty, game.seat) == (0, 8, 1)
    assert not lines(game, "bank")


def test_nobody_is_asked_for_bids_where_a_natural_takes_a_dry_kitty(table: MakeTable) -> None:
    """S10, S1: the bank passes, so the new banker forms a kitty."""
    game = shoot_table(table, ["T8", "AK"], deals=2)
    play(game, "0 kitty 5", "1 stake 10", "1 shoot 5")
    assert (game.kitty, game.seat, game.legal()) == (0, 1, {"kitty": (1, 1000)})


def test_a_dry_bank_may_be_sold_before_it_comes_to_an_auction(table: MakeTable) -> None:
    """S10, P34, P37: the buyer forms the kitty."""
    game = shoot_table(table, ["T8", "T9"], deals=2)
    play(game, "0 kitty 5", "1 stake 10", "1 shoot 5", "1 stick", "0 stick")
    assert set(game.legal()) == {"offer", "pass"}
    play(game, "0 offer 3", "1 accept")
    assert (game.kitty, game.seat, game.legal()) == (0, 1, {"kitty": (1, 1000)})


def test_a_rotating_bank_comes_to_no_auction(table: MakeTable) -> None:
    """S10, S1, bank_passes=rotation."""
    game = shoot_table(table, ["T8", "T9"], deals=2, bank_sale=False, bank_passes="rotation")
    play(game, "0 kitty 5", "1 stake 10", "1 shoot 5", "1 stick", "0 stick")
    assert (game.kitty, game.seat, game.legal()) == (0, 1, {"kitty": (1, 1000)})


# S11


def test_the_old_banker_takes_the_kitty_from_a_natural(table: MakeTable) -> None:
    """S11, P33: the new banker's is new."""
    game = shoot_table(table, ["T8", "AK"], deals=2)
    play(game, "0 kitty 20", "1 stake 10", "1 pass")
    assert lines(game, "bank") == [
        {"line": "bank", "seat": 1, "reason": "natural", "chips": None, "kitty_taken": 20}
    ]
    assert (game.kitty, game.chips) == (0, [-20, 20])
    play(game, "1 kitty 7")
    assert (game.kitty, game.chips) == (7, [-20, 13])


def test_the_seller_of_the_bank_takes_the_kitty_beside_the_price(table: MakeTable) -> None:
    """S11, P34: 20 formed, 5 lost to a shoot bet, 15 taken."""
    game = shoot_table(table, ["T8", "T9"], deals=2)
    play(game, "0 kitty 20", "1 stake 10", "1 shoot 5", "1 stick", "0 stick")
    play(game, "0 offer 7", "1 accept")
    assert lines(game, "bank") == [
        {"line": "bank", "seat": 1, "reason": "sale", "chips": 7, "kitty_taken": 15}
    ]
    assert game.chips == [-20 - 10 + 15 + 7, 15 - 7]


def test_the_banker_takes_the_last_kitty(table: MakeTable) -> None:
    """S11, P37: a deal's net leaves kitties out, the session's net counts them."""
    game = shoot_table(table, ["T8", "T9"])
    play(game, "0 kitty 20", "1 stake 10", "1 shoot 5", "1 stick", "0 stick")
    assert (net(game), lines(game, "settle")[0]["kitty"]) == ([-10, 15], 15)
    assert names_after_settlement(game) == ["end"]
    assert lines(game, "end")[0]["net"] == [-15, 15]
    assert game.kitty == 0


# The counting

CASES: dict[str, tuple[str, ...]] = {
    "S1": (
        "test_the_first_banker_forms_a_kitty_before_the_first_deal",
        "test_who_buys_the_bank_forms_a_kitty",
        "test_a_banker_who_stays_forms_no_new_kitty",
        "test_whoever_takes_the_bank_in_turn_forms_a_kitty_each_time",
        "test_a_kitty_lies_within_its_limits[null]",
        "test_example_11_shoot_bets_are_paid_one_to_one",
    ),
    "S2": (
        "test_shoot_bets_stand_between_the_stakes_and_the_second_cards",
        "test_a_later_player_may_shoot_what_the_others_left",
        "test_the_first_player_may_shoot_it_all",
        "test_a_shoot_bet_may_be_larger_or_smaller_than_the_stake",
        "test_example_9_a_bust_feeds_the_kitty",
    ),
    "S3": (
        "test_a_bankers_pontoon_takes_every_shoot_bet_once_into_the_kitty[by default]",
        "test_a_bankers_pontoon_takes_every_shoot_bet_once_into_the_kitty[stakes once]",
        "test_a_bankers_pontoon_takes_every_shoot_bet_once_into_the_kitty[a pontoon pays no stake]",
        "test_a_bankers_pontoon_takes_every_shoot_bet_once_into_the_kitty[ties push]",
        "test_a_bankers_pontoon_takes_every_shoot_bet_once_into_the_kitty[doubled]",
        "test_example_12_a_bankers_pontoon_takes_the_shoot_bets_once",
    ),
    "S4": (
        "test_a_shoot_bet_precedes_the_fourth_card_alone",
        "test_who_has_shot_must_draw_bought_or_twisted",
        "test_a_twisted_hand_that_has_shot_must_twist",
        "test_a_fourth_card_bet_comes_on_top_of_an_earlier_one",
        "test_no_fourth_card_bet_is_asked_where_nothing_is_left_to_shoot",
        "test_a_fourth_card_without_a_bet_needs_no_pass",
        "test_an_empty_pack_has_no_fourth_card_to_shoot_on",
        "test_each_split_hand_has_its_own_fourth_card_bet",
    ),
    "S5": (
        "test_a_bet_stays_with_the_first_dealt_card_through_two_splits",
        "test_the_other_half_may_shoot_where_there_was_no_first_bet",
        "test_a_split_bet_comes_before_the_new_cards",
        "test_a_bet_of_the_right_half_stays_with_its_left_half",
        "test_example_10_a_shoot_bet_stays_with_the_first_half_of_a_split",
    ),
    "S6": (
        "test_a_bust_hand_loses_both_its_bets_at_once",
        "test_a_bet_lost_by_a_bust_does_not_come_back_with_the_bankers_bust",
        "test_a_bust_half_feeds_the_bet_of_the_other_half",
        "test_example_9_a_bust_feeds_the_kitty",
    ),
    "S7": (
        "test_shoot_bets_are_settled_one_to_one_with_the_stakes[better]",
        "test_shoot_bets_are_settled_one_to_one_with_the_stakes[equal]",
        "test_shoot_bets_are_settled_one_to_one_with_the_stakes[worse]",
        "test_shoot_bets_are_settled_one_to_one_with_the_stakes[a pontoon]",
        "test_shoot_bets_are_settled_one_to_one_with_the_stakes[a trick]",
        "test_shoot_bets_are_settled_one_to_one_with_the_stakes[a banker's trick]",
        "test_shoot_bets_are_settled_one_to_one_with_the_stakes[a bust banker]",
        "test_the_shoot_bet_of_a_tie_goes_back_where_ties_push",
        "test_a_royal_wins_its_shoot_bets_once",
        "test_doubling_leaves_shoot_bets_at_one_to_one",
    ),
    "S8": (
        "test_a_kitty_that_loses_every_bet_is_empty_and_not_short",
        "test_a_bet_above_what_is_left_is_refused",
        "test_bets_never_pass_the_kitty_through_split_bust_and_fourth_card",
    ),
    "S9": (
        "test_adding_to_the_kitty_is_asked_once_and_may_be_passed",
        "test_a_kitty_just_formed_is_not_added_to",
        "test_what_is_added_comes_from_the_banker_and_may_be_shot_at_once",
        "test_a_declined_sale_leaves_the_question_of_the_kitty",
        "test_a_kitty_that_is_not_dry_may_be_added_to_once",
        "test_a_kitty_is_added_to_from_one_chip_on",
    ),
    "S10": (
        "test_of_equal_bids_the_nearest_on_the_left_wins",
        "test_a_higher_bid_wins_from_further_off",
        "test_a_dry_banker_may_form_a_new_kitty_and_keep_the_bank",
        "test_nobody_is_asked_for_bids_where_a_natural_takes_a_dry_kitty",
        "test_a_dry_bank_may_be_sold_before_it_comes_to_an_auction",
        "test_a_rotating_bank_comes_to_no_auction",
        "test_without_a_bid_the_banker_must_form_a_kitty",
        "test_a_bid_has_the_limit_of_a_price",
    ),
    "S11": (
        "test_the_old_banker_takes_the_kitty_from_a_natural",
        "test_the_seller_of_the_bank_takes_the_kitty_beside_the_price",
        "test_the_banker_takes_the_last_kitty",
        "test_rotation_passes_the_bank_and_its_kitty_to_the_left",
        "test_example_11_shoot_bets_are_paid_one_to_one",
    ),
}
"""For each rule of section 2 the scripted cases that hold it, here and in the files beside."""


def test_every_rule_of_shoot_pontoon_has_its_cases() -> None:
    """Section 2: three at least, of tests that exist."""
    modules = (tests.test_rules, *tests.test_variations.MODULES)
    existing = set(case_names(globals(), *map(vars, modules)))
    assert set(CASES) == {f"S{number}" for number in range(1, 12)}
    for rule, names in CASES.items():
        assert len(set(names)) >= 3, rule
        assert set(names) <= existing, (rule, set(names) - existing)
