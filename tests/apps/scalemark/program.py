"""Runs the built program for the tests of this folder."""

import os
import pathlib
import re
import subprocess

BUILD = pathlib.Path(os.environ["SCALEMARK_BINARY_DIR"])
PROGRAM = BUILD / "scalemark"
LAUNCHERS = re.compile(r"^(SCALEMARK|SLURM|OMPI|PMI|PET|TORCHELASTIC)_"
                       r"|^(RANK|WORLD_SIZE|LOCAL_RANK|LOCAL_WORLD_SIZE|MASTER_ADDR|MASTER_PORT)$")


def run(*arguments, env=None, cwd=None, timeout=60):
    clean = {k: v for k, v in os.environ.items() if not LAUNCHERS.match(k)}
    return subprocess.run([str(PROGRAM), *arguments], capture_output=True, text=True, timeout=timeout,
                          env={**clean, **(env or {})}, cwd=cwd, check=False)
