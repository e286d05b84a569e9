"""Real runs, each watched by all who can see something of it: status.json, the pages of --metrics-port, TensorBoard, Prometheus, a browser,
and the report's telemetry. One run of each kind, from which its watchers read what they check.

watched_test.py swept | killed | interrupted | stopped | lost | hung | disturbed. Waits for conditions, never for times.
"""

import contextlib
import getpass
import json
import os
import signal
import time
from collections import Counter
from pathlib import Path

import event_watcher
import status_watcher
import telemetry_watcher
from browser_watcher import BrowserWatcher, forwarded
from endings import SOURCE, only_error, run_cases
from event_watcher import EventWatcher
from launching import free_port
from page_watcher import SECRET, PageWatcher, check_closed, check_private, check_under_attack, get, token_file, top, values
from program import SCALEMARK, check, report_in, run
from prometheus_watcher import PrometheusWatcher
from slow_motion import slow_motion
from status_watcher import StatusWatcher
from sweeps import journal_lines, kill_all, steps_of, valid_report
from watched_run import FOREVER, GONE, LIMIT_S, TRAIN, Watched, available

SWEEP = ("sweep", "--workload", "mlp", "--threads", 1, "--world-sizes", "1,2", "--repetitions", 2)
MEASURED = 1500  # steps; so many that the run lasts while watchers change hands
STEPS = ("--iters", MEASURED, "--warmup-iters", 5, "--seed", 7)


def swept(folder):
    """Pages are written with the ranks' heartbeats, each second, and read each second: windows of 6 s are seen."""
    with contextlib.ExitStack() as stack, Watched(folder, *SWEEP, "--batch-size", 16, "--min-time", 6, "--warmup-iters", 20) as watched:
        watchers = [StatusWatcher(watched), PageWatcher(watched)]
        prometheus = available(PrometheusWatcher, watched, folder, stack)
        watched.await_event("window", into_s=0)
        with slow_motion(watched.ranks, 0.2):
            for one in prometheus:
                one.see_both_forms()
            # The end is not slowed: the run leaves when no scrape comes for a second longer than usual.
            watched.until(lambda: len([line for line in journal_lines(watched.folder) if "point" in line]) == 6, "all runs are finished")
        watched.end(0)
        for one in (*watchers, *prometheus):
            one.ended("complete")
        status_watcher.check_swept(watched)
    event_watcher.check_tables(folder, [report_in(watched.folder), swept_by_new_processes(folder)])


def swept_by_new_processes(folder):
    """Its report. Each block has ranks of its own: its rank 0 serves at the same place, and the launcher, which starts them, says how it ended."""
    port = free_port()
    with Watched(folder / "fresh", *SWEEP, "--batch-size", 8, "--iters", 100, "--warmup-iters", 5, "--fresh-process", port=port) as watched:
        done = set()
        while watched.process.poll() is None:
            with contextlib.suppress(*GONE):
                done.add(values(get(f"127.0.0.1:{port}", "/metrics")[1], "scalemark_points_done_total").get('status="ok"'))
            time.sleep(0.02)
        watched.end(0)
    StatusWatcher(watched).ended("complete")
    report = report_in(watched.folder)
    blocks = Counter(point["block"] for point in report["points"])
    size = blocks[0]
    check(blocks == {0: size, 1: size} and size > 1, blocks)
    for block in blocks:  # no other block can have shown these between its first point and its last
        check(done & set(range(block * size + 1, block * size + size)), f"block {block} served no page; points done on pages: {done}")
    return report


def killed(folder):
    """A rank that is stopped is noticed, and continues; then everything is killed, and another run takes the place."""
    with contextlib.ExitStack() as stack, Watched(folder, *TRAIN, *FOREVER) as watched:
        pages = PageWatcher(watched)
        watchers = [pages, StatusWatcher(watched), *available(EventWatcher, watched), *available(BrowserWatcher, watched, pages.address, stack),
                    *available(PrometheusWatcher, watched, folder, stack)]
        await_training(watched, watchers)
        rank_1 = watched.ranks()[1]
        os.kill(rank_1, signal.SIGSTOP)
        for one in watchers:
            one.stands_still()
        os.kill(rank_1, signal.SIGCONT)
        with slow_motion(watched.ranks, 0.2):
            for one in watchers:
                one.continues()
        kill_all(watched)
        for one in watchers:
            one.is_killed()
    replaced(folder, pages.run_id)


def replaced(folder, killed_run):
    """A run in the place of one that was killed, under attack from clients of every kind: everything that it shows is true, and it trains
    as one that nobody watches."""
    events, weights = folder / "events", folder / "weights.safetensors"
    earlier = event_watcher.check_kept(events, folder, TRAIN[1:])
    with Watched(folder, *TRAIN, *STEPS, "--histograms", "ends", "--save", weights, "--overwrite") as watched:
        pages = PageWatcher(watched, not_of=killed_run)
        watched.statuses.clear()  # the first may be the killed run's
        watched.await_event("window", into_s=0)
        with slow_motion(lambda: watched.ranks()[1:], 0.05):  # this makes the window last
            watched.until(lambda: watched.status().get("phase") == "window", "a status of the window")
            pages.trains()
        idle = check_under_attack(pages, step=MEASURED)
        page = pages.scrape_to_the_end()
        watched.end(0)
    for one in idle:
        one.close()
    for one in (StatusWatcher(watched), pages):
        one.ended("complete")
    report = valid_report(watched.folder)
    [point] = report["points"]
    check(report["status"] == "complete" and not report["errors"], report["errors"])
    check(list(values(page, "scalemark_run_state")) == ['state="complete"'], values(page, "scalemark_run_state"))
    steps = steps_of(point) + 1  # one more shows the gradients
    check(values(page, "scalemark_steps_total") == {'rank="0"': steps, 'rank="1"': steps}, values(page, "scalemark_steps_total"))
    status_watcher.check_trained(watched, point, steps)
    [file] = event_watcher.event_files(events)
    check(file.read_bytes() != earlier, "the events of the killed run are there")
    event_watcher.check_trained(events, point, weights)
    telemetry_watcher.check_parts(report)
    run(*TRAIN, *STEPS, "--output", folder / "plain")
    [plain] = report_in(folder / "plain")["points"]
    check(plain["loss"] == point["loss"], f"{plain['loss']} of a run that nobody watches, {point['loss']}")


def begin(stack, folder, *options, token="", **environment):
    """A run without an end, its pages and status.json; `stack` ends it."""
    watched = stack.enter_context(Watched(folder, *TRAIN, *FOREVER, *options, **environment))
    return watched, PageWatcher(watched, token), StatusWatcher(watched)


def await_training(watched, watchers):
    """Returns once all have seen that both ranks train."""
    watched.await_event("window", into_s=0)
    with slow_motion(watched.ranks, 0.2):
        for one in watchers:
            one.trains()


def interrupted(folder):
    """The user's own words and places are on no page; the page in a browser keeps its numbers."""
    (folder / "dark place").mkdir()
    config = folder / "dark place/recipe.json"
    config.write_text(json.dumps({"momentum": 0.8125}))
    names = {"HOME": folder / "homely", "USER": "who-runs-it", "LOGNAME": "who-runs-it", "OF_THE_TEST": "no-page-shows-this"}
    with contextlib.ExitStack() as stack:
        watched, pages, status = begin(stack, folder, "--config", config, **names)
        watchers = [pages, status, *available(BrowserWatcher, watched, forwarded(pages.address), stack)]
        await_training(watched, watchers)
        hidden = [*map(str, names.values()), str(folder), folder.name, str(SOURCE.resolve()), str(SCALEMARK.resolve().parent), str(Path.home()),
                  "dark place", "recipe.json", "--workload", "--metrics-port", "0.8125"]
        check_private(pages, hidden, getpass.getuser())
        watched.interrupt()
        for one in watchers:
            one.ended("interrupted")


def stopped(folder):
    """Only who has the token sees pages. Then rank 0 waits for a rank that does not answer, and ends without destructors."""
    file = token_file(folder)
    with contextlib.ExitStack() as stack:
        watched, pages, status = begin(stack, folder, "--metrics-token", file, token=SECRET)
        await_training(watched, (pages, status))
        os.kill(watched.ranks()[1], signal.SIGSTOP)
        check_closed(pages)
        seen = top(f"http://{pages.address}", "--metrics-token", file)
        check(seen.returncode == 0 and "mlp, batch 64 per rank" in seen.stdout and pages.address in seen.stdout, seen.stdout + seen.stderr)
        ended = top(f"http://{pages.address}")
        check(ended.returncode == 77, f"top without the token ended with {ended.returncode}: {ended.stdout}")
        only_error(ended.stderr, "E_PERMISSION", 77, pages.address, "--metrics-token FILE")
        watched.interrupt()
        for one in (pages, status):
            one.ended("interrupted")


def lost(folder):
    with contextlib.ExitStack() as stack:
        watched, pages, status = begin(stack, folder)
        await_training(watched, (pages, status))
        os.kill(watched.ranks()[1], signal.SIGKILL)
        watched.end(69)
        for one in (pages, status):
            one.ended("failed")


def hung(folder):
    """A hang ends the process from a side thread, without destructors: its last words say so."""
    with contextlib.ExitStack() as stack:
        watched, pages, status = begin(stack, folder, "--timeout", 8)
        await_training(watched, (pages, status))
        os.kill(watched.ranks()[1], signal.SIGSTOP)
        watched.process.wait(timeout=LIMIT_S)
        for one in (pages, status):
            one.ended("failed")


def disturbed(folder):
    telemetry_watcher.check_disturbed(folder)


run_cases({"swept": swept, "killed": killed, "interrupted": interrupted, "stopped": stopped, "lost": lost, "hung": hung, "disturbed": disturbed})
