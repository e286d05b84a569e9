"""The numbers of a sweep beside throughput, computed again from the --raw-steps files and the options of each run alone:
effects of options, gaps of data, spreads over runs, communication cost over runs, break-even, tokens, payload and FLOPs.
Formulas of docs/reference/METRICS.md and docs/TRAINING.md with numpy and scipy; nothing of the program's own code is used. Of report.json
only identities and what no step time shows are read (set-up, memory, which runs others disturbed), and the numbers to compare with.

    compare(folder, report)                              the Comparison of raw_steps.py, with everything that it compares
    python tests/python/raw_comparisons.py OUTPUT        the same by hand
"""

import json
import math
import sys
from pathlib import Path

import numpy as np
from scipy import stats

from raw_steps import PHASES, Small, exp_of, interval, print_comparison, recompute_runs

THAT_COUNTS = .02  # an effect, in either direction
DISTURBED = ("throttled", "shared", "machine_busy")


# --- What a step exchanges and computes, by the options of a run.

BERT = {"bert-mini": (4, 256, 1024), "bert-base": (12, 768, 3072), "bert-large": (24, 1024, 4096)}
STAGES = ((64, 3), (128, 4), (256, 6), (512, 3))  # ResNet-50's stages: width of a bottleneck, number of bottlenecks


def dense(layers):
    """Parameters and forward multiply-adds of linear layers with a bias, and of the first of them."""
    macs = [inside * outside for inside, outside in layers]
    return sum(macs) + sum(outside for _, outside in layers), sum(macs), macs[0]


def resnet(classes, size):
    """Parameters (weights, scales, shifts) and multiply-adds; convolutions have no bias."""
    def halved(n):
        return (n + 1) // 2
    side, inside = halved(size), 64
    parameters, first = 3 * 64 * 49 + 2 * 64, 3 * 64 * 49 * side**2
    macs, side, norms = first, halved(side), 64
    for stage, (width, blocks) in enumerate(STAGES):
        for block in range(blocks):
            narrowed = halved(side) if stage > 0 and block == 0 else side
            convolutions = [(inside * width, side), (9 * width * width, narrowed), (4 * width * width, narrowed)]
            channels = 6 * width
            if block == 0:
                convolutions.append((4 * inside * width, narrowed))
                channels += 4 * width
            parameters += sum(weights for weights, _ in convolutions) + 2 * channels
            macs += sum(weights * at**2 for weights, at in convolutions)
            norms, side, inside = norms + channels, narrowed, 4 * width
    return parameters + inside * classes + classes, macs + inside * classes, first, norms


def bert(name, vocabulary, length):
    """The encoder, the head of masked tokens (its decoder is the table of words) and that of next sentences."""
    layers, hidden, forward = BERT[name]
    masked = max(1, round(.15 * length))
    tables = (vocabulary + 512 + 2) * hidden
    layer = 4 * (hidden * hidden + hidden) + 2 * hidden * forward + hidden + forward + 4 * hidden
    heads = 2 * (hidden * hidden + hidden) + 2 * hidden + vocabulary + 2 * hidden + 2
    per_token = layers * (4 * hidden * hidden + 2 * hidden * forward)
    attention = layers * 2 * length * length * hidden
    macs = length * per_token + attention + masked * (hidden * hidden + hidden * vocabulary) + hidden * hidden + 2 * hidden
    return tables + 2 * hidden + layers * layer + heads, macs


class Model:
    """`parameters`, `flops` of a sample (forward and backward) and `buffer_bytes`, of the workload alone."""

    def __init__(self, point, settings):
        classes = settings.get("classes", 10)
        workload, self.buffer_bytes = point["workload"], 0
        if workload == "linear":
            self.parameters, macs, first = dense([(1000, classes)])
        elif workload == "mlp":
            self.parameters, macs, first = dense([(1024, 512), (512, 256), (256, classes)])
        elif workload == "resnet50":
            self.parameters, macs, first, norms = resnet(settings.get("classes", 1000), point["image_size"])
            self.buffer_bytes = 2 * 4 * norms + 8  # running means and variances, and one counter that all norms share
        else:
            self.parameters, macs = bert(workload, settings.get("vocabulary", 30522), point["sequence_length"])
            first = 0  # its input, the embeddings, has a gradient
        self.flops = 2 * (3 * macs - first)  # no gradient of the first layer's input is computed


def payload(point, model, options):
    """(least, most) bytes per step that rank 0 hands over. Flat buffers begin each parameter at a cache line, which the formula of
    docs/TRAINING.md leaves out."""
    size, ranks = 4 * model.parameters, point["world_size"]
    gradients = size / 2 if point.get("gradient_compression", "none") != "none" else size
    strategy = point["strategy"]
    if ranks == 1 or strategy == "none":
        return 0, 0
    if strategy == "ddp":
        buffers = model.buffer_bytes if options["broadcast_buffers"] in (True, "on") else 0
        return gradients + buffers, gradients + buffers
    if strategy == "data-parallel":
        bytes_ = (2 * size + model.buffer_bytes) * (ranks - 1) * point["gradient_accumulation_steps"]
        return bytes_, bytes_
    dedicated = point["processes"] > ranks
    bare = {"flat": gradients, "sharded": gradients + size / ranks, "local-sgd": size / int(options["local_steps"]),
            "parameter-server": gradients + (0 if dedicated else ranks * size)}[strategy]
    # At most 64 bytes for each of some hundred parameters, in gradients and in each rank's copy; 1 % of what is exchanged here.
    return bare, bare * 1.01 + 4096 * (1 + ranks)


# --- Runs against each other.

def logs(runs, pairs):
    return np.array([math.log(runs[to["id"]].rate / runs[start["id"]].rate) for start, to in pairs])


def paired(of_start, of_to):
    """Runs of one block and session, in the order of the second ones."""
    by_block = {(point["block"], point["session"]): point for point in of_start}
    return [(by_block[place], point) for point in of_to if (place := (point["block"], point["session"])) in by_block]


def holm(p):
    order = np.argsort(p, kind="stable")
    adjusted, so_far = np.zeros(len(p)), 0.
    for place, i in enumerate(order):
        so_far = max(so_far, min(1., p[i] * (len(p) - place)))
        adjusted[i] = so_far
    return adjusted


def p_of(values):
    if np.std(values) == 0:
        return 1. if np.mean(values) == 0 else 0.
    return float(stats.ttest_1samp(values, 0).pvalue)


def verdict_of(values, p_holm):
    if p_holm is None:
        return "unsure"
    if p_holm < .05 and abs(math.exp(np.mean(values)) - 1) >= THAT_COUNTS:
        return "real"
    low, high = np.exp(stats.t.interval(.9, len(values) - 1, np.mean(values), stats.sem(values))) if np.std(values) else [math.exp(np.mean(values))] * 2
    return "none" if 1 - THAT_COUNTS < low and high < 1 + THAT_COUNTS else "unsure"


def fit_pairs(pairs, disturbed):
    """Returns those that nothing disturbed, where they decide; else all, and that they do not."""
    fit = [pair for pair in pairs if not {point["id"] for point in pair} & disturbed]
    return (fit, True) if len(fit) >= 3 or len(fit) == len(pairs) else (pairs, False)


class Effects:
    """Computes what effects[] must hold, one list of dictionaries in its order. An axis is one family of Holm's."""

    def __init__(self, report, groups, runs, disturbed):
        self.computed = [None] * len(report.get("effects", ()))
        axes = {}
        for i, effect in enumerate(report.get("effects", ())):
            pairs, decide = fit_pairs(paired(*(groups[name] for name in effect["groups"])), disturbed)
            axes.setdefault(effect["axis"], []).append((i, pairs, decide))
        for family in axes.values():
            self.judge(family, runs)

    def judge(self, family, runs):
        values = {i: logs(runs, pairs) for i, pairs, _ in family}
        tested = [i for i, pairs, decide in family if decide and len(pairs) >= 3]
        adjusted = dict(zip(tested, holm(np.array([p_of(values[i]) for i in tested]))))
        for i, pairs, decide in family:
            computed = self.computed[i] = {"pairs": len(pairs), "ratio": math.exp(values[i].mean()), "ratio_ci95": exp_of(interval(values[i])),
                                           "p_holm": adjusted.get(i)}
            self.verdict = verdict_of(values[i], adjusted.get(i)) if decide else "disturbed"
            computed["verdict"] = self.verdict
            computed["memory_delta_bytes"] = round(np.mean([to["memory_peak_bytes"] - start["memory_peak_bytes"] for start, to in pairs]))
            computed["phases_delta_s"] = phases_delta([(runs[start["id"]], runs[to["id"]]) for start, to in pairs])


def phases_delta(pairs):
    if any("phases_s" not in run.computed for pair in pairs for run in pair):
        return None
    return {name: Small(np.mean([to.computed["phases_s"][name] - start.computed["phases_s"][name] for start, to in pairs]),
                        max(to.computed["phases_s"][name] for _, to in pairs)) for name in PHASES}


def data_gap(gap, groups, runs):
    ratios = logs(runs, paired(groups[gap["synthetic_group"]], groups[gap["real_group"]]))
    pair = interval(ratios)
    return {"lost_share": Small(-math.expm1(ratios.mean()), 1), "lost_share_ci95": pair and [Small(-math.expm1(pair[1]), 1), Small(-math.expm1(pair[0]), 1)]}


def half_width(run):
    """Half the interval within a run, by its rate."""
    found = run.computed["within_run_ci95"]
    return found and (found[1] - found[0]) / 2 / run.rate


def over_runs(points, runs):
    """Returns of one group spreads, T, and what runs without --communication-cost do not have."""
    rates = [runs[point["id"]].rate for point in points]
    sizes = {point["global_batch_size"] for point in points}
    sessions = {}
    for point in points:
        sessions.setdefault(point["session"], []).append(point)
    middle = math.exp(np.mean([np.mean([math.log(runs[p["id"]].rate) for p in mine]) for mine in sessions.values()]))
    computed = {"n": len(points), "unseen_share": 1 - .05**(1 / len(points)), "range": [min(rates), max(rates)] if len(rates) > 1 else None,
                "at_least": half_width(runs[points[0]["id"]]) if len(points) == 1 else None}
    if len(sizes) == 1:
        computed["step_time_s"] = sizes.pop() / middle
    return computed | {"communication": communication_over_runs(sessions, runs)}


def communication_over_runs(sessions, runs):
    costs = [[runs[point["id"]].computed["communication"] for point in mine] for mine in sessions.values()]
    if any(one.get("cost_s") is None for mine in costs for one in mine):
        return None
    computed = {}
    for name, ends, turn, back in (("cost_s", "cost_ci95", float, float), ("contention_s", "contention_ci95", float, float),
                                   ("efficiency", "efficiency_ci95", math.log, math.exp)):
        if any(one.get(name) is None for mine in costs for one in mine):
            continue
        values = [[turn(one[name]) for one in mine] for mine in costs]
        units = values[0] if len(values) == 1 else [np.mean(mine) for mine in values]
        operands = max(abs(getattr(one[name], "operands", one[name])) for mine in costs for one in mine)
        pair = interval(np.array(units), operands) if len(values) == 1 or len(values) >= 3 else None
        computed[name] = Small(back(np.mean(units)), operands)
        computed[ends] = pair and [Small(back(value), operands) for value in pair]
    return computed


def row_spread(row, table, points, runs):
    """A scaling row that is not its own baseline, and of which one pair or more stand."""
    scaled = [points[name] for name in row["points"]]
    computed = {"step_time_s": None}
    if len({point["global_batch_size"] for point in scaled}) == 1:
        computed = {"step_time_s": scaled[0]["global_batch_size"] / row["samples_per_sec"]}
    if row["points"] == table["baseline_points"]:
        return computed
    pairs = paired([points[name] for name in table["baseline_points"]], scaled)
    efficiencies = np.exp(logs(runs, pairs)) / (pairs[0][1]["world_size"] / pairs[0][0]["world_size"])
    halves = [half_width(runs[point["id"]]) for point in pairs[0]]
    computed["efficiency_range"] = [min(efficiencies), max(efficiencies)] if len(pairs) > 1 else None
    computed["at_least"] = math.hypot(*halves) if len(pairs) == 1 and all(halves) else None
    return computed


def break_even(report, points, runs):
    """Steps from which on a run has caught up with one rank, by run; of rows whose speed-up is surely above 1."""
    found = {}
    for table in report.get("scaling", ()):
        for row in table["rows"]:
            pairs = paired([points[name] for name in table["baseline_points"]], [points[name] for name in row["points"]])
            if row["points"] == table["baseline_points"] or not pairs:
                continue
            pair = interval(logs(runs, pairs))
            for alone, point in pairs if pair and pair[0] > 0 else ():
                mine, theirs = runs[point["id"]], runs[alone["id"]]
                setup = sum(point["setup_s"].values()) - sum(alone["setup_s"].values())
                saved = mine.T * (mine.rate / theirs.rate - 1)
                if point["world_size"] > 1 and saved > 0 and any(point["setup_s"].values()):
                    found[point["id"]] = max(0, math.ceil(setup / saved))
    return found


def options_of(point, report):
    """The options of a run: the settings that all share, then its own values of axes."""
    return report["invocation"]["settings"] | point.get("varying", {})


def check_exchange(compared, point, model, options):
    sent = point.get("communication", {}).get("payload_bytes_per_step", 0)
    least, most = payload(point, model, options)
    compared.count += 1
    if not least <= sent <= most:
        compared.problems.append(f"{point['id']}: payload of {sent} bytes, by formula {least:.0f} to {most:.0f}")
    buckets = point.get("communication", {}).get("buckets")
    if buckets and point["strategy"] in ("ddp", "flat"):
        compared.count += 1
        gradients = 4 * model.parameters / (2 if point.get("gradient_compression", "none") != "none" else 1)
        if not gradients <= sum(buckets) <= gradients * 1.01 + 4096:
            compared.problems.append(f"{point['id']}: buckets of {sum(buckets)} bytes, gradients of {gradients:.0f}")


def gemm_rate(point, report):
    """The matrix products of the hosts of the ranks, added up; absent where one was not measured."""
    precision = point["precision"].removeprefix("amp-")
    rates = []
    for rank in point["ranks"]:
        found = [entry["value"] for entry in report.get("fingerprint", ()) if "value" in entry and "rank" not in entry
                 and (entry["host"], entry["what"], entry.get("precision")) == (rank["host"], "matrix-product", precision)
                 and (rank["device"] != "cpu" or entry.get("threads") == point["threads"]) and (entry["device"] == "cpu") == (rank["device"] == "cpu")]
        if not found:
            return None
        rates.append(found[0])
    return sum(rates)


def compare(folder, report, classes=None, vocabulary=None):
    """`classes`, `vocabulary`: of the data, where it is not synthetic."""
    compared, runs, points = recompute_runs(folder, report)
    groups = {}
    for point in points.values():
        groups.setdefault(point["group"], []).append(point)
    disturbed = {finding["point"] for finding in report["findings"] if finding["code"] in DISTURBED and "point" in finding}
    shape = {name: value for name, value in (("classes", classes), ("vocabulary", vocabulary)) if value}
    even = break_even(report, points, runs)
    for name, point in points.items():
        run = runs[name]
        computed = {"step_time_s": run.T, "break_even_steps": even.get(name)}
        if "sequence_length" in point:
            computed["tokens_per_sec"] = run.rate * point["sequence_length"]
        if point["model"]["parameters"]:  # a made report has no network
            model, gemm = Model(point, shape if point["data"] != "synthetic" else {}), gemm_rate(point, report)
            computed["model"] = {"parameters": model.parameters, "flops_per_sample": model.flops}
            if gemm:
                computed["mfu_of_measured_gemm"] = run.rate * model.flops / gemm
            check_exchange(compared, point, model, options_of(point, report))
        compared.all(name, computed, point)
    for group in report.get("groups", ()):
        if group["group"] in groups:
            compared.all(group["group"], over_runs(groups[group["group"]], runs), group)
    for table in report.get("scaling", ()):
        for row in table["rows"]:
            compared.all(f"{table['kind']} {row['group']}", row_spread(row, table, points, runs), row)
    for i, computed in enumerate(Effects(report, groups, runs, disturbed).computed):
        effect = report["effects"][i]
        where = f"effect {i} of {effect['axis']}"
        compared.count += 1
        if computed.pop("verdict") != effect["verdict"]:
            compared.problems.append(f"{where}: verdict {effect['verdict']} in the report")
        compared.all(where, computed, effect)
    for gap in report.get("data_gaps", ()):
        compared.all(f"gap of {gap['real_group']}", data_gap(gap, groups, runs), gap)
    return compared


if __name__ == "__main__":
    print_comparison(compare(sys.argv[1], json.loads((Path(sys.argv[1]) / "report.json").read_text())))
