"""The judges of gpu_slot on stored reports: a correct one passes, and each possible error fails."""

import json
import math
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(os.environ["SCALEMARK_SOURCE_DIR"]) / "scripts"))

from gpu_slot_steps import counting, judges, speed  # noqa: E402
from gpu_slot_steps.step import FAILED, PASSED, Result  # noqa: E402
from program import check  # noqa: E402


def result(log="", code=0, status="complete", files=None, **point):
    point = {"status": "ok", "device": "cuda:0", "samples_per_sec": 100.0, "memory_peak_bytes": 2**30,
             "loss": {"first": 7.0, "last": 6.0}, **point}
    return Result(code, log, {"status": status, "points": [point]}, files)


def verdict(judge, **results):
    """Judges as the runner does: a report that lacks something is a failure."""
    try:
        return judge({name.replace("_", "-"): value for name, value in results.items()})
    except ValueError as error:
        return judges.failed(str(error))


def expect(status, judge, text="", **results):
    seen = verdict(judge, **results)
    check(seen.status == status and text in seen.figure, f"{status} with '{text}' expected: {seen}")


def claims():
    judge = judges.answered("run")
    measured, missing = {"row": "pub-1", "verdict": "same_direction", "measured": 0.9}, {"row": "pub-2", "verdict": "not_measured"}
    expect(PASSED, judge, "pub-1 same direction", run=Result(2, "", {"claims": [measured]}))
    expect(FAILED, judge, "pub-2 not measured", run=Result(2, "", {"claims": [measured, missing]}))
    expect(FAILED, judge, "no report", run=Result(0, "", None))


def training():
    judge = judges.trains("run")
    expect(PASSED, judge, "100.0 /s, 1.00 GiB, mfu 0.40", run=result(mfu=0.4))
    expect(FAILED, judge, "cpu", run=result(device="cpu"))
    expect(FAILED, judge, "row oom", run=Result(0, "", {
        "status": "complete", "points": [{"status": "oom", "loss": {}}]}))
    expect(FAILED, judge, "partial", run=result(status="partial"))
    expect(FAILED, judge, "losses", run=result(loss={"first": math.nan, "last": 1.0}))
    expect(FAILED, judge, "losses", run=result(loss={"first": 1.0}))
    expect(FAILED, judge, "no report.json", run=Result(0))
    expect(FAILED, judge, "peak 0", run=result(memory_peak_bytes=0))


def bits():
    judge = judges.keeps_its_bits("run")

    def swept(wrong=0, digest="ab", held=650e12):
        swept = result()
        swept.report["replays"] = [{"work": "matrix product", "precision": "bf16", "rounds": 500, "wrong": wrong, "digest": digest,
                                    "first_wrong": "round 3"}]
        swept.report["fingerprint"] = [{"what": what, "precision": "bf16", "value": value}
                                       for what, value in (("matrix-product", 700e12), ("sustained-product", held))]
        return swept
    expect(PASSED, judge, "500 rounds, the same bits; bf16 650 of 700", run=swept())
    expect(FAILED, judge, "round 3", run=swept(wrong=1))
    expect(FAILED, judge, "500 of 700", run=swept(held=500e12))


def parity():
    judge = judges.same_losses("cpu", "cuda", 1e-4, 2e-3)
    cpu = result(device="cpu")
    expect(PASSED, judge, cpu=cpu, cuda=result(loss={"first": 7.0005, "last": 6.01}))
    expect(FAILED, judge, "first 1.4e-04", cpu=cpu, cuda=result(loss={"first": 7.001, "last": 6.0}))
    expect(FAILED, judge, "last 3.3e-03", cpu=cpu, cuda=result(loss={"first": 7.0, "last": 6.02}))
    judge = judges.same_evaluation("cpu", "cuda", 1e-4)
    evaluated = lambda loss: result(evaluation=[{"loss": 1.0}, {"loss": loss}])
    expect(PASSED, judge, cpu=evaluated(8.0), cuda=evaluated(8.0004))
    expect(FAILED, judge, cpu=evaluated(8.0), cuda=evaluated(8.01))


def learning(folder):
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("a\n" * 332)
    judge = judges.learned("run", vocabulary, 0.6)
    expect(PASSED, judge, "0.50 ln", run=result(evaluation=[{"loss": 0.5 * math.log(332)}]))
    expect(FAILED, judge, "0.95 ln", run=result(evaluation=[{"loss": 0.95 * math.log(332)}]))


def refusals_and_memory():
    judge = judges.sees_a_gpu("run")
    expect(PASSED,
           judge,
           "NVIDIA H200, compute",
           run=Result(0, "gpus\n   NVIDIA H200, compute capability 9.0\nlaunching"))
    expect(FAILED, judge, "no GPU", run=Result(0, "gpus   none"))

    judge = judges.refused("run", "E_CONFIGURATION", "one rank per GPU")
    expect(PASSED,
           judge,
           run=Result(78, "error E_CONFIGURATION (exit 78): 2 ranks on 1 GPU: nccl takes one rank per GPU"))
    expect(FAILED, judge, "one rank per GPU", run=Result(78, "error E_CONFIGURATION (exit 78): another reason"))

    def sweep(small, large, status="complete"):
        rows = [{"batch_size": 16, "status": small},
                {"batch_size": 512, "status": large, "oom": {"rank": 0, "requested_bytes": 2**21}}]
        return Result(0, "", {"status": status, "points": rows})

    judge = judges.out_of_memory_row("run")
    expect(PASSED, judge, "batch 512: oom, 2 MiB refused", run=sweep("ok", "oom"))
    expect(FAILED, judge, run=sweep("oom", "oom"))
    expect(FAILED, judge, run=sweep("ok", "ok"))
    expect(FAILED, judge, "partial", run=sweep("ok", "oom", "partial"))


def attention():
    def log(*rows):
        base = {"dtype": "bfloat16", "tokens": 128, "padded": True, "output_error": 1e-3, "gradient_error": 5e-3}
        return Result(0, "a warning\n" + "\n".join(json.dumps(base | row) for row in rows))

    judge = judges.attention_agrees("run")
    chosen = {"backend": "chosen", "choice": "CUDNN_ATTENTION", "output_error": 0.0, "gradient_error": 0.0}
    refusal = {"dtype": "bfloat16", "tokens": 128, "padded": True, "backend": "flash", "refused": "no masks"}
    right = log({"backend": "math"}, {"backend": "cudnn", "gradient_error": 1.5e-2}, chosen)
    right = Result(0, right.log + "\n" + json.dumps(refusal))
    expect(PASSED,
           judge,
           "1 refused; worst cudnn bfloat16 padded s=128: 1.5e-02; torch takes CUDNN_ATTENTION",
           run=right)
    expect(FAILED, judge, "efficient", run=log({"backend": "math"}, {"backend": "efficient", "output_error": 3e-2}))
    expect(FAILED, judge, "cudnn", run=log({"backend": "math"}, {"backend": "cudnn", "gradient_error": math.nan}))
    expect(FAILED, judge, "cudnn float32",
           run=log({"backend": "math"}, {"backend": "cudnn", "dtype": "float32", "output_error": 2e-4}))
    expect(FAILED, judge, "no backend but math", run=log({"backend": "math"}))
    expect(FAILED, judge, "no backend", run=Result(0, "Traceback"))


def tools():
    judge = judges.memcheck_clean("run")
    log = "checking kernels of namespace scalemark\n========= COMPUTE-SANITIZER\nresnet50 12 /s\n========= ERROR SUMMARY: {}\n"
    expect(PASSED, judge, "0 errors (checking kernels of", run=Result(0, log.format("0 errors")))
    expect(FAILED, judge, "3 errors", run=Result(0, log.format("3 errors")))
    expect(FAILED, judge, "said nothing", run=Result(0, "killed"))

    judge = judges.profiled("run")
    log = "  void scalemark::cuda::normalise (1, 1, 1)x(256, 1, 1)\n    {0} % 61.5\n    gpu__time_duration.sum us 12.1\n    {0} % 87.4\n"
    expect(PASSED, judge, "2 kernels, at most 87 %", run=Result(0, log.format(judges.DRAM_SHARE)))
    expect(FAILED, judge, "no kernel", run=Result(0, "==PROF== Disconnected"))


def counted(folder, name, iterations, seconds=1e-3, **calls):
    """A run whose two processes wrote their counts."""
    files = folder / name
    files.mkdir(parents=True)
    names = ("launches", "gemms", "cudnn", "event_records", "event_record_ns", "copies_host_to_device",
             *counting.SYNCHRONISING)
    for pid in (11, 12):
        (files / f"counts.{pid}").write_text(json.dumps({n: calls.get(n, 0) / 2 for n in names}))
    return result(files=files, iterations=iterations, step_mean_over_ranks_s=seconds, steps_per_mark=4)


def counts(folder):
    judge = counting.no_waits("run")
    start = dict(launches=500, device_syncs=210, stream_syncs=4)  # warm-up makes these, in both runs
    short = counted(folder, "short", 20, **(start | dict(launches=500 + 20 * 600)))
    long = dict(start, launches=500 + 60 * 600, gemms=0, copies_host_to_device=80)
    expect(PASSED, judge, "0.00 waits, 600 launches", run_short=short, run_long=counted(folder, "long", 60, **long))
    expect(FAILED, judge, "event_syncs 0.80",
           run_short=short, run_long=counted(folder, "logger", 60, **(long | dict(event_syncs=32))))
    expect(FAILED,
           judge,
           "stream_syncs 1.00",
           run_short=short,
           run_long=counted(folder, "item", 60, **(long | dict(stream_syncs=44))))
    expect(FAILED,
           judge,
           "no kernel",
           run_short=short,
           run_long=counted(folder, "none", 60, **(long | dict(launches=500 + 20 * 600))))
    (folder / "unwritten").mkdir()
    expect(FAILED, judge, "preloaded", run_short=short, run_long=result(files=folder / "unwritten", iterations=60))

    judge = counting.marks_are_cheap("run")
    short = counted(folder, "marks-short", 2000, event_records=4000, event_record_ns=4_000_000)
    cheap = counted(folder, "marks-cheap", 10000, 100e-6, event_records=20000, event_record_ns=10_400_000)
    dear = counted(folder, "marks-dear", 10000, 60e-6, event_records=68000, event_record_ns=100_000_000)
    expect(PASSED, judge, "0.80 % of a step of 100.0 us: 2.00 marks a step, every 4 steps", run_short=short, run_long=cheap)
    expect(FAILED, judge, "at most 1 %", run_short=short, run_long=dear)


def pairs():
    row = speed.ROWS[0]
    both = lambda pair, ours, python: {
        speed.run_name(row, "ours", pair): result(samples_per_sec=ours),
        speed.run_name(row, "python", pair): Result(0, f'{{"samples_per_sec": {python}}}\na late warning')}
    first = speed.as_fast_as_python(row, 1)(both(1, 110.0, 100.0))
    check(first.status == PASSED and first.figure.startswith("1.100 x Python, 1 pair(s)"), str(first))
    second = speed.as_fast_as_python(row, 2)(both(1, 110.0, 100.0) | both(2, 120.0, 100.0))
    check(second.status == PASSED and second.figure.startswith("1.149 x Python [0.66, 2.00], 2 pair(s)"), str(second))
    lost = both(1, 110.0, 100.0) | {speed.run_name(row, "python", 1): Result(1, "Traceback")}
    second = speed.as_fast_as_python(row, 2)(lost | both(2, 120.0, 100.0))
    check(second.status == PASSED and second.figure.startswith("1.200 x Python, 1 pair(s)"), str(second))
    slower = speed.as_fast_as_python(row, 2)(both(1, 90.0, 100.0) | both(2, 92.0, 100.0))
    check(slower.status == FAILED, str(slower))
    check(speed.in_turn(0, ("ours", "python")) == ("ours", "python"), "first pair")
    check(speed.in_turn(1, ("ours", "python")) == ("python", "ours"), "second pair")


with tempfile.TemporaryDirectory() as name:
    training()
    claims()
    parity()
    bits()
    learning(Path(name))
    refusals_and_memory()
    attention()
    tools()
    counts(Path(name))
    pairs()
