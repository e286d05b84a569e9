"""Inputs that are pipes: what is read once is read whole, what is read again is refused at once."""

import os
import subprocess
import tempfile
import threading
from pathlib import Path

from program import SCALEMARK, check, clean_environment, run

VOCABULARY = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\ncat\nsat\n.\n"
TABLE = "| GPUs | images/s | speed-up |\n|---|---|---|\n| 1 | 100 | 1.0 |\n| 8 | 800 | 4.0 |\n"


def said_of_pipe(folder, *words):
    """A pipe that nobody writes to: whoever opens it waits for ever."""
    pipe = folder / "pipe"
    if not pipe.exists():
        os.mkfifo(pipe)
    done = run(*(pipe if word is None else word for word in words), expect=66, timeout=60)
    check(f"{pipe}' is a pipe" in done.stderr.splitlines()[-1], f"{words}: {done.stderr}")


def in_bash(line, expect=0):
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60, check=False, env=clean_environment(S=SCALEMARK))
    check(done.returncode == expect, f"{line}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def refused(folder):
    text, image = folder / "text", ("train", "--workload", "resnet50")
    bert = ("train", "--workload", "bert-mini", "--data")
    said_of_pipe(folder, *bert, None, "--vocab", folder / "vocab")
    said_of_pipe(folder, *bert, text, "--vocab", None)
    said_of_pipe(folder, *bert, None, "--vocab", folder / "vocab", "--nproc-per-node", 2)
    said_of_pipe(folder, *image, "--data", None)
    said_of_pipe(folder, *image, "--init-from", None)
    said_of_pipe(folder, "sweep", "--workload", "bert-mini", "--data", None, "--vocab", folder / "vocab")
    said_of_pipe(folder, "train", "--metrics-port", "auto", "--metrics-token", None)
    said_of_pipe(folder, "import", None, "--output", folder / "rows.jsonl")
    said_of_pipe(folder, "top", "--once", None)
    done = run("train", "--config", folder / "pipe", expect=66, timeout=60, RANK=0, WORLD_SIZE=2, LOCAL_RANK=0,
               MASTER_ADDR="127.0.0.1", MASTER_PORT=29555)
    check("is a pipe" in done.stderr, done.stderr)


def shared_configuration(folder):
    """One rank reads it; ranks that are started here would each read it again."""
    config = folder / "config"
    os.mkfifo(config)
    for expect, words in ((0, ("--dry-run",)), (66, ("--nproc-per-node", 2))):
        writer = threading.Thread(target=config.write_text, args=('{"workload": "linear"}',))
        writer.start()
        done = run("train", "--config", config, *words, expect=expect, timeout=60)
        writer.join()
        check(expect == 0 or "is a pipe" in done.stderr, done.stderr)


def whole(folder):
    text = folder / "text"
    text.write_text("the cat sat.\n\n" * 5000)
    (folder / "vocab").write_text(VOCABULARY)
    (folder / "table.md").write_text(TABLE)
    result = "20000 tokens (0.0 % unknown), 5000 sentences, 5000 documents"
    for source, stdin in ((f"<(cat {text})", ""), ("/dev/stdin", f"< <(cat {text})"), ("/dev/stdin", f"< {text}"), (text, "")):
        done = in_bash(f"\"$S\" data tokenize {source} --vocab {folder}/vocab --overwrite --output {folder}/out {stdin}")
        check(result in done.stdout, done.stdout)
    in_bash(f"\"$S\" data tokenize <(cat {text}) --vocab <(cat {folder}/vocab) --output {folder}/both")
    check((folder / "both").read_bytes() == (folder / "out").read_bytes(), "tokens differ")
    check("--output is not given" in in_bash(f"cat {text} | \"$S\" data tokenize /dev/stdin --vocab {folder}/vocab", 64).stderr, "")
    check("not_the_ratio" in in_bash(f"\"$S\" lint <(cat {folder}/table.md)", 1).stdout, "lint")


def main():
    with tempfile.TemporaryDirectory() as folder:
        whole(Path(folder))
        refused(Path(folder))
        shared_configuration(Path(folder))


if __name__ == "__main__":
    main()
