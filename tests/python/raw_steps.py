"""The numbers of a report computed again from its --raw-steps files alone, by the formulas of docs/reference/METRICS.md with numpy and scipy.
Nothing of the program's own code is used: docs/reference/REPORT.md, "Raw steps", has the format. Of report.json only identities are read
(which rows are pairs, where ranks ran, when runs began), and the numbers to compare with. By hand:

    python tests/python/raw_steps.py OUTPUT
"""

import json
import math
import sys
from datetime import datetime
from pathlib import Path

import numpy as np
from scipy import stats

RELATIVE = 1e-9
ROUNDING = 1e-12  # relative to the operands, where a number is a small difference of large sums
PHASES = ("data_wait", "host_to_device", "forward", "backward", "exposed_communication", "optimizer", "other")


class Raw:
    """One file: `windows`, `steps`, `communication_cost_blocks` map a column to an array of (ranks, rows)."""

    def __init__(self, file):
        with open(file, "rb") as stream:
            self.header = json.loads(stream.readline())
            order = {"little": "<f8", "big": ">f8"}[self.header["byte_order"]]
            numbers = np.frombuffer(stream.read(), order).astype(float)
        ranks = len(self.header["ranks"])
        self.k = self.header["steps_per_mark"]
        self.ranks = [rank["rank"] for rank in self.header["ranks"]]
        self.samples = [rank["samples"] for rank in self.header["ranks"]]
        numbers = numbers.reshape(ranks, -1)
        self.tables = {"communication_cost_blocks": {}}
        at = 0
        for table in self.header["tables"]:
            self.tables[table["name"]] = columns = {}
            for column in table["columns"]:
                columns[column["name"]] = numbers[:, at:at + table["rows"]]
                at += table["rows"]
        assert at == numbers.shape[1], "the header does not describe the file"
        self.windows, self.steps = self.tables["windows"], self.tables["steps"]
        entries = self.windows["entries"]
        assert (entries == self.windows["steps"] // self.k).all(), "entries of each window"
        assert (entries.sum(axis=1) == self.steps["step_s"].shape[1]).all(), "entries of all windows"
        self.blocks = self.tables["communication_cost_blocks"]


class Small(float):
    """A difference of large numbers: known no better than `operands` are rounded."""

    def __new__(cls, value, operands):
        made = super().__new__(cls, value)
        made.operands = float(abs(operands))
        return made


def t_quantile(p, degrees):
    return float(stats.t.ppf(p, degrees))


def interval(values, operands=None):
    """95 %, Student's t over `values`; absent for one."""
    if len(values) < 2:
        return None
    middle, half = np.mean(values), t_quantile(.975, len(values) - 1) * np.std(values, ddof=1) / math.sqrt(len(values))
    size = np.max(np.abs(values)) if operands is None else operands
    return [Small(middle - half, size), Small(middle + half, size)]


def exp_of(pair):
    return pair and [math.exp(value) for value in pair]


def summary(values, k):
    if k > 1:
        return {"n": len(values), "mean": np.mean(values)}
    computed = {"n": len(values), "mean": np.mean(values), "p50": np.quantile(values, .5), "min": np.min(values),
                "max": np.max(values)}
    if len(values) >= 200:
        computed["p95"] = np.quantile(values, .95)
    if len(values) >= 1000:
        computed["p99"] = np.quantile(values, .99)
    if len(values) >= 2:
        computed["stdev"] = Small(np.std(values, ddof=1), np.mean(values))
    return computed


def batch_means(values, length):
    whole = len(values) // length
    return values[:whole * length].reshape(whole, length).mean(axis=1)


def lag1(values):
    centred = values - values.mean()
    squares = np.sum(centred**2)
    return np.sum(centred[1:] * centred[:-1]) / squares if squares else 0


def within_run(steps, rate):
    """METRICS.md, "The interval within a run"."""
    length = max(1, len(steps) // 20)
    means = batch_means(steps, length)
    while len(means) >= 20 and lag1(means) > .3:
        length *= 2
        means = batch_means(steps, length)
    if len(means) < 10:
        return None
    low, high = interval(means)
    return [rate * (low + high) / 2 / high, rate * (low + high) / 2 / low] if low > 0 else None


def means_by_rank(raw):
    """Per rank, mean over steps."""
    return {name: raw.steps[name].mean(axis=1) for name in ("step_s", *PHASES) if name in raw.steps}


def communication_cost(raw):
    """Quadruples of blocks: with, without, without, with."""
    if not raw.blocks:
        return {}, None
    def quadruples(blocks):
        four = blocks.reshape(-1, 4)
        return (four[:, 0] + four[:, 3]) / 2, (four[:, 1] + four[:, 2]) / 2
    with_, without = quadruples(raw.blocks["step_s"].max(axis=0))
    logs = np.log(without / with_)
    computed = {"cost_s": Small((with_ - without).mean(), with_.mean()), "cost_ci95": interval(with_ - without, with_.mean()),
                "efficiency": math.exp(logs.mean()), "efficiency_ci95": exp_of(interval(logs))}
    if "own_s" in raw.blocks:
        own_with, own_without = quadruples(raw.blocks["own_s"].mean(axis=0))
        computed |= {"contention_s": Small((own_with - own_without).mean(), own_with.mean()),
                     "contention_ci95": interval(own_with - own_without, own_with.mean()),
                     "noop_imbalance_s": Small(without.mean() - own_without.mean(), without.mean())}
    return computed, without.mean()


def exposed_interval(exposed, operands):
    """Returns the interval over eight parts of the window, as equal as can be."""
    n = len(exposed)
    if n < 8:
        return None
    return interval(np.array([exposed[i * n // 8:(i + 1) * n // 8].mean() for i in range(8)]), operands)


class Run:
    """One point from its file."""

    def __init__(self, raw, point):
        self.raw, self.id = raw, point["id"]
        ranks = len(raw.ranks)
        steps = raw.steps["step_s"]
        self.wall = raw.windows["wall_s"].max(axis=0).sum()
        self.iterations = int(raw.windows["steps"][0].sum())
        samples = sum(raw.samples)
        self.rate, self.T = samples / self.wall, self.wall / self.iterations
        slowest = steps.max(axis=0)
        self.computed = {"wall_s": self.wall, "iterations": self.iterations, "samples": samples, "samples_per_sec": self.rate,
                         "samples_per_sec_per_rank": self.rate / point["world_size"], "step_mean_over_ranks_s": steps.mean(),
                         "step_samples_s": list(slowest), "step_s": summary(slowest, raw.k),
                         "within_run_ci95": within_run(slowest, self.rate)}
        exchanges = point["strategy"] != "none" and ranks > 1
        cost, noop = communication_cost(raw) if exchanges else ({}, None)
        self.computed["noop_step_s"] = noop
        self.computed["communication"] = {"peer_wait_s": None, "network_s": None, "exposed_ci95": None, "cost_s": None, "contention_s": None, "noop_imbalance_s": None} | cost
        self.in_every_step = point["strategy"] != "local-sgd" or ranks == 1
        self.own_of_ranks = None
        if "other" in raw.steps:
            self.add_phases(steps, exchanges)
        self.computed["ranks"] = [self.rank(r) for r in range(ranks)]

    def add_phases(self, steps, exchanges):
        raw = self.raw
        means = means_by_rank(raw)
        self.computed["phases_s"] = {name: means[name].mean() for name in PHASES}
        assert np.allclose(sum(raw.steps[name] for name in PHASES), steps, rtol=1e-9, atol=0), "phases sum to the step"
        own = steps - raw.steps["exposed_communication"]
        self.own_of_ranks = own.mean(axis=1)
        self.own, self.own_max_of_means = self.own_of_ranks.mean(), self.own_of_ranks.max()
        alike = (raw.k == 1 or len(raw.ranks) == 1) and self.in_every_step  # else no step has a slowest rank
        self.own_mean_of_max = own.max(axis=0).mean() if alike else None
        self.data_wait = means["data_wait"].mean()
        self.computed["own_s"] = {"mean": self.own, "max_of_rank_means": self.own_max_of_means,
                                  "mean_of_step_max": self.own_mean_of_max}
        self.computed["compute_samples_per_sec"] = self.compute_rate(own)
        if exchanges and self.own_mean_of_max is not None:
            self.computed["communication"] |= {
                "peer_wait_s": Small(self.own_mean_of_max - self.own, self.own),
                "network_s": Small(steps.mean() - self.own_mean_of_max, self.own),
                "exposed_ci95": exposed_interval(raw.steps["exposed_communication"].mean(axis=0), self.own)}

    def compute_rate(self, own):
        if self.own_mean_of_max is None:
            return None
        counted = self.raw.steps["data_wait"]  # d: the marks are on the device's timeline
        waited = (own.max(axis=0) - (own - counted).max(axis=0)).mean() * self.iterations
        return sum(self.raw.samples) / (self.wall - waited) if waited < self.wall else None

    def rank(self, r):
        raw = self.raw
        computed = {"rank": raw.ranks[r], "samples": raw.samples[r], "wall_s": raw.windows["wall_s"][r].sum(),
                    "step_s": summary(raw.steps["step_s"][r], raw.k)}
        if self.own_of_ranks is None:
            return computed
        means = {name: raw.steps[name][r].mean() for name in PHASES}
        own = raw.steps["step_s"][r] - raw.steps["exposed_communication"][r]
        logarithm = np.log(own).mean() if (own > 0).all() else None
        return computed | {"phases_s": means, "data_wait_s": means["data_wait"],
                           "exposed_communication_s": means["exposed_communication"],
                           "own_s": {"mean": own.mean(), "mean_ln": logarithm}}


def seconds(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def in_time_order(points):
    """(second, point): sessions one after the other, without the pauses between them."""
    ordered, offset = [], 0
    for session in sorted({point["session"] for point in points}):
        mine = sorted((seconds(point["started"]), point["block"], point["order"], i) for i, point in enumerate(points)
                      if point["session"] == session)
        ordered += [(offset + at - mine[0][0], points[i]) for at, _, _, i in mine]
        offset += mine[-1][0] + points[mine[-1][3]]["wall_s"] - mine[0][0]
    return ordered


def correlation_of_runs(points, rates):
    """METRICS.md, "Correlated runs": (r, or absent where it is not significant; the place in time of each id). By matrices:
    residuals of a fit of levels and one slope."""
    ordered = in_time_order(points)
    levels = sorted({(point["group"], point["session"]) for _, point in ordered})
    places = {point["id"]: i for i, (_, point) in enumerate(ordered)}
    n = len(ordered)
    if n < len(levels) + 3:
        return None, places
    design = np.zeros((n, len(levels) + 1))
    for i, (at, point) in enumerate(ordered):
        design[i, levels.index((point["group"], point["session"]))] = 1
        design[i, -1] = at
    if np.linalg.matrix_rank(design) <= len(levels):
        return None, places
    annihilator = np.eye(n) - design @ np.linalg.pinv(design)
    residuals = annihilator @ np.log([rates[point["id"]] for _, point in ordered])
    expected = np.trace(annihilator, offset=1) / (n - len(levels) - 1)
    r = np.sum(residuals[1:] * residuals[:-1]) / np.sum(residuals**2) - expected
    return (min(max(r, -.99), .99) if r * math.sqrt(n) > stats.norm.ppf(.95) else None), places


def group_of(points, rates, r, places):
    """METRICS.md, "Several runs": the unit is the run, of several sessions the session."""
    sessions = {}
    for point in points:
        sessions.setdefault(point["session"], []).append(math.log(rates[point["id"]]))
    all_rates = [rates[point["id"]] for point in points]
    computed = {"cv_between": Small(np.std(all_rates, ddof=1) / np.mean(all_rates), 1) if len(points) > 1 else None}
    if len(sessions) == 1:
        units = list(sessions.values())[0]
        pair = interval(units)
    else:
        units = [np.mean(session) for session in sessions.values()]
        pair = interval(units) if len(units) >= 3 else None
    middle = np.mean(units)
    if pair and r is not None and len(sessions) == 1:
        mine = np.array([places[point["id"]] for point in points])
        variance = np.sum(r**np.abs(mine[:, None] - mine)) / len(mine)
        growth = math.sqrt(variance * (len(mine) - 1) / (len(mine) - variance)) if variance < len(mine) else None
        pair = growth and [middle + (value - middle) * growth for value in pair]
    return computed | {"samples_per_sec": math.exp(middle), "ci95": exp_of(pair)}


def log_mean(a, b):
    return b if a == b else (a - b) / math.log(a / b)


def loss_of_efficiency(pairs, strong, ratio, same_places):
    """METRICS.md, "Where efficiency goes"; absent without phases. `pairs`: (baseline, scaled) runs."""
    if any(run.own_of_ranks is None for pair in pairs for run in pair):
        return None, None
    by = ratio if strong else 1
    scales = [log_mean(scaled.T, alone.T / by) for alone, scaled in pairs]
    above = sum((scaled.own_of_ranks - scaled.own) / scale for (_, scaled), scale in zip(pairs, scales)) \
        if same_places else np.zeros(1)
    slowest = int(np.argmax(above)) if same_places and len(pairs) > 1 and len(above) > 1 else None
    jitter = all(scaled.own_mean_of_max is not None for _, scaled in pairs)
    rows = []
    for (alone, scaled), scale in zip(pairs, scales):
        busy = scaled.own_mean_of_max if jitter else scaled.own_max_of_means
        slow = scaled.own_max_of_means if slowest is None else scaled.own_of_ranks[slowest]
        terms = {"slower_compute": (scaled.own - scaled.data_wait) - (alone.T - alone.data_wait) / by,
                 "data_wait": scaled.data_wait - alone.data_wait / by,
                 "persistent_imbalance": slow - scaled.own, "communication": scaled.T - busy}
        if slowest is not None:
            terms["run_imbalance"] = scaled.own_max_of_means - slow
        if jitter:
            terms["jitter"] = busy - scaled.own_max_of_means
        rows.append({name: term / scale for name, term in terms.items()})
    lost = np.mean([math.log(scaled.T * by / alone.T) for alone, scaled in pairs])
    factor = -math.expm1(-lost) / lost if lost else 1
    shares = {name: np.array([row[name] for row in rows]) * factor for name in rows[0]}
    intervals = {name: interval(values, 1) for name, values in shares.items()} if len(pairs) > 1 else None
    return {name: Small(values.mean(), 1) for name, values in shares.items()}, intervals


def scaling_row(row, table, points, runs):
    def together(a, b):
        return (a["block"], a["session"]) == (b["block"], b["session"])
    def places(point):
        return [(rank["rank"], rank["host"], rank["device"]) for rank in point["ranks"]]
    scaled = [points[name] for name in row["points"]]
    pairs = [(next(points[name] for name in table["baseline_points"] if together(points[name], point)), point)
             for point in scaled]
    ratio = pairs[0][1]["world_size"] / pairs[0][0]["world_size"]
    logs = np.array([math.log(runs[point["id"]].rate / runs[alone["id"]].rate) for alone, point in pairs])
    of_runs = [(runs[alone["id"]], runs[point["id"]]) for alone, point in pairs]
    same = all(places(point) == places(scaled[0]) for point in scaled)
    shares, intervals = loss_of_efficiency(of_runs, table["kind"] != "weak", ratio, same)
    if shares is not None:
        missing = sum(shares.values()) - (1 - math.exp(logs.mean()) / ratio)
        assert abs(missing) < 1e-9 or "loss_of_efficiency" not in row, f"{row['group']}: shares miss {missing}"
    sessions = {}
    for point in scaled:
        sessions.setdefault(point["session"], []).append(math.log(runs[point["id"]].rate))
    rate = {"samples_per_sec": math.exp(np.mean([np.mean(session) for session in sessions.values()]))}
    if row["points"] == table["baseline_points"]:  # the baseline has no comparison with itself
        assert not {"speedup", "efficiency", "efficiency_ci95", "loss_of_efficiency"} & set(row), row["group"]
        return rate
    computed = {**rate, "speedup": math.exp(logs.mean()), "efficiency": math.exp(logs.mean()) / ratio,
                "efficiency_ci95": exp_of(interval(logs - math.log(ratio)))}
    return computed | {"loss_of_efficiency": shares, "loss_of_efficiency_ci95": intervals}


class Comparison:
    """Counts what agrees, and lists what does not."""

    def __init__(self):
        self.count, self.worst, self.problems = 0, 0.0, []

    def number(self, where, mine, theirs):
        self.count += 1
        away = abs(mine - theirs)
        allowed = RELATIVE * abs(theirs) + ROUNDING * getattr(mine, "operands", 0)
        self.worst = max(self.worst, away / allowed if allowed else (0 if away == 0 else math.inf))
        if not away <= allowed:
            self.problems.append(f"{where}: {float(mine)!r} from the raw steps, {theirs!r} in the report")

    def all(self, where, mine, theirs):
        """`mine`, with None and {} for what must be absent, against the part of the report."""
        if mine is None or (isinstance(mine, dict) and not any(value is not None for value in mine.values())):
            return
        if theirs is None:
            self.problems.append(f"{where} is missing in the report")
        elif isinstance(mine, dict):
            for name, value in mine.items():
                if value is None and name in theirs:
                    self.problems.append(f"{where}.{name} is in the report and cannot be known")
                self.all(f"{where}.{name}", value, theirs.get(name))
        elif isinstance(mine, (list, tuple)):
            if len(mine) != len(theirs):
                self.problems.append(f"{where}: {len(mine)} values, {len(theirs)} in the report")
            for i, (a, b) in enumerate(zip(mine, theirs)):
                self.all(f"{where}[{i}]", a, b)
        else:
            self.number(where, mine, theirs)


def recompute(folder, report=None):
    """Every rate, time, interval and share in FOLDER/report.json that FOLDER/raw/ determines; a Comparison."""
    return recompute_runs(folder, report)[0]


def recompute_runs(folder, report=None):
    """The same, with the runs and the points that were measured, by id."""
    folder = Path(folder)
    report = report or json.loads((folder / "report.json").read_text())
    measured = [point for point in report["points"] if point["status"] == "ok"]
    points = {point["id"]: point for point in measured}
    runs = {}
    compared = Comparison()
    for name, point in points.items():
        raw = Raw(folder / point["raw_steps"]["file"])
        assert raw.header["point"] == name, (raw.header["point"], name)
        runs[name] = Run(raw, point)
        compared.all(name, runs[name].computed, point)
    rates = {name: run.rate for name, run in runs.items()}
    r, places = correlation_of_runs(measured, rates) if report.get("drift") else (None, {})
    compared.all("drift", {"lag1": r}, report.get("drift"))
    for group in report.get("groups", ()):
        mine = [point for point in measured if point["group"] == group["group"]]
        if mine:
            compared.all(group["group"], group_of(mine, rates, r, places), group)
    for table in report.get("scaling", ()):
        for row in table["rows"]:
            compared.all(f"{table['kind']} {row['group']}", scaling_row(row, table, points, runs), row)
    return compared, runs, points


def print_comparison(compared):
    """Prints the comparison for people, and ends the program."""
    print(f"{compared.count} numbers, the worst at {compared.worst:.2g} of what is allowed ({RELATIVE} relative)")
    for problem in compared.problems:
        print(problem)
    sys.exit(1 if compared.problems else 0)


if __name__ == "__main__":
    print_comparison(recompute(sys.argv[1]))
