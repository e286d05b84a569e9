"""Runs of seconds: lengths at their edges, what the report says about how it was started, and what is said on the way."""

import json
import re
import shlex

from endings import only_error, run_cases
from program import check, report_in, run

MLP = ("train", "--workload", "mlp", "--threads", 1, "--no-progress")


def warmup_of_no_or_one_step(folder):
    """Without a steady step time the window still has a length that ends."""
    for warmup in (0, 1):
        out = folder / str(warmup)
        run(*MLP, "--warmup-iters", warmup, "--output", out)
        row = report_in(out)["points"][0]
        check(row["warmup"]["iterations"] == warmup, row["warmup"])
        check(row["iterations"] == 100 if warmup == 0 else row["iterations"] >= 100, f"{row['iterations']} steps after {warmup}")
        check(row["setup_s"]["first_step"] > 0, row["setup_s"])


def command_line_can_be_pasted(folder):
    arguments = [*map(str, MLP), "--iters", "2", "--warmup-iters", "1", "--output", str(folder / "my 'own' runs")]
    run(*arguments)
    line = report_in(arguments[-1])["invocation"]["command_line"]
    check(shlex.split(line) == ["scalemark", *arguments], line)


SHORT = ("--workload", "mlp", "--threads", 1, "--iters", 20, "--warmup-iters", 2)
TWO = ("--nproc-per-node", 2)


def train_says_where_its_report_is(folder):
    """In a pipe a run says that it begins, and how it ended: nothing of the way. Its next command can be pasted."""
    out, events = folder / "my out", folder / "events"
    done = run("train", *SHORT, *TWO, "--output", out, "--tensorboard", events)
    lines = done.stderr.splitlines()
    check(len(lines) == 1 and re.fullmatch(rf"train: mlp, .*, 2 ranks; torch [^ ]+; output in {out}", lines[0]), done.stderr)
    told = dict(re.findall(r"^(report|details|TensorBoard)(?: \(pip install tensorboard\))? +(.*)$", done.stdout, re.M))
    check(shlex.split(told["report"]) == [f"{out}/report.json"] and (out / "report.json").is_file(), done.stdout)
    check(shlex.split(told["TensorBoard"]) == ["tensorboard", "--logdir", str(events)] and any(events.iterdir()), done.stdout)
    shown = run(*shlex.split(told["details"])[1:]).stdout
    check("samples" in shown and "loss" not in shown + done.stdout, f"made-up labels have a loss that means nothing\n{shown}")
    only_error(run("train", *SHORT, *TWO, "--output", out, expect=73).stderr, "E_CANNOT_CREATE", 73, str(out))


def sweep_names_what_differs(folder):
    done = run("sweep", *SHORT, "--world-sizes", "1,2", "--repetitions", 1, "--retries", 0, "--output", folder / "out")
    ended = re.findall(r"^\[(\d)/3\] (1 rank|2 ranks|2 ranks, no exchange)  [\d,.]+ samples/s(?:, disturbed)?, \d+:\d\d left$", done.stderr, re.M)
    check([number for number, _ in ended] == ["1", "2", "3"] and len({name for _, name in ended}) == 3, done.stderr)


def progress_as_json(folder):
    """People are told this as objects, too; nothing else is on stderr."""
    def events(*words):
        done = run(*words, "--log-format", "json")
        told = [json.loads(line) for line in done.stderr.splitlines()]
        check(all(event["event"] and event["text"] for event in told), told)
        return told

    begin, end = events("train", *SHORT, *TWO, "--output", folder / "train")
    point = report_in(folder / "train")["points"][0]
    check((begin["event"], begin["run"], begin["output"]) == ("begin", point["id"], str(folder / "train")), begin)
    check((end["event"], end["run"], end["status"], end["samples_per_sec"]) == ("end", point["id"], "ok", point["samples_per_sec"]), end)
    told = events("sweep", *SHORT, "--world-sizes", "1,2", "--repetitions", 2, "--retries", 0, "--output", folder / "sweep")
    check(told[0]["event"] == "begin" and told[0]["runs_planned"] == 6, told[0])
    runs = [event for event in told if event["event"] == "run"]
    rates = {point["id"]: point["samples_per_sec"] for point in report_in(folder / "sweep")["points"]}
    check({event["run"]: event["samples_per_sec"] for event in runs} == rates and len(rates) == 6, told)
    check([event["runs_done"] for event in runs] == [1, 2, 3, 4, 5, 6] and all(event["seconds_left"] >= 0 for event in runs), runs)
    told = events("comm", *TWO, "--collectives", "all-reduce", "--sizes", "4KiB", "--repetitions", 1, "--retries", 0, "--output", folder / "comm")
    check({event["run"] for event in told} == {run["id"] for run in report_in(folder / "comm")["collectives"]}, told)
    check({event["status"] for event in told} == {"ok"}, told)
    check([event["runs_done"] for event in told] == list(range(1, len(told) + 1)) and told[-1]["seconds_left"] == 0, told)
    check(re.match(rf"\[1/{len(told)}\] all-reduce 4 KiB .* left$", told[0]["text"]), told[0])
    # Refusals by every rank and the launcher are such lines too, and one of them holds all of it.
    done = run("sweep", "--workload", "linear", *SHORT[2:], "--world-sizes", "1,2", "--repetitions", 2, "--retries", 0, "--resume",
               "--output", folder / "sweep", "--log-format", "json", expect=78)
    said = [json.loads(line) for line in done.stderr.splitlines()]
    whole = [event for event in said if "workload was mlp, now linear; " in event["text"]]
    check(len(whole) == 1 and whole[0]["event"] == "error" and "choose another --output" in whole[0]["text"], said)
    check(all(event["event"] in ("error", "note") for event in said), said)


run_cases({f.__name__: f for f in (warmup_of_no_or_one_step, command_line_can_be_pasted, train_says_where_its_report_is, sweep_names_what_differs,
                                   progress_as_json)})
