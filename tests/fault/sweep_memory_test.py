"""Out of memory is a row of a sweep: which rank, how much, and nothing else of the sweep suffers."""

import re

from endings import closed_report, run_cases
from made_data import make_text
from program import check, run
from sweeps import TWO_RANKS, sweep, valid_report

# A batch of 4096 vectors of 1000 floats is 16 MB, one of 4 is 16 kB, and four of them are held; beside them stand
# parameters, gradients and the reducer's buckets of 40 kB each.
SIZES = ("--batch-sizes", "4,4096")
SMALL = ("--memory-limit", "1=400KiB")


def peaks(report):
    """Returns the memory peaks of each rank that is ok, by run and rank."""
    return {(row["id"], rank["rank"]): rank["memory_peak_bytes"]
            for row in report["points"] if row["status"] == "ok" for rank in row["ranks"]}


def one_rank(folder):
    options = sweep(*TWO_RANKS, *SIZES, repetitions=2)
    done = run(*options, *SMALL, "--output", folder / "out", expect=2)
    # Rank 1 has little memory: the points of two ranks in both blocks, and that of one rank in the block that drew rank 1.
    check("5 runs out of memory" in done.stderr.splitlines()[-1], done.stderr)
    report = closed_report(folder / "out", "complete", 2)
    check(len(valid_report(folder / "out")["points"]) == 12, "every run is a row")
    for row in report["points"]:
        too_big = row["batch_size"] == 4096 and 1 in row["members"]
        check(row["status"] == ("oom" if too_big else "ok"), f"{row['id']}: {row['status']}")
        if not too_big:
            continue
        check(row["oom"]["rank"] == 1, row["oom"])
        check(row["oom"]["requested_bytes"] == 4096 * 1000 * 4, row["oom"])
        check("E_OUT_OF_MEMORY" in row["reason"] and "--memory-limit" in row["reason"], row["reason"])

    # The order is the plan's, so an undisturbed sweep meets the same runs before and after. Rank 0's
    # peaks there hold the points that this rank could not run, rank 1's do not.
    run(*options, "--output", folder / "undisturbed")
    plain = peaks(closed_report(folder / "undisturbed", "complete", 0))
    for key, bytes_ in peaks(report).items():
        check(bytes_ <= 1.03 * plain[key], f"{key}: {bytes_} bytes after an oom, {plain[key]} without")
    orders = [[row["id"] for row in valid_report(folder / name)["points"]] for name in ("out", "undisturbed")]
    check(orders[0] == orders[1], f"the order is the plan's: {orders}")


def searched(folder):
    """--batch-size auto: the largest multiple of 8 that fits on the rank with the least memory."""
    limit = ("--memory-limit", "1=4MiB")
    run(*sweep(*TWO_RANKS, "--batch-size", "auto", *limit), "--output", folder / "out")
    rows = closed_report(folder / "out", "complete", 0)["points"]
    found = {row["batch_size"] for row in rows}
    check(len(rows) == 3 and len(found) == 1, rows)
    batch = found.pop()
    check(batch % 8 == 0 and 128 < batch < 4 * 2**20 / 16000, batch)
    train = ("train", "--workload", "linear", "--iters", 2, "--warmup-iters", 1, "--threads", 1, "--no-progress",
             "--nproc-per-node", 2, *limit)
    run(*train, "--batch-size", batch, "--output", folder / "fits")
    run(*train, "--batch-size", batch + 8, "--output", folder / "does_not", expect=80)


def searched_in_little_data(folder):
    """A batch that an epoch of one rank does not hold does not fit, whatever the memory."""
    text = make_text(folder / "text", 4)
    bert = ("--workload", "bert-mini", "--sequence-length", 16, "--data", text, "--threads", 1, "--no-progress", "--nproc-per-node", 2)
    run("sweep", *bert, "--batch-size", "auto", "--iters", 1, "--warmup-iters", 1, "--repetitions", 1, "--strategy", "none", "--world-sizes", 2,
        "--output", folder / "out")
    found = {row["batch_size"] for row in closed_report(folder / "out", "complete", 0)["points"]}
    error = run("train", *bert, "--batch-size", 1000, "--epochs", 1, "--output", folder / "refused", expect=78).stderr
    held = int(re.search(r"the data holds (\d+) training samples", error)[1]) // 2
    check(found == {held // 8 * 8} and held < 16, f"{found} of {held} samples for each of two ranks")


run_cases({f.__name__: f for f in (one_rank, searched, searched_in_little_data)})
