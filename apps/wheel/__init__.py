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
    try:
        os.execv(program, ["scalemark", *sys.argv[1:]])
    except OSError as error:
        here = os.uname()
        print(f"scalemark: error E_SYSTEM (exit 71): {program}, a program for Linux on x86-64, does not start on this {here.sysname} on {here.machine}: "
              f"{error.strerror}. Hint: on another processor build it there, scripts/quickstart --from-source", file=sys.stderr)
        sys.exit(71)
