"""sweep --fresh-process is asked to end: whenever that is, it ends with the signal's code, starts no further block, and
--resume completes it. `between`: as block 1 is closed, by SIGINT (sweep_endings_test.py: SIGTERM). `anywhen`: at 50 random moments."""

import os
import random
import signal
import sys
import time

from endings import FULL, Running, check_gone, closed_report, error_lines, run_cases
from program import check, run
from sweeps import journal_lines, statuses, sweep, valid_report

BLOCKS = 3 if FULL else 2
OPTIONS = sweep("--world-sizes", "1", "--nproc-per-node", 2, "--batch-sizes", "1", "--fresh-process", repetitions=BLOCKS)
CODES = {signal.SIGTERM: 75, signal.SIGINT: 130}


def await_closed(sweeping):
    """Returns as the first block is closed, at once."""
    end = time.monotonic() + 60
    while time.monotonic() < end and sweeping.process.poll() is None:
        if any(line["event"] == "closed" for line in journal_lines(sweeping.folder)):
            return
        time.sleep(0.002)
    sys.exit(f"no block was closed: {sweeping.process.communicate()}")


def completes(out, before):
    run(*OPTIONS, "--resume", "--output", out)
    closed_report(out, "complete", 0)
    rows = statuses(valid_report(out))
    check(len(rows) == BLOCKS and before.items() <= rows.items(), f"{rows} after {before}")


def between(folder):
    for number, code in CODES.items() if FULL else ((signal.SIGINT, 130),):
        out = folder / str(code)
        with Running(*OPTIONS, "--output", out) as sweeping:
            await_closed(sweeping)
            check(valid_report(out)["status"] == "partial", "a sweep with blocks to come does not say that all is well")
            os.kill(sweeping.process.pid, number)
            sweeping.end(expect=code)
        report = closed_report(out, "interrupted", code)
        check([session["session"] for session in report["sessions"]] == [0], report["sessions"])
        check([error["exit_code"] for error in report["errors"]] == [code], report["errors"])
        check({group["stop_reason"] for group in report["groups"]} == {"interrupted"}, report["groups"])
        # The launcher's; a signal that a busy machine delivers late finds new ranks, which have not begun a session.
        check({line[1] for line in error_lines(sweeping.stderr)} == {code}, sweeping.stderr)
        check("interrupted" in (out / "report.md").read_text(), "the page does not show it")
        completes(out, statuses(report))


def anywhen(folder):
    seed = int(os.environ.get("SCALEMARK_SEED", random.SystemRandom().randrange(1 << 32)))
    trials = int(os.environ.get("SCALEMARK_TRIALS", 50))
    print(f"seed {seed} (SCALEMARK_SEED repeats it)", flush=True)
    luck = random.Random(seed)
    began = time.monotonic()
    run(*OPTIONS, "--output", folder / "undisturbed")
    seconds = time.monotonic() - began
    for trial in range(trials):
        out, number = folder / str(trial), luck.choice(list(CODES))
        with Running(*OPTIONS, "--output", out) as sweeping:
            sweeping.await_event("started", into_s=0)  # before that nothing is begun that could be stopped
            time.sleep(luck.uniform(0, seconds))
            ranks = sweeping.ranks()
            over = sweeping.process.poll() is not None
            if not over:
                os.kill(sweeping.process.pid, number)
            sweeping.stdout, sweeping.stderr = sweeping.process.communicate(timeout=150)
            check_gone(ranks)
        code = sweeping.process.returncode
        done = valid_report(out)["status"] == "complete"
        print(f"trial {trial}: signal {number}, exit {code}, {len(valid_report(out)['points'])} rows", flush=True)
        # Nothing is left to stop once every run is finished: then the sweep is through.
        check(code == (0 if done else CODES[number]), f"{code}, {valid_report(out)['status']}\n{sweeping.stderr}")
        if not done:
            closed_report(out, "interrupted", code)
            completes(out, statuses(valid_report(out)))
        check(len(valid_report(out)["points"]) == BLOCKS, "every row")


run_cases({f.__name__: f for f in (between, anywhen)})
