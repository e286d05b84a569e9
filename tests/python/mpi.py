"""Open MPI and MPICH for the tests: which is here, and ranks under its mpirun."""

import os
import shutil
import subprocess

from program import BINARY_DIR, clean_environment, skip

MPIRUN = {"openmpi": "mpirun.openmpi", "mpich": "mpirun.mpich"}
OPTIONS = {"openmpi": ("--oversubscribe", "--bind-to", "none"), "mpich": ()}
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": 1, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": 1}


def require_mpi(library):
    """Skips the test where the library's mpirun or our part for it is not there."""
    if shutil.which(MPIRUN[library]) is None:
        skip(f"{MPIRUN[library]} is not installed")
    if not list(BINARY_DIR.glob(f"libscalemark_mpi_{library}-*.so")):
        skip(f"this build has no part for {library}: its headers were not there")


def mpirun_command(library, ranks):
    return (MPIRUN[library], *OPTIONS[library], "-n", str(ranks))


def mpirun(library, ranks, *command, timeout=600, **environment):
    # An input without an end: MPICH's mpirun passes the end on, and SIGPIPE kills it where its ranks have ended before.
    read, kept = os.pipe()
    try:
        return subprocess.run([*mpirun_command(library, ranks), *map(str, command)], capture_output=True, text=True, stdin=read,
                              timeout=timeout, env=clean_environment(OMP_NUM_THREADS=1, **ROOT, **environment))
    finally:
        os.close(read)
        os.close(kept)
