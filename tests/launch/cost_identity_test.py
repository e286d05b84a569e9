"""Communication at about 10, 30 and 60 % of a step, on a link of 1 Gb/s between two hosts: what --communication-cost says
a step would gain is what it waits for and what it is slowed by (docs/reference/METRICS.md, "Communication cost"):

    cost = peer_wait + network + contention - imbalance without communication

within the intervals that the run states for cost, contention and exposed communication (peer_wait + network), in 19 of 20 runs. local-sgd has no waits of single
steps: there the cost must lie above 0 and below a ring's.

    cost_identity_test.py STRATEGY    20 runs of each level, or COST_TRIALS of them"""

import json
import math
import os

from endings import run_cases
from launching import finish, start
from program import SCALEMARK, check
from switched import SwitchedHosts

TRIALS = int(os.environ.get("COST_TRIALS", "20"))
# Batch sizes of the mlp by the share of the step that 2.6 MB each way take.
LEVELS = {"10 %": 10240, "30 %": 3072, "60 %": 768}
STRATEGIES = ("ddp", "flat", "sharded", "parameter-server", "local-sgd")


def trained(hosts, out, strategy, batch):
    place = ("--nnodes", 2, "--nproc-per-node", 1, "--rendezvous", f"{hosts.addresses[0]}:29666", "--run-id", out.name)
    finish([start(*hosts.on(host), SCALEMARK, "train", "--workload", "mlp", "--batch-size", batch, "--strategy", strategy, "--threads", 1,
                  "--no-progress", "--communication-cost", "--iters", 24, "--warmup-iters", 8, "--node-rank", host, *place, "--output", out)
            for host in range(2)])
    return json.loads((out / "report.json").read_text())["points"][0]


def half(bounds):
    return (bounds[1] - bounds[0]) / 2


def agrees(point):
    times = point["communication"]
    step = point["wall_s"] / point["iterations"]
    cost = times["cost_s"]
    if point["strategy"] == "local-sgd":
        print(f"  cost {1e3 * cost:.2f} of {1e3 * step:.2f} ms")
        return 0 < cost + half(times["cost_ci95"]) and cost < step
    parts = times["peer_wait_s"] + times["network_s"] + times["contention_s"] - times["noop_imbalance_s"]
    allowed = math.hypot(*(half(times[bounds]) for bounds in ("cost_ci95", "contention_ci95", "exposed_ci95")))
    print(f"  cost {1e3 * cost:.2f} ms ({100 * cost / step:.0f} % of the step), parts {1e3 * parts:.2f}, "
          f"apart {1e3 * (cost - parts):.2f}, allowed {1e3 * allowed:.2f}")
    return abs(cost - parts) <= allowed


def identity_of(strategy):
    def case(folder):
        for level, batch in LEVELS.items():
            print(f"{strategy}, about {level}")
            with SwitchedHosts(2) as hosts:
                for host in range(2):
                    hosts.slow_node(host, "1gbit")
                agreed = sum(agrees(trained(hosts, folder / f"{batch}-{trial}", strategy, batch)) for trial in range(TRIALS))
            print(f"{strategy}, about {level}: {agreed} of {TRIALS} agree")
            check(agreed >= math.floor(0.95 * TRIALS), f"{agreed} of {TRIALS}")
    return case


run_cases({strategy: identity_of(strategy) for strategy in STRATEGIES})
