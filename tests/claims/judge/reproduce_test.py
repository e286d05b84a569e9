"""`reproduce` runs: a small table of our own in CI, scaled down, from its rows to claims[] in the report; every alias has a plan.

reproduce_test.py small | collectives | times | elsewhere | once | stopped | plans | NAME...: the other names are published tables that are reproduced, scaled down.
"""

import functools
import json
import os
import re
import signal
import subprocess
import time

from endings import SOURCE, run_cases
from program import SCALEMARK, check, clean_environment, report_in, run
from sweeps import VALIDATOR

PRACTICE = ("practice-buckets", "practice-backends", "practice-mechanisms", "practice-batch-size", "practice-accumulation", "practice-overlap",
            "practice-rtx4090-mlp", "practice-allreduce", "practice-ddp-method", "practice-loader")
# Bytes are counted, memory and pinned copies are a GPU's: on a CPU nothing of these is run.
NOT_RUN = {"practice-fp16-communication": 1, "practice-unused-parameters": 2, "practice-checkpointing": 2, "practice-pin-memory": 2, "practice-scaling": 2}


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
    """A range of an all-reduce over Gloo that names no machine is met, or not, on any."""
    common = {"group": "made", "repo": "o/r", "path": "p", "collective": "all-reduce", "backend": "gloo", "gpus": 2, "bytes": 65536}
    rows = [common | {"id": "c-1", "metric": "latency_s", "low": 0.005, "high": 0.01}, common | {"id": "c-2", "metric": "algbw_GBps", "low": 5, "high": 10}]
    (folder / "made.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    done = run("reproduce", "made.jsonl", "--scale-down=1", "--yes", "--output", folder / "out", cwd=folder, expect=None)
    check(done.returncode in (0, 1, 2) and "2 of 2 claims can be answered here, on 2 ranks" in done.stderr, done.stderr)
    claims = claims_of(folder / "out")
    check([(one["row"], one["metric"]) for one in claims] == [("c-1", "latency_s"), ("c-2", "algbw_GBps")], claims)
    check(all(one["verdict"] in ("not_judged", "confirmed", "refuted", "undecided") and one["measured"] > 0 for one in claims), claims)


def times(folder):
    """A table of times is run for its speed-ups: those on as many ranks as there are, and the first count claims none."""
    (folder / "times.md").write_text("| GPUs | s per epoch |\n|---|---|\n| 1 | 80 |\n| 2 | 44 |\n| 512 | 0.4 |\n")
    done = run("reproduce", "times.md", "--fields", "workload=linear", "--scale-down=3", "--yes", "--output", folder / "out", cwd=folder, expect=None)
    check(done.returncode in (0, 1, 2) and "1 of 2 claims can be answered here, on 1, 2 ranks; 1 run, about " in done.stderr, done.stderr)
    claims = claims_of(folder / "out")
    check([(one["metric"], round(one["claimed_low"], 3)) for one in claims] == [("speedup", 1.818), ("speedup", 200)], claims)
    check(claims[0]["measured"] > 0 and claims[1]["verdict"] == "not_testable" and "512 are wanted" in claims[1]["reason"], claims)
    (folder / "times.txt").write_text("GPUs  s per epoch\n1     80\n2     44\n")
    (folder / "times.html").write_text("<table><tr><th>GPUs</th><th>s per epoch</th></tr><tr><td>1</td><td>80</td></tr><tr><td>2</td><td>44</td></tr></table>")
    for name in ("times.txt", "times.html"):
        check("speedup" in run("reproduce", name, "--fields", "workload=linear", "--dry-run", cwd=folder).stdout, name)
    unnamed = run("reproduce", "times.md", "--dry-run", cwd=folder).stdout
    check("--fields workload=NAME" in " ".join(unnamed.split()), unnamed)


def elsewhere(folder):
    """Without GPUs a table of GPUs is not begun: one line says of which it is, and what is compared here."""
    rows = [row(ranks, 1000 * ranks) | {"system": "8x H100 80GB HBM3", "precision": "tf32"} for ranks in (1, 2, 8)]
    (folder / "made.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    done = run("reproduce", "made.jsonl", "--output", "out", cwd=folder, expect=78, CUDA_VISIBLE_DEVICES="")
    check(re.search(r"this table is of 8 x H100 80GB HBM3; .*--scale-down compares its ratios here: 1 of 5 claims", done.stderr), done.stderr)
    check(not (folder / "out").exists() and done.stderr.count("\n") == 1, done.stderr)
    (folder / "large.jsonl").write_text("".join(json.dumps(one | {"gpus": 512 * one["gpus"]}) + "\n" for one in rows))
    done = run("reproduce", "large.jsonl", "--scale-down", "--output", "out", cwd=folder, expect=2, CUDA_VISIBLE_DEVICES="")
    check("none of its 5 claims can be answered here: they need 1024, 4096 ranks" in done.stderr and not (folder / "out").exists(), done.stderr)
    for name, code in NOT_RUN.items():
        done = run("reproduce", name, "--scale-down", "--output", "out", cwd=folder, expect=code, CUDA_VISIBLE_DEVICES="")
        check(not (folder / "out").exists() and "claim" in done.stdout, (name, done.stdout))


def once(folder):
    """Batches that become the same when they are made smaller are one run, and the plan is the smaller one."""
    rows = [row(ranks, 100 * ranks) | {"id": f"x-{batch}-{ranks}", "workload": "resnet50", "batch_per_gpu": batch} for batch in (64, 128, 256) for ranks in (1, 2)]
    (folder / "made.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    out = run("reproduce", "made.jsonl", "--scale-down=20", "--dry-run", cwd=folder, CUDA_VISIBLE_DEVICES="").stdout
    check(len(re.findall("^scalemark sweep ", out, re.M)) == 1 and "3 of 9 claims can be answered here, on 1, 2 ranks; 1 run, about " in out, out)
    check(re.search(r"scaled down to about .*batch_size (64|128|256) -> 2", " ".join(out.split())), out)


def stopped(folder):
    """Ctrl-C reaches the run; what was measured until then is judged, and a line says how to go on."""
    (folder / "made.jsonl").write_text("".join(json.dumps(row(ranks, 1000 * ranks)) + "\n" for ranks in (1, 2)))
    with subprocess.Popen([SCALEMARK, "reproduce", "made.jsonl", "--scale-down=600", "--yes", "--output", "out"], cwd=folder, env=clean_environment(), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        report = folder / "out/report.json"
        while child.poll() is None and not report.exists():
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        out, errors = child.communicate()
    check(child.returncode == 130 and "3 claims" in out, (child.returncode, out, errors))
    [last] = re.findall(r"^scalemark: then: scalemark (.*)$", errors, re.M)
    check(len(re.findall(r"scalemark sweep .*--output out --resume", " ".join(errors.split()))) == 1, errors)
    check(last == "reproduce made.jsonl --from out", errors)
    check(len(claims_of(folder / "out")) == 3, "the report has no claims")


def plans(folder):
    """Every alias is planned in milliseconds; wrong words are refused in one line."""
    aliases = re.findall(r'^SCALEMARK_ALIAS\("([^"]+)"', (SOURCE / "claims/rows/alias_list.inc").read_text(), re.M)
    for name in (*aliases, *PRACTICE, *NOT_RUN):
        out = run("reproduce", name, "--dry-run", cwd=folder).stdout
        check(re.search(r"^scalemark (sweep|comm) ", out, re.M) or "not testable" in out, (name, out))
    for words, code in (((), 64), (("nothing-like-this",), 66), (("dle-resnet50-a100", "--precision", "fp32"), 78), (("dle-resnet50-a100", "--from", "x", "--dry-run"), 64)):
        lines = run("reproduce", *words, cwd=folder, expect=code).stderr.splitlines()
        check(len(lines) == 1, (words, lines))


def reproduced(name, folder):
    """In CI a run is so short that it only shows that each step is taken. 16 micro-steps take longer than that."""
    seconds = 60 if os.environ.get("SCALEMARK_SOAK") == "full" else 20 if name == "practice-accumulation" else 12
    done = run("reproduce", name, f"--scale-down={seconds}", "--yes", "--output", folder / "out", cwd=folder, expect=None)
    check(done.returncode in (0, 1, 2), (name, done.stderr))
    check(claims_of(folder / "out") and report_in(folder / "out")["scaled_down"], f"{name}: nothing is claimed, or nothing was scaled down")
    check(" claimed " in done.stdout and re.search(r"^\d+ claims?: ", done.stdout, re.M), (name, done.stdout))


run_cases({"small": small, "collectives": collectives, "times": times, "elsewhere": elsewhere, "once": once, "stopped": stopped, "plans": plans} | {name: functools.partial(reproduced, name) for name in PRACTICE})
