"""What is at stake, and learning in units of it."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from sb3_contrib.common.recurrent.type_aliases import RNNStates
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm

from agents.baselines import Baseline
from agents.network import Network
from pontoon_env import Rules
from pontoon_env.state import N_MOVES, Phase
from tests.policies import begin, played
from tests.tables import VARIED
from tests.views import observed
from train import hybrid_ppo, maskable_ppo, recurrent_ppo
from train.at_stake import AHEAD, INPUT_SCALE, AtStake, MaskableBuffer
from train.learner_state import policy_tensors
from train.run import make_tables
from train.sb3_vec_env import PontoonVecEnv

RULES = {
    "single_deal": Rules.single_deal(seats=3),
    "pontoon": Rules.pontoon(seats=4, deals=3),
    "shoot": Rules.shoot(seats=3, deals=3),
    "two_seat_exact": Rules.two_seat_exact(),
    "other stakes": Rules.pontoon(seats=2, deals=2, min_stake=30, max_stake=170),
    "varied": VARIED,
}
N_STEPS, N_TABLES = 24, 16
GAMMA, LAMBDA = 0.97, 0.8

MODELS: dict[str, tuple[ModuleType, dict[str, Any]]] = {
    "maskable": (maskable_ppo, {}),
    "hybrid": (hybrid_ppo, {}),
    "recurrent": (recurrent_ppo, {"lstm_size": 4}),
    "recurrent discrete": (recurrent_ppo, {"lstm_size": 4, "encoding": "discrete"}),
}
each_model = pytest.mark.parametrize("name", MODELS)


# What is at stake.


def course(rules: Rules, n: int = 60) -> NDArray[np.void]:
    """Return every decision of some sessions of `random`."""
    games, random, met = begin(rules, n), Baseline("random"), []
    while games.size:
        met.append(games)
        games = played(rules, games, *random.choose(rules, games))
        games = games[games["phase"] != Phase.OVER]
    return np.concatenate(met)


def on_the_table(game: np.void, seat: int) -> int:
    """Return the stakes and shoot bets on a seat's hands, in chips."""
    owner = game["seats"][seat]
    return sum(int(hand["stake"] + hand["bet"]) for hand in owner["hands"][: owner["n_hands"]])


def units_of(rules: Rules, game: np.void, seat: int) -> float:
    """Return what is at stake for a seat, by the record of the table, in least stakes."""
    others = [other for other in range(rules.seats) if other != seat]
    owners = others if seat == game["banker"] else [seat]
    chips = sum(on_the_table(game, owner) for owner in owners)
    if AtStake(rules).ties_deals:
        chips = max(chips, rules.max_stake)
    return (chips or rules.max_stake) / rules.min_stake


@pytest.mark.parametrize("name", RULES)
def test_it_is_what_lies_on_a_players_hands_or_on_all_others_of_the_banker(name: str) -> None:
    """By the records of tables, for every seat; before any stake it is the largest one.

    Where deals are tied it is never less.
    """
    rules = RULES[name]
    at_stake, n_met = AtStake(rules), dict.fromkeys(("banker", "player", "none", "bet", "split"), 0)
    for game in course(rules)[::3]:
        for seat in range(rules.seats):
            expected = units_of(rules, game, seat)
            observation = observed(rules, game[None], seat)[0]
            found = at_stake.of(observation)
            assert found.shape == (1,)
            assert found[0] == pytest.approx(expected, rel=1e-5)
            assert found[0] > 0
            assert at_stake.of(torch.from_numpy(observation))[0] == pytest.approx(expected)
            n_met["banker" if seat == game["banker"] else "player"] += 1
            n_met["none"] += expected == rules.max_stake / rules.min_stake
            n_met["bet"] += bool((game["seats"]["hands"]["bet"][seat] > 0).any())
            n_met["split"] += int(game["seats"]["n_hands"][seat] > 1)
    assert min(n_met["banker"], n_met["player"], n_met["none"]) > 0
    assert (n_met["bet"] > 0) == rules.shoot
    assert (n_met["split"] > 0) == (rules.split != "none")


def test_what_a_seat_remembers_changes_nothing() -> None:
    """The features of memory come after all others."""
    rules = RULES["shoot"]
    game = course(rules)[-40:-39]
    at_stake = AtStake(rules)
    for seat in range(rules.seats):
        plain, memory = (observed(rules, game, seat, has)[0] for has in (False, True))
        assert at_stake.of(memory)[0] == at_stake.of(plain)[0]


def test_an_empty_observation_has_the_largest_stake_at_stake() -> None:
    """As padded steps of recurrent rollouts have: nothing is divided by 0."""
    rules = RULES["pontoon"]
    size = PontoonVecEnv(1, rules).tables.observations.shape[1]
    assert AtStake(rules).of(np.zeros((2, 3, size), np.float32)).tolist() == [[10.0] * 3] * 2


# Advantages.


def filled(rules: Rules, buffer_class: type[Any], **arguments: Any) -> tuple[Any, dict[str, Any]]:
    """Return a buffer after a rollout of random play with random values, and what happened.

    What happened are units, deals, rewards, values and ends, ``(N_STEPS, N_TABLES)`` each, the
    values of one step more.
    """
    env = PontoonVecEnv(N_TABLES, rules, "any", "basic", seed=7)
    buffer = buffer_class(
        N_STEPS,
        env.observation_space,
        env.action_space,
        gamma=GAMMA,
        gae_lambda=LAMBDA,
        n_envs=N_TABLES,
        **arguments,
    )
    rng = np.random.default_rng(0)
    values = rng.normal(0, 3, (N_STEPS + 1, N_TABLES)).astype(np.float32)
    seen, starts = env.reset(), np.ones(N_TABLES, np.bool_)
    units, deals, rewards, ends = [], [], [], []
    for step in range(N_STEPS):
        games = env.tables.games.copy()
        seats = env.tables.seats.tolist()
        units.append([units_of(rules, *pair) for pair in zip(games, seats, strict=True)])
        deals.append(games["deal"])
        masks = env.action_masks().copy()
        actions = (rng.random(masks.shape) * masks).argmax(axis=1)
        later, reward, dones, _ = env.step(actions)
        buffer.add(
            seen,
            actions,
            reward,
            starts,
            torch.from_numpy(values[step]),
            torch.zeros(N_TABLES),
            action_masks=masks,
        )
        rewards.append(reward)
        ends.append(dones)
        seen, starts = later, dones
    deals.append(env.tables.games["deal"].copy())
    if "at_stake" in arguments:
        arguments["at_stake"].ahead = arguments["at_stake"].deals_left(seen)
    buffer.compute_returns_and_advantage(torch.from_numpy(values[-1])[:, None], ends[-1])
    happened = {"units": units, "deals": deals, "rewards": rewards, "ends": ends}
    return buffer, {"values": values, **{key: np.array(each) for key, each in happened.items()}}


@pytest.mark.parametrize(
    ("rules", "is_tied"),
    [
        (Rules.shoot(seats=3, deals=4), True),
        (Rules.pontoon(seats=3, deals=4), True),
        (Rules.pontoon(seats=3, deals=4, bank_passes="never", bank_sale=False), False),
    ],
)
def test_advantages_are_those_of_the_definition(rules: Rules, is_tied: bool) -> None:
    """A sum of decayed errors to the end of the deal, the session or the rollout, over the unit.

    Where deals are tied, the last error of a deal looks ahead to a part of the next one's value.
    """
    assert AtStake(rules).ties_deals == is_tied
    buffer, happened = filled(rules, MaskableBuffer, at_stake=AtStake(rules))
    units, deals, rewards, ends = (happened[name] for name in ("units", "deals", "rewards", "ends"))
    values = happened["values"]
    n_cut_by_deal = n_cut_by_end = 0
    for table in range(N_TABLES):
        for step in range(N_STEPS):
            total = 0.0
            for later in range(step, N_STEPS):
                is_last = deals[later + 1, table] != deals[later, table]
                stops = ends[later, table] or (is_last and not is_tied)
                following = 0.0 if stops else values[later + 1, table] * (AHEAD if is_last else 1)
                error = rewards[later, table] + GAMMA * following - values[later, table]
                total += (GAMMA * LAMBDA) ** (later - step) * error
                if ends[later, table]:
                    n_cut_by_end += 1
                    break
                if is_last:
                    n_cut_by_deal += 1
                    break
            unit = units[step, table]
            assert buffer.advantages[step, table] == pytest.approx(total / unit, abs=1e-4)
            value = values[step, table]
            assert buffer.values[step, table] == pytest.approx(value / unit, rel=1e-5)
            assert buffer.returns[step, table] == pytest.approx((total + value) / unit, abs=1e-4)
    assert n_cut_by_deal > 50
    assert n_cut_by_end > 30
    if rules.shoot:  # long enough for both kinds of a rollout's end
        assert ends[-1].any()
    assert not ends[-1].all()


def test_with_one_deal_a_session_they_are_those_of_sb3_in_units() -> None:
    """No deal ends within a session; all that is left to do is to divide."""
    rules = Rules.single_deal(seats=3)
    ours, happened = filled(rules, MaskableBuffer, at_stake=AtStake(rules))
    theirs, _ = filled(rules, MaskableRolloutBuffer)
    units = happened["units"]
    assert units.min() < units.max()
    for name in ("advantages", "values", "returns"):
        expected = getattr(theirs, name) / units
        np.testing.assert_allclose(getattr(ours, name), expected, rtol=1e-4, atol=1e-5)


# Policies.


def make(name: str) -> tuple[OnPolicyAlgorithm, PontoonVecEnv]:
    """Return an untrained model and its tables, after some random play."""
    module, own = MODELS[name]
    settings = module.Settings(
        preset="shoot",
        rules=("seats=3", "deals=2"),
        role="any",
        opponents="random",
        num_envs=16,
        n_steps=8,
        batch_size=32,
        n_epochs=1,
        net_arch=(8,),
        **own,
    )
    if module is recurrent_ppo:
        env = recurrent_ppo.make_env(settings, settings.encoding)
    else:
        env = make_tables(settings, "hybrid" if module is hybrid_ppo else "discrete")
    return module.make_model(settings, env), env


def moved_on(env: PontoonVecEnv, n: int = 9) -> Any:
    """Return the observations after some random legal decisions."""
    rng = np.random.default_rng(2)
    seen = env.reset()
    for _ in range(n):
        masks = env.action_masks()
        choices = (rng.random(masks.shape) * masks).argmax(axis=1)
        amounts = rng.random(len(masks))
        is_hybrid = masks.shape[1] == N_MOVES
        actions = np.stack([choices, amounts], axis=1) if is_hybrid else choices
        seen = env.step(actions.astype(np.float32) if is_hybrid else actions)[0]
    return seen


@each_model
def test_values_are_in_least_stakes_in_rollouts_and_in_units_in_updates(name: str) -> None:
    """One output counts times what is at stake, the other, where deals are tied, as it is."""
    model, env = make(name)
    seen: Any = model.policy.obs_to_tensor(moved_on(env))[0]
    policy: Any = model.policy
    with torch.no_grad():
        policy.value_net.weight.zero_()
        policy.value_net.bias.copy_(torch.tensor([0.25, -0.5]))
    games, seats = env.tables.games, env.tables.seats.tolist()
    units = np.array([units_of(env.rules, *pair) for pair in zip(games, seats, strict=True)])
    assert units.min() < units.max()
    expected = (0.25 * units - 0.5)[:, None]
    arguments: tuple[Any, ...] = ()
    values_of: tuple[Any, ...] = ()
    if name.startswith("recurrent"):
        state = torch.zeros(1, 16, 4), torch.zeros(1, 16, 4)
        starts = torch.ones(16)
        arguments = (RNNStates(state, state), starts)
        values_of = (state, starts)
    actions, values, *_ = policy(seen, *arguments)
    np.testing.assert_allclose(values.detach().numpy(), expected, rtol=1e-5)
    values = policy.predict_values(seen, *values_of)
    np.testing.assert_allclose(values.detach().numpy(), expected, rtol=1e-5)
    values = policy.evaluate_actions(seen, actions, *arguments)[0]
    np.testing.assert_allclose(values.detach().numpy(), expected / units[:, None], rtol=1e-5)


@each_model
def test_what_is_exported_reads_observations_as_they_are(name: str) -> None:
    """Its outputs are those of the policy, which scales its inputs itself."""
    model, env = make(name)
    seen: Any = moved_on(env)
    policy: Any = model.policy
    with torch.no_grad():
        for parameter in policy.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    flat = seen["observation"] if isinstance(seen, dict) else seen
    with torch.no_grad():
        latent = torch.from_numpy(flat * np.float32(INPUT_SCALE))
        before = torch.randn(2, 1, 16, 4)
        if name.startswith("recurrent"):
            latent = policy.lstm_actor(latent[None], (before[0], before[1]))[0][0]
        expected = policy.action_net(policy.mlp_extractor.forward_actor(latent)).numpy()
    network = Network(policy_tensors(policy))
    if network.is_recurrent:
        found = network.outputs_from(flat, *before[:, 0].numpy())[0]
    else:
        found = network.outputs(flat)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
    assert np.abs(found).max() > 0.1


@each_model
def test_learning_moves_every_parameter(name: str) -> None:
    """Those of the value function too, which were made after the optimiser of SB3 was."""
    model, _ = make(name)
    before = {key: tensor.clone() for key, tensor in model.policy.state_dict().items()}
    model.learn(256)  # the rate has fallen to 0 at the end
    assert {"value_net.weight", "value_net.bias"} <= before.keys()
    after = model.policy.state_dict()
    assert after["value_net.weight"].shape[0] == 2
    for key, tensor in before.items():
        assert not torch.equal(tensor, after[key]), key
