"""docs/PREDICTION.md holds the figures that the program prints today (scripts/prediction writes them)."""

import difflib
import os
import pathlib
import subprocess
import sys
import tempfile

source = pathlib.Path(os.environ["SCALEMARK_SOURCE_DIR"])
study = pathlib.Path(os.environ["SCALEMARK_BINARY_DIR"]) / "tests" / "prediction_study"
page = source / "docs" / "PREDICTION.md"

figures = subprocess.run([study, source], capture_output=True, text=True, timeout=100, check=True).stdout
with tempfile.NamedTemporaryFile("w", suffix=".md") as file:
    file.write(figures)
    file.flush()
    made = subprocess.run([sys.executable, source / "scripts" / "lib" / "fill_in.py", page, file.name],
                          capture_output=True, text=True, timeout=60, check=True).stdout
stands = page.read_text()
if "| **all** | 263 |" not in made:
    sys.exit("the study did not judge all series:\n" + made)
if made != stands:
    sys.exit("docs/PREDICTION.md is out of date; scripts/prediction writes it:\n"
             + "\n".join(difflib.unified_diff(stands.splitlines(), made.splitlines(), lineterm="")))
