"""What the sources include is what the table "Modules" of docs/ARCHITECTURE.md allows."""

import os
import re
from pathlib import Path

from program import check

SOURCE = Path(os.environ["SCALEMARK_SOURCE_DIR"])
page = (SOURCE / "docs/ARCHITECTURE.md").read_text()
rows = re.findall(r"^\| `([a-z/]+)` \| .* \| (.*) \|$", page, re.M)
modules = [module for module, _ in rows]
check(len(modules) > 15, modules)


def module_of(path):
    """ "report" of "report/say/render/text.h"; None for what no row of the table holds."""
    return max((module for module in modules if path.startswith(module + "/")), key=len, default=None)


def full_name(entry):
    """ "statistics" is core/statistics, "launching/world.h" one header of it."""
    found = [p for p in (entry, "core/" + entry, "engine/" + entry) if (SOURCE / p).exists()]
    check(found, f"docs/ARCHITECTURE.md names {entry}, which is not there")
    return found[0]


def allowed(i, cell):
    """Modules and single headers that row `i` may include, itself among them."""
    names = {modules[i]}
    for entry in re.split(r"[,;] ", cell):
        if entry == "everything above":
            names |= set(modules[:i])
        elif entry == "everything in core":
            names |= {module for module in modules if module.startswith("core/")}
        elif entry != "nothing of ours":
            names.add(full_name(entry))
    return names


missing = {p.relative_to(SOURCE).as_posix() for top in ("core", "report", "claims", "engine") for p in (SOURCE / top).iterdir() if p.is_dir()}
missing = {folder for folder in missing if not any((module + "/").startswith(folder + "/") for module in modules)}
check(not missing, f"no row for {missing}")
seen = 0
for i, (module, cell) in enumerate(rows):
    names = allowed(i, cell)
    for file in [p for ending in ("cpp", "h", "cu", "cuh") for p in (SOURCE / module).rglob("*." + ending)]:
        for header in re.findall(r'^#include "((?:core|report|claims|data|kernels|workloads|engine|apps|tools)/[^"]+)"', file.read_text(), re.M):
            seen += 1
            check(header in names or module_of(header) in names,
                  f"{file.relative_to(SOURCE)} includes {header}; docs/ARCHITECTURE.md allows {module}: {cell}")
check(seen > 500, seen)
print(f"{seen} includes of {len(modules)} modules are in the table")
