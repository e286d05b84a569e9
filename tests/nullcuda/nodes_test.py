"""Several nodes under the built-in launcher, without --world-sizes or --nproc-per-node: each node starts a rank on each of its
GPUs, and the plan says so before. Two hosts in network namespaces, each with null GPUs.

nodes_test.py CASE...
"""

import json

import nullgpu
import private_host
from endings import closed_report, run_cases
from launching import finish, start
from program import BINARY_DIR, SCALEMARK, check
from switched import SwitchedHosts

GPUS, NODES = 2, 2
NCCL = BINARY_DIR.resolve() / "tests/libnullnccl.so"
SHORT = ("--threads", 1, "--no-progress", "--repetitions", 1, "--retries", 0, "--yes", "--fail-on", "none")
# The ring of hosts is measured over the first backend: Gloo's messages must not lie on the GPUs.
BACKENDS = ("gloo", "nccl")
SWEEP = ("sweep", "--workload", "linear", "--device", "cuda", "--backend", ",".join(BACKENDS), "--iters", 4, "--warmup-iters", 2, *SHORT)
COMM = ("comm", "--device", "cuda", "--backends", "nccl", "--sizes", "4KiB", *SHORT)
PAIRS = ("comm", "--device", "cuda", "--backends", "nccl", "--pairs", *SHORT)


def on_node(hosts, node, words, gpus=GPUS):
    """The command on one node, which has so many GPUs: those of the second begin behind those of the first, since null GPUs are
    known by their numbers."""
    place = ("--nnodes", NODES, "--node-rank", node, "--rendezvous", f"{hosts.addresses[0]}:29677")
    devices = GPUS * node + gpus
    return start(*hosts.on(node), *nullgpu.command(SCALEMARK.resolve(), *words, *place, devices=devices, preload=[NCCL]),
                 NULLCUDA_DEVICES=devices, CUDA_VISIBLE_DEVICES=",".join(map(str, range(GPUS * node, devices))))


def launched(folder, *words):
    """The report of a launch on every node."""
    with SwitchedHosts(NODES) as hosts:
        finish([on_node(hosts, node, (*words, "--output", folder / "out")) for node in range(NODES)])
    return closed_report(folder / "out", "complete", 0)


def planned(*words):
    """The plan of the same command, on a machine that has as many GPUs."""
    done = nullgpu.run((*words, "--nnodes", NODES, "--node-rank", 0, "--rendezvous", "n1:29500", "--dry-run", "--log-format", "json"),
                       devices=GPUS, preload=[NCCL])
    return json.loads(done.stdout)


def places(ranks):
    return sorted((rank["rank"], rank["host"], rank["device"]) for rank in ranks)


def check_links(report):
    """The one between the two nodes, measured."""
    [link] = report["links"]
    check({link["a"], link["b"]} == {"node0", "node1"}, link)
    check(link["latency_s"] > 0 and link["bandwidth_GBps"] > 0, link)


def sweep(folder):
    plan = planned(*SWEEP)
    report = launched(folder, *SWEEP)
    points = report["points"]
    check({point["world_size"] for point in points} == {1, 2, 4}, [point["world_size"] for point in points])
    check({point["group"] for point in points} == {point["group"] for point in plan["plan"]["points"]}, plan["plan"]["points"])
    expected = [(rank, f"node{rank // GPUS}", f"cuda:{rank % GPUS}") for rank in range(GPUS * NODES)]
    for backend in BACKENDS:
        [largest] = [point for point in points if point["world_size"] == 4 and point["strategy"] == "ddp" and point["backend"] == backend]
        check(places(largest["ranks"]) == expected, places(largest["ranks"]))
    check_links(report)


def comm(folder):
    plan = planned(*COMM)["plan"]
    report = launched(folder, *COMM)
    found = {(row["world_size"], row["nodes"]) for row in report["collectives"]}
    check(found == {(GPUS * NODES, NODES)} and plan["world_size"] == GPUS * NODES, (found, plan["world_size"]))


def pairs(folder):
    """NCCL's messages lie on the GPUs: both ways at once they are one call."""
    check_links(launched(folder, *PAIRS))


def other_counts(folder):
    """A node that has other GPUs than the first would number its ranks otherwise: each says so, and nobody waits."""
    with SwitchedHosts(NODES) as hosts:
        running = [on_node(hosts, node, (*SWEEP, "--output", folder / "out"), GPUS + node) for node in range(NODES)]
        texts = finish(running, expect=76)
    for text in texts:
        check("world_size is 6; rank 0 has 4. Hint: start every rank with the same number of ranks" in text, text)


if __name__ == "__main__":
    private_host.enter()
    run_cases({case.__name__: case for case in (sweep, comm, pairs, other_counts)})
