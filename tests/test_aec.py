"""The PettingZoo faces: PettingZoo's own tests, and what those do not catch."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, parallel_api_test, seed_test, state_test
from pettingzoo.utils import average_total_reward

from pontoon_env import Rules, pontoon_v0
from pontoon_env.aec import PontoonAECEnv
from pontoon_env.batch import new_games
from pontoon_env.cards import card_names
from pontoon_env.history import pack_in_order, read_history, verify_history
from pontoon_env.state import Move, Phase
from tests.tables import ENCODINGS, PETTINGZOO_REMARKS, RULES, VARIED, draw, play, play_on

pytestmark = [pytest.mark.filterwarnings(remark) for remark in PETTINGZOO_REMARKS]

every_table = pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
every_encoding = pytest.mark.parametrize("encoding", ENCODINGS)


@every_table
@every_encoding
def test_pettingzoos_own_tests_pass_without_an_illegal_action(rules: Rules, encoding: Any) -> None:
    """An illegal action would raise."""
    settings: Any = {"rules": rules, "encoding": encoding}
    api_test(pontoon_v0.env(**settings), num_cycles=60)
    api_test(pontoon_v0.raw_env(**settings), num_cycles=20)
    seed_test(lambda: pontoon_v0.env(**settings), num_cycles=60)
    parallel_api_test(pontoon_v0.parallel_env(**settings), num_cycles=200)


@every_encoding
def test_pettingzoos_tests_that_ignore_masks_pass_with_replaced_actions(encoding: Any) -> None:
    settings: Any = {"rules": VARIED, "encoding": encoding, "on_illegal": "replace"}
    state_test(pontoon_v0.env(**settings), pontoon_v0.parallel_env(**settings))
    total = average_total_reward(pontoon_v0.env(**settings), max_episodes=2)
    assert total == pytest.approx(0.0, abs=1e-9)


def test_the_environment_is_registered_with_pettingzoo() -> None:
    env = pettingzoo.make("aec", "pontoon_env/pontoon-v0", rules=Rules.shoot(seats=3))
    assert env.possible_agents == ["seat_0", "seat_1", "seat_2"]
    assert str(env) == "pontoon_v0"
    assert isinstance(pettingzoo.make("parallel", "pontoon_env/pontoon-v0"), pettingzoo.ParallelEnv)


def test_importing_the_package_loads_neither_numba_nor_torch() -> None:
    check = "import sys, pontoon_env; print({'numba', 'torch'} & set(sys.modules) or 'neither')"
    result = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "neither"


@every_table
@every_encoding
def test_rewards_are_delivered_once_and_sum_to_the_chips_won(rules: Rules, encoding: Any) -> None:
    """S11: the last kitty is the banker's."""
    env = pontoon_v0.env(rules=rules, encoding=encoding)
    env.reset(seed=5)
    generator = np.random.default_rng(5)
    won = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        _, reward, terminated, truncated, _ = env.last()
        assert type(reward) is float
        assert type(terminated) is bool
        assert truncated is False
        won[agent] += reward
        env.step(None if terminated else draw(env, generator))
        assert sum(env.rewards.values()) == pytest.approx(0.0, abs=1e-9)
    chips = env.get_state()["game"]["seats"]["chips"][0, : rules.seats]
    assert chips.sum() == 0
    assert [won[agent] * rules.min_stake for agent in won] == pytest.approx(chips.tolist())


def test_all_seats_are_terminated_together() -> None:
    """P5."""
    env = pontoon_v0.env(rules=VARIED)
    env.reset(seed=1)
    for _ in play(env, np.random.default_rng(1)):
        assert not any(env.terminations.values())
    assert env.agents == env.possible_agents
    assert all(env.terminations.values())
    assert not any(env.truncations.values())
    for agent in env.possible_agents:
        assert env.agent_selection == agent
        env.step(None)
    assert env.agents == []


@every_table
@every_encoding
def test_the_mask_is_the_same_in_observation_and_info(rules: Rules, encoding: Any) -> None:
    """And that of a seat that is not to act is all zero, its amounts too."""
    env = pontoon_v0.env(rules=rules, encoding=encoding)
    env.reset(seed=2)
    for agent in play(env, np.random.default_rng(2)):
        for other in env.agents:
            observation, info = env.observe(other), env.infos[other]
            assert observation["action_mask"].dtype == info["action_mask"].dtype == np.int8
            assert np.array_equal(observation["action_mask"], info["action_mask"])
            assert observation["action_mask"].any() == (other == agent)
            assert info["chips_high"].any() <= (other == agent)
            if encoding != "discrete":
                for amounts, chips in (("amount_low", "chips_low"), ("amount_high", "chips_high")):
                    in_stakes = (info[chips] / rules.min_stake).astype(np.float32)
                    assert np.array_equal(observation[amounts], in_stakes)


@every_encoding
def test_observations_stay_inside_their_finite_space(encoding: Any) -> None:
    env = pontoon_v0.env(rules=VARIED, encoding=encoding)
    space: Any = env.observation_space("seat_0")
    assert all(np.isfinite(part.high).all() for part in space.values())
    for seed in range(5):
        env.reset(seed=seed)
        for _ in play(env, np.random.default_rng(seed)):
            for agent in env.agents:
                assert space.contains(env.observe(agent))
            assert env.state_space.contains(env.state())


def test_looking_changes_nothing_and_hands_out_fresh_arrays() -> None:
    looked_at = pontoon_v0.env(rules=VARIED, render_mode="ansi")
    left_alone = pontoon_v0.env(rules=VARIED)
    looked_at.reset(seed=3)
    left_alone.reset(seed=3)
    for _ in play(looked_at, np.random.default_rng(3)):
        for agent in looked_at.agents:
            first, second = looked_at.observe(agent), looked_at.observe(agent)
            for key, array in first.items():
                assert array.tobytes() == second[key].tobytes()
                assert not np.shares_memory(array, second[key])
                assert not np.shares_memory(array, looked_at.infos[agent]["action_mask"])
                array.fill(1)
            assert repr(looked_at)
        assert looked_at.last()[4] is looked_at.infos[looked_at.agent_selection]
        looked_at.state().fill(0)
        looked_at.render()
    generator = np.random.default_rng(3)
    assert list(play(left_alone, generator))
    assert np.array_equal(looked_at.get_state()["game"], left_alone.get_state()["game"])


@every_encoding
def test_what_was_handed_out_is_never_written_to_again(encoding: Any) -> None:
    env = pontoon_v0.env(rules=VARIED, encoding=encoding)
    env.reset(seed=6)
    kept: list[tuple[Any, bytes]] = []
    for _ in play(env, np.random.default_rng(6)):
        observation, _, _, _, info = env.last()
        assert observation is not None
        kept += [(array, array.tobytes()) for array in (*observation.values(), *info.values())]
    assert all(array.tobytes() == content for array, content in kept)


@pytest.mark.parametrize("way", ["deepcopy", "pickle", "clone", "state", "state of another"])
@every_encoding
def test_a_copy_goes_on_as_the_original_and_leaves_it_alone(way: str, encoding: Any) -> None:
    env = pontoon_v0.env(rules=VARIED, encoding=encoding)
    env.reset(seed=9)
    for step, _ in enumerate(play(env, np.random.default_rng(9))):
        if step % 17 != 0:
            continue
        before = play_on(copy.deepcopy(env), step)
        if way == "deepcopy":
            twin = copy.deepcopy(env)
        elif way == "pickle":
            twin = pickle.loads(pickle.dumps(env))
        elif way == "clone":
            twin = env.clone()
        else:
            twin = pontoon_v0.env(rules=VARIED, encoding=encoding)
            if way == "state":
                twin.reset(seed=1)
            twin.set_state(pickle.loads(pickle.dumps(env.get_state())))
        assert play_on(twin, step) == before
        assert play_on(copy.deepcopy(env), step) == before


def test_a_copy_of_a_finished_session_is_finished() -> None:
    env = pontoon_v0.env(rules=Rules.single_deal(seats=3))
    env.reset(seed=4)
    for _ in play(env, np.random.default_rng(4)):
        pass
    env.step(None)
    for twin in (env.clone(), copy.deepcopy(env)):
        n_left = 0
        for _ in twin.agent_iter():
            twin.step(None)
            n_left += 1
        assert n_left == 2
        twin.reset()
        assert twin.key == (4, 1)
    state = env.get_state()
    env.reset(seed=8)
    env.set_state(state)
    assert env.agents == ["seat_1", "seat_2"]
    assert all(env.terminations.values())


def test_a_state_of_other_rules_or_another_version_is_refused() -> None:
    env = pontoon_v0.env(rules=Rules.pontoon(seats=4))
    other = pontoon_v0.env(rules=Rules.pontoon(seats=6, stick_min=16))
    env.reset(seed=0)
    other.reset(seed=0)
    before = other.get_state()["game"]
    ours, theirs = "seats=4, stick_min=15", "seats=6, stick_min=16"
    with pytest.raises(ValueError, match=f"rules with {ours} does not fit .* with {theirs}"):
        other.set_state(env.get_state())
    with pytest.raises(ValueError, match="pontoon_v9 does not fit pontoon_v0"):
        other.set_state({**other.get_state(), "env": "pontoon_v9"})
    with pytest.raises(ValueError, match="it has no env, rules, loop"):
        other.set_state({"game": before})
    with pytest.raises(ValueError, match="no array of one"):
        other.set_state({**other.get_state(), "game": np.zeros(1)})
    assert np.array_equal(other.get_state()["game"], before)


BROKEN_GAMES: dict[str, tuple[dict[str, Any], str]] = {
    "seat": ({"seat": 7}, "The seat to act must be one that the phase asks"),
    "seat of the banker": ({"seat": 0}, "The seat to act must be one that the phase asks"),
    "hand": ({"hand": 1}, "with a hand it holds"),
    "banker": ({"banker": 7}, "The banker must be a seat of the table"),
    "phase 99": ({"phase": 99}, "The phase must be one that these rules have"),
    "phase -1": ({"phase": -1}, "The phase must be one that these rules have"),
    "phase of other rules": ({"phase": Phase.SHOOT}, "The phase must be one that these rules"),
    "phase of other hands": ({"phase": Phase.STAKE}, "the hands that the phase has on the table"),
    "automatic phase": ({"phase": Phase.BANKER_CARDS}, "waits for nobody: .* BANKER_CARDS"),
    "deal": ({"deal": 20}, "Every number must lie in the range"),
    "top": ({"top": -1}, "Every number must lie in the range"),
    "pack": ({"n_pack": 105}, "The pack must hold its unseen cards and fit its place"),
    "cards": ({"n_pack": 40, "n_fresh": 0}, "Every card must be in one place"),
    "events": ({"n_events": 49}, "Every number must lie in the range"),
    "kitty": ({"kitty": 10}, "The seats' chips and the kitty must sum to zero"),
}


@pytest.mark.parametrize("name", BROKEN_GAMES)
def test_a_state_whose_game_cannot_be_is_refused_and_changes_nothing(name: str) -> None:
    env = pontoon_v0.env(rules=Rules.pontoon(seats=3))
    env.reset(seed=0, options={"banker": 0, "pack": ["2c", "3c", "4c", "2d", "3d", "4d"]})
    for _ in range(2):
        env.step({"move": Move.STAKE, "amount": 0.0})
    fields, message = BROKEN_GAMES[name]
    state = env.get_state()
    for field, value in fields.items():
        state["game"][field] = value
    refuse(env, state, message)


def test_a_state_of_a_game_that_has_not_begun_is_refused() -> None:
    env = pontoon_v0.env()
    env.reset(seed=0)
    refuse(env, {**env.get_state(), "game": new_games(1)}, "The phase must be")
    shoot = pontoon_v0.env(rules=Rules.shoot())
    shoot.reset(seed=0)
    refuse(shoot, {**shoot.get_state(), "game": new_games(1)}, "Every card must be in one place")


BROKEN_STATES: dict[str, tuple[Any, str]] = {
    "None": (None, "it has no env, rules, game, loop"),
    "5": (5, "it has no env, rules, game, loop"),
    "rules": ({"rules": 5}, "the state's rules=5 are no mapping"),
    "game": ({"game": None}, "no array of one state.GAME record"),
    "loop {}": ({"loop": {}}, "loop is none: it has no agents, rewards, cumulative_rewards"),
    "loop 5": ({"loop": 5}, "loop is none: it has no agents"),
}


@pytest.mark.parametrize("name", BROKEN_STATES)
def test_what_is_no_state_is_refused_and_changes_nothing(name: str) -> None:
    env = pontoon_v0.env()
    env.reset(seed=0)
    state, message = BROKEN_STATES[name]
    refuse(env, {**env.get_state(), **state} if isinstance(state, dict) else state, message)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("agents", []),
        ("agents", None),
        ("agents", ["seat_0"]),
        ("agent_selection", "seat_9"),
        ("agent_selection", None),
        ("rewards", {}),
        ("rewards", 5),
        ("cumulative_rewards", {f"seat_{i}": None for i in range(6)}),
        ("remarks", {"seat_9": "no"}),
        ("remarks", None),
    ],
)
def test_a_state_whose_loop_cannot_be_is_refused_and_changes_nothing(name: str, value: Any) -> None:
    env = pontoon_v0.env()
    env.reset(seed=0)
    state = env.get_state()
    refuse(env, {**state, "loop": {**state["loop"], name: value}}, f"loop has {name}=")


def refuse(env: PontoonAECEnv, state: Any, message: str) -> None:
    """Check that a state is refused and that the environment goes on as it would have."""
    expected = play_on(env.clone())
    with pytest.raises(ValueError, match=message):
        env.set_state(state)
    assert play_on(env.clone()) == expected


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_any_garbage_is_refused_or_can_be_played_to_its_end(rules: Rules) -> None:
    """Random bytes over random fields of a game: nothing breaks, now or later."""
    env = pontoon_v0.env(rules=rules)
    generator = np.random.default_rng(3)
    env.reset(seed=3)
    n_refused = 0
    for _ in play(env, np.random.default_rng(3), 40):
        state = env.get_state()
        for _ in range(3):
            game = state["game"].copy()
            record = game.view(np.uint8)
            record[generator.integers(record.size, size=generator.integers(1, 4))] = (
                generator.integers(256)
            )
            twin = env.clone()
            try:
                twin.set_state({**state, "game": game})
            except ValueError:
                n_refused += 1
            else:
                play_on(twin)
    assert n_refused > 10


@pytest.mark.parametrize("moment", range(40))
def test_a_session_that_was_cut_short_can_be_gone_back_to(moment: int) -> None:
    """An illegal action may end it anywhere, with cards and stakes on the table."""
    env = pontoon_v0.env(rules=VARIED, on_illegal="terminate")
    env.reset(seed=2)
    list(play(env, np.random.default_rng(2), moment))
    illegal = int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"] == 0)[0])
    env.step({"move": illegal, "amount": 0.0})
    twin = pontoon_v0.env(rules=VARIED)
    twin.set_state(env.get_state())
    assert play_on(twin) == play_on(env)


def test_a_clone_is_fast() -> None:
    """A search makes thousands; the bound is 20 times what it takes."""
    env = pontoon_v0.env()
    env.reset(seed=0)
    started = time.process_time()
    for _ in range(500):
        env.clone()
    assert (time.process_time() - started) / 500 < 0.001


def test_sessions_of_one_seed_follow_one_another() -> None:
    env = pontoon_v0.env()
    env.reset(seed=2**64 - 1)
    assert env.key == (2**64 - 1, 0)
    first = env.state()
    env.reset()
    assert env.key == (2**64 - 1, 1)
    assert not np.array_equal(env.state(), first)
    env.reset(seed=2**64 - 1, options={"unknown": "is not read"})
    assert np.array_equal(env.state(), first)


def test_a_first_reset_without_a_seed_takes_one_from_the_system() -> None:
    keys = []
    for _ in range(3):
        env = pontoon_v0.env()
        env.reset()
        keys.append(env.key)
    assert len(set(keys)) == 3
    assert {episode for _, episode in keys} == {0}


def test_the_agent_to_act_is_asked_and_no_other_global_generator_is_used() -> None:
    """Chance is the environment's own: numpy's global state stands still."""
    before = np.random.get_state()[1].copy()  # noqa: NPY002 -- the global generator is what is watched
    env = pontoon_v0.env()
    env.reset(seed=0)
    play_on(env)
    assert np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_a_stacked_pack_is_dealt_from_its_top() -> None:
    """P10: from the banker's left, the banker last."""
    env = pontoon_v0.env(rules=Rules.pontoon(seats=3))
    env.reset(seed=0)
    order = card_names(pack_in_order(env.get_state()["game"][0]))
    env.reset(seed=0, options={"pack": ["As", "Kd", "7c"], "banker": 1})
    game = env.get_state()["game"][0]
    assert game["banker"] == 1
    assert env.agent_selection == "seat_2"
    cards = [card_names(seat["hands"][0]["cards"][:1])[0] for seat in game["seats"][:3]]
    assert cards == ["Kd", "7c", "As"]
    rest = card_names(pack_in_order(game))
    assert len(rest) == 49
    assert [card for card in rest if card in order] == [card for card in order if card in rest]


def test_stacked_cards_come_first_from_an_infinite_pack() -> None:
    env = pontoon_v0.env(rules=Rules.two_seat_exact())
    env.reset(seed=0, options={"pack": ["As"] * 3, "banker": 0})
    env.step({"move": Move.STAKE, "amount": 0.0})
    game = env.get_state()["game"][0]
    assert card_names(game["seats"][1]["hands"][0]["cards"][:2]) == ["As", "As"]


@pytest.mark.parametrize(
    ("rules", "pack", "message"),
    [
        (Rules.pontoon(), ["As", "As"], "As is there more often"),
        (Rules.pontoon(packs=2), ["Td"] * 3, "Td is there more often"),
        (Rules.pontoon(), ["1s"], "no card is called '1s'"),
        (Rules.two_seat_exact(), ["As"] * 105, "105 cards are more than the 104"),
    ],
)
def test_a_pack_that_cannot_be_is_refused(rules: Rules, pack: list[str], message: str) -> None:
    env = pontoon_v0.env(rules=rules)
    env.reset(seed=0)
    before = env.get_state()["game"]
    with pytest.raises(ValueError, match=message):
        env.reset(seed=1, options={"pack": pack})
    assert np.array_equal(env.get_state()["game"], before)


def test_spaces_are_the_same_object_each_time_and_sample_legal_actions() -> None:
    env = pontoon_v0.env()
    env.reset(seed=0)
    space = env.action_space("seat_1")
    assert space is env.action_space("seat_1")
    assert space is not env.action_space("seat_2")
    mask = np.zeros(len(Move), np.int8)
    mask[Move.STICK] = 1
    sample: Any = space.sample(mask)
    assert sample["move"] == Move.STICK
    assert space.contains(sample)
    assert space.contains({"move": np.int64(2), "amount": np.array(0.5, np.float32)})


@pytest.mark.parametrize("rules", [VARIED, Rules.two_seat_exact()], ids=["varied", "infinite"])
def test_a_recorded_session_is_the_same_and_its_history_verifies(
    rules: Rules, tmp_path: Path
) -> None:
    recorded = pontoon_v0.env(rules=rules, history=tmp_path / "session-{episode}.jsonl")
    plain = pontoon_v0.env(rules=rules)
    for episode in range(2):
        for env in (recorded, plain):
            env.reset(seed=None if episode else 6)
        assert play_on(recorded, 6) == play_on(plain, 6)
        path = tmp_path / f"session-{episode}.jsonl"
        lines = read_history(path)
        assert verify_history(lines).deals == rules.deals
        net = plain.get_state()["game"]["seats"]["chips"][0, : rules.seats].tolist()
        assert lines[-1] == {"line": "end", "net": net}
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "session-0.jsonl",
        "session-1.jsonl",
    ]


@pytest.mark.parametrize("way", ["deepcopy", "pickle", "clone"])
def test_a_copy_records_no_history(way: str, tmp_path: Path) -> None:
    """Not of this session, nor of the next: the file is the original's."""
    env = pontoon_v0.env(rules=VARIED, history=tmp_path / "history.jsonl")
    env.reset(seed=6)
    list(play(env, np.random.default_rng(6), 20))
    if way == "deepcopy":
        twin = copy.deepcopy(env)
    else:
        twin = env.clone() if way == "clone" else pickle.loads(pickle.dumps(env))
    play_on(twin, 7)
    twin.reset()
    play_on(twin, 7)
    assert not list(tmp_path.iterdir())
    play_on(env, 7)
    assert verify_history(read_history(tmp_path / "history.jsonl")).deals == VARIED.deals


def test_a_history_names_the_seed_where_that_alone_leads_to_it(tmp_path: Path) -> None:
    env = pontoon_v0.env(rules=Rules.single_deal(seats=2), history=tmp_path / "{episode}.jsonl")
    for options, seed, expected in (
        (None, 6, 6),
        ({"banker": 0}, 6, None),
        ({"pack": ["As"]}, 6, None),
        (None, 6, 6),
        (None, None, None),
    ):
        env.reset(seed=seed, options=options)
        play_on(env)
        lines = read_history(tmp_path / f"{env.key[1]}.jsonl")
        assert verify_history(lines)
        assert lines[0]["seed"] == expected


def test_a_history_that_can_no_longer_be_written_is_noticed_at_reset(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    env = pontoon_v0.env(history=folder / "history.jsonl")
    env.reset(seed=6)
    folder.rmdir()
    with pytest.raises(ValueError, match=r"history=.*history\.jsonl.* cannot be written: No such"):
        env.reset(seed=7)
    assert env.key == (6, 0)


def test_a_session_that_was_cut_into_is_not_recorded(tmp_path: Path) -> None:
    env = pontoon_v0.env(rules=VARIED, history=tmp_path / "history.jsonl")
    env.reset(seed=6)
    env.set_state(env.get_state())
    play_on(env)
    assert not list(tmp_path.iterdir())
