"""Every operation of an augmentation against torchvision.transforms.v2.functional at the same magnitude.

On made images and, where they are, on photos. Bounds are those of docs/TRAINING.md, "Augmentation": levels of 255; of
warps, how far a pixel's source may lie from the border between two pixels for the one beside it to be taken. There
torchvision's own choice is a matter of rounding in float32.
"""

import glob
import math
import os
import sys
import tempfile

import numpy
import torch
from PIL import Image
from torchvision.transforms import v2
from torchvision.transforms.v2.functional import _geometry

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from dump import Dump, Refused  # noqa: E402
from operations_names import NAMES  # noqa: E402

FAMILY = v2.TrivialAugmentWide()
# No pixel of an image may differ by more levels than these.
LEVELS = {"identity": 0, "brightness": 0, "colour": 1, "contrast": 1, "sharpness": 1, "posterize": 0, "solarize": 0,
          "autocontrast": 0, "equalize": 0, "hue": 1, "translate-x": 0, "translate-y": 0}
BORDER = 0.002  # pixels
FULL = os.environ.get("SCALEMARK_SOAK") == "full"  # every magnitude and photo (scripts/soak)
STRENGTHS = (0, 1, 4, 9, 15, 20, 24, 29, 30) if FULL else (1, 9, 30)  # there are 31
RAND = v2.RandAugment._AUGMENTATION_SPACE
TRIVIAL = v2.TrivialAugmentWide._AUGMENTATION_SPACE


def magnitudes(name, height, width):
    """Some of every policy's for this operation, in both directions."""
    if name == "hue":
        return [-0.5, -0.1, -0.037, 0.0, 0.061, 0.1, 0.5]
    found = set()
    for space in (TRIVIAL, RAND):
        make, signed = space[NAMES[name]]
        values = make(31, height, width)
        for value in [] if values is None else [float(values[i]) for i in STRENGTHS]:
            found |= {value, -value} if signed else {value}
    return sorted(found) or [0.0]


def theirs(name, magnitude, image):
    if name == "hue":
        return v2.functional.adjust_hue(image, magnitude)
    return FAMILY._apply_image_or_video_transform(image, NAMES[name], magnitude, interpolation=FAMILY.interpolation,
                                                  fill=FAMILY._fill)


def sources(name, magnitude, width, height):
    """Returns where each pixel comes from, in float64 by torchvision's own matrix: x, y."""
    if name == "rotate":
        center, angle, shear = [0.0, 0.0], -magnitude, [0.0, 0.0]
    else:
        degrees = math.degrees(math.atan(magnitude))
        center, angle = [-width / 2, -height / 2], 0.0
        shear = [degrees, 0.0] if name == "shear-x" else [0.0, degrees]
    m = _geometry._get_inverse_affine_matrix(center, angle, [0.0, 0.0], 1.0, shear)
    x, y = numpy.meshgrid(numpy.arange(width) - (width - 1) / 2, numpy.arange(height) - (height - 1) / 2)
    return m[0] * x + m[1] * y + m[2] + (width - 1) / 2, m[3] * x + m[4] * y + m[5] + (height - 1) / 2


def pixels_at(image, x, y):
    height, width = image.shape[:2]
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    return image[y.clip(0, height - 1), x.clip(0, width - 1)] * inside[..., None]


def check_warp(name, magnitude, image, ours, expected):
    """The share of pixels at a border where ours is not torchvision's."""
    x, y = sources(name, magnitude, image.shape[1], image.shape[0])
    at_border = numpy.zeros(x.shape, bool)
    for coordinate in (x, y):
        at_border |= numpy.abs(coordinate + 0.5 - numpy.rint(coordinate + 0.5)) < BORDER
    different = (ours != expected).any(axis=2)
    assert not (different & ~at_border).any(), (name, magnitude, (different & ~at_border).sum())
    beside = numpy.zeros(x.shape, bool)
    for dx in (-BORDER, BORDER):
        for dy in (-BORDER, BORDER):
            there = pixels_at(image, numpy.rint(x + dx).astype(int), numpy.rint(y + dy).astype(int))
            beside |= (there == ours).all(axis=2)
    assert beside.all(), (name, magnitude, (~beside).sum())
    return different.mean()


def check(dump, name, magnitude, image, path):
    """The worst level, or the share of pixels from beside."""
    ours, _ = dump.image("apply", name, repr(magnitude), path)
    expected = theirs(name, magnitude, torch.from_numpy(image.copy()).permute(2, 0, 1)).permute(1, 2, 0).numpy()
    if name not in LEVELS:
        return check_warp(name, magnitude, image, ours, expected)
    worst = numpy.abs(ours.astype(int) - expected.astype(int)).max()
    assert worst <= LEVELS[name], (name, magnitude, path, worst)
    return worst


def made_images():
    chooser = numpy.random.default_rng(3)
    yield "noise", chooser.integers(0, 256, (64, 96, 3), dtype=numpy.uint8)
    yield "odd", chooser.integers(40, 90, (37, 53, 3), dtype=numpy.uint8)
    slope = numpy.arange(256, dtype=numpy.uint8)
    yield "slopes", numpy.stack(numpy.broadcast_arrays(slope[None], slope[:, None], slope[::-1][None]), axis=2)
    yield "grey", numpy.repeat(chooser.integers(0, 256, (48, 48, 1), dtype=numpy.uint8), 3, axis=2)
    for level in (0, 1, 128, 255):
        yield f"flat {level}", numpy.full((20, 24, 3), level, numpy.uint8)
    yield "black and white", chooser.integers(0, 2, (40, 40, 3), dtype=numpy.uint8) * 255
    yield "one pixel", numpy.array([[[10, 200, 30]]], numpy.uint8)
    yield "two rows", chooser.integers(0, 256, (2, 31, 3), dtype=numpy.uint8)
    yield "three columns", chooser.integers(0, 256, (31, 3, 3), dtype=numpy.uint8)


def photos():
    for path in sorted(glob.glob(os.path.join(os.environ["SCALEMARK_TEST_DATA"], "photos", "**", "*.JPEG"), recursive=True))[::20 if FULL else 100]:
        with Image.open(path) as image:
            yield os.path.basename(path), numpy.array(image.convert("RGB").resize((224, 224), Image.BILINEAR))


def main():
    dump = Dump("augment-dump")
    worst, mean, counted = {}, {}, 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, image) in enumerate([*made_images(), *photos()]):
            path = f"{folder}/{number}.png"
            Image.fromarray(image).save(path)
            counted += 1
            for operation in (*NAMES, "hue"):
                for magnitude in magnitudes(operation, *image.shape[:2]):
                    found = check(dump, operation, magnitude, image, path)
                    worst[operation] = max(worst.get(operation, 0), found)
                    mean.setdefault(operation, []).append(found)
    for operation, found in worst.items():
        shares = f"{100 * numpy.mean(mean[operation]):.3f} % of the pixels from beside, worst {100 * found:.1f} %"
        print(f"{operation}: {counted} images, {len(mean[operation])} trials: " + (f"{found} levels" if operation in LEVELS else shares))
    threads = int(dump.text("threads")[0])
    assert threads == 1, f"OpenCV started threads: {threads} in all"


try:
    main()
except Refused as refused:
    if "libscalemark_opencv.so" not in str(refused):
        raise
    print(f"skipped: {refused}")
    sys.exit(77)
