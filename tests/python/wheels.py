"""A wheel of this build, for the tests that install it. It has GPU code for this machine only; scripts/wheel builds for all."""

import importlib.util
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from endings import SOURCE
from program import BINARY_DIR, skip


def made_wheel(folder):
    missing = [name for name in ("wheel", "auditwheel") if not importlib.util.find_spec(name)]
    if missing or not shutil.which("patchelf"):
        skip(f"not installed: {' '.join(missing) or 'patchelf'} (scripts/test installs it)")
    if platform.machine() != "x86_64" or platform.libc_ver() != ("glibc", "2.36"):
        skip("a wheel is made on Debian 12, x86-64")
    subprocess.run([SOURCE / "scripts/lib/pack_bundle", BINARY_DIR, "wheel", folder], check=True, stdout=sys.stderr)
    [wheel] = Path(folder).glob("*.whl")
    return wheel
