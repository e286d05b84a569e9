"""The wheel in an environment of its own beside torch: wheel_test.py LAUNCHER..., which start what it installed."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from endings import ENDLESS, SOURCE
from launched import check_launched, program
from launching import finish, free_port, start
from program import BINARY_DIR, check, clean_environment
from wheels import made_wheel

HERE = Path(__file__).parent
LAUNCHERS = {"torchrun": (HERE / "launchers_test.py", "torchrun", "train"), "open_mpi": (HERE / "launchers_test.py", "open_mpi", "train"),
             "slurm": (HERE / "slurm_test.py", "srun:train")}


def say(*words, expect=0, **environment):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600, env=clean_environment(**environment))
    check(done.returncode == expect, f"{words} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def other_processors(folder):
    uname = folder / "uname"
    uname.write_text("#!/bin/sh\necho aarch64\n")
    uname.chmod(0o755)
    text = say(SOURCE / "scripts/wheel", expect=71, PATH=f"{folder}:{os.environ['PATH']}")
    check("on x86-64 only, and this is aarch64" in text, text)


def refusals():
    check("unknown option '--nonsense'" in say(SOURCE / "scripts/quickstart", "--nonsense", expect=64), "quickstart takes anything")
    check("there is no file 'no.whl'" in say(SOURCE / "scripts/quickstart", "no.whl", expect=66), "quickstart needs no wheel")


def metadata_of(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = {Path(name).name for name in archive.namelist()}
        [metadata] = [archive.read(name).decode() for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    check(wheel.name.endswith("-py3-none-manylinux_2_34_x86_64.whl"), wheel.name)
    check({"libjpeg.so.62", "libpng16.so.16", "libwebp.so.7", "libutf8proc.so.2", "LICENSE", "libjpeg62-turbo", "libpng16-16", "libwebp7", "libutf8proc2",
           "rtx4090-mlp.json", "ACCEPTANCE.md", "REPORT.md", "scalemark.fish"} <= names, sorted(names))
    foreign = [name for name in names if name.startswith(("libz.", "libutil", "libtorch", "libmpi", "libopencv", "libgomp"))]
    check(not foreign, f"the wheel brings what the machine or torch has: {foreign}")
    engines = sorted(int(name[len("libscalemark_engine-2."):-len(".so")]) for name in names if name.startswith("libscalemark_engine-"))
    check(f"Requires-Dist: torch>=2.{engines[0]},<2.{engines[-1] + 1}\n" in metadata, metadata)
    return metadata


def environment_with(wheel, folder):
    """Makes one without pip of its own, and with links to the torch that this interpreter has."""
    say(sys.executable, "-m", "venv", "--without-pip", folder)
    say(sys.executable, "-m", "pip", "--python", folder / "bin/python", "install", "--no-deps", "--no-index", wheel)
    [packages] = folder.glob("lib/python3*/site-packages")
    for package in Path(importlib.util.find_spec("torch").submodule_search_locations[0]).parent.glob("*"):
        if package.name in ("torch", "nvidia"):
            (packages / package.name).symlink_to(package)
    return packages


def torchrun_takes_the_module(packages, folder):
    """torchrun of another environment that sees this one's packages; the links above lack what torch in Python imports."""
    finish([start(sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", 2, "--master-port", free_port(), "-m", "scalemark",
                  *program("train", folder)[1:], PYTHONPATH=packages)])
    check_launched("train", folder, "torch")


def another_processor_is_one_sentence(folder):
    package = folder / "foreign/scalemark"
    shutil.copytree(SOURCE / "apps/wheel", package, ignore=shutil.ignore_patterns("metadata"))
    (package / "scalemark").write_bytes(b"\x7fELF" + bytes(60))
    (package / "scalemark").chmod(0o755)
    text = say(sys.executable, "-B", "-m", "scalemark", "doctor", expect=71, PYTHONPATH=package.parent)
    check(text.count("\n") == 1 and "does not start on this Linux on x86_64: Exec format error. Hint: " in text, text)


def takes_the_interpreters_place(scalemark, packages):
    process = subprocess.Popen([scalemark, "train", "--workload", "linear", *map(str, ENDLESS)], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env=clean_environment(), cwd=packages)
    try:
        end = time.monotonic() + 240
        while not os.path.samefile(f"/proc/{process.pid}/exe", packages / "scalemark/scalemark"):
            check(process.poll() is None and time.monotonic() < end, "the interpreter stays")
            time.sleep(0.05)
    finally:
        process.kill()
        process.wait()


def main():
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        wheel = made_wheel(folder)
        other_processors(folder)
        refusals()
        version = say(BINARY_DIR / "scalemark", "--version")
        check(version in metadata_of(wheel), "the wheel does not say of which commit it is")
        packages = environment_with(wheel, folder / "an environment")
        scalemark, python = folder / "an environment/bin/scalemark", folder / "an environment/bin/python"
        installed = say(scalemark, "--version")
        check(installed == say(python, "-m", "scalemark", "--version"), "the versions differ")
        before = "; built for torch "  # the wheel may have more engines than this build
        check(installed.split(before)[0] == version.split(before)[0], f"{installed}, {version}")
        check(f"{packages}/torch" in say(scalemark, "doctor"), "the torch of another environment")
        another_processor_is_one_sentence(folder)
        text = say(scalemark, "data", "generate", "images", folder / "images", "--samples", 10)
        check("SCALEMARK_TORCH" not in text, text)
        takes_the_interpreters_place(scalemark, packages)
        say(scalemark, *program("train", folder)[1:], "--nproc-per-node", 2)
        check_launched("train", folder, "local")
        (folder / "by module").mkdir()
        torchrun_takes_the_module(packages, folder / "by module")
        for launcher in sys.argv[1:]:
            os.environ["SCALEMARK_PROGRAM"] = str(scalemark)
            done = subprocess.run([sys.executable, *map(str, LAUNCHERS[launcher])])
            if done.returncode:
                sys.exit(done.returncode)
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")


main()
