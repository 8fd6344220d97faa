"""docs/benchmark.md: its commands are those of the recipes, its tables what was measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval.measurements import write_measurement
from eval.reproduce import measurings_of, trainings_of
from eval.strategy_page import fill
from eval.training_page import PAGE, PARTS, commands, curve_of, make_page
from tests.measurements import make_measurement
from train.recipes import RECIPES


def test_every_recipe_is_in_one_part_of_the_page() -> None:
    assert [name for part in PARTS for name in part.recipes] == list(RECIPES)


def test_the_page_has_the_commands_of_the_recipes_and_a_place_for_every_part() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert fill(page, {f"commands of {part.name}": commands(part) for part in PARTS}) == page
    fill(page, {part.name: "" for part in PARTS})


def test_a_command_on_the_page_is_the_whole_command() -> None:
    """Lines that are joined again read as the recipe has them."""
    recipe = RECIPES["memory-never"]
    words = recipe.command(1, Path("runs/memory-never-1"))
    part = next(part for part in PARTS if recipe.name in part.recipes)
    assert f"$ python {' '.join(words)}\n" in commands(part).replace(" \\\n   ", "")
    assert max(map(len, commands(part).splitlines())) <= 100


def write_log(policy: Path, begun: int, rows: list[tuple[int, str]]) -> None:
    """Write the log of a run from some decision on."""
    folder = policy / "log" / f"{begun:012d}"
    folder.mkdir(parents=True)
    lines = [f"{mean},{decisions}" for decisions, mean in rows]
    header = "rollout/ep_rew_mean,time/total_timesteps"
    (folder / "progress.csv").write_text("\n".join([header, *lines, ""]))


def test_the_curve_of_a_resumed_run_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    """What came after the checkpoint was lost; no mean means no point."""
    write_log(tmp_path, 0, [(10, "nan"), (20, "1.0"), (30, "2.0")])
    write_log(tmp_path, 20, [(30, "3.0"), (40, "4.0")])
    assert curve_of(tmp_path) == ([20, 30, 40], [1.0, 3.0, 4.0])


def fill_part(folder: Path, is_shortened: bool = False) -> None:
    """Leave measurements and logs of one part in a folder."""
    trainings = trainings_of(folder, [RECIPES["player-discrete"]])
    for measuring in measurings_of(folder, trainings, is_shortened=False):
        measuring.kept.parent.mkdir(exist_ok=True)
        seed = measuring.trained()[0].seed
        measurement = make_measurement(
            recipe="player-discrete", seed=seed, is_shortened=is_shortened
        )
        write_measurement(measuring.kept, measurement)
    for training in trainings:
        write_log(training.policy, 0, [(10, "1.0"), (20, "2.0")])


def test_a_part_that_was_measured_is_filled_and_the_others_stay(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill_part(tmp_path)
    pictures = tmp_path / "benchmark"
    page = PAGE.read_text(encoding="utf-8")
    made = make_page(page, tmp_path, pictures)
    part = made[made.index("<!-- players -->") : made.index("## A banker")]
    assert "| `player-discrete`, seed 3 | +0.250 ± 0.050 |" in part
    assert "| `player-discrete`, seed 1 | 64 | 2 |" in part
    assert "![Learning curves](benchmark/players.svg)" in part
    assert [path.name for path in pictures.iterdir()] == ["players.svg"]
    assert made[made.index("## A banker") :] == page[page.index("## A banker") :]
    assert "nothing is measured of bankers" in capsys.readouterr().err


def test_what_was_measured_in_a_shortened_run_is_refused(tmp_path: Path) -> None:
    fill_part(tmp_path, is_shortened=True)
    with pytest.raises(ValueError, match="mine-1 was measured in a shortened run"):
        make_page(PAGE.read_text(encoding="utf-8"), tmp_path, tmp_path)
