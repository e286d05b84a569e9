"""`scalemark compare`, on reports that differ by a known factor."""

import copy
import csv
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from program import BUILD, run

RATES = [100, 101, 99, 100.5, 99.5]


class Compare(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        tool = subprocess.run([BUILD / "tests/core_tool", "sample-report", "1"], capture_output=True, check=True)
        cls.sample = json.loads(tool.stdout)

    def setUp(self):
        keep = tempfile.TemporaryDirectory()
        self.addCleanup(keep.cleanup)
        self.folder = pathlib.Path(keep.name)

    def report(self, name, factor=1.0, rates=RATES, groups=("x",), sessions=None):
        report = copy.deepcopy(self.sample)
        example = report["points"][0]
        report["points"] = []
        report["run_id"] = f"run of {name}"  # a report counts once by it
        for group in groups:
            for k, rate in enumerate(rates):
                report["points"].append({**example, "group": group, "id": f"{group}-r{k}", "samples_per_sec": rate * factor,
                                         "session": sessions[k] if sessions else 0})
        (self.folder / name).write_text(json.dumps(report))
        return str(self.folder / name)

    def compare(self, code, *arguments):
        result = run("compare", *arguments)
        self.assertEqual((result.returncode, result.stderr), (code, ""))
        self.assertNotRegex(result.stdout, r"(?m)\*\*|^[#|]")
        return result.stdout

    def refused(self, code, *arguments):
        result = run("compare", *arguments)
        self.assertEqual((result.returncode, result.stdout), (code, ""), result.stderr)
        return result.stderr

    def test_exit_codes_in_one_session(self):
        old = self.report("old.json")
        sides = ["--same-session", "--old", old, "--new"]
        slow = self.compare(1, *sides, self.report("slow.json", 0.95))
        self.assertTrue(slow.startswith("slower: x by 5.00 %\n"), slow)
        fast = self.compare(0, *sides, self.report("fast.json", 1.05))
        self.assertTrue(fast.startswith("faster: x by 5.00 %\n"), fast)
        same = self.compare(0, *sides, self.report("same.json", 1.0))
        self.assertTrue(same.startswith("no difference beyond 2 % (1 point)\n"), same)
        text = self.compare(2, *sides, self.report("few.json", 0.5, rates=RATES[:2]))
        self.assertTrue(text.startswith("cannot tell, because there are 2 runs on one side: three are needed,"), text)
        self.assertIn("five files of separate sessions on each side", text)

    def test_one_session_per_side_only_differs(self):
        old = self.report("old.json")
        for factor in (0.5, 1.05):
            text = self.compare(2, "--old", old, "--new", self.report("new.json", factor))
            self.assertTrue(text.startswith("cannot tell, because each side is one session"), text)
            self.assertIn("five files of separate sessions on each side", text)
            self.assertNotRegex(text, r"slower|faster")
        self.assertIn("no difference", self.compare(0, "--old", old, "--new", self.report("same.json")))

    def test_each_row_says_what_it_could_have_found(self):
        result = run("compare", self.report("old.json"), self.report("same.json"), "--format", "csv")
        (row,) = csv.DictReader(result.stdout.splitlines())
        cell = row["finds from %"]
        # (t(.975, 8) + t(.95, 8)) x .79057 % x sqrt(2 / 5)
        self.assertAlmostEqual(float(cell), 2.1, delta=0.05)

    def test_the_threshold(self):
        sides = ["--same-session", "--old", self.report("old.json"), "--new", self.report("new.json", 0.985)]
        self.assertEqual(run("compare", *sides, "--threshold", "1%").returncode, 1)
        self.assertEqual(run("compare", *sides, "--threshold", "0.03").returncode, 0)
        self.refused(78, *sides, "--threshold", "0")
        self.refused(78, *sides, "--threshold", "much")

    def test_several_files_are_several_sessions(self):
        old = [self.report(f"o{i}.json", f) for i, f in enumerate((0.99, 1, 1.01))]
        new = [self.report(f"n{i}.json", f) for i, f in enumerate((0.89, 0.9, 0.91))]
        sides = ["--old", *old, "--new", *new]
        self.assertIn("The unit is the session", " ".join(self.compare(1, *sides, "--details").split()))
        self.assertIn("--same-session is given, and a side holds 3 sessions", self.refused(65, "--same-session", *sides))

    def test_a_report_counts_once(self):
        """However often it is named, as a file, a folder or a copy: repeats are no sessions."""
        old, new = self.report("old.json"), self.report("new.json", 0.95)
        alone = self.compare(2, "--old", old, "--new", new)
        (self.folder / "run").mkdir()
        shutil.copy(old, self.folder / "copy.json")
        shutil.copy(old, self.folder / "run/report.json")
        for side, count in (([old] * 5, 4), ([old, f"{self.folder}/copy.json", f"{self.folder}/run"], 2)):
            result = run("compare", "--old", *side, "--new", *[new] * (count + 1))
            self.assertEqual((result.returncode, result.stdout), (2, alone))
            lines = result.stderr.splitlines()
            self.assertEqual(len(lines), 2, "one line for a side")
            self.assertTrue(lines[0].startswith(f"scalemark: {count} reports are named twice or a copy, and count once: {side[1]}"), lines)
        result = run("compare", "--old", old, old, "--new", new)
        self.assertIn("scalemark: 1 report is named twice or a copy, and counts once: ", result.stderr)
        both = run("compare", "--old", *side[:1], "--new", *side[:1])
        self.assertIn("is on another side, too: a run does not differ from itself", both.stderr)
        self.assertNotEqual(self.report("other.json"), old)
        self.assertEqual(self.compare(2, "--old", old, self.report("other.json"), "--new", new).count("2 sessions"), 1, "equal numbers are no copy")

    def test_one_file_of_several_sessions(self):
        old = self.report("old.json", sessions=[0, 0, 1, 1, 2])
        text = self.compare(2, "--old", old, "--new", self.report("new.json", 0.9, sessions=[0, 0, 0, 1, 1]))
        self.assertIn("old.json (3 sessions, quote with care)", text)
        self.assertTrue(text.startswith("cannot tell, because there are 2 sessions on one side"), text)

    def test_more_than_two_sides(self):
        files = [self.report(f"{i}.json", f) for i, f in enumerate((1, 1.001, 0.9))]
        for arguments in (files, ["--old", files[0], "--new", files[1], "--new", files[2]]):
            text = self.compare(1, "--same-session", *arguments)
            self.assertTrue(text.startswith("slower: x (side 3) by 10.00 %; 1 same\n"), text)

    def test_a_folder_stands_for_its_report(self):
        (self.folder / "run").mkdir()
        self.report("run/report.json")
        self.compare(0, str(self.folder / "run"), self.report("new.json"))

    def test_points_that_one_side_lacks(self):
        text = self.compare(0, self.report("old.json", groups=("x", "gone")), self.report("new.json", groups=("x", "new")))
        self.assertIn("- 1 point only in old: gone\n- 1 point only in new: new\n", text)

    def test_formats(self):
        sides = ["--same-session", self.report("old.json"), self.report("new.json", 0.9)]
        done = run("compare", *sides, "--format", f"table,md={self.folder}/a.md,csv={self.folder}/a.csv")
        self.assertEqual((done.returncode, done.stdout), (1, run("compare", *sides).stdout))
        self.assertTrue((self.folder / "a.md").read_text().startswith("# Comparison\n\n**slower: x by 10.00 %**\n"))
        self.assertIn("\nx,100,90,-10.00,", (self.folder / "a.csv").read_text())

    def test_refusals(self):
        old = self.report("old.json")
        self.assertIn("table, md or csv", self.refused(78, old, old, "--format", "html"))
        self.refused(64)
        self.refused(64, old)
        self.refused(64, "--old", old)
        self.refused(64, "--new", old)
        self.refused(64, "--old")
        self.refused(64, "--old", old, "--old", old, "--new", old)
        self.refused(64, "--old", old, "--new", old, "--thresold", "1%")
        self.assertIn("a report.json, or a folder that holds one, is expected",
                      self.refused(66, "--old", old, "--new", str(self.folder / "missing.json")))
        self.assertIn("holds no report.json", self.refused(66, "--old", old, "--new", str(self.folder)))
        for text, said in (("no report", "is not JSON"), ("{}", "scalemark.report/1 is expected")):
            (self.folder / "text.json").write_text(text)
            self.assertIn(said, self.refused(65, "--old", old, "--new", str(self.folder / "text.json")))
        self.assertIn("the sides have no point in common",
                      self.refused(65, "--old", old, "--new", self.report("other.json", groups=("y",))))

    def test_help_says_what_sides_are(self):
        text = run("compare", "--help").stdout
        self.assertIn("--old FILE...", text)
        self.assertIn("--new once for each", text)


if __name__ == "__main__":
    unittest.main()
