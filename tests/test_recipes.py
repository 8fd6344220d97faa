"""The table of recipes: what it names is there, and its commands are ones that can be run."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest
import tyro

from agents.registry import make_agent
from eval import benchmark
from pontoon_env.opponents import OPPONENTS
from train.recipes import LEAST_UPDATES, RECIPES, SHORTER, Recipe

FOLDER = Path("runs/any")


def settings_of(recipe: Recipe) -> Any:
    """What the program reads from a recipe's command."""
    module, *arguments = recipe.command(recipe.seeds[0], FOLDER)[1:]
    settings = tyro.cli(importlib.import_module(module).Settings, args=arguments)
    settings.check()
    return settings


ALL = [*RECIPES.values(), *(recipe.shortened() for recipe in RECIPES.values())]
IDS = [*RECIPES, *(f"{name}-shortened" for name in RECIPES)]


@pytest.mark.parametrize("recipe", ALL, ids=IDS)
def test_every_program_takes_its_recipes_and_every_agent_plays_by_their_rules(
    recipe: Recipe,
) -> None:
    settings = settings_of(recipe)
    assert (settings.seed, settings.out) == (recipe.seeds[0], FOLDER)
    assert settings.timesteps == recipe.timesteps()
    if settings.opponents != "pool":
        make_agent(settings.opponents).check_rules(settings.table_rules())


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_a_shortened_recipe_makes_whole_rollouts_and_some_updates(recipe: Recipe) -> None:
    short, whole = settings_of(recipe.shortened()), settings_of(recipe)
    rollout = short.num_envs * short.n_steps
    assert short.timesteps % rollout == 0
    assert short.timesteps // rollout >= LEAST_UPDATES
    assert 0 <= short.timesteps - whole.timesteps / SHORTER < rollout
    changed = {"timesteps", "num_envs", "batch_size", "taught"}
    assert {name for name, value in vars(whole).items() if vars(short)[name] != value} <= changed


@pytest.mark.parametrize("recipe", ALL, ids=IDS)
def test_policies_are_measured_by_the_rules_that_they_were_trained_by(recipe: Recipe) -> None:
    trained = settings_of(recipe).table_rules()
    for measure in recipe.measures:
        module, *arguments = measure.command(("basic",), FOLDER)[1:]
        if measure.program == "benchmark":
            rules, to_play = benchmark._checked(benchmark._parse(arguments))
            assert rules == trained
            assert to_play
        else:
            assert module == "eval.exploit"
            assert trained == type(trained).two_seat_exact()


def test_twins_have_one_command_but_for_the_memory_and_stand_before_what_needs_them() -> None:
    names = list(RECIPES)
    for recipe in RECIPES.values():
        for measure in recipe.measures:
            if measure.twin is not None:
                twin = RECIPES[measure.twin]
                assert names.index(twin.name) < names.index(recipe.name)
                assert set(recipe.seeds) <= set(twin.seeds)
                assert settings_of(twin).table_rules() == settings_of(recipe).table_rules()
                if recipe.program == twin.program:
                    assert recipe.arguments == (*twin.arguments, "--memory")


def test_advantages_and_exploitabilities_are_measured_of_all_baselines() -> None:
    for name in ("self-play-pontoon", "self-play-shoot"):
        (measure,) = RECIPES[name].measures
        _, to_play = benchmark._checked(benchmark._parse(measure.command(("basic",), FOLDER)[2:]))
        assert [(each.role, each.others) for each in to_play] == [
            ("any", baseline) for baseline in OPPONENTS
        ]
    assert RECIPES["self-play-two"].measures[0].beside == tuple(OPPONENTS)
