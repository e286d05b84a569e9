"""The wheel's start: the program that stands beside this file takes the interpreter's place."""

import os
import sys


def main():
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scalemark")
    # The ranks inherit the variable. Importing torch, or only what finds modules, would take longer than the program's start.
    for folder in sys.path:
        if os.path.exists(os.path.join(folder, "torch/lib/libtorch_cpu.so")):
            os.environ.setdefault("SCALEMARK_TORCH", os.path.abspath(os.path.join(folder, "torch")))
            break
    os.execv(program, ["scalemark", *sys.argv[1:]])
