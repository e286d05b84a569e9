"""The wheel on machines that have Python and no compiler, Debian as it is installed first: fresh_machine_test.py CASE...
How long each step took is printed, and judged by people."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from program import check, clean_environment, report_in, skip
from wheels import made_wheel

CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
ENTER = 'for folder in proc sys dev; do mount --rbind /$folder "$0/$folder"; done; exec chroot "$0" "$@"'


def require(*programs):
    missing = [name for name in programs if not shutil.which(name)]
    if missing:
        skip(f"not installed: {' '.join(missing)} (scripts/soak installs it)")
    if os.getuid() or subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode:
        skip("a fresh machine needs root and mount namespaces")


def step(name, *words, **more):
    begin = time.monotonic()
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=3600, **more)
    print(f"{name}: {time.monotonic() - begin:.0f} s", flush=True)
    check(done.returncode == 0, f"{words} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def fresh_root(suite, folder):
    """What this machine knows of its network goes along: names and certificates."""
    root = folder / "root"
    step(f"{suite}, making it", "mmdebstrap", "--variant=minbase", "--include=python3-venv,ca-certificates", suite, root)
    for file in ("etc/resolv.conf", CERTIFICATES):
        shutil.copyfile(f"/{file}", root / file)
    check(not [name for name in ("cc", "gcc", "c++", "g++") if shutil.which(name, path=root / "usr/bin")], "there is a compiler")
    return root


def first_table(suite, folder):
    root = fresh_root(suite, folder)
    wheel = shutil.copy(made_wheel(folder), root)
    inside = ("unshare", "--mount", "--propagation", "private", "sh", "-c", ENTER, root)
    environment = clean_environment(HOME="/root", PATH=PATH)
    step(f"{suite}, environment", *inside, "python3", "-m", "venv", "/env", env=environment)
    step(f"{suite}, pip install", *inside, "/env/bin/pip", "install", "--quiet", f"/{Path(wheel).name}", env=environment)
    print(step(f"{suite}, first table", *inside, "/env/bin/scalemark", "sweep", "--quick", "--output", "/table", env=environment))
    check(report_in(root / "table")["status"] == "complete", "the first table is incomplete")


CASES = {"debian_12": lambda folder: first_table("bookworm", folder), "debian_13": lambda folder: first_table("trixie", folder)}

if __name__ == "__main__":
    require("mmdebstrap")
    for case in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as place:
            CASES[case](Path(place))
