"""The table of docs/LAUNCHING.md with what people type that cannot work."""

import re

from endings import SOURCE
from program import check


def rows():
    """(what is typed, [texts that are quoted of what is then said])."""
    page = (SOURCE / "docs/LAUNCHING.md").read_text()
    table = page[page.index("| typed | what is said |"):].split("\n\n")[0]
    found = []
    for line in table.splitlines()[2:]:
        typed, printed, right = line.strip("| ").split(" | ")
        commands = re.findall(r"`([^`]+)`", typed)
        check(commands and re.search(r"`[^`]+`", right), f"a row without commands: {line}")
        found.append((commands[0], re.findall(r"`([^`]+)`", printed)))
    return found


def is_slurms(command):
    return command.startswith(("srun ", "sbatch "))
