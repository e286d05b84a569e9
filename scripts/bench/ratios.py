"""The ratio of two sides that were measured in pairs, with its interval."""

import math
import statistics

# Student's t by degrees of freedom, from 1; beyond the last one the last.
T_975 = [None, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
         2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042]


def in_turn(pair, sides):
    """A B, B A, A B, ...: the speed of a shared machine drifts. `pair` counts from 0."""
    return sides if pair % 2 == 0 else tuple(reversed(sides))


def interval(ratios):
    """Geometric mean and, from two ratios on, the 95 % interval by Student's t on the logarithms."""
    logs = [math.log(ratio) for ratio in ratios]
    mean = sum(logs) / len(logs)
    if len(logs) < 2:
        return math.exp(mean), None
    s = math.sqrt(sum((x - mean) ** 2 for x in logs) / (len(logs) - 1))
    half = T_975[min(len(logs) - 1, len(T_975) - 1)] * s / math.sqrt(len(logs))
    return math.exp(mean), (math.exp(mean - half), math.exp(mean + half))


def median_interval(ratios):
    """The median and its 95 % interval by order statistics (sign test): no assumption about the tails. From 6 ratios on."""
    ordered, n = sorted(ratios), len(ratios)
    outside, below = 0, 0.5 ** n  # below: of k or fewer ratios under the median
    while below + math.comb(n, outside + 1) * 0.5 ** n <= 0.025:
        outside += 1
        below += math.comb(n, outside) * 0.5 ** n
    return statistics.median(ordered), (ordered[outside], ordered[n - 1 - outside])
