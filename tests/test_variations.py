"""The variations of section 3, field by field, from stacked packs, on engine and naive referee.

Every field has its value on, its value off, and a boundary or the meeting with another rule;
`CASES` at the end says which test holds which field. Expected chips were worked out by hand.
Seat 0 is the first banker of every scripted deal, so seats are dealt to in the order 1, 2, .., 0.
"""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import pytest

import tests.test_rules
from pontoon_env.rules import Rules
from tests.naive import full_pack
from tests.scripted import (
    MakeTable,
    case_names,
    drift,
    last_hands,
    lines,
    names_after_settlement,
    net,
    play,
    ranks,
    told,
)

case = pytest.param


def stakes(players: int) -> list[str]:
    """Ten chips from each player."""
    return [f"{seat} stake 10" for seat in range(1, players + 1)]


# seats, deals, packs


def test_two_seats_make_a_table(table: MakeTable) -> None:
    """P1, seats: one player and the banker."""
    game = table(["T8", "T9"])
    play(game, "1 stake 10", "1 stick", "0 stick")
    assert net(game) == [-10, 10]
    assert told(game) == ["1 stake", "1 stick", "0 stick"]


def test_eight_seats_make_a_table(table: MakeTable) -> None:
    """P1, P12, seats: the seven players stake first, then play, from the banker's left."""
    game = table(["T7", "T9", "T8", "J9", "J8", "Q9", "Q8", "K9"])
    play(game, *stakes(7), *(f"{seat} stick" for seat in range(1, 8)), "0 stick")
    assert net(game) == [-70, 10, 10, 10, 10, 10, 10, 10]


def test_a_session_ends_after_the_agreed_deals(table: MakeTable) -> None:
    """P5, P37, deals: nothing is asked after the last one, and its net goes into the sum."""
    game = table(["T8", "T9"], "98JJ", deals=2)
    play(game, "1 stake 10", "1 stick", "0 stick", "0 pass")
    play(game, "1 stake 30", "1 stick", "0 stick")
    assert (game.seat, game.legal()) == (None, {})
    assert [line["net"] for line in lines(game, "settle")] == [[-10, 10], [-30, 30]]
    assert game.lines[-1] == {"line": "end", "net": [-40, 40]}


def test_one_pack_is_dealt_through_before_its_first_card_comes_back(table: MakeTable) -> None:
    """P1, P31, packs: 52 different cards, then the first gathered: ace, two, four of seat 1."""
    game = table([""] * 6, pack=full_pack(), deals=8, shuffle="never", bank_sale=False)
    drift(game)
    cards = [line["card"] for line in lines(game, "card")]
    assert sorted(cards[:52]) == sorted(full_pack())
    assert cards[52:55] == ["Ac", "2h", "4c"]


def test_two_packs_let_a_hand_hold_five_aces(table: MakeTable) -> None:
    """P23, packs=2: which makes a trick, twice paid."""
    game = table(["T8", "AA"], "AAA", packs=2)
    play(game, "1 stake 10", "1 twist", "1 twist", "1 twist", "0 stick")
    assert last_hands(game)[1] == ["AAAAA"]
    assert net(game) == [-20, 20]
    assert len(lines(game, "settle")[0]["pack"]) == 104


def test_two_packs_are_shuffled_together(table: MakeTable) -> None:
    """P32, packs=2: each of the 52 cards twice."""
    game = table(["T8", "AK"], packs=2, deals=2)
    play(game, "1 stake 10")
    assert sorted(lines(game, "shuffle")[0]["pack"]) == sorted(full_pack(2))


def test_an_infinite_pack_is_never_gathered_nor_shuffled(table: MakeTable) -> None:
    """P31, P32, packs=infinite: pontoons or not."""
    game = table([""] * 8, packs="infinite", deals=60)
    drift(game)
    assert lines(game, "declare")
    assert not lines(game, "shuffle")
    assert [line["pack"] for line in lines(game, "session") + lines(game, "settle")] == [[]] * 61


def test_an_infinite_pack_deals_the_same_card_twice_in_one_deal(table: MakeTable) -> None:
    """packs=infinite: every card is drawn anew from all 52."""
    game = table([""] * 8, packs="infinite", deals=60)
    drift(game)
    starts = [number for number, line in enumerate(game.lines) if line["line"] == "deal"]
    twice = 0
    for start, stop in itertools.pairwise([*starts, len(game.lines)]):
        cards = [line["card"] for line in game.lines[start:stop] if line["line"] == "card"]
        twice += len(set(cards)) < len(cards)
    assert twice


# min_stake, max_stake, max_price


@pytest.mark.parametrize(
    ("rules", "bounds"),
    [
        case({"min_stake": 100}, (100, 1000), id="by default"),
        case({"min_stake": 5, "max_stake": 8}, (5, 8), id="own limits"),
        case({"min_stake": 7, "max_stake": 7}, (7, 7), id="equal limits"),
    ],
)
def test_a_stake_lies_within_its_limits(
    table: MakeTable, rules: dict[str, Any], bounds: tuple[int, int]
) -> None:
    """P3, P12, min_stake, max_stake: and staking is the only move."""
    game = table(["T8", "T9"], **rules)
    assert (game.seat, game.legal()) == (1, {"stake": bounds})


def test_a_bought_card_may_cost_more_than_the_stake_limit(table: MakeTable) -> None:
    """P3, P20, max_stake: it bounds initial stakes alone."""
    game = table(["T8", "23"], max_stake=10)
    play(game, "1 stake 10")
    assert game.legal()["buy"] == (10, 20)


@pytest.mark.parametrize(
    ("rules", "highest"),
    [
        case({}, 10_000, id="null"),
        case({"max_stake": 30}, 300, id="null beside low stakes"),
        case({"max_price": 50}, 50, id="below the stakes"),
        case({"max_price": 1}, 1, id="one chip"),
    ],
)
def test_the_bank_is_offered_for_a_price_within_its_limit(
    table: MakeTable, rules: dict[str, Any], highest: int
) -> None:
    """P34, max_price: null is ten times the highest stake."""
    game = table(["T8", "T9"], deals=2, **rules)
    play(game, "1 stake 10", "1 stick", "0 stick")
    assert (game.seat, game.legal()) == (0, {"offer": (1, highest), "pass": None})


def test_a_bid_has_the_limit_of_a_price(table: MakeTable) -> None:
    """S10, max_price: in the auction too, where there is no sale."""
    game = table(["T8", "T9"], shoot=True, deals=2, bank_sale=False, max_price=50)
    play(game, "0 kitty 5", "1 stake 10", "1 shoot 5", "1 stick", "0 stick", "0 auction")
    assert (game.seat, game.legal()) == (1, {"bid": (1, 50), "pass": None})


# shoot, min_kitty, max_kitty


def test_plain_pontoon_has_neither_kitty_nor_shoot_bets(table: MakeTable) -> None:
    """shoot=false: the first question is a stake, and a fourth card comes without a bet."""
    game = table(["T8", "23"], "4")
    assert (game.seat, game.legal()) == (1, {"stake": (1, 1000)})
    play(game, "1 stake 10", "1 twist")
    assert game.legal() == {"twist": None}
    assert lines(game, "deal")[0]["kitty"] == 0


@pytest.mark.parametrize(
    ("rules", "bounds"),
    [
        case({"min_stake": 100}, (100, 1000), id="null"),
        case({"min_kitty": 30}, (30, 1000), id="least"),
        case({"max_kitty": 40}, (1, 40), id="most"),
        case({"min_kitty": 40, "max_kitty": 40}, (40, 40), id="equal"),
        case({"min_kitty": 2000, "max_kitty": 3000}, (2000, 3000), id="above the stakes"),
    ],
)
def test_a_kitty_lies_within_its_limits(
    table: MakeTable, rules: dict[str, Any], bounds: tuple[int, int]
) -> None:
    """S1, min_kitty, max_kitty: null is the limit of the stakes; a kitty must be formed."""
    game = table(["T8", "T9"], shoot=True, **rules)
    assert (game.seat, game.legal()) == (0, {"kitty": bounds})


def test_a_kitty_is_added_to_from_one_chip_on(table: MakeTable) -> None:
    """S9, min_kitty: it bounds a new kitty alone, max_kitty what is added too."""
    game = table(["T8", "T9"], shoot=True, deals=2, min_kitty=30, max_kitty=40, bank_sale=False)
    play(game, "0 kitty 30", "1 stake 10", "1 pass", "1 stick", "0 stick")
    assert game.legal() == {"kitty": (1, 40), "pass": None}


def test_a_dry_kitty_is_formed_anew_within_the_limits(table: MakeTable) -> None:
    """S10, min_kitty, max_kitty."""
    game = table(["T8", "T9"], shoot=True, deals=2, min_kitty=30, max_kitty=40, bank_sale=False)
    play(game, "0 kitty 30", "1 stake 10", "1 shoot 30", "1 stick", "0 stick")
    assert game.legal() == {"kitty": (30, 40), "auction": None}


def test_a_shoot_bet_may_pass_the_limits_of_the_kitty(table: MakeTable) -> None:
    """S2, max_kitty: `K - O` alone bounds it, when the kitty has grown by lost bets."""
    game = table(["T8", "T6", "28"], "K4", shoot=True, max_kitty=40)
    play(game, "0 kitty 40", *stakes(2), "1 shoot 40", "2 pass", "1 twist", "2 twist")
    assert game.legal()["shoot"] == (1, 80)


# split, max_hands, split_aces_one_card


def test_any_pair_is_split_but_a_king_and_a_jack_are_none(table: MakeTable) -> None:
    """P16, split=any: of one rank, and not once it is drawn to."""
    game = table(["T8", "66", "KJ"], "5")
    play(game, *stakes(2))
    assert set(game.legal()) == {"split", "twist", "buy"}
    play(game, "1 twist")
    assert set(game.legal()) == {"stick", "twist"}
    play(game, "1 stick")
    assert set(game.legal()) == {"stick", "twist", "buy"}


def test_aces_alone_are_split_and_split_again(table: MakeTable) -> None:
    """P17, split=aces: kings are not."""
    game = table(["T8", "AA", "KK"], "A9" + "K8", split="aces")
    play(game, *stakes(2), "1 split")
    assert set(game.legal()) == {"split", "twist", "buy"}
    play(game, "1 split", "1 stick", "1 stick")
    assert (game.seat, set(game.legal())) == (2, {"stick", "twist", "buy"})


def test_no_pair_is_split_not_even_aces(table: MakeTable) -> None:
    """P16, split=none."""
    game = table(["T8", "AA", "KK"], "7", split="none")
    play(game, *stakes(2))
    assert set(game.legal()) == {"twist", "buy"}
    play(game, "1 twist", "1 stick")
    assert (game.seat, set(game.legal())) == (2, {"stick", "twist", "buy"})


def test_one_hand_at_most_means_no_split(table: MakeTable) -> None:
    """P17, max_hands=1."""
    game = table(["T8", "66"], max_hands=1)
    play(game, "1 stake 10")
    assert set(game.legal()) == {"twist", "buy"}


def test_three_hands_at_most_leave_a_third_pair_whole(table: MakeTable) -> None:
    """P17, max_hands=3: 20, a pontoon and 19 against 18."""
    game = table(["T8", "KK"], "K9" + "KA", max_hands=3)
    play(game, "1 stake 10", "1 split", "1 split")
    assert set(game.legal()) == {"stick", "twist", "buy"}
    play(game, "1 stick", "1 stick", "0 stick")
    assert net(game) == [-40, 40]


def test_each_player_has_the_most_hands_alone(table: MakeTable) -> None:
    """P17, max_hands=2: hands are counted by seat; 19 and 19 beat 18, 18 and 18 lose."""
    game = table(["T8", "99", "88"], "JQ" + "KT", max_hands=2)
    play(game, *stakes(2), "1 split", "1 stick", "1 stick")
    assert "split" in game.legal()
    play(game, "2 split", "2 stick", "2 stick", "0 stick")
    assert net(game) == [0, 20, -20]


def test_a_ten_on_one_card_aces_is_a_pontoon(table: MakeTable) -> None:
    """P19, P32, split_aces_one_card: declared and paid as one, 16 closes and loses; a shuffle."""
    game = table(["T8", "AA"], "K5", split_aces_one_card=True, deals=2)
    play(game, "1 stake 10", "1 split", "0 stick", "0 pass")
    assert told(game) == ["1 stake", "1 split", "0 stick", "0 pass"]
    assert lines(game, "declare") == [{"line": "declare", "seat": 1, "hand": 0}]
    assert net(game) == [-10, 10]
    assert len(lines(game, "shuffle")) == 1


def test_split_aces_play_on_like_other_hands(table: MakeTable) -> None:
    """P18, split_aces_one_card=false: under no special limit."""
    game = table(["T8", "AA"], "52")
    play(game, "1 stake 10", "1 split")
    assert (game.hand, game.legal()) == (0, {"stick": None, "twist": None, "buy": (10, 20)})
    play(game, "1 stick")
    assert (game.hand, game.legal()) == (1, {"twist": None, "buy": (10, 20)})


def test_other_pairs_are_not_held_to_one_card(table: MakeTable) -> None:
    """split_aces_one_card: of aces only; nine and five must draw, and nines are split again."""
    game = table(["T8", "99"], "59", split_aces_one_card=True)
    play(game, "1 stake 10", "1 split")
    assert (game.hand, set(game.legal())) == (0, {"twist", "buy"})
    play(game, "1 twist", "1 stick")
    assert (game.hand, set(game.legal())) == (1, {"stick", "split", "twist", "buy"})


# split_pontoon


def test_a_split_pontoon_is_paid_as_a_pontoon(table: MakeTable) -> None:
    """P19, split_pontoon=double, pontoon_pays=3: three times, and 20 against 17 once."""
    game = table(["T7", "AA"], "K9", pontoon_pays=3)
    play(game, "1 stake 10", "1 split", "1 stick", "0 stick")
    assert net(game) == [-40, 40]


def test_a_split_pontoon_paid_once_is_doubled_by_the_banker(table: MakeTable) -> None:
    """split_pontoon=once, banker_doubles: a payment of once becomes 2T, on both hands."""
    game = table(["T7", "AA"], "K9", split_pontoon="once", banker_doubles=True)
    play(game, "1 stake 10", "0 double", "1 split", "1 stick", "0 stick")
    assert net(game) == [-40, 40]


def test_split_pontoons_paid_once_leave_the_banker_nothing_to_do(table: MakeTable) -> None:
    """P29, split_pontoon=once: still in rank, so the banker is not asked; and a shuffle."""
    game = table(["T7", "AA"], "KQ", split_pontoon="once", deals=2, bank_sale=False)
    play(game, "1 stake 10", "1 split")
    assert told(game) == ["1 stake", "1 split"]
    assert net(game) == [-20, 20]
    assert names_after_settlement(game)[:2] == ["shuffle", "deal"]


def test_plain_split_pontoons_wait_for_the_banker(table: MakeTable) -> None:
    """P29, split_pontoon=plain: a 21 that the banker could still equal."""
    game = table(["T7", "AA"], "KQ" + "4", split_pontoon="plain", soft21_draws=False)
    play(game, "1 stake 10", "1 split", "0 twist")
    assert net(game) == [20, -20]
    assert not lines(game, "declare")


def test_a_plain_split_pontoon_may_be_bought_to(table: MakeTable) -> None:
    """P20, split_pontoon=plain: a third card at E to 2E, as on any two cards that draw."""
    game = table(["T7", "AA"], "KQ" + "9", split_pontoon="plain")
    play(game, "1 stake 10", "1 split")
    assert game.legal() == {"stick": None, "twist": None, "buy": (10, 20)}
    play(game, "1 buy 20", "1 stick", "1 stick", "0 stick")
    assert net(game) == [-40, 40]


# stick_min, soft21_draws


def test_at_16_a_hard_15_must_draw_and_the_banker_stays_on_12(table: MakeTable) -> None:
    """P22, P28, stick_min=16: it binds players only."""
    game = table(["T2", "T5", "T6"], "A", stick_min=16)
    play(game, *stakes(2))
    assert set(game.legal()) == {"twist", "buy"}
    play(game, "1 twist")
    assert set(game.legal()) == {"stick", "twist"}
    play(game, "1 stick", "2 stick", "0 stick")
    assert net(game) == [-20, 10, 10]


def test_at_15_a_hard_14_must_draw_and_a_hard_15_may_stick(table: MakeTable) -> None:
    """P22, stick_min=15."""
    game = table(["T8", "T4", "T5"], "A")
    play(game, *stakes(2))
    assert set(game.legal()) == {"twist", "buy"}
    play(game, "1 twist")
    assert set(game.legal()) == {"stick", "twist"}
    play(game, "1 stick")
    assert set(game.legal()) == {"stick", "twist", "buy"}


def test_four_cards_under_16_must_draw_the_fifth(table: MakeTable) -> None:
    """P22, stick_min=16: 15 in four cards, too."""
    game = table(["T8", "23"], "46" + "5", stick_min=16)
    play(game, "1 stake 10", "1 twist", "1 twist")
    assert set(game.legal()) == {"twist"}
    play(game, "1 twist", "0 stick")
    assert net(game) == [-20, 20]


def test_a_soft_21_of_three_cards_closes_by_itself(table: MakeTable) -> None:
    """soft21_draws=false."""
    game = table(["T8", "A3"], "7", soft21_draws=False)
    play(game, "1 stake 10", "1 twist", "0 stick")
    assert net(game) == [-10, 10]


def test_a_soft_21_of_four_cards_closes_and_is_no_trick(table: MakeTable) -> None:
    """P30, soft21_draws=false: no fifth card, so it is paid once."""
    game = table(["T8", "A2"], "35", soft21_draws=False)
    play(game, "1 stake 10", "1 twist", "1 twist", "0 stick")
    assert net(game) == [-10, 10]


def test_the_banker_is_asked_on_a_soft_21(table: MakeTable) -> None:
    """P29, soft21_draws=false: the banker is not bound."""
    game = table(["A5", "T9"], "5", soft21_draws=False)
    play(game, "1 stake 10", "1 stick", "0 twist")
    assert (game.seat, game.legal()) == (0, {"twist": None, "stick": None})
    play(game, "0 stick")
    assert net(game) == [10, -10]


def test_a_soft_21_of_three_cards_may_draw_on(table: MakeTable) -> None:
    """P24, soft21_draws=true: with a ten it is a hard 21 of four, which closes."""
    game = table(["T8", "A3"], "7T")
    play(game, "1 stake 10", "1 twist")
    assert game.legal() == {"stick": None, "twist": None}
    play(game, "1 twist", "0 stick")
    assert net(game) == [-10, 10]


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


# no_certain_fifth, royal


@pytest.mark.parametrize(
    ("hand", "drawn", "rules", "moves"),
    [
        case("22", "34", {"no_certain_fifth": True}, {"twist"}, id="11 may not"),
        case("23", "34", {"no_certain_fifth": True}, {"twist", "buy"}, id="12 may"),
        case("22", "34", {}, {"twist", "buy"}, id="11 may without the rule"),
        case("22", "3", {"no_certain_fifth": True}, {"twist", "buy"}, id="a fourth may"),
        case("A2", "34", {"no_certain_fifth": True}, {"stick", "twist"}, id="an ace is 1"),
    ],
)
def test_a_fifth_card_that_cannot_bust_is_not_sold(
    table: MakeTable, hand: str, drawn: str, rules: dict[str, Any], moves: set[str]
) -> None:
    """P20, no_certain_fifth: at 11 or less with aces as 1; a soft 20 may stick."""
    game = table(["T8", hand], drawn, **rules)
    play(game, "1 stake 10", *["1 buy 10" for _ in drawn])
    assert set(game.legal()) == moves


def test_a_certain_fifth_twisted_makes_a_trick_of_what_was_bought(table: MakeTable) -> None:
    """P23, no_certain_fifth: 30 at stake, twice."""
    game = table(["T8", "22"], "34" + "T", no_certain_fifth=True)
    play(game, "1 stake 10", "1 buy 10", "1 buy 10", "1 twist", "0 stick")
    assert net(game) == [-60, 60]


def test_three_sevens_on_a_split_hand_are_royal(table: MakeTable) -> None:
    """royal: three times ten, less ten for the 17; nothing is declared."""
    game = table(["T9", "77"], "7T" + "7", royal=True)
    play(game, "1 stake 10", "1 split", "1 twist", "1 stick", "0 stick")
    assert net(game) == [-20, 20]
    assert not lines(game, "declare")


def test_a_royal_leaves_the_banker_nothing_to_do_and_the_bank_where_it_is(
    table: MakeTable,
) -> None:
    """P29, P32, P33, royal: like a pontoon for P29 alone."""
    game = table(["T9", "77"], "7", royal=True, deals=2)
    play(game, "1 stake 10", "1 twist")
    assert net(game) == [-30, 30]
    assert last_hands(game) == [["T9"], ["777"]]
    play(game, "0 pass")
    assert names_after_settlement(game)[:2] == ["decision", "deal"]
    assert game.banker == 0


def test_a_royal_is_paid_three_times_all_that_was_bought(table: MakeTable) -> None:
    """P20, royal: 10 + 20."""
    game = table(["T9", "77"], "7", royal=True)
    play(game, "1 stake 10", "1 buy 20")
    assert net(game) == [-90, 90]


def test_three_sevens_are_a_21_where_nothing_is_royal(table: MakeTable) -> None:
    """P30, royal=false: the banker is asked and pays once."""
    game = table(["T9", "77"], "7")
    play(game, "1 stake 10", "1 twist", "0 stick")
    assert net(game) == [-10, 10]


def test_three_sevens_of_the_banker_are_a_21(table: MakeTable) -> None:
    """P30, royal: a player's only; the tie of 21 takes once, a pontoon is paid."""
    game = table(["77", "T6", "AK"], "5" + "7", royal=True)
    play(game, *stakes(2), "1 twist", "0 twist")
    assert net(game) == [-10, -10, 20]


def test_a_royal_wins_its_shoot_bets_once(table: MakeTable) -> None:
    """S7, royal: 30 from the banker, 20 out of the kitty."""
    game = table(["T9", "77"], "7", royal=True, shoot=True)
    play(game, "0 kitty 20", "1 stake 10", "1 shoot 20", "1 twist")
    assert (net(game), lines(game, "settle")[0]["kitty"]) == ([-30, 50], 0)


# burn, burn_repeat


def test_nothing_is_burnt_by_default(table: MakeTable) -> None:
    """burn=none."""
    game = table(["T8", "67"])
    play(game, "1 stake 10")
    assert set(game.legal()) == {"twist", "buy"}


def test_a_pair_of_sevens_may_be_burnt_at_14_and_a_pair_got_so_be_split(table: MakeTable) -> None:
    """P16, burn=14: a 13 may not be burnt there."""
    game = table(["T8", "77", "67"], "99", burn="14")
    play(game, *stakes(2))
    assert set(game.legal()) == {"split", "burn", "twist", "buy"}
    play(game, "1 burn")
    assert set(game.legal()) == {"stick", "split", "twist", "buy"}
    play(game, "1 stick")
    assert set(game.legal()) == {"twist", "buy"}


@pytest.mark.parametrize(
    ("burn", "hand"),
    [case("13", "A2", id="13"), case("14", "A3", id="14")],
)
def test_a_hand_with_an_ace_is_not_burnt(table: MakeTable, burn: str, hand: str) -> None:
    """burn: though its best count is 13 or 14."""
    game = table(["T8", hand], burn=burn)
    play(game, "1 stake 10")
    assert "burn" not in game.legal()


def test_a_hand_that_was_drawn_to_is_not_burnt(table: MakeTable) -> None:
    """burn: 13 of three cards."""
    game = table(["T8", "44"], "5", burn="13")
    play(game, "1 stake 10", "1 buy 10")
    assert set(game.legal()) == {"twist", "buy"}


def test_a_pontoon_got_by_burning_a_split_hand_wins_no_bank(table: MakeTable) -> None:
    """P19, P32, burn: it is a split pontoon: paid twice, shuffled, the bank not won."""
    game = table(["T8", "77"], "6T" + "AK", burn="13", deals=2, bank_sale=False)
    play(game, "1 stake 10", "1 split", "1 burn", "1 stick", "0 stick")
    assert net(game) == [-10, 10]
    assert game.banker == 0
    assert names_after_settlement(game)[:2] == ["shuffle", "deal"]


@pytest.mark.parametrize(
    ("left", "moves"),
    [
        case(["9c"], {"twist", "buy"}, id="one card left"),
        case(["9c", "Kc"], {"burn", "twist", "buy"}, id="two cards left"),
    ],
)
def test_two_cards_must_be_in_the_pack_for_a_burn(
    table: MakeTable, left: list[str], moves: set[str]
) -> None:
    """P35, burn."""
    game = table(["", ""], pack=["6c", "8c", "7c", "Tc", *left], burn="13")
    play(game, "1 stake 10")
    assert set(game.legal()) == moves


def test_burnt_cards_go_under_the_pack_before_the_hand_plays_on(table: MakeTable) -> None:
    """P25, burn: in the order held; the new ones come face down."""
    game = table(["", ""], pack=["6c", "8c", "7c", "Tc", "9c", "Kc"], burn="13")
    play(game, "1 stake 10", "1 burn")
    assert game.pack == ["6c", "7c"]
    assert [(line["card"], line["up"]) for line in lines(game, "card")[-2:]] == [
        ("9c", False),
        ("Kc", False),
    ]
    play(game, "1 stick", "0 stick")
    assert net(game) == [-10, 10]


def test_a_hand_is_burnt_once_without_repetition(table: MakeTable) -> None:
    """burn_repeat=0: another 13 stays."""
    game = table(["T8", "67"], "58", burn="13")
    play(game, "1 stake 10", "1 burn")
    assert set(game.legal()) == {"twist", "buy"}


def test_a_hand_is_burnt_four_times_at_most(table: MakeTable) -> None:
    """burn_repeat=3."""
    game = table(["T8", "67"], "58" + "94" + "T3" + "67", burn="13", burn_repeat=3)
    play(game, "1 stake 10", "1 burn", "1 burn", "1 burn")
    assert set(game.legal()) == {"burn", "twist", "buy"}
    play(game, "1 burn")
    assert set(game.legal()) == {"twist", "buy"}
    assert ranks(game.pack[-8:]) == "67" + "58" + "94" + "T3"


def test_the_halves_of_a_burnt_hand_may_be_burnt_anew(table: MakeTable) -> None:
    """P16, burn_repeat=0: they are new hands (readings)."""
    game = table(["T8", "67"], "66" + "77" + "T9", burn="13")
    play(game, "1 stake 10", "1 burn", "1 split")
    assert (game.hand, set(game.legal())) == (0, {"burn", "twist", "buy"})
    play(game, "1 burn", "1 stick")
    assert (game.hand, set(game.legal())) == (1, {"burn", "twist", "buy"})


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


# bank_passes, bank_refusable, bank_sale


def test_the_bank_never_passes_by_a_natural_where_it_is_for_sale_only(table: MakeTable) -> None:
    """P32, P34, bank_passes=never: sold after a natural; the pack is shuffled all the same."""
    game = table(["T8", "AK"], bank_passes="never", deals=2)
    play(game, "1 stake 10", "0 offer 5", "1 accept")
    assert lines(game, "bank") == [
        {"line": "bank", "seat": 1, "reason": "sale", "chips": 5, "kitty_taken": 0}
    ]
    assert game.chips == [-15, 15]
    assert len(lines(game, "shuffle")) == 1


def test_a_fixed_banker_stays_after_a_natural(table: MakeTable) -> None:
    """bank_passes=never, bank_sale=false."""
    game = table(["T8", "AK"], bank_passes="never", bank_sale=False, deals=2)
    play(game, "1 stake 10")
    assert (game.banker, game.seat, lines(game, "bank")) == (0, 1, [])


def test_the_auction_stays_where_the_bank_never_passes(table: MakeTable) -> None:
    """S10, bank_passes=never: a natural that empties the kitty does not take the bank."""
    game = table(["T8", "AK"], bank_passes="never", bank_sale=False, deals=2, shoot=True)
    play(game, "0 kitty 5", "1 stake 10", "1 shoot 5")
    assert (game.seat, game.legal()) == (0, {"kitty": (1, 1000), "auction": None})
    play(game, "0 auction", "1 bid 3")
    assert game.banker == 1


def test_the_bank_goes_round_the_table(table: MakeTable) -> None:
    """bank_passes=rotation: to the left after every deal, and the deal begins on its left."""
    rules = {"bank_passes": "rotation", "bank_sale": False, "deals": 3}
    game = table(["T8", "T9", "T7"], "JJQ" + "987", **rules)
    play(game, *stakes(2), "1 stick", "2 stick", "0 stick")
    play(game, "2 stake 10", "0 stake 10", "2 stick", "0 stick", "1 stick")
    assert [(line["seat"], line["reason"]) for line in lines(game, "bank")] == [
        (1, "rotation"),
        (2, "rotation"),
    ]
    assert [line["net"] for line in lines(game, "settle")] == [[0, 10, -10], [10, -20, 10]]


def test_a_natural_does_not_turn_the_rotation(table: MakeTable) -> None:
    """P33, bank_passes=rotation: seat 2 has the natural, seat 1 the next bank; shuffled."""
    game = table(["T8", "T9", "AK"], bank_passes="rotation", bank_sale=False, deals=2)
    play(game, *stakes(2), "1 stick", "0 stick")
    assert game.banker == 1
    assert names_after_settlement(game)[:3] == ["bank", "shuffle", "deal"]


def test_the_first_to_accept_takes_the_bank(table: MakeTable) -> None:
    """P33, bank_refusable: the other holder is not asked."""
    game = table(["T8", "AK", "AQ"], bank_refusable=True, deals=2)
    play(game, *stakes(2), "1 accept")
    assert game.banker == 1
    assert names_after_settlement(game)[:4] == ["decision", "bank", "shuffle", "deal"]
    assert (game.seat, game.legal()) == (2, {"stake": (1, 1000)})


def test_a_refused_bank_goes_to_the_next_holder(table: MakeTable) -> None:
    """P33, bank_refusable: the seat between them has no natural and is not asked."""
    game = table(["T8", "AK", "KQ", "AJ"], bank_refusable=True, deals=2)
    play(game, *stakes(3), "2 stick", "0 stick", "1 refuse", "3 accept")
    assert lines(game, "bank")[0]["seat"] == 3
    assert lines(game, "bank")[0]["reason"] == "natural"


def test_nobody_is_asked_for_the_bank_after_the_bankers_pontoon(table: MakeTable) -> None:
    """P14, P33, bank_refusable: nobody has won it."""
    game = table(["AK", "AQ"], bank_refusable=True, deals=2)
    play(game, "1 stake 10")
    assert (game.seat, set(game.legal())) == (0, {"offer", "pass"})


def test_the_holder_of_a_split_pontoon_is_not_asked_for_the_bank(table: MakeTable) -> None:
    """P19, bank_refusable."""
    game = table(["T7", "AA"], "K9", bank_refusable=True, deals=2)
    play(game, "1 stake 10", "1 split", "1 stick", "0 stick")
    assert (game.seat, set(game.legal())) == (0, {"offer", "pass"})


def test_a_natural_takes_the_bank_unasked(table: MakeTable) -> None:
    """P33, P34, bank_refusable=false: and there is nothing to sell."""
    game = table(["T8", "AK"], deals=2)
    play(game, "1 stake 10")
    assert (game.banker, game.seat, game.legal()) == (1, 0, {"stake": (1, 1000)})


def test_a_bank_not_for_sale_stays(table: MakeTable) -> None:
    """P34, bank_sale=false: the next deal follows at once."""
    game = table(["T8", "T9"], deals=2, bank_sale=False)
    play(game, "1 stake 10", "1 stick", "0 stick")
    assert names_after_settlement(game)[0] == "deal"
    assert (game.seat, game.banker) == (1, 0)


def test_the_first_to_accept_buys_the_bank(table: MakeTable) -> None:
    """P34, bank_sale: the players are asked from the left; seat 2 pays 7."""
    game = table(["T8", "T9", "T7", "J7"], deals=2)
    play(game, *stakes(3), "1 stick", "2 stick", "3 stick", "0 stick", "0 offer 7", "1 pass")
    assert game.legal() == {"accept": None, "pass": None}
    play(game, "2 accept")
    assert (game.banker, game.chips) == (2, [17, 10, -17, -10])
    assert game.seat == 3


def test_a_bank_that_nobody_buys_stays(table: MakeTable) -> None:
    """P34, bank_sale: nothing is paid."""
    game = table(["T8", "T9", "T7"], deals=2)
    play(game, *stakes(2), "1 stick", "2 stick", "0 stick", "0 offer 7", "1 pass", "2 pass")
    assert (game.banker, game.chips, game.seat) == (0, [0, 10, -10], 1)


# shuffle, under_pack


def test_every_deal_is_shuffled(table: MakeTable) -> None:
    """P32, shuffle=every: without a pontoon too, and never after the last deal."""
    game = table(["T8", "T9"], deals=2, bank_sale=False, shuffle="every")
    play(game, "1 stake 10", "1 stick", "0 stick")
    assert names_after_settlement(game)[:2] == ["shuffle", "deal"]
    assert sorted(lines(game, "shuffle")[0]["pack"]) == sorted(full_pack())
    drift(game)
    assert len(lines(game, "shuffle")) == 1


def test_a_natural_shuffles_nothing_where_the_pack_is_never_shuffled(table: MakeTable) -> None:
    """P31, P33, shuffle=never: the bank passes, the next two cards are those on top."""
    game = table(["T8", "AK"], "98", deals=2, shuffle="never")
    play(game, "1 stake 10")
    assert names_after_settlement(game)[:2] == ["bank", "deal"]
    assert [(line["seat"], line["card"][0]) for line in lines(game, "card")[4:6]] == [
        (0, "9"),
        (1, "8"),
    ]
    assert ranks(lines(game, "settle")[0]["pack"])[-4:] == "AK" + "T8"


def test_a_bankers_pontoon_shuffles_nothing_where_the_pack_is_never_shuffled(
    table: MakeTable,
) -> None:
    """P14, P31, shuffle=never: the hands go under, the players' first."""
    game = table(["AK", "T9", "A7"], "98", deals=2, shuffle="never", bank_sale=False)
    play(game, *stakes(2))
    assert names_after_settlement(game)[0] == "deal"
    assert ranks(lines(game, "settle")[0]["pack"])[-6:] == "T9" + "A7" + "AK"


def random_under(table: MakeTable, **rules: Any) -> Any:
    """A deal in which seat 1 busts on T-6-K and four hands of two cards live."""
    hands = ["T8", "T6", "T9", "J7", "Q8"]
    game = table(hands, "K" + "23456", under_pack="random", **rules)
    play(game, *stakes(4), "1 twist", "2 stick", "3 stick", "4 stick", "0 stick")
    return game


def test_cards_gathered_at_settlement_go_under_at_random(table: MakeTable) -> None:
    """P31, under_pack=random: eight live cards, after the bust hand in its order."""
    pack = lines(random_under(table), "settle")[0]["pack"]
    assert ranks(pack[-11:-8]) == "T6K"
    assert sorted(ranks(pack[-8:])) == sorted("T9" + "J7" + "Q8" + "T8")
    assert ranks(pack[-8:]) != "T9" + "J7" + "Q8" + "T8"


def test_a_random_order_under_the_pack_shuffles_nothing_above(table: MakeTable) -> None:
    """P31, under_pack=random: the next deal comes from the top."""
    game = random_under(table, deals=2, bank_sale=False)
    assert not lines(game, "shuffle")
    assert [line["card"][0] for line in lines(game, "card")[-5:]] == ["2", "3", "4", "5", "6"]


def test_cards_go_under_in_order_by_default(table: MakeTable) -> None:
    """P31, under_pack=order: the bust hand first, though seat 1 comes before it."""
    game = table(["T8", "T9", "T6"], "K")
    play(game, *stakes(2), "1 stick", "2 twist", "0 stick")
    assert ranks(lines(game, "settle")[0]["pack"])[-7:] == "T6K" + "T9" + "T8"


# banker_rule


@pytest.mark.parametrize(
    ("rule", "banker", "drawn", "ends"),
    [
        case("stick17", "T6", "A", "T6A", id="16 draws to 17"),
        case("stick17", "T7", "K", "T7", id="17 stays"),
        case("stick17soft", "T7", "K", "T7", id="a hard 17 stays where a soft one draws"),
        case("stick17soft", "A7", "K", "A7", id="a soft 18 stays where a soft 17 draws"),
        case("stick17soft", "A6", "K4", "A6K", id="a soft 17 draws to a hard one"),
        case("stick19", "T8", "K", "T8K", id="18 draws though it wins"),
        case("stick21", "A5", "54", "A55", id="a soft 21 stays"),
        case("stick21soft", "A5", "546", "A5546", id="a soft 21 draws"),
        case("stick21soft", "T5", "6K", "T56", id="a hard 21 ends the hand"),
        case("stick17", "22", "2236", "22223", id="five cards end the hand"),
    ],
)
def test_a_bound_banker_draws_by_rule_and_is_not_asked(
    table: MakeTable, rule: str, banker: str, drawn: str, ends: str
) -> None:
    """P29, banker_rule: against a 17."""
    game = table([banker, "J7"], drawn, banker_rule=rule)
    play(game, "1 stake 10", "1 stick")
    assert last_hands(game)[0] == [ends]
    assert told(game) == ["1 stake", "1 stick"]


def test_a_bound_banker_draws_nothing_where_nothing_can_change(table: MakeTable) -> None:
    """P29, banker_rule: a bust and a pontoon against 12."""
    game = table(["T2", "T6", "AK"], "KK", banker_rule="stick17")
    play(game, *stakes(2), "1 twist")
    assert last_hands(game)[0] == ["T2"]
    assert net(game) == [-10, -10, 20]


def test_a_free_banker_is_asked_on_any_total(table: MakeTable) -> None:
    """P28, banker_rule=free: to draw on 20 or to stay on 5."""
    game = table(["KQ", "T9"], "A")
    play(game, "1 stake 10", "1 stick", "0 twist")
    assert net(game) == [10, -10]
    game = table(["23", "T9"])
    play(game, "1 stake 10", "1 stick", "0 stick")
    assert net(game) == [-10, 10]


# The counting

NEED_ONE = {"seats", "deals", "min_stake", "max_stake"}
"""Fields that every script sets: one test of each is enough."""

CASES: dict[str, tuple[str, ...]] = {
    "seats": ("test_two_seats_make_a_table", "test_eight_seats_make_a_table"),
    "deals": ("test_a_session_ends_after_the_agreed_deals",),
    "packs": (
        "test_one_pack_is_dealt_through_before_its_first_card_comes_back",
        "test_two_packs_let_a_hand_hold_five_aces",
        "test_two_packs_are_shuffled_together",
        "test_an_infinite_pack_is_never_gathered_nor_shuffled",
        "test_an_infinite_pack_deals_the_same_card_twice_in_one_deal",
    ),
    "min_stake": (
        "test_a_stake_lies_within_its_limits[by default]",
        "test_a_stake_lies_within_its_limits[own limits]",
    ),
    "max_stake": (
        "test_a_stake_lies_within_its_limits[equal limits]",
        "test_a_bought_card_may_cost_more_than_the_stake_limit",
    ),
    "max_price": (
        "test_the_bank_is_offered_for_a_price_within_its_limit[null]",
        "test_the_bank_is_offered_for_a_price_within_its_limit[null beside low stakes]",
        "test_the_bank_is_offered_for_a_price_within_its_limit[below the stakes]",
        "test_the_bank_is_offered_for_a_price_within_its_limit[one chip]",
        "test_a_bid_has_the_limit_of_a_price",
    ),
    "shoot": (
        "test_plain_pontoon_has_neither_kitty_nor_shoot_bets",
        "test_example_9_a_bust_feeds_the_kitty",
        "test_example_11_shoot_bets_are_paid_one_to_one",
    ),
    "min_kitty": (
        "test_a_kitty_lies_within_its_limits[null]",
        "test_a_kitty_lies_within_its_limits[least]",
        "test_a_kitty_lies_within_its_limits[equal]",
        "test_a_kitty_is_added_to_from_one_chip_on",
        "test_a_dry_kitty_is_formed_anew_within_the_limits",
    ),
    "max_kitty": (
        "test_a_kitty_lies_within_its_limits[most]",
        "test_a_kitty_lies_within_its_limits[above the stakes]",
        "test_a_kitty_that_is_not_dry_may_be_added_to_once",
        "test_a_dry_kitty_is_formed_anew_within_the_limits",
        "test_a_shoot_bet_may_pass_the_limits_of_the_kitty",
    ),
    "split": (
        "test_any_pair_is_split_but_a_king_and_a_jack_are_none",
        "test_aces_alone_are_split_and_split_again",
        "test_no_pair_is_split_not_even_aces",
    ),
    "max_hands": (
        "test_one_hand_at_most_means_no_split",
        "test_three_hands_at_most_leave_a_third_pair_whole",
        "test_each_player_has_the_most_hands_alone",
        "test_example_6_a_split_pontoon_is_paid_twice_but_never_wins_the_bank",
    ),
    "split_aces_one_card": (
        "test_split_aces_can_close_on_one_card_each",
        "test_a_ten_on_one_card_aces_is_a_pontoon",
        "test_split_aces_play_on_like_other_hands",
        "test_other_pairs_are_not_held_to_one_card",
    ),
    "split_pontoon": (
        "test_a_split_pontoon_is_paid_as_a_pontoon",
        "test_a_split_pontoon_can_be_paid_once",
        "test_a_split_pontoon_paid_once_is_doubled_by_the_banker",
        "test_split_pontoons_paid_once_leave_the_banker_nothing_to_do",
        "test_a_plain_split_pontoon_is_a_soft_21",
        "test_plain_split_pontoons_wait_for_the_banker",
        "test_a_plain_split_pontoon_may_be_bought_to",
    ),
    "stick_min": (
        "test_a_hand_sticks_from_the_agreed_minimum_on",
        "test_at_16_a_hard_15_must_draw_and_the_banker_stays_on_12",
        "test_at_15_a_hard_14_must_draw_and_a_hard_15_may_stick",
        "test_four_cards_under_16_must_draw_the_fifth",
    ),
    "soft21_draws": (
        "test_a_soft_21_of_three_cards_closes_by_itself",
        "test_a_soft_21_of_four_cards_closes_and_is_no_trick",
        "test_the_banker_is_asked_on_a_soft_21",
        "test_a_soft_21_of_three_cards_may_draw_on",
        "test_example_8_a_soft_21_in_four_may_draw_a_fifth",
    ),
    "banker_doubles": (
        "test_the_banker_is_asked_to_double_before_any_shoot_bet",
        "test_the_banker_is_not_asked_to_double_by_default",
        "test_doubling_leaves_prices_as_they_are_and_doubles_what_was_bought",
        "test_a_bust_hand_pays_twice_at_once_where_the_banker_doubled",
        "test_doubling_leaves_shoot_bets_at_one_to_one",
        "test_the_banker_is_asked_to_double_anew_in_every_deal",
        "test_a_push_stays_nothing_where_the_banker_doubled",
    ),
    "pontoon_pays": (
        "test_a_natural_wins_what_was_agreed_and_the_bank[twice by default]",
        "test_a_natural_wins_what_was_agreed_and_the_bank[once]",
        "test_a_natural_wins_what_was_agreed_and_the_bank[three times]",
        "test_a_natural_wins_what_was_agreed_and_the_bank[once doubled]",
        "test_a_natural_wins_what_was_agreed_and_the_bank[three times stays where doubled]",
        "test_a_split_pontoon_is_paid_as_a_pontoon",
    ),
    "banker_pontoon_collects": (
        "test_a_bankers_pontoon_takes_what_was_agreed[twice by default]",
        "test_a_bankers_pontoon_takes_what_was_agreed[once]",
        "test_a_bankers_pontoon_takes_what_was_agreed[once doubled]",
        "test_a_bankers_pontoon_takes_what_was_agreed[twice stays where doubled]",
    ),
    "both_pontoon": (
        "test_a_bankers_pontoon_takes_what_was_agreed[a pontoon pays nothing]",
        "test_a_bankers_pontoon_takes_what_was_agreed[a pontoon pays once]",
        "test_a_bankers_pontoon_takes_what_was_agreed[a pontoon pays once doubled]",
        "test_a_bankers_pontoon_takes_what_was_agreed[nothing stays nothing where doubled]",
        "test_a_bankers_pontoon_takes_what_was_agreed[nothing beside once]",
        "test_the_bank_stays_where_both_pontoons_pay_nothing",
    ),
    "trick_pays": (
        "test_a_trick_wins_what_was_agreed[twice by default]",
        "test_a_trick_wins_what_was_agreed[once]",
        "test_a_trick_wins_what_was_agreed[one and a half]",
        "test_a_trick_wins_what_was_agreed[one and a half doubled]",
        "test_one_and_a_half_times_is_of_all_that_was_bought",
        "test_every_hand_is_rounded_by_itself",
    ),
    "banker_trick_collects": (
        "test_a_bankers_trick_takes_what_was_agreed[twice by default]",
        "test_a_bankers_trick_takes_what_was_agreed[once]",
        "test_a_bankers_trick_takes_what_was_agreed[once doubled]",
        "test_a_bankers_trick_takes_as_much_from_a_trick",
        "test_a_bust_is_taken_once_before_the_bankers_trick",
    ),
    "trick_beats_pontoon": (
        "test_a_banker_who_may_beat_pontoons_is_asked",
        "test_a_banker_who_cannot_beat_pontoons_is_not_asked",
        "test_a_bankers_trick_beats_a_split_pontoon_too",
        "test_no_other_hand_of_the_banker_beats_a_pontoon",
    ),
    "no_certain_fifth": (
        "test_a_fifth_card_that_cannot_bust_is_not_sold[11 may not]",
        "test_a_fifth_card_that_cannot_bust_is_not_sold[12 may]",
        "test_a_fifth_card_that_cannot_bust_is_not_sold[11 may without the rule]",
        "test_a_fifth_card_that_cannot_bust_is_not_sold[a fourth may]",
        "test_a_fifth_card_that_cannot_bust_is_not_sold[an ace is 1]",
        "test_a_certain_fifth_twisted_makes_a_trick_of_what_was_bought",
    ),
    "royal": (
        "test_three_sevens_on_a_split_hand_are_royal",
        "test_a_royal_leaves_the_banker_nothing_to_do_and_the_bank_where_it_is",
        "test_a_royal_is_paid_three_times_all_that_was_bought",
        "test_three_sevens_are_a_21_where_nothing_is_royal",
        "test_three_sevens_of_the_banker_are_a_21",
        "test_a_royal_wins_its_shoot_bets_once",
    ),
    "burn": (
        "test_nothing_is_burnt_by_default",
        "test_a_pair_of_sevens_may_be_burnt_at_14_and_a_pair_got_so_be_split",
        "test_a_hand_with_an_ace_is_not_burnt[13]",
        "test_a_hand_with_an_ace_is_not_burnt[14]",
        "test_a_hand_that_was_drawn_to_is_not_burnt",
        "test_a_burnt_hand_goes_under_and_its_pontoon_is_a_natural",
        "test_a_pontoon_got_by_burning_a_split_hand_wins_no_bank",
        "test_two_cards_must_be_in_the_pack_for_a_burn[one card left]",
        "test_two_cards_must_be_in_the_pack_for_a_burn[two cards left]",
        "test_burnt_cards_go_under_the_pack_before_the_hand_plays_on",
    ),
    "burn_repeat": (
        "test_a_hand_is_burnt_once_without_repetition",
        "test_a_hand_is_burnt_once_and_repeated_as_often_as_agreed",
        "test_a_hand_is_burnt_four_times_at_most",
        "test_the_halves_of_a_burnt_hand_may_be_burnt_anew",
    ),
    "ties": (
        "test_equal_totals_push",
        "test_trick_against_trick_pushes",
        "test_a_push_stays_nothing_where_the_banker_doubled",
        "test_the_banker_wins_every_tie_by_default",
        "test_a_bankers_pontoon_takes_what_was_agreed[a push is no matter]",
        "test_a_bankers_pontoon_takes_what_was_agreed[its own field beside push]",
    ),
    "bank_passes": (
        "test_the_bank_never_passes_by_a_natural_where_it_is_for_sale_only",
        "test_a_fixed_banker_stays_after_a_natural",
        "test_the_auction_stays_where_the_bank_never_passes",
        "test_the_bank_goes_round_the_table",
        "test_a_natural_does_not_turn_the_rotation",
        "test_rotation_passes_the_bank_and_its_kitty_to_the_left",
        "test_a_natural_takes_the_bank_unasked",
    ),
    "bank_refusable": (
        "test_the_first_to_accept_takes_the_bank",
        "test_a_refused_bank_goes_to_the_next_holder",
        "test_refused_naturals_leave_the_bank_to_be_sold",
        "test_nobody_is_asked_for_the_bank_after_the_bankers_pontoon",
        "test_the_holder_of_a_split_pontoon_is_not_asked_for_the_bank",
        "test_a_natural_takes_the_bank_unasked",
    ),
    "bank_sale": (
        "test_a_bank_not_for_sale_stays",
        "test_the_first_to_accept_buys_the_bank",
        "test_a_bank_that_nobody_buys_stays",
        "test_without_a_bid_the_banker_must_form_a_kitty",
    ),
    "shuffle": (
        "test_every_deal_is_shuffled",
        "test_a_natural_shuffles_nothing_where_the_pack_is_never_shuffled",
        "test_a_bankers_pontoon_shuffles_nothing_where_the_pack_is_never_shuffled",
        "test_example_1_a_bankers_pontoon_takes_twice_every_stake",
        "test_example_3_the_banker_wins_ties_and_there_is_no_shuffle",
    ),
    "under_pack": (
        "test_cards_gathered_at_settlement_go_under_at_random",
        "test_a_random_order_under_the_pack_shuffles_nothing_above",
        "test_cards_go_under_in_order_by_default",
        "test_example_7_where_all_are_bust_the_banker_draws_nothing",
    ),
    "banker_rule": (
        "test_a_bound_banker_draws_by_rule_and_is_not_asked[16 draws to 17]",
        "test_a_bound_banker_draws_by_rule_and_is_not_asked[17 stays]",
        "test_a_bound_banker_draws_by_rule_and_is_not_asked[a soft 17 draws to a hard one]",
        "test_a_bound_banker_draws_by_rule_and_is_not_asked[a soft 21 draws]",
        "test_a_bound_banker_draws_by_rule_and_is_not_asked[a hard 21 ends the hand]",
        "test_a_bound_banker_draws_nothing_where_nothing_can_change",
        "test_a_free_banker_is_asked_on_any_total",
    ),
}
"""For each field of the rules the scripted cases that hold it, here and in test_rules.py."""


def test_every_field_has_its_cases() -> None:
    """Section 3: three at least, of tests that exist."""
    existing = set(case_names(globals(), vars(tests.test_rules)))
    assert set(CASES) == {field.name for field in dataclasses.fields(Rules)}
    for field, names in CASES.items():
        assert len(set(names)) >= (1 if field in NEED_ONE else 3), field
        assert set(names) <= existing, (field, set(names) - existing)
