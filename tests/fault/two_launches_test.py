"""Two launches that know nothing of each other meet at one address: the first continues undisturbed, the second reports
why it ends. `trials`: 100 second launches of random kind at random moments."""

import contextlib
import os
import random
import time

from endings import FULL, Running, closed_report, error_lines, run_cases
from launching import await_connection, await_listener, free_port
from program import check
from sweeps import journal_lines

# A baseline of seconds, during which rank 1 waits.
SWEEP = ("sweep", "--workload", "linear", "--world-sizes", "1,2", "--warmup-iters", 2, "--threads", 1, "--no-progress")
ONCE = ("--repetitions", 1, "--min-time", 3)  # a window of each of three runs
# The second launch must come while the first runs, however long a busy machine takes to start it.
ENDLESS = ("--repetitions", 1000, "--iters", 500)


def own_launcher(folder, port, ranks, *options, runs=ONCE):
    return Running(*SWEEP, *runs, "--nproc-per-node", ranks, "--rendezvous", f"127.0.0.1:{port}", *options, "--output", folder)


def by_hand(folder, port, ranks, *options, only=None, runs=ONCE):
    """One process per rank, as somebody's script starts them: only the settings distinguish two such jobs."""
    return [Running(*SWEEP, *runs, *options, "--output", folder, RANK=rank, WORLD_SIZE=ranks, LOCAL_RANK=rank,
                    LOCAL_WORLD_SIZE=ranks, MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
            for rank in (range(ranks) if only is None else only)]


def first_is_unharmed(runs, folder, seconds=120):
    for run in runs:
        run.end(expect=0, seconds=seconds)
    report = closed_report(folder, "complete", 0)
    check(not report.get("errors"), report.get("errors"))
    check(all(row["status"] == "ok" for row in report["points"]), "a row is not ok")


def continues(first, folder):
    """Both its ranks do further runs, until it is asked to end."""
    def rows():
        return sum("point" in line for line in journal_lines(folder))

    enough, end = rows() + 3, time.monotonic() + 600
    while rows() < enough:
        check(first[0].process.poll() is None and time.monotonic() < end, "it ended")
        time.sleep(0.05)
    for run in first:
        run.process.terminate()
    for run in first:
        run.end(expect=75)
    report = closed_report(folder, "interrupted", 75)
    check({error["code"] for error in report["errors"]} == {"E_PREEMPTED"}, report["errors"])
    check(all(row["status"] == "ok" for row in report["points"]), "a row is not ok")


def refused(run, codes, *quoted, seconds=150):
    """Checks that it ended by itself with one of the codes, and an error line in our own form."""
    run.stdout, run.stderr = run.process.communicate(timeout=seconds)
    check(run.process.returncode in codes, f"{run.command}\nended with {run.process.returncode}\n{run.stderr}")
    lines = error_lines(run.stderr)
    # A rank that has not found out by itself when the first one ends is stopped by its launcher.
    check(lines and all(line[1] in codes or "stopped by signal 15" in line[2] for line in lines), run.stderr)
    for text in quoted:
        check(any(text in line[2] for line in lines), f"'{text}' is missing:\n{run.stderr}")


def four_ranks_at_our_port(folder):
    port = free_port()
    with own_launcher(folder / "first", port, 2, runs=ENDLESS) as first:
        first.await_event("window")
        with own_launcher(folder / "second", port, 4, runs=ENDLESS) as second:
            refused(second, (69,), "cannot serve the rendezvous")
        continues([first], folder / "first")


def ranks_by_hand(folder):
    """The same run id: the late ranks take no place and post nothing, whatever their number (unless SCALEMARK_SOAK=full one comes). Nor
    does a launcher at their port."""
    port = free_port()
    first = by_hand(folder / "first", port, 2, runs=ENDLESS)
    with contextlib.ExitStack() as all_runs:
        for run in first:
            all_runs.enter_context(run)
        first[0].await_event("window")
        late = by_hand(folder / "second", port, 4, only=(1, 2, 3) if FULL else (3,), runs=ENDLESS)
        again = by_hand(folder / "third", port, 2, only=(1,), runs=ENDLESS)
        # Its ranks 1 and 2, which wait for a rank 0 of their own, give up before their launcher ends them.
        launched = own_launcher(folder / "fourth", port, 3, "--timeout", "rendezvous=3", runs=ENDLESS)
        for run in (*late, *again, launched):
            all_runs.enter_context(run)
        for run in late:
            refused(run, (69,), "has started with its ranks", "it has 2", "of 4", "--run-id")
        refused(again[0], (78,), "rank 1 has already joined run")
        refused(launched, (69,), "cannot serve the rendezvous")
        continues(first, folder / "first")


def other_settings_before_the_start(folder):
    """Rank 1 of another job comes before ours: it leaves the place to a rank with rank 0's own settings."""
    port = free_port()
    short = ("--repetitions", 1, "--iters", 500)
    leader = by_hand(folder / "first", port, 2, only=(0,), runs=short)
    with leader[0]:
        await_listener(port)
        stranger = by_hand(folder / "second", port, 2, "--batch-size", 48, only=(1,), runs=short)
        with stranger[0]:
            await_connection(stranger[0].process, port)
            own = by_hand(folder / "first", port, 2, only=(1,), runs=short)
            with own[0]:
                refused(stranger[0], (78,), "rank 1 has already joined run")
                first_is_unharmed([leader[0], own[0]], folder / "first")


def second_of_random_kind(folder, port, luck):
    kind = luck.choice(("launcher", "by hand", "settings"))
    ranks = 2 if kind == "settings" else luck.choice((3, 4))
    print(f"  second: {kind}, {ranks} ranks", flush=True)
    if kind == "launcher":
        return [own_launcher(folder, port, ranks)]
    return by_hand(folder, port, ranks, *(("--batch-size", 48) if kind == "settings" else ()))


def trial(folder, luck):
    port = free_port()
    first = [own_launcher(folder / "first", port, 2)] if luck.random() < 0.5 else by_hand(folder / "first", port, 2)
    second = []
    try:
        await_listener(port)
        time.sleep(luck.uniform(0, 8))
        second = second_of_random_kind(folder / "second", port, luck)
        first_is_unharmed(first, folder / "first")
        for run in second:
            run.process.terminate()
            run.process.communicate(timeout=60)
            check(run.process.returncode != 0, "the second was to be refused")
    finally:
        for run in [*first, *second]:
            run.__exit__()


def trials(folder):
    count = int(os.environ.get("SCALEMARK_TRIALS", 100))
    seed = int(os.environ.get("SCALEMARK_SEED", random.SystemRandom().randrange(1 << 32)))
    print(f"seed {seed} (SCALEMARK_SEED repeats it), {count} trials", flush=True)
    luck = random.Random(seed)
    for number in range(count):
        print(f"trial {number}", flush=True)
        trial(folder / str(number), luck)
    print(f"{count} second launches, none of which the first noticed")


run_cases({f.__name__: f for f in (four_ranks_at_our_port, ranks_by_hand, other_settings_before_the_start, trials)})
