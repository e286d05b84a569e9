"""Small runs at a fixed seed give the reports that an earlier version of the program gave (reports/*.json): the same
fields, words, ids and integers, losses within 1e-3. What two runs cannot share is named in the lists below.

`recorded_reports_test.py --record` writes the recorded reports anew: only after an intended change of the report."""

import json
import sys
import tempfile
from pathlib import Path

from program import check, report_in, run

RECORDED = Path(__file__).parent / "reports"
FAST = ("--seed", 7, "--warmup-iters", 2, "--threads", 1, "--device", "cpu", "--no-progress")
RUNS = {
    "linear": ("train", "--workload", "linear", "--iters", 8),
    "mlp": ("train", "--workload", "mlp", "--iters", 6, "--nproc-per-node", 2, "--gradient-accumulation-steps", 2,
            "--communication-cost"),
    "sweep": ("sweep", "--workload", "linear", "--iters", 5, "--world-sizes", "1,2", "--nproc-per-node", 2,
              "--repetitions", 2, "--retries", 0),
}

# Left out with everything below: what says where and by which build a run was made, and what exists or not by timing.
LEFT_OUT = {
    "tool", "environment", "command_line", "host", "hostname", "output", "torch",
    "steady", "steady_reason", "bias_bound", "biases", "change_point_step", "settled", "stragglers", "drift", "in_words", "slowest_rank",
    "break_even_steps", "energy_J", "fastest", "unsteady_runs", "telemetry", "variance", "verdict", "cpu_limit", "memory_limit_bytes", "standing",
    "standing_reason", "causes", "scheduling",
}
# Only that there is a number, or a list of so many numbers: what is measured. A name's whole subtree.
MEASURED = {
    "setup_s", "wall_s", "around_s", "step_time_s", "step_mean_over_ranks_s", "own_s", "phases_s", "step_samples_s", "data_wait_s",
    "exposed_communication_s", "outside_window_s", "noop_step_s", "peer_wait_s", "network_s", "exposed_ci95", "cost_s", "cost_ci95",
    "contention_s", "contention_ci95", "noop_imbalance_s", "alone_s", "latency_s", "memory_peak_bytes", "ready_s", "start_s", "end_s", "hidden_share",
    "samples_per_sec", "samples_per_sec_per_rank", "compute_samples_per_sec", "within_run_ci95", "ci95", "range", "unseen_share",
    "cv_between", "deviation", "deviation_ci95", "efficiency_range",
    "speedup", "efficiency", "efficiency_ci95", "loss_of_efficiency", "loss_of_efficiency_ci95",
    "mean", "p50", "p95", "p99", "min", "max", "stdev",
}
# Only that there is text.
NAMED_ANEW = {"started", "finished", "run_id"}
# Findings that do not depend on how fast the machine is; of the others nothing is compared.
FINDINGS = {"single_repetition", "communication_cost", "no_interval", "baseline_missing", "padding"}
LOSSES = {"first", "last", "loss"}
# Maps that may have more keys than were recorded: an option that came later is a key there.
GROWING = {"settings", "origins"}


def kind(value):
    """A measured value's form: "number", or the same of everything below."""
    if isinstance(value, dict):
        return {key: kind(below) for key, below in value.items()}
    if isinstance(value, list):
        return [kind(below) for below in value]
    return "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def comparable(value, key=""):
    """`value` without what two runs cannot share."""
    if key in MEASURED:
        return kind(value)
    if key in NAMED_ANEW:
        return "text"
    if key == "findings":
        return [{k: kind(v) if k == "values" else v for k, v in found.items() if k != "text"} for found in value if found["code"] in FINDINGS]
    if isinstance(value, dict):
        return {k: comparable(v, k) for k, v in value.items() if k not in LEFT_OUT}
    return [comparable(below) for below in value] if isinstance(value, list) else value


def differences(recorded, found, path=""):
    """Every place where the two differ, as text."""
    name = path.rsplit(".", 1)[-1]
    if isinstance(recorded, dict) and isinstance(found, dict):
        if list(recorded) != [key for key in found if key in recorded or name not in GROWING]:
            lost, new = [k for k in recorded if k not in found], [k for k in found if k not in recorded]
            yield f"{path}: fields lost: {lost}; new: {new}; or their order changed"
            return
        for key, value in recorded.items():
            yield from differences(value, found[key], f"{path}.{key}")
    elif isinstance(recorded, list) and isinstance(found, list) and len(recorded) == len(found):
        for i, (one, other) in enumerate(zip(recorded, found)):
            yield from differences(one, other, f"{path}[{i}]")
    elif name in LOSSES and isinstance(recorded, float) and isinstance(found, float):
        if abs(recorded - found) > 1e-3 * max(1.0, abs(recorded)):
            yield f"{path}: {recorded} was recorded, {found} is found"
    elif type(recorded) is not type(found) or recorded != found:
        yield f"{path}: {recorded!r} was recorded, {found!r} is found"


def report_of(name):
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / name
        run(*RUNS[name], *FAST, "--output", output)
        return comparable(report_in(output))


def main():
    for name in RUNS:
        file = RECORDED / f"{name}.json"
        if "--record" in sys.argv:
            file.write_text(json.dumps(report_of(name), indent=1) + "\n")
            continue
        found = list(differences(json.loads(file.read_text()), report_of(name), name))
        check(not found, "\n" + "\n".join(found))
    print(f"{len(RUNS)} reports are as they were recorded")


if __name__ == "__main__":
    main()
