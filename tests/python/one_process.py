"""Runs tests one after another in one process, so that torch, torchvision and transformers, which take up to 5 s of CPU time to
import, are imported once:

    one_process.py SCRIPT [ARGUMENT...] [SCRIPT [ARGUMENT...]]...        each SCRIPT is a .py file below tests/

Each is run to its end with modules of its own, and the process fails if one of them fails; it is skipped when all are.
"""

import os
import runpy
import sys
import traceback
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent


def code_of(script, arguments):
    """The exit code with which it ends by itself."""
    sys.argv = [str(TESTS / script), *arguments]
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


def run_alone(script, arguments):
    """The same; afterwards no module of tests/ is left, since two folders may have one of the same name."""
    before = sys.path.copy()
    sys.path[0] = str((TESTS / script).parent)
    code = code_of(script, arguments)
    sys.path[:] = before
    for name, module in list(sys.modules.items()):
        if name != "__main__" and TESTS in Path(getattr(module, "__file__", None) or "/").parents:
            del sys.modules[name]
    print(f"{script}: ended with {code}, after {sum(os.times()[:4]):.1f} s of CPU time in all", flush=True)
    return code


def main():
    scripts = []
    for word in sys.argv[1:]:
        if word.endswith(".py"):
            scripts.append((word, []))
        else:
            scripts[-1][1].append(word)
    codes = [run_alone(*script) for script in scripts]
    sys.exit(77 if set(codes) == {77} else int(any(code not in (0, 77) for code in codes)))


if __name__ == "__main__":
    main()
