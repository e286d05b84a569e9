"""The built program under real launchers, over one host and over two (network namespaces with a slow link between them):
launchers_test.py LAUNCHER COMMAND... What the commands are and what their reports must hold is in tests/python/launched.py."""

import shlex
import shutil
import sys
import tempfile
from pathlib import Path

import private_host
from endings import closed_report
from launched import SLOW_LINK, check_launched, program
from launching import finish, free_port, start
from namespaces import TwoHosts
from program import check, skip

TORCHRUN = (sys.executable, "-m", "torch.distributed.run")
LAUNCH = (sys.executable, "-W", "ignore", "-m", "torch.distributed.launch")
MAY_BE_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": 1, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": 1}
FIRST = TwoHosts.ADDRESSES[0]


def check_repeatable(report, words):
    """The report has the words of the launcher, with its options; none where MPICH has cut a list of hosts among them."""
    typed = shlex.split(report["invocation"].get("launcher_command", ""))
    check(typed == ([] if "-hosts" in words else [str(word) for word in words]), typed)


def torchrun(command, folder):
    words = (*TORCHRUN, "--nproc-per-node", 2, "--master-port", free_port(), "--no-python")
    finish([start(*words, *program(command, folder))])
    check_repeatable(check_launched(command, folder, "torch"), words)


def distributed_launch(command, folder):
    """torch allows --no-python with --use-env only; --local-rank, its other way, is tested with the options."""
    finish([start(*LAUNCH, "--use-env", "--nproc-per-node", 2, "--master-port", free_port(), "--no-python",
                  *program(command, folder))])
    check_launched(command, folder, "torch")


def over_two_hosts(command, folder, launcher, words_of_node):
    with TwoHosts() as hosts:
        hosts.limit(f"{SLOW_LINK:.0f}bit")
        finish([start(*hosts.on(node), *words_of_node(node)) for node in (0, 1)])
    check_launched(command, folder, launcher, nodes=2, rate=SLOW_LINK)


def torchrun_two_hosts(command, folder):
    over_two_hosts(command, folder, "torch", lambda node: (
        *TORCHRUN, "--nnodes", 2, "--nproc-per-node", 1, "--node-rank", node, "--master-addr", FIRST, "--master-port", 29611,
        "--no-python", *program(command, folder)))


def own_launcher_two_hosts(command, folder):
    over_two_hosts(command, folder, "local", lambda node: (
        *program(command, folder), "--nnodes", 2, "--node-rank", node, "--nproc-per-node", 1, "--rendezvous", f"{FIRST}:29613"))


def require(name):
    if shutil.which(name) is None:
        skip(f"{name} is not installed")
    return name


def open_mpi(command, folder):
    words = (require("mpirun.openmpi"), "--oversubscribe", "--bind-to", "none", "--mca", "a_b_c", "1 2", "-n", 2)
    finish([start(*words, *program(command, folder), **MAY_BE_ROOT)])
    check_repeatable(check_launched(command, folder, "openmpi"), words)


def mpich(command, folder):
    words = (require("mpiexec.mpich"), "-n", 2)
    finish([start(*words, *program(command, folder))])
    check_repeatable(check_launched(command, folder, "pmi"), words)


def named(hosts, node):
    """Puts a command onto a host that has a name of its own: mpirun does not number the nodes, names and boots tell them apart."""
    return [*hosts.on(node), *private_host.as_host(f"node{node}")]


def remote_shell(folder, hosts, names=TwoHosts.ADDRESSES):
    """Stands in the place of ssh: HOST COMMAND... runs on that namespace, which has one of `names`."""
    script = folder / "remote-shell"
    lines = [f"{name}) exec {shlex.join(named(hosts, node))} sh -c \"$*\" ;;" for node, name in enumerate(names)]
    script.write_text('#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nhost=$1; shift\ncase $host in\n'
                      + "\n".join(lines) + "\nesac\nexit 1\n")
    script.chmod(0o755)
    return script


def mpi_two_hosts(command, folder, launcher, words_of):
    """mpirun on the first host reaches the second by a remote shell; MPI names no address, so the command does."""
    with TwoHosts() as hosts:
        hosts.limit(f"{SLOW_LINK:.0f}bit")
        words = words_of(remote_shell(folder, hosts))
        finish([start(*named(hosts, 0), *words, *program(command, folder), "--rendezvous", f"{FIRST}:29614", **MAY_BE_ROOT)])
    check_repeatable(check_launched(command, folder, launcher, nodes=2, rate=SLOW_LINK), words)


def open_mpi_over(shell, slots, *more):
    hosts = ",".join(f"{address}:{count}" for address, count in zip(TwoHosts.ADDRESSES, slots))
    return (require("mpirun.openmpi"), "--mca", "plm_rsh_agent", shell, "--mca", "oob_tcp_if_include", "10.231.7.0/24", "--host",
            hosts, "--bind-to", "none", "-n", sum(slots), *more)


def open_mpi_two_hosts(command, folder):
    mpi_two_hosts(command, folder, "openmpi", lambda shell: open_mpi_over(shell, (1, 1), "--map-by", "node"))


def open_mpi_placements(command, folder):
    """One run in turns over the hosts, and one with three slots on the first and one on the second: each rank is where it is."""
    for name, slots, more, nodes in (("turns", (2, 2), ("--map-by", "node"), [0, 1, 0, 1]), ("unequal", (3, 1), (), [0, 0, 0, 1])):
        out = folder / name
        with TwoHosts() as hosts:
            finish([start(*named(hosts, 0), *open_mpi_over(remote_shell(folder, hosts), slots, *more), *program(command, out),
                          "--rendezvous", f"{FIRST}:29614", **MAY_BE_ROOT)])
        report = closed_report(out / "out", "complete", 0)
        [run] = report["points"]
        check((run["world_size"], run["nodes"]) == (4, 2), run)
        check([rank["host"] for rank in run["ranks"]] == [f"node{node}" for node in nodes], run["ranks"])
        check(len(report["environment"]["hosts"]) == 2, report["environment"]["hosts"])


def mpich_two_hosts(command, folder):
    mpi_two_hosts(command, folder, "pmi", lambda shell: (
        require("mpiexec.mpich"), "-launcher", "ssh", "-launcher-exec", shell, "-localhost", FIRST, "-hosts",
        ",".join(TwoHosts.ADDRESSES), "-ppn", 1,
        "-n", 2))


LAUNCHERS = {f.__name__: f for f in (torchrun, distributed_launch, torchrun_two_hosts, own_launcher_two_hosts, open_mpi, mpich,
                                     open_mpi_two_hosts, open_mpi_placements, mpich_two_hosts)}


if __name__ == "__main__":
    private_host.enter()
    for command in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as place:
            LAUNCHERS[sys.argv[1]](command, Path(place))
