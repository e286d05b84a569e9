"""`scalemark train --device cuda` of the smallest and of an image workload ends well on a null GPU."""

import tempfile

import nullgpu
from program import check, report_in


def main():
    for workload, options in (("linear", ()), ("resnet50", ("--batch-size", 2, "--image-size", 64))):
        with tempfile.TemporaryDirectory() as folder:
            result = nullgpu.run(["train", "--workload", workload, "--device", "cuda", *options, "--iters", 3,
                                  "--warmup-iters", 2, "--output", folder, "--overwrite"])
            point = report_in(folder)["points"][0]
            check(point["device"] == "cuda" and point["status"] == "ok", f"{workload}: {point}")
            check(result.counts[0]["total"]["launches"], f"{workload} launched no kernel")


if __name__ == "__main__":
    main()
