"""`scalemark completion`: what shells offer after TAB, and the manual page."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

from program import BUILD, run

ASK = """
set -f
. "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_scalemark
printf '%s\\n' "${COMPREPLY[@]}"
"""


class Completion(unittest.TestCase):
    def offered(self, *words, shell="bash"):
        """Returns what TAB offers behind these words, the last of which is begun."""
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
        self.assertEqual(self.offered("reproduce", "practice-buc"), ["practice-buckets"])
        self.assertEqual(self.offered("published", "show", "dle-resnet50-a"), ["dle-resnet50-a100"])
        self.assertEqual(self.offered("published", "list", "--a"), ["--all"])
        self.assertEqual(self.offered("report", "some/f"), [])  # then the shell completes files

    def test_no_word_is_taken_for_granted(self):
        """It works under set -u, with the line ending anywhere: behind the first word of two, before the second one is begun, in none."""
        for words, at in (("scalemark data", 1), ("scalemark data", 2), ("scalemark", 0), ("scalemark", 1), ("scalemark published", 1)):
            done = subprocess.run(["bash", "-uc", f'. <("$1" completion bash); COMP_WORDS=({words}); COMP_CWORD={at}; _scalemark', "bash", BUILD / "scalemark"],
                                  capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.stderr, "", (words, at))

    def test_every_option_of_help_is_offered(self):
        for command in ("train", "sweep", "comm", "report", "accept", "doctor"):
            shown = set(re.findall(r"(?m)^ {2,6}(?:-\w, )?(--[a-z-]+)", run(command, "--help-all").stdout))
            self.assertLessEqual(shown, set(self.offered(command, "--")), command)

    @unittest.skipIf(shutil.which("groff") is None, "there is no groff")
    def test_the_manual_page_holds_every_command_and_option(self):
        with tempfile.NamedTemporaryFile("w", suffix=".1") as page:
            page.write(run("completion", "man").stdout)
            page.flush()
            shown = subprocess.run(["groff", "-man", "-Tutf8", "-P-c", "-ww", page.name], capture_output=True, text=True, timeout=60, check=True)
        self.assertEqual(shown.stderr, "")
        text = re.sub(".\b", "", shown.stdout)
        for command in ("train", "sweep", "comm", "report", "accept", "data bench"):
            self.assertIn(f"scalemark {command}", text)
            for option in re.findall(r"(?m)^ {2,6}(?:-\w, )?(--[a-z-]+)", run(*command.split(), "--help-all").stdout):
                self.assertRegex(text, rf"(?m)^ +{option}\b")

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
            self.assertIn("bash, zsh, fish or man", done.stderr)


class LongHelp(unittest.TestCase):
    def shown(self, *words, rows=24, **variables):
        """Returns what a terminal of so many rows gets."""
        with tempfile.TemporaryDirectory() as place:
            typescript = pathlib.Path(place, "typescript")
            command = f"stty rows {rows} cols 100; exec {shlex.join([str(BUILD / 'scalemark'), *words])}"
            subprocess.run(["script", "-qec", command, typescript], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=60,
                           env={**os.environ, "SHELL": "/bin/sh", **variables})
            return typescript.read_text()

    def test_a_pager_shows_what_is_longer_than_the_terminal(self):
        paged = self.shown("train", "--help-all", PAGER="sed s/^/paged:/")
        self.assertIn("paged:usage: scalemark train", paged)
        self.assertNotIn("paged:", self.shown("--version", PAGER="sed s/^/paged:/"))
        self.assertNotIn("paged:", self.shown("train", "--help-all", rows=2000, PAGER="sed s/^/paged:/"))
        self.assertIn("usage: scalemark train", self.shown("train", "--help-all", PAGER="there-is-no-such-pager"))
        self.assertIn("usage: scalemark train", self.shown("train", "--help-all", PAGER=""))

    def test_variables_decide_on_colours(self):
        def coloured(at_terminal, **variables):
            words = ("report", "--example")
            text = self.shown(*words, **variables) if at_terminal else run(*words, env=variables).stdout
            return "\x1b[1m" in text
        plain = {"NO_COLOR": "", "CLICOLOR": "", "CLICOLOR_FORCE": "", "TERM": "xterm"}
        self.assertTrue(coloured(True, **plain))
        self.assertFalse(coloured(True, **plain | {"NO_COLOR": "1"}))
        self.assertFalse(coloured(True, **plain | {"CLICOLOR": "0"}))
        self.assertFalse(coloured(False, **plain))
        self.assertTrue(coloured(False, **plain | {"CLICOLOR_FORCE": "1"}))
        self.assertFalse(coloured(False, **plain | {"CLICOLOR_FORCE": "0"}))
        self.assertFalse(coloured(False, **plain | {"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}))


if __name__ == "__main__":
    unittest.main()
