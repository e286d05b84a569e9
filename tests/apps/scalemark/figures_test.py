"""The programs of docs/FIGURES.md draw a figure from a report's CSV, each where its interpreter is there."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from program import BUILD, run

PAGE = pathlib.Path(os.environ["SCALEMARK_SOURCE_DIR"], "docs/FIGURES.md").read_text()
INTERPRETERS = {"python": [sys.executable], "r": ["Rscript"], "gnuplot": ["gnuplot"]}


class Figures(unittest.TestCase):
    def test_each_program_draws(self):
        programs = dict(re.findall(r"(?s)```(\w+)\n(.*?)```", PAGE))
        self.assertEqual(set(programs), set(INTERPRETERS))
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            subprocess.run([BUILD / "tests/core_tool", "write-sweeps", folder], check=True)
            formats = re.search(r"--format (scaling\S+)", PAGE)[1]
            done = run("report", folder / "sweep.json", "--format", formats, cwd=folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for language, text in programs.items():
                with self.subTest(language):
                    if shutil.which(INTERPRETERS[language][0]) is None:
                        self.skipTest(f"there is no {INTERPRETERS[language][0]}")
                    (folder / "speedup.pdf").unlink(missing_ok=True)
                    (folder / "program").write_text(text)
                    drawn = subprocess.run([*INTERPRETERS[language], "program"], cwd=folder, capture_output=True, text=True, timeout=300,
                                           env={**os.environ, "MPLBACKEND": "agg", "MPLCONFIGDIR": place}, check=False)
                    self.assertEqual(drawn.returncode, 0, drawn.stderr)
                    self.assertTrue((folder / "speedup.pdf").read_bytes().startswith(b"%PDF"), language)

    def test_svg_is_a_folder_with_a_file_for_each_figure(self):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            subprocess.run([BUILD / "tests/core_tool", "write-sweeps", folder], check=True)
            wanted = re.search(r"--format (svg\S+)", PAGE)[1]
            done = run("report", folder / "sweep.json", folder / "collectives.json", "--format", f"table,{wanted}/deeper", cwd=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            count = len(list((folder / "figures/deeper").iterdir()))
            self.assertEqual(done.stderr, f"scalemark: --format svg: {count} files in figures/deeper\n")
            self.assertIn("resnet50", done.stdout)
            names = {file.name for file in (folder / "figures/deeper").iterdir()}
            self.assertLessEqual({"1-speed-up-89mm.svg", "1-speed-up-183mm.svg", "1-speed-up.csv", "2-bandwidth-all-reduce-fp32-89mm.svg"}, names)
            for name in re.findall(r"`(speed-up\S+)`", PAGE):
                self.assertIn(f"1-{name}", names)

            done = run("report", folder / "sweep.json", "--format", "svg", cwd=folder)
            self.assertEqual(done.returncode, 78, done.stderr)
            self.assertIn("svg=FOLDER", done.stderr)
            done = run("report", folder / "sweep.json", "--format", "svg=sweep.json", cwd=folder)
            self.assertEqual(done.returncode, 73, done.stderr)
            report = json.loads((folder / "sweep.json").read_text())
            (folder / "none.json").write_text(json.dumps(report | {"points": [], "groups": [], "scaling": [], "devices": [], "effects": []}))
            done = run("report", folder / "none.json", "--format", "svg=none", cwd=folder)
            self.assertEqual((done.returncode, (folder / "none").exists()), (0, False))
            self.assertIn("has no figure", done.stderr)

    def test_the_columns_that_it_names_are_there(self):
        with tempfile.TemporaryDirectory() as place:
            subprocess.run([BUILD / "tests/core_tool", "write-sweeps", place], check=True)
            tables = re.findall(r"(?m)^\| `(\w+)` \| .*? \| `(.*?)` \|$", PAGE)
            self.assertEqual([name for name, _ in tables], ["groups", "scaling", "effects", "links"])
            for name, columns in tables:
                head = run("report", pathlib.Path(place, "sweep.json"), "--format", name).stdout.splitlines()[0].split(",")
                self.assertLessEqual(set(columns.split()), set(head), name)


if __name__ == "__main__":
    unittest.main()
