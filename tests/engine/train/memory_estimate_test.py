"""The predicted memory is within 20 % of the measured peak: ResNet-50 with a large batch, and with activation checkpointing,
which must need less; bert-mini with a small one on two ranks, whole and in shards, and with a dedicated server. Both
networks by themselves, each batch size with and without checkpointing, longer sequences, and both with each strategy,
compressed and not, with SCALEMARK_SOAK=full."""

import os
import tempfile
from pathlib import Path

from program import report_in, run, skip_under_asan

FULL = os.environ.get("SCALEMARK_SOAK") == "full"
LARGEST = 24
POINTS = [(workload, option, size, batch) for workload, option, size in (
    ("resnet50", "--image-size", 64), *([("bert-mini", "--sequence-length", 128)] if FULL else []))
          for batch in ((2, 8, LARGEST) if FULL else (LARGEST,))]
RESNET, BERT = ("resnet50", "--image-size", 64, 4), ("bert-mini", "--sequence-length", 64, 2)


def measured(workload, option, size, batch, *more):
    """The point's peak, and how far off its estimate is."""
    with tempfile.TemporaryDirectory() as folder:
        run("train", "--workload", workload, option, size, "--batch-size", batch, "--data", "synthetic", "--device", "cpu",
            "--threads", 1, "--iters", 2 if FULL else 1, "--warmup-iters", 1, *more, "--output", folder, "--overwrite", "--quiet")
        point = report_in(Path(folder))["points"][0]
    off = point["memory_estimate_bytes"] / point["memory_peak_bytes"] - 1
    print(f"{workload} {size} batch {batch} {' '.join(map(str, more))}: peak {point['memory_peak_bytes'] / 1e6:.0f} MB, "
          f"estimate {100 * off:+.1f} %")
    return point["memory_peak_bytes"], abs(off)


def main():
    skip_under_asan("makes the peak larger than what is used")
    worst = 0
    for point in POINTS:
        peaks = {}
        for checkpointing in ("off", "on"):
            peaks[checkpointing], off = measured(*point, "--strategy", "none", "--activation-checkpointing", checkpointing)
            worst = max(worst, off)
        assert point[-1] < LARGEST or peaks["on"] < 0.92 * peaks["off"], (point, peaks)
    for server in ("rank0", "dedicated") if FULL else ("dedicated",):
        _, off = measured(*BERT, "--strategy", "parameter-server", "--server", server,
                          "--nproc-per-node", 2)
        worst = max(worst, off)
    rest = [("flat",), ("sharded",), ("flat", "--optimizer", "lamb"), ("local-sgd", "--local-steps", 1)] if FULL else []
    for strategy in (("ddp",), ("sharded", "--gradient-compression", "bf16"), *rest):
        for network in (RESNET, BERT) if FULL else (BERT,):
            _, off = measured(*network, "--nproc-per-node", 2, "--strategy", *strategy)
            worst = max(worst, off)
    assert worst <= 0.20, worst


main()
