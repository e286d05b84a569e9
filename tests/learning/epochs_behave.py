"""The promises of `train --epochs` besides learning: what is held out, bad files, a stop half-way, where the time and the
memory go. Tiny data; each check is one function. More numbers of ranks, shapes of epochs and workers with SCALEMARK_SOAK=full."""

import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from learning import EPOCH_LINE, FULL, evaluations_of, figures, make_images, make_text, train
from program import SCALEMARK, check, clean_environment, report_in, skip_under_asan

RESNET = ["--workload", "resnet50", "--image-size", 32, "--batch-size", 8, "--threads", 1, "--learning-rate", 1e-3]
BERT = ["--workload", "bert-mini", "--sequence-length", 32, "--batch-size", 8, "--threads", 1]


def the_tenth_of_each_class_is_held_out(folder):
    images = make_images(folder / "split", 36, size=32, classes=3)  # 12 a class
    shutil.rmtree(images / "val")
    for ranks in (1, 2) if FULL else (1,):
        report, printed = train(folder / "run", *RESNET, "--data", images, "--epochs", 1, ranks=ranks)
        [evaluation] = evaluations_of(report, printed)
        check(evaluation["samples"] == 3, f"a tenth of 12 in 3 classes are 3: {evaluation}")
        [point] = report["points"]
        # 33 remain: 4 batches of 8 on one rank; 17 on each of two ranks: 2 batches
        check(point["iterations"] == {1: 4, 2: 2}[ranks], f"{point['iterations']} steps on {ranks} ranks")
        check(point["samples"] == 32, f"{point['samples']} samples on {ranks} ranks")


def bad_files_are_skipped_and_listed_once(folder):
    images = make_images(folder / "bad", 20, size=32, classes=3)
    bad = sorted((images / "train").rglob("*.jpg"))[5], sorted((images / "val").rglob("*.jpg"))[2]
    held_out = len(list((images / "val").rglob("*.jpg")))
    for file in bad:
        file.write_bytes(b"not an image")
    _, printed = train(folder / "fails", *RESNET, "--data", images, "--epochs", 1, expect=65)
    check(any(str(file) in printed for file in bad), f"no bad file is named:\n{printed}")
    report, printed = train(folder / "run", *RESNET, "--data", images, "--epochs", 2, "--on-bad-sample", "skip", ranks=2)
    evaluations = evaluations_of(report, printed)
    check([e["samples"] for e in evaluations] == [held_out - 1] * 2, f"one of {held_out} is bad: {evaluations}")
    [point] = report["points"]
    listed = sorted(entry["name"] for entry in point["data_loading"]["skipped"])
    check(listed == sorted(map(str, bad)), f"listed {listed}")


def ranks_without_samples_of_their_own(folder):
    """Fewer samples than ranks: the third trains on repetitions alone and evaluates nothing; a broken file is all of the second's share."""
    images = make_images(folder / "few", 6, size=64, classes=2)
    for file in (images / "train").rglob("*.jpg"):
        if file != sorted(file.parent.glob("*.jpg"))[0]:
            file.unlink()
    # After one step the losses are of any size, and printed so: the report alone is read.
    options = ["--workload", "resnet50", "--image-size", 64, "--batch-size", 1, "--threads", 1, "--learning-rate", 1e-4,
               "--data", images, "--epochs", 1]
    broken = sorted((images / "val").rglob("*.jpg"))[1]
    broken.write_bytes(b"not an image")
    report, _ = train(folder / "run", *options, "--on-bad-sample", "skip", ranks=3)
    [point] = report["points"]
    [evaluation] = point["evaluation"]
    check(evaluation["samples"] == 1, evaluation)
    check(point["samples"] == 2 and point["data_loading"]["padded"] == 1, point["data_loading"])
    check([rank["samples"] for rank in point["ranks"]] == [1, 1, 0], point["ranks"])
    [skipped] = point["data_loading"]["skipped"]
    check(skipped["name"] == str(broken), skipped)


def an_epoch_holds_whole_steps_or_none(folder):
    """The rest of the last step is left out, and an epoch without one step is refused with the numbers."""
    images = make_images(folder / "twelve", 12, size=32, classes=2)
    held = len(list((images / "train").rglob("*.jpg")))
    options = ["--workload", "resnet50", "--image-size", 33, "--threads", 1, "--learning-rate", 1e-4, "--data", images, "--epochs", 1]
    for batch, ranks, accumulated in ((64, 1, 1), *([(5, 1, 1)] if FULL else []), (8, 2, 1), (2, 1, 4), (6, 1, 40)):
        steps = held // ranks // (batch * accumulated)
        sizes = ["--batch-size", batch, "--gradient-accumulation-steps", accumulated]
        report, printed = train(folder / "run", *options, *sizes, ranks=ranks, expect=0 if steps else 78)
        if steps:
            check(report["points"][0]["iterations"] == steps, f"{sizes}: {report['points'][0]['iterations']} steps of {held} samples")
        else:
            needed = f"{held} training samples for {ranks} rank(s); an epoch must hold at least one step of {batch * accumulated} samples"
            check(needed in printed, printed)


def phases_sum_to_the_step(folder):
    images = make_images(folder / "phases", 64 if FULL else 24, size=224, classes=3)
    for workers in (0, 2) if FULL else (0,):
        report, printed = train(folder / "run", *RESNET, "--data", images, "--epochs", 2, "--workers", workers)
        evaluations_of(report, printed)
        [point] = report["points"]
        phases, step = point["phases_s"], point["step_mean_over_ranks_s"]
        check(abs(sum(phases.values()) - step) <= 1e-6 * step, f"{phases} do not sum to {step}")
        check(abs(point["iterations"] * step - point["wall_s"]) <= 0.05 * point["wall_s"], "steps do not fill the window")
        share = phases["data_wait"] / step
        print(f"workers {workers}: data_wait {100 * share:.1f} % of {1e3 * step:.1f} ms; {figures(report)}", flush=True)
        if workers == 0:  # the training thread decodes: what it spends on that cannot be nothing
            check(phases["data_wait"] > 1e-4, f"no wait for data without workers: {phases}")
        check(point["setup_s"]["first_step"] > 0, f"the first step took no time: {point['setup_s']}")


def a_stop_leaves_a_valid_report(folder):
    text = make_text(folder / "stop", 40)
    command = [SCALEMARK, "train", *BERT, "--data", text, "--epochs", 1000, "--output", folder / "stopped"]
    program = subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, text=True, env=clean_environment())
    for line in program.stderr:
        if line.startswith("epoch 1:"):
            break
    else:
        sys.exit("FAILED: the first epoch was never printed")
    program.send_signal(signal.SIGTERM)
    program.communicate(timeout=150)
    check(program.returncode == 75, f"exit code {program.returncode}")
    report = report_in(folder / "stopped")
    check((report["status"], report["exit_code"]) == ("interrupted", 75), f"{report['status']}")
    check(report["points"] == [], "the unfinished point is no row")
    journal = (folder / "stopped" / "journal.jsonl").read_text()
    check("epoch 1: train loss" in journal, "the finished epoch is not in the journal")


def peak_bytes(pid):
    """The most that was resident so far: unlike what is resident now, the same whenever in an epoch a busy machine lets us read it.
    None of a process that has ended."""
    found = re.search(r"^VmHWM:\s+(\d+) kB$", Path(f"/proc/{pid}/status").read_text(), re.M)
    return 1024 * int(found[1]) if found else None


def memory_is_flat(folder):
    skip_under_asan("keeps freed memory for a while")
    images = make_images(folder / "flat", 30, size=64, classes=3)
    command = [SCALEMARK, "train", *RESNET[:4], "--batch-size", 24, *RESNET[6:], "--data", images, "--epochs", 20, "--workers", 2,
               "--output", folder / "long"]  # one step an epoch
    program = subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                               env=clean_environment())
    peaks = [peak_bytes(program.pid) for line in program.stderr if EPOCH_LINE.match(line)]
    check(program.wait(timeout=60) == 0, f"exit code {program.returncode}")
    check(len(peaks) == 20, f"{len(peaks)} epochs were printed")
    peaks = [bytes_ for bytes_ in peaks if bytes_ is not None]
    check(len(peaks) >= 19, f"{len(peaks)} readings of a process that runs")
    middle, end = peaks[9], peaks[-1]
    print("MiB at most after each epoch: " + " ".join(f"{bytes_ / 2**20:.0f}" for bytes_ in peaks), flush=True)
    check(end <= middle * 1.03, f"{end - middle} bytes more after {len(peaks)} epochs than after 10")


CHECKS = [the_tenth_of_each_class_is_held_out, bad_files_are_skipped_and_listed_once,
          ranks_without_samples_of_their_own, an_epoch_holds_whole_steps_or_none, phases_sum_to_the_step, a_stop_leaves_a_valid_report,
          memory_is_flat]


def main():
    chosen = sys.argv[1:] or [check_.__name__ for check_ in CHECKS]
    for check_ in CHECKS:
        if check_.__name__ not in chosen:
            continue
        with tempfile.TemporaryDirectory() as folder:
            start = time.monotonic()
            check_(Path(folder))
            print(f"{check_.__name__}: {time.monotonic() - start:.1f} s", flush=True)


if __name__ == "__main__":
    main()
