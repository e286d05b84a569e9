"""A folder in which hostile and odd files lie between good ones: what each command says of it, and that nothing finished is lost."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from program import SCALEMARK, check, clean_environment, report_in, run

ODD_NAME = "line\nbreak"
SOMEBODY = 54321  # a user who owns nothing


def picture(width, height, mode="RGB"):
    return Image.linear_gradient("L").resize((width, height)).convert(mode)


def good_files(folder):
    """Makes files that decode, though they look odd."""
    picture(90, 60).save(folder / "plain.jpg")
    picture(90, 60).save(folder / "progressive.jpg", progressive=True)
    picture(90, 60, "CMYK").save(folder / "cmyk.jpg")
    picture(90, 60, "L").save(folder / "grey.jpg")
    Image.new("I;16", (64, 48), 30_000).save(folder / "sixteen-bits.png")
    picture(1, 1).save(folder / "one-pixel.jpg")
    picture(30_000, 1).save(folder / "wide.jpg")
    picture(64, 64).save(folder / "png-by-content.jpg", format="PNG")
    picture(64, 64).save(folder / f"{ODD_NAME}.jpg")


def bad_files(folder):
    """Their names, of those that can be read and of those that cannot."""
    whole = (folder / "plain.jpg").read_bytes()
    contents = {"cut.jpg": whole[:-30], "empty.jpg": b"", "text.png": b"no picture", f"bad {ODD_NAME}.jpg": b"no picture"}
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    picture(64, 64).convert("P").save(folder / "gif-by-content.jpeg", format="GIF")
    picture(140_000, 1).save(folder / "too-wide.png")
    os.mkfifo(folder / "pipe.jpg")
    (folder / "dangling.jpg").symlink_to("nowhere.jpg")
    (folder / "itself.jpg").symlink_to("itself.jpg")
    return {*contents, "gif-by-content.jpeg", "too-wide.png"}, {"pipe.jpg", "dangling.jpg", "itself.jpg"}


def make_tree(folder):
    for split in ("train", "val"):
        for name in ("a", "b"):
            (folder / split / name).mkdir(parents=True)
            good_files(folder / split / name)
    return bad_files(folder / "train/a")


def refused(code, *arguments):
    """One line on stderr, and that exit code."""
    done = run(*arguments, expect=code)
    check(done.stderr.count("\n") == 1 and f"(exit {code})" in done.stderr, done.stderr)
    return done


def named(lines, bad):
    """Each bad file is in a line of its own; a line break in a name is none in the text."""
    check(len(lines) == len(bad), lines)
    for name in bad:
        shown = re.escape(name).replace(re.escape("\n"), r".{1,6}")
        check(any(re.search(f"/{shown}: ", line.replace("\\\n", "")) for line in lines), (name, lines))


def verify(tree, unreadable, readable):
    named(refused(65, "data", "verify", tree, "--no-progress").stdout.splitlines(), unreadable | readable)


def bench(data, bad):
    command = ("data", "bench", "--data", data, "--image-size", 32, "--batch-size", 2)
    if not bad:
        return run(*command)
    refused(65, *command)
    text = run(*command, "--on-bad-sample", "skip").stdout
    return check(f"{bad} samples per epoch could not be decoded:" in text, text)


def pack(tree, out, form, bad):
    command = ("data", "pack", tree, out, "--form", form, "--no-progress")
    refused(65, *command)
    made = run(*command, "--on-bad-sample", "skip", "--overwrite").stdout.splitlines()
    first = made.index(f"{len(bad)} files left out:") + 1
    named(made[first:first + len(bad)], bad)
    run("data", "verify", out, "--no-progress")


def train(data, out, bad):
    command = ("train", "--workload", "resnet50", "--data", data, "--image-size", 32, "--batch-size", 4, "--epochs", 1,
               "--threads", 1, "--learning-rate", "1e-4", "--no-progress", "--output", out)
    run(*command, "--on-bad-sample", "skip")
    skipped = report_in(out)["points"][0]["data_loading"]["skipped"]
    check(len({entry["name"] for entry in skipped}) == bad, skipped)


def circles(tree):
    (tree / "train/b/circle").symlink_to("../..")
    for command in (("data", "verify", tree), ("data", "bench", "--data", tree), ("data", "pack", tree, tree.parent / "none"),
                    ("train", "--workload", "resnet50", "--data", tree, "--output", tree.parent / "none-run")):
        error = refused(65, *command).stderr
        check("train/b/circle is " in error and "links in a circle" in error, error)
    check(not (tree.parent / "none").exists(), "packing left a folder behind")


def notes(folder):
    """What is not read is said on stderr and in the journal, once, and counted in the report."""
    for name in ("a", "b"):
        (folder / "train" / name).mkdir(parents=True)
        for i in range(4):
            picture(64, 64).save(folder / "train" / name / f"{i}.bmp")
    (folder / "train/a/more.tif").touch()
    (folder / "valid").mkdir()
    options = ("--workload", "resnet50", "--data", folder, "--image-size", 33, "--batch-size", 2, "--iters", 1, "--warmup-iters", 1,
               "--threads", 1, "--no-progress")
    for command in (("train", *options, "--output", folder / "run"),
                    ("sweep", *options, "--world-sizes", 1, "--repetitions", 1, "--output", folder / "sweep")):
        stderr = run(*command).stderr
        journal = (command[-1] / "journal.jsonl").read_text()
        for note in ("1 file with .tif is not read; ", "valid/ is not read: there is no val/"):
            check(stderr.count(note) == 1 and journal.count(note) == 1, (stderr, journal))
        [point] = report_in(command[-1])["points"]
        check(point["data_loading"]["files_left_out"] == {".tif": 1}, point["data_loading"])


def names_in_bytes(folder):
    """Names of classes and files that are no UTF-8 are read, packed and found again."""
    for split in (b"train", b"val"):
        for name in (b"caf\xe9", b"\xff\xfe"):
            at = os.path.join(os.fsencode(folder), b"bytes", split, name)
            os.makedirs(at)
            picture(64, 64).save(os.path.join(at, name + b".jpg").decode(errors="surrogateescape"))
    for form in ("jpeg", "raw-256"):
        run("data", "pack", folder / "bytes", folder / form, "--form", form, "--overwrite", "--no-progress")
        for data in (folder / "bytes", folder / form):
            check("4 samples" in run("data", "verify", data, "--no-progress").stdout, data)


def as_somebody():
    os.setgroups([])
    os.setgid(SOMEBODY)
    os.setuid(SOMEBODY)


def without_rights(folder):
    """A file (74) and a class folder (66) that may not be read are named."""
    for name in ("a", "b"):
        (folder / "closed/train" / name).mkdir(parents=True)
        for i in range(2):
            picture(64, 64).save(folder / "closed/train" / name / f"{i}.jpg")
    folder.chmod(0o755)
    verify = [SCALEMARK.resolve(), "data", "verify", folder / "closed", "--no-progress"]
    asked = {"capture_output": True, "text": True, "check": False, "timeout": 120, "env": clean_environment(), "cwd": "/"}
    if os.getuid() != 0 or subprocess.run(verify, preexec_fn=as_somebody, **asked).returncode != 0:
        return print("another user may not read the program, or cannot be")
    for closed, code in (("train/a/0.jpg", 74), ("train/a", 66)):
        (folder / "closed" / closed).chmod(0)
        done = subprocess.run(verify, preexec_fn=as_somebody, **asked)
        check(done.returncode == code and f"/{closed}: Permission denied" in done.stderr and done.stderr.count("\n") == 1, done.stderr)
    return None


def main():
    with tempfile.TemporaryDirectory() as keep:
        folder = Path(keep)
        unreadable, no_files = make_tree(folder / "tree")
        bad = unreadable | no_files
        verify(folder / "tree", unreadable, no_files)
        bench(folder / "tree", len(bad))
        train(folder / "tree", folder / "tree-run", len(bad))
        for form, left_out in (("jpeg", no_files), ("jpeg-256", bad), ("raw-256", bad)):
            pack(folder / "tree", folder / form, form, left_out)
            bench(folder / form, len(bad - left_out))
            if bad - left_out:  # whole ones are trained on by tests/learning/data_forms.py
                train(folder / form, folder / f"{form}-run", len(bad - left_out))
        circles(folder / "tree")
        notes(folder / "noted")
    with tempfile.TemporaryDirectory() as keep:
        names_in_bytes(Path(keep))
        without_rights(Path(keep))
        print(f"{len(bad)} bad files among good ones, of a folder and of three forms of packed data")


if __name__ == "__main__":
    sys.exit(main())
