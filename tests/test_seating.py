"""Tables with one learner each: hybrid actions and memory, beside the discrete ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pontoon_env import Rules
from pontoon_env.actions import FRACTION_OF_DISCRETE, MOVE_OF_DISCRETE, N_DISCRETE
from pontoon_env.errors import IllegalActionError
from pontoon_env.learner_tables import LearnerTables
from pontoon_env.observation import observation_size
from pontoon_env.seating import Seating
from pontoon_env.state import N_MOVES, Move
from tests.views import observed

RULES = Rules.shoot(seats=4, deals=4)
N = 6


def begun(rules: Rules = RULES, **settings: Any) -> LearnerTables:
    """Tables at their learners' first decisions; the learners sit anywhere."""
    tables = LearnerTables(N, rules, Seating(role="any", opponents="basic"), **settings)
    begin_ended(tables, np.ones(N, np.bool_))
    return tables


def begin_ended(tables: LearnerTables, ended: np.ndarray) -> None:
    """Begin the next session where one has ended."""
    rows = np.flatnonzero(ended)
    if rows.size:
        episodes = tables.games["episode"][rows] + np.uint64(1)
        tables.begin(rows, rows.astype(np.uint64), episodes)


def test_a_discrete_action_is_its_move_at_its_fraction() -> None:
    """Tables of both encodings go the same course, with illegal actions replaced too."""
    discrete = begun(on_illegal="replace")
    hybrid = begun(on_illegal="replace", encoding="hybrid")
    rng = np.random.default_rng(1)
    n_illegal = n_ended = 0
    for _ in range(300):
        assert hybrid.masks.shape == (N, N_MOVES)
        for row in range(N):
            moves = np.unique(MOVE_OF_DISCRETE[discrete.masks[row] != 0])
            assert np.flatnonzero(hybrid.masks[row]).tolist() == moves.tolist()
        actions = (rng.random((N, N_DISCRETE)) * discrete.masks).argmax(axis=1)
        wild = rng.random(N) < 0.1
        actions[wild] = rng.integers(N_DISCRETE, size=wild.sum())
        found = hybrid.step_moves(MOVE_OF_DISCRETE[actions], FRACTION_OF_DISCRETE[actions])
        expected = discrete.step(actions)
        for one, two in zip(found, expected, strict=True):
            assert np.array_equal(one, two)
        assert hybrid.games.tobytes() == discrete.games.tobytes()
        assert np.array_equal(hybrid.observations, discrete.observations)
        n_illegal, n_ended = n_illegal + expected[2].sum(), n_ended + expected[1].sum()
        for tables in (hybrid, discrete):
            begin_ended(tables, expected[1])
    assert n_illegal > 50
    assert n_ended > 20


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_fraction_of_the_interval_is_staked(dtype: type) -> None:
    """P12: half way from 100 to 1000 is 550 chips."""
    tables = LearnerTables(2, Rules.single_deal(), Seating(), encoding="hybrid")
    tables.begin(np.arange(2), np.zeros(2, np.uint64), np.zeros(2, np.uint64))
    tables.step_moves(np.full(2, Move.STAKE), np.array([0.5, 1.0], dtype))
    staked = tables.games["seats"]["initial_stake"][np.arange(2), tables.seats]
    assert staked.tolist() == [550, 1000]


@pytest.mark.parametrize(
    ("moves", "fractions", "message"),
    [
        ([0] * N, [0.5] * (N - 1) + [np.nan], "fractions must be numbers from 0 to 1"),
        ([0] * N, [0.5] * (N - 1) + [1.01], "fractions must be numbers from 0 to 1"),
        ([0] * N, [-0.01] * N, "fractions must be numbers from 0 to 1"),
        ([0] * N, [0.5] * (N - 1), r"the fractions have shape \(5,\), not \(6,\)"),
        ([0] * N, ["half"] * N, "fractions must be numbers from 0 to 1"),
        ([0] * (N - 1) + [N_MOVES], [0.0] * N, "moves must be whole numbers from 0 to 14"),
        ([-1] * N, [0.0] * N, "moves must be whole numbers from 0 to 14"),
        ([0.0] * N, [0.0] * N, "moves must be whole numbers from 0 to 14"),
        ([0], [0.0] * N, r"the moves have shape \(1,\), not \(6,\)"),
    ],
)
def test_what_is_no_hybrid_action_changes_nothing(
    moves: list[Any], fractions: list[Any], message: str
) -> None:
    tables = begun(Rules.single_deal(), encoding="hybrid", on_illegal="penalise")
    before = tables.games.tobytes()
    with pytest.raises(ValueError, match=message):
        tables.step_moves(np.array(moves), np.array(fractions))
    assert tables.games.tobytes() == before


def test_illegal_moves_are_dealt_with_as_asked() -> None:
    """Raised, with nothing changed; or at a cost, and ended; or at a cost, and asked again."""
    split = np.full(N, Move.ACCEPT)
    with pytest.raises(IllegalActionError, match=r"table 0: seat_\d cannot accept"):
        begun(encoding="hybrid").step_moves(split, np.zeros(N))
    for on_illegal in ("terminate", "penalise"):
        tables = begun(encoding="hybrid", on_illegal=on_illegal, illegal_penalty=2.0)
        seen = tables.observations.copy()
        rewards, ended, illegal = tables.step_moves(split, np.zeros(N))
        assert illegal.all()
        assert (rewards == -2).all()
        assert ended.all() == (on_illegal == "terminate")
        assert np.array_equal(seen, tables.observations) == (on_illegal == "penalise")


def test_each_encoding_has_a_step_of_its_own() -> None:
    with pytest.raises(ValueError, match=r"step\(actions\) is for encoding='discrete'"):
        begun(encoding="hybrid").step(np.zeros(N, np.int64))
    with pytest.raises(ValueError, match=r"step_moves\(moves, fractions\) is for"):
        begun().step_moves(np.zeros(N, np.int64), np.zeros(N))
    with pytest.raises(ValueError, match="encoding='mixed' is none of hybrid, discrete"):
        begun(encoding="mixed")


def test_learners_with_memory_see_what_their_seats_remember() -> None:
    """After the first decisions, and where some tables alone have begun anew."""
    rules = Rules.pontoon(seats=5, deals=6, shuffle="never")
    tables = begun(rules, memory=True)
    rng = np.random.default_rng(2)
    n_ended = 0
    for _ in range(150):
        assert tables.observations.shape == (N, observation_size(rules, memory=True))
        for row in range(N):
            seat = int(tables.seats[row])
            expected = observed(rules, tables.games[row : row + 1], seat, memory=True)[0][0]
            assert np.array_equal(tables.observations[row], expected)
        actions = (rng.random((N, N_DISCRETE)) * tables.masks).argmax(axis=1)
        ended = tables.step(actions)[1]
        n_ended += ended.sum()
        begin_ended(tables, ended)
    assert n_ended > 5


def test_tables_of_another_version_are_refused() -> None:
    tables = LearnerTables(2, Rules.single_deal(), Seating())
    tables.begin(np.arange(2), np.arange(2, dtype=np.uint64), np.zeros(2, np.uint64))
    state = tables.get_state()
    older = [name for name in state["games"].dtype.names if name != "world"]
    with pytest.raises(ValueError, match=r"saved by another version of pontoon_env: .* begin anew"):
        tables.set_state({**state, "games": state["games"][older]})
    assert (tables.games == state["games"]).all()
