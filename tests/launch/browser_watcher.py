"""The live page of a run in a browser: what it shows of the run, of a rank that is stopped, and when the run is gone."""

import socket
import threading

from browser import Browser, program
from program import check, skip
from watched_run import Watcher

RATE = "parseFloat(document.querySelector('#now .large')?.textContent.replaceAll(',', ''))"
ROWS = "[...document.querySelectorAll('#ranks tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))"
HEADS = "[...document.querySelectorAll('#ranks th')].map(head => head.textContent)"
DRAWN = """[...document.querySelectorAll('canvas')].filter(canvas => canvas.offsetParent).map(canvas => {
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data, colours = new Set();
  for (let i = 0; i < pixels.length; i += 4) if (pixels[i + 3] > 200) colours.add(pixels[i] >> 4 << 8 | pixels[i + 1] >> 4 << 4 | pixels[i + 2] >> 4);
  return [canvas.getAttribute('aria-label'), colours.size];
})"""


def forwarded(address):
    """An address of this machine that leads to the other one, as `ssh -L` makes it."""
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
    return f"localhost:{listener.getsockname()[1]}"


def check_clean(browser):
    """Nothing may be on the console but an address that does not answer, and what our reading of canvases costs."""
    noise = [line for line in browser.console if "Failed to load resource" not in line and "getImageData" not in line]
    check(not noise, noise)


class BrowserWatcher(Watcher):
    """Chromium, headless, reads the page at this address; `stack` ends it."""

    def __init__(self, run, address, stack):
        if not program():
            skip("there is no chromium")
        super().__init__(run)
        self.browser = stack.enter_context(Browser())
        self.browser.open(f"http://{address}/")

    def until(self, expression):
        """Returns what the expression gives, once that is true."""
        return self.run.until(lambda: self.browser.says(expression), f"the page says {expression}")

    def trains(self):
        """Once the page has a rate of the run, and of each rank: it has the run's words and numbers, and curves."""
        self.until(f"{RATE} > 0 && {ROWS}.length === 2")
        place = self.until(f"{HEADS}.findIndex(head => head.endsWith(' per s')) + 1 || 0") - 1
        self.until(f"{ROWS}.every(row => parseFloat(row[{place}].replaceAll(',', '')) > 0)")
        text = self.browser.text()
        for words in ("train: mlp, batch 64 per rank, fp32, ddp over gloo, 2 ranks", "2 ranks on 1 machine (cpu)", "window: ", " steps (0 %)", "loss", "running", "Machines"):
            check(words in text, f"'{words}' is not there: {text}")
        check([row[0] for row in self.browser.says(ROWS)] == ["0", "1"], self.browser.says(ROWS))
        self.until(f"{DRAWN}.length >= 3 && {DRAWN}.every(([name, colours]) => colours > 2)")
        self.browser.reload()  # rank 0 remembers what was before
        self.until(f"performance.getEntriesByType('navigation')[0].type === 'reload' && {RATE} > 0 && {DRAWN}.length >= 3")
        self.until("document.querySelector('.phases')?.children.length > 1")

    def stands_still(self):
        """It is marked, in the words of `top`."""
        self.until("document.querySelector('#now').innerText.includes('rank 1: no sign of life for ')")
        self.until("document.querySelector('#ranks tr.marked td').textContent === '1' && document.title.startsWith('! ')")

    def continues(self):
        self.until("!document.querySelector('#now').innerText.includes('no sign of life')")

    def is_killed(self):
        self.browser.until("document.body.innerText.includes('No answer since ')")
        text = self.browser.text()
        check("asked again every" in text and "no answer" in text and len(self.browser.says(ROWS)) == 2, text)
        check_clean(self.browser)

    def ended(self, state):
        """Its numbers stay."""
        self.browser.until(f"/The run has ended .{state}.|No answer since/.test(document.body.innerText)")
        check(self.browser.says(f"{RATE} > 0") and len(self.browser.says(ROWS)) == 2, self.browser.text())
        check_clean(self.browser)
