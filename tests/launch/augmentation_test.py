"""Augmentations in training: points of a sweep differ by them, and the number of workers changes nothing.

augmentation_test.py CASE
"""

import sys
import tempfile
from pathlib import Path

from program import BINARY_DIR, check, report_in, run

IMAGES = ("--workload", "resnet50", "--image-size", 32, "--batch-size", 4, "--threads", 1, "--device", "cpu", "--quiet", "--overwrite")
OPENCV = (BINARY_DIR / "libscalemark_opencv.so").exists()


def images(folder, samples):
    path = Path(folder) / "images"
    run("data", "generate", "images", path, "--samples", samples, "--classes", 3, "--image-size", 40)
    return path


def sweep():
    """Each combination of two options is a point of its own, with data of its own: the first losses of one seed all differ."""
    augment = {"--augment": "basic,colour-jitter"} if OPENCV else {}
    with tempfile.TemporaryDirectory() as folder:
        data = images(folder, 60)
        for axes in (augment | {"--mixup": "0,0.4"}, {"--cutmix": "0,1", "--random-erasing": "0,0.9"}):
            run("sweep", *IMAGES, "--data", data, *(word for axis in axes.items() for word in axis), "--world-sizes", 1,
                "--repetitions", 1, "--iters", 1, "--warmup-iters", 1, "--output", f"{folder}/out")
            points = report_in(f"{folder}/out")["points"]
            check(len(points) == 2 ** len(axes) and all(p["status"] == "ok" for p in points), [p["status"] for p in points])
            check(len({p["group"] for p in points}) == len(points), [p["group"] for p in points])
            losses = {p["loss"]["first"] for p in points}
            check(len(losses) == len(points), f"{len(losses)} losses of {len(points)} points: {sorted(losses)}")
            varying = {f"--{name.replace('_', '-')}" for name in points[0]["varying"]}
            check(set(axes) <= varying, varying)


def same_seed():
    """Losses of no worker are those of three, which load further ahead."""
    everything = ("--augment", "randaugment" if OPENCV else "basic", "--random-erasing", 0.5, "--mixup", 0.2, "--cutmix", 1)
    with tempfile.TemporaryDirectory() as folder:
        data, losses = images(folder, 60), []
        for more in (("-j", 0), ("-j", 3, "--prefetch", 5)):
            run("train", *IMAGES, "--data", data, *everything, *more, "--iters", 3, "--warmup-iters", 1,
                "--output", f"{folder}/out")
            losses.append(report_in(f"{folder}/out")["points"][0]["loss"])
    check(losses[0] == losses[1], losses)


def notes():
    """Without images, or without files, it has no effect and a note says so; the point is the same."""
    for what in (("--workload", "mlp"), ("--workload", "resnet50")):
        done = run("train", *what, "--augment", "trivial", "--mixup", 0.2, "--dry-run")
        for option in ("--augment", "--mixup"):
            check(f"{option} has no effect" in done.stderr + done.stdout, done.stderr)
    run("train", "--workload", "resnet50", "--mixup", -1, "--dry-run", expect=78)
    run("train", "--workload", "resnet50", "--random-erasing", 1.01, "--dry-run", expect=78)


CASES = {case.__name__: case for case in (sweep, same_seed, notes)}
for name in sys.argv[1:] or CASES:
    CASES[name]()
