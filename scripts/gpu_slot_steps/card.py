"""Clocks, power and temperature of the card between steps, as nvidia-smi reports them."""

import shutil
import subprocess

FIELDS = ("clocks.sm", "clocks.mem", "power.draw", "temperature.gpu", "memory.used", "clocks_event_reasons.active")
UNITS = ("MHz", "MHz", "W", "C", "MiB", "")


def state():
    """One line; says so where there is no nvidia-smi, or when it does not answer."""
    if shutil.which("nvidia-smi") is None:
        return "no nvidia-smi"
    command = ["nvidia-smi", f"--query-gpu={','.join(FIELDS)}", "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5)
    except subprocess.TimeoutExpired:
        return "nvidia-smi did not answer within 5 s"
    return described(done.stdout) if done.returncode == 0 else f"nvidia-smi ended with {done.returncode}"


def described(line):
    """'1980, 2619, 120.5, 41, 0, 0x0' -> 'sm 1980 MHz, memory 2619 MHz, 120.5 W, 41 C, 0 MiB used, 0x0'."""
    values = [value.strip() for value in line.splitlines()[0].split(",")] if line.strip() else []
    if len(values) != len(FIELDS):
        return f"nvidia-smi said: {line.strip()!r}"
    labels = ("sm ", "memory ", "", "", "", "throttle reasons ")
    ends = ("", "", "", "", " used", "")
    parts = [f"{label}{value} {unit}".rstrip() + end for label, value, unit, end in zip(labels, values, UNITS, ends)]
    return ", ".join(parts)
