"""Two hosts in one: network namespaces that reach each other over a veth pair, and nothing else."""

import os
import subprocess

from program import skip


class TwoHosts:
    """Names and addresses of two namespaces; `on(i)` puts a command into one. Skips where they cannot be made."""

    ADDRESSES = ("10.231.7.1", "10.231.7.2")

    def __init__(self):
        self.names = [f"smt{os.getpid()}{end}" for end in "ab"]

    def __enter__(self):
        try:
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
            try:
                subprocess.run(["ip", "netns", "del", name], capture_output=True)
            except OSError:
                pass

    def on(self, host):
        return ["ip", "netns", "exec", self.names[host]]

    @staticmethod
    def ip(*arguments):
        subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)
