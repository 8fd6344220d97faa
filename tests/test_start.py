"""What a start costs: imports, the first step, several processes at once, nowhere to write."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pontoon_env import _jit

KERNELS = '''
"""A package of its own with two kernels: quickly compiled."""

import numpy as np
from pontoon_env._jit import entry_point, kernel


@kernel
def double(x):
    return 2 * x


@entry_point
def fill(out):
    for i in range(out.size):
        out[i] = double(i)
'''
FIRST_CALL = (
    "import numpy as np; from few_kernels.kernels import double, fill; out = np.zeros(3, np.int64);"
    "fill(out); assert out.tolist() == [0, 2, 4]; assert double(4) == 8"
)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder that holds a small package with kernels."""
    folder = tmp_path / "few_kernels"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "kernels.py").write_text(KERNELS)
    return folder


def started(
    package: Path, cache: Path | None = None, program: str = FIRST_CALL
) -> subprocess.Popen[str]:
    """A process that calls the package's kernels."""
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment["XDG_CACHE_HOME"] = str(cache or package.parent / "cache")
    path = os.pathsep.join([str(package.parent), os.getcwd()])
    return subprocess.Popen(
        [sys.executable, "-c", program],
        env={**environment, "PYTHONPATH": path},
        stderr=subprocess.PIPE,
        text=True,
    )


def compiled(folder: Path) -> list[str]:
    """Names of the files of machine code below a folder."""
    return [path.name for path in folder.rglob("*.nbc")]


def ended(process: subprocess.Popen[str]) -> str:
    """What a process has printed to the end, which must be a good one."""
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors
    return errors


def test_importing_the_package_loads_neither_the_compiler_nor_torch() -> None:
    program = (
        "import sys, pontoon_env; assert 'numpy' in sys.modules;"
        "found = {'numba', 'llvmlite', 'torch', 'pontoon_env.batch'} & set(sys.modules);"
        "assert not found, found"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_machine_code_is_kept_apart_by_all_modules_that_it_is_compiled_from() -> None:
    for path in sorted(_jit._PACKAGE.rglob("*.py")):
        if path.name == "_jit.py" or path.read_bytes() not in _jit._SOURCES:
            continue
        for imported in re.findall(r"^from pontoon_env\.([\w.]+) import", path.read_text(), re.M):
            source = _jit._PACKAGE / (imported.replace(".", "/") + ".py")
            if source.exists():
                assert source.read_bytes() in _jit._SOURCES, f"{path.name}: {imported}"


def test_of_processes_that_start_at_once_one_compiles(package: Path) -> None:
    errors = [ended(process) for process in [started(package) for _ in range(4)]]
    assert sum("compiling" in each and "waiting" not in each for each in errors) == 1
    assert len(compiled(package)) == 1
    assert "compiling" not in ended(started(package))


def test_an_installation_that_cannot_be_written_uses_the_cache_of_the_user(package: Path) -> None:
    (package / "__pycache__").write_text("")  # a file: no folder can be made there
    cache = package.parent / "cache"
    assert "compiling" in ended(started(package, cache))
    assert len(compiled(cache)) == 1
    assert "compiling" not in ended(started(package, cache))


def test_where_nothing_can_be_written_every_process_compiles(package: Path) -> None:
    (package / "__pycache__").write_text("")
    nowhere = package / "kernels.py"
    for _ in range(2):
        assert "compiling" in ended(started(package, nowhere))


def test_another_version_of_numba_is_not_taken_apart_and_compiles_the_same(package: Path) -> None:
    ended(
        started(
            package,
            program=(
                "import sys; from pontoon_env import _jit; _jit._TAKEN_APART = 'another';"
                f"{FIRST_CALL}; assert 'pontoon_env._kernel_compiler' not in sys.modules"
            ),
        )
    )
