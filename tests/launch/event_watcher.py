"""The files that a run writes for TensorBoard while it lasts (--tensorboard, --histograms), as TensorBoard reads them, against the report and the saved weights."""

import itertools

import numpy as np
from safetensors.numpy import load_file

from endings import only_error
from program import check, run
from tensorboards import Run, Server, as_float32, event_files, skip_without_it
from watched_run import Watcher

PARAMETERS = 658_698  # mlp has so many


def losses_in(events):
    """(step, loss) of what has been written so far."""
    files = event_files(events)
    read = Run(files[0].parent) if files else None
    return read.scalars("Summary/loss_rank0") if read and "Summary/loss_rank0" in read.tags() else []


class EventWatcher(Watcher):
    """The run has a million steps, of which each hundredth is written."""

    def __init__(self, run):
        skip_without_it()
        super().__init__(run)

    def trains(self):
        self.run.until(lambda: len(losses_in(self.run.events)) >= 5, "five losses")

    def is_killed(self):
        losses = losses_in(self.run.events)
        apart = {after - before for (before, _), (after, _) in itertools.pairwise(losses)}
        check(len(losses) > 1 and apart == {100}, f"of a million steps each hundredth: {losses[:5]}")


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


def check_trained(events, point, weights):
    """Losses and results are the report's, histograms those of the saved weights."""
    read = Run(events / point["id"])
    course = {entry["step"]: entry["loss"] for entry in point["loss"]["course"]}
    written = dict(read.scalars("Summary/loss"))
    check(written == {step: as_float32(loss) for step, loss in course.items()}, f"{written}, {course}")
    first, last = point["warmup"]["iterations"] + 1, point["warmup"]["iterations"] + point["iterations"]
    check([step for step, _ in read.scalars("Summary/loss_rank0")] == list(range(first, last + 1)), "each step of the window")
    for tag, value in {
        "result/samples_per_second": point["samples_per_sec"],
        "result/loss": point["loss"]["last"],
        "result/memory_peak_bytes": point["memory_peak_bytes"],
    }.items():
        check([value for _, value in read.scalars(tag)] == [as_float32(value)], f"{tag}: {read.scalars(tag)}, {value}")
    saved = load_file(weights)
    names = sorted(tag.removeprefix("weights/") for tag in read.histogram_tags() if tag.startswith("weights/"))
    check(names == sorted(saved), f"{names}, {sorted(saved)}")
    for name in names:
        check([step for step, _ in read.histograms("weights/" + name)] == [0, last], name)
        check_weights(read, "weights/" + name, saved[name])
    check(sum(one.num for name in names for _, one in read.histograms("gradients/" + name)) == PARAMETERS, "each gradient")
    squares = sum(one.sum_squares for name in names for _, one in read.histograms("gradients/" + name))
    [(_, norm)] = read.scalars("gradients/global_norm")
    check(norm == as_float32(squares**0.5), f"{norm}, {squares**0.5}")


def check_kept(events, folder, options):
    """Events of an earlier run are replaced only where that is asked for. Returns what they are."""
    [file] = event_files(events)
    kept = file.read_bytes()
    for command in (("train",), ("sweep", "--repetitions", 1, "--world-sizes", 2)):
        done = run(*command, *options, "--tensorboard", events, "--output", folder / "second", expect=73)
        only_error(done.stderr, "E_CANNOT_CREATE", 73, "--tensorboard", "--overwrite")
        check(file.read_bytes() == kept, "the events of the earlier run")
    return kept


def check_table(server, reports):
    """A session for each run, whose means over a group are the reports', with the efficiencies of their scaling tables."""
    points = [point for report in reports for point in report["points"]]
    groups = {group["group"]: group["samples_per_sec"] for report in reports for group in report["groups"]}
    rows = {row["group"]: row["efficiency"] for report in reports for table in report["scaling"] for row in table["rows"] if "efficiency" in row}
    check(rows, "a scaling table")

    def complete():
        table = server.session_groups()
        found = [session for group in table.values() for session in group["sessions"]]
        if len(found) != len(points) or not all(session.get("metricValues") for session in found):
            return None
        written = {name: table[name]["metrics"].get("Summary/efficiency", 0) for name in rows}
        return table if all(abs(written[name] - value) <= 1e-6 for name, value in rows.items()) else None

    table = server.until(complete, f"{len(points)} sessions with results, and the efficiencies {rows}", seconds=600)
    check(set(table) == set(groups), f"{set(table)}, {set(groups)}")
    for name, found in table.items():
        runs = [point["samples_per_sec"] for point in points if point["group"] == name]
        check(len(runs) == 2 and len(found["sessions"]) == 2, found)
        own = sum(runs) / len(runs)  # groups[] has the geometric mean
        check(abs(found["metrics"]["result/samples_per_second"] - own) <= 1e-6 * own, f"{name}: {found}, {own}")
        check(abs(own - groups[name]) <= (max(runs) - min(runs)) ** 2 / own + 1e-6 * own, f"{name}: {own}, {groups[name]}")


def check_tables(events, reports):
    with Server(events) as server:
        check_table(server, reports)
