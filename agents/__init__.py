"""Policies: rule-based baselines, trained policies in files, and the registry of their names."""
