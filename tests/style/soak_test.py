"""scripts/soak --since chooses tests for every folder of the product, and each of its own tests for some folder. Nothing is run."""

import os
import sys
from pathlib import Path

from program import check

SOURCE = Path(os.environ["SCALEMARK_SOURCE_DIR"])
sys.dont_write_bytecode = True  # no cache beside the scripts
sys.path.insert(0, str(SOURCE / "scripts/lib"))
from entries import entries_of, expression, in_full_only, tests_of  # noqa: E402

ROOTS = ("apps", "core", "report", "claims", "data", "engine", "kernels", "tools", "workloads")
EXAMPLES = {
    "core/collectives/check.h": {"tests/core/collectives"},
    "core/statistics/significance.cpp": {"tests/core/statistics", "tests/acceptance"},
    "data/images/codecs.cpp": {"tests/data", "tests/learning"},
    "engine/mpi/peers.cpp": {"tests/engine/mpi", "tests/launch"},
    "tests/fault/losses_test.py": {"tests/fault"},
    "tools/statistics/steady.cpp": {"tests/core/statistics"},
    "core/live/tensorboard/events.cpp": {"tests/launch"},
    "tests/test_main.cpp": {"tests/cmake"},
    "tests/python/slurm.py": {"tests/launch"},
    "scripts/statistics": {"tests/core/statistics"},
    "CMakeLists.txt": {"tests/cmake"},
}

entries = entries_of(os.environ["SCALEMARK_BINARY_DIR"])
folders = {entry.folder for entry in entries}
for place, expected in EXAMPLES.items():
    check((SOURCE / place).exists(), f"there is no {place}")
    check(expected <= tests_of(place, folders), f"{place}: {tests_of(place, folders)}, expected {expected} among them")
check(not tests_of("docs/reference/REPORT.md", folders) and not tests_of("README.md", folders), "pages of text have tests of their own")
check("tests/launch" not in tests_of("core/statistics/significance.cpp", folders), "statistics start no ranks")

places = {str(file.parent.relative_to(SOURCE)) for root in ROOTS for file in (SOURCE / root).rglob("*.cpp")}
check(len(places) > 40, places)
judged = {place: tests_of(f"{place}/file.cpp", folders) for place in places}
nowhere = sorted(place for place, found in judged.items() if not found)
check(not nowhere, f"no test is chosen for {nowhere}")
own = {entry.folder for entry in entries if in_full_only(entry)}
left_out = own - set().union(*judged.values()) - tests_of("CMakeLists.txt", folders)
check(own and not left_out, f"whatever changes, none of these is run: {left_out}")
check(expression([entries[0]._replace(name="data.pack-all_2")]) == "^(data[.]pack-all_2)$", expression(entries[:1]))
print(f"{len(places)} folders of the product have their tests, {len(own)} folders of tests that scripts/soak runs their reason")
