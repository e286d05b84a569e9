"""The endings of runs: a program in the background, its error lines, its report, its orphans."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema

from program import SCALEMARK, SKIPPED, check, clean_environment, report_in, text_of, words_of

SOURCE = Path(os.environ.get("SCALEMARK_SOURCE_DIR", "."))
FULL = os.environ.get("SCALEMARK_SOAK") == "full"  # scripts/soak: every case in all of its ways
# One line per error: code, exit code, where, then what was seen.
ERROR_LINE = re.compile(r"^(?:\[\d+\] )?scalemark: error (E_[A-Z_]+) \(exit (\d+)\)"
                        r"(?: rank=\d+)?(?: host=\S+)?(?: phase=\S+)?(?: step=\d+)?: .+$")
ENDLESS = ("--iters", 10_000_000, "--warmup-iters", 2, "--no-progress")


class Running:
    """The program in the background; whatever happens, it is gone at the end of the with block. It yields to programs that compute:
    most train for as long as a test watches."""

    def __init__(self, *arguments, wrapper=(), cwd=None, **environment):
        self.command = ["nice", "-n", "5", *map(str, wrapper), str(SCALEMARK), *words_of(arguments)]
        self.folder = Path(arguments[arguments.index("--output") + 1]) if "--output" in arguments else None
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        cwd=cwd, env=clean_environment(**environment), start_new_session=True)
        self.stdout = self.stderr = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pid in [*self.ranks(), self.process.pid]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()

    def ranks(self):
        """Process ids of our children, in the order in which they were started."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        try:
            return [int(pid) for pid in children.read_text().split()]
        except (FileNotFoundError, ProcessLookupError):
            return []

    def await_event(self, event, seconds=600, into_s=0.3):
        """Returns once the journal holds it: "window", "warmup", ..."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if f'"event":"{event}"' in text_of(self.folder / "journal.jsonl"):
                time.sleep(into_s)
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        self.process.kill()
        sys.exit(f"no {event} within {seconds} s: {self.process.communicate()}")

    def await_steps(self, ranks, more_than, seconds=600):
        """Returns once each of the ranks has done more steps, by status.json, which is some seconds behind."""
        end = time.monotonic() + seconds
        records = []
        while time.monotonic() < end and self.process.poll() is None:
            records = json.loads(text_of(self.folder / "status.json") or "{}").get("ranks", [])
            if len(records) == ranks and all(record.get("steps", 0) > more_than for record in records):
                return
            time.sleep(0.05)
        self.process.kill()
        sys.exit(f"not {more_than} steps within {seconds} s: {records}: {self.process.communicate()}")

    def end(self, expect, seconds=600):
        """Waits; how long it took. The exit code must be as expected."""
        start = time.monotonic()
        try:
            self.stdout, self.stderr = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            sys.exit(f"{' '.join(self.command)}\ndid not end within {seconds} s")
        took = time.monotonic() - start
        check(self.process.returncode == expect,
              f"{' '.join(self.command)}\nended with {self.process.returncode}, expected {expect}\n{self.stderr}")
        return took


def error_lines(text):
    """(code, exit code, line) of each; fails on a line that has not the fixed form, and on backtraces."""
    found = []
    for line in text.splitlines():
        check("frame #" not in line and "[W" not in line[:4] and "Traceback" not in line, f"noise on stderr:\n{text}")
        if line.startswith("    "):
            continue  # the launcher quotes the last lines of the rank that failed
        if re.match(r"^(\[\d+\] )?scalemark: error ", line):
            match = ERROR_LINE.match(line)
            check(match, f"not in the fixed form: {line}")
            found.append((match[1], int(match[2]), line))
    return found


def only_error(text, code, exit_code, *quoted):
    """The one error line of a process; it must hold each quoted text."""
    lines = error_lines(text)
    check(len(lines) == 1, f"expected one error line, got {len(lines)}:\n{text}")
    expect_error(lines[0], code, exit_code, *quoted)
    return lines[0][2]


def expect_error(found, code, exit_code, *quoted):
    check(found[:2] == (code, exit_code), f"expected {code} (exit {exit_code}): {found[2]}")
    for text in quoted:
        check(text in found[2], f"'{text}' is missing: {found[2]}")


def closed_report(folder, status, exit_code):
    """The report of a run that has ended so; valid under the schema."""
    report = report_in(folder)
    schema = json.loads((SOURCE / "docs/reference/report.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(report)
    check(report["status"] == status, f"status {report['status']}, expected {status}")
    check(report.get("exit_code") == exit_code, f"exit_code {report.get('exit_code')}, expected {exit_code}")
    return report


def check_gone(pids, seconds=150):
    """No process of these is left (a zombie has ended)."""
    end = time.monotonic() + seconds
    left = pids
    while left and time.monotonic() < end:
        left = [pid for pid in left if alive(pid)]
        time.sleep(0.05)
    check(not left, f"orphans: {left}")


def state(pid):
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


def alive(pid):
    """A zombie whose other threads are still ending holds its files and locks."""
    try:
        return state(pid) != "Z" or len(os.listdir(f"/proc/{pid}/task")) > 1
    except (FileNotFoundError, ProcessLookupError):
        return False


def come_to(pids, condition, seconds=20):
    """Waits until the states of all are as they should be; what they are then."""
    end = time.monotonic() + seconds
    while True:
        states = [state(pid) if alive(pid) else "gone" for pid in pids]
        if all(map(condition, states)) or time.monotonic() > end:
            return states
        time.sleep(0.05)


def run_cases(cases):
    """Runs the cases named in the arguments, or all, and says what each took. One that is skipped skips no other; the test is skipped when all are."""
    import tempfile
    names = sys.argv[1:] or list(cases)
    skipped = 0
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            print(f"-- {name}", flush=True)
            before = os.times()
            try:
                cases[name](Path(folder))
            except SystemExit as end:
                if end.code != SKIPPED:
                    raise
                skipped += 1
            used = [after - at for after, at in zip(os.times(), before, strict=True)]
            print(f"   {used[4]:.1f} s, {sum(used[:4]):.1f} s of CPUs", flush=True)
    if skipped == len(names):
        sys.exit(SKIPPED)
