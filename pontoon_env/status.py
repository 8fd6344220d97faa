"""What must hold at every moment of a game: a named flag for each invariant, with its sentence."""

from __future__ import annotations

from enum import IntFlag, auto
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pontoon_env._jit import entry_point, kernel, word_kernel
from pontoon_env.cards import ACE, N_CARDS, N_SUITS, TEN_POINTS
from pontoon_env.rules import Rules, RulesRecord, SplitRule
from pontoon_env.state import (
    ALL_UP,
    GAME,
    MAX_EVENTS,
    MAX_HAND_CARDS,
    MAX_PACK_CARDS,
    TARGET,
    BankReason,
    Event,
    Game,
    Hand,
    HandStatus,
    Phase,
)

MAX_STAKE_MULTIPLE: Final = 7
"""T of a hand is at most 7E: E, a third card at 2E, two more at no more than that (P20)."""


class Status(IntFlag):
    """What is wrong with a game; none of them where all is well."""

    SOUND = 0
    UNKNOWN_PHASE = auto()
    NO_BANKER = auto()
    NOBODY_TO_ACT = auto()
    TOO_MANY_HANDS = auto()
    TOO_MANY_CARDS = auto()
    FRESH_CARDS_OUT_OF_RANGE = auto()
    NUMBER_OUT_OF_RANGE = auto()
    HANDS_OF_ANOTHER_PHASE = auto()
    CHIPS_NOT_CONSERVED = auto()
    DEAL_NET_NOT_CONSERVED = auto()
    CARDS_NOT_CONSERVED = auto()
    BETS_ABOVE_KITTY = auto()
    BETS_NOT_OUTSTANDING = auto()
    STAKE_OUT_OF_RANGE = auto()
    LIVE_HAND_OVER_21 = auto()
    BUST_HAND_UNDER_22 = auto()
    DECLARED_HAND_IS_NO_PONTOON = auto()
    BANKER_HAS_STAKE = auto()
    HIDDEN_CARD_OF_CLOSED_DEAL = auto()


SENTENCES: Final = {
    Status.UNKNOWN_PHASE: "The phase must be one that these rules have.",
    Status.NO_BANKER: "The banker must be a seat of the table.",
    Status.NOBODY_TO_ACT: "The seat to act must be one that the phase asks, with a hand it holds.",
    Status.TOO_MANY_HANDS: "A player must not hold more hands than the rules allow.",
    Status.TOO_MANY_CARDS: "A hand must not hold more than five cards.",
    Status.FRESH_CARDS_OUT_OF_RANGE: "The pack must hold its unseen cards and fit its place.",
    Status.NUMBER_OUT_OF_RANGE: "Every number must lie in the range of its field.",
    Status.HANDS_OF_ANOTHER_PHASE: "Each seat must hold the hands that the phase has on the table.",
    Status.CHIPS_NOT_CONSERVED: "The seats' chips and the kitty must sum to zero.",
    Status.DEAL_NET_NOT_CONSERVED: "Outside Shoot Pontoon a deal's results sum to zero.",
    Status.CARDS_NOT_CONSERVED: "Every card must be in one place: the pack or a hand.",
    Status.BETS_ABOVE_KITTY: "Shoot bets outstanding must lie between 0 and the kitty.",
    Status.BETS_NOT_OUTSTANDING: "The hands' shoot bets must sum to those outstanding.",
    Status.STAKE_OUT_OF_RANGE: "A hand's stake must be one to seven initial stakes.",
    Status.LIVE_HAND_OVER_21: "A player's live hand must be countable at 21 or less.",
    Status.BUST_HAND_UNDER_22: "A bust hand must count over 21.",
    Status.DECLARED_HAND_IS_NO_PONTOON: "A declared hand must be an ace and a ten-valued card.",
    Status.BANKER_HAS_STAKE: "The banker stakes nothing and shoots nothing.",
    Status.HIDDEN_CARD_OF_CLOSED_DEAL: "After settlement every hand must lie face up.",
}
"""What each flag says must hold."""


def status(rules: Rules, game: np.void) -> Status:
    """Return what is wrong with a game, `Status.SOUND` where nothing is.

    Where numbers are out of range, nothing else is looked at: it would be about other numbers.

    Args:
        rules: The rules it is played by.
        game: A record of `GAME`, at any moment after it has begun, whatever it holds; not changed.
    """
    games = np.zeros(1, GAME)
    games[0] = game
    found = np.zeros(1, np.int64)
    check_batch(rules.to_record(), games, found)
    return Status(int(found[0]))


def describe(found: Status) -> str:
    """Return the sentences of the flags that are set."""
    return " ".join(SENTENCES[flag] for flag in found)


@entry_point
def check_batch(rules: NDArray[np.void], games: NDArray[np.void], found: NDArray[np.int64]) -> None:
    """Write what is wrong with each game, as `status` returns it.

    Args:
        rules: One record of rules.
        games: ``(n,)``, whatever they hold; not changed.
        found: Out, ``(n,)``, the flags of a `Status` each.
    """
    for i in range(games.size):
        game = games[i]
        found[i] = _check_ranges(rules[0], game)
        if found[i] == 0:
            found[i] = _check_turn(rules[0], game) | _check_chips(rules[0], game)
            found[i] |= _check_hands(rules[0], game)
            if not _has_whole_pack(rules[0], game):
                found[i] |= Status.CARDS_NOT_CONSERVED.value


@kernel
def _check_ranges(rules: RulesRecord, game: Game) -> int:
    """Return the flags of all that must hold before anything else can be looked at."""
    found = 0
    if not _has_phase(rules, game["phase"]):
        found |= Status.UNKNOWN_PHASE.value
    if not 0 <= game["banker"] < rules["seats"]:
        found |= Status.NO_BANKER.value
    most_hands = 1 if rules["split"] == SplitRule.NONE else rules["max_hands"]
    if not (0 <= game["seat"] < rules["seats"] and 0 <= game["hand"] <= most_hands):
        found |= Status.NOBODY_TO_ACT.value
    is_fresh_drawn = 0 <= game["fresh_drawn"] <= game["drawn"]
    if not (0 <= game["n_fresh"] <= game["n_pack"] <= MAX_PACK_CARDS and is_fresh_drawn):
        found |= Status.FRESH_CARDS_OUT_OF_RANGE.value
    elif not (_are_numbers_in_range(rules, game) and _are_events_in_range(rules, game)):
        found |= Status.NUMBER_OUT_OF_RANGE.value
    for place in range(rules["seats"]):
        seat = game["seats"][place]
        if not 0 <= seat["n_hands"] <= most_hands:
            return found | Status.TOO_MANY_HANDS.value
        if not 0 <= seat["bid"] <= rules["max_price"]:
            found |= Status.NUMBER_OUT_OF_RANGE.value
        for i in range(seat["n_hands"]):
            hand = seat["hands"][i]
            if not 0 <= hand["n_cards"] <= MAX_HAND_CARDS:
                return found | Status.TOO_MANY_CARDS.value
            if not (0 <= hand["status"] <= HandStatus.BUST and 0 <= hand["up"] <= ALL_UP):
                found |= Status.NUMBER_OUT_OF_RANGE.value
            for k in range(hand["n_cards"]):
                if not 0 <= hand["cards"][k] < N_CARDS:
                    found |= Status.NUMBER_OUT_OF_RANGE.value
    return found


@kernel
def _has_phase(rules: RulesRecord, phase: int) -> bool:
    """Tell whether there is such a phase under the rules."""
    if phase == Phase.DOUBLE:
        return rules["banker_doubles"] != 0
    if phase == Phase.ACCEPT_BANK:
        return rules["bank_refusable"] != 0
    if phase in (Phase.OFFER, Phase.SALE):
        return rules["bank_sale"] != 0
    if phase in (
        Phase.FORM_KITTY,
        Phase.SHOOT,
        Phase.SPLIT_SHOOT,
        Phase.TOP_UP,
        Phase.DRY_KITTY,
        Phase.BID,
    ):
        return rules["shoot"] != 0
    return 0 <= phase <= Phase.OVER


@kernel
def _are_numbers_in_range(rules: RulesRecord, game: Game) -> bool:
    """Tell whether the table's other numbers, and the cards of the pack, are in range."""
    if not (0 <= game["deal"] < rules["deals"] and game["decision"] >= 0 and game["drawn"] >= 0):
        return False
    if not (0 <= game["price"] <= rules["max_price"] and 0 <= game["top"] < MAX_PACK_CARDS):
        return False
    if not (0 <= game["is_doubled"] <= 1 and 0 <= game["must_draw"] <= 1):
        return False
    if not (0 <= game["is_bank_new"] <= 1 and 0 <= game["is_shuffle_due"] <= 1):
        return False
    for k in range(game["n_pack"]):
        if not 0 <= game["pack"][(game["top"] + k) % MAX_PACK_CARDS] < N_CARDS:
            return False
    return True


@kernel
def _are_events_in_range(rules: RulesRecord, game: Game) -> bool:
    """Tell whether what happened last can have happened."""
    if not 0 <= game["n_events"] <= MAX_EVENTS:
        return False
    for k in range(game["n_events"]):
        event = game["events"][k]
        last = BankReason.ROTATION if event[0] == Event.BANK else N_CARDS - 1
        if not (0 <= event[0] <= Event.END and 0 <= event[1] < rules["seats"]):
            return False
        if not (0 <= event[2] <= rules["max_hands"] and 0 <= event[3] <= last):
            return False
    return True


@kernel
def _check_turn(rules: RulesRecord, game: Game) -> int:
    """Return the flags of whose turn it is, and of the hands that the phase has on the table."""
    found = 0
    phase = game["phase"]
    is_bankers = phase in (
        Phase.FORM_KITTY,
        Phase.DOUBLE,
        Phase.BANKER,
        Phase.OFFER,
        Phase.TOP_UP,
        Phase.DRY_KITTY,
    )
    is_players = phase in (
        Phase.STAKE,
        Phase.SHOOT,
        Phase.PLAY,
        Phase.SPLIT_SHOOT,
        Phase.ACCEPT_BANK,
        Phase.SALE,
        Phase.BID,
    )
    is_banker = game["seat"] == game["banker"]
    if (is_bankers and not is_banker) or (is_players and is_banker):
        found |= Status.NOBODY_TO_ACT.value
    seat = game["seats"][game["seat"]]
    if phase in (Phase.PLAY, Phase.SPLIT_SHOOT, Phase.BANKER):
        least = 1 if phase == Phase.SPLIT_SHOOT else 0
        is_held = least <= game["hand"] < seat["n_hands"]
        if not is_held or seat["hands"][game["hand"]]["status"] != HandStatus.OPEN:
            found |= Status.NOBODY_TO_ACT.value
    for place in range(rules["seats"]):
        if not _has_hands_of_phase(game, place):
            found |= Status.HANDS_OF_ANOTHER_PHASE.value
    return found


@kernel
def _has_hands_of_phase(game: Game, place: int) -> bool:
    """Tell whether the hands of a seat are as many, as large and as open as the phase has them."""
    phase = game["phase"]
    seat = game["seats"][place]
    hand = seat["hands"][0]
    has_one_open = seat["n_hands"] == 1 and hand["status"] == HandStatus.OPEN
    if phase in (Phase.FORM_KITTY, Phase.TOP_UP, Phase.DRY_KITTY, Phase.BID, Phase.FIRST_CARDS):
        return seat["n_hands"] == 0 and _is_blank(hand)
    if phase in (Phase.STAKE, Phase.DOUBLE, Phase.SHOOT, Phase.SECOND_CARDS):
        return has_one_open and hand["n_cards"] == 1
    if place == game["banker"] and phase in (Phase.PLAY, Phase.SPLIT_SHOOT, Phase.BANKER_CARDS):
        return has_one_open and hand["n_cards"] == 2
    if place == game["banker"] and phase == Phase.BANKER:
        return has_one_open and 2 <= hand["n_cards"] < MAX_HAND_CARDS
    if phase not in (Phase.PLAY, Phase.SPLIT_SHOOT, Phase.BANKER_CARDS, Phase.BANKER):
        return True
    for i in range(seat["n_hands"]):
        hand = seat["hands"][i]
        is_split = phase == Phase.SPLIT_SHOOT and place == game["seat"]
        if is_split and game["hand"] - 1 <= i <= game["hand"]:  # the halves wait for their cards
            if hand["status"] != HandStatus.OPEN or hand["n_cards"] != 1:
                return False
        elif hand["status"] == HandStatus.OPEN and not 2 <= hand["n_cards"] < MAX_HAND_CARDS:
            return False
    return seat["n_hands"] > 0


@kernel
def _is_blank(hand: Hand) -> bool:
    """Tell whether a hand is ready for its first card: cards only ever come on top."""
    has_cards = hand["n_cards"] != 0 or hand["up"] != 0 or hand["status"] != HandStatus.OPEN
    has_chips = hand["stake"] != 0 or hand["bet"] != 0 or hand["last_price"] != 0
    is_marked = hand["is_twisted"] != 0 or hand["is_split_ace"] != 0
    is_marked = is_marked or hand["n_burns"] != 0 or hand["fresh"] != 0
    return not (has_cards or has_chips or is_marked)


@word_kernel
def _check_chips(rules: RulesRecord, game: Game) -> int:
    """Return the flags of chips, stakes and shoot bets; sums of garbage wrap around."""
    found = 0
    chips = game["kitty"]
    deal_net = 0
    bets = 0
    for place in range(rules["seats"]):
        seat = game["seats"][place]
        chips += seat["chips"]
        deal_net += seat["deal_net"]
        stake = seat["initial_stake"]
        if stake != 0 and not rules["min_stake"] <= stake <= rules["max_stake"]:
            found |= Status.STAKE_OUT_OF_RANGE.value
        for i in range(seat["n_hands"]):
            hand = seat["hands"][i]
            bets += hand["bet"]
            if hand["bet"] < 0:
                found |= Status.BETS_NOT_OUTSTANDING.value
            if not stake <= hand["stake"] <= MAX_STAKE_MULTIPLE * stake:
                found |= Status.STAKE_OUT_OF_RANGE.value
            price = hand["last_price"]
            if price != 0 and not stake <= price <= 2 * stake:
                found |= Status.STAKE_OUT_OF_RANGE.value
    if chips != 0:
        found |= Status.CHIPS_NOT_CONSERVED.value
    if rules["shoot"] == 0 and deal_net != 0:
        found |= Status.DEAL_NET_NOT_CONSERVED.value
    if not 0 <= game["outstanding"] <= game["kitty"]:
        found |= Status.BETS_ABOVE_KITTY.value
    if bets != game["outstanding"]:
        found |= Status.BETS_NOT_OUTSTANDING.value
    banker = game["seats"][game["banker"]]
    hand = banker["hands"][0]
    has_staked = banker["initial_stake"] != 0 or hand["stake"] != 0 or hand["bet"] != 0
    if has_staked and not (_is_closed(game) or _was_cut(game)):
        found |= Status.BANKER_HAS_STAKE.value
    return found


@kernel
def _check_hands(rules: RulesRecord, game: Game) -> int:
    """Return the flags of what hands count and show."""
    found = 0
    must_be_up = _is_closed(game) and not _was_cut(game)
    for place in range(rules["seats"]):
        seat = game["seats"][place]
        for i in range(seat["n_hands"]):
            hand = seat["hands"][i]
            is_over = _count(hand) > TARGET
            if hand["status"] == HandStatus.BUST:
                if not is_over:
                    found |= Status.BUST_HAND_UNDER_22.value
            elif is_over and place != game["banker"] and seat["initial_stake"] != 0:
                found |= Status.LIVE_HAND_OVER_21.value
            if hand["status"] == HandStatus.DECLARED and not _is_pontoon(hand):
                found |= Status.DECLARED_HAND_IS_NO_PONTOON.value
            if must_be_up and hand["up"] != ALL_UP:
                found |= Status.HIDDEN_CARD_OF_CLOSED_DEAL.value
    return found


@kernel
def _is_closed(game: Game) -> bool:
    """Tell whether the hands on the table are settled: gathered in the pack but for the eye."""
    return game["phase"] in (
        Phase.PASS_BANK,
        Phase.ACCEPT_BANK,
        Phase.OFFER,
        Phase.SALE,
        Phase.SHUFFLE,
        Phase.OVER,
    )


@kernel
def _was_cut(game: Game) -> bool:
    """Tell whether the session ended before its agreed end: where the cards lie is not told."""
    n = game["n_events"]
    return game["phase"] == Phase.OVER and (n == 0 or game["events"][n - 1][0] != Event.END)


@kernel
def _count(hand: Hand) -> int:
    """Return the count of a hand with its aces as 1, by its own arithmetic."""
    count = 0
    for k in range(hand["n_cards"]):
        rank = hand["cards"][k] // N_SUITS + 1
        count += rank if rank < TEN_POINTS else TEN_POINTS
    return count


@kernel
def _is_pontoon(hand: Hand) -> bool:
    """Tell whether a hand is an ace and a ten-valued card."""
    has_ace = hand["cards"][0] // N_SUITS == ACE or hand["cards"][1] // N_SUITS == ACE
    return hand["n_cards"] == 2 and has_ace and _count(hand) == 1 + TEN_POINTS


@kernel
def _has_whole_pack(rules: RulesRecord, game: Game) -> bool:
    """Tell whether pack and table hold every card as often as there are packs."""
    if rules["packs"] == 0 or _was_cut(game):
        return True
    counts = np.zeros(N_CARDS, np.int64)
    for k in range(game["n_pack"]):
        counts[game["pack"][(game["top"] + k) % MAX_PACK_CARDS]] += 1
    if not _is_closed(game):
        for place in range(rules["seats"]):
            seat = game["seats"][place]
            for i in range(seat["n_hands"]):
                hand = seat["hands"][i]
                if hand["status"] != HandStatus.BUST:
                    for k in range(hand["n_cards"]):
                        counts[hand["cards"][k]] += 1
    for card in range(N_CARDS):
        if counts[card] != rules["packs"]:
            return False
    return True
