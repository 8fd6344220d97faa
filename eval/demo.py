"""Train a small player and compare it with the baselines: ``python -m eval.demo``, a few minutes.

The player learns with MaskablePPO at tables of one deal against bankers and fellow players who
stick on 17. Then it, and every baseline in its place, plays the same new deals. The folder, which
must be empty or hold an earlier demonstration, gets ``report.md``, ``results.json``,
``learning_curve.png``, ``comparison.png``, the policy and hand histories of its deals, all at the
end.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from tqdm import tqdm

from agents.baselines import BASELINES, Baseline
from agents.saved_policy import write_text
from eval.benchmark import Results, Scenario, run_benchmark
from eval.command import exit_status
from eval.statistics import Estimate
from pontoon_env import batch
from pontoon_env.agent import AnyAgent, TableAgent, ask_for_chips
from pontoon_env.history import HistoryWriter, Recorder
from pontoon_env.rules import Rules
from pontoon_env.state import Phase

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from train.maskable_ppo import Settings

BANKER: Final = "stick17"
TO_BEAT: Final = ("random", "stick15", "stick16", "stick17", "stick18", "stick19")
"""The baselines that a few minutes of training are to beat."""
TRAINED: Final = "trained"
RULES: Final = Rules.single_deal()
STAKED: Final = Scenario(role="player", others=BANKER, banker=BANKER, is_flat=False)
FLAT: Final = Scenario(role="player", others=BANKER, banker=BANKER, is_flat=True)
N_HISTORIES: Final = 5

Curve = list[tuple[int, float]]
"""Decisions made, and the mean return of late in least stakes."""


class _Trained:
    """The trained policy under a name for tables; see `pontoon_env.agent.TableAgent`."""

    def __init__(self, policy: TableAgent) -> None:
        """Wrap a policy."""
        self.name = TRAINED
        self.check_rules = policy.check_rules
        self.choose = policy.choose


def training_settings(timesteps: int, seed: int) -> Settings:
    """Return the settings of the training, checked.

    Raises:
        ImportError: A library that the training needs is not installed.
        ValueError: One is out of its range; the message names it.
    """
    from train.maskable_ppo import Settings

    settings = Settings(
        timesteps=timesteps,
        seed=seed,
        role="player",
        opponents=BANKER,
        checkpoint_every=timesteps,
    )
    settings.check()
    return settings


def train_player(settings: Settings) -> tuple[AnyAgent, Curve]:
    """Train a player, showing a progress bar, and return it and its learning curve."""
    from agents.saved_policy import load_policy
    from train.maskable_ppo import train

    curve: Curve = []
    timesteps = settings.timesteps
    with tqdm(total=timesteps, unit="decision", unit_scale=True, desc="training") as bar:

        def show(done: int, _total: int, mean_return: float) -> None:
            curve.append((done, mean_return))
            bar.set_postfix_str(f"return {mean_return:+.2f}", refresh=False)
            bar.update(min(done, timesteps) - bar.n)

        folder = train(settings, show)
    return _Trained(load_policy(folder)), curve


def compare(player: AnyAgent, deals: int, seed: int) -> Results:
    """Play the same deals with the player and each baseline in its place; show a progress bar."""
    to_play = [STAKED, FLAT]
    total = (1 + len(BASELINES)) * len(to_play) * deals
    with tqdm(total=total, unit="deal", unit_scale=True, desc="playing") as bar:

        def show(name: str, n: int) -> None:
            bar.set_postfix_str(name, refresh=False)
            bar.update(n)

        return run_benchmark([player], RULES, to_play, deals, seed, show)


def record_deals(player: AnyAgent, folder: Path, seed: int) -> None:
    """Write the hand histories of a few deals of the player's."""
    record = RULES.to_record()
    banker = Baseline(BANKER)
    generator = np.random.default_rng(seed)
    for episode in range(N_HISTORIES):
        games = batch.new_games(1)
        batch.begin_batch(
            record, games, np.array([seed], np.uint64), np.array([episode], np.uint64)
        )
        with HistoryWriter(folder / f"deal_{episode}.jsonl") as writer:
            recorder = Recorder(RULES, games, writer.write)
            recorder.begin(None)  # its seed alone would not lead back to a later episode
            own_seat = (games["banker"][0] + 1) % RULES.seats
            while games["phase"][0] != Phase.OVER:
                asked = player if games["seat"][0] == own_seat else banker
                moves, chips = ask_for_chips(asked, RULES, games, generator)
                recorder.decide(int(moves[0]), int(chips[0]))


def verdict(results: Results) -> list[str]:
    """Say of each baseline whether the trained player beats it, with intervals apart at 95%."""
    lines = []
    for scenario, how in ((STAKED, "with its own stakes"), (FLAT, "at flat least stakes")):
        net = results.row(scenario, TRAINED).net
        beaten = [name for name in TO_BEAT if net.is_above(results.row(scenario, name).net)]
        lost = [name for name in TO_BEAT if name not in beaten]
        outcome = "beats " + ", ".join(beaten) if beaten else "beats none of the baselines"
        if lost:
            outcome += "; NOT shown to beat " + ", ".join(lost)
        lines.append(f"- {how}, the trained player wins {net} a deal and {outcome}")
        difference = results.row(scenario, "basic").differences[TRAINED]
        lines.append(f"- {how}, its net minus that of basic is {difference} on the same deals")
    return lines


def beats_all(results: Results) -> bool:
    """Tell whether the trained player's interval lies above that of `random` and every `stickN`."""
    net = results.row(STAKED, TRAINED).net
    return all(net.is_above(results.row(STAKED, name).net) for name in TO_BEAT)


def draw_learning_curve(path: Path, curve: Curve, results: Results) -> None:
    """Draw the mean return of late over the decisions trained on."""
    plot, figure, axes = _figure(1)
    decisions, returns = zip(*curve, strict=True)
    axes[0].plot(decisions, returns, label="in training, choices drawn")
    for name, colour in ((TRAINED, "tab:green"), ("stick17", "tab:gray"), ("basic", "tab:orange")):
        mean = results.row(STAKED, name).net.mean
        axes[0].axhline(mean, color=colour, linestyle="--", label=f"{name}, evaluated")
    axes[0].set(xlabel="decisions", ylabel="net a deal, least stakes", title="Learning curve")
    axes[0].legend()
    figure.savefig(path, dpi=120)
    plot.close(figure)


def draw_comparison(path: Path, results: Results) -> None:
    """Draw every candidate's net with its interval, at its own stakes and at flat ones."""
    plot, figure, axes = _figure(2)
    titles = ("own stakes", "flat least stakes")
    for axis, scenario, title in zip(axes, (STAKED, FLAT), titles, strict=True):
        rows = sorted(results.tables[scenario], key=lambda row: row.net.mean)
        nets: list[Estimate] = [row.net for row in rows]
        colours = ["tab:green" if row.candidate == TRAINED else "tab:blue" for row in rows]
        axis.barh(
            [row.candidate for row in rows],
            [net.mean for net in nets],
            xerr=[net.half_width for net in nets],
            color=colours,
        )
        axis.axvline(0, color="black", linewidth=0.8)
        axis.set(xlabel="net a deal, least stakes, 95%", title=title)
    figure.savefig(path, dpi=120)
    plot.close(figure)


def _figure(n: int) -> tuple[Any, Any, list[Axes]]:
    """Return pyplot, a figure for a file and its ``n`` axes side by side."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plot

    figure, axes = plot.subplots(1, n, figsize=(6 * n, 4), squeeze=False, layout="constrained")
    return plot, figure, list(axes[0])


def _report(results: Results, timesteps: int, seed: int, seconds: float) -> str:
    """Return the report."""
    return "\n".join(
        [
            "# Demonstration\n",
            f"MaskablePPO trained a player on {timesteps:,} decisions (seed {seed}) at tables of "
            f"one deal, against a banker and fellow players who stick on 17. The whole took "
            f"{seconds:.0f} seconds.\n",
            "Beats means: the two 95% intervals lie apart.\n",
            *verdict(results),
            "",
            results.to_markdown(),
            "",
            "![Learning curve](learning_curve.png)",
            "![Comparison](comparison.png)",
            "",
            f"Hand histories of the trained player: deal_0.jsonl to deal_{N_HISTORIES - 1}.jsonl. "
            "It sits on the banker's left.",
        ]
    )


def demonstrate(folder: Path, training: Settings, deals: int) -> tuple[Results, float]:
    """Train, compare, and write everything to an empty folder.

    Returns:
        What was played, and the seconds that it all took.
    """
    import matplotlib  # noqa: F401 -- where it is missing, say so before the training

    start = time.monotonic()
    player, curve = train_player(replace(training, out=folder / "policy"))
    results = compare(player, deals, training.seed + 1)
    record_deals(player, folder, training.seed + 1)
    draw_learning_curve(folder / "learning_curve.png", curve, results)
    draw_comparison(folder / "comparison.png", results)
    found = {**results.to_dict(), "timesteps": training.timesteps, "learning_curve": curve}
    write_text(folder / "results.json", json.dumps(found, indent=2))
    seconds = time.monotonic() - start
    write_text(folder / "report.md", _report(results, training.timesteps, training.seed, seconds))
    return results, seconds


def claim_folder(folder: Path) -> None:
    """Make a folder; refuse one in which there is anything but an earlier demonstration.

    Raises:
        OSError: It cannot be made, or holds something else.
    """
    folder.mkdir(parents=True, exist_ok=True)
    is_empty = all(path.name.startswith(".") for path in folder.iterdir())
    if not is_empty and not _holds_demonstration(folder):
        raise FileExistsError(
            f"{folder} is not empty, and holds no demonstration that could be replaced: --out "
            "names another folder"
        )


def _holds_demonstration(folder: Path) -> bool:
    """Tell whether a demonstration has been written to a folder."""
    try:
        found = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and "learning_curve" in found


def publish(stage: Path, folder: Path) -> None:
    """Move everything from ``stage`` to ``folder``; a folder that it replaces goes to ``stage``.

    ``results.json`` goes first: from then on the folder is known for a demonstration's.
    """
    for path in sorted(stage.iterdir(), key=lambda path: path.name != "results.json"):
        target = folder / path.name
        if target.is_dir():
            target.replace(stage / f"{path.name}.replaced")
        path.replace(target)


@exit_status
def main(arguments: Sequence[str] | None = None) -> None:
    """Run the demonstration."""
    parser = argparse.ArgumentParser(prog="python -m eval.demo", description=__doc__)
    parser.add_argument("--timesteps", type=int, default=2_000_000, help="decisions to train on")
    parser.add_argument("--deals", type=int, default=100_000, help="deals for each candidate")
    parser.add_argument("--seed", type=int, default=1, help="of training; play has the next one")
    parser.add_argument("--out", type=Path, default=Path("out/demo"), help="folder of the results")
    settings = parser.parse_args(arguments)
    folder: Path = settings.out
    training = training_settings(settings.timesteps, settings.seed)
    if settings.deals < 1:
        raise ValueError(f"--deals {settings.deals} must be 1 or more")
    claim_folder(folder)
    with TemporaryDirectory(dir=folder, prefix=".demo-") as stage:
        results, seconds = demonstrate(Path(stage), training, settings.deals)
        publish(Path(stage), folder)
    print(f"\n{results.to_markdown()}\n")
    print("\n".join(verdict(results)))
    every = "random and every stickN" if beats_all(results) else "NOT all of random and stickN"
    print(f"\nIntervals apart at 95%: the trained player beats {every}.")
    print(f"{seconds:.0f} seconds; written: {folder / 'report.md'}")


if __name__ == "__main__":
    sys.exit(main())
