"""What runs say on a terminal of 60 columns, by themselves and through the built-in launcher: no line is wider where it could end between words, so that
the terminal breaks none. Results stand on the same terminal as notes, progress and errors, those of rank 1 too."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import tempfile
import termios
from pathlib import Path

from program import SCALEMARK, check, clean_environment, words_of

COLUMNS = 60
SHORT = ("--workload", "linear", "--batch-size", 8, "--warmup-iters", 2, "--threads", 1)


def lines_at_a_terminal(*arguments, expect=0):
    """All that is drawn, in lines: what a carriage return draws over is one, too."""
    reader, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    with subprocess.Popen([SCALEMARK, *words_of(arguments)], env=clean_environment(TERM="xterm"), stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal) as process:
        os.close(terminal)
        drawn = b""
        while True:
            try:
                drawn += os.read(reader, 1 << 16)
            except OSError:  # its other end is closed
                break
    os.close(reader)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", drawn.decode())
    check(process.returncode == expect, f"{arguments} ended with {process.returncode}\n{text}")
    return [line for line in re.split(r"[\r\n]+", text) if line.strip()]


def fit(lines, *said):
    wide = [line for line in lines if len(line) > COLUMNS and len(line.strip().removesuffix(" \\").split()) > 1]
    check(not wide, "\n".join(wide))
    words = " ".join(" ".join(lines).split())
    for each in said:
        check(re.search(each, words), f"'{each}' is not said:\n" + "\n".join(lines))


with tempfile.TemporaryDirectory() as place:
    folder = Path(place)
    broken = folder / "weights.safetensors"
    broken.write_bytes(b"\xff" * 64)
    fit(lines_at_a_terminal("train", *SHORT, "--iters", 400, "--output", folder / "a folder for a report", "--metrics-port", "auto"),
        "scalemark: pages of this run: http://", "images/s|samples/s")
    fit(lines_at_a_terminal("train", *SHORT, "--iters", 400, "--nproc-per-node", 2, "--output", folder / "two", "--metrics-port", "auto"), "scalemark: pages of this run")
    for ranks in (1, 2):
        fit(lines_at_a_terminal("train", *SHORT, "--iters", 4, "--nproc-per-node", ranks, "--init-from", broken, "--output", folder / f"broken{ranks}", expect=65),
            r"error E_BAD_DATA \(exit 65\)", "weights.safetensors")
    fit(lines_at_a_terminal("sweep", *SHORT, "--iters", 16, "--world-sizes", "1,2", "--strategy", "ddp,local-sgd", "--repetitions", 1, "--output", folder / "swept"),
        r"\[4/\d\]", "speed-up")
    fit(lines_at_a_terminal("comm", "--backends", "gloo", "--sizes", "4KiB,64MiB", "--repetitions", 1, "--threads", 1, "--output", folder / "exchanged"), "all-reduce|all_reduce")
print(f"no run's line is wider than {COLUMNS} columns")
