"""status.json of a run that runs: every rank is there, counters only grow, and its last numbers are those of the report.

live_test.py train | sweep | fresh | comm | stopped | hung | silent | killed. Waits for conditions in the file, never for times.
"""

import json
import os
import signal
import time

from endings import Running, run_cases
from program import check, report_in

COUNTERS = ("beats", "clock_s", "samples", "payload_bytes", "data_wait_s", "major_faults", "late_wakeups", "main_ran_s", "main_queued_s")
NODE_COUNTERS = ("clock_s", "busy_cpu_s", "swapped_bytes", "pressure_cpu_s", "disk_read_bytes", "retransmitted_segments", "sampler_cpu_s")
LIMIT_S = 300
TRAIN = ("train", "--workload", "mlp", "--nproc-per-node", 2, "--threads", 1)


def read(run):
    """Absent before the first; each is whole, since it comes by a rename."""
    try:
        return json.loads((run.folder / "status.json").read_text())
    except FileNotFoundError:
        return None


def watch(run, enough=lambda seen: False):
    """All that are seen until `enough` is true of them, or the run ends."""
    seen, deadline = [], time.monotonic() + LIMIT_S
    while run.process.poll() is None:
        check(time.monotonic() < deadline, f"not seen in {LIMIT_S} s: {seen[-1:]}")
        status = read(run)
        if status and (not seen or status != seen[-1]):
            seen.append(status)
            if enough(seen):
                break
        time.sleep(0.05)
    return seen


def check_growth(seen):
    for before, after in zip(seen, seen[1:]):
        check(before["run_id"] == after["run_id"] and before["written"] <= after["written"], (before, after))
        for kind, names, key in (("ranks", COUNTERS, "rank"), ("nodes", NODE_COUNTERS, "host")):
            earlier = {one[key]: one for one in before.get(kind, [])}
            for one in after.get(kind, []):
                for name in names:
                    known = earlier.get(one[key], {}).get(name)
                    check(known is None or one.get(name, known) >= known, (kind, one[key], name, known, one.get(name)))


def train(folder):
    with Running(*TRAIN, "--iters", 3000, "--warmup-iters", 20, "--output", folder / "out") as run:
        run.await_event("window", into_s=0)
        rank_1 = run.ranks()[1]
        os.kill(rank_1, signal.SIGSTOP)  # so that the window lasts until status.json, which is written each 2 s, shows it
        seen = watch(run, lambda seen: seen[-1]["phase"] == "window")
        os.kill(rank_1, signal.SIGCONT)
        seen += watch(run)
        run.end(0)
        last = read(run)
        check(len(seen) >= 2 and [one["rank"] for one in last["ranks"]] == [0, 1], last)
        check_growth([*seen, last])
        check(any(one["phase"] == "window" and one.get("planned") == 3000 for one in seen), seen)
        check(last["state"] == "complete" and last["run_id"] == report_in(run.folder)["run_id"], last)
        check(last["what"] == "mlp, batch 64 per rank, fp32, ddp over gloo, 2 ranks", last["what"])
        node = last["nodes"][0]
        check(node["memory_available_bytes"] > 0 and node["output_free_bytes"] > 0 and node["cpus"] >= len(os.sched_getaffinity(0)), node)
        for rank in last["ranks"]:
            check(rank["samples"] == 64 * (rank["step"] + 1) and rank["resident_bytes"] > 1 << 20, rank)


def sweep(folder):
    with Running("sweep", "--workload", "linear", "--world-sizes", "1,2", "--iters", 200, "--warmup-iters", 2, "--repetitions", 2,
                 "--output", folder / "out") as run:
        seen = watch(run)
        run.end(0)
        last = read(run)
        check_growth([*seen, last])
        report = report_in(run.folder)
        check(last["state"] == "complete" and last["runs_planned"] == len(report["points"]), last)
        points = {point["id"]: point for point in report["points"]}
        check(last["point"] in points, last)
        for status in (one for one in [*seen, last] if one.get("point") in points):
            point = points[status["point"]]
            how = ", ddp over gloo, 2 ranks" if point["strategy"] != "none" else ", without exchange, 2 ranks" if point["world_size"] > 1 else "fp32, 1 rank"
            check(status["what"].endswith(how), (status["what"], point["id"]))
        check([one["text"] for one in last.get("findings", [])] == [one["text"] for one in report["findings"]], last)


def fresh(folder):
    """The launcher, which starts new ranks for each block, says how a sweep in fresh processes ended."""
    with Running("sweep", "--workload", "linear", "--world-sizes", "1,2", "--iters", 50, "--warmup-iters", 2, "--repetitions", 2, "--fresh-process",
                 "--output", folder / "out") as run:
        watch(run)
        run.end(0)
        check(read(run)["state"] == "complete", read(run))


def hung(folder):
    """A hang ends the process from a side thread, without destructors: its last words say so."""
    with Running(*TRAIN, "--iters", 10_000_000, "--warmup-iters", 2, "--timeout", 8, "--output", folder / "out") as run:
        watch(run, both_train)
        rank_1 = run.ranks()[1]
        os.kill(rank_1, signal.SIGSTOP)
        run.process.wait(timeout=LIMIT_S)
        check(read(run)["state"] == "failed", read(run))


def comm(folder):
    with Running("comm", "--nproc-per-node", 2, "--sizes", "4KiB,4MiB", "--repetitions", 2, "--threads", 1, "--output", folder / "out") as run:
        watch(run)
        run.end(0)
        last = read(run)
        check(last["state"] == "complete" and last["command"] == "comm" and len(last["ranks"]) == 2, last)


def endless(folder):
    return Running(*TRAIN, "--iters", 10_000_000, "--warmup-iters", 2, "--output", folder / "out")


def both_train(seen):
    ranks = seen[-1].get("ranks", [])
    return len(ranks) == 2 and all(rank.get("step", 0) > 5 for rank in ranks)


def stopped(folder):
    """A run that is interrupted says so."""
    with endless(folder) as run:
        watch(run, both_train)
        run.process.send_signal(signal.SIGINT)
        run.end(130)
        check(read(run)["state"] == "interrupted", read(run))


def silent(folder):
    """A rank that is stopped from outside grows silent, and no other; it goes on afterwards."""
    with endless(folder) as run:
        watch(run, both_train)
        rank_1 = run.ranks()[1]
        os.kill(rank_1, signal.SIGSTOP)
        seen = watch(run, lambda seen: seen[-1]["ranks"][1]["silent_s"] > 4)
        os.kill(rank_1, signal.SIGCONT)
        check(seen[-1]["ranks"][0]["silent_s"] < seen[-1]["ranks"][1]["silent_s"], seen[-1]["ranks"])
        beats = seen[-1]["ranks"][1]["beats"]
        watch(run, lambda seen: seen[-1]["ranks"][1]["beats"] > beats)
        run.process.send_signal(signal.SIGINT)
        run.end(130)


def killed(folder):
    """When everything is killed the last status stays, whole, and says `running`: its age tells."""
    with endless(folder) as run:
        watch(run, both_train)
        for pid in (run.process.pid, *run.ranks()):
            os.kill(pid, signal.SIGKILL)
        run.process.wait()
        check(read(run)["state"] == "running", read(run))


run_cases({"train": train, "sweep": sweep, "comm": comm, "stopped": stopped, "fresh": fresh, "hung": hung, "silent": silent, "killed": killed})
