"""Policies that come trained: each is whole, plays, and is found by its name."""

from __future__ import annotations

import hashlib
import json
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from agents import trained
from agents.registry import make_agent
from agents.saved_policy import SavedPolicy, load_policy, save_policy
from agents.trained import FOLDER, trained_policies
from eval import ship
from eval.match import everywhere, play_sessions
from eval.measurements import rules_digest, write_measurement
from pontoon_env import agent_names
from pontoon_env.agent_names import GROUP, find_agent
from tests.measurements import make_measurement
from tests.policies import RULES, settings_of, tensors_for

ROOT = Path(__file__).parents[1]
DEALS = 200
OFFERED: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
    "entry-points"
][GROUP]


def test_there_are_some() -> None:
    assert trained_policies()


@pytest.mark.parametrize("name", trained_policies())
def test_every_one_plays_legally_by_its_rules(name: str) -> None:
    """On all seats, 200 deals: an illegal choice ends the match with an error."""
    policy = load_policy(FOLDER / name)
    rules = policy.settings.rules
    sessions = -(-DEALS // rules.deals)
    played = play_sessions(rules, everywhere(policy, rules), sessions, 3)
    assert (played.chips.sum(axis=1) == 0).all()
    assert played.chips.any()


@pytest.mark.parametrize("name", trained_policies())
def test_every_card_has_the_digests_of_rules_and_weights(name: str) -> None:
    card = (FOLDER / name / "CARD.md").read_text()
    weights = (FOLDER / name / "policy.safetensors").read_bytes()
    assert f"`{rules_digest(load_policy(FOLDER / name).settings.rules)}`" in card
    assert f"`{hashlib.sha256(weights).hexdigest()}`" in card
    shown = card.partition("## Rules")[2].partition("```json\n")[2].partition("```")[0]
    assert json.loads(shown) == load_policy(FOLDER / name).settings.rules.to_dict()


@pytest.mark.parametrize("name", trained_policies())
def test_every_entry_point_makes_the_policy_of_its_name(name: str) -> None:
    made = EntryPoint(name, OFFERED[name], GROUP).load()()
    assert isinstance(made, SavedPolicy)
    assert made.name == name


def test_every_entry_point_of_a_trained_policy_has_its_folder() -> None:
    named = {name for name, value in OFFERED.items() if value.startswith(trained.__name__)}
    assert named == set(trained_policies())


def test_they_are_found_by_name_where_the_project_is_installed() -> None:
    """An entry point that is newer than the installation asks for ``make setup``."""
    for name in trained_policies():
        assert make_agent(name).name == name


def test_a_name_of_none_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nobody'"):
        _ = trained.nobody


def test_the_wheel_alone_says_that_it_has_them_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_names.importlib.util, "find_spec", lambda _: None)
    for name in ("equilibrium", *trained_policies()):
        with pytest.raises(ValueError, match=f"'{name}' is played by the folder agents, which a"):
            find_agent(name)


# Shipping.


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a policy, one for those that come trained, and a pyproject.toml."""
    (tmp_path / "trained").mkdir()
    monkeypatch.setattr(trained, "FOLDER", tmp_path / "trained")
    monkeypatch.setattr(ship, "PYPROJECT", tmp_path / "pyproject.toml")
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())
    settings = settings_of(RULES)
    save_policy(tmp_path / "mine-1", tensors_for(settings), settings)
    return tmp_path


def weights_of(run: Path) -> str:
    """The digest of a policy's weights."""
    return hashlib.sha256((run / "policy.safetensors").read_bytes()).hexdigest()


def test_a_policy_is_shipped_with_a_card_and_an_entry_point(
    places: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Shipped again, it is replaced; its entry point is there once."""
    run = places / "mine-1"
    measurement = make_measurement(digests={"mine-1": weights_of(run)})
    write_measurement(places / "found.json", measurement)
    arguments = [str(run), "--name", "my-first", "--results", str(places / "found.json")]
    for _ in range(2):
        assert ship.main(arguments) == 0
    policy = trained.my_first()
    assert policy.name == "my-first"
    assert policy.settings == load_policy(run).settings
    card = (places / "trained" / "my-first" / "CARD.md").read_text()
    for said in (
        rules_digest(RULES),
        weights_of(run),
        "| `mine`, seed 1 | +0.250 ± 0.050 |",
        "n = 2,000 deals in 100 sessions, seed 1000",
        "$ python -m eval.benchmark mine-1",
        "$ python -m train.maskable_ppo --out mine-1",
        "| core seconds of training | 90 |",
        "| licence | MIT |",
    ):
        assert said in card
    offered = tomllib.loads((places / "pyproject.toml").read_text())["project"]["entry-points"]
    assert offered[GROUP] == {**OFFERED, "my-first": "agents.trained:my_first"}


@pytest.mark.parametrize(
    ("name", "fields", "reason"),
    [
        ("my_first", {}, "--name my_first must be of small letters and digits"),
        ("../x", {}, "--name ../x must be"),
        ("mine", {"digests": {"mine-1": "0"}}, "was not measured of the policy in"),
        ("mine", {"subject": "other"}, "advantage of other was not measured"),
    ],
)
def test_what_cannot_be_shipped_is_refused_and_nothing_is_written(
    name: str, fields: Any, reason: str, places: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = places / "mine-1"
    measurement = make_measurement(**{"digests": {"mine-1": weights_of(run)}, **fields})
    write_measurement(places / "found.json", measurement)
    assert ship.main([str(run), "--name", name, "--results", str(places / "found.json")]) == 2
    assert reason in capsys.readouterr().err
    assert list((places / "trained").iterdir()) == []


def test_a_folder_without_a_policy_is_refused(
    places: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ship.main([str(places / "none"), "--name", "mine"]) == 2
    assert "is no saved policy" in capsys.readouterr().err
