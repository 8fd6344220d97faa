"""A lock on a file: one process at a time, and none that waits for the dead."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from pontoon_env import process_lock

HOLDER = """
import sys, time
from pathlib import Path
from pontoon_env import process_lock
with process_lock.held(Path(sys.argv[1]), lambda: None):
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def holder(path: Path, seconds: float) -> subprocess.Popen[str]:
    """Another process that has the lock, and gives it back after some seconds."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path), str(seconds)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_another_process_waits_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_lock, "_PATIENCE", 0.1)
    said = []
    with holder(tmp_path / "lock", 1.0) as process:
        begun = time.monotonic()
        with process_lock.held(tmp_path / "lock", lambda: said.append(True)):
            waited = time.monotonic() - begun
        process.wait()
    assert waited > 0.5
    assert said == [True]


def test_a_lock_of_a_process_that_was_killed_is_free(tmp_path: Path) -> None:
    with holder(tmp_path / "lock", 600.0) as process:
        process.kill()
        begun = time.monotonic()
        with process_lock.held(tmp_path / "lock", lambda: None):
            assert time.monotonic() - begun < 60
        process.wait()


def test_nothing_is_locked_where_no_file_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    reached = False
    with process_lock.held(tmp_path / "file" / "lock", lambda: None):
        reached = True
    assert reached


@pytest.mark.skipif(sys.platform == "win32", reason="there the lock is another call")
def test_nothing_is_locked_where_the_file_system_has_no_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no locks here")

    monkeypatch.setattr("fcntl.flock", refuse)
    reached = False
    with process_lock.held(tmp_path / "lock", lambda: None):
        reached = True
    assert reached


def test_an_error_gives_the_lock_back(tmp_path: Path) -> None:
    with (
        pytest.raises(KeyError),
        process_lock.held(tmp_path / "lock", lambda: None),
    ):
        raise KeyError
    with holder(tmp_path / "lock", 0.0) as process:
        assert process.wait() == 0
