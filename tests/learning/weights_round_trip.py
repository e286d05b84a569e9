"""Weights that a run saves are those that it evaluated: torchvision's ResNet-50 takes them and gives the same top-1,
and a run that starts from them and hardly moves stays there (bert-mini evaluates alike; ResNet-50's running
statistics go on, so there the parameters are compared, with SCALEMARK_SOAK=full). ResNet-50 on 2 ranks, bert-mini on 1."""

import tempfile
from pathlib import Path

import torch
import torchvision
from safetensors.torch import load_file

from learning import FULL, evaluations_of, make_images, make_text, train
from program import check

SIZE = 32


def held_out_batch(images):
    """Resize and central crop as the run evaluates; by torchvision, so pixels differ by a level or two."""
    tree = torchvision.datasets.ImageFolder(images / "val")
    prepare = torchvision.transforms.Compose([
        torchvision.transforms.Resize((SIZE * 256 + 112) // 224, antialias=True),
        torchvision.transforms.CenterCrop(SIZE), torchvision.transforms.ToTensor(),
        torchvision.transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])])
    return torch.stack([prepare(image) for image, _ in tree]), torch.tensor(tree.targets)


def python_results(weights, images, classes):
    network = torchvision.models.resnet50(num_classes=classes)
    network.load_state_dict(weights, strict=True)
    network.eval()
    pixels, labels = held_out_batch(images)
    with torch.no_grad():
        logits = network(pixels)
    return (float(torch.nn.functional.cross_entropy(logits, labels)),
            float((logits.argmax(1) == labels).float().mean()))


def resnet_goes_round(folder, images):
    common = ["--workload", "resnet50", "--image-size", SIZE, "--batch-size", 16, "--threads", 1, "--data", images]
    saved, again = folder / "resnet.safetensors", folder / "resnet-again.safetensors"
    report, printed = train(folder / "first", *common, "--epochs", 2 if FULL else 1, "--save", saved, "--optimizer", "adamw",
                            "--learning-rate", 3e-4, ranks=2)
    first = evaluations_of(report, printed)[-1]

    weights = load_file(saved)
    loss, top1 = python_results(weights, images, classes=3)
    print(f"resnet50: loss {first['loss']:.5f} top-1 {first['value']:.4f}; "
          f"torchvision {loss:.5f} {top1:.4f}", flush=True)
    check(abs(top1 - first["value"]) <= 1.5 / first["samples"], "torchvision gives another top-1")
    check(abs(loss - first["loss"]) <= 0.03 * max(1, loss), "torchvision gives another loss")

    if not FULL:
        return
    train(folder / "again", *common, "--epochs", 1, "--init-from", saved, "--save", again, "--optimizer", "sgd",
          "--learning-rate", 1e-12, "--momentum", 0, "--weight-decay", 0, ranks=2)
    after = load_file(again)
    check(after.keys() == weights.keys(), "other names in the file")
    parameters = [name for name, _ in torchvision.models.resnet50(num_classes=3).named_parameters()]
    moved = max(float((after[name] - weights[name]).abs().max()) for name in parameters)
    check(moved <= 1e-6, f"a learning rate of 1e-12 moved a parameter by {moved}")


def bert_goes_round(folder, text):
    common = ["--workload", "bert-mini", "--sequence-length", 32, "--batch-size", 16, "--threads", 1, "--data", text]
    saved = folder / "bert.safetensors"
    report, printed = train(folder / "bert", *common, "--epochs", 1, "--save", saved)
    first = evaluations_of(report, printed)[-1]
    report, printed = train(folder / "bert-again", *common, "--epochs", 1, "--init-from", saved,
                            "--learning-rate", 1e-12)
    second = evaluations_of(report, printed)[-1]
    print(f"bert-mini: {first['loss']:.6f}, {first['value']:.4f}; continued {second['loss']:.6f}, "
          f"{second['value']:.4f}", flush=True)
    check(abs(first["loss"] - second["loss"]) <= 1e-4 * first["loss"], "another held-out loss after --init-from")
    check(abs(first["value"] - second["value"]) * first["samples"] <= 1.5, "another accuracy after --init-from")


def main():
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        bert_goes_round(folder, make_text(folder / "text", 60 if FULL else 30))
        images = make_images(folder / "images", 96, size=SIZE, classes=3)
        for file in sorted((images / "train").rglob("*.jpg"))[::2]:  # one step an epoch is left, and all that are held out
            file.unlink()
        resnet_goes_round(folder, images)


if __name__ == "__main__":
    main()
