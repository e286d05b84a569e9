"""A machine whose driver has its CUDA part but no NVML, as in containers that get no more: a Turing GPU is still known,
and bf16 on it is refused before anything starts. The GPU is a file in a private /dev, the driver a fake."""

import os
import pathlib
import subprocess
import sys
import tempfile

import mounts
from program import BUILD, LAUNCHERS, PROGRAM

WITH_GPU = mounts.empty("/dev") + ' && : >/dev/nvidia0 && : >/dev/null && exec "$@"'


def private_dev(*command, env=None):
    for unshare in (["unshare", "-m"], ["unshare", "-r", "-m"]):
        result = subprocess.run([*unshare, "sh", "-c", WITH_GPU, "sh", *map(str, command)], env=env, timeout=60,
                                capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        if "unshare" not in result.stderr and "mount" not in result.stderr:
            return result
    print(f"skipped: no private /dev can be made here: {result.stderr.strip()}")
    sys.exit(77)


def scalemark(folder, *arguments):
    env = {k: v for k, v in os.environ.items() if not LAUNCHERS.match(k) and not k.startswith("CUDA_")}
    return private_dev(PROGRAM, *arguments, env={**env, "LD_LIBRARY_PATH": folder})


def expect(condition, result):
    if not condition:
        sys.exit(f"rc {result.returncode}\n{result.stdout}\n{result.stderr}")


if not list(BUILD.glob("libscalemark_cuda-*.so")):
    print("skipped: this build has no CUDA plugin")
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    os.symlink(BUILD / "tests/libfake_cuda_whole.so", pathlib.Path(folder) / "libcuda.so.1")
    os.symlink(BUILD / "tests/libfake_nvml_broken.so", pathlib.Path(folder) / "libnvidia-ml.so.1")
    doctor = scalemark(folder, "doctor")
    expect("kernels of this build on it: " in doctor.stdout or "cannot be used: GPU 'Tesla T4' has compute capability 7.5, code for it: none" in doctor.stdout, doctor)
    for words in ("Tesla T4, compute capability 7.5",
                  "tf32 and amp-bf16 on it: needs a GPU of compute capability 8.0, this one has 7.5"):
        expect(words in doctor.stdout, doctor)

    train = ["train", "--workload", "mlp", "--device", "cuda", "--dry-run", "--output", folder + "/run", "--precision"]
    refused = scalemark(folder, *train, "amp-bf16")
    expect(refused.returncode == 78 and "compute capability 8.0, this one has 7.5" in refused.stderr, refused)
    allowed = scalemark(folder, *train, "amp-fp16")
    expect(allowed.returncode == 0, allowed)
    os.remove(pathlib.Path(folder) / "libcuda.so.1")  # nothing is known now, and nothing refused
    os.symlink(BUILD / "tests/libfake_cuda_broken.so", pathlib.Path(folder) / "libcuda.so.1")
    unknown = scalemark(folder, *train, "amp-bf16")
    expect(unknown.returncode == 0, unknown)
print("a Turing GPU is known without NVML")
