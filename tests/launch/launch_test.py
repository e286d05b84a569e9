"""The special cases of torchrun and of where ranks meet; launchers_test.py runs every command under every launcher."""

import contextlib
import shutil
import socket
import sys

from endings import closed_report, run_cases
from launching import await_connection, await_listener, finish, free_port, start
from namespaces import TwoHosts
from program import SCALEMARK, check, skip

TORCHRUN = (sys.executable, "-m", "torch.distributed.run")
TRAIN = ("train", "--workload", "mlp", "--batch-size", 8, "--iters", 10, "--warmup-iters", 2, "--no-progress",
         "--threads", 1)


def check_world(folder, launcher, world_size=2, nodes=1):
    report = closed_report(folder, "complete", 0)
    point = report["points"][0]
    check(report["invocation"]["launcher"] == launcher, report["invocation"]["launcher"])
    check((point["world_size"], point["nodes"]) == (world_size, nodes), point)
    check([rank["rank"] for rank in point["ranks"]] == list(range(world_size)), point["ranks"])
    check(point["iterations"] == 10 and point["loss"]["last"] > 0, point)
    return report


def torchrun_over_two_hosts(folder, *rendezvous, of_node=lambda node: ()):
    with TwoHosts() as hosts:
        finish([start(*hosts.on(node), *TORCHRUN, "--nnodes", 2, "--nproc-per-node", 1, "--node-rank", node,
                      *rendezvous, *of_node(node), "--no-python", SCALEMARK, *TRAIN, "--output", folder / "out")
                for node in (0, 1)])
    check_world(folder / "out", "torch", nodes=2)


def torchrun_c10d(folder):
    # torchrun guesses from the host name which node holds its store; a namespace has none of its own, and without
    # is_host every node waits for another.
    torchrun_over_two_hosts(folder, "--rdzv-backend", "c10d", "--rdzv-id", "job7", "--rdzv-endpoint",
                            f"{TwoHosts.ADDRESSES[0]}:29612",
                            of_node=lambda node: ("--rdzv-conf", f"is_host={int(node == 0)}",
                                                  "--local-addr", TwoHosts.ADDRESSES[node]))


def by_hand(folder, address, port, ranks=(0, 1)):
    return [start(SCALEMARK, *TRAIN, "--output", folder / "out", "--overwrite", RANK=rank, WORLD_SIZE=2, LOCAL_RANK=rank, LOCAL_WORLD_SIZE=2,
                  MASTER_ADDR=address, MASTER_PORT=port) for rank in ranks]


def has_ipv6():
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET6) as probe:
        probe.bind(("::1", 0))
        return True
    return False


def addresses(folder):
    """However an address of this host is written, its ranks meet there; what is no address is quoted, at once."""
    for address in ("0.0.0.0", "::ffff:127.0.0.1", *(("::1",) if has_ipv6() else ())):
        finish(by_hand(folder, address, free_port()))
        check_world(folder / "out", "torch")
    for number, address in enumerate(("[::1]", "127.0.0.1 ", "10.0.0.5 172.17.0.1", "tcp://127.0.0.1", "127.0.0.1:29500")):
        for text in finish(by_hand(folder, address, free_port(), ranks=(number % 2,)), expect=69):
            check(f"cannot resolve the rendezvous address {address}" in text, text)


def torchrun_over_ipv6(folder):
    """c10d meets at ::1; that ranks meet at ::1 without it is in `addresses`."""
    if not has_ipv6():
        skip("no IPv6 here")
    finish([start(*TORCHRUN, "--nproc-per-node", 2, "--rdzv-backend", "c10d", "--rdzv-endpoint", f"[::1]:{free_port()}", "--no-python", SCALEMARK,
                  *TRAIN, "--output", folder / "out")])
    check_world(folder / "out", "torch")


def without_a_local_rank(folder):
    """Flux sets PMI's variables so: the option that the refusal names is what is missing."""
    first = start(SCALEMARK, *TRAIN, "--output", folder / "out", PMI_RANK=0, PMI_SIZE=2)
    [text] = finish([first], expect=78)
    check("give --local-rank" in text, text)
    address = f"127.0.0.1:{free_port()}"
    finish([start(SCALEMARK, *TRAIN, "--output", folder / "out", "--local-rank", rank, "--rendezvous", address, PMI_RANK=rank, PMI_SIZE=2)
            for rank in (0, 1)])
    check_world(folder / "out", "pmi")


def file_rendezvous(folder):
    finish([start(SCALEMARK, *TRAIN, "--rendezvous", f"file:{folder}/meet", "--output", folder / "out", RANK=rank,
                  WORLD_SIZE=2, LOCAL_RANK=rank, LOCAL_WORLD_SIZE=2) for rank in (0, 1)])
    check_world(folder / "out", "torch")


def two_jobs_on_one_port(folder):
    """Both serve one store port in turn: the second waits for the first, and neither joins the other."""
    port = free_port()

    def rank_of(job, rank):
        return start(SCALEMARK, *TRAIN, "--run-id", job, "--timeout", "rendezvous=60", "--output", folder / job,
                     RANK=rank, WORLD_SIZE=2, LOCAL_RANK=rank, LOCAL_WORLD_SIZE=2, MASTER_ADDR="127.0.0.1",
                     MASTER_PORT=port)
    # Job b's rank 1 comes to the port while job a's store serves it.
    first = rank_of("a", 0)
    await_listener(port)
    stranger = rank_of("b", 1)
    finish([first, rank_of("a", 1)])
    check_world(folder / "a", "torch")
    stranger.terminate()
    stranger.communicate(timeout=600)


def torchrun_prints_our_error(folder):
    """The error file: torchrun's own summary quotes our line; report.json holds the code that torchrun loses."""
    done = start(*TORCHRUN, "--nproc-per-node", 2, "--master-port", free_port(), "--no-python", SCALEMARK, "train",
                 "--workload", "mlp", "--learning-rate", "1e30", "--iters", 20, "--warmup-iters", 2, "--no-progress",
                 "--output", folder / "out")
    err = finish([done], expect=1)[0]
    summary = err[err.index("Root Cause"):]
    check("E_NUMERICS" in summary and "exit 82" in summary, err)
    closed_report(folder / "out", "failed", 82)


def restarted_by_torchrun(folder):
    """The agent's store outlives the attempt that failed: the next has a run id of its own, even a given one."""
    script = folder / "once.sh"
    script.write_text(f"""#!/bin/sh
[ "$TORCHELASTIC_RESTART_COUNT" = 0 ] && set -- "$@" --learning-rate 1e30
exec "{SCALEMARK}" "$@" --output {folder}/out$TORCHELASTIC_RESTART_COUNT
""")
    script.chmod(0o755)
    finish([start(*TORCHRUN, "--nproc-per-node", 2, "--max-restarts", 1, "--master-port", free_port(), "--no-python",
                  script, *TRAIN, "--run-id", "mine")])
    check(closed_report(folder / "out0", "failed", 82)["run_id"] == "mine", "the first attempt's id")
    check(check_world(folder / "out1", "torch")["run_id"] == "mine.attempt1", "the second attempt's id")


def rounds_in_one_store(folder):
    """Agents keep their store when they restart ranks. After a change of membership no restart is counted, after the loss of
    a node the agents count differently, and the ranks of a node may come before rank 0 of the other."""
    port = free_port()
    agent = start(sys.executable, "-c", "import sys, time, torch.distributed as d; "
                  "s = d.TCPStore('127.0.0.1', int(sys.argv[1]), is_master=True, wait_for_workers=False); "
                  "time.sleep(600)", port)

    def rank_of(attempt, rank, count):
        return start(SCALEMARK, *TRAIN, "--timeout", "rendezvous=60", "--output", folder / str(attempt), RANK=rank,
                     WORLD_SIZE=2, LOCAL_RANK=0, LOCAL_WORLD_SIZE=1, GROUP_RANK=rank, GROUP_WORLD_SIZE=2,
                     MASTER_ADDR="127.0.0.1", MASTER_PORT=port, TORCHELASTIC_USE_AGENT_STORE="True",
                     TORCHELASTIC_RUN_ID="job", TORCHELASTIC_RESTART_COUNT=count)
    try:
        await_listener(port)
        for attempt, counts in enumerate(((0, 0), (0, 0), (1, 0))):
            other = rank_of(attempt, 1, counts[1])
            await_connection(other, port)
            finish([rank_of(attempt, 0, counts[0]), other])
            check(closed_report(folder / str(attempt), "complete", 0)["points"][0]["world_size"] == 2, "two ranks")
    finally:
        agent.kill()
        agent.communicate()


def doctor(folder):
    def said(*command, **environment):
        process = start(*command, SCALEMARK, "doctor", **environment)
        out, err = process.communicate(timeout=600)
        check(process.returncode == 0, f"{command}: {process.returncode}\n{out}{err}")
        return out
    plain = said()
    check("launching" not in plain, plain)
    torch = said(*TORCHRUN, "--nproc-per-node", 1, "--master-port", free_port(), "--no-python")
    check("torch" in torch and "TORCHELASTIC_RUN_ID" in torch or "RANK" in torch, torch)
    if shutil.which("mpiexec.mpich"):
        out = said("mpiexec.mpich", "-n", 1)
        check("pmi" in out and "PMI_RANK" in out, out)
    if shutil.which("mpirun.openmpi"):
        out = said("mpirun.openmpi", "-n", 1, OMPI_ALLOW_RUN_AS_ROOT=1, OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
        check("openmpi" in out and "OMPI_COMM_WORLD_RANK" in out, out)


run_cases({f.__name__: f for f in (torchrun_c10d, addresses, torchrun_over_ipv6, without_a_local_rank, file_rendezvous, two_jobs_on_one_port,
                                   torchrun_prints_our_error, restarted_by_torchrun, rounds_in_one_store, doctor)})
