"""What has been measured of a policy, as it is kept in a file and shown in a table."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from agents.saved_policy import write_text
from eval.benchmark import Scenario
from pontoon_env.rules import Rules
from train.recipes import Measure

FORMAT: Final = "pontoon_measurement_v1"
_FLAT: Final = ", flat stakes"
_MOST_COLUMNS: Final = 6
"""Figures that a table shows beside each other."""


@dataclass(frozen=True)
class Value:
    """A figure, in least stakes a deal."""

    name: str
    mean: float
    low: float | None = None
    """Ends of the 95% interval; None where the figure is exact."""
    high: float | None = None

    def __str__(self) -> str:
        """Write it as ``+0.067 ± 0.010``, or ``+0.0671`` where it is exact."""
        if self.low is None or self.high is None:
            return f"{self.mean:+.4f}"
        return f"{self.mean:+.3f} ± {(self.high - self.low) / 2:.3f}"


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """Figures of one policy, with all that is needed to find them again."""

    title: str
    """The measure's; see `train.recipes.Measure`."""
    subject: str
    """Name of the policy or agent."""
    recipe: str | None
    """How it was trained; None for an agent that was not, as all below that concerns training."""
    seed: int | None
    """Of the training."""
    values: tuple[Value, ...]
    rules: dict[str, Any]
    """Those it was measured by."""
    deals: int | None
    """Deals that it played in each scenario; None where all is exact."""
    sessions: int | None
    """Sessions, the clusters of the intervals."""
    evaluation_seed: int
    command: str
    digests: dict[str, str]
    """SHA-256 of the weights of all policies that the command names, by name."""
    training_command: str | None
    decisions: int | None
    """Decisions that it was trained on."""
    core_seconds: float | None
    """Seconds of one core that the training took."""
    versions: dict[str, str]
    is_shortened: bool
    format: str = FORMAT


def write_measurement(path: Path, measurement: Measurement) -> None:
    """Write a measurement as JSON."""
    write_text(path, json.dumps(asdict(measurement), indent=2))


def read_measurement(path: Path) -> Measurement:
    """Return a measurement from its file.

    Raises:
        OSError: It cannot be read.
        ValueError: It is none, or of another format; the message names the file.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if found["format"] != FORMAT:
            raise ValueError(f"format is {found['format']!r}, not {FORMAT!r}")  # noqa: TRY301
        found["values"] = tuple(Value(**value) for value in found["values"])
        return Measurement(**found)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} holds no measurement: {error}") from error


def rules_digest(rules: Rules) -> str:
    """Return the SHA-256 of rules as JSON with sorted keys, in hexadecimal."""
    return hashlib.sha256(json.dumps(rules.to_dict(), sort_keys=True).encode()).hexdigest()


def values_of(
    measure: Measure, found: dict[str, Any], subject: str, twin: str | None
) -> tuple[Value, ...]:
    """Return the figures of a measure from what its command has written.

    Args:
        measure: What was measured.
        found: What `eval.benchmark` or `eval.exploit` has written.
        subject: Name of the policy in it.
        twin: Name of the policy that is compared with it.
    """
    if measure.program == "exploit":
        return _values_of_exploit(found)
    values: list[Value] = []
    for scenario in found["scenarios"]:
        rows = {row["candidate"]: row for row in scenario.pop("rows")}
        sat = Scenario(**scenario)
        flat = _FLAT if sat.is_flat else ""
        if measure.minus == ("others",):
            differences = rows[sat.others]["differences"]
            values.append(_value(f"over {sat.others}", differences[subject]))
            continue
        values.append(_value(f"net{flat}", rows[subject]["net"]))
        values += [
            _value(f"more than {name}{flat}", rows[name]["differences"][subject])
            for name in measure.minus
        ]
        if twin is not None:
            difference = rows[twin]["differences"][subject]
            values.append(_value(f"more than its twin{flat}", difference))
    return tuple(values)


def _value(name: str, estimate: dict[str, Any]) -> Value:
    """Return a figure with its interval."""
    return Value(name, estimate["mean"], estimate["low"], estimate["high"])


def _values_of_exploit(found: dict[str, Any]) -> tuple[Value, ...]:
    """Return the figures of `eval.exploit`."""
    against = found.get("against_banker")
    if against is not None:
        return (
            Value(f"wins from {against['banker']}", against["wins"]),
            Value("regret", against["regret"]),
        )
    return (
        Value("as player, at worst", found["as_player"]["wins_against_best_banker"]),
        Value("as banker, at worst", -found["as_banker"]["loses_to_best_player"]),
        Value("exploitability", found["exploitability"]),
    )


def table(measurements: Sequence[Measurement]) -> str:
    """Return a table of measurements of one title, as Markdown.

    A policy or agent is a row; where there are many figures of each, a column.
    """
    names = list(dict.fromkeys(value.name for each in measurements for value in each.values))
    subjects = [_subject(each) for each in measurements]
    found = {
        (subject, value.name): str(value)
        for subject, each in zip(subjects, measurements, strict=True)
        for value in each.values
    }
    if len(names) <= _MOST_COLUMNS:
        return _grid("policy", subjects, names, found)
    turned = {(name, subject): text for (subject, name), text in found.items()}
    return _grid("least stakes a deal", names, subjects, turned)


def _subject(measurement: Measurement) -> str:
    """Return how a table names who was measured."""
    if measurement.recipe is None:
        return f"`{measurement.subject}`"
    return f"`{measurement.recipe}`, seed {measurement.seed}"


def _grid(
    head: str, rows: Sequence[str], columns: Sequence[str], cells: dict[tuple[str, str], str]
) -> str:
    """Return a table as Markdown."""
    lines = [f"| {' | '.join((head, *columns))} |", f"|---|{'---:|' * len(columns)}"]
    for row in rows:
        texts = (cells.get((row, column), "") for column in columns)
        lines.append(f"| {' | '.join((row, *texts))} |")
    return "\n".join(lines)


def footnote(measurements: Sequence[Measurement]) -> str:
    """Return what the figures of a table rest on, as one line."""
    deals = {each.deals for each in measurements if each.deals is not None}
    sessions = {each.sessions for each in measurements if each.sessions is not None}
    seeds = ", ".join(str(seed) for seed in sorted({m.evaluation_seed for m in measurements}))
    if not deals:
        return (
            f"Least stakes a deal, exact: asked at every information set, whose cards seed {seeds} "
            "picks; no deals are sampled."
        )
    played = " or ".join(f"{n:,}" for n in sorted(deals))
    clusters = " or ".join(f"{n:,}" for n in sorted(sessions))
    return (
        f"Least stakes a deal, n = {played} deals in {clusters} sessions, seed {seeds}; 95% "
        "intervals clustered by session, differences on the same deals."
    )
