"""Data that fail in the middle of an epoch: files vanish, the file server goes away, a token file is changed. How the run
ends, and what it reports. Add the next fault of that kind here as a case."""

import errno
import os
import signal
import time

from endings import FULL, Running, check_gone, closed_report, error_lines, expect_error, run_cases
from made_data import make_images, make_text
from program import BINARY_DIR, check, preloaded, run, skip_under_asan

RESNET = ("--workload", "resnet50", "--image-size", 32, "--batch-size", 2, "--threads", 1, "--learning-rate", "1e-4",
          "--no-progress")
BERT = ("--workload", "bert-mini", "--sequence-length", 32, "--batch-size", 4, "--threads", 1, "--no-progress")
SKIP = ("--on-bad-sample", "skip")


def images(folder, samples=12):
    return make_images(folder / "images", samples, size=32, classes=2)


def failing(tree, folder, **more):
    """The environment in which reads below `tree` fail, once folder/control says how."""
    skip_under_asan("must be the first library that is loaded")
    return {"LD_PRELOAD": preloaded(BINARY_DIR / "tests/libfailing_files.so"), "FAILING_BELOW": tree.resolve(),
            "FAILING_CONTROL": folder / "control", **more}


def ending_of(options, output, exit_code, change, ranks=1, **environment):
    """The error lines of a run of many epochs to which `change` happens; all end with that code."""
    strategy = ("--strategy", "ddp", "--nproc-per-node", ranks) if ranks > 1 else ()
    with Running("train", *options, *strategy, "--epochs", 100_000, "--output", output, **environment) as running:
        running.await_event("epochs")
        ranks_there = running.ranks()
        change()
        running.end(expect=exit_code)
        check_gone(ranks_there)
    lines = error_lines(running.stderr)
    check(lines and all(line[1] == exit_code for line in lines), running.stderr)
    closed_report(output, "failed", exit_code)
    return lines


def while_it_stands_still(running, change):
    """The one rank of a run of few epochs must not be through before the change is made."""
    running.await_event("epochs", into_s=0)
    os.kill(running.process.pid, signal.SIGSTOP)
    change()
    os.kill(running.process.pid, signal.SIGCONT)


def all_vanish(folder):
    """Skipping them must end when no good sample is left: in training or in the evaluation behind it. One rank: SCALEMARK_SOAK=full."""
    for ranks in (1, 2) if FULL else (2,):
        tree = images(folder / str(ranks))
        lines = ending_of((*RESNET, *SKIP, "--data", tree), folder / f"out-{ranks}", 65,
                          lambda: tree.rename(folder / f"gone-{ranks}"), ranks)
        expect_error(lines[0], "E_BAD_DATA", 65, "No such file or directory")
        check("in a row could not be decoded" in lines[0][2] or "no held-out sample" in lines[0][2], lines[0][2])


def one_vanishes(folder):
    """Without skip the run ends and names it."""
    tree = images(folder)
    file = sorted((tree / "train").rglob("*.jpg"))[0]
    lines = ending_of((*RESNET, "--data", tree), folder / "fails", 65, file.unlink)
    expect_error(lines[0], "E_BAD_SAMPLE", 65, str(file), "--on-bad-sample skip")


def becomes_garbage(folder):
    """Files that are gone, cut, or of something else are bad samples at any time: skipped and listed, each once."""
    tree = images(folder, samples=16)
    out = folder / "out"
    gone = [sorted((tree / split).rglob("*.jpg"))[1] for split in ("train", "val")]
    bad = sorted((tree / "train").rglob("*.jpg"))[2:6]

    def spoil():
        for file in gone:
            file.rename(folder / f"{file.parent.parent.name}-{file.name}")
        os.truncate(bad[0], 0)
        os.truncate(bad[1], 100)
        bad[2].write_bytes(b"something else")
        bad[3].unlink()
        os.mkfifo(bad[3])

    with Running("train", *RESNET, *SKIP, "--data", tree, "--epochs", 3, "--output", out) as running:
        while_it_stands_still(running, spoil)
        running.end(expect=0)
    [point] = closed_report(out, "complete", 0)["points"]
    skipped = {entry["name"]: entry["reason"] for entry in point["data_loading"]["skipped"]}
    check(sorted(skipped) == sorted(map(str, (*gone, *bad))), skipped)
    check(all("No such file or directory" in skipped[str(file)] for file in gone), skipped)
    held_out = len(list((tree / "val").rglob("*.jpg")))
    check(point["evaluation"][-1]["samples"] == held_out, point["evaluation"][-1])  # without the one that went


def server_goes_away(folder):
    """An error of the disk, the server or the process is no bad sample: skip does not apply. EIO of a read: SCALEMARK_SOAK=full."""
    for call, number in (("open", errno.ESTALE), ("read", errno.EIO)) if FULL else (("open", errno.ESTALE),):
        tree = images(folder / call)
        control = folder / call / "control"
        lines = ending_of((*RESNET, *SKIP, "--data", tree, "--workers", 1), folder / f"out-{call}", 74,
                          lambda: control.write_text(f"{call} {number}"), **failing(tree, folder / call))
        expect_error(lines[0], "E_IO", 74, f"reading {tree}/", os.strerror(number), "is no bad sample")


def blocked_open(folder):
    """A file server that does not answer one rank: the run ends at its deadline, and names the rank, what it does, and who has to act."""
    tree = images(folder, samples=64)
    out, control = folder / "out", folder / "control"
    with Running("train", *RESNET, "--data", tree, "--workers", 1, "--nproc-per-node", 2, "--epochs", 100_000, "--timeout", "epochs=10",
                 "--output", out, **failing(tree, folder, FAILING_RANK=1)) as running:
        running.await_event("epochs")
        ranks = running.ranks()
        control.write_text("open -1")
        running.end(expect=81)
        check_gone(ranks)
    lines = error_lines(running.stderr)
    expect_error(lines[0], "E_HANG", 81, f"rank 1 (pid {ranks[1]} on", "reads data", "scalemark::data::Loader::next")
    [error] = closed_report(out, "failed", 81)["errors"]
    check(error["domain"] == "data", error)
    waiting, reading = error["hang"]["ranks"]
    check(waiting["kind"] == "waits", waiting)
    check(reading["kind"] == "reads" and "scalemark::data::Loader::next" in reading["stack"], reading)
    stacks = (out / "hang/stacks.txt").read_text()
    check("  rank 0:\n" in stacks and "  rank 1:\n" in stacks and "  open" in stacks, stacks)


def tokens(folder):
    text = make_text(folder / "text", 200)
    run("data", "tokenize", text / "corpus.txt", "--vocab", text / "vocab.txt", "--output", folder / "it.tokens")
    return folder / "it.tokens"


def token_file_changes(folder):
    """Cut short, or (SCALEMARK_SOAK=full) written over in place: every rank ends with the name of the file."""
    def overwrite(file):
        with open(file, "r+b") as open_file:
            open_file.write(bytes(range(256)) * (file.stat().st_size // 256))
    cut, overwritten = ("cut", lambda file: os.truncate(file, 0), 2), ("overwritten", overwrite, 1)
    for name, change, ranks in (cut, overwritten) if FULL else (cut,):
        (folder / name).mkdir()
        file = tokens(folder / name)
        lines = ending_of((*BERT, "--data", file), folder / f"out-{name}", 74, lambda: change(file), ranks)
        expect_error(lines[0], "E_IO", 74, str(file), "rename it")


def scanned_slowly(folder, tree, expect):
    """--timeout data bounds the time without progress, not the phase; one rank of a machine scans for all."""
    log, start = folder / "scans", time.monotonic()
    done = run("train", *RESNET, "--data", tree, "--epochs", 1, "--strategy", "ddp", "--nproc-per-node", 2, "--timeout", "data=2", "--output",
               folder / "out", expect=expect, **failing(tree, folder, SLOW_MS=80, SCANS_LOG=log))
    took = time.monotonic() - start
    check(took > 4, f"nothing was slow: {took:.1f} s")
    check(len(log.read_text().split()) == 1, f"scanned by {log.read_text().split()}")
    return done.stderr


def slow_scan(folder):
    # After one step a held-out loss by running statistics may overflow, which depends on the CPU.
    scanned_slowly(folder, images(folder, 60), 0)


def failing_scan(folder):
    """The rank that scans for the others reports the reason; they end with its code."""
    tree = images(folder, 60)
    (tree / "train" / "zebra").mkdir()
    text = scanned_slowly(folder, tree, 65)
    lines = error_lines(text)
    check(1 <= len(lines) <= 2, text)
    for line in lines:
        expect_error(line, "E_BAD_DATA", 65, "zebra holds no image")


run_cases({f.__name__: f for f in (all_vanish, one_vanishes, becomes_garbage, server_goes_away, blocked_open, token_file_changes, slow_scan,
                                   failing_scan)})
