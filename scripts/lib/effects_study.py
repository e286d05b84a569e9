"""The effects of options, in the study of the statistics: effects over an axis, and the search of --tune. It has gates, what they leave
out, and tables."""

# section, which scenarios, trials in CI
RUNS = [("effects", "few", 125), ("tuning", "few", 125)]
SECTIONS = [name for name, _, _ in RUNS]
KEYS = ("blocks", "run_cv", "effect", "values", "planted")


def planted(data, effect, **wanted):
    return [r for r in data["effects"] if r["effect"] == effect and all(r[key] == value for key, value in wanted.items())]


def add_gates(gates, data):
    calm = [r for r in data["effects"] if r["blocks"] == 5 and r["run_cv"] <= 0.01]
    gates.add("effects: intervals of the ratio", data["effects"], lambda r: r["covered"], 0.93, 0.97)
    gates.add("effects: any of an axis called real where there is none", planted(data, 0), lambda r: r["any_false_real"], None, 0.05)
    gates.add("effects: 5 % found by 5 blocks, runs differ by up to 1 %", [r for r in calm if r["effect"] == 0.05],
              lambda r: r["real"], 0.95)
    gates.add("effects: an effect of 3 % or more called none", [r for r in data["effects"] if r["effect"]],
              lambda r: r["none"], None, 0.05)
    gates.add("--tune: the fastest value dropped", data["tuning"], lambda r: r["best_dropped"], None, 0.05)
    gates.add("--tune: intervals of all effects", data["tuning"], lambda r: r["covered"], 0.93)


def limits(data):
    """Rows of what is kept out of the gates: name, rows, key, low, high."""
    dropped = [r for r in data["tuning"] if r["dropped_share"] > 0.01]
    rough = [r for r in data["effects"] if r["effect"] == 0.05 and r["blocks"] == 5 and r["run_cv"] > 0.01]
    return [("--tune: intervals of the effects of values that were dropped", dropped, "covered_dropped", 0.93, 1),
            ("effects: 5 % found by 5 blocks, runs differ by 2 %", rough, "real", 0.95, 1)]


def ordered(rows):
    return sorted(rows, key=lambda r: (r.get("planted", ""), r["blocks"], r["run_cv"], r.get("values", 0)))


def share(key):
    return lambda row: f"{100 * row[key]:.1f}"


def size(key):
    return lambda row: f"{100 * row[key]:g}"


def tables(data, table):
    """Placeholders of statistics.md -> tables."""
    def power(effect):
        found = {(r["blocks"], r["run_cv"], r["values"]): r["real"] for r in planted(data, effect)}
        return lambda r: f"{100 * found[r['blocks'], r['run_cv'], r['values']]:.1f}"

    return {
        "EFFECTS": table(ordered(planted(data, 0)), [("blocks", lambda r: r["blocks"]), ("runs differ by %", size("run_cv")),
                                            ("values", lambda r: r["values"]), ("interval holds it %", share("covered")),
                                            ("any called real %", share("any_false_real")), ("each called none %", share("none")),
                                            ("3 % found %", power(0.03)), ("5 % found %", power(0.05)), ("10 % found %", power(0.1))]),
        "TUNING": table(ordered(data["tuning"]), [("planted", lambda r: r["planted"]), ("blocks", lambda r: r["blocks"]),
                                         ("runs differ by %", size("run_cv")), ("fastest dropped %", share("best_dropped")),
                                         ("ended early %", share("early")), ("runs spent %", share("share_of_runs")),
                                         ("effects held %", share("covered")),
                                         ("of dropped values %", lambda r: share("covered_dropped")(r) if r["dropped_share"] > 0.01 else "-")]),
    }
