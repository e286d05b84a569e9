"""Prints PAGE with the text between its two marker lines replaced by the content of FIGURES."""

import pathlib
import sys

BEGIN, END = "<!-- figures: written by scripts/prediction, do not edit -->", "<!-- end of figures -->"

page, figures = (pathlib.Path(path).read_text() for path in sys.argv[1:3])
if page.count(BEGIN) != 1 or page.count(END) != 1:
    sys.exit(f"{sys.argv[1]}: the lines '{BEGIN}' and '{END}' are expected once each")
if not figures.strip():
    sys.exit("there are no figures")
before, rest = page.split(BEGIN)
print(before + BEGIN + "\n" + figures.rstrip() + "\n\n" + END + rest.split(END)[1], end="")
