"""Golden histories: whole sessions, kept per version of the environment.

A change of one of them is a change of the course of games: it asks for a new version of the
environment and a line in the changelog. Made anew by ``python -m tests.golden``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from eval.simulate import simulate
from pontoon_env.rules import Rules

FOLDER: Final = Path(__file__).parent / "golden"

SESSIONS: Final[dict[str, Callable[[], Rules]]] = {
    "pontoon_v0-pontoon": lambda: Rules.pontoon(deals=12),
    "pontoon_v0-shoot": lambda: Rules.shoot(seats=5, deals=12),
    "pontoon_v0-eight_seats": lambda: Rules.pontoon(seats=8, deals=6, packs=2, ties="push"),
    "pontoon_v0-two_seat_exact": Rules.two_seat_exact,
    "pontoon_v0-varied": lambda: Rules.shoot(
        seats=4,
        deals=10,
        banker_doubles=True,
        burn="14",
        burn_repeat=1,
        under_pack="random",
        bank_refusable=True,
        split_pontoon="once",
        trick_pays=1.5,
        royal=True,
    ),
}
"""Sessions of random play, seed 7, by the names of their files."""


def record(name: str, path: Path) -> None:
    """Play a golden session and write its history to ``path``."""
    rules = SESSIONS[name]()
    simulate(rules, ["random"] * rules.seats, seed=7, history=path, progress=False)


def regenerated(name: str) -> str:
    """Return the history of a golden session as it is played today."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "session.jsonl"
        record(name, path)
        return path.read_text()


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for session in SESSIONS:
        record(session, FOLDER / f"{session}.jsonl")
        print(f"wrote {session}.jsonl")
