"""A fault of a machine or a plan is planted, and the program must find it: verdict, exit codes by --fail-on, JUnit.
A slow link is planted in tests/launch/comm_pairs_test.py.

Others on the machine make `disturbed` the right answer: such a trial is counted apart and made again. SCALEMARK_SOAK=full: 20 trials.
"""

import contextlib
import os
import signal
import threading
import xml.etree.ElementTree as ET

from endings import FULL, Running, closed_report, run_cases
from others import others
from program import check, run

TRIALS = 20 if FULL else 1
MOST_REPEATED = 3  # trials in a row that others disturb; then nothing can be said here
DISTURBED = {"shared", "machine_busy", "throttled"}
SWEEP = ("sweep", "--workload", "mlp", "--threads", 1, "--no-progress")
STOPPED_S, RUNNING_S = 0.02, 0.02


def codes(report):
    return {finding["code"] for finding in report["findings"]}


def exit_code(folder, words):
    """Returns the exit code of `report`, which judges what is there."""
    return run("report", folder, "--fail-on", words, expect=None).returncode


def failed_cases(folder):
    text = run("report", folder, "--format", "junit").stdout
    return [case.get("name") for case in ET.fromstring(text).iter("testcase") if case.find("failure") is not None]


@contextlib.contextmanager
def stopped_half_of_the_time(running, number):
    """Rank `number` of the program, from its first window on."""
    running.await_event("window")
    pid, over = running.ranks()[number], threading.Event()

    def stop():
        with contextlib.suppress(ProcessLookupError):
            while not over.is_set():
                os.kill(pid, signal.SIGSTOP)
                over.wait(STOPPED_S)
                os.kill(pid, signal.SIGCONT)
                over.wait(RUNNING_S)

    thread = threading.Thread(target=stop)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def trials(folder, trial):
    """`trial` returns whether others disturbed it, which is no answer to what was planted."""
    disturbed = 0
    for number in range(TRIALS):
        for attempt in range(MOST_REPEATED):
            if not trial(folder / f"{number}-{attempt}"):
                break
            disturbed += 1
    print(f"{TRIALS} trials, {disturbed} more disturbed", flush=True)


def slow_rank(folder):
    def trial(out):
        with Running(*SWEEP, "--world-sizes", 4, "--nproc-per-node", 4, "--repetitions", 3, "--min-time", 0.5, "--output", out) as sweeping:
            with stopped_half_of_the_time(sweeping, 2):
                sweeping.end(expect=0)
        report = closed_report(out, "complete", 0)
        if codes(report) & DISTURBED and "straggler" not in codes(report):
            check(report["verdict"]["level"] == "do_not_quote", report["verdict"])
            return True
        [slow] = [finding for finding in report["findings"] if finding["code"] == "straggler"]
        check(slow["place"]["rank"] == 2 and slow["domain"] == "hardware", slow)
        check(report["verdict"]["level"] != "quotable" and "straggler" in [r["code"] for r in report["verdict"]["reasons"]], report["verdict"])
        check("rank 2" in sweeping.stdout.splitlines()[0], sweeping.stdout)
        check([exit_code(out, words) for words in ("error", "warning", "parts", "straggler", "slow_link", "none")] == [0, 1, 1, 1, 0, 0], slow)
        # Another point may have found it in two of three runs only: the same rank all the same.
        failed = failed_cases(out)
        check(failed and all(case.split()[1:3] == ["rank", "2"] for case in failed), failed)
        return False

    trials(folder, trial)


def foreign_load(folder):
    """Two programs that compute beside two ranks on their CPUs: no number is fit to be quoted, and nothing is called real."""
    def trial(out):
        with others(os.cpu_count()):
            run(*SWEEP, "--world-sizes", "1,2", "--nproc-per-node", 2, "--batch-sizes", "32,64", "--repetitions", 3, "--iters", 50,
                "--output", out)
        report = closed_report(out, "complete", 0)
        check("shared" in codes(report) and report["verdict"]["level"] == "do_not_quote", report["verdict"])
        check("other programs used" in report["verdict"]["reasons"][0]["text"], report["verdict"])
        check({effect["verdict"] for effect in report["effects"]} <= {"disturbed"}, report["effects"])
        check([exit_code(out, words) for words in ("error", "parts", "warning", "shared")] == [0, 0, 1, 1], codes(report))
        check(not failed_cases(out), failed_cases(out))
        return False

    trials(folder, trial)


def one_run(folder):
    def trial(out):
        done = run(*SWEEP, "--world-sizes", 1, "--repetitions", 1, "--iters", 20, "--output", out)
        report = closed_report(out, "complete", 0)
        check(report["verdict"]["level"] != "quotable", report["verdict"])
        if not codes(report) & DISTURBED:
            check(report["verdict"]["level"] == "with_care", report["verdict"])
        check(done.stdout.count("one run") == 1, done.stdout)
        return False

    trials(folder, trial)


def missing_baseline(folder):
    """One rank alone cannot hold the whole batch: the others are relative to two ranks, and no part is blamed."""
    out = folder / "out"
    done = run("sweep", "--workload", "linear", "--threads", 1, "--no-progress", "--world-sizes", "2,4", "--nproc-per-node", 4,
               "--global-batch-size", 8192, "--memory-limit", "100MiB", "--repetitions", 1, "--warmup-iters", 2, "--iters", 5,
               "--output", out, expect=2)
    check("efficiency relative to 2 ranks" in done.stdout, done.stdout)
    report = closed_report(out, "complete", 2)
    [alone] = [row for row in report["points"] if row["world_size"] == 1]
    check(alone["status"] == "oom" and alone["strategy"] == "none", alone)
    [table] = report["scaling"]
    check(table["relative_to"].startswith("2 ranks"), table)
    rows = {row["world_size"]: row for row in table["rows"] if row["strategy"] != "none"}
    check("efficiency" not in rows[2] and "efficiency" in rows[4], rows)
    check("baseline_missing" in codes(report), report["findings"])
    check(report["verdict"]["level"] != "quotable", report["verdict"])
    reasons = [reason["code"] for reason in report["verdict"]["reasons"]]  # there are at most three, graver ones first
    check("incomplete" in reasons and ("baseline_missing" in reasons or len(reasons) == 3), reasons)
    check([exit_code(out, words) for words in ("error", "parts", "warning", "baseline_missing", "none")] == [0, 0, 1, 1, 0], codes(report))
    check(failed_cases(out) == [alone["group"]], failed_cases(out))


run_cases({f.__name__: f for f in (slow_rank, foreign_load, one_run, missing_baseline)})
