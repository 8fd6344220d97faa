"""Simulate a session between agents: ``python -m eval.simulate --agents random``.

Prints what each seat has won a deal, in least stakes, and can write the hand history.
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import numpy as np
from tqdm import tqdm

from agents.registry import make_agent
from eval.command import exit_status
from pontoon_env import batch
from pontoon_env.agent import (
    AgentError,
    AnyAgent,
    ask,
    ask_for_chips,
    check_agent,
    seat_compiled,
    where,
)
from pontoon_env.arguments import check_seed
from pontoon_env.history import HistoryWriter, Line, Recorder
from pontoon_env.rules import PRESETS, Rules, rules_from_pairs
from pontoon_env.state import Outcome, Phase

GAMES: Final = ("pontoon", "shoot")
"""The presets that are games of their own."""
_SPELL: Final = 10_000
"""Decisions of compiled agents between two looks at how far the session has come."""


def simulate(
    rules: Rules,
    agents: Sequence[str],
    seed: int,
    history: Path | None = None,
    progress: bool = True,
) -> list[int]:
    """Play one session and return each seat's net change of chips.

    Args:
        rules: The rules; their ``deals`` are the session's.
        agents: What `agents.registry.make_agent` knows agents by, one a seat.
        seed: Key of the random streams.
        history: Where to write the hand history; not written where None.
        progress: Whether to show a progress bar on a terminal.

    Raises:
        AgentError: An agent has failed.
        ValueError: An agent is unknown or refuses the rules, or there is not one a seat.
        OSError: The history cannot be written.
    """
    if len(agents) != rules.seats:
        raise ValueError(
            f"{len(agents)} agents for {rules.seats} seats: name one for all, or one a seat"
        )
    made = {spec: make_agent(spec) for spec in agents}
    for agent in made.values():
        check_agent(agent, rules)
    session = _Session(rules, [made[spec] for spec in agents], seed)
    with ExitStack() as stack:
        bar = stack.enter_context(
            tqdm(total=rules.deals, unit="deal", disable=None if progress else True)
        )
        if history is None:
            session.play(bar.update)
        else:
            session.record(stack.enter_context(HistoryWriter(history)).write, bar.update)
        bar.update(rules.deals - bar.n)
    net: list[int] = session.game["seats"]["chips"][: rules.seats].tolist()
    return net


class _Session:
    """A session that has begun, and who plays it."""

    def __init__(self, rules: Rules, agents: Sequence[AnyAgent], seed: int) -> None:
        self.rules = rules
        self.agents = agents
        self.seed = seed
        self.generator = np.random.default_rng(seed)
        self.record_of_rules = rules.to_record()
        self.games = batch.new_games(1)
        seeds, episodes = np.array([seed], np.uint64), np.zeros(1, np.uint64)
        batch.begin_batch(self.record_of_rules, self.games, seeds, episodes)
        self.game = self.games[0]

    def play(self, tell: Callable[[int], object]) -> None:
        """Play it to its end, compiled agents' decisions many at a time; tell how many deals."""
        numbers, tables = seat_compiled(self.agents, self.rules)
        opponents = batch.external_seats(1)
        opponents[0, : self.rules.seats] = numbers[:, None]
        outcomes = np.zeros(1, np.int64)
        moves, fractions = np.full(1, batch.NO_MOVE), np.zeros(1)
        while self.game["phase"] != Phase.OVER:
            deal = self.game["deal"]
            batch.play_batch(
                self.record_of_rules,
                self.games,
                opponents,
                moves,
                fractions,
                outcomes,
                _SPELL,
                tables,
            )
            if outcomes[0] != Outcome.OK:
                raise AgentError(f"{where(self.game)}: the engine refused an agent's decision")
            tell(int(self.game["deal"] - deal))
            moves, fractions = np.full(1, batch.NO_MOVE), np.zeros(1)
            if self.game["phase"] != Phase.OVER and numbers[self.game["seat"]] == batch.EXTERNAL:
                moves, fractions = ask(self._to_act(), self.rules, self.games, self.generator)

    def record(self, write: Callable[[Line], None], tell: Callable[[int], object]) -> None:
        """Play it to its end, decision by decision, and write its history."""
        recorder = Recorder(self.rules, self.games, write)
        recorder.begin(self.seed)
        while self.game["phase"] != Phase.OVER:
            deal = self.game["deal"]
            moves, chips = ask_for_chips(self._to_act(), self.rules, self.games, self.generator)
            recorder.decide(int(moves[0]), int(chips[0]))
            tell(int(self.game["deal"] - deal))

    def _to_act(self) -> AnyAgent:
        """Return the agent on the seat to act."""
        return self.agents[int(self.game["seat"])]


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the settings of the command line."""
    parser = argparse.ArgumentParser(prog="python -m eval.simulate", description=__doc__)
    parser.add_argument(
        "--game", choices=GAMES, default="pontoon", help="which game's rules to start from"
    )
    parser.add_argument(
        "--seats", type=int, default=Rules.seats, help="seats, the banker's included"
    )
    parser.add_argument("--deals", type=int, default=1000, help="deals of the session")
    parser.add_argument(
        "--seed", type=int, default=None, help="key of the random streams; drawn where left out"
    )
    parser.add_argument(
        "--agents", default="random", help="one agent for all seats, or one a seat, with commas"
    )
    parser.add_argument(
        "--rules",
        nargs="*",
        default=[],
        metavar="FIELD=VALUE",
        help="fields of the rules to change",
    )
    parser.add_argument(
        "--history", type=Path, default=None, help="file to write the hand history to"
    )
    return parser.parse_args(arguments)


@exit_status
def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    settings = _parse(arguments)
    fields = {"seats": settings.seats, "deals": settings.deals}
    rules = rules_from_pairs(PRESETS[settings.game], settings.rules, **fields)
    if rules.shoot != (settings.game == "shoot"):
        raise ValueError(
            f"--game {settings.game} and --rules shoot={str(rules.shoot).lower()} are two games"
        )
    seed = secrets.randbits(63) if settings.seed is None else check_seed(settings.seed)
    names = [name.strip() for name in settings.agents.split(",")]
    agents = names * rules.seats if len(names) == 1 else names
    net = simulate(rules, agents, seed, settings.history)
    print(f"{settings.game}, {rules.seats} seats, {rules.deals} deals, seed {seed}")
    print("net a deal in least stakes:")
    for seat, (name, chips) in enumerate(zip(agents, net, strict=True)):
        print(f"  seat_{seat}  {name:<10} {chips / rules.min_stake / rules.deals:+.4f}")
    if settings.history:
        print(f"history: {json.dumps(str(settings.history))}")


if __name__ == "__main__":
    sys.exit(main())
