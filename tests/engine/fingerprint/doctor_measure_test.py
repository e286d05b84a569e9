"""`scalemark doctor --measure`: what it says, and with `beside_python` its rates beside PyTorch's on the same machine.

Oracle: the same matrix product and the same copy in Python, before and after ours. Shared machines are uneven, so our rate
needs only to lie within a factor of what Python found, in the best of several attempts; a wrong formula is off by 2, 4, 8
or 1000. This judges speed and is for a machine at rest (scripts/soak).
"""

import contextlib
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch

from program import check, run
from sweeps import VALIDATOR

LOWEST, HIGHEST, ATTEMPTS = 0.6, 1.7, 6
KINDS = ["matrix-product", "memory-copy", "image-loader", "disk-read", "all-reduce"]


def seconds_of(call, least_s=0.5):
    call()
    calls, begun = 0, time.perf_counter()
    while time.perf_counter() - begun < least_s:
        call()
        calls += 1
    return (time.perf_counter() - begun) / calls


def rates_of_python(threads, size, megabytes):
    torch.set_num_threads(threads)
    a, b, c = (torch.randn(size, size) for _ in range(3))
    source, target = (torch.ones(megabytes << 18) for _ in range(2))
    return {"matrix-product": 2 * size**3 / seconds_of(lambda: torch.mm(a, b, out=c)),
            "memory-copy": 8 * source.numel() / seconds_of(lambda: target.copy_(source))}


def value_of(report, what, precision=None):
    [record] = [r for r in report["fingerprint"] if r["what"] == what and r.get("precision") == precision]
    return record


def ours_and_python(report):
    product, copy = value_of(report, "matrix-product", "fp32"), value_of(report, "memory-copy")
    size = int(product["method"].split(" x ")[0])
    return {"matrix-product": product["value"], "memory-copy": copy["value"]}, rates_of_python(product["threads"], size, 128)


def agrees(ours, python):
    """`python`: all of its measurements so far."""
    return all(LOWEST * min(one[name] for one in python) < rate < HIGHEST * max(one[name] for one in python) for name, rate in ours.items())


def check_report(report):
    VALIDATOR.validate(report)
    check(report["invocation"]["command"] == "doctor" and report["points"] == [], report["invocation"])
    records = report["fingerprint"]
    check([kind for kind in KINDS if kind not in {r["what"] for r in records}] == [], records)
    for record in records:
        check(("value" in record) != ("reason" in record), record)
        if "value" not in record:
            continue
        check(record["n"] >= 2 and 0 < record["seconds"] < 200, record)
        low, high = record.get("ci95", [record["value"]] * 2)
        check(low <= record["value"] <= high, record)
    check("no peer" in value_of(report, "all-reduce")["reason"], records)
    # The gate of runs: what others did meanwhile marks each value, is a finding, and forbids to quote them.
    disturbed = [bool(record.get("disturbed")) for record in records if "value" in record]
    check(len(set(disturbed)) == 1, records)
    codes = {finding["code"] for finding in report["findings"]}
    check(disturbed[0] == bool(codes & {"shared", "throttled"}), report["findings"])
    check(report["verdict"]["level"] == ("do_not_quote" if disturbed[0] else "with_care"), report["verdict"])


@contextlib.contextmanager
def beside_another_program():
    """Something that uses a CPU as long as it lasts."""
    other = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        other.kill()
        other.wait()


def reports_the_disturbance():
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        with beside_another_program():
            text = run("doctor", "--measure", "--output", folder / "first").stdout
        for words in ("matrix product fp32", "measured while something else used the machine", "other processes used", "GFLOP/s", "memory copy", "image loader", "all-reduce: doctor is one process"):
            check(words in text, text)
        report = json.loads((folder / "first/report.json").read_text())
        check_report(report)
        check(report["verdict"]["level"] == "do_not_quote", report["verdict"])
        # Nothing but the report is left where files were made.
        check([p.name for p in folder.rglob("*")] == ["first", "report.json"], list(folder.rglob("*")))
        done = run("compare", folder / "first", folder / "first")
        check("left out: something else used the machine meanwhile" in " ".join(done.stdout.split()), done.stdout)


def beside_python():
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        run("doctor", "--measure", "--output", folder / "first")
        report = json.loads((folder / "first/report.json").read_text())
        python = []
        for attempt in range(ATTEMPTS):
            ours, rates = ours_and_python(report)
            python.append(rates)
            print({name: round(ours[name] / rate, 2) for name, rate in rates.items()}, flush=True)
            if agrees(ours, python):
                break
            check(attempt + 1 < ATTEMPTS, f"ours: {ours}; Python's: {python}")
            report = json.loads(run("doctor", "--measure", "--log-format", "json", "--output", folder / f"again{attempt}").stdout)


if __name__ == "__main__":
    beside_python() if "beside_python" in sys.argv else reports_the_disturbance()
