"""The statistics of a busy machine by themselves: the gate, which withholds nearly everything there, is switched off by a
preloaded library, and counters stay true. Nothing differs, so nothing may.

On an axis without effect one comparison or more is called real in 5 of 100 sweeps (docs/reference/METRICS.md, "Effects"), however many values it
has. So the 40 effects are those of one axis: in 20 sweeps of three values one axis would be real by this, and a test of those would fail
in two of three trials.
"""

import csv
import os
import random
import statistics
from collections import Counter

from endings import run_cases
from others import others
from program import BINARY_DIR, check, preloaded, run
from sweeps import valid_report

GATE_OFF = {"LD_PRELOAD": preloaded(BINARY_DIR / "tests/libgate_off.so")}
SHORT = ("--workload", "mlp", "--world-sizes", 2, "--nproc-per-node", 2, "--threads", 1, "--warmup-iters", 20, "--min-time", 0.2, "--iters", 20,
         "--quiet", "--no-progress")
EFFECTS = 40
# All of the network, 2.6 MB, fits into one bucket of any of these.
VALUES = ",".join(str(25 + number) for number in range(EFFECTS + 1))
COMPARISONS, SESSIONS = 20, 3  # sessions are on a side
GATES = {"shared", "throttled", "machine_busy", "counters_disagree", "others_unknown", "steal"}
OTHERS = max(1, os.cpu_count() // 2)  # programs that compute
ACCUSED = ("straggler", "ranks_unequal", "straggler_intermittent")


class Trial:
    """Runs sweeps of one point, all alike, and collects what they report."""

    def __init__(self):
        self.seen, self.accused, self.sweeps = [], Counter(), 0

    def sweep(self, out, *options):
        run("sweep", *SHORT, *options, "--output", out, **GATE_OFF)
        report = valid_report(out)
        codes = {finding["code"] for finding in report["findings"]}
        check(not codes & GATES and all(row["status"] == "ok" and "attempts" not in row for row in report["points"]), codes)
        self.seen += [row["mean"] for row in report["telemetry"] if row["source"] == "other_cpus"]
        self.accused.update(code for code in ACCUSED if code in codes)
        self.sweeps += 1
        return report

    def print_accusations(self):
        """Accused ranks are only printed: their test needs the gate."""
        busy = statistics.median(self.seen)
        print(f"{self.sweeps} sweeps beside others that used {busy:.2f} CPUs (median); accused ranks in: {dict(self.accused) or 'none'}", flush=True)
        check(busy > 0.3, "the machine was not busy, or its counters do not say so")


def effects(folder):
    trial = Trial()
    with others(OTHERS):
        report = trial.sweep(folder / "out", "--bucket-cap-mb", VALUES, "--repetitions", 5)
    judged = [effect for effect in report["effects"] if effect["axis"] == "bucket_cap_mb" and effect["pairs"] == 5]
    verdicts = Counter(effect["verdict"] for effect in judged)
    trial.print_accusations()
    for effect in judged:
        if effect["verdict"] == "real":
            print(effect["in_words"])
    print(f"effects of an option without effect: {dict(verdicts)}", flush=True)
    check(verdicts.total() == EFFECTS and verdicts["disturbed"] == 0, verdicts)
    check(verdicts["real"] == 0, "an option without effect has one")


def compared(before, after):
    """Verdicts on the points of two sides."""
    done = run("compare", "--old", *before, "--new", *after, "--format", "csv", expect=None)
    check(done.returncode in (0, 1, 2), done.stderr)
    return [row["verdict"] for row in csv.DictReader(done.stdout.splitlines())]


def comparisons(folder):
    """Sides are measured by turns, so that whatever the machine does in between is in all of them; each is compared with its neighbours."""
    trial, verdicts, alarms = Trial(), Counter(), 0
    draw = random.Random(51)
    with others(OTHERS):
        for session in range(SESSIONS):
            for side in draw.sample(range(COMPARISONS), COMPARISONS):
                trial.sweep(folder / f"{side}-{session}", "--repetitions", 3)
    sides = [[folder / f"{side}-{session}" for session in range(SESSIONS)] for side in range(COMPARISONS)]
    for number, side in enumerate(sides):
        found = compared(side, sides[number - 1])
        check(found and "disturbed" not in found, found)
        verdicts.update(found)
        alarms += bool({"slower", "faster"} & set(found))
    trial.print_accusations()
    print(f"{alarms} of {COMPARISONS} comparisons call a point slower or faster; all points: {dict(verdicts)}", flush=True)
    check(alarms <= 2, "what does not differ is called slower or faster too often")


run_cases({f.__name__: f for f in (effects, comparisons)})
