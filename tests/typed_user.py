"""What a user may write: every face in every encoding, checked by ``mypy --strict`` and run."""

from __future__ import annotations

from typing import Any, get_args

import gymnasium
import numpy as np
import pettingzoo

from pontoon_env import Rules, pontoon_v0, testing
from pontoon_env.actions import (
    DISCRETE_ACTIONS,
    Encoding,
    HybridAction,
    box_of_hybrid,
    hybrid_of_box,
    hybrid_of_discrete,
)
from pontoon_env.aec import PontoonAECEnv
from pontoon_env.errors import IllegalActionError
from pontoon_env.gym_env import PontoonEnv
from pontoon_env.hidden import draw_keys, resample_batch
from pontoon_env.observation import layout, observation_size
from pontoon_env.scaled_rewards import ScaledRewards
from pontoon_env.spaces import action_space, observation_space
from pontoon_env.state import Move
from pontoon_env.vector_env import PontoonVectorEnv

RULES: Rules = Rules.pontoon(seats=3, deals=2)
ENCODINGS: tuple[Encoding, ...] = get_args(Encoding)


def play_all_seats(encoding: Encoding) -> float:
    """Play a session at random and return what seat_0 won."""
    env: PontoonAECEnv = pontoon_v0.env(
        rules=RULES, encoding=encoding, memory=True, padded=True, information_state=True
    )
    env.reset(seed=1, options={"banker": 0})
    won: float = 0.0
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        won += reward if agent == "seat_0" else 0.0
        if terminated or truncated or observation is None:
            env.step(None)
            continue
        vector: np.ndarray = observation["observation"]
        assert vector.shape == (observation_size(RULES, memory=True, padded=True),)
        env.step(env.action_space(agent).sample(info["action_mask"]))
    text: str = env.information_state_string("seat_0")
    assert text.endswith("end")
    assert env.information_state_tensor("seat_0").ndim == 2
    return won


def play_all_at_once(encoding: Encoding) -> None:
    """Play a session with all agents called at once."""
    env = pontoon_v0.parallel_env(rules=RULES, encoding=encoding)
    observations, _ = env.reset(seed=1)
    while env.agents:
        actions = {
            agent: env.action_space(agent).sample(observations[agent]["action_mask"])
            for agent in env.agents
        }
        observations, _, _, _, _ = env.step(actions)


def play_one_seat(encoding: Encoding) -> float:
    """Play an episode against other agents and return what it paid."""
    env = PontoonEnv(RULES, role="any", opponents="basic", encoding=encoding)
    _, info = env.reset(seed=1)
    won, ended = 0.0, False
    while not ended:
        action = action_space(encoding).sample(info["action_mask"])
        _, reward, ended, _, info = env.step(action)
        won += reward
    return won


def play_a_batch(encoding: Encoding) -> float:
    """Make a decision on a batch of tables and return what it paid."""
    envs = PontoonVectorEnv(4, RULES, encoding=encoding, on_illegal="replace")
    envs.reset(seed=1)
    _, rewards, _, _, infos = envs.step(envs.action_space.sample())
    masks: np.ndarray = infos["action_mask"]
    assert masks.shape[0] == envs.num_envs
    return float(rewards.sum())


def look_ahead() -> None:
    """Go back to a state, and on in copies and in worlds that a seat cannot tell apart."""
    generator = np.random.default_rng(1)
    env: PontoonAECEnv = pontoon_v0.env(rules=RULES, information_state=True)
    env.reset(seed=1)
    agent: str = env.agent_selection
    state: dict[str, Any] = env.get_state()
    world: PontoonAECEnv = env.resample_hidden(agent, generator)
    assert world.information_state_string(agent) == env.information_state_string(agent)
    twin: PontoonAECEnv = env.clone()
    twin.set_state(state)
    table = PontoonEnv(RULES)
    table.reset(seed=1)
    other: PontoonEnv = table.resample_hidden(generator).clone()
    observation, info = other.set_state(table.get_state())
    assert info["action_mask"].any()
    assert len(observation) == 2
    games = state["game"].repeat(4)
    resample_batch(RULES.to_record(), games, np.zeros(4, np.int64), draw_keys(generator, 4))
    testing.check_masks(lambda: pontoon_v0.env(rules=RULES, encoding="discrete"))


def make_by_name() -> None:
    """Find the environment in both registries."""
    env = gymnasium.make("pontoon_env:Pontoon-v0", rules=RULES)
    env.reset(seed=0)
    envs = gymnasium.make_vec("pontoon_env:Pontoon-v0", num_envs=2, rules=RULES)
    envs.reset(seed=0)
    all_seats = pettingzoo.make("aec", "pontoon_env/pontoon-v0", rules=RULES)
    all_seats.reset(seed=0)
    at_once = pettingzoo.make("parallel", "pontoon_env/pontoon-v0", rules=RULES)
    at_once.reset(seed=0)


def translate(number: int) -> HybridAction:
    """Return a discrete action after a way through the other encodings."""
    action: HybridAction = hybrid_of_discrete(number)
    scores = box_of_hybrid(action, low=100, high=1000)
    return hybrid_of_box(scores, np.ones(len(Move), np.int8))


def main() -> None:
    """Play everything once."""
    for encoding in ENCODINGS:
        play_all_seats(encoding)
        play_all_at_once(encoding)
        play_one_seat(encoding)
        play_a_batch(encoding)
        gymnasium.make("pontoon_env:Pontoon-v0", encoding=encoding).reset(seed=0)
        assert observation_space(RULES, encoding, memory=True)["observation"].shape is not None
    assert all(translate(i)["move"] == action.move for i, action in enumerate(DISCRETE_ACTIONS))
    look_ahead()
    make_by_name()
    tamed = ScaledRewards(pontoon_v0.env(rules=RULES), scale=0.1, clip=1.0)
    tamed.reset(seed=0)
    names: list[str] = [part.name for part in layout(RULES)]
    assert names
    env = pontoon_v0.raw_env(rules=RULES)
    env.reset(seed=0)
    refused: IllegalActionError | None = None
    try:
        env.step({"move": Move.STICK, "amount": 0.0})
    except IllegalActionError as error:
        refused = error
    assert refused is not None
    assert (refused.agent, refused.move) == (env.agent_selection, "stick")
    assert "stake" in refused.legal


if __name__ == "__main__":
    main()
