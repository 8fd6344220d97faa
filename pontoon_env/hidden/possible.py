"""Which cards the rules allow a hand to hold, by what has become of it so far."""

from __future__ import annotations

from pontoon_env._jit import kernel
from pontoon_env.cards import ACE, ACE_BONUS, N_SUITS
from pontoon_env.engine.deal import nothing_can_change
from pontoon_env.engine.hands import is_ace_and_ten, is_pontoon, points
from pontoon_env.engine.legality import CERTAIN_FIFTH
from pontoon_env.engine.pack import cards_left
from pontoon_env.rules import RulesRecord, SplitPontoon
from pontoon_env.state import MAX_HAND_CARDS, TARGET, Game, Hand, HandStatus, Phase, Seat


@kernel
def can_be(rules: RulesRecord, game: Game, owner: int, i: int, has_run_out: bool) -> bool:
    """Tell whether a hand can hold its cards, by what has become of it so far.

    Args:
        rules: The rules.
        game: At a decision, or over.
        owner: The seat that holds the hand.
        i: Which of its hands.
        has_run_out: Whether the pack may have run out, so that a hand may have closed on too few.
    """
    seat = game["seats"][owner]
    hand = seat["hands"][i]
    status = hand["status"]
    if owner == game["banker"]:
        return not is_ace_and_ten(hand)
    is_in_play = is_asked(game, owner, i)
    if status == HandStatus.DECLARED:
        return is_pontoon(rules, seat, hand)
    if status == HandStatus.OPEN and not is_in_play:
        return True
    n = hand["n_cards"]
    count = 0
    bonus = 0
    for card in range(n):
        count += points(hand["cards"][card])
        if hand["cards"][card] // N_SUITS == ACE:
            bonus = ACE_BONUS
        held = card + 1
        if (
            held >= 2
            and (held < n or is_in_play)
            and _closes(rules, seat, hand, held, count, bonus)
        ):
            return False
        is_bought = held < n and (hand["up"] >> held) & 1 == 0
        if held == 4 and is_bought and rules["no_certain_fifth"] != 0 and count <= CERTAIN_FIFTH:
            return False
    total = count + bonus if count + bonus <= TARGET else count
    if is_in_play:
        return total >= rules["stick_min"] or cards_left(rules, game) > 0
    if count > TARGET or is_pontoon(rules, seat, hand):
        return False
    if n == MAX_HAND_CARDS or total >= rules["stick_min"] or has_run_out:
        return True
    return hand["is_split_ace"] != 0 and rules["split_aces_one_card"] != 0


@kernel
def _closes(rules: RulesRecord, seat: Seat, hand: Hand, held: int, count: int, bonus: int) -> bool:
    """Tell whether a hand would have closed by itself on its first ``held`` cards (P15, P23, P24).

    Args:
        rules: The rules.
        seat: Its owner.
        hand: The hand.
        held: Of how many cards, 2 to 4.
        count: Their count, aces as 1.
        bonus: `ACE_BONUS` where one of them is an ace, else 0.
    """
    if count >= TARGET:
        return True
    if hand["is_split_ace"] != 0 and rules["split_aces_one_card"] != 0:
        return True
    if count + bonus != TARGET:
        return False
    is_plain = seat["n_hands"] > 1 and rules["split_pontoon"] == SplitPontoon.PLAIN
    return rules["soft21_draws"] == 0 or (held == 2 and not is_plain)


@kernel
def is_asked(game: Game, owner: int, i: int) -> bool:
    """Tell whether a player is asked about a hand."""
    return game["phase"] == Phase.PLAY and owner == game["seat"] and i == game["hand"]


@kernel
def is_pointless(rules: RulesRecord, game: Game) -> bool:
    """Tell whether the banker, who is asked, would not have been (P29)."""
    return game["phase"] == Phase.BANKER and nothing_can_change(rules, game)


@kernel
def may_have_run_out(rules: RulesRecord, game: Game) -> bool:
    """Tell whether the pack may have been empty at some time in this deal (P35)."""
    if rules["packs"] == 0:
        return False
    return game["drawn"] >= game["n_pack"] + cards_on_table(rules, game)


@kernel
def cards_on_table(rules: RulesRecord, game: Game) -> int:
    """Return how many cards lie in hands that are not bust."""
    n = 0
    for owner in range(rules["seats"]):
        for i in range(game["seats"][owner]["n_hands"]):
            hand = game["seats"][owner]["hands"][i]
            if hand["status"] != HandStatus.BUST:
                n += hand["n_cards"]
    return n
