"""Functions and files are as short as CONTRIBUTING.md says; scripts/sizes counts."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from program import check, skip

if not shutil.which("ctags"):
    skip("universal-ctags is not installed")
script = Path(os.environ["SCALEMARK_SOURCE_DIR"]) / "scripts/sizes"
done = subprocess.run([sys.executable, str(script), "--check"], text=True, capture_output=True)
print(done.stdout)
check(done.returncode == 0, done.stderr)
