"""Runs one process with a limit; whatever happens, it and its children are gone afterwards."""

import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

GRACE_S = 5  # SIGKILL follows SIGTERM after so long


@dataclass(frozen=True)
class Ended:
    code: int
    seconds: float
    cut_off: bool


def run_bounded(words, log, limit_s, environment):
    """stdout and stderr go to the file `log`. A process group of its own, so that the limit ends the ranks as well."""
    start = time.monotonic()
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    with open(log, "wb") as out:
        try:
            process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                       env=environment, start_new_session=True)
        except OSError as error:
            out.write(f"{words[0]}: {error}\n".encode())
            return Ended(127, time.monotonic() - start, False)
        try:
            cut_off = not ends_within(process, limit_s)
            if cut_off:
                signal_group(process, signal.SIGTERM)
                ends_within(process, GRACE_S)
        finally:
            signal_group(process, signal.SIGKILL)  # this ends ranks that outlived their launcher, too
            process.wait()
    return Ended(process.returncode, time.monotonic() - start, cut_off)


def ends_within(process, seconds):
    try:
        process.wait(timeout=max(0.0, seconds))
        return True
    except subprocess.TimeoutExpired:
        return False


def signal_group(process, number):
    try:
        os.killpg(process.pid, number)
    except (ProcessLookupError, PermissionError):
        pass
