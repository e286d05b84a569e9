"""The processes that steps are made of: the program, the gpu tests, the Python side, each as one `Run`."""

from dataclasses import dataclass
from pathlib import Path

from .place import Place
from .step import Run

SHORT = 4  # steps of a rehearsal's window, which checks control flow and no speed


@dataclass(frozen=True)
class Commands:
    place: Place
    output: Path
    short: bool = False  # a rehearsal: few steps, small batches

    def folder(self, name):
        return self.output / "runs" / name

    def iters(self, count):
        return ("--iters", min(count, SHORT) if self.short else count)

    def length(self, iters, warmup):
        return (*self.iters(iters), "--warmup-iters", min(warmup, 2) if self.short else warmup)

    def batch(self, size):
        return min(size, 8) if self.short else size

    def program(self, name, *words, expect=0, environment=None, before=()):
        return Run(name, (*before, self.place.program, *map(str, words)), expect, environment or {})

    def train(self, name, *options, device="cuda", **more):
        """`train` on one rank unless the options say otherwise."""
        ranks = () if "--nproc-per-node" in options else ("--nproc-per-node", 1)
        return self.program(name, "train", "--device", device, *ranks, *options, "--no-progress", "--overwrite",
                            "--output", self.folder(name), **more)

    def generate_text(self, name, documents):
        return self.program(name, "data", "generate", "text", self.folder(name), "--samples", documents, "--overwrite")

    def sweep(self, name, *options, **more):
        return self.program(name, "sweep", "--device", "cuda", *options, "--no-progress", "--overwrite", "--output",
                            self.folder(name), **more)

    def reproduce(self, table, seconds):
        """Published claims; what comes of them is the claims' matter, so that each code of a verdict is right."""
        return self.program(table, "reproduce", table, f"--scale-down={seconds}", "--yes", "--overwrite", "--output", self.folder(table), expect=None)

    def test(self, name, *options):
        """tests/gpu/train_on_gpu.py, as ctest runs it."""
        return self.script(name, self.place.tests / "gpu" / "train_on_gpu.py", *options, "--output", self.folder(name),
                           environment={"SCALEMARK_PROGRAM": self.place.program,
                                        "PYTHONPATH": self.place.tests / "python"})

    def peer(self, name, *options):
        return self.script(name, self.place.scripts / "bench" / "cuda_peer.py", *options)

    def script(self, name, file, *options, environment=None):
        return Run(name, (self.place.python, file, *map(str, options)), 0, environment or {})

    def counted(self, name, options, short, long, warmup):
        """Two runs of `train` under countcuda.so, which writes beside the report: NAME-short and NAME-long."""
        if self.short:
            short, long, warmup = 3, 9, 2
        return tuple(self.train(f"{name}-{which}", *options, "--iters", iters, "--warmup-iters", warmup,
                                environment={"COUNTCUDA_OUTPUT": self.folder(f"{name}-{which}") / "counts",
                                             "LD_PRELOAD": self.place.countcuda})
                     for which, iters in (("short", short), ("long", long)))
