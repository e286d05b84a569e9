"""Runs ours and Python's side by side, pair by pair, and prints the ratio of each row with its interval.

A row's ratio is ours / Python's samples per second (start-up and sweep-6: Python's seconds / ours; loader-floor: ours
/ libjpeg-turbo decoding the same files to an eighth; loader-jpeg: ours / ours from the tree), so above 1 is faster. The two sides alternate (A B, B A, A B,
...), since the speed of a shared machine drifts; the estimate is the geometric mean over pairs and the interval
Student's t on the logarithms. SCALEMARK_TEST_DATA names the test data; without it the loader reads generated images.
Rows loader-...-all use every core: ours as many workers, Python the faster, in each pair, of a DataLoader with as many worker processes and as many
processes by themselves; batches of 20 on both sides. Memory per worker: scripts/bench/loader_memory.py.

`--against PROGRAM` compares with another build of scalemark instead of Python, `--against-options='--fused-layers off'` with this one under other options;
`--within 0.05` runs more pairs, at most
--most, until the interval reaches no further than so from the ratio.
"""

import argparse
import atexit
import functools
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from ratios import in_turn, interval

ROOT = Path(__file__).resolve().parents[2]
SCALEMARK = Path(os.environ.get("SCALEMARK_BINARY_DIR") or ROOT / "build/release") / "scalemark"
PEER = ROOT / "scripts/bench/python_peer.py"
LOADER_PEER = ROOT / "scripts/bench/loader_peer.py"
PHOTOS = Path(os.environ.get("SCALEMARK_TEST_DATA") or ROOT / "shared/data") / "photos"
LOADER_SECONDS = 4
CORES = len(os.sched_getaffinity(0))
SWEEP_BATCHES = (32, 64, 128)  # 1 and 2 ranks have them: six points


def cpu_has(*flags):
    text = Path("/proc/cpuinfo").read_text()
    return any(flag in text for flag in flags)


READS_AHEAD = "one worker of ours, which reads ahead"
OVER_MPI = ["--backend", "mpi", "--mpi-library", "openmpi"]


@dataclass
class Row:
    name: str
    title: str
    aim: float
    workload: str = ""
    ranks: int = 1
    threads: int = 1
    batch: int = 8
    iters: int = 100
    warmup: int = 20
    extra: list = field(default_factory=list)  # both sides get it
    ours: list = field(default_factory=list)
    python: list = field(default_factory=list)
    note: str = ""
    needs: tuple = ()  # CPU flags, any of
    strategy: str = ""  # ours; empty: none on one rank, else ddp, as Python has
    form: str = ""  # packed data that the loader reads; empty: the tree
    workers: int = 0  # threads of the loader; 0: the calling thread


ROWS = [
    Row("linear-1", "Linear(1000,10), SGD, batch 32, 1 rank", 4.0, "linear", 1, 1, 32, 4000, 500),
    Row("linear-2", "the same, 2 ranks, Gloo", 1.5, "linear", 2, 1, 32, 2000, 300),
    Row("mlp-1", "MLP 1024-512-256-10, Adam, batch 64, 1 rank", 2.0, "mlp", 1, 1, 64, 400, 50),
    Row("mlp-2", "the same, 2 ranks, Gloo", 1.0, "mlp", 2, 1, 64, 200, 30, note="mlp-2-mpi has the aim of 3x"),
    Row("resnet-64-1", "ResNet-50, 64 px, batch 8, 1 process x 2 threads", 1.25, "resnet50", 1, 2, 8, 30, 6,
        ["--image-size", "64"]),
    Row("resnet-64-2", "the same, 2 ranks x 1 thread, Gloo", 1.05, "resnet50", 2, 1, 8, 30, 6, ["--image-size", "64"]),
    Row("resnet-224", "ResNet-50, 224 px, batch 8, 2 threads, fp32", 1.3, "resnet50", 1, 2, 8, 5, 2),
    Row("resnet-224-bf16", "the same, autocast bf16", 1.3, "resnet50", 1, 2, 8, 8, 2, ["--precision", "amp-bf16"],
        needs=("amx_bf16", "avx512_bf16")),
    Row("bert-1", "BERT 4 x 256, sequence 128, batch 8, 1 rank", 1.5, "bert-mini", 1, 1, 8, 20, 4,
        ["--sequence-length", "128"], note="Python computes the MLM head on every token, we on the masked ones"),
    Row("bert-2", "the same, 2 ranks, Gloo", 1.1, "bert-mini", 2, 1, 8, 16, 4, ["--sequence-length", "128"]),
    Row("bert-1-masked", "BERT 4 x 256, 1 rank, both heads on masked positions", 1.5, "bert-mini", 1, 1, 8, 20, 4,
        ["--sequence-length", "128"], python=["--masked-head"]),
    Row("bert-2-masked", "the same, 2 ranks, Gloo", 1.3, "bert-mini", 2, 1, 8, 16, 4, ["--sequence-length", "128"], python=["--masked-head"]),
    Row("linear-2-mpi", "Linear on 2 ranks, ours over Open MPI, Python over Gloo", 10.0, "linear", 2, 1, 32, 4000, 500, ours=OVER_MPI),
    Row("mlp-2-mpi", "MLP, likewise", 3.0, "mlp", 2, 1, 64, 300, 30, ours=OVER_MPI),
    Row("resnet-64-2-mpi", "ResNet-50, 64 px, batch 8, likewise", 1.3, "resnet50", 2, 1, 8, 30, 6, ["--image-size", "64"],
        ours=OVER_MPI),
    Row("bert-2-mpi", "BERT 4 x 256, likewise, both heads on masked positions", 1.3, "bert-mini", 2, 1, 8, 16, 4,
        ["--sequence-length", "128"], ours=OVER_MPI, python=["--masked-head"]),
    Row("loader", "JPEG loader, 224 px, images/s on one core", 2.8),
    Row("loader-floor", "the same against libjpeg-turbo decoding to 1/8", 0.9),
    Row("loader-fast", "JPEG loader with --image-decoding fast", 2.8, ours=["fast"]),
    Row("loader-fast-floor", "the same against libjpeg-turbo decoding to 1/8", 0.9, ours=["fast"]),
    Row("loader-cold", "JPEG loader, no file in the system's cache", 2.8, workers=1, ours=["exact", "cold"], python=["--cold"],
        note=READS_AHEAD),
    Row("loader-jpeg", "packed as jpeg against the tree, both ours", 1.2, form="jpeg"),
    Row("loader-256", "packed as jpeg-256 against Python from the tree", 6.0, form="jpeg-256"),
    Row("loader-raw", "packed as raw-256 against Python from the tree", 20.0, form="raw-256"),
    Row("loader-256-cold", "packed as jpeg-256, nothing cached on either side", 1.0, form="jpeg-256", workers=1,
        ours=["exact", "cold"], python=["--cold"], note=READS_AHEAD),
    Row("loader-raw-cold", "packed as raw-256, nothing cached on either side", 1.0, form="raw-256", workers=1,
        ours=["exact", "cold"], python=["--cold"], note=READS_AHEAD),
    Row("loader-all", "JPEG loader on all cores", 2.8, workers=CORES),
    Row("loader-256-all", "packed as jpeg-256 on all cores", 6.0, form="jpeg-256", workers=CORES),
    Row("loader-raw-all", "packed as raw-256 on all cores", 20.0, form="raw-256", workers=CORES),
    Row("loader-trivial", "JPEG loader with --augment trivial, one core", 1.0, ours=["trivial"], python=["--augment", "trivial"]),
    Row("loader-randaugment", "the same with --augment randaugment", 1.0, ours=["randaugment"],
        python=["--augment", "randaugment"]),
    Row("loader-jitter", "the same with --augment colour-jitter", 1.0, ours=["colour-jitter"],
        python=["--augment", "colour-jitter"]),
    Row("loader-erasing", "the same with --random-erasing 0.25", 1.0, ours=["erasing=0.25"], python=["--erasing", 0.25]),
    Row("sweep-6", "six-point sweep: 1 / seconds outside warm-up and windows", 5.0, "linear", 2, 1, 32, 500, 50,
        note="Python: one torchrun a point; ours adds three solo points"),
    Row("startup", "start-up: import torch / scalemark --version", 65.0),
]


def run(command):
    command = [str(word) for word in command]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout


def seconds_of(command):
    start = time.perf_counter()
    run(command)
    return time.perf_counter() - start


def first_number(command):
    return float(run(command).split()[0])


@functools.cache
def images():
    """The photos of the test data, or generated images where there are none; said once."""
    if PHOTOS.is_dir():
        print(f"loader rows: {sum(1 for _ in PHOTOS.rglob('*.JPEG'))} photos of the test data, read several times")
        return PHOTOS
    folder = tempfile.mkdtemp(prefix="scalemark-bench-")
    atexit.register(shutil.rmtree, folder)
    tree = Path(folder) / "images"
    run([SCALEMARK, "data", "generate", "images", tree])
    print(f"loader rows: generated images, since {PHOTOS} is not there")
    return tree


@functools.cache
def packed(form):
    folder = tempfile.mkdtemp(prefix="scalemark-bench-")
    atexit.register(shutil.rmtree, folder)
    run([SCALEMARK, "data", "pack", images(), Path(folder) / "packed", "--form", form, "--no-progress"])
    return Path(folder) / "packed"


def loader_bench(program):
    """The command that measures our loader; an older build, as of --against, has a program for it."""
    tool = program.parent / "tests/data_tool"
    return [tool, "loader-bench"] if tool.exists() else [program.parent / "tests/loader_bench"]


def sweep_of_ours(row, folder, program):
    """Seconds of one sweep command that are neither warm-up nor window."""
    wall = seconds_of([program, "sweep", "--workload", row.workload, "--data", "synthetic", "--device", "cpu",
                       "--nproc-per-node", row.ranks, "--threads", row.threads, "--world-sizes", "1,2",
                       "--batch-sizes", ",".join(map(str, SWEEP_BATCHES)), "--repetitions", 1, "--iters", row.iters,
                       "--warmup-iters", row.warmup, "--quiet", "--no-progress", "--output", folder, "--overwrite"])
    points = json.loads((Path(folder) / "report.json").read_text())["points"]
    # A report times only the window: warm-up steps are taken to be as long as the window's, though they are longer.
    return wall - sum(point["wall_s"] * (1 + point["warmup"]["iterations"] / point["iterations"]) for point in points)


def sweep_of_python(row):
    """The same, with one torchrun for each of the six points."""
    outside = 0
    for ranks in (1, 2):
        for batch in SWEEP_BATCHES:
            start = time.perf_counter()
            out = run([sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", ranks, PEER,
                       "--workload", row.workload, "--threads", row.threads, "--batch-size", batch,
                       "--iters", row.iters, "--warmup-iters", row.warmup])
            outside += time.perf_counter() - start - json.loads(out.splitlines()[-1])["steps_s"]
    return outside


def scalemark(row, program, options=()):
    if row.name == "startup":
        return 1 / seconds_of([program, "--version"])
    if row.name.startswith("loader"):
        data = packed(row.form) if row.form else images()
        return first_number([*loader_bench(program), data, 224, row.workers, LOADER_SECONDS, *row.ours])
    with tempfile.TemporaryDirectory() as folder:
        if row.name == "sweep-6":
            return 1 / sweep_of_ours(row, folder, program)
        strategy = row.strategy or ("none" if row.ranks == 1 else "ddp")
        run([program, "train", "--workload", row.workload, "--data", "synthetic", "--batch-size", row.batch,
             "--threads", row.threads, "--nproc-per-node", row.ranks, "--strategy", strategy, "--iters", row.iters,
             "--warmup-iters", row.warmup, "--device", "cpu", "--quiet", "--no-progress", "--output", folder,
             "--overwrite", *row.extra, *row.ours, *options])
        report = json.loads((Path(folder) / "report.json").read_text())
        return report["points"][0]["samples_per_sec"]


def loader_of_python(row):
    command = [sys.executable, LOADER_PEER, images(), 224, LOADER_SECONDS, *row.python]
    if not row.name.endswith("-all"):
        return first_number(command)
    return max(first_number([*command, way, row.workers]) for way in ("--workers", "--processes"))


def python(row):
    if row.name == "startup":
        return 1 / seconds_of([sys.executable, "-c", "import torch"])
    if row.name == "sweep-6":
        return 1 / sweep_of_python(row)
    if row.name == "loader-jpeg":
        return first_number([*loader_bench(SCALEMARK), images(), 224, 0, LOADER_SECONDS])
    if row.name.endswith("-floor"):
        return first_number([*loader_bench(SCALEMARK), images(), "floor", LOADER_SECONDS])
    if row.name.startswith("loader"):
        return loader_of_python(row)
    out = run([sys.executable, PEER, "--workload", row.workload, "--ranks", row.ranks, "--threads", row.threads,
               "--batch-size", row.batch, "--iters", row.iters, "--warmup-iters", row.warmup, *row.extra, *row.python])
    return json.loads(out.splitlines()[-1])["samples_per_sec"]


def wide(ratio, bounds, within):
    return bounds is None or max(bounds[1] / ratio, ratio / bounds[0]) > 1 + within


def measure(row, peer, options):
    ours = functools.partial(scalemark, program=SCALEMARK)
    ratios, us, them = [], [], []
    while len(ratios) < options.pairs or (
            options.within and len(ratios) < options.most and wide(*interval(ratios), options.within)):
        for side, values in in_turn(len(ratios), ((ours, us), (peer, them))):
            values.append(side(row))
        ratios.append(us[-1] / them[-1])
    return interval(ratios), len(ratios), sorted(us)[len(us) // 2], sorted(them)[len(them) // 2]


def shown_rate(rate):
    return f"{rate:10.1f}" if rate >= 1 else f"{rate:10.4f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--rows", default=",".join(row.name for row in ROWS))
    parser.add_argument("--against", type=Path, metavar="PROGRAM")
    parser.add_argument("--against-options", type=shlex.split, default=[], metavar="WORDS")
    parser.add_argument("--within", type=float, metavar="SHARE")
    parser.add_argument("--most", type=int, default=30)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.list:
        for row in ROWS:
            print(f"{row.name:18} {row.title}")
        return
    wanted = options.rows.split(",")
    unknown = set(wanted) - {row.name for row in ROWS}
    if unknown:
        parser.error(f"unknown rows: {', '.join(sorted(unknown))}; --list shows them")
    against_ours = options.against or options.against_options
    other = functools.partial(scalemark, program=(options.against or SCALEMARK).resolve(), options=options.against_options)
    peer, name = (other, "other/s") if against_ours else (python, "python/s")
    print("alternating pairs; ratio > 1: this build is faster\n")
    print(f"{'row':52} {'pairs':>5} {'ours/s':>10} {name:>10} {'ratio':>7}  {'95 % interval':15} {'aim':>5}")
    for row in ROWS:
        if row.name not in wanted:
            continue
        if row.needs and not cpu_has(*row.needs):
            print(f"{row.title:52} skipped: this CPU has none of {', '.join(row.needs)}")
            continue
        (ratio, bounds), pairs, us, them = measure(row, peer, options)
        aim = 1.0 if against_ours else row.aim
        shown = f"[{bounds[0]:.3f}, {bounds[1]:.3f}]" if bounds else "one pair: none"
        verdict = "" if ratio >= aim else "  below the aim"
        note = f"  ({row.note})" if row.note and not against_ours else ""
        print(f"{row.title:52} {pairs:5} {shown_rate(us)} {shown_rate(them)} {ratio:6.3f}x  {shown:15} {aim:4.2f}x{verdict}{note}",
              flush=True)


if __name__ == "__main__":
    main()
