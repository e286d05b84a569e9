"""A real run's pages on --metrics-port: who may read what, what is refused, where the page is found, and that clients change nothing.

metrics_test.py taken | refused | token | private | target | last_scrape | fresh | hostile | loopback. Waits for conditions, never for times.
"""

import contextlib
import getpass
import http.client
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
from collections import Counter
from pathlib import Path

from endings import ENDLESS, SOURCE, Running, only_error, run_cases
from launching import free_port
from namespaces import TwoHosts
from program import SCALEMARK, check, clean_environment, report_in, run
from sweeps import kill_all, steps_of

LIMIT_S = 300
TRAIN = ("train", "--workload", "mlp", "--nproc-per-node", 2, "--threads", 1)
SHORT = ("--warmup-iters", 2, "--no-progress", "--iters")
PAGES = ("/metrics", "/status", "/now", "/")
GONE = (OSError, http.client.HTTPException)  # nobody answers, or not to the end


def token_file(folder, text="k" * 20):
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


def until(run, condition, otherwise):
    """What `condition` says, once that is true; the run must not end before."""
    deadline = time.monotonic() + LIMIT_S
    while True:
        with contextlib.suppress(*GONE):
            if found := condition():
                return found
        check(run.process.poll() is None, f"the run ended before: {otherwise}")
        check(time.monotonic() < deadline, f"{otherwise}, after {LIMIT_S} s")
        time.sleep(0.05)


def endless(folder, *options, port="auto", **environment):
    return Running(*TRAIN, *ENDLESS, "--metrics-port", port, *options, "--output", folder / "out", **environment)


def target_files(run):
    """In the output folder, and beside it."""
    return run.folder / "metrics-target.json", Path(f"{run.folder}.metrics-target.json")


def target(run):
    """(address, run_id) of the run that writes now; both files say the same."""
    one, other = until(run, lambda: [json.loads(file.read_text()) for file in target_files(run)], "there are no target files")
    check(one == other and len(one) == 1 and len(one[0]["targets"]) == 1 and list(one[0]["labels"]) == ["run_id"], one)
    return one[0]["targets"][0], one[0]["labels"]["run_id"]


def values(page, name):
    """{labels as they stand: number}."""
    return {match[1]: float(match[2]) for match in re.finditer(rf"^{name}(?:{{(.*)}})? (\S+)$", page, re.MULTILINE)}


def trains(address, token=""):
    """The page of /metrics, once both ranks have stepped."""
    page = get(address, "/metrics", token)[1]
    steps = values(page, "scalemark_steps_total")
    return page if len(steps) == 2 and min(steps.values()) > 5 else None


def interrupt(run):
    run.process.send_signal(signal.SIGINT)
    run.end(130)


def taken(folder):
    """An address that cannot be had is told before anything is made."""
    token = token_file(folder)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        for given, seen in ((port, f"127.0.0.1, port {port}"), ("192.0.2.1:29400", "192.0.2.1, port 29400")):
            ended = run(*TRAIN, *SHORT, 5, "--metrics-port", given, "--metrics-token", token, "--output", folder / "out", expect=71)
            only_error(ended.stderr, "E_SYSTEM", 71, seen, "Hint: --metrics-port auto")
            check(not ended.stdout and not (folder / "out").exists(), f"something was made: {ended.stdout}")


def refused(folder):
    def refuse(code, exit_code, quoted, *options):
        ended = run(*TRAIN, *SHORT, 5, *options, "--output", folder / "out", expect=exit_code)
        only_error(ended.stderr, code, exit_code, *quoted)
        check(not (folder / "out").exists(), f"{options}: the output folder was made")

    for given in ("0", "70000", "x", "host:"):
        refuse("E_CONFIGURATION", 78, (f"--metrics-port is '{given}'", "a PORT from 1 to 65535, HOST:PORT or auto"), "--metrics-port", given)
    refuse("E_CONFIGURATION", 78, ("0.0.0.0:29400", "--metrics-token FILE"), "--metrics-port", "0.0.0.0:29400")
    for file, code, exit_code, quoted in ((folder / "none", "E_NO_INPUT", 66, "No such file"),
                                          (token_file(folder, "short"), "E_BAD_DATA", 65, "16 characters")):
        refuse(code, exit_code, (str(file), quoted), "--metrics-port", "auto", "--metrics-token", file)


def token(folder):
    file, secret = token_file(folder), "k" * 20
    with endless(folder, "--metrics-token", file) as watched:
        address, run_id = target(watched)
        until(watched, lambda: trains(address, secret), "the ranks do not train")
        for path in PAGES:
            for wrong in ("", secret[1:], secret + "k"):
                status, text = get(address, path, wrong)
                check(status == 401 and run_id not in text and len(text) < 100, f"{path} with '{wrong}': {status} {text}")
            check(get(address, path, secret)[0] == 200, f"{path} with the token: {get(address, path, secret)}")
        seen = run("top", f"http://{address}", "--metrics-token", file, "--once").stdout
        check("mlp, batch 64 per rank" in seen and address in seen, seen)
        ended = run("top", f"http://{address}", "--once", expect=77)
        only_error(ended.stderr, "E_PERMISSION", 77, address, "--metrics-token FILE")
        interrupt(watched)


def private(folder):
    """No page says where things lie, who runs it, or how it was called."""
    (folder / "dark place").mkdir()
    config = folder / "dark place/recipe.json"
    config.write_text(json.dumps({"momentum": 0.8125}))
    names = {"HOME": folder / "homely", "USER": "who-runs-it", "LOGNAME": "who-runs-it", "OF_THE_TEST": "no-page-shows-this"}
    with endless(folder, "--config", config, **names) as watched:
        address, _ = target(watched)
        until(watched, lambda: trains(address), "the ranks do not train")
        texts = {path: get(address, path)[1] for path in PAGES}
        hidden = [*map(str, names.values()), str(folder), folder.name, str(SOURCE.resolve()), str(SCALEMARK.resolve().parent), str(Path.home()),
                  "dark place", "recipe.json", "--workload", "--metrics-port", "0.8125"]
        shown = [word for word in hidden if word in "\n".join(texts.values())]
        texts.pop("/")  # style and scripts, where ":root" is a word
        shown += re.findall(rf".*\b{getpass.getuser()}\b.*", "\n".join(texts.values()))
        check(not shown, f"the pages show {shown}")
        interrupt(watched)


def target_case(folder):
    def begin(*options):
        watched = endless(folder, "--overwrite", *options)
        watched.address, watched.run_id = target(watched)
        until(watched, lambda: trains(watched.address), "the ranks do not train")
        status = json.loads(get(watched.address, "/status")[1])
        check(status["endpoint"] == watched.address and status["run_id"] == watched.run_id, status)
        return watched

    def check_no_files(run, ending):
        left = [str(file) for file in target_files(run) if os.path.lexists(file)]
        check(not left, f"left behind by a run that {ending}: {left}")

    with begin() as watched:
        interrupt(watched)
        check_no_files(watched, "was interrupted")
    with begin() as watched:
        os.kill(watched.ranks()[1], signal.SIGKILL)
        watched.end(69)
        check_no_files(watched, "lost a rank")
    with begin() as watched:  # rank 0 waits for a rank that does not answer, and ends without destructors
        os.kill(watched.ranks()[1], signal.SIGSTOP)
        interrupt(watched)
        check_no_files(watched, "was interrupted while a rank was stopped")
    with begin() as watched:
        kill_all(watched)
        check(target(watched) == (watched.address, watched.run_id), "the files of a killed run have changed")
        killed = watched.run_id
    with Running(*TRAIN, *SHORT, 5, "--metrics-port", "auto", "--overwrite", "--output", folder / "out") as watched:
        until(watched, lambda: all(killed not in file.read_text() for file in target_files(watched)), "the target files are a killed run's")
        watched.end(0)
        check_no_files(watched, "is complete")


def last_scrape(folder):
    """Who scrapes gets to see the end, with the counts of the report."""
    with Running(*TRAIN, *SHORT, 300, "--metrics-port", "auto", "--output", folder / "out") as watched:
        address, _ = target(watched)
        page = ""
        while watched.process.poll() is None:
            with contextlib.suppress(*GONE):
                page = get(address, "/metrics")[1]
            time.sleep(0.2)
        watched.end(0)
        steps = float(sum(steps_of(point) for point in report_in(watched.folder)["points"]))
        check(list(values(page, "scalemark_run_state")) == ['state="complete"'], values(page, "scalemark_run_state"))
        check(values(page, "scalemark_steps_total") == {'rank="0"': steps, 'rank="1"': steps}, values(page, "scalemark_steps_total"))


def fresh(folder):
    """Each block has a rank 0 of its own, which serves at the same place."""
    port = free_port()
    with Running("sweep", "--workload", "linear", "--threads", 1, "--world-sizes", 2, "--iters", 500, "--warmup-iters", 2, "--repetitions", 3,
                 "--fresh-process", "--no-progress", "--metrics-port", port, "--output", folder / "out") as watched:
        done = set()
        while watched.process.poll() is None:
            with contextlib.suppress(*GONE):
                done.add(values(get(f"127.0.0.1:{port}", "/metrics")[1], "scalemark_points_done_total").get('status="ok"'))
            time.sleep(0.02)
        watched.end(0)
        blocks = Counter(point["block"] for point in report_in(watched.folder)["points"])
        size = blocks[0]
        check(blocks == {0: size, 1: size, 2: size} and size > 1, blocks)
        for block in blocks:  # between its first point and its last no other block can have said so
            check(done & set(range(block * size + 1, block * size + size)), f"block {block} served no page; points done on pages: {done}")


def mutated(rng, address):
    """A request of which some bytes are others, doubled or gone."""
    text = bytearray(f"GET /metrics HTTP/1.1\r\nHost: {address}\r\nAccept: text/plain\r\nContent-Length: 0\r\n\r\n".encode())
    for _ in range(rng.randrange(1, 6)):
        place = rng.randrange(len(text))
        text[place:place + rng.randrange(3)] = rng.choice((bytes([rng.randrange(256)]), b"", text[place:place + 9] * rng.randrange(1, 200)))
        text = text or bytearray(b"G")
    return bytes(text)


def attack(address, idle):
    """100 connections that say nothing, headers without an end, 600 requests that are almost good."""
    host, port = address.split(":")

    def connect():
        return socket.create_connection((host, int(port)), timeout=60)

    for _ in range(100):
        idle.append(connect())
    rng = random.Random(29)
    for number in range(600):
        with contextlib.suppress(OSError), connect() as one:
            one.sendall(mutated(rng, address))
            if number % 20 == 0:
                one.sendall(b"\r\n".join([b"GET / HTTP/1.1", *[b"X-%d: endless" % i for i in range(20_000)]]))
            one.shutdown(socket.SHUT_WR)
            one.recv(1 << 16)


def hostile(folder):
    """Clients of every kind change neither what is trained nor what the good ones see."""
    def losses(out):
        return [point["loss"] for point in report_in(folder / out)["points"]]

    def resident(page):
        return values(page, "scalemark_rank_resident_memory_bytes")['rank="0"']

    options = (*TRAIN, *SHORT, 600, "--seed", 7)
    run(*options, "--output", folder / "alone")
    idle = []
    with Running(*options, "--metrics-port", "auto", "--output", folder / "out") as watched:
        address, _ = target(watched)
        before = after = resident(until(watched, lambda: trains(address), "the ranks do not train"))
        attacker = threading.Thread(target=attack, args=(address, idle))
        attacker.start()
        while attacker.is_alive():
            check(watched.process.poll() is None, "the run ended before all requests were sent: more --iters are needed")
            after = max(after, resident(get(address, "/metrics")[1]))
            check(get(address, "/status")[0] == get(address, "/")[0] == 200, "no page for a client that is good")
            time.sleep(0.05)
        check(resident(get(address, "/metrics")[1]) - before < 10 << 20 and after - before < 10 << 20, f"memory has grown from {before} to {after}")
        watched.end(0)
    for one in idle:
        one.close()
    check(losses("out") == losses("alone"), (losses("out"), losses("alone")))
    check(report_in(folder / "out")["status"] == "complete" and not report_in(folder / "out")["errors"], report_in(folder / "out")["errors"])


def loopback(folder):
    """A page on loopback is for its own machine; one on an address of the network is for who has the token."""
    file = token_file(folder)
    train = ("train", "--workload", "mlp", "--threads", 1, *ENDLESS)

    def top(hosts, host, url, *options):
        command = [*hosts.on(host), str(SCALEMARK), "top", url, "--once", *map(str, options)]
        return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, env=clean_environment())

    with TwoHosts() as hosts:
        outside = f"{hosts.ADDRESSES[0]}:29400"
        with Running(*train, "--metrics-port", 29400, "--output", folder / "a", wrapper=hosts.on(0)) as watched:
            address, _ = target(watched)
            check(top(hosts, 0, f"http://{address}").returncode == 0, "no page on loopback")
            for host, url in ((1, outside), (0, outside), (1, address)):
                ended = top(hosts, host, f"http://{url}")
                check(ended.returncode == 66 and not ended.stdout, f"{url} from host {host}: {ended.returncode} {ended.stdout}{ended.stderr}")
            interrupt(watched)
        with Running(*train, "--metrics-port", outside, "--metrics-token", file, "--output", folder / "b", wrapper=hosts.on(0)) as watched:
            check(target(watched)[0] == outside, target(watched))
            check(top(hosts, 1, f"http://{outside}").returncode == 77, "the page is there without the token")
            ended = top(hosts, 1, f"http://{outside}", "--metrics-token", file)
            check(ended.returncode == 0 and "mlp, batch 64" in ended.stdout, ended.stdout + ended.stderr)
            interrupt(watched)


run_cases({"taken": taken, "refused": refused, "token": token, "private": private, "target": target_case, "last_scrape": last_scrape, "fresh": fresh,
           "hostile": hostile, "loopback": loopback})
