"""Every collective of MPI's backend between real ranks: collectives_test.py openmpi|mpich RANKS."""

import re
import sys

from mpi import mpirun, require_mpi
from program import BINARY_DIR, check

library, ranks = sys.argv[1], int(sys.argv[2])
require_mpi(library)
done = mpirun(library, ranks, BINARY_DIR / "tests/torch_tool", "mpi-rank", library)
check(done.returncode == 0, f"ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
lines = re.findall(r"rank (\d+): (\d+) checks over ((?:Open MPI|MPICH) [\d.]+), built with \3$", done.stdout, re.M)
check(sorted(int(rank) for rank, _, _ in lines) == list(range(ranks)), done.stdout)
check(all(int(checks) > 1000 for _, checks, _ in lines), done.stdout)
print(done.stdout, end="")
