"""Calls per step, from two runs of different lengths under countcuda.so: what grows with the steps."""

import json

from .judges import ok_point
from .step import failed, passed

SYNCHRONISING = ("device_syncs", "stream_syncs", "event_syncs", "blocking_copies")
MARK_SHARE = 0.01  # a step's marks take at most this share


def counts_in(folder):
    """The sums over the processes of one run."""
    files = sorted(folder.glob("counts.*"))
    if not files:
        raise ValueError(f"countcuda wrote nothing below {folder}: was it preloaded?")
    sums = {}
    for file in files:
        for name, count in json.loads(file.read_text()).items():
            sums[name] = sums.get(name, 0) + count
    return sums


def per_step(short, long, steps):
    """Calls per step: the difference of two runs that differ by `steps` steps; start and end cancel."""
    return {name: (long[name] - short[name]) / steps for name in long}


def waits_per_step(calls):
    return sum(calls[name] for name in SYNCHRONISING)


def judge_waits(calls):
    """No step may make the host wait for the device."""
    text = (f"{waits_per_step(calls):.2f} waits, {calls['launches']:.0f} launches, {calls['gemms']:.0f} GEMMs, "
            f"{calls['cudnn']:.0f} cuDNN calls, {copies(calls):.0f} copies, {calls['event_records']:.1f} marks a step")
    if calls["launches"] <= 0:
        return failed(f"no kernel was launched in a step: {text}")
    if waits_per_step(calls) > 0:
        return failed(f"{text}: " + ", ".join(f"{name} {calls[name]:.2f}" for name in SYNCHRONISING if calls[name] > 0))
    return passed(text)


def copies(calls):
    return sum(count for name, count in calls.items() if name.startswith("copies_"))


def calls_of(results, name):
    """Returns the calls per step, from the runs NAME-short and NAME-long."""
    runs = results[f"{name}-short"], results[f"{name}-long"]
    iterations = [run.point()["iterations"] for run in runs]
    return per_step(counts_in(runs[0].files), counts_in(runs[1].files), iterations[1] - iterations[0])


def no_waits(name):
    return lambda results: judge_waits(calls_of(results, name))


def marks_are_cheap(name):
    """Recording events takes at most a hundredth of a step of the host's time."""
    def judge(results):
        calls, point = calls_of(results, name), ok_point(results[f"{name}-long"])
        share = calls["event_record_ns"] * 1e-9 / point["step_mean_over_ranks_s"]
        every = f", every {point['steps_per_mark']} steps" if "steps_per_mark" in point else ""
        text = (f"{100 * share:.2f} % of a step of {1e6 * point['step_mean_over_ranks_s']:.1f} us: "
                f"{calls['event_records']:.2f} marks a step{every}")
        return passed(text) if share <= MARK_SHARE else failed(f"{text}; at most {100 * MARK_SHARE:g} %")
    return judge
