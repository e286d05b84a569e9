"""`scalemark completion`: what shells offer after TAB."""

import re
import shutil
import subprocess
import tempfile
import unittest

from program import run

ASK = """
set -f
. "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_scalemark
printf '%s\\n' "${COMPREPLY[@]}"
"""


class Completion(unittest.TestCase):
    def offered(self, *words, shell="bash"):
        """What TAB offers behind these words, the last of which is begun."""
        with tempfile.NamedTemporaryFile("w", suffix=".bash") as script:
            script.write(run("completion", shell).stdout)
            script.flush()
            done = subprocess.run(["bash", "-uc", ASK, "bash", script.name, "scalemark", *words], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_bash_offers_commands_options_and_values(self):
        self.assertIn("sweep", self.offered(""))
        self.assertEqual(self.offered("acc"), ["accept"])
        self.assertEqual(self.offered("data", "ver"), ["verify"])
        self.assertEqual(self.offered("train", "--batch"), ["--batch-size"])
        self.assertNotIn("--batch-size", self.offered("comm", "--"))
        self.assertEqual(self.offered("train", "--workload", "bert-m"), ["bert-mini"])
        self.assertEqual(self.offered("sweep", "--precisions", "fp32,amp-b"), ["fp32,amp-bf16"])
        self.assertIn("rtx4090-mlp", self.offered("sweep", "--config", "r"))
        self.assertEqual(self.offered("train", "--overlap", "of"), ["off"])
        self.assertEqual(self.offered("report", "some/f"), [])  # then the shell completes files

    def test_every_option_of_help_is_offered(self):
        for command in ("train", "sweep", "comm", "report", "accept", "doctor"):
            shown = set(re.findall(r"(?m)^ {2,6}(?:-\w, )?(--[a-z-]+)", run(command, "--help-all").stdout))
            self.assertLessEqual(shown, set(self.offered(command, "--")), command)

    @unittest.skipIf(shutil.which("fish") is None, "there is no fish")
    def test_fish_offers_the_same(self):
        with tempfile.NamedTemporaryFile("w", suffix=".fish") as script:
            script.write(run("completion", "fish").stdout)
            script.flush()
            for line, expected in (("scalemark acc", "accept"), ("scalemark train --workload bert-m", "bert-mini"), ("scalemark data ver", "verify")):
                done = subprocess.run(["fish", "-c", f"source {script.name}; complete -C '{line}'"], capture_output=True, text=True, timeout=60, check=True)
                self.assertIn(expected, done.stdout.split())

    @unittest.skipIf(shutil.which("zsh") is None, "there is no zsh")
    def test_zsh_takes_it(self):
        with tempfile.NamedTemporaryFile("w", suffix=".zsh") as script:
            script.write(run("completion", "zsh").stdout)
            script.flush()
            done = subprocess.run(["zsh", "-fc", f"source {script.name}; print ${{_comps[scalemark]}}"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("_scalemark", done.stdout)

    def test_another_shell_is_refused(self):
        for words in ((), ("tcsh",), ("bash", "zsh")):
            done = run("completion", *words)
            self.assertEqual((done.returncode, done.stdout), (64, ""))
            self.assertIn("bash, zsh or fish", done.stderr)


if __name__ == "__main__":
    unittest.main()
