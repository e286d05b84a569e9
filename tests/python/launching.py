"""Processes that another launcher than ours would start."""

import os
import random
import socket
import subprocess
import time
from pathlib import Path

from program import check, clean_environment


def free_port():
    """Free a moment ago, and below those that the kernel gives to connections (from 32768 on): a busy machine takes seconds to start
    who listens there, in which other tests connect."""
    for port in random.sample(range(10_000, 29_000), 100):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass
    check(False, "no free port")


def sockets():
    """(state, local port, remote port, inode) of this network's TCP sockets."""
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            _, local, remote, state, *rest = line.split()
            yield state, *(int(place.rsplit(":", 1)[1], 16) for place in (local, remote)), rest[5]


def await_listener(port, seconds=240):
    """Returns once some process of this network listens at the port."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if any(state == "0A" and local == port for state, local, _, _ in sockets()):
            return
        time.sleep(0.05)
    check(False, f"nobody listens at port {port}")


def await_connection(process, port, seconds=240):
    """Returns once the process is connected to who listens at the port."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        check(process.poll() is None, f"{process.args} has ended and was not connected to port {port}")
        remote = {f"socket:[{inode}]" for state, _, to, inode in sockets() if (state, to) == ("01", port)}
        if remote & set(files_of(process.pid)):
            return
        time.sleep(0.05)
    check(False, f"{process.args} is not connected to port {port}")


def files_of(pid):
    """Returns what its descriptors are; one that was closed meanwhile is left out."""
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            yield os.readlink(entry)
        except FileNotFoundError:
            pass


def start(*command, **environment):
    return subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=clean_environment(OMP_NUM_THREADS=1, **environment))


def finish(processes, expect=0, seconds=600):
    """Waits for all; their stderr texts."""
    texts = []
    try:
        for process in processes:
            out, err = process.communicate(timeout=seconds)
            texts.append(err)
            check(process.returncode == expect, f"{process.args}\nended with {process.returncode}\n{out}\n{err}")
    finally:
        for process in processes:
            process.kill()
    return texts
