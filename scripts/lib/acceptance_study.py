"""The rule of `scalemark accept`, in the study of the statistics: gates, what the gates leave out, and the tables of docs/internals/ACCEPTANCE_RULE.md."""

import json
import pathlib
import re

# section, which scenarios, trials in CI
RUNS = [("accept_limit", "few", 100), ("accept_baseline", "few", 100), ("accept_healthy", "few", 10), ("accept_bad", "few", 25), ("accept_nodes", "few", 50),
        ("accept_kinds", "few", 25), ("accept_whole", "few", 100), ("accept_as_one", "few", 25)]
SECTIONS = [name for name, _, _ in RUNS]
KEYS = ("reference", "devices", "device", "noise", "noises_differ_by", "boots", "boots_said", "boots_measured", "boots_of_all", "shared_start", "shape", "share", "bad",
        "what", "slow_by", "below", "runs", "beyond_model", "of")
AS_IF_EXACT = "as if exact"  # the value of the fleet without its error: a rule that is not ours
MOST_WRONGLY_FAILED = 0.05  # devices of a fleet of 512 with 8 checks


def plain(row):
    """Repetitions that are starts of their own, against a fleet or a baseline of the same boot."""
    return row["reference"] != AS_IF_EXACT and not row["boots"] and not row["shared_start"] and not row["beyond_model"]


# Every check of a rules file that is shipped is in one of these two, by its metric and what its limit is a share of.
SIMULATED = {("device_samples_per_sec", "reference"), ("node_samples_per_sec", "reference"), ("own_steps_per_sec", "reference"),
             ("matrix_product", "reference"), ("memory_copy", "reference"), ("matrix_product", "datasheet"), ("memory_copy", "datasheet"),
             ("sustained_product", "burst"), ("link_bandwidth", "reference"), ("node_bandwidth", "reference"),
             ("host_to_device", "reference"), ("device_to_host", "reference"), ("node_all_reduce", "reference"),
             ("node_all_to_all", "reference"), ("peer_exchange", "reference"), ("host_to_device", "pcie"), ("device_to_host", "pcie"),
             ("node_all_reduce", "nvlink"), ("scaling_efficiency", "number"), ("fleet_all_reduce", "expected")}
# The same functions judge these as others of their kind, which are simulated: a floor whose links no fleet of the study has.
LIKE_SIMULATED = {("node_all_reduce", "pcie"), ("link_bandwidth", "rdma")}
# Counters, states and equalities: no noise moves them.
EXACT = {"wrong_bits", "ecc_uncorrected", "rows_remapped", "rows_remap_pending", "rows_remap_failed", "xid", "nvlink_errors",
         "pcie_lanes_missing", "held_back", "link_downed", "memory_uncorrected", "gpus", "gpu_name", "gpu_memory", "driver", "power_limit",
         "pcie_width", "nvlinks", "cpu", "cores", "memory", "network_ports",
         "nccl_transport", "nccl_adapters"}
# Kinds of noise outside of the model whose error at the limit is above what the page says of the model: they are printed, and are no gates.
WHOLE_STILL_WRONG = ("1 start in 5 is 6 % slower", "smoke rules: starts t 2.5")  # kinds of whole fleets: healthy devices that fail
STILL_WRONG = ("this part has 5 times the noise", "starts correlated, AR 0.8", "1 start in 20 is 6 % slower", "1 start in 5 is 6 % slower")


RULES = pathlib.Path(__file__).resolve().parents[2] / "configs/acceptance/rules"


def kind_of(check):
    limit = check.get("at_least")
    return (check["metric"], limit["of"] if isinstance(limit, dict) else "number")


def is_simulated(check):
    return kind_of(check) in SIMULATED


def neither_simulated_nor_exact(checks):
    """Returns the names of these checks of a rules file."""
    return [check["name"] for check in checks if kind_of(check) not in SIMULATED | LIKE_SIMULATED and check["metric"] not in EXACT]


def left_out(row):
    """The share of the checks that are said to be simulated which judged nothing in the whole fleets of a row."""
    checks = [check["name"] for check in json.loads((RULES / row["rules"]).read_text())["checks"] if is_simulated(check)]
    return sum(name not in row["judged"] for name in checks) / len(checks)


def beyond_model(data, still_wrong):
    return [r for r in data["accept_limit"] if r["beyond_model"] and (r["beyond_model"] in STILL_WRONG) == still_wrong]


def per_fleet(key):
    return lambda row: row[key] / row["fleets"]


def from_eight(data, differ):
    return [r for r in data["accept_limit"] if plain(r) and bool(r["noises_differ_by"]) == differ and r["devices"] >= 8]


def is_gated(row):
    """Fleets whose devices differ, and baselines beside which enough devices show the noise: the others miss their gate by little."""
    return row["device"] > 0 and (row["reference"] == "fleet" or row["devices"] >= 64)


def gated(data, differ):
    return list(filter(is_gated, from_eight(data, differ)))


def not_gated(data, differ):
    return [r for r in from_eight(data, differ) if not is_gated(r)]


def few_parts(data):
    return [r for r in data["accept_limit"] if plain(r) and r["devices"] < 8]


def beside(data):
    return sorted((r for r in data["accept_limit"] if r["boots"] or r["shared_start"]), key=lambda r: (r["boots"], r["boots_said"], r["shared_start"]))


def measured(data, alike):
    """Baselines that were measured, on machines whose boots differ alike, or each by itself."""
    return [r for r in data["accept_baseline"] if bool(r["boots_of_all"]) == alike]


def measured_usual(data):
    return [r for r in measured(data, False) if r["device"] <= 0.01]


def wrong(row):
    return max(row["wrong_pass"], row["wrong_fail"])


def surely_wrong(row):
    """Intervals of exactly 98 % are wrong in 1 % on each side, above which half of the counts lie. The margin is 1.96 standard errors."""
    return max(row[key] - 3 / 1.96 * row[f"{key}_margin"] for key in ("wrong_pass", "wrong_fail"))


def as_one(data):
    return [r for r in data["accept_as_one"] if not r["beyond_model"]]


def kinds(data, kind):
    return sorted((r for r in data["accept_kinds"] if r["kind"] == kind),
                  key=lambda r: (r["share"], r["below"], r["noises_differ_by"], r["runs"]))


def usual_healthy(data):
    return [r for r in data["accept_healthy"] if r["device"] <= 0.01]


def up_to_half(data):
    """One node by itself is gated from eight devices on: the second highest of four is a rough reference."""
    return [r for r in data["accept_bad"] if (0 < r["share"] <= 0.5) or (r["bad"] and r["devices"] >= 8)]


def add_gates(gates, data):
    gates.add("accept: wrong pass or fail at the limit, fleets of 8 to 512 that differ, baselines from 64 on", gated(data, False), wrong,
              None, 0.01)
    gates.add("accept: the same, devices' noise differs by a factor", gated(data, True), wrong, None, 0.02)
    gates.add("accept: the same, by a measured baseline of 1 to 64 devices that differ by 1 %, each with boots of its own",
              measured_usual(data), wrong, None, 0.01)
    gates.add("accept: failed at the smallest slowness that is said to be decided, from 8 devices on", from_eight(data, False),
              lambda r: r["smallest_failed"], 0.95)
    gates.add("accept: healthy devices of 512 that fail any of 8 checks", usual_healthy(data), lambda r: r["wrongly"],
              None, MOST_WRONGLY_FAILED)
    gates.add("accept: 8 % slow failed, up to half of the devices slow", up_to_half(data), lambda r: r["failed"], 0.95)
    gates.add("accept: in doubt, 40 to 90 % of the devices slow", [r for r in data["accept_bad"] if 0.4 <= r["share"] <= 0.9],
              lambda r: r["doubt"], 0.90)
    gates.add("accept: node or device told apart", data["accept_nodes"], lambda r: r["right"], 0.95)
    gates.add("accept: wrong pass or fail at the limit, other noise and sessions that differ", beyond_model(data, False), wrong, None, 0.02)
    gates.add("accept: fleets of those in which another device fails wrongly", beyond_model(data, False), lambda r: r["another_failed"], None, 0.02)
    gates.add("accept: healthy devices that fail of a fleet of 128, all checks, whole sessions",
              [r for r in data["accept_whole"] if r["kind"] not in WHOLE_STILL_WRONG], per_fleet("wrongly"), None, MOST_WRONGLY_FAILED)
    gates.add("accept: checks of shipped rules that are said to be simulated and judged nothing there", data["accept_whole"], left_out, None, 0)
    gates.add("accept: bad devices that pass there, of a fleet", data["accept_whole"], per_fleet("missed"), None, MOST_WRONGLY_FAILED)
    gates.add("accept: links and nodes that fail wrongly by their links, of a fleet", data["accept_whole"], per_fleet("links_wrongly"), None, MOST_WRONGLY_FAILED)
    gates.add("accept: a switch named by its nodes that fail, of a fleet", [r for r in data["accept_whole"] if r["of_one_switch"]], per_fleet("switches"), 0.95)
    gates.add("accept: one named of nodes and links that fail for themselves, of a fleet",
              [r for r in data["accept_whole"] if not r["of_one_switch"]], per_fleet("switches_wrongly"), None, MOST_WRONGLY_FAILED)
    gates.add("accept: links at 40 % of their speed, and a fabric at 51 % under full load, that pass, of a fleet", data["accept_whole"],
              per_fleet("links_missed"), None, MOST_WRONGLY_FAILED)
    gates.add("accept: floors of a whole fleet, wrong pass or fail at the limit, less three standard errors", as_one(data), surely_wrong, None, 0.01)
    gates.add("accept: the same at 85 % of the limit: passed", data["accept_as_one"], lambda r: r["below_passed"], None, 0.01)
    gates.add("accept: the same: healthy ones that fail", data["accept_as_one"], lambda r: r["healthy_failed"], None, 0.01)


def limits(data):
    return [*(("accept: wrong " + way + " at the limit, " + which, rows, "wrong_" + way, 0, most)
              for which, rows, most in (
                  ("8 to 512 devices that are all alike, or a baseline with 8", not_gated(data, False), 0.01),
                  ("the same, noise differs by a factor", not_gated(data, True), 0.02),
                  ("1 to 4 devices", [r for r in few_parts(data) if not r["noises_differ_by"]], 0.01),
                  ("1 to 4 devices, noise differs by a factor", [r for r in few_parts(data) if r["noises_differ_by"]], 0.02))
              for way in ("pass", "fail")),
            ("accept: wrong pass at the limit, measured baselines whose devices differ by 2 %",
             [r for r in measured(data, False) if r["device"] > 0.01], "wrong_pass", 0, 0.01),
            *(("accept: wrong " + way + " at the limit, measured baselines, boots that all machines have in common",
               measured(data, True), "wrong_" + way, 0, 0.01) for way in ("pass", "fail")),
            ("accept: failed at the smallest slowness that is said to be decided, measured baselines", data["accept_baseline"],
             "smallest_failed", 0.95, 1),
            ("accept: failed at the smallest slowness that is said to be decided, 1 to 4 devices or noise that differs",
             few_parts(data) + from_eight(data, True), "smallest_failed", 0.95, 1),
            ("accept: wrong pass at the limit, starts shared or boots not said",
             [r for r in beside(data) if not r["boots_said"]], "wrong_pass", 0, 0.01),
            *(("accept: " + what + ", noise that the rule was not made for", beyond_model(data, True), key, 0, 0.02)
              for what, key in (("wrong pass at the limit", "wrong_pass"), ("wrong fail at the limit", "wrong_fail"),
                                ("fleets in which another device fails wrongly", "another_failed"))),
            ("accept: 8 % slow failed, half of 4 devices slow",
             [r for r in data["accept_bad"] if r["devices"] == 4 and r["bad"] == 2], "failed", 0.95, 1)]


def wrongly(key):
    """A share in % and its upper 95 % end by the trials."""
    return lambda row: f"{100 * row[key]:.2f} ({100 * (row[key] + row[key + '_margin']):.2f})"


def of_a_fleet(key):
    """A number of devices or nodes and its upper 95 % end."""
    return lambda row: f"{row[key]:.4f} ({row[key] + row[key + '_margin']:.4f})"


def rightly(key):
    """A share in % and its lower 95 % end."""
    return lambda row: f"{100 * row[key]:.1f} ({100 * max(0, row[key] - row[key + '_margin']):.1f})"


def percent(key):
    return lambda row: f"{100 * row[key]:.1f}"


def number(key):
    return lambda row: f"{row[key]:.2f}"


def size(key):
    return lambda row: f"{100 * row[key]:g}"


def tables(data, table):
    """Names of blocks in docs/internals/ACCEPTANCE_RULE.md -> tables."""
    everything = sorted((r for r in data["accept_limit"] if plain(r)), key=lambda r: (
        r["reference"] != "fleet", r["noise"], r["noises_differ_by"], r["devices"], r["device"]))
    exact = sorted((r for r in data["accept_limit"] if r["reference"] == AS_IF_EXACT), key=lambda r: (r["devices"], r["device"]))
    wrong_ways = [("wrongly passed %", wrongly("wrong_pass")), ("wrongly failed %", wrongly("wrong_fail"))]
    return {
        "limit": table(everything, [
            ("reference", lambda r: r["reference"]), ("devices", lambda r: r["devices"]),
            ("they differ by %", lambda r: "-" if r["reference"] == "baseline" else size("device")(r)), ("noise %", size("noise")),
            ("differs by", lambda r: f"{r['noises_differ_by']:g}"), *wrong_ways, ("1.5 % beyond: failed %", rightly("beyond_failed")),
            ("1.5 % within: passed %", rightly("within_passed")), ("smallest decided %", percent("smallest")),
            ("failed there %", rightly("smallest_failed"))]),
        "beyond": table([r for still in (False, True) for r in beyond_model(data, still)], [
            ("noise", lambda r: r["beyond_model"]), *wrong_ways, ("fleets in which another fails wrongly %", wrongly("another_failed")),
            ("smallest decided %", percent("smallest")), ("failed there %", rightly("smallest_failed"))]),
        "whole": table(data["accept_whole"], [
            ("fleets of a kind", lambda r: r["kind"]), ("fleets", lambda r: r["fleets"]), ("bad", lambda r: f"{r['bad']:.0f}"),
            ("of them failed", lambda r: f"{r['failed']:.0f}"), ("passed", lambda r: f"{r['missed']:.0f}"),
            ("healthy ones failed", lambda r: f"{r['wrongly']:.0f}"), ("undecided, of a fleet", lambda r: f"{r['unsure'] / r['fleets']:.2f}"),
            ("links or nodes failed wrongly by links", lambda r: f"{r['links_wrongly']:.0f}"),
            ("a switch named", lambda r: f"{r['switches'] + r['switches_wrongly']:.0f}")]),
        "as_one": table(sorted(data["accept_as_one"], key=lambda r: (r["of"], bool(r["beyond_model"]), r["kind"], r["nodes"], r["noise"])), [
            ("of", lambda r: r["of"]), ("what differs", lambda r: r["kind"]), ("nodes", lambda r: r["nodes"]), ("noise %", size("noise")),
            *wrong_ways, ("at 85 % of the limit: passed %", wrongly("below_passed")), ("failed %", rightly("below_failed")),
            ("healthy: failed %", wrongly("healthy_failed")), ("undecided %", percent("healthy_unsure"))]),
        "starts": table(beside(data), [
            ("boots differ by %", size("boots")), ("the baseline says so", lambda r: "yes" if r["boots_said"] else "no"),
            ("shared by all repetitions %", size("shared_start")), *wrong_ways]),
        "baseline": table(sorted(data["accept_baseline"], key=lambda r: (r["boots_of_all"], r["device"], -r["boots_measured"], r["devices"])), [
            ("devices", lambda r: r["devices"]), ("they differ by %", size("device")), ("boots", lambda r: r["boots_measured"]),
            ("each machine's boots differ by %", size("boots")), ("all machines' alike by %", size("boots_of_all")), *wrong_ways,
            ("smallest decided %", percent("smallest")), ("failed there %", rightly("smallest_failed"))]),
        "exact": table(exact, [("devices", lambda r: r["devices"]), ("they differ by %", size("device")), *wrong_ways]),
        "healthy": table(sorted(data["accept_healthy"], key=lambda r: (r["shape"], r["device"])), [
            ("devices", lambda r: r["shape"]), ("differ by %", size("device")), ("truly below the limit", number("below")),
            ("failed", number("failed")), ("failed wrongly", of_a_fleet("wrongly")), ("unsure", number("unsure")),
            ("checks in doubt %", wrongly("doubt")), ("repetitions", number("repetitions"))]),
        "bad": table(sorted(data["accept_bad"], key=lambda r: (-r["devices"], r["share"], r["bad"])), [
            ("devices", lambda r: r["devices"]), ("slow by 8 %", lambda r: f"{100 * r['share']:g} %" if r["share"] else r["bad"]),
            ("of them failed %", rightly("failed")), ("passed %", wrongly("passed")), ("healthy ones failed, of a fleet", of_a_fleet("healthy_failed")),
            ("class in doubt %", rightly("doubt")), ("repetitions", number("repetitions"))]),
        "nodes": table(sorted(data["accept_nodes"], key=lambda r: (r["devices"], -r["slow_by"])), [
            ("slow", lambda r: r["what"]), ("by %", size("slow_by")), ("its node blamed %", percent("blamed")),
            ("right about all nodes %", rightly("right")), ("other nodes blamed, of a fleet", of_a_fleet("others"))]),
        "levels": table(kinds(data, "two levels"), [
            ("runs that are slower %", size("share")), ("passed %", rightly("pass")), ("failed %", wrongly("fail")), ("unsure %", wrongly("unsure"))]),
        "intermittent": table(kinds(data, "intermittent"), [
            ("15 % slower in % of runs", size("share")), ("noise differs by", lambda r: f"{r['noises_differ_by']:g}"),
            ("runs", lambda r: r["runs"]), ("called intermittent %", percent("intermittent")), ("failed, by whatever rule %", percent("fail")),
            ("others failed, of 511", of_a_fleet("others_failed"))]),
        "one_run": table(kinds(data, "one run"), [
            ("slower by %", size("below")), ("passed %", percent("pass")), ("failed %", percent("fail")),
            ("unsure %", percent("unsure")), ("others failed, of 511", of_a_fleet("others_failed")),
            ("others not passed", number("others_not_passed"))]),
    }


def filled(page, parts):
    """The page with each `<!-- NAME: ... -->` ... `<!-- end of NAME -->` holding that part."""
    for name, part in parts.items():
        marks = re.compile(rf"(<!-- {name}: written by scripts/statistics, do not edit -->\n).*?(<!-- end of {name} -->)", re.S)
        page, count = marks.subn(lambda m, part=part: f"{m[1]}\n{part}\n\n{m[2]}", page)
        if count != 1:
            raise SystemExit(f"docs/internals/ACCEPTANCE_RULE.md: one block '{name}' is expected, {count} are there")
    return page
