"""Every workload in every precision on a null GPU, and what one step of it asks of the device: kernels, casts, library
calls, copies and memsets are counted and compared with docs/internals/GPU_BUDGETS.md. A higher count fails: something was added
to the step. A lower one fails too: lower the table, so that the improvement is kept.

budgets_test.py [WORKLOAD...]    compares the workloads' rows (all without an argument)
budgets_test.py --rewrite        counts every row anew and writes the table of this build's torch
"""

import importlib.metadata
import re
import sys
from pathlib import Path

from program import check, skip
from runs_test import PRECISIONS, SHORT, sweep

PAGE = Path(__file__).resolve().parents[2] / "docs/internals/GPU_BUDGETS.md"
TITLE = "## torch " + ".".join(importlib.metadata.version("torch").split(".")[:2])
WORKLOADS = ("linear", "mlp", "resnet50", "bert-mini", "bert-base", "bert-large")
COLUMNS = ("kernels", "casts", "cuBLAS", "cuDNN", "to device", "to host", "within", "memsets")
# The elementwise kernels that only convert or copy.
CAST = re.compile(r"(direct|converting|bfloat16|float16|float8\w*)_copy_kernel_cuda")
ROW = re.compile(r"^\| `([\w-]+)` \| ([\w-]+) \|(.*)\|$")


def count(tallies):
    return sum(t["count"] for t in tallies.values())


def per_step(window, steps):
    """The columns' values, as they stand in the table."""
    copies = {direction: t["count"] for direction, t in window["copies"].items()}
    casts = {name: t for name, t in window["launches"].items() if CAST.search(name)}
    counts = (count(window["launches"]), count(casts), count(window["gemms"]), count(window["cudnn"]),
              copies.get("host_to_device", 0), copies.get("device_to_host", 0), copies.get("device_to_device", 0),
              count(window["memsets"]))
    return tuple(f"{n / steps:.2f}".rstrip("0").rstrip(".") for n in counts)


def measured(workloads):
    """Returns counts per step by (workload, precision); all in one process, since to load CUDA's libraries takes longer than to count."""
    points, _ = sweep("--workload", ",".join(workloads), "--precision", ",".join(PRECISIONS), *SHORT)
    return {(point["workload"], point["precision"]): per_step(window, point["iterations"]) for point, window in points}


def parted():
    """The lines of the page before the rows of this torch, the rows, and the lines behind them."""
    lines = PAGE.read_text().splitlines()
    if TITLE not in lines:
        skip(f"docs/internals/GPU_BUDGETS.md has no table '{TITLE}'")
    title = lines.index(TITLE)
    first = next(i for i in range(title, len(lines)) if lines[i].startswith("|---")) + 1
    last = next((i for i in range(first, len(lines)) if not ROW.match(lines[i])), len(lines))
    return lines[:first], lines[first:last], lines[last:]


def rows_of_table():
    rows = map(ROW.match, parted()[1])
    return {(row[1], row[2]): tuple(cell.strip() for cell in row[3].split("|")) for row in rows}


def judge(key, budget, found):
    """Returns what is wrong with a row, in words."""
    pairs = zip(COLUMNS, budget, found)
    changed = [f"{column} {is_} (table: {was})" for column, was, is_ in pairs if was != is_]
    if not changed:
        return None
    more = any(float(is_) > float(was) for was, is_ in zip(budget, found))
    advice = "the step does more than it did" if more else "lower the table: scripts/gpu_budgets"
    return f"{' '.join(key)}: {', '.join(changed)} per step: {advice}"


def compare(workloads):
    budgets = rows_of_table()
    found = measured(workloads)
    check(len(found) == len(workloads) * len(PRECISIONS), sorted(found))
    missing = [" ".join(key) for key in found if key not in budgets]
    check(not missing, f"docs/internals/GPU_BUDGETS.md has no rows for {missing}: scripts/gpu_budgets adds them")
    complaints = [text for key, counts in found.items() if (text := judge(key, budgets[key], counts))]
    check(not complaints, "\n".join(complaints))


def rewrite():
    before, _, behind = parted()
    found = measured(WORKLOADS)
    rows = [f"| `{w}` | {p} | {' | '.join(found[w, p])} |" for w in WORKLOADS for p in PRECISIONS]
    PAGE.write_text("\n".join(before + rows + behind) + "\n")


if __name__ == "__main__":
    rewrite() if sys.argv[1:] == ["--rewrite"] else compare(sys.argv[1:] or WORKLOADS)
