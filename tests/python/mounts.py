"""Lines of a shell that mount an empty folder over one in which this clone, its build or Python's environment may lie: a test runs
wherever they are. For a mount namespace of its own."""

import os
import shlex
import sys
from pathlib import Path

NEEDED = (os.environ.get("SCALEMARK_SOURCE_DIR", "."), os.environ.get("SCALEMARK_BINARY_DIR", "build/release"), sys.prefix, os.environ.get("SCALEMARK_TORCH", "."))


def empty(folder, options="mode=1777"):
    """An empty tmpfs over `folder`, with what tests need of it at its place again."""
    below = [(number, shlex.quote(str(path))) for number, path in enumerate(sorted({Path(path).resolve() for path in NEEDED}), 3)
             if Path(folder) in path.parents]
    # Only a descriptor still leads to what is mounted over.
    return " && ".join([*(f"exec {number}<{path}" for number, path in below), f"mount -t tmpfs -o {options} none {folder}",
                        *(f"mkdir -p {path} && mount --no-canonicalize --bind /proc/self/fd/{number} {path} && exec {number}<&-" for number, path in below)])
