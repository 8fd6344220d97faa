"""Checks for any PettingZoo AEC environment, beyond what ``api_test`` asks for.

Each ``check_...`` takes ``make_env``, which returns a new environment each time it is called, plays
random legal actions, and raises `ConformanceError` where it finds a fault; `check_all` runs all
that apply. They find what ``api_test`` lets pass: masks that are wrong, empty, or shown to the
wrong seat; seats that are shown what they must not know; looking that changes the game; state that
outlives a reset; arrays that change after they were handed out; copies that share what they hold;
seeds that decide the first episode alone.

    from pontoon_env import testing
    from pontoon_env.aec import PontoonAECEnv

    testing.check_all(PontoonAECEnv, resample=PontoonAECEnv.resample_hidden, is_zero_sum=True)

A check plays by masks: ``action_mask`` in the observation, else in the info; without one every
action counts as legal. It needs neither a test framework nor a learning library.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from gymnasium import spaces

MakeEnv = Callable[[], Any]
"""Returns a new environment."""
Clone = Callable[[Any], Any]
"""Returns an independent copy of an environment and its game."""
Resample = Callable[[Any, str, np.random.Generator], Any]
"""Returns a copy of an environment in a world that an agent cannot tell from the true one."""
ToAction = Callable[[Any, str, int], Any]
"""Returns the action that a place of an agent's mask stands for."""

MOST_STEPS: Final = 100_000
"""Steps after which an episode is taken to have no end."""
_SOME_STEPS: Final = 60
"""Steps of an episode in which costly checks look at every one."""
_N_DEPTHS: Final = 8
"""Depths at which a course that was looked at is compared with one that was not."""


class ConformanceError(AssertionError):
    """An environment does not keep to the interface; the message says where, and what would."""


@dataclass(frozen=True)
class Moment:
    """What an environment tells before a step, frozen."""

    agent: str
    observation: object
    rewards: tuple[tuple[str, float], ...]
    flags: tuple[bool, bool]
    reward: float


def frozen(value: Any) -> object:
    """Return an observation, or another nest of mappings, sequences and arrays, as plain values."""
    if isinstance(value, Mapping):
        return tuple((key, frozen(value[key])) for key in sorted(value, key=str))
    if isinstance(value, np.ndarray):
        return (value.dtype.str, value.shape, value.tobytes())
    if isinstance(value, list | tuple):
        return tuple(frozen(item) for item in value)
    return value


def mask_of(observation: Any, info: Any) -> np.ndarray[Any, np.dtype[Any]] | None:
    """Return the mask of an observation, else of an info; None where there is none."""
    for place in (observation, info):
        if isinstance(place, Mapping) and place.get("action_mask") is not None:
            return np.asarray(place["action_mask"])
    return None


def action_of(env: Any, agent: str, choice: int) -> Any:
    """Return the action that a place of the mask stands for, where that is plain to see.

    A place is a number of a ``Discrete`` space, or of the one ``Discrete`` part of a ``Dict``, of
    which the other parts are drawn.

    Raises:
        ValueError: It is not plain: hand over ``to_action``.
    """
    space = env.action_space(agent)
    if isinstance(space, spaces.Discrete):
        return int(space.start) + choice
    if isinstance(space, spaces.Dict):
        parts = [name for name, part in space.spaces.items() if isinstance(part, spaces.Discrete)]
        if len(parts) == 1:
            action = {name: part.sample() for name, part in space.spaces.items()}
            action[parts[0]] = int(space.spaces[parts[0]].start) + choice  # type: ignore[attr-defined]
            return action
    raise ValueError(f"hand over to_action: what does place {choice} of a mask mean in {space}?")


def _sample(env: Any, agent: str, observation: Any, info: Any) -> Any:
    """Return a random legal action, from the generator of the agent's action space."""
    mask = mask_of(observation, info)
    return env.action_space(agent).sample(*([] if mask is None else [mask]))


def _begin(env: Any, seed: int | None) -> None:
    """Begin an episode, and the generators of the action spaces with it."""
    env.reset() if seed is None else env.reset(seed=seed)
    _seed_spaces(env, 0 if seed is None else seed)


def _seed_spaces(env: Any, seed: int) -> None:
    """Begin the generators from which actions are drawn."""
    for i, agent in enumerate(env.agents):
        env.action_space(agent).seed(seed + i)


def _moment(env: Any) -> tuple[Moment, Any, Any]:
    """Return the present moment, and the mover's observation and info."""
    agent = env.agent_selection
    observation, reward, terminated, truncated, info = env.last()
    rewards = tuple((name, float(part)) for name, part in env.rewards.items())
    flags = bool(terminated), bool(truncated)
    return Moment(agent, frozen(observation), rewards, flags, float(reward)), observation, info


def _play(env: Any, most: int = MOST_STEPS) -> Iterator[tuple[Moment, Any]]:
    """Play on at random; yield each moment and its action before the action is made."""
    for _ in range(most):
        if not env.agents:
            return
        moment, observation, info = _moment(env)
        action = None if any(moment.flags) else _sample(env, moment.agent, observation, info)
        yield moment, action
        env.step(action)
    if most == MOST_STEPS:
        raise ConformanceError(f"an episode has not ended after {MOST_STEPS} steps")


def _replay(env: Any, actions: Sequence[Any]) -> Iterator[Moment]:
    """Make given actions; yield each moment before its action, and the one after the last."""
    for action in actions:
        yield _moment(env)[0]
        env.step(action)
    if env.agents:
        yield _moment(env)[0]


def _compare(one: Sequence[Moment], other: Sequence[Moment], what: str) -> None:
    """Raise where two courses are not the same."""
    for step, (here, there) in enumerate(zip(one, other, strict=False)):
        for name in ("agent", "observation", "rewards", "reward", "flags"):
            if getattr(here, name) != getattr(there, name):
                raise ConformanceError(f"{what}: at step {step} ({here.agent}) {name} differs")
    if len(one) != len(other):
        raise ConformanceError(f"{what}: one course has {len(one)} steps, the other {len(other)}")


def check_masks(
    make_env: MakeEnv,
    *,
    seed: int = 0,
    clone: Clone = copy.deepcopy,
    to_action: ToAction = action_of,
    most: int = _SOME_STEPS,
) -> None:
    """Check that masks are exact: on copies, what is masked in is accepted, all else refused.

    Refused is an action that raises, or one that ends the episode at a loss for who made it. The
    mover has at least one legal action; agents that are not to act have none.
    """
    env = make_env()
    _begin(env, seed)
    for step, (moment, action) in enumerate(_play(env, most)):
        if action is None:
            continue
        where = f"step {step} ({moment.agent})"
        observation, _, _, _, info = env.last()
        mask = mask_of(observation, info)
        if mask is None:
            raise ConformanceError(f"{where}: there is no action_mask in observation or info")
        if mask.ndim != 1 or not np.isin(mask, (0, 1)).all():
            raise ConformanceError(f"{where}: the mask is {mask!r}, not one row of 0 and 1")
        if not mask.any():
            raise ConformanceError(f"{where}: the mask of the agent to act allows no action")
        for agent in env.agents:
            idle = None if agent == moment.agent else mask_of(env.observe(agent), env.infos[agent])
            if idle is not None and idle.any():
                raise ConformanceError(f"{where}: {agent} is not to act and is shown {idle!r}")
        for choice, is_legal in enumerate(mask):
            refusal = _refusal(clone(env), to_action(env, moment.agent, choice))
            if is_legal and refusal:
                raise ConformanceError(f"{where}: action {choice} is masked in and {refusal}")
            if not is_legal and not refusal:
                raise ConformanceError(f"{where}: action {choice} is masked out and accepted")


def _refusal(env: Any, action: Any) -> str:
    """Make an action; return how it was refused, an empty text where it was not."""
    agent = env.agent_selection
    try:
        env.step(action)
    except Exception as error:
        return f"raises {type(error).__name__}: {error}"
    is_over = all(env.terminations[name] or env.truncations[name] for name in env.agents)
    others = [env.rewards[name] for name in env.agents if name != agent]
    if is_over and env.rewards.get(agent, 0) < 0 and not any(others):
        return "ends the episode at a loss"
    return ""


def check_seeding(make_env: MakeEnv, *, seed: int = 0, episodes: int = 3) -> None:
    """Check that a seed decides all that follows: several episodes, and two environments alike."""
    one, other = make_env(), make_env()
    for episode in range(episodes):
        _begin(one, None if episode else seed)
        _begin(other, None if episode else seed)
        course = list(_play(one))
        _compare(
            [moment for moment, _ in course],
            list(_replay_safely(other, [action for _, action in course])),
            f"two environments of seed {seed}, episode {episode}",
        )


def _replay_safely(env: Any, actions: Sequence[Any]) -> list[Moment]:
    """Return the moments of a replay, up to an action that is refused where the courses part."""
    moments: list[Moment] = []
    try:
        moments.extend(_replay(env, actions))
    except Exception:
        return [*moments, Moment("", None, (), (False, False), 0.0)]
    return moments


def check_reset(make_env: MakeEnv, *, seed: int = 0, most: int = _SOME_STEPS) -> None:
    """Check that nothing outlives a reset: a used environment plays as a new one does."""
    used, new = make_env(), make_env()
    for n_before in (1, most // 2, MOST_STEPS):
        _begin(used, seed + 1)
        for step, _ in enumerate(_play(used)):
            if step == n_before:
                break
        _begin(used, seed)
        _begin(new, seed)
        course = list(_play(new))
        _compare(
            [moment for moment, _ in course],
            _replay_safely(used, [action for _, action in course]),
            f"seed {seed} after {n_before} steps of another episode, and in a new environment",
        )
        new = make_env()


def check_looking(make_env: MakeEnv, *, seed: int = 0) -> None:
    """Check that looking changes nothing: observing, in any order, rendering, ``state``, ``last``.

    What is looked at twice looks the same; an environment that nobody looks at takes the same
    course.
    """
    env = make_env()
    _begin(env, seed)
    generator = np.random.default_rng(seed)
    course = []
    for step, (moment, action) in enumerate(_play(env)):
        course.append((moment, action))
        seen: dict[str, object] = {}
        for agent in generator.permutation(env.agents * 2).tolist():
            view = frozen(env.observe(agent))
            if seen.setdefault(agent, view) != view:
                raise ConformanceError(f"step {step}: {agent} sees something else the second time")
        if getattr(env, "render_mode", None) not in (None, "human"):
            env.render()
        if getattr(env, "state_space", None) is not None:
            env.state()
        env.last()
    for depth in range(1, len(course), max(1, len(course) // _N_DEPTHS)):
        left_alone = make_env()
        _begin(left_alone, seed)
        try:
            for _, action in course[:depth]:
                left_alone.step(action)
            moment = _moment(left_alone)[0]
        except Exception as error:
            raise ConformanceError(
                f"step {depth}: looking has changed the game: {error}"
            ) from error
        _compare([moment], [course[depth][0]], f"step {depth}, looked at on the way or not")


def check_rewards(make_env: MakeEnv, *, seed: int = 0, is_zero_sum: bool = False) -> None:
    """Check that each reward is delivered once: ``last`` tells what came since the agent's turn.

    Args:
        make_env: As everywhere.
        seed: Of the episode.
        is_zero_sum: Whether the rewards of each step must sum to 0.
    """
    env = make_env()
    _begin(env, seed)
    owed = dict.fromkeys(env.agents, 0.0)
    for step, (moment, _) in enumerate(_play(env)):
        for agent, reward in moment.rewards:
            owed[agent] += reward
        if is_zero_sum and abs(sum(reward for _, reward in moment.rewards)) > 1e-6:
            raise ConformanceError(f"step {step}: the rewards {moment.rewards} do not sum to 0")
        if not np.isclose(moment.reward, owed[moment.agent], rtol=1e-6, atol=1e-6):
            raise ConformanceError(
                f"step {step}: {moment.agent} is told {moment.reward}, and is owed "
                f"{owed[moment.agent]} since its last turn"
            )
        owed[moment.agent] = 0.0
    if any(abs(left) > 1e-6 for left in owed.values()):
        raise ConformanceError(f"rewards were never delivered: {owed}")


def check_buffers(make_env: MakeEnv, *, seed: int = 0) -> None:
    """Check that observations are the caller's own: later steps leave them, writing is harmless."""
    env, twin = make_env(), make_env()
    _begin(env, seed)
    _begin(twin, seed)
    kept: list[tuple[int, str, Any, object]] = []
    for step, (moment, action) in enumerate(_play(env)):
        _moment(twin)
        for agent in env.agents:
            observation = env.observe(agent)
            twin.observe(agent)  # the twin is looked at as often, should that change anything
            kept.append((step, agent, observation, frozen(observation)))
        for then, agent, observation, before in kept[-3 * len(env.agents) :]:
            if frozen(observation) != before:
                raise ConformanceError(
                    f"step {step}: what {agent} was shown at step {then} has changed since"
                )
        for array in _arrays((env.observe(moment.agent), twin.observe(moment.agent))[0]):
            if array.flags.writeable:
                array[...] = 1 - array
        if _moment(env)[0] != _moment(twin)[0]:
            raise ConformanceError(f"step {step}: writing to an observation has changed the game")
        twin.step(action)


def _arrays(value: Any) -> Iterator[np.ndarray[Any, np.dtype[Any]]]:
    """Yield the arrays of an observation."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _arrays(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _arrays(part)


def check_copies(
    make_env: MakeEnv, *, seed: int = 0, clone: Clone = copy.deepcopy, most: int = _SOME_STEPS
) -> None:
    """Check that a copy goes on as the original, and that neither changes the other."""
    env = make_env()
    _begin(env, seed)
    first = clone(env)
    _seed_spaces(first, seed)
    course = list(_play(first))
    moments, actions = [moment for moment, _ in course], [action for _, action in course]
    every = max(1, min(most, len(course)) // _N_DEPTHS)
    for step in range(min(most, len(course))):
        what = f"a copy made before step {step - step % every}"
        if step % every == 0:
            _compare(moments[step:], _replay_safely(clone(env), actions[step:]), what)
        if _moment(env)[0] != moments[step]:
            raise ConformanceError(f"{what} has changed the original")
        env.step(actions[step])


def check_flags(make_env: MakeEnv, *, seed: int = 0, episodes: int = 3) -> None:
    """Check agents and ends: who is there, who acts, and that an end has one reason.

    ``agents`` are among ``possible_agents``, the mover is one of them, who has left does not come
    back, all dictionaries have one entry an agent, flags are of type bool, and no agent is
    terminated and truncated at once.
    """
    env = make_env()
    for episode in range(episodes):
        _begin(env, seed if episode == 0 else None)
        there = set(env.agents)
        for step, (moment, _) in enumerate(_play(env)):
            where = f"episode {episode}, step {step}"
            if not set(env.agents) <= there or len(set(env.agents)) < len(env.agents):
                raise ConformanceError(f"{where}: agents={env.agents} after {sorted(there)}")
            if not there <= set(env.possible_agents) or moment.agent not in env.agents:
                raise ConformanceError(
                    f"{where}: {moment.agent} is to act, of agents={env.agents}, "
                    f"possible_agents={env.possible_agents}"
                )
            there = set(env.agents)
            for name in ("rewards", "terminations", "truncations", "infos"):
                if set(getattr(env, name)) != there:
                    raise ConformanceError(f"{where}: {name} has other keys than the agents")
            for agent in env.agents:
                flags = env.terminations[agent], env.truncations[agent]
                if not all(isinstance(flag, bool) for flag in flags):
                    raise ConformanceError(f"{where}: the flags of {agent} are no bool: {flags}")
                if all(flags):
                    raise ConformanceError(f"{where}: {agent} is terminated and truncated at once")


def check_spaces(make_env: MakeEnv, *, seed: int = 0) -> None:
    """Check that spaces stay the same objects and hold what is observed and played."""
    env = make_env()
    _begin(env, seed)
    kept = {agent: (env.observation_space(agent), env.action_space(agent)) for agent in env.agents}
    for step, (moment, action) in enumerate(_play(env)):
        seen, played = kept[moment.agent]
        if env.observation_space(moment.agent) is not seen:
            raise ConformanceError(f"step {step}: observation_space({moment.agent!r}) is a new one")
        if env.action_space(moment.agent) is not played:
            raise ConformanceError(f"step {step}: action_space({moment.agent!r}) is a new one")
        if not seen.contains(env.observe(moment.agent)):
            raise ConformanceError(f"step {step}: what {moment.agent} sees is not in its space")
        if action is not None and not played.contains(action):
            raise ConformanceError(f"step {step}: {action!r} is drawn and not in its space")


def check_no_leak(
    make_env: MakeEnv, *, resample: Resample, seed: int = 0, most: int = MOST_STEPS
) -> None:
    """Check that a seat is told the same in every world that it cannot tell apart.

    Args:
        make_env: As everywhere.
        resample: Returns a copy of an environment in such a world; the environment stays.
        seed: Of the episode and of the worlds.
        most: Steps to look at.
    """
    env = make_env()
    _begin(env, seed)
    generator = np.random.default_rng(seed)
    has_differed = False
    for step, _ in enumerate(_play(env, most)):
        for agent in env.agents:
            other = resample(env, agent, generator)
            for name, here, there in (
                ("the observation", other.observe(agent), env.observe(agent)),
                ("the info", other.infos[agent], env.infos[agent]),
                ("the reward", other.rewards[agent], env.rewards[agent]),
            ):
                if frozen(here) != frozen(there):
                    raise ConformanceError(f"step {step}: {name} of {agent} tells what is hidden")
            has_differed = has_differed or any(
                frozen(other.observe(each)) != frozen(env.observe(each)) for each in env.agents
            )
    if not has_differed:
        raise ConformanceError("resample has changed nothing that anybody sees: it proves nothing")


def check_all(
    make_env: MakeEnv,
    *,
    seed: int = 0,
    clone: Clone = copy.deepcopy,
    to_action: ToAction | None = action_of,
    resample: Resample | None = None,
    is_zero_sum: bool = False,
) -> None:
    """Run every check that applies.

    Args:
        make_env: Returns a new environment each time.
        seed: Of the episodes.
        clone: How it is copied.
        to_action: What a place of a mask means, where `action_of` cannot see it; None where no
            action can be illegal, and `check_masks` is left out.
        resample: As of `check_no_leak`, which is left out without it.
        is_zero_sum: Whether the rewards of each step must sum to 0.

    Raises:
        ConformanceError: It lists what every check that failed has found.
    """
    found = failures(
        make_env,
        seed=seed,
        clone=clone,
        to_action=to_action,
        resample=resample,
        is_zero_sum=is_zero_sum,
    )
    if found:
        listed = "\n".join(f"{name}: {message}" for name, message in found.items())
        raise ConformanceError(listed)


def failures(
    make_env: MakeEnv,
    *,
    seed: int = 0,
    clone: Clone = copy.deepcopy,
    to_action: ToAction | None = action_of,
    resample: Resample | None = None,
    is_zero_sum: bool = False,
) -> dict[str, str]:
    """Return what each check that fails has found, by its name; arguments as of `check_all`."""
    checks: dict[str, Callable[[], None]] = {
        "check_flags": lambda: check_flags(make_env, seed=seed),
        "check_spaces": lambda: check_spaces(make_env, seed=seed),
        "check_rewards": lambda: check_rewards(make_env, seed=seed, is_zero_sum=is_zero_sum),
        "check_seeding": lambda: check_seeding(make_env, seed=seed),
        "check_reset": lambda: check_reset(make_env, seed=seed),
        "check_looking": lambda: check_looking(make_env, seed=seed),
        "check_buffers": lambda: check_buffers(make_env, seed=seed),
        "check_copies": lambda: check_copies(make_env, seed=seed, clone=clone),
    }
    if to_action is not None:
        means = to_action
        checks["check_masks"] = lambda: check_masks(
            make_env, seed=seed, clone=clone, to_action=means
        )
    if resample is not None:
        checks["check_no_leak"] = lambda: check_no_leak(make_env, seed=seed, resample=resample)
    found = {}
    for name, check in checks.items():
        try:
            check()
        except ConformanceError as error:
            found[name] = str(error)
        except Exception as error:  # code of others, which may raise anything
            found[name] = f"the environment raises {type(error).__name__}: {error}"
    return found
