"""torchrun --nnodes 3:4 on four hosts: one is gone from one moment to the next, with its agent, its rank and its link, and the training ends well on the
other three; a node that is back takes part again. Every attempt has the same command. A case costs a minute."""

import math
import sys

from checkpoints import is_written_by, manifest_of, samples_left, steps_in
from endings import closed_report, run_cases
from made_data import make_text
from program import SCALEMARK, check, run
from switched import OnEachHost, SwitchedHosts

HOSTS = 4
TRAIN = ("train", "--workload", "bert-mini", "--sequence-length", 32, "--batch-size", 4, "--threads", 1, "--no-progress")
# A node that has no name server would wait for another to hold the store of the agents. The rest makes restarts quick: torch's own 30 s and 5 s.
QUICK = "is_host={},last_call_timeout=5,keep_alive_interval=1"


class Agents(OnEachHost):
    """torchrun's agents, one on each host, over one output folder; the rendezvous is on host `meeting`."""

    def __init__(self, hosts, folder, epochs, meeting=0):
        super().__init__(hosts, folder)
        self.meeting = meeting
        self.out = folder / "out"
        self.command = (*TRAIN, "--data", folder / "text", "--epochs", epochs, "--checkpoint-every", "20steps", "--checkpoint-keep", 1000,
                        "--output", self.out, "--resume")

    def __enter__(self):
        for host in range(HOSTS):
            self.join(host)
        return self

    def join(self, host):
        self.start(host, sys.executable, "-m", "torch.distributed.run", "--nnodes", f"3:{HOSTS}", "--nproc-per-node", 1, "--max-restarts", 3,
                   "--rdzv-backend", "c10d", "--rdzv-id", "job7", "--rdzv-endpoint", f"{self.hosts.addresses[self.meeting]}:29400",
                   "--rdzv-conf", QUICK.format(int(host == self.meeting)), "--local-addr", self.hosts.addresses[host],
                   "--no-python", SCALEMARK, *self.command, TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1)

    def await_checkpoint(self, ranks):
        """Returns its step once so many ranks have written one behind all others."""
        before = max(steps_in(self.out), default=0)
        self.wait_for(lambda: is_written_by(self.out, ranks, before), f"checkpoint by {ranks} ranks")
        return steps_in(self.out)[-1]

    def await_end(self):
        self.wait_for(lambda: all(process.poll() == 0 for process in self.processes.values()), "end")


def lost(folder, host, meeting=0):
    make_text(folder / "text", 12)
    run(*TRAIN, "--data", folder / "text", "--epochs", 1, "--output", folder / "alone")
    [alone] = closed_report(folder / "alone", "complete", 0)["points"]
    in_an_epoch, epochs = alone["samples"] + alone["data_loading"]["left_out"], 25
    with SwitchedHosts(HOSTS) as hosts, Agents(hosts, folder, epochs, meeting) as agents:
        agents.await_checkpoint(ranks=4)
        agents.lose(host)
        agents.await_end()
        said = "".join(map(agents.log, range(HOSTS)))
    check(f"rank {host} sends no heartbeat" in said, said)
    check("goes on with 3: batch 4 per rank" in said, said)
    [point] = closed_report(folder / "out", "complete", 0)["points"]
    check(point["world_size"] == 3 and len(point["evaluation"]) == epochs, point)
    check(all(math.isfinite(one[name]) for one in point["evaluation"] for name in ("train_loss", "loss")), point["evaluation"])
    [resumed] = point["resumed"]
    left = samples_left(manifest_of(folder / "out", resumed["step"]), in_an_epoch, epochs)
    seen = point["samples"] + point["data_loading"]["left_out"]
    check(seen == left, f"3 ranks trained on or left out {seen} samples of {left}")


def node_1(folder):
    lost(folder, 1)


def node_2(folder):
    lost(folder, 2)


def node_3(folder):
    lost(folder, 3)


def rank_0(folder):
    """Its store goes with it; the agents meet on another host."""
    lost(folder, 0, meeting=3)


def comes_back(folder):
    make_text(folder / "text", 12)
    with SwitchedHosts(HOSTS) as hosts, Agents(hosts, folder, epochs=100_000) as agents:
        agents.await_checkpoint(ranks=4)
        agents.lose(2)
        agents.await_checkpoint(ranks=3)
        hosts.bring_back(2)
        agents.join(2)
        agents.await_checkpoint(ranks=4)


run_cases({f.__name__: f for f in (node_1, node_2, node_3, rank_0, comes_back)})
