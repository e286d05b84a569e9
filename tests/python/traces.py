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
        """Returns the keys of the page, its events aside."""
        return set(self.page) - {"traceEvents"}

    def categories(self):
        """Returns the categories of all events, flows among them."""
        return {event["cat"] for event in self.page["traceEvents"] if "cat" in event}

    def ranges(self, pattern):
        """User annotations whose whole name matches, in order of time."""
        found = [e for e in self.events if e["cat"] == "user_annotation" and re.fullmatch(pattern, e["name"])]
        return sorted(found, key=lambda event: event["ts"])

    def operators(self, outer):
        """Returns the operators that begin within `outer`, by name."""
        return Counter(e["name"] for e in self.events if e["cat"] == "cpu_op" and begins_in(e, outer))


def begins_in(inner, outer):
    return inner["tid"] == outer["tid"] and outer["ts"] <= inner["ts"] < outer["ts"] + outer["dur"]


def lies_in(inner, outer):
    return (inner["tid"] == outer["tid"] and inner["ts"] >= outer["ts"] - ROUNDING_us
            and inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"] + ROUNDING_us)
