"""64 real ranks of the smallest network on this machine: how long they take to start, what each costs in memory, what a point costs
the control plane, and how the loss of one ends the run; and on 16 hosts, one of which is lost for good.
docs/internals/SCALE.md holds what was measured."""

import math
import os
import re
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path

from endings import ENDLESS, Running, check_gone, closed_report
from made_data import make_text
from program import SCALEMARK, check, skip
from sweeps import journal_lines
from switched import OnEachHost, SwitchedHosts

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


class Cluster(OnEachHost):
    """A training of `per_host` ranks on each of the first `count` hosts."""

    def __init__(self, hosts, folder, count, per_host, *words):
        super().__init__(hosts, folder)
        place = ("--nnodes", count, "--nproc-per-node", per_host, "--rendezvous", f"{hosts.addresses[0]}:29667")
        self.begun = time.monotonic()
        for host in range(count):
            self.start(host, SCALEMARK, *words, *place, "--node-rank", host)

    def ranks_of(self, host):
        pid = self.processes[host].pid
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    def await_file(self, path):
        self.wait_for(path.exists, path.name)
        return time.monotonic() - self.begun

    def end(self, expected, seconds=900):
        """Seconds until the last host had ended, each with one of the expected exit codes."""
        begun = time.monotonic()
        for host, process in self.processes.items():
            check(process.wait(timeout=seconds) in expected, f"node{host}: {process.returncode}: {self.log(host)[-3000:]}")
        return time.monotonic() - begun


def cluster(folder):
    """16 hosts on a switch: a rank is killed, then a host with its cable; what is left goes on from the newest checkpoint."""
    count, per_host = 16, RANKS // 16
    text = make_text(folder / "text", 60)
    vocabulary = folder / "vocab.txt"
    letters = "abcdefghijklmnopqrstuvwxyz"
    vocabulary.write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{one}" for one in letters)]) + "\n")
    out = folder / "out"
    words = ("train", "--workload", "bert-mini", "--sequence-length", 32, "--data", text, "--vocab", vocabulary, "--batch-size", 1, "--threads", 1,
             "--optimizer", "sgd", "--epochs", 1, "--checkpoint-every", "2steps", "--checkpoint-keep", 1000, "--no-progress", *PATIENT, "--output", out, "--resume")
    with SwitchedHosts(count) as hosts:
        with Cluster(hosts, folder, count, per_host, *words) as all_hosts:
            first_s = all_hosts.await_file(out / "checkpoints/step-2")
            os.kill(all_hosts.ranks_of(7)[1], signal.SIGKILL)
            rank_s = all_hosts.end([69])
        with Cluster(hosts, folder, count, per_host, *words) as all_hosts:
            all_hosts.await_file(out / "checkpoints/step-4")
            all_hosts.lose(count - 1)
            host_s = all_hosts.end([69])
        with Cluster(hosts, folder, count - 1, per_host, *words) as left:
            left.end([0, 1])  # 1: what so many ranks on a few cores measure may be no ground for anything
            code = left.processes[0].returncode
    [point] = closed_report(out, "complete", code)["points"]
    check(point["world_size"] == RANKS - per_host and point["nodes"] == count - 1, point["world_size"])
    check([one["step"] for one in point["resumed"]] == sorted(one["step"] for one in point["resumed"]) and len(point["resumed"]) == 2, point["resumed"])
    check(math.isfinite(point["loss"]["last"]), point["loss"])
    print(f"{RANKS} ranks on {count} hosts: {first_s:.1f} s from the command to the checkpoint of the second step")
    print(f"a killed rank: all had ended {rank_s:.1f} s later; a host that is gone: {host_s:.1f} s; {RANKS - per_host} ranks went on")


if available_bytes() < RANKS * FREE_BYTES_PER_RANK:
    skip(f"{RANKS} ranks need {RANKS * FREE_BYTES_PER_RANK / GiB:.0f} GiB, {available_bytes() / GiB:.0f} are free")
with tempfile.TemporaryDirectory() as place:
    for case in sys.argv[1:]:
        {"lost_rank": lost_rank, "points": points, "collectives": collectives, "cluster": cluster}[case](Path(place))
