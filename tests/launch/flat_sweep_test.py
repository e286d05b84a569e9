"""A run of a sweep leaves nothing behind. Memory, threads, descriptors and store keys of both ranks early and late in
one sweep: after 100 and after 200 runs."""

import json
import os
import sys
import tempfile
import time
from pathlib import Path

from torch.distributed import TCPStore  # seconds: before the sweep begins

from launching import finish, free_port, start
from program import SCALEMARK, check
from sweeps import sweep

STRATEGIES = "ddp,flat,sharded,parameter-server,local-sgd"
POINTS = 12  # 1 and 2 ranks of each strategy, the baseline, and solo
# A window of so many runs holds a whole block, so each kind of point, whatever the order.
WINDOW = 2 * POINTS
ALLOWED_PER_RUN = 0.01 / 100  # memory may grow by 1 % from run 100 to run 200
# c10d keeps the last 2,000 collectives for its flight recorder: 1 MB that a longer run has filled within its first points.
FLIGHT_RECORDER = {"TORCH_FR_BUFFER_SIZE": 20}


class Store:
    """The keys in the store that rank 0 holds."""

    def __init__(self, port):
        self.store = TCPStore("127.0.0.1", port, is_master=False, wait_for_workers=False)

    def keys(self):
        return self.store.num_keys()


def sample(pid):
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return {"KiB": int(status["VmRSS"].split()[0]), "threads": int(status["Threads"]),
            "descriptors": len(os.listdir(f"/proc/{pid}/fd"))}


class Rows:
    """Counts the runs that the journal lists."""

    def __init__(self, folder):
        self.journal, self.offset, self.count = folder / "journal.jsonl", 0, 0

    def now(self):
        if self.journal.exists():
            with self.journal.open("rb") as journal:
                journal.seek(self.offset)
                more = journal.read()
            self.offset += len(more)
            self.count += more.count(b'"event":"point"')  # lines are written whole
        return self.count


class Watch:
    """Samples of every rank, by how many runs had finished."""

    def __init__(self, folder, ranks, store):
        self.rows, self.ranks, self.store = Rows(folder), ranks, store
        self.samples = []  # (rows, [per rank], keys)

    def until(self, rows, seconds=600):
        end = time.monotonic() + seconds
        while (done := self.rows.now()) < rows:
            check(time.monotonic() < end, f"no {rows} runs within {seconds} s")
            check(all(rank.poll() is None for rank in self.ranks), f"a rank ended after {done} runs")
            self.samples.append((done, [sample(rank.pid) for rank in self.ranks], self.store.keys()))
            time.sleep(0.001)

    def around(self, rows):
        """The least of each over the last runs before that many had finished, which is what stays between and beside
        runs (a run's own group, files that are being written and a model under construction come and go)."""
        window = [s for s in self.samples if rows - WINDOW <= s[0] < rows]
        ranks = [{what: min(s[1][rank][what] for s in window) for what in window[0][1][rank]}
                 for rank in range(len(self.ranks))]
        return ranks, min(s[2] for s in window)


def main():
    early, late = 100, 200
    repetitions = late // POINTS + 1
    port = free_port()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "out"
        options = sweep("--world-sizes", "1,2", "--batch-size", 1, "--strategies", STRATEGIES, "--local-steps", 1, "--output", folder, repetitions=repetitions)
        # The ranks start like torchrun's: the store is rank 0's, at a port that is known here.
        ranks = [start(SCALEMARK, *options, RANK=rank, LOCAL_RANK=rank, WORLD_SIZE=2, LOCAL_WORLD_SIZE=2, GROUP_RANK=0,
                       MASTER_ADDR="127.0.0.1", MASTER_PORT=port, TORCHELASTIC_RUN_ID="flat", **FLIGHT_RECORDER)
                 for rank in (0, 1)]
        watch = Watch(folder, ranks, Store(port))
        watch.until(late)
        finish(ranks)
        report = json.loads((folder / "report.json").read_text())
        check(len(report["points"]) == repetitions * POINTS, len(report["points"]))
    judge(early, late, watch)
    return 0


def judge(early, late, watch):
    (ranks_before, keys_before), (ranks_after, keys_after) = watch.around(early), watch.around(late)
    allowed = ALLOWED_PER_RUN * (late - early)
    failures = []
    for rank, (before, after) in enumerate(zip(ranks_before, ranks_after)):
        growth = after["KiB"] / before["KiB"] - 1
        print(f"rank {rank}: {before} after {early} runs, {after} after {late}: memory {growth:+.2%} (at most {allowed:.2%})")
        if growth > allowed:
            failures.append(f"rank {rank}'s memory grew by {growth:.2%}")
        failures += [f"rank {rank}'s {what} went from {before[what]} to {after[what]}"
                     for what in ("threads", "descriptors") if before[what] != after[what]]
    print(f"store: {keys_before} keys after {early} runs, {keys_after} after {late}")
    # Results and tasks come and go between two readings, so the least may differ by a key or two; what every block left
    # behind would be more.
    if keys_after - keys_before >= (late - early) // POINTS:
        failures.append(f"keys went from {keys_before} to {keys_after}")
    check(not failures, "; ".join(failures))


if __name__ == "__main__":
    sys.exit(main())
