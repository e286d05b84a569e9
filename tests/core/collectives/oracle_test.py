"""The exact data of collectives against numpy, which does each collective itself, in each type and in random order."""

import os
import pathlib
import subprocess
import unittest

import numpy as np

TOOL = pathlib.Path(os.environ["SCALEMARK_BINARY_DIR"]) / "tests/core_tool"


def ask(*lines):
    result = subprocess.run([TOOL, "collectives-answers"], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    return [np.array(line.split(), dtype=np.int64) for line in result.stdout.splitlines()]


def to_bf16(values):
    """Rounded to nearest even, kept in float32."""
    bits = values.astype(np.float32).view(np.uint32)
    bits = bits + 0x7FFF + ((bits >> 16) & 1)
    return (bits & np.uint32(0xFFFF0000)).view(np.float32)


def summed(inputs, kind, order):
    """Adds as a chain of ranks would, each partial sum rounded to the type."""
    if kind == "bf16":
        total = np.zeros(inputs.shape[1], np.float32)
        for rank in order:
            total = to_bf16(total + to_bf16(inputs[rank]))
        return total
    dtype = {"fp32": np.float32, "fp16": np.float16, "int32": np.int32}[kind]
    total = np.zeros(inputs.shape[1], dtype)
    for rank in order:
        total = (total + inputs[rank].astype(dtype)).astype(dtype)
    return total


def outputs_of(collective, inputs, kind, random):
    """Returns what each rank must receive, by the collective's definition."""
    n = len(inputs)
    if collective in ("all-reduce", "reduce", "reduce-scatter"):
        total = summed(inputs, kind, random.permutation(n))
        if collective == "all-reduce":
            return [total] * n
        return [total] + [total[:0]] * (n - 1) if collective == "reduce" else np.split(total, n)
    if collective == "all-gather":
        return [inputs.reshape(-1)] * n
    if collective == "gather":
        return [inputs.reshape(-1)] + [inputs[0][:0]] * (n - 1)
    if collective == "broadcast":
        return [inputs[0]] * n
    if collective == "all-to-all":
        parts = [np.split(row, n) for row in inputs]
        return [np.concatenate([parts[source][rank] for source in range(n)]) for rank in range(n)]
    return [inputs[(rank - 1) % n] for rank in range(n)]  # send-recv


COLLECTIVES = ("all-reduce", "all-gather", "reduce-scatter", "broadcast", "reduce", "gather", "all-to-all", "send-recv")


class Pattern(unittest.TestCase):
    def test_bits_are_numpys(self):
        rows = np.array(ask("bits"))
        values = np.arange(257)
        np.testing.assert_array_equal(rows[:, 0], values.astype(np.float16).view(np.uint16))
        np.testing.assert_array_equal(rows[:, 1], values.astype(np.float32).view(np.uint32) >> 16)
        np.testing.assert_array_equal(to_bf16(values.astype(np.float32)), values)

    def check(self, collective, ranks, elements, turn, random):
        rows = ask(f"{collective} {ranks} {elements} {turn}")
        inputs, expected = np.array(rows[0::2]), rows[1::2]
        for kind in ("fp32", "fp16", "bf16", "int32"):
            for rank, output in enumerate(outputs_of(collective, inputs, kind, random)):
                np.testing.assert_array_equal(output, expected[rank], f"{collective} {kind} {ranks} ranks, rank {rank}")

    def test_every_collective_in_every_type(self):
        random = np.random.default_rng(1)
        for collective in COLLECTIVES:
            for ranks in (1, 2, 3, 4, 7, 64):
                for turn in (0, 1, 12345):
                    self.check(collective, ranks, 5 * ranks, turn, random)

    def test_sums_are_exact_on_thousands_of_ranks(self):
        random = np.random.default_rng(2)
        for ranks in (191, 192, 193, 256, 1000, 4095, 4096):
            self.check("all-reduce", ranks, 130, 3, random)


if __name__ == "__main__":
    unittest.main()
