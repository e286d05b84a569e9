"""Runs that are measured again, in the study of the statistics: which of their attempts counts."""

# section, which scenarios, trials in CI
RUNS = [("attempts", "few", 250)]
SECTIONS = [name for name, _, _ in RUNS]
KEYS = ("disturbed", "slows", "retries")


def add_gates(gates, data):
    harmless = [r for r in data["attempts"] if not r["slows"]]
    gates.add("runs measured again, the last counts: throughput above the truth, disturbance without effect", harmless,
              lambda r: r["last_above"], 0.47, 0.53)
    gates.add("the same: interval of throughput", harmless, lambda r: r["last_covered"], 0.93, 0.97)
    gates.add("the same, if the best counted: above the truth (why it does not count)", harmless,
              lambda r: r["best_above"], 0.55)


def bias(key):
    return lambda row: f"{round(100 * row[key], 2) + 0:.2f}"  # + 0: no "-0.00"


def share(key):
    return lambda row: f"{100 * row[key]:.1f}"


def tables(data, table):
    """Placeholders of statistics.md -> tables."""
    return {"ATTEMPTS": table(data["attempts"], [
        ("windows disturbed %", lambda r: f"{100 * r['disturbed']:g}"), ("slower by %", lambda r: f"{100 * r['slows']:g}"),
        ("--retries", lambda r: r["retries"]), ("bias %, never repeated", bias("first")), ("bias %, the last counts", bias("last")),
        ("bias %, the best counted", bias("best")), ("interval holds %, last", share("last_covered")),
        ("interval holds %, best", share("best_covered"))])}
