"""The part of the simulation study (scripts/statistics) that judges and shows old against new."""

ORDER = ("one session each", "in one go", "falsely in one go", "three sessions each", "five sessions each")
FEW_SESSIONS_DIFFER = 0.01  # up to here five sessions per side must find a change of 5 %


def of(rows, arrangement, planted=None):
    return [r for r in rows if r["arrangement"] == arrangement and planted in (None, r["planted"])]


def add_gates(gates, rows):
    """gates.add(what, rows, value, low, high), as scripts/statistics has it."""
    gates.add("compare, one session per side: any point called slower or faster", of(rows, "one session each"),
              lambda r: r["false_alarms"], None, 0)
    for said, arrangement in (("--same-session, rightly", "in one go"), ("five sessions per side", "five sessions each")):
        gates.add(f"compare, {said}: any false alarm among 12 points", of(rows, arrangement),
                  lambda r: r["false_alarms"], None, 0.05)
    gates.add("compare, --same-session, rightly: a change of 5 % found", of(rows, "in one go", "five percent"),
              lambda r: r["found"], 0.95)
    gates.add("compare, five sessions per side that differ by at most 1 %: a change of 5 % found",
              [r for r in of(rows, "five sessions each", "five percent") if r["session_cv"] <= FEW_SESSIONS_DIFFER],
              lambda r: r["found"], 0.95)
    gates.add("compare, five units per side: a change of d_min significant",
              of(rows, "in one go", "smallest found") + of(rows, "five sessions each", "smallest found"),
              lambda r: r["significant"], 0.80)


def limits(rows):
    """Returns what the gates leave out: (what, rows, key, low, high)."""
    return [("compare, --same-session although sessions differ by 0.3 to 2 %: any false alarm",
             [r for r in of(rows, "falsely in one go") if r["session_cv"] > 0], "false_alarms", 0, 0.05),
            ("compare, five sessions per side that differ by 2 %: a change of 5 % found",
             [r for r in of(rows, "five sessions each", "five percent") if r["session_cv"] > FEW_SESSIONS_DIFFER],
             "found", 0.95, 1),
            ("compare, three sessions per side: a change of 5 % found", of(rows, "three sessions each", "five percent"),
             "found", 0.95, 1)]


def columns():
    """Returns the columns of table_rows()'s rows: (head, function of a row)."""
    def percent(planted, key):
        return lambda row: f"{100 * row[planted][key]:.1f}"

    def size(planted, key):
        return lambda row: f"{100 * row[planted][key]:.2f}"

    return [("measured", lambda r: r["nothing"]["arrangement"]),
            ("sessions differ by %", lambda r: f"{100 * r['nothing']['session_cv']:g}"),
            ("points", lambda r: "-" if not r["nothing"]["session_cv"] else "each" if r["nothing"]["session_per_point"] else "alike"),
            ("any false alarm %", percent("nothing", "false_alarms")), ("any said to differ %", percent("nothing", "differs")),
            ("unchanged called same %", percent("nothing", "same")), ("-5 % found %", percent("five percent", "found")),
            ("-5 % called same %", percent("five percent", "missed")),
            ("d_min, median %", size("nothing", "smallest_found")), ("d_min found %", percent("smallest found", "significant"))]


def table_rows(rows):
    """One row for each setup, which holds its scenarios by what was planted."""
    setups = {}
    for r in rows:
        setups.setdefault((ORDER.index(r["arrangement"]), r["session_cv"], r["session_per_point"]), {})[r["planted"]] = r
    return [setups[key] for key in sorted(setups)]
