"""docs/internals/PREDICTION_STUDY.md and core/statistics/prediction/published_tests.inc hold what the study finds today (scripts/prediction writes them)."""

import difflib
import os
import pathlib
import subprocess
import sys
import tempfile

source = pathlib.Path(os.environ["SCALEMARK_SOURCE_DIR"])
tool = pathlib.Path(os.environ["SCALEMARK_BINARY_DIR"]) / "tests/core_tool"


def found(*what):
    return subprocess.run([tool, "prediction-study", source, *what], capture_output=True, text=True, timeout=300,
                          check=True).stdout


def filled_in(page):
    with tempfile.NamedTemporaryFile("w", suffix=".md") as file:
        file.write(found())
        file.flush()
        return subprocess.run([sys.executable, source / "scripts" / "lib" / "fill_in.py", page, file.name],
                              capture_output=True, text=True, timeout=300, check=True).stdout


page, tests = source / "docs" / "internals" / "PREDICTION_STUDY.md", source / "core" / "statistics" / "prediction" / "published_tests.inc"
made = {page: filled_in(page), tests: found("tests")}
if "| **all** | 263 |" not in made[page]:
    sys.exit("the study did not judge all series:\n" + made[page])
for file, text in made.items():
    stands = file.read_text()
    if text != stands:
        sys.exit(f"{file.relative_to(source)} is out of date; scripts/prediction writes it:\n"
                 + "\n".join(difflib.unified_diff(stands.splitlines(), text.splitlines(), lineterm="")))
