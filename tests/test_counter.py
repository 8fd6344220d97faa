"""The agent ``counter``: what it may know, what it makes of it, and the tables that it plays by."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from pontoon_env import batch
from pontoon_env.cards import EVEN_PACK, N_PIPS
from pontoon_env.history import pack_in_order
from pontoon_env.observation import knows_own_cards
from pontoon_env.opponents import OPPONENTS
from pontoon_env.opponents.removal import FIRST_AT, VALUES
from pontoon_env.rules import Rules
from pontoon_env.state import ALL_UP, MAX_PACK_CARDS, HandStatus, Move, Outcome, Phase
from tests.naive import random_rules
from tests.test_opponents import begun, choice, run, stack

COUNTER = OPPONENTS["counter"]
AUTOMATIC = (
    Phase.FIRST_CARDS,
    Phase.SECOND_CARDS,
    Phase.BANKER_CARDS,
    Phase.SETTLE,
    Phase.PASS_BANK,
    Phase.SHUFFLE,
)


def decisions_with_fresh_cards(
    rules: Rules, games: np.ndarray, numbers: list[int]
) -> Iterator[tuple[int, set[int]]]:
    """Play a session of one pack, the agents taking turns; yield each agent before it decides.

    With it come the cards that nobody had seen when the deal began.
    """
    record = rules.to_record()
    moves, chips, outcomes = (np.zeros(1, np.int64) for _ in range(3))
    game = games[0]
    fresh: set[int] = set()
    n = 0
    while game["phase"] != Phase.OVER:
        moves[0] = batch.NO_MOVE
        if game["phase"] == Phase.FIRST_CARDS:
            fresh = set(pack_in_order(game)[: game["n_fresh"]])
        elif game["phase"] not in AUTOMATIC:
            assert game["fresh_drawn"] == min(game["drawn"], len(fresh))
            number = numbers[n % len(numbers)]
            yield number, fresh
            batch.choose_batch(record, games, np.array([number]), moves, chips)
            n += 1
        batch.step_batch(record, games, moves, chips, outcomes, False)
        assert outcomes[0] == Outcome.OK


def deal_unknown_cards_anew(
    rules: Rules,
    games: np.ndarray,
    observer: int,
    fresh: set[int],
    generator: np.random.Generator,
) -> bool:
    """Deal the cards that a perfect memory does not know anew, in place; tell whether any changed.

    Where the gathered cards went under the pack in order, it does not know fresh cards alone.
    """
    game = games[0]
    places: list[tuple[np.ndarray, int]] = []
    is_ordered = rules.under_pack == "order"
    for number in range(rules.seats):
        seat = game["seats"][number]
        if number == observer and knows_own_cards(rules.to_record()[0], game, number):
            continue
        for hand in seat["hands"][: seat["n_hands"]]:
            if hand["status"] != HandStatus.BUST and hand["up"] != ALL_UP:
                places += [
                    (hand["cards"], i)
                    for i in range(hand["n_cards"])
                    if not (hand["up"] >> i) & 1
                    and (int(hand["cards"][i]) in fresh or not is_ordered)
                ]
    n_unknown = game["n_fresh"] if is_ordered or game["n_fresh"] else game["n_pack"]
    places += [(game["pack"], (game["top"] + i) % MAX_PACK_CARDS) for i in range(n_unknown)]
    before = [int(cards[i]) for cards, i in places]
    after = generator.permutation(before).tolist()
    for (cards, i), card in zip(places, after, strict=True):
        cards[i] = card
    return bool(before != after)


@pytest.mark.parametrize("under_pack", ["order", "random"])
def test_the_counter_knows_no_more_than_a_perfect_memory(under_pack: str) -> None:
    """P26, P31: where fresh cards and hidden ones lie otherwise, it chooses alike.

    Of the changed worlds many have no fresh card left: there it is exact on cards to come.
    """
    generator = np.random.default_rng(7)
    n_changed = n_used_up = 0
    answers = [np.zeros(1, np.int64) for _ in range(4)]
    for seed in range(160):
        fields = random_rules(random.Random(seed), packs=1)
        if fields.get("shuffle") == "every":
            continue
        rules = Rules.from_dict({**fields, "under_pack": under_pack, "deals": 9})
        games = begun(rules, seed)
        record = rules.to_record()
        agents = [COUNTER, COUNTER, OPPONENTS["basic"], OPPONENTS["random"]]
        for number, fresh in decisions_with_fresh_cards(rules, games, agents):
            if number != COUNTER:
                continue
            other = games.copy()
            mover = int(games["seat"][0])
            if deal_unknown_cards_anew(rules, other, mover, fresh, generator):
                n_changed += 1
                n_used_up += games["n_fresh"][0] == 0
                for world, (moves, chips) in ((games, answers[:2]), (other, answers[2:])):
                    batch.choose_batch(record, world, np.array([COUNTER]), moves, chips)
                assert answers[0] == answers[2]
                assert answers[1] == answers[3]
    assert n_changed > 4000
    assert n_used_up > 200


def with_known_pack(rules: Rules, names: list[str]) -> np.ndarray:
    """A table at its first decision, all cards in places that a perfect memory knows."""
    games = begun(rules, 1)
    stack(games, names)
    games["n_fresh"] = 0
    run(rules, games)
    return games


def test_the_counter_stakes_and_plays_by_the_cards_to_come() -> None:
    """P12, P20, P31: a king and a seven draw the four that makes 21, against 20."""
    rules = Rules.single_deal(seats=2)
    cards = ["Kc", "Td", "7c", "Tc", "4c"]
    games = with_known_pack(rules, cards)
    assert choice(rules, games, "counter") == "stake 1000"
    run(rules, games, Move.STAKE)
    assert choice(rules, games, "counter") == "buy 200"
    games = with_known_pack(rules, [*cards[:4], "5c"])
    assert choice(rules, games, "counter") == "stake 100"
    run(rules, games, Move.STAKE)
    assert choice(rules, games, "counter") == "stick"


def test_the_counter_stakes_least_into_a_pontoon_of_the_banker() -> None:
    """P14: on an ace too."""
    rules = Rules.single_deal(seats=2)
    games = with_known_pack(rules, ["Ac", "Ad", "9c", "Tc"])
    assert choice(rules, games, "counter") == "stake 100"


def test_the_counter_gives_the_banker_the_card_that_busts_it() -> None:
    """P28, P31: the last player draws, or does not, so that a 15 of the banker meets a ten."""
    rules = Rules.single_deal(seats=2)
    for to_come, expected in ((["Tc", "6c"], "stick"), (["2c", "Tc"], "buy 200")):
        games = with_known_pack(rules, ["9c", "9d", "6d", "6h", *to_come])
        run(rules, games, Move.STAKE)
        assert choice(rules, games, "counter") == expected


def test_the_counting_banker_draws_to_where_it_is_paid() -> None:
    """P28: it knows a hand dealt from the known part, and the card to come."""
    rules = Rules.single_deal(seats=2)
    for to_come, expected in (("3c", "twist"), ("5c", "stick"), ("4c", "twist")):
        games = with_known_pack(rules, ["Tc", "9d", "Td", "8d", to_come])
        run(rules, games, Move.STAKE, Move.STICK)
        assert choice(rules, games, "counter") == ("stick" if to_come == "5c" else expected)


def test_the_counter_plays_as_basic_and_bayes_with_an_infinite_pack() -> None:
    """There is nothing to remember."""
    rules = Rules.pontoon(packs="infinite", deals=40)
    games = begun(rules, 5)
    record = rules.to_record()
    moves, chips, outcomes = (np.zeros(1, np.int64) for _ in range(3))
    run(rules, games)
    while games["phase"][0] != Phase.OVER:
        found = []
        for name in ("counter", "bayes"):
            batch.choose_batch(record, games, np.array([OPPONENTS[name]]), moves, chips)
            found.append((int(moves[0]), int(chips[0])))
        assert found[0] == found[1]
        batch.step_batch(record, games, moves, chips, outcomes, True)


def test_the_effects_of_cards_cancel_for_an_even_pack() -> None:
    """One more card of each kind changes nothing; aces are what a player wants more of."""
    sums = VALUES[:, :, 1:] @ EVEN_PACK[1:]
    assert np.abs(sums).max() < 0.12
    firsts = VALUES[1, FIRST_AT : FIRST_AT + N_PIPS]
    worth = float(firsts[1:, 0] @ EVEN_PACK[1:])
    assert worth == pytest.approx(0.0677, abs=0.001)
    by_card = EVEN_PACK[1:] @ firsts[1:, 1:] + firsts[1:, 0]
    assert by_card.argmax() == 0
