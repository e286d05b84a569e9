"""A ResNet with --stochastic-depth against torchvision's network with torchvision's own stochastic_depth on each residual
branch, mode "batch", under the same draws: loss, gradients and running statistics in float64.

Torchvision computes a branch that it then multiplies by 0; ours skips it. So its parameters have no gradient here and
zeros there, and its batch norms do not see the batch.
"""

import torch
from oracle import FULL, SHALLOW, batch_of, folder, loss_of, model_of, run_tool, save_file, state_of
from torchvision.ops import stochastic_depth

BLOCKS = [f"layer{stage}.{i}" for stage, count in enumerate(SHALLOW, 1) for i in range(count)]


def skipping(model, share, draws):
    """`model` with stochastic depth; notes in `draws` by block whether the branch was kept."""
    for number, name in enumerate(BLOCKS, 1):
        norm = model.get_submodule(name).bn3

        def drop(module, inputs, output, name=name, p=share * number / len(BLOCKS)):
            kept = stochastic_depth(output, p, "batch", training=True)
            draws[name] = bool(kept.abs().sum() > 0)
            return kept

        norm.register_forward_hook(drop)
    return model


def compare(share, seed, checkpointing, channels_last):
    torch.manual_seed(7)
    draws = {}
    model = skipping(model_of("resnet50", shallow=True).double().train(), share, draws)
    batch = batch_of("resnet50", samples=4, size=40)
    with folder() as place:
        weights, data, out = (f"{place}/{name}.safetensors" for name in ("weights", "batch", "out"))
        save_file(state_of(model), weights, metadata={"format": "pt"})
        save_file(batch, data)
        ours = run_tool(workload="resnet50", shallow=1, classes=10, weights=weights, batch=data, out=out, dtype="double",
                        stochastic_depth=share, draw_seed=seed, checkpointing=checkpointing, channels_last=channels_last)
    torch.manual_seed(seed)
    loss = loss_of(model, batch)
    loss.backward()
    skipped = [name for name, kept in draws.items() if not kept]
    error = abs(float(ours["loss"]) - float(loss.detach())) / abs(float(loss.detach()))
    worst = 0.0
    for name, parameter in model.named_parameters():
        of_skipped = any(name.startswith(f"{block}.conv") or name.startswith(f"{block}.bn") for block in skipped)
        assert (f"grad.{name}" in ours) != of_skipped, f"{name}: skipped {skipped}"
        if of_skipped:
            assert float(parameter.grad.abs().max()) == 0, name
        else:
            scale = parameter.grad.abs().clamp(min=1)
            worst = max(worst, float(((ours[f"grad.{name}"] - parameter.grad).abs() / scale).max()))
    for name, buffer in model.named_buffers():
        if "running" in name and not any(name.startswith(f"{block}.bn") for block in skipped):
            worst = max(worst, float((ours[f"buffer.{name}"] - buffer).abs().max()))
    print(f"P {share} seed {seed} checkpointing {checkpointing} channels_last {channels_last}: skipped {len(skipped)} blocks, loss {float(loss):.6f}, "
          f"relative error {error:.1e}, gradients and statistics {worst:.1e}")
    assert error <= 1e-10 and worst <= 1e-8
    return set(skipped)


# The first is in channels-last with fused layers. A share of 0, which skips nothing, is gradients_test.py's.
skipped = [compare(*case) for case in ((0.5, 6, 1, 1), *([(0.9, 38, 0, 0)] if FULL else []))]
# Only layer1.1 has no convolution in its shortcut: it is skipped, others are, and some block is kept.
assert all("layer1.1" in names and 1 < len(names) < len(BLOCKS) for names in skipped), skipped
