"""The conclusions of a whole sweep, in the study of the statistics: devices that differ, ranks at several points, sessions, and
runs that resemble their neighbours. Gates, what the gates leave out, and tables."""

# section, which scenarios, trials in CI
RUNS = [("devices", "few", 250), ("straggler_points", "few", 62), ("sessions", "few", 250), ("correlated", "few", 125)]
SECTIONS = [name for name, _, _ in RUNS]
KEYS = ("device_spread", "new_each_point", "spread_given", "planted", "runs", "session", "points", "blocks", "phi", "drift")
# Runs from which the correlation of neighbours is found mostly: 12 points x 5, 4 points x 20.
MANY_RUNS = 60


def are_many(row):
    return row["points"] * row["blocks"] >= MANY_RUNS


def is_gated(row):
    """Devices differ by what --device-spread says, or by no more than those of a kind usually do."""
    return row["spread_given"] or row["device_spread"] <= 0.01


def add_gates(gates, data):
    healthy = [r for r in data["straggler_points"] if is_gated(r)]
    correlated, drifting = data["correlated"], [r for r in data["correlated"] if r["drift"]]
    alone = [r for r in correlated if not r["phi"]]
    gates.add("efficiency against a device drawn anew in each block", data["devices"], lambda r: r["drawn"], 0.93)
    gates.add("throughput over three sessions and more", [r for r in data["sessions"] if r["intervals"]],
              lambda r: r["by_session"], 0.93, 0.98)
    gates.add("no interval from two sessions", [r for r in data["sessions"] if r["runs"] == "3 + 2"],
              lambda r: r["intervals"], None, 0)
    gates.add("straggler: any healthy rank named at 12 points, device spread given or up to 1 %", healthy, lambda r: r["named"], None, 0.05)
    gates.add("straggler: any healthy rank called intermittent there", healthy, lambda r: r["intermittent"], None, 0.05)
    gates.add("straggler: a rank 15 % slower named, device spread up to 1 %",
              [r for r in healthy if r["planted"] == "every run" and r["device_spread"] <= 0.01], lambda r: r["found"], 0.95)
    gates.add("straggler: 15 % slower in 2 of 5 runs named or called intermittent, the same",
              [r for r in healthy if r["planted"] == "2 of 5 runs" and r["device_spread"] <= 0.01], lambda r: r["found"], 0.95)
    gates.add("drift: false alarms where 60 runs and more are correlated",
              [r for r in correlated if not r["drift"] and are_many(r)], lambda r: r["drift_now"], None, 0.05)
    gates.add("drift of 4 % in 60 runs and more found", [r for r in drifting if are_many(r)], lambda r: r["drift_now"], 0.9)
    gates.add("correlation of independent runs claimed", alone, lambda r: r["correlated"], None, 0.06)


def limits(data):
    """Rows of what is kept out of the gates: name, rows, key, low, high."""
    unknown = [r for r in data["straggler_points"] if not is_gated(r)]
    few = [r for r in data["correlated"] if not r["drift"] and r["phi"] and not are_many(r)]
    long_run = [r for r in data["correlated"] if r["phi"]]
    return [("straggler: any healthy rank named at 12 points, device spread of 1.5 % and more, not given", unknown, "named", 0, 0.05),
            ("straggler: any healthy rank called intermittent, the same", unknown, "intermittent", 0, 0.05),
            ("drift: false alarms where 20 runs are correlated", few, "drift_now", 0, 0.05),
            ("throughput in the long run where runs are correlated", long_run, "covered_now", 0.93, 1)]


def share(key):
    return lambda row: f"{100 * row[key]:.1f}"


def size(key):
    return lambda row: f"{100 * row[key]:g}"


def steady(key):
    """A machine that drifts has no throughput in the long run."""
    return lambda row: "-" if row["drift"] else f"{100 * row[key]:.1f}"


def tables(data, table):
    """Placeholders of statistics.md -> tables."""
    ranks = [r for r in data["straggler_points"] if r["planted"] == "nobody"]
    found = {(r["device_spread"], r["new_each_point"], r["spread_given"], r["planted"]): r["found"]
             for r in data["straggler_points"]}

    def power(planted):
        return lambda r: f"{100 * found[r['device_spread'], r['new_each_point'], r['spread_given'], planted]:.1f}"

    return {
        "DEVICES": table(data["devices"], [("devices differ by %", size("device_spread")),
                                           ("rank 0's device always %", share("first")), ("drawn anew %", share("drawn"))]),
        "RANKS": table(ranks, [("devices differ by %", size("device_spread")),
                               ("at each point", lambda r: "anew" if r["new_each_point"] else "alike"),
                               ("--device-spread", lambda r: "given" if r["spread_given"] else "-"),
                               ("any named %", share("named")), ("any intermittent %", share("intermittent")),
                               ("slow one found %", power("every run")), ("slow in 2 of 5 found %", power("2 of 5 runs"))]),
        "SESSIONS": table(data["sessions"], [("runs by session", lambda r: r["runs"]), ("sessions differ by %", size("session")),
                                             ("pooled as runs %", share("pooled")),
                                             ("session is the unit %", lambda r: share("by_session")(r) if r["intervals"] else "no interval")]),
        "CORRELATED": table(data["correlated"], [("points x blocks", lambda r: f"{r['points']} x {r['blocks']}"),
                                                 ("phi", lambda r: f"{r['phi']:g}"), ("drift %", size("drift")),
                                                 ("seen as correlated %", share("correlated")),
                                                 ("drift claimed, correlation ignored %", share("drift_before")),
                                                 ("drift claimed %", share("drift_now")),
                                                 ("throughput, not widened %", steady("covered_before")),
                                                 ("throughput %", steady("covered_now"))]),
    }
