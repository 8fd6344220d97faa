"""Saved policies: what is written, what plays, and what is refused."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

from agents.bound_rules import BOUND_FIELDS
from agents.registry import make_agent
from agents.saved_policy import (
    SavedPolicy,
    load_policy,
    read_settings,
    save_policy,
    write_text,
)
from pontoon_env import Rules
from pontoon_env.actions import N_DISCRETE
from tests.policies import RULES, make_policy, settings_of, some_games, tensors_for


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved policy of discrete actions."""
    out = tmp_path_factory.mktemp("policy") / "mine"
    settings = settings_of(RULES)
    save_policy(out, tensors_for(settings), settings)
    return out


@pytest.fixture
def policy(folder: Path) -> SavedPolicy:
    return load_policy(folder)


# Files.


def test_the_settings_say_what_it_was_trained_for(folder: Path) -> None:
    settings = read_settings(folder)
    assert settings.rules == RULES
    assert (settings.role, settings.opponents, settings.seed) == ("player", "stick17", 1)
    assert (settings.timesteps, settings.algorithm) == (256, "maskable_ppo")
    assert settings.training["num_envs"] == 64
    assert set(settings.library_versions) >= {"torch", "stable-baselines3", "safetensors"}
    written = json.loads((folder / "settings.json").read_text())
    assert (written["format"], written["env_version"]) == ("pontoon_policy_v2", "pontoon_v0")
    assert written["rules"] == settings.rules.to_dict()
    assert read_settings(folder) == settings_of(RULES)


def test_what_is_loaded_plays_as_what_was_saved(folder: Path) -> None:
    games = some_games()
    assert isinstance(make_agent(str(folder)), SavedPolicy)
    for deterministic in (True, False):
        loaded = load_policy(folder, deterministic)
        assert loaded.name == "mine"
        made = make_policy(deterministic=deterministic)
        assert np.array_equal(loaded.choose(RULES, games), made.choose(RULES, games))


def test_a_policy_is_played_as_it_is_meant_to_be_unless_told_otherwise(tmp_path: Path) -> None:
    for plays, is_meant in (("likeliest", True), ("drawn", False)):
        settings = settings_of(RULES, plays=plays)
        save_policy(tmp_path, tensors_for(settings), settings)
        assert load_policy(tmp_path).deterministic is is_meant
        for deterministic in (True, False):
            assert load_policy(tmp_path, deterministic).deterministic is deterministic


def test_torch_is_not_loaded_to_play(folder: Path) -> None:
    code = (
        "import sys; from agents.saved_policy import load_policy; "
        f"load_policy({str(folder)!r}); print('torch' in sys.modules)"
    )
    root = Path(__file__).parent.parent
    printed = subprocess.run(
        [sys.executable, "-c", code], cwd=root, check=True, capture_output=True, text=True
    )
    assert printed.stdout == "False\n"


# Rules.


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


def change_tensors(**tensors: Any) -> Callable[[Path], None]:
    """Return what changes tensors, dots written as ``__``, and the digest with them."""

    def apply(folder: Path) -> None:
        path = folder / "policy.safetensors"
        named = {name.replace("__", "."): tensor for name, tensor in tensors.items()}
        path.write_bytes(safetensors.numpy.save({**safetensors.numpy.load_file(path), **named}))
        renew_digest(folder)

    return apply


def renew_digest(folder: Path) -> None:
    """Make the digest that of the file."""
    digest = hashlib.sha256((folder / "policy.safetensors").read_bytes()).hexdigest()
    change(digest=digest)(folder)


def be_no_tensors(folder: Path) -> None:
    """Make the file of another kind; the digest fits."""
    (folder / "policy.safetensors").write_bytes(b"no tensors at all")
    renew_digest(folder)


def zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


@pytest.mark.parametrize(
    ("damage", "error", "message"),
    [
        (shutil.rmtree, FileNotFoundError, "no settings.json"),
        (lambda f: (f / "settings.json").unlink(), FileNotFoundError, "no settings.json"),
        (lambda f: (f / "policy.safetensors").unlink(), FileNotFoundError, "no policy.safetensors"),
        (lambda f: (f / "policy.safetensors").write_bytes(b"PK"), ValueError, "damaged.*and se"),
        (lambda f: (f / "settings.json").write_text("{"), ValueError, "settings.json"),
        (lambda f: (f / "settings.json").write_text("[]"), ValueError, "no JSON object"),
        (change(format="pontoon_policy_v1"), ValueError, "'pontoon_policy_v1'.*train it anew"),
        (change(format="pontoon_policy_v9"), ValueError, "'pontoon_policy_v9', and only 'pontoon"),
        (change(format=GONE, rules=GONE), ValueError, "format is None"),
        (change(env_version="pontoon_v1"), ValueError, "'pontoon_v1', and only 'pontoon_v0'"),
        (change(encoding="words"), ValueError, "encoding is 'words', and must be 'discrete' or"),
        (change(encoding=["hybrid"]), ValueError, r"encoding is \['hybrid'\]"),
        (change(encoding=GONE), ValueError, "encoding"),
        (change(plays="badly"), ValueError, "plays is 'badly', and must be 'likeliest' or 'drawn'"),
        (change(memory=1), ValueError, "memory is 1, and must be False or True"),
        (change(encoding="hybrid"), ValueError, "has 39 outputs, not 17 as encoding 'hybrid'"),
        (change(rules=GONE), ValueError, "rules"),
        (change(rules={"seats": 99}), ValueError, "seats=99"),
        (change(rules=7), ValueError, "settings.json"),
        (change(surprise=1), ValueError, "surprise"),
        (change(rules={"seats": 4}), ValueError, r"\d+ numbers, not \d+ .*another version"),
        (be_no_tensors, ValueError, "policy.safetensors cannot be read"),
        (change_tensors(head__bias=zeros(3)), ValueError, r"policy.safetensors: tensor head.bias"),
        (
            change_tensors(head__bias=np.full(N_DISCRETE, np.nan, np.float32)),
            ValueError,
            "policy.safetensors: tensor head.bias holds numbers that are not finite",
        ),
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
    shutil.copytree(folder, copy)
    damage(copy)
    with pytest.raises(error, match=message):
        load_policy(copy)


def test_a_policy_of_the_old_format_is_named_as_such(folder: Path, tmp_path: Path) -> None:
    """It has no file of tensors: what is said is not that, but what to do."""
    shutil.copy(folder / "settings.json", tmp_path)
    (tmp_path / "policy.zip").write_bytes(b"PK")
    change(format="pontoon_policy_v1", memory=GONE, plays=GONE)(tmp_path)
    with pytest.raises(ValueError, match=r"written by an older version.*train it anew"):
        load_policy(tmp_path)


def test_saving_replaces_a_policy(tmp_path: Path) -> None:
    settings = settings_of(RULES)
    save_policy(tmp_path, tensors_for(settings), settings)
    save_policy(tmp_path, tensors_for(settings, scale=2.0), replace(settings, timesteps=7))
    loaded = load_policy(tmp_path)
    assert loaded.settings.timesteps == 7
    made = make_policy(scale=2.0)
    assert np.array_equal(loaded.choose(RULES, some_games()), made.choose(RULES, some_games()))
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["policy.safetensors", "settings.json"]


@pytest.mark.parametrize("n_renamed", [0, 1])
def test_a_kill_while_saving_leaves_no_half_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_renamed: int
) -> None:
    """The folder has no settings then: what is in it is refused."""
    settings = settings_of(RULES)
    save_policy(tmp_path, tensors_for(settings), settings)
    rename, calls = os.replace, []

    def die(source: Path, target: Path) -> None:
        if len(calls) == n_renamed:
            raise KeyboardInterrupt
        calls.append(target)
        rename(source, target)

    monkeypatch.setattr("agents.saved_policy.os.replace", die)
    with pytest.raises(KeyboardInterrupt):
        save_policy(tmp_path, tensors_for(settings, scale=2.0), settings)
    with pytest.raises(FileNotFoundError, match=r"no settings\.json"):
        load_policy(tmp_path)


def test_weights_that_do_not_fit_are_not_saved(folder: Path, tmp_path: Path) -> None:
    """A policy that is there stays."""
    shutil.copytree(folder, tmp_path / "copy")
    settings = settings_of(RULES)
    for wrong in (settings_of(RULES, encoding="hybrid"), settings_of(Rules.single_deal(seats=4))):
        with pytest.raises(ValueError, match="not"):
            save_policy(tmp_path / "copy", tensors_for(settings), wrong)
    broken = tensors_for(settings)
    broken["head.bias"][3] = np.nan
    with pytest.raises(ValueError, match=r"head.bias holds numbers that are not finite"):
        save_policy(tmp_path / "copy", broken, settings)
    assert load_policy(tmp_path / "copy").settings == settings
