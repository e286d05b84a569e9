"""Each file, folder and function() that CONTRIBUTING.md and the pages for contributors name in backticks, and each file that begins a
line of an indented list, is there; a name without its folder is some file's."""

import os
import re
from pathlib import Path

from program import check

SOURCE = Path(os.environ["SCALEMARK_SOURCE_DIR"])
PAGES = ("docs/internals/ADDING.md", "docs/internals/BUILDING.md", "docs/internals/ARCHITECTURE.md", "docs/internals/DECISIONS.md")
FOLDERS = ("apps", "cmake", "configs", "core", "report", "claims", "data", "docs", "engine", "kernels", "scripts", "tests", "tools", "workloads")
NAME = re.compile(r"[\w./*-]+\.(?:h|cpp|cu|cuh|inc|py|js|md|json|txt|\*)|(?:%s)/[\w./*-]+" % "|".join(FOLDERS))

files = [p.relative_to(SOURCE).as_posix() for folder in FOLDERS for p in (SOURCE / folder).rglob("*")] + os.listdir(SOURCE)


def is_there(name):
    pattern = re.compile(r"(?:.*/)?" + re.escape(name.rstrip("/")).replace(r"\*", "[^/]*"))
    return any(pattern.fullmatch(file) for file in files)


known = {word for file in files if file.endswith((".h", ".cpp")) for word in re.findall(r"\w+", (SOURCE / file).read_text())}
for page in PAGES:
    text = re.sub(r"^ *```.*?^ *```$", "", (SOURCE / page).read_text(), flags=re.M | re.S)
    codes = re.findall(r"`([^`\n]+)`", text)
    words = [word for code in codes for word in code.split()] + re.findall(r"^ {6}([\w/]+\.(?:h|cpp)) ", text, re.M)
    names = [word for word in words if NAME.fullmatch(word) and "logistic" not in word]  # the example's files are nobody's
    check(len(names) > 20, (page, len(names)))
    missing = sorted({name for name in names if not is_there(name)})
    check(not missing, f"{page} names what is not there: {missing}")
    functions = {name for code in codes for name in re.findall(r"(\w+)\(\)", code)}
    check(functions <= known, f"{page} names functions that are not there: {sorted(functions - known)}")
    print(f"{len(names)} files and folders and {len(functions)} functions that {page} names are there")
