"""A headless Chromium that a test drives: it opens pages, returns what stands in them, takes pictures, and returns what its console got.

It is spoken to by the DevTools protocol over a pipe, which needs no port and no library.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from program import check

LIMIT_S = 300


def program():
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """One page; ended, its profile with it, at the end of the with block."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs, self.to = os.pipe()
        self.answers, of_theirs = os.pipe()
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe",
                   f"--user-data-dir={self.profile.name}", "about:blank"]
        shell = f'exec "$0" "$@" 3<&{theirs} 4>&{of_theirs}'
        self.process = subprocess.Popen(["bash", "-c", shell, program(), *options], pass_fds=(theirs, of_theirs), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs)
        os.close(of_theirs)
        self.bytes, self.number, self.session, self.console, self.loader = b"", 0, None, [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(60)
        except (OSError, AssertionError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.answers)
        self.profile.cleanup()

    def message(self):
        """The next one; each ends with a byte of 0."""
        deadline = time.monotonic() + LIMIT_S
        while b"\0" not in self.bytes:
            check(select.select([self.answers], [], [], max(0, deadline - time.monotonic()))[0], "the browser does not answer")
            more = os.read(self.answers, 1 << 20)
            check(more, "the browser has ended")
            self.bytes += more
        text, _, self.bytes = self.bytes.partition(b"\0")
        return json.loads(text)

    def note(self, event):
        """Keeps what a reader of the console would see, and which document is there."""
        values = event.get("params", {})
        if event["method"] == "Page.frameNavigated" and "parentId" not in values["frame"]:
            self.loader = values["frame"]["loaderId"]
        elif event["method"] == "Runtime.exceptionThrown":
            self.console.append(values["exceptionDetails"].get("exception", {}).get("description") or values["exceptionDetails"]["text"])
        elif event["method"] == "Log.entryAdded":
            self.console.append(f"{values['entry']['text']} {values['entry'].get('url', '')}")
        elif event["method"] == "Runtime.consoleAPICalled":
            self.console.append(str([one.get("value") for one in values["args"]]))

    def call(self, method, **values):
        self.number += 1
        request = {"id": self.number, "method": method, "params": values, **({"sessionId": self.session} if self.session else {})}
        os.write(self.to, json.dumps(request).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.number:
                check("error" not in message, f"{method}: {message.get('error')}")
                return message["result"]
            if "method" in message:
                self.note(message)

    def open(self, url, width=1280, height=900, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        navigated = self.call("Page.navigate", url=url)
        check(not navigated.get("errorText"), f"{url}: {navigated}")
        self.await_document(lambda: self.loader == navigated["loaderId"])

    def reload(self):
        before = self.loader
        self.call("Page.reload")
        self.await_document(lambda: self.loader != before)

    def await_document(self, is_there):
        """Returns once the new one has taken the place: what is asked of the old one while it goes fails ("Inspected target navigated or closed")."""
        while not is_there():
            message = self.message()
            if "method" in message:
                self.note(message)

    def says(self, expression):
        """The value of a JavaScript expression in the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        check("exceptionDetails" not in found, f"{expression}: {found.get('exceptionDetails')}")
        return found["result"].get("value")

    def until(self, expression, alive=lambda: True):
        """Returns what the expression gives, once that is true."""
        deadline = time.monotonic() + LIMIT_S
        while not (found := self.says(expression)):
            check(alive(), f"not true before the run ended: {expression}: {self.text()}")
            check(time.monotonic() < deadline, f"not true in {LIMIT_S} s: {expression}: {self.text()} {self.console}")
            time.sleep(0.1)
        return found

    def text(self):
        return self.says("document.body?.innerText")

    def picture(self, file, whole=False):
        """Takes a picture of the window, or, in one that is as high, of the whole page."""
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            self.call("Emulation.setDeviceMetricsOverride", width=int(size["width"]), height=int(size["height"]), deviceScaleFactor=1, mobile=size["width"] < 600)
            self.says("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        Path(file).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
