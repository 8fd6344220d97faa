"""The variations of the bank and the pack, from stacked packs, on engine and naive referee.

Every field of the rules has its value on, its value off, and a boundary or the meeting with another
rule; test_variations.py says which test holds which field. Expected chips were worked out by hand.
Seat 0 is the first banker of every scripted deal, so seats are dealt to in the order 1, 2, .., 0.
"""

from __future__ import annotations

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
