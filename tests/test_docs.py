"""The blocks of every page: Python runs, one block after another; commands are those that exist.

A command takes minutes to hours, so it is read by the parser of its program and not run, but for
those of ``SHORT``.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import re
import shlex
from collections import Counter
from pathlib import Path
from typing import Any, Final, NoReturn

import pytest
import tyro

from pontoon_env.rules import PRESETS, rules_from_pairs

ROOT: Final = Path(__file__).parent.parent
PAGES: Final = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "agents").rglob("*.md")),
]
KINDS: Final = ("python", "console", "json", "text")
"""Blocks of another kind would be skipped, so they are refused."""
PRINTED: Final = {
    "README.md": "what `make demo` prints after minutes; tests/test_demo.py makes a small one",
    "docs/adding-a-rule.md": "lines of a variation that is not part of the game",
}
"""Pages with blocks of text, and why nothing checks them here."""
UNREAD: Final = {
    ".venv/bin/pre-commit install": "it would change the hooks of this checkout",
    "ray start --head --port=6379": "Ray is not installed",
    "ray start --address=10.0.0.1:6379": "Ray is not installed",
    "python -m examples.rllib_ppo --address 10.0.0.1:6379 --num-env-runners 32": "likewise",
}
"""Commands that are neither run nor read, and why."""
SHORT: Final = (
    "python -m eval.simulate --game shoot --seats 5 --deals 100 --seed 7 --agents basic "
    "--history game.jsonl",
    "python -m pontoon_env.history verify game.jsonl",
    "python -m eval.exploit basic --banker stick17 --max-stake 1",
)
"""Commands that are run, in this order, in one folder."""


class Read(Exception):  # noqa: N818 -- no error: it ends a program once its arguments are read
    """What a program has read of its command."""


def name_of(page: Path) -> str:
    """Return a page's path in the project."""
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, kind: str) -> list[str]:
    """Return the blocks of a kind on a page."""
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands(page: Path) -> list[str]:
    """Return the commands in the blocks of a page, whole and without their comments."""
    found = []
    for block in blocks(page, "console"):
        for line in block.replace("\\\n", " ").splitlines():
            assert line.startswith("$ "), f"{page.name}: {line!r} is no command"
            found.append(" ".join(shlex.split(line[2:], comments=True)))
    return found


COMMANDS: Final = sorted({command for page in PAGES for command in commands(page)})
TARGETS: Final = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_is_of_a_kind_that_is_checked(page: Path) -> None:
    """Indented fences and those of tildes too: none may stand there that the others pass over."""
    text = page.read_text(encoding="utf-8")
    fences = re.findall(r"^[ \t>]*(?:```|~~~).*$", text, re.MULTILINE)
    opened = Counter(fences[::2])
    assert set(opened) <= {f"```{kind}" for kind in KINDS}
    assert set(fences[1::2]) <= {"```"}
    assert opened == Counter({f"```{kind}": len(blocks(page, kind)) for kind in KINDS})
    assert bool(blocks(page, "text")) == (name_of(page) in PRINTED)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=name_of)
def test_every_python_block_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a reader copies works as it stands."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    for number, block in enumerate(blocks(page, "python"), 1):
        exec(compile(block, f"{page.name}, block {number}", "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_json_block_is_json(page: Path) -> None:
    """What a card says of its policy; tests/test_trained.py compares it with the policy."""
    for block in blocks(page, "json"):
        json.loads(block)


def test_short_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What they leave lies in the folder in which they were called."""
    monkeypatch.chdir(tmp_path)
    assert set(SHORT) <= set(COMMANDS)
    for command in SHORT:
        _, _, module, *arguments = shlex.split(command)
        assert not importlib.import_module(module).main(arguments), command


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_read_by_its_program(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its module, or target of make, is there, and takes these arguments and these rules."""
    program, *words = shlex.split(command)
    if command in UNREAD or command in SHORT:
        return
    if program == "make":
        assert set(words) <= set(TARGETS)
        return
    assert (program, words[0]) == ("python", "-m"), f"{command!r} is read by nothing here"
    parse, make = argparse.ArgumentParser.parse_args, tyro.cli

    def parse_and_stop(*arguments: Any, **settings: Any) -> NoReturn:
        raise Read(parse(*arguments, **settings))

    def make_and_stop(*arguments: Any, **settings: Any) -> NoReturn:
        raise Read(make(*arguments, **settings))

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", parse_and_stop)
    monkeypatch.setattr(tyro, "cli", make_and_stop)
    module = importlib.import_module(words[1])
    if hasattr(module, "__path__"):
        module = importlib.import_module(f"{words[1]}.__main__")
    with pytest.raises(Read) as read:
        module.main(words[2:])
    found = read.value.args[0]
    if hasattr(found, "preset") and hasattr(found, "rules"):
        rules_from_pairs(PRESETS[found.preset], found.rules)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_what_is_called_in_passing_is_there(page: Path) -> None:
    """Modules, targets of make and files of tests that stand in a line, NAME standing for any."""
    text = page.read_text(encoding="utf-8")
    for module in re.findall(r"`python -m ([\w.]+)", text):
        assert module.endswith(".NAME") or importlib.util.find_spec(module) is not None, module
    for targets in re.findall(r"`make ([a-z -]+)`", text):
        assert set(targets.split()) <= set(TARGETS), targets
    for path in re.findall(r"\btests/[\w*]+\.py\b", text):
        assert list(ROOT.glob(path)), path


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    """Links to files of the project."""
    for link in re.findall(r"\]\(([^):]+)\)", page.read_text(encoding="utf-8")):
        path, _, heading = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        if heading:
            headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            slugs = [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in headings]
            assert heading in slugs, link
