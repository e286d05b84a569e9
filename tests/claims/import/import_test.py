"""Made logs and tables become rows that `lint`, `published show` and `reproduce` take and the schema allows; damaged ones end in one line.

import_test.py forms | series | tables | damaged
"""

import json
import random

import jsonschema
from endings import SOURCE, run_cases
from made_logs import BASELINE, FIELDS, LOGS, MARKDOWN, RATES, SUMMARY, TABLE, TIMM, horovod, nanogpt, nccl_tests
from program import check, run

VALIDATOR = jsonschema.Draft202012Validator(json.loads((SOURCE / "docs/reference/published.schema.json").read_text()))


def rows_in(file):
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    for row in rows:
        VALIDATOR.validate(row)
    check(len({row["id"] for row in rows}) == len(rows), "an id stands twice")
    return rows


def taken(file, folder, *words):
    """Lets the three commands that read rows take the file; returns what `reproduce` prints."""
    run("lint", file, cwd=folder)
    run("published", "show", file, *words, cwd=folder)
    return run("reproduce", file, "--dry-run", *words, cwd=folder).stdout


def one_line(done):
    lines = done.stderr.splitlines()
    check(len(lines) == 1 and lines[0].startswith("scalemark: error E_"), (done.args, lines))
    return lines[0]


def forms(folder):
    """Each by itself, with what it does not say; the same with nothing said is asked for in one line."""
    for name, text in LOGS.items():
        (folder / name).write_text(text, newline="")
        output = folder / (name + ".jsonl")
        printed = run("import", name, "--output", output, *(["--fields", FIELDS[name]] if FIELDS[name] else []), cwd=folder).stdout
        rows = rows_in(output)
        check(printed.startswith(f"{len(rows)} row"), printed)
        if name in RATES:
            check(abs(rows[0]["throughput"] - RATES[name]) < 1e-3 * RATES[name], (name, rows[0]))
            asked = one_line(run("import", name, "--output", "x.jsonl", cwd=folder, expect=78))
            check("add --fields '" in asked, asked)
        taken(output, folder)
        one_line(run("import", name, "--output", output, cwd=folder, expect=73))
    check("--workload resnet50" in taken("dlll.log.jsonl", folder), "no run of DLLL's rows")
    several(folder)
    check(len(rows_in(folder / "nccl.log.jsonl")) == 8, "nccl-tests")
    contradiction = one_line(run("import", "llmc.log", "--output", "x.jsonl", "--fields", "workload=gpt2,gpus=4", cwd=folder, expect=78))
    check("gpus=4" in contradiction and "says 8" in contradiction, contradiction)
    (folder / "none.log").write_text("nothing of this kind\n")
    check("looked for" in one_line(run("import", "none.log", "--output", "x.jsonl", cwd=folder, expect=65)), "65")
    for words, code in (((), 64), (("none.log",), 64), (("there-is-none", "--output", "x.jsonl"), 66), (("none.log", "--output", "x.csv"), 64)):
        one_line(run("import", *words, cwd=folder, expect=code))
    check(not (folder / "x.jsonl").exists(), "something was written")


def several(folder):
    """Of two runs one is taken; what cannot be read is refused or allowed."""
    (folder / "two.log").write_text(horovod(8, 310.5) + horovod(4, 320.5))
    words = ("two.log", "--output", "two.jsonl", "--overwrite", "--fields", "system=V100,precision=fp32")
    told = one_line(run("import", *words, cwd=folder, expect=65))
    check("lines 1-17: 2,484 img/s; lines 18-34: 1,282 img/s" in told and "--run 2" in told, told)
    for number, gpus in ((1, 8), (2, 4)):
        run("import", *words, "--run", number, cwd=folder)
        check(rows_in(folder / "two.jsonl")[0]["gpus"] == gpus, number)
    one_line(run("import", *words, "--run", "3", cwd=folder, expect=78))
    (folder / "cut.log").write_text(nccl_tests(8)[:-105])
    words = ("cut.log", "--output", "cut.jsonl", "--overwrite")
    check("--allow-unread" in one_line(run("import", *words, cwd=folder, expect=65)), "a cut row")
    check("left out: line 19 is cut" in run("import", *words, "--allow-unread", cwd=folder).stdout, "the line")
    refused = one_line(run("import", "nccl.log", "--output", "x.jsonl", "--fields", "gpus=16", cwd=folder, expect=78))
    check("all-reduce" in refused or "says 8" in refused, refused)


def series(folder):
    """Several logs are one table, whose speed-ups are computed; a wrong one is found by lint."""
    for gpus in (1, 2, 4):
        (folder / f"n{gpus}.log").write_text(nanogpt(12 * 1024 * gpus, 250.0 / (1.5 if gpus == 4 else 1)))
        (folder / f"c{gpus}.log").write_text(nccl_tests(gpus * 4, busbw=300.0))
    words = ("--fields", "gpus=1/2/4,batch_per_gpu=12,system=A100,workload=resnet50,precision=amp_bf16", "--group", "Nano GPT")
    run("import", "n1.log", "n2.log", "n4.log", "--output", "n.jsonl", *words, cwd=folder)
    check([(row["id"], row["gpus"]) for row in rows_in(folder / "n.jsonl")] == [("nano-gpt-0001", 1), ("nano-gpt-0002", 2), ("nano-gpt-0003", 4)], "ids")
    check("--world-sizes 1,2,4" in taken("n.jsonl", folder), "no sweep")
    check("superlinear" in run("lint", "n.jsonl", cwd=folder, expect=None).stdout, "1.5 times too fast")
    shown = run("published", "show", "n.jsonl", cwd=folder).stdout
    check("6.00" in shown and "150.0" in shown, shown)
    run("import", "c1.log", "c2.log", "c4.log", "--output", "c.jsonl", cwd=folder)
    check({row["gpus"] for row in rows_in(folder / "c.jsonl")} == {4, 8, 16}, "ranks")
    printed = run("import", "c1.log", "n1.log", "--output", "c.jsonl", "--overwrite", "--fields", "gpus=4/1,batch_per_gpu=12,system=H100,workload=gpt2,precision=amp_bf16", cwd=folder).stdout
    check("rows of nccl-tests text and nanoGPT written" in printed, printed)
    one_line(run("import", "n1.log", "n2.log", "n4.log", "--output", "x.jsonl", "--fields", "gpus=1/2", cwd=folder, expect=78))


def tables(folder):
    """CSV, Markdown, timm, SuperBench and rows into a library; each id once."""
    for name, text in {"t.csv": TABLE, "t2.md": MARKDOWN, "timm.csv": TIMM, "results-summary.jsonl": SUMMARY, "baseline.json": BASELINE}.items():
        (folder / name).write_text(text)
    fields = {"t.csv": "workload=resnet50,precision=amp_bf16,system=H100,unit=img/s", "t2.md": "workload=resnet50,precision=amp_fp16", "timm.csv": "precision=amp_fp16,system=RTX 4090",
              "results-summary.jsonl": "gpus=8,system=A100", "baseline.json": "gpus=8,system=A100"}
    for name, given in fields.items():
        one_line(run("published", "add", name, "--library", "lib", cwd=folder, expect=78))
        run("published", "add", name, "--library", "lib", "--fields", given, cwd=folder)
        one_line(run("published", "add", name, "--library", "lib", "--fields", given, cwd=folder, expect=73))
        if name.startswith("t") and name != "timm.csv":
            taken(name, folder, "--fields", given)
    files = sorted((folder / "lib").glob("*.jsonl"))
    check([file.name for file in files] == ["baseline.jsonl", "results-summary.jsonl", "t.jsonl", "t2.jsonl", "timm.jsonl"], files)
    check(sum(len(rows_in(file)) for file in files) == 15, "rows")
    one_line(run("published", "add", "lib/t.jsonl", "--library", "lib", "--group", "again", cwd=folder, expect=65))
    run("published", "add", "lib/t.jsonl", "--library", "other", cwd=folder)
    check((folder / "other/t.jsonl").read_bytes() == (folder / "lib/t.jsonl").read_bytes(), "rows changed on their way")
    run("published", "add", "t.csv", "--library", "lib", "--overwrite", "--fields", fields["t.csv"], cwd=folder)
    check("5 tables, 15 rows" in run("published", "list", "--library", "lib", cwd=folder).stdout, "list")
    check("--world-sizes 1,2,4" in run("reproduce", "t", "--library", "lib", "--dry-run", cwd=folder).stdout, "reproduce")
    one_line(run("published", "show", "dle-resnet50-a100", "--fields", "gpus=1", cwd=folder, expect=64))
    one_line(run("published", "add", "t.csv", cwd=folder, expect=64))


def damaged_text(text, chance):
    """Cut, doubled, with other bytes, or with numbers that nobody prints."""
    kind = chance.randrange(4)
    at = chance.randrange(len(text) + 1)
    if kind == 0:
        return text[:at]
    if kind == 1:
        return text[:at] + text[chance.randrange(len(text)) :]
    if kind == 2:
        return text[:at] + chance.choice(["\x00", '"', "{", "}", "\n", "\xff", ",", "é", "[" * 500]) + text[at + 1 :]
    words = text.split(" ")
    places = [i for i, word in enumerate(words) if any(c.isdigit() for c in word)]
    for i in chance.sample(places, min(len(places), 5)):
        words[i] = chance.choice(["nan", "inf", "-1", "0", "1e308", "1e-308", "9" * 400, "99999999999999999999", "1,,2", ""])
    return " ".join(words)


def damaged(folder):
    """A damaged log gives rows, bad data or a question, and nothing else; what is written is valid."""
    chance = random.Random(20261126)
    sources = [(name, text, FIELDS[name]) for name, text in LOGS.items()]
    for number in range(15 * len(sources)):
        name, text, fields = sources[number % len(sources)]
        (folder / name).write_text(damaged_text(text, chance), newline="", encoding="latin-1", errors="replace")
        output = folder / "out.jsonl"
        done = run("import", name, "--output", output, "--overwrite", *(["--fields", fields] if fields else []), cwd=folder, expect=None)
        check(done.returncode in (0, 65, 78), (number, name, done.returncode, done.stderr))
        if done.returncode == 0:
            rows_in(output)
        else:
            one_line(done)
    for number in range(60):
        name, text = [("t.csv", TABLE), ("t.md", MARKDOWN), ("timm.csv", TIMM), ("s.jsonl", SUMMARY), ("b.json", BASELINE)][number % 5]
        (folder / name).write_text(damaged_text(text, chance), newline="", encoding="latin-1", errors="replace")
        done = run("published", "add", name, "--library", "lib", "--overwrite", "--fields", "gpus=8,system=A100,workload=resnet50", cwd=folder, expect=None)
        check(done.returncode in (0, 65, 78), (number, name, done.returncode, done.stderr))


run_cases({"forms": forms, "series": series, "tables": tables, "damaged": damaged})
