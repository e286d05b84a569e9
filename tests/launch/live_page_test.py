"""The live page in a browser with answers that no run gave: many ranks, no answer for a while, the end.

Chromium runs headless; skipped with a reason where there is none. Waits for conditions in the page, never for times. What the page shows of
real runs is read by browser_watcher.py.
"""

import http.server
import json
import threading

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
        self.given, self.at, self.answers = given, 0, True
        made = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path != "/" and not made.answers:
                    return self.send_error(503)
                made.at += 10
                body = page if self.path == "/" else json.dumps(made.given.get("answer") or made_answer(at=made.at, **made.given)).encode()
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
