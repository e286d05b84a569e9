"""Runs on a terminal of 60 columns, by themselves and through the built-in launcher, write no line that is wider where it could end between words, so
that the terminal breaks none. Results stand on the same terminal as notes, progress and errors, those of rank 1 too."""

import re
import tempfile
from pathlib import Path

from program import SCALEMARK, check, clean_environment, words_of
from terminals import drawn

COLUMNS = 60
SHORT = ("--workload", "linear", "--batch-size", 8, "--warmup-iters", 2, "--threads", 1)


def lines_at_a_terminal(*arguments, expect=0):
    """All that is drawn, in lines: what a carriage return draws over is one, too."""
    code, text = drawn([SCALEMARK, *words_of(arguments)], COLUMNS, clean_environment(TERM="xterm"))
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    check(code == expect, f"{arguments} ended with {code}\n{text}")
    return [line for line in re.split(r"[\r\n]+", text) if line.strip()]


def fit(lines, *said):
    words_in = lambda line: re.sub(r"'[^']*'", "quoted", line.strip().removesuffix(" \\")).split()  # a quoted word stays whole
    wide = [line for line in lines if len(line) > COLUMNS and len(words_in(line)) > 1]
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
