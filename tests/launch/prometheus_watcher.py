"""A run's page under the real Prometheus, with the rules that the project ships: numbers, expressions and alerts."""

import shutil
import subprocess
import urllib.request
from collections import defaultdict

from expressions import OF_PROMETHEUS, listed_metrics, names_in, of_dashboard, reported_metrics, rules
from program import check, report_in, skip
from prometheus_server import Prometheus
from sweeps import steps_of
from watched_run import Watcher

try:
    from prometheus_client.openmetrics.parser import text_string_to_metric_families as strict_openmetrics
except ModuleNotFoundError:  # the other watchers work without this one
    strict_openmetrics = None

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


def absent(run):
    node = run.status()["nodes"][0]
    return set(ABSENT) | {name for name, field in OF_MACHINES.items() if field not in node}


def check_text(kind, text):
    check(kind.startswith("text/plain") and "version=0.0.4" in kind, kind)
    done = subprocess.run(["promtool", "check", "metrics"],
                          input=text, text=True, capture_output=True, timeout=600)
    check(done.returncode == 0 and not done.stdout + done.stderr, f"promtool check metrics: {done.stdout}{done.stderr}")


def missing_in_openmetrics(watcher):
    kind, text = watcher.page("application/openmetrics-text;version=1.0.0")
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
    return set(listed) - shown - absent(watcher.run)


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
    for name, factor in (("scalemark_steps_total", 1), ("scalemark_samples_total", report["points"][0]["batch_size"])):
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
    ever = f"[{prometheus.age_s() + 1:.0f}s:1s]"

    def could_have(expression):
        names = names_in(expression)
        through = set().union(*(names_in(recorded[name]) for name in names & set(recorded)))
        return not (names | through) & (none | set(LACKING))

    asked = [*((name, name) for name in recorded if name not in LACKING), *of_dashboard(run_id)]
    # An alert of a run that is well has none; what it asks for must be there.
    asked += [(alert, name) for alert, expression in alerts.items() for name in names_in(expression) - OF_PROMETHEUS - set(LACKING)]
    for where, expression in asked:
        if could_have(expression):
            check(prometheus.query(f"count_over_time(({expression}){ever})"), f"{where}: no series of {expression}")


def fired(prometheus):
    """(name, rank) of every alert that has fired; MemoryShort is of the machine, which tests share."""
    rows = prometheus.query('count_over_time(ALERTS{alertstate="firing", alertname!="ScalemarkMemoryShort"}[1h])')
    return {(row["metric"]["alertname"], row["metric"].get("rank")) for row in rows}


class PrometheusWatcher(Watcher):
    """Watches a run in whose folder Prometheus searches target files; `stack` ends it."""

    def __init__(self, run, folder, stack):
        super().__init__(run)
        if not strict_openmetrics:
            skip("prometheus_client is not installed; scripts/test installs it (requirements-test.txt)")
        if not shutil.which("promtool"):
            skip("there is no promtool (Debian: prometheus)")
        self.server = stack.enter_context(Prometheus(folder))

    def until(self, expression):
        """Once it has series; fails when the run ends before."""
        return self.run.until(lambda: self.server.query(expression), f"{expression} has no series")

    def page(self, accept):
        """(content type, text)"""
        request = urllib.request.Request(f"http://{self.instance}/metrics", headers={"Accept": accept})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.headers["Content-Type"], answer.read().decode()

    def trains(self):
        for rank in (0, 1):
            self.until(f'rate(scalemark_steps_total{{rank="{rank}"}}[30s]) > 0 and on (rank) scalemark_rank_phase{{phase="window"}}')

    def stands_still(self):
        """It raises its alert, and no other is raised in 40 s."""
        self.until('ALERTS{alertname="ScalemarkRankStalled", alertstate="firing", rank="1"}')
        self.until('rank:scalemark_last_beat:lag_seconds{rank="1"} > 40')
        check(fired(self.server) == {("ScalemarkRankStalled", "1")}, f"fired: {fired(self.server)}")

    def continues(self):
        self.run.until(lambda: not self.server.firing(), "the alert stays though the rank goes on")
        check(fired(self.server) == {("ScalemarkRankStalled", "1")}, f"fired: {fired(self.server)}")

    def is_killed(self):
        """It leaves its target file, which says so; ended() sees that a run which ends takes it away."""
        run_id = self.server.query("last_over_time(scalemark_run_info[1h])")[0]["metric"]["run_id"]
        self.server.until(self.server.firing, "no alert of a killed run")
        check([(one["alertname"], one["run_id"]) for one in self.server.firing()] == [("ScalemarkTargetLost", run_id)], self.server.firing())

    def see_both_forms(self):
        """Both forms of the page are read by those who define them, and show what is listed, with these labels: all of it during the sweep."""
        self.instance = self.until("up == 1")[0]["metric"]["instance"]  # Prometheus says where, as it read it from the target file
        missing, tried = set(listed_metrics()), []

        def all_seen():
            missing.intersection_update(missing_in_openmetrics(self))
            kind, text = self.page("text/plain")
            if not tried and "scalemark_samples_per_second" in text and "scalemark_collectives_behind" in text:
                tried.append(check_text(kind, text))
            return tried and not missing

        self.run.until(all_seen, ("it shows all that is listed, but for", missing), every_s=1)  # the page changes as often

    def ended(self, state):
        """The sweep, which is well, in every number and expression."""
        server, report = self.server, report_in(self.run.folder)
        server.until(lambda: not server.query("up"), "the target is still there after the end")
        check(server.values("max_over_time(up[1h])", "run_id") == {report["run_id"]: 1}, server.query("up[1h]"))
        of_runs = {row["metric"].get("run_id") for row in server.query('last_over_time({__name__=~"scalemark_.+"}[1h])')}
        check(of_runs == {report["run_id"]}, f"series of runs {of_runs}")
        check_counters(server)
        check_counts(server, report)
        check_expressions(server, report["run_id"], absent(self.run))
        check(not fired(server), f"alerts of a run that is well: {fired(server)}")
