"""`scalemark` alone: at a terminal one question, whose answer is a sentence, a table and three commands; the help for anybody else.
Three sweeps of a few steps train here, 20 s of CPU time."""

import contextlib
import json
import os
import pty
import re
import select
import shlex
import signal
import tempfile
import time
import unittest
from pathlib import Path

from program import LAUNCHERS, PROGRAM, run

KEPT = {name: value for name, value in os.environ.items() if not LAUNCHERS.match(name) or name == "SCALEMARK_TORCH"}
KEPT = {name: value for name, value in KEPT.items() if name not in ("CI", "PAGER")} | {"NO_COLOR": "1", "TERM": "xterm", "CUDA_VISIBLE_DEVICES": ""}
QUESTION = r"\[Enter\] \d0 s: does a second process pay here\? \(q: help\) "
FEW_STEPS = {"SCALEMARK_ITERS": "2", "SCALEMARK_WARMUP_ITERS": "1", "SCALEMARK_RETRIES": "0"}
TWO_CORES = len(os.sched_getaffinity(0)) > 1


class Person:
    """Types at `scalemark`, which is alone on a terminal, and reads what stands there."""

    def __init__(self, folder, cores=None, **environment):
        self.text = ""
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            if cores:
                os.sched_setaffinity(0, cores)
            os.execve(PROGRAM, [str(PROGRAM)], KEPT | environment)

    def reads(self, pattern, seconds=600):
        end = time.monotonic() + seconds
        while not re.search(pattern, self.text):
            assert time.monotonic() < end and self.more(end - time.monotonic()), f"no {pattern} in {self.text}"

    def more(self, seconds):
        if not select.select([self.terminal], [], [], max(0.0, seconds))[0]:
            return True
        with contextlib.suppress(OSError):  # its other end is closed
            if read := os.read(self.terminal, 1 << 16):
                self.text += read.decode(errors="replace").replace("\r\n", "\n")
                return True
        return False

    def types(self, text):
        os.write(self.terminal, text.encode())

    def end(self):
        while self.more(600):
            pass
        os.close(self.terminal)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


class FirstQuestion(unittest.TestCase):
    def setUp(self):
        self.keep = tempfile.TemporaryDirectory()
        self.folder = Path(self.keep.name)

    def tearDown(self):
        self.keep.cleanup()

    def test_nobody_else_is_asked(self):
        self.assertIn("usage: scalemark COMMAND", run().stdout)
        for name in ("CI", "RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK"):
            with self.subTest(name):
                person = Person(self.folder, **{name: "1"})
                self.assertEqual(person.end(), 0)
                self.assertTrue(person.text.startswith("scalemark trains real networks"), person.text)

    @unittest.skipUnless(TWO_CORES, "one core: another question")
    def test_who_does_not_want_it_gets_the_help(self):
        for typed in ("q\n", "\x04", "help\n"):
            with self.subTest(typed):
                person = Person(self.folder)
                person.reads(QUESTION)
                person.types(typed)
                self.assertEqual(person.end(), 0)
                self.assertIn("usage: scalemark COMMAND", person.text)
        person = Person(self.folder)
        person.reads(QUESTION)
        person.types("\x03")
        self.assertEqual(person.end(), -signal.SIGINT)
        self.assertEqual(os.listdir(self.folder), [])

    @unittest.skipUnless(TWO_CORES, "one core: another question")
    def test_the_answer(self):
        person = Person(self.folder, **FEW_STEPS)
        person.reads(QUESTION)
        person.types("\n")
        self.assertEqual(person.end(), 0, person.text)
        report_file, = self.folder.glob("results/runs/first-*/report.json")
        report = json.loads(report_file.read_text())
        self.assertEqual({(point["workload"], point["image_size"], point["batch_size"]) for point in report["points"]}, {("resnet50", 64, 8)})
        typed = shlex.split(report["invocation"]["command_line"])
        self.assertEqual(typed[:3], ["scalemark", "sweep", "--quick"])
        self.assertEqual(typed[5:], "--workload resnet50 --image-size 64 --batch-size 8 --lr-scaling linear".split())
        answer = person.text[person.text.rindex("[3/3]"):].split("\n", 1)[1]
        said = " ".join(answer.split("\n\n")[0].split())
        self.assertRegex(said, r"^(2 ranks give ~?[\d.]+x of the .*(so they are (faster|slower) than|whether they are faster than) one rank of \d+ threads?.*; against one process with all cores: measure it by the last command|no answer: .+)$")
        self.assertEqual(answer.count("resnet50, 64 px"), 1, "the table stands there once")
        self.assertRegex(answer, r"(?m)^ranks +images/s")
        commands = [line for line in answer.replace(" \\\n", " ").split("\n") if re.search(r"  +scalemark ", line)]
        self.assertEqual(len(commands), 3, answer)
        again = next(line for line in commands if "scalemark sweep" in line)
        if "with intervals" in again:
            self.assertNotIn("--quick", again)
        self.assertRegex(" ".join(again.split()), "--workload resnet50 --image-size 64 --batch-size 8")

    def test_one_core(self):
        person = Person(self.folder, cores={min(os.sched_getaffinity(0))}, SCALEMARK_WORKLOAD="linear", **FEW_STEPS)
        person.reads(r"\[Enter\] \d0 s: how fast does one core train here\?")
        person.types("\n")
        self.assertEqual(person.end(), 0, person.text)
        self.assertRegex(person.text, r"\n[\d,.~]+ samples/s; one core is here, and a second process would only\s+share it\n")

    @unittest.skipUnless(TWO_CORES, "one core: another question")
    def test_ctrl_c_keeps_what_there_is(self):
        person = Person(self.folder, **FEW_STEPS, SCALEMARK_REPETITIONS="1000", SCALEMARK_MAX_TIME="1h", SCALEMARK_WORKLOAD="linear")
        person.reads(QUESTION.replace(r"\d0 s", ".*"))
        person.types("\n")
        person.reads(r"\[\d+/3000\]")
        person.types("\x03")
        self.assertEqual(person.end(), 130, person.text)
        self.assertRegex(" ".join(person.text.split()), r"of 3000 runs kept in results/runs/first-\S+; (speed-ups compare .* have none; )?go on: scalemark sweep --quick")


if __name__ == "__main__":
    unittest.main()
