"""The table as text, and that nothing hidden shows in it or in all else that a seat is told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import render_test

from pontoon_env import Rules, pontoon_v0
from pontoon_env.aec import PontoonAECEnv
from pontoon_env.history import pack_in_order
from pontoon_env.render import HIDDEN, render_ansi
from pontoon_env.state import MAX_PACK_CARDS, Move, Phase
from pontoon_env.status import Status, status
from tests.tables import ENCODINGS, RULES, VARIED, play


def told(env: PontoonAECEnv, seat: int) -> list[Any]:
    """Return all that a seat is told, bit by bit."""
    agent = f"seat_{seat}"
    game = env.get_state()["game"][0]
    arrays = [*env.observe(agent).items(), *env.infos[agent].items()]
    return [
        *((key, array.tobytes()) for key, array in arrays),
        render_ansi(env.rules, game, seat),
        env.render(),
        repr(env),
        str(env),
        env.agent_selection,
        env.rewards,
    ]


def hidden_worlds(game: np.void, seat: int, rules: Rules) -> Iterator[np.ndarray[Any, Any]]:
    """Yield games that differ from one in a hidden card or in the order of the pack alone.

    A card that lies face down is hidden from the others, whoever holds it, and the banker's first
    from the banker too (P11), unless the banker may double, which takes a look at it.
    """
    generator = np.random.default_rng(int(game["decision"]))
    own_is_known = seat != game["banker"] or game["phase"] > Phase.SHOOT or rules.banker_doubles
    for owner in range(rules.seats):
        if owner == seat and own_is_known:
            continue
        for i in range(game["seats"][owner]["n_hands"]):
            hand = game["seats"][owner]["hands"][i]
            for place in range(hand["n_cards"]):
                if not hand["up"] >> place & 1:
                    other = np.array([game])
                    card = other[0]["seats"][owner]["hands"][i]["cards"]
                    if rules.packs == "infinite":
                        card[place] = (card[place] + 17) % 52
                    else:
                        k = (game["top"] + generator.integers(game["n_pack"])) % MAX_PACK_CARDS
                        pack = other[0]["pack"]
                        card[place], pack[k] = int(pack[k]), int(card[place])
                    yield other
    other = np.array([game])
    places = (game["top"] + np.arange(game["n_pack"])) % MAX_PACK_CARDS
    other[0]["pack"][places] = other[0]["pack"][places[::-1]]
    yield other
    if game["phase"] == Phase.BID:
        other = np.array([game])
        for rival in range(rules.seats):
            if rival != seat:
                other[0]["seats"][rival]["bid"] = 77
        yield other


@pytest.mark.parametrize(
    "rules",
    [*RULES.values(), VARIED, Rules.shoot(packs="infinite", seats=4, deals=4)],
    ids=[*RULES, "varied", "infinite"],
)
def test_hidden_cards_change_nothing_that_a_seat_is_told(rules: Rules) -> None:
    """P26: observation, mask, amounts, text and name are equal bit by bit in both worlds."""
    env = pontoon_v0.env(rules=rules, render_mode="ansi")
    twin = pontoon_v0.env(rules=rules, render_mode="ansi")
    env.reset(seed=21)
    n_worlds = 0
    generator = np.random.default_rng(21)
    for step, _ in enumerate(play(env, generator, 150)):
        seat = step % rules.seats
        state = env.get_state()
        expected = told(env, seat)
        for world in hidden_worlds(state["game"][0], seat, rules):
            if status(rules, world[0]) != Status.SOUND:
                continue  # a hand could not have come to this: a live one over 21, say
            twin.set_state({**state, "game": world})
            assert told(twin, seat) == expected
            n_worlds += 1
    assert n_worlds > 50


def test_a_card_that_lies_face_up_is_told_to_everybody() -> None:
    """P26: otherwise the test of hidden cards would prove nothing."""
    env = pontoon_v0.env(rules=Rules.pontoon(seats=3), render_mode="ansi")
    pack = ["2c", "3c", "4c", "2d", "3d", "4d", "5h", "Ts"]
    env.reset(seed=0, options={"banker": 0, "pack": pack})
    for move in (Move.STAKE, Move.STAKE, Move.TWIST):
        env.step({"move": move, "amount": 0.0})
    state = env.get_state()
    twin = pontoon_v0.env(rules=Rules.pontoon(seats=3), render_mode="ansi")
    game = state["game"][0]
    card = game["seats"][1]["hands"][0]["cards"][2]
    place = (game["top"] + pack_in_order(game).tolist().index(card + 4)) % MAX_PACK_CARDS
    game["pack"][place] = card
    game["seats"][1]["hands"][0]["cards"][2] += 4
    twin.set_state(state)
    for seat in range(3):
        ours, theirs = told(env, seat), told(twin, seat)
        assert ours[0] != theirs[0]
        assert "5h" in ours[-6]
        assert "6h" in theirs[-6]


def test_the_text_shows_each_seat_its_own_cards_and_marks_banker_and_mover() -> None:
    """P11, P13, P26."""
    env = pontoon_v0.env(rules=Rules.pontoon(seats=3), render_mode="ansi")
    pack = ["2c", "3c", "4c", "2d", "3d", "4d", "5h", "Ts"]
    env.reset(seed=0, options={"banker": 0, "pack": pack})
    rules, game = env.rules, env.get_state()["game"][0]
    assert "2c" in render_ansi(rules, game, 1)
    assert "4c" not in render_ansi(rules, game, 0)  # the banker may not look yet
    for move in (Move.STAKE, Move.STAKE, Move.TWIST):
        env.step({"move": move, "amount": 0.0})
    game = env.get_state()["game"][0]
    lines = render_ansi(rules, game, 1).splitlines()
    assert lines[0] == "Pontoon, deal 1 of 20."
    assert [line.split() for line in lines[2:5]] == [
        ["seat_0", "+0", HIDDEN, HIDDEN, "banker"],
        [">", "seat_1", "+0", "100", "2c", "2d", "5h", "9"],
        ["seat_2", "+0", "100", HIDDEN, HIDDEN],
    ]
    assert lines[5] == "Last: 5h to seat_1."
    assert lines[6] == "seat_1 is to play a hand (P16 to P22)."
    assert env.render() == render_ansi(rules, game)
    assert "2c" not in str(env.render())


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_every_position_of_a_session_can_be_shown(rules: Rules) -> None:
    """In ASCII, the banker named once, and one mover until the end."""
    env = pontoon_v0.env(rules=rules, render_mode="ansi")
    env.reset(seed=3)
    for _ in play(env, np.random.default_rng(3)):
        text = str(env.render())
        assert text.isascii()
        assert text.count("banker") >= 1
        assert sum(line.startswith(">") for line in text.splitlines()) == 1
        assert ("kitty" in text) >= rules.shoot
    assert str(env.render()).endswith("The session is over.")


def test_there_is_no_text_for_a_seat_that_is_not_there() -> None:
    env = pontoon_v0.env(rules=Rules.pontoon(seats=2))
    env.reset(seed=0)
    with pytest.raises(ValueError, match="seat=2 is no seat from 0 to 1"):
        render_ansi(env.rules, env.get_state()["game"][0], 2)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_pettingzoos_render_test_passes(encoding: Any, capsys: pytest.CaptureFixture[str]) -> None:
    render_test(lambda render_mode: pontoon_v0.env(encoding=encoding, render_mode=render_mode))
    assert "Pontoon, deal 1 of 20." in capsys.readouterr().out


def test_human_mode_prints_the_table_after_reset_and_every_step(
    capsys: pytest.CaptureFixture[str],
) -> None:
    env = pontoon_v0.env(render_mode="human")
    env.reset(seed=0)
    n_steps = len(list(play(env, np.random.default_rng(0), 5)))
    assert capsys.readouterr().out.count("Pontoon, deal") == n_steps + 1


def test_rendering_without_a_mode_says_so() -> None:
    env = pontoon_v0.env()
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="nothing is rendered without a render_mode"):
        assert env.render() is None
    env.close()
