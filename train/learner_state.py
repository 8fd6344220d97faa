"""What a learner's course depends on beside its weights, as arrays; and its policy's tensors.

Stable-Baselines3 saves weights, optimiser and settings; a resumed run needs the place in its
rollouts and the states of the generators besides.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import RecurrentPPO
from sb3_contrib.common.recurrent.type_aliases import RNNStates
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.common.policies import BasePolicy

from train.at_stake import INPUT_SCALE


def learner_state(model: OnPolicyAlgorithm) -> dict[str, NDArray[Any]]:
    """Return, by name, all that `set_learner_state` restores."""
    state: dict[str, Any] = {
        "counts": np.array([model.num_timesteps, model._n_updates]),
        "episode_starts": model._last_episode_starts,
        "episodes": np.array([[e["r"], e["l"], e["t"]] for e in model.ep_info_buffer or ()]),
        **_random_state(),
    }
    seen = model._last_obs
    parts = seen if isinstance(seen, dict) else {"": seen}
    state |= {f"seen.{name}": array for name, array in parts.items()}
    if isinstance(model, RecurrentPPO):
        lstm: Any = model._last_lstm_states
        state["lstm"] = torch.stack([*lstm.pi, *lstm.vf]).numpy()
    return state


def set_learner_state(model: OnPolicyAlgorithm, state: Mapping[str, NDArray[Any]]) -> None:
    """Restore what `learner_state` returned of a model with the same settings."""
    done, updates = state["counts"].tolist()
    model.num_timesteps = done
    model._n_updates = updates
    model._last_episode_starts = state["episode_starts"]
    model.ep_info_buffer = deque(maxlen=model._stats_window_size)
    model.ep_success_buffer = deque(maxlen=model._stats_window_size)
    for value, length, seconds in state["episodes"].tolist():
        model.ep_info_buffer.append({"r": value, "l": int(length), "t": seconds})
    seen = {key.removeprefix("seen."): state[key] for key in state if key.startswith("seen.")}
    model._last_obs = seen.get("", seen)
    if "lstm" in state:
        pi_hidden, pi_cell, vf_hidden, vf_cell = torch.from_numpy(state["lstm"]).unbind()
        assert isinstance(model, RecurrentPPO), "the only one that remembers"
        states = RNNStates((pi_hidden, pi_cell), (vf_hidden, vf_cell))
        model._last_lstm_states = states  # type: ignore[assignment] # annotated as None
    _set_random_state(state)


def _random_state() -> dict[str, Any]:
    """Return the states of the generators that the learner draws from."""
    _, keys, position, _, _ = np.random.get_state(legacy=True)  # noqa: NPY002 -- SB3 draws from it
    version, words, _ = random.getstate()
    return {
        "torch_state": torch.get_rng_state().numpy(),
        "numpy_keys": keys,
        "numpy_position": np.array(position),
        "python_words": np.array(words, np.uint64),
        "python_version": np.array(version),
    }


def _set_random_state(state: Mapping[str, NDArray[Any]]) -> None:
    """Restore what `_random_state` returned."""
    torch.set_rng_state(torch.from_numpy(state["torch_state"]))
    numpy_state = ("MT19937", state["numpy_keys"], int(state["numpy_position"]), 0, 0.0)
    np.random.set_state(numpy_state)  # noqa: NPY002 -- SB3 draws from it
    words = tuple(int(word) for word in state["python_words"])
    random.setstate((int(state["python_version"]), words, None))


def policy_tensors(policy: BasePolicy) -> dict[str, NDArray[np.float32]]:
    """Return the tensors of a policy's choices by the names that `agents.saved_policy` gives them.

    Args:
        policy: Of one LSTM layer, or of none; then tanh layers and a linear head.

    Returns:
        Copies, float32: ``lstm.weight_ih`` (4h, n), ``lstm.weight_hh`` (4h, h) and ``lstm.bias``
        (4h,) where there is an LSTM; ``hidden.0.weight`` (out, in), ``hidden.0.bias`` and so on;
        ``head.weight`` and ``head.bias``. The value function's are left out. Observations go in as
        they are: `INPUT_SCALE` is in the first weights.
    """
    weights = {
        name: tensor.numpy(force=True).copy() for name, tensor in policy.state_dict().items()
    }
    named = {}
    if "lstm_actor.weight_ih_l0" in weights:
        named["lstm.weight_ih"] = weights["lstm_actor.weight_ih_l0"]
        named["lstm.weight_hh"] = weights["lstm_actor.weight_hh_l0"]
        named["lstm.bias"] = weights["lstm_actor.bias_ih_l0"] + weights["lstm_actor.bias_hh_l0"]
    layers = sorted(
        int(name.split(".")[2])
        for name in weights
        if name.startswith("mlp_extractor.policy_net.") and name.endswith(".weight")
    )
    for number, layer in enumerate(layers):
        for kind in ("weight", "bias"):
            named[f"hidden.{number}.{kind}"] = weights[f"mlp_extractor.policy_net.{layer}.{kind}"]
    for kind in ("weight", "bias"):
        named[f"head.{kind}"] = weights[f"action_net.{kind}"]
    named["lstm.weight_ih" if "lstm.bias" in named else "hidden.0.weight"] *= INPUT_SCALE
    return named
