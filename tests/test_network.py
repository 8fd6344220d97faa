"""Networks in numpy: they reckon as torch does, a row at a time, and refuse what does not fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from agents.network import BLOCK, Network
from tests.policies import random_tensors

N_INPUTS = 7
N_OUTPUTS = 5
ROWS = np.random.default_rng(1).standard_normal((3 * BLOCK + 5, N_INPUTS)).astype(np.float32)


def parameter(tensor: np.ndarray) -> torch.nn.Parameter:
    return torch.nn.Parameter(torch.from_numpy(tensor))


def torch_layers(tensors: dict[str, np.ndarray]) -> torch.nn.Sequential:
    """The layers after the LSTM, of the same weights."""
    parts: list[torch.nn.Module] = []
    n_hidden = sum(name.startswith("hidden.") for name in tensors) // 2
    for name in (*(f"hidden.{i}" for i in range(n_hidden)), "head"):
        weight = tensors[f"{name}.weight"]
        layer = torch.nn.Linear(weight.shape[1], weight.shape[0])
        layer.weight, layer.bias = parameter(weight), parameter(tensors[f"{name}.bias"])
        parts += [layer, torch.nn.Tanh()]
    return torch.nn.Sequential(*parts[:-1])


@pytest.mark.parametrize("hidden", [(), (8,), (16, 4, 8)])
def test_it_reckons_as_torch_does(hidden: tuple[int, ...]) -> None:
    tensors = random_tensors(N_INPUTS, N_OUTPUTS, hidden)
    network = Network(tensors)
    with torch.no_grad():
        expected = torch_layers(tensors)(torch.from_numpy(ROWS)).numpy()
    found = network.outputs(ROWS)
    assert found.dtype == np.float32
    assert found == pytest.approx(expected, abs=1e-5)
    assert (network.n_inputs, network.n_outputs) == (N_INPUTS, N_OUTPUTS)
    assert not network.is_recurrent


def test_an_lstm_reckons_as_torch_does() -> None:
    """Four steps; torch has two biases for the one here."""
    tensors = random_tensors(N_INPUTS, N_OUTPUTS, (8,), n_lstm=6)
    lstm = torch.nn.LSTM(N_INPUTS, 6)
    lstm.weight_ih_l0 = parameter(tensors["lstm.weight_ih"])
    lstm.weight_hh_l0 = parameter(tensors["lstm.weight_hh"])
    lstm.bias_ih_l0 = parameter(tensors["lstm.bias"] - np.float32(0.25))
    lstm.bias_hh_l0 = parameter(np.full(24, 0.25, np.float32))
    network = Network(tensors)
    assert network.is_recurrent
    assert (network.n_inputs, network.n_hidden) == (N_INPUTS, 6)
    hidden = cell = np.zeros((len(ROWS), 6), np.float32)
    state = (torch.zeros(1, len(ROWS), 6), torch.zeros(1, len(ROWS), 6))
    for step in range(4):
        rows = np.roll(ROWS, step, axis=0)
        with torch.no_grad():
            seen, state = lstm(torch.from_numpy(rows)[None], state)
            expected = torch_layers(tensors)(seen[0]).numpy()
        found, hidden, cell = network.outputs_from(rows, hidden, cell)
        assert found == pytest.approx(expected, abs=1e-5)
        assert hidden == pytest.approx(state[0][0].numpy(), abs=1e-5)
        assert cell == pytest.approx(state[1][0].numpy(), abs=1e-5)


@pytest.mark.parametrize("n", [0, 1, 2, BLOCK - 1, BLOCK, BLOCK + 1, len(ROWS)])
def test_a_row_does_not_depend_on_the_rows_beside_it(n: int) -> None:
    """Bit for bit, at whatever place among them it stands."""
    network = Network(random_tensors(N_INPUTS, N_OUTPUTS, (64, 64)))
    recurrent = Network(random_tensors(N_INPUTS, N_OUTPUTS, (64,), n_lstm=6))
    states = np.random.default_rng(2).random((2, len(ROWS), 6), np.float32)
    whole = network.outputs(ROWS)
    after = recurrent.outputs_from(ROWS, *states)
    rows = np.random.default_rng(3).permutation(len(ROWS))[:n]
    assert np.array_equal(network.outputs(ROWS[rows]), whole[rows])
    for part, all_rows in zip(
        recurrent.outputs_from(ROWS[rows], *states[:, rows]), after, strict=True
    ):
        assert np.array_equal(part, all_rows[rows])


def test_large_numbers_overflow_nothing() -> None:
    tensors = random_tensors(N_INPUTS, N_OUTPUTS, (8,), n_lstm=6)
    states = np.zeros((2, len(ROWS), 6), np.float32)
    for sign in (-1, 1):
        for part in Network(tensors).outputs_from(np.float32(sign * 1e6) * ROWS, *states):
            assert np.isfinite(part).all()


def test_the_weights_are_copies() -> None:
    tensors = random_tensors(N_INPUTS, N_OUTPUTS)
    network = Network(tensors)
    before = network.outputs(ROWS)
    for tensor in tensors.values():
        tensor[...] = 0.0
    assert np.array_equal(network.outputs(ROWS), before)


def put(name: str, tensor: np.ndarray) -> Callable[[dict[str, np.ndarray]], None]:
    """Return what sets a tensor."""
    return lambda tensors: tensors.update({name: tensor})


def drop(name: str) -> Callable[[dict[str, np.ndarray]], None]:
    """Return what deletes a tensor."""
    return lambda tensors: tensors.__delitem__(name)


def zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (drop("head.weight"), "no tensor head.weight"),
        (drop("hidden.1.bias"), "no tensor hidden.1.bias"),
        (drop("lstm.bias"), "no tensor lstm.bias"),
        (put("hidden.3.weight", zeros(8, 8)), "hidden.3.weight has no place"),
        (put("value.weight", zeros(1, 8)), "value.weight has no place"),
        (put("head.bias", zeros(4)), r"head.bias has shape \(4,\), not \(5,\)"),
        (put("head.weight", zeros(5, 9)), r"head.weight has shape \(5, 9\), not \(5, 8\)"),
        (put("head.weight", zeros(5)), r"head.weight has shape \(5,\), not 2 dimensions"),
        (put("head.weight", zeros(0, 8)), "head.weight"),
        (put("hidden.0.weight", zeros(8, 7)), r"hidden.0.weight .* not \(8, 6\)"),
        (put("lstm.weight_ih", zeros(20, 7)), r"lstm.weight_ih .* not \(24, 7\)"),
        (put("lstm.weight_hh", zeros(20, 6)), r"lstm.weight_hh .* not \(24, 6\)"),
        (put("lstm.bias", zeros(20)), r"lstm.bias .* not \(24,\)"),
        (put("head.bias", np.zeros(5)), "head.bias is of float64, not float32"),
        (put("head.bias", np.full(5, np.nan, np.float32)), "head.bias holds .* not finite"),
        (put("lstm.bias", np.full(24, np.inf, np.float32)), "lstm.bias holds .* not finite"),
    ],
)
def test_tensors_that_do_not_fit_are_refused(
    damage: Callable[[dict[str, np.ndarray]], Any], message: str
) -> None:
    tensors: dict[str, np.ndarray] = random_tensors(N_INPUTS, N_OUTPUTS, (8, 8), n_lstm=6)
    damage(tensors)
    with pytest.raises(ValueError, match=message):
        Network(tensors)


def test_a_network_is_asked_with_what_it_reads() -> None:
    plain = Network(random_tensors(N_INPUTS, N_OUTPUTS))
    recurrent = Network(random_tensors(N_INPUTS, N_OUTPUTS, n_lstm=6))
    with pytest.raises(ValueError, match="asked with outputs, not"):
        plain.outputs_from(ROWS, zeros(len(ROWS), 6), zeros(len(ROWS), 6))
    with pytest.raises(ValueError, match="asked with outputs_from, not"):
        recurrent.outputs(ROWS)
    with pytest.raises(ValueError, match=r"not \(n, 7\)"):
        plain.outputs(ROWS[:, :6])
    with pytest.raises(ValueError, match=r"not \(n, 7\)"):
        plain.outputs(ROWS[0])
    with pytest.raises(ValueError, match="cell has shape"):
        recurrent.outputs_from(ROWS, zeros(len(ROWS), 6), zeros(len(ROWS), 5))
