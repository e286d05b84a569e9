"""Limits of time: a preset holds its own or is refused, and new ranks per block end as one sweep."""

import re
import time
from datetime import datetime

from endings import FULL, closed_report, error_lines, run_cases
from program import check, run
from sweeps import TWO_RANKS, statuses, sweep, valid_report


def timed(*arguments, **keywords):
    began = time.monotonic()
    done = run(*arguments, **keywords)
    return done, time.monotonic() - began


def preset_holds_its_time(folder):
    """12 s instead of 60, in which the 3 points take 6 s or so each when nothing cuts them. A quiet machine (SCALEMARK_SOAK=full)
    holds the 12 s. The plan knows how long ranks take to start and to end at rest; a sweep of next to nothing shows what they take
    now."""
    words = ("sweep", "--workload", "mlp", *TWO_RANKS, "--threads", 1, "--no-progress")
    done, took = timed(*words, "--quick", "--max-time", "12s", "--output", folder / "out")
    report = closed_report(folder / "out", "complete", 0)
    found = statuses(report)
    check(set(found.values()) == {"ok"} and len(found) == 3, found)
    windows = [row["wall_s"] for row in report["points"]]
    check(sum(windows) < 12, f"windows of {windows} s")
    if FULL:
        _, start_and_end = timed(*words, "--iters", 1, "--warmup-iters", 1, "--repetitions", 1, "--output", folder / "nothing")
        print(f"--quick of 12 s took {took:.1f} s, a sweep of nothing {start_and_end:.1f} s")
        check(took <= 12 + start_and_end, f"{took:.1f} s\n{done.stderr}")
    to_go = [60 * int(minutes) + int(seconds) for minutes, seconds in re.findall(r"(\d+):(\d\d) left", done.stderr)]
    check(len(to_go) == 3 and to_go == sorted(to_go, reverse=True) and to_go[-1] == 0, done.stderr)


def preset_that_cannot_is_refused(folder):
    done = run("sweep", "--workload", "bert-large", *TWO_RANKS, "--quick", "--output", folder / "out", expect=78)
    lines = error_lines(done.stderr)
    check(len(lines) == 1 and lines[0][:2] == ("E_CONFIGURATION", 78), done.stderr)
    for text in ("--quick", "by the estimate the 3 points", "and it has 60 s", "bert-large-b"):
        check(text in done.stderr, f"{text} in {done.stderr}")
    check(not (folder / "out").exists(), "nothing was started")


def new_ranks_per_block(folder):
    options = sweep(*TWO_RANKS, "--batch-sizes", "1,4096", "--memory-limit", "1=400KiB", repetitions=2)
    done = run(*options, "--fresh-process", "--output", folder / "out", expect=2)
    # Rank 1 has little memory: the points of two ranks in both blocks, and that of one rank in the block that drew rank 1.
    check(done.stderr.splitlines()[-1] == "scalemark: incomplete: 5 runs out of memory (--allow-oom takes that as an answer)",
          done.stderr)
    report = closed_report(folder / "out", "complete", 2)
    check(len(valid_report(folder / "out")["points"]) == 12, "every run is a row")
    check([s["session"] for s in report["sessions"]] == [0, 1], report["sessions"])


def new_ranks_until_sure(folder):
    done = run(*sweep(*TWO_RANKS, "--fresh-process", "--until-ci", "0.001%", "--max-time", "3s"), "--output",
               folder / "out", expect=2)
    check("unconverged" in done.stderr.splitlines()[-1], done.stderr)
    places = re.findall(r"\[(\d+)/(\d+)\]", done.stderr)
    check(places and all(int(place) <= int(known) for place, known in places), places)
    report = closed_report(folder / "out", "complete", 2)
    check({group["stop_reason"] for group in report["groups"]} == {"unconverged"}, report["groups"])
    named = [finding["text"] for finding in report["findings"] if finding["code"] == "unconverged"]
    check(len(named) == 1 and all(group["group"] in named[0] for group in report["groups"]), named)
    for file in ("report.md", "report.html"):
        check("did not become as narrow as asked for" in (folder / "out" / file).read_text(), f"{file} is of a block")


def a_second_session_ends(folder):
    """Its runs give no interval however many they are: it runs what is planned and ends, and --max-time is not waited for."""
    options = sweep("--world-sizes", "1", "--until-ci", "0.001%", repetitions=10)
    first = run(*options, "--max-time", "2s", "--output", folder / "out", expect=2)
    check("--until-ci was not reached within --max-time" in first.stderr.splitlines()[-1], first.stderr)
    done = run(*options, "--max-time", "10h", "--resume", "--output", folder / "out", expect=2)
    check("runs of two sessions give no interval of throughput" in done.stderr.splitlines()[-1], done.stderr)
    report = closed_report(folder / "out", "complete", 2)
    check(all(group["n"] >= 10 and "ci95" not in group for group in report["groups"]), report["groups"])


def rows_tell_when_they_began(folder):
    """`started` is the run's begin, not the time at which its row was written."""
    # A window is shorter than asked for where the warm-up was disturbed; one of two seconds distinguishes its begin from its end.
    for asked_s in (2, 8, 32):
        run("sweep", "--workload", "linear", "--warmup-iters", 2, "--min-time", asked_s, "--world-sizes", "1", "--repetitions", 1,
            "--threads", 1, "--no-progress", "--output", folder / f"out{asked_s}")
        report = closed_report(folder / f"out{asked_s}", "complete", 0)
        row, = report["points"]
        if row["wall_s"] >= 2:
            break
    seconds = [datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
               for text in (report["sessions"][0]["started"], row["started"], report["finished"])]
    check(seconds == sorted(seconds) and row["wall_s"] >= 2, f"{seconds}, {row['wall_s']} s")
    check(seconds[1] + row["wall_s"] <= seconds[2] + 1, f"{row['wall_s']} s from {row['started']} to {report['finished']}")


run_cases({f.__name__: f for f in (preset_holds_its_time, preset_that_cannot_is_refused, new_ranks_per_block,
                                   new_ranks_until_sure, a_second_session_ends, rows_tell_when_they_began)})
