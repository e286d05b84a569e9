"""`accept` on generated fleets: its forms agree with each other and with the exit code, hostile input is refused, and a reader gets
from a folder of reports to the part at fault with one command. SCALEMARK_SOAK=full: 1,000 fleets instead of 50."""

import collections
import datetime
import json
import os
import re
import shlex
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

import yaml
from endings import SOURCE, run_cases
from program import BINARY_DIR, SCALEMARK, check, clean_environment, run

FLEETS = 1000 if os.environ.get("SCALEMARK_SOAK") == "full" else 50
CORE_TOOL = BINARY_DIR / "tests/core_tool"
STATUS = {"failed": "failure", "unsure": "error", "missing": "error", "passed": None}


def fleets(folder, count, *size, seed=1):
    subprocess.run([str(word) for word in (CORE_TOOL, "write-fleets", folder, count, seed, *size)], check=True)
    return [folder / str(i) for i in range(count)]


def accepted(fleet, *words, expect=None):
    files = {name: fleet / name for name in ("jsonl", "junit", "md", "html", "drain", "undecided", "exclude", "suspects")}
    wanted = ",".join(f"{name}={file}" for name, file in files.items())
    nodes = json.loads((fleet / "truth.json").read_text())["nodes"]
    done = run("accept", fleet / "acc", "--nodes", f"node[000-{nodes - 1:03}]", "--format", wanted, *words, expect=expect)
    return done, {name: file.read_text() for name, file in files.items()}


def rows_of(markdown):
    """(outcome, part, check) of each row of the table of all checks."""
    table = markdown[markdown.index("\n## All checks\n"):]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line.startswith("|")]
    return [tuple(row[:3]) for row in cells[2:]]


def name_of(part):
    if part["kind"] == "link":
        return f"{part['host']} to {part['other']}"
    return part["host"] if part["kind"] == "node" else f"{part['host']} {part['device']}"


def agree(folder):
    seen = forms_agree(fleets(folder, FLEETS))
    check(len(seen) > 1, seen)


def forms_agree(folders, *words):
    """Returns how often each exit code came."""
    seen = collections.Counter()
    for fleet in folders:
        done, forms = accepted(fleet, *words)
        head, *records = map(json.loads, forms["jsonl"].splitlines())
        checks = [record for record in records if record["record"] == "check"]
        outcomes = {one["outcome"] for one in checks}
        worst = 1 if "failed" in outcomes else 2 if outcomes & {"unsure", "missing"} else 0
        check(done.returncode == head["exit_code"] == worst, (fleet, done.returncode, head, outcomes))
        seen[worst] += 1

        for suite in ET.fromstring(forms["junit"]).iter("testsuite"):  # schemas and importers of JUnit want a date
            check(datetime.datetime.fromisoformat(suite.get("timestamp")).year == 2026, suite.attrib)
        cases = list(ET.fromstring(forms["junit"]).iter("testcase"))
        kinds = collections.Counter(next((child.tag for child in case), None) for case in cases)
        check(kinds == collections.Counter(STATUS[one["outcome"]] for one in checks), (fleet, kinds))
        table = collections.Counter((one["outcome"], name_of(one["part"]), one["check"]) for one in checks)
        check(collections.Counter(rows_of(forms["md"])) == table, fleet)
        check(all(one.get("why") for one in checks if one["outcome"] != "passed"), fleet)
        page_agrees(forms["html"], checks, fleet)

        bad = {one["node"].get("scheduler_node", one["node"]["host"]) for one in records
               if one["record"] == "node" and one["outcome"] in ("failed", "missing")}
        check(drained(forms["drain"]) <= bad, (fleet, forms["drain"], bad))
        lines = done.stdout.splitlines()
        commands = ("next job", "written", "all of it", "a baseline", "not measured", "1 more", "2 more", "5 more", "7 more")
        check(sum(bool(line) and not line.startswith(" ") for line in lines) <= 10 and
              all(len(line) <= 80 for line in lines if not line.startswith(commands)), done.stdout)
        for missing in json.loads((fleet / "truth.json").read_text())["without_report"]:
            check(any(one["part"]["host"] == missing and one["outcome"] == "missing" for one in checks), (fleet, missing))
    return seen


def page_agrees(text, checks, fleet):
    """The page shows the outcome, all that did not pass, and each slow part in a figure."""
    [data] = re.findall(r'id="data">(.*)</script>', text)
    [page] = json.loads(data)["reports"]
    outcomes = [one["outcome"] for one in checks]
    check(page["answer"]["verdict"] == max(outcomes, key=("passed", "unsure", "missing", "failed").index), (fleet, page["answer"]))
    tips = collections.Counter(re.findall(r"<title>([^<]*): failed, ", "".join(figure["svg"] for figure in page["figures"])))
    slow = collections.Counter(name_of(one["part"]) for one in checks
                               if one["outcome"] == "failed" and "of_reference" in one and one["part"]["kind"] != "link")
    check(not slow - tips, (fleet, slow, tips))
    titles = [section["title"] for section in page["sections"]]
    check(("What did not pass" in titles) == any(outcome != "passed" for outcome in outcomes), (fleet, titles))


def drained(script):
    nodes = set()
    for line in script.splitlines():
        words = shlex.split(line, comments=True)
        if words:
            check(words[:2] == ["scontrol", "update"] and words[3] == "State=DRAIN" and words[4].startswith("Reason=scalemark "), line)
            listed = words[2].removeprefix("NodeName=")
            nodes |= set(expand(listed))
    return nodes


def expand(listed):
    """n[000-002,007] as Slurm reads it."""
    if "[" not in listed:
        return listed.split(",")
    before, rest = listed.split("[", 1)
    *others, head = before.split(",")
    ranges, tail = rest.split("]", 1)
    names = []
    for one in ranges.split(","):
        low, _, high = one.partition("-")
        names += [f"{head}{n:0{len(low)}}" for n in range(int(low), int(high or low) + 1)]
    return others + names + ([name for name in expand(tail[1:])] if tail.startswith(",") else [])


def refused(folder):
    [fleet] = fleets(folder, 1)
    (folder / "empty").mkdir()
    (folder / "rules").write_text('{"checks": [{"name": "a", "metric": "speed", "at_most": 0}]}')
    (folder / "where").write_text('{"checks": [{"name": "a", "metric": "memory_copy", "where": {"strategy": "ddp"}, "at_least": "1 B/s"}]}')
    (folder / "base").write_text('{"schema": "scalemark.baseline/1"}')
    (folder / "deep").write_text("[" * 100000)
    (folder / "switches").write_text("SwitchName=a Nodes=n[1-2]\nSwitchName=b\x1b[2J Nodes=n3\n")
    (folder / "broken").mkdir()
    (folder / "broken/report.json").write_text('{"schema": "scalemark.report/1"')
    for words, code, said in [((), 64, "no report is given"), ((folder / "none",), 66, "is not there"),
                              ((folder / "empty",), 66, "holds no report.json"), ((folder / "broken",), 65, "report.json"),
                              ((fleet / "acc", "--rules", folder / "rules"), 78, "is no metric"),
                              ((fleet / "acc", "--rules", folder / "deep"), 78, "nests deeper"),
                              ((fleet / "acc", "--rules", folder / "none"), 66, "none"),
                              ((fleet / "acc", "--rules", folder / "where"), 78, "none is known there"),
                              ((fleet / "acc", "--nodes", "n[1-"), 78, "--nodes"),
                              ((fleet / "acc", "--nodes", "node000\nnode001"), 78, "is no list of host names"),
                              ((fleet / "acc", "--nodes", "node000 node001"), 78, "with commas between"),
                              ((fleet / "acc", "--topology", folder / "rules"), 65, "is no topology of a form that is read"),
                              ((fleet / "acc", "--topology", folder / "none"), 66, "none"),
                              ((fleet / "acc", "--topology", folder / "switches"), 65, "switches', line 2: a control character"),
                              ((folder / "base",), 65, "is it a report.json of scalemark?"),
                              ((fleet / "acc", "--devices-per-node", 0), 78, "--devices-per-node"),
                              ((fleet / "acc", "--format", "csv"), 78, "'csv' is not known"),
                              ((fleet / "acc", "--format", "exclud=x"), 78, "did you mean 'exclude'?"),
                              ((fleet / "acc", "--rules", "smokes"), 66, "smoke'?"),
                              ((fleet / "acc", "--rules", "rules/smoke.json"), 66, "--rules acceptance/rules/smoke"),
                              ((fleet / "acc", "--format", "junit"), 78, "names no file"),
                              ((fleet / "acc", "--format", f"junit={folder}/no/such"), 73, "no/such")]:
        done = run("accept", *words, expect=code)
        check(said in done.stderr and done.stderr.count("\n") == 1, done.stderr)
        check(not done.stdout, done.stdout)


def baseline(folder):
    """A baseline of one fleet judges others: what it says, where its name stands, when it is refused; the page has all of its fields."""
    file = folder / "b.json"
    good, *others = fleets(folder, 1 + FLEETS // 5, 9, 4, seed=31)
    made = run("baseline", "make", good / "acc", "--output", file)
    check("! weak: fewer than 2 boots" in made.stdout and len(made.stdout.splitlines()) <= 10, made.stdout)
    check("; weak as it is: scalemark accept" in made.stdout and "use it" not in made.stdout, made.stdout)
    document = json.loads(file.read_text())
    page = (SOURCE / "docs/ACCEPTANCE.md").read_text()
    for key in {key for one in [document, *document["classes"]] for key in one} | {"suspects", "between_boots"}:
        check(f"| `{key}` |" in page, f"docs/ACCEPTANCE.md lacks {key}")

    forms_agree(others, "--baseline", file)
    name = f"the baseline of {document['made'][:10]}, "
    judged = 0
    for fleet in others:
        checks = [one for one in map(json.loads, (fleet / "jsonl").read_text().splitlines()) if one["record"] == "check"]
        by_it = [one for one in checks if one.get("limit_from", "").startswith(name)]
        judged += len(by_it)
        for form in ("md", "junit") if any(one["outcome"] == "failed" for one in by_it) else ("md",) if by_it else ():
            check(name in (fleet / form).read_text(), (fleet, form))
    check(judged > 100, judged)

    before = file.read_bytes()
    links = next(fleet / "acc/links" for fleet in (good, *others) if (fleet / "acc/links").exists())
    for words, code, said in [(("make", good / "acc", "--output", file), 73, "exists already"),
                              (("make", good / "acc"), 64, "--output is not given"), (("make",), 64, "no report is given"),
                              (("make", good / "acc", "--output", folder / "no/b.json"), 73, "no/b.json"),
                              (("make", links, "--output", folder / "c.json"), 65, "no run in these reports counts"),
                              (("mak",), 64, "did you mean 'baseline make'?")]:
        done = run("baseline", *words, expect=code)
        check(said in done.stderr and done.stderr.count("\n") == 1 and not done.stdout, done.stderr)
    check(file.read_bytes() == before and not (folder / "c.json").exists(), "a refused command wrote")
    run("baseline", "make", good / "acc", "--output", file, "--overwrite")

    bad = folder / "bad.json"
    for text, code in [("", 65), ("[" * 100000, 65), (before[:500].decode(), 65), ('{"schema": "scalemark.baseline/1"}', 65),
                       (before.decode().replace('"boots": 1', '"boots": -1'), 65), (before.decode().replace('"boots"', '"bots"'), 78)]:
        bad.write_text(text)
        done = run("accept", good / "acc", "--baseline", bad, expect=code)
        check("bad.json" in done.stderr and done.stderr.count("\n") == 1 and not done.stdout, done.stderr)
    run("accept", good / "acc", "--baseline", folder / "none", expect=66)


def printed(folder):
    """What a person reads is what stands in printed/: with SCALEMARK_WRITE=1 it is written there anew."""
    for seed in (5, 12, 17, 31, 35):
        [fleet] = fleets(folder / str(seed), 1, seed=seed)
        nodes = json.loads((fleet / "truth.json").read_text())["nodes"]
        words = ("accept", "acc", "--nodes", f"node[000-{nodes - 1:03}]", *(["--details"] if seed == 5 else []))
        text = run(*words, cwd=fleet, expect=None).stdout
        file = SOURCE / f"tests/acceptance/printed/{seed}.txt"
        if os.environ.get("SCALEMARK_WRITE"):
            file.write_text(text)
        check(text == file.read_text(), f"{file} differs:\n{text}")


def planned(folder):
    """--dry-run: which checks meet which values; nothing is judged or written."""
    [fleet] = fleets(folder, 1, 4, 2)
    text = run("accept", fleet / "acc", "--dry-run").stdout
    check("device_samples_per_sec" in text and "95 % of the reference" in text and "not measured" in text, text)


def configs(folder):
    """Every file in configs/acceptance is planned, and every file of rules is read."""
    [fleet] = fleets(folder, 1, 2, 2)
    acceptance = SOURCE / "configs/acceptance"
    for file in acceptance.glob("*.json"):
        written = json.loads(file.read_text())
        check(len(written["about"]) > 80, f"{file.name}: `about` says what it measures")
        ranks = ("--nproc-per-node", 2)
        run(written["command"], "--config", file, "--dry-run", *ranks)
    for file in (acceptance / "rules").glob("*.json"):
        planned = run("accept", fleet / "acc", "--rules", file, "--dry-run").stdout
        check("device_samples_per_sec" in planned, file)
        # The list of `configs` has names that --rules takes and that it prints itself.
        name = f"acceptance/rules/{file.stem}"
        check(name in run("configs").stdout.split(), name)
        check(run("configs", name).stdout == file.read_text(), name)
        for word in (name, file.stem):
            check(run("accept", fleet / "acc", "--rules", word, "--dry-run").stdout == planned, word)
    for file in (SOURCE / "configs").rglob("*.*"):  # two jobs of a node may share it
        check(not re.search(r"[=>] ?/tmp/", file.read_text()), f"{file} writes to a fixed place")
    looks = json.loads((acceptance / "rules/burn-in.json").read_text())["looks"]
    check(looks[0] >= 10, "fewer starts show nothing that comes and goes")


def again(folder):
    """An undecided node is measured again by the command that measured it, into the next folder."""
    for fleet in fleets(folder, 20, 8, 4, seed=100):
        done, forms = accepted(fleet)
        if not forms["undecided"].strip():
            continue
        [line] = [line for line in done.stdout.splitlines() if "more start" in line and "srun" in line]
        words = shlex.split(line[line.index("srun"):])
        check(words[2] == "--nodelist=" + forms["undecided"].strip() and words[1].startswith("--nodes="), (words, forms["undecided"]))
        check(words[words.index("--output") + 1] == "acc/2/{host}", words)
        return
    sys.exit("no fleet was undecided")


def not_measured(folder):
    """A node without a report gets the command of the others: by srun, and without a scheduler under the node's name."""
    for fleet in fleets(folder, 20, 8, 4, seed=100):
        absent = json.loads((fleet / "truth.json").read_text())["without_report"]
        if not absent:
            continue
        done, _ = accepted(fleet)
        [line] = [line for line in done.stdout.splitlines() if line.startswith("not measured  ")]
        check(line.split("  ", 1)[1].strip().startswith(f"srun --nodes={len(absent)} --nodelist="), line)
        for file in (fleet / "acc").rglob("report.json"):
            report = json.loads(file.read_text())
            for host in report["environment"]["hosts"]:
                host.pop("scheduler_node", None)
            file.write_text(json.dumps(report))
        done, _ = accepted(fleet, "--overwrite")
        [line] = [line for line in done.stdout.splitlines() if line.startswith("on node")]
        check("  scalemark sweep " in line and absent[0][-1] in line.split()[1], line)
        return
    sys.exit("every node of every fleet has a report")


def large(folder):
    """Of 320 nodes, each linked with 16 partners, exactly the planted faults are found. 1,000 nodes x 8: docs/internals/SCALE.md."""
    [fleet] = fleets(folder, 1, 320, 2, "planted", seed=7)
    truth = json.loads((fleet / "truth.json").read_text())
    files = fleet / "jsonl"
    run("accept", fleet / "acc", "--nodes", "node[000-319]", "--format", f"jsonl={files}", expect=1)
    failed = collections.defaultdict(set)
    missing = set()
    for one in map(json.loads, files.read_text().splitlines()):
        if one["record"] == "check" and one["outcome"] == "failed":
            failed[one["check"]].add((one["part"]["host"], one["part"]["other"]) if one["part"]["kind"] == "link" else name_of(one["part"]))
        elif one["record"] == "node" and one["outcome"] == "missing":
            missing.add(one["node"]["host"])
    of_nodes = {f"{node} cuda:{device}" for node in truth["slow_nodes"] for device in range(2)}
    for check_name, parts in [("training alone", of_nodes | set(truth["slow_devices"])), ("sustained product", set(truth["fading"])),
                              ("Xid", set(truth["xid"])), ("all-reduce in the node", set(truth["slow_inside"]))]:
        check(failed[check_name] == parts, (check_name, failed[check_name] ^ parts))
    check(missing == set(truth["without_report"]), (missing, truth["without_report"]))

    low, high = truth["slow_leaf"]
    # Nodes of the slow leaf without a partner in it have slow links only, too.
    others = failed["links of a node"] - set(truth["slow_network"])
    check(set(truth["slow_network"]) <= failed["links of a node"] and all(low <= node <= high for node in others), failed["links of a node"])
    ends = {(link["a"], link["b"]) for link in json.loads((fleet / "acc/links/report.json").read_text())["links"]}
    check(len(ends) == 320 * 16 / 2, len(ends))
    slow = {(a, b) for a, b in ends if {a, b} & set(truth["slow_network"]) or f"{a} to {b}" in truth["slow_links"]
            or (low <= a <= high) != (low <= b <= high)}
    check(failed["link"] == slow, failed["link"] ^ slow)


STUB = """#!/bin/sh
# Notes what it is asked for; accept writes the words of the next line, undecided|exclude|absent|suspects, and ends with 2 while nodes are undecided.
echo "$@" >> "$FOLDER/calls"
case "$1" in accept) ;; *) exit 0;; esac
line=$(head -1 "$FOLDER/rounds")
sed -i 1d "$FOLDER/rounds"
for word in undecided exclude absent suspects; do
  file=$(echo "$@" | sed -n "s/.*[ ,]$word=\\([^, ]*\\).*/\\1/p")
  [ -z "$file" ] || echo "${line%%|*}" > "$file"
  [ "$word" = undecided ] && undecided=${line%%|*}
  case $line in *"|"*) line=${line#*|};; *) line=;; esac
done
[ -z "$undecided" ] || exit 2
"""
# A step of all nodes ends badly where one of them is dead.
SRUN = """#!/bin/sh
nodes=${1#--nodelist=}
while [ "$1" ] && [ "${1#--}" != "$1" ]; do shift; done
output=$(echo "$@" | sed 's/.*--output \\([^ ]*\\).*/\\1/')
echo "${output#$OUTPUT/} $nodes" >> "$FOLDER/steps"
case ",$nodes,$output" in *",$DEAD,"*/links/*|*",$DEAD,"*/fleet/*) exit 69;; esac
"$@"
"""
SCONTROL = """#!/bin/sh
[ "$2" = topology ] && exec cat "$FOLDER/topology"
[ "$2" = hostnames ] && [ -n "$3" ] && echo "$3" | tr , '\\n'
"""


def stages(folder, command, rounds, **environment):
    """Returns what a launcher's file asks the program for, where accept finds these nodes so, one line a time: see STUB."""
    (folder / "bin").mkdir(exist_ok=True)
    for name, text in (("scalemark", STUB), ("srun", SRUN), ("scontrol", SCONTROL)):
        (folder / "bin" / name).write_text(text)
        (folder / "bin" / name).chmod(0o755)
    (folder / "rounds").write_text("".join(f"{one}\n" for one in rounds))
    for name in ("calls", "steps"):
        (folder / name).write_text("")
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, cwd=SOURCE,
                          env=os.environ | {"PATH": f"{folder}/bin:{os.environ['PATH']}", "FOLDER": str(folder), "TMPDIR": str(folder), "DEAD": "nobody"} | environment)
    return done, [line for line in (folder / "calls").read_text().splitlines() if line.startswith("sweep")]


def sessions(calls):
    """(session, repetitions, time) of the node stage."""
    found = []
    for words in (shlex.split(call) for call in calls):
        output = words[words.index("--output") + 1]
        if output.endswith("{host}"):
            found.append((output.split("/")[-2], *(words[words.index(o) + 1] if o in words else "" for o in ("--repetitions", "--max-time"))))
    return found


def repeats(folder):
    """Undecided nodes are measured twice more under Slurm and Kubernetes, each time with the time that so many starts take, and while the job lasts."""
    acceptance = SOURCE / "configs/acceptance"
    all_three = [("1", "", ""), ("2", "2", "12m"), ("3", "5", "30m")]
    job = {"SLURM_JOB_ID": "1", "SLURM_JOB_NODELIST": "n1,n2,n3,n4", "OUTPUT": str(folder / "out"), "PROGRAM": str(folder / "bin/scalemark")}
    batch = ("bash", acceptance / "slurm.sbatch")
    for rounds, code, end, wanted in [(["n1", "n1", "n1"], 2, 9999999999, all_three), (["n1", ""], 0, 9999999999, all_three[:2]),
                                      ([""], 0, 9999999999, all_three[:1]), (["n1"], 2, time.time() + 600, all_three[:1]),
                                      (["n1", "n1"], 2, time.time() + 1000, all_three[:2])]:
        done, calls = stages(folder, batch, ["", "", *rounds], SLURM_JOB_END_TIME=str(int(end)), **job)
        check(done.returncode == code and sessions(calls) == wanted, (done, calls))
        check(("no time is left" in done.stdout) == (end < 9999999999), done.stdout)

    check("--topology" not in (folder / "calls").read_text(), "Slurm knows no switches")
    switches = "SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=n[1-9]\n"
    (folder / "topology").write_text(f"a remark\n{switches}")
    done, calls = stages(folder, batch, [""], SLURM_JOB_END_TIME="9999999999", **job)
    check(done.returncode == 0 and f"--topology {folder}/out/topology" in (folder / "calls").read_text(), (done, calls))
    check((folder / "out/topology").read_text() == switches, "only lines of switches are kept")
    (folder / "topology").unlink()

    pod = yaml.safe_load_all((acceptance / "kubernetes.yaml").read_text())
    [container] = [one for one in pod if one["kind"] == "Job"][0]["spec"]["template"]["spec"]["containers"]
    for rank, rounds, wanted in [("0", ["n1", "n1", "n1", ""], all_three), ("1", ["n1", ""], all_three[:2]), ("0", ["", ""], all_three[:1])]:
        done, calls = stages(folder, container["command"] + container["args"], rounds, OUTPUT=str(folder / "out"), PET_NODE_RANK=rank, PET_NNODES="2")
        check(done.returncode == 0 and sessions(calls) == wanted, (done, calls))

    text = (acceptance / "slurm.sbatch").read_text()
    written = run("configs", "acceptance/slurm", SCALEMARK_TORCH="/opt/a b/torch").stdout
    program = f"program=${{PROGRAM:-{SCALEMARK.resolve()}}}\nexport SCALEMARK_TORCH=${{SCALEMARK_TORCH:-'/opt/a b/torch'}}\n"
    check(program in written and written.replace(program, "program=${PROGRAM:-./scalemark}\n") == text, written)
    (folder / "job.sbatch").write_text(written)
    done, calls = stages(folder, ("bash", folder / "job.sbatch"), ["", "", ""], SLURM_JOB_END_TIME="9999999999", **job)
    check(done.returncode == 0 and sessions(calls) == all_three[:1], (done, calls))
    check(run("configs", "acceptance/kubernetes").stdout == (acceptance / "kubernetes.yaml").read_text(), "another text of kubernetes.yaml")
    hours, minutes, _ = map(int, re.search(r"--time=(\d+):(\d+):(\d+)", text).groups())
    settings = {name: json.loads((acceptance / f"{name}.json").read_text()) for name in ("node", "fleet")}
    longest = {name: int(one["max_time"].removesuffix("m")) for name, one in settings.items()}
    # One function plans the time of the page, and no other text states it.
    page, list_of_all = ((SOURCE / name).read_text() for name in ("docs/ACCEPTANCE.md", "configs/README.md"))
    for name, most in longest.items():
        [planned] = re.findall(rf"^\| acceptance/{name} \|.*\| ([0-9.]+ min) \|", list_of_all, re.M)
        check(re.search(rf"^\| {name} \| .* \| {planned}, at most {most} min \|$", page, re.M), f"{name}: planned are {planned}, at most {most} min")
    check(3 * 6 >= longest["node"], "a start takes longer than the 6 minutes of a repeated one")
    links = 4
    check(longest["node"] + links + longest["fleet"] + 12 + 30 + 2 * 2 <= 60 * hours + minutes, "the job ends before its second repeat")


def together(folder):
    """Slurm's nodes without a report exchange nothing with the others; one that ends a step of all is left out of the next try, and failed ones of
    the training; suspects are measured by themselves. Where nobody is named, or one node is left, there is no further try."""
    job = {"SLURM_JOB_ID": "1", "SLURM_JOB_NODELIST": "n1,n2,n3,n4", "OUTPUT": str(folder / "out"), "PROGRAM": str(folder / "bin/scalemark")}
    everybody = "n1,n2,n3,n4"
    for rounds, dead, wanted in [
            (["||n4", "|n2|n4", "|n2|n4", "|n2|n4"], "n2", [("links/1", "n1,n2,n3"), ("links/2", "n1,n3"), ("fleet/1", "n1,n3")]),
            (["", "|||n1,n2", "|n3"], "nobody", [("links/1", everybody), ("suspects/1", "n1,n2"), ("fleet/1", everybody)]),
            (["", "|n3", "|n3", "|n3"], "nobody", [("links/1", everybody), ("fleet/1", "n1,n2,n4")]),
            (["", "", "", "", ""], "n3", [("links/1", everybody), ("fleet/1", everybody)]),
            (["", "|n1,n2,n3"], "nobody", [("links/1", everybody)])]:
        done, _ = stages(folder, ("bash", SOURCE / "configs/acceptance/slurm.sbatch"), rounds, DEAD=dead, **job)
        steps = [tuple(line.split()) for line in (folder / "steps").read_text().splitlines()]
        check(steps == [("1/{host}", everybody), *wanted] and done.returncode == 0, (rounds, steps, done))
    done, _ = stages(folder, ("bash", SOURCE / "configs/acceptance/slurm.sbatch"), [""], **(job | {"SLURM_JOB_NODELIST": "n1"}))
    check((folder / "steps").read_text() == "1/{host} n1\n" and not done.stdout, done)


def emptied(folder):
    """What Slurm's script passes, with the real program: a folder of a stage that left no report costs no outcome."""
    [fleet] = fleets(folder, 1, 4, 2, 0.97, seed=5)
    out = folder / "out"
    out.mkdir()
    for stage in ("1", "links", "fleet"):
        (fleet / "acc" / stage).rename(out / stage)
    (folder / "bin").mkdir()
    for name, text in (("srun", "#!/bin/sh\n"), ("scontrol", SCONTROL)):
        (folder / "bin" / name).write_text(text)
        (folder / "bin" / name).chmod(0o755)
    nodes = ",".join(f"node{node:03}" for node in range(4))
    given = run("accept", *(out / stage for stage in ("1", "links", "fleet")), "--nodes", nodes, expect=None)
    done = subprocess.run(["bash", SOURCE / "configs/acceptance/slurm.sbatch"], capture_output=True, text=True, check=False, cwd=SOURCE,
                          env=clean_environment(PATH=f"{folder}/bin:{os.environ['PATH']}", SLURM_JOB_ID="1", SLURM_JOB_NODELIST=nodes,
                                                OUTPUT=out, PROGRAM=SCALEMARK.resolve()))
    check(done.returncode == given.returncode and done.stdout.splitlines()[0] == given.stdout.splitlines()[0] and not done.stderr, (done, given))


def scaling(folder):
    """Where the efficiency failed, or is unsure, explain's own sentences stand below, and the command that says more; else nothing does."""
    seen = collections.Counter()
    for efficiency in (0.97, 0.9, 0.75):
        for fleet in fleets(folder / str(efficiency), 4, 4, 2, efficiency):
            done, forms = accepted(fleet)
            head, *records = map(json.loads, forms["jsonl"].splitlines())
            whole = [one for one in records if one.get("check") == "scaling efficiency" and "value" in one]
            badly = any(one["outcome"] != "passed" for one in whole)
            seen[badly] += 1
            check(("explained" in head) == badly, head)
            if not badly:
                continue
            explained = run(*shlex.split(head["explain_command"])[1:]).stdout
            told, waterfall = head["explained"]
            check(explained.splitlines()[0].split(" (95 %")[0] in told, (explained, told))
            check("communication -" in waterfall, waterfall)
            check(head["explain_command"] in forms["md"], forms["md"])
            seen["shown"] += "\nwhy " in done.stdout and head["explain_command"] in done.stdout
    check(seen[True] and seen[False] and seen["shown"], seen)


run_cases({f.__name__: f for f in (agree, printed, refused, baseline, planned, configs, again, not_measured, large, repeats, together, emptied, scaling)})
