"""`scalemark judge`: what a log or a table says, what in it cannot be, where it stands; from a file and from a pipe.

The rates are those of tests/claims/import/made_logs.py; FLOPs and peaks are computed here from the datasheet's numbers.
"""

import json
import re
import subprocess
import sys

from endings import SOURCE, run_cases
from program import SCALEMARK, check, clean_environment, run

sys.path.insert(0, str(SOURCE / "tests/claims/import"))
from made_logs import FIELDS, LOGS, RATES  # noqa: E402

H100_HALF = 989.5e12
GFLOP_OF_RESNET50 = 24.5e9  # forward and backward, 224 pixels: 4.09 G multiply-adds x 2 x 3
LABELS = re.compile(r"^(measured|cannot be|unread|published|limit|probably|note|next|run there) ", re.M)


def judged(folder, text, *words, name="some.log", expect=None):
    (folder / name).write_text(text, newline="")
    return run("judge", name, *words, cwd=folder, expect=expect)


def logs(folder):
    """Each made log: its rate is the import's, from a pipe, too."""
    for name, text in LOGS.items():
        words = ("--fields", FIELDS[name]) if FIELDS[name] else ()
        done = judged(folder, text, *words, name=name)
        check(done.returncode in (0, 2) and not done.stderr, (name, done))
        check(done.stdout.startswith("measured   ") and "\\ncannot be  " in done.stdout.replace("\n", "\\n"), done.stdout)
        check(len(LABELS.findall(done.stdout)) <= 8 and all(len(line) <= 80 for line in done.stdout.splitlines() if "scalemark " not in line), done.stdout)
        piped = subprocess.run([SCALEMARK, "judge", "-", *words], input=text, capture_output=True, text=True, cwd=folder, env=clean_environment(), timeout=60)
        check((piped.returncode, piped.stdout) == (done.returncode, done.stdout.replace(name, "-")), (done.stdout, piped))
        answer = json.loads(judged(folder, text, *words, "--format", "json", name=name).stdout)
        check(answer["schema"] == "scalemark.assessment/1" and answer["exit_code"] == done.returncode, answer)
        if name in RATES:
            rate = float(re.match(r"([\d,.]+) ", answer["measured"])[1].replace(",", ""))
            check(abs(rate / RATES[name] - 1) < 6e-3, (name, answer["measured"]))


TABLE = """# ResNet-50 on {chip}
| GPUs | batch per GPU | precision | images/s |
|---|---|---|---|
| 1 | 256 | AMP | {one} |
| 8 | 256 | AMP | {eight} |
"""


def tables(folder):
    """A rate is set beside published rows and the chip's peak; the gap decides what is probably wrong."""
    fields = ("--fields", "system=H100 80GB,workload=resnet50,precision=amp_bf16")
    seen = {}
    for of_one, of_eight in ((2700, 21000), (1350, 10600), (337, 2650)):
        done = judged(folder, TABLE.format(chip="H100", one=of_one, eight=of_eight), *fields, name="blog.md", expect=0)
        seen[of_eight] = json.loads(judged(folder, TABLE.format(chip="H100", one=of_one, eight=of_eight), *fields, "--format", "json", name="blog.md").stdout)
        mfu = float(re.search(r"MFU ([\d.]+) %", " ".join(done.stdout.split()))[1])
        check(abs(mfu - 100 * of_eight / 8 * GFLOP_OF_RESNET50 / H100_HALF) < 0.1, done.stdout)
        check(f"{of_eight:,} img/s on 8 GPUs" in done.stdout and "resnet50" in done.stdout, done.stdout)
    check("nothing stands out" in seen[21000]["probably"][0], seen)
    check("about half" in seen[10600]["probably"][0], seen)
    check("one part in 8" in seen[2650]["probably"][0], seen)
    check(any("reproduce" in command for command in seen[10600]["next"]), seen)
    wrong = judged(folder, "| GPUs | img/s | speedup |\n|---|---|---|\n| 1 | 310 | 1.0x |\n| 8 | 3100 | 12.4x |\n", name="blog.md", expect=1)
    check("12.4x on 8 GPUs is printed" in wrong.stdout and "--fields" in wrong.stdout, wrong.stdout)
    faster = judged(folder, TABLE.format(chip="H100", one=60000, eight=480000), *fields, name="blog.md", expect=1)
    check("MFU" in faster.stdout, faster.stdout)


def others(folder):
    """What is no log ends with 65 and names the forms; what says too little to be judged with 2; a report is judged as lint does."""
    none = judged(folder, "hello\nworld\n", expect=65)
    check("nccl-tests" in none.stderr and len(none.stderr.splitlines()) == 1, none.stderr)
    # All readers of such files refuse it in the same words, which send to none of them.
    told = {run(*words, cwd=folder, expect=65).stderr
            for words in (("judge", "some.log"), ("lint", "some.log"), ("import", "some.log", "--output", "x.jsonl"), ("published", "add", "some.log", "--library", "lib"))}
    check(told == {none.stderr} and "some.log`" not in none.stderr, told)
    asked = judged(folder, LOGS["imagenet.log"], expect=None).stdout
    check("250 ms" in asked and "batch_per_gpu=BATCH_PER_GPU" in asked, asked)
    judged(folder, "", expect=65)
    run("judge", "absent.log", cwd=folder, expect=66)
    run("judge", cwd=folder, expect=64)
    alone = judged(folder, "| GPUs | img/s |\n|---|---|\n| 8 | 3100 |\n", name="one.md", expect=2)
    check("nothing to compare with" in alone.stdout, alone.stdout)
    nodes = judged(folder, "| Nodes | img/s |\n|---|---|\n| 1 | 22,000 |\n| 4 | 86,000 |\n", name="nodes.md", expect=None)
    check("86,000 img/s on 4 nodes" in nodes.stdout and "gpus=" not in nodes.stdout, nodes.stdout)
    run("judge", "nodes.md", "--run", 2, cwd=folder, expect=64)
    judged(folder, LOGS["nccl.log"] + LOGS["megatron.log"], name="both.log", expect=65)
    check("seq/s" in run("judge", "both.log", "--run", 2, cwd=folder, expect=None).stdout, "the second run")
    groups = judged(folder, "GPUs,img/s\n1,2750\n8,20,000 img/s\n", name="groups.csv", expect=None)
    check("2 of 4 cells could not be read, line 3" in groups.stdout.replace("\n           ", " ") and "on 8 GPUs" not in groups.stdout, groups.stdout)
    never = "".join(f"{count},900\n" for count in ("nan", "inf", 0, -3))
    told = judged(folder, f"GPUs,img/s\n1,300\n2,590\n{never}", name="never.csv", expect=None)
    check("4 of 12 cells could not be read, line 4: 'nan'" in told.stdout.replace("\n           ", " "), told.stdout)
    told = judged(folder, f"GPUs,img/s\n{never}", name="never.csv", expect=65)
    check("4 of 8 cells could not be read, line 2: 'nan'" in told.stderr, told.stderr)
    refused = run("judge", "groups.csv", "--fields", "precision=fp61", cwd=folder, expect=78)
    check("amp_bf16" in refused.stderr, refused.stderr)
    judged(folder, "| GPUs | img/s |\n|---|---|\n", name="none.md", expect=65)
    report = run("judge", SOURCE / "results/example", expect=None)
    check(report.returncode in (0, 1, 2) and "images/s on 2 ranks" in report.stdout, report)
    # No text of a file becomes a command.
    named = judged(folder, TABLE.format(chip="H100", one=2700, eight=21000), name="$(touch x).md", expect=None)
    check("judge '$(touch x).md'" in named.stdout, named.stdout)


run_cases({"logs": logs, "tables": tables, "others": others})
