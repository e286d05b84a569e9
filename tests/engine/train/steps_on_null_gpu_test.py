"""A step's use of a GPU, seen on a null device (no numerics, no speed): 20 s.

Marks are thinned within their budget; batches are copied ahead without a wait of the host, and none is overwritten
while it is on its way; attention uses the kernel that is reported; no thread of a run with ranks waits inside a window
for what only a log would read; a broken GPU ends a sweep with 84, after its row.
"""

import sys
import tempfile

import nullgpu
from program import SCALEMARK, check, report_in, run

MOST_EVENTS = 100_000
MARKS = 9  # marks per step without accumulation, with the one where the next step begins


def train(folder, *options, devices=1, **environment):
    result = nullgpu.run(["train", "--device", "cuda", *options, "--output", folder, "--overwrite"], devices=devices,
                         env=environment)
    return report_in(folder)["points"][0], result


def thinned_marks(folder):
    """Too many steps for an event on each, however fast this machine is."""
    point, result = train(folder, "--workload", "linear", "--iters", 12000, "--warmup-iters", 50)
    k, samples = point.get("steps_per_mark", 1), point["step_samples_s"]
    check(k >= 2, f"12000 steps were marked {k} at a time")
    check(len(samples) == 12000 // k, f"{len(samples)} values with k = {k}")
    marks = result.measured_window()["marks"]
    check(len(samples) * (MARKS - 2) <= marks <= MOST_EVENTS + MARKS, f"{marks} marks of {len(samples)} groups")
    check(set(point["step_s"]) == {"n", "mean"}, f"step_s holds {sorted(point['step_s'])}")
    by_clock, by_marks = point["wall_s"], sum(samples) * k
    check(by_marks <= by_clock and by_marks > 0.8 * 12000 // k * k / 12000 * by_clock,
          f"marks say {by_marks} s, the clock {by_clock} s")
    phases = sum(point["phases_s"].values())
    check(abs(phases - point["step_mean_over_ranks_s"]) < 1e-9, "phases do not sum to the step")
    check("marks_thinned" in {f["code"] for f in report_in(folder)["findings"]}, "nobody says that marks are thinned")


def copies_ahead(folder):
    """Batches of 1.2 MB from a folder of images, every copy as late as CUDA allows: two batches in flight, pinned
    memory used again and again. Synthetic ones of 3 KB stay on the computing stream."""
    run("data", "generate", "images", f"{folder}/images", "--classes", 4, "--samples", 160)
    options = ("--workload", "resnet50", "--batch-size", 8, "--image-size", 224, "--data", f"{folder}/images",
               "--workers", 2, "--gradient-accumulation-steps", 2)
    point, ahead = train(f"{folder}/window", *options, "--iters", 4, "--warmup-iters", 2, NULLCUDA_COPIES="deferred")
    check(point["samples"] == 4 * 2 * 8, f"{point['samples']} samples")
    waits = nullgpu.own_syncs(ahead.measured_window())
    check(not waits, f"the host waits in the window: {waits}")
    # An epoch's last step has nothing to copy ahead, and its evaluation fills the last batch up.
    point, _ = train(f"{folder}/epochs", *options, "--epochs", 2, NULLCUDA_COPIES="deferred")
    check([e["samples"] for e in point["evaluation"]] == [point["evaluation"][0]["samples"]] * 2, "evaluations differ")
    _, small = train(f"{folder}/small", "--workload", "linear", "--batch-size", 1, "--iters", 4, "--warmup-iters", 2)
    orders = [sum(n["count"] for n in r.measured_window()["waits"].values()) for r in (small, ahead)]
    check(orders[0] == 0, f"small batches order streams {orders[0]} times")
    # Each of four times two micro-steps: the copy behind the computing, and the computing behind the copy.
    check(orders[1] == 16, f"streams wait for each other {orders[1]} times in 8 micro-steps")


def attention(folder):
    for precision, backend in (("fp32", "efficient"), ("amp-bf16", "flash"), ("amp-fp16", "flash")):
        point, _ = train(folder, "--workload", "bert-mini", "--batch-size", 4, "--precision", precision, "--iters", 3,
                         "--warmup-iters", 1)
        check(point.get("attention_backend") == backend, f"{precision}: attention by {point.get('attention_backend')}")


def ranks_without_a_log(folder):
    """c10d's Logger would wait for events in each of the first ten steps. Gloo's own waits are Gloo's threads'."""
    _, result = train(folder, "--workload", "mlp", "--nproc-per-node", 2, "--strategy", "ddp", "--backend",
                      "gloo", "--iters", 12, "--warmup-iters", 3, devices=2)
    for rank in range(2):
        waits = nullgpu.own_syncs(result.measured_window(rank))
        check(not waits, f"rank {rank} waits in the window: {waits}")


def broken_gpu(folder):
    done = nullgpu.run(["sweep", "--workload", "linear", "--device", "cuda", "--world-sizes", 1, "--batch-sizes", "1,2,4",
                        "--repetitions", 1, "--iters", 20, "--warmup-iters", 5, "--retries", 1, "--output", folder,
                        "--overwrite"], env={"NULLCUDA_FAIL_LAUNCH": 30}, expect=None)
    report = report_in(folder)
    check(done.returncode == 84, f"ended with {done.returncode}: {done.stderr}")
    check(report["exit_code"] == 84 and report["status"] == "failed", f"{report['status']} {report.get('exit_code')}")
    statuses = [point["status"] for point in report["points"]]
    check(statuses == ["failed"], f"rows: {statuses}")
    check("E_GPU_FAULT" in report["points"][0]["reason"], report["points"][0]["reason"])


def main():
    nullgpu.require()
    check(SCALEMARK.exists(), f"no {SCALEMARK}")
    cases = {f.__name__: f for f in (thinned_marks, copies_ahead, attention, ranks_without_a_log, broken_gpu)}
    for name in sys.argv[1:] or cases:
        with tempfile.TemporaryDirectory() as folder:
            cases[name](folder)


if __name__ == "__main__":
    main()
