"""Comments are sentences: none opens with a bare "Of", "That of", "Those", "What", "As" or "Absent".

A line counts that is nothing but a comment (// in C++, CUDA and JavaScript; # in Python, CMake and shell) and begins with one of
the words, in the middle of a paragraph, too. So does a comment behind code, in capitals or not. A file that
a comment names by its path is there.
"""

import os
import re
from pathlib import Path
from runpy import run_path

from program import check

SOURCE = Path(os.environ["SCALEMARK_SOURCE_DIR"])
FOLDERS = ("core", "report", "claims", "data", "engine", "apps", "kernels", "workloads", "tools", "tests", "scripts", "cmake")
ENDINGS = {".h", ".cpp", ".cu", ".cuh", ".inc", ".js", ".py", ".cmake", ".sh"}
FRAGMENT = run_path(str(SOURCE / "scripts/sizes"))["FRAGMENT"]  # scripts/sizes counts those of the product


def is_source(file):
    return file.suffix in ENDINGS or file.name == "CMakeLists.txt" or (file.parent.name == "scripts" and not file.suffix)


files = sorted(p for folder in FOLDERS for p in (SOURCE / folder).rglob("*") if p.is_file() and is_source(p))
found = [f"{file.relative_to(SOURCE)}:{number}: {line.strip()}" for file in files
         for number, line in enumerate(file.read_text().splitlines(), 1) if FRAGMENT.search(line)]
check(not found, f"{len(found)} comments open with a bare word:\n" + "\n".join(found))
PATH = re.compile(r"(?<![\w/.-])(?:core|report|claims|data|engine|apps|kernels|workloads|tools|tests|scripts|docs)/[\w/.-]*\.(?:h|cpp|cu|cuh|inc|js|py|md)\b")
gone = [f"{file.relative_to(SOURCE)}:{number}: {path}" for file in files if file.name != "comments_test.py"
        for number, line in enumerate(file.read_text().splitlines(), 1) if (comment := re.search(r"(?:^|\s)(?://|#) .*", line))
        for path in PATH.findall(comment.group()) if not (SOURCE / path).exists()]
check(not gone, "comments name files that are not there:\n" + "\n".join(gone))
print(f"none of the comments of {len(files)} files opens with a bare word")
