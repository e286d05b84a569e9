"""The common part of the learning tests: made data, a run of `train --epochs`, and what it printed."""

import os
import re
import time

from made_data import make_images, make_text  # noqa: F401 (for those who import this)
from program import check, report_in, run

FULL = os.environ.get("SCALEMARK_SOAK") == "full"  # scripts/soak
EPOCH_LINE = re.compile(r"epoch (\d+): train loss ([\d.]+), held-out loss ([\d.]+), (\S.*) ([\d.]+) % of (\d+), "
                        r"([\d.,]+) (?:images|sequences|samples)/s")


def train(output, *options, ranks=1, strategy="ddp", timeout=600, expect=0):
    """The report of one run, and what it printed; its seconds stand in report["test_wall_s"]."""
    start = time.monotonic()
    several = ["--nproc-per-node", ranks, "--strategy", strategy] if ranks > 1 else []
    done = run("train", *options, *several, "--output", output, "--overwrite", timeout=timeout, expect=expect)
    report = report_in(output)
    report["test_wall_s"] = time.monotonic() - start
    return report, done.stdout + done.stderr


def evaluations_of(report, printed):
    """evaluation[] of the one point, after comparing it with the lines that were printed as the run went."""
    check(report["status"] == "complete", f"the report is {report['status']}")
    [point] = report["points"]
    evaluations = point["evaluation"]
    lines = EPOCH_LINE.findall(printed)
    check([int(line[0]) for line in lines] == list(range(1, len(evaluations) + 1)), f"epoch lines {lines}")
    for (_, train_loss, loss, metric, percent, items, _), evaluation in zip(lines, evaluations):
        check(abs(float(train_loss) - evaluation["train_loss"]) < 1e-4, f"train loss {train_loss}: {evaluation}")
        check(abs(float(loss) - evaluation["loss"]) < 1e-4, f"held-out loss {loss}: {evaluation}")
        check(metric == evaluation["metric"], f"metric {metric}: {evaluation}")
        check(abs(float(percent) - 100 * evaluation["value"]) < 0.01, f"{percent} %: {evaluation}")
        check(int(items) == evaluation["samples"], f"{items} items: {evaluation}")
    return evaluations


def figures(report):
    """One line for the log: what the run took."""
    [point] = report["points"]
    return (f"{point['samples_per_sec']:.1f} samples/s, {point['iterations']} steps in {point['wall_s']:.1f} s, "
            f"{report['test_wall_s']:.1f} s in all, peak {point['memory_peak_bytes'] / 2**20:.0f} MiB")
