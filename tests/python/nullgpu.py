"""Runs a program on null GPUs: CUDA's libraries without a device (tests/nullcuda), and a /dev that shows GPUs.

    nullgpu.run(["train", "--device", "cuda", ...], devices=2).measured_window(rank=0)
    python3 tests/python/nullgpu.py [--devices N] COMMAND...     any command, in the same surroundings

Kernels are counted and compute nothing; copies with the host move bytes; see tests/nullcuda/settings.h for what the
environment's NULLCUDA_* variables change.
"""

import functools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from program import BINARY_DIR, SCALEMARK, check, clean_environment, preloaded, skip, skip_under_asan, words_of

LIBRARIES = ("libnullcuda.so", "libcuda.so.1", "libnvidia-ml.so.1")
FOLDER = BINARY_DIR.resolve() / "tests/nullcuda"
SCRIPT = Path(__file__).resolve().parent.parent / "nullcuda/with_devices.sh"


@functools.cache
def namespace():
    """The command that makes a mount namespace of its own, as root or as a user that may pretend to be."""
    for command in (["unshare", "-m"], ["unshare", "-r", "-m"]):
        try:
            trial = subprocess.run([*command, SCRIPT, "1", "test", "-e", "/dev/nvidia0"], capture_output=True)
            if trial.returncode == 0:
                return command
        except OSError:
            break
    return None


def require():
    """Skips the test, with the reason, where null GPUs cannot be had."""
    skip_under_asan("must be the first library, and so must the null device")
    if not all((FOLDER / name).exists() for name in LIBRARIES):
        skip("no null device: built without the CUDA plugin")
    if namespace() is None:
        skip("no null device: a private /dev cannot be made here (unshare -m)")


def command(*words, devices=1, preload=()):
    """The words of a command that runs `words` on null GPUs; `preload`: libraries that come before ours."""
    libraries = preloaded(*preload, *(FOLDER / name for name in LIBRARIES))
    return [*namespace(), str(SCRIPT), str(devices), "env", f"LD_PRELOAD={libraries}", *map(str, words)]


def own_syncs(window):
    """Returns how the rank's own threads waited for the device; Gloo's workers wait for their copies, and may."""
    return {name: t["count"] for name, t in window["syncs"].items() if not name.startswith("pt_gloo")}


def check_window(window, what, some_pinned=0):
    """`some_pinned`: the steps of a window with copies whose pinned memory is taken when each starts (those of Gloo's collectives). How
    many are under way at once is a matter of time: a window may need a block more, but not one per step."""
    check(not own_syncs(window), f"{what}: the host waits inside the measured window: {own_syncs(window)}")
    allocations = dict(window["allocations"])
    if allocations.get("cudaHostAlloc", {"count": 0})["count"] < some_pinned:
        allocations.pop("cudaHostAlloc", None)
    check(not allocations, f"{what}: memory is allocated inside the measured window: {allocations}")
    waits = window["waits"].get("unrecorded event", {"count": 0})["count"]
    check(waits == 0, f"{what}: {waits} waits for events that were never recorded")


class Result:
    """Holds what a run printed and what its ranks counted."""

    def __init__(self, done, counts):
        self.returncode, self.stdout, self.stderr = done.returncode, done.stdout, done.stderr
        self.counts = sorted(counts, key=lambda c: int(c["rank"]))

    def windows(self, rank=0):
        """The stretches that the rank timed, in their order."""
        return self.counts[rank]["windows"]

    def measured_windows(self, rank=0):
        """Returns the whole windows in their order: a step alone has eight marks, c10d's own timings have three."""
        return [w for w in self.windows(rank) if w["marks"] > 3]

    def measured_window(self, rank=0):
        """The one window of a run that has just one."""
        windows = self.measured_windows(rank)
        if len(windows) != 1:
            sys.exit(f"{len(windows)} measured windows, one was expected")
        return windows[0]

    def check_windows(self, what, some_pinned=0):
        """Inside measured windows the host waits for nothing and finds all memory that it needs, on every rank."""
        for rank in range(len(self.counts)):
            for window in self.measured_windows(rank):
                check_window(window, f"{what}, rank {rank}", some_pinned)

    def violations(self):
        return {what: n for c in self.counts for what, n in c["violations"].items()}


def run(arguments, devices=1, preload=(), env=None, expect=0, timeout=1700, cwd=None, allowed=()):
    """Runs scalemark with the arguments. The null device is faster than any GPU: no finding on its speed ends a run. Fails the test when the exit code is not `expect`, or when something was done
    to the device that no correct program does, unless it is in `allowed`."""
    require()
    with tempfile.TemporaryDirectory() as folder:
        ours = {"NULLCUDA_DEVICES": devices, "NULLCUDA_COUNTS": f"{folder}/%p.json"}
        environment = clean_environment(**(ours | (env or {})))
        judged = ["--fail-on", "none"] if arguments[0] in ("train", "sweep", "comm") and "--fail-on" not in arguments else []
        words = command(SCALEMARK.resolve(), *words_of(arguments), *judged, devices=devices, preload=preload)
        done = subprocess.run(words, capture_output=True, text=True, timeout=timeout, cwd=cwd, env=environment)
        result = Result(done, [json.loads(file.read_text()) for file in Path(folder).glob("*.json")])
    said = f"{' '.join(map(str, arguments))}\n--- stdout\n{done.stdout}\n--- stderr\n{done.stderr}"
    if expect is not None and done.returncode != expect:
        sys.exit(f"ended with {done.returncode}, expected {expect}: {said}")
    wrong = {what: n for what, n in result.violations().items() if what not in allowed}
    if wrong:
        sys.exit(f"done to the device: {wrong}: {said}")
    return result


def main():
    words = sys.argv[1:]
    devices = 1
    if words[:1] == ["--devices"]:
        devices, words = int(words[1]), words[2:]
    if not words:
        sys.exit(__doc__)
    require()
    os.environ["NULLCUDA_DEVICES"] = str(devices)
    line = command(*words, devices=devices)
    os.execvp(line[0], line)


if __name__ == "__main__":
    main()
