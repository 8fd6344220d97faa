"""Policies: rule-based baselines, exact players, trained players and people."""
