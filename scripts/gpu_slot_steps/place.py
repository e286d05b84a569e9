"""The paths of the program and its surroundings: in an unpacked bundle, or in a checkout with a build."""

import importlib.util
import os
import sys
from dataclasses import dataclass
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[1]


class Refused(Exception):
    """A session that cannot start: one line and an exit code."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


@dataclass(frozen=True)
class Place:
    program: Path
    countcuda: Path
    scripts: Path  # bench/, gpu_slot_steps/
    tests: Path    # gpu/, python/
    torch: Path
    python: str = sys.executable


def torch_folder():
    """The folder of the torch package, without importing it."""
    named = os.environ.get("SCALEMARK_TORCH")
    if named:
        return Path(named)
    found = importlib.util.find_spec("torch")
    if found is None:
        raise Refused(71, f"{sys.executable} has no torch: name a Python that has it "
                          "(PYTHON=...) or its folder (SCALEMARK_TORCH=.../site-packages/torch)")
    return Path(found.submodule_search_locations[0])


def find_place(build=None):
    """`build`: a build folder of the checkout that holds this file; without it the bundle that holds this file."""
    root = SCRIPTS.parent
    folder = Path(build).resolve() if build else root
    place = Place(program=folder / "scalemark",
                  countcuda=folder / "countcuda.so",
                  scripts=SCRIPTS,
                  tests=root / "tests",
                  torch=torch_folder())
    if not os.access(place.program, os.X_OK):
        raise Refused(
            66, f"no program at {place.program}; name a bundle (scripts/bundle --for-gpu makes one) or a build "
            "folder (--build)")
    return place
