"""--raw-steps on real ranks: the numbers of the report come out of the files again (tests/python/raw_steps.py), of a sweep, of a
run that a session made up for, and of --epochs; and what happens to the files."""

import hashlib
from pathlib import Path

from endings import Running, closed_report, error_lines, expect_error, run_cases
from made_data import make_text
from program import check, report_in, run, small_disk
from raw_steps import Raw, recompute
from sweeps import await_rows, finished_rows, kill_all, valid_report

SWEEP = ("sweep", "--workload", "mlp", "--batch-size", 16, "--world-sizes", "1,2", "--nproc-per-node", 2, "--threads", 1,
         "--iters", 40, "--warmup-iters", 4, "--no-progress", "--raw-steps")


def recomputed(folder):
    report = valid_report(folder)
    compared = recompute(folder, report)
    print(f"{compared.count} numbers, the worst at {compared.worst:.2g} of 1e-9 relative", flush=True)
    check(not compared.problems, "\n".join(compared.problems[:20]))
    for point in report["points"]:
        file = Path(folder) / point["raw_steps"]["file"]
        check(file.stat().st_size == point["raw_steps"]["bytes"], f"{file} has another size")
    return report


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_file())


def sweep(folder):
    run(*SWEEP, "--repetitions", 2, "--communication-cost", "--output", folder / "out")
    report = recomputed(folder / "out")
    check(len(report["points"]) == 6, "one rank, two, solo; twice")
    check({tuple(point["members"]) for point in report["points"]} == {(0,), (1,), (0, 1)},
          "some baseline ran on rank 1, whose steps came through the store")
    rows = [row for table in report["scaling"] for row in table["rows"]]
    check(sum("loss_of_efficiency_ci95" in row for row in rows) >= 2, "shares with intervals")
    expected = sorted(f"{point['id']}.steps" for point in report["points"])
    check(files_below(folder / "out/raw") == expected, files_below(folder / "out/raw"))


def resumed(folder):
    """Two sessions over a fixed global batch: files of the first stay, and all are there."""
    options = (*SWEEP[:3], "--global-batch-size", 32, *SWEEP[5:], "--repetitions", 3, "--output", folder / "out")
    with Running(*options) as first:
        check(await_rows(first, 3), "three runs are finished")
        kill_all(first)
    finished = {point["id"]: point["raw_steps"] for point in finished_rows(folder / "out").values()}
    kept = {name: (folder / "out" / raw["file"]).read_bytes() for name, raw in finished.items()}
    run(*options, "--resume")
    report = recomputed(folder / "out")
    check([table["kind"] for table in report["scaling"]] == ["strong-by-batch"], "a fixed global batch")
    check(len(report["points"]) == 9 and len(report["sessions"]) == 2, "all runs, two sessions")
    for name, raw in finished.items():
        check((folder / "out" / raw["file"]).read_bytes() == kept[name], f"{name} was written again")


def epochs(folder):
    """Stretches between checkpoints, each with a slowest rank of its own."""
    run("train", "--workload", "bert-mini", "--sequence-length", 32, "--batch-size", 4, "--threads", 1, "--nproc-per-node", 2, "--data",
        make_text(folder / "text", 6), "--epochs", 2, "--checkpoint-every", "2steps", "--no-progress", "--raw-steps", "--output", folder / "out")
    [point] = recomputed(folder / "out")["points"]
    raw = Raw(folder / "out" / point["raw_steps"]["file"])
    check(sorted(set(raw.windows["epoch"][0])) == [1, 2], raw.windows["epoch"])
    check(raw.windows["steps"][0].sum() == point["iterations"], "steps of all stretches")


def left_and_replaced(folder):
    """Without the option nothing is written; --overwrite takes the files of an earlier run away."""
    train = ("train", "--workload", "linear", "--iters", 5, "--warmup-iters", 2, "--threads", 1, "--no-progress", "--output",
             folder / "out")
    run(*train, "--raw-steps")
    [point] = recomputed(folder / "out")["points"]
    digest = hashlib.sha256((folder / "out" / point["raw_steps"]["file"]).read_bytes()).hexdigest()
    run(*train, "--overwrite")
    check(not (folder / "out/raw").exists(), "raw steps of an earlier run")
    check("raw_steps" not in report_in(folder / "out")["points"][0], "not asked for, and there")
    run(*train, "--overwrite", "--raw-steps")
    [point] = recomputed(folder / "out")["points"]
    again = hashlib.sha256((folder / "out" / point["raw_steps"]["file"]).read_bytes()).hexdigest()
    check(digest != again, "another run, the same times")


def full_disk(folder):
    """The measurement is in the report; its raw steps, 1.5 MB of four ranks, are not, and the run says so."""
    with small_disk(folder, "1m") as disk:
        done = run("train", "--workload", "linear", "--nproc-per-node", 4, "--strategy", "none", "--iters", 6_000, "--warmup-iters", 2,
                   "--threads", 1, "--no-progress", "--raw-steps", "--output", disk / "out", expect=74)
        expect_error(error_lines(done.stderr)[0], "E_IO", 74, "r0.steps", "No space left")
        report = closed_report(disk / "out", "failed", 74)
        check(len(report["points"]) == 1 and "raw_steps" not in report["points"][0], "the row without its file")
        left = files_below(disk / "out")
        check(not [name for name in left if name.startswith("raw")], left)


run_cases({f.__name__: f for f in (sweep, resumed, epochs, left_and_replaced, full_disk)})
