"""Rewards for learners: by Gymnasium's own wrappers for one, by a small one for many."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import TransformReward
from gymnasium.wrappers.vector import TransformReward as TransformVectorReward
from pettingzoo.test import api_test, parallel_api_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from pontoon_env import Rules, pontoon_v0
from pontoon_env.errors import IllegalActionError, NotResetError
from pontoon_env.scaled_rewards import ScaledRewards
from pontoon_env.state import Move
from tests.tables import PETTINGZOO_REMARKS, VARIED, draw

pytestmark = [pytest.mark.filterwarnings(remark) for remark in PETTINGZOO_REMARKS]

TENTH: Any = {"scale": 0.1}
CLIPPED: Any = {"scale": 0.5, "clip": 1.0}


def test_gymnasium_s_wrappers_scale_and_clip_the_rewards_of_one_learner() -> None:
    """Single and batched, beside the environment as it is."""

    def tame(rewards: Any) -> Any:
        return np.clip(0.1 * rewards, -1.0, 1.0)

    settings: Any = {"rules": Rules.pontoon(seats=3, deals=3), "role": "any"}
    plain = gymnasium.make("pontoon_env:Pontoon-v0", **settings)
    env = TransformReward(gymnasium.make("pontoon_env:Pontoon-v0", **settings), tame)
    envs = TransformVectorReward(
        gymnasium.make_vec("pontoon_env:Pontoon-v0", num_envs=4, **settings), tame
    )
    rng = np.random.default_rng(0)
    info = plain.reset(seed=0)[1]
    env.reset(seed=0)
    infos = envs.reset(seed=0)[1]
    n_paid = n_clipped = 0
    for _ in range(200):
        actions = (rng.random(infos["action_mask"].shape) * infos["action_mask"]).argmax(axis=1)
        actions[0] = rng.choice(np.flatnonzero(info["action_mask"]))
        _, paid, ended, _, info = plain.step(actions[0])
        _, reward, *_ = env.step(actions[0])
        _, rewards, _, _, infos = envs.step(actions)
        assert reward == rewards[0] == np.clip(0.1 * float(paid), -1, 1)
        assert (np.abs(rewards) <= 1).all()
        n_paid, n_clipped = n_paid + (paid != 0), n_clipped + (abs(reward) == 1)
        if ended:
            info = plain.reset()[1]
            env.reset()
    assert n_paid > 20
    assert n_clipped > 0


@pytest.mark.parametrize("settings", [TENTH, CLIPPED])
def test_every_payment_is_scaled_and_clipped_and_delivered_once(settings: Any) -> None:
    env = ScaledRewards(pontoon_v0.env(rules=VARIED), **settings)
    scale, clip = settings["scale"], settings.get("clip", np.inf)
    n_paid = n_clipped = 0
    for seed in range(3):
        env.reset(seed=seed)
        inner: Any = env.unwrapped
        owed, rng = dict.fromkeys(env.agents, 0.0), np.random.default_rng(seed)
        for agent in env.agent_iter():
            _, reward, ended, _, _ = env.last()
            assert reward == pytest.approx(owed[agent], abs=1e-12)
            env.step(None if ended else draw(inner, rng))
            if ended:
                continue
            owed[agent] = 0.0
            for name, paid in inner.rewards.items():
                expected = min(max(paid * scale, -clip), clip)
                assert env.rewards[name] == expected
                owed[name] += expected
                n_paid, n_clipped = n_paid + (paid != 0), n_clipped + (abs(expected) == clip)
    assert n_paid > 60
    assert (n_clipped > 0) == ("clip" in settings)


@pytest.mark.parametrize("settings", [TENTH, CLIPPED])
def test_pettingzoos_tests_accept_scaled_rewards(settings: Any) -> None:
    """With agents that are called at once, too."""
    api_test(ScaledRewards(pontoon_v0.env(), **settings), num_cycles=60)
    env = ScaledRewards(pontoon_v0.env(), **settings)
    parallel_api_test(turn_based_aec_to_parallel(env), num_cycles=60)


def test_copies_and_states_keep_what_is_still_to_be_delivered() -> None:
    env = ScaledRewards(pontoon_v0.env(rules=VARIED), **CLIPPED)
    with pytest.raises(NotResetError):
        env.last()
    env.reset(seed=1)
    rng = np.random.default_rng(0)
    inner: Any = env.unwrapped
    while not env._cumulative_rewards[env.agent_selection]:
        env.step(draw(inner, rng))
    state, twin = env.get_state(), env.clone()
    told = env._cumulative_rewards
    env.step(draw(inner, rng))
    assert twin._cumulative_rewards == told != env._cumulative_rewards
    with pytest.raises(ValueError, match="no state of ScaledRewards"):
        env.set_state(inner.get_state())
    env.set_state(state)
    assert env._cumulative_rewards == told
    assert env.get_state()["game"].tobytes() == twin.get_state()["game"].tobytes()


def test_a_refused_action_delivers_nothing() -> None:
    env = ScaledRewards(pontoon_v0.env(), **TENTH)
    env.reset(seed=0)
    env._cumulative_rewards[env.agent_selection] = 0.7
    with pytest.raises(IllegalActionError):
        env.step({"move": Move.STICK, "amount": 0.0})
    assert env.last()[1] == 0.7


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"scale": 0}, "scale=0 must be a number above 0"),
        ({"scale": -1.0}, r"scale=-1\.0 must be"),
        ({"scale": float("nan")}, "scale=nan must be"),
        ({"scale": "1"}, "scale='1' must be"),
        ({"scale": None}, "scale=None must be"),
        ({"scale": 1.0, "clip": 0.0}, r"clip=0\.0 must be"),
        ({"scale": 1.0, "clip": True}, "clip=True must be"),
    ],
)
def test_scales_and_limits_are_above_zero(settings: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ScaledRewards(pontoon_v0.env(), **settings)
