"""`reproduce --from` against a judge that shares no code with it: claims around the edges of their bands, in every direction and basis.

The judge works from the words of docs/PUBLISHED.md: bands, tolerances, what is judged on which hardware. SCALEMARK_SOAK=full: 500 claims (50 in CI). Exit code,
JSON Lines, Markdown and JUnit agree.
"""

import json
import math
import os
import random
import re
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from program import BINARY_DIR, check, run

CLAIMS = 500 if os.environ.get("SCALEMARK_SOAK") == "full" else 50
SEED = 320
A100, H100 = "NVIDIA A100-SXM4-80GB", "NVIDIA H100 80GB HBM3"


def template():
    """A sweep's report that the program accepts, to be filled with rates."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([BINARY_DIR / "tests/core_tool", "write-sweeps", folder], check=True)
        return json.loads((Path(folder) / "sweep.json").read_text())


def report_of(base, rates, device, scaled_down):
    """Groups of resnet50 with batch 64 on one and eight ranks, each with rate and interval."""
    report = {key: base[key] for key in ("schema", "status", "exit_code", "started", "finished", "run_id", "tool", "invocation", "environment")}
    point = next(one for one in base["points"] if one["status"] == "ok" and one["world_size"] == 1)
    group = next(one for one in base["groups"] if one["group"] == point["group"])
    report |= {"points": [], "groups": [], "findings": [], "errors": []}
    for ranks, (rate, low, high) in rates.items():
        name = f"g{ranks}"
        report["points"].append(point | {"id": f"{name}/r0", "group": name, "workload": "resnet50", "precision": "amp-fp16", "world_size": ranks,
                                         "strategy": "ddp" if ranks > 1 else "none", "batch_size": 64, "gradient_accumulation_steps": 1,
                                         "device": "cuda", "device_name": device})
        report["groups"].append({key: value for key, value in group.items() if key in ("stop_reason", "status_counts")} |
                                {"group": name, "n": 5, "samples_per_sec": rate, "ci95": [low, high]})
    if scaled_down:
        report["scaled_down"] = [{"option": "batch_size", "from": "256", "to": "64"}]
    return report


def expected(kind, claimed, low, high, basis):
    """The verdict by the page: rates at least, on the same hardware only; ratios about, with 5 %; scaled down a direction."""
    if kind == "throughput":
        if basis != "same_hardware":
            return "not_judged"
        limit = claimed * (1 - (0.06 if basis_gpus[kind] <= 4 else 0.07))
        return "reached" if low >= limit else "not_reached" if high < limit else "undecided"
    if basis == "scaled_down":
        if claimed == 1:
            return "not_judged"
        up = claimed > 1
        if (low > 1) if up else (high < 1):
            return "same_direction"
        return "other_direction" if (high < 1 if up else low > 1) else "undecided"
    bottom, top = 0.95 * claimed, 1.05 * claimed
    if low >= bottom and high <= top:
        return "confirmed"
    if high < bottom or low > top:
        return "refuted" if basis == "same_hardware" else "differs_here"
    return "undecided"


basis_gpus = {"throughput": 1}


def row(ranks, rate):
    return {"id": f"x-{ranks}", "group": "made", "repo": "o/r", "path": "p", "framework": "PyTorch", "system": "8x A100 80GB", "workload": "resnet50", "gpus": ranks,
            "batch_per_gpu": 64, "precision": "amp_fp16", "throughput": rate, "unit": "img/s"}


def interval(rate, draw):
    half = draw.choice([0.001, 0.01, 0.05])
    return rate, rate * (1 - half), rate * (1 + half)


def judged(folder, *form):
    return run("reproduce", folder / "rows.jsonl", "--from", folder, *form, expect=None)


base, draw, seen = template(), random.Random(SEED), set()
for _ in range(CLAIMS):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        one, eight = draw.uniform(100, 3000), 0
        eight = one * draw.uniform(4, 8)
        # Around the edges of the bands.
        here_one = interval(one * draw.choice([0.8, 0.9, 0.915, 0.93, 1.0, 1.2]), draw)
        here_eight = interval(here_one[0] * eight / one * draw.choice([0.05, 0.9, 0.949, 0.96, 1.0, 1.04, 1.06, 1.3]), draw)
        device, scaled = draw.choice([(A100, False), (A100, False), (H100, False), (A100, True)])
        basis = "scaled_down" if scaled else "same_hardware" if device == A100 else "other_hardware"
        (folder / "report.json").write_text(json.dumps(report_of(base, {1: here_one, 8: here_eight}, device, scaled)))
        (folder / "rows.jsonl").write_text(json.dumps(row(1, one)) + "\n" + json.dumps(row(8, eight)) + "\n")
        done = judged(folder, "--format", f"jsonl={folder}/c.jsonl,md={folder}/c.md,junit={folder}/c.xml")
        check(done.returncode in (0, 1, 2), done.stderr)
        claims = [json.loads(line) for line in (folder / "c.jsonl").read_text().splitlines()]
        verdicts = [claim["verdict"] for claim in claims]
        ratio = here_eight[0] / here_one[0]
        half = ((0.5 * math.log(here_eight[2] / here_eight[1])) ** 2 + (0.5 * math.log(here_one[2] / here_one[1])) ** 2) ** 0.5
        spread = (ratio * math.exp(-half), ratio * math.exp(half))
        wanted = []
        for ranks, claimed, (_, low, high) in ((1, one, here_one), (8, eight, here_eight)):
            basis_gpus["throughput"] = ranks
            wanted.append(expected("throughput", claimed, low, high, basis))
        speedup = expected("speedup", eight / one, *spread, basis)
        # A base that is off by more than a rate's tolerance refutes nothing.
        other_base = speedup == "refuted" and abs(here_one[0] / one - 1) > 0.06
        wanted.append("differs_here" if other_base else speedup)
        if other_base:
            check("its base is" in claims[2]["reason"], claims[2])
        check(verdicts == wanted, (verdicts, wanted, one, eight, here_one, here_eight, basis))
        code = 1 if {"refuted", "not_reached"} & set(verdicts) else 2 if "undecided" in verdicts or set(verdicts) == {"not_judged"} else 0
        check(done.returncode == code, (done.returncode, verdicts))
        suite = ElementTree.parse(folder / "c.xml").getroot().find("testsuite")
        check(int(suite.get("failures")) == sum(one in ("refuted", "not_reached") for one in verdicts), verdicts)
        check(int(suite.get("errors")) == verdicts.count("undecided") and int(suite.get("tests")) == len(verdicts), verdicts)
        table = (folder / "c.md").read_text()
        for verdict in set(verdicts):
            check(len(re.findall(rf"\| {verdict.replace('_', ' ')} \|", table)) == verdicts.count(verdict), (verdict, table))
        seen |= set(verdicts)
check(len(seen) >= 7, seen)
