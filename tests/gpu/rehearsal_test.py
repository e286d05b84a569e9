"""gpu_slot on the null device: a covering part of its steps here, all of them, from a bundle, with SCALEMARK_SOAK=full
(scripts/soak). A device that breaks fails a step; what countcuda.so counted is what the null device counted itself."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import nullgpu
from program import BINARY_DIR, check

SOURCE = Path(os.environ["SCALEMARK_SOURCE_DIR"])
FULL = os.environ.get("SCALEMARK_SOAK") == "full"
# Judged on the null device as on a real one; the others only run there.
JUDGED = {"doctor": "NVIDIA H200", "nccl.two-ranks-refused": "exit 78", "waits.bert-base": "0.00 waits",
          "waits.resnet50": "0.00 waits", "memory.oom-sweep": "batch 512: oom"}


def rehearse(folder, *options, expect=0, **environment):
    """The outcomes by step."""
    done = subprocess.run([SOURCE / "scripts/gpu_slot", "--rehearse", "--output", folder, *map(str, options)],
                          capture_output=True, text=True,
                          env=dict(os.environ, PYTHON=sys.executable, **environment))
    check(done.returncode == expect, f"gpu_slot {options} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    check((folder / "gpu-slot.tar.gz").stat().st_size > 1000, "no archive")
    return {step["step"]: step for step in json.loads((folder / "table.json").read_text())["steps"]}


def covering(folder):
    seen = rehearse(folder / "covering", "--covering", "--build", BINARY_DIR)
    check(set(seen) > {"linear", "gpu.resnet50.amp-fp16", "waits.resnet50"}, sorted(seen))
    check_verdicts(seen)


def everything(folder):
    subprocess.run([SOURCE / "scripts/lib/pack_bundle", BINARY_DIR, "gpu", folder], check=True)
    [bundle] = folder.glob("*-gpu.tar.gz")
    seen = rehearse(folder / "all", "--budget", 2400, bundle)
    check(len(seen) > 30, sorted(seen))
    check_verdicts(seen)


def check_verdicts(seen):
    for name, step in seen.items():
        status, figure = ("passed", JUDGED[name]) if name in JUDGED else ("not judged", "")
        check(step["status"] == status and figure in step["figure"], step)


def broken_device(folder):
    """The 40th kernel breaks the device: the short run fails with the code of a GPU fault, and ends the session."""
    seen = rehearse(folder / "broken",
                    "--steps",
                    "linear,waits.*",
                    "--build",
                    BINARY_DIR,
                    expect=1,
                    NULLCUDA_FAIL_LAUNCH="40")
    check(seen["linear"]["status"] == "failed" and seen["linear"]["exit_codes"] == [84], seen["linear"])
    check(seen["waits.bert-base"]["figure"] == "linear failed", seen["waits.bert-base"])


def counted_twice(folder):
    """countcuda.so is loaded before the null device, which counts the same calls by itself."""
    count_file = folder / "counts"
    run = nullgpu.run([
        "train", "--workload", "linear", "--device", "cuda", "--iters", 5, "--warmup-iters", 1, "--output",
        folder / "run"
    ],
                      preload=[BINARY_DIR.resolve() / "countcuda.so"],
                      env={"COUNTCUDA_OUTPUT": count_file})
    [file] = folder.glob("counts.*")
    ours, total = json.loads(file.read_text()), run.counts[0]["total"]
    theirs = {kind: sum(tally["count"] for tally in tallies.values()) for kind, tallies in total.items()}
    waits = sum(ours[name] for name in ("device_syncs", "stream_syncs", "event_syncs", "blocking_copies"))
    check(ours["launches"] == theirs["launches"] > 0, f"{ours} {theirs}")
    check(ours["gemms"] == theirs["gemms"] > 0, f"{ours} {theirs}")
    check(waits == theirs["syncs"] > 0, f"{ours} {total['syncs']}")


nullgpu.require()
for case in (everything if FULL else covering, broken_device, counted_twice):
    with tempfile.TemporaryDirectory() as name:
        print(f"-- {case.__name__}", flush=True)
        case(Path(name))
