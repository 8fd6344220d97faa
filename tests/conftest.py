"""Fixtures that several test files share."""

from __future__ import annotations

from functools import partial

import pytest

from tests.scripted import GAMES, MakeTable, make_table


@pytest.fixture(params=GAMES, ids=["referee", "engine"])
def table(request: pytest.FixtureRequest) -> MakeTable:
    """Make a table of the referee, then of the engine."""
    return partial(make_table, request.param)
