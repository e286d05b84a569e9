"""The effects of options on real ranks: effects, losses at equal samples, limits of communication, and the search of --tune."""

import math
import statistics
from itertools import chain
from pathlib import Path

from endings import run_cases
from program import check, cpu_has_bf16, run
from raw_steps import Raw
from sweeps import TWO_RANKS, valid_report


def measured(folder, *options, iters=5, repetitions=3):
    out = Path(folder) / "out"
    done = run("sweep", "--workload", "linear", "--warmup-iters", 2, "--iters", iters, "--repetitions", repetitions, "--threads", 1,
               "--no-progress", "--output", out, *options)
    return valid_report(out), done


def effects_of(report, axis):
    found = [effect for effect in report["effects"] if effect["axis"] == axis]
    check(found, f"no effect of {axis}: {[effect['axis'] for effect in report['effects']]}")
    return found


def batch_sizes(folder):
    """Effects on each world size against the first value as typed; losses after equally many samples."""
    report, _ = measured(folder, *TWO_RANKS, "--batch-sizes", "16,8,64", iters=40)
    effects = effects_of(report, "batch_size")
    check([(e["fixed"]["world_size"], e["from"], e["to"]) for e in effects]
          == [(ranks, "16", to) for ranks in "12" for to in ("8", "64")], effects)
    for effect in effects:
        # Runs that others on this machine disturbed make no pair; three pairs and nothing less are judged.
        judged = effect["verdict"] != "disturbed"
        check(judged and effect["pairs"] == 3 or "withheld" in effect["in_words"] and "disturbed" in effect["in_words"], effect)
        rows = [row for row in report["points"] if row["group"] == effect["groups"][0]]
        check({at["step"] for at in rows[0]["loss"]["course"]} >= {1, 2, 16, 32, 40}, rows[0]["loss"])
        # 42 steps of each: of 16 samples, 8 and 64. Four times the batch: 40 steps of 16 are 10 of 64.
        check(effect["loss_step"] == (20 if effect["to"] == "8" else 40), effect)
    limits = report["communication_limits"]
    check([(limit["fixed"]["world_size"], limit["share"]) for limit in limits] == [("2", 0.3), ("2", 0.1)], limits)
    check(limits[0]["smallest"] == 8 and limits[0]["largest"] == 64, limits)


def exchange_leaves_the_loss(folder):
    """Other buckets, the same numbers: the loss after equally many steps is the same."""
    report, _ = measured(folder, "--world-sizes", 2, "--nproc-per-node", 2, "--bucket-cap-mb", "25,0.01")
    effect, = effects_of(report, "bucket_cap_mb")
    check(abs(effect["loss_delta"]) < 1e-5 and effect["loss_step"] == 7, effect)
    check(abs(sum(effect["phases_delta_s"].values())) < 1, effect)


def random_data_in_the_loop(folder):
    """Making batches is waiting for data: of most steps longer than taking one that is there, whatever else runs."""
    report, _ = measured(folder, "--world-sizes", 1, "--synthetic-in-loop", "off,on", "--batch-size", 256, "--raw-steps", iters=20)
    effect, = effects_of(report, "synthetic_in_loop")
    check((effect["from"], effect["to"]) == ("off", "on"), effect)
    waits = {"off": [], "on": []}
    for row in report["points"]:
        raw = Raw(folder / "out" / row["raw_steps"]["file"])
        waits[row["varying"]["synthetic_in_loop"]].append(raw.steps["data_wait"])
    medians = {value: statistics.median(chain.from_iterable(steps.ravel() for steps in waits[value])) for value in waits}
    check(medians["on"] > medians["off"], medians)
    means = {value: [float(steps.mean()) for steps in waits[value]] for value in waits}
    delta = statistics.mean(means["on"]) - statistics.mean(means["off"])
    check(math.isclose(effect["phases_delta_s"]["data_wait"], delta, rel_tol=1e-9), (effect, delta))


def precision(folder):
    """On a CPU without bf16 the point is refused, and the sweep with it: then there is nothing to compare."""
    if not cpu_has_bf16():
        return print("precision: this CPU has no bf16; refused")
    report, _ = measured(folder, "--world-sizes", 1, "--precision", "fp32,amp-bf16", iters=20)
    effect, = effects_of(report, "precision")
    check(effect["loss_step"] == 22 and "memory_delta_bytes" in effect, effect)
    check(effect["in_words"].startswith("precision amp-bf16 against fp32:"), effect)


def tune(folder):
    """The search ends in effects and one line; values that are surely slower have fewer runs, the first never."""
    # A step of linear takes about as long whatever its batch: each value is many times as fast as the one below it, in windows that are
    # long enough for all to have the same share of a busy machine.
    options = ("--world-sizes", 1, "--tune", "batch-size", "--batch-size", "8,1,64")
    report, done = measured(folder, *options, iters=1000, repetitions=8)
    answer, = report["tuning"]
    check(answer["fastest"] == "64" and answer["in_words"].startswith("fastest: batch_size 64"), answer)
    is_printed = answer["in_words"].split(" (")[0] in done.stdout.replace("\n  ", " ")
    check(is_printed or report["verdict"]["level"] == "do_not_quote", done.stdout)  # others may use the machine
    runs = {value: sum(row["group"] == f"linear-b{value}-fp32-w1-none" for row in report["points"]) for value in (1, 8, 64)}
    check(3 <= runs[1] <= runs[8] == runs[64], runs)
    check({effect["to"] for effect in effects_of(report, "batch_size")} == {"1", "64"}, report["effects"])
    reasons = {group["stop_reason"] for group in report["groups"]}
    check(reasons <= {"dropped", "tuned", "repetitions"}, reasons)
    # A resume has nothing left to run.
    resumed, _ = measured(folder, *options, "--resume", iters=1000, repetitions=8)
    check(len(resumed["points"]) == len(report["points"]), "a resume ran more")


def tune_in_fresh_processes(folder):
    report, _ = measured(folder, "--nproc-per-node", 2, "--world-sizes", 2, "--tune", "batch-size", "--batch-size", "32,1",
                         "--fresh-process", repetitions=4)
    check(len(report["tuning"]) == 1, report.get("tuning"))


run_cases({f.__name__: f for f in (batch_sizes, exchange_leaves_the_loss, random_data_in_the_loop, precision, tune,
                                   tune_in_fresh_processes)})
