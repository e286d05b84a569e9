"""Units that are compiled with AVX2 or AVX-512 hand out their tables and nothing else: of an inline function that another unit
has, too, the linker keeps either copy, and the program would need those instructions everywhere. Usage: symbols_test.py LIBRARY"""

import re
import subprocess
import sys

from program import check, skip

try:
    listed = subprocess.run(["nm", "-C", "--defined-only", "--extern-only", sys.argv[1]], capture_output=True, text=True, check=True)
except FileNotFoundError:
    skip("nm is not installed")
OWN = re.compile(r"^scalemark::kernels::k(Optimizer|WeightUpdate|Transformer)KernelsOf|\bscalemark::kernels::norm_avx(2|512)<|\bscalemark::kernels::resize_avx(2|512)\(|^__odr_asan")
seen = 0
for member in listed.stdout.split("\n\n"):
    name, *lines = member.strip().splitlines() or [""]
    if not re.match(r"(optimizer|transformer|norm|resize)_avx\w*\.cpp\.o:", name):
        continue
    seen += 1
    symbols = [line.split(" ", 2)[2] for line in lines]
    foreign = [s for s in symbols if not OWN.search(s)]
    check(not foreign, f"{name} hands out {foreign}")
    check(symbols, f"{name} hands out nothing")
if not seen:
    skip("this processor has no units of its own")
print(f"{seen} units hand out their tables")
