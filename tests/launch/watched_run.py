"""A run with everything on that shows it while it lasts, and what its watchers have in common."""

import contextlib
import http.client
import json
import signal
import time

from endings import Running
from program import SKIPPED, check, text_of

LIMIT_S = 600
TRAIN = ("train", "--workload", "mlp", "--nproc-per-node", 2, "--threads", 1)
FOREVER = ("--iters", 1_000_000, "--warmup-iters", 2)  # far longer than a test watches
GONE = (OSError, http.client.HTTPException)  # nobody answers, or not to the end


def available(kind, *arguments):
    """A watcher; none where this machine lacks what it needs, which it says: the others watch all the same."""
    try:
        return [kind(*arguments)]
    except SystemExit as end:
        if end.code != SKIPPED:
            raise
        return []


def status_of(folder):
    """Returns an empty status before the first; each is whole, since it comes by a rename."""
    return json.loads(text_of(folder / "status.json") or "{}")


class Watched(Running):
    """A run below the folder in which Prometheus searches target files, with its pages on any free port, or at `port`."""

    def __init__(self, folder, *arguments, port="auto", **how):
        out = folder / "results/runs/a"
        out.parent.mkdir(parents=True, exist_ok=True)
        self.events = folder / "events"
        self.statuses = []  # all that were seen
        super().__init__(*arguments, "--metrics-port", port, "--tensorboard", self.events, "--no-progress", "--output", out, **how)

    def status(self):
        """The newest one."""
        newest = status_of(self.folder)
        if newest and newest not in self.statuses[-1:]:
            self.statuses.append(newest)
        return newest

    def until(self, condition, otherwise, every_s=0.1):
        """Returns what `condition` gives, once that is true; the run must not end before."""
        deadline = time.monotonic() + LIMIT_S
        while True:
            self.status()
            with contextlib.suppress(*GONE):
                if found := condition():
                    return found
            check(self.process.poll() is None, f"the run ended before: {otherwise}: {self.statuses[-1:]}")
            check(time.monotonic() < deadline, f"{otherwise}, after {LIMIT_S} s: {self.statuses[-1:]}")
            time.sleep(every_s)

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)
        self.end(130)


class Watcher:
    """One watcher checks this at each moment of a run; it ignores those that it does not name."""

    def __init__(self, run):
        self.run = run

    def trains(self):
        """Returns once it has seen that both ranks train."""

    def stands_still(self):
        """Rank 1 has been stopped from outside."""

    def continues(self):
        """Rank 1 has been continued."""

    def is_killed(self):
        """The launcher and all ranks have been killed."""

    def ended(self, state):
        """The run has ended by itself."""
