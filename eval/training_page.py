"""The tables and pictures of docs/benchmark.md: ``python -m eval.training_page``.

Reads what ``python -m eval.reproduce --full`` has left in ``--folder``, draws the learning curves
into docs/benchmark/, and puts tables and commands in their places on the page; the text between
them is written by hand. Of a part of which nothing has been measured yet, what the page has stays.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from agents.saved_policy import write_text
from eval.command import check_writable, exit_status
from eval.measurements import Measurement, footnote, read_measurement, table
from eval.reproduce import FULL, Measuring, Training, measurings_of, trainings_of
from eval.strategy_page import fill
from train.recipes import RECIPES, Recipe

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PAGE: Final = Path(__file__).parents[1] / "docs" / "benchmark.md"
PICTURES: Final = PAGE.with_suffix("")
_WIDTH: Final = 100
"""Characters of a line of commands."""


@dataclass(frozen=True)
class Part:
    """A part of the page."""

    name: str
    recipes: tuple[str, ...]


PARTS: Final = (
    Part("players", ("player-discrete", "player-hybrid")),
    Part("bankers", ("banker-2-basic", "banker-2-exact", "banker-6-basic", "banker-6-exact")),
    Part("memory-never", ("plain-never", "memory-never", "recurrent-never")),
    Part("memory-default", ("plain-default", "memory-default", "recurrent-default")),
    Part("self-play-two", ("self-play-two",)),
    Part("self-play-pontoon", ("self-play-pontoon",)),
    Part("self-play-shoot", ("self-play-shoot",)),
)

Curve = tuple[list[int], list[float]]
"""Decisions made, and the mean return of late in least stakes."""


def commands(part: Part) -> str:
    """Return the commands that train and measure a part's policies, as a block of Markdown.

    The seed is that of each recipe's first policy; the last line says which others there are.
    """
    recipes = [RECIPES[name] for name in part.recipes]
    typed = [recipe.command(recipe.seeds[0], _run(recipe)) for recipe in recipes]
    for recipe in recipes:
        for measure in recipe.measures:
            twins = () if measure.twin is None else (RECIPES[measure.twin],)
            specs = tuple(str(_run(each)) for each in (recipe, *twins))
            typed.append(measure.command(specs, Path("out/benchmark")))
    lines = [line for words in typed for line in _wrapped(words)]
    return "\n".join(("```console", *lines, "```", "", _seeds(recipes)))


def _run(recipe: Recipe) -> Path:
    """Return where the commands on the page put the first run of a recipe."""
    return Path("runs") / f"{recipe.name}-{recipe.seeds[0]}"


def _seeds(recipes: Sequence[Recipe]) -> str:
    """Return which seeds there are."""
    several = max((recipe.seeds for recipe in recipes), key=len)
    single = [f"`{recipe.name}`" for recipe in recipes if len(recipe.seeds) == 1]
    if len(several) == 1:
        return "One seed each."
    alone = f"; of {' and '.join(single)} the first alone" if single else ""
    return f"Likewise with seeds {' and '.join(map(str, several[1:]))}{alone}."


def _wrapped(words: Sequence[str]) -> list[str]:
    """Return a command in lines of a fair length, each flag beside its values."""
    groups = ["$ python"]
    for word in words:
        if word.startswith("-"):
            groups.append(word)
        else:
            groups[-1] += f" {word}"
    lines = [groups[0]]
    for group in groups[1:]:
        if len(lines[-1]) + len(group) > _WIDTH - 3:
            lines[-1] += " \\"
            lines.append("   ")
        lines[-1] += f" {group}"
    return lines


def results(part: Part, measurings: Sequence[Measuring]) -> str:
    """Return the tables and the picture of a part, as Markdown; empty where there are none.

    Raises:
        ValueError: A file of a measurement is damaged, or was not made by a full run.
    """
    kept = [read_measurement(each.kept) for each in measurings if each.kept.is_file()]
    titled: dict[str, list[Measurement]] = {}
    for each in kept:
        if each.is_shortened:
            raise ValueError(f"{each.subject} was measured in a shortened run, not in a full one")
        titled.setdefault(each.title, []).append(each)
    blocks = [f"{table(group)}\n\n{footnote(group)}" for group in titled.values()]
    if kept:
        blocks += [_costs(kept), f"![Learning curves](benchmark/{part.name}.svg)"]
    return "\n\n".join(blocks)


def _costs(kept: Sequence[Measurement]) -> str:
    """Return what the trainings of measured policies have cost, as a table."""
    lines = ["| policy | decisions | core minutes |", "|---|---:|---:|"]
    lines += [
        f"| `{each.recipe}`, seed {each.seed} | {each.decisions:,} | {each.core_seconds / 60:.0f} |"
        for each in kept
        if each.decisions is not None and each.core_seconds is not None
    ]
    return "\n".join(lines)


def curve_of(policy: Path) -> Curve:
    """Return the learning curve of a run from its logs; those of resumed parts go before."""
    found: dict[int, float] = {}
    for log in sorted((policy / "log").glob("*/progress.csv")):
        begun = int(log.parent.name)
        found = {decisions: mean for decisions, mean in found.items() if decisions <= begun}
        with log.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                mean = float(row.get("rollout/ep_rew_mean") or "nan")
                if not math.isnan(mean):
                    found[int(float(row["time/total_timesteps"]))] = mean
    return list(found), list(found.values())


def draw_curves(trainings: Sequence[Training], path: Path) -> None:
    """Draw the learning curves of a part: a colour a recipe, a line a seed."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 4), layout="constrained")
    axes: Axes = figure.subplots()
    names = list(dict.fromkeys(each.recipe.name for each in trainings))
    for training in trainings:
        number = names.index(training.recipe.name)
        is_first = training.seed == training.recipe.seeds[0]
        label = training.recipe.name if is_first else None
        axes.plot(*curve_of(training.policy), color=f"C{number}", linewidth=0.9, label=label)
    axes.set_xlabel("decisions")
    axes.set_ylabel("mean return a session, least stakes")
    axes.legend(frameon=False)
    with rc_context({"svg.hashsalt": "pontoon", "svg.fonttype": "none"}):
        figure.savefig(path, metadata={"Date": None})


def make_page(page: str, folder: Path, pictures: Path) -> str:
    """Return the page with its parts filled, and draw its pictures.

    Args:
        page: As it is.
        folder: Of a full run.
        pictures: Folder of the pictures.

    Raises:
        ValueError: The page has no place for a part, or a measurement cannot be read.
    """
    page = fill(page, {f"commands of {part.name}": commands(part) for part in PARTS})
    trainings = trainings_of(folder, list(RECIPES.values()))
    measurings = measurings_of(folder, trainings, is_shortened=False)
    for part in PARTS:
        own = [each for each in trainings if each.recipe.name in part.recipes]
        measured = [
            each
            for each in measurings
            if each.training in own or (each.agent is not None and _is_beside(each, own))
        ]
        text = results(part, measured)
        if text:
            pictures.mkdir(exist_ok=True)
            draw_curves(own, pictures / f"{part.name}.svg")
            page = fill(page, {part.name: text})
        else:
            print(f"nothing is measured of {part.name}: its part stays", file=sys.stderr)
    return page


def _is_beside(measuring: Measuring, trainings: Sequence[Training]) -> bool:
    """Tell whether an agent is measured beside policies."""
    return any(measuring.measure in each.recipe.measures for each in trainings)


@exit_status
def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m eval.training_page", description=__doc__)
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("out/reproduce") / FULL,
        help="what a full run has left",
    )
    settings = parser.parse_args(arguments)
    importlib.import_module("matplotlib")  # fails before the work, not after it
    page = PAGE.read_text(encoding="utf-8")
    fill(page, {part.name: "" for part in PARTS})
    check_writable(PAGE)
    write_text(PAGE, make_page(page, settings.folder, PICTURES))
    print(f"{PAGE} and {PICTURES}/ are made")


if __name__ == "__main__":
    sys.exit(main())
