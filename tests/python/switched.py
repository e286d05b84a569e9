"""Several hosts in one, as on a switch: network namespaces on a bridge, each with a host name and an address of its own."""

import contextlib
import os
import re
import signal
import subprocess
import time
from pathlib import Path

from private_host import as_host
from program import check, clean_environment, skip


def ip(*arguments):
    subprocess.run(["ip", *map(str, arguments)], check=True, capture_output=True, text=True)


def tc(*arguments):
    subprocess.run(["tc", *map(str, arguments)], check=True, capture_output=True, text=True)


class SwitchedHosts:
    """`on(i)` puts a command onto host i, which is called node<i>; of several network cards each has a switch of its own.
    Skips where namespaces cannot be made."""

    def __init__(self, count, cards=1):
        self.cards = cards
        self.switch = f"sms{os.getpid()}x"
        self.names = [f"sms{os.getpid()}n{host}" for host in range(count)]
        self.addresses = [f"10.231.8.{host + 1}" for host in range(count)]

    def __enter__(self):
        try:
            remove_left_behind()
            ip("netns", "add", self.switch)
            for card in range(self.cards):
                ip("-n", self.switch, "link", "add", f"br{card}", "type", "bridge")
                ip("-n", self.switch, "link", "set", f"br{card}", "up")
            for host in range(len(self.names)):
                self.connect(host)
        except (OSError, subprocess.CalledProcessError) as error:
            self.__exit__()
            skip(f"a bridge of network namespaces cannot be made here: {getattr(error, 'stderr', None) or error}")
        return self

    def connect(self, host):
        name = self.names[host]
        ip("netns", "add", name)
        ip("-n", name, "link", "set", "lo", "up")
        for card in range(self.cards):
            port = self.port(host, card)
            ip("link", "add", f"eth{card}", "netns", name, "type", "veth", "peer", "name", port, "netns", self.switch)
            ip("-n", name, "addr", "add", f"10.231.{8 + card}.{host + 1}/24", "dev", f"eth{card}")
            ip("-n", self.switch, "link", "set", port, "master", f"br{card}")
            ip("-n", self.switch, "link", "set", port, "up")
            ip("-n", name, "link", "set", f"eth{card}", "up")

    def port(self, host, card):
        return f"port{host}" if card == 0 else f"port{host}c{card}"

    def __exit__(self, *_):
        for name in (*self.names, self.switch):
            subprocess.run(["ip", "netns", "del", name], capture_output=True)

    def lose(self, host):
        """From one moment to the next the host has no link and no process: nobody hears that a connection is closed."""
        ip("-n", self.names[host], "link", "set", "eth0", "down")
        self.end_processes(host)

    def bring_back(self, host):
        ip("-n", self.names[host], "link", "set", "eth0", "up")

    def end_processes(self, host):
        for pid in subprocess.run(["ip", "netns", "pids", self.names[host]], capture_output=True, text=True).stdout.split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)

    def on(self, host, speed=None):
        """`speed`: a file with the rate of the first card in Mbit/s, as a driver states it; a virtual one states what it likes."""
        states = ["sh", "-c", 'mount --bind "$0" /sys/class/net/eth0/speed && exec "$@"', str(speed)] if speed else []
        return ["ip", "netns", "exec", self.names[host], *as_host(f"node{host}"), *states]

    def slow_card(self, host, rate, card=0):
        """Whatever the host sends over the card and receives there goes at this rate ("200mbit")."""
        for namespace, device in ((self.names[host], f"eth{card}"), (self.switch, self.port(host, card))):
            tc("-n", namespace, "qdisc", "add", "dev", device, "root", *shaper(rate))

    def slow_inside(self, host, rate):
        """What processes of the host send to each other goes at this rate."""
        tc("-n", self.names[host], "qdisc", "add", "dev", "lo", "root", *shaper(rate, "512kb"))  # a packet there has up to 64 KiB

    def slow_leaf(self, hosts, rate):
        """These hosts have a switch of their own, whose only link to the others carries no more than this rate."""
        ip("-n", self.switch, "link", "add", "leaf", "type", "bridge")
        ip("-n", self.switch, "link", "set", "leaf", "up")
        ip("-n", self.switch, "link", "add", "uplink", "type", "veth", "peer", "name", "downlink")
        for device, bridge in (("uplink", "leaf"), ("downlink", "br0")):
            ip("-n", self.switch, "link", "set", device, "master", bridge)
            ip("-n", self.switch, "link", "set", device, "up")
            tc("-n", self.switch, "qdisc", "add", "dev", device, "root", *shaper(rate))
        for host in hosts:
            ip("-n", self.switch, "link", "set", self.port(host, 0), "master", "leaf")

    def slow_pair(self, a, b, rate):
        """Whatever the two send to each other goes at this rate, by a link of their own; everything else is as before."""
        ip("link", "add", f"to{b}", "netns", self.names[a], "type", "veth", "peer", "name", f"to{a}", "netns", self.names[b])
        for host, peer in ((a, b), (b, a)):
            device = f"to{peer}"
            ip("-n", self.names[host], "link", "set", device, "up")
            ip("-n", self.names[host], "route", "add", f"{self.addresses[peer]}/32", "dev", device)
            tc("-n", self.names[host], "qdisc", "add", "dev", device, "root", *shaper(rate))

    def healthy(self):
        """Takes every slow part away."""
        for device in ("uplink", "leaf"):
            subprocess.run(["ip", "-n", self.switch, "link", "del", device], capture_output=True)
        for host in range(len(self.names)):
            ip("-n", self.switch, "link", "set", self.port(host, 0), "master", "br0")
            subprocess.run(["tc", "-n", self.names[host], "qdisc", "del", "dev", "lo", "root"], capture_output=True)
        for host, name in enumerate(self.names):
            for card in range(self.cards):
                for namespace, device in ((name, f"eth{card}"), (self.switch, self.port(host, card))):
                    subprocess.run(["tc", "-n", namespace, "qdisc", "del", "dev", device, "root"], capture_output=True)
        for name in self.names:
            for peer in range(len(self.names)):
                subprocess.run(["ip", "-n", name, "link", "del", f"to{peer}"], capture_output=True)


class OnEachHost:
    """A process on each of some hosts, whose output goes into `folder`; everything on these hosts ends with it."""

    def __init__(self, hosts, folder):
        self.hosts, self.folder = hosts, folder
        self.processes = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for host in self.processes:
            self.hosts.end_processes(host)
        for process in self.processes.values():
            process.wait()

    def start(self, host, *words, **environment):
        with open(self.folder / f"node{host}.log", "a") as log:
            self.processes[host] = subprocess.Popen([str(word) for word in (*self.hosts.on(host), *words)], stdout=log, stderr=log,
                                                    env=clean_environment(OMP_NUM_THREADS=1, **environment))

    def lose(self, host):
        self.hosts.lose(host)
        self.processes.pop(host).wait()

    def log(self, host):
        return (self.folder / f"node{host}.log").read_text()

    def wait_for(self, condition, what, seconds=600):
        end = time.monotonic() + seconds
        while not condition():
            over = [host for host, process in self.processes.items() if process.poll() not in (None, 0)]
            check(time.monotonic() < end and not over, f"no {what}; nodes {over} have ended\n" + "\n".join(map(self.log, self.processes)))
            time.sleep(0.05)


def shaper(rate, burst="64kb"):
    return "tbf", "rate", rate, "burst", burst, "latency", "50ms"


def remove_left_behind():
    """Namespaces of tests that were killed: the name holds the process that made it."""
    for path in Path("/run/netns").glob("sms*"):
        owner = re.fullmatch(r"sms(\d+)[nx]\d*", path.name)
        if owner and not Path(f"/proc/{owner[1]}").exists():
            subprocess.run(["ip", "netns", "del", path.name], capture_output=True)
