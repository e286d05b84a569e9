"""Drives the built program from Python tests: run it, read its report, skip with a reason."""

import contextlib
import functools
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

BINARY_DIR = Path(os.environ.get("SCALEMARK_BINARY_DIR", "build/release"))
SCALEMARK = Path(os.environ.get("SCALEMARK_PROGRAM", BINARY_DIR / "scalemark"))

SKIPPED = 77  # ctest's SKIP_RETURN_CODE

# Programs that a test starts must not ignore what it was started with ignored: a Ctrl-C in a shell's background.
for ignorable in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGTSTP):
    if signal.getsignal(ignorable) == signal.SIG_IGN:
        signal.signal(ignorable, signal.SIG_DFL)


def skip(reason):
    """Ends the test, or one of its cases, as skipped."""
    print(f"SKIPPED: {reason}")
    sys.exit(SKIPPED)


def skip_under_asan(reason):
    """AddressSanitizer keeps freed memory, surrounds every block, and takes the address space (scripts/test sets it)."""
    if "ASAN_OPTIONS" in os.environ:
        skip(f"AddressSanitizer {reason}")


def cpu_has_bf16():
    """Returns whether the program trains in bf16 on this CPU; it refuses what would be slower than fp32."""
    return any(flag in Path("/proc/cpuinfo").read_text() for flag in ("avx512_bf16", "amx_bf16"))


def clean_environment(**extra):
    """Ours without any launcher's variables: a test must not depend on where it was started. SCALEMARK_TORCH stays: it
    says where this machine has torch, which only the machine that built the program knows without it."""
    prefixes = ("SCALEMARK_", "SLURM_", "OMPI_", "PMI_", "PMIX_", "PET_", "TORCHELASTIC_", "MASTER_")
    names = {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK", "OMP_NUM_THREADS"}
    dropped = {k for k in os.environ if k.startswith(prefixes) or k in names} - {"SCALEMARK_TORCH"}
    kept = {k: v for k, v in os.environ.items() if k not in dropped}
    return kept | {k: str(v) for k, v in extra.items()}


@functools.cache
def folder_of_links():
    return tempfile.TemporaryDirectory(dir="/tmp")


def preloaded(*libraries):
    """The value of LD_PRELOAD. Blanks and colons part its paths, so that a library whose path has one is named by a link that has none."""
    def path_of(library):
        path = Path(library).resolve()
        if not re.search(r"[\s:]", str(path)):
            return str(path)
        link = Path(folder_of_links().name) / path.name
        if not link.is_symlink():
            link.symlink_to(path)
        return str(link)

    return " ".join(map(path_of, libraries))


def words_of(arguments):
    """The command line of a test. Tests share their machine, so that without --retries 0 a sweep would call its windows
    disturbed and measure each one twice; --yes, since many are meant to run until they are ended."""
    words = [str(argument) for argument in arguments]
    if words[:1] not in (["sweep"], ["comm"]) or {"--dry-run", "--help", "--config"} & set(words):
        return words
    return [words[0], *([] if "--retries" in words else ["--retries", "0"]), "--yes", *words[1:]]


def run(*arguments, timeout=1700, expect=0, cwd=None, **environment):
    """Runs the program; fails the test, showing its output, when the exit code is not `expect`."""
    command = [str(SCALEMARK), *words_of(arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, cwd=cwd,
                          env=clean_environment(**environment))
    if expect is not None and done.returncode != expect:
        sys.exit(f"{' '.join(command)}\nended with {done.returncode}, expected {expect}\n"
                 f"--- stdout\n{done.stdout}\n--- stderr\n{done.stderr}")
    return done


@contextlib.contextmanager
def small_disk(folder, size):
    """A tmpfs of `size` ("16k") below `folder`; the test is skipped where none can be mounted."""
    disk = Path(folder) / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", disk], capture_output=True).returncode != 0:
        skip("a small tmpfs cannot be mounted here (needs root)")
    try:
        yield disk
    finally:
        subprocess.run(["umount", disk], check=True)


def report_in(folder):
    return json.loads((Path(folder) / "report.json").read_text())


def text_of(file):
    """Returns what stands in a file that another program makes, moves and removes; nothing where there is none."""
    try:
        return Path(file).read_text()
    except FileNotFoundError:
        return ""


def check(condition, text):
    if not condition:
        sys.exit(f"FAILED: {text}")
