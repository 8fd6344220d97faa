"""A small card game for PettingZoo without a fault, and the same game with one fault each."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

N_AGENTS = 3
N_ROUNDS = 3
N_CARDS = 10
PASS, BET, RAISE = range(3)


class CardGame(AECEnv):
    """Each agent holds a hidden card; each round turns up another, and the highest sum wins.

    Everybody may pass or bet; to raise is legal once, before one has bet. Every bet is in the pot
    at once, and the pot is paid at the end: rewards sum to 0 but for the pot.
    """

    metadata = {"name": "card_game_v0", "render_modes": ["ansi"], "is_parallelizable": False}
    render_mode = "ansi"

    def __init__(self) -> None:
        super().__init__()
        self.possible_agents = [f"player_{i}" for i in range(N_AGENTS)]
        parts = {
            "observation": spaces.Box(0, 1000, (5,), np.float32),
            "action_mask": spaces.Box(0, 1, (3,), np.int8),
        }
        self._seen = {agent: spaces.Dict(parts) for agent in self.possible_agents}
        self._played = {agent: spaces.Discrete(3) for agent in self.possible_agents}
        self._generator = np.random.default_rng()

    def observation_space(self, agent: str) -> spaces.Space:
        return self._seen[agent]

    def action_space(self, agent: str) -> spaces.Space:
        return self._played[agent]

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        if seed is not None:
            self._generator = np.random.default_rng(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, Any] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self.n_steps = 0
        self.deal()

    def deal(self) -> None:
        self.cards = dict.fromkeys(self.possible_agents, 0)
        for agent in self.possible_agents:
            self.cards[agent] = int(self._generator.integers(N_CARDS))
        self.has_bet = dict.fromkeys(self.possible_agents, False)
        self.pot = 0
        self.turned_up = int(self._generator.integers(N_CARDS))

    def is_legal(self, agent: str) -> list[bool]:
        return [True, True, not self.has_bet[agent]]

    def mask(self, agent: str) -> np.ndarray:
        is_over = self.terminations.get(agent, True)
        if agent != self.agent_selection or is_over:
            return np.zeros(3, np.int8)
        return np.array(self.is_legal(agent), np.int8)

    def seen_card(self, agent: str) -> int:
        return self.cards[agent]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        number = self.possible_agents.index(agent)
        seen = [number, self.seen_card(agent), self.turned_up, self.pot, self.n_steps]
        return {"observation": np.array(seen, np.float32), "action_mask": self.mask(agent)}

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if not self.is_legal(agent)[action]:
            raise ValueError(f"{agent} must not play {action}")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if action != PASS:
            self.pot += action
            self.rewards[agent] -= action
            self.has_bet[agent] = True
        self.n_steps += 1
        self.agent_selection = self.agents[self.n_steps % N_AGENTS]
        if self.n_steps % N_AGENTS == 0:
            self.turned_up = int(self._generator.integers(N_CARDS))
        if self.n_steps == N_AGENTS * N_ROUNDS:
            winner = max(self.agents, key=lambda name: self.cards[name])
            self.rewards[winner] += self.pot
            self.end()
        self._accumulate_rewards()

    def end(self) -> None:
        self.terminations = dict.fromkeys(self.agents, True)

    def render(self) -> str:
        return f"{self.turned_up} is up, {self.pot} in the pot"

    def close(self) -> None:
        """Release nothing."""


def resample(env: CardGame, agent: str, generator: np.random.Generator) -> CardGame:
    """Deal the others other cards."""
    other = copy_of(env)
    for name in other.cards:
        if name != agent:
            other.cards[name] = int(generator.integers(N_CARDS))
    return other


def copy_of(env: CardGame) -> Any:
    """Return a copy by hand: some of the faulty games cannot be copied by ``deepcopy``."""
    other = type(env)()
    other._generator = np.random.default_rng()
    other._generator.bit_generator.state = env._generator.bit_generator.state
    for name, value in vars(env).items():
        if not name.startswith("_") or name == "_cumulative_rewards":
            setattr(other, name, value.copy() if isinstance(value, dict | list) else value)
    return other


class ObservingDraws(CardGame):
    """To observe takes a number from the generator of the game."""

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        self._generator.random()
        return super().observe(agent)


class MoverHasNoAction(CardGame):
    """Who has bet is shown an empty mask in the last round, though it may pass."""

    def mask(self, agent: str) -> np.ndarray:
        mask = super().mask(agent)
        return 0 * mask if self.n_steps >= N_AGENTS * (N_ROUNDS - 1) else mask


class MaskForbidsTooLittle(CardGame):
    """To raise a second time is masked in, and refused."""

    def mask(self, agent: str) -> np.ndarray:
        mask = super().mask(agent)
        if mask.any() and self.n_steps == N_AGENTS * N_ROUNDS - 1:
            mask[RAISE] = 1
        return mask


class MaskForbidsTooMuch(CardGame):
    """To bet is masked out in the first round, and accepted."""

    def mask(self, agent: str) -> np.ndarray:
        mask = super().mask(agent)
        if self.n_steps < N_AGENTS:
            mask[BET] = 0
        return mask


class MaskOfAnother(CardGame):
    """Everybody is shown the mask of the agent to act."""

    def mask(self, agent: str) -> np.ndarray:
        return super().mask(self.agent_selection)


class SharedObservation(CardGame):
    """Everybody sees the card of the agent to act."""

    def seen_card(self, agent: str) -> int:
        return self.cards[self.agent_selection]


class StateOutlivesReset(CardGame):
    """What is in the pot stays there."""

    def deal(self) -> None:
        pot = getattr(self, "pot", 0)
        super().deal()
        self.pot = pot


class SharedBuffer(CardGame):
    """All observations are one array."""

    def __init__(self) -> None:
        super().__init__()
        self._buffer = np.zeros(5, np.float32)

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        seen = super().observe(agent)
        self._buffer[:] = seen["observation"]
        return {**seen, "observation": self._buffer}


class EndsTwice(CardGame):
    """At the end everybody is terminated and truncated."""

    def end(self) -> None:
        super().end()
        self.truncations = dict.fromkeys(self.agents, True)


class SeedsOneEpisode(CardGame):
    """A reset without a seed takes one from the system."""

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        if seed is None:
            self._generator = np.random.default_rng()
        super().reset(seed, options)


class CopiesShareThePot(CardGame):
    """A copy pays into the same pot."""

    def __init__(self) -> None:
        super().__init__()
        self.pots = [0]

    @property
    def pot(self) -> int:
        return self.pots[0]

    @pot.setter
    def pot(self, chips: int) -> None:
        self.pots[0] = chips

    def __deepcopy__(self, memo: dict[int, Any]) -> CopiesShareThePot:
        other = copy_of(self)
        other.pots = self.pots
        return other


class PaysTwice(CardGame):
    """What has been delivered is not taken off the books."""

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        before = self._cumulative_rewards[agent]
        super().step(action)
        if agent in self._cumulative_rewards:
            self._cumulative_rewards[agent] += before


FAULTS = {
    ObservingDraws: "check_looking",
    MoverHasNoAction: "check_masks",
    MaskForbidsTooLittle: "check_masks",
    MaskForbidsTooMuch: "check_masks",
    MaskOfAnother: "check_masks",
    SharedObservation: "check_no_leak",
    StateOutlivesReset: "check_reset",
    SharedBuffer: "check_buffers",
    EndsTwice: "check_flags",
    SeedsOneEpisode: "check_seeding",
    CopiesShareThePot: "check_copies",
    PaysTwice: "check_rewards",
}
"""The check that is meant for each fault."""

MISSED_BY_API_TEST = (
    ObservingDraws,
    MoverHasNoAction,
    SharedObservation,
    StateOutlivesReset,
    SharedBuffer,
    EndsTwice,
)
"""Faults that PettingZoo's ``api_test`` lets pass."""
