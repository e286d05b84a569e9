"""A ResNet's loss and gradients on mixed batches against torchvision's MixUp and CutMix in float64.

torchvision mixes normalised images and one-hot labels; PyTorch's cross-entropy takes these labels as they are.
"""

import torch
from oracle import folder, image_batch, model_of, normalised, run_tool, save_file, state_of
from torchvision.transforms import v2

LOSS, GRADIENT = 1e-10, 1e-8
SIZE, SAMPLES, CLASSES = 40, 5, 10


def one_hot(label):
    return torch.nn.functional.one_hot(label, CLASSES).double()


def mixed(kind, batch):
    """The field "mixing", and images and labels as torchvision mixes them."""
    images = normalised(batch["image"], torch.float64).permute(0, 3, 1, 2)
    if kind == "mixup":
        share = 0.62109375  # exact in float32
        params, row = {"lam": share}, [share, share, 0, 0, 0, 0]
        transform = v2.MixUp(num_classes=CLASSES)
    else:
        box = (5, 10, 25, 40)  # left, top, right, bottom
        share = 1 - (box[2] - box[0]) * (box[3] - box[1]) / SIZE**2
        params, row = {"box": box, "lam_adjusted": share}, [share, 1, box[1], box[0], box[3], box[2]]
        transform = v2.CutMix(num_classes=CLASSES)
    params |= {"labels": batch["label"], "batch_size": SAMPLES}
    soft = transform._mixup_label(one_hot(batch["label"]), lam=share)  # doubles, where transform() takes floats
    return torch.tensor([row] * SAMPLES), transform.transform(images, params), soft


def compare(kind, label_smoothing, channels_last):
    torch.manual_seed(11)
    model = model_of("resnet50", shallow=True).double().train()
    batch = image_batch(SAMPLES, SIZE, CLASSES)
    mixing, images, soft = mixed(kind, batch)
    with folder() as place:
        weights, data, out = (f"{place}/{name}.safetensors" for name in ("weights", "batch", "out"))
        save_file(state_of(model), weights, metadata={"format": "pt"})
        save_file(batch | {"mixing": mixing, "mixed_label": batch["label"].roll(1)}, data)
        ours = run_tool(workload="resnet50", shallow=1, classes=CLASSES, weights=weights, batch=data, out=out, dtype="double",
                        label_smoothing=label_smoothing, channels_last=channels_last)
    loss = torch.nn.functional.cross_entropy(model(images.contiguous()), soft, label_smoothing=label_smoothing)
    loss.backward()
    error = abs(float(ours["loss"]) / float(loss.detach()) - 1)
    worst = max(float(((ours[f"grad.{name}"] - p.grad).abs() / p.grad.abs().clamp(min=1)).max())
                for name, p in model.named_parameters())
    print(f"{kind} smoothing={label_smoothing} channels_last={channels_last}: loss {float(loss):.6f}, "
          f"relative error {error:.1e}, gradients {worst:.1e}")
    assert error <= LOSS and worst <= GRADIENT


compare("mixup", 0.1, 1)
compare("cutmix", 0.0, 0)
