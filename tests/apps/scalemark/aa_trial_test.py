"""scripts/aa_trial on a stand-in whose sweeps have known rates, with the real `scalemark compare`."""

import json
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

from program import BUILD, PROGRAM

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "scripts/aa_trial"

# Takes the next of the planned factors for each sweep; anything else is the program's.
STAND_IN = """#!/usr/bin/env python3
import json, os, pathlib, sys
folder = pathlib.Path(__file__).parent
if sys.argv[1] != "sweep":
    os.execv({program!r}, [{program!r}, *sys.argv[1:]])
factors = json.loads((folder / "factors.json").read_text())
if not factors:
    sys.exit("no sweep is planned any more")
(folder / "factors.json").write_text(json.dumps(factors[1:]))
report = json.loads((folder / "sample.json").read_text())
example = report["points"][0]
report["points"] = [{{**example, "group": "x", "id": f"x-r{{k}}", "samples_per_sec": rate * factors[0]}}
                    for k, rate in enumerate((100, 101, 99, 100.5, 99.5))]
output = pathlib.Path(sys.argv[sys.argv.index("--output") + 1])
output.mkdir()
(output / "report.json").write_text(json.dumps(report))
"""


class AATrial(unittest.TestCase):
    def setUp(self):
        keep = tempfile.TemporaryDirectory()
        self.addCleanup(keep.cleanup)
        self.folder = pathlib.Path(keep.name)
        tool = subprocess.run([BUILD / "tests/core_tool", "sample-report", "1"], capture_output=True, check=True)
        (self.folder / "sample.json").write_bytes(tool.stdout)
        self.program = self.folder / "scalemark"
        self.program.write_text(STAND_IN.format(python=sys.executable, program=str(PROGRAM)))
        self.program.chmod(self.program.stat().st_mode | stat.S_IXUSR)

    def trial(self, pairs, *options):
        (self.folder / "factors.json").write_text(json.dumps([factor for pair in pairs for factor in pair]))
        return subprocess.run([sys.executable, SCRIPT, "--program", self.program, *options], capture_output=True, text=True,
                              timeout=120, check=False, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})

    def test_three_of_twenty_pairs_may_differ(self):
        same, slower, faster = (1, 1), (1, 0.9), (1, 1.1)
        within = self.trial([slower, faster, slower] + [same] * 17)
        self.assertEqual((within.returncode, within.stderr), (0, ""))
        self.assertIn("3 of 20 pairs with a point called slower or faster; at most 3 of 20 may be", within.stdout)
        self.assertIn("all points: 2 slower, 1 faster, 17 same, 0 unsure", within.stdout)
        beyond = self.trial([slower, faster, slower, faster] + [same] * 16)
        self.assertEqual(beyond.returncode, 1, beyond.stderr)

    def test_time_may_be_up(self):
        late = self.trial([], "--pairs", "2", "--max-minutes", "0")
        self.assertEqual(late.returncode, 2)
        self.assertIn("time is up after 0 of 2 pairs", late.stderr)

    def test_a_sweep_that_fails_ends_the_trial(self):
        failed = self.trial([(1, 1)], "--pairs", "2")
        self.assertEqual(failed.returncode, 3)
        self.assertIn("no sweep is planned any more", failed.stderr)

    def test_results_are_kept_where_asked(self):
        self.assertEqual(self.trial([(1, 1)], "--pairs", "1", "--keep", self.folder / "kept").returncode, 0)
        self.assertTrue((self.folder / "kept/pair-1/comparison.md").read_text().startswith("# Comparison"))


if __name__ == "__main__":
    unittest.main()
