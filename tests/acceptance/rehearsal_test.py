"""An acceptance from end to end with real ranks: four hosts on a switch, two ranks each; what is planted is named, and nothing else.

rehearsal_test.py planted|slow_link|slow_leaf|slow_everywhere|slow_inside|lost_node|slow_node|slow_nic|quota|healthy|large|large_healthy. Others on the machine leave parts without a value that counts, and never
make one fail. SCALEMARK_SOAK=full: 20 fleets of each, three of the large ones, which have 32 hosts.
"""

import collections
import contextlib
import json
import os
import re
import signal
import time
from pathlib import Path

from cpu_quota import cpu_quota
from endings import FULL, run_cases
from launching import finish, start
from program import BINARY_DIR, SCALEMARK, check, preloaded, run, text_of
from switched import SwitchedHosts

SOURCE = Path(os.environ["SCALEMARK_SOURCE_DIR"])
TRIALS = 20 if FULL else 1
HOSTS, RANKS = 4, 2
PRELOADED = preloaded(BINARY_DIR / "tests/acceptance/libplanted_products.so")
# A window of less than 0.2 s measures what the machine does besides.
CONFIG = ("--config", SOURCE / "configs/acceptance/rehearsal.json", "--batch-size", 1024, "--iters", 200, "--warmup-iters", 50, "--no-progress", "--yes")
# In CI, on a machine full of other tests, each window is disturbed and would be measured again just as much; devices' bits are replayed
# in acceptance.replay and launch.kubernetes.acceptance, and acceptance.accept shows that a slow device is named.
RETRIES, CHECKS = ((), ()) if TRIALS > 1 else (("--retries", 0), ("--checks", "devices,health"))
SLOW_RATE = "300mbit"


def rules(folder):
    """The standard ones with a tolerance for machines that share two cores."""
    text = json.loads((SOURCE / "configs/acceptance/rules/standard.json").read_text())
    (folder / "rules.json").write_text(json.dumps(text | {"tolerance": 0.15}))
    return folder / "rules.json"


def measure_nodes(hosts, folder, absent=(), before=(), expect=0, **planted):
    """Each node by itself, one after the other since they share the machine. `before` and `expect`: {host: words before the command, exit code}."""
    for host in set(range(len(hosts.names))) - set(absent):
        finish([start(*dict(before).get(host, ()), *hosts.on(host), SCALEMARK, "sweep", *CONFIG, *RETRIES, *CHECKS,
                      "--nproc-per-node", RANKS, "--output", folder / "1/{host}", **planted)], expect=dict(expect or {}).get(host, 0), seconds=1200)


def measure_links(hosts, folder, speed=None):
    count = len(hosts.names)
    place = ("--nnodes", count, "--rendezvous", f"{hosts.addresses[0]}:29656", "--run-id", "rehearsal")
    finish([start(*hosts.on(host, speed), SCALEMARK, "comm", "--pairs", "--no-progress", "--threads", 1, "--nproc-per-node", 1, "--node-rank", host,
                  *place, "--output", folder / "links") for host in range(count)])


def accepted(folder, nodes=HOSTS, words=()):
    done = run("accept", folder, "--rules", rules(folder), "--nodes", f"node[0-{nodes - 1}]", "--devices-per-node", RANKS, "--overwrite",
               "--format", ",".join(f"{word}={folder}/{word}" for word in ("jsonl", *words)), expect=None)
    records = [json.loads(line) for line in (folder / "jsonl").read_text().splitlines()]
    return done, [record for record in records if record["record"] == "check"]


def failed(checks):
    """(check, host, device or other end) of what failed."""
    return {(one["check"], one["part"]["host"], one["part"].get("other") or one["part"].get("device", ""))
            for one in checks if one["outcome"] == "failed"}


def healthy(folder):
    with SwitchedHosts(HOSTS) as hosts:
        for trial in range(TRIALS):
            measure_nodes(hosts, folder / str(trial))
            measure_links(hosts, folder / str(trial))
            done, checks = accepted(folder / str(trial))
            check(not failed(checks), done.stdout)
            check({one["part"]["host"] for one in checks if one["check"] == "matrix product"} == {f"node{h}" for h in range(HOSTS)}, checks)


def planted(folder):
    """A slow device, a slow link and a node without a report, all at once."""
    named = 0
    with SwitchedHosts(HOSTS) as hosts:
        for trial in range(TRIALS):
            out = folder / str(trial)
            slow, rank, absent = trial % 3 + 1, trial % RANKS, 0
            a, b = (slow, slow % 3 + 1) if slow < slow % 3 + 1 else (slow % 3 + 1, slow)
            hosts.healthy()
            hosts.slow_pair(a, b, SLOW_RATE)
            measure_nodes(hosts, out, absent=(absent,), LD_PRELOAD=PRELOADED, SLOW_PRODUCTS=f"node{slow}:{rank}:1")
            measure_links(hosts, out)
            done, checks = accepted(out)
            found = failed(checks)
            product = [one["outcome"] for one in checks if one["check"] == "matrix product"
                       and (one["part"]["host"], one["part"].get("device")) == (f"node{slow}", f"cpu:{rank}")]
            check(product and "passed" not in product, (done.stdout, product))
            named += "failed" in product
            allowed = {("matrix product", f"node{slow}", f"cpu:{rank}"), ("training alone", f"node{slow}", f"cpu:{rank}"),
                       ("training together", f"node{slow}", ""), ("own time", f"node{slow}", f"cpu:{rank}"),
                       ("link", f"node{a}", f"node{b}")}
            check(found <= allowed, (done.stdout, found - allowed))
            check(("link", f"node{a}", f"node{b}") in found, done.stdout)
            check(any(one["part"]["host"] == f"node{absent}" and one["why"] == "no report" for one in checks), done.stdout)
            check(done.returncode == 1, done.stdout)
    print(f"the slow device failed in {named} of {TRIALS} fleets; in the others too few starts were left undisturbed", flush=True)


def slow_link(folder):
    """The same without measuring each node, which costs most."""
    with SwitchedHosts(HOSTS) as hosts:
        for trial in range(TRIALS):
            out, a = folder / str(trial), trial % (HOSTS - 1)
            hosts.healthy()
            hosts.slow_pair(a, a + 1, SLOW_RATE)
            measure_links(hosts, out)
            done, checks = accepted(out)
            found, slow = failed(checks), (f"node{a}", f"node{a + 1}")
            check(found == {("link", *slow)}, (done.stdout, found))
            check(done.returncode == 1, done.stdout)


def slow_leaf(folder):
    """Two of five hosts are behind one slow link: each link that crosses it fails, no other, and one sentence names the switch."""
    count = 5
    with SwitchedHosts(count) as hosts:
        for trial in range(TRIALS):
            out, leaf = folder / str(trial), {trial % count, (trial + 2) % count}
            hosts.healthy()
            hosts.slow_leaf(leaf, "150mbit")
            measure_links(hosts, out)
            done, checks = accepted(out, count)
            crossing = {("link", f"node{a}", f"node{b}") for a in range(count) for b in range(a + 1, count) if (a in leaf) != (b in leaf)}
            check(failed(checks) == crossing, (done.stdout, failed(checks) ^ crossing))
            check("6 of 6 failed links leave one group of links" in " ".join(done.stdout.split()), done.stdout)


def slow_everywhere(folder):
    """A network far below what its cards state fails by its floor, though no link is slower than another; at its rate all pass. The shaper lets
    half of its rate pass where the CPUs are busy, so the healthy network has twice what the cards state, and the slow one less than half."""
    folder.mkdir(exist_ok=True)
    (folder / "speed").write_text("250\n")
    (folder / "rules.json").write_text(json.dumps({"about": "sockets", "tolerance": 0.15, "looks": [3], "checks": [
        {"name": "link", "metric": "link_bandwidth", "at_least": {"share": 0.7, "of": "reference"}},
        {"name": "link, ports", "metric": "link_bandwidth", "at_least": {"share": 0.6, "of": "sockets"}}]}))
    with SwitchedHosts(HOSTS) as hosts:
        for trial in range(TRIALS):
            for rate, expect in (("100mbit", 1), ("500mbit", 0)):
                out = folder / f"{trial}-{rate}"
                hosts.healthy()
                for host in range(HOSTS):
                    hosts.slow_card(host, rate)
                measure_links(hosts, out, folder / "speed")
                done = run("accept", out, "--rules", folder / "rules.json", "--format", f"jsonl={out}/accept.jsonl", expect=None)
                checks = [one for one in map(json.loads, (out / "accept.jsonl").read_text().splitlines()) if one["record"] == "check"]
                links = {("link, ports", f"node{a}", f"node{b}") for a in range(HOSTS) for b in range(a + 1, HOSTS)}
                check(failed(checks) == (links if expect else set()), (done.stdout, failed(checks)))
                check(expect or "passed" in {one["outcome"] for one in checks if one["check"] == "link, ports"}, done.stdout)


def slow_inside(folder):
    """What the ranks of one node send to each other is slow: its all-reduce fails, and nothing of any other node."""
    named = 0
    with SwitchedHosts(HOSTS) as hosts:
        for trial in range(TRIALS):
            slow, out = trial % HOSTS, folder / str(trial)
            hosts.healthy()
            hosts.slow_inside(slow, SLOW_RATE)
            measure_nodes(hosts, out)
            done, checks = accepted(out)
            inside = [one["outcome"] for one in checks if one["check"] == "all-reduce in the node" and one["part"]["host"] == f"node{slow}"]
            check(len(inside) == 1 and inside != ["passed"], (done.stdout, inside))
            check({host for _, host, _ in failed(checks)} <= {f"node{slow}"}, done.stdout)
            named += inside == ["failed"]
    print(f"the slow inside failed in {named} of {TRIALS} fleets; in the others too few starts were left undisturbed", flush=True)


def lost_node(folder):
    """A node that dies in the training of all is named and excluded; without it the training is made, and the outcome of the others stands."""
    with SwitchedHosts(HOSTS) as hosts:
        for trial in range(TRIALS):
            out, lost = folder / str(trial), trial % (HOSTS - 1) + 1
            hosts.healthy()
            measure_links(hosts, out)
            everybody = start_fleet(hosts, out / "fleet/1", range(HOSTS), "--iters", 10_000_000, world=RANKS * HOSTS)
            await_text(out / "fleet/1/journal.jsonl", '"event":"window"', everybody[0])
            kill_tree(everybody[lost].pid)
            everybody[0].communicate(timeout=300)
            for process in everybody[1:]:  # as srun ends those that wait
                if process.poll() is None:
                    kill_tree(process.pid)
                process.communicate(timeout=60)
            done, checks = accepted(out, words=("exclude",))
            ended = [one for one in checks if one["check"] == "report" and one["outcome"] != "passed" and one["part"]["host"] == f"node{lost}"]
            check(len(ended) == 1, (done.stdout, [one for one in checks if one["check"] == "report"]))
            check((out / "exclude").read_text().split() == [f"node{lost}"], ((out / "exclude").read_text(), done.stdout))
            finish(start_fleet(hosts, out / "fleet/2", [host for host in range(HOSTS) if host != lost], "--iters", 20))
            done, checks = accepted(out, words=("exclude",))
            check((out / "exclude").read_text().split() == [f"node{lost}"], done.stdout)
            blamed = {one["part"]["host"] for one in checks if one["check"] == "report" and one["outcome"] != "passed" and one["why"] != "no report"}
            check(blamed == {f"node{lost}"}, (done.stdout, blamed))


def await_text(path, text, process, seconds=240):
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        if text in text_of(path):
            return
        time.sleep(0.05)
    check(False, f"no {text} in {path} within {seconds} s")


def kill_tree(pid):
    """What a machine that loses power does to its processes; the first one is that of `ip netns exec`."""
    for child in map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()):
        kill_tree(child)
    os.kill(pid, signal.SIGKILL)


def slow_node(folder):
    """All devices of one node are slow: the node is blamed, in one line, and no other."""
    named = 0
    with SwitchedHosts(HOSTS) as hosts:
        for trial in range(TRIALS):
            slow, out = trial % HOSTS, folder / str(trial)
            hosts.healthy()
            measure_nodes(hosts, out, LD_PRELOAD=PRELOADED, SLOW_PRODUCTS=f"node{slow}:*:1")
            done, checks = accepted(out)
            products = [one["outcome"] for one in checks if one["check"] == "matrix product" and one["part"]["host"] == f"node{slow}"]
            check(len(products) >= RANKS and "passed" not in products, (done.stdout, products))
            check({host for _, host, _ in failed(checks)} <= {f"node{slow}"}, done.stdout)
            named += bool(re.search(rf"node{slow}: {RANKS} of {RANKS} devices", done.stdout))
    print(f"the slow node was blamed in {named} of {TRIALS} fleets; in the others too few starts were left undisturbed", flush=True)


def slow_nic(folder):
    """Each rank of a host has a network card of its own, and one card is slow: its node is blamed, its rank named, and no other."""
    with SwitchedHosts(HOSTS, cards=RANKS) as hosts:
        for trial in range(TRIALS):
            slow, card = trial % HOSTS, trial // HOSTS % RANKS
            out = folder / str(trial)
            hosts.healthy()
            hosts.slow_card(slow, SLOW_RATE, card)
            measure_rails(hosts, out)
            done = run("accept", out, "--format", f"jsonl={out}/accept.jsonl", expect=1)
            checks = [one for one in map(json.loads, (out / "accept.jsonl").read_text().splitlines()) if one["record"] == "check"]
            named = [one for one in checks if one["check"] == "links of a node" and one["outcome"] == "failed"]
            check([one["part"]["host"] for one in named] == [f"node{slow}"], (done.stdout, named))
            check(f"node{slow} rank {RANKS * slow + card}" in named[0]["why"], named)
            check(all(f"node{slow}" in part for part in failed(checks)), (done.stdout, failed(checks)))
            check(len([one for one in checks if one["check"] == "link"]) == RANKS * HOSTS * (HOSTS - 1) // 2, checks)


def measure_rails(hosts, out):
    """Measures as a launcher does that gives each rank its card."""
    count = len(hosts.names)
    launched = {"WORLD_SIZE": count * RANKS, "LOCAL_WORLD_SIZE": RANKS, "MASTER_ADDR": hosts.addresses[0], "MASTER_PORT": 29657}
    finish([start(*hosts.on(host), SCALEMARK, "comm", "--pairs", "--pair-by", "rank", "--no-progress", "--threads", 1, "--output", out,
                  "--timeout", "rendezvous=20m", GLOO_SOCKET_IFNAME=f"eth{card}", RANK=RANKS * host + card, LOCAL_RANK=card, GROUP_RANK=host,
                  **launched)
            for host in range(count) for card in range(RANKS)], seconds=3600)


def start_fleet(hosts, out, members, *options, world="all", **planted):
    """All ranks of these hosts in one training, and each alone before, unless `world` has the ranks of all."""
    place = ("--nnodes", len(members), "--nproc-per-node", RANKS, "--rendezvous", f"{hosts.addresses[members[0]]}:29658", "--run-id", "fleet")
    return [start(*hosts.on(host), SCALEMARK, "sweep", "--workload", "linear", "--device", "cpu", "--threads", 1, "--world-sizes", world,
                  "--repetitions", 1, "--warmup-iters", 5, "--max-time", "10m", "--no-progress", "--yes", *place,
                  "--timeout", "rendezvous=20m", "--node-rank", rank, "--output", out, *options, **planted) for rank, host in enumerate(members)]


def large(folder, healthy=False):
    """32 hosts have everything planted at once, or nothing. Two devices differ (node13): only the fleet shows which is wrong."""
    count = 32
    faults = {} if healthy else {"LD_PRELOAD": PRELOADED, "SLOW_PRODUCTS": "node3:1:1,node5:*:1", "WRONG_PRODUCTS": "node11:0:2,node13:1:1"}
    with SwitchedHosts(count, cards=RANKS) as hosts, contextlib.ExitStack() as stack:
        for trial in range(3 if TRIALS > 1 else 1):
            out = folder / str(trial)
            hosts.healthy()
            before = {}
            if not healthy:
                hosts.slow_pair(7, 8, SLOW_RATE)
                hosts.slow_card(9, SLOW_RATE, 1)
                group = stack.enter_context(cpu_quota())
                group.cores(0.5)
                before = {15: group.wrapper()}
            measure_nodes(hosts, out, absent=() if healthy else (17,), before=before, expect={} if healthy else {11: 83}, **faults)
            measure_rails(hosts, out / "links")
            finish(start_fleet(hosts, out / "fleet", range(count), "--iters", 20, **faults), seconds=3600)
            done, checks = accepted(out, nodes=count)
            print(done.stdout, flush=True)
            found = failed(checks)
            at = {host: {check_name for check_name, where, _ in found if where == f"node{host}"} for host in range(count)}
            check(all(not names for host, names in at.items() if healthy or host not in (3, 5, 7, 8, 9, 11, 13, 15)), (done.stdout, found))
            if healthy:
                continue
            passed = {(one["check"], one["part"]["host"], one["part"].get("device")) for one in checks if one["outcome"] == "passed"}
            for host, device in ((3, "cpu:1"), (5, "cpu:0"), (5, "cpu:1")):
                check(("matrix product", f"node{host}", device) not in passed, (done.stdout, host, device))
            check(("link", "node7") in {(name, host) for name, host, _ in found}, (done.stdout, found))
            check("links of a node" in at[9] and "same bits" in at[11] and "same bits" in at[13] and (at[15] or throttled_alone(out, "node15") < 2),
                  (done.stdout, at))
            check(any(one["part"]["host"] == "node17" and one["why"] == "no report" for one in checks), done.stdout)


def large_healthy(folder):
    large(folder, healthy=True)


def throttled_alone(folder, host="*"):
    """The most runs of one point that were throttled and that nobody else disturbed, too: two of these fail a part."""
    [report] = [json.loads(file.read_text()) for file in folder.glob(f"1/{host}/report.json")]
    runs = {code: {one.get("point") for one in report["findings"] if one["code"] == code} for code in ("throttled", "shared", "machine_busy")}
    alone = collections.Counter(point.rpartition("/r")[0] for point in runs["throttled"] - runs["shared"] - runs["machine_busy"])
    return max(alone.values(), default=0)


def quota(folder):
    """A machine whose processes get half of a core is throttled, and not slow: its speed is not judged. One rank in CI: two are throttled alike."""
    ranks = RANKS if TRIALS > 1 else 1
    for trial in range(TRIALS):
        out = folder / str(trial)
        with cpu_quota() as group:
            group.cores(0.5)
            finish([start(*group.wrapper(), SCALEMARK, "sweep", *CONFIG, *CHECKS, "--nproc-per-node", ranks, "--retries", 0,
                          "--output", out / "1/{host}")])
        done = run("accept", out / "1", "--format", f"jsonl={out}/accept.jsonl", expect=None)
        records = map(json.loads, (out / "accept.jsonl").read_text().splitlines())
        bad = [one for one in records if one["record"] == "check" and one["outcome"] == "failed"]
        check(all("throttled" in one["why"] for one in bad), (done.stdout, bad))
        check(bad or throttled_alone(out) < 2, done.stdout)


run_cases({f.__name__: f for f in (planted, slow_link, slow_leaf, slow_everywhere, slow_inside, lost_node, slow_node, slow_nic, quota, healthy, large, large_healthy)})
