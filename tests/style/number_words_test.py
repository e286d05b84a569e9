"""People read each quantity in one format: core/base/number_words writes numbers, sizes, shares and times, and no other unit does."""

import os
import re
from pathlib import Path

from program import check

SOURCE = Path(os.environ["SCALEMARK_SOURCE_DIR"])
FORMATS = re.compile(r'"[^"\n]*%[-+0-9.*]*[efg](?![a-zA-Z])[^"\n]*"|\bset(?:precision|w)\b|std::fixed\b')  # a double is formatted by printf or a stream
UNITS = re.compile(r'\)\s*\+\s*" (?:[KMGT]i?B(?!/)|[um]?s|min|h|%)(?![a-zA-Z])')  # appended to a number
# They write what programs read back or compare, and facts that are to be equal word by word.
RAW = {"core/base/number_words.cpp": "the one place",
       "claims/import/log.cpp": "below a hundredth of a percent, which other programs print",
       "claims/lint/ratios.cpp": "an efficiency in the digits of its table",
       "core/plan/make_plan.cpp": "a limit that is rounded up",
       "report/accept/facts.cpp": "facts of nodes that are to be alike",
       "report/say/compare/text.cpp": "cells that its CSV has, too",
       "report/record/health_figures.cpp": "a figure of the machine's health",
       "report/say/render/junit.cpp": "times that programs read",
       "core/settings/reader.cpp": "the value of an option",
       "core/settings/value.cpp": "the value of an option",
       "engine/fingerprint/compute.cpp": "a method, by which rates are compared with older ones",
       "engine/process/run_console.cpp": "a loss, which may have a dozen digits"}

files = [p for top in ("apps", "core", "report", "claims", "engine", "data", "kernels", "workloads") for p in (SOURCE / top).rglob("*")
         if p.suffix in (".h", ".cpp", ".inc", ".cu", ".cuh")]
check(len(files) > 700, len(files))
found, raw = [], set()
for file in files:
    name = file.relative_to(SOURCE).as_posix()
    lines = [line.split("//")[0] if '"' not in line else line for line in file.read_text().splitlines()]
    hits = [f"{name}:{number}: {line.strip()}" for number, line in enumerate(lines, 1)
            if not line.lstrip().startswith("//") and (FORMATS.search(line) or UNITS.search(line))]
    if name in RAW:
        raw.update({name} if hits else set())
    else:
        found += hits
check(not found, "take a function of core/base/number_words.h:\n" + "\n".join(found))
check(raw == set(RAW), f"they format nothing any more: {sorted(set(RAW) - raw)}")
print(f"{len(files)} files take their number words from one unit, but for {len(RAW) - 1}")
