"""What the bank is worth: the command, and the numbers that agents keep of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from eval.bank_worth import GAMES, main, measure
from pontoon_env.opponents.bank import DEALS_OF_A_BANK, GAIN_AT_EQUAL_LIMITS, LOSS_BY_RATIO


@pytest.mark.statistical
@pytest.mark.parametrize("banker", ["basic", "bayes"])
@pytest.mark.parametrize("game", GAMES)
def test_agents_keep_what_is_measured(game: str, banker: str) -> None:
    """50,000 deals each; the interval of the mean is widened to 3.5 standard errors."""
    is_reader, shoot = int(banker == "bayes"), int(game == "shoot")
    for seats, is_equal in ((2, True), (6, True), (6, False)):
        found = measure((game, seats, is_equal), "basic", banker, 50_000, 5)
        expected = GAIN_AT_EQUAL_LIMITS[is_reader, shoot, seats]
        if not is_equal:
            expected -= 9 * LOSS_BY_RATIO[is_reader, shoot, seats]
        gain = found["gain"]
        assert abs(gain["mean"] - expected) < 3.5 / 1.96 * (gain["high"] - gain["mean"])
        passes = found["passes"]
        width = 3.5 / 1.96 * (passes["high"] - passes["mean"])
        assert abs(passes["mean"] - 1 / DEALS_OF_A_BANK[seats]) < width


def test_the_command_prints_every_table(capsys: Any) -> None:
    assert main(["--deals", "40", "--seed", "3"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["deals"], found["seed"], found["banker"]) == (40, 3, "basic")
    assert len(found["tables"]) == 28


def test_a_wrong_setting_is_refused(capsys: Any) -> None:
    assert main(["--deals", "0"]) == 2
    assert main(["--banker", "nobody"]) == 2
    assert "no agent is called 'nobody'" in capsys.readouterr().err
