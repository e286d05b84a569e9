"""Commands that cannot work, and what people then read: every row of the table in docs/LAUNCHING.md is run (those of Slurm in
slurm_test.py), and each text that the table quotes must have been said.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import typed
from launched import QUICK
from launching import free_port
from program import SCALEMARK, check, clean_environment, skip

PYTHON = shlex.quote(sys.executable)
TORCHRUN = f"{PYTHON} -m torch.distributed.run --master-port PORT"


def said(command, folder):
    """Returns what a line of a shell prints, the program and the launchers by their places."""
    words = command.replace("torchrun ", f"{TORCHRUN} ").replace("python ", f"{PYTHON} ", int(command.startswith("python ")))
    words = words.replace("distributed.launch ", "distributed.launch --master-port PORT ").replace("mpirun ", "mpirun.openmpi ").replace("PORT", str(free_port()))
    words = words.replace("./scalemark", shlex.quote(str(SCALEMARK.resolve())))
    words += "".join(f" {word}" for word in (*QUICK, "--output", folder / "out"))
    done = subprocess.run(["sh", "-c", words], capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL,
                          env=clean_environment(), cwd=folder)
    return done.stdout + done.stderr


def main():
    for number, (command, quotes) in enumerate(typed.rows()):
        if typed.is_slurms(command):
            continue
        if "mpirun" in command and (shutil.which("mpirun.openmpi") is None or os.geteuid() != 0):
            print(f"-- not run, it wants root and Open MPI: {command}")
            continue
        if "nproc-per-node gpu" in command and Path("/dev/nvidiactl").exists():
            print(f"-- not run, there is a GPU: {command}")
            continue
        with tempfile.TemporaryDirectory() as place:
            print(f"-- {command}", flush=True)
            text = said(command, Path(place))
            for quote in quotes:
                check(quote in " ".join(text.split()), f"`{command}` does not say `{quote}`:\n{text}")
    check(number >= 10, f"{number + 1} rows")


if sys.version_info < (3, 9):
    skip("an older Python says other things")
main()
