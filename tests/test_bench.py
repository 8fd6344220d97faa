"""The command that measures speed; no speed is asserted."""

from __future__ import annotations

import io
import itertools
import json
import os
import re
import sys
from collections.abc import Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from eval.bench import __main__ as command
from eval.bench import measure as measuring
from eval.bench import peer_games, scale, targets, worker
from eval.bench.census import _is_forced, census
from eval.bench.evaluation import _play_share
from eval.bench.faces import Batch, batch_rules, our_faces
from eval.bench.loops import aec_docs_loop, aec_loop, gym_loop, stepwise
from eval.bench.measure import Settings, measure
from eval.bench.page import PLACE, tables
from eval.bench.peer_games import GAMES, Game
from eval.bench.peers import PAIRS, Pair, Peer, PeerError, measure_peers
from eval.bench.start import time_in_process
from eval.bench.targets import floors_of, read_floors, too_slow
from eval.bench.timing import on_one_core, play_slice
from pontoon_env.rules import Rules

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"


# --------------------------------------------------------------------------------------- counting


class Script:
    """An AEC environment of two agents who act three times in turn and are out then."""

    def __init__(self) -> None:
        self.n_resets = self.n_choices = self.n_last_steps = 0

    def reset(self) -> None:
        self.agents = ["a", "b"]
        self.left = 3
        self.n_resets += 1

    def agent_iter(self) -> Iterator[str]:
        while self.agents:
            yield self.agents[0]

    def last(self) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        return {"action_mask": np.array([0, 1, 0], np.int8)}, 0.0, self.left == 0, False, {}

    def step(self, action: Any) -> None:
        if action is None:
            self.n_last_steps += 1
            self.agents.pop()
            return
        assert action == 1, "the only legal one"
        self.n_choices += 1
        self.left -= 1


@pytest.mark.parametrize("loop", [aec_loop, aec_docs_loop])
def test_resets_and_last_steps_of_an_aec_environment_do_not_count(loop: Any) -> None:
    env = Script()
    decisions = sum(itertools.islice(loop(env), 30))
    assert decisions == env.n_choices == 30
    assert env.n_resets == 10
    assert env.n_last_steps == 18  # the last session's are still to come


class OneStep:
    """A Gymnasium environment whose episodes have one step."""

    n_resets = 0

    def reset(self) -> tuple[int, dict[str, Any]]:
        self.n_resets += 1
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        return 0, 0.0, self.n_resets % 2 == 0, self.n_resets % 2 == 1, {}


def test_resets_of_a_gymnasium_environment_do_not_count() -> None:
    env = OneStep()
    play = stepwise(gym_loop(env, lambda _: 0))
    assert [play(), play()] == [100, 100]
    assert env.n_resets == 200


class Alternating:
    """A vector whose tables end in every other step, and only reset in the step after."""

    def __init__(self, n: int) -> None:
        self.n, self.n_steps = n, 0

    def reset(self, **_: Any) -> None:
        """Begin."""

    def step(self, actions: Any) -> tuple[Any, ...]:
        assert actions.shape == (self.n,)
        self.n_steps += 1
        ended = np.full(self.n, self.n_steps % 2 == 1)
        elapsed = np.full(self.n, self.n_steps % 2)
        return None, None, ended, None, {"elapsed_step": elapsed}


def test_steps_of_a_vector_that_only_reset_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gymnasium.make_vec", lambda *_, num_envs, **__: Alternating(num_envs))
    play = peer_games._blackjack_vector()
    assert [play() for _ in range(4)] == [1024, 0, 1024, 0]


def test_steps_of_envpool_that_only_reset_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    envpool = ModuleType("envpool")
    monkeypatch.setattr(
        envpool, "make", lambda *_, num_envs, **__: Alternating(num_envs), raising=False
    )
    monkeypatch.setitem(sys.modules, "envpool", envpool)
    play = peer_games._envpool()
    assert [play() for _ in range(4)] == [1024, 0, 1024, 0]


@pytest.mark.parametrize("observed", [False, True])
def test_a_batch_counts_every_decision_and_deal_once(observed: bool) -> None:
    tables = Batch(batch_rules(2), 8, observed)
    assert [tables.play() for _ in range(3)] == [8 * 256] * 3, (
        "no session ends before it is renewed"
    )
    assert tables.deals() == tables._games["deal"].sum()
    deals = tables.deals()
    tables._begin()
    assert tables.deals() == deals


def test_each_of_our_faces_makes_decisions_and_deals() -> None:
    for face in our_faces(2, 4):
        decisions = sum(face.play() for _ in range(3))
        assert decisions > 0, face.name
        if face.limit is not None:
            assert face.deals is not None
            assert 0 < face.deals() < decisions, face.name


def test_a_slice_is_played_once_at_least_and_until_its_time_is_over() -> None:
    assert play_slice(lambda: 7, seconds=0.0).decisions == 7
    played = play_slice(lambda: 1, seconds=0.01)
    assert played.cpu_ns >= 10_000_000
    assert played.rate == pytest.approx(played.decisions / played.cpu_ns * 1e9)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no such call on this system")
def test_one_core_is_given_back() -> None:
    before = os.sched_getaffinity(0)
    with on_one_core():
        assert len(os.sched_getaffinity(0)) == 1
    assert os.sched_getaffinity(0) == before


# ----------------------------------------------------------------------------------------- census


@pytest.mark.parametrize("shoot", [False, True])
def test_every_decision_is_of_one_kind(shoot: bool) -> None:
    found = census(batch_rules(3, shoot=shoot), n_tables=16, n_steps=64)
    assert sum(found["shares"].values()) == pytest.approx(1.0)
    assert (found["shares"]["kitty and shooting"] > 0.0) == shoot
    assert 0.0 < found["forced"] < 0.5
    assert found["decisions_a_deal"] > 2


def test_forced_is_one_move_for_one_amount() -> None:
    masks = np.array([[1, 0], [1, 0], [1, 1]], np.int8)
    lows, highs = np.array([[5, 0]] * 3), np.array([[5, 0], [6, 0], [5, 0]])
    assert _is_forced(masks, lows, highs).tolist() == [True, False, False]


# ------------------------------------------------------------------------------------------ peers


def test_pairs_name_faces_and_games_that_there_are() -> None:
    names = {face.name for face in our_faces(2, 4)}
    assert {pair.face for pair in PAIRS} <= names
    assert {pair.peer for pair in PAIRS} == set(GAMES)


def test_a_peer_plays_slices_in_its_process() -> None:
    with Peer(sys.executable, "Gymnasium blackjack") as peer:
        assert peer.version == version("gymnasium")
        for seconds in (0.0, 0.01):
            played = peer.play(seconds)
            assert played.decisions >= 100
            assert played.cpu_ns >= seconds * 1e9
            assert played.wall_ns > 0
    assert peer._process.returncode is not None


def test_a_worker_answers_each_line_with_a_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "three", Game("numpy", lambda: lambda: 3))
    answers = io.StringIO()
    worker.serve("three", ["0.0\n", "0.0\n"], answers)
    ready, *slices = map(json.loads, answers.getvalue().splitlines())
    assert ready == {"ready": version("numpy")}
    assert [set(each) for each in slices] == [{"decisions", "cpu_ns", "wall_ns"}] * 2
    assert [each["decisions"] for each in slices] == [3, 3]


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        (Game("no-such-library", lambda: lambda: 1), "no-such-library"),
        (Game("numpy", lambda: __import__("no_such_module")), "no_such_module"),
        (Game("numpy", lambda: lambda: 1 // 0), "ZeroDivisionError"),
    ],
)
def test_a_game_that_does_not_start_says_why(
    game: Game, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(GAMES, "bad", game)
    answers = io.StringIO()
    worker.serve("bad", ["0.0\n"], answers)
    (answer,) = map(json.loads, answers.getvalue().splitlines())
    assert reason in answer["error"]


def script(path: Path, text: str) -> str:
    """Write a program that stands for an interpreter."""
    path.write_text(f"#!{sys.executable}\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_a_process_that_ends_or_does_not_answer_is_told_of(tmp_path: Path) -> None:
    bad = script(tmp_path / "bad", "raise SystemExit('it is out of order')")
    with pytest.raises(PeerError, match="status 1: it is out of order"):
        Peer(bad, "Gymnasium blackjack")
    rude = script(tmp_path / "rude", "print('hello')")
    with pytest.raises(PeerError, match="'hello', which is no answer"):
        Peer(rude, "Gymnasium blackjack")
    slow = script(tmp_path / "slow", "import time; time.sleep(60)")
    with pytest.raises(PeerError, match=r"status -\d+: it has said nothing"):
        Peer(slow, "Gymnasium blackjack", patience=0.2)


def test_a_process_that_ends_between_slices_is_told_of(tmp_path: Path) -> None:
    once = script(tmp_path / "once", """print('{"ready": "1"}', flush=True)""")
    with Peer(once, "Gymnasium blackjack") as peer, pytest.raises(PeerError, match="status 0"):
        peer.play(0.0)


def test_a_peer_that_cannot_be_measured_is_reported_and_the_others_go_on(tmp_path: Path) -> None:
    faces = {face.name: face for face in our_faces(2, 4)}
    pairs = [Pair("make", "no such game"), Pair("make", "Gymnasium blackjack", 4.0)]
    told: list[str] = []
    bad, good = measure_peers(faces, sys.executable, 1, told.append, pairs)
    assert "no such game" in bad["missing"]
    assert good["ratio"]["median"] > 0
    assert told == ["no such game", "Gymnasium blackjack"]
    (gone,) = measure_peers(faces, str(tmp_path / "python"), 1, told.append, pairs[1:])
    assert "cannot be started" in gone["missing"]
    names = [(each.name, each.found) for each in targets.targets({"peers": [bad, gone]})]
    assert names == [("make, to Gymnasium blackjack", "not measured")]


# --------------------------------------------------------------------------------------- sections


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices as short as can be, and few sizes."""
    monkeypatch.setattr(measuring, "play_slice", partial(play_slice, seconds=0.0))
    monkeypatch.setattr(scale, "play_slice", partial(play_slice, seconds=0.0))
    monkeypatch.setattr(scale, "SIZES", (64, 1024))
    monkeypatch.setattr(scale, "_SECONDS", 0.01)


def spreads(found: Any) -> Iterator[dict[str, float]]:
    """Yield every median with its spread."""
    if isinstance(found, dict):
        if "median" in found:
            yield found
        for value in found.values():
            yield from spreads(value)
    elif isinstance(found, list):
        for value in found:
            yield from spreads(value)


def test_figures_are_json_with_medians_inside_their_spread(quick: None) -> None:
    settings = Settings(sections=("faces", "scale"), seats=2, tables=4, rounds=2)
    found = measure(settings, progress=False)
    assert json.loads(json.dumps(found)) == found
    assert set(found) == {
        *("format", "machine", "rules", "tables", "rounds", "sections"),
        *("faces", "decisions", "scale"),
    }
    assert found["sections"] == ["faces", "scale"]
    all_spreads = list(spreads(found))
    assert all_spreads
    for each in all_spreads:
        assert 0 <= each["low"] <= each["median"] <= each["high"]
    for face in found["faces"]:
        assert {"name", "ns_a_decision", "cpu_seconds", "clock_seconds"} <= set(face)
        assert ("ratio" in face) == ("deals_a_second" in face) != face["name"].startswith("limit")
    assert [size["tables"] for size in found["scale"]["sizes"]] == [64, 1024] * 2
    assert found["scale"]["threads"]["cores_got"]["median"] > 0
    text = tables(found)
    assert "two threads to one" in text
    assert "Beside others" not in text


def test_sections_that_need_peers_are_left_out_without_them() -> None:
    assert measure(Settings(sections=("peers",), peers=None), progress=False)["sections"] == []


def test_deals_are_played_by_six_agents() -> None:
    deals, seconds = _play_share(2, 0)
    assert deals == 2 * Rules.pontoon().deals
    assert seconds > 0


def test_a_new_process_tells_its_time_and_what_it_has_loaded() -> None:
    found = time_in_process("import numba")
    assert found["loaded"] == ["numba"]
    assert found["cpu"] > 0
    assert time_in_process("import pontoon_env")["loaded"] == []
    with pytest.raises(OSError, match="ZeroDivisionError"):
        time_in_process("1 / 0")


# ---------------------------------------------------------------------------- floors and the page


def spread_of(value: float) -> dict[str, float]:
    """Return a median with a spread around it."""
    return {"median": value, "low": 0.5 * value, "high": 2 * value}


def figures(*_: Any, **__: Any) -> dict[str, Any]:
    """Return figures of all sections, as `measure` does."""
    rates = {"decisions_a_second": spread_of(2e6), "ns_a_decision": spread_of(500.0)}
    limit = {"name": "limit", **rates, "cpu_seconds": 1.0, "clock_seconds": 2.0}
    limit["observation_bytes"] = 0
    face = {**limit, "name": "batch, all observed", "observation_bytes": 976}
    face |= {"deals_a_second": 2e5, "limit": "limit", "ratio": spread_of(0.5)}
    size = {"tables": 1024, "decisions_a_second": spread_of(2e6), "ratio": spread_of(1.0)}
    seconds = {"cpu_seconds": spread_of(0.1), "clock_seconds": spread_of(0.2), "loaded": []}
    pair = {"face": "make", "peer": "Gymnasium blackjack", "wanted": 4.0}
    measured = {"version": "1", "decisions_a_second": spread_of(2e4)}
    measured |= {"peer_decisions_a_second": spread_of(1e4), "ratio": spread_of(2.0)}
    ratios = ("cores_got", "cores_wanted", "ratio_by_clock", "ratio")
    return {
        "format": measuring.FORMAT,
        "machine": measuring._machine(),
        "rules": Rules.pontoon().to_dict(),
        "tables": 1024,
        "rounds": 15,
        "sections": list(measuring.SECTIONS),
        "faces": [limit, face],
        "decisions": {"usual": census(batch_rules(2), n_tables=2, n_steps=8)},
        "peers": [{**pair, **measured}, {**pair, "peer": "Pgx kuhn", "missing": "no pgx"}],
        "scale": {
            "sizes": [{**size, "observed": observed} for observed in (False, True)],
            "threads": {name: spread_of(1.9) for name in ratios},
            "bytes_a_table": 1752,
            "bytes_an_observation": 976,
        },
        "start": dict.fromkeys(("import", "first step", "first step ever"), seconds),
        "evaluation": {
            "agents": ["random"],
            "processes": 2,
            "deals": 1_000_000,
            "clock_seconds": 20.0,
            "cpu_seconds": 7.0,
            "seconds_on_free_cores": 3.5,
        },
        "training": {
            "maskable_ppo": {
                "decisions_a_second": 9000,
                "share_of_tables": spread_of(0.05),
            }
        },
    }


def grids(text: str) -> set[tuple[str, ...]]:
    """Return the heads of all tables."""
    heads = re.findall(r"^(\|.*\|)\n\|-", text, re.MULTILINE)
    return {tuple(cell.strip() for cell in head.strip("|").split("|")) for head in heads}


def test_the_page_holds_the_tables_that_a_run_prints() -> None:
    page = PAGE.read_text(encoding="utf-8")
    block = page[page.index(f"<!-- {PLACE} -->") : page.index("<!-- / -->")]
    assert grids(block) == grids(tables(figures()))


def test_aims_that_are_missed_are_told() -> None:
    met = {each.name: each.is_met for each in targets.targets(figures())}
    assert met["make, to Gymnasium blackjack"] is False
    assert met["make, to Pgx kuhn"] is False
    assert met["two threads to one"] is True
    assert met["a million deals on two free cores"] is True
    assert met["share of the tables in maskable_ppo"] is True


def test_every_face_has_a_floor() -> None:
    assert set(read_floors()) == {face.name for face in our_faces(2, 4) if face.limit}


def test_a_face_below_its_floor_is_too_slow() -> None:
    faces = figures()["faces"]
    floors = floors_of(faces)
    assert floors == {"batch, all observed": 0.375}
    assert too_slow(faces, floors) == []
    faces[1]["ratio"] = spread_of(0.37)
    (sentence,) = too_slow(faces, floors)
    assert sentence == "batch, all observed does 0.37 of its limit, less than 0.375"


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures at hand, in place of a measurement."""
    monkeypatch.setattr(command, "measure", figures)


def test_a_run_that_is_too_slow_fails_and_says_which_face(
    measured: None, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    path = tmp_path / "figures.json"
    monkeypatch.setattr(command, "read_floors", lambda: {"batch, all observed": 0.6})
    assert command.main(["--json", str(path)]) == 1
    assert "too slow: batch, all observed does 0.5" in capsys.readouterr().err
    assert path.exists()
    assert command.main(["--json", str(path), "--seats", "2"]) == 0, "floors are for six"


def test_figures_are_printed_written_and_put_on_a_page(
    measured: None, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    floors = tmp_path / "floors.json"
    monkeypatch.setattr(command, "FLOORS", floors)
    monkeypatch.setattr(command, "read_floors", lambda: json.loads(floors.read_text()))
    path, page = tmp_path / "figures.json", tmp_path / "page.md"
    page.write_text(f"# Page\n\n<!-- {PLACE} -->\nold\n<!-- / -->\n")
    given = ["--json", str(path), "--page", str(page), "--renew-floors"]
    assert command.main(given) == 0
    assert json.loads(path.read_text())["faces"] == figures()["faces"]
    assert json.loads(floors.read_text()) == {"batch, all observed": 0.375}
    printed = capsys.readouterr().out
    for text in (printed, page.read_text()):
        assert "| Gymnasium blackjack |" in text
        assert "Pgx kuhn could not be measured: no pgx." in text
    assert "old" not in page.read_text()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--seats", "99"], "seats=99"),
        (["--tables", "0"], "--tables"),
        (["--rounds", "0"], "--rounds"),
        (["--json", "no_such_folder/figures.json"], "no_such_folder"),
        (["--json", "."], "is a folder"),
        (["--page", "README.md"], "0 places for the table 'measured'"),
        (["--peers", "no_such_folder/python"], "--peers=no_such_folder/python is no interpreter"),
        (["--renew-floors", "--seats", "2"], "--renew-floors"),
        (["--renew-floors", "--sections", "start"], "--renew-floors"),
    ],
)
def test_a_wrong_setting_is_refused_before_anything_is_measured(
    arguments: list[str],
    reason: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: Any) -> None:
        pytest.fail("it measures")

    monkeypatch.setattr(measuring, "our_faces", refuse)
    monkeypatch.setattr(measuring, "measure_start", refuse)
    assert command.main(["--json", str(tmp_path / "figures.json"), *arguments]) == 2
    error = capsys.readouterr().err
    assert "error: " in error
    assert reason in error


def test_ctrl_c_ends_in_one_line_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "measure", interrupt)
    assert (
        command.main(["--json", str(tmp_path / "figures.json"), "--peers", sys.executable]) == 130
    )
    assert capsys.readouterr().err == "stopped\n"
    assert list(tmp_path.iterdir()) == []
