"""The Python side on a GPU: what a careful PyTorch user would write, doing the work that scalemark does.

The same work: ResNet-50 in channels last, its batches as uint8 in pinned host memory, copied every step without
waiting and normalised on the device; BERT with the MLM head on the masked tokens only, gathered before the head,
no attention mask since nothing is padded, gradients clipped at 1.0; autocast with float32 weights, a gradient scaler
for fp16; fused SGD or AdamW, norms and biases without decay in BERT; cuDNN's search for the fastest convolutions;
torch's scaled-dot-product attention; four synthetic batches in turn. Never asked for: torch.compile, CUDA graphs.
It reads no loss inside the window; ours keeps every step's by an asynchronous copy. Prints one JSON line.

`--device cpu` runs the same code where there is no GPU, as a check of this file, not of speed.
"""

import argparse
import json
import time

import peer_models

BATCHES = 4
MASKED_SHARE = 0.15
VOCABULARY = 30522
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class Images:
    """ResNet-50: uint8 NHWC on the host, normalised on the device into channels last."""

    def __init__(self, options, torch, device):
        self.torch = torch
        self.mean = torch.tensor(MEAN, device=device).mul_(255)
        self.factor = 1 / torch.tensor(DEVIATION, device=device).mul_(255)
        size = options.image_size
        self.host = [(torch.randint(256, (options.batch_size, size, size, 3), dtype=torch.uint8),
                      torch.randint(1000, (options.batch_size,))) for _ in range(BATCHES)]

    def loss(self, model, batch):
        pixels, labels = batch
        images = ((pixels.float() - self.mean) * self.factor).permute(0, 3, 1, 2)  # channels last in memory
        return self.torch.nn.functional.cross_entropy(model(images), labels)

    def optimizer(self, model, fused):
        return self.torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4, fused=fused)

    clip = None


class Tokens:
    """BERT: the two pre-training losses, the MLM head on the masked positions."""

    clip = 1.0

    def __init__(self, options, torch, device):
        self.torch = torch
        n, s = options.batch_size, options.sequence_length
        masked = max(1, round(MASKED_SHARE * s))
        self.host = []
        for _ in range(BATCHES):
            segments = (torch.arange(s) >= (s + 1) // 2).long().repeat(n, 1)
            chosen = torch.rand(n, s).argsort(1)[:, :masked].sort(1).values + s * torch.arange(n)[:, None]
            self.host.append((torch.randint(1, VOCABULARY, (n, s)), segments, chosen.flatten(),
                              torch.randint(1, VOCABULARY, (n * masked,)), torch.randint(2, (n,))))

    def loss(self, model, batch):
        ids, segments, positions, labels, next_labels = batch
        body = model.bert(input_ids=ids, token_type_ids=segments)
        hidden = body.last_hidden_state
        rows = hidden.reshape(-1, hidden.size(2)).index_select(0, positions)
        words, next_sentence = model.cls.predictions(rows), model.cls.seq_relationship(body.pooler_output)
        cross_entropy = self.torch.nn.functional.cross_entropy
        return cross_entropy(words, labels) + cross_entropy(next_sentence, next_labels)

    def optimizer(self, model, fused):
        weights = list(model.parameters())
        groups = [dict(params=[p for p in weights if p.dim() > 1], weight_decay=0.01),
                  dict(params=[p for p in weights if p.dim() <= 1], weight_decay=0.0)]
        return self.torch.optim.AdamW(groups, lr=1e-4, eps=1e-6, fused=fused)


def make_step(options, torch, device):
    """A function that does one training step."""
    torch.manual_seed(0)
    cuda = device.type == "cuda"
    torch.backends.cudnn.benchmark = True
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = options.precision == "tf32"
    work = (Images if options.workload == "resnet50" else Tokens)(options, torch, device)
    if cuda:
        work.host = [tuple(field.pin_memory() for field in batch) for batch in work.host]
    model = peer_models.network(options.workload, torch).to(device).train()
    optimizer = work.optimizer(model, fused=cuda)
    scaler = torch.amp.GradScaler(device.type, enabled=options.precision == "amp-fp16")
    dtype = torch.float16 if options.precision == "amp-fp16" else torch.bfloat16
    parameters = list(model.parameters())
    count = 0

    def step():
        nonlocal count
        batch = [field.to(device, non_blocking=True) for field in work.host[count % BATCHES]]
        count += 1
        with torch.autocast(device.type, dtype=dtype, enabled=options.precision.startswith("amp")):
            loss = work.loss(model, batch)
        scaler.scale(loss).backward()
        if work.clip:
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(parameters, work.clip)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)
        return loss

    return step


def measure(options, torch):
    device = torch.device(options.device)
    wait = torch.cuda.synchronize if device.type == "cuda" else lambda: None
    step = make_step(options, torch, device)
    for _ in range(options.warmup_iters):
        step()
    wait()
    start = time.perf_counter()
    for _ in range(options.iters):
        loss = step()
    wait()
    wall_s = time.perf_counter() - start
    return {"samples_per_sec": options.iters * options.batch_size / wall_s, "wall_s": wall_s, "loss": loss.item()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workload", choices=["resnet50", *peer_models.BERT_SIZES], required=True)
    parser.add_argument("--precision", choices=["fp32", "tf32", "amp-fp16", "amp-bf16"], default="fp32")
    parser.add_argument("--batch-size", type=int, required=True)
    parser.add_argument("--image-size", type=int, default=224)
    parser.add_argument("--sequence-length", type=int, default=128)
    parser.add_argument("--iters", type=int, default=100)
    parser.add_argument("--warmup-iters", type=int, default=20)
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    options = parser.parse_args()

    import torch

    print(json.dumps(measure(options, torch)))


if __name__ == "__main__":
    main()
