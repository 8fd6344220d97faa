"""Train all seats, or one, with RLlib's PPO, on one machine or a cluster; export the policy."""

from pathlib import Path

import ray
import torch
import tyro

from eval.benchmark import Scenario, net_of_candidate
from examples.pontoon_rllib import export, make_config
from pontoon_env import Rules

TEST = Scenario(role="player", others="stick17", banker="stick17", is_flat=False)


def main(
    decisions: int = 16_384,
    seats: int = 4,
    opponents: str = "",
    num_env_runners: int = 0,
    address: str = "local",
    out: Path = Path("runs/rllib_ppo"),
) -> None:
    """Train a policy; play it against ``stick17`` as it was before and as it is then.

    Args:
        decisions: To train on; rounded up to whole updates.
        seats: Of the table.
        opponents: Agent on the other seats, such as stick17. All seats learn where none is named.
        num_env_runners: Processes that play, wherever the cluster has a core; 0 plays in this one.
        address: Of the cluster to join, such as 10.0.0.1:6379; this machine alone is one, too.
        out: Folder of the exported policy.
    """
    torch.set_num_threads(1)
    rules = Rules.single_deal(seats=seats)
    ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    algorithm = make_config(rules, opponents, num_env_runners).build_algo()
    before = net_of_candidate(TEST, export(algorithm, out), rules, 4000, seed=1).mean()
    made = 0
    while made < decisions:  # an update without samples, all processes having died, counts nothing
        results = algorithm.train()
        made = int(results["env_runners"]["num_env_steps_sampled_lifetime"])
    after = net_of_candidate(TEST, export(algorithm, out, made), rules, 4000, seed=1).mean()
    algorithm.stop()
    ray.shutdown()
    print(f"{made} legal decisions; least stakes a deal {before:+.2f}, then {after:+.2f}")


if __name__ == "__main__":
    tyro.cli(main)
