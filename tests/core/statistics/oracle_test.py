"""Intervals, tests and drift against scipy and numpy on random series."""

import os
import pathlib
import subprocess
import unittest

import numpy as np
from scipy import stats

PROGRAM = pathlib.Path(os.environ["SCALEMARK_BINARY_DIR"]) / "tests/statistics_answers"


def ask(questions):
    """questions: [(name, series...)]; all in one call of the program."""
    lines = [name + " " + " | ".join(" ".join(repr(float(v)) for v in one) for one in series) for name, *series in questions]
    result = subprocess.run([PROGRAM], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    return [[float(word) for word in line.split()] for line in result.stdout.splitlines()]


class Oracle(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(1)

    def compare(self, questions, expected):
        answers = ask(questions)
        self.assertEqual(len(answers), len(expected))
        for answer, wanted in zip(answers, expected):
            np.testing.assert_allclose(answer, wanted, rtol=1e-9, atol=1e-12)

    def rates(self, n):
        return 100 * np.exp(0.02 * self.random.standard_normal(n))

    def test_intervals_over_runs(self):
        questions, expected = [], []
        for n in (2, 3, 5, 10, 50):
            x = self.rates(n)
            low, high = stats.t.interval(0.95, n - 1, np.log(x).mean(), stats.sem(np.log(x)))
            questions.append(("runs", x))
            expected.append([stats.gmean(x), np.exp(low), np.exp(high), stats.variation(x, ddof=1)])
        self.compare(questions, expected)

    def test_paired_efficiency(self):
        questions, expected = [], []
        for n in (2, 5, 20):
            one, four = self.rates(n), 3.7 * self.rates(n)
            pairs = stats.ttest_rel(np.log(four), np.log(4 * one)).confidence_interval(0.95)
            questions.append(("efficiency", one, four))
            expected.append([stats.gmean(four / one) / 4, np.exp(pairs.low), np.exp(pairs.high)])
        self.compare(questions, expected)

    def test_welch(self):
        questions, expected = [], []
        for n, m in ((3, 3), (5, 5), (3, 12), (20, 4)):
            a, b = self.random.standard_normal(n), 3 * self.random.standard_normal(m) + 1
            test = stats.ttest_ind(b, a, equal_var=False)
            interval = test.confidence_interval(0.90)
            questions.append(("welch", a, b))
            expected.append([b.mean() - a.mean(), test.df, test.pvalue, interval.low, interval.high])
        self.compare(questions, expected)

    def test_the_smallest_change_that_is_found(self):
        """d_min = (t(1 - a / 2m) + t(.95)) SE of each of m points, with Welch's degrees of freedom."""
        for m in (1, 2, 12, 40):
            sides = [(self.rates(int(n)), self.rates(int(k))) for n, k in self.random.integers(3, 12, (m, 2))]
            wanted = []
            for a, b in sides:
                test = stats.ttest_ind(np.log(b), np.log(a), equal_var=False)
                error = (np.log(b).mean() - np.log(a).mean()) / test.statistic
                wanted.append(np.expm1((stats.t.ppf(1 - 0.05 / (2 * m), test.df) + stats.t.ppf(0.95, test.df)) * error))
            self.compare([("smallest_found", *(side for pair in sides for side in pair))], [wanted])

    def test_holm(self):
        """Rejected at a level if and only if the step-down procedure as published rejects."""
        for _ in range(20):
            p = self.random.uniform(0, 0.2, 12) ** 2
            adjusted = np.array(ask([("holm", p)])[0])
            for level in (0.001, 0.01, 0.05, 0.3):
                rejected = np.zeros(len(p), bool)
                for i, k in enumerate(np.argsort(p)):
                    if p[k] > level / (len(p) - i):
                        break
                    rejected[k] = True
                np.testing.assert_array_equal(adjusted <= level, rejected)

    def test_drift(self):
        """Least squares with one column per point and one for time."""
        for blocks, points in ((3, 2), (5, 4), (10, 12)):
            order = np.concatenate([self.random.permutation(points) for _ in range(blocks)])
            time = np.cumsum(self.random.uniform(1, 3, len(order)))
            log_rate = order + 1e-3 * time + 0.01 * self.random.standard_normal(len(order))
            design = np.column_stack([order[:, None] == np.arange(points), time])
            fitted, squares, _, _ = np.linalg.lstsq(design, log_rate, rcond=None)
            degrees = len(order) - points - 1
            error = np.sqrt(squares[0] / degrees * np.linalg.inv(design.T @ design)[-1, -1])
            slopes = fitted[-1] + np.array([0, -1, 1]) * stats.t.ppf(0.975, degrees) * error
            self.compare([("drift", order, time, np.exp(log_rate))], [np.expm1(slopes * (time[-1] - time[0]))])

    def test_sessions_are_the_unit(self):
        sessions = [self.rates(n) for n in (3, 2, 4, 1)]
        means = np.array([np.log(x).mean() for x in sessions])
        low, high = stats.t.interval(0.95, 3, means.mean(), stats.sem(means))
        self.compare([("sessions", *sessions)], [np.exp([means.mean(), low, high])])

    def test_correlation_of_runs(self):
        """Against the residuals and the projection of least squares with one column per point and one for time."""
        for blocks, points in ((3, 2), (5, 4), (10, 12)):
            order = np.concatenate([self.random.permutation(points) for _ in range(blocks)])
            time = np.cumsum(self.random.uniform(1, 3, len(order)))
            log_rate = order + 0.01 * np.convolve(self.random.standard_normal(len(order) + 3), np.ones(4), "valid")
            design = np.column_stack([order[:, None] == np.arange(points), time - time.mean()]).astype(float)
            keeps = np.eye(len(order)) - design @ np.linalg.pinv(design)
            left = keeps @ log_rate
            expected = np.trace(keeps, 1) / np.trace(keeps)
            lag1 = (left[1:] * left[:-1]).sum() / (left ** 2).sum() - expected
            significant = lag1 * np.sqrt(len(order)) > stats.norm.ppf(0.95)
            self.compare([("correlation", order, time, np.exp(log_rate))], [[lag1, significant]])

    def test_growth_of_intervals(self):
        """n_eff from the covariance matrix of AR(1): the variance of the mean, and what s^2 is in the mean."""
        for lag1 in (0, 0.3, 0.9):
            places = np.sort(self.random.choice(60, 5, replace=False))
            covariance = lag1 ** np.abs(places[:, None] - places[None, :]) if lag1 else np.eye(5)
            of_mean = covariance.mean()
            of_spread = (np.trace(covariance) - 5 * of_mean) / 4
            self.compare([("growth", places, [lag1])], [[np.sqrt(of_mean / (of_spread / 5))]])

    def test_ranks_against_healthy_devices(self):
        own = 0.02 * self.random.standard_normal((5, 8))
        for spread in (0, 0.02):
            deviations = np.array([[run[r] - np.median(np.delete(run, r)) for r in range(8)] for run in own])
            p = []
            for r in range(8):
                others = np.delete(own.mean(0), r)
                left = np.delete(deviations - deviations.mean(0), r, 1).ravel()
                of_runs = 5 / 4 * (1.4826 * np.median(np.abs(left - np.median(left)))) ** 2
                least = max(0.005, np.sqrt(spread ** 2 * (1 + np.pi / 2 / 7) + of_runs / 5) if spread else 0)
                s = max(1.4826 * np.median(np.abs(others - np.median(others))), least)
                p.append(stats.norm.sf(deviations[:, r].mean() / s))
            adjusted = np.empty(8)
            order = np.argsort(p)
            adjusted[order] = np.minimum(1, np.maximum.accumulate((8 - np.arange(8)) * np.array(p)[order]))
            wanted = np.column_stack([deviations.mean(0), adjusted]).ravel()
            self.compare([("ranks", [spread], *own)], [wanted])

    def test_one_sided_bound(self):
        x = self.random.standard_normal(5)
        self.compare([("bound", x)], [[x.mean() - stats.t.ppf(0.95, 4) * stats.sem(x)]])


if __name__ == "__main__":
    unittest.main()
