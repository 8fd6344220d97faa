"""What a refused decision is told: the rule that speaks against it, and what is legal instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import gymnasium
import numpy as np

from pontoon_env.batch import new_games, see_batch, status_batch
from pontoon_env.cards import ACE, N_SUITS
from pontoon_env.rules import Rules
from pontoon_env.state import (
    MAX_HANDS,
    MAX_KITTY,
    MAX_SEATS,
    N_AMOUNT_MOVES,
    N_MOVES,
    Move,
    Phase,
)

Legal = dict[str, tuple[int, int] | None]
"""Legal moves by name: least and largest amount in chips, None for a move without an amount."""

ASKED_TO: Final = {
    Phase.FORM_KITTY: "form the kitty (S1)",
    Phase.STAKE: "stake (P12)",
    Phase.DOUBLE: "double or pass (banker_doubles)",
    Phase.SHOOT: "shoot or pass (S2)",
    Phase.PLAY: "play a hand (P16 to P22)",
    Phase.SPLIT_SHOOT: "shoot on the other half of the split, or pass (S5)",
    Phase.BANKER: "twist or stick as the banker (P28)",
    Phase.ACCEPT_BANK: "accept or refuse the bank (bank_refusable)",
    Phase.OFFER: "offer the bank or pass (P34)",
    Phase.SALE: "accept the bank at its price, or pass (P34)",
    Phase.TOP_UP: "add to the kitty or pass (S9)",
    Phase.DRY_KITTY: "form a new kitty or put the bank up to auction (S10)",
    Phase.BID: "bid for the bank or pass (S10)",
}
"""What a seat is asked in each phase, with the rule that asks it."""


class NotResetError(gymnasium.error.ResetNeeded, AttributeError):
    """A call that needs a session, where none has begun or all is over."""


class IllegalActionError(ValueError):
    """An action that the rules forbid; nothing has changed.

    Attributes:
        agent: The seat that acted, such as ``seat_2``.
        move: The move's name, as in hand histories.
        legal: The legal moves by name, each with its least and largest amount in chips, or None.
    """

    def __init__(self, message: str, agent: str, move: str, legal: Legal) -> None:
        super().__init__(message, agent, move, legal)  # all of them, so that it can be pickled
        self.agent = agent
        self.move = move
        self.legal = legal

    def __str__(self) -> str:
        """Return the message."""
        return str(self.args[0])


def illegal_action(rules: Rules, game: np.void, move: int, prefix: str = "") -> IllegalActionError:
    """Return the error of an illegal move: the seat, the move, why, and what is legal.

    An amount is never at fault: the faces take it as a fraction of its legal interval.

    Args:
        rules: The rules.
        game: One record, at a decision or over; not changed.
        move: The `Move` that the engine refused.
        prefix: Stands before the message, such as the number of a table.
    """
    facts = _Facts.of(rules, game)
    agent, name = f"seat_{facts.seat}", Move(move).name.lower()
    reason = _why(facts, Move(move))
    message = f"{prefix}{agent} cannot {name}{reason}; legal: {in_words(facts.legal)}"
    return IllegalActionError(message, agent, name, facts.legal)


def in_words(legal: Legal) -> str:
    """Return legal moves as a sentence has them, such as ``twist; buy 100 to 200 chips``."""
    if not legal:
        return "nothing"
    return "; ".join(
        name if b is None else f"{name} {b[0]} to {b[1]} chips" for name, b in legal.items()
    )


@dataclass(frozen=True)
class _Facts:
    """What the reasons are made of."""

    rules: Rules
    game: np.void
    phase: Phase
    seat: int
    hand: np.void
    """The hand in play."""
    total: int
    """Its best total; 0 where its owner does not know it."""
    legal: Legal

    @classmethod
    def of(cls, rules: Rules, game: np.void) -> _Facts:
        """Return the facts of a game."""
        games = new_games(1)
        games[0] = game
        record = rules.to_record()
        seats = np.zeros(1, np.int64)
        masks = np.zeros((1, N_MOVES), np.int8)
        lows, highs = np.zeros((2, 1, N_MOVES), np.int64)
        status_batch(record, games, seats, masks, lows, highs, np.zeros((1, MAX_SEATS), np.int64))
        visible, totals = np.zeros((2, 1, MAX_SEATS, MAX_HANDS), np.int64)
        see_batch(record, games, games["seat"].copy(), visible, totals)
        legal: Legal = {}
        for move in np.flatnonzero(masks[0]).tolist():
            bounds = (int(lows[0, move]), int(highs[0, move])) if move < N_AMOUNT_MOVES else None
            legal[Move(move).name.lower()] = bounds
        seat, hand = int(game["seat"]), int(game["hand"])
        return cls(
            rules=rules,
            game=game,
            phase=Phase(int(game["phase"])),
            seat=seat,
            hand=game["seats"][seat]["hands"][hand],
            total=int(totals[0, seat, hand]),
            legal=legal,
        )

    def has_cards(self, n: int) -> bool:
        """Tell whether ``n`` cards can be drawn (P35)."""
        return self.rules.packs == "infinite" or int(self.game["n_pack"]) >= n


def _why(facts: _Facts, move: Move) -> str:
    """Say why a move is illegal, with the rule."""
    if facts.phase == Phase.OVER:
        return ": the session is over (P5)"
    if facts.phase == Phase.PLAY and move in _WHY_IN_PLAY:
        return _WHY_IN_PLAY[move](facts)
    if facts.phase in (Phase.SHOOT, Phase.SPLIT_SHOOT) and move == Move.SHOOT:
        return _why_no_room(facts)
    return f": it is asked to {ASKED_TO[facts.phase]}"


def _why_no_card(_: _Facts) -> str:
    """Say why a hand may not twist."""
    return ": no card is left in the pack (P35)"


def _why_no_buy(facts: _Facts) -> str:
    """Say why a hand may not buy a card."""
    if not facts.has_cards(1):
        return _why_no_card(facts)
    if facts.hand["is_twisted"]:
        return ": this hand has twisted, so it can only twist or stick (P21)"
    return ": this fifth card cannot bust, so it may only be twisted (no_certain_fifth)"


def _why_no_stick(facts: _Facts) -> str:
    """Say why a hand may not stick."""
    if facts.game["must_draw"]:
        return f" on {facts.total}: having shot, the hand must draw (S4)"
    return f" on {facts.total}: under stick_min={facts.rules.stick_min} (P22)"


def _why_no_split(facts: _Facts) -> str:
    """Say why a hand may not be split."""
    rules, hand = facts.rules, facts.hand
    if rules.split == "none":
        return ": nothing may be split under split='none' (P16)"
    if hand["n_cards"] != 2:
        return f": this hand has {hand['n_cards']} cards, and only two can be split (P16)"
    ranks = {int(card) // N_SUITS for card in hand["cards"][:2]}
    if len(ranks) > 1:
        return ": its cards are not of one rank (P16)"
    if rules.split == "aces" and ranks != {ACE}:
        return ": only aces may be split under split='aces' (P16)"
    if facts.game["seats"][facts.seat]["n_hands"] >= rules.max_hands:
        return f": there are {rules.max_hands} hands already, max_hands={rules.max_hands} (P17)"
    return ": two cards are not left in the pack (P35)"


def _why_no_shoot(facts: _Facts) -> str:
    """Say why a hand in play may not be shot on."""
    if not facts.rules.shoot:
        return ": there are no shoot bets under shoot=false (section 2)"
    if facts.game["must_draw"]:
        return ": this card has been shot for already, and the hand must draw (S4)"
    if facts.hand["n_cards"] != 3:
        n_cards = facts.hand["n_cards"]
        return f": this hand has {n_cards} cards, and a shoot bet comes before the fourth (S4)"
    if not facts.has_cards(1):
        return _why_no_card(facts)
    return _why_no_room(facts)


def _why_no_room(facts: _Facts) -> str:
    """Say why nothing may be shot for."""
    if facts.game["outstanding"] < facts.game["kitty"]:
        return f": the kitty might grow above {MAX_KITTY} chips, and is shot at no more"
    return ": all that the kitty holds is shot for already (S2, S4, S8)"


def _why_no_burn(facts: _Facts) -> str:
    """Say why a hand may not be burnt."""
    rules, hand = facts.rules, facts.hand
    if rules.burn == "none":
        return ": nothing may be burnt under burn='none'"
    if hand["n_cards"] == 2 and hand["n_burns"] > rules.burn_repeat:
        return f": it has been burnt {hand['n_burns']} times (burn_repeat={rules.burn_repeat})"
    if not facts.has_cards(2):
        return ": two cards are not left in the pack (burn)"
    return f": only two cards without an ace that count {rules.burn} may be burnt (burn)"


_WHY_IN_PLAY: Final = {
    Move.TWIST: _why_no_card,
    Move.BUY: _why_no_buy,
    Move.STICK: _why_no_stick,
    Move.SPLIT: _why_no_split,
    Move.SHOOT: _why_no_shoot,
    Move.BURN: _why_no_burn,
}
