"""Ranks that are killed, hang or disagree, and signals: exit codes, reports, no orphans."""

import contextlib
import json
import os
import re
import signal
import sys
import time

from endings import (ENDLESS, FULL, Running, check_gone, closed_report, error_lines, expect_error, only_error, run_cases)
from launching import await_connection, await_listener, free_port
from program import check

# Whoever starts the program may have blocked what is to end it.
BLOCKED = (sys.executable, "-c", "import os, signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGALRM]); os.execv(sys.argv[1], sys.argv[1:])")


def by_hand(rank, port, output, *options, ranks=2, command="train"):
    return Running(command, *(("--workload", "linear") if command == "train" else ()), "--output", output, *options, RANK=rank, WORLD_SIZE=ranks,
                   LOCAL_RANK=rank, LOCAL_WORLD_SIZE=ranks, MASTER_ADDR="127.0.0.1", MASTER_PORT=port)


def ranks_disagree(folder):
    port = free_port()
    with by_hand(0, port, folder / "out", "--batch-size", 32) as first, \
            by_hand(1, port, folder / "out", "--batch-size", 64) as second:
        for run in (first, second):
            run.end(expect=76)
            line = only_error(run.stderr, "E_RANKS_DISAGREE", 76, "rank 1", "batch_size", "32", "64")
            check("global_batch_size" in line, line)  # every key that differs is named


def another_command(folder):
    """One that has no data, beside one that waits for all to have theirs."""
    port = free_port()
    with by_hand(0, port, folder / "out") as first, by_hand(1, port, folder / "out", command="comm") as second:
        for run in (first, second):
            run.end(expect=76)
            only_error(run.stderr, "E_RANKS_DISAGREE", 76, "settings.command")


def killed_rank(folder):
    with Running("train", "--workload", "mlp", "--nproc-per-node", 2, *ENDLESS, "--output", folder / "out") as run:
        run.await_event("window")
        ranks = run.ranks()
        check(len(ranks) == 2, f"two ranks: {ranks}")
        os.kill(ranks[1], signal.SIGKILL)
        run.end(expect=69)
        check_gone(ranks)
    lines = error_lines(run.stderr)
    check(len(lines) == 2, run.stderr)
    expect_error(lines[0], "E_RANK_KILLED", 69, "rank=0", "phase=window", "step=", f"rank 1 (pid {ranks[1]}) was killed")
    expect_error(lines[1], "E_RANK_KILLED", 69, "rank=1", str(ranks[1]), "SIGKILL")
    report = closed_report(folder / "out", "failed", 69)
    error = report["errors"][0]
    check(error["code"] == "E_RANK_KILLED" and f"rank 1 (pid {ranks[1]})" in error["what"], error)
    check(report["points"] == [], "no row of the run that failed")


def killed_rank_of_each_strategy(folder):
    """The server, too: rank 0, or the process behind the two ranks. Ranks of `none` notice nothing of each other: the launcher ends
    them."""
    dedicated = ("parameter-server", "--server", "dedicated")
    for options, victim in ((dedicated, 2), (("none",), 1), (("flat",), 1), (("sharded",), 1), (("parameter-server",), 1), (("parameter-server",), 0),
                            (dedicated, 1), (("local-sgd",), 1)):
        print(options, victim, flush=True)
        out = folder / f"{options[0]}-{len(options)}-{victim}"
        with Running("train", "--workload", "mlp", "--nproc-per-node", 2, "--strategy", *options, *ENDLESS, "--output", out) as run:
            run.await_event("window")
            ranks = run.ranks()
            check(len(ranks) == (3 if options == dedicated else 2), ranks)
            os.kill(ranks[victim], signal.SIGKILL)
            run.end(expect=69)
            check_gone(ranks)
        check(error_lines(run.stderr), run.stderr)
        check("E_RANK_KILLED" in run.stderr and f"rank={victim}" in run.stderr, run.stderr)
        if victim != 0:
            report = closed_report(out, "failed", 69)
            check(f"rank {victim} (pid {ranks[victim]}) was killed" in report["errors"][0]["what"], report["errors"])


def signalled(folder, number, exit_code, ranks, code, wrapper=()):
    out = folder / f"{number}-{ranks}-{len(wrapper)}"
    options = ("--nproc-per-node", ranks) if ranks > 1 else ()
    with Running("train", "--workload", "linear", *options, *ENDLESS, "--output", out, wrapper=wrapper) as run:
        run.await_event("window")
        children = run.ranks()
        os.kill(run.process.pid, number)
        run.end(expect=exit_code)
        check_gone(children)
    lines = error_lines(run.stderr)
    check([line[:2] for line in lines] == [(code, exit_code)], f"one line for all ranks is expected\n{run.stderr}")
    report = closed_report(out, "interrupted", exit_code)
    check(report["points"] == [], "the unfinished window is no row")


def sigterm(folder):
    """Two ranks, started with the signal blocked, and one rank; all four ways with SCALEMARK_SOAK=full."""
    for ranks, wrapper in ((2, BLOCKED), (1, ()), *(((2, ()), (1, BLOCKED)) if FULL else ())):
        signalled(folder, signal.SIGTERM, 75, ranks, "E_PREEMPTED", wrapper)


def sigint(folder):
    signalled(folder, signal.SIGINT, 130, 2, "E_INTERRUPTED")


def sigusr1(folder):
    signalled(folder, signal.SIGUSR1, 75, 2, "E_PREEMPTED")


def ignored_signals(folder):
    """Whatever was ignored at the start stays so, in launcher and ranks: the run heeds the one signal that was not. Under nohup, and in
    the background of a shell without job control; a run of one rank, of several, and the other commands with ranks. Unless
    SCALEMARK_SOAK=full only a sweep of two ranks, under which all are ignored."""
    def background(names):
        return ("sh", "-c", f"trap '' {names}; exec \"$@\"", "sh")

    everything = ("HUP", "INT", "QUIT", "TERM", "TSTP", "ALRM")
    train = ("train", "--workload", "linear", *ENDLESS)
    sweep = ("sweep", "--workload", "linear", "--world-sizes", 2, "--threads", 1, *ENDLESS)
    comm = ("comm", "--sizes", "4KiB", "--backends", "gloo", "--repetitions", 100_000, "--no-progress", "--threads", 1)
    two = ("--nproc-per-node", 2)
    all_ignored = (background(" ".join(everything)), everything)
    others = (((*train, *two), ("nohup",), ("HUP",)), ((*train, *two), background("INT QUIT"), ("INT", "QUIT")), (train, *all_ignored),
              ((*comm, *two), *all_ignored))
    for number, (command, wrapper, ignored) in enumerate((((*sweep, *two), *all_ignored), *(others if FULL else ()))):
        with Running(*command, "--output", folder / str(number), wrapper=wrapper) as run:
            run.await_event("window")
            for name in ignored:
                for pid in (run.process.pid, *run.ranks()):
                    os.kill(pid, signal.Signals[f"SIG{name}"])
            os.kill(run.process.pid, signal.SIGUSR1)
            run.end(expect=75)
        only_error(run.stderr, "E_PREEMPTED", 75, f"stopped by signal {signal.SIGUSR1.value} ")
        closed_report(folder / str(number), "interrupted", 75)


def sigterm_while_waiting_for_peers(folder):
    port = free_port()
    with by_hand(0, port, folder / "out") as run:
        await_listener(port)
        os.kill(run.process.pid, signal.SIGTERM)
        run.end(expect=75)
    line = only_error(run.stderr, "E_PREEMPTED", 75, "phase=rendezvous")
    check("report.json" not in line, f"there is no report yet: {line}")


def sigterm_to_one_of_two_that_wait_for_a_third(folder):
    port = free_port()
    with by_hand(0, port, folder / "out", ranks=3) as first, by_hand(1, port, folder / "out", ranks=3) as second:
        await_connection(second.process, port)
        os.kill(second.process.pid, signal.SIGTERM)
        for run in (second, first):
            run.end(expect=75, seconds=60)
    only_error(first.stderr, "E_PREEMPTED", 75, "phase=rendezvous", "rank 1 ended: E_PREEMPTED")


def killed_node_of_two(folder):
    """Nobody there tells the other node, where rank 0 misses its heartbeat."""
    port = free_port()
    with contextlib.ExitStack() as stack:
        nodes = [stack.enter_context(Running("train", "--workload", "mlp", "--nnodes", 2, "--node-rank", node, "--nproc-per-node", 1, *ENDLESS,
                                             "--rendezvous", f"127.0.0.1:{port}", "--output", folder / "out")) for node in (0, 1)]
        nodes[0].await_event("window")
        nodes[1].process.kill()
        nodes[0].end(expect=69)
    only_error(nodes[0].stderr, "E_PEER_LOST", 69, "rank=1", "a rank was lost: rank 1 sends no heartbeat")


def killed_launcher(folder):
    with Running("train", "--workload", "linear", "--nproc-per-node", 2, *ENDLESS, "--output", folder / "out") as run:
        run.await_event("window")
        ranks = run.ranks()
        run.process.kill()
        run.end(expect=-signal.SIGKILL)
        check_gone(ranks)
    report = closed_report(folder / "out", "partial", None)
    check("finished" not in report, "a killed run has no end")


def stopped_rank(folder):
    with Running("train", "--workload", "linear", "--nproc-per-node", 3, *ENDLESS, "--timeout", "window=6",
                 "--output", folder / "out") as run:
        run.await_steps(3, 100)
        ranks = run.ranks()
        os.kill(ranks[1], signal.SIGSTOP)
        run.end(expect=81)
        check_gone(ranks)
    line = next(line for _, _, line in error_lines(run.stderr) if "no progress for 6 s" in line)
    expect_error(("E_HANG", 81, line), "E_HANG", 81, "phase=window", "step=", "rank 1 has not reached collective", "--timeout window=",
                 f"rank 1 (pid {ranks[1]} on", "is stopped by a signal from outside")
    # Its position is of the moment, and not of the begin of the phase.
    reached, begun = (int(number) for number in re.search(r"reached collective (\d+) \(it has begun (\d+)", line).groups())
    report = closed_report(folder / "out", "failed", 81)
    error = report["errors"][0]
    check(error["phase"] == "window" and error["step"] > 0 and error["domain"] == "launch", error)
    first, stopped, last = error["hang"]["ranks"]
    check((stopped["rank"], stopped["state"], stopped["kind"]) == (1, "stopped", "stopped"), stopped)
    check(stopped["step"] > 0 and begun > 10 and reached > begun, line)
    for waiting in (first, last):
        check(waiting["kind"] == "waits" and "c10d::" in waiting["stack"], waiting)
    stacks = (folder / "out/hang/stacks.txt").read_text()
    check("gloo::" in stacks and "Build ids\n" in stacks and "  ranks 0,2:\n" in stacks, stacks)


def stopped_rank_0(folder):
    """The store and the report are rank 0's: another rank says how it stands, and the launcher closes the report."""
    out = folder / "out"
    with Running("train", "--workload", "linear", "--nproc-per-node", 2, *ENDLESS, "--timeout", "window=4", "--output", out) as run:
        run.await_steps(2, 100)
        ranks = run.ranks()
        os.kill(ranks[0], signal.SIGSTOP)
        run.end(expect=69)
        check_gone(ranks)
    only_error(run.stderr, "E_PEER_LOST", 69, "rank=0", "phase=window", f"rank 0 (pid {ranks[0]} on", "is stopped by a signal from outside",
               "store does not answer")
    check(f"rank 0 (pid {ranks[0]}) is stopped by a signal from outside: killed" in run.stderr, run.stderr)
    [error] = closed_report(out, "failed", 69)["errors"]
    check(error["domain"] == "launch" and error["rank"] == 0, error)
    stopped, waiting = error["hang"]["ranks"]
    check((stopped["state"], stopped["kind"], stopped["phase"]) == ("stopped", "stopped", "window") and stopped["step"] > 0, stopped)
    check(waiting["kind"] == "waits" and "c10d::" in waiting["stack"], waiting)
    check("  rank 1:\n" in (out / "hang/stacks.txt").read_text(), "its stack is kept")
    check(not (out / ".reserve").exists() and json.loads((out / "status.json").read_text())["state"] == "failed", "nothing is left open")


def shown_on_demand(folder):
    """SIGUSR2 to the launcher, then to one rank: the stacks of all are kept, and the run goes on."""
    out = folder / "out"
    stacks = out / "hang/stacks.txt"
    with Running("train", "--workload", "linear", "--nproc-per-node", 2, *ENDLESS, "--output", out) as run:
        run.await_steps(2, 100)
        for asked in (run.process.pid, run.ranks()[1]):
            stacks.unlink(missing_ok=True)
            os.kill(asked, signal.SIGUSR2)
            end = time.monotonic() + 120
            while not stacks.exists():
                check(run.process.poll() is None and time.monotonic() < end, "no stacks")
                time.sleep(0.05)
            text = stacks.read_text()
            check("SIGUSR2" in text and text.count("collectives begun") == 2 and "took no stack" not in text.split("Other threads")[0], text)
        before = json.loads((out / "status.json").read_text())["done"]
        run.await_steps(2, before + 100)
        os.kill(run.process.pid, signal.SIGTERM)
        run.end(expect=75, seconds=120)
    check(f"how the ranks stand is in {stacks}" in run.stderr, run.stderr)
    check(closed_report(out, "interrupted", 75)["errors"][0].get("hang") is None, "it was none")


def paused_rank(folder):
    """A peer may take as long as its own phase allows, however short the rendezvous is to be (a quiet machine needs less than one
    second), and the run goes on with it. While it does not answer, a signal ends the others all the same."""
    out = folder / "out"

    def steps():
        return json.loads((out / "status.json").read_text())["done"]

    with Running("train", "--workload", "linear", "--nproc-per-node", 2, *ENDLESS, "--timeout", "rendezvous=10", "--output", out) as run:
        run.await_event("window")
        ranks = run.ranks()
        os.kill(ranks[1], signal.SIGSTOP)
        time.sleep(12)
        check(run.process.poll() is None, "it did not wait")
        before, end = steps(), time.monotonic() + 120
        os.kill(ranks[1], signal.SIGCONT)
        while steps() <= before:
            check(run.process.poll() is None and time.monotonic() < end, "it did not go on")
            time.sleep(0.1)
        os.kill(ranks[1], signal.SIGSTOP)
        os.kill(run.process.pid, signal.SIGTERM)
        run.end(expect=75, seconds=120)
        check_gone(ranks)
    closed_report(out, "interrupted", 75)


run_cases({f.__name__: f for f in (ranks_disagree, another_command, killed_rank, killed_node_of_two, killed_rank_of_each_strategy, sigterm, sigint, sigusr1, ignored_signals,
                                   sigterm_while_waiting_for_peers, sigterm_to_one_of_two_that_wait_for_a_third, killed_launcher, stopped_rank, stopped_rank_0, paused_rank, shown_on_demand)})
