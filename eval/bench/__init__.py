"""Measure the speed of the environment beside that of others: ``python -m eval.bench``."""
