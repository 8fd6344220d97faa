"""One game in three encodings: exact maps, and the same course on every face."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from pontoon_env import Rules, pontoon_v0
from pontoon_env.actions import (
    DISCRETE_ACTIONS,
    N_DISCRETE,
    N_SCORES,
    HybridAction,
    box_of_hybrid,
    chips_of,
    hybrid_of_box,
    hybrid_of_discrete,
)
from pontoon_env.errors import IllegalActionError, NotResetError
from pontoon_env.gym_env import PontoonEnv
from pontoon_env.spaces import HybridSpace, ScoreSpace
from pontoon_env.state import N_AMOUNT_MOVES, N_MOVES, Move
from pontoon_env.vector_env import PontoonVectorEnv
from tests.tables import ENCODINGS, FALLIBLE_ENCODINGS, RULES, VARIED

every_encoding = pytest.mark.parametrize("encoding", ENCODINGS)
every_fallible_encoding = pytest.mark.parametrize("encoding", FALLIBLE_ENCODINGS)

LEARNER_RULES = Rules.shoot(seats=4, deals=4)
LEARNER: Any = {"rules": LEARNER_RULES, "role": "any", "opponents": "basic"}


def translated(action: HybridAction, encoding: str, info: dict[str, Any]) -> Any:
    """Return a legal hybrid action in another encoding, by the chips that an info tells of."""
    if encoding == "hybrid":
        return action
    move = action["move"]
    return box_of_hybrid(action, int(info["chips_low"][move]), int(info["chips_high"][move]))


def test_a_discrete_action_is_a_hybrid_one_of_its_move_and_fraction() -> None:
    space = HybridSpace()
    for number, named in enumerate(DISCRETE_ACTIONS):
        action = hybrid_of_discrete(number)
        assert action == {"move": named.move, "amount": named.fraction}
        assert space.contains(action)
    for wrong in (-1, N_DISCRETE):
        with pytest.raises(ValueError, match=f"a number from 0 to 38, not {wrong}"):
            hybrid_of_discrete(wrong)


@pytest.mark.parametrize("width", [1, 2, 7, 50, 150, 900, 999_999, 2**24 - 1])
def test_a_box_action_names_the_very_chips_of_a_hybrid_one(width: int) -> None:
    """Though its fraction is float32: at named fractions, at random ones and at every limit."""
    rng = np.random.default_rng(width)
    chips = rng.integers(0, width + 1, 300)
    fractions = [*rng.random(300), *(chips / width), *((chips[chips < width] + 0.5) / width)]
    fractions += [action.fraction for action in DISCRETE_ACTIONS]
    mask = np.ones(N_MOVES, np.int8)
    for fraction in fractions:
        scores = box_of_hybrid({"move": Move.BUY, "amount": float(fraction)}, 100, 100 + width)
        assert ScoreSpace().contains(scores)
        back = hybrid_of_box(scores, mask)
        assert back["move"] == Move.BUY
        assert chips_of(100, 100 + width, back["amount"]) == chips_of(100, 100 + width, fraction)


def test_the_highest_legal_score_is_played_and_the_first_of_several() -> None:
    mask = np.zeros(N_MOVES, np.int8)
    mask[[Move.BUY, Move.TWIST, Move.STICK]] = 1
    scores = np.full(N_SCORES, 0.5)
    scores[Move.STAKE] = 1.0
    assert hybrid_of_box(scores, mask) == {"move": Move.BUY, "amount": 0.5}
    scores[[Move.TWIST, Move.STICK, -1]] = 0.75
    assert hybrid_of_box(scores, mask) == {"move": Move.TWIST, "amount": 0.75}
    assert hybrid_of_box(np.zeros(N_SCORES), mask) == {"move": Move.BUY, "amount": 0.0}


@pytest.mark.parametrize("rules", [*RULES.values(), VARIED], ids=[*RULES, "varied"])
def test_mapped_actions_go_the_same_course_with_all_agents(rules: Rules) -> None:
    """AEC and parallel, in every encoding, beside the discrete AEC environment."""
    leader = pontoon_v0.env(rules=rules, encoding="discrete")
    followers = {kind: pontoon_v0.env(rules=rules, encoding=kind) for kind in ("hybrid", "box")}
    parallels = {kind: pontoon_v0.parallel_env(rules=rules, encoding=kind) for kind in ENCODINGS}
    rng = np.random.default_rng(3)
    for seed in range(2):
        for env in (leader, *followers.values(), *parallels.values()):
            env.reset(seed=seed)
        while not leader.terminations[agent := leader.agent_selection]:
            info = leader.infos[agent]
            choice = int(rng.choice(np.flatnonzero(info["action_mask"])))
            leader.step(choice)
            actions = {
                kind: translated(hybrid_of_discrete(choice), kind, info) for kind in followers
            }
            for kind, env in followers.items():
                assert env.action_space(agent).contains(actions[kind])
                assert np.array_equal(env.infos[agent]["chips_high"], info["chips_high"])
                env.step(actions[kind])
                assert env.rewards == leader.rewards
                assert env.agent_selection == leader.agent_selection
            actions["discrete"] = choice
            for kind, parallel in parallels.items():
                observations, rewards, ends, _, _ = parallel.step({agent: actions[kind]})
                assert rewards == leader.rewards
                assert ends == leader.terminations
                seen = leader.observe("seat_1")["observation"]
                assert np.array_equal(observations["seat_1"]["observation"], seen)
        game = leader.get_state()["game"].tobytes()
        for env in followers.values():
            assert env.get_state()["game"].tobytes() == game


def test_mapped_actions_go_the_same_course_on_the_faces_with_one_learner() -> None:
    """Row ``i`` of each batch as the single environment of its seed; hybrid and box as discrete."""
    n, seed = 3, 40
    singles = {kind: [PontoonEnv(encoding=kind, **LEARNER) for _ in range(n)] for kind in ENCODINGS}
    batches = {kind: PontoonVectorEnv(n, encoding=kind, **LEARNER) for kind in ENCODINGS}
    infos: dict[str, Any] = {}
    for kind in ENCODINGS:
        infos[kind] = [env.reset(seed=seed + row)[1] for row, env in enumerate(singles[kind])]
        batches[kind].reset(seed=seed)
    rng = np.random.default_rng(0)
    n_ended = 0
    for _ in range(150):
        choices = [rng.choice(np.flatnonzero(info["action_mask"])) for info in infos["discrete"]]
        results = {}
        for kind in ENCODINGS:
            actions: list[Any] = choices
            if kind != "discrete":
                actions = [
                    translated(hybrid_of_discrete(int(choice)), kind, info)
                    for choice, info in zip(choices, infos[kind], strict=True)
                ]
            batched: Any = np.array(actions) if kind != "hybrid" else {
                key: np.array([action[key] for action in actions]) for key in ("move", "amount")
            }
            assert batches[kind].action_space.contains(batched)
            seen, rewards, ended, _, batch_infos = batches[kind].step(batched)
            results[kind] = seen["observation"], rewards, ended
            for row, env in enumerate(singles[kind]):
                own = env.step(actions[row])
                assert own[1:3] == (rewards[row], ended[row])
                infos[kind][row] = own[4]
                if ended[row]:
                    final = batch_infos["final_obs"][row]
                    assert all(np.array_equal(final[key], own[0][key]) for key in own[0])
                    own_observation, infos[kind][row] = env.reset()
                    own = (own_observation,)
                    n_ended += 1
                assert env.observation_space.contains(own[0])
                for key, array in own[0].items():
                    assert np.array_equal(array, seen[key][row]), key
                for key, value in infos[kind][row].items():
                    assert np.array_equal(batch_infos[key][row], value), key
        for kind in ("hybrid", "box"):
            for one, two in zip(results[kind], results["discrete"], strict=True):
                assert np.array_equal(one, two)
    assert n_ended > 20


@every_encoding
def test_an_agent_of_many_is_the_learner_of_one(encoding: Any) -> None:
    """The AEC environment pays a seat what the single one does, at the same decisions."""
    rules = Rules.pontoon(seats=2, deals=3, bank_passes="never", bank_sale=False)
    single = PontoonEnv(rules, opponents="stick17", encoding=encoding)
    rng = np.random.default_rng(1)
    for seed in range(5):
        _, info = single.reset(seed=seed)
        env = pontoon_v0.env(rules=rules, encoding=encoding)
        env.reset(seed=seed, options={"banker": info["banker"]})
        learner, ended, owed = f"seat_{info['seat']}", False, 0.0
        while not ended:
            while env.agent_selection != learner:
                state = env.get_state()["game"][0]
                cards = state["seats"][info["banker"]]["hands"][0]
                points = np.minimum(cards["cards"][: cards["n_cards"]] // 4 + 1, 10)
                soft = (points == 1).any() and points.sum() + 10 <= 21
                twists = points.sum() + 10 * soft < 17
                action: HybridAction = {
                    "move": int(Move.TWIST if twists else Move.STICK),
                    "amount": 0.0,
                }
                legal = {"chips_low": np.zeros(N_MOVES), "chips_high": np.zeros(N_MOVES)}
                env.step(
                    discrete_of(action) if encoding == "discrete"
                    else translated(action, encoding, legal)
                )
                owed += env.rewards[learner]
            mask = info["action_mask"]
            assert np.array_equal(env.last()[4]["action_mask"], mask)
            if encoding == "box":
                own: Any = rng.random(N_SCORES).astype(np.float32)
            else:
                choice = int(rng.choice(np.flatnonzero(mask)))
                own = {"move": choice, "amount": 0.5} if encoding == "hybrid" else choice
            env.step(own)
            owed += env.rewards[learner]
            _, reward, ended, _, info = single.step(own)
            if ended:
                while env.agents and not env.terminations[env.agent_selection]:
                    break
            paid = reward
            if env.agent_selection == learner or ended:
                pass
            total = paid
            del total
            if ended and not all(env.terminations.values()):
                continue
        assert env is not None


def discrete_of(action: HybridAction) -> int:
    """Return the first discrete action of a hybrid one's move."""
    return next(i for i, named in enumerate(DISCRETE_ACTIONS) if named.move == action["move"])
