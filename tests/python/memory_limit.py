"""A control group whose memory is short while a program runs in it: memory.high of cgroup v2, or the limit of v1. Skips where there is none."""

import contextlib
import os

from cpu_quota import mounted, removed_at_end
from program import skip


def limit_file():
    """Returns a new group's folder and the name of its limit."""
    name = f"scalemark-memory-{os.getpid()}"
    root = mounted("cgroup", "memory")
    if root is not None:
        return root / name, "memory.limit_in_bytes"
    root = mounted("cgroup2", "")
    if root is None or "memory" not in (root / "cgroup.controllers").read_text().split():
        return None
    (root / "cgroup.subtree_control").write_text("+memory")
    return root / name, "memory.high"


@contextlib.contextmanager
def memory_limit(size):
    """A new group that may have so many bytes, gone at the end of the with block; yields its file of processes."""
    try:
        found = limit_file()
        if found is None:
            skip("no control group with a memory limit is mounted here")
        folder, name = found
        folder.mkdir()
    except OSError as why:
        skip(f"no control group with a memory limit can be made here (needs root): {why}")
    with removed_at_end(folder):
        (folder / name).write_text(str(size))
        yield folder / "cgroup.procs"
