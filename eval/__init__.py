"""Matches, statistics, best responses and reports: `python -m eval.NAME`."""
