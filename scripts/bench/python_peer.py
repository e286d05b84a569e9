"""The Python side of scripts/bench_against_python: what a careful PyTorch user would write.

Trains one workload eagerly with torch.nn / torchvision / Hugging Face modules, torch.optim (foreach or fused as
PyTorch chooses by itself) and, from 2 ranks on, DistributedDataParallel over Gloo. One fixed batch, made before the
clock starts, as in our synthetic runs. Prints one JSON line: samples per second of all ranks, and the seconds of
warm-up and window. Starts its ranks itself, or is one of torchrun's.
"""

import argparse
import json
import os
import queue
import time

import peer_models


def masked_head(bert, torch):
    """BertForPreTraining whose language head works on the masked positions only, as ours does: the same loss."""

    class MaskedHead(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.whole = bert

        def forward(self, labels, next_sentence_label, **inputs):
            hidden, pooled = self.whole.bert(**inputs)[:2]
            masked = labels != -100
            cross_entropy = torch.nn.functional.cross_entropy
            return (cross_entropy(self.whole.cls.predictions(hidden[masked]), labels[masked])
                    + cross_entropy(self.whole.cls.seq_relationship(pooled), next_sentence_label))

    return MaskedHead()


def make(workload, batch, image_size, sequence_length, on_masked, torch):
    """Model, optimizer, and a function from the model to the loss of one fixed batch."""
    model = peer_models.network(workload, torch)
    cross_entropy = torch.nn.functional.cross_entropy
    if workload in ("linear", "mlp"):
        width = 1000 if workload == "linear" else 1024
        features, labels = torch.randn(batch, width), torch.randint(10, (batch,))
        optimizer = (torch.optim.SGD(model.parameters(), lr=0.01) if workload == "linear" else
                     torch.optim.Adam(model.parameters(), lr=1e-3))
        return model, optimizer, lambda m: cross_entropy(m(features), labels)
    if workload == "resnet50":
        images = torch.randn(batch, 3, image_size, image_size).to(memory_format=torch.channels_last)
        labels = torch.randint(1000, (batch,))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
        return model, optimizer, lambda m: cross_entropy(m(images), labels)
    ids = torch.randint(1000, 30522, (batch, sequence_length))
    labels = torch.where(torch.rand(ids.shape) < 0.15, ids, -100)
    arguments = dict(input_ids=ids, attention_mask=torch.ones_like(ids), token_type_ids=torch.zeros_like(ids),
                     labels=labels, next_sentence_label=torch.randint(2, (batch,)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=0.01)
    if on_masked:
        return masked_head(model, torch), optimizer, lambda m: m(**arguments)
    return model, optimizer, lambda m: m(**arguments).loss


def run(rank, options, results):
    import torch

    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    if options.ranks > 1:
        if options.port:  # else torchrun has said where
            os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(options.port))
        torch.distributed.init_process_group("gloo", rank=rank, world_size=options.ranks)
    model, optimizer, loss_of = make(options.workload, options.batch_size, options.image_size,
                                     options.sequence_length, options.masked_head, torch)
    if options.ranks > 1:
        model = torch.nn.parallel.DistributedDataParallel(model)

    def step():
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=options.precision == "amp-bf16"):
            loss = loss_of(model)
        loss.backward()
        optimizer.step()

    first_step = time.perf_counter()
    for _ in range(options.warmup_iters):
        step()
    if options.ranks > 1:
        torch.distributed.barrier()
    start = time.perf_counter()
    for _ in range(options.iters):
        step()
    if options.ranks > 1:
        torch.distributed.barrier()
    end = time.perf_counter()
    if rank == 0:
        rate = options.iters * options.batch_size * options.ranks / (end - start)
        results.put({"samples_per_sec": rate, "steps_s": end - first_step})
    if options.ranks > 1:
        torch.distributed.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workload", choices=["linear", "mlp", "resnet50", "bert-mini"], required=True)
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch-size", type=int, required=True)
    parser.add_argument("--image-size", type=int, default=224)
    parser.add_argument("--sequence-length", type=int, default=128)
    parser.add_argument("--masked-head", action="store_true", help="BERT: the language head on masked positions only")
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--iters", type=int, default=100)
    parser.add_argument("--warmup-iters", type=int, default=20)
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    if "RANK" in os.environ:  # started by torchrun: this process is one rank
        options.ranks = int(os.environ["WORLD_SIZE"])
        results = queue.SimpleQueue()
        run(int(os.environ["RANK"]), options, results)
        if not results.empty():
            print(json.dumps(results.get()))
        return
    if options.ranks > 1 and options.port == 0:
        import socket

        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            options.port = probe.getsockname()[1]

    import multiprocessing

    context = multiprocessing.get_context("spawn")
    results = context.SimpleQueue()
    processes = [context.Process(target=run, args=(rank, options, results)) for rank in range(options.ranks)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    if any(process.exitcode for process in processes):
        raise SystemExit("a rank failed")
    print(json.dumps(results.get()))


if __name__ == "__main__":
    main()
