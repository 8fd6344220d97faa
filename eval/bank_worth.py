"""Measure what the bank is worth: ``python -m eval.bank_worth --banker basic``.

One agent plays all players, one the bank, and the first banker keeps it. The gain of the bank is
the banker's net a deal less the mean of the players', in least stakes, with a 95% interval
clustered by session; a session is as many deals as a bank usually lasts, so that in Shoot Pontoon
the kitty grows as it does. It is measured with all stakes alike and at the default limits. How many
deals a bank lasts is one over the share of deals in which a player has a natural and the banker has
none.

Prints JSON; `pontoon_env.opponents.bank` holds the numbers.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from eval.command import exit_status
from eval.statistics import clustered_mean
from pontoon_env import batch
from pontoon_env.opponents import opponent_number
from pontoon_env.rules import PRESETS, Rules
from pontoon_env.state import HandStatus, Outcome

SEATS: Final = range(2, 9)
GAMES: Final = ("pontoon", "shoot")
SESSION: Final = 5
"""Deals of a session."""
_BLOCK: Final = 4096
_NO_LIMIT: Final = 2**62


def _play(rules: Rules, players: str, banker: str, sessions: int, seed: int) -> NDArray[np.void]:
    """Return what is looked at of finished sessions; see `_few_fields`."""
    record, blocks = rules.to_record(), []
    for start in range(0, sessions, _BLOCK):
        n = min(_BLOCK, sessions - start)
        games = batch.new_games(n)
        episodes = np.arange(start, start + n, dtype=np.uint64)
        batch.begin_batch(record, games, np.full(n, seed, np.uint64), episodes)
        agents = batch.external_seats(n)
        agents[..., 0], agents[..., 1] = opponent_number(players), opponent_number(banker)
        outcomes = np.zeros(n, np.int64)
        none = np.full(n, batch.NO_MOVE)
        batch.play_batch(record, games, agents, none, np.zeros(n), outcomes, _NO_LIMIT)
        if (outcomes != Outcome.OK).any():
            raise RuntimeError(f"the engine refused a decision of {players!r} or {banker!r}")
        blocks.append(_few_fields(games))
    return np.concatenate(blocks)


def _few_fields(games: NDArray[np.void]) -> NDArray[np.void]:
    """Return what is looked at of finished games: bankers, worths, and the last deal's naturals."""
    kept = np.zeros(
        games.size, [("banker", np.int64), ("worth", np.int64, (8,)), ("passes", np.int64)]
    )
    kept["banker"], kept["worth"] = games["banker"], batch.worth(games)
    declared = games["seats"]["hands"]["status"][:, :, 0] == HandStatus.DECLARED
    natural = declared & (games["seats"]["n_hands"] == 1)
    of_banker = natural[np.arange(games.size), games["banker"]]
    kept["passes"] = natural.any(1) & ~of_banker
    return kept


def measure(
    table: tuple[str, int, bool], players: str, banker: str, n: int, seed: int
) -> dict[str, Any]:
    """Return the gain of the bank a deal and the share of deals that pass it.

    Args:
        table: One of `GAMES`, the seats of the table, the banker's included, and whether all stakes
            are alike; else the limits are the default.
        players: Name of the agent of the players.
        banker: Name of the agent of the bank.
        n: Deals.
        seed: Key of all random streams.
    """
    game, seats, is_equal = table
    limits = {"max_stake": Rules.min_stake} if is_equal else {}
    rules = PRESETS[game](
        seats=seats, deals=SESSION, bank_passes="never", bank_sale=False, **limits
    )
    played = _play(rules, players, banker, max(2, n // SESSION), seed)
    net = played["worth"][:, :seats] / rules.min_stake / SESSION
    of_banker = net[np.arange(played.size), played["banker"]]
    of_players = (net.sum(1) - of_banker) / (seats - 1)
    return {
        "game": game,
        "seats": seats,
        "max_stake": rules.max_stake,
        "gain": asdict(clustered_mean(of_banker - of_players)),
        "passes": asdict(clustered_mean(played["passes"])),
    }


@exit_status
def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m eval.bank_worth", description=__doc__)
    parser.add_argument("--players", default="basic", help="who plays the players")
    parser.add_argument("--banker", default="basic", help="who banks")
    parser.add_argument("--deals", type=int, default=1_000_000, help="deals of each table")
    parser.add_argument("--seed", type=int, default=71, help="key of all random streams")
    settings = parser.parse_args(arguments)
    if settings.deals < 1 or not 0 <= settings.seed < 2**64:
        raise ValueError("--deals must be 1 or more, --seed from 0 to 2**64 - 1")
    tables = [
        (game, seats, is_equal) for game in GAMES for seats in SEATS for is_equal in (True, False)
    ]
    found = [
        measure(table, settings.players, settings.banker, settings.deals, settings.seed)
        for table in tqdm(tables, unit="table", disable=None)
    ]
    print(json.dumps({**vars(settings), "tables": found}, indent=2))


if __name__ == "__main__":
    sys.exit(main())
