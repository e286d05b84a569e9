"""The runs that the tests of launchers start: a short one of each command with ranks, and what its report must have."""

from endings import closed_report
from program import SCALEMARK, check

QUICK = ("--workload", "linear", "--batch-size", 8, "--iters", 10, "--warmup-iters", 2, "--threads", 1, "--no-progress")
SLOW_LINK = 20e6  # bits per second: a gradient of linear (40 KB) takes 16 ms, which a step without the limit never does


def runs_of_train(report):
    [point] = report["points"]
    check(point["iterations"] == 10 and point["loss"]["last"] > 0, point)
    return [point]


def runs_of_sweep(report):
    check({point["status"] for point in report["points"]} == {"ok"}, report["points"])
    check({point["world_size"] for point in report["points"]} == {1, 2}, "one and two ranks")
    return [point for point in report["points"] if point["world_size"] == 2]


def runs_of_comm(report):
    check(all(row["status"] == "ok" and row["wrong"] == 0 for row in report["collectives"]), report["collectives"])
    return report["collectives"]


# name: (the words after the program, what its report holds of two ranks).
COMMANDS = {
    "train": (("train", *QUICK), runs_of_train),
    "sweep": (("sweep", *QUICK, "--world-sizes", "1,2", "--repetitions", 1, "--retries", 0), runs_of_sweep),
    "comm": (("comm", "--backends", "gloo", "--sizes", "4KiB,256KiB", "--repetitions", 1, "--retries", 0, "--threads", 1, "--no-progress"), runs_of_comm),
}


def program(command, folder):
    """The words of a run of `command` that reports into FOLDER/out."""
    return (SCALEMARK, *COMMANDS[command][0], "--output", folder / "out")


def members(run):
    return run["members"] if "collective" in run else [rank["rank"] for rank in run["ranks"]]


def check_launched(command, folder, launcher, nodes=1, rate=None):
    """The report of a run of two ranks that `launcher` started on so many nodes, over a link of `rate` bits per second."""
    report = closed_report(folder / "out", "complete", 0)
    check(report["invocation"]["launcher"] == launcher, report["invocation"]["launcher"])
    runs = COMMANDS[command][1](report)
    for run in runs:
        check((run["world_size"], run["nodes"]) == (2, nodes), run)
        check(members(run) == [0, 1], run)
        if command == "comm":
            check(not rate or run["time_s"] > 0.9 * 8 * run["bytes"] / rate or run["bytes"] < 100_000, f"{run['time_s']} s at {rate}")
            continue
        wire_bytes = run.get("communication", {}).get("payload_bytes_per_step", 0)  # each of two ranks sends so many
        if rate and wire_bytes:
            least_s = 8 * wire_bytes / rate
            check(run["step_s"]["mean"] > 0.9 * least_s, f"steps of {run['step_s']['mean']} s, the link needs {least_s} s")
    check(not rate or command == "comm" or any(run.get("communication", {}).get("payload_bytes_per_step") for run in runs), "nothing was sent")
    return report
