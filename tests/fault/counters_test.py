"""Clocks that are wrong for one rank are found. A preloaded library plants them."""

from endings import Running, closed_report, run_cases
from program import BINARY_DIR, check

LIBRARY = (BINARY_DIR / "tests/libplanted_counters.so").resolve()
TRAIN = ("train", "--workload", "mlp", "--nproc-per-node", 2, "--threads", 1, "--no-progress")


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
    """By 5 s in the window, in rank 1: rates follow the longest wall, which is wrong."""
    jump, out = folder / "jump", folder / "out"
    with Running(*TRAIN, "--min-time", 4, "--output", out, LD_PRELOAD=LIBRARY, CLOCK_JUMPS=f"1:{jump}") as running:
        running.await_event("window", into_s=0)
        jump.touch()
        running.end(expect=1)
    report = closed_report(out, "complete", 1)
    found = check_error(report, "clocks_disagree")
    check("rank 1" in found["text"] and "rank 0" in found["text"] and "place" not in found, found)
    [point] = report["points"]
    quiet, wrong = point["ranks"]
    check(wrong["wall_s"] > quiet["around_s"] + 4.5 and wrong["around_s"] >= wrong["wall_s"], (quiet, wrong))


run_cases({f.__name__: f for f in (clock_that_jumps,)})
