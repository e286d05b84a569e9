"""Files that vanish at random times under a training run that skips bad samples: what is lost is skipped and listed,
and when no training file or no held-out one is left the run ends with 65 instead of retrying for ever. 100 trials, or as
many as SCALEMARK_TRIALS says."""

import os
import random
import tempfile
import time
from pathlib import Path

from endings import Running, closed_report, error_lines
from made_data import make_images
from program import check

EPOCHS = 8
OPTIONS = ("train", "--workload", "resnet50", "--image-size", 64, "--batch-size", 2, "--threads", 1, "--learning-rate",
           "1e-4", "--no-progress", "--on-bad-sample", "skip")


def vanish(files, running, luck):
    """One after another, within a second; those that were gone before the run had ended."""
    gone = []
    for file in files:
        time.sleep(luck.uniform(0, 1 / len(files)))
        file.unlink()
        if running.process.poll() is None:
            gone.append(file)
    return gone


def trial(folder, luck):
    tree = make_images(folder / "images", 8, size=32, classes=2, seed=luck.randrange(1000))
    files = sorted(tree.rglob("*.jpg"))
    lost = len(files) if luck.random() < 0.3 else luck.randrange(1, 5)
    chosen = luck.sample(files, lost)
    workers = luck.randrange(3)
    nothing_left = any(set((tree / part).rglob("*.jpg")) <= set(chosen) for part in ("train", "val"))
    epochs = 100_000 if lost == len(files) else EPOCHS
    with Running(*OPTIONS, "--data", tree, "--workers", workers, "--epochs", epochs, "--output", folder / "out") as running:
        running.await_event("epochs")
        time.sleep(luck.uniform(0, 0.5))
        gone = vanish(chosen, running, luck)
        running.end(expect=65 if nothing_left else 0, seconds=180)
    if nothing_left:
        [(code, _, _)] = error_lines(running.stderr)
        check(code == "E_BAD_DATA", running.stderr)
        closed_report(folder / "out", "failed", 65)
    else:
        [point] = closed_report(folder / "out", "complete", 0)["points"]
        listed = {entry["name"] for entry in point["data_loading"].get("skipped", [])}
        check(listed <= set(map(str, gone)), f"{listed} are no files that went: {gone}")
        check(len(listed) >= len(gone) - 2, f"{listed}: {len(gone)} went")  # the last may have gone with the run's end
    return f"{lost} of {len(files)} files, {workers} workers"


def main():
    trials = int(os.environ.get("SCALEMARK_TRIALS", 100))
    seed = int(os.environ.get("SCALEMARK_SEED", random.SystemRandom().randrange(1 << 32)))
    print(f"seed {seed} (SCALEMARK_SEED repeats it)", flush=True)
    luck = random.Random(seed)
    for number in range(trials):
        with tempfile.TemporaryDirectory() as name:
            start = time.monotonic()
            what = trial(Path(name), luck)
            print(f"trial {number}: {what}, {time.monotonic() - start:.1f} s", flush=True)
    print(f"{trials} of {trials} trials ended as they should", flush=True)


if __name__ == "__main__":
    main()
