"""--run-token: ranks with the same file meet, one with another or none is refused, and no output holds the token."""

import os
import subprocess
from pathlib import Path

from endings import Running, closed_report, only_error, run_cases
from launching import await_listener, free_port
from program import SCALEMARK, check, clean_environment, run

TOKEN = "oh6Eith4ohNgaeshieph2Aich9quaiNo"
TRAIN = ("train", "--workload", "linear", "--iters", 20, "--warmup-iters", 2, "--threads", 1, "--no-progress")


def token_file(folder, text=TOKEN, mode=0o600):
    path = folder / f"token-{len(list(folder.iterdir()))}"
    path.write_text(text)
    path.chmod(mode)
    return path


def rank(folder, number, port, *options):
    """Two nodes of one rank each."""
    return Running(*TRAIN, "--nnodes", 2, "--node-rank", number, "--rendezvous", f"127.0.0.1:{port}", *options,
                   "--timeout", "rendezvous=90", "--output", folder / "out")


def files_that_hold(folder, text):
    return [str(path) for path in folder.rglob("*") if path.is_file() and text in path.read_text(errors="replace")]


def ranks_with_the_token_meet(folder):
    """Strangers are refused before, and end nothing."""
    port = free_port()
    mine, copy, theirs = token_file(folder), token_file(folder, TOKEN + "\n"), token_file(folder, TOKEN[::-1])
    with rank(folder, 0, port, "--run-token", mine) as leader:
        await_listener(port)
        with rank(folder, 1, port, "--run-token", theirs) as other, rank(folder, 1, port) as none:
            for stranger in (other, none):
                stranger.end(expect=69, seconds=60)
                only_error(stranger.stderr, "E_RENDEZVOUS", 69, "--run-token")
        check(leader.process.poll() is None, "a stranger ended the run")
        with rank(folder, 1, port, "--run-token", copy) as own:
            leader.end(expect=0)
            own.end(expect=0)
    closed_report(folder / "out", "complete", 0)
    for form in ("jsonl", "html"):
        published = run("report", folder / "out", "--redact", "--format", form).stdout
        check(mine.name not in published and copy.name not in published, "a redacted report names the token's file")
    texts = "".join(one.stdout + one.stderr for one in (leader, own, other, none))
    check(TOKEN not in texts and TOKEN[::-1] not in texts, texts)
    check(files_that_hold(folder / "out", TOKEN) == [], "the token stands in the output")


def launcher_passes_it_on(folder):
    """It may be read once only, as a pipe can; and no command line of a rank holds the token or its digest."""
    port, token = free_port(), token_file(folder)
    with Running(*TRAIN[:3], "--iters", 2_000_000, "--warmup-iters", 2, "--threads", 1, "--no-progress",
                 "--nproc-per-node", 2, "--rendezvous", f"127.0.0.1:{port}", "--run-token", token,
                 "--output", folder / "out") as launched:
        launched.await_event("window")
        ranks = launched.ranks()
        token.unlink()
        lines = [Path(f"/proc/{pid}/cmdline").read_text() for pid in ranks]
        check(len(lines) == 2 and not any(TOKEN in line for line in lines), lines)
        launched.process.terminate()
        launched.end(expect=75)
    check(files_that_hold(folder / "out", TOKEN) == [], "the token stands in the output")


def bad_files(folder):
    def refused(path, code, exit_code, *quoted):
        done = subprocess.run([SCALEMARK, *map(str, TRAIN), "--run-token", path, "--dry-run"], capture_output=True,
                              text=True, env=clean_environment())
        check(done.returncode == exit_code, done.stderr)
        only_error(done.stderr, code, exit_code, *quoted)
    refused(folder / "absent", "E_NO_INPUT", 66, "--run-token")
    refused(token_file(folder, ""), "E_BAD_DATA", 65, "0 characters", "16 characters")
    refused(token_file(folder, "short"), "E_BAD_DATA", 65, "5 characters")
    if os.geteuid() != 0:
        refused(token_file(folder, TOKEN, 0), "E_PERMISSION", 77)
    done = subprocess.run([SCALEMARK, *map(str, TRAIN), "--run-token", token_file(folder, TOKEN, 0o644), "--dry-run"],
                          capture_output=True, text=True, env=clean_environment())
    check(done.returncode == 0 and "chmod 600" in done.stderr and TOKEN not in done.stdout + done.stderr, done.stderr)


run_cases({f.__name__: f for f in (ranks_with_the_token_meet, launcher_passes_it_on, bad_files)})
