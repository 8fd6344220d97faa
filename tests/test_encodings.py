"""One game in three encodings: exact maps, and the same course on every face."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RescaleAction
from stable_baselines3.common.env_checker import check_env as sb3_check_env

from pontoon_env import Rules, batch, pontoon_v0
from pontoon_env.actions import (
    DISCRETE_ACTIONS,
    N_DISCRETE,
    N_SCORES,
    DiscreteAction,
    HybridAction,
    box_of_hybrid,
    chips_of,
    hybrid_of_box,
    hybrid_of_discrete,
)
from pontoon_env.errors import IllegalActionError, NotResetError
from pontoon_env.gym_env import PontoonEnv
from pontoon_env.opponents import opponent_number
from pontoon_env.spaces import HybridSpace, ScoreSpace
from pontoon_env.state import N_AMOUNT_MOVES, N_MOVES, Move
from pontoon_env.vector_env import PontoonVectorEnv
from tests.tables import ENCODINGS, FALLIBLE_ENCODINGS, RULES, VARIED

pytestmark = pytest.mark.filterwarnings("ignore:.*Casting input x to numpy array")
"""What Gymnasium remarks on amounts that are floats."""

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
            batched: Any = (
                np.array(actions)
                if kind != "hybrid"
                else {
                    key: np.array([action[key] for action in actions]) for key in ("move", "amount")
                }
            )
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
def test_the_learner_of_one_is_an_agent_of_many(encoding: Any) -> None:
    """The AEC environment pays a seat what the single one does, and comes to the same end."""
    single = PontoonEnv(encoding=encoding, **LEARNER)
    env = pontoon_v0.env(rules=LEARNER_RULES)
    rng = np.random.default_rng(1)
    others = np.array([opponent_number("basic")])
    moves, chips = np.zeros((2, 1), np.int64)
    for seed in range(8):
        _, info = single.reset(seed=seed)
        assert info["session"] == 0
        env.reset(seed=seed, options={"banker": single._tables.games[0]["banker"]})
        learner, ended, paid, won = f"seat_{info['seat']}", False, 0.0, 0.0
        while not env.terminations[agent := env.agent_selection]:
            known = env.infos[agent]
            if agent == learner:
                assert not ended
                choice = int(rng.choice(np.flatnonzero(known["action_mask"])))
                action: HybridAction = {"move": choice, "amount": DISCRETE_FRACTIONS[choice]}
                own = (
                    translated(action, encoding, known)
                    if encoding != "discrete"
                    else (discrete_of(action))
                )
                _, reward, ended, _, info = single.step(own)
                paid += reward
            else:
                record = LEARNER_RULES.to_record()
                batch.choose_batch(record, env.get_state()["game"], others, moves, chips)
                low, high = known["chips_low"][moves[0]], known["chips_high"][moves[0]]
                fraction = (chips[0] - low) / (high - low) if high > low else 0.0
                action = {"move": int(moves[0]), "amount": float(fraction)}
            env.step(action)
            won += env.rewards[learner]
        assert ended
        assert paid == pytest.approx(won, abs=1e-9)
        assert env.get_state()["game"].tobytes() == single._tables.games.tobytes()


DISCRETE_FRACTIONS = [0.25 if move < Move.OFFER else 0.05 for move in Move]
"""A named fraction of each move."""


def discrete_of(action: HybridAction) -> int:
    """Return the discrete action of a hybrid one."""
    move, fraction = action["move"], action["amount"] if action["move"] < N_AMOUNT_MOVES else 0.0
    return DISCRETE_ACTIONS.index(DiscreteAction(Move(move), fraction))


@every_encoding
def test_gymnasium_accepts_every_encoding(encoding: Any) -> None:
    """Its checker ignores masks, so it needs ``on_illegal="replace"``."""
    env = gymnasium.make(
        "pontoon_env:Pontoon-v0", encoding=encoding, on_illegal="replace", render_mode="ansi"
    )
    check_env(env.unwrapped)
    envs = gymnasium.make_vec(
        "pontoon_env:Pontoon-v0", num_envs=4, encoding=encoding, on_illegal="replace"
    )
    envs.action_space.seed(0)
    observations, _ = envs.reset(seed=0)
    for _ in range(50):
        assert envs.observation_space.contains(observations)
        observations = envs.step(envs.action_space.sample())[0]


@pytest.mark.filterwarnings("ignore:We recommend you to use a symmetric")
def test_stable_baselines_accepts_the_box() -> None:
    """It would like bounds of -1 and 1: `gymnasium.wrappers.RescaleAction` gives it those."""
    sb3_check_env(RescaleAction(PontoonEnv(encoding="box"), np.float32(-1), np.float32(1)))
    sb3_check_env(PontoonEnv(encoding="box"))
    sb3_check_env(PontoonEnv(encoding="box", mask_in_observation=False))


def test_a_score_for_each_move_is_never_illegal() -> None:
    """Random actions, with every seat played and with one, under the strictest setting."""
    env = pontoon_v0.env(rules=VARIED, encoding="box")
    single = PontoonEnv(VARIED, role="any", encoding="box")
    space = single.action_space
    space.seed(0)
    for seed in range(3):
        env.reset(seed=seed)
        while not env.terminations[env.agent_selection]:
            mask = env.infos[env.agent_selection]["action_mask"]
            env.step(env.action_space(env.agent_selection).sample(mask))
        single.reset(seed=seed)
        while not single.step(space.sample())[2]:
            pass


@every_fallible_encoding
def test_an_illegal_action_of_one_learner_is_raised_with_its_reason(encoding: Any) -> None:
    """Seat, move, rule and what is legal; nothing has changed, in a batch on no row."""
    env = PontoonEnv(Rules.single_deal(seats=2), encoding=encoding)
    env.reset(seed=1, options={"banker": 0, "pack": ["5c", "9c", "7d", "9d"]})
    env.step(translated_stake(encoding))
    before = env._tables.games.tobytes()
    stick: Any = {"move": Move.STICK, "amount": 0.0}
    reason = r"seat_1 cannot stick on 12: under stick_min=15 \(P22\); legal: buy 100 to 200 chips"
    with pytest.raises(IllegalActionError, match=f"^{reason}; twist$"):
        env.step(stick if encoding == "hybrid" else discrete_of(stick))
    assert env._tables.games.tobytes() == before
    envs = PontoonVectorEnv(3, Rules.single_deal(seats=2), encoding=encoding)
    envs.reset(seed=1, options={"banker": 0, "pack": ["5c", "9c", "7d", "9d"]})
    stakes = [translated_stake(encoding)] * 3
    before = envs._tables.games.tobytes()
    with pytest.raises(IllegalActionError, match=r"^table 1: seat_1 cannot stick: it is asked to"):
        envs.step(batched(encoding, [stakes[0], stick_of(encoding), stakes[0]]))
    assert envs._tables.games.tobytes() == before


def translated_stake(encoding: str) -> Any:
    """Return the least stake."""
    return {"move": int(Move.STAKE), "amount": 0.0} if encoding == "hybrid" else 0


def stick_of(encoding: str) -> Any:
    """Return the action that sticks."""
    action: HybridAction = {"move": int(Move.STICK), "amount": 0.0}
    return action if encoding == "hybrid" else discrete_of(action)


def batched(encoding: str, actions: list[Any]) -> Any:
    """Return actions as Gymnasium batches them."""
    if encoding != "hybrid":
        return np.array(actions)
    return {key: np.array([action[key] for action in actions]) for key in ("move", "amount")}


@every_fallible_encoding
def test_illegal_actions_of_one_learner_cost_what_was_asked_for(encoding: Any) -> None:
    """Ended at a cost; asked again at a cost; or replaced by the first legal one, at no cost."""
    for on_illegal in ("terminate", "penalise", "replace"):
        settings: Any = {"encoding": encoding, "on_illegal": on_illegal, "illegal_penalty": 2.0}
        env = PontoonEnv(Rules.single_deal(seats=2), **settings)
        envs = PontoonVectorEnv(2, Rules.single_deal(seats=2), **settings)
        start: Any = {"banker": 0, "pack": ["5c", "9c", "7d", "9d"]}
        before = env.reset(seed=1, options=start)[0]
        envs.reset(seed=1, options=start)
        wrong = stick_of(encoding)
        observation, reward, ended, truncated, info = env.step(wrong)
        _, rewards, ends, _, infos = envs.step(batched(encoding, [wrong, wrong]))
        assert info["illegal"]
        assert not truncated
        assert ended == (on_illegal == "terminate")
        assert reward == (0.0 if on_illegal == "replace" else -2.0)
        assert rewards.tolist() == [reward] * 2
        assert ends.tolist() == [ended] * 2
        told = infos["final_info"] if ended else infos
        assert told["illegal"].all()
        is_same = np.array_equal(before["observation"], observation["observation"])  # type: ignore[index]
        assert is_same == (on_illegal == "penalise")
        if on_illegal == "replace":
            assert env._tables.games[0]["seats"][1]["initial_stake"] == 100


BAD_HYBRID = [
    None,
    3,
    "stake",
    {"move": 0},
    {"amount": 0.5},
    {"move": 0.0, "amount": 0.5},
    {"move": "stake", "amount": 0.5},
    {"move": 0, "amount": None},
    {"move": 0, "amount": "0.5"},
    {"move": 0, "amount": float("nan")},
    {"move": 0, "amount": 1.5},
    {"move": N_MOVES, "amount": 0.5},
    {"move": -1, "amount": 0.5},
    {"move": True, "amount": 0.5},
    {"move": [0, 1], "amount": 0.5},
]
BAD_BOX = [
    None,
    3,
    "0.5",
    {"move": 0, "amount": 0.5},
    [0.5] * N_MOVES,
    ["0.5"] * N_SCORES,
    [True] * N_SCORES,
    [*[0.5] * N_MOVES, float("nan")],
    [*[0.5] * N_MOVES, 1.5],
    [-0.5, *[0.5] * N_MOVES],
]
BAD_DISCRETE = [None, "3", 0.5, True, -1, N_DISCRETE, float("nan"), {"move": 0, "amount": 0.5}]
BAD = [
    *(("hybrid", action) for action in BAD_HYBRID),
    *(("box", action) for action in BAD_BOX),
    *(("discrete", action) for action in BAD_DISCRETE),
]


@pytest.mark.parametrize(("encoding", "action"), BAD, ids=str)
def test_what_is_no_action_of_one_learner_is_refused_and_changes_nothing(
    encoding: Any, action: Any
) -> None:
    """In words that say what an action is; whatever illegal actions cost."""
    env = PontoonEnv(encoding=encoding, on_illegal="penalise")
    env.reset(seed=0)
    before = env._tables.games.tobytes(), env._tables.observations.tobytes()
    says = (
        "actions must be whole numbers from 0 to 38"
        if encoding == "discrete"
        else (f"a {encoding} action is")
    )
    with pytest.raises((TypeError, ValueError), match=says):
        env.step(action)
    assert (env._tables.games.tobytes(), env._tables.observations.tobytes()) == before


@pytest.mark.parametrize(
    ("encoding", "action"), [(kind, action) for kind, action in BAD if "True" not in str(action)]
)
def test_what_is_no_action_of_a_batch_is_refused_and_changes_nothing(
    encoding: Any, action: Any
) -> None:
    """Where one row's action is none, no row moves; a list with True in it is numbers."""
    envs = PontoonVectorEnv(2, encoding=encoding, on_illegal="penalise")
    envs.reset(seed=0)
    before = envs._tables.games.tobytes()
    good: Any = {"hybrid": {"move": 0, "amount": 0.5}, "discrete": 0, "box": [0.5] * N_SCORES}
    actions: Any = [good[encoding], action]
    if encoding == "hybrid" and isinstance(action, dict):
        actions = {key: [good["hybrid"][key], value] for key, value in action.items()}
    says = {
        "hybrid": "hybrid actions are|moves must be|fractions must be|are no array",
        "box": "box actions are",
        "discrete": "actions must be whole numbers from 0 to 38",
    }
    with pytest.raises(ValueError, match=says[encoding]):
        envs.step(actions)
    assert envs._tables.games.tobytes() == before


def test_the_error_of_a_batch_names_row_and_number() -> None:
    envs = PontoonVectorEnv(3, encoding="box")
    envs.reset(seed=0)
    actions = np.full((3, N_SCORES), 0.5, np.float32)
    actions[1, Move.BUY] = np.nan
    with pytest.raises(ValueError, match="but in row 1 the score of buy is nan"):
        envs.step(actions)
    actions[1, Move.BUY], actions[2, -1] = 0.0, 1.25
    with pytest.raises(ValueError, match=r"but in row 2 the amount is 1\.25"):
        envs.step(actions)
    with pytest.raises(ValueError, match=r"of shape \(3, 16\).*not float32 of shape \(2, 16\)"):
        envs.step(actions[:2])


@every_encoding
def test_a_batch_or_a_learner_before_reset_says_so(encoding: Any) -> None:
    actions: Any = {"hybrid": {"move": 0, "amount": 0.5}, "discrete": 0, "box": [0.5] * N_SCORES}
    with pytest.raises(NotResetError, match=r"call reset\(\)"):
        PontoonEnv(encoding=encoding).step(actions[encoding])
    with pytest.raises(NotResetError, match=r"call reset\(\)"):
        PontoonVectorEnv(2, encoding=encoding).step(batched(encoding, [actions[encoding]] * 2))


@pytest.mark.parametrize(("encoding", "action"), BAD, ids=str)
def test_what_is_no_action_among_all_agents_is_refused_and_changes_nothing(
    encoding: Any, action: Any
) -> None:
    env: Any = pontoon_v0.parallel_env(encoding=encoding, on_illegal="penalise")
    env.reset(seed=0)
    before = env.aec_env.get_state()["game"].tobytes()
    mover = env.aec_env.agent_selection
    says = f"^{mover} is to act: a {encoding} action is"
    with pytest.raises((TypeError, ValueError), match=says):
        env.step(dict.fromkeys(env.agents, action))
    assert env.aec_env.get_state()["game"].tobytes() == before


def test_agents_called_at_once_without_the_one_to_act_are_refused() -> None:
    """Before the first session too; after the end every part of the answer is empty."""
    env: Any = pontoon_v0.parallel_env(rules=Rules.single_deal(seats=2), encoding="box")
    with pytest.raises(NotResetError, match=r"call reset\(\)"):
        env.step({})
    env.reset(seed=0)
    mover = env.aec_env.agent_selection
    for wrong in (None, {}, {"seat_7": [0.5] * N_SCORES}, [0.5] * N_SCORES):
        with pytest.raises(ValueError, match=f"^{mover} is to act: actions must be a dict"):
            env.step(wrong)
    while env.agents:
        env.step({agent: env.action_space(agent).sample() for agent in env.agents})
    assert env.step({}) == ({}, {}, {}, {}, {})


@pytest.mark.parametrize("on_illegal", ["raise", "terminate", "penalise", "replace"])
@every_fallible_encoding
def test_illegal_actions_among_all_agents_are_dealt_with_as_asked(
    encoding: Any, on_illegal: Any
) -> None:
    settings: Any = {"encoding": encoding, "on_illegal": on_illegal}
    env: Any = pontoon_v0.parallel_env(rules=Rules.single_deal(seats=2), **settings)
    env.reset(seed=1, options={"banker": 0})
    wrong = {"seat_1": stick_of(encoding)}
    if on_illegal == "raise":
        with pytest.raises(IllegalActionError, match=r"^seat_1 cannot stick: .*\(P12\); legal: "):
            env.step(wrong)
        return
    _, rewards, ends, _, infos = env.step(wrong)
    assert rewards["seat_1"] == (0.0 if on_illegal == "replace" else -1.0)
    assert ends["seat_1"] == (on_illegal == "terminate")
    assert "seat_1 cannot stick" in infos["seat_1"]["illegal_action"]


def test_an_unknown_encoding_is_refused_by_name_on_every_face() -> None:
    wrong: Any = "mixed"
    makers: list[Any] = [pontoon_v0.env, pontoon_v0.parallel_env, PontoonEnv]
    for make in makers:
        with pytest.raises(ValueError, match="encoding='mixed' is none of"):
            make(encoding=wrong)
    with pytest.raises(ValueError, match="encoding='mixed' is none of"):
        PontoonVectorEnv(2, encoding=wrong)
