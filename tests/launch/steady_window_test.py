"""`points[].warmup.steady` on real windows of two ranks: never "true" of one that a CPU quota slows half-way; "false"
of at most 1 in 40 on an idle machine. Every other window is of steps far shorter than the 100 ms in which the kernel accounts a
quota: there only one step in hundreds becomes longer, by tens of milliseconds. `slowed`: 20 windows, `idle`: 40, on a machine at rest."""

import os
import resource
import time
from pathlib import Path

from cpu_quota import cpu_quota
from endings import Running, closed_report, run_cases
from program import check

WORKLOADS = ("mlp", "linear")  # steps of several ms, and of a tenth of one
WINDOW_S = 6
QUOTA_CORES = 0.8  # two ranks would use two
LEAST_SLOWDOWN = 1.15
FOREIGN_SHARE = 0.03  # share of the machine while a window is measured; more is not idle


def train(number, *options):
    return ("train", "--workload", WORKLOADS[number % len(WORKLOADS)], "--nproc-per-node", 2, "--threads", 1, "--no-progress",
            *options)


def cpu_s():
    """Busy seconds of all cores, steal included."""
    user, nice, system, _, _, irq, soft, steal = map(int, Path("/proc/stat").read_text().split()[1:9])
    return (user + nice + system + irq + soft + steal) / os.sysconf("SC_CLK_TCK")


def ours_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def rate_of(steps, begin, end):
    """Steps per second between two times of the window."""
    at, counted = 0.0, 0
    for step in steps:
        at += step
        counted += begin <= at < end
    return counted / (end - begin)


def slowdown(steps):
    """Speed in the first third by that in the last."""
    total = sum(steps)
    return rate_of(steps, 0, total / 3) / rate_of(steps, 2 * total / 3, total)


def summary(point):
    steady = {True: "true", False: "false", None: "unknown"}[point["warmup"].get("steady")]
    return steady + (f" ({point['warmup']['steady_reason']})" if "steady_reason" in point["warmup"] else "")


def slowed_window(folder, quota, number):
    quota.cores(None)
    with Running(*train(number, "--min-time", WINDOW_S, "--output", folder), wrapper=quota.wrapper()) as run:
        run.await_event("window", into_s=WINDOW_S / 2)
        quota.cores(QUOTA_CORES)
        run.end(expect=0, seconds=120)
    [point] = closed_report(folder, "complete", 0)["points"]
    return point, slowdown(point["step_samples_s"])


def slowed(folder):
    count, steady, counted, left_out = 20, 0, 0, 0
    with cpu_quota() as quota:
        while counted < count:
            point, factor = slowed_window(folder / f"{counted}-{left_out}", quota, counted)
            print(f"{point['workload']}: {factor:.2f} times as slow in the last third: {summary(point)}", flush=True)
            if factor < LEAST_SLOWDOWN:  # others had the cores already
                left_out += 1
                check(left_out <= 3 * count, "others use this machine: half-way through its window no run becomes slower by the quota")
                continue
            counted += 1
            steady += point["warmup"].get("steady") is True
    check(steady == 0, f"{steady} of {count} windows that were slowed half-way are called steady")


def idle_window(folder, number):
    """The point, and the share of the machine that others used meanwhile."""
    began, busy, ours = time.monotonic(), cpu_s(), ours_s()
    with Running(*train(number, "--output", folder)) as run:
        run.end(expect=0, seconds=120)
    foreign = (cpu_s() - busy) - (ours_s() - ours)
    [point] = closed_report(folder, "complete", 0)["points"]
    return point, foreign / (time.monotonic() - began) / os.cpu_count()


def idle(folder):
    count, unsteady, counted, left_out = 40, 0, 0, 0
    while counted < count:
        point, foreign = idle_window(folder / f"{counted}-{left_out}", counted)
        print(f"{point['workload']}: others used {foreign:.1%}: {summary(point)}", flush=True)
        if foreign > FOREIGN_SHARE:
            left_out += 1
            check(left_out <= count, f"others use more than {FOREIGN_SHARE:.0%} of this machine: it is not idle")
            continue
        counted += 1
        unsteady += point["warmup"].get("steady") is False
    print(f"{unsteady} of {count} windows are called unsteady; {left_out} were left out")
    check(unsteady <= 1, f"{unsteady} of {count} windows on an idle machine are called unsteady")


run_cases({"slowed": slowed, "idle": idle})
