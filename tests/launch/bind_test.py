"""--bind: what the kernel says of real ranks and all their threads, with hwloc as the one who knows how CPUs lie."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from endings import ENDLESS, Running, closed_report, only_error, run_cases
from launched import QUICK
from launching import finish, start
from program import SCALEMARK, check, run, skip

ALLOWED = sorted(os.sched_getaffinity(0))
TRAIN = ("train", "--workload", "linear", "--batch-size", 8, "--nproc-per-node", 2)


def numbers(text):
    """"0-1,4" of the kernel or of hwloc as a list."""
    found = []
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def physical_cores():
    """The allowed CPUs of each physical core, in order, as hwloc sees them."""
    if shutil.which("hwloc-calc") is None:
        skip("hwloc-calc is not installed (Debian: hwloc-nox)")
    def ask(*words):
        return subprocess.run(["hwloc-calc", "--physical", *words], capture_output=True, text=True, check=True).stdout
    cores = []
    for cpu in ALLOWED:
        core = numbers(ask("--intersect", "PU", *core_of(cpu)))
        mine = [one for one in core if one in ALLOWED]
        if mine not in cores:
            cores.append(mine)
    return cores


def core_of(cpu):
    """hwloc's words for the core around a CPU."""
    done = subprocess.run(["hwloc-calc", "--physical-input", "--logical-output", "--intersect", "core", f"pu:{cpu}"],
                          capture_output=True, text=True, check=True)
    return ["--logical-input", f"core:{done.stdout.strip()}"]


def require_two_cores():
    cores = physical_cores()
    if len(cores) < 2:
        skip("fewer than two physical cores here")
    return cores


def field(status, name):
    return re.search(rf"^{name}:\t(.*)$", Path(status).read_text(), re.M)[1]


def cpus_of_threads(pid):
    """The CPUs of each thread that lives; they come and go."""
    found = set()
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            found.add(field(task / "status", "Cpus_allowed_list"))
        except FileNotFoundError:
            pass
    return found


def cores_of_two_ranks():
    """The CPUs that each has: half of the physical cores."""
    expected = require_two_cores()
    each = len(expected) // 2
    return [sorted(cpu for core in expected[first:first + each] for cpu in core) for first in (0, each)]


def cores(folder):
    """Disjoint physical cores, on every thread of each rank: compute threads, Gloo's, and those of ours."""
    want = cores_of_two_ranks()
    with Running(*TRAIN, *ENDLESS, "--bind", "cores", "--output", folder / "out") as launched:
        launched.await_event("window")
        pids = launched.ranks()
        seen = [cpus_of_threads(pid) for pid in pids]
        launched.process.terminate()
        launched.end(75)
    check(all(len(cpus) == 1 for cpus in seen), f"threads of one rank differ: {seen}")
    found = sorted(numbers(*cpus) for cpus in seen)
    check(found == want, f"ranks are on {found}, hwloc says {want}")


def reported(folder):
    """The report has what the kernel said; automatic threads of a rank are no more than the CPUs that it has."""
    want = cores_of_two_ranks()
    run("train", "--workload", "linear", "--iters", 5, "--warmup-iters", 2, "--no-progress", "--nproc-per-node", 2, "--bind", "cores",
        "--output", folder / "out")
    report = closed_report(folder / "out", "complete", 0)
    [point] = report["points"]
    cpus = [rank["cpus"] for rank in point["ranks"]]
    check([numbers(text) for text in cpus] == want, (cpus, want))
    check(point["threads"] <= min(map(len, want)), (point["threads"], want))
    texts = [finding["text"] for finding in report["findings"] if finding["code"] == "ranks_bound"]
    check(any(f"rank 0 to CPUs {cpus[0]}; rank 1 to CPUs {cpus[1]}" in text for text in texts), texts)
    check("too_many_threads" not in {finding["code"] for finding in report["findings"]}, report["findings"])
    check(report["invocation"]["settings"]["bind"] == "cores", report["invocation"]["settings"])


def numa(folder):
    """The kernel names the preferred node on the memory that a rank has mapped since."""
    with Running(*TRAIN, *ENDLESS, "--bind", "numa", "--output", folder / "out") as launched:
        launched.await_event("window")
        policies = [Path(f"/proc/{pid}/numa_maps").read_text() for pid in launched.ranks()]
        launched.process.terminate()
        launched.end(75)
    nodes = numbers(Path("/sys/devices/system/node/online").read_text())
    for local_rank, text in enumerate(policies):
        node = nodes[local_rank % len(nodes)]
        prefers = {line.split()[1] for line in text.splitlines()} - {"default"}
        check(prefers == {f"prefer:{node}"}, f"rank {local_rank}: {prefers}")


def refused(folder):
    """It is refused before any rank is started, in one line with what is there and what is wanted."""
    have = len(physical_cores())
    done = run("train", *QUICK, "--nproc-per-node", have + 1, "--bind", "cores", "--output", folder / "out", expect=78)
    only_error(done.stderr, "E_CONFIGURATION", 78, f"{have + 1} ranks on this node", "physical core", "--bind")
    check(not (folder / "out").exists(), "nothing was written")


def bound_by_a_launcher(folder):
    """A launcher's own binding is not divided once more: both ranks say so and name the way out."""
    cpus = require_two_cores()
    ranks = [start("taskset", "-c", cpus[rank][0], SCALEMARK, "train", *QUICK, "--bind", "numa", "--rendezvous",
                   f"file:{folder}/meet", "--output", folder / "out", RANK=rank, WORLD_SIZE=2, LOCAL_RANK=rank,
                   LOCAL_WORLD_SIZE=2) for rank in (0, 1)]
    for text in finish(ranks, expect=78):
        only_error(text, "E_CONFIGURATION", 78, f"rank 0 may use CPUs {cpus[0][0]}, rank 1 CPUs {cpus[1][0]}",
                   "mpirun --bind-to none")


run_cases({f.__name__: f for f in (cores, reported, numa, refused, bound_by_a_launcher)})
