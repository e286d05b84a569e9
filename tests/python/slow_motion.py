"""Ranks in slow motion: a run can be watched for as long as a test needs, and takes little of the machine that tests share."""

import contextlib
import os
import signal
import threading
import time
from pathlib import Path

PERIOD_S = 0.4


def send(pids, number):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def cpu_s(pids):
    """Returns what they have used; of one that has ended nothing."""
    ticks = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            ticks += sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def slow_motion(ranks, share):
    """For the length of a with block the processes whose ids `ranks` returns are stopped, but for this share of the time, or for as long as they
    need on a busy machine to use as much of a CPU, a second at most. What they say of themselves comes late by less than a second; what they
    compute, and how long a window of so many seconds lasts, stays as it is."""
    over = threading.Event()

    def move():
        while not over.is_set():
            stopped = ranks()
            send(stopped, signal.SIGSTOP)
            over.wait((1 - share) * PERIOD_S)
            enough, deadline = cpu_s(stopped) + share * PERIOD_S, time.monotonic() + 1
            send(stopped, signal.SIGCONT)
            over.wait(share * PERIOD_S)
            while not over.is_set() and cpu_s(stopped) < enough and time.monotonic() < deadline:
                over.wait(0.01)

    mover = threading.Thread(target=move)
    mover.start()
    try:
        yield
    finally:
        over.set()
        mover.join()
