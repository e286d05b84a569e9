"""Two hosts in one whose link is a process of the test's: packets between two TUN devices, delayed, lost and paced, where the kernel's tc
has nothing for it."""

import contextlib
import fcntl
import heapq
import itertools
import multiprocessing
import os
import random
import re
import select
import struct
import subprocess
import time
from pathlib import Path

from private_host import as_host
from program import skip
from switched import ip

PACKET_BYTES = 16_000  # Python passes on few packets a second, so that they are large; a rate of 1 Gb/s has 8,000 of them
MOST_WAITING_BYTES = 4_000_000  # a queue as that of a switch; what does not fit is lost
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000


def tun(name):
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    return device


class RelayedHosts:
    """`on(i)` puts a command onto host i, which is called node<i>. Every packet takes `delay_s` one way, is lost with the probability
    `loss`, and waits for those before it at `rate` bits per second. Skips where devices or namespaces cannot be made."""

    def __init__(self, delay_s=0.0, loss=0.0, rate=None):
        self.delay_s, self.loss, self.rate = delay_s, loss, rate
        self.names = [f"smr{os.getpid()}n{host}" for host in range(2)]
        self.addresses = [f"10.231.9.{host + 1}" for host in range(2)]
        self.devices, self.relay = [], None

    def __enter__(self):
        try:
            remove_left_behind()
            for host, name in enumerate(self.names):
                end = f"r{host}p{os.getpid()}"
                self.devices.append(tun(end))
                ip("netns", "add", name)
                ip("link", "set", end, "netns", name, "name", "tun0", "mtu", PACKET_BYTES)
                ip("-n", name, "addr", "add", self.addresses[host], "peer", self.addresses[1 - host], "dev", "tun0")
                for device in ("lo", "tun0"):
                    ip("-n", name, "link", "set", device, "up")
        except (OSError, subprocess.CalledProcessError) as error:
            self.__exit__()
            skip(f"TUN devices and network namespaces cannot be made here: {getattr(error, 'stderr', None) or error}")
        self.relay = multiprocessing.Process(target=self.pass_on, args=(os.getpid(),), daemon=True)
        self.relay.start()
        return self

    def __exit__(self, *_):
        if self.relay is not None:
            self.relay.kill()
            self.relay.join()
        for device in self.devices:
            os.close(device)
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True)

    def on(self, host):
        return ["ip", "netns", "exec", self.names[host], *as_host(f"node{host}")]

    def pass_on(self, test):
        """Runs until the test is gone, however it ended. Ranks must not keep it from passing on: that would be another link than planted."""
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, 0, -10)
        number, chance = itertools.count(), random.Random(1)
        due, free_at, waiting = [], [0.0, 0.0], [0, 0]
        while os.getppid() == test:
            wait = 0.2 if not due else max(0.0, due[0][0] - time.monotonic())
            readable, _, _ = select.select(self.devices, [], [], wait)
            now = time.monotonic()
            for device in readable:
                source = self.devices.index(device)
                with contextlib.suppress(BlockingIOError):
                    for _ in range(64):
                        packet = os.read(device, PACKET_BYTES + 100)
                        if chance.random() < self.loss or waiting[source] > MOST_WAITING_BYTES:
                            continue
                        sent = now if self.rate is None else max(now, free_at[source]) + 8 * len(packet) / self.rate
                        free_at[source] = sent
                        waiting[source] += len(packet)
                        heapq.heappush(due, (sent + self.delay_s, next(number), source, packet))
            while due and due[0][0] <= time.monotonic():
                _, _, source, packet = heapq.heappop(due)
                waiting[source] -= len(packet)
                with contextlib.suppress(OSError):  # the device's queue is full, or it is gone
                    os.write(self.devices[1 - source], packet)


def remove_left_behind():
    """Namespaces of tests that were killed: the name holds the process that made it."""
    for path in Path("/run/netns").glob("smr*"):
        owner = re.fullmatch(r"smr(\d+)n\d", path.name)
        if owner and not Path(f"/proc/{owner[1]}").exists():
            subprocess.run(["ip", "netns", "del", path.name], capture_output=True)
