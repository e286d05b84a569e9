"""docs/REPORT.md, "Codes of findings", lists exactly the codes that the sources use, with their severities."""

import os
import re
from pathlib import Path

from program import check

SOURCE = Path(os.environ["SCALEMARK_SOURCE_DIR"])
used = set()
for folder in ("apps", "core", "engine"):
    for file in (SOURCE / folder).rglob("*.cpp"):
        if file.parent.name == "render":  # shows findings, makes none
            continue
        used |= set(re.findall(r'"([a-z_]+)",\s*"(info|warning|error)"', file.read_text()))
used.discard(("error", "error"))  # an event of the journal
page = (SOURCE / "docs/REPORT.md").read_text()
section = page[page.index("## Codes of findings"):]
section = section[:section.index("\n## ", 1)]
listed = set(re.findall(r"^\| `([a-z_]+)` \| (\w+) \| \S", section, re.M))
check(len(used) > 20 and {code for code, _ in used} >= {"straggler", "padding", "communication_cost"}, used)
check(used == listed, f"missing in docs/REPORT.md: {used - listed}; not in the sources: {listed - used}")
