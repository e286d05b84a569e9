"""Ninja's output, of which a person needs little: `cmake --build ... 2>&1 | build_progress.py`.

Passes on what compilers say and shows how far the build is, "building, 3 of about 5 minutes": in place on a terminal, else
once a minute. The estimate takes the steps that remain to be like those that are done.
"""

import math
import re
import sys
import time

STEP = re.compile(r"^\[(\d+)/(\d+)\] ")
EVERY_S = 60  # without a terminal


def words(done, of, elapsed_s):
    """ "building, 3 of about 5 minutes (120 of 410 steps)"."""
    about = math.ceil(elapsed_s * of / done / 60)
    return f"building, {math.floor(elapsed_s / 60)} of about {about} minute{'s' * (about != 1)} ({done} of {of} steps)"


def main():
    start = shown = time.monotonic()
    terminal = sys.stderr.isatty()
    for line in sys.stdin:
        step = STEP.match(line)
        now = time.monotonic()
        if not step:
            sys.stderr.write(("\r\x1b[K" if terminal else "") + line)
        elif int(step[1]) and (terminal or now - shown >= EVERY_S):  # 0: ninja still searches for work
            shown = now
            text = words(int(step[1]), int(step[2]), now - start)
            sys.stderr.write(f"\r\x1b[K{text}" if terminal else text + "\n")
        sys.stderr.flush()
    if terminal:
        sys.stderr.write("\r\x1b[K")


if __name__ == "__main__":
    main()
