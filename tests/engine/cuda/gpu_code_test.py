"""The GPU code inside libscalemark_cuda.so: machine code of the generations that its build was asked for, PTX for newer
ones, and no kernel that keeps registers in memory. Reads the library's fat binaries; asks no GPU."""

import argparse
import os
import re
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

from program import check

MAGIC = 0xBA55ED50
PTX, MACHINE_CODE = 1, 2
PROMISED = [75, 80, 90, 100, 120]  # machine code in a bundle: docs/internals/GPU_STATUS.md
SPILLS = """
__global__ void hungry(const float* in, float* out) {
  float kept[96];
  for (int i = 0; i < 96; ++i) kept[i] = in[i * blockDim.x + threadIdx.x];
  for (int i = 0; i < 96; ++i) for (int k = 0; k < 96; ++k) kept[k] = kept[k] * kept[(k + 7) % 96] + kept[i];
  for (int i = 0; i < 96; ++i) out[i * blockDim.x + threadIdx.x] = kept[i];
}
"""


def fat_binaries(data):
    """Returns, for each fat binary, (kind, architecture) of its entries. Layout: fatbinary_section.h of the toolkit, and the header
    of an entry as cuobjdump shows it."""
    at = data.find(struct.pack("<I", MAGIC))
    while at >= 0:
        _, version, header, size = struct.unpack_from("<IHHQ", data, at)
        check(version == 1 and header == 16, f"a fat binary of version {version}")
        entries, entry, end = [], at + header, at + header + size
        while entry < end:
            kind, _, header, size = struct.unpack_from("<HHIQ", data, entry)
            (architecture,) = struct.unpack_from("<I", data, entry + 28)
            entries.append((kind, architecture))
            entry += header + size
        check(entry == end, "a fat binary's entries do not fill it")
        yield entries
        at = data.find(struct.pack("<I", MAGIC), end)


def check_architectures(library, asked):
    found = list(fat_binaries(library.read_bytes()))
    check(found, f"no GPU code in {library}")
    for entries in found:
        for name, kind in (("sass", MACHINE_CODE), ("ptx", PTX)):
            seen = sorted(architecture for k, architecture in entries if k == kind)
            check(seen == asked[name], f"{name} of {seen}, asked for {asked[name]}")
    print(f"{len(found)} fat binaries hold {asked}")


def check_stacks(library, python, fewest):
    """Checks what the finished machine code uses: spilled registers lie on the stack."""
    packages = python.parent.parent.glob("lib/python3*/site-packages/triton/backends/nvidia/bin")
    places = os.pathsep.join([os.environ["PATH"], "/usr/local/cuda/bin", *map(str, packages)])
    tool = shutil.which("cuobjdump", path=places)
    if not tool:
        return print("no cuobjdump here: stacks are left to the compiler's flags")
    text = subprocess.run([tool, "-res-usage", library], check=True, capture_output=True, text=True).stdout
    usage = re.findall(r"Function (\S+):\s+REG:(\d+) STACK:(\d+) SHARED:(\d+) LOCAL:(\d+)", text)
    check(len(usage) >= fewest, text)
    for name, registers, stack, _, local in usage:
        check(stack == "0" and local == "0", f"{name} keeps {stack} + {local} bytes of registers in memory")
    print(f"{len(usage)} kernels, {max(int(u[1]) for u in usage)} registers at most, no stack")


def check_that_spills_are_refused(nvcc, flags):
    """The flags of the build on a kernel that must spill, with registers enough and without."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "hungry.cu"
        source.write_text(SPILLS)
        for registers, refused in ((255, False), (32, True)):
            result = subprocess.run([nvcc, "-cubin", "-arch=sm_90", f"-maxrregcount={registers}", "-Xptxas", flags, "-o",
                                     Path(folder) / "hungry.cubin", source], capture_output=True, text=True)
            output = result.stdout + result.stderr
            check((result.returncode != 0) == refused, f"{registers} registers: rc {result.returncode}, {output}")
            check(not refused or "spill" in output.lower(), output)
    print("a kernel that spills does not build")


parser = argparse.ArgumentParser()
parser.add_argument("--library", type=Path, required=True)
parser.add_argument("--gpu-code", required=True, help="SCALEMARK_GPU_CODE of the build")
parser.add_argument("--sass", type=int, nargs="+", required=True)
parser.add_argument("--ptx", type=int, nargs="+", required=True)
parser.add_argument("--nvcc", required=True)
parser.add_argument("--ptxas-flags", required=True)
parser.add_argument("--python", type=Path, required=True)
options = parser.parse_args()
check(options.ptx == [90] and set(options.sass) <= set(PROMISED), options)
check(options.gpu_code != "all" or options.sass == PROMISED, f"all: {options.sass}, promised {PROMISED}")
check_architectures(options.library, {"sass": options.sass, "ptx": options.ptx})
check_stacks(options.library, options.python, len(options.sass))
check_that_spills_are_refused(options.nvcc, options.ptxas_flags)
