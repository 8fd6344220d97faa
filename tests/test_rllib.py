"""RLlib learns hybrid, masked decisions, on a cluster too, and what it learned is a saved policy.

``make test-rllib`` installs RLlib in an environment of its own and runs this.
"""

from __future__ import annotations

import os
import re
import runpy
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.registry import make_agent
from agents.saved_policy import SavedPolicy
from eval import benchmark
from pontoon_env import Rules
from pontoon_env.agent import Decisions
from pontoon_env.state import N_AMOUNT_MOVES, N_MOVES

MISSING = "RLlib is not installed: `make test-rllib` installs it and runs these tests"
ray = pytest.importorskip("ray", reason=MISSING)
torch = pytest.importorskip("torch", reason=MISSING)
cluster_utils = pytest.importorskip("ray.cluster_utils", reason=MISSING)
pontoon_rllib = pytest.importorskip("examples.pontoon_rllib", reason=MISSING)

pytestmark = pytest.mark.filterwarnings("ignore")  # what RLlib warns of is its own

RULES = Rules.single_deal(seats=3)
N = 200
STORE = 100 * 2**20
"""Bytes of a node's object store, which would take a third of the memory."""
PATIENCE = 240.0
"""Seconds until a process that was killed must be back; it takes ten to twenty."""


@pytest.fixture
def local() -> Iterator[None]:
    """A Ray of this machine, for one test."""
    ray.init(address="local", object_store_memory=STORE, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes, each with processes of its own and one core: an env runner has place on each."""
    nodes = cluster_utils.Cluster()
    for _ in range(2):
        nodes.add_node(num_cpus=1, object_store_memory=STORE, include_dashboard=False)
    yield nodes
    ray.shutdown()
    nodes.shutdown()


def some_decisions() -> Decisions:
    """What seats see at random play, from single cards to whole hands."""
    table = pontoon_rllib.AllSeats({"rules": RULES})
    parts: dict[str, list[Any]] = {}
    observations, _ = table.reset(seed=1)
    for space in table.action_spaces.values():
        space.seed(1)
    while len(parts.get("observation", ())) < N:
        ((agent, seen),) = observations.items()
        for name, part in seen.items():
            parts.setdefault(name, []).append(part)
        action = table.action_spaces[agent].sample(seen["action_mask"])
        observations, _, ended, _, _ = table.step({agent: action})
        if ended["__all__"]:
            observations, _ = table.reset()
    arrays = [np.array(part) for part in parts.values()]
    return Decisions(*arrays)


def distribution_of(module: Any, decisions: Decisions) -> Any:
    """What RLlib draws actions from."""
    seen = {"observation": decisions.observations, "action_mask": decisions.masks}
    batch = {"obs": {name: torch.from_numpy(part) for name, part in seen.items()}}
    inputs = module.forward_inference(batch)["action_dist_inputs"]
    return module.get_inference_action_dist_cls().from_logits(inputs)


def test_an_amount_counts_only_where_the_move_takes_one() -> None:
    """In probability, entropy and divergence, by what PyTorch says of the two parts."""
    generator = torch.Generator().manual_seed(1)
    first, second = 2 * torch.randn(2, N, N_MOVES + 2, generator=generator)
    one, other = (pontoon_rllib.HybridDistribution.from_logits(of) for of in (first, second))
    fractions = torch.linspace(0.01, 0.99, N).double()
    for move in range(N_MOVES):
        moves = torch.full((N,), move)
        expected = torch.log_softmax(first[:, :N_MOVES], dim=1)[:, move]
        if move < N_AMOUNT_MOVES:
            expected = expected + one.amounts.log_prob(fractions.float())
        torch.testing.assert_close(one.logp({"move": moves, "amount": fractions}), expected)
    chances = one.moves.probs
    chance = chances[:, :N_AMOUNT_MOVES].sum(dim=1)
    of_moves = -(chances * chances.log()).sum(dim=1)
    torch.testing.assert_close(one.entropy(), of_moves + chance * one.amounts.entropy())
    between = torch.distributions.kl_divergence(one.amounts, other.amounts)
    of_moves = (chances * (chances / other.moves.probs).log()).sum(dim=1)
    torch.testing.assert_close(one.kl(other), of_moves + chance * between)
    assert not one.kl(one).any()


def test_rewards_of_all_seats_sum_to_zero() -> None:
    """RLlib's wrapper loses none; its mean return leaves out what comes before a first decision."""
    table = pontoon_rllib.AllSeats({"rules": RULES})
    observations, _ = table.reset(seed=3)
    paid: dict[str, float] = {}
    for _ in range(N):
        ((agent, seen),) = observations.items()
        action = table.action_spaces[agent].sample(seen["action_mask"])
        observations, rewards, ended, truncated, _ = table.step({agent: action})
        for name, reward in rewards.items():
            paid[name] = paid.get(name, 0.0) + reward
        assert not any(truncated.values())
        if ended["__all__"]:
            assert len(paid) == RULES.seats
            assert any(paid.values())
            assert sum(paid.values()) == pytest.approx(0.0, abs=1e-9)
            observations, _ = table.reset()
            paid = {}


def test_the_exported_policy_is_rllibs(local: None, tmp_path: Path) -> None:
    """Chances of moves, parameters of amounts, likeliest moves and amounts, once trained."""
    algorithm = pontoon_rllib.make_config(RULES, "stick17").build_algo()
    results = algorithm.train()
    module = algorithm.get_module()
    decisions = some_decisions()
    theirs = distribution_of(module, decisions)
    folder = tmp_path / "policy"
    pontoon_rllib.export(algorithm, folder, 2048)
    algorithm.stop()

    ours = make_agent(str(folder))
    assert isinstance(ours, SavedPolicy)
    assert ours.settings.role == "player"
    assert results["env_runners"]["num_env_steps_sampled_lifetime"] >= 2048
    chances = ours.probabilities(decisions)
    assert ((chances == 0) == (decisions.masks == 0)).all()
    np.testing.assert_allclose(theirs.moves.probs.numpy(), chances, rtol=1e-4, atol=1e-6)
    raw = ours.network.outputs(decisions.observations)[:, -2:].astype(np.float64)
    parameters = torch.stack([theirs.amounts.concentration1, theirs.amounts.concentration0], 1)
    np.testing.assert_allclose(parameters.numpy(), 1 + np.log1p(np.exp(raw)), rtol=1e-5)
    moves, fractions = ours.decide(decisions.observations, decisions.masks)
    likeliest = theirs.to_deterministic().sample()
    assert (likeliest["move"].numpy() == moves).all()
    takes_amount = moves < N_AMOUNT_MOVES
    assert takes_amount.any()
    found = likeliest["amount"].numpy()[takes_amount]
    np.testing.assert_allclose(found, fractions[takes_amount], rtol=1e-4)


def test_what_is_illegal_is_never_drawn() -> None:
    """By an untrained module, a thousand times for each decision."""
    table = pontoon_rllib.AllSeats({"rules": RULES})
    spec = pontoon_rllib.RLModuleSpec(
        pontoon_rllib.MaskedModule,
        observation_space=table.observation_spaces["seat_0"],
        action_space=table.action_spaces["seat_0"],
    )
    decisions = some_decisions()
    drawn = distribution_of(spec.build(), decisions).sample(sample_shape=(1000,))
    moves, amounts = drawn["move"].numpy(), drawn["amount"].numpy()
    assert decisions.masks[np.arange(N), moves].all()
    assert (decisions.masks.sum(axis=1) > 1).any()
    assert ((amounts >= 0) & (amounts <= 1)).all()


def run_example(
    arguments: list[str], patch: pytest.MonkeyPatch, captured: pytest.CaptureFixture[str]
) -> tuple[int, float, float]:
    """Run the example; return its decisions, and what the untrained and the trained policy win."""
    patch.setattr(sys, "argv", ["rllib_ppo", *arguments])
    runpy.run_module("examples.rllib_ppo", run_name="__main__")
    line = captured.readouterr().out.splitlines()[-1]
    found = re.fullmatch(r"(\d+) legal decisions; least stakes a deal (\S+), then (\S+)", line)
    assert found is not None, line
    return int(found[1]), float(found[2]), float(found[3])


def test_one_seat_learns_and_is_benchmarked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "policy"
    arguments = ["--decisions", "8000", "--opponents", "stick17", "--out", str(folder)]
    made, before, after = run_example(arguments, monkeypatch, capsys)
    assert 8000 <= made < 8000 + 2 * 2048
    assert after > before + 0.5
    named = [str(folder), "--seats", "4", "--roles", "player", "--deals", "200"]
    assert benchmark.main([*named, "--out", str(tmp_path / "benchmark")]) == 0
    assert "| policy |" in capsys.readouterr().out


def test_all_seats_learn_on_a_cluster(
    cluster: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    arguments = ["--decisions", "8000", "--num-env-runners", "2", "--address", cluster.address]
    arguments += ["--out", str(tmp_path)]
    made, before, after = run_example(arguments, monkeypatch, capsys)
    assert made >= 8000
    assert after > before + 0.5
    assert make_agent(str(tmp_path)).settings.role == "any"


def whereabouts(_: Any) -> tuple[str, int]:
    """The node and the process of an env runner."""
    return ray.get_runtime_context().get_node_id(), os.getpid()


def test_training_goes_on_when_an_env_runner_is_killed(cluster: Any, tmp_path: Path) -> None:
    """Killed while it samples, on one of two nodes: the other one goes on, and it comes back."""
    ray.init(address=cluster.address, log_to_driver=False)
    config = pontoon_rllib.make_config(RULES, num_env_runners=2, num_envs=8)
    algorithm = config.training(train_batch_size_per_learner=512).build_algo()
    runners = algorithm.env_runner_group

    def places() -> set[tuple[str, int]]:
        return set(runners.foreach_env_runner(whereabouts, local_env_runner=False))

    before = places()
    assert len({node for node, _ in before}) == 2
    algorithm.train()
    assert runners.num_healthy_remote_env_runners() == 2  # nothing illegal restarted one
    _, killed = min(before)
    threading.Timer(0.2, os.kill, (killed, signal.SIGKILL)).start()
    made, deadline = [], time.monotonic() + PATIENCE
    while runners.num_remote_worker_restarts() == 0 and time.monotonic() < deadline:
        results = algorithm.train()["env_runners"]
        made.append(results["num_env_steps_sampled_lifetime"])
    after = places()
    assert made == sorted(set(made))
    assert len(after) == 2
    assert {process for _, process in before - after} == {killed}
    at_end = algorithm.train()["env_runners"]["num_env_steps_sampled_lifetime"]
    assert at_end > made[-1]
    policy = pontoon_rllib.export(algorithm, tmp_path, int(at_end))
    algorithm.stop()
    ray.shutdown()
    assert policy.settings.timesteps == at_end
