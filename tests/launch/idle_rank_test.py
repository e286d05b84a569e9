"""A rank that is no member of a point waits idle, not spinning: while rank 0 trains alone for some seconds, rank 1 uses a few
per cent of one core at most. Under torchrun and the built-in launcher."""

import os
import sys
import time
from pathlib import Path

from endings import Running, closed_report, run_cases
from program import check

TORCHRUN = (sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", 2, "--no-python")
# Two ranks are launched; every point is rank 0's alone.
SWEEP = ("sweep", "--workload", "mlp", "--world-sizes", 1, "--repetitions", 1, "--warmup-iters", 300, "--min-time", 8,
         "--threads", 1, "--no-progress")
WATCHED_S = 3
MOST_SHARE = 0.03  # of one core


def cpu_s(pid):
    """User and system time of all its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def watched(folder, *options, wrapper=()):
    """How long a window becomes is planned by what the warm-up took: other programs that end meanwhile make it shorter."""
    for attempt in range(3):
        if watched_in_time(folder / str(attempt), *options, wrapper=wrapper):
            return
    check(False, "the window was too short, three times")


def watched_in_time(out, *options, wrapper):
    with Running(*SWEEP, *options, "--output", out, wrapper=wrapper) as run:
        run.await_event("window", seconds=120)
        ranks = run.ranks()
        check(len(ranks) == 2, f"two ranks: {ranks}")
        before, began = [cpu_s(pid) for pid in ranks], time.monotonic()
        time.sleep(WATCHED_S)
        after, took = [cpu_s(pid) for pid in ranks], time.monotonic() - began
        in_time = '"event":"point"' not in (out / "journal.jsonl").read_text()
        run.end(expect=0, seconds=120)
    if not in_time:
        return False
    report = closed_report(out, "complete", 0)
    check({tuple(point["members"]) for point in report["points"]} == {(0,)}, "every point is rank 0's")
    shares = sorted((late - early) / took for early, late in zip(before, after))
    print(f"of one core: the idle rank {shares[0]:.2%} (at most {MOST_SHARE:.0%}), rank 0 {shares[1]:.0%}")
    check(shares[1] > 2 * MOST_SHARE, "nobody trained")  # a busy machine leaves it a part of a core
    check(shares[0] <= MOST_SHARE, "the idle rank does not rest")
    return True


def own_launcher(folder):
    watched(folder, "--nproc-per-node", 2)


def torchrun(folder):
    watched(folder, wrapper=TORCHRUN)


run_cases({f.__name__: f for f in (own_launcher, torchrun)})
