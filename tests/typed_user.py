"""What a user may write: every face in every encoding, checked by ``mypy --strict`` and run."""

from __future__ import annotations

from typing import get_args

import gymnasium
import numpy as np

from pontoon_env import Rules, pontoon_v0
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
