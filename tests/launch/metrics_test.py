"""Addresses for a run's pages: what is refused, and from where they can be read. All else of the pages is read by page_watcher.py.

metrics_test.py taken | refused | loopback. Waits for conditions, never for times.
"""

import contextlib
import socket

from endings import only_error, run_cases
from namespaces import TwoHosts
from page_watcher import PageWatcher, token_file, top
from program import check, run
from slow_motion import slow_motion
from watched_run import FOREVER, TRAIN, Watched

SHORT = ("--warmup-iters", 2, "--no-progress", "--iters")


def taken(folder):
    """An address that cannot be had is refused before anything is made."""
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


def loopback(folder):
    """A page on loopback is for its own machine; one on an address of the network is for who has the token."""
    file = token_file(folder)

    @contextlib.contextmanager
    def trained(hosts, name, port, *options):
        """The address of a run on the first host, which is interrupted at the end."""
        with Watched(folder / name, "train", "--workload", "mlp", "--threads", 1, *FOREVER, *options, port=port, wrapper=hosts.on(0)) as watched:
            pages = PageWatcher(watched)
            with slow_motion(lambda: [watched.process.pid], 0.2):
                yield pages.address
            watched.interrupt()
            pages.ended("interrupted")

    with TwoHosts() as hosts:
        outside = f"{hosts.ADDRESSES[0]}:29400"
        with trained(hosts, "a", 29400) as address:
            check(top(f"http://{address}", before=hosts.on(0)).returncode == 0, "no page on loopback")
            for host, url in ((1, outside), (0, outside), (1, address)):
                ended = top(f"http://{url}", before=hosts.on(host))
                check(ended.returncode == 66 and not ended.stdout, f"{url} from host {host}: {ended.returncode} {ended.stdout}{ended.stderr}")
        with trained(hosts, "b", outside, "--metrics-token", file) as address:
            check(address == outside, address)
            check(top(f"http://{outside}", before=hosts.on(1)).returncode == 77, "the page is there without the token")
            ended = top(f"http://{outside}", "--metrics-token", file, before=hosts.on(1))
            check(ended.returncode == 0 and "mlp, batch 64" in ended.stdout, ended.stdout + ended.stderr)


run_cases({"taken": taken, "refused": refused, "loopback": loopback})
