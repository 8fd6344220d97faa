"""Tests of the naive referee by itself: what each seat may know, and random sessions."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from tests.naive import Card, Referee, SeededChance, full_pack, random_rules
from tests.scripted import lines, make_table, play


def test_an_auction_goes_to_the_highest_bid_nearest_on_the_left() -> None:
    """S10, P26: sealed while it lasts, then all bids are seen."""
    referee = make_table(Referee, ["T8", "T9", "T7", "T7"], shoot=True, deals=2, bank_sale=False)
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


def test_a_finished_hand_does_not_tell_whether_it_stuck() -> None:
    """P24, P26: closed on 21 looks like sticking; bought cards stay hidden, twisted ones not."""
    referee = make_table(Referee, ["T8", "T6", "T5", "T7"], "56")
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
    referee = make_table(Referee, ["T8", "KA", "T9"])
    play(referee, "1 stake 1", "2 stake 1")
    assert referee.view(2)["seats"][1]["hands"][0]["cards"] == [None, "Ac"]


def test_cards_gathered_in_random_order_are_unknown_but_bust_hands_are_known() -> None:
    """P25, P31, under_pack=random."""
    referee = make_table(Referee, ["T8", "T6", "T9"], "K", under_pack="random", deals=2)
    play(referee, "1 stake 1", "2 stake 1", "1 twist", "2 stick", "0 stick")
    view = referee.view(1)
    assert [card and card[0] for card in view["known_below"]] == ["T", "6", "K", *[None] * 4]
    assert view["unknown_above"] == 52 - 7


def test_the_banker_sees_the_first_card_only_where_doubling_is_asked() -> None:
    """P11, P13, banker_doubles."""
    referee = make_table(Referee, ["T8", "97"], banker_doubles=True)
    assert referee.view(0)["seats"][0]["hands"][0]["cards"] == [None]
    assert referee.view(1)["seats"][1]["hands"][0]["cards"] == ["9c"]
    play(referee, "1 stake 10")
    assert referee.view(0)["seats"][0]["hands"][0]["cards"] == ["Tc"]
    assert referee.view(1)["seats"][0]["hands"][0]["cards"] == [None]
    play(referee, "0 double")
    assert referee.view(1)["doubled"]


def test_an_illegal_move_is_refused_and_changes_nothing() -> None:
    """P12: so for amounts outside the limits, missing, superfluous, and for unknown moves."""
    referee = make_table(Referee, ["T8", "97"])
    before = (referee.view(1), list(referee.lines))
    for move, chips in [("stake", 0), ("stake", 1001), ("stake", None), ("twist", None)]:
        with pytest.raises(ValueError, match=r"is illegal|takes 1 to 1000"):
            referee.act(move, chips)
    assert (referee.view(1), referee.lines) == before
    play(referee, "1 stake 10")
    with pytest.raises(ValueError, match="takes no chips"):
        referee.act("stick", 3)


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
