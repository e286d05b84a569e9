"""The expressions that configs/monitoring/ asks of Prometheus, and which metrics there are to ask for."""

import json
import re

import yaml
from endings import SOURCE

FOLDER = SOURCE / "configs/monitoring"
DASHBOARD = FOLDER / "grafana/dashboards/scalemark.json"
# Prometheus makes them itself.
OF_PROMETHEUS = {"up", "ALERTS"}
METRIC = re.compile(r"(?:[a-z_]+:)?scalemark_[a-z0-9_]+(?::[a-z0-9_]+)?")


def dashboard():
    return json.loads(DASHBOARD.read_text())


def panels():
    """Returns the panels without the titles of rows."""
    return [panel for panel in dashboard()["panels"] if panel["type"] != "row"]


def of_dashboard(run_id=".*"):
    """(title of the panel, expression) with Grafana's variable filled in."""
    return [(panel["title"], target["expr"].replace("$run_id", run_id)) for panel in panels() for target in panel["targets"]]


def rules():
    """(name, expression) of the recording rules and of the alerts."""
    read = [rule for group in yaml.safe_load((FOLDER / "rules.yml").read_text())["groups"] for rule in group["rules"]]
    return {rule["record"]: rule["expr"] for rule in read if "record" in rule}, {rule["alert"]: rule["expr"] for rule in read if "alert" in rule}


def names_in(expression):
    """Metrics and recorded series that an expression names; what stands in quotes and in braces of labels is none."""
    bare = re.sub(r"\{[^}]*\}", "", re.sub(r'"[^"]*"', "", expression))
    by_name = set(re.findall(r"\b(up|ALERTS)\b", bare))
    return set(METRIC.findall(bare)) | by_name


def listed_metrics():
    """{name: (kind, labels)} of the table in docs/reference/STATUS.md."""
    text = (SOURCE / "docs/reference/STATUS.md").read_text()
    table = text.split("<!-- generated: metrics -->")[1].split("<!-- end: metrics -->")[0]
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in table.splitlines() if line.startswith("| `")]
    return {row[0].strip("`"): (row[1], set(re.findall(r"`(\w+)`", row[2]))) for row in rows}


def reported_metrics():
    """Names of `scalemark report --format prom`, which the page has of points that are done; some with the ends of an interval."""
    names = set(re.findall(r'"(scalemark_\w+)"', (SOURCE / "report/say/render/fleet_tools.cpp").read_text()))
    return names | {name + end for name in names for end in ("_ci95_low", "_ci95_high")}
