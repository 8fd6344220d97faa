"""Many games in one call: the entry points that Python calls. A single table is a batch of one.

All arrays are the caller's. A row of a batch is one game; its course depends on its seed, its
episode, the rules and the decisions, never on the rows beside it, so that slices of a batch may be
played on threads.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pontoon_env._instructions import FETCHED_BYTES, fetch
from pontoon_env._jit import entry_point, inlined
from pontoon_env.actions import chips_of_move, write_legal, write_mask, write_nothing_legal
from pontoon_env.engine.hands import best_total
from pontoon_env.engine.legality import amount_bounds, legal_moves
from pontoon_env.engine.session import (
    advance,
    begin_session,
    check_decision,
    decide,
    is_automatic,
    make_decision,
    run_automatic_phase,
)
from pontoon_env.memory import write_memory
from pontoon_env.observation import observe, visible_cards
from pontoon_env.opponents import RANDOM, choose
from pontoon_env.opponents.at_random import choose_at_random
from pontoon_env.opponents.tables import NO_TABLES
from pontoon_env.rules import RulesRecord
from pontoon_env.state import GAME, MAX_SEATS, N_MOVES, Game, Outcome, Phase

NO_MOVE: Final = -1
"""Stands for a move where a game is only to run on."""

EXTERNAL: Final = -1
"""Stands for an opponent: the caller decides for this seat. So does every number below it, by
which the caller may tell several such opponents apart."""

TO_ACT: Final = -1
"""Stands for an observer: the seat to act."""

NOBODY: Final = -1
"""Stands for a seat: none, or the eyes of somebody who sits at the table without one."""

BLANK: Final = np.zeros(1, GAME)
"""A record of a game that has not begun."""


def new_games(n: int) -> NDArray[np.void]:
    """Return ``n`` records of games that have not begun.

    Pick some of them with ``games.take(rows)`` and put some back with ``games.put(rows, others)``:
    numpy's indexing goes through records field by field, which takes 25 times as long.
    """
    return np.zeros(n, GAME)


def external_seats(n: int) -> NDArray[np.int64]:
    """Return the ``opponents`` of `play_batch` for ``n`` games whose seats the caller all plays."""
    return np.full((n, MAX_SEATS, 2), EXTERNAL, np.int64)


_GAME_BYTES: Final = GAME.itemsize
_FLOAT_BYTES: Final = 4

# Many records are more than the nearest cache holds: the next one is fetched while one is played.


@inlined
def fetch_game(games: NDArray[np.void], row: int) -> None:
    """Have a game fetched that comes next; there need not be one."""
    for byte in range(0, _GAME_BYTES, FETCHED_BYTES):
        fetch(games, row * _GAME_BYTES + byte)


@inlined
def fetch_row(observations: NDArray[np.float32], row: int) -> None:
    """Have a row of observations fetched that is written next; there need not be one."""
    width = observations.shape[1] * _FLOAT_BYTES
    for byte in range(0, width, FETCHED_BYTES):
        fetch(observations, row * width + byte)


@entry_point
def begin_batch(
    rules: NDArray[np.void],
    games: NDArray[np.void],
    seeds: NDArray[np.uint64],
    episodes: NDArray[np.uint64],
) -> None:
    """Begin a session in each record: the first bank and the pack, before the first card (P8, P9).

    Args:
        rules: One record of rules.
        games: Out, ``(n,)``.
        seeds: ``(n,)``, the seed of each game.
        episodes: ``(n,)``, the number of the session among those of its seed.
    """
    for i in range(games.size):
        games[i] = BLANK[0]
        games[i]["seed"] = seeds[i]
        games[i]["episode"] = episodes[i]
        begin_session(rules[0], games[i])


@entry_point
def step_batch(
    rules: NDArray[np.void],
    games: NDArray[np.void],
    moves: NDArray[np.int64],
    chips: NDArray[np.int64],
    outcomes: NDArray[np.int64],
    until_decision: bool,
) -> None:
    """Make one decision in each game and run on to the next.

    Args:
        rules: One record of rules.
        games: ``(n,)``, changed in place; a game whose decision is refused stays as it is.
        moves: ``(n,)``, a `Move` each, or `NO_MOVE` to run on only.
        chips: ``(n,)``, amounts in chips; not read where the move takes none.
        outcomes: Out, ``(n,)``, an `Outcome` each.
        until_decision: Run on to the next decision. Otherwise do one thing: the decision, or one
            automatic phase where the move is `NO_MOVE`.
    """
    for i in range(games.size):
        game = games[i]
        outcomes[i] = Outcome.OK
        if moves[i] != NO_MOVE:
            outcomes[i] = decide(rules[0], game, moves[i], chips[i])
        elif not until_decision and is_automatic(game["phase"]):
            run_automatic_phase(rules[0], game)
        if until_decision and outcomes[i] == Outcome.OK:
            advance(rules[0], game)


@inlined
def observe_row(
    rules: RulesRecord,
    game: Game,
    observer: int,
    observations: NDArray[np.float32],
    masks: NDArray[np.int8],
    lows: NDArray[np.float32],
    highs: NDArray[np.float32],
    row: int,
) -> None:
    """Write a row of what `observe_batch` writes, for a seat or `TO_ACT`."""
    seat = game["seat"] if observer == TO_ACT else observer
    n_seen = observe(rules, game, seat, observations, row)
    if observations.shape[1] > n_seen:
        write_memory(rules, game, seat, observations, row, n_seen)
    if seat == game["seat"]:
        write_legal(rules, game, masks, lows, highs, row)
    else:
        write_nothing_legal(masks, lows, highs, row)


@entry_point
def observe_batch(
    rules: NDArray[np.void],
    games: NDArray[np.void],
    seats: NDArray[np.int64],
    observations: NDArray[np.float32],
    masks: NDArray[np.int8],
    lows: NDArray[np.float32],
    highs: NDArray[np.float32],
) -> None:
    """Write what a seat of each game sees, its legal moves and their amounts.

    Args:
        rules: One record of rules.
        games: ``(n,)``, not changed.
        seats: ``(n,)``, the observers; `TO_ACT` for the seat to act.
        observations: Out, float32 ``(n, observation_size)``, with memory where it is as wide as
            that.
        masks: Out, int8 ``(n, N_MOVES)`` or ``(n, N_DISCRETE)``; all zero where the observer is
            not to act.
        lows: Out, float32 ``(n, N_MOVES)``: least amounts, in least stakes.
        highs: Out, likewise the largest amounts.
    """
    for i in range(games.size):
        observe_row(rules[0], games[i], seats[i], observations, masks, lows, highs, i)


@entry_point
def status_batch(
    rules: NDArray[np.void],
    games: NDArray[np.void],
    seats: NDArray[np.int64],
    masks: NDArray[np.int8],
    lows: NDArray[np.int64],
    highs: NDArray[np.int64],
    worths: NDArray[np.int64],
) -> None:
    """Write who is to act in each game, what is legal there in chips, and what each seat owns.

    Args:
        rules: One record of rules.
        games: ``(n,)``, each at a decision or over; not changed.
        seats: Out, ``(n,)``: the seat to act, `NOBODY` where the session is over.
        masks: Out, int8 ``(n, N_MOVES)`` or ``(n, N_DISCRETE)``: the legal choices of that seat.
        lows: Out, int64 ``(n, N_MOVES)``: least amount of each legal move, in chips; 0 elsewhere.
        highs: Out, likewise the largest amounts.
        worths: Out, int64 ``(n, 8)``: as `worth` returns.
    """
    for i in range(games.size):
        game = games[i]
        seats[i] = NOBODY if game["phase"] == Phase.OVER else game["seat"]
        moves = legal_moves(rules[0], game)
        write_mask(moves, masks, i)
        for move in range(N_MOVES):
            lows[i, move] = 0
            highs[i, move] = 0
            if (moves >> move) & 1 != 0:
                lows[i, move], highs[i, move] = amount_bounds(rules[0], game, move)
        for seat in range(MAX_SEATS):
            worths[i, seat] = game["seats"][seat]["chips"]
        worths[i, game["banker"]] += game["kitty"]


@entry_point
def see_batch(
    rules: NDArray[np.void],
    games: NDArray[np.void],
    observers: NDArray[np.int64],
    visible: NDArray[np.int64],
    totals: NDArray[np.int64],
) -> None:
    """Write which cards of each hand an observer of each game sees (P26, P27).

    Args:
        rules: One record of rules.
        games: ``(n,)``, not changed.
        observers: ``(n,)``, a seat each; `NOBODY` for what everybody sees.
        visible: Out, int64 ``(n, 8, 4)``: bit ``c`` of a hand is set where the observer sees its
            card ``c``.
        totals: Out, int64 ``(n, 8, 4)``: best total of each hand of which the observer sees all
            cards; 0 elsewhere.
    """
    for i in range(games.size):
        game = games[i]
        visible[i] = 0
        totals[i] = 0
        for seat in range(rules[0]["seats"]):
            for place in range(game["seats"][seat]["n_hands"]):
                hand = game["seats"][seat]["hands"][place]
                visible[i, seat, place] = visible_cards(rules[0], game, observers[i], seat, hand)
                if visible[i, seat, place] == (1 << hand["n_cards"]) - 1:
                    totals[i, seat, place] = best_total(hand)


def play_batch(
    rules: NDArray[np.void],
    games: NDArray[np.void],
    opponents: NDArray[np.int64],
    moves: NDArray[np.int64],
    fractions: NDArray[np.float64],
    outcomes: NDArray[np.int64],
    limit: int,
    tables: NDArray[np.void] = NO_TABLES,
) -> int:
    """Make one decision in each game, then the opponents', until another seat is to act.

    Args:
        rules: One record of rules.
        games: ``(n,)``, changed in place; a game whose decision is refused stays as it is.
        opponents: ``(n, 8, 2)``, the number of the agent on each seat, as a player and as the
            banker; `EXTERNAL` where the caller decides. See `external_seats`.
        moves: ``(n,)``, a `Move` each, or `NO_MOVE` to run on only.
        fractions: ``(n,)``, amounts as fractions of the legal interval; not read where the move
            takes none.
        outcomes: Out, ``(n,)``, an `Outcome` each: that of the last decision. Where it is not OK,
            the game stands before that decision, the caller's or an opponent's.
        limit: Most decisions of opponents in a row in one game.
        tables: One record of `pontoon_env.opponents.tables.TABLES`, where an opponent plays from
            it.

    Returns:
        The number of decisions made, the callers' included.
    """
    return _play_batch(rules, games, opponents, moves, fractions, outcomes, limit, tables)


@entry_point
def _play_batch(
    rules: NDArray[np.void],
    games: NDArray[np.void],
    opponents: NDArray[np.int64],
    moves: NDArray[np.int64],
    fractions: NDArray[np.float64],
    outcomes: NDArray[np.int64],
    limit: int,
    tables: NDArray[np.void],
) -> int:
    """Do the work of `play_batch`: compiled code takes no defaults."""
    n_decisions = 0
    for i in range(games.size):
        fetch_game(games, i + 1)
        made, outcomes[i] = play_row(
            rules[0], games[i], moves[i], fractions[i], opponents, i, limit, tables
        )
        n_decisions += made
    return n_decisions


@inlined
def play_row(
    rules: RulesRecord,
    game: Game,
    move: int,
    fraction: float,
    opponents: NDArray[np.int64],
    row: int,
    limit: int,
    tables: NDArray[np.void],
) -> tuple[int, int]:
    """Do in one game what `play_batch` does; return the number of decisions and the `Outcome`.

    One loop makes the caller's decision and the opponents': the engine is compiled into it once.
    """
    n_decisions, outcome = 0, Outcome.OK.value
    opponent = EXTERNAL
    chips = chips_of_move(rules, game, move, fraction)
    while True:
        if move != NO_MOVE or opponent != EXTERNAL:
            moves = legal_moves(rules, game)
            if opponent == RANDOM:
                move, chips = choose_at_random(rules, game, moves)
            elif opponent != EXTERNAL:
                move, chips = choose(opponent, rules, game, moves, tables)
            n_decisions += 1
            if opponent != RANDOM:  # which chooses among the legal moves
                outcome = check_decision(rules, game, moves, move, chips)
            if outcome != Outcome.OK:
                break
            make_decision(rules, game, move, chips)
        advance(rules, game)
        seat = game["seat"]
        opponent = opponents[row, seat, 1 if seat == game["banker"] else 0]
        if limit <= 0 or game["phase"] == Phase.OVER or opponent <= EXTERNAL:
            break
        limit -= 1
    return n_decisions, outcome


@entry_point
def play_observed_batch(
    rules: NDArray[np.void],
    games: NDArray[np.void],
    opponents: NDArray[np.int64],
    moves: NDArray[np.int64],
    fractions: NDArray[np.float64],
    outcomes: NDArray[np.int64],
    limit: int,
    tables: NDArray[np.void],
    seats: NDArray[np.int64],
    observations: NDArray[np.float32],
    masks: NDArray[np.int8],
    lows: NDArray[np.float32],
    highs: NDArray[np.float32],
) -> int:
    """Do the work of `play_batch` and then of `observe_batch`: each record is fetched once.

    Arguments and result are those of the two.
    """
    n_decisions = 0
    for i in range(games.size):
        fetch_game(games, i + 1)
        made, outcomes[i] = play_row(
            rules[0], games[i], moves[i], fractions[i], opponents, i, limit, tables
        )
        n_decisions += made
        fetch_row(observations, i + 1)
        observe_row(rules[0], games[i], seats[i], observations, masks, lows, highs, i)
    return n_decisions


def choose_batch(
    rules: NDArray[np.void],
    games: NDArray[np.void],
    opponents: NDArray[np.int64],
    moves: NDArray[np.int64],
    chips: NDArray[np.int64],
    tables: NDArray[np.void] = NO_TABLES,
) -> None:
    """Ask an agent for the decision of each game, without making it.

    Args:
        rules: One record of rules.
        games: ``(n,)``, each at a decision; not changed.
        opponents: ``(n,)``, the number of the agent to ask.
        moves: Out, ``(n,)``, a `Move` each.
        chips: Out, ``(n,)``, amounts in chips.
        tables: As of `play_batch`.
    """
    _choose_batch(rules, games, opponents, moves, chips, tables)


@entry_point
def _choose_batch(
    rules: NDArray[np.void],
    games: NDArray[np.void],
    opponents: NDArray[np.int64],
    moves: NDArray[np.int64],
    chips: NDArray[np.int64],
    tables: NDArray[np.void],
) -> None:
    """Do the work of `choose_batch`."""
    for i in range(games.size):
        legal = legal_moves(rules[0], games[i])
        moves[i], chips[i] = choose(opponents[i], rules[0], games[i], legal, tables)


def worth(games: NDArray[np.void]) -> NDArray[np.int64]:
    """Return each seat's chips in each game, int64 ``(n, 8)``; the kitty is the banker's (S11)."""
    chips = games["seats"]["chips"].copy()
    chips[np.arange(games.size), games["banker"]] += games["kitty"]
    return chips
