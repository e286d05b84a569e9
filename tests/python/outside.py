"""A machine as the kernel's counters show it, read without the program: what others used of it while a test ran something."""

import os
import time
from pathlib import Path

TICKS_PER_S = os.sysconf("SC_CLK_TCK")
FEW_CPUS = 0.1  # of programs that are not the test's, on average; and of a hypervisor's other guests


class Outside:
    """Reads the counters at its beginning and at `end()`, by which the test's children must have ended: only then are they counted as its own."""

    def __init__(self):
        self.before = self.read()

    @staticmethod
    def read():
        user, nice, system, _, _, irq, softirq, steal = map(int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9])
        own = sum(os.times()[:4])
        return time.monotonic(), (user + nice + system + irq + softirq) / TICKS_PER_S, steal / TICKS_PER_S, own, throttled_s()

    def end(self):
        wall, busy, steal, own, throttled = (after - at for after, at in zip(self.read(), self.before, strict=True))
        self.others, self.steal = (busy - own) / wall, steal / wall
        self.throttled = throttled / wall
        return self

    def disturbed(self):
        """Returns what the test did not plant, in words; empty: nothing."""
        seen = {"CPUs of others": self.others, "CPUs stolen": self.steal, "share throttled": self.throttled}
        return ", ".join(f"{value:.2f} {what}" for what, value in seen.items() if value > FEW_CPUS)


def throttled_s():
    """Returns for how long the control group of the test itself was held back; groups that it makes are others."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        roots = ("/sys/fs/cgroup",) if not controllers else ("/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct") if "cpu" in controllers.split(",") else ()
        for root in roots:
            stat = Path(root + path) / "cpu.stat"
            if stat.exists():
                numbers = dict(row.split() for row in stat.read_text().splitlines() if len(row.split()) == 2)
                return int(numbers.get("throttled_time", 0)) / 1e9 + int(numbers.get("throttled_usec", 0)) / 1e6
    return 0.0
