"""Our strategies beside Python's DistributedDataParallel: every round runs each side once, and odd rounds run them backwards.

    .venv/bin/python scripts/bench/strategy_rounds.py [--rounds 6] [--rows mlp-2,resnet-64-2] [--strategies ddp,flat,sharded]

Needs build/release. Both sides train the same network on the same batch sizes, ranks and threads (pairs.py's rows; Python's BERT
computes its language head on masked positions, as ours does). Prints a Markdown table of geometric means of ratios within rounds,
with 95 % intervals.
"""

import argparse
import dataclasses
import functools
import statistics

import pairs
from ratios import in_turn, interval

PYTHON = "Python DDP"


def sides_of(row, strategies):
    if row.workload == "bert-mini":
        row = dataclasses.replace(row, python=["--masked-head"])
    ours = [(name, functools.partial(pairs.scalemark, dataclasses.replace(row, strategy=name), pairs.SCALEMARK))
            for name in strategies]
    return tuple([(PYTHON, functools.partial(pairs.python, row)), *ours])


def rates_of(row, strategies, rounds):
    """Samples per second of every side, one of each round."""
    sides = sides_of(row, strategies)
    rates = {name: [] for name, _ in sides}
    for number in range(rounds):
        for name, measure in in_turn(number, sides):
            rates[name].append(measure())
    return rates


def against(rates, name, other):
    if name == other:
        return ""
    ratio, bounds = interval([a / b for a, b in zip(rates[name], rates[other])])
    return f"{ratio:.3f}" + (f" ({bounds[0]:.3f} to {bounds[1]:.3f})" if bounds else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--rows", default="linear-2,mlp-2,resnet-64-2,bert-2")
    parser.add_argument("--strategies", default="ddp,flat,sharded")
    options = parser.parse_args()
    rows = {row.name: row for row in pairs.ROWS if row.ranks > 1}
    unknown = set(options.rows.split(",")) - set(rows)
    if unknown:
        parser.error(f"unknown rows: {', '.join(sorted(unknown))}; allowed: {', '.join(rows)}")
    strategies = options.strategies.split(",")
    print("| workload | side | samples/s | against Python DDP (95 %) | against our ddp (95 %) |\n|---|---|---:|---|---|")
    for name in options.rows.split(","):
        row = rows[name]
        rates = rates_of(row, strategies, options.rounds)
        for side, values in rates.items():
            of_ddp = against(rates, side, "ddp") if side in strategies and "ddp" in strategies else ""
            print(f"| {row.workload}, {row.ranks} ranks, batch {row.batch}, {options.rounds} rounds | {side} | "
                  f"{statistics.median(values):,.4g} | {against(rates, side, PYTHON)} | {of_ddp} |", flush=True)


if __name__ == "__main__":
    main()
