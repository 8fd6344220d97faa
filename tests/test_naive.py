"""Tests of the naive referee alone: scripted deals from stacked packs, and random sessions.

Seat 0 is the first banker of every scripted deal, so seats are dealt to in the order 1, 2, .., 0.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from tests.naive import DEFAULT_RULES, Card, Referee, SeededChance, full_pack, random_rules


def stacked(hands: list[str], then: str = "") -> list[Card]:
    """A pack that deals each seat its two cards, then the cards of `then`, then the rest.

    Args:
        hands: For each seat the ranks of its first two cards, the banker's (seat 0) first.
        then: The ranks of the cards that follow, in dealing order. Suits are given out in turn.
    """
    dealing_order = [*hands[1:], hands[0]]
    ranks = "".join(hand[0] for hand in dealing_order) + "".join(hand[1] for hand in dealing_order)
    rest = full_pack()
    top = []
    for rank in ranks + then:
        card = next(card for card in rest if card[0] == rank)
        rest.remove(card)
        top.append(card)
    return top + rest


def table(hands: list[str], then: str = "", **rules: Any) -> Referee:
    """A session of one deal from a stacked pack with small stakes; `rules` overrule defaults."""
    given = {**DEFAULT_RULES, "seats": len(hands), "deals": 1, "min_stake": 1, **rules}
    chance = SeededChance(random.Random(1))
    return Referee(given, banker=0, pack=stacked(hands, then), chance=chance)


def play(referee: Referee, *steps: str) -> None:
    """Plays steps such as "2 stake 10" and checks that it is that seat's turn each time."""
    for step in steps:
        seat, move, *chips = step.split()
        assert referee.seat == int(seat), (step, referee.seat, referee.legal())
        referee.act(move, int(chips[0]) if chips else None)


def lines(referee: Referee, name: str) -> list[dict[str, Any]]:
    """The lines of one name."""
    return [line for line in referee.lines if line["line"] == name]


def net(referee: Referee) -> list[int]:
    """The net chips of the first deal."""
    result: list[int] = lines(referee, "settle")[0]["net"]
    return result


def names_after_settlement(referee: Referee) -> list[str]:
    """The names of the lines after the first settlement."""
    names = [line["line"] for line in referee.lines]
    return names[names.index("settle") + 1 :]


def ranks(cards: list[Card]) -> str:
    """The ranks of some cards."""
    return "".join(card[0] for card in cards)


# The worked examples of the rulebook.


def test_example_1_a_bankers_pontoon_takes_twice_every_stake() -> None:
    """P14, P32, P33: a player's pontoon pays too, the bank stays, the pack is shuffled."""
    referee = table(["AK", "97", "AT", "66"], deals=2)
    play(referee, "1 stake 5", "2 stake 10", "3 stake 2")
    assert net(referee) == [34, -10, -20, -4]
    assert not lines(referee, "declare")
    shown = lines(referee, "settle")[0]["shown"]
    assert [ranks(hand) for seat in shown for hand in seat] == ["AK", "97", "AT", "66"]
    play(referee, "0 pass")
    assert referee.banker == 0
    assert names_after_settlement(referee)[:3] == ["decision", "shuffle", "deal"]


def test_example_2_a_bankers_trick_takes_twice_and_the_natural_wins_the_bank() -> None:
    """P15, P20, P30, P33: the trick of a player loses the tie, the pontoon wins."""
    referee = table(["23", "AQ", "24", "KT", "K6"], "3A6" + "Q" + "456", deals=2)
    play(referee, "1 stake 10", "2 stake 10", "3 stake 4", "4 stake 6")
    play(referee, "2 buy 20", "2 buy 15", "2 buy 10", "3 stick", "4 twist")
    play(referee, "0 twist", "0 twist", "0 twist")
    assert net(referee) == [104, 20, -110, -8, -6]
    assert referee.banker == 1
    assert names_after_settlement(referee)[:3] == ["bank", "shuffle", "deal"]
    assert lines(referee, "bank") == [
        {"line": "bank", "seat": 1, "reason": "natural", "chips": None, "kitty_taken": 0}
    ]


def test_example_3_the_banker_wins_ties_and_there_is_no_shuffle() -> None:
    """P7, P30, P31: a hard 21 closes by itself, an equal total loses."""
    referee = table(["T9", "23", "KQ", "T8", "95"], "4T7", deals=2)
    play(referee, *(f"{seat} stake 10" for seat in (1, 2, 3, 4)))
    play(referee, "1 twist", "1 twist", "1 stick", "2 stick", "3 stick", "4 twist", "0 stick")
    assert net(referee) == [0, -10, 10, -10, 10]
    play(referee, "0 pass")
    assert not lines(referee, "shuffle")


def test_example_4_each_price_is_at_most_the_one_before() -> None:
    """P20, P23: the ladder of prices, and a five-card trick of five stakes."""
    referee = table(["T8", "35"], "234")
    play(referee, "1 stake 10")
    assert referee.legal() == {"twist": None, "buy": (10, 20)}
    play(referee, "1 buy 17")
    assert referee.legal()["buy"] == (10, 17)
    play(referee, "1 buy 12")
    assert referee.legal()["buy"] == (10, 12)
    play(referee, "1 buy 11", "0 stick")
    assert net(referee) == [-100, 100]


def test_example_5_a_bust_is_final() -> None:
    """P25: the banker's later bust does not help a bust hand."""
    referee = table(["K6", "56", "T7"], "3KQ")
    play(referee, "1 stake 10", "2 stake 10", "1 buy 10", "1 twist", "2 stick", "0 twist")
    assert net(referee) == [10, -20, 10]


def test_example_6_a_split_pontoon_is_paid_twice_but_never_wins_the_bank() -> None:
    """P17, P18, P19: re-split hands stand in place; the pack is shuffled."""
    referee = table(["T7", "KK"], "K9" + "KA" + "57", deals=2)
    play(referee, "1 stake 5", "1 split", "1 split", "1 split")
    assert "split" not in referee.legal()
    play(referee, "1 stick", "1 stick", "1 stick", "0 stick")
    assert net(referee) == [-5, 5]
    shown = lines(referee, "settle")[0]["shown"]
    assert [ranks(hand) for hand in shown[1]] == ["K5", "K7", "KA", "K9"]
    assert lines(referee, "declare") == [{"line": "declare", "seat": 1, "hand": 2}]
    hands = [line["hand"] for line in lines(referee, "decision") if line["move"] == "stick"]
    assert hands == [0, 1, 3, 0]
    play(referee, "0 pass")
    assert referee.banker == 0
    assert lines(referee, "shuffle")


def test_example_7_where_all_are_bust_the_banker_draws_nothing() -> None:
    """P25, P29, P31: the bust hands lie under the pack in the order of busting."""
    referee = table(["89", "T6", "95", "Q4"], "K89")
    play(referee, "1 stake 10", "2 stake 10", "3 stake 5", "1 twist", "2 buy 20", "3 twist")
    assert net(referee) == [45, -10, -30, -5]
    assert ranks(lines(referee, "settle")[0]["pack"])[-11:] == "T6K" + "958" + "Q49" + "89"
    shown = lines(referee, "settle")[0]["shown"]
    assert [[ranks(hand) for hand in seat] for seat in shown] == [["89"], [], [], []]
    assert names_after_settlement(referee) == ["end"]


@pytest.mark.parametrize(("last", "change"), [("stick", -10), ("twist", 20)])
def test_example_8_a_soft_21_in_four_may_draw_a_fifth(last: str, change: int) -> None:
    """P24: it counts the ace as 1 and so cannot bust."""
    referee = table(["K5", "A2"], "35" + ("K" if last == "twist" else "") + "6")
    play(referee, "1 stake 10", "1 twist", "1 twist")
    assert referee.legal() == {"stick": None, "twist": None}
    play(referee, f"1 {last}", "0 twist")
    assert net(referee) == [-change, change]


def test_example_9_a_bust_feeds_the_kitty() -> None:
    """S2, S4, S6, S7, S10: later hands may shoot more; then the kitty is dry."""
    referee = table(["T8", "T6", "45", "28"], "K" + "46" + "47", shoot=True, deals=2)
    play(referee, "0 kitty 20", "1 stake 5", "2 stake 5", "3 stake 5")
    assert referee.legal() == {"shoot": (1, 20), "pass": None}
    play(referee, "1 shoot 20")
    assert referee.legal() == {"pass": None}
    play(referee, "2 pass", "3 pass", "1 twist")
    assert referee.kitty == 40
    play(referee, "2 twist")
    assert referee.legal()["shoot"] == (1, 40)
    play(referee, "2 shoot 40")
    assert set(referee.legal()) == {"twist"}
    play(referee, "2 twist", "2 stick", "3 twist")
    assert set(referee.legal()) == {"twist"}
    play(referee, "3 twist", "0 stick")
    assert net(referee) == [-5, -25, 45, 5]
    assert referee.kitty == 0
    play(referee, "0 pass")
    assert referee.legal() == {"kitty": (1, 1000), "auction": None}


def test_example_10_a_shoot_bet_stays_with_the_first_half_of_a_split() -> None:
    """S4, S5, S6: a new one may lie on the other half, and one before its fourth card."""
    referee = table(["T9", "99", "TQ"], "T2" + "3K", shoot=True)
    play(referee, "0 kitty 30", "1 stake 10", "2 stake 10", "1 shoot 10", "2 pass")
    play(referee, "1 split")
    assert (referee.hand, referee.legal()) == (1, {"shoot": (1, 20), "pass": None})
    play(referee, "1 shoot 5", "1 stick", "1 twist")
    assert (referee.hand, referee.legal()["shoot"]) == (1, (1, 15))
    play(referee, "1 shoot 15", "1 twist")
    assert referee.kitty == 50
    play(referee, "2 stick", "0 stick")
    assert net(referee) == [10, -50, 10]
    assert lines(referee, "settle")[0]["kitty"] == 60


def test_example_11_shoot_bets_are_paid_one_to_one() -> None:
    """S7, S11: a pontoon doubles its stake only; its holder forms the next kitty."""
    referee = table(["KQ", "AK", "23"], "456", shoot=True, deals=2)
    play(referee, "0 kitty 15", "1 stake 10", "2 stake 4", "1 shoot 15", "2 pass")
    play(referee, "2 twist", "2 twist", "2 twist", "0 stick")
    assert net(referee) == [-28, 35, 8]
    assert referee.kitty == 0
    assert (referee.seat, referee.legal()) == (1, {"kitty": (1, 1000)})


def test_example_12_a_bankers_pontoon_takes_the_shoot_bets_once() -> None:
    """P14, S3: they go into the kitty."""
    referee = table(["AK", "97", "A9", "66"], shoot=True)
    play(referee, "0 kitty 20", "1 stake 5", "2 stake 5", "3 stake 5", "1 shoot 12")
    assert referee.legal()["shoot"] == (1, 8)
    play(referee, "2 shoot 8", "3 pass")
    assert net(referee) == [30, -22, -18, -10]
    assert lines(referee, "settle")[0]["kitty"] == 40
    assert lines(referee, "end")[0]["net"] == [50, -22, -18, -10]


# Settlement, cell by cell.

PONTOON, TRICK, BUST = ("AK", ""), ("23", "456"), ("T6", "K")
NAMED = {"pontoon": ("AQ", ""), "trick": ("22", "35A"), "royal": ("77", "7")}


def times_paid(
    banker: tuple[str, str],
    player: tuple[str, str],
    *,
    move: str = "buy",
    stake: int = 10,
    **rules: Any,
) -> tuple[int, int]:
    """What seat 1 wins and its total stake; its draws are bought at the lowest price or twisted.

    Seat 2 sticks on a live hand of 20, so that the banker always has a turn (P29).
    """
    (held, drawn), (own, own_drawn) = banker, player
    referee = table([held, own, "JJ"], own_drawn + drawn, **rules)
    play(referee, f"1 stake {stake}", "2 stake 1")
    if rules.get("banker_doubles"):
        play(referee, "0 double")
    for _ in own_drawn:
        play(referee, "1 twist" if move == "twist" else f"1 buy {stake}")
    if referee.seat == 1:
        play(referee, "1 stick")
    if referee.seat == 2:
        play(referee, "2 stick")
    for _ in drawn:
        play(referee, "0 twist")
    if referee.seat == 0:
        play(referee, "0 stick")
    return net(referee)[1], stake * (1 + (len(own_drawn) if move == "buy" else 0))


@pytest.mark.parametrize(
    ("banker", "player", "times"),
    [
        (PONTOON, ("AQ", ""), -2),
        (PONTOON, ("KQ", ""), -2),
        (PONTOON, ("97", ""), -2),
        (TRICK, ("AQ", ""), 2),
        (TRICK, ("22", "35A"), -2),
        (TRICK, ("K5", "6"), -2),
        (TRICK, ("K5", "5"), -2),
        (TRICK, ("K5", "2"), -2),
        (("T8", ""), ("AQ", ""), 2),
        (("T8", ""), ("22", "35A"), 2),
        (("T8", ""), ("K5", "4"), 1),
        (("T8", ""), ("K5", "3"), -1),
        (("T8", ""), ("K5", "2"), -1),
        (("T5", "6"), ("AQ", ""), 2),
        (("T5", "6"), ("22", "35A"), 2),
        (("T5", "6"), ("K5", "6"), -1),
        (BUST, ("AQ", ""), 2),
        (BUST, ("22", "35A"), 2),
        (BUST, ("K5", "6"), 1),
        (BUST, ("K5", "2"), 1),
    ],
)
def test_settlement_follows_the_table(
    banker: tuple[str, str], player: tuple[str, str], times: int
) -> None:
    """P30: every cell, in total stakes."""
    change, total = times_paid(banker, player)
    assert change == times * total


@pytest.mark.parametrize(
    ("banker", "player", "times", "rules"),
    [
        (PONTOON, "pontoon", -1, {"banker_pontoon_collects": 1}),
        (PONTOON, "pontoon", 0, {"both_pontoon": 0}),
        (PONTOON, "pontoon", -1, {"both_pontoon": -1}),
        (PONTOON, ("97", ""), -2, {"both_pontoon": 0}),
        (PONTOON, "pontoon", -2, {"both_pontoon": -1, "banker_doubles": True}),
        (PONTOON, ("97", ""), -2, {"banker_doubles": True}),
        (PONTOON, "pontoon", -2, {"ties": "push"}),
        (("T8", ""), "pontoon", 3, {"pontoon_pays": 3}),
        (("T8", ""), "pontoon", 3, {"pontoon_pays": 3, "banker_doubles": True}),
        (("T8", ""), "pontoon", 2, {"pontoon_pays": 1, "banker_doubles": True}),
        (("T8", ""), ("K5", "2"), -2, {"banker_doubles": True}),
        (("T8", ""), ("K5", "4"), 2, {"banker_doubles": True}),
        (("T8", ""), ("K5", "K"), -2, {"banker_doubles": True}),
        (("T8", ""), ("K5", "3"), 0, {"ties": "push"}),
        (TRICK, "trick", 0, {"ties": "push"}),
        (TRICK, "trick", -1, {"banker_trick_collects": 1}),
        (TRICK, ("K5", "6"), -2, {"banker_trick_collects": 1, "banker_doubles": True}),
        (("T8", ""), "trick", 1, {"trick_pays": 1}),
        (("T8", ""), "trick", 2, {"trick_pays": 1.5, "banker_doubles": True}),
        (TRICK, "pontoon", -2, {"trick_beats_pontoon": True}),
        (TRICK, "pontoon", -1, {"trick_beats_pontoon": True, "banker_trick_collects": 1}),
        (BUST, "pontoon", 2, {"trick_beats_pontoon": True}),
        (TRICK, "royal", 3, {"royal": True}),
        (BUST, "royal", 3, {"royal": True, "banker_doubles": True}),
        (TRICK, "royal", -2, {}),
    ],
)
def test_settlement_follows_the_variations(
    banker: tuple[str, str], player: tuple[str, str] | str, times: int, rules: dict[str, Any]
) -> None:
    """P30 as changed by the fields of payment, in total stakes."""
    change, total = times_paid(
        banker, NAMED[player] if isinstance(player, str) else player, **rules
    )
    assert change == times * total


def test_one_and_a_half_times_is_rounded_down() -> None:
    """trick_pays: to the chip."""
    assert times_paid(("T8", ""), NAMED["trick"], move="twist", stake=11, trick_pays=1.5) == (
        16,
        11,
    )


# Variations of play.


def test_a_split_pontoon_can_be_paid_once() -> None:
    """split_pontoon=once: in rank, so that it beats 21."""
    referee = table(["T5", "AA"], "K9" + "6", split_pontoon="once")
    play(referee, "1 stake 10", "1 split", "1 stick", "0 twist")
    assert net(referee) == [0, 0]
    assert len(lines(referee, "declare")) == 1


@pytest.mark.parametrize(("soft21_draws", "asked"), [(True, 2), (False, 1)])
def test_a_plain_split_pontoon_is_a_soft_21(soft21_draws: bool, asked: int) -> None:
    """split_pontoon=plain: not declared, no shuffle, loses to the banker's 21."""
    rules = {"split_pontoon": "plain", "soft21_draws": soft21_draws, "deals": 2}
    referee = table(["T5", "AA"], "K9" + "6", **rules)
    play(referee, "1 stake 10", "1 split", *["1 stick"] * asked, "0 twist", "0 pass")
    assert net(referee) == [20, -20]
    assert not lines(referee, "declare")
    assert not lines(referee, "shuffle")


def test_split_aces_can_close_on_one_card_each() -> None:
    """split_aces_one_card: below stick_min too, and they are not split again."""
    referee = table(["T8", "AA"], "A2", split_aces_one_card=True)
    play(referee, "1 stake 10", "1 split", "0 stick")
    assert net(referee) == [20, -20]


def test_a_burnt_hand_goes_under_and_its_pontoon_is_a_natural() -> None:
    """burn: declared at once, wins the bank; the burnt cards are known to all."""
    referee = table(["T8", "67", "KQ"], "AK", burn="13", deals=2)
    play(referee, "1 stake 10", "2 stake 10")
    assert set(referee.legal()) == {"burn", "twist", "buy"}
    play(referee, "1 burn")
    assert ranks(referee.pack[-2:]) == "67"
    assert ranks(referee.view(2)["known_below"]) == "67"
    assert len(lines(referee, "declare")) == 1
    play(referee, "2 stick", "0 stick")
    assert net(referee) == [-30, 20, 10]
    assert referee.banker == 1


def test_a_hand_is_burnt_once_and_repeated_as_often_as_agreed() -> None:
    """burn, burn_repeat."""
    referee = table(["T8", "67"], "58" + "94" + "67", burn="13", burn_repeat=1)
    play(referee, "1 stake 10", "1 burn", "1 burn")
    assert set(referee.legal()) == {"twist", "buy"}


def test_a_certain_fifth_card_cannot_be_bought() -> None:
    """no_certain_fifth: four cards of 11 or less with aces as 1 may only twist."""
    referee = table(["T8", "A2"], "34", no_certain_fifth=True)
    play(referee, "1 stake 10", "1 buy 20", "1 buy 20")
    assert set(referee.legal()) == {"stick", "twist"}


def test_a_fixed_banker_is_not_asked() -> None:
    """banker_rule: below N it draws, on a soft N too with `soft`."""
    for rule, drawn in [("stick17", 0), ("stick17soft", 2)]:
        referee = table(["A6", "KQ"], "K2", banker_rule=rule)
        play(referee, "1 stake 10", "1 stick")
        cards = lines(referee, "settle")[0]["shown"][0][0]
        assert ranks(cards) == ("A6", None, "A6K")[drawn]


def test_refused_naturals_leave_the_bank_to_be_sold() -> None:
    """bank_refusable: asked from the banker's left; then P34, and P32 all the same."""
    referee = table(["T8", "AK", "AQ"], deals=2, bank_refusable=True)
    play(referee, "1 stake 10", "2 stake 10")
    assert referee.legal() == {"accept": None, "refuse": None}
    play(referee, "1 refuse", "2 refuse", "0 offer 70", "1 pass", "2 accept")
    bank = {"line": "bank", "seat": 2, "reason": "sale", "chips": 70, "kitty_taken": 0}
    assert bank in referee.lines
    assert referee.chips == [30, 20, -50]
    assert lines(referee, "shuffle")


def test_rotation_passes_the_bank_and_its_kitty_to_the_left() -> None:
    """bank_passes=rotation, S11: after a banker's pontoon too."""
    referee = table(["AK", "97"], shoot=True, deals=2, bank_passes="rotation", bank_sale=False)
    play(referee, "0 kitty 20", "1 stake 5", "1 shoot 5")
    bank = {"line": "bank", "seat": 1, "reason": "rotation", "chips": None, "kitty_taken": 25}
    assert bank in referee.lines
    assert (referee.seat, referee.legal()) == (1, {"kitty": (1, 1000)})


def test_an_auction_goes_to_the_highest_bid_nearest_on_the_left() -> None:
    """S10, P26: sealed while it lasts, then all bids are seen."""
    referee = table(["T8", "T9", "T7", "T7"], shoot=True, deals=2, bank_sale=False)
    play(referee, "0 kitty 5", *(f"{seat} stake 1" for seat in (1, 2, 3)))
    play(referee, "1 shoot 5", "2 pass", "3 pass", "1 stick", "2 stick", "3 stick", "0 stick")
    play(referee, "0 auction", "1 pass", "2 bid 9")
    assert referee.view(2)["bids"] == [None, None, 9, None]
    assert referee.view(3)["bids"] == [None, None, None, None]
    play(referee, "3 bid 9")
    assert referee.view(1)["bids"] == [None, 0, 9, 9]
    assert (referee.banker, referee.seat) == (2, 2)
    play(referee, "2 kitty 3")
    assert (referee.kitty, sum(referee.chips)) == (3, -3)


def test_without_a_bid_the_banker_must_form_a_kitty() -> None:
    """S10."""
    referee = table(["T8", "T9"], shoot=True, deals=2, bank_sale=False)
    play(referee, "0 kitty 5", "1 stake 1", "1 shoot 5", "1 stick", "0 stick")
    play(referee, "0 auction", "1 pass")
    assert (referee.seat, referee.legal()) == (0, {"kitty": (1, 1000)})


def test_a_kitty_that_is_not_dry_may_be_added_to_once() -> None:
    """S9, P37: after the sale, up to max_kitty, also above it in sum."""
    referee = table(["T8", "T9"], shoot=True, deals=2, max_kitty=40)
    play(referee, "0 kitty 40", "1 stake 1", "1 pass", "1 stick", "0 stick", "0 pass")
    assert referee.legal() == {"kitty": (1, 40), "pass": None}
    play(referee, "0 kitty 40")
    assert (referee.kitty, referee.chips) == (80, [-81, 1])
    assert lines(referee, "deal")[1]["kitty"] == 80


@pytest.mark.parametrize(
    ("rules", "split"),
    [
        ({}, True),
        ({"split": "aces"}, False),
        ({"split": "none"}, False),
        ({"max_hands": 2}, True),
    ],
)
def test_a_pair_is_split_only_where_the_rules_let_it(rules: dict[str, Any], split: bool) -> None:
    """P16, split, max_hands: and a king and a queen are no pair."""
    referee = table(["T8", "KK", "KQ"], "KA", **rules)
    play(referee, "1 stake 10", "2 stake 10")
    assert ("split" in referee.legal()) == split
    if split:
        play(referee, "1 split")
        assert ("split" in referee.legal()) == (rules == {})
    else:
        play(referee, "1 stick")
        assert "split" not in referee.legal()


@pytest.mark.parametrize(("stick_min", "sticks"), [(15, True), (16, False)])
def test_a_hand_sticks_from_the_agreed_minimum_on(stick_min: int, sticks: bool) -> None:
    """P22, stick_min: a soft total counts its ace as 11."""
    referee = table(["T8", "A4"], stick_min=stick_min)
    play(referee, "1 stake 10")
    assert ("stick" in referee.legal()) == sticks


def test_a_finished_hand_does_not_tell_whether_it_stuck() -> None:
    """P24, P26: closed on 21 looks like sticking; bought cards stay hidden, twisted ones not."""
    referee = table(["T8", "T6", "T5", "T7"], "56")
    play(referee, "1 stake 1", "2 stake 1", "3 stake 1", "1 buy 1", "2 twist")
    seats = referee.view(3)["seats"]
    assert [seat["hands"][0]["status"] for seat in seats] == [
        "open",
        "finished",
        "finished",
        "open",
    ]
    assert seats[1]["hands"][0]["cards"] == [None, None, None]
    assert seats[2]["hands"][0]["cards"] == [None, None, "6d"]


def test_a_declared_pontoon_shows_its_ace_alone() -> None:
    """P15, P26."""
    referee = table(["T8", "KA", "T9"])
    play(referee, "1 stake 1", "2 stake 1")
    assert referee.view(2)["seats"][1]["hands"][0]["cards"] == [None, "Ac"]


def test_cards_gathered_in_random_order_are_unknown_but_bust_hands_are_known() -> None:
    """P25, P31, under_pack=random."""
    referee = table(["T8", "T6", "T9"], "K", under_pack="random", deals=2)
    play(referee, "1 stake 1", "2 stake 1", "1 twist", "2 stick", "0 stick")
    view = referee.view(1)
    assert [card and card[0] for card in view["known_below"]] == ["T", "6", "K", *[None] * 4]
    assert view["unknown_above"] == 52 - 7


def test_an_empty_pack_closes_a_hand_that_must_draw() -> None:
    """P35: one that may stick is still asked, and the banker stays."""
    given = {**DEFAULT_RULES, "seats": 3, "deals": 1}
    pack = ["2c", "Kc", "8c", "2d", "Qc", "9c"]
    chance = SeededChance(random.Random(1))
    referee = Referee(given, banker=0, pack=pack, chance=chance)
    play(referee, "1 stake 100", "2 stake 100")
    assert (referee.seat, referee.legal()) == (2, {"stick": None})
    play(referee, "2 stick")
    assert net(referee) == [0, -100, 100]


def test_the_banker_sees_the_first_card_only_where_doubling_is_asked() -> None:
    """P11, P13, banker_doubles."""
    referee = table(["T8", "97"], banker_doubles=True)
    assert referee.view(0)["seats"][0]["hands"][0]["cards"] == [None]
    assert referee.view(1)["seats"][1]["hands"][0]["cards"] == ["9c"]
    play(referee, "1 stake 10")
    assert referee.view(0)["seats"][0]["hands"][0]["cards"] == ["Tc"]
    assert referee.view(1)["seats"][0]["hands"][0]["cards"] == [None]
    play(referee, "0 double")
    assert referee.view(1)["doubled"]


def test_an_illegal_move_is_refused_and_changes_nothing() -> None:
    """P12: so for amounts outside the limits, missing, superfluous, and for unknown moves."""
    referee = table(["T8", "97"])
    before = (referee.view(1), list(referee.lines))
    for move, chips in [("stake", 0), ("stake", 1001), ("stake", None), ("twist", None)]:
        with pytest.raises(ValueError, match=r"is illegal|takes 1 to 1000"):
            referee.act(move, chips)
    assert (referee.view(1), referee.lines) == before
    play(referee, "1 stake 10")
    with pytest.raises(ValueError, match="takes no chips"):
        referee.act("stick", 3)


# Random sessions.


def random_answer(referee: Referee, rng: random.Random) -> tuple[str, int | None]:
    """A random legal move, its chips at a limit or between them."""
    move, limits = rng.choice(sorted(referee.legal().items(), key=lambda item: item[0]))
    return move, rng.choice([*limits, rng.randint(*limits)]) if limits else None


def check_cards(referee: Referee) -> None:
    """Every card is in the pack or in one live hand (P25, P31)."""
    if referee.rules["packs"] == "infinite":
        assert referee.pack == []
        return
    cards = Counter(referee.pack)
    for seat in referee.table:
        for hand in seat.hands:
            if hand.status != "bust":
                cards.update(hand.cards)
    assert cards == Counter(full_pack(referee.rules["packs"]))


def check_view(referee: Referee, viewer: int) -> None:
    """What is known of the pack is true, and nothing hidden shows in the view (P26)."""
    view = referee.view(viewer)
    known = view["known_below"]
    assert view["unknown_above"] + len(known) == len(referee.pack)
    place = view["unknown_above"]
    for card in known:
        assert card is None or card == referee.pack[place]
        place += 1
    # Blank out every card that lies face down before the viewer: the view must not change.
    pack, hidden = referee.pack, []
    referee.pack = ["??"] * len(pack)
    for owner, seat in enumerate(referee.table):
        for hand in seat.hands:
            hidden.append((hand, hand.cards))
            # The banker has not looked at a lone first card unless asked to double (P11).
            looked = len(hand.cards) > 1 or referee.rules["banker_doubles"]
            seen = owner == viewer and (owner != referee.banker or looked)
            hand.cards = [
                card if up or seen else "??" for card, up in zip(hand.cards, hand.up, strict=True)
            ]
    assert referee.view(viewer) == view
    referee.pack = pack
    for hand, cards in hidden:
        hand.cards = cards


class Recorded:
    """The chance of a recorded session, read back from its lines."""

    def __init__(self, history: list[dict[str, Any]]) -> None:
        self.shuffles = [line["pack"] for line in history if line["line"] == "shuffle"]
        self.cards = [line["card"] for line in history if line["line"] == "card"]
        self.settled = [line["pack"] for line in history if line["line"] == "settle"]

    def shuffled_pack(self) -> list[Card]:
        """The next recorded shuffle."""
        pack: list[Card] = self.shuffles.pop(0)
        return pack

    def card(self) -> Card:
        """The next recorded card."""
        card: Card = self.cards.pop(0)
        return card

    def gathered(self, cards: list[Card]) -> list[Card]:
        """The bottom of the next recorded pack."""
        pack: list[Card] = self.settled.pop(0)
        return pack[-len(cards) :]


@pytest.mark.parametrize("seed", range(400))
def test_random_sessions_keep_the_money_and_the_cards_together(seed: int) -> None:
    """P4, P31, S8, P5: and the hand history replays to itself."""
    rng = random.Random(seed)
    rules = random_rules(rng)
    chance = SeededChance(rng, rules["packs"])
    pack, banker = chance.shuffled_pack(), rng.randrange(rules["seats"])
    referee = Referee(rules, banker=banker, pack=pack, chance=chance, seed=seed)
    while referee.seat is not None:
        assert sum(referee.chips) + referee.kitty == 0
        assert 0 <= referee.outstanding <= referee.kitty
        assert referee.legal()
        check_cards(referee)
        check_view(referee, rng.randrange(rules["seats"]))
        referee.act(*random_answer(referee, rng))
    assert sum(referee.chips) == referee.kitty == 0
    assert referee.lines[-1] == {"line": "end", "net": referee.chips}
    assert len(lines(referee, "settle")) == rules["deals"]

    first = referee.lines[0]
    replayed = Referee(
        first["rules"],
        banker=first["banker"],
        pack=first["pack"],
        chance=Recorded(referee.lines),
        seed=seed,
    )
    for line in lines(referee, "decision"):
        assert (replayed.seat, replayed.hand) == (line["seat"], line["hand"])
        replayed.act(line["move"], line["chips"])
    assert replayed.lines == referee.lines


def test_a_deals_net_sums_to_what_its_shoot_bets_took_from_the_kitty() -> None:
    """P4, S7: zero over the seats and the change of the kitty."""
    for seed in range(50):
        rng = random.Random(seed)
        rules = random_rules(rng, shoot=True)
        chance = SeededChance(rng, rules["packs"])
        referee = Referee(rules, banker=0, pack=chance.shuffled_pack(), chance=chance)
        while referee.seat is not None:
            referee.act(*random_answer(referee, rng))
        for deal, settle in zip(lines(referee, "deal"), lines(referee, "settle"), strict=True):
            assert sum(settle["net"]) + settle["kitty"] - deal["kitty"] == 0
