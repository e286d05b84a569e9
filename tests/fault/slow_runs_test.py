"""A slow run names its cause: a slowness is planted in a training of two ranks, and the first of points[].causes[] must be it, with its
domain and its place (docs/DIAGNOSIS.md). Quiet healthy runs have no fault of more than 2 % of a step.

Others on the machine are causes, too. A trial that is not right is made again, at most twice, where counters that this test reads by
itself show others; not so where others, threads or a quota are what is planted. If others are there in all three, nothing is said here;
SCALEMARK_SOAK=full, for a quiet machine, takes it for a miss: 10 trials of each kind, 60 healthy runs, and what the remedy gains."""

import contextlib
import functools
import math
import os
import random
import signal
import socket
import statistics
import subprocess
import threading
from dataclasses import dataclass, field

from cpu_quota import cpu_quota
from endings import FULL, Running, closed_report, run_cases
from launching import finish, start
from made_data import make_images
from memory_limit import memory_limit
from others import others
from outside import Outside
from program import BINARY_DIR, SCALEMARK, check, preloaded, skip_under_asan
from relayed import RelayedHosts
from switched import SwitchedHosts, shaper, tc

MOST_REPEATED = 2
HEALTHY_RUNS, HEALTHY_MISSES = (60, 2) if FULL else (3, 0)
FAULT_SHARE = 0.02  # of a step
WINDOW_S = 6 if FULL else 2
PAIRS = 10  # of a run with the fault and one without it

TRAIN = ("train", "--backend", "gloo", "--no-progress")
LOCAL = ("--nproc-per-node", 2)
MLP = ("--workload", "mlp", "--batch-size", 512, "--threads", 1)
LARGE_MLP = ("--workload", "mlp", "--batch-size", 2048, "--threads", 1)
SMALL_MLP = ("--workload", "mlp", "--batch-size", 32, "--threads", 1)
IMAGES = ("--workload", "resnet50", "--image-size", 32, "--batch-size", 2, "--threads", 1, "--learning-rate", "1e-4", "--workers", 1)
# Beside other tests ranks hardly run: they come first, where the test may say so.
FIRST = ("sh", "-c", '(echo -20 >/proc/$$/autogroup; renice -n -20 $$) >/dev/null 2>&1; exec "$@"', "sh")


def window(seconds=WINDOW_S):
    return "--warmup-iters", 5, "--min-time", seconds


def steps(count):
    """Of runs whose steps are long."""
    return "--warmup-iters", 5, "--iters", count


def preload(**variables):
    """The environment of a rank that is slow by itself."""
    skip_under_asan("must be the first library that is loaded")
    libraries = [BINARY_DIR / f"tests/{name}.so" for name in ("libplanted_slowness", "libplanted_counters", "acceptance/libplanted_products")]
    return {"LD_PRELOAD": preloaded(*libraries), **variables}


def trained(folder, *words, wrapper=FIRST, during=contextlib.nullcontext, measured=window(), **environment):
    """The report of two ranks on this machine; `during`, of the program, is entered when the window begins."""
    out = folder / "out"
    with Running(*TRAIN, *words, *LOCAL, *measured, "--output", out, wrapper=wrapper, **environment) as running:
        if during is not contextlib.nullcontext:
            running.await_event("warmup", into_s=0)
            with during(running):
                running.end(expect=0)
        else:
            running.end(expect=0)
    return closed_report(out, "complete", 0)


@contextlib.contextmanager
def pulses(running, stopped_s, period_s, rank=1):
    """Stops a rank from outside, again and again, until the program is gone."""
    pid, over = running.ranks()[rank], threading.Event()

    def stop():
        with contextlib.suppress(ProcessLookupError):
            while not over.is_set() and running.process.poll() is None:
                os.kill(pid, signal.SIGSTOP)
                over.wait(stopped_s)
                os.kill(pid, signal.SIGCONT)
                over.wait(period_s - stopped_s)

    thread = threading.Thread(target=stop)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


# Each of the following plants a slowness. It takes a folder, the number of the trial, and whether to plant: else the same run is healthy.


def reads(folder, _, planted, rank):
    tree = make_images(folder / "images", 64, size=32, classes=2)
    slow = preload(SLOW_READS=f"{rank}:100:{tree.resolve()}") if planted else {}
    return trained(folder, *IMAGES, "--data", tree, measured=steps(20), **slow)


def products(folder, _, planted):
    return trained(folder, *MLP, **(preload(SLOW_PRODUCTS=f"{socket.gethostname()}:1:1.5") if planted else {}))


def burns(folder, _, planted):
    return trained(folder, *MLP, **(preload(BURNS_CPU="1:0.4") if planted else {}))


def quota_of_one(folder, _, planted):
    if not planted:
        return trained(folder, *MLP)
    with cpu_quota() as quota:
        quota.cores(0.3)
        return trained(folder, *MLP, measured=window(max(4, WINDOW_S)), **preload(CPU_GROUP=f"1:{quota.folder / 'cgroup.procs'}"))


def stops(folder, _, planted, stopped_s, period_s):
    during = functools.partial(pulses, stopped_s=stopped_s, period_s=period_s)
    report = trained(folder, *LARGE_MLP, during=during if planted else contextlib.nullcontext, measured=window(max(WINDOW_S, 6 * period_s)))
    [point] = report["points"]
    check(point["wall_s"] >= 4 * period_s, f"a window of {point['wall_s']:.1f} s holds too few stops")
    return report


def foreign(folder, _, planted):
    """Others compute from the warm-up on, so that they do not make the start long."""
    during = (lambda _: others(2 * os.cpu_count())) if planted else contextlib.nullcontext
    return trained(folder, *MLP, wrapper=(), during=during, measured=steps(40))


def threads(folder, trial, planted):
    """Two ranks on one core, or more threads than cores."""
    if not planted:
        return trained(folder, *MLP)
    if trial % 2 == 0:
        return trained(folder, *MLP, wrapper=("taskset", "-c", min(os.sched_getaffinity(0))), measured=steps(40))
    return trained(folder, *MLP[:-1], 2 * os.cpu_count(), wrapper=(), measured=steps(40))


def between(hosts, folder, words, measured=steps(40)):
    """The report of a rank on each of two hosts."""
    out = folder / "out"
    place = ("--nnodes", 2, "--nproc-per-node", 1, "--rendezvous", f"{hosts.addresses[0]}:29667", "--run-id", "slow", "--output", out)
    finish([start(*FIRST, *hosts.on(host), SCALEMARK, *TRAIN, *words, *measured, "--node-rank", host, *place) for host in range(2)])
    return closed_report(out, "complete", 0)


@contextlib.contextmanager
def shaped(rate):
    """Two hosts whose link has this rate: by the kernel's tbf, or by our relay where it has none."""
    with SwitchedHosts(2) as hosts:
        try:
            for name in hosts.names:  # as a card does: who sends waits, and no packet is lost
                tc("-n", name, "qdisc", "add", "dev", "eth0", "root", *shaper(rate))
        except subprocess.CalledProcessError:
            is_shaped = False
        else:
            is_shaped = True
            yield hosts
    if is_shaped:
        return
    with RelayedHosts(rate=1e9) as hosts:
        yield hosts


def bandwidth(folder, _, planted):
    with shaped("1gbit") if planted else SwitchedHosts(2) as hosts:
        return between(hosts, folder, ("--workload", "bert-mini", "--sequence-length", 32, "--batch-size", 2, "--threads", 1), steps(15))


def delay(folder, _, planted):
    with RelayedHosts(delay_s=0.01) if planted else SwitchedHosts(2) as hosts:
        return between(hosts, folder, SMALL_MLP)


def loss(folder, _, planted):
    with RelayedHosts(loss=0.01) if planted else SwitchedHosts(2) as hosts:
        return between(hosts, folder, SMALL_MLP)


def buckets(folder, _, planted):
    """161 exchanges for 161 parameters. On one host they cost less than their bytes (measured: nothing); the link between these two has a
    way, so that each costs it once more."""
    with RelayedHosts(delay_s=0.004) as hosts:
        small = ("--bucket-cap-mb", 0.01) if planted else ()
        return between(hosts, folder, ("--workload", "resnet50", "--image-size", 32, "--batch-size", 2, "--threads", 1, *small), steps(10))


FILE_MIB, LIMIT_MIB = 512, 320


def memory(folder, _, planted):
    """Rank 1 reads a file through a mapping; in its control group there is no memory to keep it."""
    if not planted:
        return trained(folder, *MLP)
    file = folder / "mapped"
    with open(file, "wb") as mapped:
        for part in range(FILE_MIB):
            mapped.write(random.Random(part).randbytes(1 << 20))
        mapped.flush()
        os.fsync(mapped.fileno())
        os.posix_fadvise(mapped.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)  # else its pages stay charged to this test's group
    with memory_limit(LIMIT_MIB << 20) as group:
        return trained(folder, *MLP, **preload(MEMORY_GROUP=f"1:{group}", MAPPED_READS=f"1:200:{file}"))


@dataclass(frozen=True)
class Kind:
    plant: object
    codes: set
    domains: set
    place: dict = field(default_factory=dict)  # what of it must be so
    has_link: bool = False
    is_repeated: bool = True


KINDS = {
    "slow_reads_of_one": Kind(functools.partial(reads, rank=1), {"slow_data"}, {"data"}, {"rank": 1}),
    "slow_reads_of_all": Kind(functools.partial(reads, rank="all"), {"slow_data"}, {"data"}),
    "slow_products": Kind(products, {"slow_rank"}, {"hardware"}, {"rank": 1}),
    "burns_cpu": Kind(burns, {"slow_rank"}, {"hardware"}, {"rank": 1}),
    "quota": Kind(quota_of_one, {"quota"}, {"launch"}, {"rank": 1}, is_repeated=False),
    "short_stops": Kind(functools.partial(stops, stopped_s=0.02, period_s=0.08), {"stopped"}, {"launch"}, {"rank": 1}),
    "long_stops": Kind(functools.partial(stops, stopped_s=0.3, period_s=3), {"stopped"}, {"launch"}, {"rank": 1}),
    "foreign_load": Kind(foreign, {"queued"}, {"launch"}, is_repeated=False),
    "threads": Kind(threads, {"crowded"}, {"launch"}, is_repeated=False),
    "tiny_buckets": Kind(buckets, {"small_buckets"}, {"software"}),
    "bandwidth": Kind(bandwidth, {"bandwidth_bound"}, {"network"}, has_link=True),
    "delay": Kind(delay, {"latency_bound"}, {"network"}, has_link=True),
    "loss": Kind(loss, {"retransmits", "bandwidth_bound", "latency_bound"}, {"network"}, has_link=True),
    "memory": Kind(memory, {"paging"}, {"hardware"}, {"rank": 1}),
}
# Whose remedy gains what the fault costs: what is planted is the only difference of two runs.
GAINS = ("slow_reads_of_one", "slow_reads_of_all", "slow_products", "burns_cpu", "quota", "short_stops", "tiny_buckets", "bandwidth", "delay")
table, failed = [], []


def causes_of(report):
    [point] = report["points"]
    order = [(cause["is_fault"], cause["seconds"]) for cause in point["causes"]]
    check(order == sorted(order, reverse=True), f"not faults, then costs, each by seconds: {order}")
    return point["causes"]


def is_right(kind, causes):
    if not causes or causes[0]["code"] not in kind.codes or causes[0]["domain"] not in kind.domains:
        return False
    place = causes[0].get("place", {})
    names_link = all(f"node{host}" in place.get("link", "") for host in range(2)) if kind.has_link else True
    return names_link and all(place.get(key) == value for key, value in kind.place.items())


def in_words(cause):
    place = cause.get("place", {})
    kind = "fault" if cause["is_fault"] else "cost"
    where = "".join(f" {key} {value}" for key, value in place.items())
    return f"{cause['code']} ({kind}, {cause['domain']}) {1e3 * cause['seconds']:.2f} ms{where}"


def shown(report):
    [point] = report["points"]
    return f"step {1e3 * point['step_time_s']:.2f} ms: " + ("; ".join(map(in_words, causes_of(report)[:3])) or "no cause")


def measured_by_rank(report):
    """What the causes were found in, in ms."""
    [point] = report["points"]

    def in_ms(record):
        return {key: round(1e3 * value, 2) for key, value in record.items() if key.endswith("_s") and isinstance(value, float)}

    return [in_ms({key: rank[key] for key in ("own_mean_s", "data_wait_s") if key in rank} | rank.get("scheduling", {})) for rank in point["ranks"]
            ] + [in_ms(point["communication"])]


def tried(run_it, is_good, is_repeated, folder):
    """(good, disturbed, how often it was made again, the last report) of one trial."""
    for attempt in range(1 + (MOST_REPEATED if is_repeated else 0)):
        there = folder / str(attempt)
        there.mkdir(parents=True)
        outside = Outside()
        report = run_it(there)
        seen = outside.end().disturbed()
        good = is_good(report)
        print(f"   {'right' if good else 'wrong'}: {shown(report)}{f' [{seen}]' if seen else ''}", flush=True)
        if not good:
            print(f"      {measured_by_rank(report)}", flush=True)
        if good or not seen:
            break
    return good, seen if is_repeated else "", attempt, report


def counted(name, trials, run_it, is_good, is_repeated, folder, misses=0):
    """Makes the trials, adds a row to the table, and fails where too many are wrong."""
    results = [tried(functools.partial(run_it, number), is_good, is_repeated, folder / str(number)) for number in range(trials)]
    wrong = [shown(report) for good, disturbed, _, report in results if not good and (FULL or not disturbed)]
    table.append((name, sum(good for good, *_ in results), trials, sum(repeats for _, _, repeats, _ in results),
                  sum(bool(disturbed) and not good for good, disturbed, *_ in results),
                  "; ".join(in_words(causes_of(report)[0]) if causes_of(report) else "nothing" for good, _, _, report in results if not good)))
    print(f"   {name}: {table[-1][1]} of {trials} right, {table[-1][3]} made again, {table[-1][4]} disturbed to the end"
          + (f"; named instead: {table[-1][5]}" if table[-1][5] else ""), flush=True)
    if len(wrong) > misses:
        failed.extend(f"{name}: {what}" for what in wrong)


def case_of(name):
    kind = KINDS[name]

    def case(folder):
        trials = 10 if FULL else 1
        counted(name, trials, lambda number, there: kind.plant(there, number, True), lambda report: is_right(kind, causes_of(report)), kind.is_repeated,
                folder)

    return case


def healthy(folder):
    """Nothing is planted: no fault above a share of the step."""
    workloads = [(MLP, window()), (SMALL_MLP, window()), (IMAGES[:-2], steps(20)),
                 (("--workload", "linear", "--batch-size", 64, "--threads", 1), window())]

    def run_it(number, there):
        words, measured = workloads[number % len(workloads)]
        return trained(there, *words, measured=measured)

    def has_no_fault(report):
        step_s = report["points"][0]["step_time_s"]
        return all(not cause["is_fault"] or cause["seconds"] <= FAULT_SHARE * step_s for cause in causes_of(report))

    counted("healthy", HEALTHY_RUNS, run_it, has_no_fault, True, folder, HEALTHY_MISSES)


def gains(folder):
    """With the fault and without it: the step gains no more than `at most` says, and about what is predicted."""
    wrong = []
    for name in GAINS:
        gained, at_most, predicted = [], [], []
        for pair in range(PAIRS):
            reports = []
            for planted in (True, False):
                there = folder / f"{name}-{pair}-{planted}"
                there.mkdir()
                reports.append(KINDS[name].plant(there, pair, planted))
            slow, quick = (report["points"][0]["step_time_s"] for report in reports)
            first = next((cause for cause in causes_of(reports[0]) if cause["code"] in KINDS[name].codes), None)
            if first is None:
                continue
            gained.append(slow - quick)
            at_most.append(first.get("at_most_s", math.inf))
            predicted.append(first.get("predicted_s"))
        if len(gained) < 3:
            wrong.append(f"{name}: not named")
            continue
        half = 2.3 * statistics.stdev(gained) / math.sqrt(len(gained))  # Student's t of ten, 95 %
        mean, most = statistics.mean(gained), statistics.mean(at_most)
        near = [abs(guess - gain) <= 0.25 * gain for guess, gain in zip(predicted, gained, strict=True) if guess is not None]
        text = (f"{name}: gained {1e3 * mean:.2f} +- {1e3 * half:.2f} ms, at most {1e3 * most:.2f} ms"
                + (f", predicted within 25 % in {sum(near)} of {len(near)}" if near else ""))
        print(f"   {text}", flush=True)
        if mean - half > most or sum(near) < math.floor(0.9 * len(near)):
            wrong.append(text)
    failed.extend(wrong)


def print_table():
    print(f"{'kind':<20} right/trials  made again  disturbed  named instead")
    for name, right, trials, repeats, disturbed, instead in table:
        print(f"{name:<20} {f'{right}/{trials}':<13} {repeats:<11} {disturbed:<10} {instead}")


run_cases({**{name: case_of(name) for name in KINDS}, **{f.__name__: f for f in (healthy, gains)}})
print_table()
check(not failed, "\n".join(failed))
