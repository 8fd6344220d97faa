"""Pontoon and Shoot Pontoon as a multi-agent reinforcement-learning environment."""

from pontoon_env.rules import Rules

__version__ = "0.1.0"
__all__ = ["Rules", "__version__"]
