"""Decoding, resizing and cropping against Pillow and torchvision.

`pixels_oracle.py generated` makes its own images; `pixels_oracle.py outside` takes the photos and odd files
under SCALEMARK_TEST_DATA and is skipped without them; `pixels_oracle.py fast` asserts nothing of
--image-decoding fast and prints what docs/reference/METRICS.md says of it. Bounds are in levels of 255.
"""

import glob
import itertools
import os
import random
import sys
import tempfile

import numpy
from PIL import Image
from torchvision.transforms import CenterCrop, Compose, RandomResizedCrop, Resize
from torchvision.transforms import functional

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from dump import Dump, Refused  # noqa: E402

DECODE_BOUND = 2
FAST_MEAN_BOUND, FAST_TAIL_BOUND = 0.5, 5  # --image-decoding fast: mean of each file; p99.9 of all files together
FAST_WORST_TAIL = 20  # p99.9 of one file: colours that RGB clips at full size, and then averages
RESIZE_BOUND = 1
SCALED_MEAN_BOUND = 8  # mean of one file, decoded at 4/8 or less: DCT scaling is sharper than a triangle filter


def difference(ours, theirs):
    return numpy.abs(ours.astype(int) - numpy.asarray(theirs).astype(int))


def rgb(path):
    with Image.open(path) as image:
        return image.convert("RGB")


def check_decode(dump, path):
    ours, _ = dump.image("decode", path)
    theirs = numpy.asarray(rgb(path))
    assert ours.shape == theirs.shape, path
    worst = difference(ours, theirs).max()
    assert worst <= DECODE_BOUND, (path, worst)
    return worst


def check_evaluation(dump, path, size):
    ours, _ = dump.image("evaluate", size, "exact", path)
    theirs = Compose([Resize(round(size * 256 / 224)), CenterCrop(size)])(rgb(path))
    worst = difference(ours, theirs).max()
    assert worst <= RESIZE_BOUND, (path, size, worst)
    fast, _ = dump.image("evaluate", size, "fast", path)
    return worst, difference(fast, theirs)


def check_crop(dump, path, chooser, size):
    image = rgb(path)
    top, left, height, width = RandomResizedCrop.get_params(image, (0.08, 1), (3 / 4, 4 / 3))
    flip = chooser.random() < 0.5
    theirs = functional.resized_crop(image, top, left, height, width, [size, size])
    theirs = functional.hflip(theirs) if flip else theirs
    ask = ("crop_resize", left, top, width, height, size, int(flip))
    exact, _ = dump.image(*ask, "full", path)
    worst = difference(exact, theirs).max()
    assert worst <= RESIZE_BOUND, (path, size, worst)
    as_trained, _ = dump.image(*ask, "exact", path)
    mean = difference(as_trained, theirs).mean()
    assert mean <= SCALED_MEAN_BOUND, (path, size, mean)
    fast, _ = dump.image(*ask, "fast", path)
    return worst, mean, difference(fast, theirs)


def check_files(dump, paths):
    chooser = random.Random(1)
    decode, evaluate, crops, means, fast_means, fast_tails, all_fast = [], [], [], [], [], [], []
    for path in paths:
        decode.append(check_decode(dump, path))
        fast = []
        for size in (224, 64):
            worst, levels = check_evaluation(dump, path, size)
            evaluate.append(worst)
            fast.append(levels.ravel())
            worst, mean, levels = check_crop(dump, path, chooser, size)
            crops.append(worst)
            means.append(mean)
            fast.append(levels.ravel())
        fast = numpy.concatenate(fast)
        fast_means.append(fast.mean())
        fast_tails.append(numpy.quantile(fast, 0.999))
        assert fast_means[-1] <= FAST_MEAN_BOUND, (path, fast_means[-1])
        assert fast_tails[-1] <= FAST_WORST_TAIL, (path, fast_tails[-1])
        all_fast.append(fast)
    assert numpy.mean(means) < 2, numpy.mean(means)
    tail = numpy.quantile(numpy.concatenate(all_fast), 0.999)
    assert tail <= FAST_TAIL_BOUND, tail
    print(f"fast: mean {numpy.mean(fast_means):.3f} (worst file {max(fast_means):.3f}), p99.9 {tail:.0f} "
          f"(worst file {max(fast_tails):.0f}) levels")
    print(f"{len(paths)} files: decode worst {max(decode)}, evaluation worst {max(evaluate)}, "
          f"crop at full scale worst {max(crops)}, crop as trained mean {numpy.mean(means):.2f} "
          f"(worst file {max(means):.2f}) levels")


def check_regions(dump, path):
    """A part decoded alone is the same as the part of the whole, to the last bit."""
    width, height = Image.open(path).size
    chooser = random.Random(2)
    for eighths in (8, 4, 2, 1):
        whole, _ = dump.image("region", 0, 0, width, height, eighths, path)
        for _ in range(12):
            left, top = chooser.randrange(width - 1), chooser.randrange(height - 1)
            w, h = chooser.randint(1, width - left), chooser.randint(1, height - top)
            part, (x, y) = dump.image("region", left, top, w, h, eighths, path)
            x0, y0 = left * eighths // 8, top * eighths // 8
            x1 = min(whole.shape[1], -(-(left + w) * eighths // 8))
            y1 = min(whole.shape[0], -(-(top + h) * eighths // 8))
            assert x <= x0 and y <= y0 and x + part.shape[1] >= x1 and y + part.shape[0] >= y1
            ours = part[y0 - y:y1 - y, x0 - x:x1 - x]
            assert (ours == whole[y0:y1, x0:x1]).all(), (path, eighths, (left, top, w, h))


def smooth_image(width, height, seed):
    """Something like a photo: smooth, with edges."""
    state = numpy.random.default_rng(seed)
    small = state.integers(0, 256, (6, 8, 3), dtype=numpy.uint8)
    return Image.fromarray(small).resize((width, height), Image.BICUBIC)


def make_variants(folder):
    """Every kind of file that Pillow can write and we read."""
    image = smooth_image(331, 257, 3)
    jpegs = []
    for sampling, progressive, quality in itertools.product((0, 1, 2), (False, True), (60, 95)):
        jpegs.append(f"{folder}/s{sampling}p{int(progressive)}q{quality}.jpg")
        image.save(jpegs[-1], subsampling=sampling, progressive=progressive, quality=quality)
    image.save(f"{folder}/restart.jpg", restart_marker_blocks=5)
    image.convert("L").save(f"{folder}/grey.jpg")
    image.convert("L").save(f"{folder}/grey-progressive.jpg", progressive=True)
    image.convert("CMYK").save(f"{folder}/cmyk.jpg")
    image.save(f"{folder}/rgb.jpg", keep_rgb=True)
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by 90 degrees: neither side reads it
    image.save(f"{folder}/turned.jpg", exif=exif)
    smooth_image(1, 1, 4).save(f"{folder}/one.jpg")
    smooth_image(9, 700, 5).save(f"{folder}/tall.png")

    alpha = image.copy()
    alpha.putalpha(image.convert("L"))
    deep = Image.fromarray(numpy.arange(200 * 100, dtype=numpy.uint16).reshape(100, 200) % 700)
    pngs = {"rgb": image, "rgba": alpha, "grey": image.convert("L"), "grey-alpha": alpha.convert("LA"),
            "palette": image.quantize(200), "palette4": image.quantize(12), "bits": image.convert("1"),
            "deep": deep}
    for name, picture in pngs.items():
        picture.save(f"{folder}/{name}.png")
    image.quantize(200).save(f"{folder}/palette-clear.png", transparency=3)
    image.save(f"{folder}/rgb-clear.png", transparency=(1, 2, 3))
    image.save(f"{folder}/png-by-content.jpg", format="PNG")
    return jpegs + [f"{folder}/restart.jpg", f"{folder}/grey.jpg", f"{folder}/cmyk.jpg"]


def refused(dump, *request):
    try:
        dump.image(*request)
    except Refused as error:
        assert "E_BAD_SAMPLE (exit 65)" in str(error) and request[-1] in str(error), error
        return str(error)
    return None


def check_refusals(dump, folder):
    """Cut short anywhere, a file is refused, also when the crop lies above the cut."""
    for name in ("s2p0q95.jpg", "s0p1q60.jpg", "rgb.png", "palette.png"):
        data = open(f"{folder}/{name}", "rb").read()
        for keep in (0, 1, 2, 3, 20, len(data) // 3, len(data) // 2, len(data) - 40, len(data) - 2):
            path = f"{folder}/cut-{keep}-{name}"
            with open(path, "wb") as file:
                file.write(data[:keep])
            assert refused(dump, "decode", path), path
            assert refused(dump, "region", 0, 0, 8, 8, 8, path), path
    noise = f"{folder}/noise.jpg"
    with open(noise, "wb") as file:
        file.write(b"\xff\xd8\xff" + bytes(range(256)) * 8)
    text = f"{folder}/text.png"
    with open(text, "w") as file:
        file.write("not an image")
    assert "not a JPEG, PNG, WebP" in refused(dump, "decode", text)
    for path in (noise, f"{folder}/missing.jpg"):
        assert refused(dump, "decode", path)


def check_crop_distribution(dump):
    """Same mean and spread of area, ratio and place as torchvision's draw."""
    for width, height in ((500, 375), (375, 500), (640, 200), (64, 64)):
        image = Image.new("L", (width, height))
        n = 4000
        ours = numpy.array([int(v) for v in dump.text("crops", width, height, n, 11)]).reshape(n, 4)
        drawn = [RandomResizedCrop.get_params(image, (0.08, 1), (3 / 4, 4 / 3)) for _ in range(n)]
        theirs = numpy.array([(left, top, w, h) for top, left, h, w in drawn])
        for measure in (lambda b: b[:, 2] * b[:, 3] / (width * height),
                        lambda b: numpy.log(b[:, 2] / b[:, 3]),
                        lambda b: (b[:, 0] + b[:, 2] / 2) / width,
                        lambda b: (b[:, 1] + b[:, 3] / 2) / height):
            a, b = measure(ours), measure(theirs)
            error = numpy.sqrt((a.var() + b.var()) / n)
            assert abs(a.mean() - b.mean()) < 5 * error, (width, height, a.mean(), b.mean(), error)
            assert abs(a.std() - b.std()) < 5 * error, (width, height, a.std(), b.std(), error)
        assert len({tuple(box) for box in ours}) > n / 2 or width == 64


def generated(dump):
    with tempfile.TemporaryDirectory() as folder:
        for_regions = make_variants(folder)
        dump.text("generate", 10, 20, 0, 3, 1, f"{folder}/tree")
        files = sorted(glob.glob(f"{folder}/*.*") + glob.glob(f"{folder}/tree/*/*/*.jpg"))
        check_files(dump, files)
        for path in for_regions:
            check_regions(dump, path)
        check_refusals(dump, folder)
    check_crop_distribution(dump)


def test_photos():
    folder = os.environ.get("SCALEMARK_TEST_DATA", "")
    photos = sorted(glob.glob(f"{folder}/photos/train/*/*"))
    if not photos:
        print(f"skipped: no photos under SCALEMARK_TEST_DATA='{folder}'")
        sys.exit(77)
    return folder, photos


def fast_decoding(dump):
    """The row `fast` of docs/reference/METRICS.md, "Image loading"."""
    chooser = random.Random(1)
    files = []
    for path in test_photos()[1]:
        levels = (check_evaluation(dump, path, 224)[1], check_crop(dump, path, chooser, 224)[2])
        files.append(numpy.concatenate([one.ravel() for one in levels]))
    means, tails = [one.mean() for one in files], [numpy.quantile(one, 0.999) for one in files]
    outside = sum(mean > 0.5 or tail > 5 for mean, tail in zip(means, tails))
    print(f"{len(files)} photos at 224 px, each in evaluation and as a crop: mean {numpy.mean(means):.2f} levels, worst "
          f"photo's mean {max(means):.2f}, p99.9 of all pixels {numpy.quantile(numpy.concatenate(files), 0.999):.0f}, "
          f"worst photo's {max(tails):.0f}; {outside} photos have a mean above 0.5 or a p99.9 above 5")


def outside(dump):
    folder, photos = test_photos()
    check_files(dump, photos[::4])
    for path in photos[:4]:
        check_regions(dump, path)
    for path in sorted(glob.glob(f"{folder}/decoder-cases/*")):
        try:
            rgb(path)
        except Exception as error:  # whatever Pillow cannot read, we must not read wrongly
            assert refused(dump, "decode", path), path
            print(f"{os.path.basename(path)}: refused by both (Pillow: {error})")
            continue
        ours = refused(dump, "decode", path)
        print(f"{os.path.basename(path)}: " + (ours or f"decoded, worst {check_decode(dump, path)}"))


if __name__ == "__main__":
    {"generated": generated, "outside": outside, "fast": fast_decoding}[sys.argv[1]](Dump())
