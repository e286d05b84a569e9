"""Faults of a null GPU: memory that runs out anywhere is a row, a broken device ends the run with what was measured,
and machines that cannot run are refused in words.

faults_test.py [CASE...]; SCALEMARK_SOAK=full takes ResNet-50 and every allocation instead of a few of an MLP's.
"""

import functools
import os
import re
import sys
import tempfile
from pathlib import Path

import nullgpu
from endings import closed_report
from program import check
from sweeps import statuses

FULL = os.environ.get("SCALEMARK_SOAK") == "full"
WORKLOAD = ("resnet50", "--image-size", 32) if FULL else ("mlp",)
SWEEP = ("sweep", "--workload", *WORKLOAD, "--device", "cuda", "--batch-sizes", "2,4", "--iters", 4,
         "--warmup-iters", 2, "--repetitions", 1, "--retries", 0, "--allow-oom", "--quiet", "--no-progress")
TRAIN = ("train", "--workload", "linear", "--device", "cuda", "--iters", 3, "--warmup-iters", 2, "--quiet")


def sweep(folder, expect, name, **environment):
    result = nullgpu.run([*SWEEP, "--output", Path(folder) / name], expect=expect, env=environment)
    return result, Path(folder) / name


@functools.cache
def undisturbed():
    """Returns what the sweep asks of a device that has no fault."""
    with tempfile.TemporaryDirectory() as folder:
        return sweep(folder, 0, "plain")[0].counts[0]["total"]


def total(kind, name=None):
    return sum(t["count"] for n, t in undisturbed()[kind].items() if name in (None, n))


def memory_runs_out(folder):
    """At whichever allocation it does: the point is a row without a result, and the next one is measured."""
    for variable, function in (("NULLCUDA_FAIL_ALLOCATION", "cudaMalloc"), ("NULLCUDA_FAIL_PINNED", "cudaHostAlloc")):
        calls = total("allocations", function)
        check(calls > 3, f"{calls} calls of {function}")
        for n in range(1, calls + 1) if FULL else (1, calls):
            _, out = sweep(folder, 0, f"{function}{n}", **{variable: n})
            found = sorted(statuses(closed_report(out, "complete", 0)).values())
            check(found == ["ok", "oom"], f"the {n}th of {calls} {function} found no memory: {found}")


def a_limit_is_kept(folder):
    """--memory-limit: a batch that does not fit is a row, or ends a run with 80 and what would fit."""
    limit = ("--memory-limit", "4GiB")
    options = ("--workload", "resnet50", "--image-size", 32, "--device", "cuda", "--iters", 2, "--warmup-iters", 1)
    nullgpu.run(["sweep", *options, *limit, "--batch-sizes", "2,4096", "--repetitions", 1, "--allow-oom", "--quiet",
                 "--output", Path(folder) / "sweep"])
    found = statuses(closed_report(Path(folder) / "sweep", "complete", 0))
    check(sorted(found.values()) == ["ok", "oom"], found)
    result = nullgpu.run(["train", *options, *limit, "--batch-size", 4096, "--output", Path(folder) / "train"],
                         expect=80)
    check("E_OUT_OF_MEMORY" in result.stderr and "fits into 4 GiB" in result.stderr, result.stderr)


def the_device_breaks(folder):
    """A kernel that fails ends the sweep with 84; what was measured before is kept."""
    launches = total("launches")
    for share in (0.1, 0.3, 0.6, 0.8, 0.95) if FULL else (0.3, 0.8):
        n = int(share * launches)
        result, out = sweep(folder, 84, f"launch{n}", NULLCUDA_FAIL_LAUNCH=n)
        check("E_GPU_FAULT" in result.stderr, result.stderr)
        rows = statuses(closed_report(out, "failed", 84))
        done = [status for status in rows.values() if status == "ok"]
        check(len(done) == (1 if share > 0.5 else 0), f"launch {n} of {launches} failed: {rows}")


def one_rank_of_two_breaks(folder):
    """The other rank learns why, and ends with the same code."""
    out = Path(folder) / "out"
    result = nullgpu.run(["train", "--workload", "mlp", "--device", "cuda", "--iters", 20, "--warmup-iters", 5,
                          "--nproc-per-node", 2, "--strategy", "ddp", "--backend", "gloo", "--output", out],
                         devices=2, expect=84, env={"NULLCUDA_FAIL_LAUNCH": 400, "NULLCUDA_FAULT_RANK": 1})
    check("E_GPU_FAULT" in result.stderr and "rank=1" in result.stderr, result.stderr)
    closed_report(out, "failed", 84)


def machines_that_cannot(folder):
    """Driver and GPU too old, no GPU behind the device files, none at all, NCCL with one GPU for two ranks."""
    two_ranks = ("--nproc-per-node", 2, "--backend", "nccl", "--strategy", "ddp")
    refusals = [({"NULLCUDA_DRIVER": 12080}, 1, (), "E_DRIVER_TOO_OLD", 71, "12.8"),
                ({"NULLCUDA_COMPUTE": 70}, 1, (), "E_GPU_TOO_OLD", 71, "NVIDIA H200"),
                ({"NULLCUDA_DEVICES": 0}, 1, (), "E_NO_GPU", 71, "shows no GPU"),
                ({}, 0, (), "E_CONFIGURATION", 78, "no GPU is visible"),
                ({}, 1, two_ranks, "E_CONFIGURATION", 78, "one rank per GPU")]
    for environment, devices, options, code, exit_code, quoted in refusals:
        result = nullgpu.run([*TRAIN, *options, "--output", Path(folder) / "out", "--overwrite"], devices=devices,
                             env=environment, expect=exit_code)
        check(code in result.stderr and quoted in result.stderr, result.stderr)
        if code in ("E_DRIVER_TOO_OLD", "E_GPU_TOO_OLD"):
            said = " ".join(nullgpu.run(["doctor"], env=environment).stdout.split())
            check(re.search(rf"cannot be used: .*{re.escape(quoted)}.*use .*--device cpu", said), said)


def a_cpu_run_loads_no_cuda(folder):
    """`--device auto` without a GPU computes on the CPU, and torch's CUDA libraries stay away."""
    result = nullgpu.run([*TRAIN[:3], "--device", "auto", *TRAIN[5:], "--output", Path(folder) / "out"], devices=0,
                         env={"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": Path(folder) / "loader"})
    loaded = "".join(file.read_text() for file in Path(folder).glob("loader.*"))
    check("libtorch_cpu.so" in loaded, "the loader's words were not found")
    check("libtorch_cuda.so" not in loaded, "libtorch_cuda.so was loaded for a CPU")
    check(not result.counts, f"a device was used: {result.counts}")


CASES = {f.__name__: f for f in (memory_runs_out, a_limit_is_kept, the_device_breaks, one_rank_of_two_breaks,
                                 machines_that_cannot, a_cpu_run_loads_no_cuda)}

if __name__ == "__main__":
    nullgpu.require()
    for name in sys.argv[1:] or CASES:
        with tempfile.TemporaryDirectory() as folder:
            CASES[name](folder)
