"""Facts about the machine and the program, printed above the rows of the table."""

import datetime
import platform
import re
import shutil
import subprocess


def said_by(*words):
    """The first line of what a command prints, or why there is none."""
    if shutil.which(str(words[0])) is None:
        return f"no {words[0]}"
    try:
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    lines = (done.stdout or done.stderr).strip().splitlines()
    return lines[0].strip() if lines else f"nothing, exit {done.returncode}"


def torch_version(folder):
    """Read from version.py, without importing torch."""
    try:
        found = re.search(r"__version__ = '([^']+)'", (folder / "version.py").read_text())
    except OSError:
        found = None
    return found[1] if found else "unknown"


def facts_of(place, rehearsal):
    gpu = said_by("nvidia-smi", "--query-gpu=name,driver_version,memory.total,power.limit", "--format=csv,noheader")
    return {
        "when": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "device": "null device: a rehearsal, nothing was computed" if rehearsal else gpu,
        "program": said_by(place.program, "--version"),
        "torch": torch_version(place.torch),
        "python": platform.python_version(),
    }
