"""The variations of the table, the limits and the play, from stacked packs, on both engines.

Every field of the rules has its value on, its value off, and a boundary or the meeting with another
rule; test_variations.py says which test holds which field. Expected chips were worked out by hand.
Seat 0 is the first banker of every scripted deal, so seats are dealt to in the order 1, 2, .., 0.
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tests.naive import full_pack
from tests.scripted import (
    MakeTable,
    drift,
    last_hands,
    lines,
    names_after_settlement,
    net,
    play,
    ranks,
    stakes,
    told,
)

case = pytest.param


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
