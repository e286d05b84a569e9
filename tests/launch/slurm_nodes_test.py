"""A batch job of `--nodes 3-4` under Slurm with four virtual nodes, by configs/launching/slurm.sbatch as it is: a node fails and the training goes on with
three, the node is back and it goes on with four. Costs two minutes, most of them Slurm's wait before it starts a requeued job."""

import tempfile
from pathlib import Path

import private_host
from checkpoints import is_written_by, steps_in
from endings import SOURCE
from made_data import make_text
from program import SCALEMARK, check, report_in
from slurm import Slurm
from switched import SwitchedHosts

TRAIN = ("train", "--workload", "bert-mini", "--sequence-length", 32, "--batch-size", 4, "--threads", 1, "--no-progress",
         "--checkpoint-every", "10steps")


def goes_on(hosts, slurm, folder):
    data = make_text(folder / "text", 12)
    job = slurm.submit("--nodes", "3-4", "--exclusive", "--output", folder / "job.log", SOURCE / "configs/launching/slurm.sbatch", *TRAIN,
                       "--data", data, "--epochs", 100_000, PROGRAM=SCALEMARK.resolve(), OUTPUT=folder / "out", TASKS_PER_NODE=2)

    def written_by(ranks):
        """Returns once so many ranks have written a checkpoint behind all others."""
        before = max(steps_in(folder / "out"), default=0)
        slurm.wait_for(lambda: is_written_by(folder / "out", ranks, before), f"checkpoint by {ranks} ranks")

    written_by(8)
    hosts.lose(3)
    # slurmctld says so by itself after its SlurmdTimeout, five minutes.
    slurm.ask("scontrol", "update", "nodename=n4", "state=down", "reason=test")
    written_by(6)
    hosts.bring_back(3)
    slurm.start_node("n4")
    slurm.await_nodes("n4")
    slurm.ask("scontrol", "requeue", job)
    written_by(8)
    slurm.ask("scancel", job)
    facts = slurm.await_end(job)
    log = (folder / "job.log").read_text()
    check(facts["Restarts"] == "2", f"{facts}\n{log}")
    check("goes on with 6: batch 4 per rank" in log, log)
    report = report_in(folder / "out")
    check(report["invocation"]["launcher"] == "slurm", report["invocation"])


def main():
    private_host.enter()
    with tempfile.TemporaryDirectory() as place, SwitchedHosts(4) as hosts:
        daemons = Path(place) / "slurm"
        daemons.mkdir()
        with Slurm(hosts, daemons, hosts.addresses) as slurm:
            goes_on(hosts, slurm, Path(place))


if __name__ == "__main__":
    main()
