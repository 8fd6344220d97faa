"""Measure the speed of the environment beside that of others: ``python -m eval.bench``.

Everything plays random legal moves, in short slices that take turns, so that a machine that speeds
up or slows down does so for all; docs/performance.md says how. The run fails, with exit status 1,
where one of our faces does less of its limit than it used to.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from agents.saved_policy import write_text
from eval.bench.faces import N_TABLES
from eval.bench.measure import SECTIONS, Settings, measure
from eval.bench.page import PLACE, tables
from eval.bench.targets import FLOORS, floors_of, read_floors, too_slow
from eval.command import check_writable, exit_status
from eval.strategy_page import fill
from pontoon_env.rules import Rules

DEFAULT_JSON: Final = Path("out/bench/bench.json")


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the settings of the command line."""
    parser = argparse.ArgumentParser(prog="python -m eval.bench", description=__doc__)
    option = parser.add_argument
    option("--sections", nargs="+", choices=SECTIONS, default=SECTIONS, help="what to measure")
    option("--peers", default=None, metavar="PYTHON", help="interpreter that has the peers")
    option("--seats", type=int, default=Rules.seats, help="seats of a table")
    option("--tables", type=int, default=N_TABLES, help="tables of a batch")
    option("--rounds", type=int, default=15, help="slices of each")
    option("--json", type=Path, default=DEFAULT_JSON, help="file to write the figures to")
    option("--page", type=Path, default=None, help="page to put the tables in, beside printing")
    option("--renew-floors", action="store_true", help="store floors below what is measured now")
    return parser.parse_args(arguments)


def run(arguments: Sequence[str] | None) -> list[str]:
    """Measure, print and write; return what has become too slow, a sentence each.

    Raises:
        OSError: A file cannot be written, or a process not be started.
        ValueError: A setting is wrong, or the page has no place for the tables.
    """
    given = _parse(arguments)
    if given.tables < 1 or given.rounds < 1:
        raise ValueError("--tables and --rounds must be 1 or more")
    is_usual = given.seats == Rules.seats and given.tables == N_TABLES
    if given.renew_floors and not (is_usual and "faces" in given.sections):
        raise ValueError("--renew-floors needs the section faces, with the usual seats and tables")
    peers = given.peers and shutil.which(given.peers)
    if given.peers and not peers:
        raise ValueError(f"--peers={given.peers} is no interpreter that can be run")
    if given.json == DEFAULT_JSON:
        given.json.parent.mkdir(parents=True, exist_ok=True)
    check_writable(given.json)
    if given.page:
        fill(given.page.read_text(encoding="utf-8"), {PLACE: ""})
        check_writable(given.page)
    settings = Settings(
        sections=given.sections,
        seats=given.seats,
        tables=given.tables,
        rounds=given.rounds,
        peers=peers and os.path.abspath(peers),
    )
    if not peers and "peers" in given.sections:
        print("Peers are left out: --peers names an interpreter that has them.", file=sys.stderr)
    figures = measure(settings)
    text = tables(figures)
    print(text)
    write_text(given.json, json.dumps(figures, indent=2))
    if given.page:
        page = given.page.read_text(encoding="utf-8")
        write_text(given.page, fill(page, {PLACE: text}))
    faces = figures.get("faces", [])
    if not is_usual or not faces:
        return []
    if given.renew_floors:
        write_text(FLOORS, json.dumps(floors_of(faces), indent=2))
    return too_slow(faces, read_floors())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 1 where a face has become too slow, else as `exit_status` says."""
    slow: list[str] = []

    @exit_status
    def command() -> None:
        slow.extend(run(arguments))

    status = command()
    for sentence in slow:
        print(f"too slow: {sentence}", file=sys.stderr)
    return status or int(bool(slow))


if __name__ == "__main__":
    sys.exit(main())
