"""The spaces of the faces: observations with finite bounds, actions that take a flat mask."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from pontoon_env.actions import N_CHOICES, N_DISCRETE, N_SCORES, Encoding
from pontoon_env.observation import ANY_CHIPS, layout
from pontoon_env.rules import Rules
from pontoon_env.state import N_MOVES, Move
from pontoon_env.table import n_beyond_observations


class HybridSpace(spaces.Dict):
    """``{"amount": a, "move": m}``: a move, and its amount as a fraction of its legal interval.

    The amount is float64: it accepts float32 too, and 0-d arrays as well as numbers. Moves without
    an amount do not read it. `sample` takes the flat mask that observations carry, as
    `spaces.Discrete` does; with a plain `spaces.Dict`, PettingZoo's tests and its documented loop
    would fail.
    """

    def __init__(self) -> None:
        super().__init__(
            {"amount": spaces.Box(0.0, 1.0, (), np.float64), "move": spaces.Discrete(N_MOVES)}
        )

    def sample(
        self,
        mask: NDArray[np.int8] | dict[str, Any] | None = None,
        probability: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return a random action.

        Args:
            mask: int8 ``(N_MOVES,)``, 1 where the move is legal; or a dict of masks, as
                `spaces.Dict` takes.
            probability: A dict of probabilities, as `spaces.Dict` takes.
        """
        if isinstance(mask, np.ndarray):
            if mask.dtype == np.int8 and mask.shape == (N_MOVES,) and probability is None:
                return self._sample_legal(np.flatnonzero(mask))
            mask = {"amount": None, "move": mask}
        return super().sample(mask, probability)

    def _sample_legal(self, moves: NDArray[np.intp]) -> dict[str, Any]:
        """Return a random action of some moves, of move 0 if there is none, as `spaces.Discrete`.

        It is what `spaces.Dict` would do, in a tenth of its time.
        """
        amount, move = self["amount"].np_random.random(), self["move"].np_random.random()
        chosen = moves[int(move * moves.size)] if moves.size > 0 else np.int64(0)
        return {"amount": np.array(amount), "move": chosen}


class ScoreSpace(spaces.Box):
    """A score from 0 to 1 for each move, and the amount: float32 ``(N_SCORES,)``.

    The legal move of the highest score is made, the first of several. So every action is legal, and
    `sample`, which takes the flat mask of observations, does not read it; a plain `spaces.Box`
    would refuse it.
    """

    def __init__(self) -> None:
        super().__init__(0.0, 1.0, (N_SCORES,), np.float32)

    def sample(self, mask: Any = None, probability: Any = None) -> NDArray[np.float32]:
        """Return a random action; neither argument is read."""
        scores: NDArray[np.float32] = super().sample().astype(np.float32, copy=False)
        return scores


def action_space(encoding: Encoding) -> HybridSpace | spaces.Discrete | ScoreSpace:
    """Return a new action space."""
    if encoding == "hybrid":
        return HybridSpace()
    return spaces.Discrete(N_DISCRETE) if encoding == "discrete" else ScoreSpace()


def vector_space(rules: Rules, memory: bool = False, padded: bool = False) -> spaces.Box:
    """Return a new space of the observation's vector, float32; arguments as of `layout`."""
    parts = layout(rules, memory, padded)
    sizes = [part.stop - part.start for part in parts]
    lows, highs = (
        np.repeat(np.array(bounds, np.float32), sizes)
        for bounds in ([part.low for part in parts], [part.high for part in parts])
    )
    return spaces.Box(lows, highs, dtype=np.float32)


def amount_bounds(rules: Rules) -> NDArray[np.float32]:
    """Return the largest amount of each move, float32 ``(N_MOVES,)``, in least stakes."""
    record = rules.to_record()[0]
    chips = {
        Move.STAKE: record["max_stake"],
        Move.SHOOT: ANY_CHIPS,
        Move.BUY: 2 * record["max_stake"],  # P20
        Move.KITTY: record["max_kitty"],
        Move.OFFER: record["max_price"],
        Move.BID: record["max_price"],
    }
    return np.array([chips.get(move, 0) / rules.min_stake for move in Move], np.float32)


def observation_space(
    rules: Rules, encoding: Encoding, memory: bool = False, padded: bool = False
) -> spaces.Dict:
    """Return a new observation space of a seat; docs/observation.md says what the elements mean.

    Args:
        rules: The rules.
        encoding: Of the actions.
        memory: Whether the vector holds what a perfect memory knows.
        padded: Whether it is laid out as at the largest table.

    Returns:
        A dict of ``observation``, float32, and ``action_mask``, int8; beside them, but in the
        discrete encoding, ``amount_low`` and ``amount_high``, float32 ``(N_MOVES,)``, in least
        stakes.
    """
    parts: dict[str, spaces.Space[Any]] = {
        "observation": vector_space(rules, memory, padded),
        "action_mask": spaces.Box(0, 1, (N_CHOICES[encoding],), np.int8),
    }
    if encoding != "discrete":
        amounts = amount_bounds(rules)
        for key in ("amount_low", "amount_high"):
            parts[key] = spaces.Box(np.zeros_like(amounts), amounts, dtype=np.float32)
    return spaces.Dict(parts)


def learner_observation_space(
    rules: Rules, encoding: Encoding, mask_in_observation: bool, memory: bool, padded: bool
) -> spaces.Space[Any]:
    """Return a new observation space of one learner; arguments as of `gym_env.PontoonEnv`.

    It is that of a seat, but that amounts which are always 0 are bounded by 1: Gymnasium would warn
    of bounds that are equal.
    """
    space = observation_space(rules, encoding, memory, padded)
    if not mask_in_observation:
        return space["observation"]
    highs = np.maximum(amount_bounds(rules), np.float32(1))
    for key in ("amount_low", "amount_high"):
        if key in space.spaces:
            space.spaces[key] = spaces.Box(np.zeros_like(highs), highs, dtype=np.float32)
    return space


def state_space(rules: Rules) -> spaces.Box:
    """Return a new space of the privileged full view; see `Table.full_view`."""
    seen = np.tile(vector_space(rules).high, rules.seats)
    highs = np.concatenate([seen, np.ones(n_beyond_observations(rules), np.float32)])
    return spaces.Box(np.zeros_like(highs), highs, dtype=np.float32)
