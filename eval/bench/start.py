"""How long it takes until the first decision is made, each time in a new process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from eval.bench.figures import spread

_ROOT: Final = Path(__file__).parents[2]
_TIMED: Final = """
import json, sys, time
clock, cpu = time.perf_counter(), time.process_time()
{code}
print(json.dumps({{
    "clock": time.perf_counter() - clock,
    "cpu": time.process_time() - cpu,
    "loaded": [name for name in ("numba", "torch") if name in sys.modules],
}}))
"""
_IMPORT: Final = "import pontoon_env"
_FIRST_STEP: Final = """
from pontoon_env import pontoon_v0
env = pontoon_v0.env()
env.reset(seed=1)
observation = env.last()[0]
env.step({"move": observation["action_mask"].argmax(), "amount": 0.5})
env.last()
"""


def time_in_process(code: str, **environment: str) -> dict[str, Any]:
    """Run a piece of code in a new process; return its seconds and what heavy modules it loads.

    Raises:
        OSError: The process has failed.
    """
    done = subprocess.run(
        [sys.executable, "-c", _TIMED.format(code=code)],
        cwd=_ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise OSError(f"a new process has failed: {done.stderr.strip().splitlines()[-1]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _several(code: str, n: int, told: Callable[[], None], **environment: str) -> dict[str, Any]:
    """Run it ``n`` times."""
    runs = []
    for _ in range(n):
        runs.append(time_in_process(code, **environment))
        told()
    return {
        "cpu_seconds": spread([run["cpu"] for run in runs]),
        "clock_seconds": spread([run["clock"] for run in runs]),
        "loaded": sorted({name for run in runs for name in run["loaded"]}),
    }


def measure_start(repeats: int, told: Callable[[], None]) -> dict[str, Any]:
    """Return seconds of an import, of the first step, and of the first step ever.

    Args:
        repeats: Processes of each kind; the one that compiles everything is started once.
        told: Called after each process, ``2 * repeats + 2`` times.
    """
    time_in_process(_FIRST_STEP)  # from here on the compiled code is on disk
    told()
    found = {
        "import": _several(_IMPORT, repeats, told),
        "first step": _several(_FIRST_STEP, repeats, told),
    }
    with tempfile.TemporaryDirectory() as folder:
        cold = _several(_FIRST_STEP, 1, told, NUMBA_CACHE_DIR=folder)
    return {**found, "first step ever": cold}
