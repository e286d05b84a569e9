"""A run's pages on --metrics-port: where they are found, who may read what, that they are true, and that clients change nothing."""

import contextlib
import json
import os
import random
import re
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

from program import SCALEMARK, check, clean_environment
from slow_motion import slow_motion
from watched_run import GONE, LIMIT_S, Watcher

PAGES = ("/metrics", "/status", "/now", "/")
SECRET = "k" * 20


def token_file(folder, text=SECRET):
    file = folder / "token"
    file.write_text(text)
    file.chmod(0o600)
    return file


def get(address, path, token=""):
    """(status, text)."""
    request = urllib.request.Request(f"http://{address}{path}", headers={"Authorization": f"Bearer {token}"} if token else {})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def target_files(run):
    """Returns those in the output folder and beside it."""
    return run.folder / "metrics-target.json", Path(f"{run.folder}.metrics-target.json")


def target(run):
    """(address, run_id) of the run that writes now; both files say the same."""
    one, other = (json.loads(file.read_text()) for file in target_files(run))
    check(one == other and len(one) == 1 and len(one[0]["targets"]) == 1 and list(one[0]["labels"]) == ["run_id"], one)
    return one[0]["targets"][0], one[0]["labels"]["run_id"]


def values(page, name):
    """{labels as they stand: number}."""
    return {match[1]: float(match[2]) for match in re.finditer(rf"^{name}(?:{{(.*)}})? (\S+)$", page, re.MULTILINE)}


def top(url, *options, before=()):
    """`top --once`, once it has been answered: it gives a page 1.5 s, which the least urgent thread of a busy machine may not have."""
    command = [*before, str(SCALEMARK), "top", url, "--once", *map(str, options)]
    deadline = time.monotonic() + LIMIT_S
    while True:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, env=clean_environment())
        if "has not answered within" not in ended.stderr or time.monotonic() > deadline:
            return ended


class PageWatcher(Watcher):
    def __init__(self, run, token="", not_of=None):
        """`not_of`: the id of an earlier run in the same place, whose files are not meant."""
        super().__init__(run)
        self.token = token
        run.until(lambda: all(not_of not in file.read_text() for file in target_files(run)) if not_of else target(run), "target files of this run")
        self.address, self.run_id = target(run)

    def page(self, path="/metrics"):
        status, text = get(self.address, path, self.token)
        check(status == 200, f"{path}: {status} {text}")
        return text

    def have_stepped(self):
        """The page of /metrics, once both ranks have."""
        page = self.page()
        steps = values(page, "scalemark_steps_total")
        return page if len(steps) == 2 and min(steps.values()) > 5 else None

    def trains(self):
        self.run.until(self.have_stepped, "both ranks step")
        status = json.loads(self.page("/status"))
        check(status["endpoint"] == self.address and status["run_id"] == self.run_id, status)

    def is_killed(self):
        check(target(self.run) == (self.address, self.run_id), "the files of a killed run have changed")

    def ended(self, state):
        left = [str(file) for file in target_files(self.run) if os.path.lexists(file)]
        check(not left, f"left behind by a run that is {state}: {left}")

    def scrape_to_the_end(self):
        """Returns the last page of a run whose rank 1 stands still, and then continues. Whoever scrapes is waited for until a second after the next scrape
        is due: this one scrapes each 4 s, and as soon as the run has ended."""
        self.page()
        time.sleep(4)
        page, last = self.page(), time.monotonic()
        os.kill(self.run.ranks()[1], signal.SIGCONT)
        while self.run.process.poll() is None:
            if self.run.status()["state"] != "running" or time.monotonic() > last + 4:
                last = time.monotonic()
                with contextlib.suppress(*GONE):
                    page = self.page()
            time.sleep(0.05)
        return page


def mutated(rng, address):
    """A request of which some bytes are others, doubled or gone."""
    text = bytearray(f"GET /metrics HTTP/1.1\r\nHost: {address}\r\nAccept: text/plain\r\nContent-Length: 0\r\n\r\n".encode())
    for _ in range(rng.randrange(1, 6)):
        place = rng.randrange(len(text))
        text[place:place + rng.randrange(3)] = rng.choice((bytes([rng.randrange(256)]), b"", text[place:place + 9] * rng.randrange(1, 200)))
        text = text or bytearray(b"G")
    return bytes(text)


def connect(address):
    host, port = address.split(":")
    return socket.create_connection((host, int(port)), timeout=600)


def attack(address):
    """600 requests that are almost good, and headers without an end."""
    rng = random.Random(29)
    for number in range(600):
        with contextlib.suppress(OSError), connect(address) as one:
            one.sendall(mutated(rng, address))
            if number % 20 == 0:
                one.sendall(b"\r\n".join([b"GET / HTTP/1.1", *[b"X-%d: endless" % i for i in range(20_000)]]))
            one.shutdown(socket.SHUT_WR)
            one.recv(1 << 16)


def check_under_attack(pages, step):
    """Clients of every kind come while a run trains, whose rank 1 then stands still before it comes to `step`. Good ones get every page
    meanwhile, and the memory of rank 0 does not grow. Returns 100 connections that say nothing: they come before the good ones,
    since of 16 that say nothing yet the oldest is closed."""
    rank_1 = pages.run.ranks()[1]
    seen = []
    attacker = threading.Thread(target=attack, args=[pages.address])

    def scrape():
        """Returns the steps of rank 0."""
        page = pages.page()
        seen.append(values(page, "scalemark_rank_resident_memory_bytes")['rank="0"'])
        for path in ("/status", "/"):
            pages.page(path)
        return values(page, "scalemark_steps_total")['rank="0"']

    scrape()
    idle = [connect(pages.address) for _ in range(100)]
    with slow_motion(lambda: [rank_1], 0.05):
        attacker.start()
        while attacker.is_alive() and scrape() < step / 2:
            time.sleep(0.05)
    os.kill(rank_1, signal.SIGSTOP)
    while attacker.is_alive():
        scrape()
        time.sleep(0.05)
    check(scrape() < step, "the run went on while it was meant to stand still")
    check(max(seen) - seen[0] < 10 << 20, f"memory has grown: {seen}")
    return idle


def check_private(pages, hidden, user):
    """No page says where things lie, who runs it, or how it was called."""
    texts = {path: pages.page(path) for path in PAGES}
    shown = [word for word in hidden if word in "\n".join(texts.values())]
    texts.pop("/")  # style and scripts, where ":root" is a word
    shown += re.findall(rf".*\b{user}\b.*", "\n".join(texts.values()))
    check(not shown, f"the pages show {shown}")


def check_closed(pages):
    """Without the token nobody gets a page, and nobody learns whose it is."""
    for path in PAGES:
        for wrong in ("", SECRET[1:], SECRET + "k"):
            status, text = get(pages.address, path, wrong)
            check(status == 401 and pages.run_id not in text and len(text) < 100, f"{path} with '{wrong}': {status} {text}")
        pages.page(path)
