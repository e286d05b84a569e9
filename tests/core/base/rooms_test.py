"""Whatever the sources include is what the table "Rooms" of docs/internals/ARCHITECTURE.md allows, and its arrows go one way: a room includes
rooms above it. docs/internals/FILES.md lists every unit, each in its folder."""

import os
import re
from pathlib import Path

from program import check

SOURCE = Path(os.environ["SCALEMARK_SOURCE_DIR"])
TOPS = ("core", "report", "claims", "data", "kernels", "workloads", "engine", "apps", "tools")
ENDINGS = (".cpp", ".h", ".inc", ".cu", ".cuh")
# A room loads a shared library below it by the header of that library's table.
DOWNWARD = {("engine/device", "engine/cuda/cuda_api.h"), ("engine/distributed", "engine/mpi/mpi_api.h")}

page = (SOURCE / "docs/internals/ARCHITECTURE.md").read_text()
rows = re.findall(r"^\| `([a-z/]+)` \| [^|]* \| ([^|]*) \|$", page.partition("\n## Rooms\n")[2].partition("\n## ")[0], re.M)
rooms = [room for room, _ in rows]
check(len(rooms) > 15 and len(set(rooms)) == len(rooms), rooms)


def room_of(path):
    """ "report/say/render" of "report/say/render/page/page.html"; None for what no row of the table holds."""
    return max((room for room in rooms if path.startswith(room + "/")), key=len, default=None)


def full_name(entry):
    """ "statistics" is core/statistics, "launch/world.h" one header of core/launch."""
    found = [path for path in (entry, *(f"{top}/{entry}" for top in ("core", "report", "claims", "engine"))) if (SOURCE / path).exists()]
    check(len(found) == 1, f"docs/internals/ARCHITECTURE.md names {entry}, which is {found or 'not there'}")
    return found[0]


def allowed(i):
    """Rooms and single headers that row `i` may include, without itself."""
    room, cell = rows[i]
    if cell == "nothing of ours":
        return set()
    names = {"core/base"}
    for entry in re.split(r"[,;] ", cell):
        if entry == "everything above":
            names |= set(rooms[:i])
        elif entry.startswith("everything in "):
            for top in entry.removeprefix("everything in ").split(" and "):
                above = {other for other in rooms[:i] if other.startswith(top + "/")}
                check(above, f"docs/internals/ARCHITECTURE.md has no room of {top} above {room}")
                names |= above
        else:
            name = full_name(entry)
            holder = name if name in rooms else room_of(name)
            check(holder in rooms[:i] or (room, name) in DOWNWARD,
                  f"docs/internals/ARCHITECTURE.md lets {room} include {name}, which is no room above it")
            names.add(name)
    return names


files = [path for top in TOPS for path in sorted((SOURCE / top).rglob("*")) if path.suffix in ENDINGS]
seen = 0
for file in files:
    name = file.relative_to(SOURCE).as_posix()
    room = room_of(name)
    check(room, f"docs/internals/ARCHITECTURE.md has no room for {name}")
    i = rooms.index(room)
    names = allowed(i) | {room}
    for header in re.findall(rf'^#\s*include "((?:{"|".join(TOPS)})/[^"]+)"', file.read_text(), re.M):
        seen += 1
        check(header in names or room_of(header) in names, f"{name} includes {header}; docs/internals/ARCHITECTURE.md allows {room}: {rows[i][1]}")
check(seen > 500, seen)

index = (SOURCE / "docs/internals/FILES.md").read_text()
listed = set()
for folder, text in re.findall(r"^- `([^`]+)`: (.*(?:\n  .*)*)", index, re.M):
    plain = re.sub(r"\([^()]*(?:\([^()]*\)[^()]*)*\)", "", text.replace("\n ", ""))
    for name in re.split(r", *", plain.partition(";")[0]):
        unit = f"{folder}/{name.strip()}"
        check(unit not in listed, f"docs/internals/FILES.md lists {unit} twice")
        listed.add(unit)
held = {name.as_posix() if name.suffix == ".inc" else name.with_suffix("").as_posix() for name in (file.relative_to(SOURCE) for file in files)}
check(not held - listed, f"docs/internals/FILES.md lacks {sorted(held - listed)}")
gone = {unit for unit in listed - held if not (SOURCE / unit).exists()}
check(not gone, f"docs/internals/FILES.md lists {sorted(gone)}, which are not there")
print(f"{seen} includes among {len(rooms)} rooms are in the table, whose arrows go one way")
