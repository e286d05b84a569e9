"""Limits of open files: the soft limit (1,024 on most systems) is raised, the hard one is reported before anything
hangs; and a program that was started without standard input and output."""

import re

from endings import Running, closed_report, only_error, run_cases
from launching import free_port
from program import check
from sweeps import sweep

# Rank 0 of four needs more.
FOUR_RANKS = sweep("--world-sizes", "1,4", "--nproc-per-node", 4)


def under(limit, files=44):
    return ("bash", "-c", f'ulimit {limit} {files}; exec "$@"', "bash")


def soft_limit(folder):
    with Running(*FOUR_RANKS, "--output", folder / "out", wrapper=under("-Sn")) as run:
        run.end(expect=0, seconds=120)
    closed_report(folder / "out", "complete", 0)


def hard_limit(folder):
    with Running(*FOUR_RANKS, "--output", folder / "out", wrapper=under("-n")) as run:
        run.end(expect=71, seconds=60)
    only_error(run.stderr, "E_SYSTEM", 71, "may open 44 files", "4 ranks needs", "ulimit -Hn")


def named_limit(folder):
    """What a refusal asks for is enough: for a full mesh, and for two."""
    beside = ("comm", "--collectives", "all-reduce", "--sizes", "4KiB", "--backends", "gloo", "--congestion", "on", "--threads", 1, "--repetitions", 1,
              "--no-progress", "--nproc-per-node", 4)
    for name, words in (("sweep", FOUR_RANKS), ("comm", beside)):
        with Running(*words, "--output", folder / name, wrapper=under("-n")) as run:
            run.end(expect=71, seconds=60)
        needed = re.search(r"of 4 ranks needs (\d+)", run.stderr)[1]
        with Running(*words, "--output", folder / name, wrapper=under("-n", needed)) as run:
            run.end(expect=0, seconds=120)
        closed_report(folder / name, "complete", 0)


def hard_limit_without_our_launcher(folder):
    """Each rank checks its own limit; rank 0, which serves the store, needs most."""
    with Running(*FOUR_RANKS[:-2], "--output", folder / "out", wrapper=under("-n"), RANK=0, WORLD_SIZE=4, LOCAL_RANK=0,
                 LOCAL_WORLD_SIZE=4, MASTER_ADDR="127.0.0.1", MASTER_PORT=free_port()) as run:
        run.end(expect=71, seconds=60)
    only_error(run.stderr, "E_SYSTEM", 71, "rank 0 of 4 ranks needs")


def closed_standard_streams(folder):
    """A socket that got number 0 or 1 would be written to as output, or replaced in the ranks. The result is lost, which
    is said (74), and the report is whole."""
    with Running(*sweep("--world-sizes", "1,2", "--nproc-per-node", 2), "--output", folder / "out",
                 wrapper=("bash", "-c", 'exec "$@" <&- >&-', "bash")) as run:
        run.end(expect=74, seconds=120)
    closed_report(folder / "out", "complete", 0)
    only_error(run.stderr, "E_IO", 74, "stdout")
    check(run.stdout == "", run.stdout)


run_cases({f.__name__: f for f in (soft_limit, hard_limit, named_limit, hard_limit_without_our_launcher, closed_standard_streams)})
