"""Settlement: every payment of live hands, and the cards under the pack (P14, P30, P31, S3, S7)."""

from __future__ import annotations

from typing import Final

from pontoon_env._jit import kernel
from pontoon_env.engine.deal import left_of, pay, settle_bet
from pontoon_env.engine.hands import (
    Strength,
    banker_strength,
    hand_of,
    is_pontoon,
    player_strength,
    seat_of,
)
from pontoon_env.engine.pack import emit, mix_bottom, put_under
from pontoon_env.rules import RulesRecord, Shuffle, SplitPontoon
from pontoon_env.state import ALL_UP, Event, Game, Hand, HandStatus, Phase, Seat

HALVES: Final = 2
"""Payments are reckoned in halves of a stake, so that one and a half is whole."""


@kernel
def settle(rules: RulesRecord, game: Game) -> None:
    """Show all hands, pay them, and gather the cards (P14, P27, P30, P31)."""
    banker = game["banker"]
    banker_rank = banker_strength(hand_of(game, banker, 0))
    has_pontoon = banker_rank == Strength.PONTOON
    place = banker
    for _ in range(rules["seats"] - 1):
        place = left_of(rules, place)
        seat = seat_of(game, place)
        for i in range(seat["n_hands"]):
            hand = seat["hands"][i]
            has_pontoon |= is_pontoon(rules, seat, hand)
            if hand["status"] != HandStatus.BUST:
                _settle_hand(rules, game, seat, hand, banker_rank)
    game["is_shuffle_due"] = _is_shuffle_due(rules, has_pontoon)
    _gather(rules, game)
    emit(game, Event.SETTLE, banker, 0, 0)
    game["phase"] = Phase.PASS_BANK


@kernel
def _settle_hand(rules: RulesRecord, game: Game, seat: Seat, hand: Hand, banker_rank: int) -> None:
    """Pay a live hand's stake, then its shoot bets one to one (P30, S3, S7)."""
    rank = player_strength(rules, seat, hand)
    halves = stakes_won(rules, rank, banker_rank, seat["n_hands"] > 1)
    if game["is_doubled"] != 0 and -2 * HALVES < halves < 2 * HALVES and halves != 0:
        halves = 2 * HALVES if halves > 0 else -2 * HALVES
    pay(
        game, seat, halves * hand["stake"] // HALVES
    )  # one and a half times is rounded down to the chip
    if banker_rank == Strength.PONTOON or _banker_wins(rules, rank, banker_rank):
        result = -1
    elif rank == banker_rank:
        result = 0
    else:
        result = 1
    settle_bet(game, seat, hand, result)


@kernel
def _banker_wins(rules: RulesRecord, rank: int, banker_rank: int) -> bool:
    """Tell whether the banker beats a live hand, or wins the tie (P7)."""
    if banker_rank == Strength.TRICK and rank == Strength.PONTOON:
        return rules["trick_beats_pontoon"] != 0
    if rank == banker_rank:
        return rules["push"] == 0
    return rank < banker_rank


@kernel
def stakes_won(rules: RulesRecord, rank: int, banker_rank: int, is_split: bool) -> int:
    """Return what a live hand wins or loses, in halves of its stake: the table of P30.

    Args:
        rules: The rules.
        rank: The hand's `Strength` or total.
        banker_rank: The banker's.
        is_split: Whether the hand is one of several.
    """
    if banker_rank == Strength.PONTOON:
        stakes = (
            rules["both_pontoon"] if rank == Strength.PONTOON else -rules["banker_pontoon_collects"]
        )
    elif _banker_wins(rules, rank, banker_rank):
        stakes = -rules["banker_trick_collects"] if banker_rank == Strength.TRICK else -1
    elif rank == banker_rank:
        stakes = 0
    elif rank == Strength.ROYAL:
        stakes = 3
    elif rank == Strength.PONTOON:
        stakes = (
            1 if is_split and rules["split_pontoon"] == SplitPontoon.ONCE else rules["pontoon_pays"]
        )
    elif rank == Strength.TRICK:
        return rules["trick_pays_halves"]
    else:
        stakes = 1
    return stakes * HALVES


@kernel
def _is_shuffle_due(rules: RulesRecord, has_pontoon: bool) -> bool:
    """Tell whether the pack is to be shuffled before the next deal (P32)."""
    if rules["packs"] == 0 or rules["shuffle"] == Shuffle.NEVER:
        return False
    return has_pontoon or rules["shuffle"] == Shuffle.EVERY


@kernel
def _gather(rules: RulesRecord, game: Game) -> None:
    """Show all live hands and put them under the pack, the banker's last (P27, P31)."""
    before = game["n_pack"]
    place = game["banker"]
    for _ in range(rules["seats"]):
        place = left_of(rules, place)
        seat = seat_of(game, place)
        for i in range(seat["n_hands"]):
            hand = seat["hands"][i]
            hand["up"] = ALL_UP
            if hand["status"] != HandStatus.BUST:
                put_under(rules, game, hand)
    if rules["random_under_pack"] != 0:
        mix_bottom(game, game["n_pack"] - before)
