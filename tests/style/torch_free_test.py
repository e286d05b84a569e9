"""No file of the torch-free half includes torch. data/batch.h hands tensors to the engine: only what uses torch includes it."""

import os
import re
from pathlib import Path

from program import check

SOURCE = Path(os.environ["SCALEMARK_SOURCE_DIR"])
TORCH = re.compile(r'^\s*#\s*include\s+[<"]((?:torch|ATen|c10|caffe2)/[^>"]+|data/batch\.h)[>"]', re.M)

files = [p for module in ("core", "data", "kernels", "apps") for p in (SOURCE / module).rglob("*") if p.suffix in (".h", ".cpp", ".inc")]
check(len(files) > 350, len(files))
for file in files:
    found = TORCH.search(file.read_text())
    name = file.relative_to(SOURCE).as_posix()
    check(not found or name == "data/batch.h", f"{name} includes {found and found.group(1)}")
print(f"{len(files)} files of core, data, kernels and apps know no torch")
