"""Faults of a single rank: bad data, no memory, a full disk, a missing torch. Alone and under the built-in launcher: the same
code, and one line per rank that says it. One that costs more is tried both ways with SCALEMARK_SOAK=full only."""

import resource
import shutil
import subprocess

from endings import FULL, closed_report, error_lines, expect_error, only_error, run_cases
from program import SCALEMARK, check, clean_environment, run, skip_under_asan, small_disk

FAST = ("--iters", 5, "--warmup-iters", 1, "--no-progress")


def refused(exit_code, code, quoted, *arguments, launched=True, **environment):
    """Alone, then as two ranks; the single rank's error line."""
    line = only_error(run(*arguments, expect=exit_code, **environment).stderr, code, exit_code, *quoted)
    if launched:
        done = run(*arguments, "--nproc-per-node", 2, expect=exit_code, **environment)
        lines = error_lines(done.stderr)
        check(lines and all(found[1] == exit_code for found in lines), done.stderr)
        check(len(lines) <= 2, f"more than a line per rank:\n{done.stderr}")
        expect_error(lines[0], code, exit_code)
    return line


def numerics(folder):
    mlp = ("train", "--workload", "mlp", "--learning-rate", "1e30", "--iters", 20, "--warmup-iters", 2, "--no-progress")
    line = refused(82, "E_NUMERICS", ("rank=0", "step=", "--learning-rate"), *mlp, "--output", folder / "b",
                   "--overwrite")
    check("step=2:" in line or "step=3:" in line, f"the first non-finite step is named: {line}")
    report = closed_report(folder / "b", "failed", 82)
    check(report["points"] == [] and report["errors"][0]["step"] in (2, 3), report["errors"])


def picture_tree(folder):
    """A tiny ImageFolder; one file of it is no picture."""
    from PIL import Image
    for name, colour in (("a", (200, 30, 30)), ("b", (30, 30, 200))):
        (folder / "train" / name).mkdir(parents=True)
        for i in range(6):
            Image.new("RGB", (40, 48), colour).save(folder / "train" / name / f"{i}.JPEG", quality=90)
    bad = folder / "train" / "a" / "3.JPEG"
    bad.write_bytes(b"this is no picture")
    return bad


def bad_picture(folder):
    bad = picture_tree(folder / "tree")
    options = ("train", "--workload", "resnet50", "--image-size", 32, "--batch-size", 2, "--data", folder / "tree",
               "--epochs", 1, "--learning-rate", "1e-4", "--no-progress", "--threads", 1)
    line = refused(65, "E_BAD_SAMPLE", (str(bad), "--on-bad-sample skip"), *options, "--output", folder / "out",
                   "--overwrite", launched=FULL)
    check("rank=0" in line, line)
    closed_report(folder / "out", "failed", 65)

    run(*options, "--on-bad-sample", "skip", "--output", folder / "skipped")
    loading = closed_report(folder / "skipped", "complete", 0)["points"][0]["data_loading"]
    skipped = loading["skipped"]
    check(len(skipped) >= 1 and all(str(bad) in str(sample) for sample in skipped), loading)


def out_of_memory(folder):
    line = refused(80, "E_OUT_OF_MEMORY", ("rank=0", "by the estimate --batch-size ", " fits into ", "GiB"),
                   "train", "--workload", "linear", "--batch-size", 500_000_000, *FAST, "--output", folder / "out",
                   "--overwrite", launched=False)
    closed_report(folder / "out", "failed", 80)
    fits = int(line.split("by the estimate --batch-size ")[1].split()[0])
    check(0 < fits < 500_000_000, line)


def memory_limit(folder):
    """A limit of one rank of two: the error names that rank and its request. SCALEMARK_SOAK=full: a limit that suffices, and with a
    single rank."""
    mlp = ("train", "--workload", "mlp", "--batch-size", 4096, *FAST, "--output", folder / "out", "--overwrite")
    done = run(*mlp, "--memory-limit", "1=20MiB", "--nproc-per-node", 2, expect=80)
    # 4096 x 1024 floats of input: the first tensor that cannot fit beside anything
    expect_error(error_lines(done.stderr)[0], "E_OUT_OF_MEMORY", 80, "rank=1", " MiB more than the ",
                 "the limit of 20 MiB (--memory-limit)", "by the estimate --batch-size ")
    if FULL:
        run(*mlp, "--memory-limit", "200MiB")
        only_error(run(*mlp, "--memory-limit", "20MiB", expect=80).stderr, "E_OUT_OF_MEMORY", 80, "rank=0")
    only_error(run(*mlp, "--memory-limit", "1=20MiB", expect=78).stderr, "E_CONFIGURATION", 78, "1=...", "the ranks are 0 to 0")


def no_address_space(folder):
    """ulimit -v: the same code when the process itself is limited."""
    skip_under_asan("needs the address space that this test takes away")
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    command = [str(SCALEMARK), "train", "--workload", "linear", "--batch-size", "1500000", *map(str, FAST), "--output",
               str(folder / "out")]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit, env=clean_environment(),
                          timeout=120)
    check(done.returncode == 80, f"{done.returncode}: {done.stderr}")
    only_error(done.stderr, "E_OUT_OF_MEMORY", 80, "by the estimate --batch-size ")


def used_folder(folder):
    (folder / "out").mkdir()
    (folder / "out" / "precious").write_text("mine")
    refused(73, "E_CANNOT_CREATE", (str(folder / "out"), "--overwrite"), "train", "--workload", "linear", *FAST,
            "--output", folder / "out")
    check((folder / "out" / "precious").read_text() == "mine", "what was there stays")


def full_disk(folder):
    with small_disk(folder, "16k") as disk:
        for ranks in (1, 2) if FULL else (2,):
            done = run("train", "--workload", "linear", *FAST, "--nproc-per-node", ranks, "--output", disk / "out",
                       expect=74)
            lines = error_lines(done.stderr)
            check(len(lines) <= ranks, done.stderr)
            expect_error(lines[0], "E_IO", 74, str(disk / "out"), "No space left")
            shutil.rmtree(disk / "out")


def full_disk_for_weights(folder):
    """The report has what was measured, though the weights do not fit."""
    with small_disk(folder, "16k") as disk:
        for ranks in (1, 2) if FULL else (1,):
            out, weights = folder / f"out-{ranks}", disk / "weights.safetensors"
            done = run("train", "--workload", "linear", *FAST, "--nproc-per-node", ranks, "--output", out, "--save",
                       weights, expect=74)
            expect_error(error_lines(done.stderr)[0], "E_IO", 74, str(weights), "No space left")
            report = closed_report(out, "failed", 74)
            check(len(report["points"]) == 1 and report["points"][0]["world_size"] == ranks, report["points"])
            check(not weights.exists(), "no half-written weights are left")


def full_disk_for_traces(folder):
    """The report has what was measured, though a trace does not fit: of a run (with SCALEMARK_SOAK=full), and of a sweep,
    whose first point it ends, whichever rank ran it."""
    sizes = {"sweep": ("--world-sizes", "1,2", "--nproc-per-node", 2, "--repetitions", 1), **({"train": ("--nproc-per-node", 2)} if FULL else {})}
    with small_disk(folder, "16k") as disk:
        for command, ranks in sizes.items():
            done = run(command, "--workload", "mlp", *FAST, *ranks, "--threads", 1, "--output", folder / command, "--trace",
                       disk / "traces", expect=74)
            expect_error(error_lines(done.stderr)[0], "E_IO", 74, ".pt.trace.json", "missing or ends too early", "left")
            report = closed_report(folder / command, "failed", 74)
            check(len(report["points"]) == 1 and report["points"][0]["status"] == "ok", report["points"])
            check(not list(disk.rglob("*.json*")), "no half-written trace is left")


def no_torch(folder):
    options = ("train", "--workload", "linear", *FAST, "--output", folder / "out")
    (folder / "empty").mkdir()
    refused(71, "E_TORCH_MISSING", ("pip install 'torch==2.",), *options, "--torch", folder / "empty", launched=False)
    other = folder / "torch"
    other.mkdir()
    (other / "lib").mkdir()
    (other / "lib" / "libtorch_cpu.so").write_bytes(b"")
    (other / "version.py").write_text("__version__ = '2.9.1+cu128'\n")
    refused(71, "E_TORCH_VERSION", ("2.9.1", "engines are here for torch 2."), *options, "--torch", other, launched=False)
    check(not (folder / "out").exists(), "nothing was made")


def missing_input(folder):
    text = folder / "text.txt"
    text.write_text("One line.\nAnother line.\n\nA second document.\nIt ends.\n")
    bert = ("train", "--workload", "bert-mini", *FAST, "--output", folder / "out")
    refused(66, "E_NO_INPUT", ("--vocab", "nowhere.txt"), *bert, "--data", text, "--vocab", folder / "nowhere.txt")
    refused(66, "E_NO_INPUT", ("--data", "nowhere"), *bert, "--data", folder / "nowhere", "--vocab", text)


def deep_json(folder):
    """200,000 brackets where a value is expected: a line, not an overflow of the stack, from every reader of JSON."""
    brackets = "[" * 200_000 + "]" * 200_000
    out = folder / "out"
    run("sweep", "--workload", "linear", *FAST, "--world-sizes", "1", "--repetitions", 1, "--output", out)
    report = (out / "report.json").read_text()
    deep = folder / "deep.json"
    for text in (brackets, report.replace('"samples_per_sec": ', '"samples_per_sec": ' + brackets + ', "x": ', 1),
                 report.replace('"settings": {', '"settings": {"deep": ' + brackets + ",", 1)):
        check(text != report, "the report is another")
        deep.write_text(text)
        for command in (("report", deep), ("compare", "--old", deep, "--new", out / "report.json"), ("predict", deep, "--world-sizes", 16)):
            only_error(run(*command, expect=65).stderr, "E_BAD_DATA", 65, str(deep), "nests deeper")
    (out / "report.json").write_text(text)
    only_error(run("sweep", "--workload", "linear", *FAST, "--world-sizes", "1", "--repetitions", 1, "--resume",
                   "--output", out, expect=65).stderr, "E_BAD_DATA", 65, "nests deeper")
    deep.write_text('{"a": ' + brackets + "}")
    only_error(run("train", "--config", deep, expect=78).stderr, "E_CONFIGURATION", 78)
    for header in ('{"w": {"dtype": "F32", "shape": ' + brackets + ', "data_offsets": [0, 4]}}', brackets):
        weights = folder / "deep.safetensors"
        weights.write_bytes(len(header).to_bytes(8, "little") + header.encode() + bytes(4))
        line = only_error(run("train", "--workload", "linear", *FAST, "--init-from", weights, "--output", folder / "new",
                              "--overwrite", expect=65).stderr, "E_BAD_DATA", 65, str(weights))
        check(len(line) < 1000, "a line, not the file")


run_cases({f.__name__: f for f in (numerics, bad_picture, out_of_memory, memory_limit, no_address_space, used_folder, full_disk, full_disk_for_weights,
                                   full_disk_for_traces, no_torch, missing_input, deep_json)})
