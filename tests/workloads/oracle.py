"""The common part of the network oracles: PyTorch's model of each workload, batches, and our tool's runs."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import torch
    import torchvision
    from safetensors.torch import load_file, save_file  # noqa: F401 (for those who import this)
except ImportError as missing:
    print(f"skipped: {missing}; scripts/test installs the oracles (requirements-test.txt)")
    sys.exit(77)

FULL = os.environ.get("SCALEMARK_SOAK") == "full"  # every case (scripts/soak)
torch.set_num_threads(1)  # two spend a fifth more CPU time
TOOL = [Path(os.environ["SCALEMARK_BINARY_DIR"]) / "tests/torch_tool", "network"]
MEAN = torch.tensor([0.485, 0.456, 0.406], dtype=torch.float64)
DEVIATION = torch.tensor([0.229, 0.224, 0.225], dtype=torch.float64)
SHALLOW = [2, 1, 1, 1]  # bottlenecks by stage: each kind of ResNet-50's, in a third of its time (shallow_resnet.h)
BERT = {"bert-mini": (4, 256, 4, 1024), "bert-base": (12, 768, 12, 3072), "bert-large": (24, 1024, 16, 4096)}


def run_tool(**arguments):
    """Runs the tool and returns the tensors it wrote, when `out` was given."""
    done = subprocess.run(TOOL + [f"{key}={value}" for key, value in arguments.items()],
                          capture_output=True, text=True)
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return load_file(arguments["out"]) if "out" in arguments else None


class Mlp(torch.nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.fc1 = torch.nn.Linear(1024, 512)
        self.fc2 = torch.nn.Linear(512, 256)
        self.fc3 = torch.nn.Linear(256, classes)

    def forward(self, x):
        return self.fc3(torch.relu(self.fc2(torch.relu(self.fc1(x)))))


def model_of(workload, classes=10, vocab=500, dropout=0.0, attention="sdpa", zero_init_residual=False, shallow=False):
    if workload == "resnet50":
        return torchvision.models.ResNet(torchvision.models.resnet.Bottleneck, SHALLOW if shallow else [3, 4, 6, 3],
                                         num_classes=classes, zero_init_residual=zero_init_residual)
    if workload == "mlp":
        return Mlp(classes)
    if workload == "linear":
        return torch.nn.Linear(1000, classes)
    import transformers  # here, since it takes seconds and only BERT needs it

    layers, hidden, heads, feed_forward = BERT[workload]
    config = transformers.BertConfig(vocab_size=vocab, num_hidden_layers=layers, hidden_size=hidden,
                                     num_attention_heads=heads, intermediate_size=feed_forward,
                                     hidden_dropout_prob=dropout, attention_probs_dropout_prob=dropout,
                                     attn_implementation=attention)
    return transformers.BertForPreTraining(config)


def vector_batch(workload, samples, classes=10):
    features = 1024 if workload == "mlp" else 1000
    return {"features": torch.randn(samples, features), "label": torch.randint(0, classes, (samples,))}


def image_batch(samples, size, classes=10):
    return {"image": torch.randint(0, 256, (samples, size, size, 3), dtype=torch.uint8),
            "label": torch.randint(0, classes, (samples,))}


def text_batch(samples, length, vocab=500, padded=True):
    real = torch.full((samples,), length)
    if padded:
        real = torch.randint(length // 2, length + 1, (samples,))
        real[0] = length - 1
    inside = torch.arange(length)[None] < real[:, None]
    ids = torch.randint(1, vocab, (samples, length)) * inside
    positions = torch.cat([row * length + torch.randperm(int(n))[: max(1, round(0.15 * int(n)))].sort().values
                           for row, n in enumerate(real)])
    second = (torch.arange(length)[None] >= real[:, None] // 2) & inside
    return {"input_ids": ids, "token_type_ids": second.long(), "attention_mask": inside.long(),
            "masked_positions": positions, "masked_labels": torch.randint(0, vocab, (len(positions),)),
            "next_sentence_label": torch.randint(0, 2, (samples,))}


def batch_of(workload, samples=4, size=64, length=48, padded=True, classes=10, vocab=500):
    if workload == "resnet50":
        return image_batch(samples, size, classes)
    if workload in ("mlp", "linear"):
        return vector_batch(workload, samples, classes)
    return text_batch(samples, length, vocab, padded)


def normalised(image, dtype):
    # Rounded once, as ours: an untrained ResNet-50 turns the last bit of its input into 1e-5 of its loss.
    return ((image.double() / 255 - MEAN) / DEVIATION).to(dtype)


def logits_of(model, batch):
    dtype = next(model.parameters()).dtype
    if "image" in batch:
        return model(normalised(batch["image"], dtype).permute(0, 3, 1, 2).contiguous())
    return model(batch["features"].to(dtype))


def loss_of(model, batch, label_smoothing=0.0):
    if "input_ids" not in batch:
        return torch.nn.functional.cross_entropy(logits_of(model, batch), batch["label"],
                                                 label_smoothing=label_smoothing)
    labels = torch.full(batch["input_ids"].shape, -100)
    labels.view(-1)[batch["masked_positions"]] = batch["masked_labels"]
    return model(input_ids=batch["input_ids"], token_type_ids=batch["token_type_ids"],
                 attention_mask=batch["attention_mask"], labels=labels,
                 next_sentence_label=batch["next_sentence_label"]).loss


def state_of(model):
    """The state dict as Hugging Face saves it: tied tensors once."""
    tied = getattr(model, "_tied_weights_keys", None) or {}
    return {name: tensor.detach().contiguous().clone() for name, tensor in model.state_dict().items()
            if name not in tied}


def folder():
    return tempfile.TemporaryDirectory(prefix="scalemark-oracle-")
