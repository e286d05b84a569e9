"""The null device instead of a GPU: the same steps, so that none runs on a GPU for the first time. It belongs to the
tests (tests/nullcuda, built with them); this module wraps it."""

import importlib
import json
import os
import sys
from pathlib import Path

from .place import Refused

BUILD = "build/release"


class Rehearsal:
    """Wraps each command so that it runs on one null GPU."""

    def __init__(self, nullgpu, work):
        self.nullgpu, self.counts = nullgpu, work / "null-device"
        self.nccl = [file for file in [nullgpu.BINARY_DIR.resolve() / "tests" / "libnullnccl.so"] if file.exists()]

    def wrapped(self, words, environment):
        """Libraries that a step preloads come before the null device's."""
        self.counts.mkdir(exist_ok=True)
        environment = dict(environment, NULLCUDA_DEVICES="1", NULLCUDA_COUNTS=f"{self.counts}/%p.json")
        stepped = [environment.pop("LD_PRELOAD")] if "LD_PRELOAD" in environment else []  # one library, whose path may have a blank
        preload = [*stepped, *self.nccl]
        return tuple(self.nullgpu.command(*words, devices=1, preload=preload)), environment

    def violations(self):
        """Violations counted in the processes since the last call."""
        found = {}
        for file in self.counts.glob("*.json"):
            for what, n in json.loads(file.read_text()).get("violations", {}).items():
                found[what] = found.get(what, 0) + n
            file.unlink()
        return found


def open_rehearsal(checkout, work):
    """`checkout`: where tests/nullcuda is, and its build (SCALEMARK_BINARY_DIR, else build/release)."""
    folder = Path(checkout or ".").resolve() / "tests" / "python"
    if not (folder / "nullgpu.py").exists():
        raise Refused(66,
                      f"no null device in {folder.parents[1]}; rehearse from a checkout that is built with its tests")
    os.environ.setdefault("SCALEMARK_BINARY_DIR", str(folder.parents[1] / BUILD))
    sys.path.insert(0, str(folder))
    nullgpu = importlib.import_module("nullgpu")
    missing = [name for name in nullgpu.LIBRARIES if not (nullgpu.FOLDER / name).exists()]
    if missing:
        raise Refused(66, f"{nullgpu.FOLDER} lacks {', '.join(missing)}; build the tests with the CUDA plugin")
    if nullgpu.namespace() is None:
        raise Refused(71, "a private /dev cannot be made here (unshare -m), which the null device needs")
    return Rehearsal(nullgpu, work)
