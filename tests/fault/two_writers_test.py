"""Two runs that want one place: the later one is refused (73) before it changes anything, whatever it was asked to overwrite; places in which
each has a part of its own are shared. Waits for conditions, never for times."""

import contextlib
import fcntl
import json
import os
import signal
import time

from endings import ENDLESS, SOURCE, Running, error_lines, expect_error, only_error, run_cases
from program import check, run

LIMIT_S = 600
TRAIN = ("train", "--workload", "linear", "--threads", 1)
SHORT = ("--iters", 5, "--warmup-iters", 1, "--no-progress")


def events(folder):
    return sorted(folder.rglob("events.out.tfevents.*"))


def until(condition, what):
    end = time.monotonic() + LIMIT_S
    while not condition():
        check(time.monotonic() < end, f"{what}: not within {LIMIT_S} s")
        time.sleep(0.02)


def refused(folder, *words, **more):
    """It leaves no folder of its own, and says who is there."""
    done = run(*TRAIN, *SHORT, *words, "--output", folder, expect=73, **more)
    check(not folder.exists(), f"{folder} was made")
    return only_error(done.stderr, "E_CANNOT_CREATE", 73)


def begun_together(folder):
    """One of them trains; whichever comes later finds its lock, or its events."""
    with Running(*TRAIN, *SHORT, "--tensorboard", folder / "tb", "--output", folder / "0") as first, \
         Running(*TRAIN, *SHORT, "--tensorboard", folder / "tb", "--learning-rate", 0.5, "--output", folder / "1") as second:
        for one in (first, second):
            one.stdout, one.stderr = one.process.communicate(timeout=LIMIT_S)
    codes = sorted(one.process.returncode for one in (first, second))
    check(codes == [0, 73], f"{codes}\n{first.stderr}{second.stderr}")
    [line] = error_lines(first.stderr + second.stderr)
    expect_error(line, "E_CANNOT_CREATE", 73, "--tensorboard")
    check(len(events(folder / "tb")) == 1, events(folder / "tb"))


def a_live_one_keeps_its_files(folder):
    """Its events and its traces, which --overwrite would remove; a run of another name continues beside it. Killed, it holds nothing any more."""
    tb = folder / "tb"
    with Running(*TRAIN, *ENDLESS, "--tensorboard", tb, "--nproc-per-node", 2, "--output", folder / "live") as live:
        until(lambda: events(tb), "events")
        [mine] = events(tb)
        for words in ((), ("--overwrite",)):
            line = refused(folder / "second", "--nproc-per-node", 2, "--tensorboard", tb, *words)
            check("another run" in line or "--overwrite" in line, line)
        line = refused(folder / "second", "--nproc-per-node", 2, "--tensorboard", folder / "live/../tb", "--overwrite")
        check("another run is writing" in line, line)
        run(*TRAIN, *SHORT, "--tensorboard", tb, "--output", folder / "beside")
        check(mine.exists() and len(events(tb)) == 2, events(tb))
        size = mine.stat().st_size
        until(lambda: mine.stat().st_size > size, "the live run writes on")
        os.killpg(live.process.pid, signal.SIGKILL)
        live.process.wait()
    run(*TRAIN, *SHORT, "--nproc-per-node", 2, "--tensorboard", tb, "--output", folder / "third", "--overwrite")
    check(not mine.exists() and len(events(tb)) == 2, events(tb))


def traces_and_very_many_groups(folder):
    """Traces have parts as events do, also in one folder with them. A sweep of more groups than there may be locks holds the whole folder."""
    both = ("--trace", folder / "both", "--tensorboard", folder / "both")
    with Running(*TRAIN, *ENDLESS, *both, "--output", folder / "live") as live:
        until(lambda: events(folder / "both"), "events")
        for option in ("--trace", "--tensorboard"):
            line = refused(folder / "second", option, folder / "both", "--overwrite")
            check("another run is writing" in line and option in line, line)
        many = ("sweep", "--workload", "linear", "--world-sizes", 1, "--repetitions", 1, "--batch-sizes", ",".join(map(str, range(1, 71))),
                "--iters", 1, "--warmup-iters", 0, "--threads", 1)
        done = run(*many, "--tensorboard", folder / "both", "--output", folder / "many", "--overwrite", expect=73)
        check("another run is writing" in only_error(done.stderr, "E_CANNOT_CREATE", 73), done.stderr)
        live.process.terminate()
        live.end(expect=75)
    check(len(events(folder / "both")) == 1, events(folder / "both"))


def places_of_tools(folder):
    """Libraries and folders of made data: the later one is refused while another holds the place, and never breaks it."""
    row = json.loads((SOURCE / "results/published/practice.jsonl").read_text().splitlines()[0])
    library = folder / "library"
    for name in ("a", "b"):
        (folder / f"{name}.jsonl").write_text(json.dumps({**row, "id": "mine-1", "group": name}) + "\n")
    commands = {library: ("published", "add", folder / "a.jsonl", "--library", library), folder / "images": ("data", "generate", "images", folder / "images", "--samples", 20),
                folder / "text": ("data", "generate", "text", folder / "text", "--samples", 4)}
    for place, words in commands.items():
        place.mkdir()
        with open_folder(place):
            for more in ((), ("--overwrite",)):
                only_error(run(*words, *more, expect=73).stderr, "E_CANNOT_CREATE", 73, "another", str(place))
        check(not list(place.iterdir()), f"{place} was touched")
        run(*words)
    only_error(run("published", "add", folder / "b.jsonl", "--library", library, expect=65).stderr, "E_BAD_DATA", 65, "mine-1")
    run("published", "list", "--library", library)


@contextlib.contextmanager
def open_folder(place):
    """Holds the folder as another process of ours does."""
    descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    yield
    os.close(descriptor)


run_cases({f.__name__: f for f in (begun_together, a_live_one_keeps_its_files, traces_and_very_many_groups, places_of_tools)})
