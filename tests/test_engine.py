"""The engine's own promises: invariants, determinism, batches, threads, no need to compile."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from pontoon_env import batch
from pontoon_env.observation import observation_size
from pontoon_env.opponents import opponent_number
from pontoon_env.opponents.tables import NO_TABLES
from pontoon_env.rules import Rules
from pontoon_env.state import GAME, HAND, SEAT, Game, Hand, Move, Outcome, Phase, Seat
from pontoon_env.status import Status, describe, status
from tests.naive import random_rules
from tests.scripted import EngineGame


class SoundGame(RuleBasedStateMachine):
    """Random legal play under random rules, chosen and shrunk by hypothesis."""

    @initialize(seed=st.integers(0, 2**32))
    def begin(self, seed: int) -> None:
        """Begin a session."""
        self.play = EngineGame(random_rules(random.Random(seed)), seed=seed)

    @precondition(lambda self: self.play.seat is not None)
    @rule(choice=st.integers(0, 20), part=st.floats(0, 1))
    def decide(self, choice: int, part: float) -> None:
        """Make a legal decision."""
        moves = sorted(self.play.legal().items())
        move, bounds = moves[choice % len(moves)]
        chips = None if bounds is None else bounds[0] + int(part * (bounds[1] - bounds[0]))
        self.play.act(move, chips)

    @precondition(lambda self: self.play.seat is None)
    @rule(seed=st.integers(0, 2**32))
    def begin_another(self, seed: int) -> None:
        """Begin another session where one is over."""
        self.begin(seed)

    @precondition(lambda self: self.play.seat is not None)
    @rule(move=st.integers(-3, 20), chips=st.integers(-(2**62), 2**62))
    def refuse(self, move: int, chips: int) -> None:
        """Try anything: what is not legal changes nothing."""
        before = self.play.games.copy()
        outcomes = np.zeros(1, np.int64)
        moves, amounts = np.array([move], np.int64), np.array([chips], np.int64)
        copy = self.play.games.copy()
        if move == batch.NO_MOVE:
            return
        batch.step_batch(self.play.record, copy, moves, amounts, outcomes, True)
        if outcomes[0] != Outcome.OK:
            assert copy == before

    @invariant()
    def is_sound(self) -> None:
        """Check every invariant."""
        if hasattr(self, "play"):
            found = status(self.play.rules, self.play.game)
            assert found == Status.SOUND, describe(found)


SoundGame.TestCase.settings = settings(
    max_examples=15,
    stateful_step_count=50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
TestSoundGame = SoundGame.TestCase


@pytest.mark.parametrize("seed", range(20))
def test_the_status_of_garbage_is_told_and_not_raised(seed: int) -> None:
    """Whatever the bytes of a record are."""
    garbage = np.random.default_rng(seed).integers(256, size=GAME.itemsize, dtype=np.uint8)
    found = status(Rules.shoot(), garbage.view(GAME)[0])
    assert Status.UNKNOWN_PHASE | Status.NO_BANKER | Status.NOBODY_TO_ACT in found
    assert describe(found).startswith("The phase must be one that these rules have.")


def begun(rules: Rules, n: int, seed: int = 5) -> np.ndarray:
    """Return ``n`` games of a seed, each at its first decision."""
    games = batch.new_games(n)
    record = rules.to_record()
    batch.begin_batch(record, games, np.full(n, seed, np.uint64), np.arange(n, dtype=np.uint64))
    run(rules, games, 0)
    return games


def run(rules: Rules, games: np.ndarray, n_decisions: int, agent: str = "random") -> None:
    """Let an agent make ``n_decisions`` in each game."""
    n = len(games)
    opponents = batch.external_seats(n)
    opponents[:] = opponent_number(agent)
    moves = np.full(n, batch.NO_MOVE)
    outcomes = np.zeros(n, np.int64)
    record = rules.to_record()
    batch.play_batch(record, games, opponents, moves, np.zeros(n), outcomes, n_decisions)


RULES = [
    Rules.pontoon(),
    Rules.shoot(banker_doubles=True, burn="14"),
    Rules.pontoon(packs="infinite"),
]


@pytest.mark.parametrize("rules", RULES)
def test_a_game_is_the_same_alone_and_in_a_batch(rules: Rules) -> None:
    """A row depends on its own seed and episode, not on the rows beside it."""
    games = begun(rules, 64)
    run(rules, games, 500)
    for episode in (0, 17, 63):
        alone = batch.new_games(1)
        record = rules.to_record()
        batch.begin_batch(record, alone, np.full(1, 5, np.uint64), np.full(1, episode, np.uint64))
        run(rules, alone, 0)
        for _ in range(500):
            run(rules, alone, 1)
        assert alone[0] == games[episode]


@pytest.mark.parametrize("rules", RULES)
def test_a_batch_is_the_same_on_one_thread_and_on_two(rules: Rules) -> None:
    """Slices of a batch may be played on threads: entry points release the interpreter lock."""
    one = begun(rules, 256)
    two = one.copy()
    run(rules, one, 2000)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda half: run(rules, half, 2000), (two[:128], two[128:])))
    assert (one == two).all()


def digest_of_games(rules: Rules) -> str:
    """Return a digest of every state of a few sessions, without padding bytes."""
    games = begun(rules, 2)
    digest = hashlib.sha256()
    while (games["phase"] != Phase.OVER).any():
        run(rules, games, 1)
        digest.update(repr(games.tolist()).encode())
    return digest.hexdigest()


SMALL = {"deals": 4, "seats": 4}


def test_games_are_the_same_compiled_and_uncompiled() -> None:
    """The kernels are plain Python: ``NUMBA_DISABLE_JIT=1`` plays the same games."""
    program = (
        "from tests.test_engine import digest_of_games, SMALL; from pontoon_env.rules import Rules;"
        "print(digest_of_games(Rules.pontoon(**SMALL)), digest_of_games(Rules.shoot(**SMALL)))"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    printed = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    ).stdout.split()
    assert printed == [
        digest_of_games(Rules.pontoon(**SMALL)),
        digest_of_games(Rules.shoot(**SMALL)),
    ]


def test_courses_of_one_seed_meet_again_at_the_next_shuffle() -> None:
    """A shuffle is keyed by its deal, not by what was drawn before."""
    rules = Rules.pontoon(shuffle="every", deals=6, bank_passes="never", bank_sale=False)
    packs = []
    for agent in ("random", "stick15", "stick19"):
        game = EngineGame(rules.to_dict(), seed=11)
        moves, chips = np.zeros(1, np.int64), np.zeros(1, np.int64)
        while game.seat is not None:
            batch.choose_batch(
                game.record, game.games, np.array([opponent_number(agent)]), moves, chips
            )
            game.act(Move(int(moves[0])).name.lower(), int(chips[0]))
        packs.append([line["pack"] for line in game.lines if line["line"] == "shuffle"])
    assert packs[0] == packs[1] == packs[2]
    assert len(packs[0]) == 5


@pytest.mark.parametrize(("record", "fields"), [(GAME, Game), (SEAT, Seat), (HAND, Hand)])
def test_records_and_their_types_name_the_same_fields(record: np.dtype, fields: type) -> None:
    """What type checkers know of a record is what it holds."""
    assert record.names == tuple(fields.__annotations__)


def test_a_table_takes_under_four_kilobytes() -> None:
    """Memory of a table: its record."""
    assert GAME.itemsize < 2048


@pytest.mark.parametrize("record", [GAME, SEAT, HAND])
def test_every_byte_of_a_record_belongs_to_a_field(record: np.dtype) -> None:
    """Equal games are equal byte for byte: a copy has no byte that nobody set."""
    assert record.itemsize == sum(field[0].itemsize for field in (record.fields or {}).values())


def test_a_natural_wins_exactly_two_stakes() -> None:
    """P15: whatever the banker does after P14; a split pontoon belongs to a seat that has split."""
    n_naturals = 0
    for seed in range(30):
        game = EngineGame(Rules.pontoon(deals=20).to_dict(), seed=seed)
        chosen = random.Random(seed)
        while game.seat is not None:
            move, bounds = chosen.choice(sorted(game.legal().items()))
            game.act(move, None if bounds is None else chosen.randint(*bounds))
        stakes: dict[int, int] = {}
        naturals: set[int] = set()
        split: set[int] = set()
        for line in game.lines:
            if line["line"] == "deal":
                stakes, naturals, split = {}, set(), set()
            elif line["line"] == "decision" and line["move"] == "stake":
                stakes[line["seat"]] = line["chips"]
            elif line["line"] == "decision" and line["move"] == "split":
                split.add(line["seat"])
            elif line["line"] == "declare":
                naturals.add(line["seat"])
            elif line["line"] == "settle":
                for seat in naturals - split:
                    assert line["net"][seat] == 2 * stakes[seat]
                    n_naturals += 1
    assert n_naturals > 50


@pytest.mark.parametrize("seats", [2, 6])
def test_playing_and_observing_in_one_call_is_the_same_as_in_two(seats: int) -> None:
    rules = Rules.pontoon(seats=seats, shoot=True)
    record, n = rules.to_record(), 40
    games = batch.new_games(n)
    batch.begin_batch(record, games, np.arange(n, dtype=np.uint64), np.zeros(n, np.uint64))
    agents = batch.external_seats(n)
    agents[::2] = opponent_number("random")
    agents[1::4] = opponent_number("basic")
    observers = np.where(np.arange(n) % 3 == 0, batch.TO_ACT, 1)
    generator = np.random.default_rng(seats)
    for limit in (0, 1, 5, 1, 30, 2):
        moves, fractions = generator.integers(-1, len(Move), n), generator.random(n)
        told = []
        for played in (games.copy(), games.copy()):
            outcomes = np.full(n, 7)
            shown = (
                np.full((n, observation_size(rules)), 7, np.float32),
                np.full((n, len(Move)), 7, np.int8),
                *np.full((2, n, len(Move)), 7, np.float32),
            )
            together = (record, played, agents, moves, fractions, outcomes, limit, NO_TABLES)
            if told:
                made = batch.play_observed_batch(*together, observers, *shown)
            else:
                made = batch.play_batch(*together)
                batch.observe_batch(record, played, observers, *shown)
            told.append((made, played.tobytes(), *(a.tobytes() for a in (outcomes, *shown))))
        assert told[0] == told[1]
        games = played
    assert games["deal"].max() > 0
