"""A step, the results of its processes, and its outcome."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

VERDICTS = (0, 1, 2)
PASSED, FAILED, SKIPPED, NOT_JUDGED = "passed", "failed", "skipped", "not judged"


@dataclass(frozen=True)
class Verdict:
    status: str
    figure: str = ""  # the number that matters, or the reason


def passed(figure=""):
    return Verdict(PASSED, figure)


def failed(reason):
    return Verdict(FAILED, reason)


def skipped(reason):
    return Verdict(SKIPPED, reason)


def not_judged(reason):
    return Verdict(NOT_JUDGED, reason)


@dataclass(frozen=True)
class Run:
    """One process of a step; `name` is that of its log and, when it writes one, of its report's folder."""
    name: str
    words: tuple
    expect: int | None = 0  # None: whatever is found, one of VERDICTS
    environment: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Result:
    """Holds what one process left: its exit code, its log, and the report that it wrote, if any."""
    code: int
    log: str = ""
    report: dict | None = None
    files: Path | None = None  # its folder

    def point(self, i=0):
        return self.report["points"][i]


@dataclass(frozen=True)
class Step:
    name: str
    runs: tuple
    judge: Callable  # ({run name: Result} of this step and all before it) -> Verdict
    needs_s: int     # usual time on an H200; with less than that left it is not begun
    limit_s: int     # its processes together
    fatal: bool = False          # nothing after it makes sense when it fails
    tool: str | None = None      # a program that may be absent
    numbers: bool = True         # judging needs a real device's numbers
    not_rehearsed: str = ""      # why a rehearsal does not run it
    nccl: bool = False           # a rehearsal needs the null NCCL for it
    needs_python: tuple = ()     # modules of the other side
    excuses: tuple = ()          # (text in a log, reason): not this project's failure
    covering: bool = False       # belongs to the short rehearsal


@dataclass
class Outcome:
    name: str
    verdict: Verdict
    seconds: float = 0.0
    codes: tuple = ()
    card_before: str = ""
    card_after: str = ""


def report_below(folder):
    """The report of a run's folder; None when there is none, or one that was cut off."""
    try:
        return json.loads((Path(folder) / "report.json").read_text())
    except (OSError, ValueError):
        return None
