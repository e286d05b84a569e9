"""C++, CUDA, vector code and JavaScript are as clang-format writes them (.clang-format).

Other .inc files are lists, whose rows are longer than a line, or are written by scripts.
"""

import os
import shutil
import subprocess

from program import check, skip

SOURCE = os.environ["SCALEMARK_SOURCE_DIR"]
formatter = shutil.which("clang-format")
if not formatter:
    skip("clang-format is not installed")
listed = subprocess.run(["git", "-C", SOURCE, "ls-files", "*.h", "*.cpp", "*.cu", "*.cuh", "*.js", "kernels/*.inc", "tools/*.inc"], capture_output=True, text=True)
files = listed.stdout.split()
if not files:
    skip("this is no git checkout")
found = subprocess.run([formatter, "--dry-run", "-Werror", *files], cwd=SOURCE, capture_output=True, text=True)
wrong = sorted({line.split(":")[0] for line in found.stderr.splitlines() if "error:" in line})
check(not wrong, f"clang-format -i {' '.join(wrong)}")
print(f"{len(files)} files are formatted")
