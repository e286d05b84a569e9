"""ResNet-50 learns the shapes of generated images: top-1 >= 80 % on images it has never seen."""

import argparse
import tempfile
from pathlib import Path

from learning import evaluations_of, figures, make_images, train
from program import check, run

# Few steps, so what matters is that every one counts: adamw, every residual block starting as the identity.
RECIPE = ["--optimizer", "adamw", "--learning-rate", 0.0005, "--lr-warmup-steps", 60, "--zero-init-residual"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--form", help="of packed data; absent: from the tree")
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--classes", type=int, default=4)
    parser.add_argument("--size", type=int, help="of the images; absent: 48, and 300 for forms that reduce them to 256")
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--least", type=float, default=0.80)
    options = parser.parse_args()
    size = options.size or (300 if options.form in ("jpeg-256", "raw-256") else 48)
    for seed in options.seeds:
        with tempfile.TemporaryDirectory() as folder:
            images = make_images(Path(folder) / "images", options.samples, size=size, classes=options.classes, seed=seed)
            if options.form:
                packed = Path(folder) / "packed"
                run("data", "pack", images, packed, "--form", options.form, "--no-progress")
                images = packed
            report, printed = train(
                Path(folder) / "run", "--workload", "resnet50", "--data", images, "--image-size", 32, "--epochs",
                options.epochs, "--global-batch-size", 16, "--threads", max(1, 2 // options.ranks), "--seed", seed,
                *RECIPE, ranks=options.ranks, timeout=1500)
            evaluations = evaluations_of(report, printed)
            course = ", ".join(f"{100 * e['value']:.1f}" for e in evaluations)
            print(f"seed {seed}, {options.ranks} rank(s), {options.form or 'tree'}: top-1 {course} %; {figures(report)}", flush=True)
            held_out = options.samples // 5
            check(all(e["samples"] == held_out for e in evaluations), f"not all {held_out} held-out images: {evaluations}")
            check(evaluations[-1]["value"] >= options.least, f"top-1 {course} %, at least {options.least} expected")


if __name__ == "__main__":
    main()
