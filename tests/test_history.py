"""Hand histories: what is written replays, what is damaged is refused with its line."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pontoon_env.history import (
    HistoryError,
    HistoryWriter,
    Line,
    main,
    read_history,
    verify_history,
    write_history,
)
from pontoon_env.rules import Rules
from tests.naive import random_rules
from tests.scripted import EngineGame


def played(rules: dict[str, Any], seed: int) -> list[Line]:
    """Return the history of a session of random legal play."""
    game = EngineGame(rules, seed=seed)
    rng = random.Random(seed)
    while game.seat is not None:
        move, bounds = rng.choice(sorted(game.legal().items()))
        game.act(move, None if bounds is None else rng.randint(*bounds))
    return game.lines


@pytest.fixture(scope="module")
def history() -> list[Line]:
    """A session of Shoot Pontoon with every kind of line in it."""
    lines = played(Rules.shoot(seats=4, deals=30).to_dict(), 2)
    kinds = {line["line"] for line in lines}
    expected = "session deal card decision declare bust settle shuffle bank end"
    assert kinds == set(expected.split())
    return lines


@pytest.mark.parametrize("seed", range(60))
def test_a_written_history_verifies(seed: int, tmp_path: Path) -> None:
    """Random rules, through the file: session, cards, decisions, payments, packs."""
    lines = played(random_rules(random.Random(seed)), seed)
    path = tmp_path / "session.jsonl"
    write_history(path, lines)
    assert read_history(path) == lines
    assert verify_history(lines).lines == len(lines)


def first(lines: list[Line], name: str, **fields: Any) -> int:
    """Return the place of the first line of a name with these values, after the tenth."""
    for place, line in enumerate(lines[10:], 10):
        if line["line"] == name and all(line[key] == value for key, value in fields.items()):
            return place
    raise AssertionError(f"no {name} line with {fields}")


def change(name: str, key: str, new: Any, **fields: Any) -> Callable[[list[Line]], int]:
    """Return a damage: one value of one line changed; a callable makes the new value of the old."""

    def damage(lines: list[Line]) -> int:
        place = 0 if name == "session" else first(lines, name, **fields)
        old = lines[place].get(key)
        lines[place][key] = new(old) if callable(new) else new
        assert json.dumps(lines[place][key]) != json.dumps(old)
        return place

    return damage


def drop(name: str, **fields: Any) -> Callable[[list[Line]], int]:
    """Return a damage: a line left out."""

    def damage(lines: list[Line]) -> int:
        place = first(lines, name, **fields)
        del lines[place]
        return place

    return damage


def double(name: str) -> Callable[[list[Line]], int]:
    """Return a damage: a line written twice."""

    def damage(lines: list[Line]) -> int:
        place = first(lines, name)
        lines.insert(place, lines[place])
        return place + 1

    return damage


def swap(name: str) -> Callable[[list[Line]], int]:
    """Return a damage: a line and the next in each other's place."""

    def damage(lines: list[Line]) -> int:
        place = first(lines, name)
        lines[place], lines[place + 1] = lines[place + 1], lines[place]
        return place

    return damage


def drop_key(name: str, key: str) -> Callable[[list[Line]], int]:
    """Return a damage: a value left out."""

    def damage(lines: list[Line]) -> int:
        place = first(lines, name)
        del lines[place][key]
        return place

    return damage


def cut_short(lines: list[Line]) -> int:
    """Leave out the second half."""
    del lines[len(lines) // 2 :]
    return len(lines)


def add_after_end(lines: list[Line]) -> int:
    """Write the end twice."""
    lines.append(lines[-1])
    return len(lines) - 1


def rotate(pack: list[str]) -> list[str]:
    """Return the pack with its last card on top."""
    return [pack[-1], *pack[:-1]]


def raised(numbers: list[int]) -> list[int]:
    """Return the numbers with a chip moved from the first to the last."""
    return [numbers[0] - 1, *numbers[1:-1], numbers[-1] + 1]


DAMAGES = {
    "a card is another": change("card", "card", lambda c: "2c" if c != "2c" else "3c"),
    "a card is no card": change("card", "card", "1x"),
    "a card goes to another seat": change("card", "seat", lambda s: (s + 1) % 4),
    "a card goes to another hand": change("card", "hand", 1),
    "a hidden card lies up": change("card", "up", True, up=False),
    "a card's face is a number": change("card", "up", 0, up=False),
    "a stake is over the limit": change("decision", "chips", 1001, move="stake"),
    "a stake is another": change(
        "decision", "chips", lambda c: c - 1 if c > 100 else c + 1, move="stake"
    ),
    "a stake is no number": change("decision", "chips", "100", move="stake"),
    "a stake is missing": change("decision", "chips", None, move="stake"),
    "a twist has chips": change("decision", "chips", 5, move="twist"),
    "a decision is another seat's": change("decision", "seat", lambda s: (s + 1) % 4),
    "a decision is of another hand": change("decision", "hand", 2, move="twist"),
    "a move is unknown": change("decision", "move", "fold", move="twist"),
    "a move is illegal": change("decision", "move", "accept", move="twist"),
    "a move is in capitals": change("decision", "move", "TWIST", move="twist"),
    "a bust is of another hand": change("bust", "hand", 3),
    "a payment is a chip off": change("settle", "net", raised),
    "a kitty is a chip off": change("settle", "kitty", lambda k: k + 1),
    "a shown hand is another": change("settle", "shown", lambda shown: shown[::-1]),
    "a gathered pack is in another order": change("settle", "pack", rotate),
    "a shuffled pack is in another order": change("shuffle", "pack", rotate),
    "a shuffled pack has a card twice": change("shuffle", "pack", lambda p: [p[1], *p[1:]]),
    "a shuffled pack misses a card": change("shuffle", "pack", lambda p: p[1:]),
    "the first pack has a card twice": change("session", "pack", lambda p: [p[1], *p[1:]]),
    "the first pack is no list": change("session", "pack", "As"),
    "the bank goes to another seat": change("bank", "seat", lambda s: (s + 1) % 4),
    "the bank passes for another reason": change("bank", "reason", "rotation"),
    "the kitty taken is another": change("bank", "kitty_taken", lambda k: k + 1),
    "the first banker is another": change("session", "banker", lambda b: (b + 1) % 4),
    "the first banker is no seat": change("session", "banker", 4),
    "the rules have an unknown field": change("session", "rules", lambda r: {**r, "jokers": 2}),
    "the rules are out of range": change("session", "rules", lambda r: {**r, "stick_min": 12}),
    "the rules are other rules": change("session", "rules", lambda r: {**r, "pontoon_pays": 3}),
    "the format is another": change("session", "format", 2),
    "the game is another": change("session", "game", "pontoon_v1"),
    "the seed is no number": change("session", "seed", "seven"),
    "the seats are miscounted": change("session", "seats", 5),
    "a deal is misnumbered": change("deal", "deal", lambda d: d + 1),
    "the result is a chip off": change("end", "net", raised),
    "a line has a key too many": change("bust", "by", 1),
    "a line has a key too few": drop_key("card", "up"),
    "a card is left out": drop("card"),
    "a decision is left out": drop("decision"),
    "a settlement is left out": drop("settle"),
    "a shuffle is left out": drop("shuffle"),
    "a declaration is left out": drop("declare"),
    "a card stands twice": double("card"),
    "a settlement stands twice": double("settle"),
    "a bust stands before its card": swap("card"),
    "the history is cut short": cut_short,
    "something follows the end": add_after_end,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_history_is_refused_at_its_line(
    history: list[Line], damage: Callable[[list[Line]], int]
) -> None:
    """The error names the line, or one after it where the damage shows only there."""
    lines = copy.deepcopy(history)
    place = damage(lines)
    with pytest.raises(HistoryError) as error:
        verify_history(lines)
    assert error.value.reason
    assert place + 1 <= error.value.line_number <= place + 250


@pytest.mark.parametrize("seed", range(6))
def test_any_line_dropped_doubled_or_swapped_is_noticed(history: list[Line], seed: int) -> None:
    """Wherever it is in the session."""
    rng = random.Random(seed)
    for _ in range(6):
        place = rng.randrange(1, len(history) - 1)
        dropped = history[:place] + history[place + 1 :]
        doubled = [*history[:place], history[place], *history[place:]]
        swapped = [*history[:place], history[place + 1], history[place], *history[place + 2 :]]
        for lines in (dropped, doubled, swapped):
            if lines != history:
                with pytest.raises(HistoryError):
                    verify_history(lines)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"{not json\n", "not a JSON object"),
        (b"[1, 2]\n", "not a JSON object with the key 'line'"),
        (b'{"card": "As"}\n', "not a JSON object with the key 'line'"),
        (b'{"line": "card", "line": "bust"}\n', "a key stands twice"),
        (b"\xff\xfe\n", "not a JSON object"),
        (b'{"line": "end", "net": []}', "cut off"),
        (b'{"line": "end", "net": ' + b"[" * 100_000 + b"\n", "nested too deep"),
    ],
)
def test_a_broken_file_is_refused_at_its_line(
    tmp_path: Path, history: list[Line], text: bytes, reason: str
) -> None:
    """Line 3 of the file."""
    path = tmp_path / "broken.jsonl"
    good = [json.dumps(line).encode() + b"\n" for line in history[:2]]
    path.write_bytes(b"".join(good) + text)
    with pytest.raises(HistoryError, match=r"line 3: ") as error:
        read_history(path)
    assert reason in error.value.reason


def test_an_empty_history_is_refused() -> None:
    """Line 1 is missing."""
    with pytest.raises(HistoryError, match="line 1: the history is empty"):
        verify_history([])


def test_a_history_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    """What was there before an error stays as it was, and nothing is left beside it."""
    path = tmp_path / "session.jsonl"
    path.write_text("before")

    def write_half() -> None:
        with HistoryWriter(path) as writer:
            writer.write({"line": "deal"})
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_half()
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_the_command_verifies_files_and_names_the_broken_ones(
    tmp_path: Path, history: list[Line], capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit status 0, 1 and 2: all verified, not all, wrong usage."""
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    write_history(good, history)
    write_history(bad, history[:-1])
    assert main(["verify", str(good)]) == 0
    assert "verified, 30 deals" in capsys.readouterr().out
    assert main(["verify", str(bad), str(good), str(tmp_path / "none.jsonl")]) == 1
    printed = capsys.readouterr()
    assert "cut off" in printed.err
    assert "none.jsonl" in printed.err
    assert "verified, 30 deals" in printed.out
    assert main(["replay"]) == 2


def test_a_line_nested_beyond_reason_is_refused(history: list[Line]) -> None:
    """Whatever its depth, it is another line than the replay's."""
    nested: list[Any] = []
    for _ in range(5000):
        nested = [nested]
    lines = copy.deepcopy(history)
    lines[-1]["net"] = nested
    with pytest.raises(HistoryError):
        verify_history(lines)


@pytest.mark.parametrize("name", ["", "folder", "missing/session.jsonl", "device"])
def test_a_path_that_cannot_hold_a_history_is_refused_at_once(name: str, tmp_path: Path) -> None:
    """Nothing is written, nothing is replaced, and the error names the path."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "device").symlink_to("/dev/null")
    path = tmp_path / name if name else Path()
    before = sorted(tmp_path.iterdir())
    with pytest.raises(OSError, match="a history cannot be written to") as error:
        HistoryWriter(path)
    assert name in str(error.value)
    assert sorted(tmp_path.iterdir()) == before
    assert Path("/dev/null").is_char_device()


def test_a_link_to_a_file_stays_a_link(tmp_path: Path) -> None:
    """The file that it leads to is replaced."""
    (tmp_path / "session.jsonl").write_text("before")
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "session.jsonl")
    write_history(tmp_path / "link.jsonl", [{"line": "end"}])
    assert (tmp_path / "link.jsonl").is_symlink()
    assert (tmp_path / "session.jsonl").read_text() == '{"line":"end"}\n'
    assert len(list(tmp_path.iterdir())) == 2
