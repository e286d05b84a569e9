"""Runs of scalemark whose GPUs and NCCL are stand-ins (tests/nullcuda, tests/nullnccl): two ranks, a GPU each."""

import re

import nullgpu
from endings import Running
from private_host import as_host
from program import BINARY_DIR

NCCL = BINARY_DIR.resolve() / "tests/libnullnccl.so"
TRAIN = ("train", "--workload", "linear", "--device", "cuda", "--nproc-per-node", 2, "--threads", 1, "--no-progress")
SWEEP = ("sweep", "--workload", "linear", "--device", "cuda", "--nproc-per-node", 2, "--threads", 1, "--no-progress",
         "--iters", 5, "--warmup-iters", 2, "--repetitions", 1)
# The host runs ahead of a device that never computes; so many steps that a test always acts in the middle of a run.
LONG = ("--iters", 30_000, "--warmup-iters", 2)


def run(*arguments, devices=2, env=None, **options):
    """The program to its end."""
    return nullgpu.run(arguments, devices=devices, preload=[NCCL], env={"NULLNCCL_LOG": 1, **(env or {})}, **options)


def running(*arguments, host="", **environment):
    """The program in the background; `host`: under this name."""
    nullgpu.require()
    wrapper = [*(as_host(host) if host else ()), *nullgpu.command(devices=2, preload=[NCCL])]
    return Running(*arguments, wrapper=wrapper, NULLCUDA_DEVICES=2, NULLNCCL_LOG=1, **environment)


def events(text):
    """Returns what the null NCCL's log lists: how often each thing happened, over all ranks."""
    found = re.findall(r"nullnccl: pid \d+ rank \d+ of \d+: (.+)", text)
    return {what: found.count(what) for what in found}
