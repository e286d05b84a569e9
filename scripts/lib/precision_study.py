"""The precision of points, in the study of the statistics: where variance comes from, runs that are not normal, and
--until-ci on runs of every kind. Gates, what the gates leave out, and tables."""

# section, which scenarios, trials in CI
RUNS = [("variance", "few", 62), ("not_normal", "few", 37), ("until_sure", "few", 37)]
SECTIONS = [name for name, _, _ in RUNS]
KEYS = ("session", "run", "phi", "kind", "points", "blocks")
NORMAL, BLOCKS = "normal", "normal, blocks differ as much"
RARE = ("one in 10 runs 5 % slower", "one in 20 runs 10 % slower")
CORRELATED = ("correlated .5", "correlated .8", "blocks correlated .5", "blocks correlated .8")


def is_usual(row):
    """Batches of a default window part steps that are correlated by 0.5, not by 0.9."""
    return row["phi"] <= 0.5


def windows_pay(row):
    """Returns whether longer windows truly pay; None: saving 5 to 10 % of the time is worth neither advice."""
    return True if row["saves"] >= 0.1 else False if row["saves"] < 0.05 else None


def opposite(row):
    """Returns how often the other purchase was advised than the true parts would have it."""
    return {True: row["buy_runs"], False: row["buy_windows"], None: 0}[windows_pay(row)]


def one_session(data):
    return sorted((r for r in data["variance"] if r["sessions"] == 1), key=lambda r: (r["run"], r["phi"], r["runs"]))


def several_sessions(data):
    return sorted((r for r in data["variance"] if r["sessions"] > 1), key=lambda r: (r["sessions"], r["session"]))


def in_order(rows):
    """Returns the rows of every kind of runs, smaller sweeps first."""
    return sorted(rows, key=lambda r: (r["kind"], r.get("points", 0) * r.get("blocks", 0), r.get("points", 0)))


def of_kinds(rows, kinds):
    return [r for r in rows if r["kind"] in kinds]


def add_gates(gates, data):
    usual = [r for r in one_session(data) if is_usual(r)]
    gates.add("variance beyond steps, phi up to 0.5", usual, lambda r: r["beyond_held"], 0.93)
    gates.add("variance of sessions", several_sessions(data), lambda r: r["sessions_held"], 0.93)
    gates.add("what to buy: the opposite advised, phi up to 0.5", usual, opposite, None, 0.05)
    gates.add("what to buy: more sessions advised where they do not differ",
              [r for r in several_sessions(data) if not r["session"]], lambda r: r["buy_sessions"], None, 0.05)
    gates.add("not normal: said of normal runs, correlated ones and differing blocks too",
              of_kinds(data["not_normal"], (NORMAL, BLOCKS, *CORRELATED)), lambda r: r["said"], None, 0.015)
    gates.add("not normal: rare slow runs seen at 12 points",
              [r for r in of_kinds(data["not_normal"], RARE) if r["points"] == 12], lambda r: r["said"], 0.8)
    gates.add("--until-ci, normal runs: throughput and efficiency", of_kinds(data["until_sure"], (NORMAL, BLOCKS)),
              lambda r: min(r["throughput"], r["efficiency"]), 0.93)
    gates.add("--until-ci, normal runs: repetitions foreseen within a factor of 2", of_kinds(data["until_sure"], (NORMAL, BLOCKS)),
              lambda r: r["foreseen"], 0.9)


def limits(data):
    """Rows of what is kept out of the gates: name, rows, key, low, high."""
    steps = [{**r, "opposite": opposite(r)} for r in one_session(data) if not is_usual(r)]
    small = [r for r in of_kinds(data["not_normal"], RARE) if r["points"] < 12]
    return [("variance beyond steps, phi 0.9", steps, "beyond_held", 0.93, 1),
            ("what to buy: the opposite advised, phi 0.9", steps, "opposite", 0, 0.05),
            ("not normal: rare slow runs seen at 1 and 4 points", small, "said", 0.8, 1),
            ("--until-ci, rare slow runs: throughput", of_kinds(data["until_sure"], RARE), "throughput", 0.93, 1),
            ("--until-ci, correlated runs and blocks: throughput in the long run",
             of_kinds(data["until_sure"], CORRELATED), "throughput", 0.93, 1)]


def share(key):
    return lambda row: f"{100 * row[key]:.1f}"


def spread(key):
    return lambda row: f"{100 * row[key]:.2f}"


def tables(data, table):
    """Placeholders of statistics.md -> tables."""
    return {
        "VARIANCE": table(one_session(data), [
            ("runs differ beyond steps by %", lambda r: f"{100 * r['run']:g}"), ("phi", lambda r: f"{r['phi']:g}"),
            ("runs", lambda r: r["runs"]), ("steps explain %", spread("steps_truth")), ("told %", spread("steps_told")),
            ("beyond, told %", spread("beyond_told")), ("interval holds it %", share("beyond_held")),
            ("longer windows save %", lambda r: f"{100 * r['saves']:.0f}"), ("more runs advised %", share("buy_runs")),
            ("longer windows advised %", share("buy_windows"))]),
        "LEVELS": table(several_sessions(data), [
            ("sessions x runs", lambda r: f"{r['sessions']} x {r['runs']}"), ("sessions differ by %", lambda r: f"{100 * r['session']:g}"),
            ("interval holds it %", share("sessions_held")), ("more sessions advised %", share("buy_sessions"))]),
        "NOT_NORMAL": table(in_order(data["not_normal"]), [
            ("runs", lambda r: r["kind"]), ("points x blocks", lambda r: f"{r['points']} x {r['blocks']}"),
            ("not normal, p <= 1 %", share("claimed")), ("seen as correlated %", share("correlated")),
            ("said not to be normal %", share("said"))]),
        "UNTIL_SURE": table(in_order(data["until_sure"]), [
            ("runs", lambda r: r["kind"]), ("throughput", share("throughput")), ("efficiency", share("efficiency")),
            ("repetitions, mean", lambda r: f"{r['repetitions']:.1f}"), ("not reached in 200 %", share("never")),
            ("foreseen within a factor of 2 %", share("foreseen")), ("said not to be normal %", share("not_normal")),
            ("said to be correlated %", share("correlated"))]),
    }
