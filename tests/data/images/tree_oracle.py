"""Trees as people have them, drawn by a seed, against torchvision's ImageFolder: the same files with the same classes; what it reads
and we do not, is counted in a note."""

import os
import random
import re
import sys
import tempfile
from pathlib import Path

from torchvision.datasets import ImageFolder

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from dump import Dump, Refused  # noqa: E402

STEMS = ("", "a", "B", "0", "10", "2", "\u00e9", "e\u0301", "\u732b", "\U0001f431", "with blank", " lead", "-dash", "a=b", "quo'te", '"', "a,b", "x.y",
         "%20", "#", "._x", ".hidden", "~", "*", "a;b", "$HOME", "back\\slash")
SUFFIXES = (".jpg", ".JPG", ".jpeg", ".JPEG", ".Png", ".webp", ".WEBP", ".bmp", ".ppm", ".pgm", ".tif", ".TIFF", ".gif", ".txt", "", ".jpg~",
            ".jpg.txt", ".jfif", ".xml", ".jp g", ".zip")
UNREAD = {".tif", ".tiff", ".gif", ".jfif", ".zip"}
OF_SYSTEMS = (".ipynb_checkpoints", "__MACOSX", "@eaDir", ".Trashes")
OTHERS = ("Thumbs.db", ".DS_Store", "desktop.ini", "note.jpg/", "__MACOSX/", ".ipynb_checkpoints/")


def make_tree(chooser, train):
    for name in chooser.sample(STEMS[1:], chooser.randint(2, 5)):
        folder = train / name
        folder.mkdir(parents=True)
        (folder / "always.jpg").touch()
        for _ in range(chooser.randint(0, 12)):
            deeper = folder / chooser.choice(("", "", "deep", "deep/er", "x.jpg"))
            deeper.mkdir(parents=True, exist_ok=True)
            (deeper / (chooser.choice(STEMS) + chooser.choice(SUFFIXES) or "none")).touch()
        for other in chooser.sample(OTHERS, 2):
            if other.endswith("/"):
                (folder / other).mkdir(exist_ok=True)
                (folder / other / "in.jpg").touch()
            else:
                (folder / other).touch()
    if chooser.random() < 0.5:
        away = train.parent / "elsewhere"
        away.mkdir()
        (away / "linked.png").touch()
        (train / "link").symlink_to(away)
        (train / "dangling").symlink_to("nowhere")
        (away / "file.jpg").symlink_to("linked.png")


def make_classes_of_systems(chooser, train):
    """Folders that programs leave beside the classes; true: one of them holds no image."""
    empty = False
    for name in chooser.sample(OF_SYSTEMS, chooser.randint(0, 2)):
        (train / name).mkdir()
        holds = chooser.random() < 0.7
        (train / name / ("1.jpg" if holds else "Thumbs.db")).touch()
        empty = empty or not holds
    return empty


def check_empty_class(dump, root):
    try:
        ImageFolder(root / "train")
        raise AssertionError("torchvision takes a class without an image")
    except FileNotFoundError as error:
        theirs = str(error).split("classes ")[1].split(". ")[0].split(", ")
    try:
        ours_of(dump, root)
        raise AssertionError(f"{theirs} are taken")
    except Refused as error:
        assert any(f"/{name} holds no image" in str(error) for name in theirs) and "(exit 65)" in str(error), error


def ours_of(dump, root):
    words = dump.line("tree", root).split("\t")
    pairs = list(zip(words[::2], words[1::2]))
    return [(os.path.join(root, path), int(label)) for label, path in pairs if label != "note"], [note for label, note in pairs if label == "note"]


def check_tree(dump, chooser, root):
    make_tree(chooser, root / "train")
    if make_classes_of_systems(chooser, root / "train"):
        return check_empty_class(dump, root)
    if chooser.random() < 0.3:
        (root / "train").rename(root / "away")
        (root / "train").symlink_to("away")
    theirs = ImageFolder(root / "train")
    ours, notes = ours_of(dump, root)
    wanted = [(path, label) for path, label in theirs.samples if not path.lower().endswith((".tif", ".tiff"))]
    assert sorted(ours) == sorted(wanted), set(ours) ^ set(wanted)
    unread = [os.path.splitext("x" + name)[1].lower() for _, _, names in os.walk(root / "train", followlinks=True) for name in names]
    unread = [suffix for suffix in unread if suffix in UNREAD]
    reported = [note for note in notes if "not read" in note]
    assert bool(reported) == bool(unread), (reported, unread)
    if unread:
        assert re.search(rf": {len(unread)} files? with {', '.join(sorted(set(unread)))} (is|are) not read", reported[0]), (reported, unread)


def main():
    dump, chooser = Dump(), random.Random(38)
    for _ in range(40):
        with tempfile.TemporaryDirectory() as folder:
            check_tree(dump, chooser, Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "train/a").mkdir(parents=True)
        (root / "train/a/1.tif").touch()
        try:
            ours_of(dump, root)
            raise AssertionError("a class without an image is taken")
        except Refused as error:
            assert "holds no image: 1 file with .tif is not read" in str(error), error


if __name__ == "__main__":
    main()
