"""Every text of every command at terminals of 60, 80 and 120 columns, and in a pipe: no line is wider than the terminal where it could
break between words, no word is broken or lost, what can be pasted is still one command, and nothing is cut in a pipe. Costs 12 s of CPU."""

import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from program import BUILD, LAUNCHERS, PROGRAM
from terminals import drawn

SOURCE = Path(os.environ["SCALEMARK_SOURCE_DIR"])
WIDTHS = (60, 80, 120)
COMMANDS = [name.split() for name in
            re.findall(r'^SCALEMARK_COMMAND\(\w+, "([^"]+)"', (SOURCE / "core/settings/command_list.inc").read_text(), re.M)]
SWEPT = ("--workload", "resnet50,bert-mini", "--world-sizes", "1,2", "--strategy", "ddp,sharded,local-sgd", "--batch-size", "8,256", "--output", "out")
H100 = [SOURCE / f"results/measured/2026-11-26-h100/{name}.jsonl" for name in ("acceptance", "speed-resnet50-bf16", "speed-bert-base-128")]
EXACT = [  # each width has the same words
    [], ["--version"], ["no-such-command"], ["configs"], *([*command, "--help"] for command in COMMANDS),
    *([*command, "--help-all"] for command in COMMANDS), *([*command, "--no-such-option"] for command in COMMANDS), ["train", "--help", "strategy"],
    ["train", "--help", "launch"], ["train", "--workload", "resnet5"], ["train", "--batch-size", "0"], ["train", "--device", "cuda", "--threads", "many"],
    ["sweep", "--batch-size", "1.."], ["report", "nothing.json"], ["report", SOURCE / "README.md"], ["report", "quiet.json", "--format", "markdown"],
    ["data", "verify", SOURCE / "docs"], ["published", "show", "nothing"], ["top", "."], ["import", SOURCE / "README.md", "--output", "rows.jsonl"],
    ["doctor"], ["train", "--dry-run", "--details", "--workload", "resnet50", "--output", "out"], ["train", "--dry-run", "--output", "out"], ["lint", "--explain", "speedup"], ["lint", "quiet.json"], ["lint", "disturbed.json"],
]
LAID_OUT = [  # a table that does not fit loses columns, or its rows become sentences
    *(["report", f"{name}.json", *more] for name in ("quiet", "disturbed", "collectives", "whole_steps")
      for more in ([], ["--details"], ["--withheld"])),
    ["report", "quiet.json", "disturbed.json"], ["report", "--example"], ["explain", "quiet.json"], ["explain", "quiet.json", "collectives.json"],
    ["predict", "quiet.json", "--world-sizes", "2,16,64"], ["predict", "disturbed.json", "--world-sizes", "16"],
    ["compare", "--old", "quiet.json", "--new", "disturbed.json"], ["compare", "--old", "quiet.json", "--new", "quiet.json", "--details"],
    ["accept", *H100], ["accept", *H100, "--details"], ["accept", *H100, "--dry-run"], ["published", "list", "a100"], ["published", "lint"],
    ["published", "show", "practice"], ["published", "show", "dle-resnet50-a100"], ["sweep", *SWEPT, "--dry-run", "--nproc-per-node", "2"],
    ["sweep", "--config", "precision", "--dry-run", "--nproc-per-node", "2", "--output", "out"], ["comm", "--dry-run", "--nproc-per-node", "2", "--output", "out"],
    ["sweep", *SWEPT, "--dry-run", "--details", "--nproc-per-node", "2"], ["comm", "--dry-run", "--details", "--output", "out"],
    ["reproduce", "dle-resnet50-a100", "--dry-run"],
]
ENVIRONMENT = {name: value for name, value in os.environ.items() if not LAUNCHERS.match(name) and name != "PAGER"}
ENVIRONMENT.update(NO_COLOR="1", TERM="xterm")


def at_a_terminal(command, columns):
    return drawn([PROGRAM, *command], columns, ENVIRONMENT)[1].replace("\r\n", "\n")


def in_a_pipe(command):
    done = subprocess.run([PROGRAM, *command], env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    return done.stdout.decode()


def words_of(text):
    return text.replace(" \\\n", "\n").split()


def can_break(line):
    """Returns whether a line has blanks at which it could have ended: those of words, not those in quotes."""
    words = line.strip().removesuffix(" \\")
    if words.startswith(("{", "}", '"')):  # JSON, which no line end may enter
        return False
    quoted = words.count("'") % 2 == 0 and words.count('"') % 2 == 0
    try:
        return len(shlex.split(words) if quoted else words.split()) > 1
    except ValueError:
        return True


def commands_in(text):
    """The commands to be pasted, as a shell reads them."""
    found = re.findall(r"(?:^ *|  )(scalemark [a-z](?:[^\n]|(?<=\\)\n)*)", text.replace(" \\\n", " \\\n"), re.M)
    return [" ".join(re.split(r"  | # ", re.sub(r" \\\n *", " ", one))[0].split()) for one in found]


def check(command, exact):
    faults = []
    piped = in_a_pipe(command)
    if re.search(r"[^,\s] \.\.\.(?:\n|  )", piped):
        faults.append("cut in a pipe")
    wide = words_of(at_a_terminal(command, 200))
    known = {word.strip(",.;:()-") for word in [*wide, *words_of(piped), "-"]}
    for columns in WIDTHS:
        text = at_a_terminal(command, columns)
        faults += [f"{columns} columns: {len(line)} in {line!r}" for line in text.split("\n") if len(line) > columns and can_break(line)]
        words = words_of(text)
        if exact and words != words_of(piped):
            changed = next((pair for pair in zip(words, words_of(piped)) if pair[0] != pair[1]), "the end")
            faults.append(f"{columns} columns: other words than in the pipe: {changed}")
        faults += [f"{columns} columns: {word!r} is no word of the wide text" for word in words if word.strip(",.;:()-") not in known]
        if "--help" in command and commands_in(text) != commands_in(piped):
            faults.append(f"{columns} columns: {commands_in(text)} instead of {commands_in(piped)}")
    return [f"scalemark {' '.join(map(str, command))}: {fault}" for fault in faults]


def make_reports():
    subprocess.run([BUILD / "tests/core_tool", "write-sweeps", "."], check=True)
    quiet = json.loads(Path("planted.json").read_text())
    said = {"code": "shared", "severity": "warning", "domain": "hardware", "text": "gpu-node-07: other processes used 1.40 CPUs (limit 0.50)",
            "values": {"others": 1.4, "limit": 0.5}, "words": {"where": "gpu-node-07"}}
    runs = [point["id"] for point in quiet["points"] if point["status"] == "ok"]
    Path("quiet.json").write_text(json.dumps(quiet))
    Path("disturbed.json").write_text(json.dumps(
        {**quiet, "run_id": "another", "findings": [*quiet["findings"], *({**said, "point": run} for run in runs)]}))


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    make_reports()
    with concurrent.futures.ThreadPoolExecutor(2) as two:
        found = [*two.map(lambda one: check(*one), [(one, True) for one in EXACT] + [(one, False) for one in LAID_OUT])]
    os.chdir(SOURCE)
faulty = [fault for faults in found for fault in faults]
print("\n".join(faulty))
sys.exit(bool(faulty))
