"""Short sweeps for tests: their options, their reports, and waits that do not depend on timing."""

import contextlib
import json
import os
import signal
import time
from pathlib import Path

import jsonschema

from endings import SOURCE, Running, check_gone, come_to
from program import check, report_in, text_of

VALIDATOR = jsonschema.Draft202012Validator(json.loads((SOURCE / "docs/reference/report.schema.json").read_text()))
FAST = ("--workload", "linear", "--iters", 5, "--warmup-iters", 2, "--threads", 1, "--no-progress")
TIMELINE_STEPS = 5
_VALID = {}  # the last one found valid, by its file
TWO_RANKS = ("--world-sizes", "1,2", "--nproc-per-node", 2)


def sweep(*options, repetitions=1):
    return ("sweep", *FAST, "--repetitions", repetitions, *options)


def valid_report(folder):
    """Returns the report, valid under the schema, each run there once; None when there is none yet. Who waits asks often: a file is read
    and validated once, and every new report is another file."""
    try:
        about = os.stat(Path(folder) / "report.json")
    except FileNotFoundError:
        return None
    key = (str(folder), about.st_ino, about.st_mtime_ns, about.st_size)
    if key not in _VALID:
        report = report_in(folder)
        VALIDATOR.validate(report)
        ids = [row["id"] for row in report["points"]]
        check(len(set(ids)) == len(ids), f"rows that are there twice: {sorted(i for i in ids if ids.count(i) > 1)}")
        _VALID.clear()
        _VALID[key] = report
    return _VALID[key]


def journal_lines(folder):
    """Events of the journal, without a last line that is being written."""
    return [json.loads(line) for line in text_of(Path(folder) / "journal.jsonl").split("\n")[:-1]]


def finished_rows(folder):
    """Rows of every run that was finished, by id: report.json follows the journal, 10 s later at most."""
    report = valid_report(folder)
    rows = {row["id"]: row for row in (report["points"] if report else ())}
    return rows | {line["point"]["id"]: line["point"] for line in journal_lines(folder) if "point" in line}


def statuses(report):
    return {row["id"]: row["status"] for row in report["points"]}


def steps_of(point):
    """Optimizer steps that each of its ranks makes: a point with a timeline of its buckets makes some for that after its window."""
    timeline = TIMELINE_STEPS if point.get("communication", {}).get("bucket_timeline") else 0
    return point["warmup"]["iterations"] + point["iterations"] + timeline


def await_rows(run, count, seconds=600):
    """Returns once that many runs are finished, the report found valid at each reading; False: it ended before."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if len(finished_rows(run.folder)) >= count:
            return True
        if run.process.poll() is not None:
            return False
        time.sleep(0.1)
    check(False, f"no {count} rows within {seconds} s")


def kill_all(run):
    """SIGKILL of the launcher and all its ranks. It is stopped before they are read, so that it starts no others meanwhile."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(run.process.pid, signal.SIGSTOP)
    states = come_to([run.process.pid], lambda one: one in ("T", "Z", "gone"))
    check(states[0] in ("T", "Z", "gone"), f"the launcher does not stop: {states}")
    pids = [run.process.pid, *run.ranks()]
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    run.process.communicate()
    check_gone(pids)


__all__ = ["FAST", "TWO_RANKS", "Running", "await_rows", "finished_rows", "journal_lines", "kill_all", "statuses", "steps_of", "sweep", "valid_report"]
