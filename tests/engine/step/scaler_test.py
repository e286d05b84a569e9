"""The gradient scaler of amp-fp16 over ranks: where one rank's gradients overflow, no rank makes the step and every rank's
scale is halved, as in one PyTorch process with torch.amp.GradScaler that adds up the gradients of all."""

import pathlib
import tempfile

import torch

import oracle

RANKS, STEPS, OVERFLOWS_AT = 2, 5, 2
CASE = {"workload": "mlp", "batch": 4, "steps": STEPS, "dtype": "float32", "precision": "amp-fp16",
        "recipe": {"optimizer": "sgd", "learning_rate": 0.05, "momentum": 0.9}}


def batches_of(rank):
    batches = [oracle.make_batch("mlp", CASE["batch"], RANKS * step + rank) for step in range(STEPS)]
    if rank == 1:
        batches[OVERFLOWS_AT]["features"] *= 500
    return batches


def one_process():
    network = oracle.make_network("mlp", torch.float32)
    optimizer = oracle.make_optimizer(network, CASE["recipe"])
    scaler = torch.amp.GradScaler("cpu")
    scales = []
    for step in range(STEPS):
        optimizer.zero_grad()
        for rank in range(RANKS):
            with torch.autocast("cpu", dtype=torch.float16):
                loss = oracle.loss_of("mlp", network, batches_of(rank)[step]) / RANKS
            scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        scales.append(scaler.get_scale())
    return oracle.state(network), scales


def main():
    torch.set_num_threads(1)
    verdict = oracle.Verdict()
    expected, scales = one_process()
    # The trial is one: a step is skipped in between, and others are not.
    verdict.true("PyTorch", f"scales {scales}", scales[OVERFLOWS_AT] == scales[OVERFLOWS_AT - 1] / 2
                 and scales[OVERFLOWS_AT - 1] == scales[OVERFLOWS_AT - 2] and scales[-1] == scales[OVERFLOWS_AT])
    strategies = ("ddp", "flat", "sharded", "parameter-server")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        written = [[oracle.write_case(folder, strategy, {**CASE, "parallel": {"strategy": strategy}},
                                      batches_of(rank), rank)
                    for strategy in strategies] for rank in range(RANKS)]
        oracle.run_ranks(folder, written)
        for index, strategy in enumerate(strategies):
            for rank in range(RANKS):
                result = oracle.result(written[rank][index])
                where = f"{strategy}, rank {rank}"
                verdict.true(where, f"scale {result['scale'].item()}", result["scale"].item() == scales[-1])
                verdict.tensors(where, result, expected, allowed=1e-6)
    verdict.exit()


if __name__ == "__main__":
    main()
