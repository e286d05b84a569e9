"""Wheel and bundle of a commit are equal bit by bit: built twice, from nothing, in two clones at different places."""

import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from endings import SOURCE
from program import check


def build(origin, clone):
    """Returns what dist/ holds afterwards: of each file its hash, and those of its members."""
    subprocess.run(["git", "clone", "--quiet", origin, clone], check=True)
    (clone / ".venv").symlink_to(SOURCE / ".venv")
    environment = {**os.environ, "CCACHE_DISABLE": "1"}
    for script in ("scripts/wheel", "scripts/bundle"):
        subprocess.run([clone / script], check=True, stdout=sys.stderr, env=environment)
    return {file.name: (hash_of(file.read_bytes()), members(file)) for file in sorted((clone / "dist").iterdir())}


def hash_of(data):
    return hashlib.sha256(data).hexdigest()


def members(file):
    if file.suffix == ".whl":
        with zipfile.ZipFile(file) as archive:
            return {name: hash_of(archive.read(name)) for name in archive.namelist()}
    with tarfile.open(file) as archive:
        return {entry.name: hash_of(archive.extractfile(entry).read()) for entry in archive if entry.isfile()}


with tempfile.TemporaryDirectory() as place:
    # The second build begins minutes after the first, when SOURCE may be at another commit.
    origin = Path(place) / "origin"
    subprocess.run(["git", "clone", "--quiet", "--bare", SOURCE, origin], check=True)
    one, other = (build(origin, Path(place) / name) for name in ("one", "a/longer/one"))
    check(len(one) == 2 and list(one) == list(other), (list(one), list(other)))
    for name, (whole, parts) in one.items():
        differ = [part for part in parts if other[name][1].get(part) != parts[part]]
        check(whole == other[name][0] and not differ, f"{name} differs: {differ or 'in how it is packed'}")
        print(f"{whole}  {name}")
