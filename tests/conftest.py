"""Fixtures that several test files share."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from tests.scripted import GAMES, MakeTable, make_table


@pytest.fixture(params=GAMES, ids=["referee", "engine"])
def table(request: pytest.FixtureRequest) -> MakeTable:
    """Make a table of the referee, then of the engine."""
    return partial(make_table, request.param)


@pytest.fixture(scope="module")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what is solved in a folder of the tests, not in the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield
