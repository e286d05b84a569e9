"""Every experiment in configs/ runs: the file as it is is planned, and a short form of it is measured on 1 and 2 ranks.

`configs_test.py plans | NAME...`: what the file varies must stand in the rows. Networks and images are small here, axes are cut to
two values.
"""

import functools
import json

from endings import run_cases
from made_data import make_images
from program import check, report_in, run
from sweeps import SOURCE, valid_report

SMALL_IMAGES = ("--image-size", 32, "--batch-size", 2, "--learning-rate", 0.001)
FP16_IMAGES = ("--image-size", 64, "--batch-size", 4, "--learning-rate", 0.001)
SMALL_BOTH = (*SMALL_IMAGES, "--workload", "resnet50,bert-mini", "--sequence-length", 16)

# Each entry has the options that the short form changes, a field of the report's rows, and the values that it must show.
# `group`: how many settings are measured on 2 ranks with ddp (how data is read stands in the name only; synthetic batches on a
# CPU are never pinned).
SHORT = {
    "activation-checkpointing": (SMALL_BOTH, "activation_checkpointing", {True, False}),
    "amp-fp16": ((*SMALL_IMAGES, "--workload", "resnet50,mlp", "--precision", "fp32"), "workload", {"resnet50", "mlp"}),  # fp16: on a GPU
    "allreduce": (("--sizes", "1Ki:elem,16Ki:elem"), "congestion", {False, True}),
    "backends": (("--sizes", "1KiB,64KiB"), "collective", {"all-reduce", "all-gather", "broadcast"}),
    "accumulation": (("--gradient-accumulation-steps", "1,2", *SMALL_IMAGES), "gradient_accumulation_steps", {1, 2}),
    "bucket-size": ((*SMALL_BOTH, "--bucket-cap-mb", "1,25"), "bucket_cap_mb", {1, 25}),
    "comm-mechanisms": (SMALL_IMAGES, "strategy", {"ddp", "flat", "sharded", "parameter-server", "data-parallel"}),
    "cuda-graphs": ((*SMALL_BOTH, "--precision", "fp32", "--cuda-graphs", "off"), "workload", {"resnet50", "bert-mini"}),  # a GPU's: nullgpu.graphs.experiment
    "ddp-method": (("--batch-size", "32,64"), "batch_size", {32, 64}),
    "ddp-method-precision": (("--precision", "fp32"), "precision", {"fp32"}),  # bf16: where the CPU has it
    # At 32 px and batch 2 the last batch norms see two values: gradients overflow fp16.
    "fused-layers": ((*SMALL_BOTH, "--precision", "fp32"), "fused_layers", {True, False}),
    "fp16-communication": (FP16_IMAGES, "gradient_compression", {"none", "fp16", "bf16"}),
    "in-loop-data": (("--workload", "linear"), "group", 2),
    "local-sgd": (("--sequence-length", 16, "--batch-size", 2, "--local-steps", "1,3"), "local_steps", {"1", "3"}),
    "loader": ((*SMALL_IMAGES, "--workers", "1,2"), "group", 2),
    "overlap": (SMALL_IMAGES, "overlap", {True, False}),
    "pin-memory": (SMALL_IMAGES, "group", 1),
    "precision": ((*SMALL_BOTH, "--precision", "fp32"), "workload", {"resnet50", "bert-mini"}),
    "rtx4090-mlp": ((), "world_size", {1, 2}),
    "transformer-batch": (("--workload", "bert-mini", "--sequence-length", 16, "--batch-size", "2,4"), "batch_size", {2, 4}),
    "unused-parameters": (SMALL_IMAGES, "group", 2),
}


def configs():
    return {file.stem: file for file in sorted((SOURCE / "configs").glob("*.json"))}


def check_all_listed():
    check(set(configs()) == set(SHORT), f"configs/ and this test differ: {sorted(set(configs()) ^ set(SHORT))}")
    for name, file in configs().items():
        check(len(json.loads(file.read_text())["about"]) > 80, f"{name}: `about` says what the experiment shows")


def command_of(name):
    """The command of a config, and the options of its short form on 2 ranks."""
    command = json.loads(configs()[name].read_text())["command"]
    sizes = () if command == "comm" else ("--world-sizes", "1,2")
    return command, ["--config", configs()[name], *sizes, "--nproc-per-node", 2, "--device", "cpu", *SHORT[name][0]]


def plans(folder):
    for name in SHORT:
        command, options = command_of(name)
        data = ("--data", make_images(folder / "images", 32, size=40, classes=2)) if name == "loader" else ()
        run(command, *options, *data, "--dry-run")


def measure_collectives(name, folder):
    """Backends that this machine lacks are rows with a reason."""
    _, field, expected = SHORT[name]
    command, options = command_of(name)
    run(command, *options, "--repetitions", 1, "--threads", 1, "--no-progress", "--output", folder / "out")
    rows = report_in(folder / "out")["collectives"]
    check({row["backend"] for row in rows} == {"nccl", "gloo", "mpi"}, "a backend has no row")
    seen = {row[field] for row in rows if row["status"] == "ok"}
    check(seen == expected, f"{name}: rows show {field} {sorted(map(str, seen))}, expected {sorted(map(str, expected))}")
    check(all(row["reason"] for row in rows if row["status"] == "skipped"), rows)


def measure_points(name, folder):
    _, field, expected = SHORT[name]
    command, options = command_of(name)
    if name == "loader":
        options += ["--data", make_images(folder / "images", 32, size=40, classes=2)]
    run(command, *options, "--iters", 3, "--warmup-iters", 1, "--repetitions", 1, "--threads", 1, "--no-progress", "--output",
        folder / "out")
    report = valid_report(folder / "out")
    check(report["status"] == "complete" and report["exit_code"] == 0, f"{name}: {report['status']}")
    measured = [row for row in report["points"] if row["status"] == "ok"]
    check({row["world_size"] for row in measured} == {1, 2}, f"{name}: a world size has no row")
    if field == "group":
        groups = {row["group"] for row in measured if row["world_size"] == 2 and row["strategy"] == "ddp"}
        return check(len(groups) == expected, f"{name}: groups {sorted(groups)}, expected {expected}")
    seen = {row.get(field, row.get("varying", {}).get(field)) for row in measured}
    check(expected <= seen, f"{name}: rows show {field} {sorted(map(str, seen))}, expected {sorted(map(str, expected))}")


def measure(name, folder):
    (measure_collectives if command_of(name)[0] == "comm" else measure_points)(name, folder)


check_all_listed()
run_cases({"plans": plans} | {name: functools.partial(measure, name) for name in SHORT})
