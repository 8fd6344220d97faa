"""The native batch: row by row the single environment, over autoresets."""

from __future__ import annotations

import re
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from pontoon_env import Rules
from pontoon_env.actions import N_DISCRETE
from pontoon_env.errors import IllegalActionError, NotResetError
from pontoon_env.gym_env import PontoonEnv
from pontoon_env.vector_env import PontoonVectorEnv


def assert_same(found: Any, expected: Any, place: str = "") -> None:
    """Compare what two environments return, arrays element by element."""
    if isinstance(expected, dict):
        assert set(found) == set(expected), place
        for key in expected:
            assert_same(found[key], expected[key], f"{place}.{key}")
    elif isinstance(expected, tuple) or (
        isinstance(expected, np.ndarray) and expected.dtype == object
    ):
        assert len(found) == len(expected)
        for i, value in enumerate(expected):
            assert_same(found[i], value, f"{place}[{i}]")
    elif expected is None:
        assert found is None, place
    else:
        np.testing.assert_array_equal(found, expected, err_msg=place)


def random_legal(rng: np.random.Generator, masks: np.ndarray) -> np.ndarray:
    """Return a uniform legal action for each row."""
    return (rng.random(masks.shape) * (masks != 0)).argmax(axis=1)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"mask_in_observation": False, "opponents": "random"},
        {"role": "banker", "rules": Rules.single_deal(seats=2), "banker_opponent": "random"},
        {"role": "any", "rules": Rules.pontoon(deals=2), "opponents": "random"},
        {"role": "any", "rules": Rules.shoot(deals=3, seats=4), "on_illegal": "penalise"},
        {"rules": Rules.two_seat_exact(), "on_illegal": "terminate"},
    ],
)
def test_rows_are_single_environments_over_autoresets(settings: dict[str, Any]) -> None:
    """Gymnasium's loop over `PontoonEnv` returns the same, final observations too."""
    n = 7
    native = PontoonVectorEnv(n, **settings)
    loop = SyncVectorEnv(
        [lambda: PontoonEnv(**settings)] * n, autoreset_mode=AutoresetMode.SAME_STEP
    )
    rng = np.random.default_rng(0)
    mixes_in_illegal = "on_illegal" in settings
    found, expected = native.reset(seed=40), loop.reset(seed=40)
    assert_same(found, expected)
    n_ended = np.zeros(n, np.int64)
    for step in range(120):
        actions = random_legal(rng, found[-1]["action_mask"])
        if mixes_in_illegal:
            actions[step % n] = rng.integers(N_DISCRETE)
        found, expected = native.step(actions), loop.step(actions)
        assert_same(found, expected, f"step {step}")
        n_ended += found[2]
        if step == 60:
            found, expected = native.reset(), loop.reset()
            assert_same(found, expected)
    assert n_ended.min() > 2


def test_a_row_does_not_depend_on_the_rows_beside_it() -> None:
    many, few = PontoonVectorEnv(50, opponents="random"), PontoonVectorEnv(2, opponents="random")
    masks, few_masks = many.reset(seed=3)[1], few.reset(seed=[7, 52])[1]
    rng = np.random.default_rng(0)
    for _ in range(40):
        actions = random_legal(rng, masks["action_mask"])
        observations, rewards, ended, _, masks = many.step(actions)
        few_observations, few_rewards, few_ended, _, few_masks = few.step(actions[[4, 49]])
        assert_same(few_observations["observation"], observations["observation"][[4, 49]])
        assert_same(few_masks["action_mask"], masks["action_mask"][[4, 49]])
        assert_same(few_rewards, rewards[[4, 49]])
        assert_same(few_ended, ended[[4, 49]])


def test_make_vec_gives_the_native_batch() -> None:
    env = gymnasium.make_vec("pontoon_env:Pontoon-v0", num_envs=3, role="any", opponents="random")
    assert isinstance(env, PontoonVectorEnv)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    observation, _ = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    assert env.action_space.shape == (3,)


def test_final_observations_stand_in_the_infos() -> None:
    """The last observation has an empty mask; the one returned belongs to the next session."""
    env = PontoonVectorEnv(20)
    _, infos = env.reset(seed=1)
    rng = np.random.default_rng(0)
    n_finals = 0
    for _ in range(20):
        before = infos["session"].copy()
        observation, _, ended, truncated, infos = env.step(random_legal(rng, infos["action_mask"]))
        assert not truncated.any()
        assert (infos["session"] - before == ended).all()
        assert observation["action_mask"].any(axis=1).all()
        for row in np.flatnonzero(ended):
            final = infos["final_obs"][row]
            assert env.single_observation_space.contains(final)
            assert not final["action_mask"].any()
            assert infos["final_info"]["session"][row] == before[row]
            n_finals += 1
        if ended.any():
            assert (infos["_final_obs"] == ended).all()
    assert n_finals > 50


@pytest.mark.parametrize("copy", [True, False])
def test_observations_are_copies_where_asked_for(copy: bool) -> None:
    env = PontoonVectorEnv(4, copy=copy)
    first, infos = env.reset(seed=1)
    kept = first["observation"].copy()
    env.step(infos["action_mask"].argmax(axis=1))
    assert np.array_equal(first["observation"], kept) == copy


@pytest.mark.parametrize("settings", [{}, {"padded": True}])
def test_a_reset_writes_to_no_array_that_was_handed_out(settings: dict[str, Any]) -> None:
    env = PontoonVectorEnv(4, **settings)
    kept = []
    for options in ({}, {"reset_mask": np.array([True, False, False, True])}, {}):
        observations, _ = env.reset(options=options)
        kept += [(array, array.tobytes()) for array in observations.values()]
    assert all(array.tobytes() == content for array, content in kept)


@pytest.mark.parametrize("copy", [True, False])
def test_rows_that_have_not_begun_see_nothing(copy: bool) -> None:
    env = PontoonVectorEnv(3, copy=copy)
    reset_mask = np.array([False, True, False])
    observations, _ = env.reset(seed=1, options={"reset_mask": reset_mask})
    for array in observations.values():
        assert (array.any(axis=1) == reset_mask).all()


def test_an_illegal_action_names_its_row_and_changes_no_row() -> None:
    env = PontoonVectorEnv(5)
    with pytest.raises(NotResetError):
        env.step(np.zeros(5, np.int64))
    env.reset(seed=1)
    before = env._tables.games.copy()
    actions = np.zeros(5, np.int64)
    actions[3] = N_DISCRETE - 1
    with pytest.raises(IllegalActionError, match=r"table 3: .* cannot auction"):
        env.step(actions)
    assert (env._tables.games == before).all()


def test_a_reset_mask_leaves_the_other_rows() -> None:
    env = PontoonVectorEnv(4)
    first, _ = env.reset(seed=1)
    env.step(np.zeros(4, np.int64))
    mask = np.array([True, False, False, True])
    observation, infos = env.reset(seed=[1, None, None, None], options={"reset_mask": mask})
    assert infos["session"].tolist()[3] == 1
    assert np.array_equal(observation["observation"][0], first["observation"][0])
    assert not np.array_equal(observation["observation"][1], first["observation"][1])


def test_rows_that_a_mask_leaves_keep_their_seeds_and_episodes() -> None:
    """They go on as rows that were never reset, into the next session too."""
    env, other = PontoonVectorEnv(4), PontoonVectorEnv(4)
    env.reset(seed=100)
    other.reset(seed=100)
    mask = np.array([True, False, False, False])
    _, infos = env.reset(seed=500, options={"reset_mask": mask})
    assert env._seeds.tolist() == [500, 101, 102, 103]
    assert infos["session"].tolist() == other._tables.learners["session"].tolist()
    found, expected = env.reset(), other.reset()
    assert_same(found[0]["observation"][1:], expected[0]["observation"][1:])
    single = PontoonEnv()
    single.reset(seed=500)
    assert_same(found[0]["observation"][0], single.reset()[0]["observation"])


def test_rows_that_a_first_mask_leaves_have_not_begun() -> None:
    env = PontoonVectorEnv(3, render_mode="ansi")
    observation, _ = env.reset(seed=7, options={"reset_mask": np.array([False, True, False])})
    assert not observation["observation"][[0, 2]].any()
    with pytest.raises(NotResetError):
        env.step(np.zeros(3, np.int64))
    with pytest.raises(NotResetError, match="render"):
        env.render()
    _, infos = env.reset()
    single = PontoonEnv()
    _, first = single.reset(seed=8)
    assert infos["session"].tolist() == [0, first["session"] + 1, 0]
    assert env.render() is not None


@pytest.mark.parametrize(
    "mask",
    [None, [True] * 3, np.ones(3, np.int64), np.ones(2, np.bool_), np.ones((3, 1), np.bool_)],
)
def test_what_is_no_reset_mask_is_refused(mask: Any) -> None:
    with pytest.raises(ValueError, match=r"must be a bool array of shape \(3,\)"):
        PontoonVectorEnv(3).reset(seed=1, options={"reset_mask": mask})


def test_a_refused_reset_changes_nothing() -> None:
    """No row begins by it; seeds, episodes and the generator stay as they are."""
    env, other = PontoonVectorEnv(3), PontoonVectorEnv(3)
    for bad in ({"seed": 1, "options": {"banker": 99}}, {"seed": [1, 2, -1]}):
        with pytest.raises(ValueError, match=r"banker|seed"):
            env.reset(**bad)
    assert not env._has_begun.any()
    env.reset(seed=7)
    other.reset(seed=7)
    for bad in ({"seed": 1, "options": {"banker": 99}}, {"seed": [1, 2, -1]}):
        with pytest.raises(ValueError, match=r"banker|seed"):
            env.reset(**bad)
    assert env.np_random.random() == other.np_random.random()
    assert_same(env.step(np.zeros(3, np.int64)), other.step(np.zeros(3, np.int64)))
    assert_same(env.reset(), other.reset())


def test_every_row_gets_the_cards_of_an_iterator() -> None:
    env = PontoonVectorEnv(3)
    env.reset(seed=1, options={"banker": 0, "pack": iter(["2c", "3c"])})
    hands = env._tables.games["seats"]["hands"][:, :, 0]["cards"][:, [1, 2], 0]
    assert hands.tolist() == [[4, 8]] * 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seed": [1, 2]}, "2 seeds for 3 rows"),
        ({"seed": -1}, "seed=-1"),
        ({"seed": True}, "seed=True"),
        ({"seed": [True, 2, 3]}, "seed=True"),
        ({"seed": 1.5}, "seed=1.5"),
        ({"seed": [1, 2, -3]}, "seed=-3"),
        ({"seed": 2**64 - 2}, "seed="),
        ({"options": {"reset_mask": np.zeros(3, np.bool_)}}, "reset_mask"),
        ({"options": {"banker": 9}}, "banker=9"),
        ({"options": {"seat": True}}, "seat=True"),
    ],
)
def test_bad_resets_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PontoonVectorEnv(3).reset(**arguments)


@pytest.mark.parametrize(
    "actions",
    [np.zeros(2, np.int64), np.zeros(3), np.full(3, N_DISCRETE), -np.ones(3, np.int64)],
)
def test_what_are_no_actions_is_refused(actions: np.ndarray) -> None:
    env = PontoonVectorEnv(3)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="actions"):
        env.step(actions)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"rules": "pontoon"}, TypeError, "no Rules"),
        ({"render_mode": "human"}, ValueError, "render_mode='human'"),
    ],
)
def test_bad_settings_are_refused(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        PontoonVectorEnv(2, **arguments)
    with pytest.raises(TypeError, match="no mapping"):
        PontoonVectorEnv(2).reset(options=[1])


@pytest.mark.parametrize("n", [0, -1, 2.5, True])
def test_a_batch_has_at_least_one_table(n: Any) -> None:
    with pytest.raises(ValueError, match="number of tables"):
        PontoonVectorEnv(n)


@pytest.mark.parametrize(
    ("encoding", "actions", "message"),
    [
        ("discrete", [0, -1, 99], "actions must be whole numbers from 0 to 38, not -1 at table 1"),
        ("discrete", [0.0, 0.0, 0.0], "actions must be whole numbers from 0 to 38, not 0.0 at"),
        ("discrete", ["a", "b", "c"], "actions must be whole numbers from 0 to 38, not array"),
        ("discrete", None, "the actions are None, no array of (3,): one a table"),
        ("discrete", [0, 0], "the actions have shape (2,), not (3,): one a table"),
        ("hybrid", {"move": [0, 0, 15], "amount": [0] * 3}, "moves must be whole numbers from 0 "),
        ("hybrid", {"move": [0] * 3, "amount": [0, np.nan, 2]}, "not nan at table 1"),
        ("hybrid", {"move": [0] * 3, "amount": 0.5}, "the fractions are 0.5, no array of (3,)"),
        ("hybrid", {"move": 0}, "hybrid actions are"),
        ("box", np.full((3, 2), 0.5), "box actions are an array of shape (3, 16)"),
        ("box", np.full((3, 16), np.nan), "in row 0 the score of stake is nan"),
    ],
)
def test_what_is_no_action_is_named_with_its_table(
    encoding: Any, actions: Any, message: str
) -> None:
    envs = PontoonVectorEnv(3, Rules.single_deal(seats=3), encoding=encoding)
    envs.reset(seed=0)
    with pytest.raises(ValueError, match=re.escape(message)):
        envs.step(actions)


def test_a_seed_in_letters_is_no_sequence_of_seeds() -> None:
    with pytest.raises(ValueError, match="seed='123' is not a whole number"):
        PontoonVectorEnv(3).reset(seed="123")  # type: ignore[arg-type]
