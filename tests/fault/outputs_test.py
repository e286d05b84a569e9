"""The outputs of train, sweep and comm: a full stdout, a limit of file sizes, a working folder that is gone, and somebody's
files in the way. CI tries train and sweep; with SCALEMARK_SOAK=full each command alone and under the built-in launcher."""

import os
import resource
import shutil
import subprocess

from endings import FULL, closed_report, error_lines, expect_error, only_error, run_cases
from made_data import make_images, make_text
from mpi import MPIRUN
from program import SCALEMARK, check, clean_environment, preloaded, run, words_of

FAST = ("--iters", 5, "--warmup-iters", 1, "--no-progress")
TRAIN = ("train", "--workload", "linear", *FAST)
COMMANDS = {"train": TRAIN, "sweep": ("sweep", "--workload", "linear", *FAST, "--world-sizes", 1, "--repetitions", 1),
            "comm": ("comm", "--nproc-per-node", 2, "--backend", "gloo", "--sizes", "4KiB", "--collectives", "all-reduce", "--repetitions", 1)}


def launches():
    """Train alone and a sweep as two ranks; each command both ways with SCALEMARK_SOAK=full. One rank of comm has nobody to exchange with."""
    ways = (("train", 1), ("train", 2), ("sweep", 1), ("sweep", 2), ("comm", 2)) if FULL else (("train", 1), ("sweep", 2))
    yield from ((name, ranks, (*COMMANDS[name], *(() if name == "comm" else ("--nproc-per-node", ranks)))) for name, ranks in ways)


def shell(line, *arguments, limit=None, cwd=None):
    """`line` has the program and its words as "$@"."""
    preexec = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit else None
    return subprocess.run(["bash", "-c", line, "bash", str(SCALEMARK), *words_of(arguments)], capture_output=True, text=True, timeout=600, check=False,
                          env=clean_environment(TMPDIR=cwd) if cwd else clean_environment(), preexec_fn=preexec, cwd=cwd)


def full_stdout(folder):
    """The report is whole; what is asked for on stdout is not there. A closed one of a sweep: descriptors_test.py."""
    for name, ranks, words in launches() if FULL else (("train", 1, TRAIN),):
        for redirection in ("> /dev/full", ">&-") if FULL else ("> /dev/full",):
            out = folder / f"{name}{ranks}{redirection[1]}"
            done = shell(f'exec "$@" {redirection}', *words, "--output", out)
            check(done.returncode == 74, f"{name} {ranks} {redirection}: {done.returncode}\n{done.stderr}")
            only_error(done.stderr, "E_IO", 74, "stdout")
            check(closed_report(out, "complete", 0), "the report is whole")
    done = shell('"$@" | true; exit ${PIPESTATUS[0]}', *TRAIN, "--output", folder / "head")
    check(done.returncode == 0, f"a reader that has gone has what it wanted: {done.stderr}")


def file_size_limit(folder):
    for name, ranks, words in launches():
        tmp = folder / f"{name}{ranks}"
        tmp.mkdir()
        done = shell('exec "$@"', *words, "--output", tmp / "out", limit=1024, cwd=tmp)
        check(done.returncode == 74, f"{name} {ranks}: {done.returncode}\n{done.stderr}")
        lines = error_lines(done.stderr)
        check(len(lines) <= ranks, done.stderr)
        expect_error(lines[0], "E_IO", 74, "File too large", "ulimit -f")
        left = [path for path in tmp.rglob("*") if path.name.endswith(".tmp") or ".tmp-" in path.name or path.parent == tmp]
        check(left == [tmp / "out"], left)
    if FULL and any(shutil.which(program) for program in MPIRUN.values()):
        done = shell('exec "$@"', *TRAIN, "--nproc-per-node", 2, "--backend", "mpi", "--output", folder / "mpi", limit=1024, cwd=folder)
        check(done.returncode == 74, done.stderr)
        expect_error(error_lines(done.stderr)[0], "E_IO", 74, "File too large", "ulimit -f")
    weights = folder / "w.safetensors"
    done = shell('exec "$@"', "train", "--workload", "mlp", *FAST, "--output", folder / "saved", "--save", weights, limit=100_000)
    check(done.returncode == 74, done.stderr)
    expect_error(error_lines(done.stderr)[0], "E_IO", 74, str(weights), "File too large")
    closed_report(folder / "saved", "failed", 74)
    check(not weights.exists() and not list(folder.glob("*.tmp*")), "nothing half written is left")


def lost_working_folder(folder):
    for name, ranks, words in launches():
        for output in ("out", folder / f"{name}{ranks}"):
            done = shell('mkdir gone; cd gone; rmdir ../gone; exec "$@"', *words, "--output", output, cwd=folder)
            check(done.returncode == 71, f"{name} {ranks}: {done.returncode}\n{done.stderr}")
            only_error(done.stderr, "E_SYSTEM", 71, "working folder")


def ended_by_a_library(folder):
    """exit() and its like from within, as MKL's, in whichever thread: with a code that would be a verdict, with success, or with none of ours."""
    source = folder / "ends.c"
    library = folder / "ends.so"
    for call, ranks in (("exit(2)", 1), ("_exit(0)", 1), ("quick_exit(1)", 1), ("in_a_thread()", 1), ("exit(1)", 2), ("_exit(0)", 2)):
        # Each rank asks for its host's name; the launcher may, too, and is left alone where there is one.
        wanted = "1" if ranks == 1 else 'getenv("SCALEMARK_RANK_SPEC") != 0'
        source.write_text('#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n#include <pthread.h>\n'
                          'static void* end(void* none) { exit(3); }\n'
                          'static void in_a_thread(void) { pthread_t t; pthread_create(&t, 0, end, 0); pause(); }\n'
                          f'int gethostname(char* name, size_t size) {{\n  if ({wanted}) {call};\n'
                          '  strncpy(name, "here", size);\n  return 0;\n}\n')
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        done = subprocess.run([SCALEMARK, *map(str, TRAIN), "--nproc-per-node", str(ranks), "--output", folder / "out", "--overwrite"],
                              capture_output=True, text=True, timeout=600, check=False, env=clean_environment(LD_PRELOAD=preloaded(library)))
        check(done.returncode == 71, f"{call}, {ranks}: {done.returncode}\n{done.stderr}")
        expect_error(error_lines(done.stderr)[0], "E_SYSTEM", 71, "a library ended the process")


def somebodys_files(folder):
    """--overwrite takes what runs wrote, and nothing else; without it nothing is lost."""
    out, save = folder / "out", folder / "w.safetensors"
    mine = {out / "checkpoints/best.safetensors": "x", out / "checkpoints/last/model.pt": "x", out / "notes.txt": "x"}
    for name, words in COMMANDS.items() if FULL else (("train", TRAIN),):
        for path, text in mine.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        run(*words, "--output", out, expect=73)
        run(*words, "--output", out, "--overwrite")
        check(all(path.read_text() == text for path, text in mine.items()), f"{name}: they stay")
        (out / "report.md").write_text("my notes")
        only_error(run(*words, "--output", out, "--overwrite", expect=73).stderr, "E_CANNOT_CREATE", 73, "report.md", "not written by scalemark")
        check((out / "report.md").read_text() == "my notes", "it stays")
        (out / "report.md").unlink()
    save.write_text("mine")
    run(*TRAIN, "--output", folder / "first", "--trace", folder / "t")
    out, named = folder / "second", (("--save", save), ("--trace", folder / "t"))
    for words in named:
        only_error(run(*TRAIN, "--output", out, *words, expect=73).stderr, "E_CANNOT_CREATE", 73, "--overwrite")
        check(not out.exists(), "refused before anything was made")
    run(*TRAIN, "--output", out, *named[0], *named[1], "--overwrite")
    check(save.read_bytes() != b"mine", "replaced")


def somebodys_checkpoint(folder):
    """A folder with the name of a checkpoint that is none is refused when the training starts, not when its step comes."""
    mine = folder / "out/checkpoints/step-1000/model.pt"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    data = make_images(folder / "data", 12, 32, classes=2)
    words = ("--workload", "resnet50", "--image-size", 32, "--batch-size", 2, "--data", data, "--epochs", 1, "--no-progress")
    error = run("train", *words, "--checkpoint-every", "2steps", "--output", folder / "out", "--overwrite", expect=73).stderr
    only_error(error, "E_CANNOT_CREATE", 73, "step-1000", "another --output")
    check([path.name for path in mine.parent.parent.iterdir()] == ["step-1000"] and mine.read_text() == "mine", "nothing was written")


def inputs_are_no_outputs(folder):
    save, again = folder / "w.safetensors", folder / "hard.safetensors"
    run(*TRAIN, "--output", folder / "out", "--save", save)
    before = save.read_bytes()
    again.hardlink_to(save)
    (folder / "soft.safetensors").symlink_to(save)
    for name in (save, again, folder / "soft.safetensors", f"{folder}/./w.safetensors"):
        only_error(run(*TRAIN, "--output", folder / "other", "--init-from", save, "--save", name, "--overwrite", expect=78).stderr,
                   "E_CONFIGURATION", 78, "input")
    check(save.read_bytes() == before, "unchanged")
    kept = folder / "kept/checkpoints/step-3/rank-0.safetensors"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(before)
    only_error(run(*TRAIN, "--init-from", kept, "--output", folder / "kept", "--overwrite", expect=78).stderr, "E_CONFIGURATION", 78, "input")
    only_error(run(*TRAIN, "--output", folder / "report", "--save", folder / "report/report.json", expect=73).stderr, "E_CANNOT_CREATE", 73)
    (folder / "made").mkdir()
    for name in ("report.json", "status.json", "report.md", "journal.jsonl"):
        only_error(run(*TRAIN, "--output", folder / "made", "--save", folder / "made" / name, expect=78).stderr, "E_CONFIGURATION", 78, "twice")
    link = folder / "link.safetensors"
    link.symlink_to("new.safetensors")
    run(*TRAIN, "--output", folder / "linked", "--save", link)
    check(link.is_symlink() and (folder / "new.safetensors").stat().st_size == len(before), "through the link")
    corpus = make_text(folder / "corpus", 8)
    for option in ("--output", "--trace", "--tensorboard"):  # the next run would read it as text
        words = ("--workload", "bert-mini", "--data", corpus, "--vocab", corpus / "vocab.txt", *FAST)
        only_error(run("train", *words, option, corpus / "runs/new", expect=78).stderr,
                   "E_CONFIGURATION", 78, option, "part of the data")
    check(not (corpus / "runs").exists(), "nothing was made")
    os.mkfifo(folder / "pipe")
    with subprocess.Popen(["cat", folder / "pipe"], stdout=subprocess.PIPE) as reader:
        run(*TRAIN, "--output", folder / "piped", "--save", folder / "pipe")
        check(len(reader.stdout.read()) == len(before), "into the pipe")


run_cases({f.__name__: f for f in (full_stdout, file_size_limit, lost_working_folder, ended_by_a_library, somebodys_files,
                                   somebodys_checkpoint, inputs_are_no_outputs)})
