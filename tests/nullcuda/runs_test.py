"""The CUDA path of `train` and `sweep` on a null GPU: every run ends as it should, the host never waits for the device
inside a measured window, nothing is done to the device that no correct program does, and no resource accumulates. Every
workload in every precision is budgets_test.py's.

runs_test.py GROUP           a covering choice of the group
SCALEMARK_SOAK=full          all of it
"""

import itertools
import json
import os
import sys
import tempfile
from pathlib import Path

import nullgpu
from program import check, report_in, run
from sweeps import VALIDATOR
from traces import Trace

FULL = os.environ.get("SCALEMARK_SOAK") == "full"
PRECISIONS = ("fp32", "tf32", "amp-fp16", "amp-bf16")
SHORT = ("--iters", 4, "--warmup-iters", 3, "--quiet")
SMALL = {"resnet50": ("--batch-size", 4, "--image-size", 64), "bert-base": ("--batch-size", 4),
         "bert-mini": ("--batch-size", 4), "bert-large": ("--batch-size", 2), "mlp": (), "linear": ()}


def train(*options, windows=1, ranks=1, steady=True, tables=False, **surroundings):
    """One run; returns its point and its result. `steady`: the window finds all memory that it needs, `tables`: but for those that torch
    copies to the device from pinned memory (_foreach_norm since 2.15), of which as many are under way as the device is late."""
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
    if "--profiler-range" not in options:
        check(not any(counted["profiler_ranges"] for counted in result.counts), f"{options}: a range that nobody asked for")
    if steady:
        result.check_windows(" ".join(map(str, options)), some_pinned=point["iterations"] if ranks > 1 or tables else 0)
    return point, result


def sweep(*options):
    """Many points in one process; each with its window, in the order in which they were measured."""
    with tempfile.TemporaryDirectory() as folder:
        result = nullgpu.run(["sweep", "--device", "cuda", "--repetitions", 1, *options, "--output", folder, "--overwrite"])
        report = report_in(folder)
    VALIDATOR.validate(report)
    check({point["status"] for point in report["points"]} == {"ok"}, f"{options}: {[p['status'] for p in report['points']]}")
    result.check_windows(" ".join(map(str, options)))
    points, windows = sorted(report["points"], key=lambda point: point["order"]), result.measured_windows()
    check(len(points) == len(windows), f"{options}: {len(windows)} windows of {len(points)} points")
    return list(zip(points, windows)), result


def optimizers():
    """Each optimizer, with what else changes the step: a covering choice in CI, all together in soak."""
    kinds = ("sgd", "adam", "adamw", "lamb", "lars")
    switches = [(), ("--gradient-accumulation-steps", 2), ("--clip-grad-norm", 1), ("--deterministic",),
                ("--label-smoothing", 0.1)]
    every = itertools.product(kinds, switches, ("fp32", "amp-fp16", "amp-bf16"))
    covering = [("lars", (*switches[3], *switches[4]), "fp32")]
    for optimizer, switch, precision in every if FULL else covering:
        workload = "resnet50" if optimizer in ("sgd", "lars") or "--label-smoothing" in switch else "bert-mini"
        train("--workload", workload, "--optimizer", optimizer, "--precision", precision, *switch, *SMALL[workload],
              *SHORT)
    sweep("--workload", "bert-mini", "--optimizer", "adam,adamw,lamb", "--precision", "amp-fp16,amp-bf16", "--clip-grad-norm", 1,
          "--gradient-accumulation-steps", 2, "--deterministic", *SMALL["bert-mini"], *SHORT)


LAMB_KERNELS = {"lamb_numbers": 1, "lamb_moments": 2, "lamb_norms": 1, "lamb_apply": 2}  # matrices, and the others
# Torch's kernels over lists of tensors that are no part of the update: the norm by which gradients are clipped, and
# their way out of the gradient scaler's scale.
FOREACH, NO_UPDATE = "multi_tensor_apply", ("LpNorm", "non_finite_check")


def lamb():
    """LAMB's update is six kernels of ours a step, however many tensors there are; torch casts no weights behind it. Of
    ranks that share the parameters, one may have no norms and biases."""
    lamb = ("--optimizer", "lamb", *SHORT)
    alone, _ = sweep("--workload", "bert-mini", "--precision", "fp32,amp-fp16,amp-bf16", *SMALL["bert-mini"], *lamb)
    for point, window in alone:
        check_lamb(point["id"], point["iterations"], window, LAMB_KERNELS)
    if FULL:
        point, result = train("--workload", "resnet50", "--precision", "amp-bf16", *SMALL["resnet50"], *lamb)
        check_lamb("resnet50", point["iterations"], result.measured_window(), LAMB_KERNELS)
    point, result = train("--workload", "bert-mini", "--nproc-per-node", 2, "--strategy", "sharded", "--backend", "gloo",
                          *SMALL["bert-mini"], *lamb, steady=False)
    for rank, fewer in enumerate(({}, {"lamb_moments": 1.0, "lamb_apply": 1.0})):
        check_lamb(f"sharded, rank {rank}", point["iterations"], result.measured_window(rank), LAMB_KERNELS | fewer)


def check_lamb(what, steps, window, expected):
    found = launches(window)
    per_step = {kernel: sum(n for name, n in found.items() if kernel in name) / steps for kernel in LAMB_KERNELS}
    check(per_step == expected, f"{what}: {per_step} per step")
    others = [name for name in found if FOREACH in name and not any(word in name for word in NO_UPDATE)]
    check(not others, f"{what}: {others}")


def two_ranks():
    """Two ranks over Gloo with CUDA tensors, on one device and on two."""
    options = [("bert-mini", "amp-fp16", 2, ("--gradient-accumulation-steps", 2, "--activation-checkpointing", "on"))]
    if not FULL:
        options.append(("mlp", "amp-bf16", 1, ()))
    else:
        extras = (), ("--gradient-as-bucket-view",), ("--gradient-compression", "fp16"), ("--overlap", "off")
        options += itertools.product(("resnet50", "bert-mini", "mlp"), PRECISIONS, (1, 2), extras)
        options += itertools.product(("resnet50", "bert-mini"), PRECISIONS, (1, 2), (("--activation-checkpointing", "on"),))
    for workload, precision, devices, extra in options:
        # c10d rebuilds its buckets in the first steps, which needs memory once.
        point, result = train("--workload", workload, "--precision", precision, *SMALL[workload], *extra, *SHORT,
                              ranks=2, devices=devices)
        waits = sum(t["count"] for t in result.measured_window()["syncs"].values())
        check(waits >= point["iterations"], f"Gloo waited {waits} times for copies: nothing was exchanged")
        seen = {rank["device"] for rank in point["ranks"]}
        check(len(seen) == devices, f"{devices} devices, but the ranks were on {seen}")
    # Where parameters are unused, c10d's reducer waits for the device itself: it asks whether other ranks used them.
    network = ("resnet50", *SMALL["resnet50"], "--stochastic-depth", 0.5) if FULL else ("mlp",)
    train("--workload", *network, "--find-unused-parameters", *SHORT, ranks=2, steady=False)


def replicas():
    """One process on two devices: each computes a forward, and the host waits for neither."""
    accumulated, checkpointed = ("--gradient-accumulation-steps", 2), ("--precision", "amp-fp16", "--activation-checkpointing", "on")
    every = [("resnet50", ("--precision", "amp-bf16")), ("bert-mini", accumulated), ("bert-mini", checkpointed)]
    for workload, more in every if FULL else [("bert-mini", (*accumulated, *checkpointed))]:
        point, _ = train("--workload", workload, "--strategy", "data-parallel", "--nproc-per-node", 2, *more, *SMALL[workload],
                         *SHORT, devices=2)
        check((point["world_size"], point["processes"]) == (2, 1) and "energy_J" not in point, point)


def solo():
    """Replicas on two devices: each is named by its UUID and PCI address, with the clocks that NVML says. What it says
    of each rank's own GPU is in the report; what the null device does not give is absent."""
    with tempfile.TemporaryDirectory() as folder:
        nullgpu.run(["train", "--device", "cuda", "--workload", "mlp", "--strategy", "none", "--nproc-per-node", 2, *SHORT,
                     "--backend", "gloo", "--output", folder, "--overwrite"], devices=2)
        report = report_in(folder)
    VALIDATOR.validate(report)
    gpus = {gpu["uuid"]: gpu for host in report["environment"]["hosts"] for gpu in host["gpus"]}
    check([d["rank"] for d in report["devices"]] == [0, 1], report["devices"])
    check(len({d["uuid"] for d in report["devices"]}) == 2, f"two devices with one UUID: {report['devices']}")
    for device, rank in zip(report["devices"], report["points"][0]["ranks"]):
        gpu = gpus[device["uuid"]]
        check(device["pci"] == gpu["pci"] and device["clocks"] == gpu["clocks"], f"{device} is not {gpu}")
        rate = rank["samples"] / rank["wall_s"]
        check(abs(device["samples_per_sec"] / rate - 1) < 1e-12, f"{device}: {rate} samples/s expected")
    found = {(entry["device"], entry["source"]): entry for entry in report["telemetry"] if "cuda" in entry.get("device", "")}
    for device in ("cuda:0", "cuda:1"):
        check(found[device, "sm_clock_MHz"]["mean"] == 1980, found)
        check(found[device, "power_W"]["min"] == 300, found)
        check(found[device, "power_brake"]["max"] == 0, found)
        check(found[device, "other_processes"]["max"] == 0, found)
        check((device, "ecc_corrected_errors_per_s") not in found, "a source that is not there")
    check(not any(finding["code"] == "throttled" for finding in report["findings"]), report["findings"])


def health():
    """One GPU of two makes errors: health[] holds them in each session, and accept fails that GPU with the reason, and nothing else."""
    grown = {"ecc_uncorrected_volatile": 2, "rows_remapped_uncorrected": 1, "rows_remap_pending": 1, "nvlink_replays": 3, "xid_events": 1}
    with tempfile.TemporaryDirectory() as folder:
        nullgpu.run(["sweep", "--device", "cuda", "--workload", "mlp", "--strategies", "none,ddp", "--world-sizes", 2, "--nproc-per-node", 2,
                     "--backend", "gloo", "--checks", "health", "--fresh-process", "--repetitions", 2, *SHORT, "--output", folder, "--overwrite"],
                    devices=2, env={"NULLCUDA_HEALTH": "1,ecc_uncorrected=2,rows_remapped=1,nvlink_replays=3,xid=79"})
        report = report_in(folder)
        done = run("accept", folder, "--format", f"jsonl={folder}/accept.jsonl", expect=1)
        records = [json.loads(line) for line in (Path(folder) / "accept.jsonl").read_text().splitlines()]
    VALIDATOR.validate(report)
    for session in (0, 1):
        rows = {(row["device"], row["counter"]): row for row in report["health"] if row["session"] == session and "uuid" in row}
        check(rows["cuda:1", "xid_last"]["after"] == 79 and ("cuda:0", "xid_last") not in rows, rows)
        for (device, counter), row in rows.items():
            if counter == "xid_last":
                continue
            expected = grown.get(counter, 0) if device == "cuda:1" else 0
            check(row["after"] - row["before"] == expected, (expected, row))
        check({counter for device, counter in rows if device == "cuda:0"} >= grown.keys(), rows)
    host = report["environment"]["hosts"][0]
    text = f"cuda:1 of {host['hostname']}: 2 uncorrected ECC errors, 1 remapped row, 1 pending row remap, Xid 79 (1 event), 3 NVLink errors"
    check([one["text"] for one in report["findings"] if one["code"] == "health"] == [text] * 2, report["findings"])
    failed = {one["check"]: one for one in records if one["record"] == "check" and one["outcome"] == "failed"}
    check(failed.keys() == {"ECC", "remapped rows", "pending row remap", "Xid", "NVLink errors"}, failed.keys())
    for one in failed.values():
        check(one["part"]["device"] == "cuda:1" and one["part"]["uuid"] == host["gpus"][1]["uuid"], one)
    check(failed["Xid"]["value"] == 2 and failed["Xid"]["why"] == "Xid 79 (1 event)", failed["Xid"])
    check(f"{host['hostname']} cuda:1" in done.stdout and "ECC: 2 uncorrected ECC errors" in done.stdout, done.stdout)


def replays():
    """Each work that is repeated names the GPU that repeated it."""
    with tempfile.TemporaryDirectory() as folder:
        nullgpu.run(["sweep", "--device", "cuda", "--workload", "linear", "--checks", "replay", "--max-time", 5, "--repetitions", 1, *SHORT,
                     "--output", folder, "--overwrite"], devices=1)
        report = report_in(folder)
    gpu = report["environment"]["hosts"][0]["gpus"][0]["uuid"]
    found = {(one["device"], one["uuid"], one["rank"]) for one in report["replays"]}
    works = {one["work"] for one in report["replays"]}
    check(found == {("cuda:0", gpu, 0)} and works == {"matrix product", "training of linear"}, report["replays"])


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
    every = [(w, p) for w in SMALL for p in PRECISIONS] if FULL else [("bert-mini", "amp-fp16")]
    for workload, precision in every:
        train("--workload", workload, "--precision", precision, *SMALL[workload], "--iters", 12, "--warmup-iters", 3,
              "--quiet", tables=workload.startswith("bert"), env={"NULLCUDA_COPIES": "deferred", "NULLCUDA_EVENTS": "late"})
    # While events are late, copies through Gloo need ever new pinned memory.
    train("--workload", "mlp", *SHORT, ranks=2, steady=False,
          env={"NULLCUDA_COPIES": "deferred", "NULLCUDA_EVENTS": "late:7"})


def level():
    """Events, streams, device and pinned memory over a long sweep: as many at its end as near its start."""
    repetitions = 50 if FULL else 8
    with tempfile.TemporaryDirectory() as folder:
        result = nullgpu.run(["sweep", "--workload", "mlp", "--device", "cuda", "--batch-sizes", "8,16,32,64",
                              "--iters", 6, "--warmup-iters", 2, "--repetitions", repetitions, "--quiet",
                              "--output", folder, "--overwrite"], timeout=600)
        report = report_in(folder)
    check(all(point["status"] == "ok" for point in report["points"]), "a point failed")
    windows = result.measured_windows()
    check(len(windows) == 4 * repetitions, f"{len(windows)} windows of {4 * repetitions} points")
    # A window's own events depend on how many steps are marked, which depends on how long they take: equal ones are
    # compared.
    early, late = windows[4:2 * repetitions], windows[2 * repetitions:]
    for marks in {window["marks"] for window in late} & {window["marks"] for window in early}:
        for what in ("events", "streams", "device_bytes", "pinned_bytes"):
            first, last = (max(window["alive_at_begin"][what] for window in some if window["marks"] == marks)
                           for some in (early, late))
            check(last <= first, f"{what} grow from {first} to {last} over {len(windows)} points of {marks} marks")


def launches(counted):
    return {name: t["count"] for name, t in counted["launches"].items()}


def profiler_range():
    """A profiler collects the window and nothing else: neither the warm-up nor the blocks of --communication-cost, and
    sees the ranges of each step. (Other runs have none: train.)"""
    steps, buckets = 6, 2
    options = ("--workload", "mlp", "--iters", steps, "--warmup-iters", 11, "--bucket-cap-mb", 0.6,
               "--first-bucket-cap-mb", 0.1, "--communication-cost", "--quiet")
    _, result = train(*options, "--profiler-range", ranks=2, windows=17, steady=False,
                      env={"NVTX_INJECTION64_PATH": nullgpu.FOLDER / "libnullcuda.so"})
    for rank in range(2):
        ranges, windows = result.counts[rank]["profiler_ranges"], result.measured_windows(rank)
        check(len(ranges) == 1 and ranges[0]["stopped"], f"rank {rank}: {len(ranges)} ranges, one was expected")
        [found], window = ranges, windows[0]
        (begin, end), (first, last) = found["journal"], window["journal"]
        check(begin <= first and last <= end, f"rank {rank}: the window {first}..{last} is not in {begin}..{end}")
        check(end <= windows[1]["journal"][0], f"rank {rank}: {end} lies in a block of the communication cost")
        check(launches(found) == launches(window), f"rank {rank}: kernels beside those of the window")
        warmup = launches(found["before"])
        # All but the first step's: in that one c10d has another bucket.
        few = {name: (warmup.get(name, 0), n) for name, n in launches(window).items() if warmup.get(name, 0) * steps < 10 * n}
        check(not few, f"rank {rank}: the warm-up's kernels are not all before the range: {few}")
        phases = {f"step/{phase}": steps for phase in ("data", "buffers", "forward", "backward", "optimizer")}
        # Backward runs on a thread of its own.
        check(found["nvtx"] == {"step": steps} | phases | {f"bucket {i}": steps for i in range(buckets)}, found["nvtx"])


def traces():
    """Steps on a GPU are traced, with those kinds of a GPU's activities that CUPTI gives: here none, since it finds no driver."""
    for ranks in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            train("--workload", "mlp", *SHORT, "--trace", folder, "--trace-steps", 2, ranks=ranks, steady=ranks == 1)
            files = sorted(Path(folder).rglob("*.pt.trace.json"))
            check(len(files) == ranks, files)
            for trace in map(Trace, files):
                steps = [e["name"] for e in trace.ranges(r"ProfilerStep#\d+")]
                check(steps == ["ProfilerStep#8", "ProfilerStep#9"], steps)
                order = [e["name"] for e in trace.ranges("data|forward|backward|optimizer")]
                check(order == ["data", "forward", "backward", "optimizer"] * 2, order)
                check(bool(trace.ranges("bucket 0")) == (ranks > 1), "buckets")


def copies_ahead():
    """The copy of the next batch is in its own stream before the first kernel of a step, and no step waits for it: each
    waits once, for its own batch, behind all kernels of the step before."""
    mixing = "--augment", "basic", "--random-erasing", 0.5, "--mixup", 0.2, "--cutmix", 1
    with tempfile.TemporaryDirectory() as folder:
        images = Path(folder) / "images"
        run("data", "generate", "images", images, "--samples", 240, "--classes", 2, "--image-size", 80)
        for options in ((), mixing, ("--prefetch", 1)) if FULL else ((*mixing, "--prefetch", 1),):
            point, result = train("--workload", "resnet50", "--batch-size", 24, "--image-size", 128, "--data", images, *options,
                                  "--iters", 6, "--warmup-iters", 4, "--quiet", steady=False,
                                  env={"NULLCUDA_TIMELINE": "on"})
            check_copies_ahead(result.measured_window()["timeline"], point["iterations"], 24 * 128 * 128 * 3)


def check_copies_ahead(timeline, steps, batch_bytes):
    compute = max({entry[2] for entry in timeline}, key=lambda s: sum(e[0] == "launches" and e[2] == s for e in timeline))
    arrivals, sent, recorded, kernels = [], [], {}, 0
    for kind, name, stream, event, size in timeline:
        if kind == "launches":
            check(stream == compute, f"a kernel in stream {stream} beside {compute}")
            kernels += 1
        elif kind == "copies" and name == "host_to_device" and size == batch_bytes:
            check(stream != compute, "a batch is copied in the stream of the kernels")
            sent.append((stream, kernels))
        elif kind == "records" and stream != compute:
            recorded[event] = len(sent)  # it is done with this many copies
        elif kind == "waits" and stream == compute and event in recorded:
            arrivals.append((recorded[event], kernels))
    check(len({stream for stream, _ in sent}) == 1, f"copies in several streams: {sent}")
    check(len(sent) == steps, f"{len(sent)} copies in {steps} steps")
    # The first step's batch was sent before the window began: its event was recorded there and is none of these.
    check([copy for copy, _ in arrivals] == list(range(1, steps)), f"a step waits for another copy than its own: {arrivals}")
    per_step = {later - earlier for (_, earlier), (_, later) in zip(arrivals, arrivals[1:])}
    check(len(per_step) == 1 and min(per_step) > 100, f"waits are not a step apart: {arrivals}")
    for (copy, before_step), (_, behind_kernels) in zip(arrivals, sent[1:]):
        check(behind_kernels <= before_step, f"copy {copy + 1} was sent {behind_kernels - before_step} kernels into the step before it")
    print(f"{steps} steps of {min(per_step)} kernels, each behind its own copy and beside the next one's")


GROUPS = {f.__name__: f for f in (optimizers, lamb, two_ranks, replicas, solo, health, replays, files, lazy_device, level,
                                   profiler_range, traces, copies_ahead)}

if __name__ == "__main__":
    nullgpu.require()
    for name in sys.argv[1:] or GROUPS:
        GROUPS[name]()
