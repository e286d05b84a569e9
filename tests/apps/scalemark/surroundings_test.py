"""Reports with awkward texts, broken ones, configurations as editors leave them, and processes in odd surroundings: what
was tried once and passed, drawn by a seed."""

import csv
import gzip
import html.parser
import io
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

from program import LAUNCHERS, PROGRAM, run

SOURCE = pathlib.Path(os.environ["SCALEMARK_SOURCE_DIR"])
EXAMPLE = SOURCE / "results/example/report.json"
PIECES = ("'", '"', "</script>", "<!--", "|", "\\", "\n", "\t", "\x01", "\x7f", "\u202e", "\u2028", "é", "日本", "😀", "{date}", "`", "*", "a b", ",", ";", "=1+1")


def in_surroundings(*words, prepare=None, cwd=None, **variables):
    environment = {k: v for k, v in os.environ.items() if not LAUNCHERS.match(k)} | variables
    return subprocess.run([str(PROGRAM), *map(str, words)], capture_output=True, text=True, timeout=120, check=False, cwd=cwd,
                          env=environment, preexec_fn=prepare)


def texts_in(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts_in(part)


class Scripts(html.parser.HTMLParser):
    """The texts of the page's scripts."""

    def __init__(self, page):
        super().__init__()
        self.data = self.inside = None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.inside = tag == "script" and ("id", "data") in attrs

    def handle_endtag(self, tag):
        self.inside = False if tag == "script" else self.inside

    def handle_data(self, data):
        if self.inside:
            self.data = (self.data or "") + data


class Surroundings(unittest.TestCase):
    def setUp(self):
        keep = tempfile.TemporaryDirectory()
        self.addCleanup(keep.cleanup)
        self.folder = pathlib.Path(keep.name)

    def shown(self, file, form):
        result = run("report", str(file), "--format", form)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_awkward_texts_in_every_form(self):
        draw = random.Random(35)
        for number in range(4):
            report = json.loads(EXAMPLE.read_text())
            text = "".join(draw.choices(PIECES, k=12))
            report["run_id"] = text
            report["invocation"]["command_line"] = text
            for point in report["points"]:
                point["data"] = text
            file = self.folder / f"{number}.json"
            file.write_text(json.dumps(report))
            rows = list(csv.DictReader(io.StringIO(self.shown(file, "csv"), newline="")))
            self.assertLessEqual({row["data"] for row in rows}, {text, "'" + text}, "an apostrophe stands before what would be computed")
            lines = [json.loads(line) for line in self.shown(file, "jsonl").split("\n") if line]
            self.assertIn(text, set(texts_in(lines)))
            self.assertEqual(json.loads(self.shown(file, "json"))["run_id"], text)
            self.assertIn(text, set(texts_in(json.loads(Scripts(self.shown(file, "html")).data))))
            xml.etree.ElementTree.fromstring(self.shown(file, "junit"))
            for form in ("superbench", "prom", "groups", "scaling", "effects", "links", "table", "summary", "badge"):
                self.shown(file, form)
            widths = [line.replace("\\|", "").count("|") for line in self.shown(file, "md").split("\n") if line.startswith("|")]
            self.assertTrue(widths and all(width >= 2 for width in widths))

    def test_broken_reports_are_one_line(self):
        whole = EXAMPLE.read_text()
        draw = random.Random(36)
        broken = {"empty": b"", "null": b"null", "a list": b"[]", "text": b"hello", "csv": b"a,b\n1,2\n", "gz": gzip.compress(whole.encode()),
                  "journal": b'{"time":"2026","event":"started"}\n{"time":"2026","event":"closed"}\n', "schema": whole.replace("report/1", "report/9").encode(),
                  "NaN": whole.replace('"exit_code": 0', '"exit_code": NaN', 1).encode(), "no number": whole.replace('"exit_code": 0', '"exit_code": "x"', 1).encode()}
        for ranks in (2**32, 10**14, "1e14"):
            broken[f"{ranks} ranks"] = re.sub(r'"world_size": \d+', f'"world_size": {ranks}', whole, count=1).encode()
        broken |= {f"cut {at}": whole.encode()[:at] for at in (draw.randrange(1, len(whole) - 3) for _ in range(3))}
        file = self.folder / "report.json"
        for name, content in broken.items():
            file.write_bytes(content)
            for words in (("report", file), ("compare", file, EXAMPLE), ("predict", file, "--world-sizes", "4"), ("explain", file), ("lint", file)):
                with self.subTest(name, command=words[0]):
                    result = run(*map(str, words))
                    self.assertEqual(result.returncode, 65, result.stderr)
                    self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        for same in ("\ufeff" + whole, whole.replace("\n", "\r\n"), whole.replace('"schema"', '"unknown": [1], "schema"', 1)):
            file.write_bytes(same.encode())
            self.assertEqual(self.shown(file, "csv"), self.shown(EXAMPLE, "csv"))

    def test_configurations_as_editors_leave_them(self):
        file = self.folder / "run.json"
        for text in ('{"batch_size": 7}', '\ufeff{"batch_size": 7}', '{\r\n  "batch-size": "7"\r\n}\r\n'):
            file.write_bytes(text.encode())
            self.assertRegex(run("train", "--config", str(file), "--dry-run", "--details").stdout, r"(?m)^\W*batch.size\b.*\b7\b")
        for text in ('{"batch_size": 7,}', '{"batch_size": 7} // seven', "batch_size: 7\n", '{"batch_size": NaN}', '{"batch_size": 7}{"seed": 1}', ""):
            file.write_text(text)
            result = run("train", "--config", str(file), "--dry-run")
            self.assertEqual(result.returncode, 78, text)
            self.assertRegex(result.stderr, r"E_CONFIGURATION .* at line \d+, column \d+: ")

    def test_spellings(self):
        for words, code in ((("--batch-size=7",), 0), (("--batch_size", "7"), 0), (("-b", "7"), 0), (("-b7",), 0), (("--batch-size", "+7"), 0), (("--batch-size", "7.0"), 78),
                            (("--batch-size", " 7"), 78), (("--batch-size", "7", "--batch-size", "7"), 64), (("--bacth-size", "7"), 64), (("—batch-size", "7"), 64),
                            (("--batch-size",), 64), (("--batch-size", "７"), 78), (("--timeout", "5m"), 0), (("--timeout", "5 m"), 78), (("--overlap=off",), 0)):
            with self.subTest(words):
                result = run("train", *words, "--dry-run")
                self.assertEqual(result.returncode, code, result.stderr)
                if code == 64 and "bacth" in words[0]:
                    self.assertIn("--batch-size", result.stderr)

    def test_odd_surroundings_change_nothing(self):
        def limit(what, value):
            return lambda: resource.setrlimit(what, (value, value))

        expected = in_surroundings("report", EXAMPLE, "--format", "csv").stdout
        for prepare, variables in ((limit(resource.RLIMIT_STACK, 256 << 10), {}), (limit(resource.RLIMIT_NOFILE, 20), {}), (lambda: os.umask(0o777), {}),
                                   (lambda: os.close(0), {}), (None, {"LANG": "de_DE.UTF-8", "LC_ALL": "de_DE.UTF-8"}), (None, {"LC_ALL": "C", "TZ": "Nowhere/At+All"}),
                                   (None, {"HOME": "", "USER": "", "PATH": ""})):
            result = in_surroundings("report", EXAMPLE, "--format", "csv", prepare=prepare, **variables)
            self.assertEqual((result.returncode, result.stdout), (0, expected), result.stderr)
        result = subprocess.run([str(PROGRAM), "report", str(EXAMPLE), "--format", "csv"], capture_output=True, text=True, timeout=120, check=False, env={})
        self.assertEqual(result.stdout, expected)

    def test_a_place_that_cannot_be_written_is_73(self):
        shutil.copy(EXAMPLE, self.folder / "report.json")
        for place in ("/proc/x", "/sys/x", str(self.folder / "none/x"), str(self.folder / "report.json/x")):
            result = run("report", str(EXAMPLE), "--format", f"csv={place}")
            self.assertEqual(result.returncode, 73, f"{place}: {result.stderr}")
            self.assertIn(place, result.stderr)

    def test_a_path_that_cannot_be_examined_is_66(self):
        (self.folder / "circle").symlink_to("back")
        (self.folder / "back").symlink_to("circle")
        kept = self.folder / "report.json"
        shutil.copy(EXAMPLE, kept)
        for place in (str(self.folder / "circle/x"), str(self.folder / ("n" * 300))):
            for words in (("report", place), ("compare", kept, place), ("accept", place), ("accept", kept, "--rules", place), ("lint", place), ("explain", place),
                          ("predict", place, "--world-sizes", 4), ("import", place, "--output", self.folder / "rows.jsonl", "--fields", "gpus=1"), ("reproduce", "lambda-h100-resnet50", "--from", place), ("train", "--config", place),
                          ("train", "--workload", "bert-mini", "--data", place), ("train", "--workload", "linear", "--init-from", place),
                          ("data", "tokenize", place, "--vocab", place, "--output", self.folder / "t"), ("data", "verify", place)):
                result = in_surroundings(*words, cwd=self.folder)
                self.assertEqual(result.returncode, 66, f"{words}: {result.stderr}")
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)

    def test_a_report_through_a_pipe_is_read(self):
        for command in ("report", "lint", "accept"):
            plain = in_surroundings(command, EXAMPLE)
            piped = subprocess.run(["bash", "-c", f'"$0" {command} <(cat "$1")', PROGRAM, EXAMPLE], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(piped.returncode, plain.returncode, piped.stderr)
            self.assertEqual(len(piped.stdout.splitlines()), len(plain.stdout.splitlines()), piped.stdout)


if __name__ == "__main__":
    unittest.main()
