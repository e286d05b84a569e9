"""The live page of a run in a browser: what it shows of the run, of a rank that is stopped, of many ranks, and when the run is gone.

live_page_test.py running | stopped | made. Chromium runs headless; skipped with a reason where there is none. Waits for conditions in
the page, never for times.
"""

import http.server
import json
import os
import signal
import socket
import sys
import threading
import time
import urllib.request

from browser import Browser, program
from endings import ENDLESS, Running, run_cases
from made_answers import made_answer
from program import check

LIMIT_S = 300
TRAIN = ("train", "--workload", "mlp", "--nproc-per-node", 2, "--threads", 1, *ENDLESS, "--metrics-port", "auto")
RATE = "parseFloat(document.querySelector('#now .large')?.textContent.replaceAll(',', ''))"
ROWS = "[...document.querySelectorAll('#ranks tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))"
HEADS = "[...document.querySelectorAll('#ranks th')].map(head => head.textContent)"
DRAWN = """[...document.querySelectorAll('canvas')].filter(canvas => canvas.offsetParent).map(canvas => {
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data, colours = new Set();
  for (let i = 0; i < pixels.length; i += 4) if (pixels[i + 3] > 200) colours.add(pixels[i] >> 4 << 8 | pixels[i + 1] >> 4 << 4 | pixels[i + 2] >> 4);
  return [canvas.getAttribute('aria-label'), colours.size];
})"""


def address_of(run):
    deadline = time.monotonic() + LIMIT_S
    while not (file := run.folder / "metrics-target.json").exists():
        check(run.process.poll() is None and time.monotonic() < deadline, "there is no target file")
        time.sleep(0.05)
    return json.loads(file.read_text())[0]["targets"][0]


def forwarded(address):
    """A port of this machine that leads to the address, as `ssh -L` makes one."""
    host, port = address.split(":")
    listener = socket.create_server(("127.0.0.1", 0))

    def carry(source, sink):
        try:
            while data := source.recv(1 << 16):
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            end.close()

    def serve():
        while True:
            client, _ = listener.accept()
            try:
                server = socket.create_connection((host, int(port)))
            except OSError:
                client.close()
                continue
            for ends in ((client, server), (server, client)):
                threading.Thread(target=carry, args=ends, daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    return listener.getsockname()[1]


def both_train(browser, run):
    """Once the page has a rate of the run, and of each rank."""
    def alive():
        return run.process.poll() is None

    browser.until(f"{RATE} > 0 && {ROWS}.length === 2", alive)
    place = browser.until(f"{HEADS}.findIndex(head => head.endsWith(' per s')) + 1 || 0", alive) - 1
    browser.until(f"{ROWS}.every(row => parseFloat(row[{place}].replaceAll(',', '')) > 0)", alive)


def check_clean(browser):
    """Nothing may be on the console but an address that does not answer, and what our looking at canvases costs."""
    noise = [line for line in browser.console if "Failed to load resource" not in line and "getImageData" not in line]
    check(not noise, noise)


def running(folder):
    """Through a forwarded port: the run's words and numbers; they stay when it has been interrupted."""
    with Running(*TRAIN, "--output", folder / "out") as run, Browser() as browser:
        browser.open(f"http://localhost:{forwarded(address_of(run))}/")
        both_train(browser, run)
        text = browser.text()
        for words in ("train: mlp, batch 64 per rank, fp32, ddp over gloo, 2 ranks", "2 ranks on 1 machine (cpu)", "window: ", " steps (0 %)", "loss", "running", "Machines"):
            check(words in text, f"'{words}' is not there: {text}")
        check([row[0] for row in browser.says(ROWS)] == ["0", "1"], browser.says(ROWS))
        browser.until(f"{DRAWN}.length >= 3 && {DRAWN}.every(([name, colours]) => colours > 2)")
        run.process.send_signal(signal.SIGINT)
        run.end(130)
        browser.until("/The run has ended .interrupted.|No answer since/.test(document.body.innerText)")
        check(browser.says(f"{RATE} > 0") and len(browser.says(ROWS)) == 2, browser.text())
        check_clean(browser)


def stopped(folder):
    """A rank that gives no sign of life is marked, in the words of `top`, until it goes on; a run that is killed leaves its numbers."""
    with Running(*TRAIN, "--output", folder / "out") as run, Browser() as browser:
        browser.open(f"http://{address_of(run)}/")
        both_train(browser, run)
        rank_1 = run.ranks()[1]
        os.kill(rank_1, signal.SIGSTOP)
        browser.until("document.querySelector('#now').innerText.includes('rank 1: no sign of life for ')")
        browser.until("document.querySelector('#ranks tr.marked td').textContent === '1' && document.title.startsWith('! ')")
        os.kill(rank_1, signal.SIGCONT)
        browser.until("!document.querySelector('#now').innerText.includes('no sign of life')")
        for pid in (run.process.pid, *run.ranks()):
            os.kill(pid, signal.SIGKILL)
        browser.until("document.body.innerText.includes('No answer since ')")
        text = browser.text()
        check("asked again every" in text and "no answer" in text and len(browser.says(ROWS)) == 2, text)
        check_clean(browser)


class MadeRun:
    """Serves the page, and answers that no run gave: ten seconds later with each."""

    def __init__(self, page, **given):
        self.given, self.at, self.answers = given, 0, True
        made = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path != "/" and not made.answers:
                    return self.send_error(503)
                made.at += 10
                body = page if self.path == "/" else json.dumps(made_answer(at=made.at, **made.given)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8" if self.path == "/" else "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def check_fits(browser, what):
    check(not browser.says("document.documentElement.scrollWidth > document.documentElement.clientWidth"), f"{what}: the page is wider than the window")


def made(folder):
    """Many ranks, GPUs, names that look like markup, no answer for a while, another run, the end."""
    with Running(*TRAIN, "--output", folder / "out") as run:
        page = urllib.request.urlopen(f"http://{address_of(run)}/", timeout=60).read()
    bad = {"code": "noted", "severity": "info", "text": "<img src=x onerror=\"document.title = 'alerted'\">"}
    with Browser() as browser:
        for ranks, gpus, window in ((64, False, (1280, 900, False)), (64, True, (390, 800, True)), (1000, False, (1280, 900, True))):
            served = MadeRun(page, ranks=ranks, gpus=gpus, findings=[bad])
            browser.open(served.url, *window)
            browser.until(f"document.body?.innerText.includes('{ranks} ranks') && {ROWS}.length === 64 && {DRAWN}.length > 3")
            check(browser.says("document.documentElement.dataset.theme") == ("dark" if window[2] else "light"), window)
            check(browser.says(f"{ROWS}[0]")[0] == "5", "the rank that is marked does not come first")
            check(("temperature" in browser.text()) == gpus and bad["text"] in browser.text(), browser.text())
            check_fits(browser, window)
        browser.says("[...document.querySelectorAll('#ranks button')].find(one => one.textContent === 'show all 1,000').click()")
        browser.until(f"{ROWS}.length === 1000")
        check_fits(browser, "all ranks")
        browser.says("[...document.querySelectorAll('#ranks th button')].find(one => one.textContent === 'wait peers').click()")
        check(browser.says(f"{ROWS}[0]")[0] == "5", "the rank that waits least does not come first")
        served.answers = False
        browser.until("document.body.innerText.includes('No answer since ')")
        served.answers = True
        browser.until("!document.body.innerText.includes('No answer since ') && document.querySelector('.phases').getAttribute('aria-label').includes('no answer')")
        served.given["state"] = "complete"
        browser.until("document.body.innerText.includes('The run has ended (complete)')")
        check(browser.says(f"{RATE} > 0 && {ROWS}.length === 1000") and not browser.says("document.querySelector('#ranks tr.marked')"), browser.text()[:500])
        served.answers = False
        browser.until("document.body.innerText.includes('and its page with it')")
        check(browser.says(f"{RATE} > 0 && document.title.startsWith('complete')"), browser.says("document.title"))
        check_clean(browser)


if not program():
    print("skipped: there is no chromium")
    sys.exit(77)
run_cases({"running": running, "stopped": stopped, "made": made})
