"""`--cuda-graphs on` on a null GPU: one launch per step that holds what a step of single operators asks of the device,
without a wait, an allocation or a kernel beside it; what cannot be captured is refused with its reason (78).

graphs_test.py CASE...       SCALEMARK_SOAK=full takes every combination
"""

import collections
import itertools
import os
import re
import sys
import tempfile
from pathlib import Path

import nullgpu
from endings import closed_report
from program import check, report_in, run
from runs_test import SMALL, launches, sweep
from sweeps import SOURCE, VALIDATOR

FULL = os.environ.get("SCALEMARK_SOAK") == "full"
BEFORE = 3  # steps before one is captured
STEPS, WARMUP = 6, 5
DRAWS = {"bert-mini", "bert-base"}  # whose steps draw random numbers


def batch_tensors(workload):
    return 6 if workload.startswith("bert") else 2


FILL = re.compile(r"FillFunctor")
CAT = re.compile(r"CatArrayBatchedCopy")


def train(*options, graphs="on", steps=STEPS, warmup=WARMUP, **surroundings):
    """One run: its point, its result and the counts of its graphs."""
    with tempfile.TemporaryDirectory() as folder:
        result = nullgpu.run(["train", "--device", "cuda", "--cuda-graphs", graphs, "--iters", steps, "--warmup-iters", warmup,
                              "--quiet", *options, "--output", folder, "--overwrite"], **surroundings)
        report = report_in(folder)
    VALIDATOR.validate(report)
    [point] = report["points"]
    check(point["status"] == "ok" and point["cuda_graphs"] == (graphs == "on"), point)
    result.check_windows(" ".join(map(str, options)))
    return point, result


def counts(tallies, pattern=None):
    return sum(t["count"] for name, t in tallies.items() if not pattern or pattern.search(name))


def per_step(tallies, steps):
    return collections.Counter({name: t["count"] / steps for name, t in tallies.items()})


def check_replays(what, point, window, batches, draws):
    """The window is launches of one graph, copies of the batches, and two fills for the generator where it is drawn from."""
    check(counts(window["graphs"]) == STEPS, f"{what}: {window['graphs']} in {STEPS} steps")
    fills = counts(window["launches"], FILL)
    check(counts(window["launches"]) == fills, f"{what}: kernels beside the graph: {launches(window)}")
    rates = fills - (2 * STEPS if draws else 0)
    check(0 <= rates <= STEPS, f"{what}: {fills} fills in {STEPS} steps")
    check(not window["gemms"] and not window["cudnn"] and not window["memsets"], f"{what}: {window}")
    copies = {direction: t["count"] for direction, t in window["copies"].items()}
    check(copies.get("host_to_device", 0) == batches * STEPS, f"{what}: {copies}, {batches} tensors a step expected")
    check(copies.get("device_to_device", 0) in (0, batches * STEPS), f"{what}: {copies}")
    check("device_to_host" not in copies, f"{what}: losses are copied within the window: {copies}")
    for absent in ("phases_s", "own_s"):
        check(absent not in point, f"{what}: {absent} of a step that is marked as a whole")


def check_holds_a_step(what, graph, eager, batches):
    """The graph holds a step of single operators, with its loss kept on the device instead of copied to the host. Batches are copied outside of
    it; since 2.15 torch copies tables of its own from pinned memory of the graph's pool (_foreach_norm of many tensors)."""
    check(graph["launched"] == STEPS + WARMUP - BEFORE, f"{what}: {graph['launched']} launches of its graph")
    for kind in ("launches", "gemms", "cudnn", "memsets"):
        expected = per_step(eager[kind], STEPS)
        found = collections.Counter({name: t["count"] for name, t in graph[kind].items()})
        if kind == "launches":
            kept = [name for name in found if CAT.search(name) and found[name] != expected[name]]
            check(len(kept) == 1 and found[kept[0]] == expected[kept[0]] + 1, f"{what}: one cat keeps the loss: {kept}")
            found[kept[0]] -= 1
        differing = {name: (expected[name], found[name]) for name in expected | found if expected[name] != found[name]}
        check(not differing, f"{what}: {kind} of a step and of the graph: {differing}")
    within = [counts({k: t for k, t in source["copies"].items() if k == "device_to_device"}) for source in (eager, graph)]
    check(within[1] == within[0] / STEPS + 1, f"{what}: copies within the device {within}")
    tables = eager["copies"]["host_to_device"]["count"] / STEPS - batches
    check(counts({k: t for k, t in graph["copies"].items() if k == "host_to_device"}) == tables, f"{what}: {graph['copies']}, {tables} tables")
    check(set(graph["copies"]) <= {"device_to_device", "host_to_device"}, f"{what}: {graph['copies']}")
    check(graph["captured_streams"] == 1, f"{what}: {graph['captured_streams']} streams")


def steps():
    """Each network in both precisions, with both kinds of optimizer."""
    small = ("--workload", "mlp,bert-mini", "--precision", "fp32,amp-bf16", "--optimizer", "sgd,adamw", *SMALL["bert-mini"])
    found, result = sweep("--cuda-graphs", "off,on", "--iters", STEPS, "--warmup-iters", WARMUP, "--quiet", *small)
    eager = {point["group"]: window for point, window in found if not point["cuda_graphs"]}
    replayed = [(point, window) for point, window in found if point["cuda_graphs"]]
    graphs = result.counts[0]["graphs"]
    check(len(eager) == len(replayed) == len(graphs) == 8, f"{len(eager)} {len(replayed)} {len(graphs)}")
    for (point, window), graph in zip(replayed, graphs):
        without = eager[point["group"].replace("cuda-graphs-on", "cuda-graphs-off")]
        check_step(point["group"], point["workload"], without, point, window, graph)
    for precision, optimizer in itertools.product(("fp32", "amp-bf16"), ("sgd", "adamw")) if FULL else [("amp-bf16", "sgd")]:
        options = ("--workload", "resnet50", "--precision", precision, "--optimizer", optimizer, *SMALL["resnet50"])
        _, eager = train(*options, graphs="off")
        point, result = train(*options)
        [graph] = result.counts[0]["graphs"]
        check_step(f"resnet50 {precision} {optimizer}", "resnet50", eager.measured_window(), point, result.measured_window(), graph)


def check_step(what, workload, eager, point, window, graph):
    batches = batch_tensors(workload)
    check_replays(what, point, window, batches, workload in DRAWS)
    check_holds_a_step(what, graph, eager, batches)


def sized(workload, *more):
    """The options that make a workload small, but for those in `more`, and `more`."""
    pairs = dict(zip(SMALL[workload][::2], SMALL[workload][1::2]))
    return *(word for pair in pairs.items() if pair[0] not in more for word in pair), *more


def switches():
    """These change a step, too: accumulation, clipping, the gradient scaler, layer-wise optimizers, a rate that changes,
    batches that are large enough to come ahead, and memory that is given back."""
    scaled = ("--precision", "amp-fp16")
    accumulated, large = ("--gradient-accumulation-steps", 2, "--clip-grad-norm", 1), ("--batch-size", 16, "--image-size", 224)
    apart = [("bert-mini", (*scaled, *accumulated), 2), ("resnet50", (*scaled, "--optimizer", "lars", "--deterministic"), 1),
             ("bert-mini", ("--optimizer", "lamb", *scaled), 1), ("resnet50", (*large, "--label-smoothing", 0.1), 1)]
    joined = [("bert-mini", ("--optimizer", "lamb", *scaled, *accumulated), 2),
              ("resnet50", (*scaled, *large, "--optimizer", "lars", "--deterministic", "--label-smoothing", 0.1), 1)]
    for workload, more, micro_steps in [("mlp", ("--lr-schedule", "constant", "--lr-warmup-steps", 0), 1), *(apart if FULL else joined)]:
        what = f"{workload} {more}"
        point, result = train("--workload", workload, *sized(workload, *more))
        window, [graph] = result.measured_window(), result.counts[0]["graphs"]
        batches = batch_tensors(workload) * micro_steps
        check_replays(what, point, window, batches, workload in DRAWS)
        check(graph["launched"] == STEPS + WARMUP - BEFORE, f"{what}: {graph['launched']} launches of its graph")
        if workload == "mlp":
            check(not window["launches"], f"{what}: {launches(window)} of a constant rate")
        if "--image-size" in more:
            check(window["copies"]["device_to_device"]["count"] == 2 * STEPS, f"{what}: {window['copies']}")
    train("--workload", "mlp", "--empty-cache-every", 1, "--memory-limit", "8GiB")


def long_windows():
    """Losses of more steps than the device keeps reach the report; they are fetched when it is full."""
    steps = 2500
    point, result = train("--workload", "linear", steps=steps)
    check(point["iterations"] == steps, point["iterations"])
    fetched = result.measured_window()["copies"]["device_to_host"]
    check(fetched == {"count": 2, "bytes": 2 * 1024 * 4}, fetched)
    check(counts(result.measured_window()["graphs"]) == steps, "launches")


def lazy_device():
    """A device that copies as late as it may finds pinned batches and losses untouched."""
    for workload in ("mlp", "resnet50") if FULL else ("resnet50",):
        train("--workload", workload, *sized(workload, *(("--image-size", 224) if workload == "resnet50" else ())),
              steps=12, env={"NULLCUDA_COPIES": "deferred", "NULLCUDA_EVENTS": "late"})


def epochs():
    """Training for real: the first steps of the first epoch run as ever, and evaluation works beside the graph."""
    with tempfile.TemporaryDirectory() as folder:
        images = Path(folder) / "images"
        run("data", "generate", "images", images, "--samples", 64, "--classes", 3, "--image-size", 32)
        result = nullgpu.run(["train", "--device", "cuda", "--cuda-graphs", "on", "--workload", "resnet50", "--data", images,
                              "--image-size", 32, "--batch-size", 4, "--epochs", 2, "--checkpoint-every", "20steps", "--quiet",
                              "--output", f"{folder}/out"])
        [point] = report_in(f"{folder}/out")["points"]
    [graph] = result.counts[0]["graphs"]
    check(len(point["evaluation"]) == 2, point)
    check(graph["launched"] == point["iterations"] - BEFORE, f"{graph['launched']} of {point['iterations']} steps")


def profiler_range():
    """A profiler sees one range per step, with a launch in it."""
    _, result = train("--workload", "mlp", "--profiler-range",
                      env={"NVTX_INJECTION64_PATH": nullgpu.FOLDER / "libnullcuda.so"})
    [found] = result.counts[0]["profiler_ranges"]
    check(found["nvtx"] == {"step": STEPS}, found["nvtx"])
    check(counts(found["graphs"]) == STEPS, found["graphs"])


def memory_runs_out():
    """Memory runs out while a step is captured, too: the point is a row, and the next one, a graph again, is measured."""
    sweep = ["sweep", "--workload", "mlp", "--device", "cuda", "--batch-sizes", "2,4", "--cuda-graphs", "on", "--iters", 4,
             "--warmup-iters", WARMUP, "--repetitions", 1, "--retries", 0, "--allow-oom", "--quiet", "--no-progress"]
    with tempfile.TemporaryDirectory() as folder:
        plain = nullgpu.run([*sweep, "--output", f"{folder}/plain"])
        check(len(plain.counts[0]["graphs"]) == 2, "a graph for each point")
        calls = plain.counts[0]["total"]["allocations"]["cudaMalloc"]["count"]
        failed = 0
        for n in range(1, calls + 1) if FULL else (calls // 2, calls):
            result = nullgpu.run([*sweep, "--output", f"{folder}/{n}"], env={"NULLCUDA_FAIL_ALLOCATION": n})
            rows = sorted(p["status"] for p in closed_report(Path(folder) / str(n), "complete", 0)["points"])
            check(rows == ["ok", "oom"], f"the {n}th of {calls} cudaMalloc found no memory: {rows}")
            failed += len(result.counts[0]["graphs"]) == 2
        check(failed > 0, "no allocation of a capture was refused")


def experiment():
    """configs/cuda-graphs.json: its effect is an effect."""
    with tempfile.TemporaryDirectory() as folder:
        nullgpu.run(["sweep", "--config", SOURCE / "configs/cuda-graphs.json", "--workload", "mlp,bert-mini", "--precision", "fp32",
                     "--iters", 5, "--warmup-iters", 4, "--repetitions", 3, "--quiet", "--output", folder, "--overwrite"])
        report = report_in(folder)
    VALIDATOR.validate(report)
    found = {(p["workload"], p["cuda_graphs"]) for p in report["points"] if p["status"] == "ok"}
    check(found == set(itertools.product(("mlp", "bert-mini"), (False, True))), found)
    effects = [e for e in report["effects"] if e["axis"] == "cuda_graphs"]
    check(len(effects) == 2 and all((e["from"], e["to"]) == ("off", "on") for e in effects), report["effects"])


def level():
    """Over a sweep, graphs and their memory go with their points."""
    with tempfile.TemporaryDirectory() as folder:
        result = nullgpu.run(["sweep", "--workload", "mlp", "--device", "cuda", "--cuda-graphs", "on", "--iters", 5, "--warmup-iters", 4,
                              "--repetitions", 8, "--quiet", "--output", folder, "--overwrite"])
    windows, graphs = result.measured_windows(), result.counts[0]["graphs"]
    check(len(windows) == len(graphs) == 8 and all(graph["destroyed"] for graph in graphs), f"{len(graphs)} graphs")
    for what in ("streams", "device_bytes", "pinned_bytes"):
        alive = [window["alive_at_begin"][what] for window in windows]
        check(max(alive[4:]) <= max(alive[1:4]), f"{what} grow: {alive}")


REFUSED = {
    ("--device", "cpu"): "the device is a CPU",
    ("--nproc-per-node", 2, "--backend", "gloo", "--strategy", "ddp"): "gloo takes them through the host",
    ("--nproc-per-node", 2, "--backend", "gloo", "--strategy", "parameter-server"): "the processes of a step do different work",
    ("--nproc-per-node", 2, "--backend", "gloo", "--strategy", "local-sgd"): "its steps are not all alike",
    ("--nproc-per-node", 2, "--strategy", "data-parallel"): "a step is the work of several GPUs",
    ("--workload", "resnet50", "--activation-checkpointing", "on"): "backward sets the random generator back",
    ("--workload", "resnet50", "--stochastic-depth", 0.2): "the host draws the branches of each step",
    ("--workload", "bert-mini", "--data", "/text"): "those of a text differ in masked positions and padding",
    ("--trace", "/tmp/traces"): "a replayed step has no parts to show",
    ("--warmup-iters", 3): "needs a warm-up of at least 4 steps",
}


def refused():
    """Two in CI: tests/core/settings/cuda_graphs_test.cpp has every reason."""
    for options, reason in list(REFUSED.items())[:None if FULL else 2]:
        given = options if "--device" in options else ("--device", "cuda", *options)
        result = nullgpu.run(["train", "--cuda-graphs", "on", *given], devices=2, expect=78)
        check(reason in " ".join(result.stderr.split()), f"{options}: {result.stderr}")
        check("Hint: " in result.stderr, f"{options}: no advice: {result.stderr}")


CASES = {f.__name__: f for f in (steps, switches, long_windows, lazy_device, epochs, profiler_range, memory_runs_out, experiment, level,
                                 refused)}

if __name__ == "__main__":
    nullgpu.require()
    for name in sys.argv[1:] or CASES:
        CASES[name]()
