"""What runs write for TensorBoard (--tensorboard, --histograms), as TensorBoard reads it, against the report, the saved weights and each other.

tensorboard_test.py train | strategies | epochs | sweep | ends | refused. Waits for conditions, never for times, but where the time itself is what
histograms may take a share of.
"""

import itertools
import os
import signal
import time
from functools import partial

import numpy as np
from endings import Running, only_error, run_cases
from program import check, report_in, run
from safetensors.numpy import load_file
from tensorboards import Run, Server, as_float32, event_files

MLP = ("--workload", "mlp", "--threads", 1, "--warmup-iters", 5, "--no-progress", "--iters")
STILL_S = 15  # histograms of bert-mini take less than a hundredth of it
PARAMETERS = 658_698  # of mlp
LIMIT_S = 300


def trained(folder, *options, command="train"):
    """The report of a run, and the folder of its events."""
    done = run(command, *options, "--output", folder / "out", "--tensorboard", folder / "events")
    (folder / "stderr").write_text(done.stderr)
    return report_in(folder / "out"), folder / "events"


def only_point(report):
    [point] = report["points"]
    return point


def check_weights(read, tag, saved):
    """A histogram of the weights that were saved: counts, ends and sums, and how many lie between its edges."""
    values = saved.astype(np.float64).ravel()
    _, last = read.histograms(tag)[-1]
    check((last.num, last.min, last.max) == (values.size, values.min(), values.max()), f"{tag}: {last} of {values.size} values")
    check(abs(last.sum - values.sum()) <= 1e-9 * np.abs(values).sum(), f"{tag}: their sum is {last.sum}, not {values.sum()}")
    edges = np.array([-np.inf, *last.bucket_limit])
    expected = np.array([((values > low) & (values <= high)).sum() for low, high in itertools.pairwise(edges)])
    moved = np.abs(np.cumsum(expected) - np.cumsum(last.bucket)).max()  # an edge belongs to either side
    check(moved <= np.isin(values, edges).sum(), f"{tag}: {list(last.bucket)}, not {list(expected)}")


def train(folder):
    """Losses and results are the report's, histograms those of the saved weights, and the losses those of a run without."""
    options = (*MLP, 60, "--nproc-per-node", 2)
    report, events = trained(folder, *options, "--histograms", "ends", "--save", folder / "weights.safetensors")
    point = only_point(report)
    read = Run(events / point["id"])
    course = {entry["step"]: entry["loss"] for entry in point["loss"]["course"]}
    told = dict(read.scalars("loss/train"))
    check(told == {step: as_float32(loss) for step, loss in course.items()}, f"{told}, {course}")
    check([step for step, _ in read.scalars("loss/rank0")] == list(range(6, 66)), "each step of the window")
    for tag, value in {
        "result/samples_per_second": point["samples_per_sec"],
        "result/loss": point["loss"]["last"],
        "result/memory_peak_bytes": point["memory_peak_bytes"],
    }.items():
        check([value for _, value in read.scalars(tag)] == [as_float32(value)], f"{tag}: {read.scalars(tag)}, {value}")
    saved = load_file(folder / "weights.safetensors")
    names = sorted(tag.removeprefix("weights/") for tag in read.histogram_tags() if tag.startswith("weights/"))
    check(names == sorted(saved), f"{names}, {sorted(saved)}")
    for name in names:
        check([step for step, _ in read.histograms("weights/" + name)] == [0, 65], name)
        check_weights(read, "weights/" + name, saved[name])
    check(sum(one.num for name in names for _, one in read.histograms("gradients/" + name)) == PARAMETERS, "each gradient")
    squares = sum(one.sum_squares for name in names for _, one in read.histograms("gradients/" + name))
    [(_, norm)] = read.scalars("gradients/global_norm")
    check(norm == as_float32(squares**0.5), f"{norm}, {squares**0.5}")
    run("train", *options, "--output", folder / "plain")
    plain = only_point(report_in(folder / "plain"))
    check(plain["loss"] == point["loss"], "the losses of a run without events")


def strategies(folder):
    """However ranks train together, the averaged gradients are the same, and whole."""
    several = (("ddp",), ("flat",), ("sharded",), ("parameter-server",), ("parameter-server", "--server", "dedicated"))
    norms = {}
    for number, words in enumerate(several):
        place = folder / str(number)
        place.mkdir()
        report, events = trained(place, *MLP, 10, "--nproc-per-node", 2, "--histograms", "ends", "--strategy", *words)
        read = Run(events / only_point(report)["id"])
        gradients = [tag for tag in read.histogram_tags() if tag.startswith("gradients/")]
        check(sum(read.histograms(tag)[-1][1].num for tag in gradients) == PARAMETERS, f"{words}: {gradients}")
        [(step, norms[words])] = read.scalars("gradients/global_norm")
        check(step == read.histograms(gradients[0])[-1][0], words)
    least, most = min(norms.values()), max(norms.values())
    check(0 < least and most <= least * 1.0001, norms)
    place = folder / "averages"
    place.mkdir()
    report, events = trained(place, *MLP, 10, "--nproc-per-node", 2, "--histograms", "ends", "--strategy", "local-sgd", "--local-steps", 5)
    read = Run(events / only_point(report)["id"])
    check(read.histogram_tags() and not any(tag.startswith("gradients/") for tag in read.histogram_tags()), "nobody averages gradients")


def check_moments(folder, read, expected):
    """Histograms are at the ends and, unless the run has said that they take too long, at each moment between."""
    at = {step for tag in read.histogram_tags() for step, _ in read.histograms(tag)}
    told = "histograms are passed over" in (folder / "stderr").read_text()
    check({min(expected), max(expected)} <= at <= expected and told == (at != expected), f"{at}, {expected}, told: {told}")


def trained_with_a_rest(folder, *options):
    """Histograms may take a hundredth of the time: it passes while the run stands still in its first epoch, instead of in more steps."""
    with Running("train", *options, "--checkpoint-every", "20steps", "--output", folder / "out", "--tensorboard",
                 folder / "events") as running:
        while running.process.poll() is None and not (folder / "out/checkpoints/step-20").exists():
            time.sleep(0.02)
        check(running.process.poll() is None, "it ended before it could be stopped")
        running.process.send_signal(signal.SIGSTOP)
        time.sleep(STILL_S)
        running.process.send_signal(signal.SIGCONT)
        running.end(expect=0)
    (folder / "stderr").write_text(running.stderr)
    return report_in(folder / "out"), folder / "events"


def epochs(folder):
    """Histograms between the epochs change nothing, evaluations are told, and the training is that of a run without."""
    run("data", "generate", "text", folder / "text", "--samples", 24)
    text = ("--data", folder / "text" / "corpus.txt", "--vocab", folder / "text" / "vocab.txt", "--workers", 1)
    options = ("--workload", "bert-mini", "--sequence-length", 32, "--batch-size", 4, *text, "--epochs", 2, "--threads", 1, "--no-progress")
    report, events = trained_with_a_rest(folder, *options, "--histograms", "epoch")
    point = only_point(report)
    read = Run(events / point["id"])
    steps = point["iterations"] // 2
    check(steps > 30, f"{steps} steps an epoch: a third histogram of each {steps - 10} steps would not be behind the end")
    for tag, key in {"loss/train": "train_loss", "evaluation/loss": "loss", f"evaluation/{point['evaluation'][0]['metric']}": "value"}.items():
        expected = [(one["epoch"], as_float32(one[key])) for one in point["evaluation"]]
        check(read.scalars(tag) == expected, f"{tag}: {read.scalars(tag)}, {expected}")
    check(read.scalars("schedule/epoch") == [(steps, 1), (2 * steps, 2)], read.scalars("schedule/epoch"))
    check_moments(folder, read, {0, steps, 2 * steps})
    run("train", *options, "--output", folder / "plain")
    plain = only_point(report_in(folder / "plain"))
    (folder / "again").mkdir()
    every = steps - 10
    second, events = trained_with_a_rest(folder / "again", *options, "--histograms", f"{every}steps")
    read = Run(events / point["id"])
    check_moments(folder / "again", read, {0, every, 2 * every, 2 * steps})
    check(only_point(second)["loss"] == point["loss"], "a step that is taken back within an epoch")
    without_time = [[{key: one[key] for key in one if key != "samples_per_sec"} for one in each["evaluation"]] for each in (plain, point)]
    check(without_time[0] == without_time[1] and plain["loss"] == point["loss"], f"{plain['loss']}, {point['loss']}")


def complete_table(server, sessions, efficiencies):
    """The table of hparams once it has so many sessions, each with results, and the efficiencies of groups."""
    table = server.session_groups()
    found = [session for group in table.values() for session in group["sessions"]]
    if len(found) != sessions or not all(session.get("metricValues") for session in found):
        return None
    told = {name: table[name]["metrics"].get("result/efficiency", 0) for name in efficiencies}
    return table if all(abs(told[name] - value) <= 1e-6 for name, value in efficiencies.items()) else None


def check_sweep(folder, *words):
    report, events = trained(folder, *MLP, 20, "--world-sizes", "1,2", "--repetitions", 2, "--retries", 0, *words, command="sweep")
    groups = {group["group"]: group for group in report["groups"]}
    rows = {row["group"]: row["efficiency"] for table in report["scaling"] for row in table["rows"] if "efficiency" in row}
    check(rows, "a scaling table")
    with Server(events) as server:
        shown = partial(complete_table, server, len(report["points"]), rows)
        table = server.until(shown, f"{len(report['points'])} sessions with results, and the efficiencies {rows}")
    check(set(table) == set(groups), f"{set(table)}, {set(groups)}")
    for name, found in table.items():
        mean = groups[name]["samples_per_sec"]
        runs = [point["samples_per_sec"] for point in report["points"] if point["group"] == name]
        check(len(runs) == 2 and len(found["sessions"]) == 2, found)
        own = sum(runs) / len(runs)  # of groups[] it is the geometric mean
        check(abs(found["metrics"]["result/samples_per_second"] - own) <= 1e-6 * own, f"{name}: {found}, {own}")
        check(abs(own - mean) <= (max(runs) - min(runs)) ** 2 / own + 1e-6 * own, f"{name}: {own}, {mean}")


def sweep(folder):
    """A session for each run, whose means over a group are the report's, with the efficiency of its scaling table; by new processes for each block, too."""
    for words in ((), ("--fresh-process",)):
        place = folder / str(len(words))
        place.mkdir()
        check_sweep(place, *words)


def losses_in(folder):
    read = Run(folder)
    return read.scalars("loss/rank0") if "loss/rank0" in read.tags() else []


def ends(folder):
    """A run that is killed leaves events that can be read."""
    with Running("train", *MLP, 1_000_000, "--output", folder / "out", "--tensorboard", folder / "events") as running:
        deadline = time.monotonic() + LIMIT_S
        while not (found := event_files(folder / "events")) or len(losses_in(found[0].parent)) < 5:
            check(running.process.poll() is None and time.monotonic() < deadline, "no events come")
            time.sleep(0.05)
        os.kill(running.process.pid, signal.SIGKILL)
        running.process.wait()
    losses = losses_in(found[0].parent)
    apart = {after - before for (before, _), (after, _) in itertools.pairwise(losses)}
    check(len(losses) > 1 and apart == {100}, f"of a million steps each hundredth: {losses[:5]}")


def refused(folder):
    """Events of an earlier run are replaced only where that is asked for, and each bad value gets one line."""
    options = (*MLP, 5, "--tensorboard", folder / "events")
    run("train", *options, "--output", folder / "first")
    [file] = event_files(folder / "events")
    kept = file.read_bytes()
    for command in (("train",), ("sweep", "--repetitions", 1, "--world-sizes", 1)):
        done = run(*command, *options, "--output", folder / "second", expect=73)
        only_error(done.stderr, "E_CANNOT_CREATE", 73, "--tensorboard", "--overwrite")
        check(file.read_bytes() == kept, "the events of the earlier run")
    run("train", *options, "--output", folder / "third", "--overwrite")
    [again] = event_files(folder / "events")
    check(again.read_bytes() != kept, "they are replaced")
    for value, words in {"epoch": "--epochs", "5steps": "--epochs", "10m": "steps"}.items():
        done = run("train", *MLP, 5, "--tensorboard", folder / "other", "--histograms", value, expect=78)
        only_error(done.stderr, "E_CONFIGURATION", 78, "histograms", words)
    (folder / "file").write_text("")
    run("train", *MLP, 5, "--output", folder / "fourth", "--tensorboard", folder / "file", expect=73)


if __name__ == "__main__":
    run_cases({"train": train, "strategies": strategies, "epochs": epochs, "sweep": sweep, "ends": ends, "refused": refused})
