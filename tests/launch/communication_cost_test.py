"""--communication-cost on two ranks over Gloo, with a trace after its steps: T and T_noop are reported; window, losses, weights and files
that the run leaves are those of a run without both."""

import tempfile
from pathlib import Path

from program import check, report_in, run

OPTIONS = ("train", "--workload", "mlp", "--batch-size", 8, "--threads", 1, "--nproc-per-node", 2, "--iters", 40,
           "--warmup-iters", 5, "--deterministic")


def trained(folder, *more):
    """The report's point, and what the run leaves: its weights, losses and files."""
    weights = folder.with_suffix(".safetensors")
    run(*OPTIONS, "--output", folder, "--save", weights, *more)
    [point] = report_in(folder)["points"]
    return point, (weights.read_bytes(), point["loss"], point["iterations"], sorted(file.name for file in folder.iterdir()))


def main():
    with tempfile.TemporaryDirectory() as name:
        plain, left = trained(Path(name) / "plain")
        asked, left_with = trained(Path(name) / "asked", "--communication-cost", "--trace", Path(name) / "traces")
        check(len(list((Path(name) / "traces").rglob("*.json"))) == 2, "one trace of each rank")
    for what, mine, theirs in zip(("weights", "losses", "steps", "files"), left, left_with):
        check(mine == theirs, f"other {what} than without: not put back")
    check("noop_step_s" not in plain and "cost_s" not in plain["communication"], "not asked for, and there")

    noop, cost = asked["noop_step_s"], asked["communication"]["cost_s"]
    print(f"T_noop {1e3 * noop:.3f} ms, cost {1e3 * cost:.3f} ms, window {1e3 * asked['wall_s'] / 40:.3f} ms")
    # That communication costs something is for cost_identity_test.py to show: on a busy machine these steps take any time.
    check(noop > 0, noop)
    times = asked["communication"]
    for name, value in (("cost", cost), ("contention", times["contention_s"]), ("efficiency", times["efficiency"])):
        low, high = times[name + "_ci95"]
        check(low < value < high, f"{name} {value}, interval {low} to {high}")
    for point in (plain, asked):
        parts = point["communication"]["peer_wait_s"] + point["communication"]["network_s"]
        exposed = point["phases_s"]["exposed_communication"]
        check(abs(parts - exposed) < 1e-9, f"{parts} s in parts, {exposed} s exposed")
    check("contention_s" not in plain["communication"], "not asked for, and there")
    check(asked["samples"] == plain["samples"] == 40 * 2 * 8, "the blocks are not the window's")
    check(asked["communication"]["payload_bytes_per_step"] == plain["communication"]["payload_bytes_per_step"],
          "the last block exchanges as always")


main()
