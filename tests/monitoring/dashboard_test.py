"""The dashboard and the rules name only metrics that there are, and labels that these have; Grafana can import the file."""

import re

from expressions import OF_PROMETHEUS, dashboard, listed_metrics, names_in, of_dashboard, panels, reported_metrics, rules
from program import check

# Prometheus adds them to every series; run_id comes with the target.
OF_EVERY_SERIES = {"run_id", "instance", "job"}


def check_names():
    recorded, alerts = rules()
    listed = listed_metrics()
    known = set(listed) | reported_metrics() | set(recorded) | OF_PROMETHEUS
    asked = [*recorded.items(), *alerts.items(), *of_dashboard()]
    for where, expression in asked:
        names = names_in(expression)
        check(names, f"{where} names no metric: {expression}")
        check(names <= known, f"{where} asks for {sorted(names - known)}, which no run shows")
        for name, matchers in re.findall(r"\b(scalemark_\w+)\{([^}]*)\}", expression):
            labels = set(re.findall(r"(\w+)\s*[=!]", re.sub(r'"[^"]*"', "", matchers))) - OF_EVERY_SERIES
            check(name not in listed or labels <= listed[name][1], f"{where}: {name} has no label {sorted(labels)}")
    used = set().union(*(names_in(expression) for _, expression in asked))
    check(set(recorded) <= used, f"nobody asks for {sorted(set(recorded) - used)}")
    check(len(listed) > 40, f"only {len(listed)} metrics are listed")


def check_variables():
    variables = dashboard()["templating"]["list"]
    check([one["name"] for one in variables] == ["datasource", "run_id"], variables)
    check(variables[1]["query"]["query"] == "label_values(scalemark_run_info, run_id)", variables[1])
    for title, expression in of_dashboard("$run_id"):
        check(set(re.findall(r"\$\{?(\w+)", expression)) == {"run_id"} and 'run_id=~"$run_id"' in expression, (title, expression))
        for name in names_in(expression) - OF_PROMETHEUS:
            for selector in re.findall(rf"(?<![\w:]){name}(?![\w:])(\{{[^}}]*\}})?", expression):
                check('run_id=~"$run_id"' in selector, f"{title} asks for {name} of every run")


def cells(panel):
    at = panel["gridPos"]
    check(at["x"] + at["w"] <= 24, f"{panel['title']} ends beyond the right edge")
    return {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}


def check_panels():
    everything = dashboard()["panels"]
    ids = [panel["id"] for panel in everything]
    check(len(set(ids)) == len(ids), f"ids that are not unique: {sorted(ids)}")
    check([one["title"] for one in everything if one["type"] == "row"] ==
          ["Run", "Ranks", "Where the step goes", "GPUs", "Nodes", "Points"], "rows")
    taken = set()
    for panel in everything:
        overlap = cells(panel) & taken
        check(not overlap, f"{panel['title']} lies on another panel")
        taken |= cells(panel)
    for panel in panels():
        check(panel["title"] and panel.get("description"), f"without a title or a description: {panel}")
        check(panel["fieldConfig"]["defaults"].get("unit"), f"{panel['title']} has no unit")
        check(all(one["datasource"]["uid"] == "${datasource}" for one in [panel, *panel["targets"]]), f"{panel['title']}: data source")
        check(len({one["refId"] for one in panel["targets"]}) == len(panel["targets"]), f"{panel['title']}: refId")
        check(all(one["legendFormat"] for one in panel["targets"]), f"{panel['title']}: legend")
    titles = [panel["title"] for panel in panels()]
    check(len(set(titles)) == len(titles), f"titles twice: {titles}")


check_names()
check_variables()
check_panels()
print(f"{len(panels())} panels and {len(of_dashboard())} expressions")
