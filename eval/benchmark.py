"""Compare policies with the baselines: ``python -m eval.benchmark POLICY --deals 20000``.

A policy is a baseline's name, ``module:Class`` or the folder of a saved policy. Every candidate,
the baselines too, plays the same deals in each scenario: as a player, on each player's place in
turn, against a fixed banker and fixed other players; as the banker, against fixed players; or on
every seat in turn, the banker's too, against one agent on all others. Where the rules let the bank
pass, the role is where a candidate begins, and it plays on from where it comes to sit.

Results are net chips a deal, in least stakes, with 95% intervals clustered by session. Because
staking alone can hide play, each player's scenario is played a second time at flat stakes: every
initial stake of the candidate is made the least, all else is its own choice, and the others stake
as ever.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

import pontoon_env
from agents.baselines import BASELINES, Baseline
from agents.registry import make_agent
from agents.saved_policy import write_text
from eval.command import check_writable, exit_status
from eval.match import Lineup, Progress, play_sessions
from eval.statistics import Estimate, clustered_mean, paired_difference
from pontoon_env.agent import AnyAgent, check_agent
from pontoon_env.rules import PRESETS, Rules, rules_from_pairs

RoleName = Literal["player", "banker", "any"]
ROLES: Final[tuple[RoleName, ...]] = ("player", "banker", "any")


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """Where a candidate sits, and against whom."""

    role: RoleName
    others: str
    """Name of the agent on the other players' places."""
    banker: str | None
    """Name of the agent that holds the bank for others; None where that is the candidate, or where
    it goes round and ``others`` names whoever holds it."""
    is_flat: bool
    """Whether the candidate stakes least, whatever it chooses."""

    def __str__(self) -> str:
        """Name the scenario for tables."""
        flat = ", flat least stakes" if self.is_flat else ""
        if self.role == "any":
            return f"On every seat, against {self.others} on all others"
        if self.role == "banker":
            return f"As banker against {self.others} players"
        return f"As player against a {self.banker} banker, beside {self.others} players{flat}"

    def places(self, rules: Rules) -> NDArray[np.int64]:
        """Return the places that the candidate takes, session by session in turn."""
        first, last = {"player": (1, rules.seats), "banker": (0, 1), "any": (0, rules.seats)}[
            self.role
        ]
        return np.arange(first, last)

    def lineup(self, candidate: AnyAgent, rules: Rules) -> Lineup:
        """Return the line-up with ``candidate`` seated; its place goes round by session."""
        others = make_agent(self.others)
        bankers = others if self.banker is None else make_agent(self.banker)
        places = self.places(rules)
        patterns = np.zeros((places.size, rules.seats, 2), np.int64)
        patterns[:, :, 0], patterns[:, :, 1] = 1, 2
        patterns[np.arange(places.size), places] = 0
        return Lineup(
            agents=[candidate, others, bankers],
            patterns=patterns,
            stakes_least=frozenset({0} if self.is_flat else ()),
        )


@dataclass(frozen=True, kw_only=True)
class Row:
    """What a candidate won in a scenario."""

    candidate: str
    net: Estimate
    """Net change a deal, in least stakes."""
    differences: dict[str, Estimate]
    """The policy's net minus this candidate's on the same sessions, by policy."""


@dataclass(frozen=True, kw_only=True)
class Results:
    """A whole benchmark."""

    rules: Rules
    seed: int
    sessions: int
    """Sessions that each candidate played in each scenario, of ``rules.deals`` deals each."""
    policies: tuple[str, ...]
    tables: dict[Scenario, list[Row]] = field(default_factory=dict)

    def row(self, scenario: Scenario, candidate: str) -> Row:
        """Return the row of a candidate in a scenario."""
        return next(row for row in self.tables[scenario] if row.candidate == candidate)

    def to_dict(self) -> dict[str, Any]:
        """Return everything, as JSON can hold it."""
        return {
            "format": "pontoon_benchmark_v1",
            "package_version": pontoon_env.__version__,
            "rules": self.rules.to_dict(),
            "seed": self.seed,
            "sessions": self.sessions,
            "deals": self.sessions * self.rules.deals,
            "unit": "net chips a deal, in least stakes",
            "policies": list(self.policies),
            "scenarios": [
                {**asdict(scenario), "rows": [asdict(row) for row in rows]}
                for scenario, rows in self.tables.items()
            ],
        }

    def to_markdown(self) -> str:
        """Return the tables of all scenarios."""
        lines = [
            f"{self.sessions * self.rules.deals:,} deals in {self.sessions:,} sessions, "
            f"seed {self.seed}, {self.rules.seats} seats. Net chips a deal in least stakes, 95% "
            "intervals clustered by session; the same deals for every candidate.",
        ]
        for scenario, rows in self.tables.items():
            heads = ["candidate", "net a deal", *(f"{name} minus it" for name in self.policies)]
            lines += ["", f"**{scenario}**", "", "| " + " | ".join(heads) + " |"]
            lines += ["|---|" + "---:|" * (len(heads) - 1)]
            for row in rows:
                cells = [row.candidate, str(row.net)]
                cells += [
                    str(row.differences[name]) if name in row.differences else "–"
                    for name in self.policies
                ]
                lines.append("| " + " | ".join(cells) + " |")
        return "\n".join(lines)


def scenarios(
    roles: Sequence[RoleName], bankers: Sequence[str], players: Sequence[str]
) -> list[Scenario]:
    """Return all scenarios of some roles.

    A player meets each banker, beside the first kind of players, as it stakes and at flat stakes. A
    banker meets each kind of players, and so does a candidate on every seat, with one of them as
    banker. There, what a candidate wins more than an agent does among its like is its advantage
    over that agent.
    """
    found: list[Scenario] = []
    if "player" in roles:
        found += [
            Scenario(role="player", others=players[0], banker=banker, is_flat=is_flat)
            for banker in bankers
            for is_flat in (False, True)
        ]
    found += [
        Scenario(role=role, others=others, banker=None, is_flat=False)
        for role in ROLES[1:]
        if role in roles
        for others in players
    ]
    return found


def net_of_candidate(
    scenario: Scenario,
    candidate: AnyAgent,
    rules: Rules,
    sessions: int,
    seed: int,
    progress: Progress | None = None,
    threads: int = 1,
) -> NDArray[np.float64]:
    """Play a scenario and return what the candidate won in each session, in least stakes.

    Arguments and errors as of `eval.match.play_sessions`.
    """
    lineup = scenario.lineup(candidate, rules)
    played = play_sessions(
        rules, lineup, sessions, seed, progress=progress, threads=threads
    ).by_place()
    places = np.resize(scenario.places(rules), sessions)
    return played[np.arange(sessions), places] / rules.min_stake


def run_benchmark(
    policies: Sequence[AnyAgent],
    rules: Rules,
    to_play: Sequence[Scenario],
    deals: int,
    seed: int,
    progress: Callable[[str, int], None] | None = None,
    threads: int = 1,
) -> Results:
    """Play every policy and every baseline in every scenario.

    Args:
        policies: What is to be compared; a baseline among them is played once.
        rules: The rules.
        to_play: The scenarios.
        deals: Deals for each candidate and scenario, rounded up to whole sessions; two at least.
        seed: Key of all random streams.
        progress: Told the candidate's name and how many sessions it has just played.
        threads: As of `eval.match.play_sessions`.

    Raises:
        AgentError: A policy failed.
        ValueError: Two policies have one name, one has a baseline's, or cannot play by the rules.
    """
    names = tuple(policy.name for policy in policies)
    if len(set(names)) != len(names):
        raise ValueError(f"policies share a name: {', '.join(names)}")
    for policy in policies:
        if policy.name in BASELINES and not isinstance(policy, Baseline):
            raise ValueError(
                f"a policy calls itself {policy.name!r}, as the baseline of that name: its row "
                "would stand for the baseline's"
            )
    candidates = [*policies, *(Baseline(name) for name in BASELINES if name not in names)]
    for candidate in candidates:
        check_agent(candidate, rules)
    sessions = max(2, -(-deals // rules.deals))
    results = Results(rules=rules, seed=seed, sessions=sessions, policies=names)
    for scenario in to_play:
        nets = {}
        for candidate in candidates:

            def tell(n: int, name: str = candidate.name) -> None:
                if progress is not None:
                    progress(name, n)

            won = net_of_candidate(scenario, candidate, rules, sessions, seed, tell, threads)
            nets[candidate.name] = won / rules.deals
        results.tables[scenario] = [
            Row(
                candidate=name,
                net=clustered_mean(net),
                differences={
                    policy: paired_difference(nets[policy], net)
                    for policy in names
                    if policy != name
                },
            )
            for name, net in nets.items()
        ]
    return results


def write_results(folder: Path, results: Results, title: str = "Benchmark") -> None:
    """Write ``results.json`` and ``results.md``."""
    write_text(folder / "results.json", json.dumps(results.to_dict(), indent=2))
    write_text(folder / "results.md", f"# {title}\n\n{results.to_markdown()}")


def _names(text: str) -> list[str]:
    """Return the agents that a list with commas names."""
    names = [name.strip() for name in text.split(",")]
    if len(set(names)) != len(names):
        raise ValueError(f"{text} names an agent twice")
    return names


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the settings of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m eval.benchmark",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    option = parser.add_argument
    option("policies", nargs="+", metavar="POLICY", help="saved policy, name or module:Class")
    option("--preset", choices=sorted(PRESETS), default="single_deal", help="rules to start from")
    option("--rules", nargs="*", default=[], metavar="FIELD=VALUE", help="fields to change")
    option("--seats", type=int, default=None, help="seats, the banker's included")
    option("--deals", type=int, default=20_000, help="deals for each candidate and scenario")
    option("--seed", type=int, default=1, help="key of all random streams")
    option("--threads", type=int, default=os.cpu_count(), help="on which compiled agents play")
    option("--roles", default="player,banker", help="of player, banker and any: every seat in turn")
    option("--bankers", default="stick17,basic", help="bankers that a player meets")
    option(
        "--players",
        default="stick17,basic",
        help="players that a banker meets, and any; the first sit by a player",
    )
    option("--out", type=Path, default=Path("out/benchmark"), help="folder of the results")
    return parser.parse_args(arguments)


def _checked(settings: argparse.Namespace) -> tuple[Rules, list[Scenario]]:
    """Return the rules and the scenarios that the settings ask for."""
    fields = {} if settings.seats is None else {"seats": settings.seats}
    rules = rules_from_pairs(PRESETS[settings.preset], settings.rules, **fields)
    if settings.threads < 1:
        raise ValueError("--threads must be 1 or more")
    if settings.deals < 1 or not 0 <= settings.seed < 2**64:
        raise ValueError("--deals must be 1 or more, --seed from 0 to 2**64 - 1")
    asked = _names(settings.roles)
    roles = [role for role in ROLES if role in asked]
    if len(roles) != len(asked):
        raise ValueError(f"--roles {settings.roles} names others than {', '.join(ROLES)}")
    to_play = scenarios(roles, _names(settings.bankers), _names(settings.players))
    seated = {scenario.others for scenario in to_play}
    seated |= {scenario.banker for scenario in to_play if scenario.banker is not None}
    for name in sorted(seated):
        check_agent(make_agent(name), rules)
    return rules, to_play


@exit_status
def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    settings = _parse(arguments)
    rules, to_play = _checked(settings)
    policies = [make_agent(spec) for spec in settings.policies]
    for policy in policies:
        check_agent(policy, rules)
    settings.out.mkdir(parents=True, exist_ok=True)
    check_writable(settings.out / "results.json")
    n_candidates = len({*BASELINES, *(policy.name for policy in policies)})
    sessions = max(2, -(-settings.deals // rules.deals))
    total = n_candidates * len(to_play) * sessions
    with tqdm(total=total, unit="session", unit_scale=True, disable=None) as bar:

        def show(name: str, n: int) -> None:
            bar.set_postfix_str(name, refresh=False)
            bar.update(n)

        results = run_benchmark(
            policies, rules, to_play, settings.deals, settings.seed, show, settings.threads
        )
    write_results(settings.out, results)
    print(results.to_markdown())
    print(f"\nwritten: {settings.out / 'results.md'}, {settings.out / 'results.json'}")


if __name__ == "__main__":
    sys.exit(main())
