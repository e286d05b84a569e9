"""Takes the steps one after another within a budget of seconds."""

import importlib.util
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from . import card
from .process import run_bounded
from .step import FAILED, VERDICTS, Outcome, Result, failed, not_judged, report_below, skipped

PACKING_S = 10  # kept back for the table and the archive
INTERRUPTED = "the session was interrupted"


@dataclass
class Slot:
    """Holds where a session writes, how long it may take, and what it runs on."""
    output: Path
    deadline: float  # time.monotonic()
    rehearsal: object = None  # wraps commands for the null device
    environment: dict | None = None
    after_each: object = lambda outcomes: None  # the table so far is written: the machine may be taken away

    def left_s(self):
        return self.deadline - PACKING_S - time.monotonic()


def take_steps(steps, slot):
    """Outcomes of all steps, in order; those after a fatal failure, or without time, are skipped with the reason."""
    outcomes, results, stop = [], {}, None
    card_now = card.state()
    for step in steps:
        verdict = skipped(stop) if stop else verdict_without_running(step, slot)
        outcome = Outcome(step.name, verdict) if verdict else take_or_stop(step, slot, results)
        card_before, card_now = card_now, card_now if verdict else card.state()
        outcome.card_before, outcome.card_after = card_before, card_now
        stop = stop or reason_to_stop(step, outcome)
        outcomes.append(outcome)
        print(f"{outcome.name:32} {outcome.verdict.status:10} {outcome.seconds:6.1f} s  {outcome.verdict.figure}",
              flush=True)
        slot.after_each(outcomes)
    return outcomes


def take_or_stop(step, slot, results):
    """SIGTERM and Ctrl-C end the step, not the session's table."""
    try:
        return take(step, slot, results)
    except KeyboardInterrupt:
        return Outcome(step.name, skipped(INTERRUPTED))


def reason_to_stop(step, outcome):
    if outcome.verdict.figure == INTERRUPTED:
        return INTERRUPTED
    return f"{step.name} failed" if step.fatal and outcome.verdict.status == FAILED else None


def verdict_without_running(step, slot):
    """None: it can be run."""
    if slot.left_s() < (1 if slot.rehearsal else step.needs_s):
        return skipped("no time left")
    if slot.rehearsal:
        reason = step.not_rehearsed or ("no null NCCL was built" if step.nccl and not slot.rehearsal.nccl else None)
        return not_judged(reason) if reason else None
    if step.tool and shutil.which(step.tool) is None:
        return skipped(f"no {step.tool} on this machine")
    missing = [name for name in step.needs_python if importlib.util.find_spec(name) is None]
    return skipped(f"this Python has no {', '.join(missing)}") if missing else None


def take(step, slot, results):
    """Runs the step's processes in turn, ends at the first that does not end as it should, and judges."""
    start, codes = time.monotonic(), []
    limit_s = min(step.limit_s, slot.left_s())
    verdict = None
    for run in step.runs:
        ended = execute(run, slot, limit_s - (time.monotonic() - start))
        codes.append(ended.code)
        folder = slot.output / "runs" / run.name
        log = (slot.output / "logs" / f"{run.name}.log").read_text(errors="replace")
        results[run.name] = Result(ended.code, log, report_below(folder), folder)
        verdict = verdict_on_ending(step, run, ended, log, limit_s) or verdict_of_null_device(slot)
        if verdict:
            break
    verdict = verdict or judged(step, results, slot)
    return Outcome(step.name, verdict, time.monotonic() - start, tuple(codes))


def execute(run, slot, limit_s):
    words = run.words
    environment = {**(slot.environment or os.environ), **{k: str(v) for k, v in run.environment.items()}}
    if slot.rehearsal:
        words, environment = slot.rehearsal.wrapped(words, environment)
    return run_bounded(words, slot.output / "logs" / f"{run.name}.log", limit_s, environment)


def verdict_on_ending(step, run, ended, log, limit_s):
    """The verdict on an unexpected end; None when the process ended as it should."""
    if ended.cut_off:
        if limit_s < step.limit_s:
            return skipped(f"no time left: {run.name} was cut off after {limit_s:.0f} s")
        return failed(f"{run.name} did not end within {limit_s:.0f} s")
    if ended.code == 77:  # a test that cannot run here
        return skipped(last_line(log, "SKIPPED:").removeprefix("SKIPPED:").strip())
    if ended.code not in (VERDICTS if run.expect is None else (run.expect,)):
        excuse = next((reason for text, reason in step.excuses if text in log), None)
        if excuse:
            return skipped(excuse)
        return failed(f"{run.name} ended with {ended.code}, expected {run.expect}: {last_line(log, 'error E_')}")
    return None


def verdict_of_null_device(slot):
    """Fails on invalid uses of the device, which the null device has counted."""
    wrong = slot.rehearsal.violations() if slot.rehearsal else {}
    return failed(f"done to the device: {wrong}") if wrong else None


def last_line(log, mark):
    """The last line that holds `mark`, or the last at all."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    marked = [line for line in lines if mark in line]
    return (marked or lines or ["no output"])[-1][:200]


def judged(step, results, slot):
    """A judge that cannot read what it needs has found a failure, not a reason to stop the session."""
    if step.numbers and slot.rehearsal:
        return not_judged("ran; no numbers on the null device")
    try:
        return step.judge(results)
    except (KeyError, IndexError, TypeError, ValueError, OSError) as error:
        return failed(f"cannot be judged: {type(error).__name__}: {error}")


def exit_code(outcomes):
    """1: something that was judged failed; 75: the session was asked to end before its last step; else 0."""
    if any(outcome.verdict.status == FAILED for outcome in outcomes):
        return 1
    return 75 if any(outcome.verdict.figure == INTERRUPTED for outcome in outcomes) else 0
