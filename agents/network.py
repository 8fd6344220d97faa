"""Networks of saved policies, in numpy: hidden layers of tanh, with or without an LSTM before them.

Tensors have the names and shapes that `Network` lists. A row's outputs do not depend on the rows
beside it, bit for bit: BLAS adds up in another order for another number of rows, so it always gets
the same number of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count, takewhile
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

BLOCK: Final = 32
"""Rows of one matrix product; what is missing is filled up with zeros."""
_HEAD: Final = "head"
_LSTM: Final = ("lstm.weight_ih", "lstm.weight_hh", "lstm.bias")
_N_GATES: Final = 4


class Network:
    """A network that only infers, in float32.

    Its tensors, float32, in the order in which they are applied:

    - ``lstm.weight_ih`` ``(4h, n_inputs)``, ``lstm.weight_hh`` ``(4h, h)`` and ``lstm.bias``
      ``(4h,)``, or none of them: an LSTM whose gates stand in the order input, forget, cell,
      output;
    - ``hidden.0.weight`` ``(out, in)``, ``hidden.0.bias`` ``(out,)``, ``hidden.1.weight`` and so
      on, as many as there are: tanh of a linear layer each;
    - ``head.weight`` ``(n_outputs, in)`` and ``head.bias`` ``(n_outputs,)``: a linear layer.
    """

    n_inputs: int
    """Length of an observation."""
    n_outputs: int
    is_recurrent: bool
    """Whether there is an LSTM: it is asked with `outputs_from`, else with `outputs`."""
    n_hidden: int
    """Length h of the LSTM's hidden and cell state; 0 without one."""

    def __init__(self, tensors: Mapping[str, NDArray[np.float32]]) -> None:
        """Take over the weights.

        Args:
            tensors: By name; copied.

        Raises:
            ValueError: One is missing, surplus, of another type or shape, or holds a number that
                is not finite; the message names it.
        """
        _check_names(tensors)
        for name, tensor in tensors.items():
            _check_tensor(name, tensor)
        self.is_recurrent = _LSTM[0] in tensors
        layers = [*_hidden_layers(tensors), _HEAD]
        first = _LSTM[0] if self.is_recurrent else f"{layers[0]}.weight"
        self.n_inputs = width = tensors[first].shape[1]
        self.n_hidden = 0
        if self.is_recurrent:
            self.n_hidden = width = tensors[_LSTM[1]].shape[1]
            _check_shape(tensors, _LSTM[0], (_N_GATES * width, self.n_inputs))
            _check_shape(tensors, _LSTM[1], (_N_GATES * width, width))
            _check_shape(tensors, _LSTM[2], (_N_GATES * width,))
            self._lstm = tuple(np.array(tensors[name].T, order="C") for name in _LSTM)
        self._layers = []
        for layer in layers:
            weight, bias = f"{layer}.weight", f"{layer}.bias"
            _check_shape(tensors, weight, (len(tensors[weight]), width))
            width = len(tensors[weight])
            _check_shape(tensors, bias, (width,))
            self._layers.append((np.array(tensors[weight].T, order="C"), tensors[bias].copy()))
        self.n_outputs = width

    def outputs(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return what comes out for each observation.

        Args:
            observations: ``(n, n_inputs)``.

        Returns:
            ``(n, n_outputs)``.

        Raises:
            ValueError: The network is recurrent, or the observations have another shape.
        """
        if self.is_recurrent:
            raise ValueError("a recurrent network is asked with outputs_from, not outputs")
        self._check_observations(observations)
        n = len(observations)
        whole = n - n % BLOCK
        if whole == n:
            return _in_rows(self._apply_layers(_in_blocks(observations)), n)
        out = np.empty((n, self.n_outputs), np.float32)
        if whole:
            out[:whole] = self.outputs(observations[:whole])
        out[whole:] = self._apply_layers(_in_blocks(observations[whole:]))[0, : n - whole]
        return out

    def outputs_from(
        self,
        observations: NDArray[np.float32],
        hidden: NDArray[np.float32],
        cell: NDArray[np.float32],
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """Return what comes out for each observation, and the states after it.

        Args:
            observations: ``(n, n_inputs)``.
            hidden: ``(n, n_hidden)``: the LSTM's state before; zeros where a course of play begins.
            cell: Likewise; neither is changed.

        Returns:
            Outputs ``(n, n_outputs)``, hidden and cell states ``(n, n_hidden)`` each.

        Raises:
            ValueError: The network is not recurrent, or an array has another shape.
        """
        if not self.is_recurrent:
            raise ValueError("a network without memory is asked with outputs, not outputs_from")
        self._check_observations(observations)
        n = len(observations)
        for name, state in (("hidden", hidden), ("cell", cell)):
            if state.shape != (n, self.n_hidden):
                raise ValueError(f"{name} has shape {state.shape}, not ({n}, {self.n_hidden})")
        weight_ih, weight_hh, bias = self._lstm
        gates = _in_blocks(observations) @ weight_ih
        gates += _in_blocks(hidden) @ weight_hh
        gates += bias
        entering, kept, new, shown = np.split(gates, _N_GATES, axis=-1)
        after = _sigmoid(kept) * _in_blocks(cell) + _sigmoid(entering) * np.tanh(new)
        seen = _sigmoid(shown) * np.tanh(after)
        out = self._apply_layers(seen)
        return _in_rows(out, n), _in_rows(seen, n), _in_rows(after, n)

    def _apply_layers(self, values: Floats) -> Floats:
        """Return what the layers make of ``(blocks, BLOCK, width)``."""
        for weight, bias in self._layers[:-1]:
            values = values @ weight
            values += bias
            np.tanh(values, out=values)
        weight, bias = self._layers[-1]
        values = values @ weight
        values += bias
        return values

    def _check_observations(self, observations: Floats) -> None:
        """Refuse observations of another shape."""
        if observations.ndim != 2 or observations.shape[1] != self.n_inputs:
            raise ValueError(
                f"observations have shape {observations.shape}, not (n, {self.n_inputs})"
            )


def _in_blocks(rows: Floats) -> Floats:
    """Return rows as ``(blocks, BLOCK, width)``, filled up with zeros."""
    n, width = rows.shape
    missing = -n % BLOCK
    if missing:
        rows = np.concatenate([rows, np.zeros((missing, width), np.float32)])
    return np.ascontiguousarray(rows, np.float32).reshape(-1, BLOCK, width)


def _in_rows(blocks: Floats, n: int) -> Floats:
    """Return the first ``n`` rows of ``(blocks, BLOCK, width)``."""
    return blocks.reshape(-1, blocks.shape[-1])[:n]


def _sigmoid(values: Floats) -> Floats:
    """Return the logistic function, which so written does not overflow."""
    half = np.float32(0.5)
    result: Floats = half * (np.tanh(half * values) + np.float32(1))
    return result


def _hidden_layers(tensors: Mapping[str, Floats]) -> list[str]:
    """Return the names of the hidden layers, in order."""
    names = (f"hidden.{i}" for i in count())
    return [*takewhile(lambda name: {f"{name}.weight", f"{name}.bias"} & tensors.keys(), names)]


def _check_names(tensors: Mapping[str, Floats]) -> None:
    """Refuse tensors of which one is missing or surplus."""
    layers = [*_hidden_layers(tensors), _HEAD]
    expected = {f"{layer}.{part}" for layer in layers for part in ("weight", "bias")}
    if any(name in tensors for name in _LSTM):
        expected.update(_LSTM)
    for name in sorted(expected - tensors.keys()):
        raise ValueError(f"there is no tensor {name}")
    for name in sorted(tensors.keys() - expected):
        raise ValueError(f"tensor {name} has no place: layers count up from hidden.0")


def _check_tensor(name: str, tensor: Floats) -> None:
    """Refuse a tensor of another type or number of dimensions, or one that is not finite."""
    if tensor.dtype != np.float32:
        raise ValueError(f"tensor {name} is of {tensor.dtype}, not float32")
    n_dimensions = 1 if "bias" in name else 2
    if tensor.ndim != n_dimensions or tensor.size == 0:
        raise ValueError(
            f"tensor {name} has shape {tensor.shape}, not {n_dimensions} dimensions of 1 or more"
        )
    if not np.isfinite(tensor).all():
        raise ValueError(f"tensor {name} holds numbers that are not finite")


def _check_shape(tensors: Mapping[str, Floats], name: str, expected: tuple[int, ...]) -> None:
    """Refuse a tensor that does not fit the one before it."""
    if tensors[name].shape != expected:
        raise ValueError(f"tensor {name} has shape {tensors[name].shape}, not {expected}")
