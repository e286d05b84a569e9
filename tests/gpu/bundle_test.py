"""The bundle for GPUs runs from any folder: unpacked, moved, beside a torch that the environment names. And gpu_slot
takes it from the archive: on a machine without a GPU it ends with 1 after the second step, and says so in its table."""

import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from program import BINARY_DIR, check, skip, skip_under_asan

SOURCE = Path(os.environ["SCALEMARK_SOURCE_DIR"])


def torch_folder():
    """The one that this interpreter would import."""
    import importlib.util
    found = importlib.util.find_spec("torch")
    if found is None:
        skip(f"{sys.executable} has no torch")
    return found.submodule_search_locations[0]


def succeed(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120, **more)
    check(done.returncode == 0, f"{words} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def unpacked_elsewhere(archive, folder):
    """Returns the bundle's folder, which is moved after unpacking and has a space in its path."""
    succeed("tar", "-C", folder, "-xzf", archive)
    [first] = [path for path in folder.iterdir() if path.is_dir()]
    (folder / "another place").mkdir()
    return Path(shutil.move(first, folder / "another place" / "moved"))


def check_programs(bundle):
    """They are stripped, and search libraries beside themselves only."""
    ours = [bundle / "scalemark", bundle / "countcuda.so", *bundle.glob("libscalemark_*.so")]
    check(len(ours) >= 4, f"the bundle holds {sorted(path.name for path in bundle.iterdir())}")
    for file in ours:
        check(succeed("patchelf", "--print-rpath", file).strip() == "$ORIGIN", f"{file.name} searches elsewhere")
        check(".symtab" not in succeed("readelf", "--section-headers", "--wide", file), f"{file.name} is not stripped")


def train(bundle, folder, environment):
    succeed(bundle / "scalemark", "train", "--workload", "linear", "--device", "cpu", "--threads", 1, "--iters", 3,
            "--warmup-iters", 0, "--no-progress", "--output", folder / "run", env=environment, cwd=folder)
    check(json.loads((folder / "run/report.json").read_text())["status"] == "complete", "no complete report")


def slot_without_a_gpu(archive, folder, environment):
    if glob.glob("/dev/nvidia[0-9]*"):
        return  # there the whole slot would run
    done = subprocess.run([SOURCE / "scripts/gpu_slot", "--output", folder / "slot", archive],
                          capture_output=True,
                          text=True,
                          timeout=120,
                          cwd=folder,
                          env=environment)
    check(done.returncode == 1, f"gpu_slot ended with {done.returncode}\n{done.stdout}{done.stderr}")
    steps = {step["step"]: step for step in json.loads((folder / "slot/table.json").read_text())["steps"]}
    check(steps["doctor"]["figure"].startswith("doctor names no GPU"), steps["doctor"])
    check(steps["linear"]["status"] == "failed" and "no GPU is visible" in steps["linear"]["figure"], steps["linear"])
    later = [step for name, step in steps.items() if name not in ("nvidia-smi", "doctor", "linear")]
    check(len(later) > 20 and all(step["figure"] == "linear failed" for step in later), later)
    check((folder / "slot/gpu-slot.tar.gz").stat().st_size > 1000, "no archive")


skip_under_asan("is a library of its own, which a bundle does not carry")
if shutil.which("patchelf") is None:
    skip("there is no patchelf (Debian: patchelf)")
torch = torch_folder()
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    succeed(SOURCE / "scripts/lib/pack_bundle", BINARY_DIR, "gpu", folder)
    [archive] = folder.glob("*-gpu.tar.gz")
    bundle = unpacked_elsewhere(archive, folder)
    environment = {"PATH": os.environ["PATH"], "SCALEMARK_TORCH": torch, "PYTHON": sys.executable}
    check_programs(bundle)
    train(bundle, folder, environment)
    listed = succeed(bundle / "scripts/gpu_slot", "--list", env=environment, cwd=folder)
    check(str(bundle / "scalemark") in listed and "speed.bert-large-512.pair-2" in listed, listed)
    slot_without_a_gpu(archive, folder, environment)
    print(f"{archive.name}: {archive.stat().st_size / 1e6:.1f} MB")
