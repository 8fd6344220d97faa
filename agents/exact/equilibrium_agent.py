"""The agent ``equilibrium``: both sides of the two-seat game, played by its equilibrium."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from agents.exact.equilibrium import TARGET, Equilibrium, solve_equilibrium
from agents.exact.from_tables import choose_from_tables, tables_of
from agents.exact.kinds import MAX_PIPS, N_KINDS
from agents.exact.public_tree import (
    FIRST_DECISION,
    FIRST_PRICE,
    N_ACTIONS,
    N_DECISIONS,
    STICK,
    TWIST,
    TwoSeatGame,
    build_game,
    check_two_seat_rules,
)
from agents.exact.responses import (
    BankerStrategy,
    PlayerStrategy,
    exploitability_of,
    value_of,
)
from pontoon_env._jit import entry_point
from pontoon_env.engine.hands import points
from pontoon_env.opponents import EQUILIBRIUM
from pontoon_env.opponents.by_equilibrium import find_node, kind_of_hand
from pontoon_env.rules import Rules
from pontoon_env.state import Move, Phase

FORMAT: Final = "pontoon_equilibrium_v1"


class EquilibriumAgent:
    """Plays the equilibrium of the two-seat game; see `pontoon_env.agent.TableAgent`."""

    name = "equilibrium"
    number = EQUILIBRIUM

    def check_rules(self, rules: Rules) -> None:
        """Do nothing where the rules make the two-seat game.

        Raises:
            ValueError: They do not; the message names the field and what would work.
        """
        check_two_seat_rules(rules)

    def write_tables(self, rules: Rules, tables: NDArray[np.void]) -> None:
        """Write the equilibrium into a record; see `pontoon_env.agent.CompiledAgent`."""
        found = equilibrium_of(rules)
        table, n_open = tables[0], found.game.n_open
        for field in ("first_bought", "first_twisted"):
            table[field][:n_open] = found.game.nodes[field][:n_open]
        table["stakes"][:, : found.game.stakes.size] = found.player.stakes
        table["play"][:n_open] = found.player.play
        table["draws"][:n_open] = found.banker.draws[:n_open]

    def choose(
        self, rules: Rules, games: NDArray[np.void]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return a move and chips for each game; see `pontoon_env.agent.TableAgent`."""
        return choose_from_tables(self, rules, games)

    def alternatives(
        self, rules: Rules, games: NDArray[np.void]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        """Return what may be chosen for each game; see `pontoon_env.agent.Mixing`."""
        found = equilibrium_of(rules)
        stakes = found.game.stakes
        places, steps, kinds = (np.zeros(games.size, np.int64) for _ in range(3))
        _find_batch(rules.to_record(), games, tables_of(self, rules), places, steps, kinds)
        chances = np.zeros((games.size, N_ACTIONS))
        moves = np.full(chances.shape, int(Move.BUY))
        moves[:, STICK], moves[:, TWIST] = Move.STICK, Move.TWIST
        chips = found.game.nodes["stake"][places][:, None] + np.arange(N_ACTIONS) - FIRST_PRICE
        rows = games["phase"] == Phase.STAKE
        chances[rows, : stakes.size] = found.player.stakes[kinds[rows]]
        chips[rows, : stakes.size] = stakes
        moves[rows] = Move.STAKE
        rows = games["phase"] == Phase.PLAY
        chances[rows] = found.player.play[places[rows], kinds[rows]]
        rows = games["phase"] == Phase.BANKER
        drawing = found.banker.draws[places[rows], steps[rows], kinds[rows]]  # all draw at a trick
        chances[rows, TWIST], chances[rows, STICK] = drawing, 1.0 - drawing
        return chances, moves, chips


@functools.cache
def equilibrium_of(rules: Rules) -> Equilibrium:
    """Return the equilibrium under ``rules``, as it was once solved and kept on disk."""
    path = _cache_folder() / f"equilibrium-{_digest(rules)}.npz"
    found = _load(path, rules)
    if found is None:
        with tqdm(desc="solving for the equilibrium", unit=" iterations", disable=None) as bar:

            def show(iteration: int, exploitability: float) -> None:
                bar.set_postfix_str(f"exploitability {exploitability:.5f}", refresh=False)
                bar.update(iteration - bar.n)

            found = solve_equilibrium(build_game(rules), progress=show)
        _save(path, found)
    return found


def _cache_folder() -> Path:
    """Return the folder in which solutions are kept."""
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "pontoon_env"


def _digest(rules: Rules) -> str:
    """Return the digest of the rules, and of what is kept of a solution."""
    text = json.dumps([FORMAT, TARGET, rules.to_dict()])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _save(path: Path, found: Equilibrium) -> None:
    """Keep a solution, whole or not at all; where nothing can be written, do nothing."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("wb") as file:
            np.savez_compressed(
                file,
                rules=json.dumps(found.game.rules.to_dict()),
                stakes=found.player.stakes,
                play=found.player.play,
                draws=found.banker.draws,
                course=np.array(found.course),
                seconds=found.seconds,
            )
        os.replace(beside, path)
    except OSError:
        pass
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)


def _load(path: Path, rules: Rules) -> Equilibrium | None:
    """Return a solution that was kept; None where there is none, a damaged one or that of others.

    What it is worth is measured again, so that it cannot be worse than it says.
    """
    try:
        with path.open("rb") as file, np.load(file) as kept:
            if json.loads(str(kept["rules"])) != rules.to_dict():
                return None
            game = build_game(rules)
            player = PlayerStrategy(kept["stakes"], kept["play"])
            banker = BankerStrategy(kept["draws"])
            course = tuple((int(n), float(left)) for n, left in kept["course"])
            seconds = float(kept["seconds"])
    except Exception:  # whatever reading a damaged archive may raise
        return None
    if not _fit(game, player, banker):
        return None
    measured = exploitability_of(game, player, banker)
    if not measured.exploitability < TARGET * rules.min_stake:
        return None
    value = value_of(game, player, banker)
    return Equilibrium(game, player, banker, value, measured, course, seconds)


def _fit(game: TwoSeatGame, player: PlayerStrategy, banker: BankerStrategy) -> bool:
    """Tell whether strategies have the shapes of a game's, and hold chances: kernels do not ask."""
    shapes = {
        (MAX_PIPS + 1, game.stakes.size): player.stakes,
        (game.n_open, N_KINDS, N_ACTIONS): player.play,
        (game.nodes.size, N_DECISIONS, N_KINDS): banker.draws,
    }
    if not all(chances.shape == shape for shape, chances in shapes.items()):
        return False
    is_asked = game.rights[game.nodes["n_cards"][: game.n_open]] != 0
    sums = (player.stakes.sum(axis=1), player.play.sum(axis=2)[is_asked])
    return all(np.allclose(part, 1.0) for part in sums) and all(
        bool(((chances >= 0) & (chances <= 1)).all()) for chances in shapes.values()
    )


@entry_point
def _find_batch(
    rules: NDArray[np.void],
    games: NDArray[np.void],
    tables: NDArray[np.void],
    places: NDArray[np.int64],
    steps: NDArray[np.int64],
    kinds: NDArray[np.int64],
) -> None:
    """Write the information set of the seat to act in each game.

    Args:
        rules: One record of rules.
        games: ``(n,)``, not changed.
        tables: What the agent plays from.
        places: Out, ``(n,)``: the node; 0 where the stake is to be chosen, -1 after a trick.
        steps: Out, ``(n,)``: cards of the own hand, less two.
        kinds: Out, ``(n,)``: the kind of the own hand; the pips of its card for the stake.
    """
    for i in range(games.size):
        own = games[i]["seats"][games[i]["seat"]]["hands"][0]
        steps[i] = own["n_cards"] - FIRST_DECISION
        if games[i]["phase"] == Phase.STAKE:
            kinds[i] = points(own["cards"][0])
        else:
            kinds[i] = kind_of_hand(own)
            places[i] = find_node(rules[0], tables, games[i])
