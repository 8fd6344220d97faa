"""Opponents that are asked, not compiled: agents of all kinds in the faces with one learner."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

from agents.baselines import Baseline
from pontoon_env.agent import AgentError, Decisions
from pontoon_env.gym_env import PontoonEnv
from pontoon_env.rules import Rules
from pontoon_env.seating import Seating
from pontoon_env.state import Move
from pontoon_env.vector_env import PontoonVectorEnv


class FirstLegal:
    """Makes the first legal move, for an amount that it draws."""

    name = "first-legal"

    def check_rules(self, rules: Rules) -> None:
        """Refuses Shoot Pontoon."""
        if rules.shoot:
            raise ValueError("it knows shoot=false only")

    def act(
        self, decisions: Decisions, generator: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        return decisions.masks.argmax(axis=1), generator.random(len(decisions))


class Illegal(FirstLegal):
    """Never makes a legal move."""

    name = "illegal"

    def act(
        self, decisions: Decisions, generator: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        return np.full(len(decisions), Move.AUCTION), np.zeros(len(decisions))


class Failing(FirstLegal):
    """Fails where it is told to."""

    is_failing = False

    def act(
        self, decisions: Decisions, generator: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        if self.is_failing:
            raise ZeroDivisionError
        return super().act(decisions, generator)


def course(envs: PontoonVectorEnv, n: int = 30) -> list[np.ndarray]:
    """What learners see and win who make the first legal move."""
    seen = []
    observations, infos = envs.reset(seed=5)
    for _ in range(n):
        actions = infos["action_mask"].argmax(axis=1)
        observations, rewards, *_, infos = envs.step(actions)
        seen += [observations["observation"], rewards]
    return seen


@pytest.mark.parametrize("role", ["player", "banker", "any"])
def test_an_asked_baseline_plays_as_the_compiled_one(role: str) -> None:
    """Whether an agent is asked for many tables or plays inside the loop, the course is one."""
    rules = Rules.shoot(seats=4, deals=3)
    compiled, asked = (
        PontoonVectorEnv(16, rules, role=role, opponents=basic, banker_opponent=random)
        for basic, random in (("basic", "random"), (Baseline("basic"), Baseline("random")))
    )
    for mine, theirs in zip(course(compiled), course(asked), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_an_asked_baseline_plays_as_the_compiled_one_where_sessions_are_passed_over() -> None:
    """A banker whose players are all bust, or who has a pontoon, is not asked."""
    rules = Rules.single_deal(seats=2)
    compiled, asked = (
        PontoonVectorEnv(16, rules, role="banker", opponents=agent)
        for agent in ("random", Baseline("random"))
    )
    for mine, theirs in zip(course(compiled, n=30), course(asked, n=30), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert compiled._tables.learners["session"].max() > 40, "30 decisions, one a session at least"


def test_agents_by_name_of_module_and_class_and_of_entry_points_are_opponents() -> None:
    named = gymnasium.make(
        "pontoon_env:Pontoon-v0", opponents="tests.test_asked_opponents:FirstLegal"
    )
    _, info = named.reset(seed=3)
    named.step(int(np.flatnonzero(info["action_mask"])[0]))
    exact = PontoonEnv(Rules.single_deal(packs="infinite"), opponents="exact")
    exact.reset(seed=3)


def test_a_course_repeats_itself_where_an_opponent_draws() -> None:
    first, second = (course(PontoonVectorEnv(8, opponents=FirstLegal())) for _ in range(2))
    for mine, theirs in zip(first, second, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_a_table_that_is_set_back_goes_on_alike() -> None:
    """`get_state` holds all that the course depends on, an opponent's draws too."""
    env = PontoonEnv(Rules.single_deal(deals=4), opponents=FirstLegal())
    env.reset(seed=9)
    state = env._tables.get_state()

    def rewards() -> list[float]:
        return [env.step(int(env.action_masks().argmax()))[1] for _ in range(3)]

    first = rewards()
    env._tables.set_state(state)
    assert rewards() == first


def test_an_opponent_that_refuses_the_rules_is_named() -> None:
    with pytest.raises(ValueError, match="'first-legal' refuses these rules: it knows shoot=false"):
        PontoonEnv(Rules.shoot(), opponents=FirstLegal())
    with pytest.raises(ValueError, match=r"'exact' refuses these rules: .*seats"):
        PontoonEnv(opponents="exact")


def test_an_opponent_that_plays_illegally_is_named() -> None:
    env = PontoonEnv(opponents=Illegal())
    with pytest.raises(AgentError, match=r"'illegal', seed 1, .*: move auction is illegal"):
        env.reset(seed=1, options={"banker": 0, "seat": 2})


def test_a_step_in_which_an_opponent_fails_changes_no_table() -> None:
    opponent = Failing()
    env, other = (PontoonVectorEnv(8, opponents=agent) for agent in (opponent, FirstLegal()))
    _, infos = env.reset(seed=2)
    other.reset(seed=2)
    for _ in range(10):
        actions = infos["action_mask"].argmax(axis=1)
        before = env._tables.games.tobytes(), env._tables.learners.tobytes()
        opponent.is_failing = True
        with pytest.raises(AgentError, match="ZeroDivisionError"):
            env.step(actions)
        assert before == (env._tables.games.tobytes(), env._tables.learners.tobytes())
        opponent.is_failing = False
        *mine, infos = env.step(actions)
        *theirs, _ = other.step(actions)
        np.testing.assert_array_equal(mine[0]["observation"], theirs[0]["observation"])
        np.testing.assert_array_equal(mine[1], theirs[1])


def test_what_is_no_agent_is_refused() -> None:
    with pytest.raises(TypeError, match="3 is neither an agent nor the name of one"):
        Seating(opponents=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no agent is called 'nobody': there are random, "):
        Seating(opponents="nobody")
