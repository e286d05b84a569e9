"""Loss and every gradient against PyTorch: torchvision's resnet50, Hugging Face's BertForPreTraining.

In float64 the loss agrees to 1e-10 relative and every gradient to 1e-8 max(1, |b|); in float32 the
loss to 1e-5. Batch norm's buffers are compared too. Usage: gradients_test.py WORKLOAD...
A shallow ResNet in CI; with SCALEMARK_SOAK=full ResNet-50 in each layout with and without checkpointing and fused layers, and
bert-mini without padding.
"""

import sys

import torch
from oracle import FULL, batch_of, folder, loss_of, model_of, run_tool, save_file, state_of

CASES = {
    "linear": [dict(), dict(label_smoothing=0.1)],
    "mlp": [dict(), dict(label_smoothing=0.1)],
    "resnet50": [dict(channels_last=1), dict(checkpointing=1),
                 *([dict(channels_last=1, fused_layers=0, label_smoothing=0.1), dict(channels_last=0),
                    dict(channels_last=1, checkpointing=1)] if FULL else [])],
    "bert-mini": [dict(padded=True), dict(checkpointing=1), *([dict(padded=False)] if FULL else [])],
    "bert-base": [dict(padded=True, samples=2)],
}


def worst(ours, theirs):
    return float(((ours.double() - theirs.double()).abs() / theirs.double().abs().clamp(min=1)).max())


def compare(workload, dtype, padded=True, label_smoothing=0.0, channels_last=0, checkpointing=0, fused_layers=1,
            **batch_options):
    torch.manual_seed(7)
    model = model_of(workload, shallow=not FULL).to(dtype).train()
    batch = batch_of(workload, padded=padded, **batch_options)
    with folder() as place:
        weights, data, out = (f"{place}/{name}.safetensors" for name in ("weights", "batch", "out"))
        save_file(state_of(model), weights, metadata={"format": "pt"})
        save_file(batch, data)
        ours = run_tool(workload=workload, classes=10, vocab=500, dropout=0, weights=weights, batch=data, out=out,
                        label_smoothing=label_smoothing, channels_last=channels_last, checkpointing=checkpointing,
                        fused_layers=fused_layers, shallow=int(workload == "resnet50" and not FULL), dtype="double" if dtype == torch.float64 else "float")
    loss = loss_of(model, batch, label_smoothing)
    loss.backward()
    loss = loss.detach()
    loss_error = abs(float(ours["loss"]) - float(loss)) / abs(float(loss))
    expected = {f"grad.{n}": p.grad for n, p in model.named_parameters()}
    expected |= {f"buffer.{n}": b for n, b in model.named_buffers() if n in model.state_dict()}
    assert set(ours) - {"loss"} == set(expected), set(ours) ^ set(expected)
    gradient_error = max(worst(ours[name], expected[name]) for name in expected)
    print(f"{workload} {dtype} padded={padded} smoothing={label_smoothing} channels_last={channels_last} checkpointing={checkpointing} "
          f"fused_layers={fused_layers}: "
          f"loss {float(loss):.6f}, relative error {loss_error:.1e}, gradients {gradient_error:.1e}")
    assert loss_error <= (1e-10 if dtype == torch.float64 else 1e-5)
    if dtype == torch.float64:
        assert gradient_error <= 1e-8
        assert max(float(g.abs().max()) for g in expected.values()) > 1e-6  # there was something to compare


for name in sys.argv[1:]:
    smaller = dict(size=40) if name == "resnet50" and not FULL else {}
    for case in CASES[name]:
        compare(name, torch.float64, **case, **smaller)
    # A batch norm over few values is ill-conditioned: in float32, small images differ by 2e-5 from
    # PyTorch's own float64, too.
    larger = dict(samples=8, size=128 if FULL else 64) if name == "resnet50" else {}
    compare(name, torch.float32, **CASES[name][0], **larger)
