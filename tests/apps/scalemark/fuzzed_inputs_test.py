"""Files that strangers make, damaged by chance: each reader ends with an exit code of the list and one line, in bounded time and memory.

Valid files are mutated by byte, by token and by the structure of their JSON. CI tries a few of each reader with one seed; SCALEMARK_SOAK=full
ten minutes with another, which is printed. SCALEMARK_SEED and SCALEMARK_TRIAL ("report 17") repeat one."""

import copy
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import statuses
from program import LAUNCHERS

SOURCE = pathlib.Path(os.environ["SCALEMARK_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["SCALEMARK_BINARY_DIR"])
FULL = os.environ.get("SCALEMARK_SOAK") == "full"
SOAK_S, CI_TRIALS = 600, 8
LIMIT_S, LIMIT_BYTES = 60, 1 << 30
# Verdicts, and: usage, bad data, no input, cannot create, configuration (docs/FAULTS.md).
CODES = {0, 1, 2, 64, 65, 66, 73, 78}
ODD = (None, True, False, 0, -1, 1, 0.5, -0.0, 1e308, -1e308, 1e-320, 2**31, 2**63 - 1, 2**63, 2**64, -2**63, 10**400, "", "x", "-", "\0", "\u202e", "a" * 70_000, [], {},
       [[]], [None] * 5000, {"a": {"b": {}}}, "1e999", "NaN", "../../x", "$(x)", "1,2", "n[1-99999999]", "=1")
RAW = ("NaN", "Infinity", "1e999", "-", "[" * 3000, "{\"a\":" * 200, "\\u0000", "\\ud800", "\xff", "\x00", "}", "]", ",", ":", "\"", "\\", "\n", "\r", "\ufeff", "99999999999999999999")


def places(value, at=()):
    yield at
    for key, one in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(one, (*at, key))


def restructured(document, luck):
    """Returns the document with one to three values replaced, removed, doubled or exchanged."""
    document = json.loads(json.dumps(document))
    for _ in range(luck.randint(1, 3)):
        ways = [way for way in places(document) if way]
        if not ways:
            return copy.deepcopy(luck.choice(ODD))
        way = luck.choice(ways)
        holder = document
        for key in way[:-1]:
            holder = holder[key]
        kind = luck.random()
        if kind < 0.55:
            holder[way[-1]] = copy.deepcopy(luck.choice(ODD))
        elif kind < 0.75:
            del holder[way[-1]]
        elif isinstance(holder, list):
            holder.extend(copy.deepcopy(holder[way[-1]]) for _ in range(luck.choice((1, 2, 50))))
        else:
            other = luck.choice(list(holder))
            holder[way[-1]], holder[other] = holder[other], holder[way[-1]]
    return document


def scrambled(text, luck):
    """Returns the text with bytes or pieces changed, cut, doubled or put in."""
    data = bytearray(text.encode())
    for _ in range(luck.choice((1, 1, 2, 5, 40))):
        at = luck.randrange(len(data) + 1)
        kind = luck.random()
        if kind < 0.3 and at < len(data):
            data[at] = luck.randrange(256)
        elif kind < 0.45:
            del data[at:at + luck.choice((1, 3, 100, len(data)))]
        elif kind < 0.6:
            data[at:at] = data[at:at + luck.choice((1, 20, 1000))] * luck.choice((1, 3))
        elif kind < 0.95:
            data[at:at] = luck.choice(RAW).encode("utf-8", "surrogateescape")
        else:
            del data[at:]
    return bytes(data)


def mutated(documents, joint, luck):
    """A text of these documents, one of them damaged. Without a joint they are texts, of which one is taken."""
    if joint is None:
        return scrambled(luck.choice(documents), luck)
    if luck.random() < 0.6:
        texts = [json.dumps(one) for one in documents]
        number = luck.randrange(len(texts))
        texts[number] = json.dumps(restructured(documents[number], luck))
        return joint.join(texts).encode("utf-8", "surrogatepass")
    return scrambled(joint.join(json.dumps(one) for one in documents), luck)


# Slurm's file, and what ibnetdiscover prints.
TOPOLOGIES = ("# two leaves\nSwitchName=leaf1 Nodes=n[000-001]\nSwitchName=leaf2 \\\n  Nodes=n002,n003 LinkSpeed=1\nSwitchName=spine Switches=leaf[1-2]\n",
              'Switch\t40 "S-0010"\t\t# "leaf1" enhanced port 0 lid 4 lmc 0\n[1]\t"H-00a1"[1](a2) \t\t# "node000 mlx5_0" lid 5 4xHDR\n'
              '[2]\t"H-00b1"[1](b2) \t\t# "node001 mlx5_10" lid 6 4xHDR\n\nCa\t1 "H-00a1"\t\t# "node000 mlx5_0"\n[1](a2) \t"S-0010"[1]\n')


# Tables as people print them, for each reader of tables and cells.
TABLES = ("# Runs\n\n| GPUs | img/s | Speedup |\n|---|---|---|\n| 1 | 412,5 | 1,00 |\n| 4 | 1.571,2 | **3,81\u00d7** (95 %) |\n",
          "> | GPUs | it/s | MFU |\n> |-+-|\n> | 8 | $4.1 \\times 10^{2}$ | 41 % |\n> | 16 | ~~400~~ [398](a) \u00b1 2 | 40 % |\n<!-- | a |\n-->\n```\n| b |\n```\n",
          "<table><tr><th>GPUs<th>img/s<th>Time (h)<tr><td>1<td>310<br>(<del>3</del> runs)<td>12h 30m<tr><td>8<td>2&nbsp;380<td>1:41:07</table>\n",
          "   gpus  images_per_sec  speedup\n0     1           310.2     1.00\n1     8          2380.4     7.67\n\n- 1 GPU: 310 img/s\n- 8 GPUs: 2.38 k img/s, 7.7x\n")
SHEETS = ("sep=;\n# made\nGPUs;\"Throughput; k img/s\";GPU hours\n1;0,310;40,0\n8;2,380;42,1\n", "gpus\timg/s\r1\t310\r8\t2,380\r")


class Readers:
    """Each has valid documents, what stands between them, and how a file of them is read."""

    def __init__(self, folder):
        self.folder = folder
        core_tool = BUILD / "tests/core_tool"
        subprocess.run([core_tool, "write-fleets", folder / "fleets", "1", "4", "2", "1"], check=True)
        subprocess.run([core_tool, "write-sweeps", folder / "made"], check=True)
        fleet = folder / "fleets/0/acc"
        example = json.loads((SOURCE / "results/example/report.json").read_text())
        for point in example["points"]:  # a short one is damaged where it matters
            point["step_samples_s"] = point.get("step_samples_s", [])[:5]
        comm = json.loads((folder / "made/collectives.json").read_text())
        of_fleet = json.loads(sorted(fleet.rglob("report.json"))[0].read_text())
        lines = [json.loads(line) for line in self.made("report", SOURCE / "results/example", "--format", "jsonl").splitlines()]
        self.made("baseline", "make", fleet, "--output", folder / "baseline.json")
        baseline = json.loads((folder / "baseline.json").read_text())
        rules = json.loads((SOURCE / "configs/acceptance/rules/standard.json").read_text())
        rows = [json.loads(line) for line in (SOURCE / "results/published/practice.jsonl").read_text().splitlines()]
        rows += [json.loads(line) for line in (SOURCE / "results/published/aws-samples--deep-learning-models.jsonl").read_text().splitlines()]
        config = {"about": "made", "workload": "mlp", "world_sizes": [1, 2], "batch_sizes": [16, 32], "repetitions": 3, "optimizer": {"name": "sgd"}}
        status = statuses.status_at(100, time.time(), state="complete")
        library = folder / "library"
        library.mkdir()
        self.readers = {
            "report": ((example,), "", "one.json", (("report", "one.json"), ("lint", "one.json"), ("explain", "one.json"))),
            "report of comm": ((comm,), "", "one.json", (("report", "one.json", "--details"),)),
            "report of a fleet": ((of_fleet,), "", "one.json", (("accept", "one.json", fleet), ("compare", "one.json", "one.json"))),
            "json lines": (tuple(lines), "\n", "one.jsonl", (("report", "one.jsonl"),)),
            "status": ((status,), "", "one.json", (("top", "--once", "one.json"),)),
            "rules": ((rules,), "", "one.json", (("accept", fleet, "--rules", "one.json"),)),
            "baseline": ((baseline,), "", "one.json", (("accept", fleet, "--baseline", "one.json"),)),
            "topology": (TOPOLOGIES, None, "topology", (("accept", fleet, "--topology", "topology"),)),
            "tables": (TABLES, None, "one.md", (("lint", "one.md"), ("reproduce", "one.md", "--dry-run", "--fields", "workload=resnet50,precision=fp32,system=A100"))),
            "sheets": (SHEETS, None, "one.csv", (("lint", "one.csv"), ("published", "show", "one.csv", "--allow-unread", "--fields", "system=A100"))),
            "rows": (tuple(rows), "\n", "library/one.jsonl", (("published", "lint", "--library", "library"), ("reproduce", "library/one.jsonl", "--dry-run", "--output", "out"))),
            "configuration": ((config,), "", "one.yaml", (("sweep", "--config", "one.yaml", "--dry-run"),)),
            "nodes": (("node[000-001]", "n[1-3,7],gpu-a[001-002]", "a,b"), ",", None, (("accept", fleet, "--nodes"),)),
        }

    def ran(self, words):
        """Its exit code, stdout and stderr, and the largest memory that it had."""
        environment = {k: v for k, v in os.environ.items() if not LAUNCHERS.match(k)}
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        done = subprocess.run([BUILD / "scalemark", *words], capture_output=True, cwd=self.folder, env=environment, timeout=LIMIT_S, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        assert after <= max(before, LIMIT_BYTES >> 10), f"{after} KiB of memory"
        return done

    def made(self, *words):
        done = self.ran([str(word) for word in words])
        assert done.returncode in (0, 1, 2), done.stderr
        return done.stdout.decode()

    def try_one(self, name, seed, trial):
        documents, joint, file, commands = self.readers[name]
        luck = random.Random(f"{seed} {name} {trial}")
        text = mutated(documents, joint, luck) if file else scrambled(luck.choice(documents), luck)
        if file:
            (self.folder / file).write_bytes(text)
        for command in commands:
            words = [str(word) for word in command] + ([] if file else [text.replace(b"\0", b"").decode("utf-8", "surrogateescape")])
            done = self.ran(words)
            lines = done.stderr.decode(errors="replace").splitlines()
            errors = [line for line in lines if line.startswith("scalemark: error ")]
            assert done.returncode in CODES, f"it ended with {done.returncode}\n{lines}"
            assert len(errors) == (done.returncode > 2), f"{done.returncode} with {len(errors)} lines\n{lines}"
            assert not errors or re.match(rf"scalemark: error E_[A-Z_]+ \(exit {done.returncode}\)", errors[0]), errors
            assert "E_BUG" not in done.stderr.decode(errors="replace"), lines


def main():
    seed = int(os.environ.get("SCALEMARK_SEED", random.SystemRandom().randrange(1 << 32) if FULL else 51))
    print(f"seed {seed} (SCALEMARK_SEED repeats it)", flush=True)
    only = os.environ.get("SCALEMARK_TRIAL")
    with tempfile.TemporaryDirectory() as folder:
        readers = Readers(pathlib.Path(folder))
        end, trial, count = time.monotonic() + SOAK_S, 0, 0
        while only is None and (time.monotonic() < end if FULL else trial < CI_TRIALS):
            for name in readers.readers:
                attempt(readers, name, seed, trial)
                count += 1
            trial += 1
        if only is not None:
            name, number = only.rsplit(" ", 1)
            attempt(readers, name, seed, int(number))
    print(f"{count} damaged inputs")


def attempt(readers, name, seed, trial):
    try:
        readers.try_one(name, seed, trial)
    except (AssertionError, subprocess.TimeoutExpired) as failure:
        file = readers.readers[name][2]
        kept = shutil.copy(readers.folder / file, tempfile.mkdtemp(prefix="fuzzed-")) if file else "its --nodes"
        sys.exit(f"SCALEMARK_SEED={seed} SCALEMARK_TRIAL='{name} {trial}', {kept}: {failure}")


main()
