"""A run's page under the real Prometheus, with the rules that the project ships: numbers, expressions and alerts.

prometheus_test.py sweep | stopped_and_killed. Waits for conditions, never for times.
"""

import json
import os
import shutil
import signal
import subprocess
import time
import urllib.request
from collections import defaultdict

from endings import Running, run_cases
from expressions import OF_PROMETHEUS, listed_metrics, names_in, of_dashboard, reported_metrics, rules
from program import check, report_in, skip
from prometheus_server import Prometheus
from sweeps import kill_all, steps_of

try:
    from prometheus_client.openmetrics.parser import text_string_to_metric_families as strict_openmetrics
except ModuleNotFoundError:
    skip("prometheus_client is not installed; scripts/test installs it (requirements-test.txt)")

BATCH = 64
# Pages are written each 2 s and read each second: windows of 6 s are seen. After the first a rank waits that has made steps.
SWEEP = ("sweep", "--workload", "mlp", "--batch-size", BATCH, "--threads", 1, "--world-sizes", 2, "--min-time", 6,
         "--warmup-iters", 20, "--repetitions", 3)
ENDLESS = ("train", "--workload", "mlp", "--nproc-per-node", 2, "--iters", 10_000_000, "--warmup-iters", 2)
EVER = "[1h:1s]"  # Prometheus and the run are younger

# Metrics that two ranks without a GPU never show, with the reason.
ABSENT = {
    "scalemark_evaluation_loss": "nothing is evaluated without --epochs",
    "scalemark_evaluation_ratio": "nothing is evaluated without --epochs",
    "scalemark_epoch": "there are none without --epochs",
} | {name: "there is no GPU" for name in listed_metrics() if name.startswith("scalemark_gpu_")}
# A machine may lack these; the field beside each is there in status.json where it does not.
OF_MACHINES = {
    "scalemark_pressure_seconds_total": "pressure_cpu_s",
    "scalemark_host_throttled_cpu_seconds_total": "throttled_cpu_s",
    "scalemark_host_steal_cpu_seconds_total": "steal_cpu_s",
    "scalemark_host_swapped_bytes_total": "swapped_bytes",
    "scalemark_network_retransmitted_segments_total": "retransmitted_segments",
    "scalemark_network_errors_total": "network_errors",
    "scalemark_disk_read_bytes_total": "disk_read_bytes",
    "scalemark_disk_written_bytes_total": "disk_written_bytes",
}
# Recorded series and panels that such a run has not; what they are made of is tried all the same.
LACKING = {
    "run_point:scalemark_samples:rate1m": "no point takes longer than a minute",
}


class Watched(Running):
    """A run below the folder in which `prometheus` looks for target files, with the page on any free port."""

    def __init__(self, prometheus, folder, *arguments, **how):
        super().__init__(*arguments, "--metrics-port", "auto", "--no-progress", "--output", folder / "results/runs/a", **how)
        self.prometheus = prometheus

    def until(self, expression):
        """Once it has series; fails when the run ends before."""
        def seen():
            found = self.prometheus.query(expression)
            check(found or self.process.poll() is None, f"the run ended before {expression} had a series")
            return found
        return self.prometheus.until(seen, f"{expression} has no series")

    def page(self, accept):
        """(content type, text); Prometheus says where, as it read it from the target file."""
        instance = self.until("up == 1")[0]["metric"]["instance"]
        request = urllib.request.Request(f"http://{instance}/metrics", headers={"Accept": accept})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.headers["Content-Type"], answer.read().decode()


def absent(run):
    node = json.loads((run.folder / "status.json").read_text())["nodes"][0]
    return set(ABSENT) | {name for name, field in OF_MACHINES.items() if field not in node}


def check_forms(run):
    """Both forms of the page are read by those who define them, and show what is listed, with these labels: all of it while two ranks measure."""
    kind, text = run.page("text/plain")
    check(kind.startswith("text/plain") and "version=0.0.4" in kind, kind)
    done = subprocess.run([shutil.which("promtool") or skip("there is no promtool (Debian: prometheus)"), "check", "metrics"],
                          input=text, text=True, capture_output=True, timeout=60)
    check(done.returncode == 0 and not done.stdout + done.stderr, f"promtool check metrics: {done.stdout}{done.stderr}")
    missing = set(listed_metrics())
    while missing:
        check(run.process.poll() is None, f"listed, and not shown during a sweep: {sorted(missing)}")
        missing &= missing_in_openmetrics(run)
        time.sleep(0.2)


def missing_in_openmetrics(run):
    kind, text = run.page("application/openmetrics-text;version=1.0.0")
    check(kind.startswith("application/openmetrics-text") and "version=1.0.0" in kind, kind)
    listed, reported = listed_metrics(), reported_metrics()
    shown = set()
    for family in strict_openmetrics(text):
        for sample in family.samples:
            shown.add(sample.name)
            if sample.name in reported:
                continue
            check(sample.name in listed, f"{sample.name} is in no list")
            known_kind, labels = listed[sample.name]
            check(family.type == known_kind, f"{sample.name} is a {family.type}, listed as {known_kind}")
            check(set(sample.labels) == labels, f"{sample.name} has labels {sorted(sample.labels)}, listed are {sorted(labels)}")
            check(sample.labels.get("phase") != "", sample)
    check(not shown & set(ABSENT), f"shown, though {[(name, ABSENT[name]) for name in shown & set(ABSENT)]}")
    return set(listed) - shown - absent(run)


def history(prometheus, expression):
    """{rank: {time: number}}; what one scrape brought has one time."""
    rows = prometheus.query(f"{expression}[1h]")
    found = defaultdict(dict)
    for row in rows:
        found[row["metric"]["rank"]] |= {time: float(value) for time, value in row["values"]}
    return found


def check_counts(prometheus, report):
    """A rank in phase wait has made the steps of the points that it has finished, neither more nor fewer; at the end those of the report."""
    points = sorted((point for point in report["points"]), key=lambda point: (point["block"], point["order"]))
    waits = history(prometheus, 'scalemark_rank_phase{phase="wait"}')
    seen = 0
    for name, factor in (("scalemark_steps_total", 1), ("scalemark_samples_total", BATCH)):
        counts = history(prometheus, name)
        check(set(counts) == {"0", "1"}, f"{name} of ranks {sorted(counts)}")
        for rank, values in counts.items():
            sums = [0]
            for point in points:
                if int(rank) in point["members"]:
                    sums.append(sums[-1] + factor * steps_of(point))
            at_rest = {time: value for time, value in values.items() if time in waits[rank]}
            check(set(at_rest.values()) <= set(sums), f"{name} of rank {rank} while it waited: {sorted(set(at_rest.values()))}, of the report: {sums}")
            seen += sum(value > 0 for value in at_rest.values())
            check(values[max(values)] == sums[-1], f"{name} of rank {rank} ends with {values[max(values)]}, the report says {sums[-1]}")
    check(seen, "no rank was seen waiting after a point")


def check_counters(prometheus):
    for name, (kind, _) in listed_metrics().items():
        if kind == "counter":
            fallen = prometheus.query(f"resets({name}[1h]) > 0")
            check(not fallen, f"{name} fell: {fallen}")


def check_expressions(prometheus, run_id, none):
    """Each has had a series at some time of the run, unless it names a metric of `none`."""
    recorded, alerts = rules()

    def could_have(expression):
        names = names_in(expression)
        through = set().union(*(names_in(recorded[name]) for name in names & set(recorded)))
        return not (names | through) & (none | set(LACKING))

    asked = [*((name, name) for name in recorded if name not in LACKING), *of_dashboard(run_id)]
    # An alert of a run that is well has none; what it asks for must be there.
    asked += [(alert, name) for alert, expression in alerts.items() for name in names_in(expression) - OF_PROMETHEUS - set(LACKING)]
    for where, expression in asked:
        if could_have(expression):
            check(prometheus.query(f"count_over_time(({expression}){EVER})"), f"{where}: no series of {expression}")


def fired(prometheus):
    """(name, rank) of every alert that has fired; MemoryShort is of the machine, which tests share."""
    rows = prometheus.query('count_over_time(ALERTS{alertstate="firing", alertname!="ScalemarkMemoryShort"}[1h])')
    return {(row["metric"]["alertname"], row["metric"].get("rank")) for row in rows}


def sweep(folder):
    with Prometheus(folder) as prometheus, Watched(prometheus, folder, *SWEEP) as run:
        run.until("sum(scalemark_points_done_total) > 0")
        run.until("scalemark_samples_per_second and on () scalemark_collectives_behind")
        check_forms(run)
        run.end(0)
        prometheus.until(lambda: not prometheus.query("up"), "the target is still there after the end")
        report = report_in(run.folder)
        check(prometheus.values("max_over_time(up[1h])", "run_id") == {report["run_id"]: 1}, prometheus.query("up[1h]"))
        of_runs = {row["metric"].get("run_id") for row in prometheus.query('last_over_time({__name__=~"scalemark_.+"}[1h])')}
        check(of_runs == {report["run_id"]}, f"series of runs {of_runs}")
        check_counters(prometheus)
        check_counts(prometheus, report)
        check_expressions(prometheus, report["run_id"], absent(run))
        check(not fired(prometheus), f"alerts of a run that is well: {fired(prometheus)}")


def both_train(run):
    for rank in (0, 1):
        run.until(f'rate(scalemark_steps_total{{rank="{rank}"}}[30s]) > 0 and on (rank) scalemark_rank_phase{{phase="window"}}')


def stopped_and_killed(folder):
    """A rank that is stopped raises its alert, and no other is raised in 40 s; it goes on, and the alert ends. A run that is killed leaves
    its target file, which says so; sweep() sees that a run which ends takes it away."""
    with Prometheus(folder) as prometheus, Watched(prometheus, folder, *ENDLESS) as run:
        both_train(run)
        rank_1 = run.ranks()[1]
        os.kill(rank_1, signal.SIGSTOP)
        run.until('ALERTS{alertname="ScalemarkRankStalled", alertstate="firing", rank="1"}')
        run.until('rank:scalemark_last_beat:lag_seconds{rank="1"} > 40')
        check(fired(prometheus) == {("ScalemarkRankStalled", "1")}, f"fired: {fired(prometheus)}")
        os.kill(rank_1, signal.SIGCONT)
        prometheus.until(lambda: not prometheus.firing(), "the alert stays though the rank goes on")
        check(fired(prometheus) == {("ScalemarkRankStalled", "1")}, f"fired: {fired(prometheus)}")
        run_id = prometheus.query("scalemark_run_info")[0]["metric"]["run_id"]
        kill_all(run)
        prometheus.until(prometheus.firing, "no alert of a killed run")
        check([(one["alertname"], one["run_id"]) for one in prometheus.firing()] == [("ScalemarkTargetLost", run_id)], prometheus.firing())


run_cases({"sweep": sweep, "stopped_and_killed": stopped_and_killed})
