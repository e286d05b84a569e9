"""`reproduce` runs: a small table of our own in CI, scaled down, from its rows to claims[] in the report; every alias has a plan.

reproduce_test.py small | collectives | plans | NAME...: the other names are published tables that are reproduced, scaled down.
"""

import functools
import json
import os
import re

from endings import SOURCE, run_cases
from program import check, report_in, run
from sweeps import VALIDATOR

PRACTICE = ("practice-buckets", "practice-backends", "practice-mechanisms", "practice-fp16-communication", "practice-accumulation", "practice-overlap",
            "practice-rtx4090-mlp", "practice-unused-parameters", "practice-checkpointing", "practice-allreduce", "practice-ddp-method", "practice-loader")


def row(ranks, rate):
    return {"id": f"x-{ranks}", "group": "made", "repo": "o/r", "path": "p", "framework": "PyTorch", "system": "8x A100 80GB", "workload": "linear", "gpus": ranks,
            "batch_per_gpu": 32, "precision": "fp32", "throughput": rate, "unit": "samples/s"}


def claims_of(folder):
    report = report_in(folder)
    VALIDATOR.validate(report)
    return report["claims"]


def small(folder):
    """Rates of other hardware are shown without a verdict, the speed-up is judged or undecided; the run's own findings decide nothing else."""
    (folder / "made.jsonl").write_text("".join(json.dumps(row(ranks, 1000 * ranks)) + "\n" for ranks in (1, 2)))
    done = run("reproduce", "made.jsonl", "--scale-down=3", "--yes", "--output", folder / "out", "--format", f"table,jsonl={folder}/c.jsonl", cwd=folder, expect=None)
    check(done.returncode in (0, 1, 2), done.stderr)
    claims = claims_of(folder / "out")
    check([json.loads(line) for line in (folder / "c.jsonl").read_text().splitlines()] == claims, "the report has other claims")
    check([(one["row"], one["metric"]) for one in claims] == [("x-1", "throughput"), ("x-2", "throughput"), ("x-2", "speedup")], claims)
    check(all(one["verdict"] == "not_judged" and one["measured"] > 0 for one in claims[:2]), claims)
    check(claims[2]["verdict"] in ("same_direction", "other_direction", "undecided", "differs_here", "confirmed"), claims)
    check("claimed" in done.stdout and "3 claims" in done.stdout, done.stdout)
    again = run("reproduce", "made.jsonl", "--from", folder / "out", "--format", "jsonl", cwd=folder, expect=None)
    check([json.loads(line) for line in again.stdout.splitlines()] == claims, "judged otherwise the second time")


def collectives(folder):
    """A scaled-down run of `comm` shows latency and bandwidth of an all-reduce beside what is claimed."""
    common = {"group": "made", "repo": "o/r", "path": "p", "collective": "all-reduce", "backend": "gloo", "gpus": 2, "bytes": 65536}
    rows = [common | {"id": "c-1", "metric": "latency_s", "low": 0.005, "high": 0.01}, common | {"id": "c-2", "metric": "algbw_GBps", "low": 5, "high": 10}]
    (folder / "made.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    reproduced("made.jsonl", folder, seconds=1)
    claims = claims_of(folder / "out")
    check([(one["row"], one["metric"]) for one in claims] == [("c-1", "latency_s"), ("c-2", "algbw_GBps")], claims)
    check(all(one["verdict"] == "not_judged" and one["measured"] > 0 for one in claims), claims)


def plans(folder):
    """Every alias is planned in milliseconds; wrong words are refused in one line."""
    aliases = re.findall(r'^SCALEMARK_ALIAS\("([^"]+)"', (SOURCE / "claims/rows/alias_list.inc").read_text(), re.M)
    for name in (*aliases, *PRACTICE):
        out = run("reproduce", name, "--dry-run", cwd=folder).stdout
        check(re.search(r"^scalemark (sweep|comm) ", out, re.M) or "not testable" in out, (name, out))
    for words, code in (((), 64), (("nothing-like-this",), 66), (("dle-resnet50-a100", "--precision", "fp32"), 78), (("dle-resnet50-a100", "--from", "x", "--dry-run"), 64)):
        lines = run("reproduce", *words, cwd=folder, expect=code).stderr.splitlines()
        check(len(lines) == 1, (words, lines))


def reproduced(name, folder, seconds=60 if os.environ.get("SCALEMARK_SOAK") == "full" else 12):
    """In CI a run is so short that it only shows that each step is taken."""
    done = run("reproduce", name, f"--scale-down={seconds}", "--yes", "--output", folder / "out", cwd=folder, expect=None)
    check(done.returncode in (0, 1, 2), (name, done.stderr))
    check(claims_of(folder / "out") and report_in(folder / "out")["scaled_down"], f"{name}: nothing is claimed, or nothing was scaled down")
    check(" claimed " in done.stdout and re.search(r"^\d+ claims?: ", done.stdout, re.M), (name, done.stdout))


run_cases({"small": small, "collectives": collectives, "plans": plans} | {name: functools.partial(reproduced, name) for name in PRACTICE})
