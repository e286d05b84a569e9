"""`scalemark comm` on real ranks: every collective in every type is right and timed, in the report as the schema says; numbers that
follow from others agree with nccl-tests' formulas; signals and lost ranks end it without losing a row."""

import itertools
import math
import os
import re
import shlex
import signal
import time
from pathlib import Path

from endings import Running, closed_report, error_lines, expect_error, run_cases
from launching import finish, start
from namespaces import TwoHosts
from others import others
from program import SCALEMARK, check, report_in, run
from sweeps import VALIDATOR, journal_lines
from wire import carried

ALL = "all-reduce,all-gather,reduce-scatter,broadcast,reduce,gather,all-to-all,send-recv,barrier"
MANY_ROWS = ("--sizes", "1KiB..64KiB*2", "--backends", "gloo", "--repetitions", 5000, "--no-progress", "--threads", 1, "--nproc-per-node", 2)
# busbw / algbw: nccl-tests, doc/PERFORMANCE.md
FACTOR = {"all-reduce": lambda n: 2 * (n - 1) / n, "all-gather": lambda n: (n - 1) / n, "reduce-scatter": lambda n: (n - 1) / n,
          "all-to-all": lambda n: (n - 1) / n, "gather": lambda n: (n - 1) / n, "broadcast": lambda n: 1, "reduce": lambda n: 1,
          "send-recv": lambda n: 1}


def comm(folder, *options, expect=0, **environment):
    done = run("comm", *options, "--output", folder / "out", expect=expect, **environment)
    report = report_in(folder / "out")
    VALIDATOR.validate(report)
    return report, done


def check_row(row):
    check(row.get("wrong", 0) == 0 and ("wrong" in row) == (row["collective"] != "barrier"), row)
    check(row["time_s"] > 0 and row["iterations"] >= 5, row)
    latency = row["latency_s"]
    check(0 < latency["p50"] <= latency.get("p95", math.inf) <= latency.get("p99", math.inf), latency)
    if row["collective"] == "barrier":
        return check("busbw_GBps" not in row and "algbw_GBps" not in row, row)
    check(math.isclose(row["algbw_GBps"], row["bytes"] / row["time_s"] / 1e9, rel_tol=1e-9), row)
    factor = FACTOR[row["collective"]](row["world_size"])
    check(math.isclose(row["busbw_GBps"], row["algbw_GBps"] * factor, rel_tol=1e-9), row)


def every_collective(folder):
    """The collectives run over Gloo on three ranks, whose shares are no powers of two. A backend that needs GPUs is a skipped row with its reason."""
    rows = rows_of(folder, ALL, "fp32", "nccl,gloo")
    check({"all-reduce", "all-gather", "broadcast", "gather", "send-recv", "barrier"} <= {row["collective"] for row in rows
                                                                                     if row["status"] == "ok"}, "Gloo has these")
    check({row["status"] for row in rows if row["backend"] == "nccl"} == {"skipped"}, [row["id"] for row in rows])


def types(folder):
    rows_of(folder, "all-reduce,all-gather,reduce", "fp16,bf16,int32", "gloo")


def two_of_three(folder):
    """A group leaves a rank out."""
    rows_of(folder, ALL, "fp32", "gloo", (2, 3))


def rows_of(folder, collectives, dtypes, backends, ranks=(3,)):
    """Each combination is measured, or has a row with the reason why it is not."""
    report, _ = comm(folder, "--collectives", collectives, "--dtypes", dtypes, "--nproc-per-node", 3, "--device", "cpu", "--backends", backends,
                     "--sizes", "1000", "--repetitions", 1, "--world-sizes", ",".join(map(str, ranks)), "--no-progress", "--threads", 1)
    rows = report["collectives"]
    for row in rows:
        if row["status"] == "ok":
            check_row(row)
        else:
            check(row["status"] == "skipped" and row["reason"], row)
    found = {(row["collective"], row.get("dtype"), row["backend"]) for row in rows if row["collective"] != "barrier"}
    wanted = set(itertools.product(set(collectives.split(",")) - {"barrier"}, dtypes.split(","), backends.split(",")))
    check(found == wanted, found ^ wanted)
    check({row["world_size"] for row in rows} == set(ranks), rows)
    return rows


def few_bytes(folder):
    """Each rank's share is whole elements, as in nccl-tests; a size without one for each is a row that says so. It holds for two of the three ranks, too."""
    sizes, shared = (1, 7, 25, 26), ("all-gather", "reduce-scatter")
    report, _ = comm(folder, "--collectives", ",".join(("all-reduce", *shared)), "--sizes", ",".join(map(str, sizes)), "--world-sizes", "2,3",
                     "--backends", "gloo", "--repetitions", 1, "--no-progress", "--threads", 1)
    for collective, ranks in itertools.product(("all-reduce", *shared), (2, 3)):
        rows = [row for row in report["collectives"] if (row["collective"], row["world_size"]) == (collective, ranks)]
        unit = 4 * (ranks if collective in shared else 1)
        wanted = {size // unit * unit for size in sizes if size >= unit}
        check(sorted(row["bytes"] for row in rows if row["status"] == "ok") == sorted(wanted), (collective, ranks, [row["id"] for row in rows]))
        skipped = [row["reason"] for row in rows if row["status"] == "skipped"]
        check(len(skipped) == sum(size < unit for size in sizes) and all("too small" in reason for reason in skipped), skipped)
        for row in rows:
            if row["status"] == "ok":
                check_row(row)


def repeated(folder):
    """Blocks of random order; groups with intervals over repetitions, effects against the first value of an axis."""
    report, done = comm(folder, "--sizes", "4KiB", "--dtypes", "fp16,bf16,int32", "--repetitions", 3, "--backends", "gloo", "--nproc-per-node", 2,
                        "--threads", 1)
    rows = report["collectives"]
    check(len(rows) == 9 and all(row["status"] == "ok" for row in rows), [row["id"] for row in rows])
    for row in rows:
        check_row(row)
    orders = {tuple(row["group"] for row in rows if row["repetition"] == block) for block in range(3)}
    check(len(orders) > 1, "each block has an order of its own")
    check(all(sorted(row["order"] for row in rows if row["repetition"] == block) == [0, 1, 2] for block in range(3)), "orders")
    for group in report["collective_groups"]:
        times = [row["time_s"] for row in rows if row["group"] == group["group"]]
        geometric = math.exp(sum(map(math.log, times)) / 3)
        check(len(times) == 3 and math.isclose(group["time_s"], geometric, rel_tol=1e-9), group)
        low, high = group["time_ci95"]
        check(low < group["time_s"] < high, group)
    check(any(effect["axis"] == "dtypes" or effect["axis"] == "dtype" for effect in report["effects"]), report["effects"])
    check("all-reduce" in done.stdout and "busbw" in done.stdout, done.stdout)
    check((folder / "out" / "report.html").exists() and (folder / "out" / "report.md").exists(), "renderings")


def beside_others(folder):
    """Collectives run beside matrix products and beside traffic of the same ranks; each is a row of its own, and its data is right."""
    report, _ = comm(folder, "--sizes", "1MiB", "--backends", "gloo", "--congestion", "off,on", "--overlap-compute", "off,on", "--repetitions", 1,
                     "--nproc-per-node", 2, "--threads", 1, "--no-progress")
    rows = {(row["congestion"], row["overlap_compute"]): row for row in report["collectives"]}
    check(len(rows) == 4 and all(row["status"] == "ok" and row["wrong"] == 0 for row in rows.values()), rows)


def interrupted(folder):
    """SIGINT ends it between two calls and leaves the rows that are finished; a rank that cannot come to that: health_test.py."""
    with Running("comm", *MANY_ROWS, "--output", folder / "out") as running:
        await_rows(folder / "out", 3)
        running.process.send_signal(signal.SIGINT)
        running.end(expect=130)
    report = closed_report(folder / "out", "interrupted", 130)
    check(len(report["collectives"]) >= 3, "rows that were finished")


def interrupted_in_a_row(folder):
    """The same in a row that takes far longer than the 10 s that a stopped run has: every call is one that it may stop after."""
    with Running("comm", "--sizes", "128MiB", "--backends", "gloo", "--no-progress", "--threads", 1, "--nproc-per-node", 2, "--output",
                 folder / "out") as running:
        running.await_event("window")
        running.process.send_signal(signal.SIGINT)
        running.end(expect=130)
    report = closed_report(folder / "out", "interrupted", 130)
    check(report.get("collectives", []) == [], "the row is not finished")


def lost_rank(folder):
    """A rank that is killed ends the run with 69; its finished rows stay."""
    with Running("comm", *MANY_ROWS, "--output", folder / "out") as running:
        await_rows(folder / "out", 3)
        os.kill(running.ranks()[1], signal.SIGKILL)
        running.end(expect=69)
    report = closed_report(folder / "out", "failed", 69)
    check(len(report["collectives"]) >= 3, "rows that were finished")


def await_rows(folder, count, seconds=240):
    ends = time.monotonic() + seconds
    while sum(line["event"] == "collective" for line in journal_lines(Path(folder))) < count:
        check(time.monotonic() < ends, f"no {count} rows within {seconds} s")
        time.sleep(0.1)


def wire_bytes(folder):
    """The traffic that leaves an interface, headers out, is what the algorithm must send: of a ring's all-reduce on two ranks each sends the
    whole message once, of an all-gather its half."""
    share = {"all-reduce": 1, "all-gather": 1 / 2, "send-recv": 1}
    with TwoHosts() as hosts:
        sent = sent_by(hosts, 0) + sent_by(hosts, 1)
        finish([start(*hosts.on(host), SCALEMARK, "comm", "--retries", 0, "--collectives", ",".join(share), "--sizes", "4MiB", "--backends",
                      "gloo", "--repetitions", 1, "--no-progress", "--threads", 1, "--nnodes", 2, "--nproc-per-node", 1,
                      "--node-rank", host, "--rendezvous", f"{TwoHosts.ADDRESSES[0]}:29677", "--output", folder / "out")
                for host in (0, 1)])
        links = sent_by(hosts, 0) + sent_by(hosts, 1) - sent
        rows = closed_report(folder / "out", "complete", 0)["collectives"]
        expected = {name: sum(row["calls"] * row["bytes"] * part for row in rows if row["collective"] == name) for name, part in share.items()}
        total = sum(expected.values())
        check(min(expected.values()) > 0.1 * total, f"one is too little to be seen among the others: {expected}")
        check(abs(links / 2 - total) <= 0.01 * total, f"{links / 2} bytes, expected {expected}")
        congested(folder, hosts)


TRAFFIC = 4 * 2**20  # bytes of a message of --congestion


def congested(folder, hosts):
    """Beside 4 KiB messages the traffic of --congestion is what passes the wire, and without it next to nothing. How often it
    passes in the time of the measurement is the machine's to say."""
    beside = {way: beside_messages(folder / way, hosts, way, port) for way, port in (("off", 29678), ("on", 29679))}
    check(beside["off"] < TRAFFIC / 2 and beside["on"] > TRAFFIC, f"bytes beside the messages: {beside}")


def beside_messages(out, hosts, way, port):
    before = sent_by(hosts, 0)
    finish([start(*hosts.on(host), SCALEMARK, "comm", "--retries", 0, "--sizes", "4KiB", "--backends", "gloo", "--congestion", way, "--repetitions", 1,
                  "--no-progress", "--threads", 1, "--nnodes", 2, "--nproc-per-node", 1, "--node-rank", host, "--rendezvous",
                  f"{TwoHosts.ADDRESSES[0]}:{port}", "--output", out) for host in (0, 1)])
    [row] = closed_report(out, "complete", 0)["collectives"]
    return sent_by(hosts, 0) - before - row["calls"] * row["bytes"]


def sent_by(hosts, host):
    return carried(hosts.on(host), f"v{hosts.names[host]}")[0]


def watched_long_enough(folder):
    """A run of half a second cannot show 0.3 CPUs of others among eight that are all in use: it is watched for 0.9 s, and so is the memory that
    it is held against. So many CPUs are made up. Beside a program that computes, what is said of others names the limit."""
    made = {"/sys/devices/system/cpu/online": folder / "online", "/proc/cpuinfo": folder / "cpuinfo"}
    (folder / "online").write_text("0-7\n")
    one = Path("/proc/cpuinfo").read_text().split("\n\n")[0]
    (folder / "cpuinfo").write_text("".join(re.sub(r"(?m)^(processor|core id)(\s*): .*", rf"\1\2: {cpu}", one) + "\n\n" for cpu in range(8)))
    mounts = "".join(f"mount --bind {shlex.quote(str(file))} {place} && " for place, file in made.items())
    two = ",".join(map(str, sorted(os.sched_getaffinity(0))[:2]))
    with others(1), Running("comm", "--sizes", "1KiB", "--backends", "gloo", "--repetitions", 1, "--nproc-per-node", 2, "--threads", 1,
                            "--no-progress", "--output", folder / "out", wrapper=("unshare", "-m", "taskset", "-c", two, "sh", "-c", mounts + 'exec "$@"', "sh")) as running:
        running.end(expect=0)
    report = closed_report(folder / "out", "complete", 0)
    [host] = report["environment"]["hosts"]
    check(host["cores"]["logical"] == 8, host["cores"])
    [seen] = [row for row in report["telemetry"] if row["source"] == "other_cpus"]
    check(seen["observed_s"] >= 0.01 * 8 / 0.3 ** 2, seen)
    texts = {finding["code"]: finding["text"] for finding in report["findings"]}
    limits = {code: float(re.search(r"\(limit ([0-9.]+)\)", texts[code])[1]) for code in ("shared", "bound_disturbed")}
    check(max(limits.values()) <= 0.3 and "others_unknown" not in texts, texts)


def refused(folder):
    """One line that says what is allowed."""
    for options, quoted in ((("--collectives", "all-redoce"), "all-reduce"), (("--sizes", "4KB..1KB*2"), "sizes"),
                            (("--sizes", "0"), "sizes"), (("--sizes", "4kb"), "sizes"), (("--dtypes", "fp8"), "fp32"),
                            (("--backends", "smoke"), "gloo")):
        done = run("comm", *options, "--output", folder / "out", expect=78)
        expect_error(error_lines(done.stderr)[-1], "E_CONFIGURATION", 78, quoted)


run_cases({f.__name__: f for f in (every_collective, types, two_of_three, few_bytes, repeated, beside_others, interrupted, interrupted_in_a_row, lost_rank, wire_bytes,
                                   watched_long_enough, refused)})
