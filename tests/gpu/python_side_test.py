"""The Python side of gpu_slot, on the CPU: the peer trains the workload that it names, attention is compared backend
by backend. All in this process: torch is imported once."""

import contextlib
import io
import json
import math
import os
import runpy
import sys
from pathlib import Path

SCRIPTS = Path(os.environ["SCALEMARK_SOURCE_DIR"]) / "scripts"
sys.path.insert(0, str(SCRIPTS))

from gpu_slot_steps.judges import attention_agrees  # noqa: E402
from gpu_slot_steps.step import PASSED, Result  # noqa: E402
from program import check  # noqa: E402


os.environ["OMP_NUM_THREADS"] = "1"  # torch reads it when it is imported


def said_by(script, *words):
    sys.argv = [script, "--device", "cpu", *map(str, words)]
    sys.path[0] = str((SCRIPTS / script).parent)
    with contextlib.redirect_stdout(io.StringIO()) as said:
        runpy.run_path(str(SCRIPTS / script), run_name="__main__")
    return said.getvalue()


def peer(*words):
    """Its first loss: that of a network that knows nothing."""
    said = json.loads(said_by("bench/cuda_peer.py", *words, "--iters", 1, "--warmup-iters", 0))
    check(said["samples_per_sec"] > 0, said)
    return said["loss"]


resnet = peer("--workload", "resnet50", "--batch-size", 4, "--image-size", 64)
check(abs(resnet - math.log(1000)) < 1.5, f"ResNet-50 starts at {resnet}, ln(1000) is {math.log(1000):.2f}")
bert = peer("--workload", "bert-mini", "--batch-size", 2, "--sequence-length", 40, "--precision", "amp-fp16")
guessing = math.log(30522) + math.log(2)
check(abs(bert - guessing) < 0.6, f"BERT starts at {bert}, {guessing:.2f} expected")

log = said_by("gpu_slot_steps/attention.py", "--tokens", 48, "--sequences", 3)
verdict = attention_agrees("attention")({"attention": Result(0, log)})
check(verdict.status == PASSED, verdict.figure)
rows = [json.loads(line) for line in log.splitlines()]
check(len(rows) == 3 * 2 * 5 and {row["backend"] for row in rows if "output_error" in row} == {"flash", "math"}, log)
print(f"resnet50 {resnet:.2f}, bert {bert:.2f}; {verdict.figure}")
