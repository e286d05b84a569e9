"""scripts/lib/pack_bundle packs equal files into equal bytes, whatever the folder, the umask and the order in which the files came; and what a
wheel says of itself is whole. The program is a small one that is made here; release_twice_test.py builds the real one twice."""

import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from program import BINARY_DIR, check, skip

SOURCE = Path(os.environ["SCALEMARK_SOURCE_DIR"])
VERSION = "scalemark 1.2.3 (commit 0123456789ab; made)"
PROGRAM = '#include <png.h>\n#include <stdio.h>\nint main(void) { puts("%s"); return png_access_version_number() == 0; }\n'
INSTALL = """if(NOT CMAKE_INSTALL_COMPONENT)
  file(INSTALL DESTINATION "/lib/scalemark" TYPE EXECUTABLE FILES "${CMAKE_CURRENT_LIST_DIR}/scalemark")
endif()
file(GLOB engines "${CMAKE_CURRENT_LIST_DIR}/*.so")
file(INSTALL DESTINATION "/lib/scalemark" TYPE SHARED_LIBRARY FILES ${engines})
"""
# Builds with other versions of torch; one is of another commit, and stays out.
ENGINES = {"build": ("2.11", "0123456789ab"), "build-2.13.0": ("2.13", "0123456789ab"), "build-2.12.1": ("2.12", "ba9876543210"), "build-2.15.0": ("2.15", "0123456789ab")}
FILES = ("scripts/lib/pack_bundle", "configs", "docs", "README.md", "LICENSE", "CITATION.cff", "requirements.txt", "apps/wheel")


def make(folder, umask, order):
    """A repository of the files that are packed and a build in it, in a folder of its own."""
    folder.mkdir()
    os.umask(umask)
    listed = subprocess.run(["git", "-C", SOURCE, "ls-files", "-z", *FILES], check=True, capture_output=True, text=True).stdout
    for name in sorted(filter(None, listed.split("\0")), reverse=order < 0):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(SOURCE / name, folder / name)
    (folder / "scripts/lib/pack_bundle").chmod(0o777 & ~umask)
    day = {**os.environ, "GIT_COMMITTER_DATE": "2026-01-02T03:04:06Z", "GIT_AUTHOR_DATE": "2026-01-02T03:04:06Z"}
    for words in (("init", "--quiet"), ("add", "--all"), ("-c", "user.name=x", "-c", "user.email=x", "commit", "--quiet", "--message", "x")):
        subprocess.run(["git", "-C", folder, *words], check=True, env=day)
    (folder / ".venv").symlink_to(sys.prefix)
    for name, (minor, commit) in ENGINES.items():
        (folder / name).mkdir()
        (folder / name / "cmake_install.cmake").write_text(INSTALL)
        subprocess.run(["cc", "-x", "c", "-", "-shared", "-o", folder / name / f"libscalemark_engine-{minor}.so"], input=f'const char commit[] = "{commit}";', text=True,
                       check=True)
    subprocess.run(["cc", "-x", "c", "-", "-o", folder / "build/scalemark", "-lpng"], input=PROGRAM % VERSION, text=True, check=True)
    return folder


def packed(folder, flavour, umask):
    os.umask(umask)
    out = subprocess.run([folder / "scripts/lib/pack_bundle", "build", flavour, "."], cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout
    file = out.split()[0]
    check(flavour != "wheel" or out.splitlines()[-1] == f"pip install {file}", out)
    return folder / file


def check_metadata(wheel):
    from packaging.metadata import Metadata
    with zipfile.ZipFile(wheel) as archive:
        facts = "scalemark-1.2.3.dist-info/"
        metadata = Metadata.from_email(archive.read(facts + "METADATA"), validate=True)
        licences = {name.removeprefix(facts + "licenses/") for name in archive.namelist() if name.startswith(facts + "licenses/") and not name.endswith("/")}
        dates = {entry.date_time for entry in archive.infolist()}
    check(dates == {(2026, 1, 2, 3, 4, 6)}, dates)
    check(set(metadata.license_files) == licences and {"LICENSE", "libpng16-16"} <= licences, licences)
    cited = (SOURCE / "CITATION.cff").read_text()
    check(f"license: {metadata.license_expression}\n" in cited and f"- name: {metadata.author}\n" in cited, metadata)
    check(f"keywords: [{', '.join(metadata.keywords)}]" in cited and len(metadata.keywords) > 5, metadata.keywords)
    check(metadata.description.startswith((SOURCE / "README.md").read_text()) and metadata.description_content_type == "text/markdown", "no README")
    check(VERSION in metadata.description, "the wheel does not say of which commit it is")
    check(len(metadata.classifiers) > 8 and all(" :: " in name for name in metadata.classifiers), metadata.classifiers)
    check(not any(name.startswith("License") for name in metadata.classifiers), "a licence is said twice")
    [torch] = metadata.requires_dist
    taken = [version for version in ("2.10.0", "2.11.0", "2.12.1", "2.13.0", "2.14.1", "2.15.0", "2.16.0") if torch.specifier.contains(version)]
    check(torch.name == "torch" and taken == ["2.11.0", "2.13.0", "2.15.0"], f"{torch} takes {taken}")
    check(metadata.requires_python and metadata.summary, metadata)


def check_libraries():
    """Nothing is in them that would make the libraries of two checkouts differ: a path of the checkout, and a name that nvcc makes of it for an unnamed namespace."""
    for library in sorted(BINARY_DIR.glob("libscalemark_*.so")):
        held = library.read_bytes()
        check(bytes(SOURCE) not in held, f"{library.name} holds a path of the checkout")
        named = re.findall(rb"_GLOBAL__N__[0-9a-f]+_\d+_\w+_cu_\w+", held)
        check(not named, f"{library.name} has unnamed namespaces of CUDA files: {named[:1]}")


def main():
    check_libraries()
    missing = [name for name in ("wheel", "auditwheel") if not importlib.util.find_spec(name)]
    missing += [name for name in ("patchelf", "cc", "cmake") if not shutil.which(name)]
    if missing or platform.machine() != "x86_64" or platform.libc_ver() != ("glibc", "2.36"):
        skip(f"a wheel is made on Debian 12, x86-64, with {' '.join(missing) or 'patchelf'} (scripts/test installs it)")
    with tempfile.TemporaryDirectory() as place:
        one, other = make(Path(place) / "one", 0o022, 1), make(Path(place) / "a longer name", 0o077, -1)
        for flavour in ("plain", "wheel"):
            files = packed(one, flavour, 0o022), packed(other, flavour, 0o077)
            check(files[0].name == files[1].name and files[0].read_bytes() == files[1].read_bytes(), f"{files[0].name} differs between two folders")
        check_metadata(files[0])
    print("equal files are packed into equal bytes")


main()
