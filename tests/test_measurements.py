"""Measurements in files and tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eval.benchmark import run_benchmark, scenarios
from eval.exploit import exploit
from eval.measurements import (
    Value,
    footnote,
    read_measurement,
    rules_digest,
    table,
    values_of,
    write_measurement,
)
from pontoon_env import Rules
from tests.measurements import EXACT, SAMPLED, make_measurement
from tests.policies import make_policy
from train.recipes import Measure

RULES = Rules.single_deal(seats=3)


def benchmark_measure(**fields: Any) -> Measure:
    """A measure by the benchmark."""
    return Measure(title="any", program="benchmark", arguments=(), **fields)


def played(*roles: Any, players: tuple[str, ...] = ("basic", "stick17")) -> Any:
    """What the benchmark finds of a policy."""
    to_play = scenarios(roles, ["basic"], players)
    return run_benchmark([make_policy(rules=RULES)], RULES, to_play, 40, 1)


def test_a_file_gives_back_what_was_written(tmp_path: Path) -> None:
    measurement = make_measurement(EXACT, SAMPLED)
    write_measurement(tmp_path / "file.json", measurement)
    assert read_measurement(tmp_path / "file.json") == measurement


@pytest.mark.parametrize("text", ["[]", "{}", "no JSON", '{"format": "pontoon_benchmark_v1"}'])
def test_a_file_without_a_measurement_is_named(text: str, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=f"{path} holds no measurement"):
        read_measurement(path)


def test_an_advantage_is_the_difference_to_whoever_sits_on_the_other_seats() -> None:
    found = played("any")
    values = values_of(benchmark_measure(minus=("others",)), found.to_dict(), "mine", None)
    expected = [
        found.row(scenario, scenario.others).differences["mine"] for scenario in found.tables
    ]
    assert [value.name for value in values] == ["over basic", "over stick17"]
    assert [value.mean for value in values] == [each.mean for each in expected]
    assert [value.high for value in values] == [each.high for each in expected]


def test_a_banker_is_compared_with_others_and_a_player_with_a_twin_at_flat_stakes_too() -> None:
    found = played("banker", players=("basic",))
    values = values_of(benchmark_measure(minus=("bayes",)), found.to_dict(), "mine", None)
    (scenario,) = found.tables
    assert [value.name for value in values] == ["net", "more than bayes"]
    assert values[1].mean == found.row(scenario, "bayes").differences["mine"].mean
    values = values_of(benchmark_measure(twin="plain"), played("player").to_dict(), "mine", "basic")
    assert [value.name for value in values] == [
        "net",
        "more than its twin",
        "net, flat stakes",
        "more than its twin, flat stakes",
    ]


@pytest.mark.usefixtures("own_cache")
def test_what_is_computed_exactly_has_no_interval() -> None:
    rules = Rules.two_seat_exact(max_stake=1)
    policy = make_policy(rules=rules)
    found = exploit(policy, rules, progress=False)
    measure = Measure(title="any", program="exploit", arguments=())
    values = {value.name: value for value in values_of(measure, found, "mine", None)}
    sides = values["as player, at worst"].mean, values["as banker, at worst"].mean
    assert values["exploitability"].mean == pytest.approx(-sum(sides) / 2)
    assert values["exploitability"].low is None
    found = exploit(policy, rules, make_policy(rules=rules), progress=False)
    (wins, regret) = values_of(measure, found, "mine", None)
    assert (wins.name, regret.name) == ("wins from mine", "regret")
    assert regret.mean > 0


def test_few_figures_stand_beside_each_other_and_many_below() -> None:
    few = [make_measurement(), make_measurement(Value("over basic", 0.1), seed=2)]
    assert table(few).splitlines() == [
        "| policy | over basic |",
        "|---|---:|",
        "| `mine`, seed 1 | +0.250 ± 0.050 |",
        "| `mine`, seed 2 | +0.1000 |",
    ]
    many = make_measurement(*(Value(f"over {i}", i) for i in range(7)))
    lines = table([many]).splitlines()
    assert lines[0] == "| least stakes a deal | `mine`, seed 1 |"
    assert lines[-1] == "| over 6 | +6.0000 |"


def test_an_agent_that_was_not_trained_stands_by_its_name() -> None:
    agent = make_measurement(subject="basic", recipe=None, seed=None)
    assert table([agent]).splitlines()[-1].startswith("| `basic` | ")


def test_a_footnote_says_what_the_figures_rest_on() -> None:
    assert "n = 2,000 deals in 100 sessions, seed 1000; 95%" in footnote([make_measurement()])
    exact = make_measurement(EXACT, deals=None, sessions=None)
    assert "whose cards seed 1000 picks; no deals are sampled" in footnote([exact])


def test_the_digest_of_rules_is_that_of_their_json_in_any_order() -> None:
    assert rules_digest(RULES) == rules_digest(
        Rules.from_dict(dict(reversed(json.loads(json.dumps(RULES.to_dict())).items())))
    )
    assert rules_digest(RULES) != rules_digest(Rules.single_deal(seats=4))
