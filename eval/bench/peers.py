"""Other environments beside ours, each in a process of its own that takes turns with this one."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from eval.bench.faces import Face
from eval.bench.figures import spread
from eval.bench.timing import SLICE, Slice, on_one_core, play_slice

_ROOT: Final = Path(__file__).parents[2]
_PATIENCE: Final = 300.0
"""Seconds until a peer that does not answer is given up: some compile for a minute."""
_SURROUNDINGS: Final = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "JAX_PLATFORMS": "cpu",
    "SDL_VIDEODRIVER": "dummy",
    "PYGAME_HIDE_SUPPORT_PROMPT": "1",
    "TF_CPP_MIN_LOG_LEVEL": "3",
}


@dataclass(frozen=True)
class Pair:
    """One of our faces and a peer that is to be measured beside it."""

    face: str
    peer: str
    wanted: float | None = None
    """What the ratio of decisions per second is to be, ours to theirs; None where that is open."""


PAIRS: Final = (
    Pair("AEC, raw", "PettingZoo hold'em, raw", 10.0),
    Pair("AEC, docs", "PettingZoo hold'em, docs", 10.0),
    Pair("AEC, raw", "PettingZoo tictactoe, raw"),
    Pair("AEC, docs", "PettingZoo tictactoe, docs"),
    Pair("AEC, raw", "RLCard hold'em"),
    Pair("AEC, raw", "RLCard leduc"),
    Pair("AEC, raw", "RLCard blackjack"),
    Pair("AEC, raw", "PokerKit hold'em"),
    Pair("AEC, raw", "OpenSpiel hold'em"),
    Pair("AEC, raw", "OpenSpiel leduc"),
    Pair("AEC, raw", "OpenSpiel blackjack"),
    Pair("make", "Gymnasium blackjack", 4.0),
    Pair("make_vec", "Gymnasium blackjack, vector", 50.0),
    Pair("make_vec", "EnvPool blackjack"),
    Pair("batch, nothing observed", "OpenSpiel leduc, C++", 2.0),
    Pair("batch, nothing observed", "OpenSpiel blackjack, C++"),
    Pair("batch, nothing observed", "OpenSpiel hold'em, C++"),
    Pair("batch, all observed", "EnvPool blackjack", 1.0),
    Pair("batch, all observed", "Pgx leduc", 1.0),
    Pair("batch, all observed", "Pgx kuhn", 1.0),
)


class PeerError(RuntimeError):
    """A peer cannot be measured; the message says why."""


class Peer:
    """A process that plays slices of a game of another library when it is asked."""

    def __init__(self, python: str, name: str, patience: float = _PATIENCE) -> None:
        """Start the process; `version` is the library's.

        Args:
            python: The interpreter that has the library.
            name: Of `eval.bench.peer_games.GAMES`.
            patience: Seconds until it is given up where it does not answer.

        Raises:
            PeerError: The library is missing, or the game does not start.
        """
        self._patience = patience
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 -- closed with the process
        try:
            self._process = subprocess.Popen(
                [python, "-m", "eval.bench.worker", name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                text=True,
                cwd=_ROOT,
                env={**os.environ, **_SURROUNDINGS},
            )
        except OSError as error:
            self._errors.close()
            raise PeerError(f"{python} cannot be started: {error.strerror}") from error
        try:
            self.version: str = self._answer()["ready"]
        except BaseException:
            self.close()
            raise

    def play(self, seconds: float = SLICE) -> Slice:
        """Have a slice played.

        Raises:
            PeerError: The process has ended, or does not answer.
        """
        assert self._process.stdin is not None, "a pipe was asked for"
        with contextlib.suppress(OSError):  # that it has ended, its answer tells better
            self._process.stdin.write(f"{seconds}\n")
            self._process.stdin.flush()
        return Slice(**self._answer())

    def _answer(self) -> dict[str, Any]:
        """Return the next line that it says."""
        assert self._process.stdout is not None, "a pipe was asked for"
        timer = threading.Timer(self._patience, self._process.kill)
        timer.start()
        try:
            line = self._process.stdout.readline()
        finally:
            timer.cancel()
        if not line:
            raise PeerError(self._last_words())
        try:
            answer: dict[str, Any] = json.loads(line)
        except json.JSONDecodeError:
            raise PeerError(f"it has said {line.strip()!r}, which is no answer") from None
        if "error" in answer:
            raise PeerError(answer["error"])
        return answer

    def _last_words(self) -> str:
        """Return how the process has ended."""
        status = self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").split("\n")
        last = next((line for line in reversed(lines) if line.strip()), "it has said nothing")
        return f"its process has ended with status {status}: {last.strip()}"

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None, "a pipe was asked for"
        assert self._process.stdout is not None, "a pipe was asked for"
        self._process.kill()
        self._process.wait()
        with contextlib.suppress(OSError):  # what it was last asked for may still be in there
            self._process.stdin.close()
        self._process.stdout.close()
        self._errors.close()

    def __enter__(self) -> Self:
        """Return the peer."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the process."""
        self.close()


def measure_pair(face: Face, peer: Peer, rounds: int) -> dict[str, Any]:
    """Return what came of turns of a face and a peer, the order flipped every round."""
    face.play()
    ours: list[Slice] = []
    theirs: list[Slice] = []
    for number in range(rounds):
        if number % 2 == 0:
            ours.append(play_slice(face.play))
            theirs.append(peer.play())
        else:
            theirs.append(peer.play())
            ours.append(play_slice(face.play))
    return {
        "decisions_a_second": spread([each.rate for each in ours]),
        "peer_decisions_a_second": spread([each.rate for each in theirs]),
        "ratio": spread([mine.rate / other.rate for mine, other in zip(ours, theirs, strict=True)]),
    }


def measure_peers(
    faces: Mapping[str, Face],
    python: str,
    rounds: int,
    told: Callable[[str], None],
    pairs: Sequence[Pair] = PAIRS,
) -> list[dict[str, Any]]:
    """Measure all pairs on one core; of a peer that cannot be measured the reason is kept.

    Args:
        faces: Ours, by name.
        python: The interpreter that has the peers.
        rounds: Slices of each side of a pair.
        told: Called with the peer's name after each pair.
        pairs: What to measure.
    """
    found: list[dict[str, Any]] = []
    for pair in pairs:
        names = {"face": pair.face, "peer": pair.peer, "wanted": pair.wanted}
        try:
            with ExitStack() as stack:
                stack.enter_context(on_one_core())
                peer = stack.enter_context(Peer(python, pair.peer))
                measured = measure_pair(faces[pair.face], peer, rounds)
                found.append({**names, "version": peer.version, **measured})
        except PeerError as error:
            found.append({**names, "missing": str(error)})
        told(pair.peer)
    return found
