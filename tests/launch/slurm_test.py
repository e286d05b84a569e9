"""The built program under Slurm with two virtual nodes: slurm_test.py CASE:COMMAND..., all on one cluster."""

import json
import os
import re
import shutil
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

import private_host
import typed
from endings import SOURCE, closed_report
from launched import QUICK, SLOW_LINK, check_launched, program
from launching import finish, start
from namespaces import TwoHosts
from program import SCALEMARK, check, report_in, run
from slurm import Slurm
from sweeps import finished_rows

SCRIPTS = SOURCE / "configs/launching"
ACCEPTANCE = SOURCE / "configs/acceptance"
TWO_NODES = ("--nodes", 2, "--ntasks-per-node", 1)
LONG_SWEEP = ("sweep", "--workload", "linear", "--batch-sizes", "8,16", "--world-sizes", "1,2", "--threads", 1, "--iters", 150,
              "--warmup-iters", 2, "--repetitions", 2, "--retries", 0, "--no-progress")


def srun(slurm, command, folder):
    """Two nodes, without any address: the first host of the step is where the ranks meet."""
    finish([start(*slurm.on_node(), "srun", *TWO_NODES, *program(command, folder), **slurm.variables())])
    check_launched(command, folder, "slurm", nodes=2, rate=SLOW_LINK)


def two_on_one_node(slurm, command, folder):
    finish([start(*slurm.on_node(), "srun", "--nodes", 1, "--ntasks", 2, *program(command, folder), **slurm.variables())])
    check_launched(command, folder, "slurm")


def batch(slurm, command, folder, script="slurm.sbatch", **environment):
    """The script of configs/launching, as its first lines say."""
    words = program(command, folder)
    job = slurm.submit(*TWO_NODES, "--output", folder / "job.log", SCRIPTS / script, *words[1:-2], PROGRAM=SCALEMARK.resolve(),
                       OUTPUT=folder / "out", **environment)
    facts = slurm.await_end(job)
    check(facts["JobState"] == "COMPLETED", f"{facts}\n{(folder / 'job.log').read_text()}")
    check_launched(command, folder, "slurm", nodes=2, rate=SLOW_LINK)


def container(slurm, command, folder):
    """A mount namespace of its own stands in the container's place: the launcher's variables must come through."""
    batch(slurm, command, folder, "slurm-container.sbatch", CONTAINER="unshare --mount")


def shadowed_srun(folder, enter=""):
    """A `srun` before the real one: notes its words in FOLDER/steps, takes off those that only pyxis gives srun, and enters what stands for the container."""
    (folder / "bin").mkdir()
    script = folder / "bin/srun"
    script.write_text(f"""#!/bin/bash
printf '%s ' "$@" >> {folder}/steps; echo >> {folder}/steps
words=()
for word in "$@"; do
  case "$word" in
    --container-*) ;;
    {SCALEMARK.resolve()}) words+=({enter} "$word") ;;
    *) words+=("$word") ;;
  esac
done
exec {shutil.which("srun")} "${{words[@]}}"
""")
    script.chmod(0o755)
    return f"{folder}/bin:{os.environ['PATH']}"


def pyxis(slurm, command, folder):
    """IMAGE=x.sqsh: srun gets the options that pyxis adds to it."""
    batch(slurm, command, folder, "slurm-container.sbatch", IMAGE="x.sqsh", PATH=shadowed_srun(folder, "unshare --mount"))
    [step] = (folder / "steps").read_text().splitlines()
    place = slurm.folder
    check(f"--container-image={place}/x.sqsh --container-mounts={place}:{place} --container-workdir={place} " in step, step)


def copied(slurm, command, folder):
    """COPY=yes: program and torch are read from the node's own disk, where they are unpacked once and taken away at the end. The two nodes have one disk
    here, so that one node runs it."""
    torch = torch_of_program(folder)
    (folder / "disk").mkdir()
    job = slurm.submit("--nodes", 1, "--ntasks", 2, "--output", folder / "job.log", SCRIPTS / "slurm.sbatch", *program(command, folder)[1:-2],
                       PROGRAM=SCALEMARK.resolve(), OUTPUT=folder / "out", COPY="yes", LOCAL=folder / "disk", SCALEMARK_TORCH=torch, PATH=shadowed_srun(folder))
    facts = slurm.await_end(job)
    log = (folder / "job.log").read_text()
    check(facts["JobState"] == "COMPLETED", f"{facts}\n{log}")
    check_launched(command, folder, "slurm")
    unpack, ranks, remove = (folder / "steps").read_text().splitlines()
    place = f"{folder}/disk/scalemark-{job}"
    check(f"{place}/scalemark/scalemark {command} " in ranks and unpack.endswith(f"{place} ") and remove.endswith(f"rm -r {place} "), (unpack, ranks, remove))
    check(not any((folder / "disk").iterdir()), list((folder / "disk").iterdir()))


def torch_of_program(folder):
    """A folder with what a run on CPUs reads of torch, by links: the whole is gigabytes."""
    there = Path(re.search(r"^torch .* in (.*) \(", run("doctor").stdout, re.M)[1])
    torch = folder / "torch"
    (torch / "lib").mkdir(parents=True)
    (torch / "version.py").symlink_to(there / "version.py")
    for library in (there / "lib").glob("*.so*"):
        if "cuda" not in library.name:
            (torch / "lib" / library.name).symlink_to(library)
    return torch


def measured_of(row):
    """Returns what its own run has measured: the number of steps to break even follows from all blocks of a sweep (docs/reference/METRICS.md), and the standing
    is judged once a report is written to the end."""
    return {name: value for name, value in row.items() if name not in ("break_even_steps", "standing", "standing_reason")}


def requeued(slurm, command, folder):
    """A run that `scontrol requeue` interrupts continues in the second start and has no row twice."""
    check(command == "sweep", "only a sweep has rows that are finished")
    job = slurm.submit(*TWO_NODES, "--output", folder / "job.log", SCRIPTS / "slurm.sbatch", *LONG_SWEEP, PROGRAM=SCALEMARK.resolve(),
                       OUTPUT=folder / "out")
    slurm.wait_for(lambda: len(finished_rows(folder / "out")) >= 2, "two finished runs")
    before = finished_rows(folder / "out")
    slurm.ask("scontrol", "requeue", job)
    facts = slurm.await_end(job)
    log = (folder / "job.log").read_text()
    check(facts["JobState"] == "COMPLETED" and facts["Restarts"] == "1", f"{facts}\n{log}")
    report = closed_report(folder / "out", "complete", 0)
    rows = {row["id"]: row for row in report["points"]}
    check(len(report["sessions"]) == 2 and 2 <= len(before) < len(rows), f"{report['sessions']}, {len(before)} rows before\n{log}")
    for name, row in before.items():
        check(measured_of(rows[name]) == measured_of(row), f"a row of the first start is not kept as it was: {row}, {rows[name]}")


def typed_lines(slurm, _, folder):
    """The rows of docs/LAUNCHING.md that are about Slurm."""
    for number, (line, quotes) in enumerate(row for row in typed.rows() if typed.is_slurms(row[0])):
        words = [word.replace("./scalemark", str(SCALEMARK.resolve())) for word in line.split()]
        short = () if "--world-size" in words else (*QUICK, "--output", folder / f"out{number}")
        process = start(*slurm.on_node(), *words, *short, **slurm.variables())
        text = "".join(process.communicate(timeout=600))
        for quote in quotes:
            if quote == "world_size":
                [point] = report_in(folder / f"out{number}")["points"]
                check(point["world_size"] == 1, point["world_size"])
            else:
                check(quote in text, f"`{line}` does not say `{quote}`:\n{text}")


def acceptance(slurm, _, folder):
    """configs/acceptance/slurm.sbatch: both nodes by themselves, links, all in one training with two tasks per node, and the outcome. A node whose
    report says that its own run ended with a hardware fault fails; its drain script is run, and Slurm shows the reason."""
    for name in ("rehearsal", "links"):
        settings = json.loads((ACCEPTANCE / f"{name}.json").read_text())
        short = {"iters": 60, "warmup_iters": 10, "repetitions": 1, "retries": 0, "nproc_per_node": 2, "checks": "devices,health"} if name == "rehearsal" else {}
        (folder / f"{name}.json").write_text(json.dumps(settings | short))
    fleet = json.loads((folder / "rehearsal.json").read_text())
    for option in ("standalone", "fresh_process", "nproc_per_node", "checks", "about"):
        del fleet[option]
    (folder / "fleet.json").write_text(json.dumps(fleet))
    # In the place of a GPU that breaks down: what the program writes then, written by the test.
    (folder / "program").write_text(f"""#!/bin/sh
"{SCALEMARK.resolve()}" "$@"; code=$?
case "$(hostname) $*" in "n2 "*/fleet/1*) sed -i 's/"exit_code": 0/"exit_code": 84/' {folder}/out/1/n2/report.json;; esac
exit $code
""")
    (folder / "program").chmod(0o755)
    job = slurm.submit("--nodes", 2, "--ntasks-per-node", 2, "--output", folder / "job.log", ACCEPTANCE / "slurm.sbatch", PROGRAM=folder / "program",
                       OUTPUT=folder / "out", NODE=folder / "rehearsal.json", LINKS=folder / "links.json", FLEET=folder / "fleet.json",
                       TASKS_PER_NODE=2)
    facts = slurm.await_end(job, seconds=1500)
    log = (folder / "job.log").read_text()
    check(facts["JobState"] == "FAILED" and facts["ExitCode"] == "1:0", f"{facts}\n{log}")
    check(re.search(r"[12] failed", log) and "its run ended with exit code 84" in log, log)
    for part in ("1/n1", "1/n2", "links/1", "fleet/1"):
        check((folder / "out" / part / "report.json").exists(), f"no report of {part}\n{log}")
    nodes = [host["scheduler_node"] for host in report_in(folder / "out/fleet/1")["environment"]["hosts"]]
    check(sorted(nodes) == ["n1", "n2"], nodes)
    check(ET.parse(folder / "out/junit.xml").getroot().find(".//failure") is not None, log)
    slurm.ask("sh", folder / "out/drain.sh")
    reasons = slurm.ask("sinfo", "--noheader", "--list-reasons", "--format=%N|%200E")
    # On a busy machine a rank of n1 may be slower than its peers for sure; it is drained for that then.
    drained = dict(line.split("|", 1) for line in reasons.splitlines())
    check("scalemark" in drained.get("n2", "") and "exit code 84" in drained["n2"], reasons)


CASES = {f.__name__: f for f in (typed_lines, srun, two_on_one_node, batch, container, pyxis, copied, requeued, acceptance)}


def main():
    private_host.enter()
    with tempfile.TemporaryDirectory() as place, TwoHosts() as hosts:
        hosts.limit(f"{SLOW_LINK:.0f}bit")
        daemons = Path(place) / "slurm"
        daemons.mkdir()
        with Slurm(hosts, daemons) as slurm:
            for words in sys.argv[1:]:
                case, command = words.split(":")
                print(f"-- {words}", flush=True)
                folder = Path(place) / words.replace(":", "-")
                folder.mkdir()
                CASES[case](slurm, command, folder)


if __name__ == "__main__":
    main()
