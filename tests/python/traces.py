"""Chrome traces as PyTorch's profiler writes them."""

import json
import re
from collections import Counter
from pathlib import Path

ROUNDING_us = 0.0015  # times stand there in microseconds with three digits


class Trace:
    def __init__(self, file):
        self.page = json.loads(Path(file).read_text())
        self.events = [event for event in self.page["traceEvents"] if event["ph"] == "X"]

    def keys(self):
        """Of the page, its events aside."""
        return set(self.page) - {"traceEvents"}

    def categories(self):
        """Of all events, flows among them."""
        return {event["cat"] for event in self.page["traceEvents"] if "cat" in event}

    def ranges(self, pattern):
        """User annotations whose whole name matches, in order of time."""
        found = [e for e in self.events if e["cat"] == "user_annotation" and re.fullmatch(pattern, e["name"])]
        return sorted(found, key=lambda event: event["ts"])

    def begun_in(self, outer):
        """What begins within `outer` on the same thread, itself not counted."""
        end = outer["ts"] + outer["dur"]
        return [e for e in self.events
                if e is not outer and e["tid"] == outer["tid"] and outer["ts"] <= e["ts"] < end]

    def operators(self, outer):
        return Counter(event["name"] for event in self.begun_in(outer) if event["cat"] == "cpu_op")


def lies_in(inner, outer):
    return (inner["tid"] == outer["tid"] and inner["ts"] >= outer["ts"] - ROUNDING_us
            and inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"] + ROUNDING_us)
