"""Named outputs of the commands without ranks: what is there is not lost, and what cannot be written is said."""

import json
import os
import pathlib
import re
import resource
import shutil
import socket
import stat
import subprocess
import tempfile
import threading
import unittest

from program import LAUNCHERS, PROGRAM, run

SOURCE = pathlib.Path(os.environ["SCALEMARK_SOURCE_DIR"])
EXAMPLE = SOURCE / "results/example"
TABLE = "| GPUs | img/s |\n|---|---|\n| 1 | 100 |\n| 2 | 190 |\n"
LOG = json.dumps({"log_history": [{"loss": 2.0, "step": 10}, {"train_runtime": 10.0, "train_samples_per_second": 64.0,
                                                             "train_steps_per_second": 2.0, "step": 20, "total_flos": 1.0,
                                                             "train_loss": 1.0, "epoch": 1.0}],
                  "max_steps": 20, "global_step": 20})


def limited(bytes_, *arguments, cwd=None):
    """The program with `ulimit -f`, and SIGXFSZ as any process has it."""
    environment = {k: v for k, v in os.environ.items() if not LAUNCHERS.match(k)}
    return subprocess.run([str(PROGRAM), *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False, cwd=cwd,
                          env=environment, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, bytes_)))


class Outputs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keep = tempfile.TemporaryDirectory()
        cls.given = pathlib.Path(cls.keep.name)
        for words in (("images", cls.given / "images", "--samples", 12, "--classes", 2, "--image-size", 32),
                      ("text", cls.given / "text", "--samples", 6)):
            assert run("data", "generate", *map(str, words)).returncode == 0

    @classmethod
    def tearDownClass(cls):
        cls.keep.cleanup()

    def setUp(self):
        keep = tempfile.TemporaryDirectory()
        self.addCleanup(keep.cleanup)
        self.folder = pathlib.Path(keep.name)
        (self.folder / "table.md").write_text(TABLE)
        (self.folder / "trainer_state.json").write_text(LOG)
        for name in ("text", "images"):
            shutil.copytree(self.given / name, self.folder / name)
        shutil.copytree(EXAMPLE, self.folder / "a")
        shutil.copytree(EXAMPLE, self.folder / "b")

    def program(self, *words, **options):
        return run(*map(str, words), cwd=self.folder, **options)

    def commands(self):
        """Each named output: the words before its name, and how that must end."""
        fields = "gpus=1,batch_per_gpu=12,precision=fp32,system=A100,workload=gpt2,unit=samples/s"
        yield ("report", "a", "--format", "csv="), ""
        for form in ("table", "md", "json", "jsonl", "html", "junit", "superbench", "prom", "groups", "scaling", "effects", "links", "summary", "badge"):
            yield ("report", "a", "--format", form + "="), ""
        yield ("compare", "a", "b", "--format", "md="), ""
        yield ("accept", "a", "--format", "junit="), ""
        yield ("lint", "table.md", "--format", "jsonl="), ""
        yield ("published", "lint", "--format", "md="), ""
        yield ("published", "export", "--format", "csv="), ""
        yield ("reproduce", "lambda-h100-resnet50", "--from", "a", "--format", "md="), ""
        yield ("data", "tokenize", "text/corpus.txt", "--vocab", "text/vocab.txt", "--output", ""), ""
        yield ("data", "show", "--data", "images", "--samples", "2", "--image-size", "32", "--output", ""), ".png"
        yield ("import", "trainer_state.json", "--fields", fields, "--output", ""), ".jsonl"

    def cases(self):
        for words, ending in self.commands():
            with self.subTest(" ".join(words)):
                yield words[:-1], lambda name, words=words, ending=ending: words[-1] + str(name) + ending, ending

    def done(self, *words):
        result = self.program(*words)
        self.assertIn(result.returncode, (0, 1, 2), result.stderr)  # verdicts of the example
        return result

    def refused(self, code, *words, said=""):
        result = self.program(*words)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        self.assertIn(said, result.stderr)
        return result

    def test_a_file_that_is_there_needs_overwrite(self):
        for words, named, ending in self.cases():
            file = self.folder / ("mine" + ending)
            file.write_bytes(b"mine")
            self.refused(73, *words, named("mine"), said="--overwrite")
            self.assertEqual(file.read_bytes(), b"mine")
            self.done(*words, named("mine"), "--overwrite")
            self.assertNotEqual(file.read_bytes(), b"mine")
            file.unlink()
            self.done(*words, named("mine"))
            self.assertTrue(file.is_file())
            self.assertEqual([p.name for p in self.folder.glob("*.tmp*")], [])
            file.unlink()

    def test_links_are_written_through_and_pipes_into(self):
        for number, (words, named, ending) in enumerate(self.cases()):
            target, link, dangling, pipe = (self.folder / f"{name}{number}{ending}" for name in ("target", "link", "dangling", "pipe"))
            self.done(*words, named(f"target{number}"))
            expected = len(target.read_bytes())
            target.write_bytes(b"")
            link.symlink_to(target.name)
            self.done(*words, named(f"link{number}"), "--overwrite")
            dangling.symlink_to(f"new{number}")
            self.done(*words, named(f"dangling{number}"))
            os.mkfifo(pipe)
            read = []
            reader = threading.Thread(target=lambda read=read, pipe=pipe: read.append(pipe.read_bytes()), daemon=True)
            reader.start()
            self.done(*words, named(f"pipe{number}"))
            reader.join(60)
            self.assertTrue(link.is_symlink() and dangling.is_symlink() and stat.S_ISFIFO(pipe.stat().st_mode))
            for size in (target.stat().st_size, (self.folder / f"new{number}").stat().st_size, len(read[0])):
                self.assertAlmostEqual(size, expected, delta=64)  # it may contain its own name or the time

    def test_rows_on_stdout(self):
        """/dev/stdout is such a link; never the real one as root."""
        (self.folder / "out").symlink_to("/proc/self/fd/1")
        result = self.done("report", "a", "--format", "csv=out,groups=/dev/fd/1")
        plain = self.done("report", "a", "--format", "csv").stdout + self.done("report", "a", "--format", "groups").stdout
        self.assertEqual(result.stdout, plain)
        self.assertTrue((self.folder / "out").is_symlink())
        with open(self.folder / "file", "w", encoding="utf-8") as file:
            subprocess.run(f"'{PROGRAM}' report a --format groups,csv=out,effects", shell=True, cwd=self.folder, stdout=file,
                           timeout=60, check=False)
        for form in ("groups", "csv", "effects"):
            self.assertIn(self.done("report", "a", "--format", form).stdout, (self.folder / "file").read_text())

    def test_a_socket_gets_the_rows(self):
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(self.folder / "s"))
            server.listen(1)
            read = []

            def serve():
                peer, _ = server.accept()
                with peer, peer.makefile("rb") as file:
                    read.append(file.read())

            thread = threading.Thread(target=serve, daemon=True)
            thread.start()
            self.done("report", "a", "--format", "csv=s")
            thread.join(60)
        self.assertEqual(read[0].decode().replace("\r\n", "\n"), self.done("report", "a", "--format", "csv").stdout)
        self.refused(74, "report", "a", "--format", "csv=s", said="Connection refused")

    def spellings(self, path):
        """Other names of one file."""
        hard, soft = self.folder / ("hard" + path.suffix), self.folder / ("soft" + path.suffix)
        hard.hardlink_to(path)
        soft.symlink_to(path)
        yield from (path.relative_to(self.folder), path, f"{path.parent}/./{path.name}", hard.name, soft.name)
        hard.unlink()
        soft.unlink()

    def test_an_output_is_no_input(self):
        shutil.copy(self.folder / "table.md", self.folder / "table.jsonl")
        tokenize = ("data", "tokenize", "text/corpus.txt", "--vocab", "text/vocab.txt", "--output", "{}")
        pairs = [
            ("text/corpus.txt", tokenize), ("text/vocab.txt", tokenize),
            ("text/corpus.txt", ("data", "tokenize", "text", *tokenize[3:])),
            ("a/report.json", ("report", "a", "--format", "json={}")),
            ("a/report.json", ("report", "a/report.json", "--format", "csv=x,json={}")),
            ("b/report.json", ("compare", "--old", "a", "--new", "b", "--format", "md={}")),
            ("b/report.json", ("accept", ".", "--format", "jsonl={}")),
            ("a/report.json", ("reproduce", "lambda-h100-resnet50", "--from", "b,a", "--format", "md={}")),
            ("table.md", ("lint", "table.md", "--format", "md={}")),
        ]
        for file, words in pairs:
            path = self.folder / file
            before = path.read_bytes()
            for name in self.spellings(path):
                for more in ((), ("--overwrite",)):
                    with self.subTest(file=file, name=str(name), words=words[:2]):
                        self.refused(78, *(word.format(name) for word in words), *more, said="input")
                        self.assertEqual(path.read_bytes(), before)
        self.assertFalse((self.folder / "x").exists(), "half of what was asked for")
        picture = next((self.folder / "images/train").rglob("*.jpg"))
        show = ("data", "show", "--data", "images", "--image-size", "32", "--overwrite", "--output")
        (self.folder / "link.png").symlink_to(picture)
        self.refused(78, *show, "link.png", said="input")
        for inside in ("images", "images/train", "images/val/new"):
            self.refused(78, "data", "pack", "images", inside, "--overwrite")
        trainer = self.folder / "log.jsonl"
        shutil.copy(self.folder / "trainer_state.json", trainer)
        self.refused(78, "import", "log.jsonl", "--output", "log.jsonl", "--overwrite", said="input")
        self.refused(78, "report", "a", "--format", "csv=y,md=./y", said="twice")

    def test_renderings_in_a_reports_own_folder_are_replaced(self):
        for name in ("report.md", "page.md"):
            self.done("report", "a", "--format", f"md=a/{name}")
            (self.folder / "a" / name).write_text((self.folder / "a" / name).read_text() + "older")
            self.done("report", "a", "--format", f"md=a/{name}")
            self.assertNotIn("older", (self.folder / "a" / name).read_text())
        (self.folder / "a/notes.md").write_text("mine\n")
        self.refused(73, "report", "a", "--format", "html=page,md=a/notes.md", said="notes.md")
        self.assertEqual((self.folder / "a/notes.md").read_text(), "mine\n")
        self.assertFalse((self.folder / "page").exists())
        self.done("report", "a", "--format", "svg=figures")
        self.refused(73, "report", "a", "--format", "svg=figures", said="exists already")
        self.done("report", "a", "--format", "svg=figures", "--overwrite")

    def test_overwrite_takes_only_what_is_ours(self):
        theirs = {"text/corpus.txt": ("generate", "text", "text"), "packed/train-00000.shard": ("pack", "images", "packed"),
                  "images/train/mine.jpg": ("generate", "images", "images")}
        self.done("data", "pack", "images", "packed")
        for file, words in theirs.items():
            (self.folder / file).write_text("The quick brown fox jumps over the lazy dog.\n")
            self.refused(73, "data", *words, "--overwrite")
            self.assertEqual((self.folder / file).read_text(), "The quick brown fox jumps over the lazy dog.\n")
        self.done("data", "generate", "text", "made")
        self.done("data", "generate", "text", "made", "--overwrite", "--seed", "5")
        (self.folder / "f").mkdir()
        (self.folder / "f/report.json").write_text("{}")
        predicted = ("predict", "a", "--world-sizes", "4", "--output")
        self.refused(73, *predicted, "f", "--overwrite", said="not written by scalemark")
        self.assertEqual((self.folder / "f/report.json").read_text(), "{}")

    def test_a_full_or_closed_stdout_is_74(self):
        for words in (("--version",), ("train", "--help"), ("report", "a"), ("report", "a", "--format", "csv"), ("explain", "a"),
                      ("predict", "a", "--world-sizes", "4"), ("compare", "a", "b"), ("accept", "a"), ("configs",), ("lint", "table.md"),
                      ("published", "list"), ("published", "show", "dle-resnet50-a100"), ("published", "export"), ("doctor",),
                      ("completion", "bash"), ("data", "verify", "images"), ("data", "tokenize", "text/corpus.txt", "--vocab",
                      "text/vocab.txt", "--output", "t", "--overwrite"), ("train", "--dry-run"), ("sweep", "--dry-run"), ("comm", "--dry-run")):
            for redirection in ("> /dev/full", ">&-"):
                with self.subTest(words=words, to=redirection):
                    line = f"'{PROGRAM}' {' '.join(words)} {redirection}"
                    result = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60, check=False, cwd=self.folder)
                    self.assertEqual(result.returncode, 74, result.stderr)
                    self.assertEqual(result.stderr.count("scalemark: error E_IO (exit 74)"), 1, result.stderr)
        head = subprocess.run(["bash", "-o", "pipefail", "-c", f"'{PROGRAM}' accept a --details | true; echo $?"], capture_output=True,
                              text=True, timeout=60, check=False, cwd=self.folder)
        self.assertIn(head.stdout, ("0\n", "1\n", "2\n"), "a reader that has gone is no error")

    def test_a_limit_of_file_sizes_is_74(self):
        for words in (("data", "pack", "images", "packed"), ("data", "tokenize", "text/corpus.txt", "--vocab", "text/vocab.txt", "--output", "t"),
                      ("report", "a", "--format", "html=page"), ("data", "generate", "text", "more")):
            with self.subTest(words=words):
                result = limited(1024, *words, cwd=self.folder)
                self.assertEqual(result.returncode, 74, result.stderr)
                self.assertIn("File too large", result.stderr)
                self.assertIn("ulimit -f", result.stderr)
                left = [p.name for p in self.folder.rglob("*") if ".tmp" in p.name or p.name.endswith(".part")]
                self.assertEqual(left, [])

    def test_a_lost_working_folder_is_a_line(self):
        """A relative path leads nowhere then; none of the library's codes may end the command."""
        for words in (("train", "--workload", "linear"), ("sweep",), ("comm",), ("report", "x"), ("report", EXAMPLE, "--format", "csv=x"),
                      ("lint", "x.md"), ("compare", "x", "y"), ("data", "generate", "text", "t"), ("data", "pack", "x", "y"),
                      ("data", "verify", "x"), ("data", "tokenize", "x", "--vocab", "y"), ("doctor", "--measure"), ("accept", "x"),
                      ("published", "add", "x.csv", "--library", "l")):
            with self.subTest(words=words):
                line = f"mkdir gone && cd gone && rmdir ../gone && '{PROGRAM}' {' '.join(map(str, words))}"
                result = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60, check=False, cwd=self.folder)
                self.assertIn(result.returncode, range(64, 79), result.stderr)
                self.assertNotEqual(result.returncode, 70, result.stderr)
                self.assertEqual(result.stderr.count("scalemark: error "), 1, result.stderr)

    def test_names_and_texts_in_other_encodings(self):
        name = os.fsencode(self.folder) + b"/caf\xe9"
        shutil.copytree(self.folder / "images", os.fsdecode(name))
        for words in ((b"train", b"--data", name), (b"train", b"--output", name), (b"data", b"show", b"--output", b"x.png", b"--data", name),
                      (b"sweep", b"--data", name, b"--workload", b"resnet50"), (b"comm", b"--output", name), (b"report", name + b"/x"),
                      (b"data", b"verify", name), (b"data", b"pack", name, name + b"2"), (b"train", b"--config", name)):
            result = subprocess.run([os.fsencode(PROGRAM), *words], capture_output=True, timeout=60, check=False, cwd=self.folder)
            said = (result.stdout + result.stderr).decode("utf-8")  # no raw byte
            self.assertIn("caf\\xe9" if words[:2] != (b"data", b"verify") else "14 samples", said)
            if b"--output" in words or b"--data" in words:
                self.assertEqual(result.returncode, 78, said)
                self.assertIn("not UTF-8", said)
        report = (self.folder / "a/report.json").read_text()
        for encoding, named in (("utf-16", "UTF-16"), ("utf-16-be", "UTF-16BE"), ("utf-32", "UTF-32"), ("utf-32-le", "UTF-32LE")):
            (self.folder / "wide.json").write_bytes(report.encode(encoding))
            advice = self.refused(65, "report", "wide.json", said=f"{named};").stderr
            way = re.search(r"iconv -f (\S+) -t UTF-8", advice).group(0)
            self.assertEqual(subprocess.run([*way.split(), self.folder / "wide.json"], capture_output=True, text=True, check=True).stdout, report)
            self.refused(65, "lint", "wide.json", said=named)
            (self.folder / "wide.md").write_bytes(TABLE.encode(encoding))
            self.refused(65, "lint", "wide.md", said=named)
            (self.folder / "rules.json").write_bytes(b'{"checks": []}'.decode().encode(encoding))
            self.refused(78, "accept", "a", "--rules", "rules.json", said=named)
            self.refused(78, "train", "--config", "rules.json", "--dry-run", said=named)
        (self.folder / "latin.json").write_bytes(report.replace("scalemark", "caf\u00e9", 1).encode("latin-1", "replace"))
        result = subprocess.run([PROGRAM, "report", self.folder / "latin.json"], capture_output=True, timeout=60, check=False)
        self.assertEqual(result.returncode, 65)
        result.stderr.decode("utf-8")

    def test_numbers_beyond_a_limit_name_it(self):
        whole = "at most 9223372036854775807"
        for option, value, limit in (("--seed", "18446744073709551615", whole), ("--iters", "1" + 30 * "0", whole), ("--batch-size", "9223372036854775808", whole),
                                     ("--learning-rate", "1e400", "at most 1.7e+308"), ("--learning-rate", "1e-400", "at least 5e-324"),
                                     ("--memory-limit", "99999999999TiB", whole + " bytes"), ("--timeout", "1e999", "at most 1.7e+308"),
                                     ("--threads", "99999999999999999999", "from 1 to 4096")):
            self.refused(78, "train", option, value, "--dry-run", said=limit)
        self.refused(78, "sweep", "--batch-size", "1,18446744073709551615", "--dry-run", said=whole)
        self.refused(78, "comm", "--sizes", "99999999999999999999B", "--dry-run", said="at most 1125899906842624")
        self.refused(78, "data", "show", "--data", "images", "--output", "x.png", "--seed", "18446744073709551615", said=whole)


if __name__ == "__main__":
    unittest.main()
