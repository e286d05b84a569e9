"""A host of its own for a test: processes, mounts and network that the kernel takes away with it, whatever ends the test."""

import os
import subprocess
import sys
from pathlib import Path

import mounts
from program import skip

INSIDE = "TEST_IS_ON_PRIVATE_HOST"
# Without its first process (the test) a process namespace ends, and all its processes with it; --kill-child ends the test with
# the `unshare` that ctest knows.
UNSHARE = ("unshare", "--fork", "--kill-child=KILL", "--pid", "--mount-proc", "--mount", "--net", "--uts")


def enter():
    """Starts this script again on a private host and returns there: /run and /dev/shm are empty, temporary files go into /run,
    the network has a loopback only. Skips where the kernel refuses."""
    if os.environ.get(INSIDE) != "yes":
        trial = subprocess.run([*UNSHARE, "true"], capture_output=True, text=True)
        if trial.returncode != 0:
            skip(f"no namespaces can be made here: {trial.stderr.strip()}")
        os.environ[INSIDE] = "yes"
        os.execvp(UNSHARE[0], [*UNSHARE, sys.executable, *sys.argv])
    for folder in ("/run", "/dev/shm"):
        subprocess.run(["sh", "-c", mounts.empty(folder)], check=True)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    os.environ["TMPDIR"] = "/run/tmp"
    Path("/run/tmp").mkdir(mode=0o1777)


def know_hosts(addresses):
    """/etc/hosts of the private host: {name: address}."""
    file = Path("/run/hosts")
    file.write_text("127.0.0.1 localhost\n" + "".join(f"{address} {name}\n" for name, address in addresses.items()))
    subprocess.run(["mount", "--bind", file, "/etc/hosts"], check=True)


def as_host(name):
    """The words that start a command under a host name of its own."""
    return ["unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', name]
