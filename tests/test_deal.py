"""The numbered rules of Pontoon (P1 to P37) that the examples leave out, from stacked packs.

`CASES` at the end says for every rule which test holds it, here or in another file.
Seat 0 is the first banker of every scripted deal, so seats are dealt to in the order 1, 2, .., 0.
"""

from __future__ import annotations

from typing import Any

import pytest

import tests.test_naive
import tests.test_rules
import tests.test_shoot
import tests.test_variations
from tests.naive import DEFAULT_RULES, full_pack
from tests.scripted import (
    EngineGame,
    MakeTable,
    case_names,
    last_hands,
    lines,
    make_table,
    names_after_settlement,
    net,
    play,
    ranks,
    told,
)
from tests.views import element_names, observed

case = pytest.param


# Table, money, ranking, start


def test_an_ace_counts_one_where_eleven_would_bust(table: MakeTable) -> None:
    """P2: a soft 18 twists a king and has 18 still; king, queen and jack count 10."""
    game = table(["T8", "A7", "QJ"], "K")
    play(game, "1 stake 10", "2 stake 10")
    assert set(game.legal()) == {"stick", "twist", "buy"}
    play(game, "1 twist")
    assert set(game.legal()) == {"stick", "twist"}
    play(game, "1 stick", "2 stick", "0 stick")
    assert net(game) == [0, -10, 10]


def test_a_seat_may_lose_more_than_any_stake_limit(table: MakeTable) -> None:
    """P3, P4: on credit; 16 loses 1000 and a bust 1000 and the 1000 it was bought for."""
    game = table(["T8", "66"], "KK" + "T", min_stake=100)
    assert game.legal() == {"stake": (100, 1000)}
    play(game, "1 stake 1000", "1 split", "1 stick", "1 buy 1000")
    assert game.chips == [2000, -2000]
    play(game, "0 stick")
    assert net(game) == [3000, -3000]


@pytest.mark.parametrize(
    ("hands", "then", "steps", "won"),
    [
        case(
            ["T5", "76"],
            "8" + "6",
            ["1 twist", "0 twist"],
            -10,
            id="21 of three ties 21 of three",
        ),
        case(
            ["T2", "23"],
            "T6" + "9",
            ["1 twist", "1 twist", "0 twist"],
            -10,
            id="21 of four ties 21 of three",
        ),
        case(
            ["23", "T6"],
            "5" + "79",
            ["1 twist", "0 twist", "0 twist"],
            -10,
            id="21 of three ties 21 of four",
        ),
        case(
            ["KQ", "T6"],
            "4",
            ["1 twist", "1 stick", "0 stick"],
            -10,
            id="20 of three ties 20 of two",
        ),
        case(
            ["J9", "T6"],
            "4",
            ["1 twist", "1 stick", "0 stick"],
            10,
            id="20 of three beats 19 of two",
        ),
        case(
            ["T5", "22"],
            "A3A" + "6",
            ["1 twist", "1 twist", "1 twist", "0 twist"],
            20,
            id="a trick of 9 beats 21",
        ),
    ],
)
def test_the_number_of_cards_plays_no_part_below_a_trick(
    table: MakeTable, hands: list[str], then: str, steps: list[str], won: int
) -> None:
    """P6, P7: the total alone, and a tie is the banker's."""
    game = table(hands, then)
    play(game, "1 stake 10", *steps)
    assert net(game) == [-won, won]


def test_the_seed_chooses_the_first_banker_and_the_first_pack() -> None:
    """P8, P9: engine only; in sixty sessions every seat begins, and no two packs are alike."""
    games = [EngineGame(DEFAULT_RULES, seed=seed) for seed in range(60)]
    assert {game.first_banker for game in games} == set(range(6))
    assert len({tuple(game.first_pack) for game in games}) == 60
    assert all(sorted(game.first_pack) == sorted(full_pack()) for game in games)


# The deal


def test_cards_and_stakes_go_round_from_the_bankers_left(table: MakeTable) -> None:
    """P10, P12, P13: the banker last; second cards after the last stake; all face down."""
    game = table(["T8", "J9", "Q7"])
    dealt = [(line["seat"], line["card"][0], line["up"]) for line in lines(game, "card")]
    assert dealt == [(1, "J", False), (2, "Q", False), (0, "T", False)]
    assert (game.seat, game.legal()) == (1, {"stake": (1, 1000)})
    play(game, "1 stake 10")
    assert (game.seat, len(lines(game, "card"))) == (2, 3)
    play(game, "2 stake 20")
    dealt = [(line["seat"], line["card"][0], line["up"]) for line in lines(game, "card")[3:]]
    assert dealt == [(1, "9", False), (2, "7", False), (0, "8", False)]
    assert game.seat == 1


def test_nobody_plays_after_a_bankers_pontoon(table: MakeTable) -> None:
    """P14, P27: all hands are shown, the cards go under, no seat is asked."""
    game = table(["KA", "66", "23"])
    play(game, "1 stake 10", "2 stake 20")
    assert told(game) == ["1 stake", "2 stake"]
    assert last_hands(game) == [["KA"], ["66"], ["23"]]
    assert net(game) == [60, -20, -40]


# Players' turns


def test_a_natural_is_declared_in_its_turn_and_closed(table: MakeTable) -> None:
    """P15: after seat 1 has played; its holder is not asked, and wins against 21, too."""
    game = table(["T5", "T9", "QA"], "6")
    play(game, "1 stake 10", "2 stake 10")
    assert not lines(game, "declare")
    play(game, "1 stick")
    assert lines(game, "declare") == [{"line": "declare", "seat": 2, "hand": 0}]
    play(game, "0 twist")
    assert net(game) == [-10, -10, 20]


def test_a_split_deals_one_card_face_down_to_each_half(table: MakeTable) -> None:
    """P16: the half of the first-dealt card first, each half with a stake of E."""
    game = table(["T8", "99"], "T7")
    play(game, "1 stake 10", "1 split")
    dealt = [(line["hand"], line["card"][0], line["up"]) for line in lines(game, "card")[4:]]
    assert dealt == [(0, "T", False), (1, "7", False)]
    play(game, "1 stick", "1 stick", "0 stick")
    first, second = lines(game, "card")[0]["card"], lines(game, "card")[2]["card"]
    assert [hand[0] for hand in lines(game, "settle")[0]["shown"][1]] == [first, second]
    assert net(game) == [0, 0]


def test_a_drawn_pair_is_no_pair_to_split(table: MakeTable) -> None:
    """P16: exactly two cards; a half that got a second of its rank is split, if not drawn to."""
    game = table(["T8", "44"], "4T" + "5")
    play(game, "1 stake 10", "1 split")
    assert "split" in game.legal()
    play(game, "1 twist")
    assert "split" not in game.legal()


def test_each_split_hand_has_its_own_ladder(table: MakeTable) -> None:
    """P18, P20: the left pays 12, then may pay 12; the right may pay 20 again."""
    game = table(["T8", "99"], "23" + "4")
    play(game, "1 stake 10", "1 split", "1 buy 12")
    assert (game.hand, game.legal()["buy"]) == (0, (10, 12))
    play(game, "1 stick")
    assert (game.hand, game.legal()["buy"]) == (1, (10, 20))


def test_a_twist_forbids_buying_to_its_own_hand_only(table: MakeTable) -> None:
    """P21: after a purchase, too; the other half may buy."""
    game = table(["T8", "33"], "45" + "223")
    play(game, "1 stake 10", "1 split", "1 buy 10")
    assert set(game.legal()) == {"twist", "buy"}
    play(game, "1 twist")
    assert set(game.legal()) == {"twist"}
    play(game, "1 twist")
    assert (game.hand, set(game.legal())) == (1, {"twist", "buy"})


def test_a_fifth_card_closes_the_hand(table: MakeTable) -> None:
    """P23: a trick of eleven, with no question after it, beats 21."""
    game = table(["T5", "A2"], "A34" + "6")
    play(game, "1 stake 10", "1 twist", "1 twist", "1 twist")
    assert (game.seat, told(game)[-1]) == (0, "1 twist")
    play(game, "0 twist")
    assert net(game) == [-20, 20]


def test_a_bought_21_closes_and_a_bought_soft_21_does_not(table: MakeTable) -> None:
    """P24, P36: lowest count 21 is asked nothing more."""
    game = table(["T8", "T6", "A6"], "54")
    play(game, "1 stake 10", "2 stake 10", "1 buy 20")
    assert game.seat == 2
    play(game, "2 buy 20")
    assert game.legal() == {"stick": None, "twist": None, "buy": (10, 20)}


def test_a_bust_pays_all_that_was_bought_at_once(table: MakeTable) -> None:
    """P25: 10 + 15; its cards lie under the pack before the next seat plays."""
    game = table(["T8", "T5", "T9"], "K")
    play(game, "1 stake 10", "2 stake 10", "1 buy 15")
    assert lines(game, "bust") == [{"line": "bust", "seat": 1, "hand": 0}]
    assert (game.seat, game.chips) == (2, [25, -25, 0])
    assert ranks(game.pack)[-3:] == "T5K"


def test_bought_cards_come_down_and_twisted_ones_up(table: MakeTable) -> None:
    """P20, P21, P26, P28: the banker's drawn card, too."""
    game = table(["T2", "23"], "24" + "5")
    play(game, "1 stake 10", "1 buy 10", "1 twist")
    assert [line["up"] for line in lines(game, "card")] == [False] * 4 + [False, True]
    play(game, "1 twist", "0 stick")
    assert [line["up"] for line in lines(game, "card")][-1]


def test_losing_hands_are_shown_and_bust_ones_are_not_again(table: MakeTable) -> None:
    """P25, P27."""
    game = table(["T8", "T6", "T5", "Q9"], "K")
    play(game, "1 stake 10", "2 stake 10", "3 stake 10", "1 twist", "2 stick", "3 stick", "0 stick")
    assert last_hands(game) == [["T8"], [], ["T5"], ["Q9"]]


def seen(game: EngineGame, observer: int) -> dict[str, float]:
    """What the engine's observation tells a seat, by name; seats count from the observer."""
    names = element_names(game.rules)
    found = observed(game.rules, game.games, observer)[0][0].tolist()
    return dict(zip(names, found, strict=True))


def test_only_the_banker_does_not_see_the_own_first_card() -> None:
    """P11, P13: engine only; the referee's view is held in test_naive.py."""
    game = make_table(EngineGame, ["T8", "97"])
    assert seen(game, 0)["own_hand_0.count"] == 0
    assert seen(game, 1)["own_hand_0.count"] == pytest.approx(9 / 21)
    play(game, "1 stake 10")
    assert seen(game, 0)["own_hand_0.count"] == pytest.approx(18 / 21)


def test_a_banker_asked_to_double_sees_the_first_card() -> None:
    """P11, banker_doubles: engine only; from the question on, and nobody else does."""
    game = make_table(EngineGame, ["T8", "97"], banker_doubles=True)
    assert seen(game, 0)["own_hand_0.count"] == 0
    play(game, "1 stake 10")
    assert seen(game, 0)["own_hand_0.count"] == pytest.approx(10 / 21)
    assert seen(game, 1)["seat_1.hand_0.shown_count"] == 0


def test_the_first_cards_of_split_hands_lie_open() -> None:
    """P16, P26: engine only; the cards that they get do not."""
    game = make_table(EngineGame, ["T8", "99", "T7"], "T7")
    play(game, "1 stake 10", "2 stake 10")
    assert seen(game, 2)["seat_2.hand_0.shown_count"] == 0
    play(game, "1 split")
    for hand in ("seat_2.hand_0", "seat_2.hand_1"):
        assert seen(game, 2)[f"{hand}.n_cards"] == pytest.approx(2 / 5)
        assert seen(game, 2)[f"{hand}.shown_count"] == pytest.approx(9 / 21)


def test_a_declared_pontoon_shows_the_ace_and_not_the_king() -> None:
    """P15, P26: engine only; whichever came first."""
    for hand in ("KA", "AK"):
        game = make_table(EngineGame, ["T8", hand, "T7"])
        play(game, "1 stake 10", "2 stake 10")
        assert seen(game, 2)["seat_2.hand_0.is_declared"] == 1
        assert seen(game, 2)["seat_2.hand_0.shown_ace"] == 1
        assert seen(game, 2)["seat_2.hand_0.shown_count"] == pytest.approx(1 / 21)


def test_a_hand_closed_on_21_looks_like_one_that_stuck() -> None:
    """P24, P26: engine only; finished, and nothing of it shown."""
    looks = []
    for drawn, steps in (("5", ["1 buy 10"]), ("3", ["1 buy 10", "1 stick"])):
        game = make_table(EngineGame, ["T8", "T6", "T7"], drawn)
        play(game, "1 stake 10", "2 stake 10", *steps)
        looks.append({name: seen(game, 2)[name] for name in seen(game, 2) if "seat_2" in name})
    assert looks[0] == looks[1]
    assert looks[0]["seat_2.hand_0.is_finished"] == 1
    assert looks[0]["seat_2.hand_0.shown_count"] == 0


# The banker's turn and settlement


@pytest.mark.parametrize(
    ("banker", "drawn", "asked"),
    [
        case("T5", "6", 1, id="a lowest count of 21"),
        case("T5", "K", 1, id="a bust"),
        case("23", "456", 3, id="five cards"),
        case("22", "A3A", 3, id="five cards of nine"),
    ],
)
def test_the_bankers_hand_ends_by_itself(
    table: MakeTable, banker: str, drawn: str, asked: int
) -> None:
    """P29: with no question after the last card."""
    game = table([banker, "T9"], drawn)
    play(game, "1 stake 10", "1 stick", *["0 twist"] * asked)
    assert lines(game, "settle")
    assert told(game) == ["1 stake", "1 stick", *["0 twist"] * asked]


def test_the_banker_may_stay_on_a_pair_of_twos_but_neither_buy_nor_split_it(
    table: MakeTable,
) -> None:
    """P28: on any total."""
    game = table(["22", "T9"])
    play(game, "1 stake 10", "1 stick")
    assert game.legal() == {"twist": None, "stick": None}
    play(game, "0 stick")
    assert net(game) == [-10, 10]


def test_a_bust_and_a_pontoon_leave_the_banker_nothing_to_do(table: MakeTable) -> None:
    """P29: the two cards are shown and nobody is asked."""
    game = table(["T2", "T6", "AK"], "K")
    play(game, "1 stake 10", "2 stake 10", "1 twist")
    assert told(game)[-1] == "1 twist"
    assert last_hands(game)[0] == ["T2"]
    assert net(game) == [-10, -10, 20]


def test_a_banker_on_21_pays_pontoons_and_tricks_only(table: MakeTable) -> None:
    """P30: 21 in three loses."""
    game = table(["T5", "AK", "23", "T6"], "456" + "5" + "6")
    play(game, "1 stake 10", "2 stake 10", "3 stake 10")
    play(game, "2 twist", "2 twist", "2 twist", "3 twist", "0 twist")
    assert net(game) == [-30, 20, 20, -10]


# The next deal


def test_cards_go_under_in_the_order_of_hands(table: MakeTable) -> None:
    """P31: bust, split left to right, drawn as they came, the banker's last; then the top."""
    game = table(["T8", "T6", "99", "T4"], "K" + "J8" + "3" + "567Q", deals=2, bank_sale=False)
    play(game, "1 stake 10", "2 stake 10", "3 stake 10", "1 twist")
    play(game, "2 split", "2 stick", "2 stick", "3 twist", "3 stick", "0 stick")
    pack = ranks(lines(game, "settle")[0]["pack"])
    assert pack[-12:] == "T6K" + "9J" + "98" + "T43" + "T8"
    assert [line["card"][0] for line in lines(game, "card")[-4:]] == ["5", "6", "7", "Q"]


def test_of_several_naturals_the_nearest_on_the_left_wins_the_bank(table: MakeTable) -> None:
    """P33: seat 2, not seat 3; and seat 1, left of the banker, has none."""
    game = table(["T8", "KQ", "AK", "AJ"], deals=2)
    play(game, "1 stake 10", "2 stake 10", "3 stake 10", "1 stick", "0 stick")
    assert game.banker == 2
    assert [line["seat"] for line in lines(game, "bank")] == [2]
    assert game.seat == 3


def test_the_nearest_is_counted_from_the_old_banker(table: MakeTable) -> None:
    """P33: with the bank at seat 1, the natural of seat 2 comes before that of seat 0."""
    game = table(["T8", "T9", "J7"], "AAT" + "QJ8", deals=3)
    play(game, "1 stake 10", "2 stake 10", "1 stick", "2 stick", "0 stick", "0 offer 1", "1 accept")
    # From the left of seat 1: seat 2 gets A-Q, seat 0 gets A-J, the banker T-8.
    play(game, "2 stake 10", "0 stake 10")
    assert [(line["seat"], line["reason"]) for line in lines(game, "bank")] == [
        (1, "sale"),
        (2, "natural"),
    ]


def test_a_pair_is_not_split_where_one_card_is_left(table: MakeTable) -> None:
    """P35: a split needs two; a drawn 21 closes, and a banker with no card left stays."""
    game = table(["", ""], pack=["9c", "8c", "9d", "Tc", "3c"])
    play(game, "1 stake 10")
    assert set(game.legal()) == {"stick", "twist", "buy"}
    play(game, "1 twist")
    assert told(game) == ["1 stake", "1 twist"]
    assert net(game) == [-10, 10]


def test_a_pair_is_split_where_two_cards_are_left(table: MakeTable) -> None:
    """P35: then both halves of 18 are asked, though they can only stick."""
    game = table(["", ""], pack=["9c", "8c", "9d", "Tc", "9h", "9s"])
    play(game, "1 stake 10")
    assert "split" in game.legal()
    play(game, "1 split")
    assert (game.hand, game.legal()) == (0, {"stick": None})
    play(game, "1 stick")
    assert (game.hand, game.legal()) == (1, {"stick": None})


def test_with_no_card_left_15_is_asked_and_14_closes(table: MakeTable) -> None:
    """P35, P22: both lose to 18."""
    game = table(["", "", ""], pack=["Tc", "Jc", "8c", "5c", "4c", "Td"])
    play(game, "1 stake 10", "2 stake 10")
    assert (game.seat, game.legal()) == (1, {"stick": None})
    play(game, "1 stick")
    assert told(game) == ["1 stake", "2 stake", "1 stick"]
    assert net(game) == [20, -10, -10]


def test_a_forced_twist_is_asked(table: MakeTable) -> None:
    """P36, P21, P22."""
    game = table(["T8", "23"], "45")
    play(game, "1 stake 10", "1 twist")
    assert (game.seat, game.legal()) == (1, {"twist": None})
    play(game, "1 twist")
    assert told(game) == ["1 stake", "1 twist", "1 twist"]
    assert (game.seat, game.legal()) == (1, {"twist": None})


@pytest.mark.parametrize(
    ("rules", "hands", "steps", "names"),
    [
        case(
            {},
            ["T8", "AK"],
            ["1 stake 10"],
            ["bank", "shuffle", "deal"],
            id="a natural",
        ),
        case(
            {"shoot": True},
            ["T8", "AK"],
            ["0 kitty 9", "1 stake 10", "1 pass", "1 kitty 9"],
            ["bank", "shuffle", "decision", "deal"],
            id="a natural and its kitty",
        ),
        case(
            {"shoot": True},
            ["T8", "T9"],
            ["0 kitty 9", "1 stake 10", "1 pass", "1 stick", "0 stick", "0 pass", "0 kitty 1"],
            ["decision", "decision", "deal"],
            id="no sale and an addition",
        ),
        case(
            {"shoot": True, "shuffle": "every"},
            ["T8", "T9"],
            [
                *("0 kitty 9", "1 stake 10", "1 pass", "1 stick", "0 stick"),
                *("0 offer 1", "1 accept", "1 kitty 9"),
            ],
            ["decision", "decision", "bank", "shuffle", "decision", "deal"],
            id="a sale and a shuffle",
        ),
    ],
)
def test_what_lies_between_two_deals_has_its_order(
    table: MakeTable, rules: dict[str, Any], hands: list[str], steps: list[str], names: list[str]
) -> None:
    """P37: settlement; the bank; the shuffle; the kitty; the next deal."""
    game = table(hands, deals=2, **rules)
    play(game, *steps)
    assert names_after_settlement(game)[: len(names)] == names


def test_nothing_follows_the_last_deal(table: MakeTable) -> None:
    """P37, P32, P33: no bank for its natural, no shuffle, no sale."""
    game = table(["T8", "AK"])
    play(game, "1 stake 10")
    assert names_after_settlement(game) == ["end"]
    assert (game.seat, game.banker) == (None, 0)


# The counting

CASES: dict[str, tuple[str, ...]] = {
    "P1": ("test_two_seats_make_a_table", "test_eight_seats_make_a_table"),
    "P2": ("test_an_ace_counts_one_where_eleven_would_bust",),
    "P3": ("test_a_stake_lies_within_its_limits[by default]",),
    "P4": ("test_a_seat_may_lose_more_than_any_stake_limit",),
    "P5": ("test_a_session_ends_after_the_agreed_deals",),
    "P6": (
        "test_the_number_of_cards_plays_no_part_below_a_trick[21 of four ties 21 of three]",
        "test_the_number_of_cards_plays_no_part_below_a_trick[a trick of 9 beats 21]",
        "test_settlement_follows_the_table",
    ),
    "P7": ("test_example_3_the_banker_wins_ties_and_there_is_no_shuffle",),
    "P8": ("test_the_seed_chooses_the_first_banker_and_the_first_pack",),
    "P9": ("test_the_seed_chooses_the_first_banker_and_the_first_pack",),
    "P10": ("test_cards_and_stakes_go_round_from_the_bankers_left",),
    "P11": (
        "test_only_the_banker_does_not_see_the_own_first_card",
        "test_a_banker_asked_to_double_sees_the_first_card",
        "test_the_banker_sees_the_first_card_only_where_doubling_is_asked",
    ),
    "P12": ("test_cards_and_stakes_go_round_from_the_bankers_left",),
    "P13": ("test_cards_and_stakes_go_round_from_the_bankers_left",),
    "P14": (
        "test_example_1_a_bankers_pontoon_takes_twice_every_stake",
        "test_nobody_plays_after_a_bankers_pontoon",
    ),
    "P15": ("test_a_natural_is_declared_in_its_turn_and_closed",),
    "P16": (
        "test_a_split_deals_one_card_face_down_to_each_half",
        "test_a_drawn_pair_is_no_pair_to_split",
        "test_any_pair_is_split_but_a_king_and_a_jack_are_none",
    ),
    "P17": ("test_example_6_a_split_pontoon_is_paid_twice_but_never_wins_the_bank",),
    "P18": (
        "test_example_6_a_split_pontoon_is_paid_twice_but_never_wins_the_bank",
        "test_each_split_hand_has_its_own_ladder",
    ),
    "P19": ("test_example_6_a_split_pontoon_is_paid_twice_but_never_wins_the_bank",),
    "P20": ("test_example_4_each_price_is_at_most_the_one_before",),
    "P21": ("test_a_twist_forbids_buying_to_its_own_hand_only",),
    "P22": ("test_at_15_a_hard_14_must_draw_and_a_hard_15_may_stick",),
    "P23": ("test_a_fifth_card_closes_the_hand",),
    "P24": (
        "test_example_8_a_soft_21_in_four_may_draw_a_fifth",
        "test_a_bought_21_closes_and_a_bought_soft_21_does_not",
    ),
    "P25": (
        "test_example_5_a_bust_is_final",
        "test_a_bust_pays_all_that_was_bought_at_once",
    ),
    "P26": (
        "test_bought_cards_come_down_and_twisted_ones_up",
        "test_the_first_cards_of_split_hands_lie_open",
        "test_a_declared_pontoon_shows_the_ace_and_not_the_king",
        "test_a_hand_closed_on_21_looks_like_one_that_stuck",
        "test_a_finished_hand_does_not_tell_whether_it_stuck",
        "test_a_declared_pontoon_shows_its_ace_alone",
    ),
    "P27": ("test_losing_hands_are_shown_and_bust_ones_are_not_again",),
    "P28": (
        "test_a_free_banker_is_asked_on_any_total",
        "test_the_banker_is_asked_on_a_soft_21",
        "test_the_banker_may_stay_on_a_pair_of_twos_but_neither_buy_nor_split_it",
    ),
    "P29": (
        "test_the_bankers_hand_ends_by_itself[a lowest count of 21]",
        "test_the_bankers_hand_ends_by_itself[five cards]",
        "test_a_bust_and_a_pontoon_leave_the_banker_nothing_to_do",
        "test_example_7_where_all_are_bust_the_banker_draws_nothing",
    ),
    "P30": (
        "test_settlement_follows_the_table",
        "test_a_banker_on_21_pays_pontoons_and_tricks_only",
    ),
    "P31": (
        "test_cards_go_under_in_the_order_of_hands",
        "test_example_7_where_all_are_bust_the_banker_draws_nothing",
    ),
    "P32": (
        "test_example_1_a_bankers_pontoon_takes_twice_every_stake",
        "test_example_6_a_split_pontoon_is_paid_twice_but_never_wins_the_bank",
    ),
    "P33": (
        "test_of_several_naturals_the_nearest_on_the_left_wins_the_bank",
        "test_the_nearest_is_counted_from_the_old_banker",
        "test_example_1_a_bankers_pontoon_takes_twice_every_stake",
    ),
    "P34": (
        "test_the_first_to_accept_buys_the_bank",
        "test_a_bank_that_nobody_buys_stays",
    ),
    "P35": (
        "test_an_empty_pack_closes_a_hand_that_must_draw",
        "test_a_pair_is_not_split_where_one_card_is_left",
        "test_a_pair_is_split_where_two_cards_are_left",
        "test_with_no_card_left_15_is_asked_and_14_closes",
    ),
    "P36": (
        "test_a_forced_twist_is_asked",
        "test_the_first_player_may_shoot_it_all",
    ),
    "P37": (
        "test_what_lies_between_two_deals_has_its_order[a natural]",
        "test_what_lies_between_two_deals_has_its_order[a natural and its kitty]",
        "test_what_lies_between_two_deals_has_its_order[no sale and an addition]",
        "test_what_lies_between_two_deals_has_its_order[a sale and a shuffle]",
        "test_nothing_follows_the_last_deal",
    ),
}
"""For each rule of section 1 the scripted cases that hold it, here and in the files beside."""

MODULES = (tests.test_naive, tests.test_rules, tests.test_shoot, *tests.test_variations.MODULES)


def test_every_rule_of_pontoon_has_a_case() -> None:
    """Section 1: one at least, of tests that exist."""
    existing = set(case_names(globals(), *map(vars, MODULES)))
    assert set(CASES) == {f"P{number}" for number in range(1, 38)}
    for rule, names in CASES.items():
        assert names, rule
        assert set(names) <= existing, (rule, set(names) - existing)
