"""scripts/lib/setup.sh on a machine without apt: one sentence says what to install by hand, and it continues, or ends with 71 where nothing can be built."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from program import check

SOURCE = Path(os.environ["SCALEMARK_SOURCE_DIR"])
ANY_MACHINE = ("bash", "date", "cut", "cat")
BUILDS = ("c++", "cmake", "ninja", "git", "pkg-config", "python3")


def said(folder, commands, *packages):
    place = Path(tempfile.mkdtemp(dir=folder))
    for name in ANY_MACHINE:
        (place / name).symlink_to(shutil.which(name))
    for name in commands:
        (place / name).write_text("")
        (place / name).chmod(0o755)
    script = '. scripts/lib/setup.sh; ensure_packages "$@"; echo goes on'
    done = subprocess.run([shutil.which("bash"), "-c", script, "scripts/test", *packages], cwd=SOURCE, env={"PATH": str(place)}, capture_output=True, text=True)
    lines = [line for line in done.stderr.splitlines() if line]
    check("has no apt: install by hand what Debian calls " + " ".join(packages) in lines[0], done.stderr)
    return done.returncode, done.stdout, lines[1:]


with tempfile.TemporaryDirectory() as folder:
    needed = ("g++", "cmake", "ninja-build", "libpng-dev")
    check(said(folder, BUILDS, *needed) == (0, "goes on\n", []), "it does not go on with what is there")
    code, out, lines = said(folder, ("c++", "git"), *needed)
    check((code, out, lines) == (71, "", ["test: cannot go on without cmake ninja"]), (code, out, lines))
    check(said(folder, (), "python3-venv", "openmpi-bin")[0] == 0, "a wheel needs no compiler")
print("a machine without apt learns what to install")
