"""Runs on two levels, and the fastest of several points, in the study of the statistics. Gates, what they leave out, tables."""

# section, which scenarios, trials in CI
RUNS = [("levels", "few", 50), ("fastest", "few", 50)]
SECTIONS = [name for name, _, _ in RUNS]
KEYS = ("kind", "noise", "slow_by", "share", "uneven", "ahead")
# Repetitions from which a level that is there to be seen is found: fewer cannot know how far runs of one level part.
ENOUGH_RUNS = 10


def of(rows, kind):
    return sorted((r for r in rows if r["kind"] == kind), key=lambda r: (r["slow_by"], r["runs"], r["noise"]))


def add_gates(gates, data):
    gates.add("two levels: claimed at any of 12 points of one level", of(data["levels"], "one level"), lambda r: r["any"], None, 0.05)
    gates.add("two levels: found where slow runs are among 10 and more",
              [r for r in of(data["levels"], "two levels") if r["runs"] >= ENOUGH_RUNS], lambda r: r["found"], 0.90)
    gates.add("fastest: a point as fast as it told apart from it", [r for r in data["fastest"] if not r["ahead"]],
              lambda r: r["told_apart"], None, 0.05)


def limits(data):
    return [("two levels: claimed at any of 12 points whose runs have heavy tails", of(data["levels"], "heavy tails"), "any", 0, 0.05),
            ("two levels: found where slow runs are among 5",
             [r for r in of(data["levels"], "two levels") if r["runs"] < ENOUGH_RUNS], "found", 0.90, 1),
            ("throughput, runs on two levels", of(data["levels"], "two levels"), "covered", 0.93, 1)]


def share(key):
    return lambda row: f"{100 * row[key]:.1f}"


def size(key):
    return lambda row: f"{100 * row[key]:g}"


def unseen(table):
    """Chances that no run of R is in a state that a share p of runs is in: by formula."""
    shares = (0.02, 0.05, 0.1, 0.2, 0.3)
    columns = [("repetitions", lambda runs: runs)]
    columns += [(f"state of {100 * p:g} % of runs, missed %", lambda runs, p=p: f"{100 * (1 - p) ** runs:.0f}") for p in shares]
    columns += [("only excluded (95 %) above %", lambda runs: f"{100 * (1 - 0.05 ** (1 / runs)):.0f}")]
    return table((1, 3, 5, 10, 20, 60), columns)


def tables(data, table):
    """Placeholders of statistics.md -> tables."""
    return {
        "UNSEEN": unseen(table),
        "ONE_LEVEL": table(of(data["levels"], "one level") + of(data["levels"], "heavy tails"), [
            ("runs", lambda r: "normal" if r["kind"] == "one level" else "heavy tails (t, 3 degrees)"),
            ("repetitions", lambda r: r["runs"]), ("differ by %", size("noise")),
            ("claimed at any of 12 points %", share("any")), ("by gaps alone %", share("any_by_gaps")),
            ("at a point, by gaps alone %", share("by_gaps"))]),
        "TWO_LEVELS": table(of(data["levels"], "two levels"), [
            ("slow by %", size("slow_by")), ("share of runs %", size("share")), ("repetitions", lambda r: r["runs"]),
            ("no slow run among them %", share("unseen")), ("found where there is one %", share("found")),
            ("by gaps alone %", share("found_by_gaps")), ("interval holds the mean of both %", share("covered"))]),
        "FASTEST": table(sorted(data["fastest"], key=lambda r: (r["ahead"], r["uneven"], r["runs"])), [
            ("repetitions", lambda r: r["runs"]), ("noise", lambda r: "1 and 0.33 %" if r["uneven"] else "1 %"),
            ("first point ahead by %", size("ahead")), ("any told apart %", share("told_apart")),
            ("by Holm alone %", share("by_holm")), ("all told apart %", share("alone")), ("the right one named %", share("right"))]),
    }
