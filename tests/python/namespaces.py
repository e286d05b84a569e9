"""Two hosts in one: network namespaces that reach each other over a veth pair, and nothing else."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from program import skip


class TwoHosts:
    """Names and addresses of two namespaces; `on(i)` puts a command into one. Skips where they cannot be made."""

    ADDRESSES = ("10.231.7.1", "10.231.7.2")

    def __init__(self):
        self.names = [f"smt{os.getpid()}{end}" for end in "ab"]

    def __enter__(self):
        try:
            remove_left_behind()
            for name in self.names:
                self.ip("netns", "add", name)
            ends = [f"v{name}" for name in self.names]
            self.ip("link", "add", ends[0], "netns", self.names[0], "type", "veth", "peer", "name", ends[1], "netns",
                    self.names[1])
            for name, end, address in zip(self.names, ends, self.ADDRESSES):
                self.ip("-n", name, "addr", "add", f"{address}/24", "dev", end)
                for device in ("lo", end):
                    self.ip("-n", name, "link", "set", device, "up")
        except (OSError, subprocess.CalledProcessError) as error:
            self.__exit__()
            skip(f"network namespaces cannot be made here: {getattr(error, 'stderr', None) or error}")
        return self

    def __exit__(self, *_):
        for name in self.names:
            remove(name)

    def limit(self, rate):
        """The traffic that each host sends goes at this rate ("20mbit"), as tc writes it."""
        for name in self.names:
            subprocess.run(["tc", "-n", name, "qdisc", "add", "dev", f"v{name}", "root", "tbf", "rate", rate, "burst", "16kb",
                            "latency", "200ms"], check=True, capture_output=True)

    def default_routes(self):
        """Each host sends packets without another route to the other host, as to a router."""
        for name, router in zip(self.names, reversed(self.ADDRESSES)):
            self.ip("-n", name, "route", "add", "default", "via", router)

    def hosts_files(self, *texts):
        """Writes /etc/hosts of each host where `ip netns exec` finds it."""
        for name, text in zip(self.names, texts):
            folder = Path("/etc/netns") / name
            folder.mkdir(parents=True)
            (folder / "hosts").write_text(text)

    def on(self, host):
        return ["ip", "netns", "exec", self.names[host]]

    @staticmethod
    def ip(*arguments):
        subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)


def remove(name):
    shutil.rmtree(Path("/etc/netns") / name, ignore_errors=True)
    try:
        subprocess.run(["ip", "netns", "del", name], capture_output=True)
    except OSError:
        pass


def remove_left_behind():
    """Namespaces of tests that were killed: the name holds the process that made it."""
    for folder in (Path("/run/netns"), Path("/etc/netns")):
        for path in folder.glob("smt*"):
            owner = re.fullmatch(r"smt(\d+)[ab]", path.name)
            if owner and not Path(f"/proc/{owner[1]}").exists():
                remove(path.name)
