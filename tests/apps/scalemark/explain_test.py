"""`scalemark explain`, on a made-up sweep whose rank 5 is slow and on reports that have nothing to explain."""

import json
import pathlib
import subprocess
import tempfile
import unittest

from program import BUILD, run


class Explain(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keep = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.keep.name)
        subprocess.run([BUILD / "tests/core_tool", "write-sweeps", cls.folder], check=True)
        cls.sweep = json.loads((cls.folder / "sweep.json").read_text())

    @classmethod
    def tearDownClass(cls):
        cls.keep.cleanup()

    def explained(self, *arguments):
        result = run("explain", *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertLessEqual(max(map(len, result.stdout.splitlines())), 100)
        return result.stdout

    def refused(self, code, *arguments):
        result = run("explain", *arguments)
        self.assertEqual((result.returncode, result.stdout), (code, ""), result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1)
        return result.stderr

    def rows(self):
        return [row for table in self.sweep["scaling"] for row in table["rows"] if row["strategy"] == "ddp" and row["world_size"] > 1]

    def test_the_row_of_the_most_ranks_that_lost_most(self):
        worst = min((row for row in self.rows() if row["world_size"] == 8), key=lambda row: row["efficiency"])
        text = self.explained(self.folder / "sweep.json")
        self.assertTrue(text.startswith(f"8 ranks give {worst['speedup']:.2f}x of the 8.00x that would be ideal: efficiency "
                                        f"{100 * worst['efficiency']:.1f}"), text)
        plain = " ".join(text.split())
        self.assertIn(f" {worst['group']}; weak scaling, against 1 rank with no exchange; 5 runs ", plain)
        communication = worst["loss_of_efficiency"]["communication"]
        self.assertRegex(text, rf"communication +-[0-9.]+ +{100 * communication:.1f} ")
        self.assertIn("rank 5 (gpu-node-07, cuda:5)", text)

    def test_a_row_and_a_target_that_are_asked_for(self):
        row = next(row for row in self.rows() if row["world_size"] == 4)
        text = self.explained(self.folder / "sweep.json", "--group", row["group"], "--target", "50%")
        self.assertTrue(text.startswith("4 ranks give "), text)
        self.assertIn("- the target of 50.0 % (--target) is reached\n", text)

    def test_refusals(self):
        self.assertIn("no report is given", self.refused(64))
        self.assertIn("0 reports of training are given", self.refused(64, self.folder / "collectives.json"))
        (self.folder / "other.json").write_text(json.dumps({**self.sweep, "run_id": "another"}))
        self.assertIn("2 reports of training are given", self.refused(64, self.folder / "sweep.json", self.folder / "other.json"))
        self.assertIn("--group is 'x'; a group of its scaling tables: ", self.refused(78, self.folder / "sweep.json", "--group", "x"))
        self.assertIn("--target is '2'", self.refused(78, self.folder / "sweep.json", "--target", "2"))
        alone = {key: value for key, value in self.sweep.items() if key != "scaling"}
        (self.folder / "alone.json").write_text(json.dumps(alone))
        self.assertIn("a step takes", run("explain", self.folder / "alone.json").stdout)
        self.assertIn("--run is 'x'; a run that was measured: ", self.refused(78, self.folder / "alone.json", "--run", "x"))
        for point in alone["points"]:
            point["status"] = "failed"
        (self.folder / "alone.json").write_text(json.dumps(alone))
        self.assertIn("the report has no run to explain; ", self.refused(78, self.folder / "alone.json"))
        self.refused(66, self.folder / "nothing")


if __name__ == "__main__":
    unittest.main()
