"""A user's script is strictly typed, and runs."""

from __future__ import annotations

import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from tests import typed_user


def test_a_user_s_script_runs() -> None:
    typed_user.main()


def test_the_package_says_that_it_is_typed() -> None:
    """Without the marker a type checker reads nothing of an installed package."""
    assert (files("pontoon_env") / "py.typed").is_file()


@pytest.mark.slow
def test_a_user_s_script_passes_mypy_strict() -> None:
    """Every public name in every encoding, with the types that the package ships."""
    script = Path(typed_user.__file__)
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(script)],
        cwd=script.parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout
