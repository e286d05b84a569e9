"""memcheck over our own kernels only, where this compute-sanitizer can choose: torch's would take the whole slot.

`memcheck.py PROGRAM ARGUMENTS...`; exit 99 when an error was found. Our kernels' mangled names hold the namespace.
"""

import os
import subprocess
import sys

CHECK = ("compute-sanitizer", "--tool", "memcheck", "--error-exitcode", "99")


def filter_of(help_text):
    """The option that this version has for choosing kernels by a part of their names."""
    for option in ("--kernel-name", "--filter"):
        if option in help_text:
            return (option, "kns=scalemark")
    return ()


def main():
    said = subprocess.run([CHECK[0], "--help"], capture_output=True, text=True)
    chosen = filter_of(said.stdout + said.stderr)
    print("checking", "kernels of namespace scalemark" if chosen else "every kernel", flush=True)
    os.execvp(CHECK[0], [*CHECK, *chosen, *sys.argv[1:]])


if __name__ == "__main__":
    main()
