"""Intervals, tests and drift against scipy and numpy on random series."""

import os
import pathlib
import subprocess
import unittest

import mpmath
import numpy as np
from scipy import linalg, optimize, signal, special, stats

TOOL = pathlib.Path(os.environ["SCALEMARK_BINARY_DIR"]) / "tests/core_tool"


def ask(questions):
    """questions: [(name, series...)]; all in one call of the program."""
    lines = [name + " " + " | ".join(" ".join(repr(float(v)) for v in one) for one in series) for name, *series in questions]
    result = subprocess.run([TOOL, "statistics-answers"], input="\n".join(lines) + "\n", capture_output=True, text=True,
                            check=True)
    return [[float(word) for word in line.split()] for line in result.stdout.splitlines()]


LENGTHS = np.array([0.05, 0.1, 0.2, 0.5, 1])


def window(random, n, phi, cv=0.02):
    """Step times around 1, AR(1), one in a hundred three times as long."""
    noise = signal.lfilter([np.sqrt(1 - phi ** 2)], [1, -phi], random.standard_normal(n + 200))[200:]
    return (1 + cv * noise) * np.where(random.random(n) < 0.01, 3, 1)


def points_of(steps):
    """Clipped, and averaged to at most 4,096."""
    limit = 6 * 1.4826 * np.median(np.abs(steps - np.median(steps)))
    clipped = np.clip(steps, np.median(steps) - limit, np.median(steps) + limit)
    together = -(-len(steps) // 4096)
    return clipped[:len(steps) // together * together].reshape(-1, together).mean(1)


def independent(residuals, parameters):
    n = len(residuals)
    phi = residuals[1:] @ residuals[:-1] / (residuals @ residuals)
    phi = np.clip(phi + (parameters + 4 * phi) / n, 0, 0.99)
    return phi, n * (1 - phi) / (1 + phi)


def decays_of(points):
    n = len(points)
    x = (np.arange(n) + 0.5) / n
    trend, _ = np.linalg.qr(np.column_stack([np.ones(n), x, np.exp(-x / 0.05), np.exp(-x / 0.2)]))
    cosines = np.cos(np.pi * np.outer(x, np.arange(1, 12)))
    directions, _, _ = linalg.qr(cosines - trend @ (trend.T @ cosines), mode="economic", pivoting=True)
    noise = ((directions[:, :8].T @ points) ** 2).mean()
    rest = points - trend @ (trend.T @ points)
    phi, n_eff = independent(rest, 4)
    if n_eff < 32:
        noise = max(noise, rest @ rest / (n - 4) * (1 + phi) / (1 - phi))
    decays = np.exp(-x[:, None] / LENGTHS)
    fits = [stats.linregress(decay, points) for decay in decays.T]
    bias = [fit.slope * decay.mean() / points.mean() for fit, decay in zip(fits, decays.T)]
    error = np.sqrt(noise / (n * decays.var(0))) * decays.mean(0) / points.mean()
    return np.array(bias), error, [n_eff]


def squares_around(values, design):
    return ((values - design @ np.linalg.lstsq(design, values, rcond=None)[0]) ** 2).sum()


def change_in(points):
    n = len(points)
    edges = np.arange(21) * n // 20
    batches = lambda values: np.array([values[a:b].mean() for a, b in zip(edges, edges[1:])])  # noqa: E731
    levels = lambda size, k: np.column_stack([np.arange(size) < k, np.arange(size) >= k]).astype(float)  # noqa: E731
    means = batches(points)
    k = min(range(2, 19), key=lambda k: squares_around(means, levels(20, k)))
    first = min(range(edges[k - 1] + 1, edges[k + 1]), key=lambda i: squares_around(points, levels(n, i)))
    before, after = points[:first].mean(), points[first:].mean()
    bias = points.mean() / (before if 2 * first >= n else after) - 1
    rest = means - np.repeat([means[:k].mean(), means[k:].mean()], [k, 20 - k])
    r = np.clip(rest[1:] @ rest[:-1] / (rest @ rest) + 0.1, 0, 0.9)
    t2 = (means[k:].mean() - means[:k].mean()) ** 2 / (rest @ rest / 18 * (1 / k + 1 / (20 - k)) * (1 + r) / (1 - r))
    x = (np.arange(n) + 0.5) / n
    trends = [np.column_stack([np.ones(20), batches(shape)]) for shape in (x, *np.exp(-x[:, None] / LENGTHS).T)]
    found = t2 > 25 and abs(bias) > 0.0025 and all(squares_around(means, one) > rest @ rest for one in trends)
    around = points - np.repeat([before, after], [first, n - first])
    return [first, after / before - 1, bias, independent(around, 2)[1], found]


def verdict_on(steps):
    """steady (1, 0, -1 unknown), bound, step of the change."""
    points = points_of(steps)
    bias, error, [n_eff] = decays_of(points)
    first, _, shift, n_eff_change, found = change_in(points)
    clear = (np.abs(bias) > np.maximum(0.0025, stats.t.ppf(0.992, 8) * error)).any()
    bound = (np.abs(bias) + stats.t.ppf(0.965, 8) * error).max()
    sure = len(steps) >= 200 and max(clear * n_eff, found * n_eff_change) >= 32
    steady = 0 if sure else 1 if not clear and not found and n_eff >= 32 and bound <= 0.005 else -1
    return [steady, max(bound, abs(shift)) if found else bound, first * -(-len(steps) // 4096) if found else -1]


OUTCOMES = PASS, FAIL, REPEAT, UNSURE = range(4)


def fleet_reference(means, variance):
    """The k-th highest, its squared error as counts above it vary and fall, and its lift by noise, from `variance` of a mean."""
    top, error = np.sort(means)[-int(np.ceil(round(0.3 * len(means), 6)))], np.sqrt(variance)
    z = (means - top) / error
    squared = variance * min(1, (stats.norm.cdf(z) * stats.norm.sf(z)).sum() / stats.norm.pdf(z).sum() ** 2)
    return top, squared, stats.norm.ppf(0.7) * variance / max(error, 1.4826 * stats.median_abs_deviation(means))


def prior_degrees(variances, degrees):
    """Smyth 2004, section 6.2: what the logarithms vary by beyond chance, less its standard error; by root finding."""
    logs = np.log(np.clip(variances, np.median(variances) / 1000, 30 * np.median(variances)))
    spread, n = logs.var(ddof=1), len(logs)
    error = spread * np.sqrt(2 / (n - 1) + max(0, stats.kurtosis(logs)) / n)
    beyond = spread - error - special.polygamma(1, degrees / 2)
    return 2 * optimize.brentq(lambda y: special.polygamma(1, y) - beyond, 1e-6, 1e9, xtol=1e-14, rtol=1e-14) if beyond > 0 else np.inf


def correlation_of_starts(first):
    count, runs = first.shape
    if count < 16 or runs < 3:
        return 0

    def steps(k, distance):
        differences = first[:, k] - first[:, k - distance]
        return np.pi / 2 * np.mean(np.abs(differences - np.median(differences))) ** 2

    found = np.mean([steps(k, 2) for k in range(2, runs)]) / max(steps(k, 1) for k in range(1, runs)) - 1
    return min(0.95, found) if found >= 3 * 2.14 / np.sqrt(count) else 0


def growth_of_starts(lag1, runs):
    covariance = lag1 ** np.abs(np.subtract.outer(np.arange(runs), np.arange(runs))) if lag1 else np.eye(runs)
    return np.sqrt(covariance.mean() * runs * (runs - 1) / (runs - runs * covariance.mean()))


def accepted(parts, limit, looks, baseline=None):
    """(outcome, repetitions, difference, half-width) of each part; all have at least looks[0] finite values, and there are 3."""
    common = max(look for look in looks if look <= min(map(len, parts)))
    verdicts = [(UNSURE, looks[-1])] * len(parts)
    for i, own in enumerate(parts):
        for r in looks:
            if len(own) < r:
                verdicts[i] = (REPEAT, *verdicts[i][1:])
                break
            first = np.array([part[:min(r, common)] for part in parts])
            degrees = first.shape[1] - 1
            variances = first.var(1, ddof=1)
            most = min(10, (len(parts) - 1) * degrees / 2)
            prior = prior_degrees(variances, degrees) if len(parts) >= 8 else np.inf
            middle = stats.f.median(degrees, prior) if prior < most else stats.chi2.median(degrees) / degrees
            pool = np.median(variances) / middle if len(parts) >= 8 else variances.mean()
            lag1 = correlation_of_starts(first)
            top, squared, lift = baseline or fleet_reference(first.mean(1), pool / first.shape[1] * growth_of_starts(lag1, first.shape[1]) ** 2)
            d0, own2 = min(most, prior), np.var(own[:r], ddof=1)
            if own2 > stats.f.ppf(0.999, r - 1, d0) * pool:
                d0 = 0
            s2 = (d0 * pool + (r - 1) * own2) / (d0 + r - 1)
            half = stats.t.ppf(0.995, d0 + r - 1) * np.sqrt(s2 / r * growth_of_starts(lag1, r) ** 2 + squared) + lift
            difference = np.mean(own[:r]) - top
            outcome = PASS if difference - half > limit else FAIL if difference + half < limit else UNSURE
            verdicts[i] = (outcome, r, difference, half)
            if outcome != UNSURE:
                break
    in_doubt = 4 * sum(v[0] != PASS for v in verdicts) > len(parts) or 20 * sum(v[2] - v[3] > -limit for v in verdicts) > len(parts)
    return [UNSURE if in_doubt and not baseline and v[0] == PASS else v[0] for v in verdicts], [v[1:] for v in verdicts]


def baseline_of(parts):
    """Computes what acceptance_baseline.h does: parts[i][boot] are values of starts."""
    starts = [len(boot) - 1 for part in parts for boot in part]
    within = sum(np.var(boot) * len(boot) for part in parts for boot in part) / sum(starts) if sum(starts) else None
    means = np.array([np.mean([np.mean(boot) for boot in part]) for part in parts])
    booted = [[np.mean(boot) for boot in part] for part in parts if len(part) > 1]
    boots = sorted(map(len, parts))[(len(parts) - 1) // 2]
    between = None
    if booted:
        squares = sum(np.var(one) * len(one) for one in booted) / sum(len(one) - 1 for one in booted)
        share = np.mean([1 / len(boot) for part in parts if len(part) > 1 for boot in part])
        between = np.sqrt(max(0, squares - (within or 0) * share))
    few = len(parts) < 8
    spread = None if len(parts) < 2 else np.std(means, ddof=1) if few else 1.4826 * stats.median_abs_deviation(means)
    counted = max(spread or 0, 0.01) if few else spread
    widened = stats.t.ppf(0.995, max(len(parts), 8) - 1) / stats.norm.ppf(0.995)
    sampling = widened * counted * np.sqrt(0.21 / len(parts)) / stats.norm.pdf(stats.norm.ppf(0.7))
    of_boots = max(between or 0, np.sqrt(within or 0), 0.005) if boots < 2 else between
    variance = (within or 0) * np.mean([1 / sum(map(len, part)) for part in parts])
    top, _, lift = fleet_reference(means, variance) if variance else (np.sort(means)[-int(np.ceil(round(0.3 * len(means), 6)))], 0, 0)
    error = np.hypot(sampling, of_boots / np.sqrt(boots))
    return [top, error, lift, of_boots, boots, *(-1 if one is None else one for one in (spread, within and np.sqrt(within), between))]


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

    def test_effects(self):
        """Paired t tests, Holm over them as published, and the verdicts by their definition."""
        for comparisons in (1, 4, 7):
            logs = [self.random.normal(effect, 0.008, 5) for effect in self.random.uniform(-0.05, 0.05, comparisons)]
            tests = [stats.ttest_1samp(one, 0) for one in logs]
            order = np.argsort([test.pvalue for test in tests])
            holm = np.empty(comparisons)
            holm[order] = np.maximum.accumulate([min(1, (comparisons - i) * tests[k].pvalue) for i, k in enumerate(order)])
            wanted = []
            for one, test, p in zip(logs, tests, holm):
                ratio, ci95 = np.exp(one.mean()), np.exp(test.confidence_interval(0.95))
                ci90 = np.exp(test.confidence_interval(0.90))
                real, none = p < 0.05 and abs(ratio - 1) >= 0.02, 0.98 < ci90[0] and ci90[1] < 1.02
                wanted += [ratio, *ci95, p, 0 if real else 1 if none else 2]
            self.compare([("effects", *logs)], [wanted])

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
                measured = 1.4826 * np.median(np.abs(others - np.median(others)))
                lifted = 1 + np.pi / 2 / 7
                if spread:
                    s = max(0.005, np.sqrt(spread ** 2 * lifted + of_runs / 5), measured)
                    p.append(stats.norm.sf(deviations[:, r].mean() / s))
                else:
                    known = 0.37 * 7 - 0.15
                    s = np.sqrt((2 * 0.005 ** 2 + known * measured ** 2) / (2 + known) * lifted)
                    p.append(stats.t.sf(deviations[:, r].mean() / s, 2 + known))
            adjusted = np.empty(8)
            order = np.argsort(p)
            adjusted[order] = np.minimum(1, np.maximum.accumulate((8 - np.arange(8)) * np.array(p)[order]))
            wanted = np.column_stack([deviations.mean(0), adjusted]).ravel()
            self.compare([("ranks", [spread], *own)], [wanted])

    def test_difference_of_variances(self):
        """Ting, Burdick, Graybill, Jeyaratnam and Lu 1990, for the difference of two mean squares."""
        questions, expected = [], []
        for n, m in ((4, 40), (2, 19), (19, 300), (9, 9)):
            a, b = self.random.uniform(0.5, 3, 2)
            ends = []
            for sign, tail in ((-1, 0.025), (1, 0.975)):
                of_a = 1 - n / stats.chi2.isf(tail, n)
                of_b = m / stats.chi2.isf(1 - tail, m) - 1
                f = stats.f.isf(tail, n, m)
                both = ((f - 1) ** 2 - (of_a * f) ** 2 - of_b ** 2) / f
                ends.append(max(0, a - b + sign * np.sqrt(max(0, (of_a * a) ** 2 + (of_b * b) ** 2 + both * a * b))))
            questions.append(("variances", (a, n), (b, m)))
            expected.append(ends)
        self.compare(questions, expected)

    def test_normality(self):
        """Normal scores through scipy's own t and normal distributions, which the formula approximates; p by simulation."""
        def moments(groups):
            scores = []
            for x in groups:
                n = x.shape[-1]
                inside = (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)
                outside = inside * np.sqrt((n - 2) / np.maximum(n - 1 - inside ** 2, 1e-12))
                scores.append(stats.norm.ppf(stats.t.cdf(outside, n - 2)))
            z = np.concatenate(scores, axis=-1)
            return np.array([(z ** 3).mean(-1), np.log((z ** 4).mean(-1))])

        for sizes in ((5,) * 12, (10,), (4, 6, 30)):
            normal = moments([self.random.standard_normal((20_000, n)) for n in sizes])
            centre, spread = np.array([[0], normal[1:].mean(1)]), normal.std(1, keepdims=True)
            distances = (((normal - centre) / spread) ** 2).sum(0)
            for groups in ([self.random.standard_normal(n) for n in sizes], [self.random.exponential(size=n) for n in sizes]):
                z = ((moments(groups)[:, None] - centre) / spread).ravel()
                skewness_z, kurtosis_z, p = ask([("normality", *groups)])[0]
                np.testing.assert_allclose([skewness_z, kurtosis_z], z, rtol=0.1, atol=0.1)
                self.assertAlmostEqual(p, (distances >= (z ** 2).sum()).mean(), delta=0.06)

    def test_repetitions_needed(self):
        for now, half_width, wanted in ((10, 0.03, 0.01), (12, 0.011, 0.01), (40, 0.2, 0.02), (10, 0.002, 0.01)):
            spread = np.arcsinh(half_width) * np.sqrt(now) / stats.t.ppf(0.975, now - 1)
            enough = next(n for n in range(10, 10**6) if stats.t.ppf(0.975, n - 1) * spread / np.sqrt(n) <= np.arcsinh(wanted))
            self.assertEqual(ask([("repetitions", (now, half_width, wanted))]), [[enough]])

    def test_far_tails(self):
        """ln P(|T| >= t) against mpmath's incomplete beta function, also where no double holds P. 0.2 s of a CPU."""
        cases = [(t, degrees) for degrees in (1, 8, 1023, 1438, 9998) for t in (0.5, 20, 37.5, 60, 200, 1e4)]
        with mpmath.workdps(40):
            wanted = [float(mpmath.log(mpmath.betainc(mpmath.mpf(n) / 2, 0.5, 0, n / (n + mpmath.mpf(t) ** 2), regularized=True)))
                      for t, n in cases]
        np.testing.assert_allclose(ask([("tails", *cases)])[0], wanted, rtol=1e-9)

    def test_two_levels(self):
        """Pooled two-sample t at the largest gap, over all ways to part the runs, by Holm over the series."""
        for series in ([self.rates(5)], [self.rates(int(n)) for n in self.random.integers(3, 12, 8)]):
            series[0][:2] *= 0.9
            rows = []
            for x in series:
                logs = np.sort(np.log(x))
                below = 1 + np.argmax(np.diff(logs))
                test = stats.ttest_ind(logs[below:], logs[:below])
                p = min(1, (2 ** (len(x) - 1) - 1) * test.pvalue)
                rows.append([below, logs[below:].mean() - logs[:below].mean(), p])
            rows = np.array(rows)
            order = np.argsort(rows[:, 2])
            rows[order, 2] = np.minimum(1, np.maximum.accumulate((len(rows) - np.arange(len(rows))) * rows[order, 2]))
            self.compare([("levels", *series)], [rows.ravel()])

    def test_fastest(self):
        """A point is left when Welch's p, smallest first, stays within 5 % of the pairs that are left."""
        for spread in (0, 0.02, 0.05):
            points = [x * np.exp(spread * self.random.standard_normal()) for x in (self.rates(4) for _ in range(6))]
            means = [np.log(x).mean() for x in points]
            best, *others = np.argsort(means)[::-1]
            p = {i: stats.ttest_ind(np.log(points[i]), np.log(points[best]), equal_var=False).pvalue for i in others}
            slower = []
            for count, i in zip(range(len(others), 0, -1), sorted(others, key=p.get)):
                if p[i] > 0.05 / (count * (count + 1) / 2):
                    break
                slower.append(i)
            self.compare([("fastest", *points)], [[best, *(i for i in others if i not in slower)]])

    def test_acceptance(self):
        """Parts on both sides of the limit and at it, of which some were repeated, against the fleet and against a baseline."""
        questions, expected = [], []
        for count in (3, 7, 8, 20, 60):
            for looks in ([3, 5, 10], [3, 5], [2, 4]):
                for repeated in (0, 0.4, 1):
                    levels = self.random.choice([0, 0, 0, 0, -0.051, -0.06, -0.09], count)
                    runs = np.where(self.random.random(count) < repeated, self.random.choice(looks, count), looks[0])
                    noises = 0.006 * np.exp(self.random.choice([0, 0.8]) * self.random.standard_normal(count))
                    parts = [level + noise * self.random.standard_normal(n) for level, noise, n in zip(levels, noises, runs)]
                    if self.random.random() < 0.3:  # starts that resemble the one before
                        parts = [0.3 * np.cumsum(part - level) + level for part, level in zip(parts, levels)]
                    for baseline in (None, (0.002, 0.003, 0.004)):
                        known = baseline and (baseline[0], baseline[1] ** 2 + baseline[2] ** 2, 0)
                        outcomes, figures = accepted(parts, np.log(0.95), looks, known)
                        questions.append(("accept", (0.05, *looks), baseline or (), *parts))
                        expected.append(np.column_stack([outcomes, figures]).ravel())
        self.compare(questions, expected)
        self.assertEqual({outcome for one in expected for outcome in one[::4]}, set(OUTCOMES))

    def test_baselines(self):
        """Many parts and one; boots of which some parts have fewer; starts that are alone."""
        questions, expected = [], []
        for count in (1, 2, 3, 7, 8, 40):
            for boots in (1, 2, 3):
                for starts in (1, 2, 5):
                    level = 0.01 * self.random.standard_normal(count)
                    number = np.where(self.random.random(count) < 0.3, 1, boots)
                    parts = [[one + 0.004 * self.random.standard_normal() + 0.006 * self.random.standard_normal(starts) for _ in range(n)]
                             for one, n in zip(level, number)]
                    questions.append(("baseline", *((i, *boot) for i, part in enumerate(parts) for boot in part)))
                    expected.append(baseline_of(parts))
        self.compare(questions, expected)
        self.assertEqual({one[4] for one in expected}, {1, 2, 3})

    def test_one_sided_bound(self):
        x = self.random.standard_normal(5)
        self.compare([("bound", x)], [[x.mean() - stats.t.ppf(0.95, 4) * stats.sem(x)]])


    def test_decays_of_a_window(self):
        """Least squares, noise in the directions of scipy's pivoted QR; 20 to 9,000 steps, independent and correlated."""
        for n, phi in ((20, 0), (110, 0), (400, 0.9), (1000, 0.5), (9000, 0.9)):
            self.compare([("decays", one := window(self.random, n, phi))], [np.concatenate(decays_of(points_of(one)))])

    def test_verdicts_on_windows(self):
        seen = set()
        for n, phi, cv in ((110, 0, 0.01), (400, 0.5, 0.005), (1000, 0.9, 0.02), (4000, 0, 0.02)):
            x = (np.arange(n) + 0.5) / n
            for level in (1, 1 + 0.08 * x, 1 + 0.1 * (x > 0.8), 1 + 0.03 * np.exp(-x / 0.2)):
                steps = level * window(self.random, n, phi, cv)
                wanted = verdict_on(steps)
                self.compare([("steady", steps)], [wanted])
                seen.add((wanted[0], wanted[2] >= 0))
        self.assertTrue({(1, False), (0, False), (0, True), (-1, False)} <= seen, seen)

    def test_change_points(self):
        for n in (60, 400, 1003):
            for change in (0, 0.02):
                series = window(self.random, n, 0.3) * (1 + change * (np.arange(n) > 0.3 * n))
                self.compare([("change_point", series)], [change_in(series)])

    def test_windows_of_several_runs(self):
        for size in (0.001, 0.003, 0.02):
            for runs in (3, 5):
                biases = size * (self.random.standard_normal((runs, 5)) + 2 * self.random.integers(0, 2))
                mean, error = biases.mean(0), stats.sem(biases)
                bound = (np.abs(mean) + stats.t.ppf(0.965, runs - 1) * error).max()
                clear = (np.abs(mean) > np.maximum(0.0025, stats.t.ppf(0.99, runs - 1) * error)).any()
                self.compare([("pooled", *biases)], [[0 if clear else 1 if bound <= 0.005 else -1, bound]])


if __name__ == "__main__":
    unittest.main()
