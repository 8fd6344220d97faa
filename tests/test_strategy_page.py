"""docs/strategy.md: its tables and pictures are what the solvers find."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.baselines import BASELINES
from agents.exact.equilibrium import solve_equilibrium
from agents.exact.public_tree import build_game
from eval import strategy_page
from eval.strategy_page import (
    fill,
    first_card_table,
    line_name,
    line_table,
    response_table,
    responses,
    stake_table,
)
from pontoon_env.rules import Rules

PAGE = Path(__file__).parents[1] / "docs" / "strategy.md"


def test_the_page_holds_the_values_of_the_best_responses() -> None:
    page = PAGE.read_text(encoding="utf-8")
    found = responses()
    assert response_table(found) in page
    assert first_card_table(found) in page
    assert fill(page, {"best responses": response_table(found)}) == page


def test_the_page_has_a_row_for_every_agent() -> None:
    page = PAGE.read_text(encoding="utf-8")
    table = page[page.index("<!-- policies -->") :]
    names = [line.split("`")[1] for line in table.splitlines() if line.startswith("| `")]
    assert names == [*BASELINES, *strategy_page.EXACT_AGENTS]


def test_a_table_without_a_place_is_refused() -> None:
    with pytest.raises(ValueError, match="0 places for the table 'values', not one"):
        fill("# Strategy\n", {"values": "| a |"})


def test_tables_and_pictures_of_an_equilibrium_can_be_made(tmp_path: Path) -> None:
    found = solve_equilibrium(build_game(Rules.two_seat_exact(max_stake=2)), target=0.01)
    assert stake_table(found).count("\n") == 11
    assert line_table(found).count("\n") == 15
    nodes = found.game.nodes
    twisted = int(nodes[nodes[1]["first_twisted"] + 4]["first_twisted"])
    assert line_name(found, twisted) == "E 2, twisted 5, twisted A"
    assert line_name(found, int(nodes[1]["first_bought"]) + 2) == "E 2, bought for 4"
    for draw in (strategy_page.draw_player, strategy_page.draw_banker):
        first, second = tmp_path / "first.svg", tmp_path / "second.svg"
        for path in (first, second):
            strategy_page._save(draw(found), path)
        assert first.read_bytes() == second.read_bytes()
