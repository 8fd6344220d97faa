"""What exact play is worth: ``python -m eval.exact --banker stick17 --pack infinite --no-split``.

Prints, as JSON, what a deal is worth to a player who plays best against a banker who plays by a
fixed rule, in least stakes: at a flat stake, by the first card, and where up to ``--max-stake`` is
staked on it. ``--table`` adds the whole play, ``--simulate N`` what it has won in N deals.

``--equilibrium`` solves the two-seat game of a free banker instead (`Rules.two_seat_exact`), and
prints its value to the player and how exploitable the strategies are, in least stakes a deal.
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import numpy as np
from tqdm import tqdm

from agents.baselines import BASELINES, Baseline
from agents.exact.equilibrium import TARGET, solve_equilibrium
from agents.exact.kinds import MAX_PIPS
from agents.exact.player_response import Response
from agents.exact.players import DEFAULT_BANKER, ExactPlayer, best_response
from agents.exact.public_tree import build_game
from eval.command import exit_status
from eval.match import Lineup, Progress, play_sessions
from pontoon_env.arguments import check_seed
from pontoon_env.rules import Rules, rules_from_pairs

LEAST_DEALS: Final = 1000
"""Fewer simulated deals tell nothing."""


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """What the best play has won in simulated deals, against what it is worth, in least stakes."""

    value: float
    simulated: float
    standard_error: float
    z: float
    """The difference in standard errors."""


def simulate_player(
    rules: Rules, value: float, is_flat: bool, n: int, seed: int, progress: Progress | None = None
) -> Agreement:
    """Play ``n`` deals of a player's best play and return how they agree with its value.

    The banker is the baseline that plays by ``banker_rule``; where there is none, the engine plays
    for the banker.

    Args:
        rules: Rules of one deal and two seats, with a fixed ``banker_rule``.
        value: What a deal should be worth, in least stakes.
        is_flat: Whether the stake is always the least.
        n: How many deals, `LEAST_DEALS` or more.
        seed: Key of the random streams.
        progress: Told how many deals have been played since it was last told.
    """
    if n < LEAST_DEALS:
        raise ValueError(f"{n} deals are too few to simulate: {LEAST_DEALS} are the least")
    is_baseline = rules.banker_rule in BASELINES
    banker = Baseline(rules.banker_rule if is_baseline else DEFAULT_BANKER)
    lineup = Lineup(
        agents=[ExactPlayer(rules.banker_rule), banker],
        patterns=np.array([[[0, 1], [0, 1]]]),
        stakes_least=frozenset({0} if is_flat else ()),
    )
    table = replace(rules, banker_rule="free") if is_baseline else rules
    chips = play_sessions(table, lineup, n, seed, progress=progress).by_place()[:, 1]
    mean = float(chips.mean()) / rules.min_stake
    error = float(chips.std(ddof=1)) / rules.min_stake / n**0.5
    return Agreement(value=value, simulated=mean, standard_error=error, z=(mean - value) / error)


def player_report(
    rules: Rules, has_table: bool, n_deals: int, seed: int, progress: Progress | None = None
) -> dict[str, Any]:
    """Return what the best play is worth, as JSON can hold it.

    Args:
        rules: Rules of one deal and two seats, with a fixed ``banker_rule``.
        has_table: Whether the play itself is told, hand by hand.
        n_deals: Deals to simulate, twice; 0 for none.
        seed: Key of the random streams.
        progress: Told of the deals played; see `simulate_player`.
    """
    start = time.perf_counter()
    found = best_response(rules)
    ratio = rules.max_stake / rules.min_stake
    report = {
        "banker": rules.banker_rule,
        "rules": rules.to_dict(),
        "unit": "net a deal of the player, in least stakes",
        "ev_flat": found.ev_flat,
        "ev_by_first_card": _by_card(found.ev_by_first_card),
        "largest_stake": ratio,
        "ev_best_stake": found.ev_best_stake(ratio),
        "seconds": round(time.perf_counter() - start, 3),
    }
    if has_table:
        report |= {"splits": _by_card(found.splits), "table": found.table()}
    if n_deals:
        report |= {"simulated_deals": n_deals, "seed": seed}
        report |= _simulated(rules, found, n_deals, seed, progress)
    return report


def _simulated(
    rules: Rules, found: Response, n: int, seed: int, progress: Progress | None
) -> dict[str, Any]:
    """Return the simulated checks of the flat and of the best stake."""
    ratio = rules.max_stake / rules.min_stake
    values = {"flat": found.ev_flat, "best_stake": found.ev_best_stake(ratio)}
    return {
        f"simulated_{name}": asdict(
            simulate_player(rules, value, name == "flat", n, seed, progress)
        )
        for name, value in values.items()
    }


def _by_card(values: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Return what stands for each card, by A, 2 to 10."""
    return dict(zip(["A", *map(str, range(2, MAX_PIPS + 1))], values[1:].tolist(), strict=True))


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the settings of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m eval.exact",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    option = parser.add_argument
    option("--banker", default=None, help="the banker's rule: stickN (stick17) or stickNsoft")
    option("--pack", choices=("infinite", "fresh"), default="infinite", help="the pack")
    option("--no-split", action="store_true", help="nothing may be split")
    option("--rules", nargs="*", default=[], metavar="FIELD=VALUE", help="fields to change")
    option("--min-stake", type=int, default=1, help="least stake, in chips")
    option("--max-stake", type=int, default=10, help="largest stake, in chips")
    option("--table", action="store_true", help="print the play, hand by hand, too")
    option("--simulate", type=int, default=0, metavar="N", help="deals to check the values with")
    option("--seed", type=int, default=None, help="key of the deals; drawn where left out")
    option("--equilibrium", action="store_true", help="solve the game of a free banker")
    option("--target", type=float, default=None, help="exploitability where that may end: 0.001")
    return parser.parse_args(arguments)


def equilibrium_report(rules: Rules, target: float, progress: bool = True) -> dict[str, Any]:
    """Return what the two-seat game of a free banker is worth, as JSON can hold it.

    Args:
        rules: Rules such as `Rules.two_seat_exact`.
        target: Exploitability at which the search may end, in least stakes.
        progress: Whether to show a progress bar on a terminal.
    """
    with tqdm(unit=" iterations", disable=None if progress else True) as bar:

        def show(iteration: int, exploitability: float) -> None:
            bar.set_postfix_str(f"exploitability {exploitability / rules.min_stake:.5f}", False)
            bar.update(iteration - bar.n)

        found = solve_equilibrium(build_game(rules), target, progress=show)
    unit = rules.min_stake
    return {
        "rules": rules.to_dict(),
        "unit": "net a deal of the player, in least stakes",
        "value": found.value / unit,
        "value_low": found.exploitability.player_at_worst / unit,
        "value_high": found.exploitability.player_at_best / unit,
        "exploitability": found.exploitability.exploitability / unit,
        "target": target,
        "is_target_reached": found.exploitability.exploitability < target * unit,
        "iterations": found.course[-1][0],
        "course": [[iteration, left / unit] for iteration, left in found.course],
        "public_states": int(found.game.nodes.size),
        "seconds": round(found.seconds, 3),
    }


def _equilibrium_rules(settings: argparse.Namespace) -> Rules:
    """Return the rules of the two-seat game that the settings ask for.

    Raises:
        ValueError: They are refused, or a setting is about the other kind of solution.
    """
    for name, is_given in (
        ("--banker", settings.banker is not None),
        ("--pack fresh", settings.pack != "infinite"),
        ("--no-split", settings.no_split),
        ("--table", settings.table),
        ("--simulate", settings.simulate),
        ("--seed", settings.seed is not None),
    ):
        if is_given:
            raise ValueError(f"{name} has no meaning beside --equilibrium")
    fields = {"min_stake": settings.min_stake, "max_stake": settings.max_stake}
    return rules_from_pairs(Rules.two_seat_exact, settings.rules, **fields)


def _rules(settings: argparse.Namespace) -> Rules:
    """Return the rules that the settings ask for.

    Raises:
        ValueError: They are refused, or two settings say different things.
    """
    if settings.target is not None:
        raise ValueError("--target has no meaning without --equilibrium")
    banker = settings.banker or DEFAULT_BANKER
    fields = {
        "banker_rule": banker,
        "packs": "infinite" if settings.pack == "infinite" else 1,
        "split": "none" if settings.no_split else "any",
        "min_stake": settings.min_stake,
        "max_stake": settings.max_stake,
    }
    rules = rules_from_pairs(Rules.two_seat_exact, settings.rules, **fields)
    if (rules.seats, rules.deals) != (2, 1):
        raise ValueError("what a deal is worth does not depend on seats and deals: leave them out")
    if rules.banker_rule != banker:
        raise ValueError(f"--banker and --rules banker_rule={rules.banker_rule} are two bankers")
    if (rules.packs == "infinite") != (settings.pack == "infinite"):
        raise ValueError(f"--pack {settings.pack} and --rules packs={rules.packs} are two packs")
    if settings.no_split and rules.split != "none":
        raise ValueError(f"--no-split and --rules split={rules.split} are two rules")
    if rules.packs != "infinite" and rules.split != "none":
        raise ValueError("--pack fresh is solved without splits only: add --no-split")
    return rules


@exit_status
def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    settings = _parse(arguments)
    if settings.equilibrium:
        target = TARGET if settings.target is None else settings.target
        report = equilibrium_report(_equilibrium_rules(settings), target)
        print(json.dumps(report, indent=2))
        return
    rules = _rules(settings)
    seed = secrets.randbits(63) if settings.seed is None else check_seed(settings.seed)
    total = 2 * settings.simulate
    with tqdm(total=total, unit="deal", unit_scale=True, disable=None if total else True) as bar:
        report = player_report(rules, settings.table, settings.simulate, seed, bar.update)
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    sys.exit(main())
