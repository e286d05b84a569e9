"""Event files of --format tensorboard as TensorBoard itself reads them: its accumulator, its generated classes, its data
server and its table of hparams, for a sweep that was just run and for made-up reports."""

import json
import subprocess

import numpy

from endings import run_cases
from program import BINARY_DIR, check, report_in, run
from tensorboards import Run, Server, as_float32, check_bytes, event_files, records, run_folders, session

PHASES = ("data_wait", "host_to_device", "forward", "backward", "exposed_communication", "optimizer", "other")


def rendered(folder, report, *more):
    """The files of a report in folder/events."""
    run("report", report, *more, "--format", f"tensorboard={folder}/events", "--overwrite")
    return folder / "events"


def standing_of(record, step):
    """0 shown, 1 with care, 2 withheld; nothing where it was not judged."""
    words = ("shown", "with_care", "withheld")
    return [(step, words.index(record["standing"]))] if "standing" in record else []


def expected_scalars(report, point):
    """Tag -> [(step, value)] of a run that is ok, by this test's own reading of docs/reference/REPORT.md."""
    warmup, last = point["warmup"]["iterations"], point["warmup"]["iterations"] + point["iterations"]
    marked = point.get("steps_per_mark", 1)
    evaluation = point.get("evaluation", [])

    def per_epoch(key):
        return [(entry["epoch"], entry[key]) for entry in evaluation]

    tags = {
        "result/samples_per_second": [(last, point["samples_per_sec"])],
        "result/step_seconds": [(last, point["step_time_s"])],
        "result/memory_peak_bytes": [(last, point["memory_peak_bytes"])],
        "result/loss": [(last, point["loss"]["last"])],
        "result/standing": standing_of(point, last),
        "memory/peak_bytes": [(last, point["memory_peak_bytes"])],
        "Summary/samples_per_second": per_epoch("samples_per_sec") or [(last, point["samples_per_sec"])],
        "time/step_seconds": [(warmup + (i + 1) * marked, value) for i, value in enumerate(point["step_samples_s"])],
        "Summary/loss": per_epoch("train_loss") or [(entry["step"], entry["loss"]) for entry in point["loss"].get("course", ())],
        "Summary/evaluation_loss": per_epoch("loss"),
    }
    tags |= {"Summary/evaluation_" + entry["metric"]: per_epoch("value") for entry in evaluation}
    if "memory_reserved_bytes" in point:
        tags["memory/reserved_bytes"] = [(last, point["memory_reserved_bytes"])]
    tags |= {f"time/{phase}_seconds": [(last, point["phases_s"][phase])] for phase in PHASES if "phases_s" in point}
    rows = [row for table in report["scaling"] for row in table["rows"] if point["id"] in row["points"] and "efficiency" in row]
    tags["Summary/efficiency"] = [(last, row["efficiency"]) for row in rows[:1]]
    tags["result/efficiency_standing"] = [one for row in rows[:1] for one in standing_of(row, last)]
    return {tag: [(step, as_float32(value)) for step, value in values] for tag, values in tags.items() if values}


def started(report):
    return [point for point in report["points"] if point["status"] != "skipped"]


def check_scalars(report, events):
    folders = run_folders(events)
    check(set(folders) == {point["id"] for point in started(report)}, folders)
    for point in started(report):
        read = Run(folders[point["id"]])
        expected = expected_scalars(report, point) if point["status"] == "ok" else {}
        check(read.tags() == sorted(expected), f"{point['id']}: {read.tags()}, expected {sorted(expected)}")
        for tag, values in expected.items():
            check(read.scalars(tag) == values, f"{point['id']} {tag}: {read.scalars(tag)}, expected {values}")
            check(read.times(tag) == sorted(read.times(tag)), f"{point['id']} {tag}: times go back")
            check(len(read.description(tag)) > 10, f"{tag} has no description")
        if expected:  # TensorBoard sorts groups by the codes of their letters and opens on the first
            first = {tag.partition("/")[2] for tag in expected if tag.partition("/")[0] == min(expected).partition("/")[0]}
            check({"loss", "samples_per_second"} <= first, f"TensorBoard opens on {first}")


def check_server(report, events):
    """The data server has the tags and values of the accumulator, and hparams' averages over the runs of a group are theirs."""
    folders = run_folders(events)
    in_process = {name: Run(folder) for name, folder in folders.items()}
    tags = {name: read.tags() for name, read in in_process.items() if read.tags()}
    with Server(events) as server:
        server.until(lambda: server.scalar_tags() == tags, f"the tags {tags}")
        for run_name, described in server.descriptions().items():
            for tag, text in described.items():
                check(text.startswith("<p>") or len(text) > 10, f"{run_name} {tag}: the card says '{text}'")
        for name, read in in_process.items():
            for tag in read.tags()[:3]:
                server.until(lambda n=name, t=tag, r=read: server.scalars(n, t) == r.scalars(t), f"{name} {tag}: {read.scalars(tag)}")
        sessions = len(started(report))
        groups = server.until(lambda: (found := server.session_groups()) and sum(len(g["sessions"]) for g in found.values()) == sessions
                              and found, "every session")
    check(set(groups) == {point["group"] for point in started(report)}, groups)
    for group in report["groups"]:
        if group["group"] in groups:
            check_group(report, group, groups[group["group"]])


def check_group(report, group, shown):
    rows = [point for point in report["points"] if point["group"] == group["group"]]
    statuses = sorted(session.get("status") for session in shown["sessions"])
    check(statuses == sorted("STATUS_SUCCESS" if row["status"] == "ok" else "STATUS_FAILURE" for row in rows), statuses)
    row = rows[0]
    for name in ("workload", "strategy", "backend", "precision", "world_size", "batch_size", "global_batch_size"):
        check(shown["parameters"][name] == row[name], f"{name}: {shown['parameters']}")
    for name, value in row.get("varying", {}).items():
        check(str(shown["parameters"][name]).rstrip("0").rstrip(".") == value.rstrip("0").rstrip("."), f"{name}: {shown['parameters']}")
    if "samples_per_sec" not in group:
        return check(not shown["metrics"], shown)

    def close(tag, value):
        check(abs(shown["metrics"][tag] / value - 1) < 1e-6, f"{group['group']} {tag}: {shown['metrics'][tag]}, expected {value}")

    # TensorBoard's means are arithmetic, those of groups[] geometric: they differ by half of the squared coefficient of variation.
    measured = [row for row in rows if row["status"] == "ok"]
    for tag, of_run, of_group in (("result/samples_per_second", "samples_per_sec", "samples_per_sec"),
                                  ("result/step_seconds", "step_time_s", "step_time_s")):
        values = numpy.array([row[of_run] for row in measured])
        close(tag, values.mean())
        variation = values.std() / values.mean()
        between = (shown["metrics"][tag] / group[of_group] - 1) / max(variation**2, 1e-6)
        check(-0.1 < between and (between < 1 or variation > 0.3), f"{group['group']} {tag}: {shown['metrics'][tag]}, in groups[] {group[of_group]}")
    for scaling_row in [r for table in report["scaling"] for r in table["rows"] if r["group"] == group["group"] and "efficiency" in r][:1]:
        close("Summary/efficiency", scaling_row["efficiency"])


def read_whole(events):
    for file in event_files(events):
        check_bytes(file)


def sweep(folder):
    run("sweep", "--workload", "linear", "--world-sizes", "1,2", "--nproc-per-node", 2, "--batch-size", "32,64", "--iters", 20,
        "--warmup-iters", 3, "--repetitions", 2, "--threads", 1, "--no-progress", "--quiet", "--output", folder / "run")
    report, events = report_in(folder / "run"), rendered(folder, folder / "run")
    check(len(started(report)) == 12, report["points"])
    read_whole(events)
    check_scalars(report, events)
    check_server(report, events)
    names = event_files(events)
    rendered(folder, folder / "run")
    check(event_files(events) == names, "a second rendering has other names")


def made_up(folder):
    """Runs that failed or had no memory, evaluations, marks that stand for several steps, thinned series, bad names."""
    subprocess.run([BINARY_DIR / "tests/core_tool", "write-samples", folder], check=True)
    sample = json.loads((folder / "most.json").read_text())
    point = sample["points"][0]
    long = point | {"id": "long/r0", "step_samples_s": [i / 1000 for i in range(20_001)], "iterations": 20_001}
    failed = {key: point[key] for key in list(point)[:list(point).index("status")]} | {"id": "failed/r0", "status": "failed", "reason": "?"}
    away = point | {"id": "../../away//", "varying": {"a": "1e3", "c": "auto"}, "env": {"NAME": "unset"}}
    sample["points"] = [point, long, failed, away, failed | {"id": "skipped", "status": "skipped"}]
    sample["run_id"] += "-made"  # the other sample is another run
    (folder / "made.json").write_text(json.dumps(sample))
    events = rendered(folder, folder / "made.json", folder / "least.json")
    read_whole(events)
    folders = run_folders(events)
    inside = {"1/" + point["id"], "1/long/r0", "1/failed/r0", "1/_/_/away/_/_"}
    check({name for name in folders if name.startswith("1/")} == inside, folders)
    read = Run(folders["1/" + point["id"]])
    check({tag: read.scalars(tag) for tag in read.tags()} == expected_scalars(sample, point), read.tags())
    kept = Run(folders["1/long/r0"]).scalars("time/step_seconds")
    check(len(kept) == 6_667 and kept[1][1] == as_float32(0.003), f"{len(kept)} steps, {kept[:2]}")
    check(Run(folders["1/failed/r0"]).tags() == [], "a failed run has results")
    parameters, _ = session(folders["1/_/_/away/_/_"])
    check(parameters["a"] == 1000 and parameters["c"] == "auto" and parameters["env/NAME"] == "unset", parameters)
    check(session(folders["1/failed/r0"])[1] == "STATUS_FAILURE", "a failed run did not fail")
    done = run("report", folder / "partial.json", "--format", f"tensorboard={folder}/none")
    check("has no run" in done.stderr and not (folder / "none").exists(), done.stderr)


def histograms(folder):
    """Counts and edges are those that numpy finds in the same values, and both of TensorBoard's readers keep them."""
    subprocess.run([BINARY_DIR / "tests/core_tool", "write-events", folder], check=True)
    read_whole(folder)
    read = Run(folder / "run")
    check(len(read.histogram_tags()) == 6, read.histogram_tags())
    check("averaged gradients" in read.description("gradients/conv1") and not read.description("special/zeros"), read.description("gradients/conv1"))
    for tag in read.histogram_tags():
        for step, shown in read.histograms(tag):
            values = numpy.fromfile(folder / "values" / f"{tag.replace('/', '.')}.{step}", numpy.float32).astype(numpy.float64)
            check_histogram(f"{tag} {step}", values[numpy.isfinite(values)], shown)
    with Server(folder) as server:
        expected = {"run": read.histogram_tags()}
        server.until(lambda: server.histogram_tags() == expected, f"the histograms {expected}")
        for tag in read.histogram_tags():
            for (step, shown), (_, buckets) in zip(read.histograms(tag), server.histograms("run", tag), strict=True):
                check(sum(count for _, _, count in buckets) == shown.num, f"{tag} {step}: {buckets}")
                check(not buckets or (buckets[0][0], buckets[-1][1]) == (as_float32(shown.min), as_float32(shown.max)), f"{tag}: {buckets}")


def check_histogram(name, values, shown):
    check(shown.num == len(values) == sum(shown.bucket), f"{name}: {shown.num} values of {len(values)}")
    if len(values) == 0:
        return
    check((shown.min, shown.max) == (values.min(), values.max()), f"{name}: from {shown.min} to {shown.max}")
    check(abs(shown.sum - values.sum()) <= 1e-9 * numpy.abs(values).sum(), f"{name}: sum {shown.sum}, expected {values.sum()}")
    check(abs(shown.sum_squares - (values**2).sum()) <= 1e-9 * shown.sum_squares, f"{name}: squares {shown.sum_squares}")
    limits = shown.bucket_limit
    check(list(limits) == sorted(set(limits)) and shown.bucket[0] == 0, f"{name}: edges {limits}")
    below = [int((values < limit).sum() if limit > 0 else (values <= limit).sum()) for limit in limits]
    check(below == list(numpy.cumsum(shown.bucket)), f"{name}: values left of the edges {below}, counted {shown.bucket}")
    wide = [high / low for low, high, count in zip(limits, limits[1:], shown.bucket[1:]) if count and low > 0 and low >= 2**-126]
    check(all(ratio <= 9 / 8 for ratio in wide), f"{name}: bins as wide as {max(wide, default=0)}")


def cut(folder):
    """Whoever reads while a record is written, or after a kill, sees those before it and no error."""
    subprocess.run([BINARY_DIR / "tests/core_tool", "write-samples", folder], check=True)
    file = event_files(rendered(folder, folder / "least.json"))[0]
    data, events = file.read_bytes(), check_bytes(file)
    last_but_one = [event.summary.value[0].tag for event in events if event.summary.value][-2]
    whole = Run(file.parent)
    check(session(file.parent)[1] == "STATUS_SUCCESS", "the session's end is not the last record")
    for count in range(1, len(records(file)[-1]) + 16 + 1):
        file.write_bytes(data[:-count])
        read = Run(file.parent)
        check(read.tags() == whole.tags() and last_but_one in read.tags(), f"without the last {count} bytes {read.tags()} are left")
        check(session(file.parent)[1] is None, f"the last record is read without its last {count} bytes")


CASES = {"sweep": sweep, "made_up": made_up, "histograms": histograms, "cut": cut}

if __name__ == "__main__":
    run_cases(CASES)
