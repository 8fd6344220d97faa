"""The single-seat face: the checkers of two libraries, rewards, roles, options, errors."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from stable_baselines3.common.env_checker import check_env as sb3_check_env

from pontoon_env import Rules, batch
from pontoon_env.actions import DISCRETE_ACTIONS, N_DISCRETE
from pontoon_env.errors import IllegalActionError, NotResetError
from pontoon_env.gym_env import PontoonEnv
from pontoon_env.observation import layout
from pontoon_env.opponents import opponent_number
from pontoon_env.state import Move, Phase

STICK = next(i for i, action in enumerate(DISCRETE_ACTIONS) if action.move == Move.STICK)
TWIST = next(i for i, action in enumerate(DISCRETE_ACTIONS) if action.move == Move.TWIST)
LEAST_STAKE = 0


def play_at_random(env: PontoonEnv, rng: np.random.Generator, info: dict[str, Any]) -> float:
    """Play an episode to its end and return what it paid."""
    total, ended = 0.0, False
    while not ended:
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        _, reward, ended, truncated, info = env.step(action)
        assert not truncated
        total += reward
    return total


@pytest.mark.parametrize("mask_in_observation", [True, False])
@pytest.mark.parametrize("role", ["player", "banker", "any"])
def test_the_checkers_of_gymnasium_and_sb3_accept_it(role: str, mask_in_observation: bool) -> None:
    """They ignore masks, so they need ``on_illegal="replace"``."""
    env = gymnasium.make(
        "pontoon_env:Pontoon-v0",
        role=role,
        on_illegal="replace",
        mask_in_observation=mask_in_observation,
        render_mode="ansi",
    )
    check_env(env.unwrapped)
    sb3_check_env(env)


def test_gymnasium_makes_it_with_rules_and_agents() -> None:
    env = gymnasium.make(
        "pontoon_env:Pontoon-v0", rules=Rules.shoot(deals=3), opponents="random", role="any"
    )
    observation, info = env.reset(seed=3)
    assert env.observation_space.contains(observation)
    assert isinstance(env.unwrapped, PontoonEnv)
    assert env.unwrapped.rules.shoot
    assert set(info) == {"action_mask", "seat", "banker", "session"}


@pytest.mark.parametrize(
    "rules", [Rules.single_deal(), Rules.pontoon(deals=4), Rules.shoot(deals=6)]
)
def test_the_rewards_of_an_episode_are_the_learner_s_own_chips(rules: Rules) -> None:
    """P4, S11: not those of the banker, the next seat or the table; in least stakes."""
    env = PontoonEnv(rules, role="any", opponents="random")
    rng = np.random.default_rng(0)
    sessions, others_differ = 0, 0
    for episode in range(60):
        _, info = env.reset(seed=0 if episode == 0 else None)
        was_dealt_through = info["session"] > sessions
        sessions = info["session"] + 1
        total = play_at_random(env, rng, info)
        if was_dealt_through:
            continue
        worths = batch.worth(env._tables.games)[0, : rules.seats] / rules.min_stake
        assert total == pytest.approx(worths[info["seat"]], abs=1e-9)
        assert worths.sum() == pytest.approx(0, abs=1e-9)
        others_differ += int(np.abs(np.delete(worths, info["seat"]) - total).min() > 0.5)
    assert others_differ > 20, "the test would not notice another seat's rewards"


def test_sessions_without_a_decision_are_dealt_through_and_paid() -> None:
    """A banker who plays as stick17 does earns what stick17 on all seats earns, in all sessions."""
    rules = Rules.single_deal(seats=2)
    env = PontoonEnv(rules, role="banker", opponents="stick17")
    total_slot = next(part.start for part in layout(rules) if part.name == "own_hand_0.total")
    paid, skipped, n_sessions = 0.0, 0, 0
    for episode in range(200):
        observation, info = env.reset(seed=5 if episode == 0 else None)
        skipped += info["session"] - n_sessions
        n_sessions = info["session"] + 1
        ended = False
        while not ended:
            action = TWIST if observation["observation"][total_slot] * 21 < 16.5 else STICK
            observation, reward, ended, _, info = env.step(action)
            paid += reward
    games = batch.new_games(n_sessions)
    seeds, episodes = np.full(n_sessions, 5, np.uint64), np.arange(n_sessions, dtype=np.uint64)
    batch.begin_batch(rules.to_record(), games, seeds, episodes)
    agents = np.full((n_sessions, 8, 2), opponent_number("stick17"))
    moves, outcomes = np.full(n_sessions, batch.NO_MOVE), np.zeros(n_sessions, np.int64)
    batch.play_batch(rules.to_record(), games, agents, moves, np.zeros(n_sessions), outcomes, 10**6)
    expected = batch.worth(games)[np.arange(n_sessions), games["banker"]].sum() / rules.min_stake
    assert skipped > 20
    assert paid == pytest.approx(expected)


def test_a_role_without_any_decision_is_refused_when_it_begins() -> None:
    env = PontoonEnv(Rules.single_deal(banker_rule="stick17"), role="banker")
    with pytest.raises(RuntimeError, match="role='banker' was not asked once in 10000 sessions"):
        env.reset(seed=0)


def test_seats_are_drawn_uniformly_within_the_role() -> None:
    """Each of the 6 pairs of banker and learner comes up 110 to 190 times in 900 episodes."""
    env = PontoonEnv(Rules.single_deal(seats=3), role="player")
    pairs = []
    for episode in range(900):
        _, info = env.reset(seed=2 if episode == 0 else None)
        pairs.append((info["banker"], info["seat"]))
    counts = {pair: pairs.count(pair) for pair in set(pairs)}
    assert set(counts) == {(b, s) for b in range(3) for s in range(3) if b != s}
    assert all(110 < count < 190 for count in counts.values())
    env = PontoonEnv(Rules.single_deal(seats=3), role="any")
    offsets = [info["seat"] - info["banker"] for _, info in (env.reset() for _ in range(100))]
    assert {offset % 3 for offset in offsets} == {0, 1, 2}


def test_the_agent_of_a_seat_depends_on_whether_it_is_banker() -> None:
    """A banker on 16 stays as stick15 and draws as stick17, whoever the players are."""
    cards = ["9c", "Tc", "9d", "6d", "5c"]  # learner 9-9, banker 10-6, then a five
    rewards = {}
    for banker in ("stick15", "stick17"):
        env = PontoonEnv(Rules.single_deal(seats=2), opponents="random", banker_opponent=banker)
        env.reset(seed=0, options={"banker": 1, "seat": 0, "pack": cards})
        env.step(LEAST_STAKE)
        rewards[banker] = env.step(STICK)[1]
    assert rewards == {"stick15": 1.0, "stick17": -1.0}


def test_options_set_the_seats_and_the_cards() -> None:
    """P10, P13: the first card goes to the banker's left, the banker's last."""
    env = PontoonEnv(Rules.single_deal(seats=3), role="any")
    _, info = env.reset(seed=9, options={"banker": 2, "seat": 2})
    assert (info["banker"], info["seat"]) == (2, 2)
    _, info = env.reset(options={"seat": 1})
    assert info["seat"] == 1
    _, info = env.reset(options={"banker": 1, "seat": 0, "pack": ["2c", "3c", 0], "unknown": 1})
    hands = env._tables.games[0]["seats"]["hands"][:, 0]["cards"][:, 0]
    assert hands[[2, 0, 1]].tolist() == [4, 8, 0]


def test_the_end_has_an_empty_mask_and_no_further_step() -> None:
    env = PontoonEnv()
    with pytest.raises(NotResetError, match=r"call reset\(\)"):
        env.step(LEAST_STAKE)
    _, info = env.reset(seed=1)
    play_at_random(env, np.random.default_rng(1), info)
    assert not env.action_masks().any()
    assert env._tables.games[0]["phase"] == Phase.OVER
    with pytest.raises(NotResetError, match="session is over"):
        env.step(LEAST_STAKE)


def test_a_step_before_a_reset_is_refused_as_gymnasium_refuses_it() -> None:
    """`gymnasium.make` leaves the order of calls to the environment itself."""
    env = gymnasium.make("pontoon_env:Pontoon-v0", render_mode="ansi")
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\)"):
        env.step(LEAST_STAKE)
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\)"):
        env.render()


def test_both_masks_and_the_method_agree_and_are_fresh() -> None:
    env = PontoonEnv()
    observation, info = env.reset(seed=1)
    flat = PontoonEnv(mask_in_observation=False)
    flat_observation, flat_info = flat.reset(seed=1)
    assert np.array_equal(flat_observation, observation["observation"])
    for mask in (
        info["action_mask"],
        env.action_masks(),
        flat_info["action_mask"],
        flat.action_masks(),
    ):
        assert np.array_equal(observation["action_mask"], mask)
    kept = copy.deepcopy(observation)
    env.step(LEAST_STAKE)
    assert all(np.array_equal(kept[key], observation[key]) for key in kept)


def test_what_an_illegal_action_does() -> None:
    """Stick cannot be chosen while stakes are made (P12)."""

    def begun(on_illegal: str) -> PontoonEnv:
        env = PontoonEnv(on_illegal=on_illegal, illegal_penalty=2.5)
        env.reset(seed=4)
        return env

    env = begun("raise")
    before = env._tables.games.copy()
    message = r"cannot stick.*P12.*legal: stake 100 to 1000 chips"
    with pytest.raises(IllegalActionError, match=message):
        env.step(STICK)
    assert (env._tables.games == before).all()
    _, reward, terminated, _, info = begun("terminate").step(STICK)
    assert (reward, terminated, info["illegal"]) == (-2.5, True, True)
    env = begun("penalise")
    mask = env.action_masks()
    _, reward, terminated, _, info = env.step(STICK)
    assert (reward, terminated, info["illegal"]) == (-2.5, False, True)
    assert np.array_equal(env.action_masks(), mask)
    assert env.step(LEAST_STAKE)[4]["illegal"] is False
    env, legal = begun("replace"), begun("raise")
    replaced, played = env.step(STICK), legal.step(LEAST_STAKE)
    assert np.array_equal(replaced[0]["observation"], played[0]["observation"])
    assert replaced[4]["illegal"] is True


def test_copies_go_on_alike() -> None:
    env = PontoonEnv(Rules.pontoon(deals=5), opponents="random")
    _, info = env.reset(seed=8)
    env.step(LEAST_STAKE)
    info["action_mask"] = env.action_masks()
    copies = [env, copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    totals = {play_at_random(each, np.random.default_rng(0), dict(info)) for each in copies}
    assert len(totals) == 1


def test_it_renders_the_table_as_text() -> None:
    env = PontoonEnv(render_mode="ansi")
    with pytest.raises(NotResetError, match="render"):
        env.render()
    env.reset(seed=1)
    assert "seat" in str(env.render())
    assert PontoonEnv().render() is None


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"rules": {"seats": 4}}, TypeError, "no Rules"),
        ({"role": "dealer"}, ValueError, "role='dealer' is none of player, banker, any"),
        ({"opponents": "nobody"}, ValueError, "nobody"),
        ({"opponents": ["basic"]}, TypeError, r"\['basic'\] is neither an agent nor"),
        ({"banker_opponent": "nobody"}, ValueError, "nobody"),
        ({"on_illegal": "ignore"}, ValueError, "on_illegal='ignore'"),
        ({"illegal_penalty": -1.0}, ValueError, "illegal_penalty"),
        ({"illegal_penalty": float("nan")}, ValueError, "illegal_penalty"),
        ({"illegal_penalty": "1"}, ValueError, "illegal_penalty='1'"),
        ({"illegal_penalty": None}, ValueError, "illegal_penalty=None"),
        ({"illegal_penalty": 10**400}, ValueError, "illegal_penalty=1000"),
        ({"render_mode": "human"}, ValueError, "render_mode='human'"),
    ],
)
def test_bad_settings_are_refused(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        PontoonEnv(**arguments)


@pytest.mark.parametrize(
    ("seed", "options", "message"),
    [
        (-1, {}, "seed=-1"),
        (2**64, {}, "seed="),
        (1.5, {}, "seed=1.5"),
        (True, {}, "seed=True"),
        (1, {"banker": 6}, "banker=6 is no seat from 0 to 5"),
        (1, {"banker": True}, "banker=True is no seat"),
        (1, {"seat": "first"}, "seat='first' is no seat"),
        (1, {"banker": 2, "seat": 2}, "does not fit role='player'"),
        (1, {"pack": ["As", "As"]}, "As is there more often"),
        (1, {"pack": ["1s"]}, "1s"),
        (1, {"pack": [52]}, "52 is no card"),
        (1, {"pack": [True]}, "True is no card"),
        (1, {"pack": [1.0]}, "1.0 is no card"),
        (1, {"pack": 5}, "pack=5 is no list of cards"),
    ],
)
def test_bad_resets_are_refused(seed: Any, options: dict[str, Any], message: str) -> None:
    env = PontoonEnv()
    with pytest.raises(ValueError, match=message):
        env.reset(seed=seed, options=options)
    with pytest.raises(NotResetError):
        env.step(LEAST_STAKE)


@pytest.mark.parametrize("options", [[1], [], 0, "banker"])
def test_options_that_are_no_mapping_are_refused(options: Any) -> None:
    with pytest.raises(TypeError, match="are no mapping"):
        PontoonEnv().reset(options=options)


def test_a_refused_reset_changes_nothing() -> None:
    """The episode, the seed to go on with and the generator stay; a first one begins nothing."""
    env, other = PontoonEnv(render_mode="ansi"), PontoonEnv()
    with pytest.raises(ValueError, match="banker"):
        env.reset(seed=1, options={"banker": 99})
    with pytest.raises(NotResetError):
        env.render()
    env.reset(seed=7)
    other.reset(seed=7)
    for bad in ({"banker": 99}, {"pack": ["As", "As"]}):
        with pytest.raises(ValueError, match=r"banker|As"):
            env.reset(seed=1, options=bad)
    assert env.np_random.random() == other.np_random.random()
    assert np.array_equal(
        env.step(LEAST_STAKE)[0]["action_mask"], other.step(LEAST_STAKE)[0]["action_mask"]
    )
    found, expected = env.reset(), other.reset()
    assert np.array_equal(found[0]["observation"], expected[0]["observation"])
    assert found[1]["session"] == expected[1]["session"]


def test_a_reset_without_any_decision_leaves_the_table() -> None:
    """A banker who has a pontoon in every session is never asked; the present one goes on."""
    env = PontoonEnv(Rules.single_deal(seats=2), role="banker")
    env.reset(seed=1)
    before = env._tables.get_state()
    pontoon = {"pack": ["2c", "As", "3c", "Ks"]}
    with pytest.raises(RuntimeError, match="not asked once"):
        env.reset(seed=2, options=pontoon)
    after = env._tables.get_state()
    assert all(np.array_equal(before[name], after[name]) for name in before)


@pytest.mark.parametrize("kind", [list, tuple, np.array, iter])
def test_a_pack_is_any_list_of_names_or_numbers(kind: Any) -> None:
    for cards in (["2c", "3c", "Ac"], [4, 8, 0]):
        env = PontoonEnv(Rules.single_deal(seats=3))
        env.reset(seed=1, options={"banker": 1, "pack": kind(cards)})
        hands = env._tables.games[0]["seats"]["hands"][:, 0]["cards"][:, 0]
        assert hands[[2, 0, 1]].tolist() == [4, 8, 0]


@pytest.mark.parametrize("action", [-1, N_DISCRETE, 0.5, None, [0, 1]])
def test_what_is_no_action_is_refused(action: Any) -> None:
    env = PontoonEnv(on_illegal="replace")
    env.reset(seed=1)
    with pytest.raises(ValueError, match="action"):
        env.step(action)
