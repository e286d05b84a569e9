"""The schemas and tables of docs/reference, docs/LINT.md and docs/GLOSSARY.md are what the lists of fields, findings, rules and words say, and configs/README.md what the
program has built in."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from program import BINARY_DIR, check

SOURCE = Path(os.environ["SCALEMARK_SOURCE_DIR"])
TOOL = BINARY_DIR / "tests/core_tool"

with tempfile.TemporaryDirectory() as folder:
    (Path(folder) / "reference").mkdir()
    for page in ("reference/REPORT.md", "DIAGNOSIS.md", "LINT.md", "GLOSSARY.md", "reference/STATUS.md"):
        shutil.copy(SOURCE / "docs" / page, Path(folder) / page)
    subprocess.run([TOOL, "write-report-reference", folder], check=True)
    for name in ("reference/report.schema.json", "reference/REPORT.md", "reference/published.schema.json", "DIAGNOSIS.md", "LINT.md", "GLOSSARY.md", "reference/status.schema.json",
                 "reference/STATUS.md"):
        check((Path(folder) / name).read_text() == (SOURCE / "docs" / name).read_text(),
              f"docs/{name} is not what the sources say: run {TOOL.relative_to(BINARY_DIR.parent.parent)} write-report-reference docs")
    for name in ("reference/report.schema.json", "reference/status.schema.json"):
        check('"description": ""' not in (Path(folder) / name).read_text(), f"{name}: a field without a meaning")

with tempfile.TemporaryDirectory() as folder:
    subprocess.run([TOOL, "write-configs-page", folder], check=True)
    check((Path(folder) / "README.md").read_text() == (SOURCE / "configs/README.md").read_text(),
          f"configs/README.md is not what the configurations say: run {TOOL.relative_to(BINARY_DIR.parent.parent)} write-configs-page configs")

declared = {code for name in ("finding", "cause")
            for code in re.findall(r"^SCALEMARK_FINDING\((\w+), ", (SOURCE / f"report/record/{name}_list.inc").read_text(), re.M)}
used = {kind for module in ("apps", "core", "report", "claims", "engine") for file in (SOURCE / module).rglob("*.cpp")
        for kind in re.findall(r"\b(?:finding_)?kinds::([a-z_]+)", file.read_text())} - {"code"}
check(len(declared) > 20 and declared == used, f"declared, but never said: {declared - used}")
print(f"the schema and the page are as the sources say; {len(declared)} findings")
