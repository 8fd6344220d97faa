"""Solve a tiny Pontoon with OpenSpiel's CFR, and sample the whole game with its MCCFR."""

import numpy as np
import pyspiel
import tyro
from open_spiel.python.algorithms import cfr, exploitability, external_sampling_mccfr

import examples.pontoon_openspiel  # noqa: F401 -- registers the game


def main(iterations: int = 5, samples: int = 20) -> None:
    """Run some iterations of CFR+ at a pack of aces and tens, and of MCCFR at a whole one."""
    tiny = pyspiel.load_game("python_pontoon", {"cards": "1:0.3 10:0.7", "max_stake": 1})
    solver = cfr.CFRPlusSolver(tiny)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    left = exploitability.nash_conv(tiny, solver.average_policy())

    whole = pyspiel.load_game("python_pontoon", {"max_stake": 2})
    np.random.seed(1)  # noqa: NPY002 -- OpenSpiel draws from numpy's global generator
    sampler = external_sampling_mccfr.ExternalSamplingSolver(
        whole, external_sampling_mccfr.AverageType.SIMPLE
    )
    for _ in range(samples):
        sampler.iteration()
    met = len(sampler._infostates)
    print(f"CFR+ of aces and tens: NashConv {left:.3f}; MCCFR: {met} information states met")


if __name__ == "__main__":
    tyro.cli(main)
