"""Functions and units are as long as BUILDING.md says, and headers have readers; scripts/sizes counts."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from program import check, skip
from ratchets import hold

if not shutil.which("ctags"):
    skip("universal-ctags is not installed")
script = Path(os.environ["SCALEMARK_SOURCE_DIR"]) / "scripts/sizes"
done = subprocess.run([sys.executable, str(script), "--json"], text=True, capture_output=True)
check(done.returncode == 0, done.stderr)
found = json.loads(done.stdout)
p90 = found["sizes"]["product"]["function p90"]
check(p90 <= 17, f"a tenth of the functions have more than {p90} lines, 17 are allowed")
check(not found["long functions"], f"functions with more than 60 lines that are no tables: {found['long functions']}")
hold("units above 400 lines", [f"{name}: {lines}" for name, lines in found["long units"].items()])
hold("headers with fewer than two readers", found["headers with fewer than two readers"])
hold("headers with fewer than two readers in the product",
     [f"{header}: {reason}" for header, reason in found["headers with fewer than two readers in the product"].items()])
check(not found["of those without a reason"], f"put these headers into the .cpp that reads them: {found['of those without a reason']}")
hold("words of the glossary", found["words of the glossary"])
print({name: row for name, row in found["sizes"]["product"].items() if name != "files"})
