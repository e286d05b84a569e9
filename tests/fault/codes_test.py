"""docs/FAULTS.md lists exactly the error codes that the sources use, and every exit code."""

import os
import re
from pathlib import Path

from program import check

SOURCE = Path(os.environ["SCALEMARK_SOURCE_DIR"])
used = set()
for folder in ("apps", "core", "report", "claims", "engine", "data", "workloads"):
    for file in (SOURCE / folder).rglob("*.[ch]*"):
        used |= set(re.findall(r'"(E_[A-Z_]+)"', file.read_text()))
page = (SOURCE / "docs/FAULTS.md").read_text()
listed = set(re.findall(r"\bE_[A-Z_]+\b", page))
check(len(used) > 20, used)
check(used == listed, f"missing in docs/FAULTS.md: {used - listed}; not in the sources: {listed - used}")
codes = set(re.findall(r"= (\d+),", (SOURCE / "core/base/error.h").read_text()))
rows = set(re.findall(r"^\| (\d+) \|", page, re.M))
check(codes == rows, f"exit codes {codes ^ rows}")
