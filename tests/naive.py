"""A referee of Pontoon and Shoot Pontoon written from the rulebook alone.

It is slow and plain on purpose: the play of a session is one generator that reads like the
rulebook, top-down, and stops wherever a seat must be asked. It shares no code with the engine,
so that the two can be played in lockstep and each difference is an error of one of them.

Rule numbers (P1 to P37, S1 to S11, names of variations) are those of the rulebook; the lines
that it writes are those of the hand history.
"""

from __future__ import annotations

import random
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, TypeVar

Card: TypeAlias = str
Limits: TypeAlias = tuple[int, int] | None
Answer: TypeAlias = tuple[str, int | None]
T = TypeVar("T")

RANKS = "A23456789TJQK"
SUITS = "cdhs"
PIPS = {rank: min(number, 10) for number, rank in enumerate(RANKS, start=1)}

DEFAULT_RULES: dict[str, Any] = {
    "seats": 6,
    "deals": 20,
    "packs": 1,
    "min_stake": 100,
    "max_stake": 1000,
    "max_price": None,
    "shoot": False,
    "min_kitty": None,
    "max_kitty": None,
    "split": "any",
    "max_hands": 4,
    "split_aces_one_card": False,
    "split_pontoon": "double",
    "stick_min": 15,
    "soft21_draws": True,
    "banker_doubles": False,
    "pontoon_pays": 2,
    "banker_pontoon_collects": 2,
    "both_pontoon": None,
    "trick_pays": 2,
    "banker_trick_collects": 2,
    "trick_beats_pontoon": False,
    "no_certain_fifth": False,
    "royal": False,
    "burn": "none",
    "burn_repeat": 0,
    "ties": "banker",
    "bank_passes": "natural",
    "bank_refusable": False,
    "bank_sale": True,
    "shuffle": "pontoon",
    "under_pack": "order",
    "banker_rule": "free",
}


def full_pack(packs: int = 1) -> list[Card]:
    """Every card of `packs` packs of 52 (P1), sorted by rank and suit."""
    return [rank + suit for rank in RANKS for suit in SUITS for _ in range(packs)]


class Chance(Protocol):
    """Whatever the rules leave to chance during a session."""

    def shuffled_pack(self) -> list[Card]:
        """The whole pack after a shuffle (P32), next card first."""

    def card(self) -> Card:
        """The next card of an infinite pack."""

    def gathered(self, cards: list[Card]) -> list[Card]:
        """The order in which the cards gathered at settlement go under (under_pack=random)."""


@dataclass(frozen=True)
class Question:
    """A seat's choice: its legal moves, each with the lowest and highest chips or None."""

    seat: int
    hand: int | None
    moves: dict[str, Limits]


Steps: TypeAlias = Generator[Question, Answer, T]


@dataclass(eq=False)
class Hand:
    """A hand and what lies with it: its total stake `T`, its prices and its shoot bets.

    Attributes:
        cards: In the order of their arrival. A bust hand keeps a record of its cards, though
            they are under the pack already (P25).
        up: For each card, whether everybody sees it (P26).
        total: `T`, the initial stake and all purchases, in chips.
        prices: What was paid for the third, fourth and fifth card (P20).
        twisted: Whether a card was twisted (P21).
        shoot: The shoot bets that the hand carries, in chips.
        split: Whether it is the half of a split (P16).
        closes_on_two: Whether it is a half of split aces under split_aces_one_card.
        burns: How often it was burnt (burn).
        status: "open" (waiting or in its turn), "finished", "declared" or "bust".
    """

    cards: list[Card] = field(default_factory=list)
    up: list[bool] = field(default_factory=list)
    total: int = 0
    prices: list[int] = field(default_factory=list)
    twisted: bool = False
    shoot: int = 0
    split: bool = False
    closes_on_two: bool = False
    burns: int = 0
    status: str = "open"

    @property
    def ranks(self) -> list[str]:
        """The ranks of the cards; suits never matter (P2)."""
        return [card[0] for card in self.cards]

    @property
    def lowest(self) -> int:
        """The count with every ace as 1 (P2)."""
        return sum(PIPS[rank] for rank in self.ranks)

    @property
    def best(self) -> int:
        """The count with an ace as 11 where that does not bust (P2, P22)."""
        return self.lowest + 10 if "A" in self.ranks and self.lowest <= 11 else self.lowest

    @property
    def soft(self) -> bool:
        """Whether the best count takes an ace as 11."""
        return self.best != self.lowest

    @property
    def bust(self) -> bool:
        """Whether the hand counts over 21 whatever its aces (P6e)."""
        return self.lowest > 21

    @property
    def ace_and_ten(self) -> bool:
        """Whether it is exactly two cards, an ace and a ten-valued card (P6a)."""
        return len(self.cards) == 2 and self.best == 21

    @property
    def trick(self) -> bool:
        """Whether it is a five-card trick (P6b)."""
        return len(self.cards) == 5 and not self.bust

    @property
    def pair(self) -> bool:
        """Whether it is exactly two cards of one rank (P16)."""
        return len(self.cards) == 2 and self.ranks[0] == self.ranks[1]


@dataclass
class Seat:
    """A seat's initial stake `E` (None before it stakes, and for the banker) and hands."""

    stake: int | None = None
    hands: list[Hand] = field(default_factory=list)


@dataclass(frozen=True)
class Outcome:
    """What the next deal must know of the last one.

    Attributes:
        naturals: The players who can win the bank by P33, from the banker's left.
        pontoon: Whether any hand of the deal was a pontoon (P32).
    """

    naturals: list[int]
    pontoon: bool


class Referee:
    """A session, which stops at every decision and is driven on by `act`.

    Args:
        rules: Every field of the rules by name, as in JSON; assumed to be valid.
        banker: The first banker (P8).
        pack: The first pack, next card first; empty for an infinite pack (P9).
        chance: The source of everything random after that.
        seed: Only repeated in the session line.

    Attributes:
        lines: The hand history so far.
        pack: The pack, next card first.
        chips: Each seat's net change of cash in the session, kitties and prices included.
        kitty: `K`, which is nobody's cash until taken (S11).
        banker: The banker's seat.
        deal: The number of deals settled so far, hence the number of the deal in play.
    """

    def __init__(
        self,
        rules: Mapping[str, Any],
        *,
        banker: int,
        pack: Sequence[Card],
        chance: Chance,
        seed: int | None = None,
    ) -> None:
        self.rules = dict(rules)
        self.banker = banker
        self.pack = list(pack)
        self.chance = chance
        self.chips = [0] * rules["seats"]
        self.kitty = 0
        self.deal = 0
        self.table = [Seat() for _ in range(rules["seats"])]
        # What everybody knows of each card of the pack, in the same order: the card or None.
        self._known: list[Card | None] = [None] * len(pack)
        self._net = [0] * rules["seats"]
        self._doubled = False
        self._banker_looked = False
        self._offer: int | None = None
        self._bids: list[int | None] | None = None
        self._bids_sealed = False
        self.lines: list[dict[str, Any]] = []
        self._write(
            "session",
            format=1,
            game="pontoon_v0",
            rules=dict(rules),
            seats=rules["seats"],
            deals=rules["deals"],
            seed=seed,
            banker=banker,
            pack=list(pack),
        )
        self._play = self._session()
        self._question: Question | None = next(self._play)

    # The interface: who is asked for what, and the answer.

    @property
    def seat(self) -> int | None:
        """The seat whose decision it is; None when the session is over."""
        return None if self._question is None else self._question.seat

    @property
    def hand(self) -> int | None:
        """The hand that the decision is about, as in the hand history; None without one."""
        return None if self._question is None else self._question.hand

    def _room(self) -> int:
        """`K - O`, the most that may be shot (S2, S8); a kitty stops growing at 2**50 chips."""
        return min(self.kitty - self.outstanding, 2**50 - self.kitty - self.outstanding)

    @property
    def outstanding(self) -> int:
        """`O`, the shoot bets outstanding, in chips (S8)."""
        return sum(hand.shoot for seat in self.table for hand in seat.hands)

    def legal(self) -> dict[str, Limits]:
        """Every legal move; lowest and highest chips for one with an amount, else None."""
        return {} if self._question is None else dict(self._question.moves)

    def act(self, move: str, chips: int | None = None) -> None:
        """Plays a move and everything after it that needs no decision.

        Raises:
            ValueError: If the move is illegal; nothing has changed then.
        """
        if move not in self.legal():
            raise ValueError(f"{move} is illegal; legal: {self.legal()}")
        limits = self.legal()[move]
        if limits is None and chips is not None:
            raise ValueError(f"{move} takes no chips")
        if limits is not None:
            whole = isinstance(chips, int) and not isinstance(chips, bool)
            if not whole or chips is None or not limits[0] <= chips <= limits[1]:
                raise ValueError(f"{move} takes {limits[0]} to {limits[1]} chips, not {chips}")
        try:
            self._question = self._play.send((move, chips))
        except StopIteration:
            self._question = None

    def view(self, seat: int) -> dict[str, Any]:
        """All that `seat` may know at this moment without remembering anything (P26, P27).

        Between deals nobody has a stake or a hand: all cards are under the pack.

        Returns:
            A dict with the keys
            `viewer`: the seat asked about;
            `banker`, `kitty`, `outstanding`, `chips` (as the attributes);
            `deal`: the number of the deal in play, between deals that of the next one;
            `seat`, `hand`: whose decision it is, about which hand (None as in `Referee`);
            `doubled`: whether the banker has doubled this deal (banker_doubles);
            `offer`: the price asked while a sale goes on (P34), else None;
            `bids`: None where there was no auction since the last settlement; else for each
                seat its bid, 0 for `pass`, None for the old banker, for a seat not yet asked,
                and for all others than the viewer until the last seat has bid (S10);
            `seats`: for each seat a dict of `stake` (`E` or None) and `hands`, a list of dicts:
                `count`: number of cards;
                `cards`: the cards, None for one that the viewer does not see (a bust hand is
                    still listed, though its cards are under the pack);
                `total`: `T`; `last_price`: what its last card was bought for, None if none was
                    bought; `twisted`; `split`; `burns`;
                `shoot`: the shoot bets it carries (0 once they are lost by a bust);
                `status`: "open" (waiting or in its turn), "finished" (stuck or closed, nobody is
                    told which), "declared", "bust"; the banker's is "open" throughout;
            `unknown_above`, `known_below`: the number of cards on top of the pack of which the
                table knows nothing, and from the first one known down to the bottom the cards
                gathered since the last shuffle, all of which were shown to everybody (None for
                a card whose place is not known, under_pack=random). 0 and [] for an infinite
                pack.
        """
        unknown = next((i for i, card in enumerate(self._known) if card), len(self._known))
        return {
            "viewer": seat,
            "banker": self.banker,
            "deal": self.deal,
            "kitty": self.kitty,
            "outstanding": self.outstanding,
            "chips": list(self.chips),
            "seat": self.seat,
            "hand": self.hand,
            "doubled": self._doubled,
            "offer": self._offer,
            "bids": self._view_of_bids(seat),
            "seats": [
                {
                    "stake": owner.stake,
                    "hands": [self._view_of_hand(seat, number, hand) for hand in owner.hands],
                }
                for number, owner in enumerate(self.table)
            ],
            "unknown_above": unknown,
            "known_below": self._known[unknown:],
        }

    def _view_of_hand(self, viewer: int, owner: int, hand: Hand) -> dict[str, Any]:
        """What the viewer sees of one hand (P11, P13, P26, banker_doubles)."""
        # The banker may not look at the first card before the second one is dealt (P11, P13),
        # unless the question of doubling lets the banker look.
        looks = viewer == owner and (
            owner != self.banker or len(hand.cards) >= 2 or self._banker_looked
        )
        return {
            "count": len(hand.cards),
            "cards": [
                card if up or looks else None for card, up in zip(hand.cards, hand.up, strict=True)
            ],
            "total": hand.total,
            "last_price": hand.prices[-1] if hand.prices else None,
            "twisted": hand.twisted,
            "split": hand.split,
            "burns": hand.burns,
            "shoot": hand.shoot,
            "status": hand.status,
        }

    def _view_of_bids(self, viewer: int) -> list[int | None] | None:
        """All bids after an auction, before that the viewer's own only (P26, S10)."""
        if self._bids is None:
            return None
        return [
            bid if seat == viewer or not self._bids_sealed else None
            for seat, bid in enumerate(self._bids)
        ]

    # Writing, asking, counting, paying.

    def _write(self, line: str, **keys: Any) -> None:
        """Adds a line to the hand history."""
        self.lines.append({"line": line, **keys})

    def _ask(self, seat: int, hand: int | None, moves: dict[str, Limits]) -> Steps[Answer]:
        """Asks a seat, also where only one move is legal, and writes the answer down (P36)."""
        move, chips = yield Question(seat, hand, moves)
        self._write("decision", seat=seat, hand=hand, move=move, chips=chips)
        return move, chips

    def _ask_amount(
        self, seat: int, hand: int | None, move: str, limits: tuple[int, int], other: str | None
    ) -> Steps[int]:
        """Asks for an amount or, where there is one, the `other` move without; 0 for that one.

        Where the limits leave no amount only the other move is legal (P36).
        """
        moves: dict[str, Limits] = {move: limits} if limits[0] <= limits[1] else {}
        if other is not None:
            moves[other] = None
        _, chips = yield from self._ask(seat, hand, moves)
        return chips or 0

    def _players(self) -> list[int]:
        """The players clockwise from the banker's left."""
        seats = len(self.table)
        return [(self.banker + step) % seats for step in range(1, seats)]

    def _player_hands(self) -> Iterator[tuple[int, Hand]]:
        """Every player's hands clockwise from the banker's left, split ones left to right."""
        for seat in self._players():
            for hand in self.table[seat].hands:
                yield seat, hand

    def _infinite(self) -> bool:
        """Whether the pack is infinite (packs)."""
        return bool(self.rules["packs"] == "infinite")

    def _cards_left(self, number: int) -> bool:
        """Whether the pack holds `number` cards (P35)."""
        return self._infinite() or len(self.pack) >= number

    def _is_pontoon(self, hand: Hand) -> bool:
        """Whether the hand ranks as a pontoon (P6a, P19, split_pontoon)."""
        return hand.ace_and_ten and not (hand.split and self.rules["split_pontoon"] == "plain")

    def _is_royal(self, hand: Hand) -> bool:
        """Whether a player's hand is exactly 7-7-7 where that is royal (royal)."""
        return bool(self.rules["royal"]) and hand.ranks == ["7", "7", "7"]

    def _deal_card(self, seat: int, hand: Hand, *, up: bool) -> None:
        """Deals the next card of the pack to a hand."""
        if self._infinite():
            card = self.chance.card()
        else:
            card = self.pack.pop(0)
            self._known.pop(0)
        hand.cards.append(card)
        hand.up.append(up)
        position = self.table[seat].hands.index(hand)
        self._write("card", seat=seat, hand=position, card=card, up=up)

    def _put_under(self, cards: list[Card], *, order_known: bool = True) -> None:
        """Puts cards that everybody has seen under the pack (P25, P31)."""
        if not self._infinite():
            self.pack += cards
            self._known += cards if order_known else [None] * len(cards)

    def _pay(self, player: int, sign: int, times: float, total: int) -> None:
        """Moves `times` the total stake to the player (sign 1) or to the banker (sign -1).

        Where the banker has doubled, once and one and a half times become twice
        (banker_doubles). One and a half times is rounded down to the chip (trick_pays).
        """
        if self._doubled and times in (1, 1.5):
            times = 2
        chips = (3 * total) // 2 if times == 1.5 else int(times) * total
        for seat, change in ((player, sign * chips), (self.banker, -sign * chips)):
            self.chips[seat] += change
            self._net[seat] += change

    def _settle_shoot(self, player: int, hand: Hand, sign: int) -> None:
        """Pays a hand's shoot bets one to one out of the kitty or into it (S3, S6, S7).

        A sign of 0 gives them back (ties=push).
        """
        self.chips[player] += sign * hand.shoot
        self._net[player] += sign * hand.shoot
        self.kitty -= sign * hand.shoot
        hand.shoot = 0

    # The session and what lies between its deals.

    def _session(self) -> Steps[None]:
        """A session: an agreed number of deals (P5)."""
        if self.rules["shoot"]:
            yield from self._form_kitty()
        for deal in range(self.rules["deals"]):
            outcome = yield from self._play_deal()
            self.deal = deal + 1
            if self.deal < self.rules["deals"]:
                yield from self._between_deals(outcome)
        self._take_kitty()
        self._write("end", net=list(self.chips))

    def _between_deals(self, outcome: Outcome) -> Steps[None]:
        """P33, else P34; then P32; then S1 for a new banker, else S9 or S10 (P37)."""
        old_banker = self.banker
        passes = yield from self._next_banker(outcome)
        if passes is not None:
            reason = "rotation" if self.rules["bank_passes"] == "rotation" else "natural"
            self._pass_bank(passes, reason, price=None)
        elif self.rules["bank_sale"]:
            yield from self._sale()
        self._shuffle(outcome)
        if not self.rules["shoot"]:
            return
        if self.banker != old_banker:
            yield from self._form_kitty()
        elif self.kitty > 0:
            yield from self._add_to_kitty()
        else:
            yield from self._dry_kitty()

    def _next_banker(self, outcome: Outcome) -> Steps[int | None]:
        """Who gets the bank without paying, if anybody (P33, bank_passes, bank_refusable)."""
        if self.rules["bank_passes"] == "rotation":
            return self._players()[0]
        if self.rules["bank_passes"] == "never":
            return None
        for seat in outcome.naturals:
            if not self.rules["bank_refusable"]:
                return seat
            move, _ = yield from self._ask(seat, None, {"accept": None, "refuse": None})
            if move == "accept":
                return seat
        return None

    def _sale(self) -> Steps[None]:
        """The banker names a price, the players answer from the left (P34)."""
        price = yield from self._ask_amount(
            self.banker, None, "offer", (1, self._max_price()), "pass"
        )
        if price == 0:
            return
        self._offer = price
        for seat in self._players():
            move, _ = yield from self._ask(seat, None, {"accept": None, "pass": None})
            if move == "accept":
                self._pass_bank(seat, "sale", price)
                break
        self._offer = None

    def _pass_bank(self, seat: int, reason: str, price: int | None) -> None:
        """Hands the bank over; the old banker takes the kitty and the price (P34, S10, S11)."""
        self.chips[seat] -= price or 0
        self.chips[self.banker] += price or 0
        taken = self._take_kitty()
        self.banker = seat
        self._write("bank", seat=seat, reason=reason, chips=price, kitty_taken=taken)

    def _shuffle(self, outcome: Outcome) -> None:
        """Shuffles the whole pack where the rules ask for it (P32, shuffle)."""
        asked = {"pontoon": outcome.pontoon, "every": True, "never": False}
        if asked[self.rules["shuffle"]] and not self._infinite():
            self.pack = list(self.chance.shuffled_pack())
            self._known = [None] * len(self.pack)
            self._write("shuffle", pack=list(self.pack))

    # The kitty.

    def _max_price(self) -> int:
        """The highest price of the bank (P34, S10, max_price)."""
        price = self.rules["max_price"]
        return int(10 * self.rules["max_stake"] if price is None else price)

    def _kitty_limits(self) -> tuple[int, int]:
        """The limits of a new kitty: null means the limit of the stakes (S1)."""
        low, high = self.rules["min_kitty"], self.rules["max_kitty"]
        return (
            int(self.rules["min_stake"] if low is None else low),
            int(self.rules["max_stake"] if high is None else high),
        )

    def _grow_kitty(self, chips: int) -> None:
        """Moves the banker's cash into the kitty."""
        self.chips[self.banker] -= chips
        self.kitty += chips

    def _take_kitty(self) -> int:
        """The banker takes what the kitty holds (S11); the chips taken."""
        taken, self.kitty = self.kitty, 0
        self.chips[self.banker] += taken
        return taken

    def _form_kitty(self) -> Steps[None]:
        """The banker forms a kitty on taking the bank, or must after an auction (S1, S10)."""
        chips = yield from self._ask_amount(
            self.banker, None, "kitty", self._kitty_limits(), other=None
        )
        self._grow_kitty(chips)

    def _add_to_kitty(self) -> Steps[None]:
        """The banker may add to the kitty (S9)."""
        limits = (1, self._kitty_limits()[1])
        chips = yield from self._ask_amount(self.banker, None, "kitty", limits, "pass")
        self._grow_kitty(chips)

    def _dry_kitty(self) -> Steps[None]:
        """The banker forms a new kitty or puts the bank up to the highest bidder (S10)."""
        limits = self._kitty_limits()
        chips = yield from self._ask_amount(self.banker, None, "kitty", limits, "auction")
        if chips > 0:
            self._grow_kitty(chips)
            return
        self._bids, self._bids_sealed = [None] * len(self.table), True
        bids: dict[int, int] = {}
        for seat in self._players():
            bids[seat] = yield from self._ask_amount(
                seat, None, "bid", (1, self._max_price()), "pass"
            )
            self._bids[seat] = bids[seat]
        self._bids_sealed = False
        # Of equal bids `max` takes the first, which is the nearest on the banker's left.
        winner = max(bids, key=lambda seat: bids[seat])
        if bids[winner] > 0:
            self._pass_bank(winner, "auction", bids[winner])
        yield from self._form_kitty()

    # One deal.

    def _play_deal(self) -> Steps[Outcome]:
        """A deal from its first card to its settlement (P10 to P30)."""
        self._write("deal", deal=self.deal, banker=self.banker, kitty=self.kitty)
        self._net = [0] * len(self.table)
        for seat in [*self._players(), self.banker]:
            self.table[seat].hands = [Hand()]
            self._deal_card(seat, self.table[seat].hands[0], up=False)
        yield from self._stakes()
        if self.rules["banker_doubles"]:
            yield from self._doubling()
        if self.rules["shoot"]:
            yield from self._first_shoot_bets()
        for seat in [*self._players(), self.banker]:
            self._deal_card(seat, self.table[seat].hands[0], up=False)
        if self._is_pontoon(self._banker_hand()):
            self._settle_banker_pontoon()
            return self._end_deal(bank_can_be_won=False)
        for seat in self._players():
            yield from self._turn(seat)
        yield from self._banker_turn()
        self._settle()
        return self._end_deal(bank_can_be_won=True)

    def _banker_hand(self) -> Hand:
        """The banker's one hand."""
        return self.table[self.banker].hands[0]

    def _stakes(self) -> Steps[None]:
        """From the banker's left each player must stake within the limits (P12)."""
        limits = (self.rules["min_stake"], self.rules["max_stake"])
        for seat in self._players():
            stake = yield from self._ask_amount(seat, 0, "stake", limits, other=None)
            self.table[seat].stake = stake
            self.table[seat].hands[0].total = stake

    def _doubling(self) -> Steps[None]:
        """The banker looks at the first card and may double (banker_doubles)."""
        self._banker_looked = True
        move, _ = yield from self._ask(self.banker, 0, {"double": None, "pass": None})
        self._doubled = move == "double"

    def _first_shoot_bets(self) -> Steps[None]:
        """From the banker's left each player may shoot up to `K - O` (S2)."""
        for seat in self._players():
            yield from self._shoot_or_pass(seat, self.table[seat].hands[0])

    def _shoot_or_pass(self, seat: int, hand: Hand) -> Steps[None]:
        """Asks for a shoot bet on a hand, in the first round or with a split (S2, S5)."""
        limits = (1, self._room())
        position = self.table[seat].hands.index(hand)
        hand.shoot += yield from self._ask_amount(seat, position, "shoot", limits, "pass")

    # A player's turn.

    def _turn(self, seat: int) -> Steps[None]:
        """A player finishes all own hands, the one with the first-dealt card first (P18)."""
        position = 0
        # A split makes the list longer while it is walked through.
        while position < len(self.table[seat].hands):
            yield from self._play_hand(seat, position)
            position += 1

    def _play_hand(self, seat: int, position: int) -> Steps[None]:
        """The turn of the hand at a position, which a split replaces by its left half (P17)."""
        has_shot = False
        while True:
            hand = self.table[seat].hands[position]
            if hand.status == "bust":
                return
            if self._is_pontoon(hand):
                self._declare(seat, position)
                return
            moves = {} if self._closes(hand) else self._hand_moves(seat, hand, has_shot=has_shot)
            if not moves:
                # Closed by a rule, or it must draw and no card is left (P35).
                hand.status = "finished"
                return
            move, chips = yield from self._ask(seat, position, moves)
            has_shot = move == "shoot"
            if move == "stick":
                hand.status = "finished"
                return
            if move == "shoot":
                assert chips is not None
                hand.shoot += chips
            elif move == "split":
                yield from self._split(seat, position)
            elif move == "burn":
                self._burn(seat, hand)
            elif move == "buy":
                assert chips is not None
                hand.total += chips
                hand.prices.append(chips)
                self._draw(seat, position, up=False)
            else:
                hand.twisted = True
                self._draw(seat, position, up=True)

    def _declare(self, seat: int, position: int) -> None:
        """Shows a pontoon, ace up and ten-card down, and closes the hand (P15, P18, P26)."""
        hand = self.table[seat].hands[position]
        hand.status = "declared"
        hand.up = [up or rank == "A" for up, rank in zip(hand.up, hand.ranks, strict=True)]
        self._write("declare", seat=seat, hand=position)

    def _closes(self, hand: Hand) -> bool:
        """Whether a live hand that is no pontoon closes by itself."""
        if len(hand.cards) == 5:  # a five-card trick (P23)
            return True
        if hand.lowest == 21:  # P24
            return True
        if hand.best == 21 and not self.rules["soft21_draws"]:
            # Three or four cards; two only for a split pontoon that is a plain 21.
            return True
        return hand.closes_on_two

    def _hand_moves(self, seat: int, hand: Hand, *, has_shot: bool) -> dict[str, Limits]:
        """The legal moves of an open hand of 2 to 4 cards in its turn; none may be left (P35)."""
        moves: dict[str, Limits] = {}
        can_draw = self._cards_left(1)
        room = self._room()
        if not has_shot:  # having shot, the hand must draw (S4)
            if hand.best >= self.rules["stick_min"]:  # P22
                moves["stick"] = None
            if self._may_split(seat, hand):
                moves["split"] = None
            if self._may_burn(hand):
                moves["burn"] = None
            if self.rules["shoot"] and len(hand.cards) == 3 and can_draw and room > 0:  # S4
                moves["shoot"] = (1, room)
        if can_draw:
            moves["twist"] = None  # P21
            if self._may_buy(hand):
                moves["buy"] = self._price_limits(seat, hand)
        return moves

    def _may_split(self, seat: int, hand: Hand) -> bool:
        """Whether a hand may be split (P16, P17, P35, split, max_hands)."""
        return (
            hand.pair
            and {"any": True, "aces": hand.ranks[0] == "A", "none": False}[self.rules["split"]]
            and len(self.table[seat].hands) < self.rules["max_hands"]
            and self._cards_left(2)
        )

    def _may_burn(self, hand: Hand) -> bool:
        """Whether a hand may be burnt (burn, burn_repeat)."""
        return (
            len(hand.cards) == 2
            and "A" not in hand.ranks
            and str(hand.lowest) == str(self.rules["burn"])
            and hand.burns < 1 + self.rules["burn_repeat"]
            and self._cards_left(2)
        )

    def _may_buy(self, hand: Hand) -> bool:
        """Whether a hand that may draw may buy (P20, P21, no_certain_fifth)."""
        certain = len(hand.cards) == 4 and hand.lowest <= 11
        return not hand.twisted and not (certain and self.rules["no_certain_fifth"])

    def _price_limits(self, seat: int, hand: Hand) -> tuple[int, int]:
        """`E` to `2E` for the third card, then at most what the card before cost (P20)."""
        stake = self.table[seat].stake
        assert stake is not None
        return stake, hand.prices[-1] if hand.prices else 2 * stake

    def _draw(self, seat: int, position: int, *, up: bool) -> None:
        """Gives the hand a card that it bought or twisted; it may bust by it (P25, S6)."""
        hand = self.table[seat].hands[position]
        self._deal_card(seat, hand, up=up)
        if hand.bust:
            hand.status = "bust"
            hand.up = [True] * len(hand.cards)
            self._write("bust", seat=seat, hand=position)
            self._pay(seat, -1, 1, hand.total)
            self._settle_shoot(seat, hand, -1)
            self._put_under(hand.cards)

    def _split(self, seat: int, position: int) -> Steps[None]:
        """Replaces a pair in place by its two halves and deals to them (P16, P17, S5)."""
        pair = self.table[seat].hands[position]
        one_card = self.rules["split_aces_one_card"] and pair.ranks[0] == "A"
        left, right = (
            Hand([card], [True], total=pair.total, split=True, closes_on_two=one_card)
            for card in pair.cards
        )
        left.shoot = pair.shoot
        self.table[seat].hands[position : position + 1] = [left, right]
        if self.rules["shoot"]:
            yield from self._shoot_or_pass(seat, right)
        self._deal_card(seat, left, up=False)
        self._deal_card(seat, right, up=False)

    def _burn(self, seat: int, hand: Hand) -> None:
        """Shows two cards, puts them under the pack and deals two others (burn, P25)."""
        self._put_under(hand.cards)
        hand.cards, hand.up = [], []
        hand.burns += 1
        for _ in range(2):
            self._deal_card(seat, hand, up=False)

    # The banker's turn.

    def _banker_turn(self) -> Steps[None]:
        """The two cards are turned up and the banker draws or stays (P28, P29, P35)."""
        hand = self._banker_hand()
        hand.up = [True, True]
        if all(self._cannot_change(other) for _, other in self._player_hands()):
            return
        while len(hand.cards) < 5 and hand.lowest < 21 and self._cards_left(1):
            if self.rules["banker_rule"] == "free":
                moves: dict[str, Limits] = {"twist": None, "stick": None}
                move, _ = yield from self._ask(self.banker, 0, moves)
                draws = move == "twist"
            else:
                draws = self._draws_by_rule(hand)
            if not draws:
                return
            self._deal_card(self.banker, hand, up=True)

    def _cannot_change(self, hand: Hand) -> bool:
        """Whether nothing the banker draws changes a player's hand (P29, royal).

        Where a banker's trick beats a pontoon only busts and royals count.
        """
        if hand.status == "bust" or self._is_royal(hand):
            return True
        return self._is_pontoon(hand) and not self.rules["trick_beats_pontoon"]

    def _draws_by_rule(self, hand: Hand) -> bool:
        """Whether a fixed rule lets the banker draw (banker_rule)."""
        rule = self.rules["banker_rule"].removeprefix("stick")
        stays = int(rule.removesuffix("soft"))
        if hand.best == stays and hand.soft and rule.endswith("soft"):
            return True
        return hand.best < stays

    # Settlement.

    def _settle_banker_pontoon(self) -> None:
        """Every player pays, and all shoot bets go into the kitty (P14, S3)."""
        for seat, hand in self._player_hands():
            pays = -self.rules["banker_pontoon_collects"]
            if hand.ace_and_ten and self.rules["both_pontoon"] is not None:
                pays = self.rules["both_pontoon"]
            self._pay(seat, -1, -pays, hand.total)
            self._settle_shoot(seat, hand, -1)

    def _settle(self) -> None:
        """Settles every live hand against the banker's (P30, S7)."""
        for seat, hand in self._player_hands():
            if hand.status == "bust":
                continue
            result = self._compare(hand)
            if result == 0 and self.rules["ties"] == "banker":  # P7
                result = -1
            if result > 0:
                self._pay(seat, 1, self._wins_times(hand), hand.total)
            elif result < 0:
                collects = self.rules["banker_trick_collects"]
                self._pay(seat, -1, collects if self._banker_hand().trick else 1, hand.total)
            self._settle_shoot(seat, hand, result)

    def _compare(self, hand: Hand) -> int:
        """1 where a player's live hand is better than the banker's, 0 equal, -1 worse (P6)."""
        banker = self._banker_hand()
        if banker.bust or self._is_royal(hand):
            return 1
        if self._is_pontoon(hand):
            return -1 if banker.trick and self.rules["trick_beats_pontoon"] else 1
        mine, other = ((1, 0) if held.trick else (0, held.best) for held in (hand, banker))
        return (mine > other) - (mine < other)

    def _wins_times(self, hand: Hand) -> float:
        """How many times its total stake a better hand wins (P30 and its variations)."""
        if self._is_royal(hand):
            return 3
        if self._is_pontoon(hand):
            once = hand.split and self.rules["split_pontoon"] == "once"
            return float(1 if once else self.rules["pontoon_pays"])
        return float(self.rules["trick_pays"] if hand.trick else 1)

    def _end_deal(self, *, bank_can_be_won: bool) -> Outcome:
        """Shows and gathers the live hands, the banker's last, and writes it down (P27, P31)."""
        naturals = [
            seat
            for seat, hand in self._player_hands()
            if bank_can_be_won and self._is_pontoon(hand) and not hand.split  # P19, P33
        ]
        live = [hand for _, hand in self._player_hands() if hand.status != "bust"]
        live.append(self._banker_hand())
        outcome = Outcome(naturals, pontoon=any(map(self._is_pontoon, live)))
        shown = [
            [
                list(hand.cards)
                for hand in seat.hands
                if hand.status != "bust"  # never set for the banker, who is shown always
            ]
            for seat in self.table
        ]
        cards = [card for hand in live for card in hand.cards]
        if self.rules["under_pack"] == "random" and not self._infinite():
            self._put_under(self.chance.gathered(cards), order_known=False)
        else:
            self._put_under(cards)
        self._write(
            "settle", net=list(self._net), kitty=self.kitty, shown=shown, pack=list(self.pack)
        )
        self.table = [Seat() for _ in self.table]
        self._doubled = self._banker_looked = False
        self._bids = None
        return outcome


class SeededChance:
    """A chance from one generator of random numbers, for tests."""

    def __init__(self, rng: random.Random, packs: int | str = 1) -> None:
        self.rng = rng
        self.packs = packs

    def shuffled_pack(self) -> list[Card]:
        """A shuffled pack (P9, P32); [] where the pack is infinite."""
        if self.packs == "infinite":
            return []
        return self.gathered(full_pack(int(self.packs)))

    def card(self) -> Card:
        """A card uniform over the 52 (packs)."""
        return self.rng.choice(RANKS) + self.rng.choice(SUITS)

    def gathered(self, cards: list[Card]) -> list[Card]:
        """The cards in random order (under_pack)."""
        return self.rng.sample(cards, len(cards))


def random_rules(rng: random.Random, **fixed: Any) -> dict[str, Any]:
    """Random valid rules, every field by name; `fixed` ones overrule what was drawn.

    Fields that clash with another or have no effect beside it keep their default.
    """

    def pick(*values: Any) -> Any:
        return rng.choice(values)

    rules = dict(DEFAULT_RULES)
    rules["seats"], rules["deals"] = rng.randint(2, 8), rng.randint(1, 8)
    rules["packs"] = pick(1, 1, 2, "infinite")
    rules["min_stake"] = pick(1, 2, 7, 100)
    rules["max_stake"] = rules["min_stake"] + pick(0, 3, 10, 900)
    rules["shoot"] = pick(False, True)
    if rules["shoot"] and pick(False, True):
        rules["min_kitty"] = rng.randint(1, rules["max_stake"])
        rules["max_kitty"] = pick(None, rules["min_kitty"], 2 * rules["max_stake"])
    rules["split"] = pick("any", "any", "aces", "none")
    if rules["split"] != "none":
        rules["split_pontoon"] = pick("double", "once", "plain")
        rules["split_aces_one_card"] = pick(False, True)
        # One card to split aces leaves nothing to split again where only aces are split.
        if rules["split"] == "any" or not rules["split_aces_one_card"]:
            rules["max_hands"] = pick(2, 3, 4)
    rules["stick_min"] = pick(15, 16)
    rules["soft21_draws"] = pick(True, False)
    rules["banker_doubles"] = pick(False, True)
    rules["pontoon_pays"] = pick(1, 2, 3)
    rules["banker_pontoon_collects"] = pick(1, 2)
    rules["both_pontoon"] = pick(None, *range(-rules["banker_pontoon_collects"], 1))
    rules["trick_pays"] = pick(1, 1.5, 2)
    rules["banker_trick_collects"] = pick(1, 2)
    for name in ("trick_beats_pontoon", "no_certain_fifth", "royal"):
        rules[name] = pick(False, True)
    rules["burn"] = pick("none", "13", "14")
    if rules["burn"] != "none":
        rules["burn_repeat"] = rng.randint(0, 3)
    rules["ties"] = pick("banker", "push")
    rules["bank_passes"] = pick("natural", "rotation", "never")
    if rules["bank_passes"] == "natural":
        rules["bank_refusable"] = pick(False, True)
    rules["bank_sale"] = rules["bank_passes"] != "rotation" and pick(True, False)
    if rules["bank_sale"] or (rules["shoot"] and rules["bank_passes"] != "rotation"):
        rules["max_price"] = pick(None, 1, 50)
    if rules["packs"] != "infinite":
        rules["shuffle"] = pick("pontoon", "every", "never")
        # Where every deal is shuffled the order under the pack makes no difference.
        if rules["shuffle"] != "every":
            rules["under_pack"] = pick("order", "random")
    number = rng.randint(15, 21)
    rules["banker_rule"] = pick("free", "free", f"stick{number}", f"stick{number}soft")
    rules.update(fixed)
    # Where a natural is paid once, a split pontoon that is paid once is paid as one.
    if rules["pontoon_pays"] == 1 and rules["split_pontoon"] == "once":
        rules["split_pontoon"] = "double"
    return rules
