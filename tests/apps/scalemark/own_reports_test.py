"""Every report in results/ is read by the program as evidence: report, lint, accept and compare take it, and JSON lines hold what report.json does."""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from program import run

RESULTS = Path(os.environ["SCALEMARK_SOURCE_DIR"]) / "results"
FILES = [file for folder in ("measured", "example") for file in sorted((RESULTS / folder).rglob("*.json*"))]


class OwnReports(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)

    def ends(self, codes, *words):
        done = run(*map(str, words), cwd=self.folder)
        self.assertIn(done.returncode, codes, f"{words}\n{done.stdout}{done.stderr}")
        return done

    def in_other_form(self, file, form):
        self.ends((0,), "report", file, "--format", f"{form}={self.folder / 'other'}", "--overwrite", "--fail-on", "none")
        return (self.folder / "other").read_text()

    def test_of_every_file(self):
        seen = {file.name for file in FILES}
        self.assertTrue({"acceptance.jsonl", "report.json"} <= seen, seen)
        for file in FILES:
            with self.subTest(file.name):
                report = json.loads(self.in_other_form(file, "json"))
                lines = self.in_other_form(file, "jsonl")
                (self.folder / "again.jsonl").write_text(lines)
                self.assertEqual(json.loads(self.in_other_form("again.jsonl", "json")), report)
                self.assertEqual(self.in_other_form("again.jsonl", "jsonl"), lines)
                self.assertIn("1 table, ", self.ends((0,), "lint", file).stdout)
                self.assertIn("of 1 node passed", self.ends((0, 2), "accept", file).stdout)
                self.ends((0, 2), "compare", file, "again.jsonl")

    def test_one_screen_names_the_file(self):
        files = [file for file in FILES if file.name.startswith("speed-")]
        shown = self.ends((0,), "report", *files).stdout
        for file in files:
            self.assertIn(file.name, shown)

    def test_a_gpu_says_what_others_reached(self):
        """In the words of accept; a CPU has no such line."""
        for name in ("starts-resnet50-b32", "speed-resnet50-bf16"):
            file = next(file for file in FILES if file.name == f"{name}.jsonl")
            line = r"^resnet50, amp-bf16, batch \d+, 1 x H100 80GB HBM3: [\d,]+ here, \d+ % of 6,045 img/s published \(measured-h100-80gb-hbm3-resnet50, pub-\d+"
            shown = [" ".join(self.ends((0, 2), *words, file).stdout.split()) for words in (("accept",), ("report",), ("report", "--format", "summary"))]
            found = [re.search(line[1:], text) for text in shown]
            self.assertTrue(all(found) and len({one[0] for one in found}) == 1, shown)
        self.assertNotIn("published", self.ends((0,), "report", RESULTS / "example/report.json").stdout)

    def test_several_reports_in_one_file(self):
        files = [file for file in FILES if file.name.startswith("starts-")]
        for form in ("jsonl", "csv"):
            self.ends((0,), "report", *files, "--format", f"{form}=all.{form}")
        self.ends((0,), "report", "all.jsonl", "--format", "csv=again.csv")
        self.assertEqual((self.folder / "again.csv").read_text(), (self.folder / "all.csv").read_text())
        one = self.ends((0, 2), "accept", *files).stdout
        self.assertEqual(self.ends((0, 2), "accept", "all.jsonl").stdout.splitlines()[0], one.splitlines()[0])
        self.assertIn("3 reports", self.ends((64,), "explain", "all.jsonl").stderr)
        self.assertIn("3 are given", self.ends((64,), "report", "all.jsonl", "--format", "json").stderr)

    def test_what_is_no_report_costs_one_line(self):
        good = next(file for file in FILES if file.name == "acceptance.jsonl").read_text()
        bad = {"cut.jsonl": good[:-20], "empty.jsonl": "", "rows.jsonl": good.split("\n", 1)[1], "deep.jsonl": good + "[" * 100000 + "\n"}
        self.ends((0,), "report", "--example", "--format", "jsonl=example.jsonl")
        bad["short.jsonl"] = "".join((self.folder / "example.jsonl").read_text().splitlines(keepends=True)[:-3])
        for name, text in bad.items():
            (self.folder / name).write_text(text)
            for command in (("report",), ("accept",), ("compare", "example.jsonl"), ("predict", "--world-sizes", "8"), ("explain",)):
                with self.subTest(name=name, command=command[0]):
                    said = self.ends((65,), *command, name).stderr
                    self.assertEqual(said.count("\n"), 1, said)
                    self.assertIn(name, said)

    def test_from_a_pipe(self):
        text = next(file for file in FILES if file.name == "acceptance.jsonl").read_text()
        for command in ("report", "lint"):
            done = subprocess.run([os.environ["SCALEMARK_BINARY_DIR"] + "/scalemark", command, "/dev/stdin"], input=text, capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
