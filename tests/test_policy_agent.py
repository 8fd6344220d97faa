"""Saved policies as agents: what they choose, draw and remember."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.stats import beta

from agents.baselines import Baseline
from agents.network import Network
from agents.policy_heads import beta_quantile
from agents.saved_policy import (
    N_OUTPUTS,
    PolicyEncoding,
    SavedPolicy,
    load_policy,
    save_policy,
)
from agents.session_states import SessionStates
from eval.match import Lineup, everywhere, play_sessions
from pontoon_env import Rules
from pontoon_env.actions import FRACTION_OF_DISCRETE, MOVE_OF_DISCRETE, N_DISCRETE
from pontoon_env.agent import (
    AgentError,
    Mixing,
    Remembering,
    TableAgent,
    ask_for_alternatives,
    decisions_of,
    legal_choices,
)
from pontoon_env.observation import observation_size
from pontoon_env.state import N_AMOUNT_MOVES, N_MOVES, Move, Phase
from tests.policies import (
    RULES,
    begin,
    make_policy,
    played,
    random_tensors,
    settings_of,
    some_games,
)

KINDS: tuple[tuple[PolicyEncoding, int], ...] = (
    ("discrete", 0),
    ("hybrid", 0),
    ("discrete", 6),
    ("hybrid", 6),
)
"""Encodings, and lengths of the memory: 0 for none."""


# Play.


@pytest.mark.parametrize(("encoding", "n_lstm"), KINDS)
@pytest.mark.parametrize("deterministic", [True, False])
def test_it_is_an_agent_that_plays_legal_moves(
    encoding: PolicyEncoding, n_lstm: int, deterministic: bool
) -> None:
    policy = make_policy(encoding, n_lstm, deterministic)
    assert isinstance(policy, TableAgent)
    assert isinstance(policy, Mixing)
    assert isinstance(policy, Remembering)
    games = some_games()
    rows = np.arange(games.size)
    moves, chips = policy.choose(RULES, games)
    masks, lows, highs = legal_choices(RULES, games)
    assert (masks[rows, moves] == 1).all()
    assert moves.dtype == chips.dtype == np.int64
    takes_amount = moves < N_AMOUNT_MOVES
    assert takes_amount.any()
    legal = (chips >= lows[rows, moves]) & (chips <= highs[rows, moves])
    assert np.where(takes_amount, legal, chips == 0).all()


def test_it_plays_the_likeliest_action() -> None:
    """By torch's own masked argmax."""
    policy, games = make_policy(), some_games()
    decisions = decisions_of(RULES, games)
    logits = torch.from_numpy(policy.network.outputs(decisions.observations))
    is_legal = torch.from_numpy(decisions.masks[:, MOVE_OF_DISCRETE] == 1)
    best = logits.masked_fill(~is_legal, -torch.inf).argmax(dim=1).numpy()
    moves, fractions = policy.decide(decisions.observations, decisions.masks)
    assert np.array_equal(moves, MOVE_OF_DISCRETE[best])
    assert np.array_equal(fractions, FRACTION_OF_DISCRETE[best])
    assert np.array_equal(policy.choose(RULES, games)[0], moves)


def test_the_likeliest_amount_is_the_mode_of_its_distribution() -> None:
    """By the parameters as torch reckons them, and its own mode."""
    policy, games = make_policy("hybrid", scale=20.0), some_games()
    decisions = decisions_of(RULES, games)
    outputs = torch.from_numpy(policy.network.outputs(decisions.observations)).double()
    is_legal = torch.from_numpy(decisions.masks == 1)
    best = outputs[:, :N_MOVES].masked_fill(~is_legal, -torch.inf).argmax(dim=1).numpy()
    first, second = 1 + torch.nn.functional.softplus(outputs[:, N_MOVES:]).T
    mode = torch.distributions.Beta(first, second).mode.numpy()
    moves, fractions = policy.decide(decisions.observations, decisions.masks)
    assert np.array_equal(moves, best)
    assert fractions == pytest.approx(np.where(best < N_AMOUNT_MOVES, mode, 0), abs=1e-5)
    _, lows, highs = legal_choices(RULES, games)
    rows = np.arange(games.size)
    low, high = lows[rows, moves], highs[rows, moves]
    chips = np.floor(low + fractions * (high - low) + 0.5)
    assert np.array_equal(
        policy.choose(RULES, games)[1], np.where(moves < N_AMOUNT_MOVES, chips, 0)
    )


@pytest.mark.parametrize("encoding", [*N_OUTPUTS])
def test_it_draws_choices_by_their_probabilities(encoding: PolicyEncoding) -> None:
    """10,000 draws of one decision: each frequency within 0.03 (six standard deviations)."""
    policy = make_policy(encoding, scale=3.0)
    one = decisions_of(RULES, some_games(n=8)[-1:])
    n = 10_000
    uniforms = np.random.default_rng(0).random((n, 2))
    moves, fractions = policy.decide(
        *(np.repeat(part, n, axis=0) for part in (one.observations, one.masks)), uniforms
    )
    chances = policy.probabilities(one)[0]
    assert chances.sum() == pytest.approx(1)
    assert (chances > 0.05).sum() > 1
    named = zip(MOVE_OF_DISCRETE, FRACTION_OF_DISCRETE, strict=True)
    found = [((moves == move) & (fractions == fraction)).mean() for move, fraction in named]
    if encoding == "hybrid":
        found = np.bincount(moves, minlength=N_MOVES) / n
    assert found == pytest.approx(chances, abs=0.03)


def test_it_draws_amounts_by_their_distribution() -> None:
    """10,000 stakes: 20 bins of equal chance, each within 0.0131 of 0.05 (six deviations)."""
    policy = make_policy("hybrid", scale=3.0)
    one = decisions_of(RULES, begin(RULES, 1))
    n = 10_000
    uniforms = np.random.default_rng(0).random((n, 2))
    observations, masks = (np.repeat(part, n, axis=0) for part in (one.observations, one.masks))
    moves, fractions = policy.decide(observations, masks, uniforms)
    assert (moves == Move.STAKE).all()
    first, second = 1 + np.log1p(np.exp(policy.network.outputs(one.observations)[0, N_MOVES:]))
    shares = np.histogram(beta.cdf(fractions, first, second), 20, (0, 1))[0] / n
    assert shares == pytest.approx(0.05, abs=0.0131)


def test_quantiles_of_amounts_are_those_of_scipy() -> None:
    generator = np.random.default_rng(0)
    parameters = 1 + np.exp(generator.uniform(-30, 8, (2000, 2)))
    chances = generator.random(2000) ** generator.choice([1, 8], 2000)
    for chance, (first, second) in zip(chances, parameters.tolist(), strict=True):
        expected = beta.ppf(chance, first, second)
        assert beta_quantile(chance, first, second) == pytest.approx(expected, abs=1e-8)
    for extreme in ((0.0, 1.0, 1.0), (1 - 2**-53, 1.0, 1.0), (0.5, 1e30, 1.0), (0.5, 1.0, 1e30)):
        assert 0 <= beta_quantile(*extreme) <= 1


@pytest.mark.parametrize("encoding", [*N_OUTPUTS])
def test_a_draw_depends_on_its_place_in_the_game_and_not_on_the_batch(
    encoding: PolicyEncoding,
) -> None:
    policy, games = make_policy(encoding, deterministic=False), some_games()
    moves, chips = policy.choose(RULES, games)
    for rows in (np.arange(games.size)[::-1], np.arange(0, games.size, 7), np.array([5])):
        again = policy.choose(RULES, games[rows])
        assert np.array_equal(again[0], moves[rows])
        assert np.array_equal(again[1], chips[rows])
    other = games.copy()
    other["seed"] += 1
    assert not np.array_equal(policy.choose(RULES, other)[1], chips)


@pytest.mark.parametrize(("encoding", "n_lstm"), KINDS)
@pytest.mark.parametrize("deterministic", [True, False])
def test_sessions_are_played_alike_at_once_and_one_by_one(
    encoding: PolicyEncoding, n_lstm: int, deterministic: bool
) -> None:
    """Each single one by a policy that has played nothing before."""
    rules = Rules.pontoon(seats=3, deals=3)
    policy = make_policy(encoding, n_lstm, deterministic, rules, scale=5.0)
    chips = play_sessions(rules, everywhere(policy, rules), 12, 7).chips
    for episode in range(12):
        alone = everywhere(make_policy(encoding, n_lstm, deterministic, rules, 5.0), rules)
        assert np.array_equal(play_sessions(rules, alone, 1, 7, episode).chips[0], chips[episode])


@pytest.mark.parametrize("n_lstm", [0, 6])
def test_a_policy_with_memory_reads_what_its_seat_remembers(tmp_path: Path, n_lstm: int) -> None:
    """From a file; its answers are those of the longer observation, and not of none remembered."""
    rules = Rules.pontoon(seats=3, deals=3, shuffle="never")
    n_inputs = observation_size(rules, memory=True)
    assert n_inputs > observation_size(rules)
    tensors = random_tensors(n_inputs, N_DISCRETE, n_lstm=n_lstm, scale=20.0)
    tensors["lstm.weight_ih" if n_lstm else "hidden.0.weight"][:, observation_size(rules) :] *= 5.0
    save_policy(tmp_path, tensors, settings_of(rules, memory=True))
    policy = load_policy(tmp_path)
    assert policy.settings.memory
    games = some_games(rules)
    seen = decisions_of(rules, games, memory=True)
    moves, _ = policy.choose(rules, games)
    forgetful = seen.observations.copy()
    forgetful[:, observation_size(rules) :] = 0.0
    by_memory, by_none = (
        likeliest(Network(tensors), observations, seen.masks)
        for observations in (seen.observations, forgetful)
    )
    assert np.array_equal(moves, by_memory)
    assert (by_memory != by_none).any()
    chips = play_sessions(rules, everywhere(policy, rules), 20, 7).chips
    assert (chips.sum(axis=1) == 0).all()


def likeliest(network: Network, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """The moves of the likeliest legal actions of a network that has seen nothing before."""
    outputs = (
        network.outputs_from(observations, *np.zeros((2, len(masks), network.n_hidden), np.float32))
        if network.is_recurrent
        else (network.outputs(observations),)
    )[0]
    legal = np.where(masks[:, MOVE_OF_DISCRETE] == 1, outputs, -np.inf)
    return MOVE_OF_DISCRETE[legal.argmax(axis=1)]


# Memory.


def test_a_session_played_again_begins_afresh() -> None:
    rules = Rules.pontoon(seats=3, deals=3)
    policy = make_policy("hybrid", 6, rules=rules, scale=5.0)
    first, again = (play_sessions(rules, everywhere(policy, rules), 12, 7).chips for _ in range(2))
    assert np.array_equal(first, again)


def test_a_match_of_the_same_sessions_begins_afresh() -> None:
    """By their moments alone its decisions would go on with the course of play before.

    It is not asked for least stakes, and slower players come before it.
    """
    rules = Rules.pontoon(seats=3, deals=1)
    pattern = np.array([[[1, 1], [1, 1], [0, 0]]])

    def play(policy: SavedPolicy, other: str, stakes_least: frozenset[int]) -> np.ndarray:
        lineup = Lineup(
            agents=[policy, Baseline(other)], patterns=pattern, stakes_least=stakes_least
        )
        return play_sessions(rules, lineup, 300, 7).chips

    def flat_chips(policy: SavedPolicy) -> np.ndarray:
        return play(policy, "bold", frozenset({0}))

    used, mindful, fresh = (make_policy("hybrid", 6, rules=rules, scale=5.0) for _ in range(3))
    mindful.forget = lambda: None  # type: ignore[method-assign]
    for policy in (used, mindful):
        play(policy, "timid", frozenset())
    expected = flat_chips(fresh)
    assert np.array_equal(flat_chips(used), expected)
    assert not np.array_equal(flat_chips(mindful), expected), "what came before makes a difference"


def test_what_came_before_matters_to_a_policy_that_remembers() -> None:
    """It answers by the state after the seat's last decision: without it, some answers differ."""
    policy, games = make_policy("hybrid", 6, scale=5.0), begin(RULES, 50)
    network = policy.network
    states: dict[tuple[int, int], np.ndarray] = {}
    n_changed = 0
    for _ in range(6):
        decisions = decisions_of(RULES, games)
        keys = [*zip(games["episode"].tolist(), games["seat"].tolist(), strict=True)]
        nothing = np.zeros((2, games.size, 6), np.float32)
        before = np.stack([states.get(key, nothing[:, 0]) for key in keys], axis=1)
        outputs, *after = network.outputs_from(decisions.observations, *before)
        blank, *_ = network.outputs_from(decisions.observations, *nothing)
        states.update(zip(keys, np.stack(after, axis=1), strict=True))
        by_state, by_none = (
            np.where(decisions.masks == 1, part[:, :N_MOVES], -np.inf).argmax(axis=1)
            for part in (outputs, blank)
        )
        moves, chips = policy.choose(RULES, games)
        assert np.array_equal(moves, by_state)
        n_changed += int((by_state != by_none).sum())
        following = played(RULES, games, moves, chips)
        games = following[following["phase"] != Phase.OVER]
    assert n_changed > 0


def test_the_session_that_was_not_asked_for_longest_is_forgotten() -> None:
    states, games = SessionStates(1, most=2), begin(RULES, 3)

    def ask(episode: int) -> float:
        """What is remembered of a session; it is one more from then on."""
        asked = games[episode : episode + 1]
        rows, hidden, cell = states.recall(asked)
        assert np.array_equal(hidden, cell)
        states.keep(asked, rows, hidden + 1, cell + 1)
        asked["decision"] += 1
        return float(hidden[0, 0])

    assert [ask(i) for i in (0, 1, 0, 2, 0, 1, 0)] == [0, 0, 1, 0, 2, 0, 3]


def test_states_are_of_a_seed_an_episode_and_a_seat() -> None:
    states, games = SessionStates(1), np.repeat(begin(RULES, 1), 4)
    games["seed"][1] += 1
    games["episode"][2] += 1
    games["seat"][3] += 1
    rows, hidden, cell = states.recall(games)
    marks = np.arange(1, 5, dtype=np.float32)[:, None]
    states.keep(games, rows, hidden + marks, cell - marks)
    games["deal"] += 1
    games["decision"] = 0
    _, hidden, cell = states.recall(games[::-1])
    assert np.array_equal(hidden, marks[::-1])
    assert np.array_equal(cell, -marks[::-1])


# What it may choose.


def test_its_alternatives_are_its_likeliest_choice_or_all_by_their_chances() -> None:
    games = some_games()
    for encoding in N_OUTPUTS:
        policy = make_policy(encoding)
        chances, moves, chips = policy.alternatives(RULES, games)
        assert np.array_equal(chances, np.ones((games.size, 1)))
        assert np.array_equal((moves[:, 0], chips[:, 0]), policy.choose(RULES, games))
    policy = make_policy(deterministic=False)
    generator = np.random.default_rng(0)
    chances, moves, chips = ask_for_alternatives(policy, RULES, games, generator)
    assert chances.shape == (games.size, N_DISCRETE)
    decisions = decisions_of(RULES, games)
    assert np.array_equal(chances, policy.probabilities(decisions))
    assert chances.sum(axis=1) == pytest.approx(1)
    _, lows, highs = legal_choices(RULES, games)
    stake = games["phase"] == Phase.STAKE
    assert np.array_equal(chips[stake, 0], lows[stake, Move.STAKE])
    assert np.array_equal(chips[stake, 4], highs[stake, Move.STAKE])


@pytest.mark.parametrize(
    ("encoding", "n_lstm", "deterministic", "reason"),
    [
        ("hybrid", 0, False, "draws amounts from a continuum: load it with deterministic=True"),
        ("discrete", 6, True, "remembers: positions without their past"),
    ],
)
def test_alternatives_that_cannot_be_told_are_refused(
    encoding: PolicyEncoding, n_lstm: int, deterministic: bool, reason: str
) -> None:
    policy = make_policy(encoding, n_lstm, deterministic)
    with pytest.raises(ValueError, match=reason):
        policy.alternatives(RULES, some_games())
    with pytest.raises(AgentError, match=reason):
        ask_for_alternatives(policy, RULES, some_games(), np.random.default_rng(0))
