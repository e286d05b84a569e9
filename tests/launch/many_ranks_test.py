"""64 real ranks of the smallest network on this machine: how long they take to start, what each costs in memory, what a point costs
the control plane, and how the loss of one ends the run. docs/internals/SCALE.md holds what was measured."""

import os
import re
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path

from endings import ENDLESS, Running, check_gone, closed_report
from program import check, skip
from sweeps import journal_lines

RANKS = int(os.environ.get("TEST_RANKS", 64))
FREE_BYTES_PER_RANK = 200 << 20
LINEAR = ("--workload", "linear", "--batch-size", 8, "--threads", 1, "--nproc-per-node", RANKS)
PATIENT = ("--timeout", 300)  # 64 processes share few cores
GiB = 1 << 30


def available_bytes():
    return 1024 * int(re.search(r"MemAvailable:\s+(\d+)", Path("/proc/meminfo").read_text())[1])


def kilobytes(text, field):
    return int(re.search(rf"^{field}:\s+(\d+) kB", text, re.M)[1])


def memory_of(pids):
    """Bytes of each rank: resident, its proportional share, and what only it has."""
    texts = [Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in pids]
    return [{name: 1024 * sum(kilobytes(text, one) for one in fields) for name, fields in
             (("resident", ["Rss"]), ("share", ["Pss"]), ("private", ["Private_Clean", "Private_Dirty"]))} for text in texts]


def lost_rank(folder):
    """Start, memory, and an end: the ranks leave within the deadlines of docs/FAULTS.md, and the lost one is named."""
    begun = time.monotonic()
    with Running("train", *LINEAR, *ENDLESS, *PATIENT, "--output", folder / "lost") as launched:
        launched.await_event("warmup", seconds=300, into_s=0)
        warming = time.monotonic() - begun
        launched.await_event("window", seconds=300, into_s=5)
        pids = launched.ranks()
        check(len(pids) == RANKS, f"{len(pids)} ranks")
        memory = memory_of(pids)
        os.kill(pids[RANKS // 3], signal.SIGKILL)
        ended_s = launched.end(69, seconds=90)
        check_gone(pids)
    check(f"rank {RANKS // 3}" in launched.stderr or f"rank={RANKS // 3}" in launched.stderr, launched.stderr[-3000:])
    check(ended_s < 45, f"it took {ended_s:.1f} s to end")
    closed_report(folder / "lost", "failed", 69)
    print(f"{RANKS} ranks: {warming:.1f} s from the command to the first step")
    for name in ("resident", "share", "private"):
        values = [one[name] / (1 << 20) for one in memory]
        print(f"memory of a rank, {name}: {statistics.mean(values):.0f} MiB ({min(values):.0f} .. {max(values):.0f})")
    print(f"a killed rank: all others had ended {ended_s:.1f} s later")


def points(folder):
    """Measures what the points of a sweep cost beyond warm-up and window."""
    with Running("sweep", *LINEAR, *PATIENT, "--world-sizes", f"1,{RANKS}", "--iters", 20, "--warmup-iters", 5, "--repetitions", 3,
                 "--no-progress", "--output", folder / "sweep") as launched:
        launched.end(0, seconds=900)
    report = closed_report(folder / "sweep", "complete", 0)
    for size in (1, RANKS):
        runs = [point for point in report["points"] if point["world_size"] == size]
        check(len(runs) >= 3 and {run["status"] for run in runs} == {"ok"}, runs)
        outside = [run["outside_window_s"] for run in runs]
        print(f"points of {size} ranks: {statistics.median(outside):.2f} s each beside warm-up and window "
              f"({min(outside):.2f} .. {max(outside):.2f}), a step {statistics.median(run['step_s']['mean'] for run in runs):.4f} s")
    rows = [len(line) for line in map(str, journal_lines(folder / "sweep"))]
    print(f"the longest line of the journal has {max(rows)} characters")


def collectives(folder):
    """`comm` among all ranks: every call of each collective is verified, and none is lost."""
    with Running("comm", "--collectives", "barrier,all-reduce", "--sizes", "4KiB", "--backends", "gloo", "--threads", 1,
                 "--nproc-per-node", RANKS, *PATIENT, "--repetitions", 3, "--no-progress", "--output", folder / "comm") as launched:
        launched.end(0, seconds=900)
    report = closed_report(folder / "comm", "complete", 0)
    for name in ("barrier", "all-reduce"):
        runs = [run for run in report["collectives"] if run["collective"] == name]
        check(len(runs) == 3 and {(run["status"], run["world_size"], len(run["members"])) for run in runs} == {("ok", RANKS, RANKS)},
              runs)
        print(f"{name} of {RANKS} ranks: {statistics.median(run['time_s'] for run in runs):.4f} s in a loop, "
              f"{statistics.median(run['latency_s']['p50'] for run in runs):.4f} s alone")


if available_bytes() < RANKS * FREE_BYTES_PER_RANK:
    skip(f"{RANKS} ranks need {RANKS * FREE_BYTES_PER_RANK / GiB:.0f} GiB, {available_bytes() / GiB:.0f} are free")
with tempfile.TemporaryDirectory() as place:
    for case in sys.argv[1:]:
        {"lost_rank": lost_rank, "points": points, "collectives": collectives}[case](Path(place))
