"""The CUDA path of `train` and `sweep` on a null GPU: every run ends as it should, the host never waits for the device
inside a measured window, nothing is done to the device that no right program does, and nothing piles up.

runs_test.py GROUP           a covering choice of the group
SCALEMARK_SOAK=full          all of it
"""

import itertools
import os
import sys
import tempfile
from pathlib import Path

import jsonschema

import nullgpu
from endings import SOURCE
from program import check, report_in, run
from sweeps import VALIDATOR

FULL = os.environ.get("SCALEMARK_SOAK") == "full"
PRECISIONS = ("fp32", "tf32", "amp-fp16", "amp-bf16")
SHORT = ("--iters", 4, "--warmup-iters", 3, "--quiet")
SMALL = {"resnet50": ("--batch-size", 4, "--image-size", 64), "bert-base": ("--batch-size", 4),
         "bert-mini": ("--batch-size", 4), "bert-large": ("--batch-size", 2), "mlp": (), "linear": ()}


def own_syncs(window):
    """How the rank's own threads waited for the device; Gloo's workers wait for their copies, one bucket each."""
    return {name: t["count"] for name, t in window["syncs"].items() if not name.startswith("pt_gloo")}


def check_window(window, what):
    check(not own_syncs(window), f"{what}: the host waits inside the measured window: {own_syncs(window)}")
    check(not window["allocations"], f"{what}: memory is allocated inside the measured window: {window['allocations']}")
    waits = window["waits"].get("unrecorded event", {"count": 0})["count"]
    check(waits == 0, f"{what}: {waits} waits for events that were never recorded")


def train(*options, windows=1, ranks=1, steady=True, **surroundings):
    """One run; returns its point and its result. `steady`: the window finds all memory that it needs."""
    with tempfile.TemporaryDirectory() as folder:
        several = ("--nproc-per-node", ranks, "--strategy", "ddp", "--backend", "gloo") if ranks > 1 else ()
        result = nullgpu.run(["train", "--device", "cuda", *options, *several, "--output", folder, "--overwrite"],
                             **surroundings)
        report = report_in(folder)
    VALIDATOR.validate(report)
    [point] = report["points"]
    check(point["status"] == "ok" and point["device"] == "cuda", f"{options}: {point['status']} on {point['device']}")
    for rank in range(ranks):
        found = result.measured_windows(rank)
        check(len(found) == windows, f"{options}: {len(found)} windows on rank {rank}, {windows} expected")
        for window in found if steady else []:
            check_window(window, f"{' '.join(map(str, options))}, rank {rank}")
    return point, result


def precisions():
    """Every workload in every precision."""
    pairs = list(itertools.product(SMALL, PRECISIONS))
    # Each workload and each precision at least once; those whose path depends on it (cuDNN's or ATen's batch
    # normalisation, attention) in all. The budgets' tests run the rest too.
    chosen = [(w, p) for w, p in pairs if w in ("resnet50", "bert-base") or (w, p) in (
        ("linear", "tf32"), ("mlp", "amp-fp16"), ("bert-mini", "fp32"))]
    for workload, precision in pairs if FULL else chosen:
        train("--workload", workload, "--precision", precision, *SMALL[workload], *SHORT)


def optimizers():
    """Each optimizer, with what else changes the step: pairwise in CI, all together in soak."""
    kinds = ("sgd", "adam", "adamw", "lamb", "lars")
    switches = [(), ("--gradient-accumulation-steps", 2), ("--clip-grad-norm", 1), ("--deterministic",),
                ("--label-smoothing", 0.1)]
    every = itertools.product(kinds, switches, ("fp32", "amp-fp16", "amp-bf16"))
    covering = [("sgd", switches[1], "amp-fp16"), ("sgd", switches[3], "fp32"), ("adam", switches[2], "amp-bf16"),
                ("adamw", switches[0], "amp-fp16"), ("lamb", switches[2], "amp-fp16"), ("lars", switches[4], "fp32"),
                ("lamb", switches[1], "amp-bf16"), ("adamw", switches[3], "amp-bf16")]
    for optimizer, switch, precision in every if FULL else covering:
        workload = "resnet50" if optimizer in ("sgd", "lars") or "--label-smoothing" in switch else "bert-mini"
        train("--workload", workload, "--optimizer", optimizer, "--precision", precision, *switch, *SMALL[workload], *SHORT)


def two_ranks():
    """Two ranks over Gloo with CUDA tensors, on one device and on two."""
    options = [("resnet50", "amp-bf16", 1, ()), ("bert-mini", "amp-fp16", 2, ("--gradient-accumulation-steps", 2))]
    if FULL:
        options += [(w, p, d, o) for w in ("resnet50", "bert-mini", "mlp") for p in PRECISIONS for d in (1, 2) for o in (
            (), ("--gradient-as-bucket-view",), ("--gradient-compression", "fp16"), ("--overlap", "off"))]
    for workload, precision, devices, extra in options:
        # c10d rebuilds its buckets in the first steps, which needs memory once.
        point, _ = train("--workload", workload, "--precision", precision, *SMALL[workload], *extra, *SHORT, ranks=2,
                         devices=devices)
        seen = {rank["device"] for rank in point["ranks"]}
        check(len(seen) == devices, f"{devices} devices, but the ranks were on {seen}")


def communication_cost():
    """The twin without communication changes nothing of what the host may do."""
    train("--workload", "mlp", "--iters", 12, "--warmup-iters", 11, "--communication-cost", "--quiet", ranks=2, windows=5,
          steady=False)


def files():
    """Epochs from image files and from text, with evaluation."""
    with tempfile.TemporaryDirectory() as folder:
        images, text = Path(folder) / "images", Path(folder) / "text"
        run("data", "generate", "images", images, "--samples", 48, "--classes", 3, "--image-size", 32)
        run("data", "generate", "text", text, "--samples", 60)
        runs = [("resnet50", ("--data", images, "--image-size", 32)), ("bert-mini", ("--data", text))]
        for (workload, data), copies in zip(runs, ("deferred", "immediate")):
            point, _ = train("--workload", workload, *data, "--batch-size", 4, "--epochs", 2, "--quiet", windows=2,
                             steady=False, env={"NULLCUDA_COPIES": copies})
            check(len(point["evaluation"]) == 2, f"{workload}: {point.get('evaluation')}")


def lazy_device():
    """A device that does asynchronous work as late as CUDA allows, whose events are not ready when they are asked for:
    pinned memory that is reused too early, or read too early, is found."""
    every = [(w, p) for w in SMALL for p in PRECISIONS] if FULL else [("resnet50", "fp32"), ("bert-mini", "amp-fp16")]
    for workload, precision in every:
        train("--workload", workload, "--precision", precision, *SMALL[workload], "--iters", 12, "--warmup-iters", 3,
              "--quiet", env={"NULLCUDA_COPIES": "deferred", "NULLCUDA_EVENTS": "late"})
    train("--workload", "mlp", *SHORT, ranks=2, env={"NULLCUDA_COPIES": "deferred", "NULLCUDA_EVENTS": "late:7"})


def level():
    """Events, streams, device and pinned memory over the points of a long sweep: as many at the end as near the start."""
    repetitions = 50 if FULL else 8
    with tempfile.TemporaryDirectory() as folder:
        result = nullgpu.run(["sweep", "--workload", "mlp", "--device", "cuda", "--batch-sizes", "8,16,32,64", "--iters", 6,
                              "--warmup-iters", 2, "--repetitions", repetitions, "--quiet", "--output", folder,
                              "--overwrite"], timeout=600)
        report = report_in(folder)
    check(all(point["status"] == "ok" for point in report["points"]), "a point failed")
    alive = [window["alive_at_begin"] for window in result.measured_windows()]
    check(len(alive) == 4 * repetitions, f"{len(alive)} windows of {4 * repetitions} points")
    early, late = alive[4:8], alive[-4:]
    for what in ("events", "streams", "device_bytes", "pinned_bytes"):
        first, last = (max(moment[what] for moment in moments) for moments in (early, late))
        check(last <= first, f"{what} grow from {first} to {last} over {len(alive)} points")


GROUPS = {f.__name__: f for f in (precisions, optimizers, two_ranks, communication_cost, files, lazy_device, level)}

if __name__ == "__main__":
    nullgpu.require()
    for name in sys.argv[1:] or GROUPS:
        GROUPS[name]()
