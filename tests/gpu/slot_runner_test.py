"""The steps of gpu_slot as they are taken: limits, the budget, what a failure ends, what is skipped and why, and what is left."""

import json
import os
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

SOURCE = Path(os.environ["SCALEMARK_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE / "scripts"))

from gpu_slot_steps import archive, card, memcheck, plan, table  # noqa: E402
from gpu_slot_steps.commands import Commands  # noqa: E402
from gpu_slot_steps.judges import last_line_of  # noqa: E402
from gpu_slot_steps.place import Place  # noqa: E402
from gpu_slot_steps.runner import PACKING_S, Slot, exit_code, take_steps  # noqa: E402
from gpu_slot_steps.step import Run, Step, passed  # noqa: E402
from endings import check_gone  # noqa: E402
from program import check  # noqa: E402


def step(name, script, expect=0, limit_s=20, needs_s=0, judge=None, **more):
    run = Run(name, ("bash", "-c", script), expect)
    return Step(name, (run,), judge or last_line_of(name), needs_s, limit_s, **more)


def taken(folder, *steps, budget_s=60, rehearsal=None):
    slot = Slot(folder, time.monotonic() + PACKING_S + budget_s, rehearsal)
    return {outcome.name: outcome for outcome in take_steps(steps, slot)}


def expect(outcome, status, text=""):
    check(outcome.verdict.status == status and text in outcome.verdict.figure,
          f"{status} with '{text}' expected: {outcome}")


def endings(folder):
    seen = taken(folder, step("good", "echo first; echo 12.5 /s"),
                 step("bad", "echo 'error E_BUG (exit 70): why' >&2; exit 70"), step("refusal", "exit 78", expect=78),
                 step("wrong-refusal", "exit 0", expect=78), step("skip", "echo SKIPPED: no photos; exit 77"),
                 step("no-program", "exec /no/such/program"),
                 step("counters", "echo ERR_NVGPUCTRPERM; exit 1", excuses=(("ERR_NVGPUCTRPERM", "no permission"), )),
                 step("torn", "true", judge=lambda results: passed(results["torn"].report["points"])))
    expect(seen["good"], "passed", "12.5 /s")
    expect(seen["bad"], "failed", "ended with 70, expected 0: error E_BUG")
    expect(seen["refusal"], "passed")
    expect(seen["wrong-refusal"], "failed", "ended with 0, expected 78")
    expect(seen["skip"], "skipped", "no photos")
    expect(seen["no-program"], "failed", "127")
    expect(seen["counters"], "skipped", "no permission")
    expect(seen["torn"], "failed", "cannot be judged")
    check(seen["bad"].codes == (70,), "codes")
    check(exit_code(seen.values()) == 1 and exit_code([seen["good"], seen["skip"]]) == 0, "exit codes")


def limits(folder):
    start = time.monotonic()
    pid_file = folder / "child"
    seen = taken(folder, step("slow", f"sleep 600 & echo $! > {pid_file}; wait", limit_s=2),
                 step("later", "true", needs_s=100), step("cut", "sleep 600", limit_s=60), budget_s=5)
    expect(seen["slow"], "failed", "did not end within 2 s")
    expect(seen["later"], "skipped", "no time left")
    expect(seen["cut"], "skipped", "no time left: cut was cut off")
    check(time.monotonic() - start < 40, "the budget was overrun")
    child = int(pid_file.read_text())
    check_gone([child])  # a child does not outlive the limit of its step


def what_is_skipped(folder):
    seen = taken(folder, step("tool", "true", tool="no-such-tool"),
                 step("module", "true", needs_python=("no_such_module", )), step("first", "exit 1", fatal=True),
                 step("second", "true"))
    expect(seen["tool"], "skipped", "no no-such-tool on this machine")
    expect(seen["module"], "skipped", "this Python has no no_such_module")
    expect(seen["second"], "skipped", "first failed")


def interruption(folder):
    """SIGTERM ends the step that runs; the table of all steps and the archive are left."""
    words = [
        SOURCE / "scripts/gpu_slot", "--build", os.environ["SCALEMARK_BINARY_DIR"], "--steps", "nvidia-smi,parity.resnet50",
        "--output", "slot"
    ]
    process = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, text=True, start_new_session=True,
                               env=dict(os.environ, PYTHON=sys.executable))
    process.stdout.readline()  # the first step is over: parity is under way
    time.sleep(1)
    os.killpg(process.pid, signal.SIGTERM)
    process.communicate(timeout=60)
    check(process.returncode == 75, f"ended with {process.returncode}")
    first, second = json.loads((folder / "slot/table.json").read_text())["steps"]
    check(first["step"] == "nvidia-smi" and second["figure"] == "the session was interrupted", f"{first} {second}")
    check((folder / "slot/gpu-slot.tar.gz").exists(), "no archive")


class NullDevice:
    """Every command under `env`, as a rehearsal wraps it; the first step that has run gets its violations."""

    def __init__(self, *violations):
        self.found, self.nccl = list(violations), []

    def wrapped(self, words, environment):
        return ("env", "NULL_DEVICE=1", *words), environment

    def violations(self):
        return self.found.pop() if self.found else {}


def rehearsals(folder):
    seen = taken(folder,
                 step("numbers", "test $NULL_DEVICE = 1"),
                 step("broken", "exit 5"),
                 step("tool", "true", not_rehearsed="no tools"),
                 step("control-flow", "echo refused", numbers=False), step("nccl", "true", nccl=True),
                 rehearsal=NullDevice())
    expect(seen["numbers"], "not judged", "no numbers")
    expect(seen["broken"], "failed", "ended with 5")
    expect(seen["tool"], "not judged", "no tools")
    expect(seen["control-flow"], "passed", "refused")
    expect(seen["nccl"], "not judged", "no null NCCL")
    seen = taken(folder, step("empty-grid", "true"), step("next", "true"), rehearsal=NullDevice({"empty grid": 2}))
    expect(seen["empty-grid"], "failed", "done to the device: {'empty grid': 2}")
    expect(seen["next"], "not judged")


def tables(folder):
    outcomes = list(taken(folder, step("good", "echo 'a | b'"), step("tool", "true", tool="no-such-tool")).values())
    facts = {"device": "NVIDIA H200"}
    (folder / "tables").mkdir()
    table.write_tables(folder / "tables", outcomes, facts)
    text, markdown, values = ((folder / "tables" / f"table.{end}").read_text() for end in ("txt", "md", "json"))
    check("device: NVIDIA H200" in text and "1 passed, 0 failed, 1 skipped, 0 not judged" in text, text)
    check("| good | passed |" in markdown and "a \\| b" in markdown, markdown)
    first = json.loads(values)["steps"][0]
    check((first["step"], first["status"], first["exit_codes"]) == ("good", "passed", [0]), values)
    run = folder / "runs" / "good"
    run.mkdir(parents=True)
    for name in ("report.json", "counts.12", "corpus.txt"):
        (run / name).write_text("x")
    (folder / "logs" / "nsys.nsys-rep").write_text("x")
    archive.pack(folder / "a.tar.gz", folder, (folder / "tables").iterdir())
    with tarfile.open(folder / "a.tar.gz") as tar:
        names = set(tar.getnames())
    wanted = {
        "gpu-slot/table.txt", "gpu-slot/logs/good.log", "gpu-slot/runs/good/report.json", "gpu-slot/runs/good/counts.12"
    }
    unwanted = {"gpu-slot/runs/good/corpus.txt", "gpu-slot/logs/nsys.nsys-rep"}
    check(wanted <= names and not unwanted & names, sorted(names))


def pure_parts(folder):
    line = card.described("1980, 2619, 120.50, 41, 1024, 0x0000000000000004\n")
    check(line == "sm 1980 MHz, memory 2619 MHz, 120.50 W, 41 C, 1024 MiB used, throttle reasons 0x0000000000000004",
          line)
    check("said" in card.described(""), "no line")
    check(memcheck.filter_of("--kernel-name arg") == ("--kernel-name", "kns=scalemark"), "filter")
    check(memcheck.filter_of("") == (), "no filter")
    place = Place(Path("/p/scalemark"), Path("/p/countcuda.so"), SOURCE / "scripts", SOURCE / "tests", Path("/torch"))
    steps = plan.all_steps(Commands(place, folder))
    needed = sum(one.needs_s for one in steps)
    check(needed + PACKING_S <= 540, f"the steps need {needed} s")
    check(all(one.needs_s < one.limit_s for one in steps), "a step that needs its limit")
    names = [run.name for one in steps for run in one.runs]
    check(len(set(names)) == len(names), "two runs write one log")
    check([one.name for one in steps if one.fatal] == ["linear"], "fatal steps")


def front(folder):
    """The start: one clear line and a fixed exit code for each bad one."""
    (folder / "text.tar.gz").write_text("no archive")
    subprocess.run(["tar", "-C", SOURCE, "-czf", folder / "other.tar.gz", "README.md"], check=True)
    (folder / "full").mkdir()
    (folder / "full" / "file").write_text("")
    build = ("--build", os.environ["SCALEMARK_BINARY_DIR"])
    cases = [(("no.tar.gz", ), 66, "no file no.tar.gz"), (("text.tar.gz", ), 65, "no tar.gz archive"),
             (("other.tar.gz", ), 65, "holds no scripts/gpu_slot"), ((*build, "--output", "full"), 73, "not empty"),
             (("--build", "nowhere"), 66, "no program at"),
             ((*build, "--steps", "speed.*,lineal"), 64, "no step is called lineal"),
             (("--budget", "soon"), 64, "--budget")]
    for words, code, text in cases:
        done = subprocess.run([SOURCE / "scripts/gpu_slot", *words], cwd=folder, capture_output=True, text=True,
                              env=dict(os.environ, PYTHON=sys.executable))
        check(done.returncode == code and text in done.stderr,
              f"{words}: {done.returncode}, {code} expected\n{done.stderr}")


for case in (endings, limits, what_is_skipped, interruption, rehearsals, tables, pure_parts, front):
    with tempfile.TemporaryDirectory() as name:
        print(f"-- {case.__name__}", flush=True)
        case(Path(name))
