"""A control group whose CPU quota a test changes while a program runs in it: cgroup v1 or v2. Skips where there is none."""

import contextlib
import os
import time
from pathlib import Path

from program import skip

PERIOD_US = 100_000  # the kernel's default, and what containers have


class CpuQuota:
    def __init__(self, folder, set_to):
        self.folder, self.set_to = folder, set_to

    def wrapper(self):
        """Starts a program in the group: Running(..., wrapper=quota.wrapper())."""
        return "sh", "-c", 'echo $$ > "$0" && exec "$@"', self.folder / "cgroup.procs"

    def cores(self, count):
        """Allows so many cores from now on; None: all. What others use of the machine is not to hold the group back, too: it comes first."""
        self.set_to(count)


def mounted(kind, option):
    """Returns where a hierarchy of `kind` with that option is mounted, and this process's path in it."""
    for line in Path("/proc/mounts").read_text().splitlines():
        _, place, type_, options = line.split()[:4]
        if type_ == kind and (not option or option in options.split(",")):
            return Path(place)
    return None


def version_1():
    root = mounted("cgroup", "cpu")
    if root is None or not (root / "cpu.cfs_quota_us").exists():
        return None
    folder = root / f"scalemark-test-{os.getpid()}"
    def set_to(cores):
        (folder / "cpu.shares").write_text("100000")
        (folder / "cpu.cfs_quota_us").write_text(str(-1 if cores is None else int(cores * PERIOD_US)))
    return folder, set_to


def version_2():
    root = mounted("cgroup2", "")
    if root is None or "cpu" not in (root / "cgroup.controllers").read_text().split():
        return None
    (root / "cgroup.subtree_control").write_text("+cpu")  # processes may stay in the root's group
    folder = root / f"scalemark-test-{os.getpid()}"
    def set_to(cores):
        (folder / "cpu.weight").write_text("10000")
        (folder / "cpu.max").write_text(f"{'max' if cores is None else int(cores * PERIOD_US)} {PERIOD_US}")
    return folder, set_to


@contextlib.contextmanager
def removed_at_end(folder):
    """A control group is gone at the end of the with block."""
    try:
        yield
    finally:
        for _ in range(100):  # its processes are ending
            try:
                folder.rmdir()
                break
            except OSError:
                time.sleep(0.05)


@contextlib.contextmanager
def cpu_quota():
    """A new group without a limit, gone at the end of the with block."""
    try:
        found = version_1() or version_2()
        if found is None:
            skip("no control group with a CPU quota is mounted here")
        folder, set_to = found
        folder.mkdir()
    except OSError as why:
        skip(f"no control group with a CPU quota can be made here (needs root): {why}")
    with removed_at_end(folder):
        set_to(None)
        yield CpuQuota(folder, set_to)
