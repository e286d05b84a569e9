"""Every rendering of generated reports (missing phases, one rank, nothing fitted, hostile names,
enormous numbers) can be read by a reader that we did not write, and says what the JSON says.

Oracles: python's csv, json, xml and html parsers, junitparser; with the argument `promtool` that one alone
(Debian: prometheus). 10 reports; 1,000 with SCALEMARK_SOAK=full.
"""
import csv
import decimal
import html.parser
import io
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import junitparser

BINARY = pathlib.Path(os.environ["SCALEMARK_BINARY_DIR"])
FORMATS = ("table", "md", "csv", "json", "jsonl", "html", "junit", "superbench", "prom", "groups", "scaling", "effects", "links", "summary", "badge")


def as_reported(cell):
    """Returns the text without the apostrophe that stands before what a program for tables would compute."""
    return cell[1:] if re.match(r"'([=@\t\r\n\uff1d\uff20\uff0b\uff0d]|[-+].*[^-+0-9.,eE% ])", cell, re.S) else cell


def rows_in(text):
    return [{key: as_reported(cell) if isinstance(cell, str) else cell for key, cell in row.items()} for row in csv.DictReader(io.StringIO(text, newline=""))]


def ok_points(report):
    return [p for p in report["points"] if p["status"] == "ok"]


def of_collectives(report):
    return not report["points"] and bool(report.get("collectives"))


def check_collectives_csv(report, text):
    rows = rows_in(text)
    assert len(rows) == len(report["collectives"]), "one row per run"
    for row, run in zip(rows, report["collectives"]):
        assert None not in row, "a row longer than the head"
        for key in ("id", "group", "status", "collective", "backend", "via", "dtype", "staging"):
            assert row[key] == run[key], (key, row[key], run[key])
        for key in ("bytes", "world_size", "repetition"):
            assert int(row[key]) == run[key]
        if run["status"] == "ok":
            assert float(row["time_s"]) == run["time_s"]
            assert row["busbw_GBps"] == "" and "busbw_GBps" not in run or float(row["busbw_GBps"]) == run["busbw_GBps"]
            assert row["latency_p99_s"] == "" and "latency_s" not in run or float(row["latency_p99_s"]) == run["latency_s"]["p99"]
        else:
            assert row["time_s"] == row["busbw_GBps"] == ""


def check_csv(report, text):
    if of_collectives(report):
        return check_collectives_csv(report, text)
    rows = rows_in(text)
    assert len(rows) == len(report["points"]), "one row per point"
    for row, point in zip(rows, report["points"]):
        assert None not in row, "a row longer than the head"
        for key in ("id", "group", "status", "data"):
            assert row[key] == point[key], (key, row[key], point[key])
        assert row["reason"] == point.get("reason", "")
        if point["status"] == "ok":
            assert float(row["samples_per_sec"]) == point["samples_per_sec"]
            assert float(row["step_mean_s"]) == point["step_s"]["mean"]
            assert int(row["memory_peak_bytes"]) == point["memory_peak_bytes"]
        else:
            assert row["samples_per_sec"] == row["step_mean_s"] == ""


def check_effects(report, text):
    rows = rows_in(text)
    effects = report.get("effects", [])
    assert len(rows) == len(effects), "one row per effect"
    for row, effect in zip(rows, effects):
        assert None not in row, "a row longer than the head"
        for key in ("axis", "from", "to", "verdict"):
            assert row[key] == effect[key], (key, row[key], effect[key])
        assert [row["group_from"], row["group_to"]] == effect["groups"]
        assert row["in_words"] == effect.get("in_words", "")
        assert float(row["ratio"]) == effect["ratio"]
        assert row["memory_delta_bytes"] == str(effect.get("memory_delta_bytes", ""))
        assert [row["ratio_ci95_low"], row["ratio_ci95_high"]] == ["", ""] or [
            float(row["ratio_ci95_low"]), float(row["ratio_ci95_high"])] == effect["ratio_ci95"]
        if "phases_delta_s" in effect:
            assert float(row["phases_delta_forward_s"]) == effect["phases_delta_s"]["forward"]


def check_groups_csv(report, text):
    rows = rows_in(text)
    if not report["points"] and (report.get("collectives") or report.get("links")):
        groups = report.get("collective_groups", [])
        assert [row["group"] for row in rows] == [group["group"] for group in groups]
        return
    groups = report.get("groups", [])
    assert [row["group"] for row in rows] == [group["group"] for group in groups]
    for row, group in zip(rows, groups):
        point = next((point for point in report["points"] if point["group"] == row["group"]), {"workload": "", "strategy": "", "world_size": ""})
        assert [row[key] for key in ("workload", "strategy", "world_size")] == [str(point[key]) for key in ("workload", "strategy", "world_size")]
        assert row["samples_per_sec"] == "" or float(row["samples_per_sec"]) == group["samples_per_sec"]
        assert [row["ci95_low"], row["ci95_high"]] == ["", ""] or [float(row["ci95_low"]), float(row["ci95_high"])] == group["ci95"], (row, group)


def check_scaling_csv(report, text):
    rows = rows_in(text)
    expected = [(table, row) for table in report.get("scaling", []) for row in table["rows"]]
    assert len(rows) == len(expected), "one row per row of a table"
    for row, (table, one) in zip(rows, expected):
        assert (row["kind"], row["group"], int(row["world_size"]), row["strategy"]) == (table["kind"], one["group"], one["world_size"], one["strategy"])
        assert (row["speedup"] == "") == ("speedup" not in one)
        if "efficiency_ci95" in one and row["speedup_ci95_low"]:
            low, high = (end * one["speedup"] / one["efficiency"] for end in one["efficiency_ci95"])
            assert math.isclose(float(row["speedup_ci95_low"]), low) and math.isclose(float(row["speedup_ci95_high"]), high)


def check_links(report, text):
    rows = rows_in(text)
    links = report.get("links", [])
    assert len(rows) == len(links), "one row per link"
    for row, link in zip(rows, links):
        assert [row["a"], row["b"]] == [link["a"], link["b"]], (row, link)
        for key in ("latency_s", "bandwidth_GBps"):
            assert float(row[key]) == link[key], (key, row[key], link[key])


def check_jsonl(report, text):
    lists = {"point": "points", "group": "groups", "scaling": "scaling", "straggler": "stragglers",
             "data_gap": "data_gaps", "device": "devices", "session": "sessions", "prediction": "predictions", "finding": "findings",
             "effect": "effects", "tuning": "tuning", "communication_limit": "communication_limits",
             "telemetry": "telemetry", "error": "errors", "collective": "collectives", "collective_group": "collective_groups",
             "collective_winners": "collective_winners", "collective_fit": "collective_fits", "link": "links",
             "health": "health"}
    again = {}
    for line in text.split("\n")[:-1]:
        entry = json.loads(line)
        record, run_id = entry.pop("record"), entry.pop("run_id")
        assert run_id == report["run_id"]
        if record == "report":
            assert entry.pop("lines") == text.count("\n") - 1
            again.update(entry, run_id=run_id)
        else:
            again.setdefault(lists[record], []).append(entry)
    for key in lists.values():
        again.setdefault(key, [])
    assert again == {**{key: [] for key in lists.values()}, **report}, "jsonl put together is the report"


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.scripts, self.data, self.text, self.tags, self.inside = 0, "", "", [], None

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.scripts += tag == "script"
        self.inside = "data" if dict(attributes).get("id") == "data" else tag

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside == "data":
            self.data += data
        elif self.inside == "pre":
            self.text += data


def check_answer(report, answer):
    """The first card: the verdict is the report's, at most three figures and notes, rows of equal length."""
    assert len(answer["figures"]) <= 3 and len(answer["notes"]) <= 3, answer
    if "verdict" in report:
        assert answer["verdict"] == report["verdict"]["level"], answer
    assert len({len(column["cells"]) for column in answer["table"]}) <= 1, answer["table"]
    assert not re.search(r"\de[+-]?\d", " ".join(cell for column in answer["table"] for cell in column["cells"] if "/" not in cell)), answer["table"]


def check_figures(figures):
    """Whatever the report holds, a figure is XML of finite numbers, its rows of CSV are as long as their head, and no two share a file."""
    files = [figure["file"] for figure in figures]
    assert len(set(files)) == len(files) and all(re.fullmatch(r"[a-z0-9.-]+", file) for file in files), files
    for figure in figures:
        for element in ElementTree.fromstring(figure["svg"]).iter():
            for name, value in element.attrib.items():
                assert name in ("class", "role") or not re.search(r"\b(nan|inf)\b", value), (figure["file"], name, value)
        rows = list(csv.reader(io.StringIO(figure["csv"], newline="")))
        assert len(rows) > 1 and {len(row) for row in rows} == {5}, (figure["file"], rows[:3])


DISTURBING = ("shared", "machine_busy", "throttled", "clocks_disagree", "counters_disagree", "others_unknown")
JUDGED = ("standing", "standing_reason", "verdict")  # each form says it anew


def without_standings(value):
    if isinstance(value, dict):
        return {key: without_standings(below) for key, below in value.items() if key not in JUDGED}
    return [without_standings(below) for below in value] if isinstance(value, list) else value


def other_leaves(shown, report, path=""):
    """Returns where the page says another thing than the report; what is withheld it may leave out."""
    if isinstance(shown, dict) and isinstance(report, dict):
        for key, below in shown.items():
            if key not in JUDGED:
                yield from other_leaves(below, report.get(key), f"{path}.{key}")
    elif isinstance(shown, list) and isinstance(report, list) and len(shown) == len(report):
        for place, (one, other) in enumerate(zip(shown, report)):
            yield from other_leaves(one, other, f"{path}[{place}]")
    elif isinstance(shown, list) and isinstance(report, list):
        yield from (f"{path}: {one}" for one in shown if without_standings(one) not in map(without_standings, report))
    elif shown != report:
        yield f"{path}: {shown} for {report}"


def check_html(report, text, markdown):
    page = Page()
    page.feed(text)
    assert page.scripts == 3, "a name became a script"
    assert "img" not in page.tags and "iframe" not in page.tags
    assert not re.search(r"""(?:src|href)=["'](?!data:)""", text[:text.index("id=\"data\"")]), "loads something"
    shown = json.loads(page.data)["reports"]
    assert len(shown) == 1
    shown, = shown
    check_answer(report, shown.pop("answer"))
    # The page's tables are those of the Markdown; a single run's page has those of its machine besides.
    for section in shown.pop("sections"):
        assert len({len(column["cells"]) for column in section["columns"]}) <= 1 and (section["columns"] or section["lines"]), section
        if report.get("groups"):
            assert section["title"].split(",")[0].split(" (")[0] in markdown, section["title"]
    check_figures(shown.pop("figures"))
    for point, original in zip(shown["points"], report["points"]):
        point.pop("step_stride", None)
        steps = point.pop("step_samples_s", None)
        if steps:
            assert all(math.isclose(a, b, rel_tol=1e-4) for a, b in
                       zip((steps[0], max(steps)), (original["step_samples_s"][0], max(original["step_samples_s"]))))
    bare = json.loads(json.dumps(report))
    for point in bare["points"]:
        point.pop("step_samples_s", None)
    differences = list(other_leaves(shown, bare))
    assert not differences, f"the page holds other data than the report: {differences[:5]}"
    if not any(found["code"] in DISTURBING for found in report["findings"]) and not any(run.get("disturbed") for run in report.get("collectives", ())):
        lacking = list(other_leaves(without_standings(bare), without_standings(shown)))
        assert not lacking, f"the page lacks data of the report: {lacking[:5]}"
    assert page.text.replace("\r\n", "\n").strip() == markdown.replace("\r\n", "\n").strip(), "no-script text"


def junit_errors(report):
    """A report that is not complete is an error; errors of the past are none when all went well in the end."""
    if report["status"] != "complete":
        return len(report["errors"]) + 1
    return len(report["errors"]) if report["exit_code"] else 0


# These are what --fail-on parts names: some part of the machine is said to be bad.
PARTS = {"straggler", "straggler_intermittent", "slow_node", "slow_link", "expected_bandwidth", "wrong_elements", "mfu_implausible"}


def check_junit(report, text):
    suites = junitparser.JUnitXml.fromstring(text.encode())
    suite, = list(suites)
    cases = list(suite)
    groups = {}
    for point in report["points"]:
        groups.setdefault(point["group"] or point["id"], []).append(point)
    for run in report.get("collectives", []):
        groups.setdefault(run["group"], []).append(run)
    findings = [f for f in report["findings"] if f["severity"] == "error" or f["code"] in PARTS]
    errors = junit_errors(report)
    assert len(cases) == suite.tests == len(groups) + len(findings) + errors
    failed = sum(any(p["status"] in ("oom", "failed") for p in runs) for runs in groups.values())
    assert suite.failures == failed + len(findings), (suite.failures, failed, len(findings))
    assert suite.errors == errors, (suite.errors, errors)
    root = ElementTree.fromstring(text)
    counted = {kind: len(root.findall(f".//{kind}")) for kind in ("failure", "error", "skipped")}
    assert counted == {"failure": suite.failures, "error": suite.errors, "skipped": suite.skipped}
    check_junit_schema(root)


def check_junit_schema(root):
    """Checks what the JUnit schemas of Jenkins (junit-10.xsd) and of Ant demand."""
    assert root.tag == "testsuites" and not root.attrib
    for suite in root:
        assert [child.tag for child in suite if child.tag != "testcase"] == ["properties", "system-out", "system-err"]
        assert suite[0].tag == "properties" and suite[-1].tag == "system-err" and suite[-2].tag == "system-out"
        for name in ("name", "timestamp", "hostname", "tests", "failures", "errors", "time", "id", "package"):
            assert suite.get(name) is not None, name
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.get("timestamp"))
        for case in suite.findall("testcase"):
            assert set(case.attrib) == {"name", "classname", "time"} and len(case) <= 1
            assert re.fullmatch(r"\d+\.\d+", case.get("time")), case.get("time")
            for child in case:
                assert child.tag in ("failure", "error", "skipped") and child.get("message") is not None
                assert child.tag == "skipped" or child.get("type")


def read_as_superbench(text):
    """Node -> metrics, by the rules of SuperBench's analyzer (superbench/analyzer of microsoft/superbenchmark, read in
    2026; the package is not on PyPI): a text file of JSON lines, each an object of one node, whose key `node` names the
    table's row; all else are columns, described and averaged as numbers. A column is BENCHMARK/METRIC, found by its
    benchmark, or BENCHMARK/METRIC:RANK, which is put together over ranks under what is left after the rank's characters
    and the colon are stripped off both ends."""
    nodes = {}
    for line in io.StringIO(text, newline=None):  # a text file: any line end ends a line
        entry = json.loads(line)
        node = entry.pop("node")
        assert isinstance(node, str) and node not in nodes
        nodes[node] = entry
        for metric, value in entry.items():
            assert type(value) in (int, float) and math.isfinite(value), (metric, value)
            assert metric.split("/")[0] == "scalemark", metric
            name, *rank = metric.split(":")
            assert len(rank) < 2 and (not rank or rank[0].isdigit()), metric
            if rank:
                assert metric.strip(rank[0]).strip(":") == name, f"ranks of {metric} would not be put together"
    return nodes


def check_superbench(report, text, text_of_two):
    nodes = read_as_superbench(text)
    of_two = read_as_superbench(text_of_two)  # it has the same report twice, and still one line per node
    assert {node: list(entry) for node, entry in of_two.items()} == {node: list(entry) for node, entry in nodes.items()}
    for node, entry in nodes.items():
        for metric, value in entry.items():
            assert math.isclose(of_two[node][metric], value, rel_tol=1e-12)
    for metric in (metric for entry in nodes.values() for metric in entry):
        assert re.fullmatch(r"scalemark/[^:]+/[a-z_-]+(:\d+)?", metric, re.S), metric
    measured = [g for g in report.get("collective_groups", []) if "time_s" in g]
    hosts = {host["hostname"] for host in report["environment"]["hosts"] if measured}
    assert set(nodes) == {rank["host"] for p in ok_points(report) for rank in p["ranks"]} | hosts
    for group in measured:
        for host in hosts:
            metric = f"scalemark/{group['group'].replace(':', '_')}/time"
            assert math.isclose(nodes[host][metric], 1000 * group["time_s"], rel_tol=1e-12)
    for group in report.get("groups", []):
        metric = f"scalemark/{group['group'].replace(':', '_')}/throughput_total"
        for values in nodes.values():
            if metric in values:
                assert math.isclose(values[metric], group["samples_per_sec"], rel_tol=1e-12)


def check_prom(report, text):
    values = [float(line.rsplit(" ", 1)[1]) for line in text.split("\n")[:-1]
              if line.startswith("scalemark_run_samples_per_second{")]
    assert sorted(values) == sorted(p["samples_per_sec"] for p in ok_points(report))
    efficiencies = [float(line.rsplit(" ", 1)[1]) for line in text.split("\n")[:-1]
                    if line.startswith("scalemark_efficiency_ratio{")]
    seconds = [float(line.rsplit(" ", 1)[1]) for line in text.split("\n")[:-1] if line.startswith("scalemark_collective_seconds{")]
    assert seconds == [g["time_s"] for g in report.get("collective_groups", []) if "time_s" in g]
    assert efficiencies == [row["efficiency"] for table in report.get("scaling", []) for row in table["rows"] if "efficiency" in row]


def check_promtool(promtool, text):
    done = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()[:500] + done.stdout.decode()[:500]


def significant(value, digits):
    """Writes a number with so many digits and no exponent."""
    return f"{decimal.Decimal(f'{value:.{digits}g}').normalize():f}"


def readable(value):
    """Four digits of 1 and more, with commas between thousands, and three of less."""
    size = abs(value)
    decimals = 0 if size >= 999.95 else 1 if size >= 99.995 else 2 if size >= 0.9995 else 3
    return f"{value:,.{decimals}f}" if size >= 0.1 else significant(value, 3)


def two_digits(value):
    """Writes a value of windows that were not steady, with two digits."""
    if 0 < abs(value) < 1e-4:  # no exponent, as in the answer
        return "~" + f"{decimal.Decimal(f'{value:.1e}'):f}".rstrip("0")
    return f"~{float(f'{value:.1e}'):,.0f}" if abs(value) >= 9.95 else f"~{value:#.2g}"


def speed_up(value):
    return f"{value:.2f}" if value < 9.95 else f"{value:.1f}"


def efficiency(row):
    """A decimal where the 95 % interval is narrower than two points."""
    low, high = row.get("efficiency_ci95", (0, 1))
    return f"{100 * row['efficiency']:{'.1f' if high - low < 0.02 else '.0f'}}"


def percent(share):
    return re.sub(r"^-(0\.0)$", r"\1", f"{100 * share:.1f}")


def on_one_line(name):
    return re.sub(r"[\x00-\x1f\x7f]", " ", name).strip()


def markdown_tables(text):
    """Every table as rows of {head: cell}, escapes undone."""
    def cells(line):
        parts = re.split(r"(?<!\\)(?:\\\\)*\|", line)
        assert parts[0] == parts[-1] == "", line
        return [re.sub(r"\\(.)|&lt;", lambda m: m[1] or "<", part).strip() for part in parts[1:-1]]

    tables = []
    for lines in re.findall(r"(?:^\|.*\n)+", text, re.M):
        head, rule, *rows = [cells(line) for line in lines.split("\n")[:-1]]
        # Collectives out of place and in place stand side by side under the same heads, as in nccl-tests.
        head = [f"{name} ({n})" if (n := head[:i + 1].count(name)) > 1 else name for i, name in enumerate(head)]
        assert all(re.fullmatch("---:?", cell) for cell in rule), rule
        assert all(len(row) == len(head) for row in rows), lines
        tables.append([dict(zip(head, row)) for row in rows])
    return tables


SCALING_HEADS = ["ranks", "strategy", "samples per s", "step ms", "speed-up", "effic. %"]


def terminal_scaling_tables(text):
    """The scaling tables of a sweep on a terminal: cells part at two blanks, none holds a name."""
    tables = []
    for section in re.findall(r"^Scaling, .*\n\n((?:.+\n)+)", text, re.M):
        rows = section.split("\n")[2:-1]  # below two lines of head
        tables.append([dict(zip(SCALING_HEADS, re.split(r" {2,}", row.strip()))) for row in rows])
    return tables


def check_scaling(report, tables):
    assert len(tables) == len(report.get("scaling", [])), (len(tables), len(report.get("scaling", [])))
    for table, scaling in zip(tables, report.get("scaling", [])):
        assert len(table) == len(scaling["rows"])
        for cells, row in zip(table, scaling["rows"]):
            low, high = row.get("efficiency_ci95", (1, 1))
            unsteady = "unsteady_runs" in row or not 0 < high <= 4 * low  # docs/reference/METRICS.md, "Two digits"
            step_s = row.get("step_time_s")
            expected = [str(row["world_size"]), "no exchange" if row["strategy"] == "none" else row["strategy"], readable(row["samples_per_sec"]),
                        "-" if step_s is None else readable(1000 * step_s),
                        "-" if "speedup" not in row else two_digits(row["speedup"]) if unsteady else speed_up(row["speedup"]),
                        "-" if "efficiency" not in row else two_digits(100 * row["efficiency"]) if unsteady else efficiency(row)]
            assert [cells[head] for head in SCALING_HEADS] == expected, (cells, expected)


def check_groups(report, table):
    assert len(table) == len(report["groups"])
    for cells, group in zip(table, report["groups"]):
        assert cells["point"] == on_one_line(group["group"]), (cells, group["group"])
        rate, step_s = group.get("samples_per_sec"), group.get("step_time_s")
        low, high = group.get("ci95", (1, 1))
        shown = two_digits if low <= 0 or high > 4 * low else readable
        assert cells["samples per s"] == ("-" if rate is None else shown(rate)), (cells, rate)
        assert cells["step ms"] == ("-" if step_s is None else shown(1000 * step_s)), (cells, step_s)
        assert cells["min to max of the runs"] == (" to ".join(map(readable, group["range"])) if "range" in group else "-"), cells
        if "at_least" in group:
            assert cells["95 % interval"] == "one run", cells
        assert cells["runs"] == ", ".join(f"{n} {status}" for status, n in group["status_counts"].items()), cells


def signed_percent(share):
    return re.sub(r"^[-+](0\.0)$", r"\1", f"{100 * share:+.1f}")


def check_devices(report, tables):
    table = [row for t in tables if t and "against others %" in t[0] for row in t]
    assert len(table) == len(report.get("devices", []))
    for cells, device in zip(table, report.get("devices", [])):
        assert (cells["rank"], cells["device"]) == (str(device["rank"]), on_one_line(device["device"])), cells
        assert cells["against others %"] == signed_percent(device["deviation"]), (cells, device)
        assert cells.get("uuid begins", "-") == device.get("uuid", "-")[:12]


def check_runs(report, tables):
    """Rate or status of each run; a 1-rank run is its own baseline."""
    table = next(t for t in tables if t and "per s and rank" in t[0])
    head, = [name for name in table[0] if name.endswith(" per s")]
    assert len(table) == len(report["points"])
    for cells, point in zip(table, report["points"]):
        good = point["status"] == "ok"
        assert cells["ranks"] == str(point["world_size"])
        assert cells[head] == (readable(point["samples_per_sec"]) if good else point["status"]), (cells, point["status"])
        if good and point["world_size"] == 1 and point["strategy"] == "none" and "speed up" in cells:
            assert (cells["speed up"], cells["eff. %"]) == ("1.00", "100.0"), cells


def check_collectives(report, tables):
    """Every group that was measured has a cell with its bus bandwidth, of a barrier with its time."""
    cells = [cell for table in tables for row in table for head, cell in row.items() if head.startswith("busbw")]
    expected = [readable(g["busbw_GBps"]) for g in report["collective_groups"] if "busbw_GBps" in g]
    assert sorted(cell for cell in cells if cell != "-") == sorted(expected), (cells, expected)
    fits = [row for table in tables for row in table if "latency us" in row and "worst error %" in row]
    assert len(fits) == len(report.get("collective_fits", []))
    effects = [row for table in tables for row in table if "times faster" in row]
    assert [row["times faster"] for row in effects] == [readable(e["ratio"]) for e in report.get("effects", [])]
    for words in (w["in_words"] for w in report.get("collective_winners", [])):
        assert words


def check_text(report, terminal, markdown):
    assert not re.search(r"<\w", markdown), "markup in the Markdown"
    tables = markdown_tables(markdown)
    check_devices(report, tables)
    if of_collectives(report):
        check_collectives(report, tables)
    elif report.get("groups"):
        check_scaling(report, [t for t in tables if t and "speed-up" in t[0]])
        check_scaling(report, terminal_scaling_tables(terminal))
        check_groups(report, next(t for t in tables if t and "runs" in t[0]))
    elif report["points"]:
        check_runs(report, tables)


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for child in value.values() if isinstance(value, dict) else value:
            yield from strings(child)


def check_redacted(report, redacted):
    text = "\n".join(strings(redacted))
    for host in report["environment"]["hosts"]:
        for gpu in host["gpus"]:
            for key in ("uuid", "pci", "serial"):
                assert not gpu.get(key) or len(gpu[key]) < 4 or gpu[key] not in text, key
    hosts = {h["hostname"] for h in report["environment"]["hosts"]}
    for host in hosts & {"gpu-node-07", "node-7", "n7.cluster.example.org"}:
        assert host not in text, host
    for device in report.get("devices", []):
        assert all(device.get(key, "") not in text for key in ("uuid", "pci") if len(device.get(key, "")) >= 4), device
    assert "/home/" not in text and "/data/imagenet" not in text
    for before, after in zip(report["points"], redacted["points"]):
        assert before.get("samples_per_sec") == after.get("samples_per_sec")
        assert before.get("step_s") == after.get("step_s")


def check(folder, stem):
    def read(form):
        return (folder / f"{stem}.{form}").read_bytes().decode("utf-8")

    report = json.loads(read("json"))
    check_csv(report, read("csv"))
    assert json.loads(read("json")) == report
    check_jsonl(report, read("jsonl"))
    check_groups_csv(report, read("groups"))
    check_scaling_csv(report, read("scaling"))
    check_effects(report, read("effects"))
    check_links(report, read("links"))
    check_html(report, read("html"), read("md"))
    check_junit(report, read("junit"))
    check_superbench(report, read("superbench"), read("superbench_of_two"))
    check_prom(report, read("prom"))
    check_text(report, read("details"), read("md"))
    check_redacted(report, json.loads(read("redacted")))
    return report


def promtool_reads():
    """A test of its own, so that a machine without promtool shows it as skipped."""
    promtool = shutil.which("promtool")
    if not promtool:
        print("skipped: there is no promtool (Debian: prometheus)")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([BINARY / "tests/core_tool", "write-sweeps", folder, "20", "0"], check=True, timeout=600)
        for i in range(20):
            check_promtool(promtool, (folder / f"{i}.prom").read_bytes())
    print("promtool reads 20 reports")


def main():
    count = 1000 if os.environ.get("SCALEMARK_SOAK") == "full" else 10
    points, statuses = 0, set()
    few = min(count, 50)
    for begin in range(0, count, few):  # few at a time: a report with its renderings takes megabytes
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            subprocess.run([BINARY / "tests/core_tool", "write-sweeps", folder, str(few), str(begin)], check=True, timeout=600)
            for i in range(few):
                try:
                    report = check(folder, str(i))
                except Exception:
                    print(f"report of seed {begin + i}", file=sys.stderr)
                    raise
                points += len(report["points"])
                statuses |= {p["status"] for p in report["points"]}
    assert statuses == {"ok", "oom", "failed", "skipped"}, statuses
    print(f"{count} reports, {points} points, {len(FORMATS)} renderings and one redaction of each agree with the JSON")


if __name__ == "__main__":
    promtool_reads() if sys.argv[1:] == ["promtool"] else main()
