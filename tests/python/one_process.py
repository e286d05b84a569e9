"""Runs tests one after another in one process, so that torch, torchvision and transformers, which take up to 5 s of CPU time to
import, are imported once:

    one_process.py SCRIPT [ARGUMENT...] [SCRIPT [ARGUMENT...]]...        each SCRIPT is a .py file below tests/

Each is run to its end, and the process fails if one of them fails; it is skipped when all are.
"""

import runpy
import sys
import traceback
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent


def code_of(script, arguments):
    """The exit code with which it ends by itself."""
    sys.argv, sys.path[0] = [str(TESTS / script), *arguments], str((TESTS / script).parent)
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except Exception:
        traceback.print_exc()
        return 1
    return 0


def main():
    scripts = []
    for word in sys.argv[1:]:
        if word.endswith(".py"):
            scripts.append((word, []))
        else:
            scripts[-1][1].append(word)
    codes = {}
    for script, arguments in scripts:
        codes[script] = code_of(script, arguments)
        print(f"{script}: ended with {codes[script]}", flush=True)
    sys.exit(77 if set(codes.values()) == {77} else int(any(code not in (0, 77) for code in codes.values())))


if __name__ == "__main__":
    main()
