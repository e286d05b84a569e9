"""The same bits, with real ranks: a device that computes wrong is named, and nothing else.

Wrong bits are planted from outside: a preloaded library takes the place of torch's matrix products.
"""

import json
import socket

from endings import run_cases
from program import BINARY_DIR, check, preloaded, run

PRELOADED = preloaded(BINARY_DIR / "tests/acceptance/libplanted_products.so")
ALWAYS, ONCE = 1, 2


def sweep(folder, ranks, rank=None, how=None, expect=0, more=("--repetitions", 1)):
    """The report of a sweep with replays in which `rank` computes wrong, and what accept says of it."""
    planted = {} if rank is None else {"LD_PRELOAD": PRELOADED, "WRONG_PRODUCTS": f"{socket.gethostname()}:{rank}:{how}"}
    run("sweep", "--workload", "linear", "--device", "cpu", "--threads", 1, "--nproc-per-node", ranks, "--world-sizes", "all", "--checks", "replay",
        *more, "--iters", 5, "--warmup-iters", 1, "--max-time", 30, "--no-progress", "--output", folder / "run", expect=expect,
        **planted)
    report = json.loads((folder / "run/report.json").read_text())
    accepted = run("accept", folder / "run", "--format", f"jsonl={folder}/accept.jsonl", expect=None)
    checks = [json.loads(line) for line in (folder / "accept.jsonl").read_text().splitlines()]
    bits = {one["part"]["device"]: one["outcome"] for one in checks if one.get("check") == "same bits"}
    return report, bits, accepted.stdout


def named(report):
    return [(one["code"], one["place"]["rank"]) for one in report["findings"] if one["code"] in ("wrong_bits", "bits_differ")]


def equal_bits(folder):
    report, bits, text = sweep(folder, 3)
    check(not named(report), report["findings"])
    check(bits == {"cpu:0": "passed", "cpu:1": "passed", "cpu:2": "passed"}, (bits, text))


def one_bit_once(folder):
    """No peer is needed: the device contradicts itself. The sweep measures on, and ends with 83."""
    report, bits, text = sweep(folder, 2, rank=1, how=ONCE, expect=83)
    check(named(report) == [("wrong_bits", 1)], report["findings"])
    wrong = [one for one in report["replays"] if one["wrong"]]
    check(len(wrong) == 1 and wrong[0]["wrong"] == 1 and "row 0, column 0, 1 element" in wrong[0]["first_wrong"], wrong)
    check(report["exit_code"] == 83 and all(point["status"] == "ok" for point in report["points"]), report["exit_code"])
    check(bits == {"cpu:0": "passed", "cpu:1": "failed"}, (bits, text))
    check("same bits" in text and "cpu:1" in text, text)


def fresh_starts(folder):
    """A device with wrong bits is measured in all its starts, as configs/acceptance/node.json asks for them; one rank has a launcher, too."""
    report, bits, _ = sweep(folder, 1, rank=0, how=ONCE, expect=83, more=("--repetitions", 2, "--fresh-process", "--standalone"))
    check(named(report) == [("wrong_bits", 0)], report["findings"])
    check(report["status"] == "complete" and report["exit_code"] == 83, (report["status"], report["exit_code"]))
    check({point["session"] for point in report["points"]} == {0, 1}, [point["session"] for point in report["points"]])
    check({one.get("session", 0) for one in report["replays"]} == {0}, "once, in the first start")
    check(bits == {"cpu:0": "failed"}, bits)


def always_wrong(folder):
    """It agrees with itself; the other two agree with each other, in every work."""
    report, bits, text = sweep(folder, 3, rank=2, how=ALWAYS, expect=83)
    works = {(one["work"], one["precision"]) for one in report["replays"]}
    check(("matrix product", "fp32") in works and ("training of linear", "fp32") in works, works)
    for work in works:
        healthy = [one for one in report["replays"] if (one["work"], one["precision"]) == work and one["rank"] != 2]
        check({one["rank"] for one in healthy} == {0, 1} and len({one["digest"] for one in healthy}) == 1, healthy)
        check(all(one["rounds"] >= 2 and one["wrong"] == 0 for one in healthy), healthy)
    check(set(named(report)) == {("wrong_bits", 2)}, report["findings"])
    check(bits == {"cpu:0": "passed", "cpu:1": "passed", "cpu:2": "failed"}, (bits, text))


def two_that_differ(folder):
    """Neither is known to be the wrong one."""
    report, bits, text = sweep(folder, 2, rank=0, how=ALWAYS)
    check(set(named(report)) == {("bits_differ", 0), ("bits_differ", 1)}, report["findings"])
    check(bits == {"cpu:0": "unsure", "cpu:1": "unsure"}, (bits, text))


run_cases({f.__name__: f for f in (equal_bits, one_bit_once, fresh_starts, always_wrong, two_that_differ)})
