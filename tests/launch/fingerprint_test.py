"""The rates of the machines by themselves, before the first block of `sweep --thorough`, and the share of it that runs reach."""

import socket

from endings import run_cases
from program import check, run
from sweeps import TWO_RANKS, journal_lines, sweep, valid_report

THOROUGH = ("--thorough", "--max-time", 60)  # 0.1 s for each measurement
KINDS = {"matrix-product", "memory-copy", "image-loader", "disk-read", "all-reduce"}


def measured(report, what):
    return [r for r in report["fingerprint"] if r["what"] == what]


def check_share(report):
    """Model FLOP/s over the matrix products of the point's threads: one rank each on this one machine."""
    products = {(r["precision"], r["threads"]): r for r in measured(report, "matrix-product")}
    rows = [row for row in report["points"] if row["status"] == "ok"]
    check(len(rows) >= 2, report["points"])
    for row in rows:
        flops = row["samples_per_sec"] * row["model"]["flops_per_sample"]
        product = products[row["precision"], row["threads"]]
        if "disturbed" in product:  # no bound: others used the machine while it was measured
            check("mfu_of_measured_gemm" not in row, row)
            continue
        expected = flops / (row["world_size"] * product["value"])
        check(abs(row["mfu_of_measured_gemm"] / expected - 1) < 1e-9, (row["mfu_of_measured_gemm"], expected))
        check(row["mfu_of_measured_gemm"] > 0, row["mfu_of_measured_gemm"])


def thorough_sweep(folder):
    """There is a second session, which continues with what the first has measured."""
    done = run(*sweep(*THOROUGH, *TWO_RANKS, "--output", folder / "out"))
    report = valid_report(folder / "out")
    check({r["what"] for r in report["fingerprint"]} == KINDS, report["fingerprint"])
    check({r["host"] for r in report["fingerprint"]} == {socket.gethostname()}, report["fingerprint"])
    for record in report["fingerprint"]:
        check(("value" in record) != ("reason" in record), record)
    [exchange] = measured(report, "all-reduce")
    # Linear(1000, 10): 10,010 parameters, 4 bytes each.
    check(exchange["method"] == "busbw of 0.04004 MB, 2 ranks, gloo" and exchange["value"] > 0, exchange)
    check_share(report)
    for file in ("report.md", "report.html"):
        check("What the machine does by itself" in (folder / "out" / file).read_text(), file)
    check("the machine is measured by itself before the first block" in done.stderr, done.stderr)
    check(not [p for p in folder.rglob(".scalemark-measure*")], "files of the measurement are left")
    run(*sweep(*THOROUGH, *TWO_RANKS, "--resume", "--output", folder / "out", repetitions=2))
    resumed = valid_report(folder / "out")
    check(len(resumed["points"]) == 2 * len(report["points"]) and len(resumed["sessions"]) == 2, len(resumed["points"]))
    check(resumed["fingerprint"] == report["fingerprint"], "measured again")
    check_share(resumed)


def other_sweeps_measure_nothing(folder):
    run(*sweep("--world-sizes", 1, "--output", folder / "out"))
    report = valid_report(folder / "out")
    check("fingerprint" not in report and "mfu_of_measured_gemm" not in report["points"][0], report.get("fingerprint"))
    check(journal_lines(folder / "out"), "no journal")


if __name__ == "__main__":
    run_cases({case.__name__: case for case in (thorough_sweep, other_sweeps_measure_nothing)})
