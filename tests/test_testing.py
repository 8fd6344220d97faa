"""The checks for any AEC environment: each finds its fault, and no other where there is none."""

from __future__ import annotations

import copy
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test

from pontoon_env import Rules, testing
from pontoon_env.aec import PontoonAECEnv
from tests import faulty_envs
from tests.tables import ENCODINGS, VARIED


@pytest.mark.parametrize("make_env", list(faulty_envs.FAULTS))
def test_each_fault_is_found_by_the_check_meant_for_it_alone(make_env: Any) -> None:
    found = testing.failures(make_env, seed=3, resample=faulty_envs.resample)
    assert list(found) == [faulty_envs.FAULTS[make_env]], found


def test_a_game_without_a_fault_passes() -> None:
    for seed in range(5):
        testing.check_all(faulty_envs.CardGame, seed=seed, resample=faulty_envs.resample)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make_env", faulty_envs.MISSED_BY_API_TEST)
def test_pettingzoos_own_test_misses_these(make_env: Any) -> None:
    api_test(make_env(), num_cycles=50)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_pontoon_passes(encoding: Any) -> None:
    def make_env() -> PontoonAECEnv:
        return PontoonAECEnv(rules=VARIED, encoding=encoding, render_mode="ansi")

    testing.check_all(
        make_env,
        seed=5,
        clone=PontoonAECEnv.clone,
        to_action=None if encoding == "box" else testing.action_of,
        resample=PontoonAECEnv.resample_hidden,
        is_zero_sum=True,
    )


def test_deep_copies_of_pontoon_pass() -> None:
    rules = Rules.single_deal(seats=3)
    testing.check_all(lambda: PontoonAECEnv(rules=rules, encoding="discrete"), seed=1)


@pytest.mark.parametrize("name", ["tictactoe_v3", "connect_four_v3"])
def test_games_of_pettingzoo_pass(name: str) -> None:
    """Deep copies of them are new games (``EzPickle``): a copy is made by hand."""
    classic = pytest.importorskip(f"pettingzoo.classic.{name}", exc_type=ImportError)

    def clone(env: Any) -> Any:
        twin = classic.raw_env()
        twin.__dict__.update(copy.deepcopy(vars(env)))
        return twin

    testing.check_all(classic.raw_env, seed=2, clone=clone, is_zero_sum=True)
    found = testing.failures(classic.raw_env, seed=2)
    assert set(found) == {"check_masks", "check_copies"}


def test_all_failures_are_listed_in_one_message() -> None:
    with pytest.raises(testing.ConformanceError, match=r"check_flags: .* truncated at once"):
        testing.check_all(faulty_envs.EndsTwice)


def test_a_resampling_that_changes_nothing_is_no_proof() -> None:
    def keep(env: Any, agent: str, generator: np.random.Generator) -> Any:
        return env

    with pytest.raises(testing.ConformanceError, match="proves nothing"):
        testing.check_no_leak(faulty_envs.CardGame, resample=keep)


def test_the_checks_need_neither_a_test_framework_nor_a_learning_library() -> None:
    code = (
        "import sys, pontoon_env.testing; "
        "print([name for name in ('pytest', 'torch', 'numba') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
