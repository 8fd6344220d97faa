"""Commands as processes: how many run, how they end, and how they are stopped."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval.jobs import Ended, Job, run_jobs


def make_job(folder: Path, name: str, code: str) -> Job:
    """A job that runs some code."""
    return Job(name=name, arguments=("-c", code), log=folder / f"{name}.log")


def test_all_jobs_end_with_their_status_and_what_they_print_is_kept(tmp_path: Path) -> None:
    jobs = [
        make_job(tmp_path, "good", "print('done')"),
        make_job(tmp_path, "bad", "raise SystemExit(3)"),
        make_job(tmp_path, "killed", "import os; os.kill(os.getpid(), 9)"),
        make_job(tmp_path, "one-thread", "import os; print(os.environ['OMP_NUM_THREADS'])"),
    ]
    found: dict[str, Ended] = {}
    most = 0

    def looked(running: list[Job]) -> None:
        nonlocal most
        most = max(most, len(running))

    run_jobs(jobs, 2, lambda job, end: found.update({job.name: end}), looked)
    assert {name: end.status for name, end in found.items()} == {
        "good": 0,
        "bad": 3,
        "killed": -9,
        "one-thread": 0,
    }
    assert (tmp_path / "good.log").read_text() == "done\n"
    assert (tmp_path / "one-thread.log").read_text() == "1\n"
    assert most == 2


def test_core_seconds_are_those_of_the_job_alone(tmp_path: Path) -> None:
    busy = "import time\nwhile time.process_time() < 1.0: pass"
    jobs = [make_job(tmp_path, "busy", busy), make_job(tmp_path, "idle", "import time")]
    found: dict[str, float] = {}
    run_jobs(jobs, 2, lambda job, end: found.update({job.name: end.core_seconds}), lambda _: None)
    assert 1.0 <= found["busy"] < 2.0
    assert found["idle"] < 0.9


def test_what_a_job_prints_can_be_a_file_of_its_own(tmp_path: Path) -> None:
    code = "import sys; print('found'); print('warned', file=sys.stderr)"
    job = Job(
        name="job", arguments=("-c", code), log=tmp_path / "log", printed=tmp_path / "printed"
    )
    run_jobs([job], 1, lambda *_: None, lambda _: None)
    assert (tmp_path / "printed").read_text() == "found\n"
    assert (tmp_path / "log").read_text() == "warned\n"


WAITING = """
import pathlib, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
try:
    pathlib.Path(sys.argv[1]).touch()
    time.sleep(60)
except KeyboardInterrupt:
    raise SystemExit(130)
"""


def test_ctrl_c_is_handed_on_and_all_ends_are_told(tmp_path: Path) -> None:
    """None is begun after it."""
    jobs = [
        Job(name=name, arguments=("-c", WAITING, str(tmp_path / name)), log=tmp_path / "log")
        for name in ("first", "second", "third")
    ]
    found: dict[str, int] = {}

    def looked(running: list[Job]) -> None:
        if all((tmp_path / name).exists() for name in ("first", "second")):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_jobs(jobs, 2, lambda job, end: found.update({job.name: end.status}), looked)
    assert found == {"first": 130, "second": 130}
    assert not (tmp_path / "third").exists()
