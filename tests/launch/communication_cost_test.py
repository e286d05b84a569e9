"""--communication-cost on two ranks over Gloo: T and T_noop are reported, the window and the weights that the run
leaves are those of a run without it."""

import json
import tempfile
from pathlib import Path

import torch
from safetensors.torch import load_file

from program import check, run

OPTIONS = ("train", "--workload", "mlp", "--batch-size", 8, "--threads", 1, "--nproc-per-node", 2, "--iters", 40,
           "--warmup-iters", 5, "--deterministic")


def trained(folder, *more):
    """The report's point and the weights."""
    weights = folder.with_suffix(".safetensors")
    run(*OPTIONS, "--output", folder, "--save", weights, *more)
    return json.loads((folder / "report.json").read_text())["points"][0], load_file(weights)


def main():
    with tempfile.TemporaryDirectory() as name:
        plain, kept = trained(Path(name) / "plain")
        asked, after = trained(Path(name) / "asked", "--communication-cost")
    moved = [key for key in kept if key not in after or not torch.equal(kept[key], after[key])]
    check(not moved, f"not put back: {moved}")
    check("noop_step_s" not in plain and "cost_s" not in plain["communication"], "not asked for, and there")

    noop, cost = asked["noop_step_s"], asked["communication"]["cost_s"]
    print(f"T_noop {1e3 * noop:.3f} ms, cost {1e3 * cost:.3f} ms, window {1e3 * asked['wall_s'] / 40:.3f} ms")
    # That communication costs something is for cost_identity_test.py to show: on a busy machine these steps take any time.
    check(noop > 0, noop)
    told = asked["communication"]
    for name, value in (("cost", cost), ("contention", told["contention_s"]), ("efficiency", told["efficiency"])):
        low, high = told[name + "_ci95"]
        check(low < value < high, f"{name} {value}, interval {low} to {high}")
    for point in (plain, asked):
        parts = point["communication"]["peer_wait_s"] + point["communication"]["network_s"]
        exposed = point["phases_s"]["exposed_communication"]
        check(abs(parts - exposed) < 1e-9, f"{parts} s in parts, {exposed} s exposed")
    check("contention_s" not in plain["communication"], "not asked for, and there")
    check(asked["samples"] == plain["samples"] == 40 * 2 * 8, "the blocks are not the window's")
    check(asked["communication"]["payload_bytes_per_step"] == plain["communication"]["payload_bytes_per_step"],
          "the last block exchanges as always")
    check(kept.keys() == after.keys(), "other names in the file")


main()
