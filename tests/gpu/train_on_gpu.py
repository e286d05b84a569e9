"""ResNet-50, BERT or linear on one GPU in one precision, or two ranks over Gloo with CUDA tensors.

On a machine without a GPU it is skipped; on one with a GPU a skip would be a failure, so the only reason to skip is
that there is none. Needs nothing but the built program (SCALEMARK_PROGRAM) and a torch wheel (SCALEMARK_TORCH).
"""

import argparse
import glob
import math
import tempfile

from program import check, report_in, run, skip


def check_attention(options, point):
    """Synthetic text has no padding, so flash computes it wherever numbers have 16 bits."""
    expected = None
    if options.workload.startswith("bert"):
        expected = "flash" if options.precision.startswith("amp") else "efficient"
    check(point.get("attention_backend") == expected, f"attention by {point.get('attention_backend')}, not {expected}")


def check_thinned(point):
    """Steps of 100 us or so: marks on each would be a tenth of them."""
    k = point.get("steps_per_mark", 1)
    check(k > 1, "short steps were all marked")
    check(len(point["step_samples_s"]) == point["iterations"] // k, f"{len(point['step_samples_s'])} values, k = {k}")
    check("p50" not in point["step_s"], "quantiles of means")
    by_clock = point["wall_s"] / point["iterations"]
    check(abs(point["step_s"]["mean"] / by_clock - 1) < 0.05,
          f"marks say {point['step_s']['mean']}, the clock {by_clock} s per step")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workload", required=True)
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--output", help="keep the report here")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--iters", type=int, default=30)
    options = parser.parse_args()
    if not glob.glob("/dev/nvidia[0-9]*"):
        skip("this machine has no GPU (no /dev/nvidia0)")

    with tempfile.TemporaryDirectory() as folder:
        folder = options.output or folder
        backend = ["--backend", "gloo"] if options.ranks > 1 else []
        run("train", "--workload", options.workload, "--device", "cuda", "--precision", options.precision,
            "--batch-size", options.batch_size, "--iters", options.iters, "--warmup-iters", 10,
            "--nproc-per-node", options.ranks, "--strategy", "ddp" if options.ranks > 1 else "none",
            *backend, "--output", folder, "--overwrite", timeout=300)
        report = report_in(folder)
        point = report["points"][0]
        check(report["status"] == "complete" and point["status"] == "ok", f"status {report['status']}")
        check(point["device"].startswith("cuda"), f"device {point['device']}")
        check(point["precision"] == options.precision, f"precision {point['precision']}")
        check(all(math.isfinite(point["loss"][k]) for k in ("first", "last")), f"loss {point['loss']}")
        check(point["memory_peak_bytes"] > 0, "no memory peak")
        check(point["memory_reserved_bytes"] >= point["memory_peak_bytes"], "less is reserved than allocated")
        phases = sum(point["phases_s"].values())
        check(abs(phases - point["step_mean_over_ranks_s"]) < 0.02 * phases, "phases do not sum to the step")
        check_attention(options, point)
        if options.workload == "linear":
            check_thinned(point)
        print(f"{options.workload} {options.precision} x{options.ranks}: {point['samples_per_sec']:.1f} samples/s, "
              f"peak {point['memory_peak_bytes'] / 2**30:.2f} GiB, MFU {point.get('mfu')}")


if __name__ == "__main__":
    main()
