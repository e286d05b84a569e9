"""A sweep continues with what is in its folder, or refuses: here is what tests/engine/sweep cannot show."""

import functools
import json
import re
import shutil
import signal
import tempfile
from pathlib import Path

from endings import ENDLESS, FULL, Running, closed_report, only_error, run_cases
from made_data import make_text
from program import check, run
from sweeps import journal_lines, statuses, sweep, valid_report

OPTIONS = sweep("--batch-sizes", "1,2", "--world-sizes", "1")


@functools.cache
def one_finished():
    """The folder of a sweep that is run once, of which each case gets a copy."""
    place = tempfile.TemporaryDirectory()
    run(*OPTIONS, "--output", Path(place.name) / "out")
    return place


def finished(folder):
    shutil.copytree(Path(one_finished().name) / "out", folder)
    return closed_report(folder, "complete", 0)


def edited(folder, change):
    report = valid_report(folder)
    change(report)
    (folder / "report.json").write_text(json.dumps(report))


def refused(folder, *quoted, options=OPTIONS, cwd=None):
    before = (folder / "report.json").read_text()
    line = only_error(run(*options, "--resume", "--output", folder, expect=78, cwd=cwd).stderr, "E_CONFIGURATION", 78, *quoted)
    check("--resume-anyway" in line, line)
    check((folder / "report.json").read_text() == before, "a refused report stays as it was")


def gone_on(folder, rows, *options):
    run(*OPTIONS, *options, "--output", folder)
    report = closed_report(folder, "complete", 0)
    check([session["session"] for session in report["sessions"]] == [0, 1], report["sessions"])
    check(statuses(report) == rows, f"{statuses(report)} instead of {rows}")
    return report["sessions"][1]


def other_settings(folder):
    finished(folder / "out")
    refused(folder / "out", "iters was 5, now 6",
            options=[6 if option == 5 else option for option in OPTIONS])
    refused(folder / "out", "batch_size", options=sweep("--batch-sizes", "1,2,4", "--world-sizes", "1"))


def changed_sources(folder):
    """A build that no commit names continues with itself only."""
    first = finished(folder / "out")
    dirty = first["tool"]["git_dirty"]
    if dirty:
        engine = first["tool"]["libraries"]["scalemark_engine"]
        check(re.fullmatch(r"build [0-9a-f]{40}", engine["running_with"]), engine)
        gone_on(folder / "out", statuses(first), "--resume")
        edited(folder / "out", lambda report: report["tool"]["libraries"]["scalemark_engine"].update(running_with="build 0"))
        refused(folder / "out", "scalemark_engine was build 0, now build ")
    else:
        check("scalemark_engine" not in first["tool"]["libraries"], "the commit names it")
    edited(folder / "out", lambda report: report["tool"].update(git_dirty=not dirty))
    refused(folder / "out", "the program's commit was ", ", changed")


def other_data(folder):
    """A file more in the tree: old and new rows would stand in one table."""
    run("data", "generate", "images", folder / "photos", "--samples", "16", "--classes", "2", "--image-size", "32")
    options = ("sweep", "--workload", "resnet50", "--image-size", 32, "--data", folder / "photos", "--world-sizes", "1",
               "--batch-sizes", "2", "--iters", 1, "--warmup-iters", 1, "--threads", 1, "--no-progress")
    out = folder / "out"
    run(*options, "--repetitions", 1, "--output", out)
    first = closed_report(out, "complete", 0)
    one = next((folder / "photos" / "train").glob("*/*"))
    shutil.copy(one, one.with_name("one-more" + one.suffix))
    refused(out, f"the content of --data {folder / 'photos'} was {first['points'][0]['data_identity']}, now ",
            options=(*options, "--repetitions", 2))
    run(*options, "--repetitions", 2, "--resume-anyway", "--output", out)
    report = closed_report(out, "complete", 0)
    check("the content of --data" in report["sessions"][1]["broke_with"], report["sessions"])
    check(len({row["data_identity"] for row in report["points"]}) == 2, "a row does not name its own data")


def spelled_otherwise(folder):
    """The data that --data names decide, not how its path is spelled, from wherever: each run stays there once. Weights to start from, too.
    Other data behind the name would stand in one table with the old rows."""
    text = make_text(folder / "text", 6)
    (folder / "link").symlink_to("text")
    (folder / "elsewhere").mkdir()
    options = ("--workload", "bert-mini", "--sequence-length", 32, "--batch-size", 2, "--iters", 1, "--warmup-iters", 1, "--threads", 1,
               "--no-progress", "--device", "cpu")
    run("train", *options, "--data", text, "--save", folder / "w.safetensors", "--output", folder / "first")
    weights = ("--init-from", "w.safetensors")
    epochs = ("train", *options[:6], "--epochs", 1, "--threads", 1, "--no-progress", "--device", "cpu", "--checkpoint-every", "2steps")
    run(*epochs, "--data", "text", *weights, "--output", folder / "epochs", cwd=folder)
    run(*epochs, "--data", "../text/", "--init-from", folder / "w.safetensors", "--resume", "--output", folder / "epochs", cwd=folder / "elsewhere")
    report = closed_report(folder / "epochs", "complete", 0)
    check(report["points"][0]["resumed"], "it went on with the checkpoint")
    only_error(run(*epochs, "--data", "text", "--resume", "--output", folder / "epochs", cwd=folder, expect=78).stderr,
               "E_CONFIGURATION", 78, "init_from was")
    whole, shard = (folder / "w.safetensors").read_bytes(), folder / "shard.safetensors"  # the shards of an index decide, too
    names = json.loads(whole[8:8 + int.from_bytes(whole[:8], "little")]).keys() - {"__metadata__"}
    (folder / "w.index.json").write_text(json.dumps({"weight_map": dict.fromkeys(names, shard.name)}))
    sharded = (*epochs, "--data", "text", "--init-from", "w.index.json", "--output", folder / "sharded")
    shard.write_bytes(whole)
    run(*sharded, cwd=folder)
    shard.write_bytes(whole[:-4] + bytes([whole[-4] ^ 1]) + whole[-3:])
    only_error(run(*sharded, "--resume", cwd=folder, expect=78).stderr, "E_CONFIGURATION", 78, "init_from was")

    out = folder / "out"
    one_sweep = ("sweep", *options, "--world-sizes", "1", "--retries", 0)
    run(*one_sweep, "--data", "text", *weights, "--repetitions", 1, "--output", out, cwd=folder)
    ways = (("./text/", "./w.safetensors", folder), ("link", folder / "w.safetensors", folder), ("../text", folder / "w.safetensors", folder / "elsewhere"))
    for repetitions, (data, file, place) in enumerate(ways if FULL else ways[1:2], 2):
        run(*one_sweep, "--data", data, "--init-from", file, "--repetitions", repetitions, "--resume", "--output", out, cwd=place)
        report = closed_report(out, "complete", 0)
        check([row["data"] for row in report["points"]] == [data] * repetitions, [row["data"] for row in report["points"]])
    more = ("--repetitions", repetitions + 1, "--output", out)
    only_error(run(*one_sweep, "--data", "synthetic", *weights, *more, "--resume", cwd=folder, expect=78).stderr,
               "E_CONFIGURATION", 78, f"data was {data}, now synthetic")
    with open(text / "corpus.txt", "a") as corpus:
        corpus.write("One line more.\n")
    same_words = (*one_sweep, "--data", data, "--init-from", file, *more)
    refused(out, f"the content of --data {data} was {report['points'][0]['data_identity']}, now ", options=same_words[:-2], cwd=place)
    run(*same_words, "--resume-anyway", cwd=place)
    report = closed_report(out, "complete", 0)
    check("the content of --data" in report["sessions"][-1]["broke_with"], report["sessions"])
    check(len({row["data_identity"] for row in report["points"]}) == 2, "a row does not name its own data")


def two_at_once(folder):
    """Another run lives in the folder: however it is to be taken, one that comes loses, and nothing of the first is touched. So do all
    but one of several that begin in one folder together."""
    out = folder / "out"
    endless = ("sweep", "--workload", "linear", "--world-sizes", "1", "--threads", 1, *ENDLESS, "--output", out)
    with Running(*endless) as first:
        first.await_event("window")
        first.process.send_signal(signal.SIGSTOP)  # It holds the folder without computing for nobody.
        before = {name: (out / name).stat().st_ino for name in ("report.json", "journal.jsonl")}
        for how in ((), ("--resume",), ("--overwrite",)):
            done = run(*endless, *how, expect=73)
            check("E_CANNOT_CREATE" in done.stderr and str(out) in done.stderr, done.stderr)
        check("another run" in done.stderr, done.stderr)
        check({name: (out / name).stat().st_ino for name in before} == before, "files of the first were replaced")
        check(len(journal_lines(out)) > 1 and valid_report(out)["run_id"], "the first's files")
        first.process.send_signal(signal.SIGCONT)
        first.process.send_signal(signal.SIGTERM)
        first.end(expect=75)
    starts = [Running(*OPTIONS, "--output", folder / "new") for _ in range(2)]
    codes = []
    for start in starts:
        with start:
            start.stdout, start.stderr = start.process.communicate(timeout=150)
            codes.append(start.process.returncode)
    check(sorted(codes) == [0, 73], [start.stderr for start in starts])
    check(len(closed_report(folder / "new", "complete", 0)["points"]) == 2, "the winner's rows")
    check(sum(line["event"] == "started" for line in journal_lines(folder / "new")) == 1, "one run wrote there")


run_cases({f.__name__: f for f in (other_settings, changed_sources, other_data, spelled_otherwise, two_at_once)})
