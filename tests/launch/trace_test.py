"""--trace beside the trace that torch.profiler of Python writes of the same steps under DistributedDataParallel: keys,
categories, operators and nesting; and what HTA reads in it. That nothing else of a run changes is in communication_cost_test.py."""

import re
import signal
import time
from collections import Counter

from endings import Running, closed_report, run_cases
from program import check, run, skip
from sweeps import valid_report
from traces import Trace, begins_in, lies_in

STEPS, WARMUP, ITERS = 3, 1, 2
BUCKETS = 5  # steps between window and trace that time gradient buckets
FIRST = WARMUP + ITERS + BUCKETS + 1  # the step before it is not recorded
WORKLOADS = {"mlp": ("--batch-size", 8),
             "resnet50": ("--batch-size", 2, "--image-size", 32, "--learning-rate", "1e-4", "--fused-layers", "off")}
PHASES = ("data", "forward", "backward", "optimizer")
ASYNCHRONOUS = r"gloo:.*"  # c10d's ranges, on Gloo's threads


def train(folder, workload, *options, ranks=2):
    run("train", "--workload", workload, *WORKLOADS[workload], "--nproc-per-node", ranks, "--threads", 1, "--iters", ITERS,
        "--warmup-iters", WARMUP, "--no-progress", *options, "--output", folder / "out")
    [point] = valid_report(folder / "out")["points"]
    return point


def traced(folder, workload, *options, **how):
    """The traces of a run, by rank."""
    point = train(folder, workload, "--trace", folder / "traces", "--trace-steps", STEPS, *options, **how)
    files = sorted((folder / "traces" / point["id"]).iterdir())
    check([file.name for file in files] == [f"rank{i}.pt.trace.json" for i in range(point["world_size"])], files)
    return point, [Trace(file) for file in files]


def of_pytorch(folder, workload):
    try:
        import torchvision  # noqa: F401

        import traced_by_pytorch
    except ImportError as missing:
        skip(f"{missing}; scripts/test installs the oracles (requirements-test.txt)")
    return [Trace(file) for file in traced_by_pytorch.run(folder, workload, FIRST, STEPS)]


# A step has more (+) or fewer (-) of these operators than PyTorch's, phase by phase, each with the reason. Everything else is
# the same.
LOSS_FORWARD = ("the mean cross-entropy is one node of ours (workloads/networks/classification.h)",
                {"aten::empty": 2, "aten::cross_entropy_loss": -1, "aten::log_softmax": -1, "aten::_log_softmax": -1,
                 "aten::to": -1, "aten::nll_loss_nd": -1, "aten::nll_loss": -1, "aten::nll_loss_forward": -1})
LOSS_BACKWARD = ("its backward",
                 {"CrossEntropyBackward": 2, "aten::empty": 1, "aten::mul": 1, "NllLossBackward0": -2, "LogSoftmaxBackward0": -2,
                  "aten::nll_loss_backward": -1, "aten::_log_softmax_backward_data": -1, "aten::zero_": -1,
                  "aten::empty_strided": -1})
LOSS_KEPT = ("the loss is kept for the report", {"aten::detach": 1, "detach": 1})
DIFFERENCES = {
    "mlp": {
        "forward": [LOSS_FORWARD, ("so is a linear layer", {"aten::linear": -3})],
        "backward": [LOSS_BACKWARD,
                     ("of three linear layers", {"LinearBackward": 6, "AddmmBackward0": -6, "TBackward0": -6, "aten::t": -8,
                                                 "aten::transpose": -8, "aten::as_strided": -5, "aten::view": -3}),
                     ("a bucket goes to its backend without the dispatcher", {"c10d::allreduce_": -1})],
        "optimizer": [LOSS_KEPT,
                      ("Adam's step counters are raised by a tensor, PyTorch's by a number",
                       {"aten::add_": -6, "aten::to": -6, "aten::_to_copy": -6, "aten::empty_strided": -6, "aten::copy_": -6})],
    },
    "resnet50": {
        "forward": [LOSS_FORWARD, ("so is the linear layer", {"aten::linear": -1}),
                    ("pixels are normalised on the device", {"scalemark::normalise_images": 1, "aten::empty": 1}),
                    ("pooling is a mean over pixels", {"aten::adaptive_avg_pool2d": -1, "aten::flatten": -1, "aten::view": -1, "aten::as_strided": 1}),
                    ("one counter of batches for all 53 batch norms: added to once (two operators in C++), broadcast as it is",
                     {"aten::add_": -51, "aten::view": -104, "aten::narrow": -52, "aten::slice": -52, "aten::as_strided": -52,
                      "aten::copy_": -52, "aten::cat": -1}),
                    ("all other buffers lie in one memory, which is broadcast as it is: nothing is copied together and apart",
                     {"aten::unflatten_dense_tensors": -2, "aten::flatten_dense_tensors": -2, "aten::view": -214, "aten::narrow": -107,
                      "aten::slice": -107, "aten::as_strided": -107, "aten::copy_": -107, "aten::cat": -1}),
                    ("buffers go to their backend without the dispatcher", {"c10d::broadcast_": -2})],
        "backward": [LOSS_BACKWARD,
                     ("of the linear layer", {"LinearBackward": 2, "AddmmBackward0": -2, "TBackward0": -2, "aten::t": -3,
                                              "aten::transpose": -3, "aten::view": -1}),
                     ("of the mean over pixels", {"aten::unsqueeze": 2, "ViewBackward0": -2, "aten::reshape": -1, "aten::view": -1}),
                     ("buckets go to their backend without the dispatcher", {"c10d::allreduce_": -5})],
        "optimizer": [LOSS_KEPT],
    },
}


def plain(name):
    """"LinearBackward" of "autograd::engine::evaluate_function: scalemark::workloads::(anonymous namespace)::LinearBackward"."""
    name = name.removeprefix("autograd::engine::evaluate_function: ")
    return name.rsplit("::", 1)[-1] if name.startswith("scalemark::workloads::") else name


def operators(trace, phases):
    """Returns the operators of the phases of a step together, which every step repeats."""
    steps = [sum((trace.operators(e) for e in trace.ranges("|".join(phases)) if lies_in(e, step)), Counter())
             for step in trace.ranges(r"ProfilerStep#\d+")]
    check(steps and all(step == steps[0] for step in steps), f"{phases}: steps differ")
    return Counter({name: sum(n for full, n in steps[0].items() if plain(full) == name) for name in map(plain, steps[0])})


def check_operators(workload, ours, theirs, who):
    for phase in PHASES:
        a = operators(ours, ("buffers", "forward") if phase == "forward" else (phase,))
        b = operators(theirs, (phase,))
        expected = Counter()
        for _, difference in DIFFERENCES[workload].get(phase, []):
            for name, more in difference.items():
                expected[name] += more
        found = {name: a[name] - b[name] for name in a | b if a[name] != b[name]}
        wrong = {name: (found.get(name, 0), expected[name]) for name in found.keys() | expected if found.get(name, 0) != expected[name]}
        check(not wrong, f"{who}, {phase}: operators more than PyTorch (found, expected): {wrong}")
        print(f"{who}, {phase}: {sum(a.values())} operators, {sum((a & b).values())} of them as in PyTorch")


def check_nesting(trace, who):
    steps = trace.ranges(r"ProfilerStep#\d+")
    check([step["name"] for step in steps] == [f"ProfilerStep#{FIRST + i}" for i in range(STEPS)], f"{who}: {steps}")
    order = [e["name"] for e in trace.ranges("|".join(PHASES))]
    check(order == list(PHASES) * STEPS, f"{who}: {order}")
    phases = trace.ranges("|".join((*PHASES, "buffers")))
    check(all(any(lies_in(e, step) for step in steps) for e in phases), f"{who}: a range outside of every step")
    lost = [e["name"] for e in trace.events if e["cat"] == "cpu_op" and any(begins_in(e, step) for step in steps)
            and not any(lies_in(e, phase) for phase in phases)]
    check(not lost, f"{who}: operators in a step and in none of its ranges: {lost[:5]}")


def check_buckets(trace, buckets, who):
    """There are as many as the report says, in their order, inside of backward, and each is on its way from then on."""
    for backward in trace.ranges("backward"):
        found = [e for e in trace.ranges(r"bucket \d+") if lies_in(e, backward)]
        check([e["name"] for e in found] == [f"bucket {i}" for i in range(buckets)], f"{who}: {found}")
        sent = [e for e in trace.ranges("gloo:all_reduce") if backward["ts"] <= e["ts"] < backward["ts"] + backward["dur"]]
        check(len(sent) == buckets and all(e["ts"] > leaves["ts"] for leaves, e in zip(found, sent)), f"{who}: {sent}")


def as_pytorch(folder, workload):
    point, ours = traced(folder, workload)
    theirs = of_pytorch(folder / "pytorch", workload)
    for rank, (our, their) in enumerate(zip(ours, theirs)):
        who = f"{workload}, rank {rank}"
        # ERROR: Kineto logs to Python that there is no GPU; a CPU run of ours does not ask it.
        check(our.keys() == their.keys() - {"ERROR"}, f"{who}: {our.keys() ^ their.keys()}")
        check(our.categories() == their.categories(), f"{who}: {our.categories()} and {their.categories()}")
        info, example = our.page["distributedInfo"], their.page["distributedInfo"]
        # PyTorch registers Gloo for GPUs, too.
        example["pg_config"][0]["backend_config"] = "cpu:gloo"
        check(info == example and list(info) == list(example), f"{who}: {info} and {example}")
        check(re.fullmatch("[0-9A-F]{32}", our.page["trace_id"]), our.page["trace_id"])
        check_nesting(our, f"{who}, ours")
        check_nesting(their, f"{who}, PyTorch's")
        check_buckets(our, len(point["communication"]["buckets"]), who)
        asynchronous = [Counter(e["name"] for e in trace.ranges(ASYNCHRONOUS)) for trace in (our, their)]
        check(asynchronous[0] == asynchronous[1] and asynchronous[0], f"{who}: {asynchronous}")
        check_operators(workload, our, their, who)
    return point


def check_hta(folder, point):
    """Holistic Trace Analysis finds ranks, steps and our ranges."""
    try:
        from hta.trace_analysis import TraceAnalysis
    except ImportError as missing:
        skip(f"{missing}; scripts/test installs it (requirements-hta.txt)")
    trace = TraceAnalysis(trace_dir=str(folder / "traces" / point["id"])).t
    check(trace.get_ranks() == [0, 1], trace.get_ranks())
    # Without a GPU's kernels its last step is cut off.
    check([int(i) for i in trace.get_iterations()] == [FIRST + i for i in range(STEPS - 1)], trace.get_iterations())
    names = trace.symbol_table.get_sym_table()
    for rank in (0, 1):
        found = {names[i] for i in trace.get_trace(rank)["name"]}
        check({"bucket 0", "aten::addmm", *PHASES} <= found, found)


def mlp(folder):
    check_hta(folder, as_pytorch(folder, "mlp"))


def resnet50(folder):
    as_pytorch(folder, "resnet50")


def accumulated_and_afterwards(folder):
    """Micro-steps have ranges of their own; without overlap buckets leave one after the other, at the end of backward."""
    _, traces = traced(folder, "mlp", "--gradient-accumulation-steps", 2, "--overlap", "off", "--bucket-cap-mb", 0.6,
                       "--first-bucket-cap-mb", 0.1)
    for trace in traces:
        micro = ["data", "forward", "backward"]
        order = [e["name"] for e in trace.ranges("|".join(PHASES))]
        check(order == (2 * micro + ["optimizer"]) * STEPS, order)
        backwards = trace.ranges("backward")
        inside = [[e["name"] for e in trace.ranges(r"bucket \d+") if lies_in(e, backward)] for backward in backwards]
        check(inside == [[], ["bucket 0", "bucket 1"]] * STEPS, inside)


def buffers(folder):
    """ResNet-50's run before its forward pass, which is as long as they need: two messages of each step (DIFFERENCES)."""
    point, traces = traced(folder, "resnet50")
    for rank, trace in enumerate(traces):
        check_nesting(trace, f"rank {rank}")
        check_buckets(trace, len(point["communication"]["buckets"]), f"rank {rank}")
        order = [e["name"] for e in trace.ranges("buffers|forward")]
        check(order == ["buffers", "forward"] * STEPS, order)
        sent = trace.ranges("gloo:broadcast")
        inside = [sum(e["ts"] >= outer["ts"] and e["ts"] < outer["ts"] + outer["dur"] for e in sent) for outer in trace.ranges("buffers")]
        check(inside == [2] * STEPS and len(sent) == 2 * STEPS, f"rank {rank}: {inside} of {len(sent)} broadcasts")


def sweep(folder):
    """Each point is traced once, in its first repetition, by its own ranks; a second trace takes the place of the first."""
    for repetitions in (1, 2):
        run("sweep", "--workload", "linear", "--world-sizes", "1,2", "--nproc-per-node", 2, "--threads", 1, "--iters", 5,
            "--warmup-iters", 2, "--repetitions", repetitions, "--no-progress", "--output", folder / "out", "--overwrite", "--trace",
            folder / "traces", "--trace-steps", 1)
        report = closed_report(folder / "out", "complete", 0)
        check(len(report["points"]) == 3 * repetitions, "one rank, two, solo; each time")
        expected = {f"{p['id']}/rank{i}.pt.trace.json": (i, p["world_size"]) for p in report["points"] if p["repetition"] == 0
                    for i in range(p["world_size"])}
        files = {str(file.relative_to(folder / "traces")): file for file in (folder / "traces").rglob("*") if file.is_file()}
        check(files.keys() == expected.keys(), files.keys() ^ expected.keys())
        for name, file in files.items():
            info = Trace(file).page["distributedInfo"]
            check((info["rank"], info["world_size"]) == expected[name], f"{name}: {info}")
            for rank in range(info["world_size"], info["world_size"] + 2):  # these pretend that there were more ranks
                file.with_name(f"rank{rank}.pt.trace.json").write_text("{}")


def stopped(folder):
    """A signal in the traced steps ends only them: what was measured before has its row."""
    saved = folder / "w.safetensors"
    with Running("train", "--workload", "mlp", "--batch-size", 1024, "--nproc-per-node", 2, "--threads", 1, "--iters", ITERS,
                 "--warmup-iters", WARMUP, "--save", saved, "--trace", folder / "traces", "--trace-steps", 1000, "--output",
                 folder / "out") as run:
        while not saved.exists():  # then the trace begins
            check(run.process.poll() is None, "it ended before its trace")
            time.sleep(0.05)
        run.process.send_signal(signal.SIGINT)
        run.end(130)
    [point] = closed_report(folder / "out", "interrupted", 130)["points"]
    check((point["status"], point["iterations"]) == ("ok", ITERS), point)
    check(not (folder / "traces").exists() or not any((folder / "traces").rglob("*.json")), "a trace of steps that were not all taken")


CASES = {f.__name__: f for f in (mlp, resnet50, accumulated_and_afterwards, buffers, sweep, stopped)}

if __name__ == "__main__":
    run_cases(CASES)
