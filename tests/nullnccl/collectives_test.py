"""Runs that go well over NCCL: training, a sweep of all strategies, collectives, and the refusal of a shared GPU."""

import os
import re
import tempfile

import null_nccl
from endings import closed_report, only_error, run_cases
from launching import free_port
from null_nccl import SWEEP, TRAIN, events
from program import check
from traces import Trace, begins_in

SHORT = ("--iters", 6, "--warmup-iters", 3)


def ends_well(text, communicators):
    """Every communicator was finalised by its ranks; an abort would leave what was sent last in doubt."""
    found = events(text)
    expected = {"created": communicators, "finalized": communicators, "destroyed": communicators}
    check(found == expected, f"{found}, expected {expected}")


def train(folder):
    """The steps of --communication-cost and traced ones come after it: c10d's ranges of its collectives, and what distributedInfo says of NCCL."""
    done = null_nccl.run(*TRAIN, *SHORT, "--communication-cost", "--trace", folder / "traces", "--trace-steps", 2, "--output", folder / "out")
    report = closed_report(folder / "out", "complete", 0)
    point = report["points"][0]
    nccl = report["tool"]["libraries"].get("nccl", {}).get("running_with", "")
    check(re.fullmatch(r"2\.\d+\.\d+", nccl), report["tool"])
    check(point["backend"] == "nccl" and point["world_size"] == 2, point)
    check({rank["device"] for rank in point["ranks"]} == {"cuda:0", "cuda:1"}, point["ranks"])
    cost = point["communication"]["cost_s"]
    check(point["noop_step_s"] > 0, point)
    low, high = point["communication"]["cost_ci95"]
    check(low < cost < high, point["communication"])  # no null device can say of which sign it is
    check(point["memory_reserved_bytes"] >= point["memory_peak_bytes"] > 0, "reserved memory holds what is allocated")
    check_traces(folder / "traces", nccl)
    ends_well(done.stderr, 2)


def check_traces(folder, nccl):
    traces = [Trace(file) for file in sorted(folder.rglob("*.json"))]
    check(len(traces) == 2, "one per rank")
    for rank, found in enumerate(traces):
        info = found.page["distributedInfo"]
        check((info["backend"], info["rank"], info["world_size"]) == ("nccl", rank, 2), info)
        check(info["nccl_version"] == nccl, info)
        check(info["pg_config"][0]["backend_config"] == "cuda:nccl", info)
        sent = found.ranges("nccl:all_reduce")
        buckets = found.ranges("bucket 0")
        check(len(buckets) == 2 and all(any(begins_in(e, b) for e in sent) for b in buckets), (buckets, sent))


def dedicated_server(folder):
    """A GPU for the server, too; what it finds infinite reaches the ranks' gradient scalers."""
    done = null_nccl.run(*TRAIN, *SHORT, "--strategy", "parameter-server", "--server", "dedicated", "--precision", "amp-fp16",
                         "--clip-grad-norm", 1, "--gradient-accumulation-steps", 2, "--communication-cost", "--output", folder / "out",
                         devices=3)
    point = closed_report(folder / "out", "complete", 0)["points"][0]
    check((point["world_size"], point["processes"]) == (2, 3), point)
    check([rank["device"] for rank in point["ranks"]] == ["cuda:0", "cuda:1"], point["ranks"])
    check(0 < point["server_memory_peak_bytes"] <= point["memory_peak_bytes"], point)
    ends_well(done.stderr, 3)


def strategies(folder):
    """A sweep of each over NCCL's own collectives: a reduce-scatter instead of the all-to-all that Gloo has, gathers and scatters in groups of sends."""
    carried_by = {"ddp": None, "flat": "all_reduce", "sharded": "reduce_scatter", "parameter-server": "gather", "local-sgd": None}
    done = null_nccl.run(*SWEEP, "--world-sizes", "1,2", "--strategies", ",".join(carried_by), "--local-steps", 5, "--communication-cost", "--output", folder / "out")
    rows = closed_report(folder / "out", "complete", 0)["points"]
    check({row["status"] for row in rows} == {"ok"}, [row["status"] for row in rows])
    pairs = [row for row in rows if row["world_size"] == 2]
    check(all(row["backend"] == "nccl" for row in pairs), pairs)
    check({row["strategy"] for row in pairs} == {*carried_by, "none"}, [row["id"] for row in pairs])
    alone = sum(row["world_size"] == 1 and row["strategy"] != "none" for row in rows)
    ends_well(done.stderr, 2 * len(pairs) + alone)
    for row in pairs:
        strategy = row["strategy"]
        if strategy == "none":
            continue
        communication = row["communication"]
        check(communication["payload_bytes_per_step"] > 0, communication)
        if strategy == "ddp":
            continue
        found = [(bucket["bytes"], bucket["collective"]) for bucket in communication.get("bucket_timeline", [])]
        expected = [(size, carried_by[strategy]) for size in communication.get("buckets", [])] if carried_by[strategy] else []
        check(found == expected, f"{strategy}: {found}, expected {expected}")


def comm(folder):
    """Every collective and type: the stand-in carries the data, so that a call with a wrong count or buffer has wrong elements."""
    def measured(out, *lists):
        done = null_nccl.run("comm", "--device", "cuda", "--nproc-per-node", 2, "--threads", 1, "--no-progress", "--backends", "nccl",
                             "--sizes", "4000", "--repetitions", 1, "--output", folder / out, *lists)
        rows = closed_report(folder / out, "complete", 0)["collectives"]
        check(all(row.get("wrong", 0) == 0 for row in rows), [row["id"] for row in rows if row.get("wrong")])
        ends_well(done.stderr, 2)
        return {(row["collective"], row["dtype"], row["in_place"], row["via"]) for row in rows if row["status"] == "ok"}

    collectives = ("all-reduce", "all-gather", "reduce-scatter", "broadcast", "reduce", "gather", "all-to-all", "send-recv", "barrier")
    found = measured("all", "--collectives", ",".join(collectives), "--via", "c10d,direct")
    for way in ("c10d", "direct"):
        check({name for name, _, _, via in found if via == way} == set(collectives), sorted(found))
    found = measured("types", "--collectives", "all-reduce,reduce-scatter", "--dtypes", "fp16,bf16,int32", "--in-place", "on,off")
    check(len(found) == 9, sorted(found))  # c10d's all-reduce is in place only


def shared_gpu(folder):
    """Our launcher sees it by itself; under another one the ranks find out when they meet."""
    done = null_nccl.run(*TRAIN, *SHORT, "--output", folder / "out", devices=1, expect=78)
    check("2 ranks on 1 GPU" in done.stderr and "--backend gloo" in done.stderr, done.stderr)
    port = free_port()
    alone = [word for word in TRAIN if word not in ("--nproc-per-node", 2)]
    ranks = [null_nccl.running(*alone, *SHORT, "--output", folder / "by-hand", RANK=rank, WORLD_SIZE=2, LOCAL_RANK=0,
                               LOCAL_WORLD_SIZE=1, MASTER_ADDR="127.0.0.1", MASTER_PORT=port) for rank in (0, 1)]
    for run in ranks:
        with run:
            run.end(expect=78)
            only_error(run.stderr, "E_CONFIGURATION", 78, "ranks 0 and 1 are both on GPU-", "--backend gloo")
            check(not events(run.stderr), "NCCL was asked before")


def chosen(folder):
    """What NCCL's log tells stands in the report, by ranks of one node and of two, and leaves no file; a user's own NCCL_DEBUG stays."""
    quick = ("--checks", "devices", "--strategies", "ddp", "--max-time", "60s")

    def nccl_of(out, *words, **env):
        before = set(os.listdir(tempfile.gettempdir()))
        done = null_nccl.run(*words, "--output", folder / out, env={"NULLNCCL_EMPTY": 1, **env})
        left = {name for name in set(os.listdir(tempfile.gettempdir())) - before if "nccl" in name.lower()}
        check(not left, left)
        report = closed_report(folder / out, "complete", 0)
        variables = {name for name in report["environment"]["variables"] if name.startswith("NCCL_DEBUG")}
        check(variables == {name for name in env if name.startswith("NCCL_DEBUG")}, variables)
        [host] = report["environment"]["hosts"]
        [found] = report["nccl"]
        check(found.pop("host") == host["hostname"], report["nccl"])
        check("NCCL INFO" not in done.stdout + done.stderr, "NCCL's log is among ours")
        return found

    found = nccl_of("nvlink", *SWEEP, *quick, NULLNCCL_NETWORK="IB/GDRDMA")
    check(found == {"within": ["NVLink"], "adapters": ["null_0:1/IB", "null_1:1/IB"]}, found)
    found = nccl_of("pcie", "comm", "--device", "cuda", "--nproc-per-node", 2, "--threads", 1, "--no-progress", "--pairs",
                       NULLNCCL_PATH="PHB")
    check(found == {"within": ["PCIe peer to peer"], "adapters": ["eth0"]}, found)
    own = folder / "users.log"
    found = nccl_of("own", *SWEEP, *quick, NCCL_DEBUG="INFO", NCCL_DEBUG_FILE=own)
    check(found == {"unknown": "NCCL_DEBUG is set"}, found)
    check("NCCL INFO Using network Socket" in own.read_text(), own.read_text())
    conf = folder / "nccl.conf"
    conf.write_text("# ours\nNCCL_DEBUG=WARN\n")
    found = nccl_of("conf", *SWEEP, *quick, NCCL_CONF_FILE=conf)
    check(found == {"unknown": "nccl.conf sets NCCL_DEBUG"}, found)


def chosen_between_nodes(folder):
    """Two hosts of one GPU each."""
    port = free_port()
    words = ("comm", "--device", "cuda", "--threads", 1, "--no-progress", "--pairs", "--output", folder / "out", "--fail-on", "none")
    ranks = [null_nccl.running(*words, host=f"node{rank}", RANK=rank, WORLD_SIZE=2, LOCAL_RANK=0, LOCAL_WORLD_SIZE=1, GROUP_RANK=rank,
                               MASTER_ADDR="127.0.0.1", MASTER_PORT=port, NULLNCCL_NETWORK=("IB/GDRDMA", "IB")[rank]) for rank in (0, 1)]
    for run in ranks:
        with run:
            run.end(expect=0)
    found = {one["host"]: one.get("between") for one in closed_report(folder / "out", "complete", 0)["nccl"]}
    check(found == {"node0": ["InfiniBand with GPUDirect"], "node1": ["InfiniBand"]}, found)


run_cases({f.__name__: f for f in (train, strategies, dedicated_server, comm, shared_gpu, chosen, chosen_between_nodes)})
