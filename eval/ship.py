"""Put a trained policy among those that a checkout brings: ``python -m eval.ship RUN --name NAME``.

Copies the policy of a run to ``agents/trained/NAME``, writes ``CARD.md`` from its settings and from
what ``eval.reproduce`` has measured of it (``--results``), and gives it its entry point in
pyproject.toml; after the next ``make setup`` it is found by its name.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from agents import trained
from agents.saved_policy import (
    POLICY_FILE,
    SETTINGS_FILE,
    PolicySettings,
    load_policy,
    write_text,
)
from eval.command import exit_status
from eval.measurements import Measurement, footnote, read_measurement, rules_digest, table
from pontoon_env.agent_names import GROUP

CARD: Final = "CARD.md"
PYPROJECT: Final = Path(__file__).parents[1] / "pyproject.toml"
_SECTION: Final = f'[project.entry-points."{GROUP}"]\n'
_NOT_SAID: Final = ("out", "resume", "seed")
"""Settings of the training that say nothing about the policy, or are said before."""


def ship(run: Path, name: str, measurements: Sequence[Measurement]) -> Path:
    """Copy a policy to its folder among the trained ones and return that.

    Args:
        run: Folder of the policy.
        name: Small letters, digits and hyphens; a policy of that name is replaced.
        measurements: What was measured of it.

    Raises:
        FileNotFoundError: There is no policy.
        ValueError: The name cannot be one, the policy cannot be loaded, or something was measured
            of another one.
    """
    if re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name) is None:
        raise ValueError(
            f"--name {name} must be of small letters and digits, with hyphens in between"
        )
    settings = load_policy(run).settings
    weights = hashlib.sha256((run / POLICY_FILE).read_bytes()).hexdigest()
    for each in measurements:
        if each.digests.get(each.subject) != weights:
            raise ValueError(
                f"{each.title} of {each.subject} was not measured of the policy in {run}: its "
                f"{POLICY_FILE} has the digest {weights}"
            )
    folder = trained.FOLDER / name
    folder.mkdir(exist_ok=True)
    for file in (POLICY_FILE, SETTINGS_FILE):
        shutil.copyfile(run / file, folder / file)
    write_text(folder / CARD, card(name, settings, weights, measurements))
    offer(name)
    return folder


def offer(name: str) -> None:
    """Give a policy its entry point in pyproject.toml, where it has none."""
    text = PYPROJECT.read_text(encoding="utf-8")
    line = f'{name} = "{trained.__name__}:{trained.attribute_of(name)}"\n'
    if line in text:
        return
    before, section, after = text.partition(_SECTION)
    if not section:
        raise ValueError(f"{PYPROJECT} has no section {_SECTION.strip()}")
    own, end, others = after.partition("\n\n")
    write_text(PYPROJECT, f"{before}{section}{own}\n{line.rstrip()}{end}{others}")


def card(
    name: str, settings: PolicySettings, weights: str, measurements: Sequence[Measurement]
) -> str:
    """Return the card of a policy, as Markdown.

    Args:
        name: Its name.
        settings: Of its training.
        weights: SHA-256 of its weights' file, in hexadecimal.
        measurements: What was measured of it.
    """
    banker = settings.banker_opponent
    met = settings.opponents if banker is None else f"{settings.opponents}, {banker} as banker"
    versions = {"pontoon-env": settings.package_version, **settings.library_versions}
    facts = {
        "role": settings.role,
        "trained against": met,
        "algorithm": f"`train.{settings.algorithm}`",
        "actions": settings.encoding,
        "memory features": "yes" if settings.memory else "no",
        "plays": f"{settings.plays} choices",
        "seed": str(settings.seed),
        "decisions trained on": f"{settings.timesteps:,}",
        "core seconds of training": _seconds(measurements),
        "versions": ", ".join(f"{library} {version}" for library, version in versions.items()),
        "SHA-256 of the weights": f"`{weights}`",
        "SHA-256 of the rules' JSON": f"`{rules_digest(settings.rules)}`",
        "licence": "MIT",
    }
    said = {key: value for key, value in settings.training.items() if key not in _NOT_SAID}
    lines = [
        f"# {name}",
        "",
        f'A policy that comes trained: `make_agent("{name}")`, `opponents="{name}"`, and its name',
        "in every command.",
        "",
        "| | |",
        "|---|---|",
        *(f"| {key} | {value} |" for key, value in facts.items()),
        "",
        "## Results",
        *_results(measurements),
        "",
        "## Limits",
        "",
        "It plays only by the rules below: others that change what is seen or chosen are refused",
        "(`agents.bound_rules`), and for those that change payments, packs or shuffles it was not",
        "trained. It has met the agents that are named above, and no people. Its results are no",
        "bounds on how much an opponent that knows it wins.",
        "",
        "## Rules",
        "",
        "```json",
        json.dumps(settings.rules.to_dict(), sort_keys=True, indent=2),
        "```",
        "",
        "## Settings of the training",
        "",
        "```json",
        json.dumps(said, indent=2),
        "```",
    ]
    return "\n".join(lines)


def _seconds(measurements: Sequence[Measurement]) -> str:
    """Return how long the training took, as it was noted."""
    noted = {each.core_seconds for each in measurements if each.core_seconds is not None}
    return ", ".join(f"{seconds:,.0f}" for seconds in sorted(noted)) or "not noted"


def _results(measurements: Sequence[Measurement]) -> list[str]:
    """Return the part of the results."""
    if not measurements:
        return ["", "None were measured."]
    lines: list[str] = []
    for each in measurements:
        lines += ["", f"**{each.title[0].upper()}{each.title[1:]}**", "", table([each]), ""]
        if each.is_shortened:
            lines += ["Shortened: trained too little and measured on too few deals to count.", ""]
        lines += [footnote([each]), "", "```console", f"$ {each.command}", "```"]
    trainings = dict.fromkeys(each.training_command for each in measurements)
    commands = [f"$ {command}" for command in trainings if command is not None]
    if commands:
        lines += ["", "Trained by:", "", "```console", *commands, "```"]
    return lines


@exit_status
def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m eval.ship", description=__doc__)
    option = parser.add_argument
    option("run", type=Path, help="folder of the policy")
    option("--name", required=True, help="what it is called from now on")
    option("--results", type=Path, nargs="*", default=[], help="files of measurements")
    settings = parser.parse_args(arguments)
    measurements = [read_measurement(path) for path in settings.results]
    folder = ship(settings.run, settings.name, measurements)
    print(f"{folder} is made; make setup lets {settings.name} be found")


if __name__ == "__main__":
    sys.exit(main())
