"""When a sweep may go on with what is in its folder, and when it refuses: what tests/engine/sweeping cannot show."""

import functools
import json
import os
import re
import shutil
import signal
import tempfile
from pathlib import Path

from endings import ENDLESS, Running, closed_report, only_error, run_cases
from made_data import make_text
from program import check, run
from sweeps import TWO_RANKS, journal_lines, statuses, sweep, valid_report

OPTIONS = sweep("--batch-sizes", "1,2", "--world-sizes", "1")


@functools.cache
def one_finished():
    """The folder of a sweep that is run once, of which each case gets a copy."""
    place = tempfile.TemporaryDirectory()
    run(*OPTIONS, "--output", Path(place.name) / "out")
    return place


def finished(folder):
    shutil.copytree(Path(one_finished().name) / "out", folder)
    return closed_report(folder, "complete", 0)


def edited(folder, change):
    report = valid_report(folder)
    change(report)
    (folder / "report.json").write_text(json.dumps(report))


def refused(folder, *quoted, options=OPTIONS):
    before = (folder / "report.json").read_text()
    line = only_error(run(*options, "--resume", "--output", folder, expect=78).stderr, "E_CONFIGURATION", 78, *quoted)
    check("--resume-anyway" in line, line)
    check((folder / "report.json").read_text() == before, "a refused report stays as it was")


def gone_on(folder, rows, *options):
    run(*OPTIONS, *options, "--output", folder)
    report = closed_report(folder, "complete", 0)
    check([session["session"] for session in report["sessions"]] == [0, 1], report["sessions"])
    check(statuses(report) == rows, f"{statuses(report)} instead of {rows}")
    return report["sessions"][1]


def other_settings(folder):
    finished(folder / "out")
    refused(folder / "out", "iters was 5, now 6",
            options=[6 if option == 5 else option for option in OPTIONS])
    refused(folder / "out", "batch_size", options=sweep("--batch-sizes", "1,2,4", "--world-sizes", "1"))


def changed_sources(folder):
    """A build that no commit names goes on with itself only."""
    first = finished(folder / "out")
    dirty = first["tool"]["git_dirty"]
    if dirty:
        engine = first["tool"]["libraries"]["scalemark_engine"]
        check(re.fullmatch(r"build [0-9a-f]{40}", engine["running_with"]), engine)
        gone_on(folder / "out", statuses(first), "--resume")
        edited(folder / "out", lambda report: report["tool"]["libraries"]["scalemark_engine"].update(running_with="build 0"))
        refused(folder / "out", "scalemark_engine was build 0, now build ")
    else:
        check("scalemark_engine" not in first["tool"]["libraries"], "the commit names it")
    edited(folder / "out", lambda report: report["tool"].update(git_dirty=not dirty))
    refused(folder / "out", "the program's commit was ", ", changed")


def other_data(folder):
    """A file more in the tree: old and new rows would stand in one table."""
    run("data", "generate", "images", folder / "photos", "--samples", "16", "--classes", "2", "--image-size", "32")
    options = ("sweep", "--workload", "resnet50", "--image-size", 32, "--data", folder / "photos", "--world-sizes", "1",
               "--batch-sizes", "2", "--iters", 1, "--warmup-iters", 1, "--threads", 1, "--no-progress")
    out = folder / "out"
    run(*options, "--repetitions", 1, "--output", out)
    first = closed_report(out, "complete", 0)
    one = next((folder / "photos" / "train").glob("*/*"))
    shutil.copy(one, one.with_name("one-more" + one.suffix))
    refused(out, f"the content of --data {folder / 'photos'} was {first['points'][0]['data_identity']}, now ",
            options=(*options, "--repetitions", 2))
    run(*options, "--repetitions", 2, "--resume-anyway", "--output", out)
    report = closed_report(out, "complete", 0)
    check("the content of --data" in report["sessions"][1]["broke_with"], report["sessions"])
    check(len({row["data_identity"] for row in report["points"]}) == 2, "each row tells of its own data")


def spelled_otherwise(folder):
    """What --data names decides, not how its path is spelled, from wherever: each run stays there once. Weights to start from, too."""
    make_text(folder / "text", 6)
    (folder / "link").symlink_to("text")
    options = ("--workload", "bert-mini", "--sequence-length", 32, "--batch-size", 2, "--iters", 1, "--warmup-iters", 1, "--threads", 1,
               "--no-progress", "--device", "cpu")
    out = folder / "out"
    run("train", *options, "--data", folder / "text", "--save", folder / "w.safetensors", "--output", folder / "first")
    one_sweep = ("sweep", *options, "--world-sizes", "1", "--retries", 0)
    weights = ("--init-from", "w.safetensors")
    run(*one_sweep, "--data", "text", *weights, "--repetitions", 1, "--output", out, cwd=folder)
    (folder / "elsewhere").mkdir()
    for repetitions, data, file, place in ((2, "./text/", "./w.safetensors", folder), (3, "link", folder / "w.safetensors", folder),
                                           (4, "../text", folder / "w.safetensors", folder / "elsewhere")):
        run(*one_sweep, "--data", data, "--init-from", file, "--repetitions", repetitions, "--resume", "--output", out, cwd=place)
        report = closed_report(out, "complete", 0)
        check([row["data"] for row in report["points"]] == [data] * repetitions, [row["data"] for row in report["points"]])
    only_error(run(*one_sweep, "--data", "synthetic", *weights, "--repetitions", 5, "--resume", "--output", out, cwd=folder, expect=78).stderr,
               "E_CONFIGURATION", 78, "data was ../text, now synthetic")
    epochs = ("train", *options[:6], "--epochs", 1, "--threads", 1, "--no-progress", "--device", "cpu", "--checkpoint-every", "2steps")
    run(*epochs, "--data", "text", *weights, "--output", folder / "epochs", cwd=folder)
    run(*epochs, "--data", "../text/", "--init-from", folder / "w.safetensors", "--resume", "--output", folder / "epochs", cwd=folder / "elsewhere")
    report = closed_report(folder / "epochs", "complete", 0)
    check(report["points"][0]["resumed"], "it went on with the checkpoint")
    only_error(run(*epochs, "--data", "text", "--resume", "--output", folder / "epochs", cwd=folder, expect=78).stderr,
               "E_CONFIGURATION", 78, "init_from was")


def overwritten_at_once(folder):
    """--overwrite while another run lives: it loses, and nothing of the first is touched. So do all but one of
    several that begin in one folder together."""
    out = folder / "out"
    endless = ("sweep", "--workload", "linear", *TWO_RANKS, *ENDLESS, "--output", out)
    with Running(*endless) as first:
        first.await_event("window")
        before = {name: (out / name).stat().st_ino for name in ("report.json", "journal.jsonl")}
        done = run(*endless, "--overwrite", expect=73)
        check("E_CANNOT_CREATE" in done.stderr and "another run" in done.stderr, done.stderr)
        check({name: (out / name).stat().st_ino for name in before} == before, "files of the first were replaced")
        check(len(journal_lines(out)) > 1 and valid_report(out)["run_id"], "the first's files")
        os.kill(first.process.pid, signal.SIGTERM)
        first.end(expect=75)
    starts = [Running(*OPTIONS, "--output", folder / "new") for _ in range(2)]
    codes = []
    for start in starts:
        with start:
            start.stdout, start.stderr = start.process.communicate(timeout=150)
            codes.append(start.process.returncode)
    check(sorted(codes) == [0, 73], [start.stderr for start in starts])
    check(len(closed_report(folder / "new", "complete", 0)["points"]) == 2, "the winner's rows")
    check(sum(line["event"] == "started" for line in journal_lines(folder / "new")) == 1, "one run wrote there")


def two_at_once(folder):
    with Running("sweep", "--workload", "linear", *TWO_RANKS, *ENDLESS, "--output", folder / "out") as first:
        first.await_event("window")
        for how in ((), ("--resume",)):
            done = run("sweep", "--workload", "linear", *TWO_RANKS, *ENDLESS, *how, "--output", folder / "out",
                       expect=73)
            check("E_CANNOT_CREATE" in done.stderr and str(folder / "out") in done.stderr, done.stderr)
        check(first.process.poll() is None, "the first goes on")


run_cases({f.__name__: f for f in (other_settings, changed_sources, other_data, spelled_otherwise, two_at_once, overwritten_at_once)})
