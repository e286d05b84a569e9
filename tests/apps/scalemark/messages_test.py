"""Lines that people meet where several inputs, or odd ones, are given: each says once, and in words, what is so."""

import itertools
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile
import unittest

import mounts
from program import LAUNCHERS, PROGRAM, run

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

    def test_one_file_of_several_that_cannot_be_read(self):
        (self.folder / "bad.csv").write_text("neither,nor\n1,2\n")
        (self.folder / "broken.json").write_text('{"schema": "scalemark.report/1"')
        (self.folder / "empty").mkdir()
        for bad in ("bad.csv", "broken.json", "nowhere.md"):
            alone, beside = run("lint", bad, cwd=self.folder), run("lint", "good.md", bad, cwd=self.folder)
            self.assertEqual(beside.returncode, alone.returncode)
            self.assertTrue(beside.stderr.startswith("scalemark: error E_"), beside.stderr)
            self.assertEqual(beside.stderr, alone.stderr)
            self.assertIn("nothing contradicts itself", beside.stdout)

    def test_a_log_where_a_report_is_wanted(self):
        """The command that reads it is named; an empty pipe is told as one."""
        (self.folder / "my log.txt").write_text("step 1 loss 2.3\n")
        for words in (("explain",), ("predict", "--world-sizes", "4"), ("report",)):
            self.assertIn("scalemark judge 'my log.txt'", self.program(65, *words, "my log.txt").stderr)
        (self.folder / "nothing.log").write_text("\n")
        self.assertIn("'nothing.log' is empty; a log, a table or a report is expected", self.program(65, "judge", "nothing.log").stderr)

    def test_what_others_reached_is_found_by_chip(self):
        """A heading of the list finds its rows; a table of many machines has those of each."""
        whole = self.program(0, "published", "list").stdout
        for chip in ("H200", "A100-SXM4-80GB"):
            lines = whole[whole.index(f"\n{chip}\n"):].split("\n\n")[1]
            self.assertIn(lines, self.program(0, "published", "list", chip.lower()).stdout)

    def test_a_number_that_becomes_another_options(self):
        """The line names the option that was typed, and no other."""
        for words, named in ((("sweep", "--world-sizes", "1,1000,100000"), "--world-sizes is '100000' (from option); at most 4096,"),
                             (("comm", "--world-sizes", "2,100000"), "--world-sizes is '100000' (from option); at most 4096,"),
                             (("sweep", "--world-sizes", "1,10000", "--nnodes", "2", "--node-rank", "0", "--rendezvous", "n1:1"), "--world-sizes is '10000' (from option); at most 8192,"),
                             (("train", "--nproc-per-node", "2", "--master-addr", "n 1", "--master-port", "1"), "--master-addr is 'n 1' (from option); ")):
            said = self.program(78, *words, "--dry-run").stderr
            self.assertIn(named, said)
            typed = [word for word in words if word.startswith("--")]
            self.assertEqual({word for word in ("--nproc-per-node", "--nnodes", "--rendezvous") if f"{word} is" in said} - set(typed), set(), said)
            self.assertEqual(len(said.splitlines()), 1, said)

    def test_a_file_where_a_folder_is_wanted(self):
        """A format of several files takes a folder: a name of a file is refused, with a line that works, and nothing is made."""
        shutil.copytree(SOURCE / "results/example", self.folder / "a")
        for name in ("svg", "tensorboard"):
            for ending in ("svg", "SVG", "png", "pdf", "html", "csv"):
                said = self.program(78, "report", "a", "--format", f"{name}=my fig.{ending}").stderr
                self.assertIn(f"--format '{name}=my fig.{ending}' names a file; ", said)
                self.assertFalse((self.folder / f"my fig.{ending}").exists())
            hint = said.split("Hint: ")[1].split("`")[1]
            self.program(0, "report", "a", *shlex.split(hint))
        self.program(0, "report", "a", "--format", "svg=figures.v2")
        self.assertTrue((self.folder / "figures.v2").is_dir())

    def test_a_status_that_is_empty(self):
        for name in ("status.json", "s.json"):
            for text in ("", "\n"):
                (self.folder / name).write_text(text)
                self.assertIn(f"'{name}' is empty; a status.json of a run is expected", self.program(65, "top", "--once", name).stderr)

    def test_a_report_that_is_given_twice(self):
        """Every command that reads several counts it once, and says so in one line."""
        shutil.copytree(SOURCE / "results/example", self.folder / "a")
        shutil.copytree(SOURCE / "results/example", self.folder / "b")
        said = "scalemark: 1 report is named twice or a copy, and counts once: b"
        commands = [(*words, "a") for words in (("report",), ("report", "--details"), ("lint",), ("explain",), ("predict", "--world-sizes", "8"), ("accept",))]
        commands.append(("reproduce", "lambda-h100-resnet50", "--from", "a"))
        for words in commands:
            more = [*words[:-1], "a,b"] if words[0] == "reproduce" else [*words, "b"]
            one, two = run(*words, cwd=self.folder), run(*more, cwd=self.folder)
            self.assertIn(one.returncode, (0, 1, 2), one.stderr)
            self.assertEqual((two.returncode, sorted(two.stderr.splitlines())), (one.returncode, sorted([*one.stderr.splitlines(), said])), words)
            if words[0] != "accept":  # its hand-over names the command
                self.assertEqual(two.stdout, one.stdout, words)

    def test_an_earlier_state_of_a_run(self):
        """A copy was made while the run lasted, or before it was resumed: its runs are in the later one, which counts."""
        whole = json.loads((SOURCE / "results/example/report.json").read_text())
        first = whole["sessions"][0]
        states = {"live": whole | {"points": whole["points"][:3], "status": "partial"},
                  "whole": whole,
                  "resumed": whole | {"run_id": "another", "finished": "2099-01-01T00:00:00Z", "sessions": [first, first | {"session": 1}]}}
        states["live"].pop("finished")
        for name, report in states.items():
            (self.folder / name).mkdir()
            (self.folder / name / "report.json").write_text(json.dumps(report))
        for given in itertools.permutations(states):
            alone, all_three = run("report", "resumed", "--format", "csv", cwd=self.folder), run("report", *given, "--format", "csv", cwd=self.folder)
            self.assertEqual(all_three.stdout, alone.stdout, given)
            self.assertIn("scalemark: 2 reports are earlier states of others, and left out: ", all_three.stderr)
            for name in ("live", "whole"):
                self.assertIn(name, all_three.stderr)

    def test_hidden_files_are_passed_over(self):
        """Systems and editors leave them beside files: AppleDouble, snapshots, backups of an editor."""
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

    def test_a_cpu_without_a_name(self):
        """Some kernels and containers have it so: there is no "model name" in /proc/cpuinfo."""
        text = "".join(line for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines(True) if not line.startswith("model name"))
        (self.folder / "cpuinfo").write_text(text)
        clean = {k: v for k, v in os.environ.items() if not LAUNCHERS.match(k)}
        done = subprocess.run(["unshare", "--mount", "--map-root-user", "sh", "-c", 'mount --bind cpuinfo /proc/cpuinfo || exit 77; exec "$0" doctor', PROGRAM],
                              cwd=self.folder, capture_output=True, text=True, timeout=60, check=False, env=clean)
        if done.returncode == 77 or "unshare" in done.stderr:
            self.skipTest("nothing can be mounted here")
        self.assertRegex(done.stdout, r"(?m)^cpu +unknown, \d+ cores")

    def test_a_gpu_of_wsl(self):
        """WSL shows its GPU as /dev/dxg, and none of the driver's files."""
        clean = {k: v for k, v in os.environ.items() if not LAUNCHERS.match(k)}
        script = mounts.empty("/dev") + ' && : >/dev/null && : >/dev/dxg && exec "$0" doctor'
        done = subprocess.run(["unshare", "--mount", "--map-root-user", "sh", "-c", script, PROGRAM], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60, check=False, env=clean)
        if "unshare" in done.stderr or "mount" in done.stderr:
            self.skipTest("nothing can be mounted here")
        self.assertRegex(done.stdout, r"(?m)^gpus +0 visible .*\n +this is WSL, whose GPU \(/dev/dxg\) is not used")


if __name__ == "__main__":
    unittest.main()
