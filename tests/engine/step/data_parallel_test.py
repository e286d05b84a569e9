"""Two ranks over Gloo: equal to one rank with twice the batch, to every other way of exchanging the same gradients, and
to PyTorch's DistributedDataParallel. Every optimizer with every strategy is in strategies_test.py. With SCALEMARK_SOAK=full
bert-mini is compared with twice the batch, too, and ResNet-50 also skips branches, accumulates, is contiguous and checkpointed."""

import os
import pathlib
import sys
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from safetensors.torch import load_file, save_file
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks

import oracle

ADAM = {"optimizer": "adam", "learning_rate": 1e-3}
SGD = {"optimizer": "sgd", "learning_rate": 0.05, "momentum": 0.9}
GENTLE = {**SGD, "learning_rate": 5e-5}  # at full rates rounding grows thirtyfold per step
STEPS = 4
# Pairs of cases "flat NAME" and counterpart_of(NAME) that differ in the strategy alone.
FLAT = {
    "small buckets": {"parallel": {"bucket_cap_mb": 0.6, "first_bucket_cap_mb": 0.1}},
    "overlap off": {"parallel": {"overlap": False}},
    "fp16": {"parallel": {"gradient_compression": "fp16"}, "dtype": "float32", "recipe": SGD},
    "bf16": {"parallel": {"gradient_compression": "bf16"}, "dtype": "float32", "recipe": SGD},
    "accumulating": {"accumulation": 3},
}

# The reducer works differently under these options: each compares checkpointing with none on bert-mini.
CHECKPOINTING = {
    "find unused": {"find_unused_parameters": True},
    "static graph": {"static_graph": True},
    "bucket views": {"gradient_as_bucket_view": True, "bucket_cap_mb": 2.0, "first_bucket_cap_mb": 2.0},
}

# PyTorch's own compression, for the Python side.
HOOKS = {"fp16": default_hooks.fp16_compress_hook, "bf16": default_hooks.bf16_compress_hook}

# Ways to exchange the gradients of the mlp in float32 that change no bit. Two addends commute, so
# neither does another bucket layout.
BITWISE = {
    "overlap off": {"overlap": False},
    "bucket views": {"gradient_as_bucket_view": True},
    "bucket views, overlap off": {"gradient_as_bucket_view": True, "overlap": False},
    "small buckets": {"bucket_cap_mb": 0.6, "first_bucket_cap_mb": 0.1},
    "small buckets, overlap off": {"bucket_cap_mb": 0.6, "first_bucket_cap_mb": 0.1,
                                   "overlap": False},
    "static graph": {"static_graph": True},
    "find unused": {"find_unused_parameters": True},
    "no buffers": {"broadcast_buffers": False},
}


def batches_of_rank(case, rank):
    count = case["steps"] * case.get("accumulation", 1)
    return [oracle.make_batch(case["workload"], case["batch"], 2 * i + rank) for i in range(count)]


def draw_seed(rank):
    return 100 + rank


def flat_cases():
    base = {"workload": "mlp", "batch": 4, "steps": 20 if oracle.FULL else 5, "dtype": "float64"}
    for name, change in FLAT.items():
        yield name, {**base, "recipe": {**ADAM, "clip_grad_norm": 0.5}, **change}
    yield "bert-mini", {**base, "workload": "bert-mini", "batch": 2, "steps": 3, "recipe": ADAM}
    if oracle.FULL:
        yield "bert-mini checkpointing", {**base, "workload": "bert-mini", "batch": 2, "steps": 3, "recipe": ADAM,
                                          "checkpointing": True}
    yield "resnet50", {**base, "workload": "resnet50", "steps": 3, "recipe": GENTLE, "channels_last": True}  # its layers are fused


def counterpart_of(name):
    """The case of DDP that "flat NAME" is compared with; ResNet-50's is compared with PyTorch's as well."""
    return f"ddp {name}" if name == "resnet50" else f"as ddp {name}"


def cases():
    ddp = {"strategy": "ddp"}
    base = {"steps": STEPS, "dtype": "float64", "parallel": ddp}
    for workload, batch, recipe in (("linear", 4, SGD), ("mlp", 4, ADAM), ("bert-mini", 2, ADAM)):
        if workload != "bert-mini" or oracle.FULL:
            yield f"halves {workload}", {**base, "workload": workload, "batch": batch, "recipe": recipe}
    mlp = {**base, "workload": "mlp", "batch": 4, "dtype": "float32", "recipe": SGD}
    yield "mlp", mlp
    for name, option in BITWISE.items():
        yield f"mlp {name}", {**mlp, "parallel": {**ddp, **option}}
    yield "mlp fp16", {**mlp, "parallel": {**ddp, "gradient_compression": "fp16"}}
    yield "mlp fp16, overlap off", {
        **mlp, "parallel": {**ddp, "gradient_compression": "fp16", "overlap": False}}
    for name in HOOKS:
        # In float64: where both sides round the same numbers, they round alike.
        yield f"ddp {name}", {**mlp, "dtype": "float64", "parallel": {**ddp, "gradient_compression": name}}
    yield "mlp without communication", {**mlp, "without_communication": True}
    twice = {**mlp, "accumulation": 2}
    yield "accumulating", twice
    for name, option in (("bucket views", {"gradient_as_bucket_view": True}),
                         ("find unused", {"find_unused_parameters": True})):
        yield f"accumulating {name}", {**twice, "parallel": {**ddp, **option}}
    for name, case in flat_cases():
        for label, strategy in ((f"flat {name}", "flat"), (counterpart_of(name), "ddp")):
            yield label, {**case, "parallel": {**case.get("parallel", {}), "strategy": strategy}}
    yield "flat without communication", {**mlp, "parallel": {"strategy": "flat"},
                                         "without_communication": True}
    # DDP's names for the two: a size that is given counts for the first bucket too.
    sized = {**base, "workload": "mlp", "batch": 4, "recipe": SGD}
    yield "ddp default buckets", sized
    yield "ddp buckets", {**sized, "parallel": {**ddp, "bucket_cap_mb": 2.0,
                                                "first_bucket_cap_mb": 2.0}}
    yield "ddp branching", {**base, "workload": "branching", "batch": 4, "recipe": ADAM, "steps": 6,
                            "parallel": {**ddp, "find_unused_parameters": True}}
    for name, option in CHECKPOINTING.items():
        yield f"checkpointing {name}", {**base, "workload": "bert-mini", "batch": 2, "steps": 3, "recipe": ADAM,
                                        "parallel": {**ddp, **option}, "checkpointing": True}
    resnet = {**base, "workload": "resnet50", "batch": 4, "recipe": GENTLE}
    if oracle.FULL:
        yield "ddp skipping", {**resnet, "steps": 2, "checkpointing": True, "stochastic_depth": 0.6,
                               "parallel": {**ddp, "find_unused_parameters": True}}
        for name, checkpointing in (("resnet50 accumulating", False), ("checkpointing accumulating", True)):
            yield f"ddp {name}", {**resnet, "steps": 2, "accumulation": 2, "checkpointing": checkpointing}
        for name, checkpointing in (("resnet50 contiguous", False), ("checkpointing", True)):
            yield f"ddp {name}", {**resnet, "steps": 3, "checkpointing": checkpointing}


def train_in_ddp(rank, folder, named_cases):
    """PyTorch's DistributedDataParallel on one of two ranks; its state and losses as a file."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/ddp", rank=rank, world_size=2)
    for name, case in named_cases:
        network = oracle.make_network(case["workload"], getattr(torch, case["dtype"]), seed=rank)
        ddp = torch.nn.parallel.DistributedDataParallel(
            network, bucket_cap_mb=case["parallel"].get("bucket_cap_mb"),
            find_unused_parameters=case["parallel"].get("find_unused_parameters", False))
        if compression := case["parallel"].get("gradient_compression"):
            ddp.register_comm_hook(None, HOOKS[compression])
        optimizer = oracle.make_optimizer(network, case["recipe"])
        if "stochastic_depth" in case:
            network.stochastic_depth = case["stochastic_depth"]
            torch.manual_seed(draw_seed(rank))
        batches, micro, losses = batches_of_rank(case, rank), case.get("accumulation", 1), []
        for step in range(case["steps"]):
            total = 0.0
            for i in range(micro):
                ddp.require_backward_grad_sync = i == micro - 1  # no_sync() sets this
                loss = oracle.loss_of(case["workload"], ddp, batches[step * micro + i]) / micro
                loss.backward()
                total += loss.item()
            optimizer.step()
            optimizer.zero_grad()
            losses.append(total)
        sizes = ddp._get_ddp_logging_data().get("rebuilt_bucket_sizes") or "0"
        buckets = torch.tensor([int(size) for size in sizes.split(", ")])
        save_file({**oracle.state(network), "bucket_bytes": buckets, "loss": torch.tensor(losses, dtype=torch.float64)},
                  os.path.join(folder, f"{name}.{rank}.ddp".replace(" ", "-")))
    dist.destroy_process_group()


def compare_halves(verdict, folder, prepared, ranks):
    """Two ranks x B, and accumulation 2 x B, against one rank x 2B."""
    whole, names = [], []
    for index, (name, case) in enumerate(prepared):
        if not name.startswith("halves"):
            continue
        alone = {**case, "parallel": {}}
        pairs = list(zip(batches_of_rank(case, 0), batches_of_rank(case, 1)))
        joined = [oracle.joined(case["workload"], pair) for pair in pairs]
        turns = [batch for pair in pairs for batch in pair]
        file = name.replace(" ", "-")
        whole.append(oracle.write_case(folder, file + "-joined", alone, joined))
        whole.append(oracle.write_case(folder, file + "-turns", {**alone, "accumulation": 2}, turns))
        names.append((name, index))
    oracle.run_ranks(folder, [whole])
    results = [oracle.result(case) for case in whole]
    for k, (name, index) in enumerate(names):
        joined, turns = results[2 * k], results[2 * k + 1]
        weights = {n: t for n, t in joined.items() if not n.endswith("_bytes") and n != "loss"}
        mean_loss = (ranks[0][index]["loss"] + ranks[1][index]["loss"]) / 2
        verdict.losses(f"{name}: 2 ranks x B", mean_loss, joined["loss"])
        verdict.tensors(f"{name}: 2 ranks x B", ranks[0][index], weights)
        verdict.losses(f"{name}: accumulation 2 x B", turns["loss"], joined["loss"])
        verdict.tensors(f"{name}: accumulation 2 x B", turns, weights)


def weights_of(result):
    return {k: t for k, t in result.items() if not k.endswith("_bytes")}


def compare_exchanges(verdict, by_name):
    plain = by_name["mlp"]
    for name in BITWISE:
        for rank in (0, 1):
            verdict.equal(f"mlp {name}, rank {rank}", by_name[f"mlp {name}"][rank],
                          weights_of(plain[rank]))
    turns = by_name["accumulating"]
    for name in ("bucket views", "find unused"):
        verdict.equal(f"accumulating {name}", by_name[f"accumulating {name}"][0],
                      weights_of(turns[0]))
    fp16 = by_name["mlp fp16"]
    verdict.tensors("mlp fp16", fp16[0], {k: t for k, t in weights_of(plain[0]).items() if k != "loss"},
                    1e-3)
    verdict.true("mlp fp16", "not what fp32 gives",
                 not torch.equal(fp16[0]["fc1.weight"], plain[0]["fc1.weight"]))
    verdict.equal("mlp fp16, overlap off", by_name["mlp fp16, overlap off"][0], weights_of(fp16[0]))
    silent = by_name["mlp without communication"]
    verdict.true("mlp without communication", "the ranks drift apart",
                 not torch.equal(silent[0]["fc1.weight"], silent[1]["fc1.weight"]))
    for name, (first, second) in by_name.items():
        if "without" not in name:
            apart = [k for k in first if "running_" not in k and k != "loss"
                     and not torch.equal(first[k], second[k])]
            verdict.true(name, f"both ranks hold the same weights {apart[:3] or ''}", not apart)


def compare_flat(verdict, by_name):
    """Every parameter, on both ranks; running statistics are rank 0's own."""
    for name, case in flat_cases():
        for rank in (0, 1):
            theirs = {k: t for k, t in weights_of(by_name[counterpart_of(name)][rank]).items()
                      if k != "loss" and "running_" not in k}
            allowed = 1e-8 if case["dtype"] == "float64" else 1e-6
            verdict.tensors(f"flat {name}, rank {rank}", by_name[f"flat {name}"][rank], theirs,
                            allowed)
    statistics = {k: t for k, t in by_name["ddp resnet50"][0].items() if "running_" in k}
    verdict.tensors("flat resnet50, statistics of rank 0", by_name["flat resnet50"][0], statistics)


def compare_checkpointing(verdict, by_name):
    """The same numbers with and without: losses, weights and running statistics."""
    pairs = {"flat bert-mini checkpointing": "flat bert-mini", "as ddp bert-mini checkpointing": "as ddp bert-mini",
             "ddp checkpointing": "ddp resnet50 contiguous", "ddp checkpointing accumulating": "ddp resnet50 accumulating",
             **{f"checkpointing {name}": "as ddp bert-mini" for name in CHECKPOINTING}}
    for name, without in pairs.items():
        for rank in (0, 1) if name in by_name else ():
            verdict.tensors(f"{name}, rank {rank}", by_name[name][rank], weights_of(by_name[without][rank]), 1e-12)


def compare_payload(verdict, by_name):
    numbers = 1024 * 512 + 512 + 512 * 256 + 256 + 256 * 10 + 10
    # A flat buffer is filled up to whole cache lines: 10 biases take 16 numbers.
    flat = by_name["flat without communication"][0]
    verdict.true("flat", "bytes are every gradient once, in whole cache lines",
                 flat["payload_bytes"].item() == (numbers + 6) * 4 == flat["bucket_bytes"].sum())
    for name, size in (("mlp", 4), ("mlp small buckets", 4), ("mlp fp16", 2), ("ddp bf16", 2)):
        sent = by_name[name][0]
        verdict.true(name, f"{sent['payload_bytes'].item()} bytes are every gradient once",
                     sent["payload_bytes"].item() == numbers * size == sent["bucket_bytes"].sum())
    # A bucket closes with the tensor that takes it over its cap: fc3 and fc2, then fc1.
    sizes = by_name["mlp small buckets"][0]["bucket_bytes"].tolist()
    verdict.true("mlp small buckets", f"several buckets: {sizes}", sizes == [535592, 2099200])
    resnet = by_name["ddp resnet50"][0]
    counter = 8  # all batch norms share one
    buffers = counter + sum(t.numel() * t.element_size() for k, t in resnet.items()
                            if "running_" in k)
    verdict.true("resnet50", "payload is buckets and batch-norm buffers", resnet["payload_bytes"].item()
                 == resnet["bucket_bytes"].sum().item() + buffers)


def main():
    torch.set_num_threads(1)
    verdict = oracle.Verdict()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        wanted = sys.argv[1] if len(sys.argv) > 1 else ""  # called by hand: only some cases run
        prepared = [(name, case) for name, case in cases() if wanted in name]
        # Rank 1 starts from other weights: rank 0's must win.
        written = [[oracle.write_case(folder, name.replace(" ", "-"), {**case, "draw_seed": draw_seed(rank)},
                                      batches_of_rank(case, rank), rank, seed=rank)
                    for name, case in prepared] for rank in (0, 1)]
        oracle.run_ranks(folder, written)
        ranks = [[oracle.result(case) for case in of_rank] for of_rank in written]
        by_name = {p[0]: (ranks[0][i], ranks[1][i]) for i, p in enumerate(prepared)}
        if not wanted:
            compare_halves(verdict, folder, prepared, ranks)
            compare_exchanges(verdict, by_name)
            compare_flat(verdict, by_name)
            compare_checkpointing(verdict, by_name)
            compare_payload(verdict, by_name)

        in_ddp = [(name, case) for name, case in prepared if name.startswith("ddp")]
        # Forked, they need not import torch and the networks anew; nothing before has started a thread.
        mp.start_processes(train_in_ddp, args=(temporary, in_ddp), nprocs=2, start_method="fork")
        for name, case in in_ddp:
            for rank in (0, 1):
                theirs = load_file(folder / f"{name}.{rank}.ddp".replace(" ", "-"))
                sizes = theirs.pop("bucket_bytes").tolist()
                if "stochastic_depth" in case:  # our norms share a counter, which counts batches that some of them skip
                    theirs = {k: t for k, t in theirs.items() if not k.endswith("num_batches_tracked")}
                if "gradient_compression" in case["parallel"]:  # DDP reports what it compresses, float64
                    sizes = [size // 4 for size in sizes]
                if "unused" not in str(case["parallel"]):  # DDP reports sizes after rebuilding only
                    buckets = by_name[name][rank]["bucket_bytes"].tolist()
                    if case["workload"] == "resnet50" and not oracle.FULL:
                        # One ends within a block of the shallow network, whose gradients come in another order than PyTorch's.
                        sizes, buckets = sum(sizes), sum(buckets)
                    verdict.true(name, f"DDP's buckets: {sizes}", sizes == buckets)
                verdict.losses(f"{name}, rank {rank}", by_name[name][rank]["loss"],
                               theirs.pop("loss"))
                verdict.tensors(f"{name} and its buffers, rank {rank}", by_name[name][rank], theirs)
    verdict.exit()


if __name__ == "__main__":
    main()
