"""The outcomes as one table: for a terminal, as Markdown, as JSON."""

import json
from dataclasses import asdict

from .step import FAILED, NOT_JUDGED, PASSED, SKIPPED

COLUMNS = ("step", "result", "seconds", "what was seen")


def cells(outcome):
    return (outcome.name, outcome.verdict.status, f"{outcome.seconds:.1f}", outcome.verdict.figure)


def totals(outcomes):
    """'9 passed, 1 failed, 2 skipped, 3 not judged'."""
    counts = {
        status: sum(o.verdict.status == status for o in outcomes)
        for status in (PASSED, FAILED, SKIPPED, NOT_JUDGED)
    }
    return ", ".join(f"{count} {status}" for status, count in counts.items())


def facts_lines(facts):
    return [f"{name}: {value}" for name, value in facts.items()]


def as_text(outcomes, facts):
    rows = [COLUMNS, *map(cells, outcomes)]
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    lines = [f"{row[0]:{widths[0]}}  {row[1]:{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]}".rstrip() for row in rows]
    return "\n".join([*facts_lines(facts), "", *lines, "", totals(outcomes), ""])


def as_markdown(outcomes, facts):
    def line(row):
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"

    card = [line((o.name, o.card_before, o.card_after)) for o in outcomes if o.seconds > 0]
    return "\n".join([*(f"- {fact}" for fact in facts_lines(facts)), "", line(COLUMNS), "|---|---|---:|---|",
                      *(line(cells(outcome)) for outcome in outcomes), "", totals(outcomes), "",
                      line(("step", "card before", "card after")), "|---|---|---|", *card, ""])


def as_json(outcomes, facts):
    steps = [{"step": o.name, **asdict(o.verdict), "seconds": round(o.seconds, 2), "exit_codes": list(o.codes),
              "card_before": o.card_before, "card_after": o.card_after} for o in outcomes]
    return json.dumps({"facts": facts, "steps": steps}, indent=1) + "\n"


def write_tables(folder, outcomes, facts):
    for name, render in (("table.txt", as_text), ("table.md", as_markdown), ("table.json", as_json)):
        (folder / name).write_text(render(outcomes, facts))
