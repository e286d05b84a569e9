"""A real Prometheus on a free port of this machine, with the configuration that the project ships, for the length of a with block."""

import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

from expressions import FOLDER
from program import check, skip

LIMIT_S = 600


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Prometheus:
    """`folder` gets configs/monitoring, with every interval 1 s, and the storage; runs below folder/results/runs are found."""

    def __init__(self, folder):
        program = shutil.which("prometheus")
        if not program:
            skip("there is no prometheus (Debian: prometheus)")
        configs = folder / "configs/monitoring"
        configs.mkdir(parents=True)
        shutil.copy(FOLDER / "rules.yml", configs)
        text = (FOLDER / "prometheus.yml").read_text()
        check(text.count(": 5s") == 3, "intervals that this test makes shorter are not as they were")
        (configs / "prometheus.yml").write_text(text.replace(": 5s", ": 1s"))
        self.address = f"127.0.0.1:{free_port()}"
        self.log = folder / "prometheus.log"
        self.command = [program, f"--config.file={configs / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'storage'}",
                        f"--web.listen-address={self.address}", "--query.lookback-delta=30s", "--log.level=warn"]

    def __enter__(self):
        self.began = time.monotonic()
        with self.log.open("w") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=subprocess.STDOUT)
        try:
            self.until(self.is_ready, "Prometheus is not ready")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def age_s(self):
        return time.monotonic() - self.began

    def is_ready(self):
        check(self.process.poll() is None, f"Prometheus ended: {self.log.read_text()}")
        try:
            with urllib.request.urlopen(f"http://{self.address}/-/ready", timeout=10) as answer:
                return answer.status == 200
        except (urllib.error.URLError, TimeoutError):
            return False

    def until(self, condition, otherwise, limit_s=LIMIT_S):
        """Returns what `condition` gives, once that is true."""
        end = time.monotonic() + limit_s
        while True:
            found = condition()
            if found:
                return found
            check(time.monotonic() < end, f"{otherwise}, after {limit_s} s")
            time.sleep(0.2)

    def ask(self, path, **parameters):
        url = f"http://{self.address}/api/v1/{path}?{urllib.parse.urlencode(parameters, doseq=True)}"
        try:
            with urllib.request.urlopen(url, timeout=60) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            check(False, f"{url}: {error.read().decode()}")

    def query(self, expression, **parameters):
        """Rows of {"metric": labels, "value": [time, text]}, or "values" of a selection over time."""
        return self.ask("query", query=expression, **parameters)["result"]

    def values(self, expression, *labels, **parameters):
        """{labels: number}; the key is a text where one label is asked for."""
        rows = self.query(expression, **parameters)
        keys = [tuple(row["metric"].get(label, "") for label in labels) for row in rows]
        check(len(set(keys)) == len(keys), f"{expression}: several rows of one {labels}: {rows}")
        return {key[0] if len(labels) == 1 else key: float(row["value"][1]) for key, row in zip(keys, rows)}

    def until_series(self, expression, limit_s=LIMIT_S):
        return self.until(lambda: self.query(expression), f"{expression} has no series", limit_s)

    def firing(self):
        """Labels of the alerts that fire."""
        return [one["labels"] for one in self.ask("alerts")["alerts"] if one["state"] == "firing"]
