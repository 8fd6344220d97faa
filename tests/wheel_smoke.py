"""Play one random game with the installed wheel, outside the checkout: see `make package`."""

from importlib.metadata import entry_points
from importlib.resources import files
from importlib.util import find_spec

import pontoon_env
from pontoon_env import pontoon_v0
from pontoon_env.agent_names import GROUP, find_agent

env = pontoon_v0.env()
env.reset(seed=7)
decisions, total = 0, 0.0
for seat in env.agent_iter():
    observation, reward, terminated, truncated, _ = env.last()
    total += reward
    over = terminated or truncated
    env.step(None if over else env.action_space(seat).sample(observation["action_mask"]))
    decisions += not over

assert (files("pontoon_env") / "py.typed").is_file(), "the wheel does not say that it is typed"
strays = [name for name in ("agents", "train", "eval") if find_spec(name)]
assert not strays, f"the wheel must not bring {strays}"
offered = [point.name for point in entry_points(group=GROUP)]
assert "player-discrete" in offered, f"the wheel names {offered}"
for name in offered:
    said = "nothing"
    try:
        find_agent(name)
    except ValueError as error:
        said = str(error)
    assert "which a checkout of pontoon-env has" in said, f"{name}: the wheel says {said}"
assert abs(total) < 1e-6, f"the rewards of all seats sum to {total}, not to zero"
print(f"{pontoon_env.__file__}: one game of {decisions} random decisions, rewards sum to zero.")
