"""--server dedicated on real processes: what trains and what is reported are the training ranks; the server is a process more."""

import json

from endings import only_error, run_cases
from launching import finish, free_port, start
from made_data import make_text
from program import SCALEMARK, check, report_in, run
from raw_steps import recompute
from sweeps import valid_report

TRAIN = ("train", "--workload", "mlp", "--batch-size", 8, "--threads", 1, "--nproc-per-node", 2, "--iters", 40, "--warmup-iters", 5,
         "--no-progress", "--deterministic", "--strategy", "parameter-server")
DEDICATED = ("--server", "dedicated")
BERT = ("train", "--workload", "bert-mini", "--sequence-length", 32, "--batch-size", 4, "--threads", 1, "--no-progress", "--epochs", 2,
        "--strategy", "parameter-server", "--nproc-per-node", 2)


def trained(folder, *options):
    """The weights that it leaves, and its point."""
    weights = folder.with_suffix(".safetensors")
    run(*options, "--save", weights, "--output", folder)
    [point] = valid_report(folder)["points"]
    return weights.read_bytes(), point


def as_rank_0(folder):
    """The same sums in the same order: the same weights bit by bit, with everything that follows the window switched on."""
    weights, served = trained(folder / "rank0", *TRAIN)
    others, point = trained(folder / "dedicated", *TRAIN, *DEDICATED, "--communication-cost", "--raw-steps", "--trace", folder / "trace")
    check(weights == others, "other weights")
    gradients = 4 * point["model"]["parameters"]
    check((point["world_size"], point["processes"], point["members"]) == (2, 3, [0, 1, 2]), point)
    check([rank["rank"] for rank in point["ranks"]] == [0, 1], point["ranks"])
    check(point["samples"] == served["samples"] == 40 * 2 * 8, "a server trains on nothing")
    check(point["loss"] == served["loss"], "the mean over two ranks")
    check(abs(point["samples_per_sec_per_rank"] * 2 - point["samples_per_sec"]) < 1e-6, "per training rank")
    payload = point["communication"]["payload_bytes_per_step"]
    check(gradients <= payload < 1.01 * gradients, f"rank 0 hands over its gradients: {payload}, {gradients}")
    check(3 * gradients <= served["communication"]["payload_bytes_per_step"] < 3.03 * gradients, "with the server's part")
    check(0 < point["server_memory_peak_bytes"] <= point["memory_peak_bytes"] and "server_memory_peak_bytes" not in served, point)
    low, high = point["communication"]["cost_ci95"]
    check(low < point["communication"]["cost_s"] < high and point["communication"]["bucket_timeline"], point["communication"])
    problems = recompute(folder / "dedicated", valid_report(folder / "dedicated")).problems
    check(not problems, "\n".join(problems[:20]))
    check(len(list((folder / "trace").rglob("rank*.json"))) == 3, list((folder / "trace").rglob("*")))


def swept(folder):
    run("sweep", "--workload", "mlp", "--world-sizes", "1,2", "--strategies", "ddp,parameter-server", *DEDICATED, "--iters", 10,
        "--warmup-iters", 5, "--threads", 1, "--repetitions", 1, "--no-progress", "--output", folder / "out")
    report = valid_report(folder / "out")
    seen = {(p["strategy"], p["world_size"], p["processes"], len(p["members"]), len(p["ranks"])) for p in report["points"]}
    check(seen == {("none", 1, 1, 1, 1), ("none", 2, 2, 2, 2), ("ddp", 1, 1, 1, 1), ("ddp", 2, 2, 2, 2),
                   ("parameter-server", 1, 2, 2, 1), ("parameter-server", 2, 3, 3, 2)}, seen)
    rows = {(row["strategy"], row["world_size"]): row for table in report["scaling"] for row in table["rows"]}
    served = rows["parameter-server", 2]
    check(served["efficiency"] > 0 and abs(served["speedup"] / served["efficiency"] - 2) < 1e-9, served)


def epochs(folder):
    """A run with it evaluates, writes checkpoints and continues from one; the server's state is a file of its own."""
    data = make_text(folder / "text", 6)
    options = (*BERT, "--data", data, "--checkpoint-every", "2steps", "--checkpoint-keep", 1000)
    weights, served = trained(folder / "rank0", *options)
    others, point = trained(folder / "dedicated", *options, *DEDICATED)
    check(weights == others, "other weights")
    evaluations = [{k: v for k, v in one.items() if k != "samples_per_sec"} for one in point["evaluation"]]
    check(evaluations == [{k: v for k, v in one.items() if k != "samples_per_sec"} for one in served["evaluation"]], evaluations)
    steps = sorted((folder / "dedicated/checkpoints").glob("step-*"), key=lambda path: int(path.name[5:]))
    manifest = json.loads((steps[0] / "checkpoint.json").read_text())
    check([file["name"] for file in manifest["files"]] == [f"rank-{rank}.safetensors" for rank in range(3)], manifest)
    sizes = [file["bytes"] for file in manifest["files"]]
    check(sizes[2] > 2 * sizes[0], f"Adam's state is the server's: {sizes}")
    for step in steps[1:]:
        (step / "checkpoint.json").unlink()
    again, resumed = trained(folder / "dedicated", *options, *DEDICATED, "--resume")
    check(again == weights and resumed["resumed"][0]["step"] == int(steps[0].name[5:]), resumed["resumed"])


def launched_from_outside(folder):
    """Processes are what was launched: of three one is the server, and one alone is refused."""
    options = [SCALEMARK, *TRAIN[:7], *TRAIN[9:], *DEDICATED, "--output", folder / "out"]

    def ranks(count):
        port = free_port()
        return [start(*options, RANK=rank, WORLD_SIZE=count, LOCAL_RANK=rank, LOCAL_WORLD_SIZE=count, MASTER_ADDR="127.0.0.1",
                      MASTER_PORT=port) for rank in range(count)]
    [text] = finish(ranks(1), expect=78)
    only_error(text, "E_CONFIGURATION", 78, "--server is 'dedicated'", "needs a process beside the training ranks, and 1 is launched")
    finish(ranks(3))
    [point] = report_in(folder / "out")["points"]
    check((point["world_size"], point["processes"], point["global_batch_size"]) == (2, 3, 16), point)


run_cases({"as_rank_0": as_rank_0, "swept": swept, "epochs": epochs, "launched_from_outside": launched_from_outside})
