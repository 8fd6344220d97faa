"""Faults planted in the engine are noticed by the naive referee: `tests.mutation` has the list."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutation import FAULTS, plant, survives

QUICK = (1, 7, 8, 16, 19, 22, 33)
"""Faults that are caught within a few seconds."""


@pytest.mark.parametrize("number", QUICK)
def test_a_planted_fault_is_caught(number: int) -> None:
    """The referee's games, played uncompiled on an engine with one line changed."""
    survived, what = survives(FAULTS[number])
    assert not survived, f"{FAULTS[number].what}: {what}"
    assert what.startswith("caught in session"), what


@pytest.mark.slow
@pytest.mark.parametrize("number", sorted(set(range(len(FAULTS))) - set(QUICK)))
def test_every_planted_fault_is_caught(number: int) -> None:
    """The rest of the list."""
    test_a_planted_fault_is_caught(number)


@pytest.mark.slow
def test_the_engine_without_a_fault_survives() -> None:
    """What catches faults does not catch the engine itself."""
    survived, what = survives(None)
    assert survived, what


@pytest.mark.parametrize("number", range(len(FAULTS)))
def test_every_fault_can_be_planted(number: int, tmp_path: Path) -> None:
    """Its line is in the module, exactly once."""
    plant(FAULTS[number], tmp_path)
