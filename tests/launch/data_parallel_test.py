"""Strategy data-parallel in the program: one process does the work of as many ranks as it has replicas. Memory of ResNet-50 with
SCALEMARK_SOAK=full only."""

import os

from safetensors.numpy import load_file

from endings import run_cases
from made_data import make_images
from program import check, cpu_has_bf16, report_in, run

REPLICAS = ("--strategy", "data-parallel", "--nproc-per-node", 2)
RANKS = ("--strategy", "ddp", "--nproc-per-node", 2)
# Its gradients multiply a difference in rounding by a thousand in each step: weights that hardly move compare the data.
IMAGES = ("--workload", "resnet50", "--image-size", 32, "--batch-size", 4, "--learning-rate", 1e-12, "--momentum", 0)

def trained(folder, *options):
    folder.mkdir()
    run("train", "--device", "cpu", "--threads", 1, "--no-progress", *options, "--save", folder / "weights.safetensors",
        "--output", folder / "out")
    [point] = report_in(folder / "out")["points"]
    return point, load_file(folder / "weights.safetensors")

def check_same_training(ours, theirs, losses, least, allowed=1e-4):
    for name, tensor in theirs[1].items():
        if tensor.dtype.kind == "f":
            off = abs(ours[1][name] - tensor).max() / max(abs(tensor).max(), least)
            check(off < allowed, f"{name} differs by {off}")
    a, b = losses(ours[0]), losses(theirs[0])
    check(len(a) == len(b) > 0 and all(abs(x / y - 1) < allowed for x, y in zip(a, b)), (a, b))
    check(ours[0]["samples"] == theirs[0]["samples"], (ours[0]["samples"], theirs[0]["samples"]))
    check((ours[0]["world_size"], ours[0]["processes"], len(ours[0]["ranks"])) == (2, 1, 1), ours[0])

def window(folder):
    """It takes the same batches as two ranks, and so has the same weights; its payload is the formula's; a note says that Python's costs more."""
    steps = ("--workload", "mlp", "--gradient-accumulation-steps", 2, "--iters", 20, "--warmup-iters", 0)
    ours = trained(folder / "replicas", *REPLICAS, *steps)
    check_same_training(ours, trained(folder / "ranks", *RANKS, *steps), lambda p: [p["loss"]["first"], p["loss"]["last"]], least=1e-6)
    point = ours[0]
    check(point["communication"]["payload_bytes_per_step"] == 2 * 2 * 4 * point["model"]["parameters"], point["communication"])
    codes = [finding["code"] for finding in report_in(folder / "replicas/out")["findings"]]
    check("replicas_in_one_process" in codes, codes)

def epochs(folder):
    """The same images in each step, evaluation over all of them, running statistics of the first replica; resumed."""
    data = make_images(folder / "images", 20, 32)
    options = (*IMAGES, "--data", data, "--epochs", 2)
    kept = ("--checkpoint-every", "2steps", "--checkpoint-keep", 100)
    ours = trained(folder / "replicas", *REPLICAS, *options, *kept)
    theirs = trained(folder / "ranks", *RANKS, *options)
    check_same_training(ours, theirs, lambda p: [one[key] for one in p["evaluation"] for key in ("train_loss", "loss")], least=1)
    last = sorted((folder / "replicas/out/checkpoints").iterdir(), key=lambda path: int(path.name[5:]))[-1]
    for file in last.iterdir():
        file.unlink()
    run("train", "--device", "cpu", "--threads", 1, "--no-progress", *REPLICAS, *options, *kept, "--resume", "--save",
        folder / "again.safetensors", "--output", folder / "replicas/out")
    again = load_file(folder / "again.safetensors")
    check(all((again[name] == tensor).all() for name, tensor in ours[1].items()), "a resumed training ends elsewhere")

def memory(folder):
    resnet = ("--workload", "resnet50", "--image-size", 64, "--batch-size", 8)
    bert = ("--workload", "bert-mini", "--sequence-length", 64, "--batch-size", 4)
    for size in (resnet, bert) if os.environ.get("SCALEMARK_SOAK") == "full" else (bert,):
        out = folder / size[1]
        run("train", *REPLICAS, "--device", "cpu", "--threads", 1, *size, "--iters", 2, "--warmup-iters", 1, "--output", out)
        [point] = report_in(out)["points"]
        off = point["memory_estimate_bytes"] / point["memory_peak_bytes"] - 1
        print(f"{size[1]}: peak {point['memory_peak_bytes'] / 1e6:.0f} MB, estimate {100 * off:+.1f} %")
        check(abs(off) < 0.2, off)

def sweep(folder):
    """A sweep has it beside ddp, on one and two: efficiency goes by replicas."""
    run("sweep", "--workload", "mlp", "--device", "cpu", "--threads", 1, "--strategies", "ddp,data-parallel", "--world-sizes",
        "1,2", "--repetitions", 1, "--iters", 10, "--warmup-iters", 5, "--no-progress", "--output", folder / "out")
    report = report_in(folder / "out")
    check(report["status"] == "complete" and all(p["status"] == "ok" for p in report["points"]), report["status"])
    rows = {(row["strategy"], row["world_size"]): row for table in report["scaling"] for row in table["rows"]}
    row = rows["data-parallel", 2]
    check(row["efficiency"] > 0 and abs(row["speedup"] / row["efficiency"] - 2) < 1e-9, row)
    processes = {p["processes"] for p in report["points"] if p["strategy"] == "data-parallel" and p["world_size"] == 2}
    check(processes == {1}, processes)

def drawing(folder):
    """Dropout, autocast, skipped branches, and a step without copies and sums, which the cost is taken from."""
    common = ("--device", "cpu", "--threads", 1, "--no-progress", "--iters", 1, "--warmup-iters", 1)
    run("train", *REPLICAS, *common, "--workload", "bert-mini", "--sequence-length", 32, "--batch-size", 2, "--precision",
        "amp-bf16" if cpu_has_bf16() else "fp32", "--output", folder / "bert")
    run("train", *REPLICAS, *common, *IMAGES, "--stochastic-depth", 0.3, "--activation-checkpointing", "on", "--output",
        folder / "resnet50")
    run("train", *REPLICAS, "--device", "cpu", "--threads", 1, "--no-progress", "--workload", "mlp", "--batch-size", 8, "--iters", 10,
        "--communication-cost", "--output", folder / "mlp")
    [point] = report_in(folder / "mlp")["points"]
    # That a step without copies is the shorter one is for benchmarks to show: ten steps of 3 ms are any length on a busy machine.
    check(point["noop_step_s"] > 0 and point["phases_s"]["exposed_communication"] > 0, point)

def refused(folder):
    def line(*options, **environment):
        return run("train", "--workload", "mlp", "--device", "cpu", *options, "--output", folder / "none", expect=78,
                   **environment).stderr
    check("is one process with all replicas, and 4 are launched" in line(*REPLICAS, "--nnodes", 2, "--node-rank", 0,
                                                                         "--rendezvous", "127.0.0.1:29501"), "nodes")
    launched = {"RANK": 0, "LOCAL_RANK": 0, "WORLD_SIZE": 2, "LOCAL_WORLD_SIZE": 2, "MASTER_ADDR": "127.0.0.1",
                "MASTER_PORT": 29502, "TORCHELASTIC_RUN_ID": "x"}
    check("is one process with all replicas, and 2 are launched" in line("--strategy", "data-parallel", **launched), "torchrun")
    check("has no effect with --strategy data-parallel" in line(*REPLICAS, "--gradient-compression", "fp16"), "fp16")

run_cases({case.__name__: case for case in (window, epochs, memory, sweep, drawing, refused)})
