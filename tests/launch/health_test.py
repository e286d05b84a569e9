"""Counters of errors of a made machine (`--checks health` on CPU ranks): read before and after, kept by a sweep that is stopped, judged by
`accept`. Its /sys/class is a folder of ours, in a mount namespace of the program's own."""

import errno
import json
import os
import signal
import subprocess
import time
from pathlib import Path

from endings import closed_report, run_cases
from program import check, run, skip
from sweeps import Running, await_rows, sweep, valid_report

UNSHARE = ("unshare", "-m") if os.geteuid() == 0 else ("unshare", "-r", "-m")
PASSES = 11  # over all pairs: core/plan/collectives/collective_plan.h
PORT = "infiniband/mlx5_0/ports/1"


def made_sys(folder):
    """/sys/class with the network interfaces that there are and one InfiniBand port; returns its counters."""
    made = folder / "class"
    counters = made / PORT / "counters"
    counters.mkdir(parents=True)
    (made / "net").mkdir()
    for interface in Path("/sys/class/net").iterdir():
        (made / "net" / interface.name).symlink_to(interface.resolve())
    for name, text in {"state": "4: ACTIVE", "link_layer": "InfiniBand", "rate": "400 Gb/sec (4X NDR)", "counters/link_downed": "2",
                       "counters/port_rcv_errors": "7", "counters/symbol_error": "N/A (no PMA)"}.items():
        (made / PORT / name).write_text(text + "\n")
    return counters


def on(folder):
    """The words that start a program on the made machine."""
    words = (*UNSHARE, "sh", "-c", 'mount --bind "$0" /sys/class && exec "$@"', str(folder / "class"))
    trial = subprocess.run([*words, "true"], capture_output=True, text=True)
    if trial.returncode != 0:
        skip(f"no mount namespace can be made here: {trial.stderr.strip()}")
    return words


def of_port(report):
    return {row["counter"]: row for row in report.get("health", ()) if row.get("device") == "mlx5_0/1"}


def counter_as_pipe(folder):
    fifo = made_sys(folder) / "link_downed"
    fifo.unlink()
    os.mkfifo(fifo)
    return fifo


def opened(run, fifo):
    """The pipe's other end, once somebody reads the counter."""
    while run.process.poll() is None:
        try:
            return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            check(error.errno == errno.ENXIO, error)  # nobody reads
            time.sleep(0.05)
    check(False, f"the run ended before it read {fifo}: {run.process.communicate()}")


def answer(run, fifo, text):
    """Gives the one who reads the counter next this text."""
    file = opened(run, fifo)
    os.write(file, text.encode())
    os.close(file)


def stuck(folder):
    """Ctrl-C while a rank waits for a counter that never comes: the report says that the run was interrupted, though no rank came to its stop."""
    fifo = counter_as_pipe(folder)
    with Running("comm", "--sizes", "4KiB", "--backends", "gloo", "--nproc-per-node", 2, "--threads", 1, "--checks", "health", "--output", folder / "out",
                 wrapper=on(folder)) as ran:
        never = opened(ran, fifo)
        ran.process.send_signal(signal.SIGINT)
        ran.end(expect=130)
        os.close(never)
    report = closed_report(folder / "out", "interrupted", 130)
    check([one["code"] for one in report["errors"]] == ["E_INTERRUPTED"], report["errors"])


def grows(folder):
    """A port goes down while a sweep runs: the report says so, and accept fails its machine for that."""
    fifo = counter_as_pipe(folder)
    with Running(*sweep("--checks", "health", "--nproc-per-node", 2, "--world-sizes", 2, "--output", folder / "out"), wrapper=on(folder)) as ran:
        answer(ran, fifo, "2\n")
        check(await_rows(ran, 1), "no row")  # the first reading is over then
        answer(ran, fifo, "3\n")
        ran.end(expect=0)
    report = valid_report(folder / "out")
    port = of_port(report)
    check(set(port) == {"link_downed", "port_rcv_errors"}, port)
    check(all(row["before"] == row["after"] + (-1 if name == "link_downed" else 0) and row["seconds"] > 0 for name, row in port.items()), port)
    [finding] = [one for one in report["findings"] if one["code"] == "health"]
    host = report["environment"]["hosts"][0]["hostname"]
    check(finding["text"] == f"mlx5_0/1 of {host}: 1 link failure", finding)
    check(finding["text"] in ran.stdout + (folder / "out/report.md").read_text(), ran.stdout)
    done = run("accept", folder / "out", "--format", f"jsonl={folder}/accept.jsonl", expect=1)
    records = [json.loads(line) for line in (folder / "accept.jsonl").read_text().splitlines()]
    failed = [(one["check"], one["part"]["host"], one["why"]) for one in records if one["record"] == "check" and one["outcome"] == "failed"]
    check(failed == [("ports that went down", host, "mlx5_0/1: 1 link failure")], failed)
    check("mlx5_0/1: 1 link failure" in done.stdout, done.stdout)


def stopped(folder):
    """A burn-in that is stopped keeps what it saw after its last block."""
    counters = made_sys(folder)
    with Running(*sweep("--burn-in", 1, "--checks", "health", "--world-sizes", 1, "--output", folder / "out"), wrapper=on(folder)) as ran:
        check(await_rows(ran, 1), "no row")
        (counters / "link_downed").write_text("9\n")
        while of_port(valid_report(folder / "out")).get("link_downed", {}).get("after") != 9:
            check(ran.process.poll() is None, "it ended")
            time.sleep(0.1)
        ran.process.send_signal(signal.SIGINT)
        ran.end(expect=130)
    report = valid_report(folder / "out")
    check(of_port(report)["link_downed"]["before"] == 2 and of_port(report)["link_downed"]["after"] == 9, report["health"])
    check([one["text"].split(": ")[1] for one in report["findings"] if one["code"] == "health"] == ["7 link failures"], report["findings"])


def of_links(folder):
    """comm reads them, too, beside every link between two of three ranks, and refuses what it cannot measure. Which of several hosts is slow
    is for comm_pairs_test.py to find."""
    made_sys(folder)
    words = ("comm", "--pairs", "--nproc-per-node", 3, "--threads", 1, "--no-progress", "--checks", "health", "--output", folder / "out")
    with Running(*words, wrapper=on(folder)) as ran:
        ran.end(expect=0)
    report = valid_report(folder / "out")
    check(of_port(report)["link_downed"]["before"] == of_port(report)["link_downed"]["after"] == 2, report["health"])
    check(len(report["links"]) == 3, report["links"])
    check(all(link["latency_s"] > 0 and link["bandwidth_GBps"] > 0 and link["passes"] == PASSES for link in report["links"]), report["links"])
    check(not any(one["code"] == "health" for one in report["findings"]), report["findings"])
    done = run("comm", "--checks", "devices", "--output", folder / "no", expect=78)
    check("comm has health only" in done.stderr and done.stderr.count("\n") == 1, done.stderr)


run_cases({f.__name__: f for f in (grows, stopped, stuck, of_links)})
