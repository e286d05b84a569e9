"""A torch that no engine was built with: folders of links to the real one, under another version or with a library that lacks a symbol."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from launched import QUICK
from program import BINARY_DIR, SCALEMARK, check, clean_environment, run, skip_under_asan

REAL = Path(next(path for path in sys.path if (Path(path) / "torch/lib/libtorch_cpu.so").exists())) / "torch"
BUILT_WITH = re.search(r"__version__ = '([^']+)'", (REAL / "version.py").read_text())[1]  # 2.11.0+cu130
MINOR = ".".join(BUILT_WITH.split(".")[:2])


def torch_folder(place, version):
    """The real torch under another version."""
    (place / "lib").mkdir(parents=True)
    for library in (REAL / "lib").iterdir():
        (place / "lib" / library.name).symlink_to(library)
    (place / "version.py").write_text(f"__version__ = '{version}'\ncuda = '13.0'\n")
    return place


def names(file, side):
    text = subprocess.run(["nm", "-D", side, file], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1].split("@")[0] for line in text.splitlines()}


def take_a_symbol(folder):
    """Gives the folder a libc10.so without a symbol that the engine needs, and torch's other libraries do not."""
    library = folder / "lib/libc10.so"
    wanted = names(BINARY_DIR / f"libscalemark_engine-{MINOR}.so", "--undefined-only") & names(REAL / "lib/libc10.so", "--defined-only")
    symbol = min(name for name in wanted - names(REAL / "lib/libtorch_cpu.so", "--undefined-only") if len(name) > 20)
    contents = (REAL / "lib/libc10.so").read_bytes()
    library.unlink()
    library.write_bytes(contents.replace(symbol.encode() + b"\0", b"X" + symbol.encode()[1:] + b"\0"))
    return symbol


def train(torch, expect, *options, **environment):
    with tempfile.TemporaryDirectory() as out:
        done = run("train", *QUICK, "--torch", torch, *options, "--output", f"{out}/report", expect=expect, **environment)
        return " ".join(done.stderr.split())


def another_patch(folder):
    """A patch of the same builder is loaded, with one note, whatever the ranks."""
    version = f"{MINOR}.99+{BUILT_WITH.partition('+')[2]}"
    said = train(torch_folder(folder / "patch", version), 0, "--nproc-per-node", 2)
    check(said.count(f"torch {version} runs with the engine that was built with {BUILT_WITH}") == 1, said)
    check("trial" not in said, said)


def another_build(folder):
    """A vendor's build, or one for another CUDA, is tried first, in a process whose report nobody sees; under torchrun too."""
    version = f"{MINOR}.0a0+1234567.nv26.1"
    torch = torch_folder(folder / "vendor", version)
    temporary = folder / "tmp"  # other tests launch, too
    temporary.mkdir()
    said = train(torch, 0, "--nproc-per-node", 2, TMPDIR=temporary)
    check(said.count(f"torch {version} runs with the engine that was built with {BUILT_WITH}") == 1, said)
    check(not list(temporary.iterdir()), f"the trial leaves {list(temporary.iterdir())}")
    for words in (["train", *QUICK, "--output", folder / "torchrun"], ["doctor"]):
        launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "--no-python"] * (words[0] == "train")
        done = subprocess.run([*launcher, SCALEMARK.resolve(), *map(str, words)], capture_output=True, text=True, timeout=600,
                              env=clean_environment(SCALEMARK_TORCH=torch, OMP_NUM_THREADS=1))
        check(done.returncode == 0 and version in done.stdout + done.stderr, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}")


def without_a_symbol(folder):
    """Whether it is tried or loaded at once: one line that names the symbol, and the command that builds for it."""
    for kind, version in (("patch", f"{MINOR}.98+{BUILT_WITH.partition('+')[2]}"), ("vendor", f"{MINOR}.0+cu999")):
        torch = torch_folder(folder / f"lacks-{kind}", version)
        symbol = take_a_symbol(torch)
        said = train(torch, 71)
        check(said.count("error E_") == 1 and "error E_TORCH_VERSION (exit 71)" in said, said)
        for words in (version, BUILT_WITH, symbol, f"-DSCALEMARK_TORCH={torch}"):
            check(words in said, f"{words} is not said: {said}")


def ends_by_a_signal(folder):
    """A class in another layout lacks no symbol: the trial dies of it, and the run does not."""
    torch = torch_folder(folder / "crashes", f"{MINOR}.0a0+crash")
    source = folder / "crash.c"
    source.write_text("#include <stdlib.h>\n__attribute__((constructor)) static void crash(void) { if (getenv(\"SCALEMARK_TORCH_TRIAL\")) abort(); }\n")
    library = torch / "lib/libc10.so"
    library.unlink()
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, f"-Wl,--no-as-needed,-rpath,{REAL / 'lib'}", REAL / "lib/libc10.so"], check=True)
    said = train(torch, 71)
    check("a trial ended by signal 6" in said and "E_TORCH_VERSION" in said, said)


def without_an_engine(folder):
    """A minor version without an engine: those that there are."""
    said = train(torch_folder(folder / "old", "2.10.0+cu128"), 71)
    engines = re.search(r"built for torch ([\d., ]+)\)", run("--version").stdout)[1]
    check("is torch 2.10.0+cu128" in said, said)
    check(f"engines are here for torch {engines}" in said and "pip install 'torch==" in said, said)


skip_under_asan("must be the first library that is loaded")
for case in sys.argv[1:] or ("another_patch", "another_build", "without_a_symbol", "ends_by_a_signal", "without_an_engine"):
    with tempfile.TemporaryDirectory() as place:
        print(f"-- {case}", flush=True)
        globals()[case](Path(place))
