"""--scale-down brings every configuration that the program has built in to this machine: it ends with 0, and its report says what was
changed and that it shows the method only. What it is about must be here: else it ends with 78 and one line.

`scale_down_test.py refused | listed | NAME...`
"""

import functools
import json
import os

from endings import run_cases
from program import check, report_in, run
from sweeps import SOURCE, VALIDATOR

CONFIGS = SOURCE / "configs"
# They compare something that only a GPU has.
REFUSED = ("cuda-graphs", "pin-memory")
TIME = "30s" if os.environ.get("SCALEMARK_SOAK") == "full" else "12s"
SHORTER = {"allreduce": "5s"}  # comm never leaves points out


def names():
    files = [*CONFIGS.glob("*.json"), *CONFIGS.glob("acceptance/*.json")]
    return sorted(str(file.relative_to(CONFIGS).with_suffix("")) for file in files)


def command_of(name):
    return json.loads((CONFIGS / f"{name}.json").read_text())["command"]


def refused(folder):
    for name in REFUSED:
        lines = run(command_of(name), "--config", name, "--scale-down", expect=78, cwd=folder, CUDA_VISIBLE_DEVICES="").stderr.splitlines()
        check(len(lines) == 1 and "exit 78" in lines[0], f"{name}: {lines}")
    check(not list(folder.iterdir()), "something was written")


def listed(folder):
    """Configurations are found by name and from anywhere, each with its text."""
    out = run("configs", cwd=folder).stdout
    missing = [name for name in names() if f"{name} (" not in out]
    check(not missing, f"not listed: {missing}")
    check(run("configs", "overlap").stdout == (CONFIGS / "overlap.json").read_text(), "another text than the file's")
    about = json.loads((CONFIGS / "overlap.json").read_text())["about"]
    check(run("sweep", "--config", "overlap", "--dry-run", cwd=folder).stdout.startswith(about), "--dry-run does not say what it shows")


def measured(name, folder):
    command = command_of(name)
    out = folder / "out"
    run(command, "--config", name, f"--scale-down={SHORTER.get(name, TIME)}", "--no-progress", "--output", out, cwd=folder)
    report = report_in(out)
    VALIDATOR.validate(report)
    check(report["status"] == "complete" and report["exit_code"] == 0, f"{name}: {report['status']}")
    check(len(report["invocation"]["about"]) > 80, f"{name}: the report does not say what it shows")
    changes = report.get("scaled_down", [])
    reasons = [reason["code"] for reason in report["verdict"]["reasons"]]
    check(bool(changes) == ("scaled_down" in reasons) or report["verdict"]["level"] == "do_not_quote", f"{name}: {changes}, {reasons}")
    if changes:
        check(report["verdict"]["level"] != "quotable", f"{name}: scaled down and {report['verdict']}")
    ok = [row for row in report["points"] + report.get("collectives", []) + report.get("links", []) if row.get("status", "ok") == "ok"]
    check(ok, f"{name}: nothing was measured")


run_cases({"refused": refused, "listed": listed} | {name: functools.partial(measured, name) for name in names() if name not in REFUSED})
