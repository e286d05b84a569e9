"""`scalemark data` and `scalemark report`, on data that the program itself makes."""

import hashlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from program import BUILD, PROGRAM, run


def digest(folder):
    files = sorted(p for p in pathlib.Path(folder).rglob("*") if p.is_file())
    assert files, folder
    return [(str(p.relative_to(folder)), hashlib.sha256(p.read_bytes()).hexdigest()) for p in files]


STAGES = {  # `data bench` shows them for one core
    "tree": ["read", "entropy decoding", "inverse DCT", "colour", "resize", "flip", "the rest"],
    "jpeg": ["read", "checksum", "entropy decoding", "inverse DCT", "colour", "resize", "flip", "the rest"],
    "jpeg-256": ["read", "checksum", "entropy decoding", "inverse DCT", "colour", "resize", "flip", "the rest"],
    "raw-256": ["read", "resize", "flip", "the rest"],
}


def shares(text):
    """The shares that `data bench` shows, in their order, and of how many images they are."""
    line = next(line for line in text.splitlines() if line.startswith("one core: "))
    images = int(re.search(r"\((\d+) images, from the file cache\)$", line).group(1))
    found = re.findall(r"(?:^|, )([A-Za-z ]+) ([\d.]+) %", line.split("of which ")[1])
    return {stage: float(share) for stage, share in found}, images


class Commands(unittest.TestCase):
    def setUp(self):
        keep = tempfile.TemporaryDirectory()
        self.addCleanup(keep.cleanup)
        self.folder = pathlib.Path(keep.name)

    def path(self, name):
        return str(self.folder / name)

    def done(self, *arguments, **options):
        result = run(*arguments, **options)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def check_shares(self, text, kind, images):
        found, of = shares(text)
        self.assertEqual(of, images)
        self.assertEqual(list(found), STAGES[kind])
        self.assertAlmostEqual(sum(found.values()), 100, delta=0.4)  # each is rounded to 0.1

    def refused(self, code, *arguments):
        result = run(*arguments)
        self.assertEqual((result.returncode, result.stdout), (code, ""), result.stderr)
        self.assertRegex(result.stderr.splitlines()[-1], rf"^scalemark: error E_[A-Z_]+ \(exit {code}\)")
        return result.stderr


class Images(Commands):
    def generate(self, name, *options):
        return self.done("data", "generate", "images", self.path(name), "--samples", "20", "--classes", "2",
                         "--image-size", "32", *options)

    def test_a_tree_that_says_how_to_train_on_it(self):
        text = self.generate("a")
        self.assertRegex(text, r"^20 images for training and 4 for evaluation, 2 classes, [\d.]+ KiB, in ")
        self.assertIn(f"scalemark train --workload resnet50 --data {self.path('a')} ", text)
        self.assertEqual(sorted(os.listdir(self.path("a"))), ["train", "val"])
        self.assertEqual(len(os.listdir(self.path("a/train"))), 2)
        self.assertEqual(len(list(pathlib.Path(self.path("a/train")).rglob("*.jpg"))), 20)

    def test_the_same_seed_gives_the_same_bytes_on_any_number_of_workers(self):
        self.generate("a", "--seed", "5", "-j", "0")
        self.generate("b", "--seed", "5", "--workers", "3")
        self.generate("c", "--seed", "6")
        self.assertEqual(digest(self.path("a")), digest(self.path("b")))
        self.assertNotEqual(digest(self.path("a")), digest(self.path("c")))

    def test_refusals(self):
        self.refused(64, "data", "generate", "images")
        self.refused(64, "data", "generate", "sounds", self.path("a"))
        self.refused(78, "data", "generate", "images", self.path("a"), "--classes", "1")
        self.refused(78, "data", "generate", "images", self.path("a"), "--samples", "-3")
        self.refused(64, "data", "generate", "images", self.path("a"), "--batch-size", "2")
        self.assertEqual(os.listdir(self.folder), [])
        self.generate("a")
        before = digest(self.path("a"))
        self.refused(73, "data", "generate", "images", self.path("a"))
        self.refused(73, "data", "generate", "images", "/proc/none")
        self.assertEqual(digest(self.path("a")), before)

    def test_overwrite_replaces_only_what_was_made_here(self):
        self.generate("a", "--seed", "1")
        self.generate("b", "--seed", "2")
        (self.folder / "a" / "notes.txt").write_text("mine")
        self.assertIn("--overwrite", self.refused(73, "data", "generate", "images", self.path("a"), "--seed", "2"))
        self.generate("a", "--seed", "2", "--overwrite")
        self.assertEqual((self.folder / "a" / "notes.txt").read_text(), "mine")
        self.assertEqual(digest(self.path("a/train")), digest(self.path("b/train")))
        self.assertEqual(digest(self.path("a/val")), digest(self.path("b/val")))
        photo = next(p for p in (self.folder / "a" / "val").iterdir() if p.is_dir()) / "holiday.jpg"
        photo.write_bytes(b"mine")
        before = digest(self.path("a"))
        self.assertIn("holiday.jpg", self.refused(73, "data", "generate", "images", self.path("a"), "--overwrite"))
        self.assertEqual(digest(self.path("a")), before)

    def test_bench_counts_whole_epochs(self):
        self.generate("a")
        text = self.done("data", "bench", "--data", self.path("a"), "--workers", "1", "--image-size", "16", "-b", "4")
        found = re.match(r"([\d.,]+) images/s with 1 worker, batch size 4: ([\d,]+) images \(20 of them, (\d+) times?\), ([\d.]+) s, ",
                         text)
        self.assertTrue(found, text)
        rate, samples, epochs, wall_s = (float(x.replace(",", "")) for x in found.groups())
        self.assertEqual(samples, 20 * epochs)
        self.assertGreaterEqual(wall_s, 2.0)
        self.assertAlmostEqual(rate / (samples / wall_s), 1, delta=0.06)
        self.check_shares(text, "tree", 20)

    def test_bench_of_what_cannot_be_loaded(self):
        self.generate("a")
        bad = next(pathlib.Path(self.path("a/train")).rglob("*.jpg"))
        bad.write_bytes(b"no picture")
        arguments = ("data", "bench", "--data", self.path("a"), "--image-size", "16", "-b", "2")
        self.assertIn(bad.name, self.refused(65, *arguments))
        self.assertIn("could not be decoded", self.done(*arguments, "--on-bad-sample", "skip"))
        self.refused(78, *arguments[:-1], "1000000")
        self.refused(66, "data", "bench", "--data", self.path("none"))
        (self.folder / "empty").mkdir()
        refusal = self.refused(66, "data", "bench", "--data", self.path("empty"))
        self.assertIn("is an empty folder", refusal)
        self.assertNotIn("vocabulary", refusal)
        self.assertIn("--data PATH", self.refused(64, "data", "bench"))


    def test_what_is_not_read_is_reported_by_every_command_that_reads_a_tree(self):
        self.generate("a")
        folder = next((self.folder / "a/train").iterdir())
        (folder / "one.TIF").touch()
        (folder / "two.gif").touch()
        (self.folder / "a/validation").mkdir()
        for command in (("data", "verify", self.path("a"), "--no-progress"),
                        ("data", "pack", self.path("a"), self.path("out"), "--no-progress"),
                        ("data", "show", "--data", self.path("a"), "--output", self.path("sheet.png")),
                        ("data", "bench", "--data", self.path("a"), "--image-size", "16", "-b", "4")):
            result = run(*command)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(f"scalemark: {self.path('a')}: 2 files with .gif, .tif are not read; ", result.stderr)
            self.assertIn(f"scalemark: {self.path('a')}: validation/ is not read: train/ and val/ are\n", result.stderr)


class Packed(Commands):
    def setUp(self):
        super().setUp()
        self.done("data", "generate", "images", self.path("a"), "--samples", "20", "--classes", "2", "--image-size", "32")

    def pack(self, *options):
        return self.done("data", "pack", self.path("a"), self.path("out"), "--shard-size", "10KiB", "--no-progress", *options)

    def test_pack_verify_and_bench(self):
        text = self.pack("--workers", "3")
        self.assertRegex(text, r"^20 images for training and 4 for evaluation as jpeg, [\d.]+ KiB in \d+ shards, in ")
        self.assertIn(f"--data {self.path('out')}\n", text)
        self.assertRegex(self.done("data", "verify", self.path("out"), "--no-progress"), r"^24 samples in \d+ shards, ")
        self.assertEqual(self.done("data", "verify", self.path("a"), "--no-progress"), "24 samples, each of which decodes\n")
        bench = self.done("data", "bench", "--data", self.path("out"), "--workers", "1", "--image-size", "16", "-b", "4")
        self.assertRegex(bench, r"^[\d.,]+ images/s with 1 worker, batch size 4: [\d,]+ images \(20 of them, \d+ times?\)")
        self.check_shares(bench, "jpeg", 20)

    def test_bench_shows_the_stages_of_the_other_forms(self):
        for form in ("jpeg-256", "raw-256"):
            self.pack("--form", form, "--overwrite")
            self.check_shares(self.done("data", "bench", "--data", self.path("out"), "--image-size", "16", "-b", "4"), form, 20)

    def test_bench_of_a_damaged_sample(self):
        self.pack()
        shard = pathlib.Path(self.path("out/train-00000.shard"))
        data = bytearray(shard.read_bytes())
        data[64 + 5] ^= 1
        shard.write_bytes(data)
        arguments = ("data", "bench", "--data", self.path("out"), "--image-size", "16", "-b", "2")
        self.assertIn("do not match their checksum", self.refused(65, *arguments))
        text = self.done(*arguments, "--on-bad-sample", "skip")
        self.assertIn("1 sample per epoch could not be decoded:\ntrain/bars/000000.jpg in ", text)
        self.check_shares(text, "jpeg", 19)

    def test_faults_are_listed_and_end_with_65(self):
        self.pack("--form", "raw-256")
        shard = pathlib.Path(self.path("out/train-00000.shard"))
        data = bytearray(shard.read_bytes())
        data[64 + 5] ^= 1
        shard.write_bytes(data)
        done = run("data", "verify", self.path("out"), "--no-progress")
        self.assertEqual(done.returncode, 65)
        first = f"train/bars/000000.jpg in {shard}: its bytes do not match their checksum\n"
        self.assertEqual(done.stdout, first)
        self.assertRegex(done.stderr, r"^scalemark: error E_BAD_DATA \(exit 65\): .* has 1 fault: train/bars/000000\.jpg in ")
        shard.write_bytes(data[:-1])
        self.assertIn("bytes of", self.refused(65, "data", "bench", "--data", self.path("out")))
        shard.unlink()
        self.assertIn(shard.name, self.refused(66, "data", "bench", "--data", self.path("out")))

    def test_refusals(self):
        self.refused(64, "data", "pack", self.path("a"))
        self.refused(66, "data", "pack", self.path("none"), self.path("out"))
        self.assertIn(f"'{self.path('a')}' ''", self.refused(64, "data", "pack", self.path("a"), ""))
        self.assertIn("--shard-size (from option); text that is not empty",
                      self.refused(78, "data", "pack", self.path("a"), self.path("out"), "--shard-size", ""))
        self.refused(78, "data", "pack", self.path("a"), self.path("out"), "--form", "tar")
        self.assertIn("1GiB", self.refused(78, "data", "pack", self.path("a"), self.path("out"), "--shard-size", "big"))
        self.refused(78, "data", "pack", self.path("a"), self.path("out"), "--shard-size", "1KiB")
        self.refused(66, "data", "verify", self.path("none"))
        self.pack()
        self.refused(73, "data", "pack", self.path("a"), self.path("out"))
        self.pack("--overwrite", "--form", "jpeg-256")
        self.refused(78, "data", "pack", self.path("a"), self.path("a"), "--overwrite")
        self.refused(66, "data", "pack", self.path("none"), self.path("none-out"))
        self.assertFalse(os.path.exists(self.path("none-out")), "an empty folder is left behind")

    def test_where_nothing_may_be_packed_into(self):
        within = self.path("a/train/new/out")
        self.assertIn("lies in", self.refused(78, "data", "pack", self.path("a"), within))
        self.refused(66, "data", "pack", self.path("none"), self.path("b/c/d"))
        self.assertFalse(os.path.exists(self.path("a/train/new")) or os.path.exists(self.path("b")), "folders are left behind")
        self.pack()
        self.refused(73, "data", "generate", "images", self.path("out"), "--overwrite", "--samples", "20")
        self.assertFalse(os.path.exists(self.path("out/train")))
        os.mkdir(self.path("out/train"))
        self.assertIn("packed data and train/", self.refused(65, "data", "bench", "--data", self.path("out")))

    def test_shards_without_their_index(self):
        self.pack()
        os.remove(self.path("out/packed.index"))
        for command in (("data", "verify"), ("data", "bench", "--data")):
            error = self.refused(65, *command, self.path("out"))
            self.assertIn("holds shards and no packed.index", error)
            self.assertIn("copy that file", error)

    def test_bad_files_may_be_left_out_after_the_first_was_found(self):
        bad = pathlib.Path(sorted(pathlib.Path(self.path("a/train")).rglob("*.jpg"))[-1])
        bad.write_bytes(b"no picture")
        command = ("data", "pack", self.path("a"), self.path("out"), "--form", "raw-256", "--shard-size", "10KiB", "--no-progress")
        self.refused(65, *command)
        made = self.done(*command, "--on-bad-sample", "skip")
        self.assertRegex(made, r"\(\d+ of an earlier call\)")
        self.assertIn(f"1 file left out:\n{bad}: ", made)
        kept = self.done("data", "pack", self.path("a"), self.path("kept"), "--no-progress")
        self.assertIn(f"1 file kept that will not decode:\n{bad}: ", kept)

    def test_asked_to_stop_it_says_so_in_one_line(self):
        self.done("data", "generate", "images", self.path("many"), "--samples", "2000", "--classes", "2", "--image-size", "200")
        command = ("data", "pack", self.path("many"), self.path("packed"), "--form", "raw-256", "--shard-size", "1MiB",
                   "--no-progress")
        for number, code, name in ((signal.SIGINT, 130, "E_INTERRUPTED"), (signal.SIGTERM, 75, "E_PREEMPTED")):
            of_earlier_calls = self.shards()
            running = subprocess.Popen([str(PROGRAM), *command], stderr=subprocess.PIPE, text=True)
            while self.shards() <= of_earlier_calls:  # only one more shows that this call is at its work
                self.assertIsNone(running.poll())
                time.sleep(0.01)
            running.send_signal(number)
            said = running.communicate(timeout=60)[1]
            self.assertEqual(running.returncode, code)
            self.assertRegex(said, rf"^scalemark: error {name} \(exit {code}\): data pack was stopped\. Hint: .*\n$")
        self.assertIn("of an earlier call", self.done(*command))

    def shards(self):
        return len(list(pathlib.Path(self.path("packed")).glob("*.shard")))

    def test_what_is_no_file_is_left_out_of_every_form(self):
        os.mkfifo(self.path("a/train/circle/pipe.jpg"))
        os.symlink("nowhere.jpg", self.path("a/train/circle/link.jpg"))
        for form in ("jpeg", "raw-256"):
            self.refused(65, "data", "pack", self.path("a"), self.path(form), "--form", form)
            made = self.done("data", "pack", self.path("a"), self.path(f"{form}-skip"), "--form", form,
                             "--on-bad-sample", "skip", "--no-progress")
            self.assertIn("2 files left out:", made)
            self.assertRegex(made, r"a/train/circle/pipe\.jpg: .*no regular file")
            self.assertRegex(made, r"a/train/circle/link\.jpg: No such file")
            self.done("data", "verify", self.path(f"{form}-skip"), "--no-progress")


class Text(Commands):
    def setUp(self):
        super().setUp()
        self.made = self.done("data", "generate", "text", self.path("t"), "--samples", "40")
        self.corpus, self.vocab = self.path("t/corpus.txt"), self.path("t/vocab.txt")

    def test_a_corpus_with_its_vocabulary(self):
        self.assertRegex(self.made, r"^40 documents, \d+ sentences, [\d.]+ KiB, \d+ entries in the vocabulary, in ")
        self.assertIn(f"--data {self.corpus} --vocab {self.vocab}", self.made)
        self.assertEqual(pathlib.Path(self.corpus).read_text().strip().count("\n\n"), 39)
        self.refused(73, "data", "generate", "text", self.path("t"))
        note = run("data", "generate", "text", self.path("u"), "--samples", "40", "--classes", "3")
        self.assertEqual(note.stderr, "scalemark: --classes has no effect on text\n")
        self.assertEqual(digest(self.path("t")), digest(self.path("u")))
        pathlib.Path(self.path("u/notes.txt")).write_text("mine")
        self.refused(73, "data", "generate", "text", self.path("u"), "--samples", "40", "--seed", "9")
        self.done("data", "generate", "text", self.path("t"), "--samples", "40", "--seed", "9", "--overwrite")
        self.assertNotEqual(digest(self.path("t")), digest(self.path("u")))
        self.done("data", "generate", "text", self.path("u"), "--samples", "40", "--seed", "9", "--overwrite")
        os.unlink(self.path("u/notes.txt"))
        self.assertEqual(digest(self.path("t")), digest(self.path("u")))

    def test_tokenize_once_then_load(self):
        self.done("data", "tokenize", self.path("t"), "--vocab", self.vocab, "--output", self.path("x.tokens"))
        text = self.done("data", "tokenize", self.corpus, "--vocab", self.vocab)
        self.assertRegex(text, r"^\d+ tokens \(0\.0 % unknown\), \d+ sentences, 40 documents, [\d.]+ KiB, in ")
        self.assertIn(f"--data {self.corpus}.tokens --vocab {self.vocab}\n", text)
        self.refused(73, "data", "tokenize", self.corpus, "--vocab", self.vocab)
        self.done("data", "tokenize", self.corpus, "--vocab", self.vocab, "--overwrite", "-j", "3")
        self.assertEqual(pathlib.Path(self.corpus + ".tokens").read_bytes(),
                         pathlib.Path(self.path("x.tokens")).read_bytes())
        for source in (["--data", self.path("x.tokens")], ["--data", self.corpus, "--vocab", self.vocab]):
            text = self.done("data", "bench", *source, "--sequence-length", "32", "-b", "4")
            self.assertRegex(text, r"^[\d.,]+ sequences/s with 2 workers, batch size 4: ")

    def test_cased_and_uncased_token_files_are_two_things(self):
        text = self.done("data", "tokenize", self.corpus, "--vocab", self.vocab, "--cased")
        self.assertIn("--cased\n", text)
        tokens = self.corpus + ".tokens"
        self.refused(65, "data", "bench", "--data", tokens, "--vocab", self.vocab)
        pathlib.Path(tokens).write_bytes(pathlib.Path(tokens).read_bytes()[:-8])
        self.refused(65, "data", "bench", "--data", tokens)

    def test_refusals(self):
        self.refused(64, "data", "tokenize", self.corpus)
        self.refused(64, "data", "tokenize")
        self.refused(66, "data", "tokenize", self.path("none"), "--vocab", self.vocab)
        self.refused(66, "data", "tokenize", self.corpus, "--vocab", self.path("none"))
        self.refused(65, "data", "tokenize", self.corpus, "--vocab", self.corpus)
        self.refused(78, "data", "bench", "--data", self.corpus)
        self.refused(78, "data", "generate", "text", self.path("v"), "--samples", "1")
        self.assertEqual(sorted(os.listdir(self.path("t"))), ["corpus.txt", "vocab.txt"])


class Report(Commands):
    def setUp(self):
        super().setUp()
        for ranks in (1, 2):
            (self.folder / str(ranks)).mkdir()
            made = subprocess.run([BUILD / "tests/core_tool", "sample-report", str(ranks)], capture_output=True,
                                  timeout=60, check=True)
            (self.folder / str(ranks) / "report.json").write_bytes(made.stdout.replace(b'"run-1"', f'"run-{ranks}"'.encode()))

    def test_files_and_folders_in_one_table(self):
        text = self.done("report", self.path("1/report.json"), self.path("2"))
        self.assertIn("resnet50", text)
        self.assertIn("eff.", text)
        self.assertTrue(text.endswith("\n"))
        self.assertNotIn("|---", text.replace(" ", ""))
        self.assertEqual(self.done("report", self.path("1"), self.path("2/report.json"), "--format=table"), text)
        self.assertRegex(self.done("report", self.path("1"), self.path("2"), "--format", "md"), r"(?m)^\|[ :]*---")

    def test_what_is_no_report(self):
        self.refused(64, "report")
        self.assertIn("report.json", self.refused(66, "report", self.path("1"), str(self.folder)))
        self.refused(66, "report", self.path("none.json"))
        other = self.folder / "other.json"
        for content in ("", "{}", '{"schema": "another/1"}', "no JSON", "[]"):
            other.write_text(content)
            refusal = self.refused(65, "report", str(other))
            self.assertIn(str(other), refusal, content)
            self.assertNotIn("json.exception", refusal, content)
        other.write_text("no JSON")
        self.assertIn("is not JSON: parse error at line 1, column 2", self.refused(65, "report", str(other)))
        self.refused(78, "report", self.path("1"), "--format", "pdf")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
