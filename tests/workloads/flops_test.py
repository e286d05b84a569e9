"""The catalogue's FLOPs per sample against torch.utils.flop_counter on PyTorch's models.

The counter sees each matrix product and convolution of one forward and backward pass. Hugging Face
runs the MLM head on every token, we on the masked ones: the counter's figure is corrected for that. A second size of both with
SCALEMARK_SOAK=full.
"""

import json
import subprocess

import torch
from torch.utils.flop_counter import FlopCounterMode
from oracle import BERT, FULL, TOOL, batch_of, loss_of, model_of

CASES = [("linear", dict(), 10), ("mlp", dict(), 10), ("resnet50", dict(size=97), 1000), ("bert-mini", dict(length=100), None),
         *([("resnet50", dict(size=64), 10), ("bert-mini", dict(length=48), None)] if FULL else [])]


def counted(workload, classes, **sizes):
    torch.manual_seed(0)
    model = model_of(workload, classes=classes or 10, vocab=30522, attention="eager")
    batch = batch_of(workload, samples=2, classes=classes or 10, vocab=30522, padded=False, **sizes)
    with FlopCounterMode(display=False) as counter:
        loss_of(model, batch).backward()
    flops = counter.get_total_flops() / 2
    if workload in BERT:
        hidden, length = BERT[workload][1], sizes["length"]
        unmasked = length - max(1, round(0.15 * length))
        flops -= 6 * unmasked * (hidden * hidden + hidden * 30522)
    return flops


for workload, sizes, classes in CASES:
    arguments = dict(workload=workload, image_size=sizes.get("size", 224), sequence_length=sizes.get("length", 128),
                     describe=1, **({"classes": classes} if classes else {}))
    out = subprocess.run(TOOL + [f"{k}={v}" for k, v in arguments.items()], capture_output=True, text=True, check=True)
    ours, theirs = json.loads(out.stdout)["flops_per_sample"], counted(workload, classes, **sizes)
    print(f"{workload} {sizes}: ours {ours:,.0f}, counted {theirs:,.0f}")
    assert abs(ours - theirs) <= 1e-12 * theirs
