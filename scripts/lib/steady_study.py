"""Windows that are steady and windows that are not, in the study of the statistics: gates, what the gates leave out, and
tables; and the interval within a run."""

import math

# section, which scenarios, trials in CI
RUNS = [("steady", "few", 20), ("within_run", "few", 50)]
SECTIONS = [name for name, _, _ in RUNS]
KEYS = ("windows", "size", "length")
DEFAULT_STEPS = 110  # a window of 2 s holds at least so many, with a tenth to spare


def single(data, kind, *wanted):
    """Scenarios of one window; `wanted`: see chosen()."""
    return [r for r in chosen(data, kind, *wanted) if r["windows"] == 1]


def pooled(data, kind, *wanted):
    return [r for r in chosen(data, kind, *wanted) if r["windows"] > 1]


def chosen(data, kind, least_steps=0, most_cv=1, most_phi=1):
    return [r for r in data["steady"] if r["kind"] == kind and r["steps"] >= least_steps and r["step_cv"] <= most_cv and
            r["phi"] <= most_phi]


def is_large(row):
    """Ramps from 5 % on."""
    return row["size"] >= 0.05


def has_stalls(row):
    return row["outliers"] == "stalls"


def is_blind(row):
    """Returns whether there are so few independent steps that their correlation is but guessed."""
    return row["steps"] < 200 and row["phi"] > 0.5


def smallest_visible(row, length=1):
    """b_min: the smallest bias that any test of level and power 95 % can see. docs/reference/METRICS.md."""
    return 3.29 * length * row["step_cv"] * math.sqrt(12 / row["steps"] * (1 + row["phi"]) / (1 - row["phi"]))


def add_gates(gates, data):
    said_true, said_false = (lambda r: r["said_true"]), (lambda r: r["said_false"])
    ramps = [r for r in single(data, "ramp", 400, 0.02, 0.5) if is_large(r)]
    gates.add("steady window called not steady", single(data, "steady"), said_false, None, 0.05)
    decays = [r for r in single(data, "decay") if not has_stalls(r)]
    gates.add("biased window (0.5 % and more) called steady", decays, said_true, None, 0.05)
    gates.add("level that wanders by 0.2 % in 100 steps, 4,000 steps, called steady", single(data, "wander", 4000), said_true, None, 0.05)
    gates.add("the bound that is told holds the bias", [r for r in decays if not is_blind(r)], lambda r: r["bound_held"], 0.95)
    gates.add("ramp of 5 or 10 % found: 400 steps and more, vary by up to 2 %, phi up to 0.5", ramps, said_false, 0.95)
    gates.add("throttle by 10 % found, in the last fifth or half-way: the same",
              single(data, "throttle", 400, 0.02, 0.5), said_false, 0.95)
    gates.add("steady windows of 5 runs called not steady", pooled(data, "steady"), said_false, None, 0.05)
    gates.add("biased windows of 5 runs called steady", pooled(data, "decay"), said_true, None, 0.05)
    gates.add("ramp of 5 or 10 % in 5 runs of 110 steps and more found: vary by up to 2 %, phi up to 0.5",
              [r for r in pooled(data, "ramp", 0, 0.02, 0.5) if is_large(r)], said_false, 0.95)


def limits(data):
    """Rows of what is kept out of the gates: name, rows, key, low, high."""
    short = [r for r in single(data, "wander") if r["steps"] < 4000]
    correlated = [r for r in single(data, "ramp", 400, 0.02) + single(data, "throttle", 400, 0.02)
                  if r["phi"] > 0.5 and (r["kind"] != "ramp" or is_large(r))]
    stalls = [r for r in single(data, "decay") if has_stalls(r)]
    return [("biased window with a stall every 50 steps called steady", stalls, "said_true", 0, 0.05),
            ("the bound that is told holds the bias, the same", stalls, "bound_held", 0.95, 1),
            ("the same, 110 steps with phi 0.9", [r for r in single(data, "decay") if is_blind(r)], "bound_held", 0.95, 1),
            ("level that wanders by 0.2 % in 100 steps, up to 1,000 steps, called steady", short, "said_true", 0, 0.05),
            ("ramp of 5 % or throttle by 10 % found, 400 and 1,000 steps with phi 0.9", correlated, "said_false", 0.95, 1),
            ("the same with 110 steps, one run", [r for r in single(data, "ramp") + single(data, "throttle")
                                                  if r["steps"] < 200 and (r["kind"] != "ramp" or is_large(r))], "said_false", 0.95, 1)]


def share(key):
    return lambda row: f"{100 * row[key] + 0:.1f}"


def row_of(row):
    return row["steps"], row["step_cv"], row["phi"], row["outliers"]


def power(rows, kind, size, length):
    """Column: how often windows of this shape were called not steady."""
    found = {row_of(r): r["said_false"] for r in rows if r["kind"] == kind and r["size"] == size and r["length"] == length}
    return lambda row: f"{100 * found[row_of(row)]:.0f}" if row_of(row) in found else "-"


NOISE = [("steps", lambda r: r["steps"]), ("vary by %", lambda r: f"{100 * r['step_cv']:g}"), ("phi", lambda r: f"{r['phi']:g}"),
         ("outliers", lambda r: r["outliers"])]
SHAPES = [("ramp 5 %", "ramp", 0.05, 1), ("ramp 10 %", "ramp", 0.1, 1), ("throttle, last fifth", "throttle", 0.1, 0.8),
          ("throttle half-way", "throttle", 0.1, 0.5), ("bias .5 %, L .05", "decay", 0.005, 0.05), ("L .2", "decay", 0.005, 0.2),
          ("L .5", "decay", 0.005, 0.5), ("L 1", "decay", 0.005, 1)]


def verdicts(rows, table):
    """One line per length and noise: what is said of steady windows, and how often others are found."""
    steady = sorted((r for r in rows if r["kind"] == "steady"), key=row_of)
    columns = [(head, power(rows, kind, size, length)) for head, kind, size, length in SHAPES]
    return table(steady, [*NOISE, ("steady: yes", share("said_true")), ("no", share("said_false")),
                          ("could hide, mean %", lambda r: f"{100 * r['bound']:.2f}"), *columns])


def visible(table):
    rows = [{"steps": n, "step_cv": cv, "phi": phi} for n in (DEFAULT_STEPS, 400, 1000, 4000, 40000) for cv in (0.005, 0.02, 0.05)
            for phi in (0, 0.5, 0.9)]

    def cell(n, cv, phi):
        found = next(r for r in rows if (r["steps"], r["step_cv"], r["phi"]) == (n, cv, phi))
        return f"{100 * smallest_visible(found):.2f}"

    columns = [("steps", lambda n: f"{n:,}")]
    columns += [(f"{100 * cv:g} %, phi {phi:g}", lambda n, cv=cv, phi=phi: cell(n, cv, phi)) for cv in (0.005, 0.02, 0.05)
                for phi in (0, 0.5, 0.9)]
    return table([DEFAULT_STEPS, 400, 1000, 4000, 40000], columns)


def within_run(rows, table):
    held = {(r["steps"], r["phi"], r["outliers"]): r["held"] for r in rows}
    lines = sorted({(phi, outliers) for _, phi, outliers in held}, key=lambda line: (line[1] != "none", line[1] != "usual", line[0]))
    columns = [("phi", lambda line: f"{line[0]:g}"), ("outliers", lambda line: line[1])]
    columns += [(f"{n:,} steps", lambda line, n=n: f"{100 * held[(n, *line)]:.1f}") for n in sorted({n for n, _, _ in held})]
    return table(lines, columns)


def tables(data, table):
    """Placeholders of statistics.md -> tables."""
    return {"STEADY": verdicts([r for r in data["steady"] if r["windows"] == 1], table),
            "POOLED": verdicts([r for r in data["steady"] if r["windows"] > 1], table),
            "VISIBLE": visible(table), "WITHIN": within_run(data["within_run"], table)}
