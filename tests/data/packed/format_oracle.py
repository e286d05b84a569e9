"""An independent reader of packed data, after docs/DATA.md, with Pillow as decoder.

Every sample of each form is read from its shard by struct alone and compared with the file that it came from: `jpeg`
pixel for pixel, the others within a bound of Pillow's own resize. `outside` takes the photos and odd files under
SCALEMARK_TEST_DATA and is skipped without them.
"""

import io
import itertools
import os
import random
import struct
import sys
import tempfile
from pathlib import Path

import numpy
from PIL import Image, ImageOps

from program import run

HEADER = struct.Struct("<8s6I6Q16s16s16s")
CLASS, SHARD, SAMPLE = struct.Struct("<2Q"), struct.Struct("<2I4Q16s"), struct.Struct("<2Q16sQ6I")
FILE, INDEXED, RAW = 0, 1, 2
RAW_BOUND = 1  # levels; tests/data/images/pixels_oracle.py has the same for Pillow's resize
CROP_BOUND = 35  # levels; a crop of a file differs so from that of its pixels, since the file is decoded at the crop's scale
DECODE_BOUND = 2  # levels; libjpeg versions decode a file differently
JPEG_MEAN_FACTOR = 1.1  # relative to what Pillow loses by the same quality, and half a level


class Packed:
    def __init__(self, folder):
        self.folder, data = Path(folder), (Path(folder) / "packed.index").read_bytes()
        (self.magic, self.version, self.form, self.side, self.quality, self.held_out, _, classes, shards, train,
         evaluate, text_bytes, file_bytes, *_) = HEADER.unpack_from(data)
        assert (self.magic, self.version, file_bytes) == (b"SMPACKED", 2, len(data))
        at, rows = HEADER.size, []
        for kind, count in ((CLASS, classes), (SHARD, shards), (SAMPLE, train + evaluate)):
            rows.append([kind.unpack_from(data, at + i * kind.size) for i in range(count)])
            at += count * kind.size
        self.texts = data[at:]
        assert len(self.texts) == text_bytes
        self.classes = [self.text(begin, size) for begin, size in rows[0]]
        self.shards = [f"{('train', 'evaluate')[split]}-{number:05}.shard" for split, _, number, *_ in rows[1]]
        self.samples, self.train = rows[2], train

    def text(self, begin, size):
        return self.texts[begin:begin + size].decode()

    def __iter__(self):
        for offset, size, _, path, path_size, label, shard, encoding, width, height in self.samples:
            with open(self.folder / self.shards[shard], "rb") as file:
                file.seek(offset)
                yield self.text(path, path_size), label, encoding, (width, height), file.read(size)


def pixels(encoding, size, data):
    if encoding == RAW:
        return numpy.frombuffer(data, numpy.uint8).reshape(size[1], size[0], 3)
    if encoding == INDEXED:
        points, = struct.unpack_from("<I", data)
        data = data[8 + 12 * points:]
    return rgb(Image.open(io.BytesIO(data)))


def rgb(image):
    return numpy.asarray(image.convert("RGB"))


def reduced(image):
    """Shorter side to 256, as torchvision's Resize counts; larger images only."""
    image, (width, height) = image.convert("RGB"), image.size
    if min(width, height) <= 256:
        return image
    size = (256, 256 * height // width) if width <= height else (256 * width // height, 256)
    return image.resize(size, Image.BILINEAR)


def loss_of_jpeg(image, quality):
    """Mean difference, in levels, that Pillow's own encoder makes."""
    file = io.BytesIO()
    Image.fromarray(image).save(file, "JPEG", quality=quality, subsampling="4:2:0")
    return numpy.abs(rgb(Image.open(file)).astype(int) - image.astype(int)).mean()


def expected_order(tree, split):
    """torchvision's ImageFolder: classes by name, files of a class by folder and name."""
    for label, name in enumerate(sorted(p.name for p in (tree / "train").iterdir())):
        for path in sorted((tree / split / name).glob("*"), key=lambda p: p.name):
            yield str(path.relative_to(tree)), label


def check(tree, form, folder):
    run("data", "pack", tree, folder, "--form", form, "--shard-size", "300KiB", "--no-progress")
    packed, worst = Packed(folder), 0
    order = list(expected_order(tree, "train"))
    held_out = packed.held_out == 1
    if not held_out:
        assert [(path, label) for path, label, *_ in packed] == order + list(expected_order(tree, "val"))
    assert packed.classes == sorted(p.name for p in (tree / "train").iterdir())
    encodings = []
    for path, _, encoding, size, data in packed:
        encodings.append(encoding)
        original = Image.open(tree / path)
        if form == "jpeg":
            assert original.size == size and (pixels(encoding, size, data) == rgb(original)).all(), path
            continue
        theirs = rgb(reduced(original))
        ours = pixels(encoding, size, data)
        assert ours.shape == theirs.shape and size == (ours.shape[1], ours.shape[0]), (path, ours.shape, theirs.shape)
        difference = numpy.abs(ours.astype(int) - theirs.astype(int))
        if form == "raw-256":
            assert difference.max() <= RAW_BOUND + DECODE_BOUND, (path, difference.max())
        else:
            bound = JPEG_MEAN_FACTOR * loss_of_jpeg(theirs, packed.quality) + 0.5
            assert difference.mean() <= bound, (path, difference.mean(), bound)
        worst = max(worst, difference.mean())
    print(f"{form}: {len(encodings)} samples in {len(packed.shards)} shards, {encodings.count(INDEXED)} with access points, "
          f"worst mean difference {worst:.2f} levels")
    return encodings


def smooth(width, height, seed):
    small = numpy.random.default_rng(seed).integers(0, 256, (6, 8, 3), dtype=numpy.uint8)
    return Image.fromarray(small).resize((width, height), Image.BICUBIC)


def make_odd_tree(tree):
    """Makes whatever Pillow can write: samplings, progressive, grey, CMYK, RGB, PNG, restart markers, small and large."""
    for split in ("train", "val"):
        for name in ("a", "b b"):
            (tree / split / name).mkdir(parents=True)
    image = smooth(431, 357, 3)
    folder = tree / "train/a"
    for sampling, progressive in itertools.product((0, 1, 2), (False, True)):
        image.save(folder / f"s{sampling}p{int(progressive)}.jpg", subsampling=sampling, progressive=progressive)
    image.save(folder / "restart.jpg", restart_marker_blocks=5)
    image.convert("L").save(folder / "grey.jpg")
    image.convert("L").save(folder / "grey-progressive.jpg", progressive=True)
    image.convert("CMYK").save(folder / "cmyk.jpg")
    image.save(folder / "rgb.jpg", keep_rgb=True)
    image.save(folder / "colour.png")
    exif = Image.Exif()
    exif[0x0112] = 6
    image.save(folder / "turned.jpg", exif=exif, comment=b"x" * 60000)
    for i, size in enumerate(((1, 1), (900, 300), (17, 700), (256, 257))):
        smooth(*size, i).save(tree / "train/b b" / f"{i}.jpg")
    smooth(300, 500, 9).save(tree / "val/a/v.jpg")
    ImageOps.mirror(image).save(tree / "val/b b/w.PNG")


def generated(folder):
    tree = folder / "tree"
    make_odd_tree(tree)
    encodings = check(tree, "jpeg", folder / "jpeg")
    assert encodings.count(FILE) == 3, "CMYK and two PNG"
    assert INDEXED in check(tree, "jpeg-256", folder / "jpeg-256")
    assert set(check(tree, "raw-256", folder / "raw-256")) == {RAW}
    drawn_sizes(folder)


def drawn_sizes(folder):
    """Small and narrow files in each sampling; crops of the packed ones are those of the tree: of `jpeg` the same, of `raw-256` alike."""
    chooser, tree = random.Random(39), folder / "sizes"
    for split, name in itertools.product(("train", "val"), "ab"):
        (tree / split / name).mkdir(parents=True)
        for i in range(12):
            size = [chooser.choice((1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100)) for _ in range(2)]
            smooth(*size, i).save(tree / split / name / f"{i}.jpg", subsampling=i % 3, quality=90)
    for form in ("jpeg", "raw-256"):
        check(tree, form, folder / f"sizes-{form}")
        for size, seed in ((8, 1), (13, 2), (16, 3)):
            shown = [sheet(data, folder, size, seed) for data in (tree, folder / f"sizes-{form}")]
            worst = numpy.abs(shown[0] - shown[1]).max()
            assert worst <= (0 if form == "jpeg" else CROP_BOUND), (form, size, seed, worst)


def sheet(data, folder, size, seed):
    run("data", "show", "--data", data, "--image-size", size, "--samples", 24, "--seed", seed, "--overwrite", "--output", folder / "sheet.png")
    return rgb(Image.open(folder / "sheet.png")).astype(int)


def outside(folder):
    photos = Path(os.environ.get("SCALEMARK_TEST_DATA", "")) / "photos"
    if not photos.is_dir():
        print(f"skipped: no photos under {photos}")
        sys.exit(77)
    for form in ("jpeg", "jpeg-256", "raw-256"):
        check(photos, form, folder / form)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as keep:
        {"generated": generated, "outside": outside}[sys.argv[1]](Path(keep))
