"""What the sources include is what the table "Rooms" of docs/ARCHITECTURE.md allows."""

import os
import re
from pathlib import Path

from program import check

SOURCE = Path(os.environ["SCALEMARK_SOURCE_DIR"])
page = (SOURCE / "docs/ARCHITECTURE.md").read_text()
rows = re.findall(r"^\| `([a-z/]+)` \| .* \| (.*) \|$", page, re.M)
rooms = [room for room, _ in rows]
check(len(rooms) > 15, rooms)


def room_of(path):
    """ "core/reporting" of "core/reporting/render/text.h"; None for what no row of the table holds."""
    return max((room for room in rooms if path.startswith(room + "/")), key=len, default=None)


def full_name(entry):
    """ "statistics" is core/statistics, "launching/world.h" one header of it."""
    found = [p for p in (entry, "core/" + entry, "engine/" + entry) if (SOURCE / p).exists()]
    check(found, f"docs/ARCHITECTURE.md names {entry}, which is not there")
    return found[0]


def allowed(i, cell):
    """Rooms and single headers that row `i` may include, itself among them."""
    names = {rooms[i]}
    for entry in re.split(r"[,;] ", cell):
        if entry == "everything above":
            names |= set(rooms[:i])
        elif entry == "everything in core":
            names |= {room for room in rooms if room.startswith("core/")}
        elif entry != "nothing of ours":
            names.add(full_name(entry))
    return names


missing = {p.relative_to(SOURCE).as_posix() for top in ("core", "engine") for p in (SOURCE / top).iterdir() if p.is_dir()}
missing = {folder for folder in missing if not any((room + "/").startswith(folder + "/") for room in rooms)}
check(not missing, f"no row for {missing}")
MOST_UNITS = 20  # a .h with its .cpp is one: what a newcomer can hold in the head
for room in (room for room in rooms if room.startswith("core/reporting/")):
    units = {file.stem for file in (SOURCE / room).iterdir() if file.suffix in (".h", ".cpp")}
    check(len(units) <= MOST_UNITS, f"{room} holds {len(units)} units, more than {MOST_UNITS}: {sorted(units)}")
seen = 0
for i, (room, cell) in enumerate(rows):
    names = allowed(i, cell)
    for file in [p for ending in ("cpp", "h", "cu", "cuh") for p in (SOURCE / room).rglob("*." + ending)]:
        for header in re.findall(r'^#include "((?:core|data|workloads|engine|apps)/[^"]+)"', file.read_text(), re.M):
            seen += 1
            check(header in names or room_of(header) in names,
                  f"{file.relative_to(SOURCE)} includes {header}; docs/ARCHITECTURE.md allows {room}: {cell}")
check(seen > 500, seen)
print(f"{seen} includes of {len(rooms)} rooms are in the table")
