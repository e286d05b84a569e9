"""Strategy data-parallel with every optimizer, 2 and 4 replicas in one process, in float64 to 1e-8 after 3 steps (20 with
SCALEMARK_SOAK=full): against one PyTorch process that computes the replicas' batches one after the other, and against
torch.nn.DataParallel's scheme (which itself takes GPUs only) spelled with torch.func.functional_call: replicate,
scatter, forward, gather, the loss of all outputs, one backward.

replicas_test.py [NAME]: the cases whose name holds NAME."""

import pathlib
import sys
import tempfile

import torch
from torch.nn.functional import cross_entropy

import oracle
import strategies_test as strategies

ADAM = strategies.OPTIMIZERS["adam"]
PARALLEL = {"strategy": "data-parallel"}


def cases(replicas):
    for name, case in strategies.mlp_cases(replicas, ["data-parallel"]):
        yield name, {**case, "parallel": PARALLEL}
    plain = {"batch": 2, "steps": 3, "dtype": "float64", "recipe": ADAM, "parallel": PARALLEL}
    yield "branching", {**plain, "workload": "branching", "batch": 4, "accumulation": 3, "steps": 6}
    if replicas == 2:
        if oracle.FULL:
            yield "bert-mini", {**plain, "workload": "bert-mini", "accumulation": 2}
        yield "bert-mini unequal", {**plain, "workload": "bert-mini"}
        yield "resnet50", {**plain, "workload": "resnet50", "batch": 4, "steps": 2, "accumulation": 2 if oracle.FULL else 1,
                           "recipe": {"optimizer": "sgd", "learning_rate": 5e-5, "momentum": 0.9}}


def batches_of(name, case, replica, replicas):
    batches = strategies.batches_of(case, replica, replicas)
    if "unequal" in name:  # the mean over all outputs must not be the mean of the replicas' means
        for batch in batches:
            for field in ("masked_positions", "masked_labels"):
                batch[field] = batch[field][:len(batch[field]) - 2 * replica]
    return batches


def outputs_of(case, network, state, batch):
    call = lambda *inputs, **named: torch.func.functional_call(network, state, inputs, named)
    if case["workload"] == "bert-mini":
        both = call(input_ids=batch["input_ids"], token_type_ids=batch["token_type_ids"],
                    attention_mask=batch["attention_mask"])
        return both.prediction_logits, both.seq_relationship_logits
    if case["workload"] == "branching":
        return [call(batch["features"].double(), batch["label"])]
    return [call(batch["image"] if "image" in batch else batch["features"].double())]


def loss_of_outputs(case, outputs, batch):
    if case["workload"] != "bert-mini":
        return cross_entropy(outputs[0], batch["label"])
    labels = torch.full(batch["input_ids"].shape, -100)
    labels.view(-1)[batch["masked_positions"]] = batch["masked_labels"]
    return (cross_entropy(outputs[0].flatten(0, 1), labels.flatten())
            + cross_entropy(outputs[1], batch["next_sentence_label"]))


def data_parallel(case, of_replicas):
    """State after the last step, and the loss of each step. The first replica has the network's own buffers."""
    network = oracle.make_network(case["workload"], torch.float64)
    optimizer = oracle.make_optimizer(network, case["recipe"])
    losses = []
    for step in range(case["steps"]):
        network.zero_grad()
        losses.append(0.0)
        for batches in zip(*(strategies.of_step(case, batches, step) for batches in of_replicas)):
            states = [{**{k: p.clone() for k, p in network.named_parameters()},
                       **{k: b if i == 0 else b.clone() for k, b in network.named_buffers()}}
                      for i in range(len(batches))]
            parts = [outputs_of(case, network, state, batch) for state, batch in zip(states, batches)]
            gathered = [torch.cat(kind) for kind in zip(*parts)]
            loss = loss_of_outputs(case, gathered, oracle.joined(case["workload"], batches))
            loss = loss / case.get("accumulation", 1)
            loss.backward()
            losses[-1] += loss.item()
        if clip := case["recipe"].get("clip_grad_norm"):
            torch.nn.utils.clip_grad_norm_(network.parameters(), clip)
        optimizer.step()
    return oracle.state(network), losses


def compare(verdict, name, replicas, case, ours, of_replicas):
    theirs, losses = data_parallel(case, of_replicas)
    where = f"{replicas} replicas, {name}"
    verdict.losses(where, ours["loss"], losses)
    verdict.tensors(f"{where}, DataParallel's scheme", ours, theirs)
    if case["workload"] == "mlp" or oracle.FULL and name in ("bert-mini", "resnet50"):
        alone = {k: t for k, t in strategies.one_process(case, of_replicas)[0].items()
                 if "running_" not in k and "num_batches" not in k}
        verdict.tensors(f"{where}, one process", ours, alone)
    buffers = {k for k in ours if "running_" in k}
    numbers = sum(t.numel() for k, t in theirs.items() if k not in buffers and "num_batches" not in k)
    state = 8 * numbers + sum(8 * ours[k].numel() for k in buffers) + (8 if buffers else 0)  # one counter of batches
    if case["workload"] == "branching":
        return  # parameters without a gradient send none
    expected = (replicas - 1) * (state + 8 * numbers) * case.get("accumulation", 1)
    verdict.true(where, f"payload of {ours['payload_bytes'].item()} bytes, expected {expected}",
                 ours["payload_bytes"].item() == expected)


def main():
    torch.set_num_threads(1)
    verdict = oracle.Verdict()
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        written, prepared = [], []
        for replicas in (2, 4):
            for name, case in cases(replicas):
                if wanted not in name:
                    continue
                of_replicas = [batches_of(name, case, i, replicas) for i in range(replicas)]
                in_turn = [batch for step in zip(*of_replicas) for batch in step]
                written.append(oracle.write_case(folder, f"{replicas}-{name}".replace(" ", "-"),
                                                 {**case, "replicas": replicas}, in_turn))
                prepared.append((name, replicas, case, of_replicas))
        oracle.run_ranks(folder, [written])
        for (name, replicas, case, of_replicas), one in zip(prepared, written):
            compare(verdict, name, replicas, case, oracle.result(one), of_replicas)
    verdict.exit()


if __name__ == "__main__":
    main()
