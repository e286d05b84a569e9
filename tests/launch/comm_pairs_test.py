"""`comm --pairs` among four hosts on a switch names the host or the pair that is slow, and nothing where all are alike.

comm_pairs_test.py slow_node|slow_pair|healthy: 50 trials on a machine at rest, since other programs slow links as well.
"""

import itertools
import os

from endings import closed_report, run_cases
from launching import finish, start
from program import SCALEMARK, check, run
from switched import SwitchedHosts

HOSTS = 4
TRIALS = int(os.environ.get("PAIRS_TRIALS", "50"))
SLOW_RATE = "300mbit"


def pairs(hosts, out):
    """One measurement: its report, and the findings that name a host or a link."""
    place = ("--nnodes", HOSTS, "--nproc-per-node", 1, "--rendezvous", f"{hosts.addresses[0]}:29655", "--run-id", out.name)
    finish([start(*hosts.on(host), SCALEMARK, "comm", "--pairs", "--no-progress", "--threads", 1, "--node-rank", host, *place,
                  "--output", out) for host in range(HOSTS)])
    report = closed_report(out, "complete", 0)
    check(len(report["links"]) == HOSTS * (HOSTS - 1) // 2, report["links"])
    for link in report["links"]:
        check(link["latency_s"] > 0 and link["bandwidth_GBps"] > 0 and link["passes"] >= 3, link)
    return report, [finding for finding in report["findings"] if finding["code"] in ("slow_node", "slow_link")]


def trials(folder, prepare, expected):
    wrong = 0
    with SwitchedHosts(HOSTS) as hosts:
        for trial in range(TRIALS):
            hosts.healthy()
            names = prepare(hosts, trial)
            report, found = pairs(hosts, folder / f"t{trial}")
            print(f"trial {trial}: {names}: {[finding['code'] for finding in found]}", flush=True)
            if not expected(found, names):
                wrong += 1
                print([finding["text"] for finding in found])
                for link in report["links"]:
                    print(link)
    check(wrong == 0, f"{wrong} of {TRIALS} trials went wrong")


def slow_node(folder):
    def prepare(hosts, trial):
        hosts.slow_card(trial % HOSTS, SLOW_RATE)
        return [f"node{trial % HOSTS}"]

    trials(folder, prepare, lambda found, names: found and all(
        finding["code"] == "slow_node" and finding["text"].startswith(names[0] + " ") for finding in found))


def slow_pair(folder):
    def prepare(hosts, trial):
        a, b = list(itertools.combinations(range(HOSTS), 2))[trial % 6]
        hosts.slow_pair(a, b, SLOW_RATE)
        return [f"node{a}", f"node{b}"]

    trials(folder, prepare, lambda found, names: found and all(
        finding["code"] == "slow_link" and finding["domain"] == "network" and all(name in finding["text"] for name in names)
        for finding in found))
    # Proven slow is a warning: the numbers are right, and who accepts a machine asks for `parts`.
    for words, code in (("error", 0), ("parts", 1), ("slow_link", 1), ("straggler", 0)):
        run("report", folder / "t0", "--fail-on", words, expect=code)
    check("<failure" in run("report", folder / "t0", "--format", "junit").stdout, "JUnit does not fail for a slow link")


def healthy(folder):
    trials(folder, lambda hosts, trial: [], lambda found, names: not found)


run_cases({f.__name__: f for f in (slow_node, slow_pair, healthy)})
