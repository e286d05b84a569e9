"""The entries of ctest, and which of them judge a changed file.

  entries.py BUILD_FOLDER --since COMMIT    prints, as an expression for `ctest -R`, the entries that only scripts/soak runs in full and
                                            that judge what changed since COMMIT; to stderr, what it chose for which folder
  entries.py BUILD_FOLDER                   prints those that CI runs, too, and scripts/soak again in full
"""

import argparse
import json
import re
import subprocess
import sys
from collections import defaultdict, namedtuple
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent.parent
Entry = namedtuple("Entry", "name labels folder")  # the folder whose CMakeLists.txt declares it

# Each folder's own tests are in the folder of the same name below tests/. These, besides, show the work of several: of
# all that is below the named folders.
SHOW = {
    "tests/acceptance": ("report", "core/statistics", "apps", "engine/fingerprint"),
    "tests/cmake": ("cmake",),
    "tests/claims/judge": ("claims/rows",),
    "tests/core/statistics": ("tools/programs", "tools/statistics", "scripts"),
    "tests/engine/step": ("core/catalogue", "kernels", "workloads"),
    "tests/fault": ("apps", "core/launch", "core/plan", "report", "engine/api", "engine/comm", "engine/distributed",
                    "engine/process", "engine/train", "engine/sweep"),
    "tests/gpu": ("cmake", "scripts", "engine/cuda", "core/machine"),
    "tests/launch": ("apps", "cmake", "configs", "scripts", "core/base", "core/launch", "core/live", "core/plan", "core/settings", "core/live/tensorboard", "engine"),
    "tests/learning": ("data", "kernels", "workloads", "engine/train", "engine/step"),
    "tests/monitoring": ("configs", "core/live", "core/base/page"),
    "tests/nullcuda": ("cmake", "engine/cuda", "engine/device", "engine/train", "engine/step", "workloads"),
    "tests/nullnccl": ("engine/cuda", "engine/distributed", "engine/process"),
    "tests/recorded": ("report",),
    "tests/style": ("cmake", "core", "report", "claims", "data", "kernels", "workloads", "engine", "apps", "tools"),
    "tests/workloads": ("core/catalogue", "kernels"),
}
# CI runs these, too; in full they judge delays by the millisecond, on a machine at rest, and ResNet-50's gradients in bf16.
ALSO_IN_FULL = ("ranks_test.PlantedDelays", "engine_test.WholeResNet")


def entries_of(build):
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True)
    answer = json.loads(listed.stdout)
    nodes, files = answer["backtraceGraph"]["nodes"], answer["backtraceGraph"]["files"]

    def folder(node):
        while "parent" in nodes[node]:
            node = nodes[node]["parent"]
        return "tests/" + str(Path(files[nodes[node]["file"]]).parent).rpartition("/tests/")[2]

    return [Entry(test["name"], next((p["value"] for p in test.get("properties", []) if p["name"] == "LABELS"), ["none"]),
                  folder(test["backtrace"])) for test in answer["tests"]]


def is_below(name, folder):
    return name == folder or name.startswith(folder + "/")


def own_tests(place, folders):
    """Returns those of `folders`, which declare entries, that mirror a file or folder, or else the nearest above it that has a mirror."""
    mirror = place if is_below(place, "tests") else f"tests/{place}"
    while mirror not in ("tests", "."):
        if found := {folder for folder in folders if is_below(folder, mirror)}:
            return found
        mirror = str(Path(mirror).parent)
    return set()


def tests_of(place, folders):
    """All folders of tests that judge a file, or any in a folder."""
    if is_below(place, "tests/python"):  # tests that import the module or run it judge it
        user = re.compile(rf"^(?:import|from) {Path(place).stem}\b|\b{Path(place).name}\b", re.M)
        return {folder for folder in folders for file in (SOURCE / folder).iterdir()
                if file.name.endswith((".py", ".txt")) and user.search(file.read_text())}
    if place in ("tests/test_main.cpp", "tests/CMakeLists.txt", ".ci/run"):
        place = "cmake"
    if "/" not in place:  # CMakeLists.txt, requirements.txt; a page of text is read by CI only
        place = "docs" if place.endswith(".md") else "cmake"
    return own_tests(place, folders) | {folder for folder, shown in SHOW.items() if any(is_below(place, name) for name in shown)}


def in_full_only(entry):
    return bool({"long", "soak"} & set(entry.labels)) or entry.name in ALSO_IN_FULL


def expression(entries):
    return "^(" + "|".join(re.escape(entry.name).replace("\\.", "[.]").replace("\\-", "-") for entry in entries) + ")$"


def changed_since(commit):
    listed = subprocess.run(["git", "diff", "--name-only", "-z", commit, "--"], cwd=SOURCE, capture_output=True, text=True)
    if listed.returncode != 0:
        sys.exit(f"entries: {listed.stderr.strip()}")
    return listed.stdout.split("\0")[:-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--since", metavar="COMMIT")
    options = parser.parse_args()
    entries = entries_of(options.build)
    if options.since is None:
        print(expression([entry for entry in entries if entry.name in ALSO_IN_FULL]))
        return
    folders = {entry.folder for entry in entries}
    judged = defaultdict(set)
    for file in changed_since(options.since):
        judged[str(Path(file).parent)] |= tests_of(file, folders)
    for place, found in sorted(judged.items()):
        print(f"{place}: {', '.join(sorted(found)) or 'none'}", file=sys.stderr)
    chosen = [entry for entry in entries if in_full_only(entry) and entry.folder in set().union(*judged.values())]
    print(f"{len(chosen)} entries:", *(entry.name for entry in chosen), file=sys.stderr)
    if chosen:
        print(expression(chosen))


if __name__ == "__main__":
    main()
