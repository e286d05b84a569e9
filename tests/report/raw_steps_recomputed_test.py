"""Every number of a report that --raw-steps determines comes out of the raw files again, to 1e-9, by formulas in Python
(tests/python/raw_steps.py and raw_comparisons.py); and a raw file that differs in one value is noticed. The product's code makes report and files from
random step times (core_tool write-raw-steps). A real sweep: tests/launch/raw_steps_test.py."""

import copy
import json
import os
import subprocess
import tempfile
from pathlib import Path

import jsonschema
import numpy as np

from program import check
from raw_comparisons import compare
from raw_steps import Raw, recompute

SOURCE, BINARY = Path(os.environ["SCALEMARK_SOURCE_DIR"]), Path(os.environ["SCALEMARK_BINARY_DIR"])


def every_number_agrees(folder, report):
    compared = compare(folder, report)
    print(f"{compared.count} numbers, the worst at {compared.worst:.2g} of 1e-9 relative")
    check(not compared.problems, "\n".join(compared.problems[:20]))
    steps = sum(point["step_s"]["n"] for point in report["points"])
    check(compared.count > steps + 1000, "hardly anything was compared")


def every_kind_is_there(report):
    rows = [row for table in report["scaling"] for row in table["rows"]]
    check({table["kind"] for table in report["scaling"]} >= {"weak", "strong-by-batch"}, "kinds of slices")
    check(any("jitter" in row.get("loss_of_efficiency", {}) for row in rows), "shares with jitter")
    check(any("loss_of_efficiency" in row and "jitter" not in row["loss_of_efficiency"] and row["world_size"] > 1
              for row in rows), "shares of thinned steps")
    check(any("run_imbalance" in row.get("loss_of_efficiency_ci95", {}) for row in rows), "intervals of shares")
    check(any(group.get("sessions") == 3 and "ci95" in group for group in report["groups"]), "an interval over sessions")
    check(any("cost_ci95" in point["communication"] for point in report["points"]), "communication cost")
    check(any("phases_s" not in point for point in report["points"]), "steps without phases")
    verdicts = {effect["verdict"] for effect in report["effects"]}
    check(verdicts >= {"real", "disturbed"} and len(report["effects"]) == 5, f"verdicts {verdicts}")
    check(any(effect["pairs"] == 4 and "overlap" == effect["axis"] for effect in report["effects"]), "four of five pairs are fit")
    check(any("steps_per_mark" in point for point in report["points"]), "thinned marks")


def stretches_have_their_epochs(folder, report):
    files = [Raw(folder / point["raw_steps"]["file"]) for point in report["points"]]
    epochs = [list(raw.windows["epoch"][0]) for raw in files if raw.windows["epoch"].any()]
    check(epochs == [[1, 1, 1, 2, 2, 2]], f"two epochs of three stretches: {epochs}")


def one_wrong_effect_is_noticed(folder, report):
    for i, effect in enumerate(report["effects"]):
        for name in ("ratio", "ratio_ci95", "p_holm", "verdict", "pairs", "phases_delta_s", "memory_delta_bytes"):
            if name not in effect:
                continue
            changed = copy.deepcopy(report)
            value = effect[name]
            changed["effects"][i][name] = {
                float: lambda: value * 1.001, list: lambda: [value[0] * 1.001, value[1]], int: lambda: value + 1,
                str: lambda: "unsure" if value != "unsure" else "none", dict: lambda: value | {"forward": value["forward"] * 1.001}}[type(value)]()
            check(compare(folder, changed).problems, f"effect {i}: another {name} is not noticed")


def times_in(raw):
    """Returns where the times stand among the numbers, rank by rank."""
    unit = [column["unit"] for table in raw.header["tables"] for column in table["columns"] for _ in range(table["rows"])]
    return np.flatnonzero(np.array(unit * len(raw.ranks)) == "s")


def one_wrong_value_is_noticed(folder, report):
    """Any time in a file, changed by a thousandth."""
    random = np.random.default_rng(1)
    for point in report["points"]:
        file = folder / point["raw_steps"]["file"]
        whole = file.read_bytes()
        begin = whole.index(b"\n") + 1
        numbers = np.frombuffer(whole[begin:], "=f8").copy()
        times = times_in(Raw(file))
        times = times[numbers[times] > 5e-5]  # smaller ones drown in the rounding of sums
        numbers[random.choice(times)] *= 1 + 1e-3
        file.write_bytes(whole[:begin] + numbers.tobytes())
        try:
            noticed = bool(recompute(folder, report).problems)
        except AssertionError:
            noticed = True  # phases do not sum to their step
        check(noticed, f"{point['id']}: a wrong value is not noticed")
        file.write_bytes(whole)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([BINARY / "tests/core_tool", "write-raw-steps", folder], check=True)
        report = json.loads((folder / "report.json").read_text())
        jsonschema.Draft202012Validator(json.loads((SOURCE / "docs/reference/report.schema.json").read_text())).validate(report)
        every_kind_is_there(report)
        every_number_agrees(folder, report)
        stretches_have_their_epochs(folder, report)
        one_wrong_value_is_noticed(folder, report)
        one_wrong_effect_is_noticed(folder, report)


main()
