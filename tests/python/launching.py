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
    """The fields of each TCP socket, as /proc/net/tcp has them."""
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            yield line.split()


def port_of(address):
    return int(address.rsplit(":", 1)[1], 16)


def await_listener(port, seconds=60):
    """Returns once somebody listens there."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if any(state == "0A" and port_of(local) == port for _, local, _, state, *_ in sockets()):
            return
        time.sleep(0.05)
    check(False, f"nobody listens at port {port}")


def await_connection(process, port, seconds=60):
    """Returns once the process is connected with that port."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        inodes = {fields[9] for fields in sockets() if fields[3] == "01" and port_of(fields[2]) == port}
        for entry in Path(f"/proc/{process.pid}/fd").glob("*"):
            try:
                if os.readlink(entry).removeprefix("socket:[").rstrip("]") in inodes:
                    return
            except FileNotFoundError:
                pass
        check(process.poll() is None, "it ended")
        time.sleep(0.05)
    check(False, f"no connection with port {port}")


def start(*command, **environment):
    return subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=clean_environment(OMP_NUM_THREADS=1, **environment))


def finish(processes, expect=0, seconds=240):
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
