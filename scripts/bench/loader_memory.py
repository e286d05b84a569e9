"""Memory that one more worker of the loader takes, ours (a thread) and Python's (a process of a torch DataLoader), on the same images.

`ours` and `growth` (Python): by how much memory grows from 1 worker to N, by N - 1. Ours is the most that the process
had at once, mapped files included; without a worker the calling thread decodes on the heap of the main thread, which
keeps more, so that 0 is no place to begin. Python's is the sum over the DataLoader's processes in the middle of their
work, pages that they share counted once (PSS), the shared memory of their batches included. `own` is what only that
worker has, `rss` what `top` shows for it. MiB, medians over --rounds.

    SCALEMARK_TEST_DATA=/data .venv/bin/python scripts/bench/loader_memory.py [--workers 4,8] [--rounds 5] [--form raw-256]
"""

import argparse
import json
import re
import statistics
import sys

from pairs import LOADER_PEER, SCALEMARK, images, loader_bench, packed, run


def peak_of_ours(data, workers, seconds):
    return float(re.search(r"at most ([\d.]+) MiB", run([*loader_bench(SCALEMARK), data, 224, workers, seconds])).group(1))


def of_python(workers, seconds):
    out = run([sys.executable, LOADER_PEER, images(), 224, seconds, "--workers", workers, "--memory"])
    return json.loads(out.splitlines()[-1])


def total(memory):
    return memory["main"]["pss"] + sum(worker["pss"] for worker in memory["workers"])


def one_round(data, workers, seconds):
    ours = peak_of_ours(data, workers, seconds) - peak_of_ours(data, 1, seconds)
    one, all_of_them = of_python(1, seconds), of_python(workers, seconds)
    return {"ours": ours / (workers - 1), "growth": (total(all_of_them) - total(one)) / (workers - 1),
            **{key: statistics.mean(worker[key] for worker in all_of_them["workers"]) for key in ("own", "rss")}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", default="4,8", help="a list of numbers above 1 (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--form", choices=("jpeg", "jpeg-256", "raw-256"), help="ours reads packed data")
    options = parser.parse_args()
    data = packed(options.form) if options.form else images()
    print(f"{'workers':>7} {'ours':>8} {'python: growth':>15} {'own':>8} {'rss':>8}   MiB per worker")
    for workers in map(int, options.workers.split(",")):
        rounds = [one_round(data, workers, options.seconds) for _ in range(options.rounds)]
        ours, growth, own, rss = (statistics.median(one[key] for one in rounds) for key in ("ours", "growth", "own", "rss"))
        print(f"{workers:7} {ours:8.1f} {growth:15.1f} {own:8.1f} {rss:8.1f}", flush=True)


if __name__ == "__main__":
    main()
