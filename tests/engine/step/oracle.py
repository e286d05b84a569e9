"""The common part of the training oracles: PyTorch's own networks, losses and optimizers for a case that
`torch_tool parity` runs too, the papers' formulas for LAMB and LARS in numpy, and the comparison."""

import functools
import json
import math
import os
import pathlib
import subprocess
import sys

import numpy as np
import torch
from safetensors.torch import load_file, save_file

RUNNER = [pathlib.Path(os.environ["SCALEMARK_BINARY_DIR"]) / "tests/torch_tool", "parity"]
FULL = os.environ.get("SCALEMARK_SOAK") == "full"  # every case (scripts/soak); else those that cover each part once


class Mlp(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = torch.nn.Linear(1024, 512)
        self.fc2 = torch.nn.Linear(512, 256)
        self.fc3 = torch.nn.Linear(256, 10)

    def forward(self, x):
        return self.fc3(torch.relu(self.fc2(torch.relu(self.fc1(x)))))


class Branching(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = torch.nn.Parameter(torch.randn(6, 8))
        self.branch = torch.nn.Parameter(torch.randn(6, 6))
        self.never = torch.nn.Parameter(torch.randn(3))

    def forward(self, x, label):
        x = x.to(self.trunk.dtype) @ self.trunk.T
        return torch.relu(x) @ self.branch.T if label[0] != 0 else x


class Resnet(torch.nn.Module):
    """torchvision's, on pixels as they come from the loader: NHWC unless `layout` says otherwise. It is ResNet-50 with
    SCALEMARK_SOAK=full; else one with a block of each kind, a third of the parameters and of the time."""

    def __init__(self):
        super().__init__()
        import torchvision

        self.layout = torch.preserve_format
        self.stochastic_depth = 0  # set it, and a block's branch is skipped in that share of the batches
        self.net = torchvision.models.ResNet(torchvision.models.resnet.Bottleneck, STAGES, num_classes=10)
        blocks = [block for layer in (self.net.layer1, self.net.layer2, self.net.layer3, self.net.layer4) for block in layer]
        for number, block in enumerate(blocks, 1):
            block.forward = functools.partial(self.forward_block, block, block.forward, number / len(blocks))

    def forward_block(self, block, whole, depth, x):
        """Draws as ours, and as a person would write it who wants to save the time: a skipped branch is not computed."""
        if self.stochastic_depth == 0:
            return whole(x)
        kept = 1 - depth * self.stochastic_depth
        identity = block.downsample(x) if block.downsample is not None else x
        if torch.empty(1).bernoulli_(kept) == 0:
            return torch.relu(identity)  # block.relu writes into its input
        y = block.relu(block.bn1(block.conv1(x)))
        y = block.relu(block.bn2(block.conv2(y)))
        return block.relu(block.bn3(block.conv3(y)) / kept + identity)

    def forward(self, image):
        like = self.net.fc.weight
        mean = torch.tensor([0.485, 0.456, 0.406], dtype=like.dtype)
        deviation = torch.tensor([0.229, 0.224, 0.225], dtype=like.dtype)
        x = (image.to(like.dtype) / 255 - mean) / deviation
        return self.net(x.permute(0, 3, 1, 2).clone(memory_format=self.layout))


VOCABULARY, SEQUENCE = 200, 16
STAGES = [3, 4, 6, 3] if FULL else [2, 1, 1, 1]  # tests/workloads/shallow_resnet.h
IMAGE = 64 if FULL else 40  # below 33 the last norms see one pixel of each image, and rounding grows beyond any bound


def bert():
    import transformers

    return transformers.BertForPreTraining(
        transformers.BertConfig(
            vocab_size=VOCABULARY, hidden_size=256, num_hidden_layers=4, num_attention_heads=4,
            intermediate_size=1024, hidden_dropout_prob=0, attention_probs_dropout_prob=0))


NETWORKS = {
    "mlp": (Mlp, {"classes": 10}),
    "linear": (lambda: torch.nn.Linear(1000, 10), {"classes": 10}),
    "branching": (Branching, {}),
    "resnet50": (Resnet, {"image_size": IMAGE, "classes": 10, "shallow": not FULL}),
    "bert-mini": (bert, {"sequence_length": SEQUENCE, "vocab_size": VOCABULARY}),
}


def inner(network):
    return network.net if isinstance(network, Resnet) else network


def state(network):
    """Names as `torch_tool parity` writes them: tied names once."""
    return {name: tensor.detach().contiguous().clone()
            for name, tensor in inner(network).state_dict().items()
            if not name.startswith("cls.predictions.decoder.")}


def make_network(workload, dtype, seed=0):
    torch.manual_seed(seed)
    return NETWORKS[workload][0]().to(dtype).train()


def make_batch(workload, samples, seed):
    g = torch.Generator().manual_seed(1000 + seed)
    ints = lambda high, *shape: torch.randint(0, high, shape, generator=g)
    if workload == "resnet50":
        return {"image": ints(256, samples, IMAGE, IMAGE, 3).to(torch.uint8), "label": ints(10, samples)}
    if workload == "bert-mini":
        per_sample = 3
        positions = torch.cat([i * SEQUENCE + torch.randperm(SEQUENCE // 2, generator=g)[:per_sample]
                               for i in range(samples)])
        mask = torch.ones(samples, SEQUENCE, dtype=torch.int64)
        mask[:, SEQUENCE - 4:] = ints(2, samples, 1)  # some sequences are shorter
        return {"input_ids": ints(VOCABULARY, samples, SEQUENCE),
                "token_type_ids": ints(2, samples, SEQUENCE), "attention_mask": mask,
                "masked_positions": positions,
                "masked_labels": ints(VOCABULARY, samples * per_sample),
                "next_sentence_label": ints(2, samples)}
    if workload == "branching":
        label = ints(6, samples)
        label[0] = seed % 2
        return {"features": torch.randn(samples, 8, generator=g), "label": label}
    width = {"mlp": 1024, "linear": 1000}[workload]
    return {"features": torch.randn(samples, width, generator=g), "label": ints(10, samples)}


def joined(workload, batches):
    """One batch that holds the samples of several, in order."""
    result = {}
    for name in batches[0]:
        parts = [b[name] for b in batches]
        if name == "masked_positions":
            offsets = np.cumsum([0] + [b["input_ids"].numel() for b in batches])
            parts = [p + int(o) for p, o in zip(parts, offsets)]
        result[name] = torch.cat(parts)
    return result


def loss_of(workload, network, batch):
    module = getattr(network, "module", network)  # under DistributedDataParallel
    cross_entropy = torch.nn.functional.cross_entropy
    if workload == "resnet50":
        return cross_entropy(network(batch["image"]), batch["label"])
    if workload == "branching":
        return cross_entropy(network(batch["features"], batch["label"]), batch["label"])
    if workload == "bert-mini":
        labels = torch.full(batch["input_ids"].shape, -100)
        labels.view(-1)[batch["masked_positions"]] = batch["masked_labels"]
        return network(input_ids=batch["input_ids"], token_type_ids=batch["token_type_ids"],
                       attention_mask=batch["attention_mask"], labels=labels,
                       next_sentence_label=batch["next_sentence_label"]).loss
    dtype = next(module.parameters()).dtype
    return cross_entropy(network(batch["features"].to(dtype)), batch["label"])


class PaperOptimizer:
    """LAMB (arXiv:1904.00962, algorithm 2) and LARS (arXiv:1708.03888, algorithm 1) in numpy."""

    def __init__(self, parameters, recipe):
        self.parameters, self.recipe, self.t = list(parameters), recipe, 0
        self.m = [np.zeros(p.shape) for p in self.parameters]
        self.v = [np.zeros(p.shape) for p in self.parameters]
        self.rate = recipe["learning_rate"]

    def zero_grad(self):
        for p in self.parameters:
            p.grad = None

    def step(self):
        self.t += 1
        for i, p in enumerate(self.parameters):
            w, g = p.detach().numpy().astype(np.float64), p.grad.numpy().astype(np.float64)
            vector = w.ndim <= 1
            decay = self.recipe.get("weight_decay", 0)
            if vector and not self.recipe.get("decay_norms_and_biases", True):
                decay = 0
            new = getattr(self, self.recipe["optimizer"])(i, w, g, decay, vector)
            with torch.no_grad():
                p.copy_(torch.from_numpy(new))

    def lamb(self, i, w, g, decay, vector):
        b1, b2, eps = 0.9, 0.999, self.recipe.get("eps", 1e-8)
        self.m[i] = b1 * self.m[i] + (1 - b1) * g
        self.v[i] = b2 * self.v[i] + (1 - b2) * g * g
        r = self.m[i] / (1 - b1**self.t) / (np.sqrt(self.v[i] / (1 - b2**self.t)) + eps)
        u = r + decay * w
        norms = np.linalg.norm(w), np.linalg.norm(u)
        trust = 1 if vector or 0 in norms else norms[0] / norms[1]
        return w - self.rate * trust * u

    def lars(self, i, w, g, decay, vector):
        norms = np.linalg.norm(w), np.linalg.norm(g)
        trust = 1 if vector or 0 in norms else 0.001 * norms[0] / (norms[1] + decay * norms[0])
        momentum = self.recipe.get("momentum", 0)
        self.m[i] = momentum * self.m[i] + self.rate * trust * (g + decay * w)
        return w - self.m[i]


def make_optimizer(network, recipe):
    parameters = [p for p in network.parameters() if p.requires_grad]
    name, decay = recipe["optimizer"], recipe.get("weight_decay", 0)
    if name in ("lamb", "lars"):
        return PaperOptimizer(parameters, recipe)
    spared = 0 if not recipe.get("decay_norms_and_biases", True) else decay
    groups = [{"params": [p for p in parameters if p.ndim > 1], "weight_decay": decay},
              {"params": [p for p in parameters if p.ndim <= 1], "weight_decay": spared}]
    if name == "sgd":
        return torch.optim.SGD(groups, lr=recipe["learning_rate"], momentum=recipe.get("momentum", 0),
                               nesterov=recipe.get("nesterov", False))
    kind = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[name]
    return kind(groups, lr=recipe["learning_rate"], eps=recipe.get("eps", 1e-8))


def make_scheduler(optimizer, schedule):
    """torch.optim.lr_scheduler's own for a schedule of ours."""
    from torch.optim import lr_scheduler as s

    warmup, total = schedule.get("warmup_steps", 0), schedule["total_steps"]
    rest, rate = total - warmup, optimizer.param_groups[0]["lr"]
    main = {
        "constant": lambda: s.ConstantLR(optimizer, factor=1),
        "cosine": lambda: s.CosineAnnealingLR(optimizer, T_max=rest),
        "step": lambda: s.MultiStepLR(optimizer, [math.ceil(rest * k / 9) for k in (3, 6, 8)]),
        "linear": lambda: s.LinearLR(optimizer, 1.0, 0.0, total_iters=rest),
        "polynomial": lambda: s.PolynomialLR(optimizer, total_iters=rest, power=2),
        "cyclic": lambda: s.CyclicLR(optimizer, rate / 4, rate, step_size_up=max(1, rest // 8),
                                     cycle_momentum=False),
    }[schedule["kind"]]
    if warmup < 2:
        return main()
    rising = s.LinearLR(optimizer, 1 / warmup, 1.0, total_iters=warmup - 1)
    return s.SequentialLR(optimizer, [rising, main()], milestones=[warmup])


def train(case, network, batches):
    """Runs a case in PyTorch on one process; the losses."""
    recipe, micro = case["recipe"], case.get("accumulation", 1)
    optimizer = make_optimizer(network, recipe)
    scheduler = make_scheduler(optimizer, case["schedule"]) if "schedule" in case else None
    losses = []
    for step in range(case["steps"]):
        optimizer.zero_grad()
        total = 0.0
        for batch in batches[step * micro:(step + 1) * micro]:
            loss = loss_of(case["workload"], network, batch) / micro
            loss.backward()
            total += loss.item()
        if "clip_grad_norm" in recipe:
            torch.nn.utils.clip_grad_norm_(network.parameters(), recipe["clip_grad_norm"])
        optimizer.step()
        if scheduler:
            scheduler.step()
        losses.append(total)
    return losses


def write_case(folder, name, case, batches, rank=0, seed=0):
    """Files of a case, and the case as `torch_tool parity` reads it. It starts from make_network() of the seed."""
    init = folder / f"{case['workload']}-{case['dtype']}-{seed}.init"
    data = folder / f"{name}.{rank}.batches"
    if not init.exists():  # shared: ResNet-50's takes 200 MB
        save_file(state(make_network(case["workload"], getattr(torch, case["dtype"]), seed)), init)
    save_file({f"{i}.{key}": t.contiguous() for i, b in enumerate(batches) for key, t in b.items()},
              data)
    return {**case, "shape": NETWORKS[case["workload"]][1], "init": str(init), "batches": str(data),
            "output": str(folder / f"{name}.{rank}.out")}


def run_ranks(folder, cases_of_rank):
    """Runs `torch_tool parity` once per rank, at the same time; result() reads the outputs."""
    size = len(cases_of_rank)
    store = folder / f"store{size}"
    store.unlink(missing_ok=True)
    running = []
    for rank, cases in enumerate(cases_of_rank):
        path = folder / f"cases.{size}.{rank}.json"
        path.write_text(json.dumps({"rank": rank, "world_size": size, "store": str(store),
                                    "cases": cases}))
        running.append(subprocess.Popen([*RUNNER, path]))
    try:
        codes = [process.wait(timeout=3000) for process in running]
    finally:
        for process in running:
            process.kill()
    if any(codes):
        sys.exit(f"torch_tool parity ended with {codes}")


def result(case):
    """Returns what `torch_tool parity` wrote for a case, and deletes the file."""
    tensors = load_file(case["output"])
    os.unlink(case["output"])
    return tensors


def difference(ours, theirs):
    """The largest over all tensors, relative where a number is above 1."""
    return max(((ours[k].double() - t.double()).abs() / t.double().abs().clamp(min=1)).max().item()
               for k, t in theirs.items() if k in ours)


class Verdict:
    def __init__(self):
        self.failed = False

    def check(self, name, what, difference, allowed):
        bad = not difference <= allowed  # also when it is NaN
        self.failed |= bad
        print(f"{'FAIL' if bad else 'ok  '} {name}: {what} differs by {difference:.2g}, "
              f"allowed {allowed:.2g}")

    def losses(self, name, ours, theirs, allowed=1e-6):
        theirs = torch.as_tensor(theirs, dtype=torch.float64)
        self.check(name, "loss", ((ours.double() - theirs) / theirs).abs().max().item(), allowed)

    def tensors(self, name, ours, theirs, allowed=1e-8):
        missing = set(theirs) - set(ours)
        if missing:
            self.failed = True
            print(f"FAIL {name}: without {sorted(missing)[:5]}")
        self.check(name, "a parameter or buffer", difference(ours, theirs), allowed)

    def equal(self, name, ours, theirs):
        different = [k for k in theirs if not torch.equal(ours[k], theirs[k])]
        self.failed |= bool(different)
        print(f"{'FAIL' if different else 'ok  '} {name}: bitwise equal "
              f"{'except ' + str(different[:5]) if different else ''}")

    def true(self, name, what, holds):
        self.failed |= not holds
        print(f"{'ok  ' if holds else 'FAIL'} {name}: {what}")

    def exit(self):
        sys.exit(1 if self.failed else 0)
