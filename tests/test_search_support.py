"""What a search needs of the environments: states, copies, worlds, through wrappers and workers."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import time
from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

from pontoon_env import Rules, pontoon_v0
from pontoon_env.errors import NotResetError
from pontoon_env.gym_env import PontoonEnv
from pontoon_env.status import Status, status
from tests.tables import ENCODINGS, VARIED, play, play_on

RULES = Rules.shoot(seats=4, deals=2)
COPIES = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "clone": lambda env: env.clone(),
}


def told(env: PontoonEnv, seed: int = 0) -> list[tuple[Any, ...]]:
    """Play a learner's episode on at random; return what it is told on the way."""
    generator = np.random.default_rng(seed)
    heard: list[tuple[Any, ...]] = []
    is_over = not env.action_masks().any()
    while not is_over:
        action = int(generator.choice(np.flatnonzero(env.action_masks())))
        observation, reward, is_over, _, info = env.step(action)
        assert isinstance(observation, dict)
        parts = [part.tobytes() for part in (*observation.values(), info["action_mask"])]
        heard.append((*parts, reward, is_over))
    return heard


def begun_learner(seed: int = 3, **settings: Any) -> PontoonEnv:
    """A learner after three decisions of a session of two deals."""
    env = PontoonEnv(rules=RULES, role="any", opponents="basic", **settings)
    env.reset(seed=seed)
    for _ in range(3):
        env.step(int(np.flatnonzero(env.action_masks())[0]))
    return env


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_agent_is_told_the_same_in_every_world(encoding: Any) -> None:
    """P26: and the environment stays as it was."""
    env = pontoon_v0.env(rules=VARIED, encoding=encoding)
    env.reset(seed=4)
    generator = np.random.default_rng(4)
    n_others_moved = 0
    for _ in play(env, np.random.default_rng(4), most=200):
        before = pickle.dumps(env.get_state())
        for agent in env.agents:
            world = env.resample_hidden(agent, generator)
            for key, value in env.observe(agent).items():
                assert np.array_equal(value, world.observe(agent)[key])
            for key, value in env.infos[agent].items():
                assert np.array_equal(value, world.infos[agent][key])
            assert world.rewards == env.rewards
            assert world.key == env.key
            assert status(VARIED, world.get_state()["game"][0]) == Status.SOUND
            mover = env.agent_selection
            n_others_moved += bool(
                (world.infos[mover]["action_mask"] != env.infos[mover]["action_mask"]).any()
            )
        assert pickle.dumps(env.get_state()) == before
    assert n_others_moved > 0, "to others it may look as if the mover could do something else"


def test_a_world_is_played_to_its_end_by_its_own_masks() -> None:
    """P4: rewards sum to zero there too."""
    env = pontoon_v0.env(rules=VARIED)
    env.reset(seed=6)
    generator = np.random.default_rng(6)
    for step, agent in enumerate(play(env, np.random.default_rng(6), most=120)):
        if step % 8 == 0:
            world = env.resample_hidden(agent, generator)
            owned = dict.fromkeys(world.agents, 0.0)
            for _ in play(world, generator):
                for name, reward in world.rewards.items():
                    owned[name] += reward
            assert set(world.terminations.values()) == {True}


def test_worlds_follow_from_the_generator() -> None:
    env = pontoon_v0.env()
    env.reset(seed=1)
    worlds = [env.resample_hidden("seat_1", np.random.default_rng(n)) for n in (5, 5, 6)]
    bits = [world.get_state()["game"].tobytes() for world in worlds]
    assert bits[0] == bits[1] != bits[2]


def test_there_is_no_world_before_the_first_session() -> None:
    with pytest.raises(NotResetError, match="no world before the first session"):
        pontoon_v0.env().resample_hidden("seat_0", np.random.default_rng(0))
    for call in ("get_state", "resample_hidden"):
        with pytest.raises(NotResetError, match=f"call reset\\(\\) before {call}"):
            getattr(PontoonEnv(), call)(*[np.random.default_rng(0)] * (call != "get_state"))


@pytest.mark.parametrize("wrap", [OrderEnforcingWrapper, AssertOutOfBoundsWrapper])
def test_a_search_goes_through_wrappers_of_pettingzoo(wrap: Any) -> None:
    """What is looked for on a wrapper is found on the environment; copies come unwrapped."""
    env = wrap(pontoon_v0.env(rules=RULES, encoding="discrete"))
    env.reset(seed=2)
    for _ in play(env, np.random.default_rng(2), most=9):
        pass
    state = env.get_state()
    expected = play_on(env.clone())
    assert play_on(copy.deepcopy(env)) == expected
    for _ in play(env, np.random.default_rng(3), most=5):
        pass
    env.set_state(state)
    assert play_on(pickle.loads(pickle.dumps(env))) == expected
    assert env.resample_hidden("seat_0", np.random.default_rng(0)).key == env.key


def test_a_search_goes_through_the_parallel_environment() -> None:
    env = pontoon_v0.parallel_env(rules=RULES)
    env.reset(seed=2)
    twin = copy.deepcopy(env)
    assert play_on(twin.aec_env) == play_on(env.aec_env.clone())
    assert play_on(pickle.loads(pickle.dumps(env)).aec_env) == play_on(env.aec_env.clone())


@pytest.mark.parametrize("way", COPIES)
def test_a_learner_s_copy_goes_on_as_the_original(way: str) -> None:
    env = begun_learner()
    twin = COPIES[way](env)
    expected = told(copy.deepcopy(env))
    assert told(twin) == expected
    assert told(env) == expected


def test_a_learner_s_state_is_gone_back_to_and_over_to() -> None:
    """Through Gymnasium's wrappers, in another environment, and once the episode has ended."""
    env = gymnasium.make(
        "pontoon_env:Pontoon-v0", rules=RULES, role="any", opponents="basic", on_illegal="raise"
    )
    env.reset(seed=3)
    learner = env.unwrapped
    assert isinstance(learner, PontoonEnv)
    state = pickle.loads(pickle.dumps(learner.get_state()))
    expected = told(learner)
    learner.set_state(state)
    assert told(learner) == expected
    other = PontoonEnv(rules=RULES, opponents="basic")
    observation, info = other.set_state(state)
    assert isinstance(observation, dict)
    assert np.array_equal(observation["action_mask"], info["action_mask"])
    assert told(other) == expected


def test_a_learner_is_told_the_same_in_every_world() -> None:
    generator = np.random.default_rng(0)
    endings = set()
    for seed in range(30):
        env = begun_learner(seed)
        world = env.resample_hidden(generator)
        if not env.action_masks().any():
            continue
        action = int(np.flatnonzero(env.action_masks())[0])
        for twin in (env, world):
            assert np.array_equal(twin.action_masks(), env.action_masks())
            assert twin._tables.observations.tobytes() == env._tables.observations.tobytes()
        ends = (env.step(action)[0], world.step(action)[0])
        endings.add(np.array_equal(ends[0]["observation"], ends[1]["observation"]))  # type: ignore[call-overload, index]
    assert endings == {True, False}


BAD_STATES: dict[str, tuple[dict[str, Any], str]] = {
    "another version": ({"env": "Pontoon-v9"}, "a state of Pontoon-v9 does not fit Pontoon-v0"),
    "the other face": ({"env": "pontoon_v0"}, "a state of pontoon_v0 does not fit Pontoon-v0"),
    "other rules": (
        {"rules": Rules.shoot(seats=4, deals=3).to_dict()},
        "rules with deals=3 does not fit an environment with deals=2",
    ),
    "no game": ({"game": np.zeros(1)}, "the game is no array of one state.GAME record"),
    "no seat": ({"seat": 7}, "seat=7, which is not the seat to act"),
    "another seat": ({"seat": 99}, "seat=99, which is not the seat to act"),
    "no worth": ({"worth": "much"}, "worth='much', which is no number of chips"),
}


@pytest.mark.parametrize("name", BAD_STATES)
def test_a_learner_s_bad_state_is_refused_and_changes_nothing(name: str) -> None:
    env = begun_learner()
    before = pickle.dumps(env.get_state())
    fields, message = BAD_STATES[name]
    with pytest.raises(ValueError, match=message):
        env.set_state({**env.get_state(), **fields})
    assert pickle.dumps(env.get_state()) == before
    with pytest.raises(ValueError, match="it has no env, rules, game, seat, worth"):
        env.set_state({})


def test_a_deal_begins_in_the_middle() -> None:
    """A stacked pack and a few decisions are a state that any other table goes on from."""
    rules = Rules.single_deal(seats=2)
    env = pontoon_v0.env(rules=rules)
    env.reset(seed=0, options={"banker": 1, "pack": ["Td", "Tc", "6d", "7h", "5c"]})
    env.step({"move": 0, "amount": 0.0})
    env.step({"move": 6, "amount": 0.0})
    state = env.get_state()
    for seed in range(3):
        other = pontoon_v0.env(rules=rules)
        other.reset(seed=seed)
        other.set_state(state)
        assert play_on(other) == play_on(env.clone())


def play_in_worker(env: Any, state: dict[str, Any], answers: Any) -> None:
    """Go on from a state, in a process of its own."""
    first = play_on(copy.deepcopy(env))
    env.set_state(state)
    world = env.resample_hidden("seat_0", np.random.default_rng(1))
    answers.put((first, play_on(env.clone()), play_on(world)))


def test_states_and_environments_go_to_spawned_workers() -> None:
    env = pontoon_v0.env(rules=RULES)
    env.reset(seed=8)
    for _ in play(env, np.random.default_rng(8), most=12):
        pass
    state = env.get_state()
    worlds = play_on(env.resample_hidden("seat_0", np.random.default_rng(1)))
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    worker = context.Process(target=play_in_worker, args=(env, state, answers))
    worker.start()
    found = answers.get(timeout=300)
    worker.join(60)
    assert worker.exitcode == 0
    assert found == (play_on(env.clone()), play_on(env.clone()), worlds)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_copy_and_its_restoring_take_a_twentieth_of_a_millisecond(encoding: Any) -> None:
    """20,000 a second of the processor's time; ten times as long fails."""
    env = pontoon_v0.env(encoding=encoding)
    env.reset(seed=1)
    state = env.get_state()
    env.clone().set_state(state)
    spans = []
    for _ in range(5):
        start = time.process_time()
        for _ in range(200):
            env.clone().set_state(state)
        spans.append((time.process_time() - start) / 200)
    assert min(spans) < 500e-6
