"""What people read of three reports, quiet, disturbed and of collectives, is what stands in printed/: each command that reads reports.

With SCALEMARK_WRITE=1 it is written there anew. Costs 2 s of CPU time."""

import difflib
import json
import os
import subprocess
import tempfile
from pathlib import Path

from program import BUILD, run

PRINTED = Path(__file__).parent / "printed"
QUIET, DISTURBED, COLLECTIVES = ("quiet.json",), ("disturbed.json",), ("collectives.json",)
COMMANDS = {
    "quiet": [("report", *QUIET), ("report", *QUIET, "--details"), ("explain", *QUIET), ("explain", *QUIET, *COLLECTIVES),
              ("predict", *QUIET, "--world-sizes", "2,16,64"), ("lint", *QUIET)],
    "disturbed": [("report", *DISTURBED), ("report", *DISTURBED, "--details"), ("report", *DISTURBED, "--withheld"), ("explain", *DISTURBED),
                  ("predict", *DISTURBED, "--world-sizes", "2,16"), ("judge", *DISTURBED), ("compare", "--old", *QUIET, "--new", *DISTURBED)],
    "collectives": [("report", *COLLECTIVES), ("report", *COLLECTIVES, "--details")],
}


def disturbed(report):
    """Other programs used 1.4 CPUs in every run that was measured."""
    said = {"code": "shared", "severity": "warning", "domain": "hardware", "text": "gpu-node-07: other processes used 1.40 CPUs (limit 0.50)",
            "values": {"others": 1.4, "limit": 0.5}, "words": {"where": "gpu-node-07"}}
    runs = [point["id"] for point in report["points"] if point["status"] == "ok"]
    command = {**report["invocation"], "command_line": "scalemark sweep --workload resnet50 --world-sizes 1,2,8 --output results/runs/a"}
    return {**report, "run_id": "another", "invocation": command,
            "findings": [*report["findings"], *({**said, "point": run} for run in runs)]}


def printed(folder, command):
    done = run(*command, cwd=folder)
    end = f"exit code {done.returncode}\n" if done.returncode else ""
    return f"$ scalemark {' '.join(command)}\n{done.stdout}{done.stderr}{end}\n"


with tempfile.TemporaryDirectory() as name:
    reports = Path(name)
    subprocess.run([BUILD / "tests/core_tool", "write-sweeps", reports], check=True)
    quiet = json.loads((reports / "planted.json").read_text())
    (reports / "quiet.json").write_text(json.dumps(quiet))
    (reports / "disturbed.json").write_text(json.dumps(disturbed(quiet)))
    for kind, commands in COMMANDS.items():
        text = "".join(printed(reports, command) for command in commands)
        file = PRINTED / f"{kind}.txt"
        if os.environ.get("SCALEMARK_WRITE"):
            file.write_text(text)
        lines = difflib.unified_diff(file.read_text().splitlines(), text.splitlines(), str(file), "printed now", lineterm="")
        assert text == file.read_text(), "\n".join(lines)
