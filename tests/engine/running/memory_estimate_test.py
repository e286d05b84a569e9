"""The predicted memory is within 20 % of the measured peak: ResNet-50 and bert-mini, three batch sizes each."""

import tempfile
from pathlib import Path

from program import report_in, run, skip_under_asan

POINTS = [("resnet50", "--image-size", 64, batch) for batch in (2, 8, 24)] + [
    ("bert-mini", "--sequence-length", 128, batch) for batch in (2, 8, 24)]


def main():
    skip_under_asan("makes the peak larger than what is used")
    worst = 0
    for workload, option, size, batch in POINTS:
        with tempfile.TemporaryDirectory() as folder:
            run("train", "--workload", workload, option, size, "--batch-size", batch, "--data", "synthetic", "--device",
                "cpu", "--strategy", "none", "--threads", 1, "--iters", 2, "--warmup-iters", 1, "--output", folder,
                "--overwrite", "--quiet")
            point = report_in(Path(folder))["points"][0]
        off = point["memory_estimate_bytes"] / point["memory_peak_bytes"] - 1
        print(f"{workload} {size} batch {batch}: peak {point['memory_peak_bytes'] / 1e6:.0f} MB, estimate {100 * off:+.1f} %")
        worst = max(worst, abs(off))
    assert worst <= 0.20, worst


main()
