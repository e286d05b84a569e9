"""Suspended time: a run that is suspended (scontrol suspend, gang scheduling, Ctrl-Z) and continued goes on, and
deadlines beyond what a clock can hold still work. `trials`: suspends at 100 random moments."""

import os
import pty
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from endings import FULL, Running, closed_report, come_to, run_cases
from program import SCALEMARK, check, clean_environment, run, text_of

# Gloo waits as long as the longest phase may last: the others keep their 300 s, so that only our own clocks are tried.
SHORT = "warmup=5,window=5,wait=5"
SWEEP = ("sweep", "--workload", "linear", "--world-sizes", "1,2", "--nproc-per-node", 2, "--repetitions", 1,
         "--warmup-iters", 2, "--min-time", 3 if FULL else 1, "--threads", 1, "--no-progress", "--retries", 0, "--timeout", SHORT)
STOPPED_S = 8


def suspend(pids, seconds):
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(seconds)
    for pid in pids:
        os.kill(pid, signal.SIGCONT)


def suspended_sweep(folder):
    """Longer than every phase's deadline; rank 1 waits meanwhile, rank 0 measures."""
    with Running(*SWEEP, "--output", folder / "out") as sweeping:
        sweeping.await_event("window")
        suspend([*sweeping.ranks(), sweeping.process.pid], STOPPED_S)
        sweeping.end(expect=0, seconds=120)
    report = closed_report(folder / "out", "complete", 0)
    check(all(row["status"] == "ok" for row in report["points"]), "a row is not ok")


def suspended_ranks_only(folder):
    """`scontrol suspend` does so under srun: there is no launcher of ours."""
    with Running(*SWEEP, "--output", folder / "out") as sweeping:
        sweeping.await_event("window")
        suspend(sweeping.ranks(), STOPPED_S)
        sweeping.end(expect=0, seconds=120)
    closed_report(folder / "out", "complete", 0)


class OnATerminal:
    """The program as a shell with job control starts it: in a process group of its own, in the foreground."""

    SHELL = """
import os, signal, subprocess, sys
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
child = subprocess.Popen(sys.argv[2:], process_group=0)
os.tcsetpgrp(0, child.pid)
open(sys.argv[1], "w").write(str(child.pid))
while True:
    pid, status = os.waitpid(child.pid, os.WUNTRACED)
    if not os.WIFSTOPPED(status):
        sys.exit(os.waitstatus_to_exitcode(status))
"""

    def __init__(self, folder, *arguments):
        note = folder / "pid"
        command = [sys.executable, "-c", self.SHELL, note, SCALEMARK, *arguments]
        self.shell, self.terminal = pty.fork()
        if self.shell == 0:
            os.execve(sys.executable, [str(part) for part in command], clean_environment())
        end = time.monotonic() + 60
        while not text_of(note) and time.monotonic() < end:
            time.sleep(0.05)
        self.pid = int(note.read_text())

    def ranks(self):
        return [int(pid) for pid in Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()]

    def type(self, keys):
        os.write(self.terminal, keys)

    def wait(self):
        """Reads until the terminal is closed; the exit code."""
        try:
            while os.read(self.terminal, 65536):
                pass
        except OSError:
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.shell, 0)[1])


def ctrl_z(folder):
    """The ranks stop with the launcher, and continue with it."""
    sweeping = OnATerminal(folder, *SWEEP, "--output", folder / "out")
    end = time.monotonic() + 120
    journal = folder / "out" / "journal.jsonl"
    while time.monotonic() < end and '"event":"window"' not in text_of(journal):
        time.sleep(0.05)
    ranks = sweeping.ranks()
    check(len(ranks) == 2, ranks)
    sweeping.type(b"\x1a")
    states = come_to((sweeping.pid, *ranks), lambda one: one == "T")
    check(states == ["T", "T", "T"], f"launcher and ranks are {states} after Ctrl-Z")
    time.sleep(STOPPED_S)
    os.killpg(sweeping.pid, signal.SIGCONT)  # `fg` does this
    states = come_to(ranks, lambda one: one != "T")
    check("T" not in states, f"the ranks did not go on: {states}")
    check(sweeping.wait() == 0, "the run did not end well")
    report = closed_report(folder / "out", "complete", 0)
    check(all(row["status"] == "ok" for row in report["points"]), "a row is not ok")


def long_timeouts(folder):
    """1e18 s is beyond 64 bits of nanoseconds, and 1e300 s beyond those of seconds. Unless SCALEMARK_SOAK=full only the second."""
    for number, text in enumerate(("1e300", *(("window=1e18",) if FULL else ()))):
        run("train", "--workload", "linear", "--nproc-per-node", 2, "--iters", 5, "--warmup-iters", 2, "--threads", 1,
            "--no-progress", "--timeout", text, "--output", folder / str(number))
    done = subprocess.run([SCALEMARK, "train", "--timeout", "0"], capture_output=True, text=True, env=clean_environment())
    check(done.returncode == 78, done.stderr)


def trials(folder):
    count = int(os.environ.get("SCALEMARK_TRIALS", 100))
    seed = int(os.environ.get("SCALEMARK_SEED", random.SystemRandom().randrange(1 << 32)))
    print(f"seed {seed} (SCALEMARK_SEED repeats it), {count} trials", flush=True)
    luck = random.Random(seed)
    for number in range(count):
        out = folder / str(number)
        with Running(*SWEEP, "--output", out) as sweeping:
            time.sleep(luck.uniform(0.2, 9))
            if sweeping.process.poll() is None:
                pids = [*sweeping.ranks(), sweeping.process.pid]
                suspend(luck.sample(pids, len(pids)), luck.uniform(5, 9))
            sweeping.end(expect=0, seconds=120)
        closed_report(out, "complete", 0)
    print(f"{count} suspended runs, which all went on")


run_cases({f.__name__: f for f in (suspended_sweep, suspended_ranks_only, ctrl_z, long_timeouts, trials)})
