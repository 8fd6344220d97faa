"""The process that a peer plays in: ``python -m eval.bench.worker NAME``.

It speaks lines of JSON. Once the game is made and warm it says ``{"ready": VERSION}``, or
``{"error": REASON}`` and ends. Then every line that it reads, a number of seconds of processor
time, is answered by the slice that was played: ``{"decisions": .., "cpu_ns": .., "wall_ns": ..}``.
It ends when its input does. What the peer itself prints goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterable
from dataclasses import asdict
from importlib.metadata import version
from typing import IO, Any

from eval.bench.peer_games import GAMES
from eval.bench.timing import play_slice


def serve(name: str, requests: Iterable[str], answers: IO[str]) -> None:
    """Make a game and play a slice of it for each line of ``requests``."""

    def say(answer: dict[str, Any]) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    try:
        game = GAMES[name]
        installed = version(game.distribution)
        play = game.start()
        play()
    except Exception as error:  # whatever others' code may raise
        say({"error": f"{type(error).__name__}: {error}"})
        return
    say({"ready": installed})
    for request in requests:
        say(asdict(play_slice(play, float(request))))


def main() -> None:
    """Serve on standard input and output, and leave nothing of them to the peer."""
    warnings.simplefilter("ignore")
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    serve(sys.argv[1], sys.stdin, answers)


if __name__ == "__main__":
    main()
