"""--trace against the trace that torch.profiler of Python writes of the same steps under DistributedDataParallel: categories,
keys, names and nesting; what other tools make of it; and that the run itself is none the wiser."""

import json
import re
from collections import Counter
from pathlib import Path

from endings import run_cases
from program import check, run, skip
from sweeps import valid_report
from traces import Trace, lies_in

STEPS, WARMUP, ITERS = 3, 4, 6
MLP = ("--workload", "mlp", "--batch-size", 8, "--threads", 1, "--iters", ITERS, "--warmup-iters", WARMUP, "--no-progress")
TWO = (*MLP, "--nproc-per-node", 2, "--deterministic")


def traced(folder, *options):
    """The traces of one run, by rank."""
    run("train", *options, "--output", folder / "out", "--trace", folder / "traces", "--trace-steps", STEPS)
    [point] = valid_report(folder / "out")["points"]
    files = sorted((folder / "traces" / point["id"]).iterdir())
    check([file.name for file in files] == [f"rank{i}.pt.trace.json" for i in range(point["world_size"])], files)
    return [Trace(file) for file in files]


def train_in_python(rank, folder):
    """The same network, data of the same shape, the same recipe, with ranges of the same names."""
    import torch
    import torch.distributed as dist
    from torch.profiler import ProfilerActivity, profile, record_function, schedule

    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
    network = torch.nn.Sequential(torch.nn.Linear(1024, 512), torch.nn.ReLU(inplace=True), torch.nn.Linear(512, 256),
                                  torch.nn.ReLU(inplace=True), torch.nn.Linear(256, 10))
    ddp = torch.nn.parallel.DistributedDataParallel(network)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3, fused=True)
    features, label = torch.randn(8, 1024), torch.randint(0, 10, (8,))
    first = WARMUP + ITERS
    with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=first, warmup=1, active=STEPS),
                 on_trace_ready=lambda p: p.export_chrome_trace(f"{folder}/python{rank}.json")) as profiler:
        for _ in range(first + 1 + STEPS):
            with record_function("data"):
                batch = features, label
            with record_function("forward"):
                loss = torch.nn.functional.cross_entropy(ddp(batch[0]), batch[1])
            with record_function("backward"):
                loss.backward()
            with record_function("optimizer"):
                optimizer.step()
                optimizer.zero_grad()
            profiler.step()
    dist.destroy_process_group()


def of_python(folder):
    try:
        import torch.multiprocessing
    except ImportError as missing:
        skip(f"{missing}; scripts/test installs the oracles (requirements-test.txt)")
    folder.mkdir()
    torch.multiprocessing.spawn(train_in_python, args=(str(folder),), nprocs=2)
    return [Trace(folder / f"python{rank}.json") for rank in range(2)]


# Operators of a step that only one side has, with their numbers (ours, theirs), and why.
DIFFERENCES = {}


def check_nesting(trace, what):
    steps = trace.ranges(r"ProfilerStep#\d+")
    check([step["name"] for step in steps] == [f"ProfilerStep#{WARMUP + ITERS + 1 + i}" for i in range(STEPS)],
          f"{what}: {[step['name'] for step in steps]}")
    for phase in ("data", "forward", "backward", "optimizer"):
        found = trace.ranges(phase)
        check(len(found) == STEPS and all(map(lies_in, found, steps)), f"{what}: one {phase} in each step")
    order = [e["name"] for e in trace.ranges("data|forward|backward|optimizer")]
    check(order == ["data", "forward", "backward", "optimizer"] * STEPS, f"{what}: {order}")


def phase_operators(trace, phase):
    """Per step; every step's are the same."""
    counts = [trace.operators(found) for found in trace.ranges(phase)]
    check(all(count == counts[0] for count in counts), f"{phase}: steps differ")
    return counts[0]


def as_pytorch(folder):
    ours, theirs = traced(folder, *TWO), of_python(folder / "python")
    for rank, (our, their) in enumerate(zip(ours, theirs)):
        what = f"rank {rank}"
        print(our.keys(), their.keys(), our.categories(), their.categories())
        for trace, who in ((our, "ours"), (their, "python's")):
            check_nesting(trace, f"{what}, {who}")
        for phase in ("data", "forward", "backward", "optimizer"):
            a, b = phase_operators(our, phase), phase_operators(their, phase)
            print(phase, {n: (a[n], b[n]) for n in a | b if a[n] != b[n]}, a & b)


run_cases({f.__name__: f for f in (as_pytorch,)})
