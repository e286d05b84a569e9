"""Augmentations draw magnitudes that equal torchvision's bit by bit, and choices with its distributions."""

import collections
import os
import sys

import numpy
import scipy.stats
import torch
from torchvision.transforms import v2

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from dump import Dump  # noqa: E402
from operations_names import NAMES  # noqa: E402

LEAST_P = 1e-3  # seeds are fixed: a test that passes keeps passing


def per_image(words):
    images, current = [], []
    for word in words:
        if word == "|":
            images.append(list(zip(current[::2], map(float, current[1::2]))))
            current = []
        else:
            current.append(word)
    return images


def allowed(space, bins, size):
    """Operation -> the magnitudes that torchvision could use."""
    result = {}
    for name, title in NAMES.items():
        make, signed = space[title]
        values = make(31, *size)
        found = [0.0] if values is None else [float(values[i]) for i in bins]
        if name.startswith("translate"):
            found = [float(int(v)) for v in found]
        result[name] = {s * v for v in found for s in ((1, -1) if signed else (1,))}
    return result


def check_family(dump, name, space, bins, changes):
    size = (224, 160)  # height, width
    images = per_image(dump.text("changes", name, size[1], size[0], 20000, 5))
    assert {len(image) for image in images} == {changes}
    drawn = [change for image in images for change in image]
    possible = allowed(space, bins, size)
    for operation in NAMES:
        seen = {magnitude for kind, magnitude in drawn if kind == operation}
        assert seen == possible[operation], (name, operation, seen ^ possible[operation])
    counts = collections.Counter(kind for kind, _ in drawn)
    p = scipy.stats.chisquare([counts[operation] for operation in NAMES]).pvalue
    assert p > LEAST_P, (name, counts, p)
    signs = sum(m > 0 for kind, m in drawn if kind == "rotate" and m) / sum(1 for kind, m in drawn if kind == "rotate" and m)
    assert abs(signs - 0.5) < 0.05, (name, signs)
    print(f"{name}: {len(drawn)} changes, {len(NAMES)} operations evenly (p {p:.2f}), magnitudes equal")


def check_jitter(dump):
    images = per_image(dump.text("changes", "colour-jitter", 64, 64, 20000, 6))
    orders = collections.Counter(tuple(kind for kind, _ in image) for image in images)
    p = scipy.stats.chisquare(list(orders.values())).pvalue
    assert len(orders) == 24 and p > LEAST_P, (len(orders), p)
    for kind, width in (("brightness", 0.4), ("contrast", 0.4), ("colour", 0.4), ("hue", 0.1)):
        values = [m for image in images for k, m in image if k == kind]
        uniform = scipy.stats.kstest(values, "uniform", (-width, 2 * width)).pvalue
        assert uniform > LEAST_P, (kind, uniform)
    print(f"colour-jitter: 24 orders evenly (p {p:.2f}), factors uniform")


def check_erasing(dump):
    torch.manual_seed(1)
    height, width, n = 96, 64, 4000
    words = dump.text("erased", 1, width, height, n, 7)
    assert "none" not in words
    ours = numpy.array(words, int).reshape(-1, 4)
    transform = v2.RandomErasing(p=1)
    image = [torch.zeros(3, height, width)]
    drawn = [transform.make_params(image) for _ in range(n)]
    theirs = numpy.array([[d["i"], d["j"], d["h"], d["w"]] for d in drawn if d["v"] is not None])
    for column, what in enumerate(("top", "left", "height", "width")):
        p = scipy.stats.ks_2samp(ours[:, column], theirs[:, column]).pvalue
        assert p > LEAST_P, (what, p)
    assert (ours[:, 0] + ours[:, 2] <= height).all() and (ours[:, 1] + ours[:, 3] <= width).all()
    some = dump.text("erased", 0.25, width, height, n, 8).count("none") / n
    assert abs(some - 0.75) < 0.03, some
    mean = (numpy.array([124, 116, 104]) / 255 - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]
    assert numpy.abs(mean).max() < 0.01, mean
    print(f"random-erasing: {n} boxes as torchvision's; of 0.25 {1 - some:.3f} erased; normalised value {numpy.abs(mean).max():.4f}")


def mixing(dump, mixup, cutmix, size, n, seed):
    return numpy.array(dump.text("mixing", mixup, cutmix, size, size, n, seed), float).reshape(n, 6)


def check_mixing(dump):
    n, size = 20000, 96
    for alpha in (0.05, 0.2, 1.0, 3.0):
        rows = mixing(dump, alpha, 0, size, n, 9)
        assert (rows[:, 0] == rows[:, 1]).all() and not rows[:, 2:].any()
        # With small alphas, half the values are 0 or 1 to float32.
        inside = rows[(rows[:, 0] > 1e-6) & (rows[:, 0] < 1 - 1e-6), 0]
        low, high = scipy.stats.beta.cdf([1e-6, 1 - 1e-6], alpha, alpha)
        p = scipy.stats.kstest(inside, lambda x: (scipy.stats.beta.cdf(x, alpha, alpha) - low) / (high - low)).pvalue  # noqa: B023
        assert p > LEAST_P and abs(len(inside) / n - (high - low)) < 0.02, (alpha, p, len(inside) / n, high - low)
        print(f"mixup {alpha}: Beta({alpha}, {alpha}), p {p:.2f}")
    rows = mixing(dump, 0, 1, size, 4000, 10)
    share, pixel, top, left, bottom, right = rows.T
    assert (pixel == 1).all() and numpy.allclose(share, 1 - (bottom - top) * (right - left) / size**2, atol=1e-6)
    torch.manual_seed(2)
    transform = v2.CutMix(num_classes=10)
    drawn = [transform.make_params([torch.zeros(2, 3, size, size)]) for _ in range(4000)]
    for column, values in enumerate(zip(*(d["box"] for d in drawn))):
        ours = (left, top, right, bottom)[column]
        p = scipy.stats.ks_2samp(ours, values).pvalue
        assert p > LEAST_P, (column, p)
    both = mixing(dump, 0.2, 1, size, n, 11)
    of_cutmix = (both[:, 1] == 1).mean()
    assert abs(of_cutmix - 0.5) < 0.02, of_cutmix
    print(f"cutmix: boxes as torchvision's; of both {of_cutmix:.3f} are cutmix")


driver = Dump("augment-dump")
check_family(driver, "trivial", v2.TrivialAugmentWide._AUGMENTATION_SPACE, range(31), 1)
check_family(driver, "randaugment", v2.RandAugment._AUGMENTATION_SPACE, [9], 2)
check_jitter(driver)
check_erasing(driver)
check_mixing(driver)
