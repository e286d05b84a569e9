"""A sweep that is asked to stop, or has no room to write: what was finished stays, and --resume completes it."""

import os
import signal
import subprocess
import time

from endings import FULL, Running, check_gone, closed_report, error_lines, run_cases
from program import check, run, small_disk
from sweeps import TWO_RANKS, await_rows, journal_lines, kill_all, statuses, sweep, valid_report

OPTIONS = sweep(*TWO_RANKS, "--batch-sizes", "1,2", repetitions=4)
RUNS = 2 * 3 * 4


def stopped(out, number, exit_code, code):
    """Stopped after the first of many runs: how the sweep ends, and the rows that it has then."""
    with Running(*OPTIONS, "--output", out) as sweeping:
        check(await_rows(sweeping, 1), "it ended too early")
        ranks = sweeping.ranks()
        os.kill(sweeping.process.pid, number)
        sweeping.end(expect=exit_code)
        check_gone(ranks)
    lines = error_lines(sweeping.stderr)
    check([line[:2] for line in lines] == [(code, exit_code)], f"one line for all ranks is expected\n{sweeping.stderr}")
    said = sweeping.stderr.replace("speed-ups compare runs of one session, so the repetition that was cut will have none; ", "")
    check(f"of {RUNS} runs kept in {out}; go on: scalemark sweep " in said and "--resume" in lines[0][2], sweeping.stderr)
    check("ranks" in sweeping.stdout and "samples/s" in sweeping.stdout, f"the table so far is expected\n{sweeping.stdout}")
    report = closed_report(out, "interrupted", exit_code)
    check({group["stop_reason"] for group in report["groups"]} <= {"interrupted", "repetitions"}
          and any(group["stop_reason"] == "interrupted" for group in report["groups"]), report["groups"])
    check(report["sessions"][-1]["planned_runs"] == RUNS, report["sessions"])
    before = statuses(report)
    check(0 < len(before) < RUNS and set(before.values()) == {"ok"}, before)
    for page in ("report.md", "report.html"):
        check("interrupted" in (out / page).read_text(), f"{page} does not show the stop")
    return before


def completes(out, before):
    run(*OPTIONS, "--resume", "--output", out)
    report = closed_report(out, "complete", 0)
    check([session["planned_runs"] for session in report["sessions"]] == [RUNS, RUNS], report["sessions"])
    check({group["stop_reason"] for group in report["groups"]} == {"repetitions"}, report["groups"])
    rows = statuses(valid_report(out))
    check(len(rows) == RUNS and set(rows.values()) == {"ok"}, rows)
    old = {row["id"] for row in report["points"] if row["session"] == 0}
    check(old == set(before), f"kept {sorted(old)}, had {sorted(before)}")


def sigterm(folder):
    completes(folder / "out", stopped(folder / "out", signal.SIGTERM, 75, "E_PREEMPTED"))


def events(folder, name):
    return sum(line["event"] == name for line in journal_lines(folder))


def resumed_and_stopped(folder):
    """A page of the earlier session would show another report, so that of a killed session is removed. SIGTERM: SCALEMARK_SOAK=full."""
    out = folder / "out"
    run(*sweep("--world-sizes", "1"), "--output", out)
    pages = [out / "report.md", out / "report.html"]
    endless = [10_000_000 if option == 5 else option for option in sweep("--world-sizes", "1", repetitions=2)]
    for kill in (signal.SIGTERM, signal.SIGKILL) if FULL else (signal.SIGKILL,):
        windows = events(out, "window")
        with Running(*endless, "--resume-anyway", "--output", out) as sweeping:
            end = time.monotonic() + 60
            while events(out, "window") == windows:
                check(time.monotonic() < end and sweeping.process.poll() is None, "no window")
                time.sleep(0.05)
            check(not any(page.exists() for page in pages), "pages of the session before")
            if kill == signal.SIGTERM:
                os.kill(sweeping.process.pid, kill)
                sweeping.end(expect=75)
                check(all("interrupted" in page.read_text() for page in pages), "pages of this session")
            else:
                kill_all(sweeping)
                check(not any(page.exists() for page in pages), "no page of a session that was killed")


def full_disk(folder):
    with small_disk(folder, "128k") as disk:
        done = run(*OPTIONS, "--output", disk / "out", expect=74)
        check("E_IO" in done.stderr and "No space left" in done.stderr, done.stderr)
        before = statuses(valid_report(disk / "out"))
        check(0 < len(before) < RUNS, f"{len(before)} rows fit")
        report = closed_report(disk / "out", "failed", 74)
        check([error["code"] for error in report["errors"]] == ["E_IO"], report["errors"])
        subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
        run(*OPTIONS, "--resume", "--output", disk / "out")
        rows = statuses(valid_report(disk / "out"))
        check(len(rows) == RUNS and before.items() <= rows.items(), rows)


def full_disk_for_renderings(folder):
    """Every row fits, the page does not: report.json must not say that all is well."""
    short = sweep("--world-sizes", "1")
    with small_disk(folder, "192k") as disk:
        done = run(*short, "--output", disk / "out", expect=74)
        check("report.html" in done.stderr and "No space left" in done.stderr, done.stderr)
        report = closed_report(disk / "out", "failed", 74)
        check(set(statuses(report).values()) == {"ok"}, statuses(report))
        check(not (disk / "out" / "report.md").exists(), "a rendering of a report that was not closed")
        subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
        run(*short, "--resume", "--output", disk / "out")
        closed_report(disk / "out", "complete", 0)
        check((disk / "out" / "report.html").exists(), "rendered now")


run_cases({f.__name__: f for f in (sigterm, resumed_and_stopped, full_disk, full_disk_for_renderings)})
