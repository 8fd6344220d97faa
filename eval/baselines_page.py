"""The tables of docs/baselines.md, every player against every banker: ``eval.baselines_page``.

``python -m eval.baselines_page`` plays each pairing on the same deals, keeps what is done in
``--folder`` (a run that was stopped goes on from there), and puts the tables in their places on the
page; the text between them is written by hand.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from tqdm import tqdm

from agents.registry import make_agent
from agents.saved_policy import write_text
from eval.command import check_writable, exit_status
from eval.match import Lineup, play_sessions
from eval.statistics import Estimate, clustered_mean
from eval.strategy_page import fill
from pontoon_env.agent import check_agent
from pontoon_env.arguments import check_seed
from pontoon_env.rules import Rules

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "baselines.md"
SEATS: Final = (2, 6, 8)
STICKS: Final = tuple(f"stick{n}" for n in range(15, 20))
PLAYERS: Final = ("random", *STICKS, "timid", "bold", "basic", "counter", "exact", "equilibrium")
BANKERS: Final = ("random", *STICKS, "basic", "bayes", "counter", "equilibrium")
LEAST_SESSIONS: Final = 2


@dataclass(frozen=True)
class Setting:
    """The rules of a table of results."""

    name: str
    seats: int

    def rules(self) -> Rules:
        """Return the rules: the bank stays where it is, so that roles are fixed."""
        if self.name == "sessions":
            return Rules.pontoon(seats=self.seats, bank_passes="never", bank_sale=False)
        if self.seats == SEATS[0]:
            return Rules.two_seat_exact(min_stake=1, max_stake=10)
        return Rules.single_deal(seats=self.seats, packs="infinite")


SETTINGS: Final = tuple(
    Setting(name, seats) for seats in SEATS for name in ("sessions", "infinite pack")
)


def play_cell(setting: Setting, player: str, banker: str, deals: int, seed: int) -> Estimate | None:
    """Return what a player wins a deal from a banker, in least stakes; None where one refuses.

    Args:
        setting: The rules.
        player: Name of the agent on all players' seats.
        banker: Name of the banker.
        deals: Deals to play, at least.
        seed: Key of the deals: those of all cells of a setting are the same.
    """
    rules = setting.rules()
    agents = [make_agent(player), make_agent(banker)]
    try:
        for agent in agents:
            check_agent(agent, rules)
    except ValueError:
        return None
    pattern = np.zeros((1, rules.seats, 2), np.int64)
    pattern[:, 0] = 1
    n = max(-(-deals // rules.deals), LEAST_SESSIONS)
    sessions = play_sessions(rules, Lineup(agents=agents, patterns=pattern), n, seed)
    others = (rules.seats - 1) * rules.deals * rules.min_stake
    return clustered_mean(-sessions.by_place()[:, 0] / others)


def _digest() -> str:
    """Return the digest of all sources that results depend on."""
    paths = [
        path for part in ("pontoon_env", "agents") for path in sorted((ROOT / part).rglob("*.py"))
    ]
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:8]


def _cells(folder: Path, deals: int, seed: int) -> Iterator[tuple[Setting, str, str, Path]]:
    """Yield every cell, with the file that its result is kept in."""
    digest = _digest()
    for setting in SETTINGS:
        for player in PLAYERS:
            for banker in BANKERS:
                name = (
                    f"{setting.name}-{setting.seats}-{player}-{banker}-{deals}-{seed}-{digest}.json"
                )
                yield setting, player, banker, folder / name.replace(" ", "_")


def play_all(folder: Path, deals: int, seed: int, workers: int) -> None:
    """Play every cell that is not kept in ``folder`` yet; show a progress bar."""
    waiting = [cell for cell in _cells(folder, deals, seed) if not cell[3].exists()]
    context = multiprocessing.get_context("spawn")
    with (
        ProcessPoolExecutor(workers, mp_context=context) as pool,
        tqdm(total=len(waiting), unit="cell", disable=None) as bar,
    ):
        running = {pool.submit(play_cell, *cell[:3], deals, seed): cell for cell in waiting}
        try:
            for future in as_completed(running):
                found = future.result()
                kept = None if found is None else asdict(found)
                write_text(running[future][3], json.dumps(kept))
                bar.update()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def table(setting: Setting, folder: Path, deals: int, seed: int) -> str:
    """Return the table of a setting from what is kept, as Markdown."""
    found = {
        (player, banker): json.loads(path.read_text(encoding="utf-8"))
        for each, player, banker, path in _cells(folder, deals, seed)
        if each == setting
    }
    bankers = [each for each in BANKERS if any(found[player, each] for player in PLAYERS)]
    lines = [f"| player | {' | '.join(f'`{each}`' for each in bankers)} |"]
    lines.append(f"|---|{'---|' * len(bankers)}")
    for player in PLAYERS:
        cells = [_cell(found[player, banker]) for banker in bankers]
        if any(cells):
            lines.append(f"| `{player}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(found: dict[str, Any] | None) -> str:
    """Return a result as a table shows it."""
    if found is None:
        return ""
    estimate = Estimate(**found)
    return f"{estimate.mean:+.3f} ± {estimate.half_width:.3f}"


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the settings of the command line."""
    parser = argparse.ArgumentParser(prog="python -m eval.baselines_page", description=__doc__)
    option = parser.add_argument
    option("--deals", type=int, default=1_000_000, help="deals a cell, at least")
    option("--seed", type=int, default=1, help="key of the deals")
    option("--workers", type=int, default=2, help="processes that play at once")
    option("--folder", type=Path, default=Path("out/baselines"), help="where results are kept")
    return parser.parse_args(arguments)


@exit_status
def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    settings = _parse(arguments)
    if settings.deals < 1 or settings.workers < 1:
        raise ValueError("--deals and --workers must be 1 or more")
    seed = check_seed(settings.seed)
    page = PAGE.read_text(encoding="utf-8")
    fill(page, {f"{setting.name}, {setting.seats} seats": "" for setting in SETTINGS})
    check_writable(PAGE)
    settings.folder.mkdir(parents=True, exist_ok=True)
    play_all(settings.folder, settings.deals, seed, settings.workers)
    tables = {
        f"{setting.name}, {setting.seats} seats": table(
            setting, settings.folder, settings.deals, seed
        )
        for setting in SETTINGS
    }
    write_text(PAGE, fill(page, tables))
    print(f"{PAGE} is made")


if __name__ == "__main__":
    sys.exit(main())
