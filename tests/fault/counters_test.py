"""Clocks and counters that are wrong for one rank are found, and the quota of one rank's control group is named with the rank.
A preloaded library plants them."""

from pathlib import Path

from cpu_quota import cpu_quota
from endings import Running, closed_report, run_cases
from program import BINARY_DIR, check, preloaded, run

LIBRARY = preloaded(BINARY_DIR / "tests/libplanted_counters.so")
TRAIN = ("train", "--workload", "mlp", "--nproc-per-node", 2, "--threads", 1, "--no-progress")
SHORT = ("--warmup-iters", 20, "--min-time", 1)


def findings(report, code):
    return [finding for finding in report["findings"] if finding["code"] == code]


def check_error(report, code):
    """An error of the report: it ends with 1, and its verdict names it first."""
    [found] = findings(report, code)
    check(found["severity"] == "error", found)
    verdict = report["verdict"]
    check(verdict["level"] == "do_not_quote" and code in [reason["code"] for reason in verdict["reasons"]], verdict)
    return found


def clock_that_jumps(folder):
    """The clock jumps by 5 s in the window, in rank 1: rates follow the longest wall, which is wrong."""
    jump, out = folder / "jump", folder / "out"
    # The journal's event comes before the window begins. Many steps of warm-up plan a window of 15 s also where the machine is busy.
    warmup = 300
    with Running(*TRAIN, "--warmup-iters", warmup, "--min-time", 15, "--output", out, LD_PRELOAD=LIBRARY, CLOCK_JUMPS=f"1:{jump}") as running:
        running.await_steps(ranks=2, more_than=warmup + 1)
        jump.touch()
        running.end(expect=1)
    report = closed_report(out, "complete", 1)
    found = check_error(report, "clocks_disagree")
    check("rank 1" in found["text"] and "rank 0" in found["text"] and "place" not in found, found)
    [point] = report["points"]
    quiet, wrong = point["ranks"]
    check(wrong["wall_s"] > quiet["around_s"] + 4.5 and wrong["around_s"] >= wrong["wall_s"], (quiet, wrong))


def cpu_clocks(folder):
    """They count too much, or too little: what others used is what is left of them."""
    for factor in (4, 0.5):
        out = folder / f"{factor}"
        run(*TRAIN, *SHORT, "--output", out, expect=1, LD_PRELOAD=LIBRARY, CPU_CLOCK_FACTOR=f"1:{factor}")
        found = check_error(closed_report(out, "complete", 1), "counters_disagree")
        check("rank 1 of " in found["text"] and "rank 0" not in found["text"], found)


def quota_of_one_rank(folder):
    """Rank 1, which is not the first of its host."""
    with cpu_quota() as quota:
        quota.cores(0.2)
        run(*TRAIN, *SHORT, "--output", folder / "out", LD_PRELOAD=LIBRARY, CPU_GROUP=f"1:{quota.folder / 'cgroup.procs'}")
    report = closed_report(folder / "out", "complete", 0)
    [found] = findings(report, "throttled")
    check(found["place"]["rank"] == 1 and "rank 1 of " in found["text"] and "CPU quota" in found["text"], found)
    held = {row.get("rank"): row["mean"] for row in report["telemetry"] if row["source"] == "quota_throttled_cpus"}
    check(held[1] > 0.01 and held.get(0, 0) < 0.01, held)
    [point] = report["points"]
    check([rank.get("cpu_limit") for rank in point["ranks"]][1] == 0.2, point["ranks"])
    check("may use 0.20 CPUs (its quota) for 1 thread" in findings(report, "too_many_threads")[0]["text"], report["findings"])
    reasons = [reason["text"] for reason in report["verdict"]["reasons"] if reason["code"] == "throttled"]
    check(reasons == ["a CPU quota held ranks back"], report["verdict"])


def memory_of_comm(folder):
    """The machine counts none of the CPUs that comm's ranks use while they measure its memory. Only rank 0 knows how many CPUs there are,
    and so that this is wrong; all ranks try again with it, and nothing is expected by what was measured."""
    stat = folder / "stat"
    stat.write_text(Path("/proc/stat").read_text())
    # Beside other tests ranks may hardly run, and then contradict nothing: they come first, and may try again.
    wrapper = ("unshare", "-m", "sh", "-c",
               'mount --bind "$0" /proc/stat && (echo -20 >/proc/$$/autogroup; renice -n -20 $$) >/dev/null 2>&1; exec "$@"', str(stat))
    words = ("comm", "--sizes", "1KiB", "--collectives", "all-reduce", "--repetitions", 1, "--retries", 0, "--backends", "gloo",
             "--nproc-per-node", 2, "--threads", 1, "--no-progress", "--fail-on", "none")
    disturbed = []
    for attempt in range(10):
        out = folder / str(attempt)
        with Running(*words, "--output", out, wrapper=wrapper) as running:
            running.end(expect=0)
        report = closed_report(out, "complete", 0)
        [group] = report["collective_groups"]
        disturbed = findings(report, "bound_disturbed")
        check(bool(disturbed) != ("expected_share" in group), (disturbed, group))
        if disturbed:
            break
    check("counters_disagree" in disturbed[0]["text"] and "of which the machine ran 0.00" in disturbed[0]["text"], disturbed)


run_cases({f.__name__: f for f in (clock_that_jumps, cpu_clocks, quota_of_one_rank, memory_of_comm)})
