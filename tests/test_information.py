"""Information states: what a seat has seen, all of it, and nothing that it has not."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pontoon_env import Rules, pontoon_v0
from pontoon_env.aec import PontoonAECEnv
from pontoon_env.cards import N_SUITS, card_name
from pontoon_env.errors import NotResetError
from pontoon_env.history import pack_in_order, read_history, verify_history
from pontoon_env.information import N_COLUMNS, What, n_rows, sights
from pontoon_env.state import Move, Phase
from tests.lockstep import Lockstep, random_decision
from tests.naive import random_rules
from tests.tables import VARIED, draw, play

EXACT = Rules.two_seat_exact()
KEPT: Any = {"information_state": True}


def begun(rules: Rules, seed: int = 0, **options: Any) -> PontoonAECEnv:
    """Return a table that keeps what its seats see, at its first decision."""
    env = pontoon_v0.env(rules=rules, **KEPT)
    env.reset(seed=seed, options=options)
    return env


def told(env: PontoonAECEnv) -> list[str]:
    """Return the information states of all seats."""
    return [env.information_state_string(agent) for agent in env.possible_agents]


def small_action(env: PontoonAECEnv, rng: np.random.Generator) -> Any:
    """Return a random legal action, of least or largest amount: so that courses meet again."""
    return {**draw(env, rng), "amount": float(rng.integers(2))}


def test_one_deal_in_words() -> None:
    """P10 to P30: a banker, one player, and what each of them saw."""
    pack = ["5c", "Kc", "7d", "9d", "8h", "2s"]
    env = begun(Rules.pontoon(seats=2, deals=1), banker=0, pack=pack)
    start = "first_banker 0; deal 0"
    assert told(env) == [
        f"observer 0; {start}; down 1.0 ?; down 0.0 ?; asked 1.0 stake",
        f"observer 1; {start}; down 1.0 5c; down 0.0 ?; asked 1.0 stake",
    ]
    for move, amount in ((Move.STAKE, 0.0), (Move.BUY, 1.0), (Move.STICK, 0.0), (Move.STICK, 0.0)):
        env.step({"move": move, "amount": amount})
    dealt = "stake 1.0 100; down 1.0 {}; down 0.0 {}; buy 1.0 200; down 1.0 {}"
    up = "shown 0.0 Kc; shown 0.0 9d"
    end = f"{up}; settle; {up}; shown 1.0 5c; shown 1.0 7d; shown 1.0 8h; end"
    assert told(env) == [
        f"observer 0; {start}; down 1.0 ?; down 0.0 Kc; {dealt.format('?', '9d', '?')}; {end}",
        f"observer 1; {start}; down 1.0 5c; down 0.0 ?; {dealt.format('7d', '?', '8h')}; {end}",
    ]


@pytest.mark.parametrize("rules", [EXACT, Rules.shoot(seats=2, deals=1, packs="infinite")])
def test_equal_information_states_go_with_equal_views_and_an_equal_past(rules: Rules) -> None:
    """Over many courses that meet again: what was told determines what is seen, now and before.

    The views are the observation of the moment, mask and amounts too. What a seat was told at its
    own decisions before follows as well: it forgets nothing.
    """
    views: dict[str, tuple[bytes, ...]] = {}
    pasts: dict[str, tuple[str, ...]] = {}
    n_met = 0
    for seed in range(700):
        env = begun(rules, seed)
        rng = np.random.default_rng(seed)
        own: dict[str, tuple[str, ...]] = dict.fromkeys(env.possible_agents, ())
        for mover in play_small(env, rng):
            for agent in env.possible_agents:
                text = env.information_state_string(agent)
                view = tuple(part.tobytes() for part in env.observe(agent).values())
                n_met += text in views
                assert views.setdefault(text, view) == view
                assert pasts.setdefault(text, own[agent]) == own[agent]
            own[mover] += (env.information_state_string(mover),)
    assert n_met > 500


def play_small(env: PontoonAECEnv, rng: np.random.Generator) -> Iterator[str]:
    """Play to the session's end by `small_action`; yield the agent before each action."""
    while not env.terminations[env.agent_selection]:
        yield env.agent_selection
        env.step(small_action(env, rng))


@pytest.mark.parametrize("first", range(0, 20, 5))
def test_different_views_have_different_information_states(first: int) -> None:
    """Under random rules: the referee's view of a seat follows from what the seat was told.

    The view at every decision of a session, between deals too, of each seat; sessions of different
    seeds seldom meet, so the rules are the same for a few.
    """
    for seed in range(first, first + 5):
        rules = Rules.from_dict(random_rules(random.Random(seed), deals=2))
        views: dict[str, Any] = {}
        n_texts = 0
        for course in range(4):
            lockstep = Lockstep(rules, seed // 2)
            rng = np.random.default_rng(course // 2)
            while lockstep.engine.seat is not None:
                for seat in range(rules.seats):
                    text = str(sights(rules, lockstep.engine.games, lockstep.engine.lines, seat))
                    view = lockstep.referee.view(seat)
                    assert views.setdefault(text, view) == view
                    n_texts += 1
                lockstep.decide(*random_decision(lockstep, rng))
        assert len(views) < n_texts, "two courses were the same"


def test_words_and_numbers_tell_the_same() -> None:
    """The tensor differs where the text does, and only there; it keeps its shape and bound."""
    tensors: dict[str, bytes] = {}
    for seed in range(4):
        env = begun(VARIED, seed)
        for _ in play(env, np.random.default_rng(seed // 2)):
            for agent in env.agents:
                tensor = env.information_state_tensor(agent)
                assert tensor.shape == (n_rows(VARIED), N_COLUMNS)
                assert tensor.dtype == np.float64
                text = env.information_state_string(agent)
                assert tensors.setdefault(text, tensor.tobytes()) == tensor.tobytes()
    assert len(set(tensors.values())) == len(tensors) > 300


def test_no_session_is_longer_than_the_tensor() -> None:
    """Under random rules, and under those with the most to tell."""
    for seed in range(40):
        rules = Rules.from_dict(random_rules(random.Random(seed)))
        env = begun(rules, seed)
        for _ in play(env, np.random.default_rng(seed)):
            pass
        n_told = int(np.count_nonzero(env.information_state_tensor("seat_0")[:, 0]))
        assert 0 < n_told <= n_rows(rules)
    assert n_rows(EXACT) == 54


@pytest.mark.parametrize("rules", [Rules.pontoon(seats=3, deals=2), Rules.shoot(seats=4, deals=2)])
def test_worlds_that_differ_in_hidden_cards_alone_are_told_alike(rules: Rules) -> None:
    """P2, P26, P27: one card in another suit changes nothing until it is shown; then all see it."""
    n_alike = n_apart = 0
    for seed in range(30):
        env = begun(rules, seed, banker=0)
        pack = pack_in_order(env.get_state()["game"][0]).tolist()
        cards = env.get_state()["game"][0]["seats"]["hands"][:, 0]["cards"][:, 0]
        dealt = [] if rules.shoot else [*cards[1 : rules.seats].tolist(), int(cards[0])]
        order = [*dealt, *pack]
        place = seed % (rules.seats - 1)  # the first card of a player
        owner = place + 1
        rank = order[place] // N_SUITS
        other = next(i for i in range(30, 52) if order[i] // N_SUITS == rank or i == 51)
        if order[other] // N_SUITS != rank:
            continue
        swapped = order.copy()
        swapped[place], swapped[other] = order[other], order[place]
        worlds = [begun(rules, seed, banker=0, pack=cards) for cards in (order, swapped)]
        rng = np.random.default_rng(seed)
        while not worlds[0].terminations[worlds[0].agent_selection]:
            game = worlds[0].get_state()["game"][0]
            if game["deal"] > 0 or game["phase"] > Phase.BANKER:
                break
            seat = game["seats"][owner]
            hand = seat["hands"][0]
            is_shown = bool(hand["up"] & 1) or seat["n_hands"] > 1 or hand["n_burns"] > 0
            for observer, (here, there) in enumerate(zip(*map(told, worlds), strict=True)):
                is_seen = is_shown or (observer == owner and hand["n_cards"] > 0)
                assert (here != there) == is_seen
                n_alike += not is_seen
                n_apart += is_seen
            action = draw(worlds[0], rng)
            for world in worlds:
                world.step(action)
        for here, there in zip(*map(told, worlds), strict=True):
            assert here != there
    assert n_alike > 150
    assert n_apart > 100


def test_a_hand_that_sticks_is_told_as_one_that_closes_on_21() -> None:
    """P24, P26: the third seat cannot tell them apart once the second one is asked."""
    rules = Rules.pontoon(seats=3, deals=1)
    told_at_the_end = []
    for hidden, moves in (("4c", [Move.TWIST]), ("2c", [Move.TWIST, Move.STICK])):
        env = begun(rules, banker=0, pack=["Kc", "9c", "8c", hidden, "9d", "8d", "7h"])
        for move in (Move.STAKE, Move.STAKE, *moves):
            env.step({"move": move, "amount": 0.0})
        assert env.agent_selection == "seat_2"
        told_at_the_end.append(told(env))
    here, there = told_at_the_end
    assert here[0] == there[0]
    assert here[1] != there[1]
    assert here[2] == there[2]


def auction() -> PontoonAECEnv:
    """Return a table whose kitty is dry and whose bank is up to auction: seat_1 is to bid."""
    pack = ["Kc", "9c", "Td", "Ks", "9d", "7d"]
    moves = ["kitty", "stake", "stake", "shoot", "pass", *["stick"] * 3, "pass", "auction"]
    env = begun(Rules.shoot(seats=3, deals=2), banker=0, pack=pack)
    for move in moves:
        env.step({"move": Move[move.upper()], "amount": float(move == "shoot")})
    assert env.agent_selection == "seat_1"
    return env


def test_sealed_bids_are_told_when_the_auction_is_over() -> None:
    """S10: before that to their seats alone, and not whether there was one."""
    for first in (Move.BID, Move.PASS):
        env = auction()
        env.step({"move": first, "amount": 0.0})
        answer = "bid 1.0 1" if first == Move.BID else "pass 1.0"
        unknown, own, _ = told(env)
        assert unknown.endswith("auction 0.0; sealed 1; asked 2.0 bid")
        assert own.endswith(f"auction 0.0; {answer}; asked 2.0 bid")
        assert told(env)[2].endswith("auction 0.0; sealed 1; asked 2.0 bid")
        env.step({"move": Move.BID, "amount": 1.0})
        for text in told(env):
            assert f"auction 0.0; {answer}; bid 2.0 10000; bank 2; asked 2.0 form_kitty" in text


def test_the_banker_is_told_its_first_card_when_it_may_look() -> None:
    """P11, P13; where ``banker_doubles`` lets it look before, then."""
    for doubles in (False, True):
        env = begun(Rules.pontoon(seats=2, banker_doubles=doubles), banker=0, pack=["5c", "Kc"])
        assert "down 0.0 ?" in told(env)[0]
        env.step({"move": Move.STAKE, "amount": 0.0})
        assert "down 0.0 Kc" in told(env)[0]
        assert "down 0.0 ?" in told(env)[1]


def restored(env: PontoonAECEnv) -> PontoonAECEnv:
    """Return another environment in the state of one, by way of a file."""
    twin = pontoon_v0.env(rules=env.rules, **KEPT)
    twin.set_state(pickle.loads(pickle.dumps(env.get_state())))
    return twin


@pytest.mark.parametrize("way", ["deepcopy", "pickle", "clone", "state"])
def test_copies_go_on_with_what_was_seen(way: str) -> None:
    env = begun(VARIED, 3)
    for _ in play(env, np.random.default_rng(0), 30):
        pass
    twin: PontoonAECEnv = {
        "deepcopy": lambda: copy.deepcopy(env),
        "pickle": lambda: pickle.loads(pickle.dumps(env)),
        "clone": env.clone,
        "state": lambda: restored(env),
    }[way]()
    before = told(env)
    assert told(twin) == before
    for _ in play(twin, np.random.default_rng(1), 5):
        pass
    assert told(env) == before
    for _ in play(env, np.random.default_rng(1), 5):
        pass
    assert told(twin) == told(env) != before


@pytest.mark.parametrize("first", range(0, 16, 4))
def test_a_state_holds_what_was_seen_at_every_decision(first: int) -> None:
    """Under random rules, in every phase; and a course of play is left and taken up again."""
    for seed in range(first, first + 4):
        env = begun(Rules.from_dict(random_rules(random.Random(seed), deals=2)), seed)
        rng = np.random.default_rng(seed)
        kept = [(env.get_state(), told(env)) for _ in play(env, rng)]
        twin = pontoon_v0.env(rules=env.rules, **KEPT)
        for state, texts in kept:
            twin.set_state(state)
            assert told(twin) == texts
        env.set_state(kept[-1][0])
        assert told(env) == kept[-1][1]


@pytest.mark.parametrize("first", range(0, 16, 4))
def test_in_a_world_that_a_seat_cannot_tell_apart_it_has_seen_the_same(first: int) -> None:
    """P26: under random rules; the other seats have seen the cards that they have there."""
    n_apart = 0
    for seed in range(first, first + 4):
        rules = Rules.from_dict(random_rules(random.Random(seed), deals=2))
        env, rng = begun(rules, seed), np.random.default_rng(seed)
        twin = pontoon_v0.env(rules=rules, **KEPT)
        for mover in play(env, np.random.default_rng(seed)):
            world = env.resample_hidden(mover, rng)
            assert world.information_state_string(mover) == env.information_state_string(mover)
            n_apart += told(world) != told(env)
            state = world.get_state()
            twin.set_state({**state, "seen": env.get_state()["seen"]})
            assert told(twin) == told(world)
            game = state["game"][0]
            for seat in set(range(rules.seats)) - {int(game["banker"])}:
                hand = game["seats"]["hands"][seat, 0]
                if game["seats"]["n_hands"][seat] and not hand["n_burns"]:
                    first = f"down {seat}.0 {card_name(int(hand['cards'][0]))}"
                    deal = told(world)[seat].rindex("; deal ")
                    assert first in told(world)[seat][deal:]
    assert n_apart > 50


@pytest.mark.parametrize(
    "damage",
    [
        lambda lines: lines[1:],
        lambda lines: lines[: [line["line"] for line in lines].index("card") + 2],
        lambda lines: [*lines, {"line": "card", "seat": 0, "hand": 0, "card": "As", "up": True}],
        lambda _: 3,
        lambda lines: ["card"] * len(lines),
        lambda lines: [{}] * len(lines),
        lambda _: [],
    ],
)
def test_what_was_seen_of_another_game_is_refused_and_nothing_changes(damage: Any) -> None:
    env = begun(VARIED, 3)
    for _ in play(env, np.random.default_rng(0), 30):
        pass
    before, state = told(env), env.get_state()
    with pytest.raises(ValueError, match="the lines are no history of the game"):
        env.set_state({**state, "seen": damage(state["seen"])})
    assert told(env) == before


def test_keeping_what_is_seen_changes_neither_play_nor_histories(tmp_path: Path) -> None:
    env = pontoon_v0.env(rules=VARIED, history=tmp_path / "{episode}.jsonl", **KEPT)
    plain = pontoon_v0.env(rules=VARIED)
    for seed in (0, None):
        for each in (env, plain):
            each.reset(seed=seed)
            for _ in play(each, np.random.default_rng(0)):
                pass
        assert env.get_state()["game"].tobytes() == plain.get_state()["game"].tobytes()
        assert told(env)[0].endswith("; end")
    for episode in range(2):
        assert verify_history(read_history(tmp_path / f"{episode}.jsonl")).deals == VARIED.deals


def test_an_illegal_action_can_end_what_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    env = pontoon_v0.env(on_illegal="terminate", history=path, **KEPT)
    env.reset(seed=0)
    env.step({"move": Move.STICK, "amount": 0.0})
    assert told(env)[1].endswith("; end")
    assert not path.exists()


def test_what_was_not_kept_or_not_played_cannot_be_told() -> None:
    env = pontoon_v0.env()
    for each in (env, pontoon_v0.env(**KEPT)):
        with pytest.raises(NotResetError, match=r"call reset\(\)"):
            each.information_state_string("seat_0")
    env.reset(seed=0)
    with pytest.raises(ValueError, match="with information_state=True"):
        env.information_state_tensor("seat_0")
    env = begun(Rules.pontoon())
    with pytest.raises(ValueError, match="no agent is called 'seat_6'"):
        env.information_state_string("seat_6")
    env.set_state(state_without_sights())
    with pytest.raises(NotResetError, match="the state that was set does not hold"):
        env.information_state_string("seat_0")
    env.reset()
    assert told(env)


def state_without_sights() -> dict[str, Any]:
    """Return a state of a session of which nothing was kept."""
    env = pontoon_v0.env()
    env.reset(seed=0)
    return env.get_state()


def test_every_kind_of_sight_comes_up() -> None:
    """Over sessions in which every move is met with; a seat is told of each."""
    env = auction()
    env.step({"move": Move.PASS, "amount": 0.0})
    found = set(env.information_state_tensor("seat_0")[:, 0].astype(int).tolist())
    for seed in range(40):
        env = begun(VARIED, seed)
        for _ in play(env, np.random.default_rng(seed)):
            pass
        found |= set(env.information_state_tensor("seat_0")[:, 0].astype(int).tolist())
    decisions = {move + 1 for move in Move if move not in (Move.STICK, Move.BID)}
    assert found - {0, Move.BID + 1} == decisions | set(What)
