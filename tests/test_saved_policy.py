"""Saved policies: what is written, what plays, and what is refused."""

from __future__ import annotations

import functools
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.saved_policy import (
    BOUND_FIELDS,
    SavedPolicy,
    load_policy,
    read_settings,
    save_policy,
    write_text,
)
from pontoon_env import Rules, batch
from pontoon_env.actions import MOVE_OF_DISCRETE, N_DISCRETE
from pontoon_env.agent import Agent, Decisions
from pontoon_env.observation import observation_size
from pontoon_env.state import N_MOVES
from train.maskable_ppo import Settings, train


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy after one rollout."""
    out = tmp_path_factory.mktemp("policy") / "mine"
    settings = Settings(
        out=out, rules=("seats=3",), timesteps=256, num_envs=64, n_steps=4, batch_size=128
    )
    return train(settings, progress=lambda *_: None)


@pytest.fixture
def policy(folder: Path) -> SavedPolicy:
    return load_policy(folder)


def some_decisions(rules: Rules, n: int = 200) -> Decisions:
    """Decisions of many phases: every third game a step further under random agents."""
    games = batch.new_games(n)
    record = rules.to_record()
    batch.begin_batch(record, games, np.arange(n, dtype=np.uint64), np.zeros(n, np.uint64))
    moves, outcomes = np.full(n, batch.NO_MOVE), np.zeros(n, np.int64)
    batch.play_batch(record, games, batch.external_seats(n), moves, np.zeros(n), outcomes, 0)
    for steps in range(1, 4):
        rows = np.arange(n) % 4 >= steps
        played = games[rows].copy()
        agents = np.zeros((len(played), 8, 2), np.int64)
        batch.play_batch(record, played, agents, moves[rows], np.zeros(n), outcomes[rows], 1)
        games[rows] = played
    observations = np.zeros((n, observation_size(rules)), np.float32)
    masks = np.zeros((n, N_MOVES), np.int8)
    lows, highs = np.zeros((2, n, N_MOVES), np.float32)
    batch.observe_batch(record, games, np.full(n, batch.TO_ACT), observations, masks, lows, highs)
    asked = masks.any(axis=1)
    return Decisions(observations[asked], masks[asked], lows[asked], highs[asked])


def test_it_is_an_agent_that_plays_legal_moves(policy: SavedPolicy) -> None:
    assert isinstance(policy, Agent)
    assert policy.name == "mine"
    decisions = some_decisions(policy.settings.rules)
    for deterministic in (True, False):
        policy.deterministic = deterministic
        moves, amounts = policy.act(decisions, np.random.default_rng(0))
        assert (decisions.masks[np.arange(len(decisions)), moves] == 1).all()
        assert moves.dtype == np.int64
        assert amounts.dtype == np.float64
        assert ((amounts >= 0) & (amounts <= 1)).all()


def test_it_plays_what_the_model_predicts(folder: Path, policy: SavedPolicy) -> None:
    from sb3_contrib import MaskablePPO

    decisions = some_decisions(policy.settings.rules)
    model = MaskablePPO.load(folder / "policy.zip", device="cpu")
    masks = decisions.masks[:, MOVE_OF_DISCRETE]
    actions, _ = model.predict(decisions.observations, deterministic=True, action_masks=masks)
    moves, _ = policy.act(decisions, np.random.default_rng(0))
    assert np.array_equal(moves, MOVE_OF_DISCRETE[actions])


def test_all_chance_comes_from_the_generator(policy: SavedPolicy) -> None:
    decisions = some_decisions(policy.settings.rules)
    policy.deterministic = False
    torch.manual_seed(1)
    first = policy.act(decisions, np.random.default_rng(3))
    torch.manual_seed(2)
    again = policy.act(decisions, np.random.default_rng(3))
    other = policy.act(decisions, np.random.default_rng(4))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[1], other[1])


def test_it_draws_actions_by_their_probabilities(policy: SavedPolicy) -> None:
    """10,000 draws of one stake: each of five frequencies within 0.03 (six standard deviations)."""
    one = some_decisions(policy.settings.rules, 1)
    n = 10_000
    parts = (one.observations, one.masks, one.lows, one.highs)
    many = Decisions(*(np.repeat(part, n, axis=0) for part in parts))
    policy.deterministic = False
    _, amounts = policy.act(many, np.random.default_rng(0))
    chances = policy.probabilities(one)[0, :5]
    found = [(amounts == fraction).mean() for fraction in (0, 0.25, 0.5, 0.75, 1)]
    assert chances.sum() == pytest.approx(1)
    assert found == pytest.approx(chances.tolist(), abs=0.03)


def test_the_settings_say_what_it_was_trained_for(folder: Path) -> None:
    settings = read_settings(folder)
    assert settings.rules == Rules.single_deal(seats=3)
    assert (settings.role, settings.opponents, settings.seed) == ("player", "stick17", 1)
    assert settings.timesteps == 256
    assert settings.training["num_envs"] == 64
    assert set(settings.library_versions) >= {"torch", "stable-baselines3", "sb3-contrib"}
    written = json.loads((folder / "settings.json").read_text())
    assert (written["format"], written["env_version"]) == ("pontoon_policy_v1", "pontoon_v0")
    assert written["rules"] == settings.rules.to_dict()


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"seats": 4}, "seats=4"),
        ({"stick_min": 16}, "stick_min=16"),
        ({"split": "none"}, "split='none'"),
        ({"burn": "13"}, "burn='13'"),
        ({"shoot": True}, "shoot=True"),
        ({"max_stake": 500}, "max_stake=500"),
        ({"bank_passes": "natural"}, "bank_passes='natural'"),
        ({"banker_rule": "stick17"}, "banker_rule='stick17'"),
        ({"trick_beats_pontoon": True}, "trick_beats_pontoon=True"),
        ({"royal": True}, "royal=True"),
    ],
)
def test_rules_that_change_sight_or_choice_are_refused(
    policy: SavedPolicy, fields: dict[str, Any], field: str
) -> None:
    with pytest.raises(ValueError, match=f"cannot play with {field}"):
        policy.check_rules(Rules.single_deal(**{"seats": 3, **fields}))


@pytest.mark.parametrize(
    "fields", [{}, {"deals": 20}, {"pontoon_pays": 3}, {"packs": 2}, {"ties": "push"}]
)
def test_other_rules_may_differ(policy: SavedPolicy, fields: dict[str, Any]) -> None:
    policy.check_rules(Rules.single_deal(**{"seats": 3, **fields}))


@pytest.mark.parametrize(
    ("rules", "is_bound"),
    [
        (Rules.pontoon, True),
        (Rules.shoot, True),
        (functools.partial(Rules.shoot, bank_passes="never", bank_sale=False), True),
        (functools.partial(Rules.pontoon, bank_passes="never", bank_sale=False), False),
    ],
)
def test_deals_are_bound_where_something_is_decided_between_them(
    policy: SavedPolicy, rules: Callable[..., Rules], is_bound: bool
) -> None:
    """P33, P34, S9, S10: one deal alone has none of those decisions."""
    policy.settings = replace(policy.settings, rules=rules(deals=1))
    if is_bound:
        with pytest.raises(ValueError, match="deals=1 and cannot play with deals=2"):
            policy.check_rules(rules(deals=2))
    else:
        policy.check_rules(rules(deals=2))
    policy.settings = replace(policy.settings, rules=rules(deals=2))
    policy.check_rules(rules(deals=20))


def test_every_field_of_the_rules_is_bound_or_may_differ() -> None:
    """A new field has to be put on one side or the other."""
    may_differ = {
        *("deals", "packs", "pontoon_pays", "banker_pontoon_collects", "both_pontoon"),
        *("trick_pays", "banker_trick_collects", "ties", "shuffle", "under_pack"),
    }
    assert {*BOUND_FIELDS, *may_differ} == set(Rules().to_dict())
    assert not may_differ & {*BOUND_FIELDS}


def test_text_is_written_whole_with_one_line_end(tmp_path: Path) -> None:
    for text in ("a", "a\n"):
        write_text(tmp_path / "file", text)
        assert (tmp_path / "file").read_bytes() == b"a\n"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


GONE = object()


def change(**fields: Any) -> Callable[[Path], None]:
    """Return what changes fields of the settings; `GONE` deletes one."""

    def apply(folder: Path) -> None:
        path = folder / "settings.json"
        settings = {**json.loads(path.read_text()), **fields}
        kept = {name: value for name, value in settings.items() if value is not GONE}
        path.write_text(json.dumps(kept))

    return apply


@pytest.mark.parametrize(
    ("damage", "error", "message"),
    [
        (shutil.rmtree, FileNotFoundError, "no settings.json"),
        (lambda f: (f / "settings.json").unlink(), FileNotFoundError, "no settings.json"),
        (lambda f: (f / "policy.zip").unlink(), FileNotFoundError, "no policy.zip"),
        (lambda f: (f / "policy.zip").write_bytes(b"PK"), ValueError, "damaged"),
        (lambda f: (f / "settings.json").write_text("{"), ValueError, "settings.json"),
        (lambda f: (f / "settings.json").write_text("[]"), ValueError, "no JSON object"),
        (change(format="pontoon_policy_v9"), ValueError, "format is 'pontoon_policy_v9'"),
        (change(env_version="pontoon_v1"), ValueError, "env_version is 'pontoon_v1'"),
        (change(encoding="hybrid"), ValueError, "encoding is 'hybrid'"),
        (change(algorithm="DQN"), ValueError, "algorithm is 'DQN'"),
        (change(rules=GONE), ValueError, "rules"),
        (change(rules={"seats": 99}), ValueError, "seats=99"),
        (change(surprise=1), ValueError, "surprise"),
        (change(rules={"seats": 4}), ValueError, "another version"),
    ],
)
def test_what_cannot_be_loaded_is_refused(
    folder: Path,
    tmp_path: Path,
    damage: Callable[[Path], object],
    error: type[Exception],
    message: str,
) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("policy.zip", "settings.json"):
        shutil.copy(folder / name, copy / name)
    damage(copy)
    with pytest.raises(error, match=message):
        load_policy(copy)


def test_a_policy_of_another_kind_of_file_is_refused(folder: Path, tmp_path: Path) -> None:
    """The digest fits, the file is no model."""
    from agents.saved_policy import _digest

    shutil.copy(folder / "settings.json", tmp_path)
    (tmp_path / "policy.zip").write_bytes(b"no zip at all")
    change(digest=_digest(tmp_path / "policy.zip"))(tmp_path)
    with pytest.raises(ValueError, match="cannot be read"):
        load_policy(tmp_path)


def test_saving_replaces_a_policy(folder: Path, tmp_path: Path) -> None:
    from sb3_contrib import MaskablePPO

    model = MaskablePPO.load(folder / "policy.zip", device="cpu")
    settings = read_settings(folder)
    save_policy(tmp_path, model, settings)
    save_policy(tmp_path, model, replace(settings, timesteps=7))
    assert load_policy(tmp_path).settings.timesteps == 7
    assert sorted(path.name for path in tmp_path.iterdir()) == ["policy.zip", "settings.json"]
    assert model.action_space.n == N_DISCRETE
