"""Runs that fail over NCCL: a rank that is killed, a collective that hangs, signals, and too little memory on one rank.

NCCL's collectives do not fail when a peer does: over a network NCCL records an error that the program must query, over
NVLink it notices nothing. Each fault is tried in both ways where they differ.
"""

import os
import signal

import null_nccl
from endings import check_gone, closed_report, error_lines, expect_error, run_cases
from null_nccl import LONG, SWEEP, TRAIN, events
from program import check

# The second collective of a step in the window: after those of the set-up and the warm-up.
HANG = {"NULLNCCL_HANG_AT": 40}


def killed(folder, mode):
    out = folder / "out"
    done = null_nccl.run(*TRAIN, *LONG, "--output", out, expect=69,
                         env={"NULLNCCL_DIE_AT": 60, "NULLNCCL_DIE_RANK": 1, "NULLNCCL_PEER_LOSS": mode})
    lines = error_lines(done.stderr)
    expect_error(lines[-1], "E_RANK_KILLED", 69, "rank=1", "SIGKILL")
    expect_error(lines[0], "E_RANK_KILLED", 69, "rank=0", "phase=window", "rank 1", "was killed")
    check(closed_report(out, "failed", 69)["points"] == [], "the unfinished window is no row")


def killed_rank(folder):
    """NCCL's network reports it: the survivor ends by itself, before the launcher's 10 s are over."""
    killed(folder, "error")


def killed_rank_silently(folder):
    """NVLink does not report it: the launcher does, and the survivor ends by itself."""
    killed(folder, "silent")


def hang(folder):
    out = folder / "out"
    done = null_nccl.run(*TRAIN, *LONG, "--timeout", "window=3", "--output", out, env=HANG, expect=81)
    lines = error_lines(done.stderr)
    expect_error(lines[0], "E_HANG", 81, "phase=window", "3 s", "--timeout window=")
    report = closed_report(out, "failed", 81)
    check(report["points"] == [], report["points"])


def sigterm(folder):
    out = folder / "out"
    with null_nccl.running(*TRAIN, *LONG, "--output", out) as run:
        run.await_event("window")
        ranks = run.ranks()
        os.kill(run.process.pid, signal.SIGTERM)
        run.end(expect=75)
        check_gone(ranks)
    lines = error_lines(run.stderr)
    check([line[:2] for line in lines] == [("E_PREEMPTED", 75)], f"one line for all ranks is expected\n{run.stderr}")
    closed_report(out, "interrupted", 75)
    check(events(run.stderr).get("finalized") == 2, f"an agreed stop ends the group well: {events(run.stderr)}")


def sigterm_in_a_hang(folder):
    out = folder / "out"
    with null_nccl.running(*TRAIN, *LONG, "--output", out, **HANG) as run:
        run.await_event("window")
        hanging = (line for line in run.process.stderr if line.endswith(": hangs\n"))
        check(next(hanging, None) and next(hanging, None), "not both ranks hang")
        ranks = run.ranks()
        os.kill(run.process.pid, signal.SIGTERM)
        run.end(expect=75)
        check_gone(ranks)
    closed_report(out, "interrupted", 75)


# cuBLAS and cuBLASLt take 32 MiB each for their workspaces; a batch of 20000 vectors of 1000 floats takes 77 MiB.
SIZES = ("--world-sizes", "1,2", "--batch-sizes", "1,20000,4")


def out_of_memory(folder, **environment):
    out = folder / "out"
    done = null_nccl.run(*SWEEP, *SIZES, "--memory-limit", "1=100MiB", "--output", out, env=environment, expect=2,
                         allowed=())
    rows = closed_report(out, "complete", 2)["points"]
    for row in rows:
        too_big = row["batch_size"] == 20000 and 1 in [rank["rank"] for rank in row.get("ranks", [])]
        check(row["status"] in ("ok", "oom"), f"{row['id']}: {row['status']} {row.get('reason')}")
        if row["status"] == "oom":
            check(row["batch_size"] == 20000 and row["oom"]["rank"] == 1, row)
        else:
            check(not too_big, row["id"])
    lost = [row["id"] for row in rows if row["status"] == "oom"]
    check(lost, "nothing was out of memory")
    after = [row for row in rows if row["strategy"] == "ddp" and row["status"] == "ok"]
    check(len(after) == 2, f"the sweep went on over NCCL: {[row['id'] for row in after]}")
    found = events(done.stderr)
    check(found["aborted"] == 2 * len(lost), f"both ranks abort what failed: {lost} {found}")
    return done


def memory_of_one_rank(folder):
    """The peer's NCCL notices the loss: torch's watchdog must not end the process."""
    out_of_memory(folder, NULLNCCL_PEER_LOSS="error")


def memory_of_one_rank_silently(folder):
    """The peer's NCCL does not notice: the failed rank's result frees it. An abort of 80 s delays no rank."""
    done = out_of_memory(folder, NULLNCCL_PEER_LOSS="silent", NULLNCCL_ABORT_SECONDS=80)
    check("abort ended" not in events(done.stderr), "it waited for an abort")


def memory_before_the_first_step(folder):
    """Not even the parameters fit on rank 1: its peer does not hang in NCCL's initialisation."""
    null_nccl.run(*SWEEP, "--world-sizes", "1,2", "--memory-limit", "1=1MiB", "--timeout", "40", "--output",
                  folder / "out", expect=2)
    rows = closed_report(folder / "out", "complete", 2)["points"]
    check({row["status"] for row in rows if row["world_size"] == 2} == {"oom"}, [row["id"] for row in rows])


run_cases({f.__name__: f for f in (killed_rank, killed_rank_silently, hang, sigterm, sigterm_in_a_hang,
                                   memory_of_one_rank, memory_of_one_rank_silently, memory_before_the_first_step)})
