"""Several hosts in one, as on a switch: network namespaces on a bridge, each with a host name and an address of its own."""

import os
import re
import subprocess
from pathlib import Path

from program import skip


def ip(*arguments):
    subprocess.run(["ip", *map(str, arguments)], check=True, capture_output=True, text=True)


def tc(*arguments):
    subprocess.run(["tc", *map(str, arguments)], check=True, capture_output=True, text=True)


class SwitchedHosts:
    """`on(i)` puts a command onto host i, which is called node<i>. Skips where namespaces cannot be made."""

    def __init__(self, count):
        self.switch = f"sms{os.getpid()}x"
        self.names = [f"sms{os.getpid()}n{host}" for host in range(count)]
        self.addresses = [f"10.231.8.{host + 1}" for host in range(count)]

    def __enter__(self):
        try:
            remove_left_behind()
            ip("netns", "add", self.switch)
            ip("-n", self.switch, "link", "add", "br0", "type", "bridge")
            ip("-n", self.switch, "link", "set", "br0", "up")
            for host in range(len(self.names)):
                self.connect(host)
        except (OSError, subprocess.CalledProcessError) as error:
            self.__exit__()
            skip(f"a bridge of network namespaces cannot be made here: {getattr(error, 'stderr', None) or error}")
        return self

    def connect(self, host):
        name = self.names[host]
        ip("netns", "add", name)
        ip("link", "add", "eth0", "netns", name, "type", "veth", "peer", "name", f"port{host}", "netns", self.switch)
        ip("-n", name, "addr", "add", f"{self.addresses[host]}/24", "dev", "eth0")
        ip("-n", self.switch, "link", "set", f"port{host}", "master", "br0")
        ip("-n", self.switch, "link", "set", f"port{host}", "up")
        for device in ("lo", "eth0"):
            ip("-n", name, "link", "set", device, "up")

    def __exit__(self, *_):
        for name in (*self.names, self.switch):
            subprocess.run(["ip", "netns", "del", name], capture_output=True)

    def on(self, host):
        return ["ip", "netns", "exec", self.names[host], "unshare", "--uts", "sh", "-c", f'hostname node{host} && exec "$@"', "sh"]

    def slow_node(self, host, rate):
        """What the host sends and what is sent to it goes at this rate ("200mbit")."""
        for namespace, device in ((self.names[host], "eth0"), (self.switch, f"port{host}")):
            tc("-n", namespace, "qdisc", "add", "dev", device, "root", *shaper(rate))

    def slow_pair(self, a, b, rate):
        """What the two send to each other goes at this rate, by a link of their own; everything else is as before."""
        ip("link", "add", f"to{b}", "netns", self.names[a], "type", "veth", "peer", "name", f"to{a}", "netns", self.names[b])
        for host, peer in ((a, b), (b, a)):
            device = f"to{peer}"
            ip("-n", self.names[host], "link", "set", device, "up")
            ip("-n", self.names[host], "route", "add", f"{self.addresses[peer]}/32", "dev", device)
            tc("-n", self.names[host], "qdisc", "add", "dev", device, "root", *shaper(rate))

    def healthy(self):
        """Takes every slow part away."""
        for namespace, device in [(name, "eth0") for name in self.names] + [(self.switch, f"port{h}") for h in range(len(self.names))]:
            subprocess.run(["tc", "-n", namespace, "qdisc", "del", "dev", device, "root"], capture_output=True)
        for name in self.names:
            for peer in range(len(self.names)):
                subprocess.run(["ip", "-n", name, "link", "del", f"to{peer}"], capture_output=True)


def shaper(rate):
    return "tbf", "rate", rate, "burst", "64kb", "latency", "50ms"


def remove_left_behind():
    """Namespaces of tests that were killed: the name holds the process that made it."""
    for path in Path("/run/netns").glob("sms*"):
        owner = re.fullmatch(r"sms(\d+)[nx]\d*", path.name)
        if owner and not Path(f"/proc/{owner[1]}").exists():
            subprocess.run(["ip", "netns", "del", path.name], capture_output=True)
