"""The oldest systems that the program starts on: which symbol versions of glibc and libstdc++ it and its libraries need.

One ordinary call can bring in a symbol of a newer library, and the bundle then starts on the builder's machine only.
The limit is that of a build on Debian 12, whose headers name the newest symbols that are allowed.
"""

import argparse
import platform
import re
import subprocess
from pathlib import Path

from program import check, skip

# Highest versions allowed: RHEL 9 and its derivatives have glibc 2.34 and the libstdc++ of GCC 11. docs/internals/DEPENDENCIES.md
# says why not lower.
FLOOR = {
    "scalemark": {"GLIBC": "2.34", "GLIBCXX": "3.4.29", "CXXABI": "1.3.13"},
    "libscalemark_data": {"GLIBC": "2.34", "GLIBCXX": "3.4.29", "CXXABI": "1.3.13"},
    "libscalemark_opencv": {"GLIBC": "2.34", "GLIBCXX": "3.4.29", "CXXABI": "1.3.13"},
    "libscalemark_engine": {"GLIBC": "2.34", "GLIBCXX": "3.4.29", "CXXABI": "1.3.13"},
    "libscalemark_mpi_openmpi": {"GLIBC": "2.34", "GLIBCXX": "3.4.29", "CXXABI": "1.3.13"},
    "libscalemark_mpi_mpich": {"GLIBC": "2.34", "GLIBCXX": "3.4.29", "CXXABI": "1.3.13"},
    "libscalemark_cuda": {"GLIBC": "2.34", "GLIBCXX": "3.4.29", "CXXABI": "1.3.13"},
}


def number(version):
    return [int(part) for part in version.split(".")]


def needed(file):
    """Library -> its highest version that `file` needs, with a symbol that needs it."""
    text = subprocess.run(["objdump", "-T", file], check=True, capture_output=True, text=True).stdout
    highest = {}
    for library, version, symbol in re.findall(r"\*UND\*.*\((GLIBC|GLIBCXX|CXXABI)_([0-9.]+)\)\s+(\S+)", text):
        if number(version) > number(highest.get(library, ("0", ""))[0]):
            highest[library] = (version, symbol)
    return highest


parser = argparse.ArgumentParser()
parser.add_argument("--build", type=Path, required=True)
parser.add_argument("--libraries", nargs="+", required=True, help="those that this build has")
options = parser.parse_args()
if platform.libc_ver() != ("glibc", "2.36"):
    skip(f"the floor is that of a build on Debian 12 (glibc 2.36), not on {' '.join(platform.libc_ver())}")
parts = {name: re.sub(r"(-[\d.]+)?\.so$", "", name) for name in options.libraries}  # libscalemark_engine-2.11.so
check(set(parts.values()) <= set(FLOOR), f"no floor for {set(parts.values()) - set(FLOOR)}")
for name in options.libraries:
    found = needed(options.build / name)
    check(found.keys() >= {"GLIBC", "GLIBCXX"}, f"{name}: versions not read: {found}")
    for library, (version, symbol) in found.items():
        floor = FLOOR[parts[name]][library]
        check(number(version) <= number(floor), f"{name} needs {library}_{version} for {symbol}; the floor is {floor}")
    print(f"{name}: " + ", ".join(f"{library}_{version} ({symbol})" for library, (version, symbol) in found.items()))
