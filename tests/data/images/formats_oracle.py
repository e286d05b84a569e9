"""Files of every format, of kinds that Pillow does not write, drawn by a seed: Pillow's pixels, or refused by name."""

import itertools
import os
import random
import struct
import sys
import tempfile
import zlib

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from dump import Dump  # noqa: E402
from pixels_oracle import refused, rgb, smooth_image  # noqa: E402


def same_as_pillow(dump, path, bound=0):
    ours, _ = dump.image("decode", path)
    theirs = numpy.asarray(rgb(path))
    assert ours.shape == theirs.shape, path
    worst = numpy.abs(ours.astype(int) - theirs).max()
    assert worst <= bound, (path, worst)


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)
    return path


# --- WebP, PBM, PGM, PPM, BMP.


def netpbm_files(chooser, width, height):
    """Every kind of PBM, PGM and PPM: name, bytes. Plain numbers stand between blanks, line ends and comments."""
    for kind in range(1, 7):
        samples = width * height * (3 if kind % 3 == 0 else 1)
        for largest in (1,) if kind % 3 == 1 else (255, chooser.randrange(1, 255), 256, chooser.randrange(257, 65535), 65535):
            values = [chooser.randint(0, largest) for _ in range(samples)]
            head = f"P{kind}\n# a comment\n{width} # another\n {height}\n"
            head += "" if kind % 3 == 1 else f"{largest}\n"
            if kind <= 3:
                blank = ["", "\n"] if kind == 1 else [" ", "\n", "\t", " # 7\n"]
                body = "".join(str(value) + chooser.choice(blank) for value in values).encode()
            elif kind == 4:
                rows = numpy.array(values, numpy.uint8).reshape(height, width)
                body = numpy.packbits(rows, axis=1).tobytes()
            else:
                body = numpy.array(values, ">u2" if largest > 255 else numpy.uint8).tobytes()
            yield f"p{kind}-{largest}", head.encode() + body


def bmp_file(chooser, width, height, bits, header=40, colours=0, top_down=False, masks=None):
    """An uncompressed BMP file of random pixels, with what the header's size has room for."""
    stride = (width * bits + 31) // 32 * 4
    entries = 0 if bits > 8 else colours or 1 << bits
    if bits > 8 or not colours:
        pixels = bytes(chooser.randrange(256) for _ in range(stride * height))
    else:
        rows = [[chooser.randrange(colours) for _ in range(8 * stride // bits)] for _ in range(height)]
        per_byte = 8 // bits
        pixels = bytes(sum(row[i + k] << (8 - bits * (k + 1)) for k in range(per_byte))
                       for row in rows for i in range(0, len(row), per_byte))
    palette = bytes(chooser.randrange(256) for _ in range(entries * (3 if header == 12 else 4)))
    if header == 12:
        fields = struct.pack("<IHHHH", 12, width, height, 1, bits)
    else:
        fields = struct.pack("<IiiHHIIiiII", header, width, -height if top_down else height, 1, bits, 3 if masks else 0,
                             len(pixels), 2835, 2835, colours, 0)
        fields += struct.pack("<IIII", *(masks or (0, 0, 0, 0)))
        fields = fields[:max(header, 52 if masks else 40)].ljust(header, b"\0")
    first = 14 + len(fields) + len(palette)
    return struct.pack("<2sIHHI", b"BM", first + len(pixels), 0, 0, first) + fields + palette + pixels


def bmp_files(chooser, width, height):
    for bits, header in itertools.product((1, 4, 8, 24), (12, 40, 52, 56, 64, 108, 124)):
        yield f"bits{bits}-header{header}", bmp_file(chooser, width, height, bits, header)
    for bits, header in itertools.product((8, 24, 32), (40, 124)):
        yield f"top-down{bits}-{header}", bmp_file(chooser, width, height, bits, header, top_down=True)
    for bits, colours in ((1, 2), (4, 7), (8, 3), (8, 200)):
        yield f"bits{bits}-colours{colours}", bmp_file(chooser, width, height, bits, colours=colours)
    for masks in ((0xf800, 0x7e0, 0x1f, 0), (0x7c00, 0x3e0, 0x1f, 0)):
        yield f"masks{masks[0]:x}", bmp_file(chooser, width, height, 16, masks=masks)
    yield "bits16", bmp_file(chooser, width, height, 16)
    for bits, header in ((4, 12), (8, 40), (24, 40), (24, 108)):
        data = bmp_file(chooser, width, height, bits, header)
        yield f"unplaced{bits}-{header}", data[:10] + bytes(4) + data[14:]  # the pixels follow at once
    for header, masks in ((40, (0xff0000, 0xff00, 0xff, 0)), (56, (0xff000000, 0xff0000, 0xff00, 0xff)),
                          (108, (0xff, 0xff00, 0xff0000, 0xff000000)), (124, (0xff0000, 0xff00, 0xff, 0xff000000)),
                          (56, (0xff000000, 0xff00, 0xff, 0xff0000)), (108, (0, 0, 0, 0))):
        yield f"masks32-{header}-{masks[0]:x}", bmp_file(chooser, width, height, 32, header, masks=masks)


def webp_files(folder, image):
    alpha = image.copy()
    alpha.putalpha(image.convert("L").point(lambda level: max(0, 2 * level - 255)))
    for name, picture in {"plain": image, "alpha": alpha, "one": image.resize((1, 1)), "grey": image.convert("L")}.items():
        for quality, lossless in ((30, False), (90, False), (100, True)):
            path = f"{folder}/{name}-{quality}-{int(lossless)}.webp"
            picture.save(path, quality=quality, lossless=lossless, exact=quality == 100, icc_profile=b"x" * 200)
            yield path


def check_other_formats(dump, folder):
    """WebP, PPM, PGM, PBM and BMP files, drawn by a seed: Pillow's pixels to the bit; cut short, they are refused."""
    chooser = random.Random(35)
    paths = list(webp_files(folder, smooth_image(chooser.randint(60, 200), chooser.randint(60, 200), 6)))
    for trial in range(3):
        size = (chooser.randint(1, 40), chooser.randint(1, 40)) if trial else (1, 1)
        for name, data in itertools.chain(netpbm_files(chooser, *size), bmp_files(chooser, *size)):
            paths.append(write(f"{folder}/{trial}-{name}.{'bmp' if data[:2] == b'BM' else 'ppm'}", data))
    for mode in ("1", "L", "P", "RGB", "RGBA"):
        paths.append(f"{folder}/pillow-{mode}.bmp")
        smooth_image(61, 47, 7).convert(mode).save(paths[-1])
    for path in paths:
        same_as_pillow(dump, path)
        with open(path, "rb") as file:
            data = file.read()
        for keep in {len(data) // 3, len(data) * 9 // 10, 13, 3}:
            if not refused(dump, "decode", write(f"{folder}/cut", data[:keep])):
                same_as_pillow(dump, f"{folder}/cut")  # a comment or a digit was cut off
                assert data[1:2] in b"123", (path, keep)
    return len(paths)


def check_unread_formats(dump, folder):
    image = smooth_image(30, 20, 8)
    run_lengths = bytearray(bmp_file(random.Random(1), 9, 7, 8))
    run_lengths[30] = 1
    write(f"{folder}/run-lengths.bmp", run_lengths)
    image.save(f"{folder}/animation.webp", save_all=True, append_images=[image.rotate(90)])
    for name, says in {"gif": "GIF", "tif": "TIFF", "jp2": "JPEG 2000"}.items():
        image.save(f"{folder}/other.{name}")
        text = refused(dump, "decode", f"{folder}/other.{name}")
        assert text and says in text, text
    assert "an animation" in refused(dump, "decode", f"{folder}/animation.webp")
    assert "run lengths" in refused(dump, "decode", f"{folder}/run-lengths.bmp")


# --- PNG: what Pillow writes is in pixels_oracle.py.


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_rows(chooser, width, height, pixel_bits):
    """Rows with a filter each; neighbours are alike, so that filters matter little and all are taken."""
    data = b""
    for _ in range(height):
        data += bytes([chooser.randrange(5)]) + bytes(chooser.randrange(256) for _ in range((width * pixel_bits + 7) // 8))
    return data


ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def png_file(chooser, size, colour, bits, interlaced, ancillary=b"", parts=1):
    width, height = size
    pixel_bits = bits * {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
    if interlaced:
        passes = [((width - x + dx - 1) // dx, (height - y + dy - 1) // dy) for x, y, dx, dy in ADAM7]
        data = b"".join(png_rows(chooser, w, h, pixel_bits) for w, h in passes if w > 0 and h > 0)
    else:
        data = png_rows(chooser, width, height, pixel_bits)
    data = zlib.compress(data)
    palette = chunk(b"PLTE", bytes(chooser.randrange(256) for _ in range(3 << bits))) if colour == 3 else b""
    step = max(1, len(data) // parts)
    idats = b"".join(chunk(b"IDAT", data[i:i + step]) for i in range(0, len(data), step))
    header = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, int(interlaced))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + palette + ancillary + idats + chunk(b"IEND", b"")


def short_palette(chooser, bits, colours):
    """Returns a PNG file whose palette has only `colours` of the colours that its pixels may name."""
    whole = png_file(chooser, (9, 7), 3, bits, False)
    at = whole.index(b"PLTE") - 4
    return whole[:at] + chunk(b"PLTE", whole[at + 8:at + 8 + 3 * colours]) + whole[at + 12 + (3 << bits):]


def check_wrong_checksums(dump, folder, chooser):
    """What an extra chunk says is left out where its checksum is wrong (Pillow refuses the file); of the others the file is refused."""
    pixels = {}
    for kind, wrong in itertools.product((b"gAMA", b"tEXt", b"abCd"), (0, 1)):
        extra = bytearray(chunk(kind, b"\0\0\xb1\x8f"))
        extra[-1] ^= wrong
        path = write(f"{folder}/it.png", png_file(random.Random(1), (9, 7), 2, 8, False, bytes(extra)))
        pixels[kind, wrong], _ = dump.image("decode", path)
        assert (pixels[kind, wrong] == pixels[kind, 0]).all(), kind
    whole = png_file(chooser, (9, 7), 3, 8, False)
    for kind in (b"IHDR", b"PLTE", b"IDAT"):
        at = whole.index(kind)
        broken = bytearray(whole)
        broken[at + 4 + struct.unpack(">I", whole[at - 4:at])[0]] ^= 1
        assert refused(dump, "decode", write(f"{folder}/broken.png", broken)), kind


def check_png(dump, folder):
    chooser = random.Random(36)
    depths = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
    clear = {0: chunk(b"tRNS", b"\0\1"), 2: chunk(b"tRNS", bytes(6)), 3: chunk(b"tRNS", b"\0\x80")}
    others = {"gamma": chunk(b"gAMA", struct.pack(">I", 45455)), "bad-profile": chunk(b"iCCP", b"x\0\0no profile"),
              "unknown": 500 * chunk(b"abCd", b"12"),
              "texts": 500 * chunk(b"tEXt", b"a\0b"),
              "animated": chunk(b"acTL", struct.pack(">II", 1, 0)) + chunk(b"fcTL", struct.pack(">IIIIIHHBB", 0, 9, 7, 0, 0, 1, 1, 0, 0))}
    files = []
    for colour, interlaced in itertools.product(depths, (False, True)):
        for bits in depths[colour]:
            for extra in (b"", clear.get(colour, b"")):
                size = (chooser.randint(1, 24), chooser.randint(1, 24))
                files.append(png_file(chooser, size, colour, bits, interlaced, extra, chooser.choice((1, 300))))
    files += [png_file(chooser, (9, 7), 2, 8, False, extra) for extra in others.values()]
    files += [short_palette(chooser, bits, chooser.randrange(1, 1 << bits)) for bits in (1, 2, 4, 8)]
    for data in files:
        same_as_pillow(dump, write(f"{folder}/it.png", data))
    whole = files[0]
    for broken in (whole[:-12], whole.replace(b"IDAT", b"IDAX"), whole[:-20] + b"\1" + whole[-19:]):
        assert refused(dump, "decode", write(f"{folder}/broken.png", broken)), broken
    check_wrong_checksums(dump, folder, chooser)
    return len(files)


# --- JPEG.


def jpeg(dump, path, size, factors, stored=3, progressive=False, separate=False, restart=0):
    dump.text("jpeg", *size, stored, int(progressive), int(separate), restart, len(factors),
              *itertools.chain(*factors), path)
    with open(path, "rb") as file:
        return file.read()


def segments(data):
    """The marker segments in front of the first scan's data, and the rest."""
    found, at = [], 2
    while True:
        length = struct.unpack(">H", data[at + 2:at + 4])[0]
        found.append(data[at:at + 2 + length])
        at += 2 + length
        if found[-1][1] == 0xda:
            return found, data[at:]


def changed(data, change):
    """`data` with each segment replaced by what `change` makes of it."""
    found, rest = segments(data)
    return b"\xff\xd8" + b"".join(change(one[1], one) for one in found) + rest


def without(data, *markers):
    return changed(data, lambda marker, one: b"" if marker in markers else one)


def in_front(data, extra):
    return data[:2] + extra + data[2:]


def segment(marker, body):
    return bytes([0xff, marker]) + struct.pack(">H", len(body) + 2) + body


def with_ids(data, ids):
    def change(marker, one):
        one = bytearray(one)
        first, step = {0xc0: (10, 3), 0xda: (5, 2)}.get(marker, (0, 0))
        for c in range(3 if step else 0):
            one[first + c * step] = ids[c]
        return bytes(one)
    return changed(data, change)


def in_frame(data, at, value):
    return changed(data, lambda marker, one: one[:at] + value + one[at + len(value):] if marker == 0xc0 else one)


def adobe(transform):
    return segment(0xee, b"Adobe" + struct.pack(">HHHB", 100, 0, 0, transform))


def odd_jpegs(plain, progressive, restarts):
    """Returns what decodes as Pillow decodes it, and what is refused, whatever Pillow does."""
    bare = without(plain, 0xe0)
    read = {
        "data behind": plain + b"more " * 99, "second picture behind": plain + progressive,
        "fill bytes": changed(plain, lambda _, one: b"\xff\xff" + one), "no JFIF": bare,
        "bad EXIF": in_front(plain, segment(0xe1, b"Exif\0\0MM\0*\0\0\xff\xff")), "bad ICC": in_front(plain, segment(0xe2, b"ICC_PROFILE\0\7\1no")),
        "empty APP": in_front(plain, segment(0xe5, b"")), "longest APP": in_front(plain, segment(0xe5, bytes(65533))),
        "ids RGB": with_ids(bare, b"RGB"), "ids 0 1 2": with_ids(bare, b"\0\1\2"), "ids 1 34 35": with_ids(bare, b"\1\x22\x23"),
        "Adobe RGB": in_front(bare, adobe(0)), "Adobe YCbCr": in_front(bare, adobe(1)), "Adobe odd": in_front(bare, adobe(7)),
        "Adobe beside JFIF": in_front(plain, adobe(0)), "no tables": without(plain, 0xc4), "MPO": in_front(plain, segment(0xe2, b"MPF\0no")) + plain,
        "comment": in_front(plain, segment(0xfe, b"\0\xff")), "restarts": restarts, "progressive": progressive,
        "lower than its data": in_frame(plain, 5, struct.pack(">H", 24))}
    first = restarts.index(b"\xff\xd1")
    refused_ones = {
        "higher than its data": in_frame(plain, 5, struct.pack(">H", 94)), "12 bits": in_frame(plain, 4, b"\x0c"),
        "no height": in_frame(plain, 5, b"\0\0"), "data before": b"before" + plain, "no end": plain[:-2],
        "two components": in_frame(plain, 9, b"\2"), "a lost restart": restarts[:first] + restarts[first + 2:],
        "a wrong restart": restarts[:first] + b"\xff\xd5" + restarts[first + 2:], "a restart twice": restarts[:first + 2] + restarts[first:],
        "no scan": plain[:plain.index(b"\xff\xda")] + b"\xff\xd9", "no quantisation": without(plain, 0xdb)}
    return read, refused_ones


SMOOTHING_BOUND = 3  # levels


def check_odd_jpegs(dump, folder):
    files = {name: jpeg(dump, f"{folder}/{name}.jpg", (61, 47), [(2, 2), (1, 1), (1, 1)], **kind)
             for name, kind in {"plain": {}, "progressive": {"progressive": True}, "restarts": {"restart": 3}}.items()}
    read, refused_ones = odd_jpegs(files["plain"], files["progressive"], files["restarts"])
    for name, data in read.items():
        same_as_pillow(dump, write(f"{folder}/{name}", data))
    for name, data in refused_ones.items():
        assert refused(dump, "decode", write(f"{folder}/{name}", data)), name
    scans = files["progressive"].split(b"\xff\xda")
    for kept in range(1, len(scans) - 1):  # where coefficients are missing, versions of libjpeg smooth differently
        same_as_pillow(dump, write(f"{folder}/{kept} scans", b"\xff\xda".join(scans[:kept + 1]) + b"\xff\xd9"), SMOOTHING_BOUND)
    return len(read) + len(refused_ones) + len(scans) - 2


def check_samplings(dump, folder):
    """Factors as odd cameras write them, sequential and progressive, with restarts, a scan for each component; CMYK and YCCK."""
    chooser = random.Random(37)
    choices = [(h, v) for h in (1, 2, 4) for v in (1, 2, 4)]
    count = 0
    while count < 40:
        factors = [chooser.choice(choices) for _ in range(3)]
        separate = count % 4 == 3
        if sum(h * v for h, v in factors) > 10 and not separate:
            continue
        size = (chooser.randint(1, 90), chooser.randint(1, 90))
        jpeg(dump, f"{folder}/it.jpg", size, factors, progressive=count % 4 == 1, separate=separate, restart=3 * (count % 4 == 2))
        same_as_pillow(dump, f"{folder}/it.jpg")
        count += 1
    for stored, factors in itertools.product((4, 5), ([(1, 1)] * 4, [(2, 2), (1, 1), (1, 1), (2, 2)])):
        data = jpeg(dump, f"{folder}/it.jpg", (43, 31), factors, stored)
        same_as_pillow(dump, f"{folder}/it.jpg")
        same_as_pillow(dump, write(f"{folder}/bare.jpg", without(data, 0xee)))
    return count + 8


def main():
    dump = Dump()
    for check in (check_other_formats, check_png, check_odd_jpegs, check_samplings):
        with tempfile.TemporaryDirectory() as folder:
            print(f"{check.__name__}: {check(dump, folder)} files")
    with tempfile.TemporaryDirectory() as folder:
        check_unread_formats(dump, folder)


if __name__ == "__main__":
    main()
