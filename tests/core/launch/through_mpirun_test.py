"""The built-in launcher whose ranks mpirun starts behaves as the one that starts them itself; no MPI is used in the ranks.

through_mpirun_test.py openmpi|mpich: core_tool launch-driver and rank-child as in local_launcher_test.cpp.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from endings import check_gone
from mpi import MPIRUN
from program import BINARY_DIR, check, clean_environment, skip

library = sys.argv[1]
mpirun = shutil.which(MPIRUN[library])
if mpirun is None:
    skip(f"{MPIRUN[library]} is not installed")


class Launch:
    def __init__(self, *what, ranks=2, grace_ms=5000, failure_grace_ms=300, path=mpirun, ignored=()):
        self.folder = tempfile.TemporaryDirectory()
        command = [BINARY_DIR / "tests/core_tool", "launch-driver", BINARY_DIR / "tests/core_tool", ranks, grace_ms, failure_grace_ms, 0,
                   "--", *what]
        self.process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=clean_environment(TMPDIR=self.folder.name, LAUNCH_MPIRUN=f"{library}:{path}"),
                                        preexec_fn=lambda: [signal.signal(number, signal.SIG_IGN) for number in ignored])
        self.err = b""

    def await_pids(self, word, count):
        """Reads stderr until `word N` has come so often; the numbers."""
        os.set_blocking(self.process.stderr.fileno(), False)
        end = time.monotonic() + 200
        while time.monotonic() < end:
            self.err += self.process.stderr.read() or b""
            found = re.findall(rf"{word} (\d+)".encode(), self.err)
            if len(found) == count:
                os.set_blocking(self.process.stderr.fileno(), True)
                return [int(number) for number in found]
            time.sleep(0.02)
        check(False, f"no {count} x '{word} N': {self.err}")

    def end(self, expect, seconds=50):  # ranks that nobody ends sleep for 60
        out, err = self.process.communicate(timeout=seconds)
        err = (self.err + err).decode()
        check(self.process.returncode == expect, f"ended with {self.process.returncode}, expected {expect}\n{err}")
        left = list(Path(self.folder.name).iterdir())
        check(not [path for path in left if path.name.startswith("scalemark")], f"left behind: {left}")
        return out.decode(), err


out, err = Launch("speak", ranks=3).end(0)
check(out == "out of 0\n", out)
for line in ("err of 0\n", "[1] out of 1\n", "[1] err of 1\n", "[1] no end\n", "[2] out of 2\n", "[2] err of 2\n"):
    check(line in err, f"{line} is missing in\n{err}")
check("[0]" not in err and "mpirun" not in err, err)

out, err = Launch("environment").end(0)
check("world 0 of 2 local 0 of 2 node 0 of 1 by local id " in out and "[1] world 1 of 2" in err, out + err)
check("SCALEMARK_LAUNCHER_SOCKET" not in out, out)
check({"openmpi": "OMPI_COMM_WORLD_RANK=0\n", "mpich": "PMI_RANK=0\n"}[library] in out, out)

out, _ = Launch("socket").end(0)
check("listening 1 on 127.0.0.1:" in out, out)

_, err = Launch("fail", 65, ranks=3).end(65)
check(re.search(r"rank 1 \(pid \d+\) exited with 65; its last lines:\n    about to fail\n    because of a test\n", err), err)
Launch("fail-with-file", 134).end(65)
# Rank 0 may be out long before a busy machine has let rank 1 say why.
Launch("lose-peer", failure_grace_ms=5000).end(65)
_, err = Launch("die", 9, failure_grace_ms=5000).end(69)
check("was killed by signal 9 (SIGKILL)" in err, err)
_, err = Launch("die", 11, failure_grace_ms=5000).end(69)
check("was killed by signal 11 (SIGSEGV)" in err, err)
for code in (1, 2):
    _, err = Launch("exit", code).end(code)
    check(err == "", err)

for number, code, counts in ((signal.SIGTERM, 75, "term 1 int 0 usr1 0"), (signal.SIGINT, 130, "term 0 int 1 usr1 0"),
                             (signal.SIGUSR1, 75, "term 0 int 0 usr1 1")):
    launch = Launch("count-signals")
    launch.await_pids("ready", 2)
    launch.process.send_signal(number)
    out, err = launch.end(code)
    check(out == f"rank 0 {counts}\n" and f"[1] rank 1 {counts}\n" in err, out + err)

# Mpirun gives its processes the default of these.
ignored = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)
launch = Launch("ignored", ignored=ignored)
launch.await_pids("ready", 2)
for number in ignored:
    launch.process.send_signal(number)
launch.process.terminate()
out, err = launch.end(75)
check(out == "rank 0 term 1 int 0 usr1 0\n", out + err)
masks = [int(mask, 16) for mask in re.findall("ignores ([0-9a-f]+)", err)]
check(len(masks) == 2 and all(mask >> number - 1 & 1 for mask in masks for number in ignored), err)

launch = Launch("ignore", grace_ms=300)
launch.await_pids("pid", 2)
launch.process.terminate()
_, err = launch.end(75)
check("did not end in time: killed\n" in err, err)

launch = Launch("ignore", ranks=3)
pids = launch.await_pids("pid", 3)
launch.process.kill()
launch.process.wait()
check_gone(pids)

# mpirun's own message must be shown when it starts nothing.
with tempfile.TemporaryDirectory() as folder:
    broken = Path(folder) / "mpirun"
    broken.write_text("#!/bin/sh\necho no slots >&2\nexit 3\n")
    broken.chmod(0o755)
    _, err = Launch("speak", path=broken).end(71)
    check("mpirun ended: no slots" in err, err)
print("as without mpirun")
