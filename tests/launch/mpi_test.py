"""Training and sweeping over MPI: under each library's mpirun, and with the built-in launcher, which starts ranks by it."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import time

from endings import ENDLESS, Running, check_gone, closed_report, only_error, run_cases
from mpi import MPIRUN, OPTIONS, ROOT, mpirun, require_mpi
from program import SCALEMARK, check, clean_environment, report_in, run, skip, text_of

TRAIN = ("train", "--workload", "mlp", "--batch-size", 8, "--iters", 12, "--warmup-iters", 2, "--no-progress", "--threads", 1,
         "--device", "cpu")
LIBRARIES = ("openmpi", "mpich")
TITLE = {"openmpi": "Open MPI", "mpich": "MPICH"}


def losses(point):
    return point["loss"]["first"], point["loss"]["last"]


def trained_over_gloo(folder):
    run(*TRAIN, "--nproc-per-node", 2, "--backend", "gloo", "--output", folder / "gloo")
    return losses(report_in(folder / "gloo")["points"][0])


def check_trained(folder, library, launcher, expected):
    report = closed_report(folder, "complete", 0)
    point = report["points"][0]
    check((point["backend"], point["world_size"]) == ("mpi", 2), point["backend"])
    check(report["invocation"]["launcher"] == launcher, report["invocation"]["launcher"])
    check(losses(point) == expected, f"losses {losses(point)} over MPI, {expected} over Gloo")
    mpi = report["tool"]["libraries"]["mpi"]
    check(mpi["running_with"].startswith(TITLE[library]) and mpi["built_with"] == mpi["running_with"], mpi)


def train(folder, library):
    """Two ranks have the same losses as over Gloo, bit for bit: a sum of two does not depend on its order."""
    require_mpi(library)
    expected = trained_over_gloo(folder)
    run(*TRAIN, "--nproc-per-node", 2, "--backend", "mpi", "--mpi-library", library, "--output", folder / "own")
    check_trained(folder / "own", library, "local", expected)
    done = mpirun(library, 2, SCALEMARK, *TRAIN, "--backend", "mpi", "--output", folder / "theirs")
    check(done.returncode == 0, done.stderr)
    check_trained(folder / "theirs", library, {"openmpi": "openmpi", "mpich": "pmi"}[library], expected)


def sweep(folder, library):
    """Points of one and of two ranks, over MPI and Gloo in turn; each group of members is a communicator."""
    require_mpi(library)
    run("sweep", "--workload", "linear", "--world-sizes", "1,2", "--backends", "gloo,mpi", "--repetitions", 2, "--iters", 5,
        "--warmup-iters", 2, "--threads", 1, "--device", "cpu", "--no-progress", "--mpi-library", library, "--output",
        folder / "out", expect=None)
    report = report_in(folder / "out")
    check(report["status"] == "complete", report["errors"])
    rows = [(point["backend"], point["world_size"], point["status"]) for point in report["points"]]
    check({row[2] for row in rows} == {"ok"}, rows)
    check(rows.count(("mpi", 2, "ok")) >= 2 and rows.count(("gloo", 2, "ok")) >= 2, rows)


def rank_pid(folder, rank, seconds=240):
    """The process of a rank that runs: of all with this output folder the one that has that rank and no children."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
                with open(f"/proc/{pid}/environ", "rb") as file:
                    environment = file.read().split(b"\0")
                with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
                    children = file.read().split()
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                continue
            of_rank = any(name + str(rank).encode() in environment for name in (b"OMPI_COMM_WORLD_RANK=", b"PMI_RANK="))
            if os.fsencode(folder) in words and b"train" in words and of_rank and not children and b"mpi" in words \
                    and os.path.basename(words[0]).startswith(b"scalemark"):
                return int(pid)
        time.sleep(0.1)
    check(False, f"no process of rank {rank}")


def lost_rank(folder, library):
    """A rank that is killed ends the job with 69, which is in the report; no process is left."""
    require_mpi(library)
    with Running(*TRAIN[:5], *ENDLESS, "--threads", 1, "--device", "cpu", "--nproc-per-node", 2, "--backend", "mpi",
                 "--mpi-library", library, "--output", folder / "out") as running:
        running.await_event("window")
        pids = [rank_pid(folder / "out", rank) for rank in (0, 1)]
        os.kill(pids[1], signal.SIGKILL)
        running.end(69)
        check("killed by signal 9" in running.stderr and "rank 1" in running.stderr, running.stderr)
        check_gone(pids)
    if library == "mpich" and report_in(folder / "out")["status"] == "partial":
        # UCX, on which MPICH stands, aborts a rank that was just reading the memory of the killed one.
        check("Aborted" not in running.stderr and "backtrace" not in running.stderr, running.stderr)
        return closed_report(folder / "out", "partial", None)
    return closed_report(folder / "out", "failed", 69)


def interrupted(folder, library):
    """Ctrl-C reaches the ranks through our launcher: all end before the same step, and the report says so."""
    require_mpi(library)
    with Running(*TRAIN[:5], *ENDLESS, "--threads", 1, "--device", "cpu", "--nproc-per-node", 2, "--backend", "mpi",
                 "--mpi-library", library, "--output", folder / "out") as running:
        running.await_event("window")
        pids = [rank_pid(folder / "out", rank) for rank in (0, 1)]
        running.process.send_signal(signal.SIGINT)
        running.end(130)
        check_gone(pids)
    closed_report(folder / "out", "interrupted", 130)


def killed_launcher(folder, library):
    """No rank outlives the launcher, whatever killed it."""
    require_mpi(library)
    with Running(*TRAIN[:5], *ENDLESS, "--threads", 1, "--device", "cpu", "--nproc-per-node", 2, "--backend", "mpi",
                 "--mpi-library", library, "--output", folder / "out") as running:
        running.await_event("window")
        pids = [rank_pid(folder / "out", rank) for rank in (0, 1)]
        running.process.kill()
        running.process.wait()
        check_gone(pids)


def lost_rank_under_mpirun(folder, library):
    """Their mpirun ends the job; under Open MPI's, rank 0 has a second for its report, here ten: a busy machine's second is short."""
    require_mpi(library)
    if library == "mpich":
        skip("MPICH's mpirun kills the other ranks at once: the journal has the finished rows")
    command = [MPIRUN[library], *OPTIONS[library], "-n", "2", SCALEMARK, *TRAIN[:5], *ENDLESS, "--threads", 1, "--device",
               "cpu", "--backend", "mpi", "--output", folder / "out"]
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               env=clean_environment(**ROOT, OMPI_MCA_odls_base_sigkill_timeout=10))
    try:
        journal = folder / "out" / "journal.jsonl"
        end = time.monotonic() + 240
        while time.monotonic() < end and '"event":"window"' not in text_of(journal):
            time.sleep(0.05)
        pids = [rank_pid(folder / "out", rank) for rank in (0, 1)]
        os.kill(pids[1], signal.SIGKILL)
        process.communicate(timeout=600)
        check(process.returncode != 0, "mpirun ended with 0")
        check_gone(pids)
    finally:
        process.kill()
    closed_report(folder / "out", "failed", 69)


def refusals(folder, library):
    """Whatever cannot work is refused by name, with the command that does."""
    require_mpi(library)
    other = LIBRARIES[1 - LIBRARIES.index(library)]
    done = mpirun(library, 2, SCALEMARK, *TRAIN, "--backend", "mpi", "--mpi-library", other, "--output", folder / "a")
    check("E_CONFIGURATION (exit 78)" in done.stderr and f"--mpi-library {other}, but the launcher of {TITLE[library]}" in
          done.stderr, done.stderr)
    two = run(*TRAIN, "--backend", "mpi", "--nnodes", 2, "--node-rank", 0, "--nproc-per-node", 2, "--rendezvous",
              "127.0.0.1:29600", "--output", folder / "b", expect=78)
    only_error(two.stderr, "E_CONFIGURATION", 78, "on one node", "-n 4 --host")
    torch = run(*TRAIN, "--backend", "mpi", "--output", folder / "c", expect=78, RANK=0, WORLD_SIZE=2, LOCAL_RANK=0,
                LOCAL_WORLD_SIZE=2, MASTER_ADDR="127.0.0.1", MASTER_PORT=29601)
    only_error(torch.stderr, "E_CONFIGURATION", 78, "launcher torch", "-n 2 scalemark")
    nothing = run(*TRAIN, "--backend", "mpi", "--mpi-library", library, "--nproc-per-node", 2, "--output", folder / "d",
                  expect=71, PATH=str(folder))
    only_error(nothing.stderr, "E_SYSTEM", 71, "no mpirun of", "apt-get install")
    if shutil.which(MPIRUN[other]) is None:
        return
    # Ranks of the other library's mpirun that say they are this one's: MPI itself counts each of them alone.
    faked = {"openmpi": "OMPI_COMM_WORLD_RANK=$PMI_RANK OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=$PMI_RANK "
                        "OMPI_COMM_WORLD_LOCAL_SIZE=2",
             "mpich": "PMI_RANK=$OMPI_COMM_WORLD_RANK PMI_SIZE=2 MPI_LOCALRANKID=$OMPI_COMM_WORLD_LOCAL_RANK MPI_LOCALNRANKS=2"}
    words = shlex.join(map(str, (SCALEMARK, *TRAIN, "--backend", "mpi", "--output", folder / "e")))
    unset = "unset ${!PMI*} ${!OMPI_COMM*} ${!PMIX*}"
    alone = mpirun(other, 2, "bash", "-c", f"set -- {faked[library]}; {unset}; exec env \"$@\" {words}")
    check("E_CONFIGURATION (exit 78)" in alone.stderr and f"{TITLE[library]}" in alone.stderr and
          "says that this is rank 0 of 1; the launcher says rank" in alone.stderr, alone.stderr)


def doctor(folder, library):
    require_mpi(library)
    said = run("doctor", expect=None).stdout
    for one in (library, *(other for other in LIBRARIES if other != library and shutil.which(MPIRUN[other]))):
        check(re.search(rf"^mpi +{TITLE[one]} [\d.]+, libscalemark_mpi_{one} for torch [\d., ]+, /.*mpirun", said, re.M), said)


def of(case):
    return {f"{case.__name__}_{library}": lambda folder, library=library: case(folder, library) for library in LIBRARIES}


run_cases({name: case for each in (train, sweep, lost_rank, interrupted, killed_launcher, lost_rank_under_mpirun, refusals, doctor)
           for name, case in of(each).items()})
