"""The machine during the window, on real runs: who else uses it is found, and what was measured again is kept."""

import contextlib
import os
import subprocess
import sys

from endings import Running
from program import check
from sweeps import journal_lines, valid_report
from watched_run import status_of

MLP = ("--workload", "mlp", "--threads", 1, "--min-time", 1, "--warmup-iters", 20, "--no-progress")
ONCE = ("--world-sizes", 1, "--repetitions", 1, "--retries", 0)


@contextlib.contextmanager
def busy_machine():
    """Processes that compute: whatever else runs here, others use far more than the limit, which grows with the number of CPUs."""
    spinning = [subprocess.Popen(["nice", "-n", "5", sys.executable, "-c", "while True: pass"]) for _ in range(2 + os.cpu_count() // 12)]
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
            process.wait()


def telemetry_of(report, run_id):
    return {entry["source"]: entry for entry in report["telemetry"] if entry["point"] == run_id and not entry.get("device")}


def codes_of(report, run_id):
    return [finding["code"] for finding in report["findings"] if finding.get("point") == run_id]


def check_parts(report):
    """Two ranks on a machine as busy as it may be: the parts agree with each other and with the window, and no rank is one of the
    others, whose CPU time is what is left without that of all ranks."""
    [row] = report["points"]
    machine = telemetry_of(report, row["id"])
    busy, ranks, others = (machine[name]["mean"] for name in ("busy_cpus", "ranks_cpus", "other_cpus"))
    check(abs(max(0, busy - ranks) - others) < 1e-9, (busy, ranks, others))
    check(busy <= os.cpu_count() + 0.1, busy)
    check(ranks > 0, ranks)
    readings = machine["busy_cpus"]
    # A reading comes late where others have the CPU.
    check(readings["n"] >= 1 and abs(readings["observed_s"] - row["wall_s"]) < row["wall_s"], (readings, row["wall_s"]))
    limit = max(0.1, os.cpu_count() / 100, 0.1 * (os.cpu_count() / readings["observed_s"]) ** 0.5)
    if "steal_cpus" not in machine or machine["steal_cpus"]["mean"] == 0:
        check(("shared" in codes_of(report, row["id"])) == (others > limit), (others, limit, codes_of(report, row["id"])))
    check(any(e["source"] == "sent_bytes_per_s" and e["device"] == "lo" and e["total"] > 1e5 for e in report["telemetry"]),
          "gradients over lo")


def check_train(report, folder):
    """It reports others, and measures once."""
    [row] = report["points"]
    machine = telemetry_of(report, row["id"])
    check(row["status"] == "ok", row["status"])
    check("shared" in codes_of(report, row["id"]), codes_of(report, row["id"]))
    check("attempts" not in row, "train measures once")
    check(machine["other_cpus"]["mean"] > 0 and machine["ranks_cpus"]["mean"] > 0, machine)


def check_measured_again(report, folder):
    """A sweep that may retry does so, once."""
    rows = report["points"]
    check(len(rows) == 2, [row["id"] for row in rows])
    for row in rows:
        check([attempt["samples_per_sec"] for attempt in row["attempts"]][-1] == row["samples_per_sec"], row["attempts"])
        check(len(row["attempts"]) == 2 and all("shared" in attempt["reason"] for attempt in row["attempts"]), row["attempts"])
        check("shared" in codes_of(report, row["id"]), codes_of(report, row["id"]))
        # Only the measurement that counts is reported.
        check(telemetry_of(report, row["id"])["other_cpus"]["n"] == 1, "one entry")
    retries = [line for line in journal_lines(folder) if line["event"] == "retry"]
    check(len(retries) == 2, retries)
    check("machine_busy" in codes_of(report, rows[0]["id"]), codes_of(report, rows[0]["id"]))
    # The second block only checks: the wait before the first was in vain.
    check("stayed so" in next(f["text"] for f in report["findings"] if f["code"] == "machine_busy"), report["findings"])
    check("The machine during the window" in (folder / "report.md").read_text(), "report.md")
    check("measured more than once" in (folder / "report.html").read_text(), "report.html")


def check_no_retries(report, folder):
    """Without retries it is not measured again, though it was disturbed."""
    [row] = report["points"]
    check("shared" in codes_of(report, row["id"]), codes_of(report, row["id"]))
    check("attempts" not in row, row.get("attempts"))


def check_brief(report, folder):
    """A window of milliseconds, in which clocks of 10 ms see nobody, is watched together with what led to it."""
    [row] = report["points"]
    codes = codes_of(report, row["id"])
    check("shared" in codes and "others_unknown" not in codes, codes)
    busy = telemetry_of(report, row["id"])["busy_cpus"]
    check(busy["observed_s"] > row["wall_s"] or row["wall_s"] > 0.3, (busy, row["wall_s"]))


def check_comm(report, folder):
    """Each run of a collective has what was read beside it; one finding reports all runs that were disturbed.
    With --retries 0 none is measured again."""
    for row in report["collectives"]:
        check(telemetry_of(report, row["id"])["other_cpus"]["mean"] > 0 and "attempts" not in row, row)
    [sentence] = [finding["text"] for finding in report["findings"] if finding["code"] == "shared"]
    check(sentence.startswith("4 of 4 runs, the first of them ") and "other processes used" in sentence, sentence)


# Runs that disturb each other, on a machine that others use, too: started all at a time; and what the report of each must say.
DISTURBED = {
    "train": (("train", *MLP), check_train),
    "again": (("sweep", *MLP, "--retries", 1, "--world-sizes", 1, "--repetitions", 2), check_measured_again),
    "once": (("sweep", "--workload", "linear", "--threads", 1, "--min-time", 1, "--warmup-iters", 5, "--no-progress", *ONCE), check_no_retries),
    # Many steps of warm-up: few of them, held up on a busy machine, would plan a window that is not brief.
    "brief": (("sweep", "--workload", "linear", "--threads", 1, "--iters", 100, "--warmup-iters", 2000, "--no-progress", *ONCE), check_brief),
    "comm": (("comm", "--sizes", "1KiB,1MiB", "--backends", "gloo", "--repetitions", 2, "--retries", 0, "--threads", 1, "--nproc-per-node", 2,
              "--no-progress"), check_comm),
}


def check_disturbed(folder):
    with busy_machine(), contextlib.ExitStack() as stack:
        runs = {name: stack.enter_context(Running(*words, "--output", folder / name)) for name, (words, _) in DISTURBED.items()}
        for one in runs.values():
            one.end(0)
    for name, (_, check_report) in DISTURBED.items():
        check_report(valid_report(folder / name), folder / name)
    last = status_of(folder / "comm")
    check(last["state"] == "complete" and last["command"] == "comm" and len(last["ranks"]) == 2, last)
