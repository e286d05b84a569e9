"""Packing that is killed at random moments leaves nothing that seems finished, and the same command continues to the same bytes.

1 trial; 100 with SCALEMARK_SOAK=full. `full`: the disk is full.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from program import SCALEMARK, clean_environment, run, small_disk

MARK = "is not finished"


def contents(folder):
    return {p.name: p.read_bytes() for p in sorted(Path(folder).iterdir())}


def pack_command(tree, out):
    return ["data", "pack", tree, out, "--form", "jpeg-256", "--shard-size", "100KiB", "--no-progress"]


def killed_after(command, seconds):
    process = subprocess.Popen([SCALEMARK, *command], env=clean_environment(), stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
    return process.returncode


def kills(folder):
    tree, whole = folder / "tree", folder / "whole"
    run("data", "generate", "images", tree, "--samples", 60, "--classes", 3)
    start = time.monotonic()
    run(*pack_command(tree, whole))
    seconds, expected = time.monotonic() - start, contents(whole)
    trials = 100 if os.environ.get("SCALEMARK_SOAK") == "full" else 1
    chooser, killed = random.Random(4), 0
    for trial in range(trials):
        out = folder / f"out-{trial}"
        while killed_after(pack_command(tree, out), chooser.uniform(0, seconds / 2)) == -signal.SIGKILL:
            killed += 1
            if (out / "packed.index").exists():
                break  # killed behind the last rename
            refused = run("data", "bench", "--data", out, expect=None)
            if out.exists() and any(out.iterdir()):
                assert refused.returncode == 65 and MARK in refused.stderr, refused.stderr
            else:
                assert refused.returncode == 66, refused
        if not (out / "packed.index").exists():
            sys.exit(f"ended without an index: {list(out.iterdir())}")
        got = contents(out)
        got.pop("packing.plan", None)
        assert got == expected, (trial, got.keys(), expected.keys())
        run("data", "verify", out, "--no-progress")
    print(f"{trials} packings, killed {killed} times, each with the bytes of an undisturbed one")


def full(folder):
    tree = folder / "tree"
    run("data", "generate", "images", tree, "--samples", 60, "--classes", 3)
    with small_disk(folder, "400k") as disk:
        refused = run(*pack_command(tree, disk / "out"), expect=74)
        assert "No space left" in refused.stderr and refused.stderr.count("\n") == 1, refused.stderr
        assert not (disk / "out/packed.index").exists()
        refused = run("data", "bench", "--data", disk / "out", expect=65)
        assert MARK in refused.stderr, refused.stderr


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as keep:
        {"kills": kills, "full": full}[sys.argv[1]](Path(keep))
