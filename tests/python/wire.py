"""The bytes that a host's interface has sent and received, without headers and without what TCP sent twice: METRICS.md, "Collectives"."""

import subprocess

HEADERS = 66  # Ethernet, IP and TCP with time stamps
SEGMENT = 1448  # bytes that TCP sends in one, on an interface with an MTU of 1500


def retransmitted(snmp):
    """Segments, of the text of /proc/net/snmp."""
    names, values = (line.split()[1:] for line in snmp.splitlines() if line.startswith("Tcp:"))
    return int(dict(zip(names, values))["RetransSegs"])


def carried(on_host, device):
    """(sent, received) bytes so far. `on_host`: words that put a command onto the host."""
    folder = f"/sys/class/net/{device}/statistics"
    files = [f"{folder}/{way}_{what}" for way in ("tx", "rx") for what in ("bytes", "packets")]
    read = subprocess.run([*on_host, "cat", *files, "/proc/net/snmp"], capture_output=True, text=True, check=True, timeout=20).stdout
    *numbers, snmp = read.split("\n", 4)
    sent, sent_packets, received, received_packets = map(int, numbers)
    return sent - HEADERS * sent_packets - SEGMENT * retransmitted(snmp), received - HEADERS * received_packets
