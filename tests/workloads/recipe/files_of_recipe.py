"""files_of_recipe.py ADDING.md FOLDER: writes the files of "Adding a workload" as the text has them, each block of code into
the file that is named last before it; a list gets the block behind the product's lines."""

import re
import sys
import textwrap
from pathlib import Path

page, folder = map(Path, sys.argv[1:])
section = re.search(r"^## Adding a workload\n(.*?)^## ", page.read_text(), re.M | re.S)[1]
for before, code in re.findall(r"(.*?)^ *```cpp\n(.*?)^ *```$", section, re.M | re.S):
    name = re.search(r"^\d\. \*\*[^*]+\*\*,(?: in)? `([^`]+)`", before, re.M)[1]
    old = page.parents[2] / name
    if old.suffix != ".inc" and old.exists():
        sys.exit(f"{name} of ADDING.md's example is a file of the product")
    text = (old.read_text() if old.suffix == ".inc" else "") + textwrap.dedent(code)
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
