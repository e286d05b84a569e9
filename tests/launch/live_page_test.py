"""The live page in a browser with answers that no run gave: many ranks, no answer for a while, the end.

Chromium runs headless; skipped with a reason where there is none. Waits for conditions in the page, never for times. What the page shows of
real runs is read by browser_watcher.py.
"""

import http.server
import json
import re
import threading
import time

from browser import Browser, program
from browser_watcher import DRAWN, RATE, ROWS, check_clean
from endings import run_cases
from made_answers import made_answer, whole_answer
from page_watcher import PageWatcher
from program import check, skip
from watched_run import FOREVER, Watched


GPU = [("rank", "0"), ("GPU", "cuda:0"), ("busy", "91 %"), ("memory", "57.0 GiB"), ("temperature", "55 \u00b0C"), ("power", "53 W"), ("clock", "1,540 MHz"), ("held down by", "power_cap"),
       ("memory errors", "57"), ("Xid", "58")]
MACHINE = [("machine", "node000"), ("CPUs busy", "1.1 of 64"), ("CPUs others", "10.1"), ("CPUs stolen", "1.2"), ("CPUs throttled", "1.3"), ("wait CPU", "16 %"), ("memory free", "383 GiB"),
           ("swap per s", "14.6 KiB"), ("wait memory", "17 %"), ("network in /s", "54.7 KiB"), ("network out /s", "57.6 KiB"), ("resent per s", "1.90"), ("network errors /s", "2.10"),
           ("disk read /s", "21.5 KiB"), ("disk write /s", "22.5 KiB"), ("wait disk", "18 %"), ("output free", "4.55 TiB")]


class MadeRun:
    """Serves the page, and answers that no run gave: ten seconds later with each."""

    def __init__(self, page, **given):
        self.given, self.at, self.answers, self.frames = given, 0, True, []
        made = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path != "/" and not made.answers:
                    return self.send_error(503)
                made.at += 10
                body = page if self.path == "/" else json.dumps(made.answer(self.path)).encode()
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

    def answer(self, path):
        if path == "/past":
            return {"now": time.time(), "frames": self.frames}
        return self.given.get("answer") or made_answer(at=self.at, **self.given)


def made_frames(ranks, first, last):
    """Returns what a run has kept from `first` to `last` seconds ago: of rank 1 nothing is known in the first half."""
    frames = []
    for i, ago in enumerate(range(first, last, -2)):
        values = {"peer_wait_share": [0.1, None if ago > (first + last) / 2 else 0.2] + [0.3] * (ranks - 2), "resident_bytes": [1e9] * ranks}
        frames.append({"at": time.time() - ago, "phase": "warmup" if i < 50 else "window", "point": "a", "rate": 100 + i, "loss": 3 - 0.01 * i,
                       "means": {"peer_wait_share": 0.2, "data_wait_share": 0.05, "resident_bytes": 1e9}, "values": values if ranks <= 64 else {}})
    return frames


SINCE = """(() => {
  const found = document.querySelector('#courses .faint')?.textContent.match(/Since (\\d+):(\\d+):(\\d+)/);
  if (!found) return null;
  const [hours, minutes, seconds] = found.slice(1).map(Number), at = new Date(performance.timeOrigin);
  return (86400 + 3600 * at.getHours() + 60 * at.getMinutes() + at.getSeconds() - 3600 * hours - 60 * minutes - seconds) % 86400;
})()"""


def check_past(browser, page):
    """Who opens the page late sees the ten minutes before; of very many ranks their means."""
    for ranks in (4, 1000):
        served = MadeRun(page, ranks=ranks)
        served.frames = made_frames(ranks, 400, 2)
        browser.open(served.url)
        browser.until(f"{ROWS}.length > 3 && {DRAWN}.length > 3")
        check(390 <= browser.says(SINCE) <= 410, f"since {browser.says(SINCE)} s before it was opened")
        phases = browser.says("document.querySelector('.phases').getAttribute('aria-label')")
        check("warmup 1:40" in phases and "no answer" not in phases, phases)
        check(("remembers means" in browser.text()) == (ranks == 1000), browser.text()[:2000])
        check_fits(browser, "the past")


def check_saved(browser, page, folder):
    """The file that the button writes shows the same without the run, and asks nobody."""
    bad = {"code": "noted", "severity": "info", "text": "</script><img src=x onerror=\"document.title = 'alerted'\">"}
    served = MadeRun(page, ranks=4, findings=[bad])
    served.frames = made_frames(4, 400, 2)
    browser.open(served.url)
    browser.until(f"{ROWS}.length === 4 && {DRAWN}.length > 3 && {RATE} > 0")
    browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    browser.says("document.getElementById('save').click()")
    file = folder / "scalemark-e530c6e5.html"
    wait_for(file)
    rows, served.answers = browser.says(ROWS), False
    browser.open(file.as_uri())
    browser.until(f"location.protocol === 'file:' && {ROWS}.length === 4 && {DRAWN}.length > 3")
    text = browser.text()
    check(re.search(r"Saved \d{4}-\d\d-\d\d \d\d:\d\d:\d\d, while the run went on", text) and bad["text"] in text and "warmup 1:40" in text, text[:1500])
    check([row[0] for row in browser.says(ROWS)] == [row[0] for row in rows] and browser.says(f"{RATE} > 0"), browser.says(ROWS))
    check(browser.says("document.getElementById('save').hidden && !document.querySelector('footer')"), "a saved page offers what it cannot do")
    check(browser.says("performance.getEntriesByType('resource').length") == 0, "a saved page asks somebody")
    check_fits(browser, "the saved page")


def wait_for(file):
    end = time.monotonic() + 120
    while not file.exists():
        check(time.monotonic() < end, f"{file} was never written")
        time.sleep(0.05)


def check_fits(browser, what):
    check(not browser.says("document.documentElement.scrollWidth > document.documentElement.clientWidth"), f"{what}: the page is wider than the window")


def table_of(browser, place):
    """Returns what stands in the first row, by the heads of a table."""
    texts = "[...document.querySelectorAll('#%s %s')].map(cell => cell.textContent)"
    return dict(zip(browser.says(texts % (place, "th")), browser.says(texts % (place, "tbody tr:first-child td"))))


def check_machine_numbers(browser, page):
    """Every number of a machine has its column, in its order, and each curve of a GPU its name."""
    browser.open(MadeRun(page, answer=whole_answer()).url, 1280, 900, False)
    browser.until("document.querySelectorAll('#machines tbody tr').length === 1 && document.querySelectorAll('#gpus tbody tr').length === 1")
    gpu, machine = ([*table_of(browser, place).items()] for place in ("gpus", "machines"))
    check(gpu == GPU, gpu)
    check(machine == MACHINE, machine)
    curves = browser.says("[...document.querySelectorAll('#gpus select option')].map(one => one.textContent)")
    check(curves == ["busy", "memory", "power", "clock", "temperature"], curves)


def made(folder):
    """Many ranks, GPUs, names that look like markup, no answer for a while, another run, the end."""
    with Watched(folder, "train", "--workload", "linear", "--threads", 1, *FOREVER) as run:
        page = PageWatcher(run).page("/").encode()
    bad = {"code": "noted", "severity": "info", "text": "<img src=x onerror=\"document.title = 'alerted'\">"}
    with Browser() as browser:
        check_machine_numbers(browser, page)
        check_past(browser, page)
        check_saved(browser, page, folder)
        check_clean(browser)
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
    skip("there is no chromium")
run_cases({"made": made})
