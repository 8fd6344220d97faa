"""Pontoon for PettingZoo, version 0: ``env``, ``raw_env`` and ``parallel_env``."""

from pontoon_env.aec import env, parallel_env, raw_env

__all__ = ["env", "parallel_env", "raw_env"]
