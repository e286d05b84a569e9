"""Lines that people meet where several inputs, or odd ones, are given: each says once, and in words, what is so."""

import os
import pathlib
import shutil
import tempfile
import unittest

from program import run

SOURCE = pathlib.Path(os.environ["SCALEMARK_SOURCE_DIR"])
TABLE = "| GPUs | img/s |\n|---|---|\n| 1 | 100 |\n| 2 | 190 |\n"
FIELDS = "workload=resnet50,precision=amp_bf16,system=H100"


class Messages(unittest.TestCase):
    def setUp(self):
        keep = tempfile.TemporaryDirectory()
        self.addCleanup(keep.cleanup)
        self.folder = pathlib.Path(keep.name)
        (self.folder / "good.md").write_text(TABLE)

    def program(self, code, *words):
        done = run(*map(str, words), cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertNotIn("scalemark: scalemark:", done.stdout + done.stderr)
        return done

    def test_hidden_files_are_passed_over(self):
        """What systems and editors leave beside files: AppleDouble, snapshots, backups of an editor."""
        library = self.folder / "mine"
        self.program(0, "published", "add", "good.md", "--library", "mine", "--fields", FIELDS)
        listed = self.program(0, "published", "list", "--library", "mine").stdout
        [file] = library.glob("*.jsonl")
        for name in (f"._{file.name}", f".{file.name}"):
            (library / name).write_bytes(b"\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X")
        self.assertEqual(self.program(0, "published", "list", "--library", "mine").stdout, listed)
        self.program(0, "published", "show", "good", "--library", "mine")
        self.program(0, "published", "lint", "--library", "mine")
        (self.folder / "good.md").rename(self.folder / "other.md")
        self.program(0, "published", "add", "other.md", "--library", "mine", "--fields", FIELDS)
        shutil.copytree(SOURCE / "results/example", self.folder / "fleet/n1")
        alone = run("accept", "fleet", cwd=self.folder)
        shutil.copytree(SOURCE / "results/example", self.folder / "fleet/.snapshot/n1")
        (self.folder / "fleet/.trash").mkdir()
        (self.folder / "fleet/.trash/report.json").write_text("{")
        both = run("accept", "fleet", cwd=self.folder)
        self.assertEqual((both.returncode, both.stdout, both.stderr), (alone.returncode, alone.stdout, alone.stderr))


if __name__ == "__main__":
    unittest.main()
