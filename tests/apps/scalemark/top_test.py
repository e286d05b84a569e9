"""`scalemark top` on made status files: without a terminal and in one (a pty), on runs that continue, have ended or are stopped."""

import contextlib
import fcntl
import http.server
import json
import os
import pathlib
import pty
import re
import select
import signal
import socket
import struct
import tempfile
import termios
import threading
import time
import unittest

import jsonschema
import statuses
from program import LAUNCHERS, PROGRAM, run

SOURCE = pathlib.Path(os.environ["SCALEMARK_SOURCE_DIR"])
SCHEMA = jsonschema.Draft202012Validator(json.loads((SOURCE / "docs/reference/status.schema.json").read_text()))
DEADLINE_S = 120  # a wait ends then; it takes a few seconds on a machine that has time
FOOTER = "q or Ctrl-C leaves"


@contextlib.contextmanager
def growing(folder, **what):
    """Lets a run continue meanwhile: its status is written five times a second."""
    ended, start = threading.Event(), time.time()

    def write():
        while True:
            now = time.time()
            statuses.write(folder, statuses.status_at(100 + now - start, now, **what))
            if ended.wait(0.2):
                return

    statuses.write(folder, statuses.status_at(100, start, **what))
    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield
    finally:
        ended.set()
        writer.join()


@contextlib.contextmanager
def page(token=None, **what):
    """Yields the URL of a run that continues on another machine. `answers.clear()`: it is silent from now on."""
    start, answers, over = time.time(), threading.Event(), threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            while not answers.is_set() and not over.wait(0.05):
                pass
            right = token is None or self.headers["Authorization"] == f"Bearer {token}"
            text = json.dumps(statuses.status_at(100 + time.time() - start, time.time(), **what)) if right else "no\n"
            self.send_response((200 if self.path == "/status" else 404) if right else 401)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(text.encode())

        def log_message(self, *_):
            pass

    answers.set()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        serving = threading.Thread(target=server.serve_forever, args=(0.05,))
        serving.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", answers
        finally:
            over.set()
            server.shutdown()
            serving.join()


def ptsname(terminal):
    """The other end's path; os.ptsname() came with Python 3.13."""
    request = 0x80045430  # TIOCGPTN
    return f"/dev/pts/{struct.unpack('I', fcntl.ioctl(terminal, request, bytes(4)))[0]}"


class Screen:
    """`scalemark top` in a terminal of its own."""

    def __init__(self, *arguments, columns=80, rows=24, cwd=".", **environment):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            clean = {k: v for k, v in os.environ.items() if not LAUNCHERS.match(k) and k not in ("NO_COLOR", "CLICOLOR")}
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.chdir(cwd)
            os.write(1, b"ready\n")
            os.execve(PROGRAM, [str(PROGRAM), "top", *map(str, arguments)], {**clean, "TERM": "xterm", **environment})
        self.output, self.code = "", None
        self.until(lambda: "ready" in self.output)
        # Held open, so that the settings of the terminal can be read when the program has gone.
        self.other_end = os.open(ptsname(self.terminal), os.O_RDWR | os.O_NOCTTY)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.code is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.terminal)
        os.close(self.other_end)

    def read(self, seconds=0.1):
        if select.select([self.terminal], [], [], seconds)[0]:
            with contextlib.suppress(OSError):
                self.output += os.read(self.terminal, 1 << 16).decode(errors="replace")

    def until(self, condition):
        end = time.monotonic() + DEADLINE_S
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"not seen in {DEADLINE_S} s; the screen is\n{self.output[-4000:]}")
            self.read()

    def frame(self):
        """The last frame that is whole, in lines without the codes of a terminal."""
        whole = self.output[:self.output.rfind("\x1b[J")].split("\x1b[H")[-1]
        return [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line) for line in whole.replace("\r", "").split("\n")]

    def shows(self, text):
        self.until(lambda: any(text in line for line in self.frame()))

    def settings(self):
        return termios.tcgetattr(self.other_end)

    def resize(self, columns, rows):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def ends(self):
        end = time.monotonic() + DEADLINE_S
        while time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.read(0.05)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
                self.read()
                return self.code
        raise AssertionError(f"it has not ended in {DEADLINE_S} s")


class Top(unittest.TestCase):
    def setUp(self):
        keep = tempfile.TemporaryDirectory()
        self.addCleanup(keep.cleanup)
        self.folder = pathlib.Path(keep.name)
        self.run_folder = self.folder / "results/runs/a"

    def once(self, *arguments, **more):
        result = run("top", *map(str, arguments), "--once", cwd=self.folder, **more)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def test_made_statuses_are_valid(self):
        SCHEMA.check_schema(SCHEMA.schema)
        for what in ({}, {"ranks": 16, "gpus": True}, {"slow": 1}, {"state": "failed"}):
            status = statuses.status_at(100, time.time(), **what)
            SCHEMA.validate(status)
            for damaged in (status | {"ranks": [{"rank": "0"}]}, {k: v for k, v in status.items() if k != "written"}, status | {"schema": "x"}):
                self.assertFalse(SCHEMA.is_valid(damaged))

    def test_one_screen_without_a_terminal_has_rates(self):
        with growing(self.run_folder):
            text = self.once(self.run_folder)
        self.assertNotIn("\x1b", text)
        self.assertRegex(text, r"window: 2,\d+ of 12,000 steps \(\d+ %\), 6[34]\d images/s, loss 2\.31, \d:\d\d left")
        self.assertEqual(len(re.findall(r"(?m)^   \d  2,\d\d\d +1[56]\d   1 %    \d %     (?:29|30|31) % ", text)), 4, text)
        self.assertRegex(text, r"(?m)^node000  3\.7 of 16 .* 10\.2 GiB .* 86\.8 MiB  87\.7 MiB ")
        self.assertIn("! shared: other programs", text)
        self.assertNotIn("what is wrong", text)

    def test_the_rank_that_is_planted_is_marked_and_no_other(self):
        cases = ({"slow": 2}, "2", "others wait 30 %"), ({"slow": 0}, "0", "others wait"), ({"silent": {3: 40.0}}, "3", "no sign of life for 40 s")
        for number, (what, rank, reason) in enumerate(cases):
            with growing(self.folder / f"{number}", **what):
                text = self.once(self.folder / f"{number}")
            self.assertEqual(re.findall(r"(?m)^! +(\d+) ", text), [rank], text)
            self.assertRegex(text, rf"(?m)^! .*{reason}")

    def test_json_holds_the_status_and_what_follows(self):
        page = (SOURCE / "docs/reference/STATUS.md").read_text()
        documented = set(re.findall(r"(?m)^\| `(\w+)` \|", page))
        with growing(self.run_folder, slow=1, ranks=8), growing(self.folder / "b"):
            lines = self.once(self.run_folder, self.folder / "b", "--format", "json").splitlines()
        frames = [json.loads(line) for line in lines]
        self.assertEqual([frame["source"] for frame in frames], [str(self.run_folder), str(self.folder / "b")])
        for frame in frames:
            SCHEMA.validate(frame["status"])
            self.assertLessEqual({key for part in (frame["now"], *frame["now"]["ranks"], *frame["now"]["nodes"]) for key in part}, documented)
        self.assertEqual([rank["rank"] for rank in frames[0]["now"]["ranks"] if "mark" in rank], [1])
        self.assertAlmostEqual(frames[0]["now"]["samples_per_s"], 8 * 160, delta=30)

    def test_a_run_that_has_ended_needs_no_second_record(self):
        statuses.write(self.run_folder, statuses.status_at(163, time.time() - 5000, state="complete"))
        text = self.once(self.run_folder)
        self.assertIn("complete after 2:43", text)
        self.assertNotIn("no sign of life", text)

    def test_a_run_that_is_killed_or_stopped_says_so(self):
        statuses.write(self.run_folder, statuses.status_at(100, time.time() - 34))
        text = self.once(self.run_folder)
        self.assertRegex(text, r"! rank 0 has given no sign of life for 3\d s: killed, stopped, or a slow disk")
        self.assertEqual(re.findall(r"(?m)^! +(\d+) ", text), ["0"])

    def test_without_a_name_the_newest_that_runs(self):
        statuses.write(self.folder / "results/runs/done", statuses.status_at(163, time.time() - 5000, state="complete"))
        os.utime(self.folder / "results/runs/done/status.json", (time.time() - 5000,) * 2)
        with growing(self.run_folder):
            text = self.once()
        self.assertIn("results/runs/a, 4 ranks", text)
        self.assertNotIn("results/runs/done", text)
        self.assertTrue(text.endswith("\nnewest of results/runs; others: scalemark top DIR\n"), text)
        self.assertNotIn("newest of", self.once(self.run_folder))
        with Screen(columns=60, cwd=self.folder) as screen:
            screen.shows("newest of results/runs; others: scalemark top DIR; q leaves")
        # A run of `--output live` is beside them.
        with growing(self.folder / "live"):
            text = self.once()
        self.assertIn("\nlive, 4 ranks", "\n" + text)
        self.assertTrue(text.endswith(" this folder; others: scalemark top DIR\n"), text)

    def test_what_is_not_there_is_one_line(self):
        (self.folder / "none").mkdir()
        statuses.write(self.folder / "cut", '{"schema": "scalemark.status/1", "ran')
        statuses.write(self.folder / "later", '{"schema": "scalemark.status/2"}')
        for arguments, code, said in ((["none"], 66, "the URL of a run's page begins with http://"), ([], 66, "no run in results/runs or in a folder of this one has a status.json. Hint: `scalemark top DIR`"),
                                      (["cut"], 65, "is no status of a run"), (["later"], 65, "scalemark.status/2"), (["https://n7:29400"], 64, "http://HOST:PORT is expected"),
                                      (["none", "--format", "html"], 78, "text or json"), (["none", "--every", "0"], 78, "0.1")):
            result = run("top", *arguments, "--once", cwd=self.folder if arguments else self.folder / "none")
            self.assertEqual(result.returncode, code, (arguments, result.stderr))
            self.assertIn(said, result.stderr)
            self.assertEqual((result.stdout, len(result.stderr.splitlines())), ("", 1), result.stderr)

    def test_a_url_is_watched_like_a_folder(self):
        with page(slow=2) as (url, _):
            for given in (url, f"{url}/", f"{url}/status"):
                text = self.once(given)
                self.assertIn(given, text)
                self.assertEqual(re.findall(r"(?m)^! +(\d+) ", text), ["2"], text)
            with growing(self.run_folder):
                both = [json.loads(line) for line in self.once(url, self.run_folder, "--format", "json").splitlines()]
            self.assertEqual([frame["source"] for frame in both], [url, str(self.run_folder)])
            self.assertAlmostEqual(both[0]["now"]["samples_per_s"], 640, delta=30)
            result = run("top", f"{url}/none", "--once", cwd=self.folder)
            self.assertEqual((result.returncode, len(result.stderr.splitlines())), (65, 1), result.stderr)
        result = run("top", url, "--once", cwd=self.folder)
        self.assertEqual(result.returncode, 66)
        self.assertIn("Connection refused", result.stderr)

    def test_a_page_with_a_token(self):
        token, wrong = self.folder / "token", self.folder / "wrong"
        for file, text in (token, "sixteen-letters-and-more"), (wrong, "another-of-sixteen"):
            file.write_text(text + "\n")
            file.chmod(0o600)
        with page(token.read_text().strip()) as (url, _):
            self.assertIn("images/s", self.once(url, "--metrics-token", token))
            for arguments, said in (([], "asks for a token"), (["--metrics-token", str(wrong)], "another token")):
                result = run("top", url, "--once", *arguments, cwd=self.folder)
                self.assertEqual((result.returncode, result.stdout), (77, ""), result.stderr)
                self.assertIn(said, result.stderr)
        token.chmod(0o644)
        self.assertIn("--metrics-token", run("top", url, "--once", "--metrics-token", str(token), cwd=self.folder).stderr.splitlines()[0])

    def test_a_host_that_does_not_answer_shows_and_does_not_hold_the_keys(self):
        with page() as (url, answers), Screen(url, "--every", "0.2") as screen:
            screen.shows("of 12,000 steps")
            answers.clear()
            screen.shows("has not answered within 1.5 s")
            answers.set()
            screen.until(lambda: not any("has not answered" in line for line in screen.frame()))
            answers.clear()
            screen.shows("has not answered within 1.5 s")
            pressed = time.monotonic()
            os.write(screen.terminal, b"q")
            self.assertEqual(screen.ends(), 0)
            self.assertLess(time.monotonic() - pressed, 30)  # 1.5 s where nothing else runs

    def test_hosts_that_do_not_answer_are_waited_for_at_once(self):
        with contextlib.ExitStack() as silent:
            sockets = [silent.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(20)]
            start = time.monotonic()
            result = run("top", *(f"http://127.0.0.1:{one.getsockname()[1]}" for one in sockets), "--once", cwd=self.folder)
        self.assertEqual(result.returncode, 66)
        self.assertLess(time.monotonic() - start, 15, "one after the other takes 30 s")

    def test_screens_of_any_size_fit_and_keys_leave(self):
        for (columns, rows), key in (((60, 20), b"q"), ((80, 24), b"\x03"), ((200, 50), b"Q")):
            with growing(self.run_folder, ranks=64, slow=5, findings=30), Screen(self.run_folder, columns=columns, rows=rows) as screen:
                before = screen.settings()
                screen.shows("others wait")
                frame = screen.frame()
                self.assertLessEqual(len(frame), rows)
                self.assertLessEqual(max(map(len, frame)), columns)
                self.assertTrue(frame[-1].startswith(FOOTER), frame)
                self.assertEqual([line.split()[1] for line in frame if line.startswith("! ") and "others wait" in line], ["5"], frame)
                self.assertIn("and ", "".join(frame))
                os.write(screen.terminal, key)
                self.assertEqual(screen.ends(), 0)
                self.assert_given_back(screen, before)

    def assert_given_back(self, screen, before):
        self.assertTrue(screen.settings()[3] & termios.ICANON and screen.settings()[3] & termios.ECHO)
        if before[3] & termios.ICANON:  # else it was read when the program had begun
            self.assertEqual(screen.settings(), before)
        self.assertTrue(screen.output.rstrip().endswith("\x1b[?25h\x1b[?1049l"), screen.output[-80:])

    def test_a_signal_gives_the_terminal_back_too(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
            with growing(self.run_folder), Screen(self.run_folder) as screen:
                screen.shows(FOOTER)
                os.kill(screen.pid, number)
                self.assertEqual(screen.ends(), 0)
                self.assert_given_back(screen, screen.settings())

    def test_a_screen_follows_the_run_to_its_end(self):
        with Screen(self.prepared(), "--every", "0.2") as screen:
            screen.shows("of 12,000 steps")
            statuses.write(self.run_folder, '{"schema": "scalemark.status/1", "ran')
            screen.shows("is no status of a run")
            screen.resize(60, 20)
            screen.until(lambda: max(map(len, screen.frame())) <= 60)
            statuses.write(self.run_folder, statuses.status_at(163, time.time(), state="complete"))
            screen.shows("complete after 2:43")
            os.write(screen.terminal, b"xq")
            self.assertEqual(screen.ends(), 0)

    def prepared(self):
        statuses.write(self.run_folder, statuses.status_at(100, time.time()))
        return self.run_folder

    def test_a_stopped_run_grows_old_on_the_screen(self):
        statuses.write(self.run_folder, statuses.status_at(100, time.time() - 8))
        with Screen(self.run_folder) as screen:
            def counts_on(pattern, from_s):
                """The screen may pass over a second while others have the CPUs."""
                screen.until(lambda: any(int(seconds) >= from_s for line in screen.frame() for seconds in re.findall(pattern, line)))

            counts_on(r"status (\d+) s old", 9)
            counts_on(r"no sign of life for (\d+) s", 11)
            os.write(screen.terminal, b"q")
            self.assertEqual(screen.ends(), 0)

    def test_colours_obey_no_color(self):
        for environment, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
            with growing(self.run_folder, slow=2), Screen(self.run_folder, **environment) as screen:
                screen.shows("others wait")
                self.assertEqual("\x1b[31m" in screen.output, coloured)
                os.write(screen.terminal, b"q")
                screen.ends()

    def test_ctrl_z_gives_the_terminal_back_until_it_continues(self):
        with growing(self.run_folder), Screen(self.run_folder) as screen:
            screen.shows(FOOTER)
            os.kill(screen.pid, signal.SIGTSTP)
            screen.until(lambda: screen.output.endswith("\x1b[?1049l") or "\x1b[?1049l" in screen.output)
            os.kill(screen.pid, signal.SIGCONT)
            screen.until(lambda: screen.output.count("\x1b[?1049h") == 2)
            os.write(screen.terminal, b"q")
            self.assertEqual(screen.ends(), 0)

    def test_json_on_a_terminal_continues_with_each_record(self):
        with growing(self.run_folder), Screen(self.run_folder, "--format", "json", "--every", "0.2", columns=200) as screen:
            screen.until(lambda: screen.output.count('{"source"') >= 3)
            os.kill(screen.pid, signal.SIGINT)
            self.assertEqual(screen.ends(), 0)

    def test_a_terminal_that_cannot_be_redrawn_gets_one_screen(self):
        statuses.write(self.run_folder, statuses.status_at(163, time.time(), state="complete"))
        with Screen(self.run_folder, TERM="dumb") as screen:
            self.assertEqual(screen.ends(), 0)
            self.assertIn("complete after 2:43", screen.output)
            self.assertNotIn("\x1b[", screen.output)


if __name__ == "__main__":
    unittest.main()
