"""Train every published policy and measure it: ``python -m eval.reproduce --full``.

Without ``--full`` it runs a shortened version in a few minutes: a fraction of the decisions, one
seed, few deals. What is learned in it is poor, and its table says so; it shows that every step
works.

The folder (``--out``) gets ``shortened`` or ``full``, and in it ``policies``, a training run each;
``trainings`` and ``measurements``, a JSON file for each; ``logs``; and ``results.md``. Ctrl-C stops
it. Run again, it goes on: what is whole stays, and trainings are resumed at their last checkpoints.
Where a command fails the others go on, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import csv
import json
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any, Final

from tqdm import tqdm

from agents.saved_policy import SETTINGS_FILE, read_settings, write_text
from eval.command import exit_status
from eval.jobs import INTERRUPTED, Ended, Job, run_jobs
from eval.measurements import (
    Measurement,
    footnote,
    read_measurement,
    table,
    values_of,
    write_measurement,
)
from train.recipes import EVALUATION_SEED, RECIPES, Measure, Recipe

FULL: Final = "full"
SHORTENED: Final = "shortened"
_PARTS: Final = ("policies", "trainings", "measurements", "played", "logs")
_BEGUN: Final = "training.json"
"""A file that every training run has from its beginning (`train.run`)."""


@dataclass(frozen=True)
class Training:
    """The training of one policy."""

    folder: Path
    """Of everything."""
    recipe: Recipe
    seed: int

    @property
    def name(self) -> str:
        """Name of the policy."""
        return f"{self.recipe.name}-{self.seed}"

    @property
    def policy(self) -> Path:
        """Folder of the run, and of the policy at its end."""
        return self.folder / "policies" / self.name

    @property
    def noted(self) -> Path:
        """File of the command and the time it has taken so far."""
        return self.folder / "trainings" / f"{self.name}.json"

    def job(self) -> Job:
        """Return the command that trains, goes on or begins anew."""
        arguments = self.recipe.command(self.seed, self.policy)
        resume = ("--resume",) if (self.policy / _BEGUN).is_file() else ()
        log = self.folder / "logs" / f"{self.name}.log"
        return Job(name=self.name, arguments=(*arguments, *resume), log=log)

    def command(self) -> str:
        """Return the command that trains from the beginning, as it is typed."""
        return " ".join(("python", *self.recipe.command(self.seed, self.policy)))

    def read_note(self) -> dict[str, Any]:
        """Return the command and the time it has taken so far.

        Raises:
            ValueError: The policy's folder was filled by another command.
        """
        noted: dict[str, Any] = {"command": self.command(), "core_seconds": 0.0}
        if self.noted.is_file():
            noted = json.loads(self.noted.read_text(encoding="utf-8"))
        elif (self.policy / _BEGUN).is_file():
            noted["command"] = "one that is not noted"
        if noted["command"] != self.command():
            raise ValueError(
                f"{self.policy} was filled by another command ({noted['command']}), not by "
                f"{self.command()}: remove it and {self.noted}, or name another folder with --out"
            )
        return noted

    def note(self, core_seconds: float) -> None:
        """Add to the time that the training has taken."""
        noted = self.read_note()
        noted["core_seconds"] = round(noted["core_seconds"] + core_seconds, 1)
        write_text(self.noted, json.dumps(noted, indent=2))

    def is_whole(self) -> bool:
        """Tell whether the policy is there."""
        try:
            read_settings(self.policy)
        except (OSError, ValueError):
            return False
        return True

    def decisions(self) -> int:
        """Return how many decisions it has trained on, as its log has it."""
        logs = sorted((self.policy / "log").glob("*/progress.csv"))
        if not logs:
            return 0
        with logs[-1].open(encoding="utf-8", newline="") as file:
            rows = [row.get("time/total_timesteps") for row in csv.DictReader(file)]
        return int(float(rows[-1])) if rows and rows[-1] else 0


@dataclass(frozen=True)
class Measuring:
    """One measurement of a policy, or of an agent beside it."""

    folder: Path
    measure: Measure
    training: Training | None
    twin: Training | None = None
    agent: str | None = None
    """Name of the agent, where it is none that is trained here."""
    is_shortened: bool = False

    @property
    def subject(self) -> str:
        """Name of who is measured."""
        return self.agent or self.trained()[0].name

    @property
    def name(self) -> str:
        """Name of the measurement's files."""
        return f"{self.subject}-{self.measure.title}".replace(" ", "_")

    @property
    def kept(self) -> Path:
        """File of the measurement."""
        return self.folder / "measurements" / f"{self.name}.json"

    @property
    def played(self) -> Path:
        """Folder of what the command writes."""
        return self.folder / "played" / self.name

    @property
    def written(self) -> Path:
        """File of the command's own results."""
        return self.played / "results.json"

    def trained(self) -> list[Training]:
        """Return the policies that must be there."""
        return [each for each in (self.training, self.twin) if each is not None]

    def job(self) -> Job:
        """Return the command."""
        specs = tuple(str(each.policy) for each in self.trained()) or (self.subject,)
        return Job(
            name=self.name,
            arguments=tuple(self.measure.command(specs, self.played)),
            log=self.folder / "logs" / f"{self.name}.log",
            printed=self.written if self.measure.program == "exploit" else None,
        )

    def digests(self) -> dict[str, str]:
        """Return the digests of the policies' weights, by name."""
        paths = {each.name: each.policy / SETTINGS_FILE for each in self.trained()}
        return {
            name: json.loads(path.read_text(encoding="utf-8"))["digest"]
            for name, path in paths.items()
        }

    def is_kept(self) -> bool:
        """Tell whether these very policies have been measured by this very command."""
        try:
            kept, digests = read_measurement(self.kept), self.digests()
        except (OSError, ValueError):
            return False
        return kept.command == self.job().command and kept.digests == digests

    def keep(self) -> None:
        """Write the measurement from what the command has written."""
        found = json.loads(self.written.read_text(encoding="utf-8"))
        twin = None if self.twin is None else self.twin.name
        measurement = Measurement(
            title=self.measure.title,
            subject=self.subject,
            recipe=None,
            seed=None,
            values=values_of(self.measure, found, self.subject, twin),
            rules=found["rules"],
            deals=found.get("deals"),
            sessions=found.get("sessions"),
            evaluation_seed=int(EVALUATION_SEED),
            command=self.job().command,
            digests=self.digests(),
            training_command=None,
            decisions=None,
            core_seconds=None,
            versions={},
            is_shortened=self.is_shortened,
        )
        if self.training is not None:
            settings = read_settings(self.training.policy)
            measurement = replace(
                measurement,
                recipe=self.training.recipe.name,
                seed=self.training.seed,
                training_command=self.training.command(),
                decisions=settings.timesteps,
                core_seconds=self.training.read_note()["core_seconds"],
                versions={"pontoon-env": settings.package_version, **settings.library_versions},
            )
        write_measurement(self.kept, measurement)


def chosen_recipes(names: Sequence[str], is_full: bool) -> list[Recipe]:
    """Return the recipes of some names, all where there are none, with the twins that they need.

    Raises:
        ValueError: There is no recipe of a name.
    """
    for name in names:
        if name not in RECIPES:
            raise ValueError(f"no policy is called {name!r}: there are {', '.join(RECIPES)}")
    needed = set(names or RECIPES)
    needed |= {
        measure.twin for name in needed for measure in RECIPES[name].measures if measure.twin
    }
    found = [recipe for name, recipe in RECIPES.items() if name in needed]
    return found if is_full else [recipe.shortened() for recipe in found]


def trainings_of(folder: Path, recipes: Sequence[Recipe]) -> list[Training]:
    """Return all trainings, in the order of the recipes."""
    return [Training(folder, recipe, seed) for recipe in recipes for seed in recipe.seeds]


def measurings_of(
    folder: Path, trainings: Sequence[Training], is_shortened: bool
) -> list[Measuring]:
    """Return all measurements, each but once, in the order of the recipes."""
    by_place = {(each.recipe.name, each.seed): each for each in trainings}
    found: dict[str, Measuring] = {}
    for training in trainings:
        for measure in training.recipe.measures:
            twin = None if measure.twin is None else by_place[measure.twin, training.seed]
            own = Measuring(folder, measure, training, twin, is_shortened=is_shortened)
            others = [
                Measuring(folder, measure, None, agent=agent, is_shortened=is_shortened)
                for agent in measure.beside
            ]
            found |= {each.name: each for each in (own, *others)}
    return list(found.values())


def train_all(trainings: Sequence[Training], at_once: int) -> list[str]:
    """Train all policies that are not whole, showing a progress bar; return what has failed.

    Raises:
        ValueError: A policy's folder was filled by another command; nothing is trained then.
    """
    for training in trainings:
        training.read_note()
    waiting = {each.name: each for each in trainings if not each.is_whole()}
    for training in waiting.values():
        training.note(0.0)  # from here on it is known by which command the folder is filled
    total = sum(each.recipe.timesteps() for each in waiting.values())
    made = {name: each.decisions() for name, each in waiting.items()}
    failed: list[str] = []
    with tqdm(total=total, unit="decision", unit_scale=True, desc="training", disable=None) as bar:

        def ended(job: Job, end: Ended) -> None:
            waiting[job.name].note(end.core_seconds)
            _tell(bar, failed, job, end)

        def looked(running: list[Job]) -> None:
            for job in running:
                made[job.name] = max(made[job.name], waiting[job.name].decisions())
            bar.set_postfix_str(", ".join(job.name for job in running), refresh=False)
            bar.update(min(sum(made.values()), total) - bar.n)

        run_jobs([each.job() for each in waiting.values()], at_once, ended, looked)
    return failed


def measure_all(measurings: Sequence[Measuring], at_once: int) -> list[str]:
    """Measure all policies that are whole, showing a progress bar; return what has failed."""
    ready = [each for each in measurings if all(policy.is_whole() for policy in each.trained())]
    waiting = {each.name: each for each in ready if not each.is_kept()}
    failed: list[str] = []
    with tqdm(total=len(waiting), unit="policy", desc="measuring", disable=None) as bar:

        def ended(job: Job, end: Ended) -> None:
            _tell(bar, failed, job, end)
            if end.status == 0:
                waiting[job.name].keep()
            bar.update()

        def looked(running: list[Job]) -> None:
            bar.set_postfix_str(", ".join(job.name for job in running))

        for measuring in waiting.values():
            measuring.played.mkdir(parents=True, exist_ok=True)
        run_jobs([each.job() for each in waiting.values()], at_once, ended, looked)
    return failed


def _tell(bar: Any, failed: list[str], job: Job, end: Ended) -> None:
    """Say of a job that it has ended; note it where it has failed."""
    how = f"has ended, {end.core_seconds:.0f} core seconds"
    if end.status == INTERRUPTED:
        how = "was stopped"
    elif end.status != 0:
        how = f"failed with status {end.status}: see {job.log}"
        failed.append(f"{job.name} {how}")
    bar.write(f"{job.name} {how}", file=sys.stderr)


def results_page(measurings: Sequence[Measuring], is_full: bool) -> str:
    """Return the tables of all that has been measured, as Markdown."""
    lines = ["# Results"]
    if not is_full:
        lines += ["", "**Shortened**: trained too little and measured on too few deals to count."]
    kept = [read_measurement(each.kept) for each in measurings if each.is_kept()]
    for title in dict.fromkeys(each.title for each in kept):
        titled = [each for each in kept if each.title == title]
        lines += ["", f"## {title[0].upper()}{title[1:]}", "", table(titled), "", footnote(titled)]
    return "\n".join(lines)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the settings of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m eval.reproduce",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    option = parser.add_argument
    option("--full", action="store_true", help="the whole trainings: hours")
    option("--only", nargs="+", default=[], metavar="NAME", help=f"of {', '.join(RECIPES)}")
    option("--out", type=Path, default=Path("out/reproduce"), help="folder of the results")
    option("--jobs", type=int, default=2, help="processes at a time, each with one thread")
    return parser.parse_args(arguments)


@contextmanager
def _ended_like_ctrl_c() -> Iterator[None]:
    """Take a polite end by the system as Ctrl-C: the processes must be ended too."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@exit_status
def _run(arguments: Sequence[str] | None, failed: list[str]) -> None:
    """Run the command; add to ``failed`` which of its own commands have."""
    settings = _parse(arguments)
    recipes = chosen_recipes(settings.only, settings.full)
    if settings.jobs < 1:
        raise ValueError(f"--jobs {settings.jobs} must be 1 or more")
    folder: Path = settings.out / (FULL if settings.full else SHORTENED)
    trainings = trainings_of(folder, recipes)
    measurings = measurings_of(folder, trainings, not settings.full)
    for part in _PARTS:
        (folder / part).mkdir(parents=True, exist_ok=True)
    with _ended_like_ctrl_c():
        failed += train_all(trainings, settings.jobs)
        failed += measure_all(measurings, settings.jobs)
    page = results_page(measurings, settings.full)
    write_text(folder / "results.md", page)
    print(f"{page}\n\nwritten: {folder / 'results.md'}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    failed: list[str] = []
    status = _run(arguments, failed)
    for line in failed:
        print(f"error: {line}", file=sys.stderr)
    return status or int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
