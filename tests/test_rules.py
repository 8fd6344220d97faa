"""The rules, from stacked packs: every script is played by the engine and by the naive referee.

Seat 0 is the first banker of every scripted deal, so seats are dealt to in the order 1, 2, .., 0.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.scripted import MakeTable, lines, names_after_settlement, net, play, ranks


def test_example_1_a_bankers_pontoon_takes_twice_every_stake(table: MakeTable) -> None:
    """P14, P32, P33: a player's pontoon pays too, the bank stays, the pack is shuffled."""
    game = table(["AK", "97", "AT", "66"], deals=2)
    play(game, "1 stake 5", "2 stake 10", "3 stake 2")
    assert net(game) == [34, -10, -20, -4]
    assert not lines(game, "declare")
    shown = lines(game, "settle")[0]["shown"]
    assert [ranks(hand) for seat in shown for hand in seat] == ["AK", "97", "AT", "66"]
    play(game, "0 pass")
    assert game.banker == 0
    assert names_after_settlement(game)[:3] == ["decision", "shuffle", "deal"]


def test_example_2_a_bankers_trick_takes_twice_and_the_natural_wins_the_bank(
    table: MakeTable,
) -> None:
    """P15, P20, P30, P33: the trick of a player loses the tie, the pontoon wins."""
    game = table(["23", "AQ", "24", "KT", "K6"], "3A6" + "Q" + "456", deals=2)
    play(game, "1 stake 10", "2 stake 10", "3 stake 4", "4 stake 6")
    play(game, "2 buy 20", "2 buy 15", "2 buy 10", "3 stick", "4 twist")
    play(game, "0 twist", "0 twist", "0 twist")
    assert net(game) == [104, 20, -110, -8, -6]
    assert game.banker == 1
    assert names_after_settlement(game)[:3] == ["bank", "shuffle", "deal"]
    assert lines(game, "bank") == [
        {"line": "bank", "seat": 1, "reason": "natural", "chips": None, "kitty_taken": 0}
    ]


def test_example_3_the_banker_wins_ties_and_there_is_no_shuffle(table: MakeTable) -> None:
    """P7, P30, P31: a hard 21 closes by itself, an equal total loses."""
    game = table(["T9", "23", "KQ", "T8", "95"], "4T7", deals=2)
    play(game, *(f"{seat} stake 10" for seat in (1, 2, 3, 4)))
    play(game, "1 twist", "1 twist", "1 stick", "2 stick", "3 stick", "4 twist", "0 stick")
    assert net(game) == [0, -10, 10, -10, 10]
    play(game, "0 pass")
    assert not lines(game, "shuffle")


def test_example_4_each_price_is_at_most_the_one_before(table: MakeTable) -> None:
    """P20, P23: the ladder of prices, and a five-card trick of five stakes."""
    game = table(["T8", "35"], "234")
    play(game, "1 stake 10")
    assert game.legal() == {"twist": None, "buy": (10, 20)}
    play(game, "1 buy 17")
    assert game.legal()["buy"] == (10, 17)
    play(game, "1 buy 12")
    assert game.legal()["buy"] == (10, 12)
    play(game, "1 buy 11", "0 stick")
    assert net(game) == [-100, 100]


def test_example_5_a_bust_is_final(table: MakeTable) -> None:
    """P25: the banker's later bust does not help a bust hand."""
    game = table(["K6", "56", "T7"], "3KQ")
    play(game, "1 stake 10", "2 stake 10", "1 buy 10", "1 twist", "2 stick", "0 twist")
    assert net(game) == [10, -20, 10]


def test_example_6_a_split_pontoon_is_paid_twice_but_never_wins_the_bank(table: MakeTable) -> None:
    """P17, P18, P19: re-split hands stand in place; the pack is shuffled."""
    game = table(["T7", "KK"], "K9" + "KA" + "57", deals=2)
    play(game, "1 stake 5", "1 split", "1 split", "1 split")
    assert "split" not in game.legal()
    play(game, "1 stick", "1 stick", "1 stick", "0 stick")
    assert net(game) == [-5, 5]
    shown = lines(game, "settle")[0]["shown"]
    assert [ranks(hand) for hand in shown[1]] == ["K5", "K7", "KA", "K9"]
    assert lines(game, "declare") == [{"line": "declare", "seat": 1, "hand": 2}]
    hands = [line["hand"] for line in lines(game, "decision") if line["move"] == "stick"]
    assert hands == [0, 1, 3, 0]
    play(game, "0 pass")
    assert game.banker == 0
    assert lines(game, "shuffle")


def test_example_7_where_all_are_bust_the_banker_draws_nothing(table: MakeTable) -> None:
    """P25, P29, P31: the bust hands lie under the pack in the order of busting."""
    game = table(["89", "T6", "95", "Q4"], "K89")
    play(game, "1 stake 10", "2 stake 10", "3 stake 5", "1 twist", "2 buy 20", "3 twist")
    assert net(game) == [45, -10, -30, -5]
    assert ranks(lines(game, "settle")[0]["pack"])[-11:] == "T6K" + "958" + "Q49" + "89"
    shown = lines(game, "settle")[0]["shown"]
    assert [[ranks(hand) for hand in seat] for seat in shown] == [["89"], [], [], []]
    assert names_after_settlement(game) == ["end"]


@pytest.mark.parametrize(("last", "change"), [("stick", -10), ("twist", 20)])
def test_example_8_a_soft_21_in_four_may_draw_a_fifth(
    table: MakeTable, last: str, change: int
) -> None:
    """P24: it counts the ace as 1 and so cannot bust."""
    game = table(["K5", "A2"], "35" + ("K" if last == "twist" else "") + "6")
    play(game, "1 stake 10", "1 twist", "1 twist")
    assert game.legal() == {"stick": None, "twist": None}
    play(game, f"1 {last}", "0 twist")
    assert net(game) == [-change, change]


def test_example_9_a_bust_feeds_the_kitty(table: MakeTable) -> None:
    """S2, S4, S6, S7, S10: later hands may shoot more; then the kitty is dry."""
    game = table(["T8", "T6", "45", "28"], "K" + "46" + "47", shoot=True, deals=2)
    play(game, "0 kitty 20", "1 stake 5", "2 stake 5", "3 stake 5")
    assert game.legal() == {"shoot": (1, 20), "pass": None}
    play(game, "1 shoot 20")
    assert game.legal() == {"pass": None}
    play(game, "2 pass", "3 pass", "1 twist")
    assert game.kitty == 40
    play(game, "2 twist")
    assert game.legal()["shoot"] == (1, 40)
    play(game, "2 shoot 40")
    assert set(game.legal()) == {"twist"}
    play(game, "2 twist", "2 stick", "3 twist")
    assert set(game.legal()) == {"twist"}
    play(game, "3 twist", "0 stick")
    assert net(game) == [-5, -25, 45, 5]
    assert game.kitty == 0
    play(game, "0 pass")
    assert game.legal() == {"kitty": (1, 1000), "auction": None}


def test_example_10_a_shoot_bet_stays_with_the_first_half_of_a_split(table: MakeTable) -> None:
    """S4, S5, S6: a new one may lie on the other half, and one before its fourth card."""
    game = table(["T9", "99", "TQ"], "T2" + "3K", shoot=True)
    play(game, "0 kitty 30", "1 stake 10", "2 stake 10", "1 shoot 10", "2 pass")
    play(game, "1 split")
    assert (game.hand, game.legal()) == (1, {"shoot": (1, 20), "pass": None})
    play(game, "1 shoot 5", "1 stick", "1 twist")
    assert (game.hand, game.legal()["shoot"]) == (1, (1, 15))
    play(game, "1 shoot 15", "1 twist")
    assert game.kitty == 50
    play(game, "2 stick", "0 stick")
    assert net(game) == [10, -50, 10]
    assert lines(game, "settle")[0]["kitty"] == 60


def test_example_11_shoot_bets_are_paid_one_to_one(table: MakeTable) -> None:
    """S7, S11: a pontoon doubles its stake only; its holder forms the next kitty."""
    game = table(["KQ", "AK", "23"], "456", shoot=True, deals=2)
    play(game, "0 kitty 15", "1 stake 10", "2 stake 4", "1 shoot 15", "2 pass")
    play(game, "2 twist", "2 twist", "2 twist", "0 stick")
    assert net(game) == [-28, 35, 8]
    assert game.kitty == 0
    assert (game.seat, game.legal()) == (1, {"kitty": (1, 1000)})


def test_example_12_a_bankers_pontoon_takes_the_shoot_bets_once(table: MakeTable) -> None:
    """P14, S3: they go into the kitty."""
    game = table(["AK", "97", "A9", "66"], shoot=True)
    play(game, "0 kitty 20", "1 stake 5", "2 stake 5", "3 stake 5", "1 shoot 12")
    assert game.legal()["shoot"] == (1, 8)
    play(game, "2 shoot 8", "3 pass")
    assert net(game) == [30, -22, -18, -10]
    assert lines(game, "settle")[0]["kitty"] == 40
    assert lines(game, "end")[0]["net"] == [50, -22, -18, -10]


PONTOON, TRICK, BUST = ("AK", ""), ("23", "456"), ("T6", "K")


NAMED = {"pontoon": ("AQ", ""), "trick": ("22", "35A"), "royal": ("77", "7")}


def times_paid(
    table: MakeTable,
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
    game = table([held, own, "JJ"], own_drawn + drawn, **rules)
    play(game, f"1 stake {stake}", "2 stake 1")
    if rules.get("banker_doubles"):
        play(game, "0 double")
    for _ in own_drawn:
        play(game, "1 twist" if move == "twist" else f"1 buy {stake}")
    if game.seat == 1:
        play(game, "1 stick")
    if game.seat == 2:
        play(game, "2 stick")
    for _ in drawn:
        play(game, "0 twist")
    if game.seat == 0:
        play(game, "0 stick")
    return net(game)[1], stake * (1 + (len(own_drawn) if move == "buy" else 0))


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
    table: MakeTable, banker: tuple[str, str], player: tuple[str, str], times: int
) -> None:
    """P30: every cell, in total stakes."""
    change, total = times_paid(table, banker, player)
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
    table: MakeTable,
    banker: tuple[str, str],
    player: tuple[str, str] | str,
    times: int,
    rules: dict[str, Any],
) -> None:
    """P30 as changed by the fields of payment, in total stakes."""
    change, total = times_paid(
        table, banker, NAMED[player] if isinstance(player, str) else player, **rules
    )
    assert change == times * total


def test_one_and_a_half_times_is_rounded_down(table: MakeTable) -> None:
    """trick_pays: to the chip."""
    assert times_paid(
        table, ("T8", ""), NAMED["trick"], move="twist", stake=11, trick_pays=1.5
    ) == (
        16,
        11,
    )


def test_a_split_pontoon_can_be_paid_once(table: MakeTable) -> None:
    """split_pontoon=once: in rank, so that it beats 21."""
    game = table(["T5", "AA"], "K9" + "6", split_pontoon="once")
    play(game, "1 stake 10", "1 split", "1 stick", "0 twist")
    assert net(game) == [0, 0]
    assert len(lines(game, "declare")) == 1


@pytest.mark.parametrize(("soft21_draws", "asked"), [(True, 2), (False, 1)])
def test_a_plain_split_pontoon_is_a_soft_21(
    table: MakeTable, soft21_draws: bool, asked: int
) -> None:
    """split_pontoon=plain: not declared, no shuffle, loses to the banker's 21."""
    rules = {"split_pontoon": "plain", "soft21_draws": soft21_draws, "deals": 2}
    game = table(["T5", "AA"], "K9" + "6", **rules)
    play(game, "1 stake 10", "1 split", *["1 stick"] * asked, "0 twist", "0 pass")
    assert net(game) == [20, -20]
    assert not lines(game, "declare")
    assert not lines(game, "shuffle")


def test_split_aces_can_close_on_one_card_each(table: MakeTable) -> None:
    """split_aces_one_card: below stick_min too, and they are not split again."""
    game = table(["T8", "AA"], "A2", split_aces_one_card=True)
    play(game, "1 stake 10", "1 split", "0 stick")
    assert net(game) == [20, -20]


def test_a_hand_is_burnt_once_and_repeated_as_often_as_agreed(table: MakeTable) -> None:
    """burn, burn_repeat."""
    game = table(["T8", "67"], "58" + "94" + "67", burn="13", burn_repeat=1)
    play(game, "1 stake 10", "1 burn", "1 burn")
    assert set(game.legal()) == {"twist", "buy"}


def test_a_certain_fifth_card_cannot_be_bought(table: MakeTable) -> None:
    """no_certain_fifth: four cards of 11 or less with aces as 1 may only twist."""
    game = table(["T8", "A2"], "34", no_certain_fifth=True)
    play(game, "1 stake 10", "1 buy 20", "1 buy 20")
    assert set(game.legal()) == {"stick", "twist"}


def test_a_fixed_banker_is_not_asked(table: MakeTable) -> None:
    """banker_rule: below N it draws, on a soft N too with `soft`."""
    for rule, drawn in [("stick17", 0), ("stick17soft", 2)]:
        game = table(["A6", "KQ"], "K2", banker_rule=rule)
        play(game, "1 stake 10", "1 stick")
        cards = lines(game, "settle")[0]["shown"][0][0]
        assert ranks(cards) == ("A6", None, "A6K")[drawn]


def test_refused_naturals_leave_the_bank_to_be_sold(table: MakeTable) -> None:
    """bank_refusable: asked from the banker's left; then P34, and P32 all the same."""
    game = table(["T8", "AK", "AQ"], deals=2, bank_refusable=True)
    play(game, "1 stake 10", "2 stake 10")
    assert game.legal() == {"accept": None, "refuse": None}
    play(game, "1 refuse", "2 refuse", "0 offer 70", "1 pass", "2 accept")
    bank = {"line": "bank", "seat": 2, "reason": "sale", "chips": 70, "kitty_taken": 0}
    assert bank in game.lines
    assert game.chips == [30, 20, -50]
    assert lines(game, "shuffle")


def test_rotation_passes_the_bank_and_its_kitty_to_the_left(table: MakeTable) -> None:
    """bank_passes=rotation, S11: after a banker's pontoon too."""
    game = table(["AK", "97"], shoot=True, deals=2, bank_passes="rotation", bank_sale=False)
    play(game, "0 kitty 20", "1 stake 5", "1 shoot 5")
    bank = {"line": "bank", "seat": 1, "reason": "rotation", "chips": None, "kitty_taken": 25}
    assert bank in game.lines
    assert (game.seat, game.legal()) == (1, {"kitty": (1, 1000)})


def test_without_a_bid_the_banker_must_form_a_kitty(table: MakeTable) -> None:
    """S10."""
    game = table(["T8", "T9"], shoot=True, deals=2, bank_sale=False)
    play(game, "0 kitty 5", "1 stake 1", "1 shoot 5", "1 stick", "0 stick")
    play(game, "0 auction", "1 pass")
    assert (game.seat, game.legal()) == (0, {"kitty": (1, 1000)})


def test_a_kitty_that_is_not_dry_may_be_added_to_once(table: MakeTable) -> None:
    """S9, P37: after the sale, up to max_kitty, also above it in sum."""
    game = table(["T8", "T9"], shoot=True, deals=2, max_kitty=40)
    play(game, "0 kitty 40", "1 stake 1", "1 pass", "1 stick", "0 stick", "0 pass")
    assert game.legal() == {"kitty": (1, 40), "pass": None}
    play(game, "0 kitty 40")
    assert (game.kitty, game.chips) == (80, [-81, 1])
    assert lines(game, "deal")[1]["kitty"] == 80


@pytest.mark.parametrize(
    ("rules", "split"),
    [
        ({}, True),
        ({"split": "aces"}, False),
        ({"split": "none"}, False),
        ({"max_hands": 2}, True),
    ],
)
def test_a_pair_is_split_only_where_the_rules_let_it(
    table: MakeTable, rules: dict[str, Any], split: bool
) -> None:
    """P16, split, max_hands: and a king and a queen are no pair."""
    game = table(["T8", "KK", "KQ"], "KA", **rules)
    play(game, "1 stake 10", "2 stake 10")
    assert ("split" in game.legal()) == split
    if split:
        play(game, "1 split")
        assert ("split" in game.legal()) == (rules == {})
    else:
        play(game, "1 stick")
        assert "split" not in game.legal()


@pytest.mark.parametrize(("stick_min", "sticks"), [(15, True), (16, False)])
def test_a_hand_sticks_from_the_agreed_minimum_on(
    table: MakeTable, stick_min: int, sticks: bool
) -> None:
    """P22, stick_min: a soft total counts its ace as 11."""
    game = table(["T8", "A4"], stick_min=stick_min)
    play(game, "1 stake 10")
    assert ("stick" in game.legal()) == sticks


def test_an_empty_pack_closes_a_hand_that_must_draw(table: MakeTable) -> None:
    """P35: one that may stick is still asked, and the banker stays."""
    pack = ["2c", "Kc", "8c", "2d", "Qc", "9c"]
    game = table(["", "", ""], pack=pack, min_stake=100)
    play(game, "1 stake 100", "2 stake 100")
    assert (game.seat, game.legal()) == (2, {"stick": None})
    play(game, "2 stick")
    assert net(game) == [0, -100, 100]


def test_a_burnt_hand_goes_under_and_its_pontoon_is_a_natural(table: MakeTable) -> None:
    """burn: declared at once, wins the bank."""
    game = table(["T8", "67", "KQ"], "AK", burn="13", deals=2)
    play(game, "1 stake 10", "2 stake 10")
    assert set(game.legal()) == {"burn", "twist", "buy"}
    play(game, "1 burn")
    assert ranks(game.pack[-2:]) == "67"
    assert len(lines(game, "declare")) == 1
    play(game, "2 stick", "0 stick")
    assert net(game) == [-30, 20, 10]
    assert game.banker == 1
