"""Random legal play of other environments, by name; runs where those are installed.

Everywhere a decision is one choice of one agent that the environment acted on. Resets, chance
moves, the last steps of agents that are out and the empty steps of an autoreset take their time
and do not count. Where there is a mask, a choice is drawn from ``np.flatnonzero(mask)``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from eval.bench.loops import aec_docs_loop, aec_loop, gym_loop, stepwise
from eval.bench.timing import Play

_BATCH: Final = 1024
"""Tables of a vector environment."""
_BATCH_OF_PGX: Final = 8192

# ------------------------------------------------------------------------- Gymnasium, PettingZoo


def _blackjack() -> Play:
    """Play one table of Gymnasium's blackjack, as ``make`` wraps it."""
    import gymnasium

    return stepwise(gym_loop(gymnasium.make("Blackjack-v1"), lambda _: int(random.random() * 2)))


def _blackjack_vector() -> Play:
    """Play Gymnasium's blackjack as a synchronous vector; steps that only reset do not count."""
    import gymnasium

    envs = gymnasium.make_vec("Blackjack-v1", num_envs=_BATCH, vectorization_mode="sync")
    envs.reset(seed=1)
    generator = np.random.default_rng(1)
    done = np.zeros(_BATCH, np.bool_)

    def play() -> int:
        decisions = _BATCH - int(done.sum())
        done[:] = envs.step(generator.integers(2, size=_BATCH))[2]
        return decisions

    return play


def _aec(game: Any, raw: bool) -> Play:
    """Play a game of PettingZoo, without its wrappers or with them in the docs' loop."""
    return stepwise(aec_loop(game.raw_env()) if raw else aec_docs_loop(game.env()))


def _texas(raw: bool) -> Play:
    """Play PettingZoo's no-limit hold'em."""
    from pettingzoo.classic import texas_holdem_no_limit_v6

    return _aec(texas_holdem_no_limit_v6, raw)


def _tictactoe(raw: bool) -> Play:
    """Play PettingZoo's noughts and crosses."""
    from pettingzoo.classic import tictactoe_v3

    return _aec(tictactoe_v3, raw)


# ---------------------------------------------------------------------------------------- RLCard


def _rlcard(name: str) -> Iterator[int]:
    """Play a game of RLCard by its own ``reset`` and ``step``."""
    import rlcard

    env = rlcard.make(name)
    while True:
        state, _ = env.reset()
        while not env.is_over():
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(random.random() * len(legal))])
            yield 1


# ------------------------------------------------------------------------------------- OpenSpiel

_NO_LIMIT: Final = (
    "universal_poker(betting=nolimit,numPlayers=2,numRounds=4,blind=50 100,firstPlayer=2 1 1 1,"
    "numSuits=4,numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1,stack=2000 2000,"
    "bettingAbstraction=fcpa)"
)


def _open_spiel(name: str) -> Iterator[int]:
    """Play a game of OpenSpiel from Python, without observations."""
    import pyspiel

    game = pyspiel.load_game(name)
    while True:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes = state.chance_outcomes()  # equally likely in all games played here
                state.apply_action(outcomes[int(random.random() * len(outcomes))][0])
                continue
            legal = state.legal_actions()
            state.apply_action(legal[int(random.random() * len(legal))])
            yield 1


def _open_spiel_compiled(name: str) -> Play:
    """Play a game of OpenSpiel all in C++, without observations.

    The one simulation of a search only evaluates its root, by random rollouts in C++. The root must
    lie past the deal. How many decisions a rollout makes on average is counted beforehand.
    """
    import pyspiel

    n_rollouts, n_roots, n_counted = 2000, 32, 1000
    game = pyspiel.load_game(name)
    roots = [_past_the_deal(game) for _ in range(n_roots)]
    lengths = [
        sum(_rollout_length(root.clone()) for _ in range(n_counted)) / n_counted for root in roots
    ]
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts, 1)
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, 1, 100, False, 1, False)
    turn = 0

    def play() -> int:
        nonlocal turn
        turn = (turn + 1) % n_roots
        bot.mcts_search(roots[turn])
        return round(n_rollouts * lengths[turn])

    return play


def _past_the_deal(game: Any) -> Any:
    """Return a state of a game at its first decision."""
    while True:
        state = game.new_initial_state()
        while state.is_chance_node():
            state.apply_action(random.choice(state.chance_outcomes())[0])
        if not state.is_terminal():  # a deal may end the game
            return state


def _rollout_length(state: Any) -> int:
    """Play a game to its end at random and return the number of decisions."""
    n = 0
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(random.choice(state.chance_outcomes())[0])
        else:
            state.apply_action(random.choice(state.legal_actions()))
            n += 1
    return n


# ---------------------------------------------------------------------------------- Pgx, EnvPool


def _pgx(name: str, n_tables: int = _BATCH_OF_PGX) -> Play:
    """Play a game of Pgx on JAX: a compiled loop, each ended table begun anew in the same step."""
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))
    n_steps = 16

    def advance(state: Any, key: Any) -> Any:
        for_choice, for_step = jax.random.split(key)
        mask = state.legal_action_mask
        n_before = jnp.cumsum(mask, axis=1)
        picked = jnp.floor(jax.random.uniform(for_choice, (n_tables, 1)) * n_before[:, -1:])
        actions = jnp.argmax(n_before > picked, axis=1)
        return step(state, actions, jax.random.split(for_step, n_tables)), None

    def run(state: Any, key: Any) -> Any:
        key, own = jax.random.split(key)
        return jax.lax.scan(advance, state, jax.random.split(own, n_steps))[0], key

    compiled = jax.jit(run)
    init = jax.jit(jax.vmap(env.init))
    held = (init(jax.random.split(jax.random.key(1), n_tables)), jax.random.key(2))

    def play() -> int:
        nonlocal held
        held = jax.block_until_ready(compiled(*held))
        return n_tables * n_steps

    return play


def _envpool() -> Play:
    """Play EnvPool's blackjack on one thread; the steps that only reset do not count."""
    import envpool

    envs = envpool.make("Blackjack-v1", env_type="gymnasium", num_envs=_BATCH, num_threads=1)
    envs.reset()
    generator = np.random.default_rng(1)

    def play() -> int:
        info = envs.step(generator.integers(2, size=_BATCH, dtype=np.int32))[4]
        return int(np.count_nonzero(info["elapsed_step"]))

    return play


# -------------------------------------------------------------------------------------- PokerKit


def _pokerkit() -> Iterator[int]:
    """Play PokerKit's no-limit hold'em, heads up; all but the players' choices is automatic."""
    from pokerkit import Automation, NoLimitTexasHoldem

    while True:
        state = NoLimitTexasHoldem.create_state(
            tuple(Automation), True, 0, (50, 100), 100, (2000, 2000), 2
        )
        while state.status:
            can_raise = state.can_complete_bet_or_raise_to()
            choices = [state.check_or_call]
            if state.can_fold():
                choices.append(state.fold)
            if can_raise:
                choices.append(state.complete_bet_or_raise_to)
            choice = choices[int(random.random() * len(choices))]
            if choice == state.complete_bet_or_raise_to:
                low = state.min_completion_betting_or_raising_to_amount
                high = state.max_completion_betting_or_raising_to_amount
                choice(low + int(random.random() * (high - low + 1)))
            else:
                choice()
            yield 1


@dataclass(frozen=True)
class Game:
    """A game of another library."""

    distribution: str
    """Name of what is installed for it."""
    start: Callable[[], Play]
    """Makes it; may import and compile what it needs."""


GAMES: Final = {
    "Gymnasium blackjack": Game("gymnasium", _blackjack),
    "Gymnasium blackjack, vector": Game("gymnasium", _blackjack_vector),
    "PettingZoo hold'em, raw": Game("pettingzoo", lambda: _texas(raw=True)),
    "PettingZoo hold'em, docs": Game("pettingzoo", lambda: _texas(raw=False)),
    "PettingZoo tictactoe, raw": Game("pettingzoo", lambda: _tictactoe(raw=True)),
    "PettingZoo tictactoe, docs": Game("pettingzoo", lambda: _tictactoe(raw=False)),
    "RLCard blackjack": Game("rlcard", lambda: stepwise(_rlcard("blackjack"))),
    "RLCard leduc": Game("rlcard", lambda: stepwise(_rlcard("leduc-holdem"))),
    "RLCard hold'em": Game("rlcard", lambda: stepwise(_rlcard("no-limit-holdem"))),
    "OpenSpiel blackjack": Game("open_spiel", lambda: stepwise(_open_spiel("blackjack"))),
    "OpenSpiel leduc": Game("open_spiel", lambda: stepwise(_open_spiel("leduc_poker"))),
    "OpenSpiel hold'em": Game("open_spiel", lambda: stepwise(_open_spiel(_NO_LIMIT))),
    "OpenSpiel blackjack, C++": Game("open_spiel", lambda: _open_spiel_compiled("blackjack")),
    "OpenSpiel leduc, C++": Game("open_spiel", lambda: _open_spiel_compiled("leduc_poker")),
    "OpenSpiel hold'em, C++": Game("open_spiel", lambda: _open_spiel_compiled(_NO_LIMIT)),
    "Pgx leduc": Game("pgx", lambda: _pgx("leduc_holdem")),
    "Pgx kuhn": Game("pgx", lambda: _pgx("kuhn_poker")),
    "EnvPool blackjack": Game("envpool", _envpool),
    "PokerKit hold'em": Game("pokerkit", lambda: stepwise(_pokerkit())),
}
"""Every game by its name in reports. Hold'em is the no-limit game."""
