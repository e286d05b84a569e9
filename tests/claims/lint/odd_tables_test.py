"""Tables with odd content that are right, and subtly wrong ones: `lint` accuses none of the first and finds most of the others.

odd_tables.txt holds them, each below a line with what it is and its ending ("cr.csv": lines end with CR). All numbers are made up."""

import json
import os
import tempfile
from pathlib import Path

from program import check, run

TABLES = Path(os.environ["SCALEMARK_SOURCE_DIR"]) / "tests/claims/lint/odd_tables.txt"
NOT_FOUND = 3


def written(folder):
    """Writes each table into a file; returns their names by what they are."""
    files = {"right": [], "wrong": []}
    for number, part in enumerate(TABLES.read_text().split("@@ ")[1:]):
        head, text = part.split("\n", 1)
        kind, ending = head.split()
        file = folder / f"{number}.{ending}"
        file.write_bytes(text.replace("\n", "\r" if ending.startswith("cr.") else "\n").encode())
        files[kind].append(file)
    return files


def accused(files):
    """The files with an error or a warning."""
    done = run("lint", *files, "--format", "jsonl", "--fail-on", "none")
    check(done.stderr == "", done.stderr)
    findings = [json.loads(line) for line in done.stdout.splitlines()]
    names = {str(file): file for file in files}
    return {names[one["table"].split(", ")[0]]: one["text"] for one in findings if one["severity"] != "info"}


with tempfile.TemporaryDirectory() as name:
    files = written(Path(name))
    false = accused(files["right"])
    check(not false, [(file.read_text(), text) for file, text in false.items()])
    found = accused(files["wrong"])
    missed = [file.read_text() for file in files["wrong"] if file not in found]
    check(len(missed) <= NOT_FOUND, "\n".join(missed))
    print(f"0 of {len(files['right'])} right tables are accused, {len(found)} of {len(files['wrong'])} wrong ones found")
