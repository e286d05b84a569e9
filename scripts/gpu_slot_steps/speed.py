"""Speed beside Python's on the same card: alternating pairs, one step each, judged over all pairs so far."""

import json
from dataclasses import dataclass

from bench.ratios import in_turn, interval

from .judges import ok_point
from .step import failed, passed

PAIRS = 2
AT_LEAST = 0.95  # relative to Python's speed; two pairs cannot tell a smaller difference from noise


@dataclass(frozen=True)
class Row:
    name: str
    workload: str
    precision: str
    batch: int
    iters: int
    warmup: int
    tokens: int = 0

    def options(self, batch):
        """The same for both sides."""
        length = ("--sequence-length", self.tokens) if self.tokens else ()
        return ("--workload", self.workload, "--precision", self.precision, "--batch-size", batch, *length)


ROWS = (
    Row("resnet50-bf16", "resnet50", "amp-bf16", 256, 60, 20),
    Row("bert-large-512", "bert-large", "amp-bf16", 32, 30, 10, 512),
    Row("bert-base-128", "bert-base", "amp-bf16", 64, 100, 30, 128),
    Row("resnet50-fp16", "resnet50", "amp-fp16", 256, 60, 20),
)


def run_name(row, side, pair):
    return f"speed-{row.name}-{side}-{pair}"


def complete(results, row, pair):
    """Both sides have ended well; a pair that failed was reported in its own step."""
    sides = [results.get(run_name(row, side, pair)) for side in ("ours", "python")]
    return all(side and side.code == 0 for side in sides)


def rates(results, row, pair):
    """Samples per second of both sides."""
    ours = ok_point(results[run_name(row, "ours", pair)])["samples_per_sec"]
    said = [line for line in results[run_name(row, "python", pair)].log.splitlines() if line.startswith("{")]
    return ours, json.loads(said[-1])["samples_per_sec"]


def as_fast_as_python(row, pair):
    """The geometric mean over the pairs so far, with Student's interval on the logarithms."""
    def judge(results):
        done = [rates(results, row, k) for k in range(1, pair + 1) if complete(results, row, k)]
        ratio, bounds = interval([ours / python for ours, python in done])
        spread = f" [{bounds[0]:.2f}, {bounds[1]:.2f}]" if bounds else ""
        text = f"{ratio:.3f} x Python{spread}, {len(done)} pair(s): {done[-1][0]:.1f} against {done[-1][1]:.1f} /s"
        return passed(text) if ratio >= AT_LEAST else failed(f"{text}; at least {AT_LEAST} is wanted")
    return judge


__all__ = ["PAIRS", "ROWS", "Row", "as_fast_as_python", "in_turn", "run_name"]
