"""The classes that the program ships (core/statistics/prediction/published_tests.inc), made anew by numpy.

The series are grouped and the rule is applied anew from results/published, and so are lines between two counts.
"""

import collections
import csv
import json
import math
import os
import pathlib
import re
import subprocess
import unittest

import numpy as np

SOURCE = pathlib.Path(os.environ["SCALEMARK_SOURCE_DIR"])
TOOL = pathlib.Path(os.environ["SCALEMARK_BINARY_DIR"]) / "tests/core_tool"
SAME = ("repo", "path", "group", "framework", "system", "workload", "phase", "seq_len", "precision", "batch_per_gpu",
        "data", "unit", "scaling_label")


def published_series():
    groups = collections.defaultdict(list)
    for file in sorted((SOURCE / "results/published").glob("*.jsonl")):
        for line in file.read_text().splitlines():
            row = json.loads(line)
            if "throughput" in row:
                key = tuple(row.get(name) for name in SAME)
                groups[key].append((row["gpus"], row.get("nodes", 1), row["throughput"]))
    for key, points in groups.items():
        if len(points) >= 3 and len({gpus for gpus, _, _ in points}) == len(points):
            yield key[0], sorted(points)


def rule_trials():
    """(source, largest fitted, predicted, new link level, ln(measured / rule), ln(measured / last efficiency holds))"""
    for source, points in published_series():
        for fitted in range(2, len(points)):
            used_nodes = any(nodes > 1 for _, nodes, _ in points[:fitted])
            used_within = any(gpus > nodes for gpus, nodes, _ in points[:fitted])
            n, _, x = points[fitted - 1]
            for gpus, nodes, truth in points[fitted:]:
                new = (nodes > 1 and not used_nodes) or (gpus > nodes and not used_within)
                kept = math.log((truth / gpus) / (x / n))
                yield source, n, gpus, int(new), kept - math.log2(gpus / n) * math.log(0.98), kept


def shipped():
    """The entries of the list, as Python reads them."""
    text = (SOURCE / "core/statistics/prediction/published_tests.inc").read_text()
    for entry in re.findall(r"^\{(.*?)\},$", text, re.S | re.M):
        written = re.sub(r"\.([a-z_]+) = ", r'"\1": ', entry).replace("{", "[").replace("}", "]")
        yield json.loads("{" + written + "}")


def class_of(row):
    doublings = math.log2(int(row["predicted"]) / int(row["largest_fitted"]))
    return int(row["new_link_level"]), math.ceil(doublings - 1e-9)


class Published(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        out = subprocess.run([TOOL, "prediction-study", SOURCE, "trials"], capture_output=True, text=True, timeout=300,
                             check=True).stdout
        cls.trials = list(csv.DictReader(out.splitlines()))
        cls.tests = list(shipped())

    def of(self, test):
        """The trials of a class."""
        return [row for row in self.trials if class_of(row) == (test["new_link_level"], test["doublings"])]

    @staticmethod
    def weights(rows):
        counts = collections.Counter(row["series"] for row in rows)
        return np.array([1 / counts[row["series"]] for row in rows])

    def test_the_rule_is_tried_on_the_same_series(self):
        ours = sorted(rule_trials())
        theirs = sorted((row["source"], int(row["largest_fitted"]), int(row["predicted"]), int(row["new_link_level"]),
                         float(row["rule"]), float(row["last"])) for row in self.trials)
        self.assertEqual(len(ours), len(theirs))
        for a, b in zip(ours, theirs):
            self.assertEqual(a[:4], b[:4])
            np.testing.assert_allclose(a[4:], b[4:], rtol=0, atol=1e-9)

    def test_what_is_tested(self):
        reached = collections.defaultdict(list)
        for row in self.trials:
            reached[class_of(row)].append(row)
        enough = {}
        for key, rows in reached.items():
            for least in sorted({int(row["predicted"]) for row in rows}):
                far = [row for row in rows if int(row["predicted"]) >= least]
                if len({row["series"] for row in far}) >= 5 and len({row["source"] for row in far}) >= 3:
                    enough[key] = least
        found = {(int(test["new_link_level"]), int(test["doublings"])): int(test["largest_world_size"])
                 for test in self.tests}
        self.assertEqual(found, {key: least for key, least in enough.items() if key[1] <= 3})
        for test in self.tests:
            rows = self.of(test)
            self.assertEqual(test["series"], len({row["series"] for row in rows}))
            self.assertEqual(test["sources"], len({row["source"] for row in rows}))

    def test_medians_weigh_series_equally(self):
        for test in self.tests:
            rows = self.of(test)
            misses = np.abs(np.exp([-float(row["rule"]) for row in rows]) - 1)
            expected = np.quantile(misses, 0.5, weights=self.weights(rows), method="inverted_cdf")
            self.assertAlmostEqual(test["median_error"], expected, delta=6e-5)

    def test_lines_between_two_counts(self):
        misses, weights = [], []
        for _, points in published_series():
            for (a, _, x), (n, _, truth), (b, _, y) in zip(points, points[1:], points[2:]):
                each = np.interp(math.log(n), [math.log(a), math.log(b)], [x / a, y / b])
                misses.append(abs(n * each / truth - 1))
                weights.append(1 / (len(points) - 2))
        median, p90 = np.quantile(misses, [0.5, 0.9], weights=weights, method="inverted_cdf")
        said = f"{len(misses)} inner counts of these series by their two neighbours: median {100 * median:.2f} %, p90 {100 * p90:.1f} %"
        self.assertIn(said, (SOURCE / "docs/internals/PREDICTION_STUDY.md").read_text())

    def bands(self, rows_of):
        """Returns, by class, quantiles of measured / predicted, with 1, never narrower than a smaller class's."""
        made = {}
        for test in self.tests:
            rows = rows_of(test)
            ratios = np.exp([float(row["rule"]) for row in rows])
            low, high = np.quantile(ratios, [0.025, 0.975], weights=self.weights(rows), method="inverted_cdf")
            smaller = [band for (new, doublings), band in made.items()
                       if new <= test["new_link_level"] and doublings <= test["doublings"]]
            made[test["new_link_level"], test["doublings"]] = (min([1, low] + [band[0] for band in smaller]),
                                                               max([1, high] + [band[1] for band in smaller]))
        return made

    def test_bands_and_their_coverage(self):
        made = self.bands(self.of)
        for test in self.tests:
            key = test["new_link_level"], test["doublings"]
            np.testing.assert_allclose(test["band"], made[key], rtol=0, atol=6e-5)
            rows = self.of(test)
            without = {source: self.bands(lambda t, s=source: [row for row in self.of(t) if row["source"] != s])[key]
                       for source in {row["source"] for row in rows}}
            inside = [without[row["source"]][0] <= math.exp(float(row["rule"])) <= without[row["source"]][1] for row in rows]
            weights = self.weights(rows)
            self.assertAlmostEqual(test["coverage"], np.dot(weights, inside) / weights.sum(), delta=6e-4)


if __name__ == "__main__":
    unittest.main(verbosity=2)
