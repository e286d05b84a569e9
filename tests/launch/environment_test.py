"""--env: variables that libraries read once, as an axis of sweeps and for one run. libgomp shows what a rank's libraries read
(OMP_DISPLAY_ENV) and by the kernel (/proc/PID/environ)."""

import re
from pathlib import Path

from endings import ENDLESS, Running, closed_report, only_error, run_cases
from program import check, run
from sweeps import await_rows, kill_all, statuses, sweep, valid_report

POLICIES = ("--env", "OMP_WAIT_POLICY=active,passive")
TWO_RANKS = ("--world-sizes", 2, "--nproc-per-node", 2)
TORCHRUN = {"RANK": 0, "WORLD_SIZE": 1, "LOCAL_RANK": 0, "LOCAL_WORLD_SIZE": 1, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": 29617}


def displayed(text):
    """The policy of each process that libgomp was loaded into, in order."""
    return [policy.lower() for policy in re.findall(r"OMP_WAIT_POLICY = '(\w+)'", text)]


def axis(folder):
    """Each environment of each block has ranks of its own, whose libraries read it; rows say which; effects pair them in blocks."""
    done = run(*sweep(*TWO_RANKS, *POLICIES, repetitions=2), "--output", folder / "out", OMP_DISPLAY_ENV="true")
    report = closed_report(folder / "out", "complete", 0)
    rows = sorted(valid_report(folder / "out")["points"], key=lambda row: (row["block"], row["order"]))
    check(len(rows) == 2 * 2 * 3, [row["id"] for row in rows])  # ddp, solo and the baseline, of two policies
    launches = []
    for row in rows:
        policy = row["env"]["OMP_WAIT_POLICY"]
        check(row["group"].endswith(f"OMP_WAIT_POLICY-{policy}") and row["varying"]["env.OMP_WAIT_POLICY"] == policy, row["group"])
        if not launches or launches[-1] != (row["block"], policy):
            launches.append((row["block"], policy))
    check(len(launches) == 4, launches)
    # Two ranks each, and nobody else has libgomp: the launcher loads no torch.
    check(displayed(done.stderr) == [policy for _, policy in launches for _ in range(2)], (displayed(done.stderr), launches))
    check([session["session"] for session in report["sessions"]] == [0, 1], report["sessions"])
    check(all(row["session"] == row["block"] for row in rows), "the environments of a block are one session")
    effects = [effect for effect in report["effects"] if effect["axis"] == "env.OMP_WAIT_POLICY"]
    # Others on the machine may have disturbed runs; then that is the verdict.
    check(effects and all((e["from"], e["to"]) == ("active", "passive") and (e["pairs"] == 2 or e["verdict"] == "disturbed")
                          for e in effects), report["effects"])
    check(all(e["in_words"].startswith("env.OMP_WAIT_POLICY passive against active") for e in effects), effects)
    details = run("report", folder / "out", "--details").stdout
    check("Scaling, weak, batch size 32, env.OMP_WAIT_POLICY active" in details, details)
    check({table["fixed"]["env.OMP_WAIT_POLICY"] for table in report["scaling"]} == {"active", "passive"}, report["scaling"])
    check("OMP_WAIT_POLICY" not in report["environment"]["variables"], report["environment"]["variables"])
    check(report["invocation"]["settings"]["env.OMP_WAIT_POLICY"] == ["active", "passive"], report["invocation"]["settings"])


def unset_and_several(folder):
    """Nothing before a comma is unset, though the sweep itself has the variable; two variables make a product. Without --output:
    however often ranks are started, they write into the one folder that the first start made."""
    run(*sweep("--world-sizes", 1, "--nproc-per-node", 1, "--env", "MALLOC_ARENA_MAX=,1", "--env", "LRU_CACHE_CAPACITY=1,2"), cwd=folder,
        MALLOC_ARENA_MAX=7)
    [made] = (folder / "results/runs").iterdir()
    found = {tuple(sorted(row["env"].items())) for row in valid_report(made)["points"]}
    check(found == {(("LRU_CACHE_CAPACITY", lru), ("MALLOC_ARENA_MAX", arenas)) for lru in "12" for arenas in ("unset", "1")}, found)


def environ(pid):
    entries = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    return dict(entry.decode().split("=", 1) for entry in entries if b"=" in entry)


def train(folder):
    """There is one value: the kernel says what the rank was started with; `axis` shows that of two ranks."""
    out = folder / "out"
    with Running("train", "--workload", "linear", "--threads", 1, *ENDLESS, "--env", "MALLOC_ARENA_MAX=3", "--env", "LRU_CACHE_CAPACITY=",
                 "--output", out, LRU_CACHE_CAPACITY=5) as training:
        training.await_event("window")
        [found] = [environ(pid) for pid in training.ranks()]
        check(found.get("MALLOC_ARENA_MAX") == "3" and "LRU_CACHE_CAPACITY" not in found, found)
    run("train", "--workload", "linear", "--iters", 5, "--no-progress", "--env", "MALLOC_ARENA_MAX=3", "--output", folder / "done")
    report = closed_report(folder / "done", "complete", 0)
    check(report["points"][0]["env"] == {"MALLOC_ARENA_MAX": "3"}, report["points"][0])
    check(report["environment"]["variables"]["MALLOC_ARENA_MAX"] == "3", report["environment"]["variables"])


def comm(folder):
    run("comm", "--sizes", "4KiB", "--repetitions", 1, "--env", "MALLOC_ARENA_MAX=3", "--backends", "gloo", "--device", "cpu", "--output",
        folder / "out")
    report = closed_report(folder / "out", "complete", 0)
    check(report["invocation"]["settings"]["env.MALLOC_ARENA_MAX"] == "3", report["invocation"]["settings"])
    check(report["environment"]["variables"]["MALLOC_ARENA_MAX"] == "3", report["environment"]["variables"])


def refused(folder):
    """Another launcher's ranks have their environment already: the commands that do it instead."""
    out = folder / "out"
    done = run(*sweep("--world-sizes", 1, *POLICIES), "--output", out, expect=78, **TORCHRUN)
    only_error(done.stderr, "E_CONFIGURATION", 78, "--env", "another launcher", "its own --output")
    for policy in ("active", "passive"):
        line = f"OMP_WAIT_POLICY={policy} torchrun ... --no-python scalemark sweep"
        found = [text for text in done.stderr.splitlines() if line in text]
        check(len(found) == 1 and found[0].endswith(f"--output {out}-OMP_WAIT_POLICY-{policy}") and "--env" not in found[0], done.stderr)
    check(f"scalemark compare --old {out}-OMP_WAIT_POLICY-active --new {out}-OMP_WAIT_POLICY-passive" in done.stderr, done.stderr)
    done = run("train", "--workload", "linear", "--env", "A=,", expect=78)
    only_error(done.stderr, "E_CONFIGURATION", 78, "--env A", "only a sweep takes a list")
    run("train", "--workload", "linear", "--env", "A=1", expect=78, **TORCHRUN)
    slurm = {"SLURM_JOB_ID": 7, "SLURM_STEP_ID": 0, "SLURM_PROCID": 0, "SLURM_NTASKS": 1, "SLURM_LOCALID": 0, "SLURM_NODEID": 0,
             "SLURM_STEP_NUM_TASKS": 1, "SLURM_STEP_NUM_NODES": 1, "SLURM_STEP_NODELIST": "localhost", "SLURM_STEP_TASKS_PER_NODE": 1}
    done = run(*sweep("--world-sizes", 1, *POLICIES), "--output", out, expect=78, **slurm)
    check("OMP_WAIT_POLICY=active srun ... scalemark sweep" in done.stderr, done.stderr)
    pod = {"PET_NNODES": 1, "PET_NPROC_PER_NODE": 2}
    done = run(*sweep(*POLICIES), "--output", out, expect=78, **pod)
    check("the variables in the pods' env" in done.stderr, done.stderr)
    mpirun = {"OMPI_COMM_WORLD_RANK": 0, "OMPI_COMM_WORLD_SIZE": 1, "OMPI_COMM_WORLD_LOCAL_RANK": 0, "OMPI_COMM_WORLD_LOCAL_SIZE": 1}
    done = run(*sweep("--world-sizes", 1, *POLICIES), "--output", out, expect=78, **mpirun)
    check("OMP_WAIT_POLICY=active mpirun -x OMP_WAIT_POLICY ... scalemark sweep" in done.stderr, done.stderr)
    for name, words in (("RANK=1", "belongs to the launcher"), ("OMP_NUM_THREADS=2", "--threads"), ("SCALEMARK_SEED=1", "option of that name")):
        done = run("sweep", "--env", name, "--dry-run", expect=78)
        only_error(done.stderr, "E_CONFIGURATION", 78, words)
    check(not out.exists(), "nothing was started")


def told(_):
    """--dry-run names the axis and how often ranks are started; old names are reported."""
    done = run("sweep", *TWO_RANKS, "--env", "NCCL_BLOCKING_WAIT=,1", "--repetitions", 4, "--dry-run")
    check("ranks are started anew for each of the 2 environments of each block, 8 times in all" in done.stdout, done.stdout)
    check(re.search(r"Set by option: .*env\.NCCL_BLOCKING_WAIT unset,1", done.stdout), done.stdout)
    check("NCCL_BLOCKING_WAIT is the old name of TORCH_NCCL_BLOCKING_WAIT" in done.stderr, done.stderr)


def resumed(folder):
    """Killed in the middle of a block: what was finished stays, and --resume runs the rest, each run once."""
    out = folder / "out"
    options = (*sweep(*TWO_RANKS, *POLICIES, repetitions=2), "--output", out)
    with Running(*options) as sweeping:
        check(await_rows(sweeping, 4), "the sweep ended before it was killed")  # there are 12, 3 of each launch
        kill_all(sweeping)
    before = statuses(valid_report(out))
    run(*options, "--resume")
    report = closed_report(out, "complete", 0)
    rows = statuses(valid_report(out))
    check(len(rows) == 12 and before.items() <= rows.items(), (before, rows))
    for row in report["points"]:
        check(row["group"].endswith(row["env"]["OMP_WAIT_POLICY"]), row["id"])
    run(*sweep(*TWO_RANKS, "--env", "OMP_WAIT_POLICY=active", repetitions=2), "--output", out, "--resume", expect=78)
    kept = (out / "report.json").read_bytes()
    done = run(*options, "--resume", "--seed", 7, expect=78)  # complete, and two environments: what is refused is no environment's end
    check("seed was" in done.stderr and "others go on" not in done.stderr and not done.stdout, done.stderr + done.stdout)
    check((out / "report.json").read_bytes() == kept, "a refused --resume wrote into the report")


def dying(folder):
    """Ranks of one environment that die fail its points; the others are measured, in every block."""
    out = folder / "out"
    done = run(*sweep(*TWO_RANKS, "--env", "GLOO_SOCKET_IFNAME=nosuch0,lo", repetitions=2), "--output", out, expect=2)
    report = closed_report(out, "complete", 2)
    found = {(row["env"]["GLOO_SOCKET_IFNAME"], row["status"]) for row in valid_report(out)["points"]}
    check(found == {("nosuch0", "failed"), ("lo", "ok")}, found)
    check(len(report["points"]) == 12, [row["id"] for row in report["points"]])
    reasons = {row["reason"] for row in report["points"] if row["status"] == "failed"}
    for reason in reasons:
        check(reason.startswith("GLOO_SOCKET_IFNAME=nosuch0: rank ") and "no network interface" in reason, reason)
    check("others go on" in done.stderr, done.stderr)
    run(*sweep(*TWO_RANKS, "--env", "GLOO_SOCKET_IFNAME=nosuch0,nosuch1"), "--output", folder / "none", expect=78)


run_cases({f.__name__: f for f in (axis, unset_and_several, train, comm, refused, told, resumed, dying)})
