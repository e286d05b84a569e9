"""Histograms that a training's ranks have in parts, and between its epochs, as TensorBoard reads them; all else of a run's events is read
by event_watcher.py.

tensorboard_test.py strategies | epochs | without | refused. Waits for conditions, never for times, but where the time itself is what histograms may
take a share of.
"""

import signal
import time
from concurrent.futures import ThreadPoolExecutor

from endings import Running, only_error, run_cases
from event_watcher import PARAMETERS
from made_data import make_text
from program import check, report_in, run
from tensorboards import Run, as_float32, event_files

MLP = ("--workload", "mlp", "--threads", 1, "--warmup-iters", 5, "--no-progress", "--iters")
LIMIT_S = 600


def strategies(folder):
    """However ranks train together, the averaged gradients are the same, and whole."""
    run("sweep", *MLP, 10, "--world-sizes", 2, "--repetitions", 1, "--strategies", "ddp,flat,sharded,parameter-server,local-sgd", "--server",
        "rank0,dedicated", "--local-steps", 5, "--histograms", "ends", "--tensorboard", folder / "events", "--output", folder / "out")
    norms = {}
    for point in report_in(folder / "out")["points"]:
        check(point["status"] == "ok", point)
        read = Run(folder / "events" / point["id"])
        gradients = [tag for tag in read.histogram_tags() if tag.startswith("gradients/")]
        if point["strategy"] == "local-sgd":
            check(read.histogram_tags() and not gradients, "nobody averages gradients")
        elif point["strategy"] != "none":
            check(sum(read.histograms(tag)[-1][1].num for tag in gradients) == PARAMETERS, f"{point['id']}: {gradients}")
            [(step, norms[point["strategy"], point["processes"]])] = read.scalars("gradients/global_norm")
            check(step == read.histograms(gradients[0])[-1][0], point["id"])
    several = {("ddp", 2), ("flat", 2), ("sharded", 2), ("parameter-server", 2), ("parameter-server", 3)}
    check(set(norms) == several, norms)
    least, most = min(norms.values()), max(norms.values())
    check(0 < least and most <= least * 1.0001, norms)


def check_moments(stderr, read, expected):
    """Histograms are at the ends and, unless the run has said that they take too long, at each moment between."""
    at = {step for tag in read.histogram_tags() for step, _ in read.histograms(tag)}
    warned = "histograms are passed over" in stderr
    check({min(expected), max(expected)} <= at <= expected and warned == (at != expected), f"{at}, {expected}, warned: {warned}")


def first_took(events):
    """Seconds, of the histograms before the first step."""
    read = [Run(file.parent) for file in event_files(events)]
    return next((one.scalars("time/histograms_seconds")[0][1] for one in read if "time/histograms_seconds" in one.tags()), None)


def trained_with_a_rest(folder, between, *options):
    """The point, its events and what it said. So many histograms between the ends may take a hundredth of the time: that passes while the run
    stands still in its first epoch, instead of in more steps. The first ones are of the weights; those of gradients, too, take thrice as long.
    On a machine that needs more than a minute for it some are passed over, which the run says."""
    folder.mkdir()
    began = time.monotonic()
    with Running("train", *options, "--checkpoint-every", "8steps", "--output", folder / "out", "--tensorboard", folder / "events") as running:
        while not (folder / "out/checkpoints/step-8").exists() or not first_took(folder / "events"):
            check(running.process.poll() is None, "it ended before it could be stopped")
            check(time.monotonic() < began + LIMIT_S, f"no checkpoint and no histograms in {LIMIT_S} s")
            time.sleep(0.02)
        running.process.send_signal(signal.SIGSTOP)
        time.sleep(min(60, 100 * (1 + 3 * between) * first_took(folder / "events")))
        running.process.send_signal(signal.SIGCONT)
        running.end(expect=0)
    [point] = report_in(folder / "out")["points"]
    return point, Run(folder / "events" / point["id"]), running.stderr


def of_text(folder):
    text = make_text(folder / "text", 12)
    return ("--workload", "bert-mini", "--sequence-length", 32, "--batch-size", 4, "--data", text / "corpus.txt", "--vocab", text / "vocab.txt",
            "--workers", 1, "--epochs", 2, "--threads", 1, "--no-progress")


def learned(point):
    """All that its training came to, without how long it took."""
    return point["loss"], [{key: one[key] for key in one if key != "samples_per_sec"} for one in point["evaluation"]]


def epochs(folder):
    """Evaluations are written, and histograms change nothing: neither those between the epochs nor those within one, which take back a step
    at other moments."""
    options, every = of_text(folder), 13
    with ThreadPoolExecutor() as pool:  # they stand still at a time
        of_epochs = pool.submit(trained_with_a_rest, folder / "epoch", 1, *options, "--histograms", "epoch")
        of_steps = pool.submit(trained_with_a_rest, folder / "steps", 2, *options, "--histograms", f"{every}steps")
        (point, read, said), (second, read_second, said_second) = of_epochs.result(), of_steps.result()
    steps = point["iterations"] // 2
    check(every < steps < 2 * every < 2 * steps < 3 * every, f"{steps} steps an epoch: histograms after each {every} would not be within both epochs")
    for tag, key in {"Summary/loss": "train_loss", "Summary/evaluation_loss": "loss", f"Summary/evaluation_{point['evaluation'][0]['metric']}": "value"}.items():
        expected = [(one["epoch"], as_float32(one[key])) for one in point["evaluation"]]
        check(read.scalars(tag) == expected, f"{tag}: {read.scalars(tag)}, {expected}")
    check(read.scalars("schedule/epoch") == [(steps, 1), (2 * steps, 2)], read.scalars("schedule/epoch"))
    check_moments(said, read, {0, steps, 2 * steps})
    check_moments(said_second, read_second, {0, every, 2 * every, 2 * steps})
    check(learned(second) == learned(point), f"{learned(second)}, {learned(point)}")


def without(folder):
    """The training with histograms is that of a run without."""
    options = of_text(folder)
    point, _, _ = trained_with_a_rest(folder / "epoch", 1, *options, "--histograms", "epoch")
    run("train", *options, "--output", folder / "plain")
    [plain] = report_in(folder / "plain")["points"]
    check(learned(plain) == learned(point), f"{learned(plain)}, {learned(point)}")


def refused(folder):
    """Each bad value gets one line."""
    for value, words in {"epoch": "--epochs", "5steps": "--epochs", "10m": "steps"}.items():
        done = run("train", *MLP, 5, "--tensorboard", folder / "other", "--histograms", value, expect=78)
        only_error(done.stderr, "E_CONFIGURATION", 78, "histograms", words)
    (folder / "file").write_text("")
    run("train", *MLP, 5, "--output", folder / "fourth", "--tensorboard", folder / "file", expect=73)


run_cases({"strategies": strategies, "epochs": epochs, "without": without, "refused": refused})
