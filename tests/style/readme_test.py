"""README.md is true where a newcomer starts: the first block holds the two commands that do everything, of which the second is
what CI calls, and no block has what a shell takes otherwise (zsh reads a comment behind a command as arguments). Its table agrees
with itself: speed-up is the ratio of rates, and efficiency the speed-up by the ratio of ranks, each within the printed rounding."""

import os
import re
from pathlib import Path

from program import check

SOURCE = Path(os.environ["SCALEMARK_SOURCE_DIR"])
README = (SOURCE / "README.md").read_text()
FIRST_SCREEN = 24  # lines, without the picture


def commands_in(text):
    """Blocks of commands: lines that four blanks indent, behind an empty line."""
    return [re.findall(r"^ {4}(.+)$", block, re.M) for block in re.findall(r"\n\n((?: {4}\S.*\n)+)", text)]


def check_commands():
    blocks = commands_in(README)
    first = commands_in("\n".join(README.splitlines()[:FIRST_SCREEN]) + "\n")
    check(first and first[0] == ["scripts/quickstart", "scripts/test"], f"the first block is {first[:1]}")
    for command in first[0]:
        check(os.access(SOURCE / command, os.X_OK), f"{command} does not run")
        check(re.search(rf"`{command}` [^`]*\d+ minutes", README.replace("\n", " ")), f"README.md does not say how long {command} takes")
    [called] = re.findall(r"^exec (.+)$", (SOURCE / ".ci/run").read_text(), re.M)
    check(called == f'{first[0][1]} "$@"', f".ci/run calls '{called}', which is not {first[0][1]}")
    for line in (line for block in blocks for line in block):
        check(" #" not in line, f"zsh takes the comment of '{line}' for arguments")


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
    """Cells by head: cells part at two blanks, and the baseline has neither speed-up nor efficiency."""
    lines = re.search(r"^ranks  .*\n((?:.+\n)+)", table + "\n", re.M)
    check(lines, f"no table of ranks in\n{table}")
    cells = [re.split(r" {2,}", line.strip()) for line in lines[1].splitlines()]
    return [dict(zip(["ranks", "rate", "speed_up", "efficiency", "interval"], row if "baseline" not in row else row[:2])) for row in cells]


def check_table(table):
    rows = rows_of(table)
    check(len(rows) >= 3, f"{len(rows)} rows: one rank, several, and several without exchange are expected")
    base = Printed(rows[0]["rate"])
    check(rows[0]["ranks"] == "1" and "efficiency" not in rows[0], f"the first row is no baseline: {rows[0]}")
    for row in rows[1:]:
        ranks, rate = int(row["ranks"].partition(",")[0]), Printed(row["rate"])
        speed_up, efficiency = Printed(row["speed_up"]), Printed(row["efficiency"].removesuffix(" %"))
        check(agrees(speed_up, rate.low / base.high, rate.high / base.low), f"the speed-up is not the ratio of rates: {row}")
        check(agrees(efficiency, 100 * speed_up.low / ranks, 100 * speed_up.high / ranks),
              f"efficiency is not the speed-up by {ranks} ranks: {row}")
        low, high = (float(end) for end in re.findall(r"\d+", row["interval"]))
        check(low <= efficiency.high and efficiency.low <= high, f"the efficiency lies outside its interval: {row}")
    return rows


def check_the_check():
    """Digits may be mistyped: that is found."""
    good = ("ranks           images/s  speed-up  efficiency (95 %)\n1                  14.86            baseline\n"
            "2                  22.85      1.54  77 %  (70 to 85)\n2, no exchange     28.00      1.88  94 %  (90 to 99)\n")
    check_table(good)
    for right, wrong in (("22.85", "23.85"), ("1.54", "1.56"), ("77 %", "79 %"), ("(70 to 85)", "(80 to 85)"), ("  baseline", "1.00  100 %")):
        try:
            check_table(good.replace(right, wrong))
        except SystemExit:
            continue
        check(False, f"{wrong} for {right} was not found")


check_commands()
check_the_check()
rows = check_table(block_after(README, "A sweep ends with its answer"))
print(f"{len(rows)} rows of the README's table agree with themselves")
