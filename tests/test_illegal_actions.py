"""Actions that the rules forbid, and calls that no environment could answer."""

from __future__ import annotations

import copy
import pickle
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from pontoon_env import Rules, pontoon_v0
from pontoon_env.actions import N_SCORES
from pontoon_env.aec import PontoonAECEnv
from pontoon_env.errors import IllegalActionError, NotResetError, illegal_action, in_words
from pontoon_env.state import MAX_KITTY, N_AMOUNT_MOVES, Move
from tests.tables import FALLIBLE_ENCODINGS, VARIED, draw, play, play_on

TWO = {"seats": 2, "deals": 1}


def at(rules: Rules, pack: str, moves: str, **settings: Any) -> PontoonAECEnv:
    """Return a table of seat 0 as the banker after some moves, each for the least amount."""
    env = pontoon_v0.env(rules=rules, **settings)
    env.reset(seed=0, options={"banker": 0, "pack": pack.split()})
    for name in moves.split():
        env.step({"move": Move[name.upper()], "amount": 0.0})
    return env


@pytest.mark.parametrize(
    ("rules", "pack", "moves", "illegal", "reason"),
    [
        (Rules.pontoon(**TWO), "5c 9c 7d 9d", "stake", "stick", "on 12: under stick_min=15 (P22)"),
        (Rules.pontoon(**TWO), "5c 9c 7d 9d", "", "twist", "it is asked to stake (P12)"),
        (Rules.pontoon(**TWO), "5c 9c 7d 9d", "stake", "stake", "to play a hand (P16 to P22)"),
        (Rules.pontoon(**TWO), "5c 9c 7d 9d", "stake", "split", "not of one rank (P16)"),
        (Rules.pontoon(**TWO), "5c 9c 5d 9d 2c", "stake twist", "split", "has 3 cards"),
        (
            Rules.pontoon(**TWO),
            "5c 9c 5d 9d 2c",
            "stake twist",
            "buy",
            "has twisted, so it can only",
        ),
        (Rules.pontoon(**TWO), "5c 9c 5d 9d 2c", "stake", "shoot", "under shoot=false"),
        (Rules.pontoon(**TWO), "5c 9c 8d 9d", "stake", "burn", "under burn='none'"),
        (Rules.pontoon(burn="14", **TWO), "5c 9c 8d 9d", "stake", "burn", "that count 14"),
        (
            Rules.pontoon(split="aces", **TWO),
            "5c 9c 5d 9d",
            "stake",
            "split",
            "only aces may be split",
        ),
        (Rules.pontoon(split="none", **TWO), "5c 9c 5d 9d", "stake", "split", "under split='none'"),
        (Rules.pontoon(max_hands=2, **TWO), "5c 9c 5d 9d 5h 2c", "stake split", "split", "(P17)"),
        (Rules.pontoon(**TWO), "Tc 9c Td 9d", "stake stick", "buy", "as the banker (P28)"),
        (
            Rules.pontoon(no_certain_fifth=True, **TWO),
            "2c 9c 2d 9d 2h 2s",
            "stake buy buy",
            "buy",
            "may only be twisted (no_certain_fifth)",
        ),
        (Rules.shoot(**TWO), "5c 9c 7d 9d", "kitty stake shoot", "shoot", "before the fourth (S4)"),
        (
            Rules.shoot(**TWO),
            "5c 9c 7d 9d 3c",
            "kitty stake pass twist shoot",
            "stick",
            "on 15: having shot, the hand must draw (S4)",
        ),
        (
            Rules.shoot(**TWO),
            "5c 9c 7d 9d 3c",
            "kitty stake pass twist shoot",
            "shoot",
            "shot for already, and the hand must draw (S4)",
        ),
        (Rules.shoot(**TWO), "5c 9c 7d 9d", "", "pass", "it is asked to form the kitty (S1)"),
    ],
)
def test_the_error_names_the_rule(
    rules: Rules, pack: str, moves: str, illegal: str, reason: str
) -> None:
    env = at(rules, pack, moves)
    with pytest.raises(IllegalActionError, match=re.escape(reason)) as caught:
        env.step({"move": Move[illegal.upper()], "amount": 0.5})
    assert str(caught.value).startswith(f"{env.agent_selection} cannot {illegal}")
    assert caught.value.agent == env.agent_selection
    assert caught.value.move == illegal


def test_the_error_says_what_is_legal_in_chips() -> None:
    """P22: the whole message."""
    env = at(Rules.pontoon(**TWO), "5c 9c 7d 9d", "stake")
    with pytest.raises(IllegalActionError) as caught:
        env.step({"move": Move.STICK, "amount": 0.0})
    assert str(caught.value) == (
        "seat_1 cannot stick on 12: under stick_min=15 (P22); legal: buy 100 to 200 chips; twist"
    )
    assert caught.value.legal == {"buy": (100, 200), "twist": None}
    twin = pickle.loads(pickle.dumps(caught.value))
    assert str(twin) == str(caught.value)
    assert twin.legal == caught.value.legal


def test_a_kitty_too_large_to_be_shot_at_is_given_as_the_reason() -> None:
    """S2: nothing of it is shot for."""
    env = at(Rules.shoot(**TWO), "5c 9c 7d 9d", "kitty stake")
    state = env.get_state()
    game = state["game"][0]
    game["seats"]["chips"][0] -= MAX_KITTY - game["kitty"]
    game["kitty"] = MAX_KITTY
    env.set_state(state)
    reason = f"the kitty might grow above {MAX_KITTY} chips, and is shot at no more; legal: pass"
    with pytest.raises(IllegalActionError, match=reason):
        env.step({"move": Move.SHOOT, "amount": 0.0})


def test_an_error_can_name_its_table() -> None:
    env = at(Rules.pontoon(**TWO), "5c 9c 7d 9d", "stake")
    game = env.get_state()["game"][0]
    error = illegal_action(env.rules, game, Move.STICK, prefix="table 3: ")
    assert str(error).startswith("table 3: seat_1 cannot stick on 12")


@pytest.mark.parametrize("encoding", FALLIBLE_ENCODINGS)
def test_every_illegal_move_is_refused_with_a_reason_and_changes_nothing(encoding: Any) -> None:
    """Every move in every position of some sessions, against the mask."""
    env = pontoon_v0.env(rules=VARIED, encoding=encoding)
    refused = set()
    for seed in range(3):
        env.reset(seed=seed)
        for agent in play(env, np.random.default_rng(seed)):
            before = env.get_state()
            info = env.infos[agent]
            for choice in np.flatnonzero(info["action_mask"] == 0).tolist():
                action = {"move": choice, "amount": 0.5} if encoding == "hybrid" else choice
                with pytest.raises(IllegalActionError, match=r"\(|under") as caught:
                    env.step(action)
                legal = caught.value.legal
                refused.add(caught.value.move)
                for name, bounds in legal.items():
                    move = Move[name.upper()]
                    expected = (info["chips_low"][move], info["chips_high"][move])
                    assert bounds == (expected if move < N_AMOUNT_MOVES else None)
                assert in_words(legal) in str(caught.value)
            after = env.get_state()
            assert np.array_equal(after.pop("game"), before.pop("game"))
            assert after == before
            assert env.infos[agent] is info
    assert refused == {move.name.lower() for move in Move}


def test_penalise_costs_the_seat_and_asks_it_again() -> None:
    settings: Any = {"on_illegal": "penalise", "illegal_penalty": 2}
    env = at(Rules.pontoon(**TWO), "5c 9c 7d 9d 2c", "stake", **settings)
    before = env.get_state()["game"]
    env.step({"move": Move.STICK, "amount": 0.0})
    assert np.array_equal(env.get_state()["game"], before)
    assert env.agent_selection == "seat_1"
    assert env.rewards == {"seat_0": 0.0, "seat_1": -2.0}
    _, reward, terminated, truncated, info = env.last()
    assert (reward, terminated, truncated) == (-2.0, False, False)
    assert "under stick_min=15 (P22)" in info["illegal_action"]
    env.step({"move": Move.TWIST, "amount": 0.0})
    assert "illegal_action" not in env.infos["seat_1"]
    assert env.rewards == {"seat_0": 0.0, "seat_1": 0.0}


def test_replace_makes_the_first_legal_move_for_the_least_amount() -> None:
    env = at(Rules.pontoon(**TWO), "5c 9c 7d 9d 2c", "stake", on_illegal="replace")
    env.step({"move": Move.STICK, "amount": 1.0})
    hand = env.get_state()["game"]["seats"][0, 1]["hands"][0]
    assert (hand["n_cards"], hand["last_price"]) == (3, 100)
    assert env.infos["seat_1"]["illegal_action"].endswith("; buy was made in its place")
    assert env.rewards == {"seat_0": 0.0, "seat_1": 0.0}


def test_the_remark_on_an_illegal_action_waits_until_its_seat_acts_again() -> None:
    env = pontoon_v0.env(rules=Rules.pontoon(seats=3), on_illegal="replace")
    env.reset(seed=0, options={"banker": 0, "pack": ["9c", "9d", "9h", "8c", "8d", "8h"]})
    env.step({"move": Move.TWIST, "amount": 0.0})
    assert env.agent_selection == "seat_2"
    assert "illegal_action" in env.infos["seat_1"]
    env.step({"move": Move.STAKE, "amount": 0.0})
    assert "stake was made in its place" in env.last()[4]["illegal_action"]
    assert "illegal_action" not in env.infos["seat_2"]


def test_terminate_ends_the_session_for_all_with_a_penalty_for_one() -> None:
    """Terminated, not truncated: nothing is left to be played."""
    env = at(Rules.pontoon(**TWO), "5c 9c 7d 9d", "stake", on_illegal="terminate")
    env.step({"move": Move.STICK, "amount": 0.0})
    assert env.rewards == {"seat_0": 0.0, "seat_1": -1.0}
    assert all(env.terminations.values())
    assert not any(env.truncations.values())
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.agents)
    delivered = []
    for _ in env.agent_iter():
        delivered.append(env.last()[1])
        env.step(None)
    assert delivered == [0.0, -1.0]
    assert env.agents == []
    env.reset(seed=0)
    assert not any(env.terminations.values())


@pytest.mark.parametrize("on_illegal", ["terminate", "penalise", "replace"])
def test_legal_play_is_the_same_whatever_illegal_play_would_cost(on_illegal: Any) -> None:
    env, other = pontoon_v0.env(rules=VARIED), pontoon_v0.env(rules=VARIED, on_illegal=on_illegal)
    env.reset(seed=5)
    other.reset(seed=5)
    assert play_on(env) == play_on(other)


HYBRID = [
    (None, TypeError),
    (3, TypeError),
    ((3, 0.5), TypeError),
    ({"move": 3}, TypeError),
    ({"amount": 0.5}, TypeError),
    ({"move": 0.0, "amount": 0.5}, TypeError),
    ({"move": "stake", "amount": 0.5}, TypeError),
    ({"move": np.array([0]), "amount": 0.5}, TypeError),
    ({"move": 0, "amount": np.array([0.5])}, TypeError),
    ({"move": 0, "amount": None}, TypeError),
    ({"move": 0, "amount": "0.5"}, TypeError),
    ({"move": 0, "amount": bytearray(b"0.5")}, TypeError),
    ({"move": 0, "amount": np.array("0.5")}, TypeError),
    ({"move": 0, "amount": True}, TypeError),
    ({"move": 0, "amount": np.True_}, TypeError),
    ({"move": 0, "amount": np.array(True)}, TypeError),
    ({"move": 0, "amount": 0.5 + 0j}, TypeError),
    ({"move": True, "amount": 0.5}, TypeError),
    ({"move": np.True_, "amount": 0.5}, TypeError),
    ({"move": 0, "amount": 10**400}, ValueError),
    ({"move": 0, "amount": float("nan")}, ValueError),
    ({"move": 0, "amount": 1.0000001}, ValueError),
    ({"move": 0, "amount": -0.1}, ValueError),
    ({"move": 15, "amount": 0.5}, ValueError),
    ({"move": -1, "amount": 0.5}, ValueError),
]
DISCRETE = [
    (None, TypeError),
    (0.0, TypeError),
    (True, TypeError),
    (np.True_, TypeError),
    ("0", TypeError),
    (np.array([0]), TypeError),
    ({"move": 0, "amount": 0.5}, TypeError),
    (-1, ValueError),
    (len(Move) * 10, ValueError),
]
SCORES = [0.5] * N_SCORES
BOX = [
    (None, TypeError),
    (3, TypeError),
    ("0" * N_SCORES, TypeError),
    (["0.5"] * N_SCORES, TypeError),
    ([True] * N_SCORES, TypeError),
    ([0.5 + 0j] * N_SCORES, TypeError),
    (SCORES[1:], TypeError),
    ([SCORES], TypeError),
    ([SCORES, 0.5], TypeError),
    ({"move": 0, "amount": 0.5}, TypeError),
    ([*SCORES[1:], float("nan")], ValueError),
    ([float("nan"), *SCORES[1:]], ValueError),
    ([*SCORES[1:], 1.01], ValueError),
    ([-0.01, *SCORES[1:]], ValueError),
    ([float("inf"), *SCORES[1:]], ValueError),
]


@pytest.mark.parametrize(
    ("encoding", "action", "error"),
    [
        *(("hybrid", action, error) for action, error in HYBRID),
        *(("discrete", action, error) for action, error in DISCRETE),
        *(("box", action, error) for action, error in BOX),
    ],
    ids=str,
)
@pytest.mark.parametrize("on_illegal", ["raise", "replace"])
def test_what_is_no_action_is_refused_and_changes_nothing(
    encoding: Any, action: Any, error: type[Exception], on_illegal: Any
) -> None:
    """Whatever illegal actions cost: this is no action of the game."""
    env = pontoon_v0.env(encoding=encoding, on_illegal=on_illegal)
    env.reset(seed=0)
    before = env.get_state()["game"]
    with pytest.raises(error, match=f"^{env.agent_selection} is to act: a {encoding} action is"):
        env.step(action)
    assert np.array_equal(env.get_state()["game"], before)


@pytest.mark.parametrize(
    "amount",
    [1, np.float32(0.5), np.int64(1), np.array(0.5), np.array(1), Fraction(1, 2)],
    ids=repr,
)
def test_an_amount_may_be_any_real_number(amount: Any) -> None:
    env = at(Rules.pontoon(**TWO), "5c 9c 7d 9d", "")
    env.step({"move": np.int64(Move.STAKE), "amount": amount})
    stake = env.get_state()["game"]["seats"][0, 1]["initial_stake"]
    assert stake == 100 + 900 * float(amount)


@pytest.mark.parametrize(
    "call",
    [
        lambda env: env.step({"move": 0, "amount": 0.5}),
        lambda env: env.observe("seat_0"),
        lambda env: env.last(),
        lambda env: env.agent_selection,
        lambda env: env.num_agents,
        lambda env: list(env.agent_iter()),
        lambda env: env.state(),
        lambda env: env.get_state(),
        lambda env: env.key,
        lambda env: env.render(),
    ],
)
def test_before_reset_every_call_says_so(call: Any) -> None:
    env = pontoon_v0.env(render_mode="ansi")
    with pytest.raises(NotResetError, match=r"call reset\(\)"):
        call(env)
    for twin in (env.clone(), copy.deepcopy(env)):
        with pytest.raises(NotResetError, match=r"call reset\(\)"):
            call(twin)


def test_after_the_end_only_none_is_taken_and_then_nothing() -> None:
    env = pontoon_v0.env(rules=Rules.single_deal(seats=2))
    env.reset(seed=0)
    for _ in play(env, np.random.default_rng(0)):
        pass
    with pytest.raises(ValueError, match="the session of seat_0 is over"):
        env.step({"move": 0, "amount": 0.5})
    env.step(None)
    env.step(None)
    for call in (env.last, lambda: env.step(None)):
        with pytest.raises(NotResetError, match="for every agent"):
            call()
    env.reset()
    env.step(draw(env, np.random.default_rng(0)))


@pytest.mark.parametrize("agent", ["seat_6", "player_0", 0, None, ["seat_0"]])
def test_an_agent_that_is_not_there_is_named(agent: Any) -> None:
    env = pontoon_v0.env()
    env.reset(seed=0)
    for call in (env.observe, env.action_space, env.observation_space):
        with pytest.raises((ValueError, TypeError), match=r"seat_0 to seat_5|unhashable"):
            call(agent)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"rules": {"seats": 6}}, TypeError, "are no Rules"),
        ({"encoding": "mixed"}, ValueError, "'mixed' is none of 'hybrid', 'discrete', 'box'"),
        ({"on_illegal": "ignore"}, ValueError, "on_illegal='ignore' is none of"),
        ({"render_mode": "rgb_array"}, ValueError, "render_mode='rgb_array' is none of"),
        ({"illegal_penalty": -1}, ValueError, "illegal_penalty=-1 must be"),
        ({"illegal_penalty": float("nan")}, ValueError, "illegal_penalty=nan must be"),
        ({"illegal_penalty": "1"}, ValueError, "illegal_penalty='1' must be"),
        ({"illegal_penalty": None}, ValueError, "illegal_penalty=None must be"),
        ({"illegal_penalty": True}, ValueError, "illegal_penalty=True must be"),
        ({"illegal_penalty": 10**400}, ValueError, "illegal_penalty=1000"),
        ({"history": 5}, ValueError, "history=5 cannot be written"),
        ({"history": ""}, ValueError, "history='' cannot be written: it is a folder"),
        ({"history": "/"}, ValueError, "history='/' cannot be written: it is a folder"),
        (
            {"history": "/missing/{episode}.jsonl"},
            ValueError,
            "history='/missing/{episode}.jsonl' cannot be written: No such file or directory",
        ),
        ({"seats": 6}, TypeError, "unexpected keyword argument 'seats'"),
    ],
)
def test_settings_out_of_range_are_refused(
    settings: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        pontoon_v0.env(**settings)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"seed": -1}, ValueError, "seed=-1"),
        ({"seed": 2**64}, ValueError, "seed="),
        ({"seed": 1.5}, ValueError, "seed=1.5"),
        ({"seed": True}, ValueError, "seed=True"),
        ({"options": 3}, TypeError, "options=3 are no mapping"),
        ({"options": {"banker": 6}}, ValueError, "banker=6 is no seat from 0 to 5"),
        ({"options": {"banker": "seat_1"}}, ValueError, "banker='seat_1' is no seat"),
        ({"options": {"pack": "AsKd"}}, ValueError, "pack='AsKd' is no list of cards, such as"),
        ({"options": {"pack": {"As": 1}}}, ValueError, "pack={'As': 1} is no list of cards"),
        ({"options": {"pack": np.array(3)}}, ValueError, "pack=array(3) is no list of cards"),
        ({"options": {"pack": ["as"]}}, ValueError, "no card is called 'as': a card is one of"),
    ],
)
def test_a_bad_reset_is_refused_and_the_session_goes_on(
    arguments: Any, error: type[Exception], message: str
) -> None:
    env = pontoon_v0.env()
    env.reset(seed=3)
    before = env.get_state()["game"]
    with pytest.raises(error, match=re.escape(message)):
        env.reset(**arguments)
    assert np.array_equal(env.get_state()["game"], before)


@pytest.mark.parametrize("rng", [None, 5, np.random])
def test_what_draws_no_worlds_is_named(rng: Any) -> None:
    env = pontoon_v0.env()
    env.reset(seed=0)
    with pytest.raises(TypeError, match=r"is no generator; try numpy\.random\.default_rng"):
        env.resample_hidden("seat_0", rng)


@pytest.mark.parametrize("on_illegal", ["raise", "terminate", "penalise", "replace"])
def test_the_parallel_face_deals_with_an_illegal_action_as_the_other_does(on_illegal: Any) -> None:
    """The whole message, and what it costs."""
    env = pontoon_v0.parallel_env(rules=Rules.pontoon(**TWO), on_illegal=on_illegal)
    env.reset(seed=0, options={"banker": 0})
    action = {"seat_1": {"move": Move.STICK, "amount": 0.0}}
    message = "seat_1 cannot stick: it is asked to stake (P12); legal: stake 100 to 1000 chips"
    if on_illegal == "raise":
        with pytest.raises(IllegalActionError, match=f"^{re.escape(message)}$"):
            env.step(action)
        return
    _, rewards, terminations, _, infos = env.step(action)
    assert infos["seat_1"]["illegal_action"].startswith(message)
    assert rewards == {"seat_0": 0.0, "seat_1": 0.0 if on_illegal == "replace" else -1.0}
    assert set(terminations.values()) == {on_illegal == "terminate"}
