"""The wheel on machines that have Python and no compiler, Debian as it is installed first: fresh_machine_test.py CASE...
How long each step took is printed, and judged by people."""

import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from endings import SOURCE
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
    """Makes a root that has what this machine knows of its network: names and certificates."""
    root = folder / "root"
    step(f"{suite}, making it", "mmdebstrap", "--variant=minbase", "--include=python3-venv,ca-certificates", suite, root)
    for file in ("etc/resolv.conf", CERTIFICATES):
        shutil.copyfile(f"/{file}", root / file)
    check(not [name for name in ("cc", "gcc", "c++", "g++") if shutil.which(name, path=root / "usr/bin")], "there is a compiler")
    return root


def inside(root):
    return "unshare", "--mount", "--propagation", "private", "sh", "-c", ENTER, root


def first_table(suite, folder):
    root = fresh_root(suite, folder)
    wheel = shutil.copy(made_wheel(folder), root)
    environment = clean_environment(HOME="/root", PATH=PATH)
    step(f"{suite}, environment", *inside(root), "python3", "-m", "venv", "/env", env=environment)
    step(f"{suite}, pip install", *inside(root), "/env/bin/pip", "install", "--quiet", f"/{Path(wheel).name}", env=environment)
    print(step(f"{suite}, first table", *inside(root), "/env/bin/scalemark", "sweep", "--quick", "--output", "/table", env=environment))
    check(report_in(root / "table")["status"] == "complete", "the first table is incomplete")


def quickstart(folder):
    """The clone's script with a wheel: a table from images on which the network learns."""
    root = fresh_root("bookworm", folder)
    files = subprocess.run(["git", "-C", SOURCE, "ls-files", "-z", "scripts"], check=True, capture_output=True, text=True).stdout
    for file in filter(None, files.split("\0")):
        (root / "clone" / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SOURCE / file, root / "clone" / file)
    wheel = Path(shutil.copy(made_wheel(folder), root))
    table = step("quickstart", *inside(root), "/clone/scripts/quickstart", f"/{wheel.name}", env=clean_environment(HOME="/root", PATH=PATH))
    print(table)
    check(table.strip().splitlines()[-1].startswith("charts "), "the table is not the last that it prints")
    [run] = (root / "clone/results/runs").iterdir()
    report = report_in(run)
    check(report["status"] == "complete" and report["points"], "the sweep is incomplete")
    step("explain", *inside(root), "/clone/scalemark", "explain", f"/clone/results/runs/{run.name}", env=clean_environment(PATH=PATH))
    losses = [point["loss"]["last"] for point in report["points"]]
    mean, unlearnt = sum(losses) / len(losses), math.log(2)
    print(f"mean of the last losses {mean:.2f}, unlearnt {unlearnt:.2f}")
    check(mean < 2 * unlearnt, f"the loss rises: {losses}")  # a slow machine takes too few steps to learn


def container(folder):
    """The Dockerfile, without a daemon and without images of others: on a base that is made here."""
    root = fresh_root("trixie", folder)
    (folder / "context").mkdir()
    made_wheel(folder / "context")
    buildah = ("buildah", "--root", folder / "storage", "--runroot", folder / "run")
    try:
        tried = subprocess.run([*buildah, "from", "scratch"], capture_output=True, text=True)
        if tried.returncode:
            skip(f"buildah may not make a container here: {tried.stderr.strip()}")
        base = tried.stdout.strip()
        step("base", *buildah, "add", base, root, "/")
        step("base, kept", *buildah, "commit", base, "base")
        step("image", *buildah, "bud", "--isolation", "chroot", "--build-arg", "BASE=localhost/base", "--tag", "scalemark", "--file",
             SOURCE / "configs/launching/Dockerfile", folder / "context")
        made = step("container", *buildah, "from", "localhost/scalemark").strip()
        within = (*buildah, "run", "--isolation", "chroot", made, "--")
        check(step("its user", *within, "id", "--user").strip() == "1000", "it runs as another user than 1000")
        print(step("first table", *within, "scalemark", "sweep", "--quick", "--output", "table"))
        check('"status": "complete"' in step("its report", *within, "cat", "table/report.json"), "the first table is incomplete")
    finally:
        subprocess.run([*buildah, "rm", "--all"], capture_output=True)
        subprocess.run([*buildah, "rmi", "--all", "--force"], capture_output=True)


CASES = {"debian_12": lambda folder: first_table("bookworm", folder), "debian_13": lambda folder: first_table("trixie", folder),
         "quickstart": quickstart, "container": container}

if __name__ == "__main__":
    require("mmdebstrap", *(["buildah"] if "container" in sys.argv else []))
    for case in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as place:
            CASES[case](Path(place))
