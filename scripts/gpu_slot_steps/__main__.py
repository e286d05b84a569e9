"""scripts/gpu_slot after the bundle is unpacked: takes the steps, prints the table, packs what they left."""

import argparse
import os
import shlex
import signal
import sys
import tempfile
import time
from pathlib import Path

from .archive import pack
from .commands import Commands
from .facts import facts_of
from .place import Refused, find_place
from .plan import all_steps
from .rehearsal import open_rehearsal
from .runner import Slot, exit_code, take_steps
from .table import as_text, write_tables

BUDGET_S = 540
DRIVER_FOLDERS = (Path("/usr/local/nvidia/lib64"), Path("/usr/lib/wsl/lib"))


def read_options(words):
    parser = argparse.ArgumentParser(prog="gpu_slot", description="Proves the program on a machine with one GPU.")
    parser.add_argument("--budget", type=float, default=BUDGET_S, metavar="SECONDS", help="for all steps (default 540)")
    parser.add_argument("--output", type=Path, default="gpu-slot", metavar="DIR", help="for the tables and the archive")
    parser.add_argument("--steps", metavar="NAME,...", help="only these; a name may end in *")
    parser.add_argument("--rehearse", action="store_true", help="on the null device: the same steps, but short")
    parser.add_argument("--null-device", type=Path, metavar="CHECKOUT", help="with --rehearse: where it was built")
    parser.add_argument("--covering", action="store_true", help="with --rehearse: a few steps that cover most of it")
    parser.add_argument("--build", metavar="DIR", help="a build folder instead of a bundle")
    parser.add_argument("--list", action="store_true", help="print the steps and their commands, run nothing")
    try:
        return parser.parse_args(words)
    except SystemExit as ending:
        sys.exit(64 if ending.code else 0)


def chosen(steps, options):
    """Returns the steps that --steps and --covering choose; a name that chooses nothing is refused."""
    if options.covering:
        steps = [step for step in steps if step.covering]
    if not options.steps:
        return steps
    names = options.steps.split(",")
    unknown = [name for name in names if not any(matches(step.name, name) for step in steps)]
    if unknown:
        raise Refused(64, f"no step is called {', '.join(unknown)}; --list shows them")
    return [step for step in steps if any(matches(step.name, name) for name in names)]


def matches(name, pattern):
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern


def make_output(folder):
    if folder.exists() and any(folder.iterdir()):
        raise Refused(73, f"{folder} is not empty; name another folder (--output)")
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve()


def list_steps(steps):
    for step in steps:
        print(f"{step.name}  (at most {step.limit_s} s)")
        for run in step.runs:
            print("   ", shlex.join(str(word) for word in run.words))


def environment_of(place):
    """The session's SCALEMARK_* variables are dropped: the program refuses those that it does not know. LD_LIBRARY_PATH
    is kept and extended: container machines may keep the driver's libraries where only it finds them."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SCALEMARK_")}
    named = [folder for folder in kept.get("LD_LIBRARY_PATH", "").split(":") if folder]
    searched = [*named, *(str(folder) for folder in DRIVER_FOLDERS if folder.is_dir())]
    found = {"LD_LIBRARY_PATH": ":".join(searched)} if searched else {}
    return kept | found | {"SCALEMARK_TORCH": str(place.torch)}


def run_slot(options):
    place = find_place(options.build)
    with tempfile.TemporaryDirectory(prefix="gpu-slot-") as scratch:
        work = Path(scratch)
        steps = chosen(all_steps(Commands(place, work, short=options.rehearse)), options)
        if options.list:
            return list_steps(steps)
        deadline = time.monotonic() + options.budget
        rehearsal = open_rehearsal(options.null_device, work) if options.rehearse else None
        output, facts = make_output(options.output), facts_of(place, options.rehearse)
        slot = Slot(work, deadline, rehearsal, environment_of(place),
                    after_each=lambda outcomes: write_tables(output, outcomes, facts))
        outcomes = take_steps(steps, slot)
        archive = pack(output / "gpu-slot.tar.gz", work, output.glob("table.*"))
    print(f"\n{as_text(outcomes, facts)}\n{archive}")
    return exit_code(outcomes)


def main():
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        sys.exit(run_slot(read_options(sys.argv[1:])))
    except KeyboardInterrupt:
        sys.exit("gpu_slot: interrupted; the tables hold the steps that had ended")
    except Refused as refusal:
        print(f"gpu_slot: {refusal}", file=sys.stderr)
        sys.exit(refusal.code)


if __name__ == "__main__":
    main()
