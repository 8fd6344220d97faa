"""How every published policy is trained, and what is measured of it: one table, `RECIPES`.

A recipe is made into commands: `Recipe.command` trains a policy, `Measure.command` measures it.
``python -m eval.reproduce`` runs them all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from pontoon_env.opponents import OPPONENTS

Program = Literal["maskable_ppo", "hybrid_ppo", "recurrent_ppo", "self_play"]

ONE_SEED: Final = (1,)
THREE_SEEDS: Final = (1, 2, 3)
SHORTER: Final = 50
"""A shortened recipe trains on one decision in so many."""
LEAST_UPDATES: Final = 10
"""Rollouts of a shortened training, at least."""
SHORT_DEALS: Final = 2_000
"""Deals of a shortened measurement."""
EVALUATION_SEED: Final = "1000"
"""Key of the deals that policies are measured on; no training has it."""


@dataclass(frozen=True, kw_only=True)
class Measure:
    """What is measured of a policy."""

    title: str
    """What it is called in tables and files."""
    program: Literal["benchmark", "exploit"]
    """The module of ``eval`` that measures it."""
    arguments: tuple[str, ...]
    """Its flags, without the policies, seed and folder."""
    minus: tuple[str, ...] = ()
    """Of a benchmark: the policy's net is told less that of each of these agents, on the same
    sessions; ``others`` stands for whoever sits on the other seats."""
    twin: str | None = None
    """Of a benchmark: the recipe whose policy of the same seed plays the same sessions, and whose
    net is taken off."""
    beside: tuple[str, ...] = ()
    """Agents of which the same is measured."""

    def command(self, specs: tuple[str, ...], folder: Path) -> list[str]:
        """Return the command that measures policies or agents.

        Args:
            specs: What is measured, and its twin where there is one.
            folder: Of the results; `eval.exploit` prints its own.
        """
        out = ("--out", str(folder)) if self.program == "benchmark" else ()
        seed = ("--seed", EVALUATION_SEED)
        return ["-m", f"eval.{self.program}", *specs, *self.arguments, *seed, *out]

    def shortened(self) -> Measure:
        """Return the measure on few deals, beside few agents."""
        arguments = self.arguments
        if self.program == "benchmark":
            arguments = _changed(arguments, "--deals", SHORT_DEALS)
        return replace(self, arguments=arguments, beside=self.beside[-1:])


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a policy is trained."""

    name: str
    program: Program
    """The module of ``train``."""
    arguments: tuple[str, ...]
    """Its flags, without seed and folder."""
    seeds: tuple[int, ...]
    measures: tuple[Measure, ...]

    def command(self, seed: int, folder: Path) -> list[str]:
        """Return the command that trains the policy with a seed, as Python's arguments."""
        where = ("--seed", str(seed), "--out", str(folder))
        return ["-m", f"train.{self.program}", *self.arguments, *where]

    def timesteps(self) -> int:
        """Return the decisions that it trains on, before they are rounded up to rollouts."""
        return self._number("--timesteps")

    def shortened(self) -> Recipe:
        """Return the recipe with one seed and a fraction of the decisions, in whole rollouts.

        Where they would be too few rollouts to learn at all, each has fewer tables.
        """
        timesteps = -(-self.timesteps() // SHORTER)
        n_steps = self._number("--n-steps")
        num_envs = min(self._number("--num-envs"), max(timesteps // (n_steps * LEAST_UPDATES), 2))
        rollout = num_envs * n_steps
        arguments = _changed(self.arguments, "--timesteps", -(-timesteps // rollout) * rollout)
        arguments = _changed(arguments, "--num-envs", num_envs)
        if "--taught" in arguments:
            taught = self._number("--taught") * timesteps // self.timesteps()
            arguments = _changed(arguments, "--taught", max(taught, 1))
        batch_size = min(self._number("--batch-size"), rollout)
        return replace(
            self,
            arguments=_changed(arguments, "--batch-size", batch_size),
            seeds=self.seeds[:1],
            measures=tuple(measure.shortened() for measure in self.measures),
        )

    def _number(self, flag: str) -> int:
        """Return the number that stands after a flag."""
        return int(self.arguments[self.arguments.index(flag) + 1])


def _changed(arguments: tuple[str, ...], flag: str, value: int) -> tuple[str, ...]:
    """Return arguments with another value after a flag."""
    place = arguments.index(flag) + 1
    return (*arguments[:place], str(value), *arguments[place + 1 :])


_LEARNING: Final = (
    *("--num-envs", "4096", "--n-steps", "8", "--batch-size", "8192", "--n-epochs", "2"),
    *("--learning-rate", "6e-3", "--ent-coef-end", "0.002", "--checkpoint-every", "2000000"),
)
_SESSIONS: Final = (
    *("--num-envs", "2048", "--n-steps", "16", "--batch-size", "4096", "--n-epochs", "2"),
    *("--learning-rate", "3e-3", "--checkpoint-every", "2000000"),
)
_RECURRENT: Final = (
    *("--num-envs", "512", "--n-steps", "64", "--batch-size", "8192", "--n-epochs", "2"),
    *("--learning-rate", "3e-3", "--timesteps", "4000000", "--encoding", "discrete"),
)

_ALL_SEATS: Final = (
    *("--num-envs", "2048", "--n-steps", "16", "--batch-size", "4096", "--n-epochs", "2"),
    *("--learning-rate", "1e-3", "--ent-coef", "0.01", "--ent-coef-end", "0.002"),
    *("--net-arch", "128", "128", "--memory", "--checkpoint-every", "2000000"),
    *("--teacher", "counter", "--taught", "7000000", "--timesteps", "17000000"),
    *("--self-share", "0.4", "--past-share", "0.2"),
)
_EQUILIBRIUM: Final = (
    *(*_LEARNING, "--timesteps", "20000000", "--baselines", "--n-past", "12"),
    *("--past-share", "0.5", "--freeze-every", "400000"),
)

_TWO_SEATS: Final = ("--preset", "two_seat_exact")
_INFINITE_PACK: Final = ("--preset", "single_deal", "--rules", "packs=infinite", "seats=6")
_SAME_BANKER: Final = ("--preset", "pontoon", "--rules", "bank_passes=never", "bank_sale=false")
_NEVER_SHUFFLED: Final = (*_SAME_BANKER, "shuffle=never")
_AGAINST_BASIC: Final = ("--role", "player", "--opponents", "basic")
_OF_TWINS: Final = ("--timesteps", "4000000")
_DEALS: Final = ("--deals", "200000")

_REGRET: Final = Measure(title="regret", program="exploit", arguments=("--banker", "stick17"))
_EXPLOITABILITY: Final = Measure(
    title="exploitability", program="exploit", arguments=(), beside=tuple(OPPONENTS)
)


def _as_banker(rules: tuple[str, ...], players: str) -> Measure:
    """Return what a banker wins more than the baselines that bank best, from the same players."""
    return Measure(
        title="as banker",
        program="benchmark",
        arguments=(*rules, "--roles", "banker", "--players", players, *_DEALS),
        minus=("basic", "bayes"),
    )


def _over_twin(title: str, rules: tuple[str, ...], twin: str) -> Measure:
    """Return what a player wins more than the one that another recipe has trained."""
    seated = ("--roles", "player", "--bankers", "basic", "--players", "basic")
    return Measure(
        title=title, program="benchmark", arguments=(*rules, *seated, *_DEALS), twin=twin
    )


def _over_baselines(preset: str) -> Measure:
    """Return what a policy wins more than each baseline on whose table it sits, seat by seat."""
    seated = ("--roles", "any", "--players", ",".join(OPPONENTS))
    return Measure(
        title="advantage",
        program="benchmark",
        arguments=("--preset", preset, *seated, *_DEALS),
        minus=("others",),
    )


def _player(kind: str, program: Program) -> Recipe:
    """Return how a player is trained for the game that is solved."""
    return Recipe(
        name=f"player-{kind}",
        program=program,
        arguments=(
            *(*_TWO_SEATS, "--role", "player", "--opponents", "stick17", *_LEARNING),
            *("--timesteps", "25000000"),
        ),
        seeds=THREE_SEEDS,
        measures=(_REGRET,),
    )


def _banker(seats: int, rules: tuple[str, ...], players: str) -> Recipe:
    """Return how a banker is trained against players of one kind."""
    return Recipe(
        name=f"banker-{seats}-{players}",
        program="maskable_ppo",
        arguments=(
            *(*rules, "--role", "banker", "--opponents", players, *_LEARNING),
            *("--timesteps", "8000000"),
        ),
        seeds=ONE_SEED,
        measures=(_as_banker(rules, players),),
    )


def _twins(kind: str, rules: tuple[str, ...]) -> tuple[Recipe, ...]:
    """Return how players of sessions are trained: without memory, with it, and with an LSTM."""
    plain = Recipe(
        name=f"plain-{kind}",
        program="maskable_ppo",
        arguments=(*rules, *_AGAINST_BASIC, *_SESSIONS, *_OF_TWINS),
        seeds=THREE_SEEDS,
        measures=(),
    )
    remembering = Recipe(
        name=f"memory-{kind}",
        program="maskable_ppo",
        arguments=(*rules, *_AGAINST_BASIC, *_SESSIONS, *_OF_TWINS, "--memory"),
        seeds=THREE_SEEDS,
        measures=(_over_twin("memory", rules, plain.name),),
    )
    recurrent = Recipe(
        name=f"recurrent-{kind}",
        program="recurrent_ppo",
        arguments=(*rules, *_AGAINST_BASIC, *_RECURRENT),
        seeds=ONE_SEED,
        measures=(_over_twin("memory", rules, plain.name),),
    )
    return plain, remembering, recurrent


def _self_play(name: str, preset: str, measure: Measure, *more: str) -> Recipe:
    """Return how a policy for all seats is trained by self-play."""
    return Recipe(
        name=name,
        program="self_play",
        arguments=("--preset", preset, *more),
        seeds=ONE_SEED,
        measures=(measure,),
    )


_ALL: Final = (
    _player("discrete", "maskable_ppo"),
    _player("hybrid", "hybrid_ppo"),
    _banker(2, _TWO_SEATS, "basic"),
    _banker(2, _TWO_SEATS, "exact"),
    _banker(6, _INFINITE_PACK, "basic"),
    _banker(6, _INFINITE_PACK, "exact"),
    *_twins("never", _NEVER_SHUFFLED),
    *_twins("default", _SAME_BANKER),
    _self_play("self-play-two", "two_seat_exact", _EXPLOITABILITY, *_EQUILIBRIUM),
    _self_play("self-play-pontoon", "pontoon", _over_baselines("pontoon"), *_ALL_SEATS),
    _self_play("self-play-shoot", "shoot", _over_baselines("shoot"), *_ALL_SEATS),
)

RECIPES: Final[dict[str, Recipe]] = {recipe.name: recipe for recipe in _ALL}
"""Every recipe by name, in the order of docs/benchmark.md; a twin stands before what needs it."""
