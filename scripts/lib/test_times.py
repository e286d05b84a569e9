"""The times of a run of the tests: `test_times.py BUILD_FOLDER JUNIT_FILE CLOCK`.

Prints what was skipped and why, the 40 slowest entries, the seconds of each label, and the clock of the stages. A label's
seconds are summed over its entries, of which several run at a time; an entry counts for each label that it has.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter, defaultdict

sys.dont_write_bytecode = True  # no cache beside the scripts
from entries import entries_of  # noqa: E402

SLOWEST = 40
# GoogleTest's tests and our Python tests say why in the line after or behind the word.
REASON = re.compile(r"^SKIPPED: (.+)|: Skipped\n(.+)", re.M)


def seconds_of(entry):
    return float(entry.get("time", 0))


def print_skipped(entries):
    reasons = Counter(" ".join(found).strip() for entry in entries
                      for found in REASON.findall(entry.findtext("system-out") or ""))
    if reasons:
        print("\nSkipped:")
    for reason, count in reasons.most_common():
        print(f"{count:6}  {reason[:110]}")


def print_slowest(entries, labels):
    print(f"\nThe {min(SLOWEST, len(entries))} slowest entries:")
    for entry in sorted(entries, key=seconds_of, reverse=True)[:SLOWEST]:
        print(f"{seconds_of(entry):7.1f} s  {','.join(labels[entry.get('name')]):12} {entry.get('name')}")


def print_labels(entries, labels):
    seconds = defaultdict(list)
    for entry in entries:
        for label in labels[entry.get("name")]:
            seconds[label].append(seconds_of(entry))
    print("\nlabel     entries  seconds")
    for label, found in sorted(seconds.items(), key=lambda item: -sum(item[1])):
        print(f"{label:9} {len(found):7} {sum(found):8.0f}")


def main():
    folder, junit, clock = sys.argv[1:]
    labels = {entry.name: entry.labels for entry in entries_of(folder)}  # ctest's JUnit file has none
    entries = list(ElementTree.parse(junit).getroot().iter("testcase"))
    print_skipped(entries)
    print_slowest(entries, labels)
    print_labels(entries, labels)
    print(f"\n{len(entries)} entries, {sum(map(seconds_of, entries)):.0f} s together. The clock, minutes and seconds: {clock}")


if __name__ == "__main__":
    main()
