"""Matches, statistics and reports: `python -m eval.NAME`."""
