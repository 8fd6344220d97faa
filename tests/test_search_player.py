"""The player that searches, of the examples: legal, repeatable, and blind to what is hidden."""

from __future__ import annotations

import numpy as np

from examples.search_player import SearchPlayer
from pontoon_env import Rules
from pontoon_env.agent import check_agent
from pontoon_env.agent_names import find_agent
from pontoon_env.state import Phase
from tests.policies import played, some_games
from tests.test_hidden import worlds_of

RULES = Rules.shoot(seats=3, deals=2)


def test_it_makes_legal_decisions_and_repeats_itself() -> None:
    player = find_agent("examples.search_player:SearchPlayer")
    check_agent(player, RULES)
    games = some_games(RULES, 60)
    player = SearchPlayer(20)
    moves, chips = player.choose(RULES, games)
    played(RULES, games, moves, chips)
    again = player.choose(RULES, games[::-1].copy())
    assert np.array_equal(again[0][::-1], moves)
    assert np.array_equal(again[1][::-1], chips)


def test_it_does_not_see_what_is_hidden() -> None:
    """P26: in worlds that it cannot tell apart it chooses alike, but for the worlds' numbers."""
    player = SearchPlayer(20)
    games = some_games(RULES, 80)
    games = games[games["phase"] == Phase.PLAY][:20]
    assert games.size > 5
    for i in range(games.size):
        game = games[i : i + 1].copy()
        world = worlds_of(RULES, game, int(game["seat"][0]), 1)
        game["world"] = world["world"]
        assert [part.tolist() for part in player.choose(RULES, game)] == [
            part.tolist() for part in player.choose(RULES, world)
        ]
