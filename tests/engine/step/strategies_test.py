"""Every strategy with every optimizer on 2 and 4 ranks, over Gloo, against one PyTorch process that computes
the same batches one after the other: parameters in float64 to 1e-8 after all steps, and the payload. A dedicated
server is one process more; it gets no batches.

strategies_test.py [NAME]: the cases whose name holds NAME. A covering subset over 3 steps; with SCALEMARK_SOAK=full all combinations of
accumulation and clipping over 20, and a dedicated server for 4 ranks."""

import itertools
import pathlib
import sys
import tempfile

import torch

import oracle

STRATEGIES = ("ddp", "flat", "sharded", "parameter-server")
STEPS, LOCAL_STEPS = (20, 3) if oracle.FULL else (3, 2)  # the last steps of local-sgd follow no average
OPTIMIZERS = {
    "sgd": {"optimizer": "sgd", "learning_rate": 0.05, "momentum": 0.9, "nesterov": True, "weight_decay": 1e-4},
    "adam": {"optimizer": "adam", "learning_rate": 1e-3, "weight_decay": 1e-2, "decay_norms_and_biases": False},
    "adamw": {"optimizer": "adamw", "learning_rate": 1e-3, "weight_decay": 1e-1},
    "lamb": {"optimizer": "lamb", "learning_rate": 1e-2, "weight_decay": 1e-2, "eps": 1e-6},
    "lars": {"optimizer": "lars", "learning_rate": 0.1, "momentum": 0.9, "weight_decay": 1e-3},
}
# The subset pairs each optimizer with these: micro-steps, and the norm that gradients are clipped to.
PAIRED = {"sgd": (1, None), "adam": (1, 0.5), "adamw": (3, None), "lamb": (3, 0.5), "lars": (1, 0.5)}
ALL = list(itertools.product((1, 3), (None, 0.5)))
BUCKETS = {"bucket_cap_mb": 0.6, "first_bucket_cap_mb": 0.1}
ROUNDED = {"fp16": torch.half, "bf16": torch.bfloat16}
SOME = ("lamb",)  # CI tests it on 4 ranks and with a dedicated server; it uses norms of whole matrices


def mlp_cases(ranks, strategies, **parallel):
    for strategy, (optimizer, recipe) in itertools.product(strategies, OPTIMIZERS.items()):
        if (ranks > 2 or "server" in parallel) and not oracle.FULL and optimizer not in SOME:
            continue
        for accumulation, clip in ALL if oracle.FULL else [PAIRED[optimizer]]:
            yield (f"{strategy} {optimizer} accumulation {accumulation} clip {clip}".replace(" clip None", ""),
                   {"workload": "mlp", "batch": 4, "steps": STEPS, "dtype": "float64", "accumulation": accumulation,
                    "recipe": {**recipe, **({"clip_grad_norm": clip} if clip else {})},
                    "parallel": {**BUCKETS, **parallel, "strategy": strategy}})


def exchanged_differently(plain, ranks, **parallel):
    """CI runs these on 2 ranks: what differs is how a rank sends, not to how many."""
    if ranks > 2 and not oracle.FULL:
        return
    for name, option in (("overlap off", {"overlap": False}), *((word, {"gradient_compression": word}) for word in ROUNDED)):
        yield f"{parallel['strategy']} {name}", {**plain, "parallel": {**BUCKETS, **parallel, **option}}


def cases(ranks):
    yield from mlp_cases(ranks, STRATEGIES)
    yield from mlp_cases(ranks, ["local-sgd"], local_steps=LOCAL_STEPS)
    plain = {"workload": "mlp", "batch": 4, "steps": STEPS, "dtype": "float64", "recipe": OPTIMIZERS["adam"]}
    for strategy in ("sharded", "parameter-server"):
        yield from exchanged_differently(plain, ranks, strategy=strategy)
        # A rank of 4 holds nothing but filling of the first bucket, and a tied parameter.
        yield f"{strategy} linear", {**plain, "workload": "linear", "parallel": {"strategy": strategy}}
        if ranks == 2 and (strategy == "sharded" or oracle.FULL):
            yield f"{strategy} bert-mini", {**plain, "workload": "bert-mini", "batch": 2, "steps": 3,
                                            "recipe": OPTIMIZERS["lamb"], "parallel": {"strategy": strategy}}
        if ranks == 2 and oracle.FULL:
            yield f"{strategy} resnet50", {**plain, "workload": "resnet50", "steps": 2, "recipe": {
                "optimizer": "sgd", "learning_rate": 5e-5, "momentum": 0.9}, "parallel": {"strategy": strategy}}


def cases_with_server(ranks):
    """Each with one process more than there are ranks."""
    dedicated = {"strategy": "parameter-server", "server": "dedicated"}
    yield from mlp_cases(ranks, ["parameter-server"], server="dedicated")
    plain = {"workload": "mlp", "batch": 4, "steps": STEPS, "dtype": "float64", "recipe": OPTIMIZERS["adam"]}
    yield from exchanged_differently(plain, ranks, **dedicated)
    if ranks == 2 and oracle.FULL:
        yield "parameter-server bert-mini", {**plain, "workload": "bert-mini", "batch": 2, "steps": 3,
                                             "recipe": OPTIMIZERS["lamb"], "parallel": dedicated}


def batches_of(case, rank, ranks):
    if rank == ranks:
        return []  # the dedicated server
    count = case["steps"] * case.get("accumulation", 1)
    return [oracle.make_batch(case["workload"], case["batch"], ranks * i + rank) for i in range(count)]


def gradients_of(case, network, batches):
    """Returns the gradients of the mean loss of the batches, by parameter."""
    network.zero_grad()
    for batch in batches:
        (oracle.loss_of(case["workload"], network, batch) / len(batches)).backward()
    return [p.grad.clone() for p in network.parameters()]


def update(case, network, optimizer, gradients):
    for parameter, gradient in zip(network.parameters(), gradients):
        parameter.grad = gradient
    if clip := case["recipe"].get("clip_grad_norm"):
        torch.nn.utils.clip_grad_norm_(network.parameters(), clip)
    optimizer.step()


def of_step(case, batches, step):
    micro = case.get("accumulation", 1)
    return batches[step * micro:(step + 1) * micro]


def one_process(case, batches):
    """All ranks' gradients one after the other, averaged, one update."""
    network = oracle.make_network(case["workload"], torch.float64)
    optimizer = oracle.make_optimizer(network, case["recipe"])
    rounded = ROUNDED.get(case["parallel"].get("gradient_compression"), torch.float64)
    for step in range(case["steps"]):
        of_ranks = [gradients_of(case, network, of_step(case, of_rank, step)) for of_rank in batches]
        mean = [sum(g.to(rounded).double() for g in parts) / len(parts) for parts in zip(*of_ranks)]
        update(case, network, optimizer, mean)
    return [oracle.state(network)] * len(batches)


def local_sgd(case, batches):
    """Each rank's network by itself; parameters are averaged after every LOCAL_STEPS-th step."""
    networks = [oracle.make_network(case["workload"], torch.float64) for _ in batches]
    optimizers = [oracle.make_optimizer(network, case["recipe"]) for network in networks]
    for step in range(case["steps"]):
        for network, optimizer, of_rank in zip(networks, optimizers, batches):
            update(case, network, optimizer, gradients_of(case, network, of_step(case, of_rank, step)))
        if (step + 1) % LOCAL_STEPS == 0:
            with torch.no_grad():
                for parameters in zip(*(network.parameters() for network in networks)):
                    mean = sum(parameters) / len(parameters)
                    for parameter in parameters:
                        parameter.copy_(mean)
    return [oracle.state(network) for network in networks]


def payload_of(case, ranks, rank, gradients):
    """Returns what docs/TRAINING.md says, in bytes."""
    strategy, compression = case["parallel"]["strategy"], case["parallel"].get("gradient_compression")
    parameters = gradients * (4 if compression else 1)
    if "server" in case["parallel"]:  # the server also takes part in its own gathers and scatters
        return gradients + ((ranks + 1) * parameters if rank == ranks else 0)
    return {"ddp": gradients, "flat": gradients, "local-sgd": parameters / LOCAL_STEPS,
            "sharded": gradients + parameters / ranks,
            "parameter-server": gradients + (ranks * parameters if rank == 0 else 0)}[strategy]


def filling(parameters, ours, ranks):
    """Bytes that a payload may be above the formula: each parameter begins at a cache line, and so does each rank's part of a
    bucket, in gradients and, of the server, in every rank's copy of parameters. Norms of matrices, of two lists, and clipping
    add some numbers."""
    buckets = len(ours.get("bucket_bytes", [0]))
    return (64 * parameters + 64 * ranks * buckets) * (1 + ranks) + 8 * (2 * parameters + 2)


def compare(verdict, ranks, name, case, results, expected):
    strategy, compression = case["parallel"]["strategy"], case["parallel"].get("gradient_compression")
    numbers = sum(t.numel() for k, t in expected[0].items() if "running_" not in k and "num_batches" not in k)
    for rank, result in enumerate(results):
        ours, theirs = result, {k: t for k, t in expected[min(rank, ranks - 1)].items()
                                if "running_" not in k and "num_batches" not in k}
        where = f"{ranks} ranks, {name}, rank {rank}"
        verdict.tensors(where, ours, theirs)
        sent, bare = ours["payload_bytes"].item(), payload_of(case, ranks, rank, numbers * (2 if compression else 8))
        buffers = case["workload"] == "resnet50" and strategy == "ddp"
        verdict.true(where, f"payload of {sent} bytes, by formula {bare:.0f}",
                     buffers or bare <= sent + 8 and sent - bare <= filling(len(theirs), ours, ranks))
        if rank == 0 and not compression:  # the descriptor's, in float32
            said = ours["payload_formula_bytes"].item()
            verdict.true(where, f"the descriptor says {said:.0f} bytes", abs(2 * said - bare) < 1)
    if strategy == "local-sgd":
        verdict.true(name, "ranks are apart between two averages",
                     not torch.equal(results[0]["fc1.weight"], results[1]["fc1.weight"]))


def main():
    torch.set_num_threads(1)
    verdict = oracle.Verdict()
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for ranks, servers in ((2, 0), (4, 0), (2, 1), *([(4, 1)] if oracle.FULL else [])):
            kind, made = ("dedicated", cases_with_server) if servers else ("", cases)
            prepared = [(f"{name} {kind}".strip(), case) for name, case in made(ranks) if wanted in f"{name} {kind}"]
            # Other ranks start from other weights: rank 0's must win.
            written = [[oracle.write_case(folder, f"{ranks}-{name}".replace(" ", "-"), case,
                                          batches_of(case, rank, ranks), rank, seed=min(rank, 1))
                        for name, case in prepared] for rank in range(ranks + servers)]
            oracle.run_ranks(folder, written)
            known = {}
            for index, (name, case) in enumerate(prepared):
                reference = local_sgd if case["parallel"]["strategy"] == "local-sgd" else one_process
                same = str([reference, case["parallel"].get("gradient_compression"),
                            {k: v for k, v in case.items() if k != "parallel"}])
                if same not in known:
                    known[same] = reference(case, [batches_of(case, rank, ranks) for rank in range(ranks)])
                compare(verdict, ranks, name, case, [oracle.result(of_rank[index]) for of_rank in written],
                        known[same])
    verdict.exit()


if __name__ == "__main__":
    main()
