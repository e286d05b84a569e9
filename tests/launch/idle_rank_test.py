"""A rank that is no member of a point waits idle, not spinning: rank 0 trains alone until it has used a second of CPU time, in which
rank 1 uses a small part of that. Under torchrun and the built-in launcher."""

import os
import sys
import time
from pathlib import Path

from endings import ENDLESS, Running, run_cases
from program import check

TORCHRUN = (sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", 2, "--no-python")
# Two ranks are launched; every point is rank 0's alone.
SWEEP = ("sweep", "--workload", "mlp", "--world-sizes", 1, "--repetitions", 1, "--threads", 1, *ENDLESS)
TRAINED_S = 1
MOST_SHARE = 0.3  # share of what rank 0 uses, whatever else runs; a rank that spins uses as much, one that checks now and then a hundredth


def cpu_s(pid):
    """User and system time of all its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def watched(folder, *options, wrapper=()):
    with Running(*SWEEP, *options, "--output", folder / "out", wrapper=wrapper) as run:
        run.await_event("window")
        ranks = run.ranks()
        check(len(ranks) == 2, f"two ranks: {ranks}")
        before, used = [cpu_s(pid) for pid in ranks], [0, 0]
        while max(used) < TRAINED_S:
            check(run.process.poll() is None, "the sweep has ended")
            time.sleep(0.05)
            used = [cpu_s(pid) - early for pid, early in zip(ranks, before)]
    print(f"CPU time: {used[0]:.2f} s and {used[1]:.2f} s")
    check(min(used) <= MOST_SHARE * max(used), "the idle rank does not rest")


def own_launcher(folder):
    watched(folder, "--nproc-per-node", 2)


def torchrun(folder):
    watched(folder, wrapper=TORCHRUN)


run_cases({f.__name__: f for f in (own_launcher, torchrun)})
