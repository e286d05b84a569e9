"""Errors planted into published series that lint calls clean are found.

Each error is written into a row that is not the first of its series, where the table prints something that contradicts it. The generator knows the
form of rows only, not the rules. SCALEMARK_SOAK=full: 300 series (30 in CI), and the counts of half of the groups that no rule was tuned on.
"""

import collections
import json
import os
import random
import tempfile
from pathlib import Path

from program import check, run

SERIES = 300 if os.environ.get("SCALEMARK_SOAK") == "full" else 30
SEED = 32
SAME = ("repo", "path", "group", "framework", "system", "workload", "phase", "seq_len", "precision", "batch_per_gpu", "data", "unit", "scaling_label")


def lint(rows, folder):
    file = folder / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = run("lint", file, "--format", "jsonl", "--fail-on", "none")
    return [json.loads(line) for line in done.stdout.splitlines()]


def series_of(rows):
    """Rows with a throughput that differ in their GPUs only, each count once."""
    groups = collections.defaultdict(list)
    for row in rows:
        if row.get("throughput") and not row.get("metric"):
            groups[tuple(row.get(key) for key in SAME)].append(row)
    for members in groups.values():
        counts = [row["gpus"] for row in members]
        if len(members) >= 2 and counts == sorted(set(counts)):
            yield members


def times_ten(series, at):
    series[at]["throughput"] *= 10


def counted_twice(series, at):
    series[at]["throughput"] *= 2


def another_speedup(series, at):
    series[at]["speedup_published"] = round(1.05 * series[at]["speedup_published"], 3)


def another_batch(series, at):
    series[at]["batch_per_gpu"] *= 2


def copied_row(series, at):
    series[at]["throughput"] = series[at - 1]["throughput"]


def a_tenth(series, at):
    series[at]["throughput"] /= 10


def per_gpu(series, at):
    series[at]["throughput"] /= series[at]["gpus"]


def has_speedups(series):
    return all(row.get("speedup_published") for row in series)


def has_batches(series):
    return all(row.get("batch_per_gpu") and row.get("global_batch") for row in series)


# Planted errors, the series whose tables print what contradicts them, and the severities that count as found.
CONTRADICTED = [(times_ten, has_speedups), (counted_twice, has_speedups), (another_speedup, has_speedups), (another_batch, has_batches)]
UNLIKELY = [(copied_row, lambda series: True), (a_tenth, lambda series: True), (per_gpu, lambda series: True)]


def found(series, folder, severities):
    return any(one["severity"] in severities for one in lint(series, folder))


def share_found(plant, may, severities, all_series, folder, draw):
    candidates = [one for one in all_series if may(one)]
    chosen = draw.sample(candidates, min(SERIES, len(candidates)))
    hits = 0
    for series in chosen:
        planted = [dict(row) for row in series]
        plant(planted, draw.randrange(1, len(planted)))
        hits += found(planted, folder, severities)
    print(f"{plant.__name__}: {hits} of {len(chosen)} series")
    return hits / len(chosen)


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    exported = run("published", "export", "--format", "jsonl").stdout
    rows = [json.loads(line) for line in exported.splitlines()]
    flagged = {one.get("row") for one in lint(rows, folder) if one["severity"] != "info"}
    whole = {one["table"] for one in lint(rows, folder) if "row" not in one}
    check(not any(table == "" for table in whole), whole)
    clean = [one for one in series_of(rows) if not any(row["id"] in flagged for row in one) and not found(one, folder, ("error", "warning"))]
    draw = random.Random(SEED)
    for plant, may in CONTRADICTED:
        check(share_found(plant, may, ("error", "warning"), clean, folder, draw) >= 0.95, plant.__name__)
    for plant, may in UNLIKELY:
        check(share_found(plant, may, ("error", "warning", "info"), clean, folder, draw) >= 0.80, plant.__name__)
