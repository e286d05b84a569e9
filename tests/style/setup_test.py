"""scripts/lib/setup.sh. On a machine without apt one sentence says what to install by hand, and it continues, or ends with 71 where nothing can be
built. Another torch than requirements.txt's comes with its own torchvision and CUDA compiler, by cmake/torch_versions.txt."""

import os
import re
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


def sourced(script, expect=0):
    done = subprocess.run(["bash", "-c", f". scripts/lib/setup.sh; {script}", "scripts/test"], cwd=SOURCE, capture_output=True, text=True)
    check(done.returncode == expect, f"{script}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def pins_of(texts):
    """torch, torchvision and the CUDA versions that requirements name."""
    names = re.findall(r"^(torch|torchvision|nvidia-[a-z-]+)==([^ \n]+)", "\n".join(texts), re.M)
    return {name: version for name, version in names if not name.startswith("nvidia")}, {version for name, version in names if name.startswith("nvidia")}


def check_torch_versions(folder):
    rows = [line.split() for line in (SOURCE / "cmake/torch_versions.txt").read_text().splitlines() if line[:1].isdigit()]
    files = sorted(SOURCE.glob("requirements*.txt"))
    ours = pins_of(file.read_text() for file in files)
    wanted = {torch: ({"torch": torch, "torchvision": vision}, {f"{cuda}.*"}) for torch, vision, cuda, _ in rows}
    check(ours == wanted[ours[0]["torch"]], f"{ours} is no row of cmake/torch_versions.txt")
    check(len({torch.rpartition(".")[0] for torch in wanted}) == len(rows), "a minor version has two rows")
    for torch in wanted.keys() - {ours[0]["torch"]}:
        place = Path(tempfile.mkdtemp(dir=folder))
        made = sourced(f"use_torch {torch}; venv={place}; pinned requirements-test.txt").strip()
        check(made == f"{place}/requirements-test.txt", made)
        check(pins_of(file.read_text() for file in place.iterdir()) == wanted[torch], f"{torch}: {list(place.iterdir())}")
    check("torch '2.9.1' is not in cmake/torch_versions.txt; allowed: " + ", ".join(wanted) in sourced("use_torch 2.9.1", expect=64), "2.9.1 is taken")


with tempfile.TemporaryDirectory() as folder:
    check_torch_versions(folder)
    needed = ("g++", "cmake", "ninja-build", "libpng-dev")
    check(said(folder, BUILDS, *needed) == (0, "goes on\n", []), "it does not go on with what is there")
    code, out, lines = said(folder, ("c++", "git"), *needed)
    check((code, out, lines) == (71, "", ["test: cannot go on without cmake ninja"]), (code, out, lines))
    check(said(folder, (), "python3-venv", "openmpi-bin")[0] == 0, "a wheel needs no compiler")
print("a machine without apt learns what to install")
