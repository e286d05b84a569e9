"""Ranks in slow motion: a run can be watched for as long as a test needs, and takes little of the machine that tests share."""

import contextlib
import os
import signal
import threading

PERIOD_S = 0.4


def send(pids, number):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


@contextlib.contextmanager
def slow_motion(ranks, share):
    """For the length of a with block the processes whose ids `ranks` returns are stopped, but for this share of the time. What they say of
    themselves comes late by less than a second; what they compute, and how long a window of so many seconds lasts, stays as it is."""
    over = threading.Event()

    def move():
        while not over.is_set():
            stopped = ranks()
            send(stopped, signal.SIGSTOP)
            over.wait((1 - share) * PERIOD_S)
            send(stopped, signal.SIGCONT)
            over.wait(share * PERIOD_S)

    mover = threading.Thread(target=move)
    mover.start()
    try:
        yield
    finally:
        over.set()
        mover.join()
