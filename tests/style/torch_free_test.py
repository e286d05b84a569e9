"""No file of the torch-free half includes torch, and none that nvcc compiles. data/load/batch.h hands tensors to the engine: only what uses torch includes it."""

import os
import re
from pathlib import Path

from program import check

SOURCE = Path(os.environ["SCALEMARK_SOURCE_DIR"])
TORCH = re.compile(r'^\s*#\s*include\s+[<"]((?:torch|ATen|c10|caffe2)/[^>"]+|data/batch\.h)[>"]', re.M)
OURS = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)

files = [p for top in ("core", "report", "claims", "data", "kernels", "apps") for p in (SOURCE / top).rglob("*") if p.suffix in (".h", ".cpp", ".inc")]
check(len(files) > 350, len(files))


def included_by(file, seen):
    """`file` and what it includes of ours, into `seen`: nvcc parses all of it, once for each generation of GPUs."""
    if file not in seen:
        seen.add(file)
        for name in OURS.findall(file.read_text()):
            if (SOURCE / name).exists():
                included_by(SOURCE / name, seen)


kernels = set()
for ending in ("cu", "cuh"):
    for file in (SOURCE / "engine").rglob("*." + ending):
        included_by(file, kernels)
check(len(kernels) > 12, sorted(kernels))
for file in files + sorted(kernels):
    found = TORCH.search(file.read_text())
    name = file.relative_to(SOURCE).as_posix()
    check(not found or name == "data/load/batch.h", f"{name} includes {found and found.group(1)}")
print(f"{len(files)} files of core, data, kernels and apps and {len(kernels)} of CUDA kernels know no torch")
