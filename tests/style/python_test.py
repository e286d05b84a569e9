"""No Python file uses a name that nobody defines or imports one that it does not use (ruff, the rules of pyflakes). A test that is
not run often would show it only on the day it is needed."""

import importlib.util
import os
import subprocess
import sys

from program import check, skip

SOURCE = os.environ["SCALEMARK_SOURCE_DIR"]
if not importlib.util.find_spec("ruff"):
    skip("ruff is not installed; scripts/test installs it (requirements-test.txt)")
listed = subprocess.run(["git", "-C", SOURCE, "grep", "-lE", "--no-color", "-e", "^#!.*python3?$", "--", "scripts"],
                        capture_output=True, text=True).stdout.split()
files = subprocess.run(["git", "-C", SOURCE, "ls-files", "*.py"], capture_output=True, text=True).stdout.split() + listed
if not files:
    skip("this is no git checkout")
found = subprocess.run([sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--quiet", "--select", "F",
                        "--output-format", "concise", *files], cwd=SOURCE, capture_output=True, text=True)
check(found.returncode == 0, found.stdout + found.stderr)
print(f"{len(files)} files use what they import and define what they use")
