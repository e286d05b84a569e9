"""The README's table agrees with itself: rate x step time are the samples of a step, speed-up is the ratio of rates, and
efficiency the speed-up by the ratio of ranks, each within the printed rounding."""

import os
import re
from pathlib import Path

from program import check

README = (Path(os.environ["SCALEMARK_SOURCE_DIR"]) / "README.md").read_text()


def block_after(text, sentence):
    """The fenced block behind a sentence."""
    found = re.search(re.escape(sentence) + r".*?\n```\n(.*?)\n```", text, re.S)
    check(found, f"README.md has no table behind '{sentence}'")
    return found[1]


class Printed:
    """A number as it was printed: [low, high] is what rounds to it. "~": two digits mean something."""

    def __init__(self, text):
        digits = text.removeprefix("~")
        unit = 10.0 ** -len(digits.partition(".")[2])
        if text.startswith("~") and "." not in digits:  # two digits, then zeros
            unit = 10.0 ** max(0, len(digits) - 2)
        self.text, self.low, self.high = text, float(digits) - unit / 2, float(digits) + unit / 2


def agrees(printed, low, high):
    return printed.low <= high and low <= printed.high


def rows_of(table):
    """Cells by head, of the scaling table: cells part at two blanks, and all up to the efficiency are filled."""
    heads = ["ranks", "strategy", "rate", "step_ms", "speed_up", "efficiency"]
    lines = re.search(r"^Scaling, .*\n\n.*\n.*\n((?:.+\n)+)", table + "\n", re.M)
    check(lines, f"no scaling table in\n{table}")
    return [dict(zip(heads, re.split(r" {2,}", line.strip()))) for line in lines[1].splitlines()]


def check_table(table):
    batch = re.search(r"\bbatch_size (\d+)", table)
    check(batch, "the table does not say its batch size")
    rows = rows_of(table)
    check(len(rows) >= 3, f"{len(rows)} rows: one rank, several, and solo are expected")
    one = next(row for row in rows if row["ranks"] == "1" and row["strategy"] == "none")
    base = Printed(one["rate"])
    for row in rows:
        ranks, rate, step = int(row["ranks"]), Printed(row["rate"]), Printed(row["step_ms"])
        speed_up, efficiency = Printed(row["speed_up"]), Printed(row["efficiency"])
        samples = ranks * int(batch[1])
        check(rate.low * step.low / 1000 <= samples <= rate.high * step.high / 1000,
              f"{rate.text}/s x {step.text} ms is not {samples} samples: {row}")
        check(agrees(speed_up, rate.low / base.high, rate.high / base.low), f"the speed-up is not the ratio of rates: {row}")
        check(agrees(efficiency, 100 * speed_up.low / ranks, 100 * speed_up.high / ranks),
              f"efficiency is not the speed-up by {ranks} ranks: {row}")
    return rows


def check_the_check():
    """What was wrong once is found: the mean of each step's slowest rank is no step time, and digits may be mistyped."""
    good = ("Scaling, weak, batch size 8\n\n                 samples\nranks  strategy    per s  step ms  speed-up  effic. %\n"
            "    1  none        14.86    538.4      1.00     100.0\n    2  ddp         22.85    700.2      1.54      76.9\n"
            "    2  solo        28.00    571.4      1.88      94.2\n\n- fixed: batch_size 8\n")
    check_table(good)
    for right, wrong in (("700.2", "708.2"), ("1.54", "1.56"), ("76.9", "77.9"), ("batch_size 8", "batch_size 9")):
        try:
            check_table(good.replace(right, wrong))
        except SystemExit:
            continue
        check(False, f"{wrong} for {right} was not found")


check_the_check()
rows = check_table(block_after(README, "`scripts/quickstart` ends with"))
print(f"{len(rows)} rows of the README's table agree with themselves")
