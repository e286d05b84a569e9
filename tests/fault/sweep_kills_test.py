"""Nothing lost: 12 points on 2 ranks, one of them too large for one rank; rank 1 is killed in another, then
everything is killed at a random time. 50 trials with SCALEMARK_SOAK=full; else 1, of 6 points."""

import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from endings import Running, check_gone, closed_report
from program import check, run
from sweeps import TWO_RANKS, await_rows, finished_rows, kill_all, statuses, sweep, valid_report

TRIALS, SIZES = (50, (1, 2, 3, 4096)) if os.environ.get("SCALEMARK_SOAK") == "full" else (1, (1, 4096))
POINTS = 3 * len(SIZES)
OPTIONS = sweep(*TWO_RANKS, "--batch-sizes", ",".join(map(str, SIZES)), "--memory-limit", "1=400KiB")


def kill_one_rank(folder, rows):
    """Rank 1 is killed in the run after so many rows: exit code 69, and finished rows stay."""
    with Running(*OPTIONS, "--output", folder) as sweeping:
        check(await_rows(sweeping, rows), "the sweep ended too early")
        ranks = sweeping.ranks()
        check(len(ranks) == 2, f"two ranks: {ranks}")
        os.kill(ranks[1], signal.SIGKILL)
        sweeping.end(expect=69)
        check_gone(ranks)
    report = closed_report(folder, "failed", 69)
    kept(finished_rows(folder), report)  # a report that was closed holds all that the journal holds
    return finished_rows(folder)


def kill_everything(folder, after_s):
    """Kills after so many seconds, unless the sweep has ended; the report is valid at every reading."""
    with Running(*OPTIONS, "--resume", "--output", folder) as sweeping:
        end = time.monotonic() + after_s
        while time.monotonic() < end and sweeping.process.poll() is None:
            valid_report(folder)
            time.sleep(0.1)
        kill_all(sweeping)
    report = valid_report(folder)
    begun = report["sessions"][-1]["session"] == 1  # else the report is still the killed rank's: failed
    check(report["status"] in (("partial", "complete") if begun else ("failed",)), report["status"])
    return finished_rows(folder)


def kept(before, after):
    """Every row that was there is there, as it was."""
    rows = {row["id"]: row for row in after["points"]}
    for row in before.values():
        now = rows.get(row["id"], {})
        same = all(now.get(key) == row.get(key) for key in ("status", "session", "started", "samples_per_sec"))
        check(same, f"{row['id']} was lost or ran again")


def trial(folder, undisturbed, seconds, luck):
    first = kill_one_rank(folder, luck.randrange(1, POINTS - 3))
    second = kill_everything(folder, luck.uniform(0.0, 1.2 * seconds))
    check(first == {key: second.get(key) for key in first}, "rows of the first session were lost or changed")
    run(*OPTIONS, "--resume", "--output", folder, expect=2)
    last = closed_report(folder, "complete", 2)
    valid_report(folder)
    kept(second, last)
    check(statuses(last) == undisturbed, f"{statuses(last)} instead of {undisturbed}")
    numbers = [session["session"] for session in last["sessions"]]
    check(numbers == sorted(set(numbers)) and len(numbers) >= 2, f"sessions {numbers}")
    return len(first), len(second)


def main():
    seed = int(os.environ.get("SCALEMARK_SEED", random.SystemRandom().randrange(1 << 32)))
    print(f"seed {seed} (SCALEMARK_SEED repeats it)", flush=True)
    luck = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        began = time.monotonic()
        run(*OPTIONS, "--output", Path(name) / "undisturbed", expect=2)
        seconds = time.monotonic() - began
        undisturbed = statuses(closed_report(Path(name) / "undisturbed", "complete", 2))
        check(sorted(undisturbed.values()) == ["ok"] * (POINTS - 2) + ["oom"] * 2, undisturbed)
        for number in range(TRIALS):
            rows = trial(Path(name) / str(number), undisturbed, seconds, luck)
            print(f"trial {number}: rows after the rank's kill, after everybody's: {rows}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
