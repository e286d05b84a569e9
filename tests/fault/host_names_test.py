"""Nodes that are named, not numbered: Debian's /etc/hosts gives a machine's own name the address 127.0.1.1, which leads
the first node's Gloo to its loopback interface. Two network namespaces, each with a hosts file of its own."""

import os

from endings import closed_report, only_error, run_cases
from launching import finish, start
from namespaces import TwoHosts
from private_host import as_host
from program import SCALEMARK, check

TRAIN = ("train", "--workload", "mlp", "--batch-size", 8, "--iters", 10, "--warmup-iters", 2, "--no-progress",
         "--threads", 1)
LOCAL = "127.0.0.1 localhost\n"


class Nodes(TwoHosts):
    """The one of two Gloo ranks with the lower address connects to the other's: above 127 it is the loopback that is
    connected to."""

    ADDRESSES = ("192.168.231.1", "192.168.231.2")


def node(hosts, number, folder, *options, inside=(), **environment):
    return start(*hosts.on(number), *inside, SCALEMARK, *TRAIN, "--nnodes", 2, "--node-rank", number, "--nproc-per-node", 1,
                 "--output", folder / "out", *options, **environment)


def debian(hosts):
    """Debian's installer writes the hosts file so: a node does not know its own address by its name."""
    first, second = Nodes.ADDRESSES
    hosts.hosts_files(f"{LOCAL}127.0.1.1 n1\n{second} n2\n", f"{LOCAL}127.0.1.1 n2\n{first} n1\n")


def trained(folder):
    report = closed_report(folder / "out", "complete", 0)
    check(report["points"][0]["nodes"] == 2, report["points"][0])
    return report


def own_name_is_127_0_1_1(folder):
    with Nodes() as hosts:
        hosts.default_routes()
        debian(hosts)
        finish([node(hosts, number, folder, "--rendezvous", "n1:29621") for number in (0, 1)])
    trained(folder)


def without_a_default_route(folder):
    """The only interface that there is."""
    with Nodes() as hosts:
        debian(hosts)
        finish([node(hosts, number, folder, "--rendezvous", "n1:29622") for number in (0, 1)])
    trained(folder)


def second_address_is_right(folder):
    first, second = Nodes.ADDRESSES
    with Nodes() as hosts:
        hosts.hosts_files(f"{LOCAL}127.0.1.1 n1\n{first} n1\n{second} n2\n", f"{LOCAL}{first} n1\n{second} n2\n")
        finish([node(hosts, number, folder, "--rendezvous", "n1:29623") for number in (0, 1)])
    trained(folder)


def no_way_out_is_said(folder):
    """Two interfaces and no route: the user has to choose."""
    with Nodes() as hosts:
        debian(hosts)
        hosts.ip("-n", hosts.names[0], "link", "add", "other", "type", "veth", "peer", "name", "end")
        hosts.ip("-n", hosts.names[0], "addr", "add", "10.99.0.1/24", "dev", "other")
        for device in ("other", "end"):
            hosts.ip("-n", hosts.names[0], "link", "set", device, "up")
        text, = finish([node(hosts, 0, folder, "--rendezvous", "n1:29624")], expect=78)
        only_error(text, "E_CONFIGURATION", 78, "n1", "loopback", "GLOO_SOCKET_IFNAME", "/etc/hosts")
        variables = {"GLOO_SOCKET_IFNAME": f"v{hosts.names[0]}"}
        finish([node(hosts, 0, folder, "--rendezvous", "n1:29625", **variables),
                node(hosts, 1, folder, "--rendezvous", "n1:29625")])
    trained(folder)


def both_are_called_localhost(folder):
    """Their kernels' boots tell them apart: both are in the report, and each may give its rank other CPUs."""
    cpus = sorted(os.sched_getaffinity(0))
    with Nodes() as hosts:
        ranks = []
        for number, cpu in ((0, cpus[0]), (1, cpus[-1])):
            (folder / f"boot{number}").write_text(f"boot-of-{number}\n")
            other_boot = ("sh", "-c", 'mount --bind "$0" /proc/sys/kernel/random/boot_id && exec "$@"', folder / f"boot{number}")
            ranks.append(node(hosts, number, folder, "--rendezvous", f"{Nodes.ADDRESSES[0]}:29626", "--bind", "cores",
                              inside=(*as_host("localhost"), *other_boot, "taskset", "-c", cpu)))
        finish(ranks)
    seen = [(host["hostname"], host["boot_id"]) for host in trained(folder)["environment"]["hosts"]]
    check(seen == [("localhost", "boot-of-0"), ("localhost", "boot-of-1")], seen)


run_cases({f.__name__: f for f in (own_name_is_127_0_1_1, without_a_default_route, second_address_is_right,
                                   no_way_out_is_said, both_are_called_localhost)})
