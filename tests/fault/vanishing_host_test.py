"""The host of rank 0 is gone from one moment to the next: no connection is closed, no request is answered. A rank that
waits for a task in a sweep has lost a peer (69); it does not hang."""

import os
import signal
import time
from pathlib import Path

from endings import only_error, run_cases
from launching import start
from namespaces import TwoHosts
from program import SCALEMARK, check
from sweeps import journal_lines

SWEEP = ("sweep", "--workload", "linear", "--iters", 10_000_000, "--warmup-iters", 2, "--threads", 1, "--no-progress",
         "--repetitions", 1, "--world-sizes", "1", "--nnodes", 2, "--nproc-per-node", 1, "--timeout", "wait=4")


def host_of_rank_0(folder):
    with TwoHosts() as hosts:
        place = ("--rendezvous", f"{hosts.ADDRESSES[0]}:29631", "--output", folder / "out")
        nodes = [start(*hosts.on(number), SCALEMARK, *SWEEP, "--node-rank", number, *place) for number in (0, 1)]
        try:
            end = time.monotonic() + 60
            while not any(line["event"] == "window" for line in journal_lines(folder / "out")):
                check(time.monotonic() < end and all(node.poll() is None for node in nodes), "the sweep did not begin")
                time.sleep(0.1)
            hosts.ip("-n", hosts.names[0], "addr", "flush", "dev", f"v{hosts.names[0]}")
            launcher = nodes[0].pid
            for pid in (launcher, *Path(f"/proc/{launcher}/task/{launcher}/children").read_text().split()):
                os.kill(int(pid), signal.SIGSTOP)
            _, text = nodes[1].communicate(timeout=120)
        finally:
            for node in nodes:
                node.kill()
                node.wait()
    check(nodes[1].returncode == 69, f"ended with {nodes[1].returncode}\n{text}")
    only_error(text, "E_PEER_LOST", 69, "rank=1", "phase=wait", "does not answer any more")


run_cases({f.__name__: f for f in (host_of_rank_0,)})
