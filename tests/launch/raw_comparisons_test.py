"""The numbers of sweeps beside throughput come out of the raw steps again, by formulas in Python
(tests/python/raw_comparisons.py): effects, gaps of data, spreads, communication cost over runs and sessions, payload, FLOPs and MFU,
of real ranks. And a number that is changed by a thousandth, or a verdict that is another one, is noticed.

raw_comparisons_test.py CASE...
"""

import copy

from endings import run_cases
from made_data import make_images
from program import check, run
from raw_comparisons import compare
from sweeps import valid_report

SWEEP = ("sweep", "--threads", 1, "--device", "cpu", "--backend", "gloo", "--no-progress", "--raw-steps")
SHORT = ("--iters", 40, "--warmup-iters", 4)


def recomputed(folder, fewest, **shape):
    report = valid_report(folder)
    compared = compare(folder, report, **shape)
    print(f"{compared.count} numbers, the worst at {compared.worst:.2g} of 1e-9 relative", flush=True)
    check(not compared.problems, "\n".join(compared.problems[:20]))
    check(compared.count >= fewest, f"only {compared.count} numbers were compared")
    return report


def changes(report):
    """(where, a copy of the report with one number or verdict changed), of each field that is computed again."""
    places = [("effects", i, name) for i, effect in enumerate(report["effects"]) for name in CHANGED if name in effect]
    for i, group in enumerate(report["groups"]):
        places += [("groups", i, name) for name in ("step_time_s", "unseen_share", "range", "communication") if name in group]
    for i, point in enumerate(report["points"]):
        places += [("points", i, name) for name in ("step_time_s", "model", "communication") if name in point]
    for place in places:
        changed = copy.deepcopy(report)
        entry = changed[place[0]][place[1]]
        entry[place[2]] = another(entry[place[2]])
        yield place, changed


CHANGED = ("ratio", "ratio_ci95", "p_holm", "verdict", "pairs", "memory_delta_bytes")
VERDICTS = {"real": "none", "none": "unsure", "unsure": "real", "disturbed": "unsure"}


def another(value):
    if isinstance(value, str):
        return VERDICTS[value]
    if isinstance(value, list):
        return [another(one) for one in value]
    if isinstance(value, dict):
        wanted = [name for name in ("payload_bytes_per_step", "flops_per_sample", "cost_s") if name in value]
        return value | {name: another(value[name]) for name in wanted} if wanted else value | {"parameters": 1}
    return value + 1 if isinstance(value, int) else value * 1.001 + 1e-12


def effects(folder):
    """One option that changes the work, one that changes the exchange, one world size against another."""
    run(*SWEEP, *SHORT, "--workload", "mlp", "--batch-sizes", "16,64", "--bucket-cap-mb", "1,25", "--world-sizes", "1,2", "--repetitions", 5,
        "--communication-cost", "--output", folder / "out")
    report = recomputed(folder / "out", 3000)
    check({effect["axis"] for effect in report["effects"]} >= {"batch_size", "bucket_cap_mb"}, report["effects"])
    noticed = 0
    for place, changed in changes(report):
        if changed == report:
            continue
        noticed += 1
        check(compare(folder / "out", changed).problems, f"{place}: a wrong value is not noticed")
    check(noticed > 60, f"{noticed} changes")
    print(f"{noticed} changes were noticed; verdicts {sorted({effect['verdict'] for effect in report['effects']})}")


def strategies(folder):
    run(*SWEEP, "--iters", 32, "--warmup-iters", 8, "--workload", "mlp", "--batch-size", 16, "--strategies",
        "ddp,flat,sharded,parameter-server,local-sgd,data-parallel", "--server", "rank0,dedicated", "--gradient-compression", "none,bf16",
        "--world-sizes", 2, "--nproc-per-node", 3, "--repetitions", 3, "--output", folder / "out")
    report = recomputed(folder / "out", 1500)
    found = {(point["strategy"], point["gradient_compression"], point["processes"]) for point in report["points"]}
    check(len(found) >= 10, found)


def networks(folder):
    """ResNet-50 and BERT: their parameters, buffers and FLOPs, tokens, and the share of the machine's matrix products."""
    for workload, sizes in (("resnet50", ("--image-size", 64, "--batch-size", 2)), ("bert-mini", ("--sequence-length", 32, "--batch-size", 2))):
        run(*SWEEP, "--workload", workload, *sizes, "--iters", 4, "--warmup-iters", 2, "--world-sizes", "1,2", "--repetitions", 3,
            "--output", folder / workload)
        report = recomputed(folder / workload, 200)
        check({point["world_size"] for point in report["points"]} == {1, 2}, report["points"])
    run(*SWEEP, "--workload", "linear", "--thorough", "--max-time", 60, "--world-sizes", "1,2", "--iters", 200, "--warmup-iters", 20, "--repetitions", 1,
        "--output", folder / "thorough")
    report = recomputed(folder / "thorough", 20)
    check(all("mfu_of_measured_gemm" in point for point in report["points"]), "without a matrix product")


def data(folder):
    """Files against synthetic data, of other classes than the network's own."""
    images = make_images(folder / "images", 96, size=64, classes=7)
    run(*SWEEP, "--workload", "resnet50", "--image-size", 64, "--batch-size", 2, "--data", f"synthetic,{images}", "--iters", 4, "--warmup-iters", 2,
        "--world-sizes", 1, "--repetitions", 3, "--output", folder / "out")
    check(recomputed(folder / "out", 200, classes=7)["data_gaps"], "no gap")


def sessions(folder):
    """Three sessions: throughput and communication cost are over sessions, effects over all pairs."""
    options = (*SWEEP, *SHORT, "--workload", "linear", "--overlap", "on,off", "--world-sizes", "1,2", "--communication-cost", "--output", folder / "out")
    for repetitions in (2, 4, 6):
        run(*options, "--repetitions", repetitions, *(("--resume",) if repetitions > 2 else ()))
    report = recomputed(folder / "out", 1500)
    check(len(report["sessions"]) == 3, report["sessions"])
    check(any("cost_ci95" in group.get("communication", {}) for group in report["groups"]), "no interval over sessions")


if __name__ == "__main__":
    run_cases({case.__name__: case for case in (effects, strategies, networks, data, sessions)})
