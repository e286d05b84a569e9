"""A ResNet at the full rate of ResNet-50's recipe, against PyTorch. Rounding grows there until the last bits of two
correct programs are apart by more than 1e-8, so the bound is what PyTorch's own two memory layouts
differ by on the same weights, batches and recipe, measured in the same run."""

import pathlib
import tempfile

import torch

import oracle

# The recipe of large-minibatch ResNet-50 (arXiv:1706.02677): 0.1, momentum 0.9, decay 1e-4, warm-up.
RECIPE = {"optimizer": "sgd", "learning_rate": 0.1, "momentum": 0.9, "weight_decay": 1e-4}
SCHEDULES = {"warm-up": {"kind": "cosine", "warmup_steps": 56, "total_steps": 1000}}
STEPS, BATCH, FACTOR = 5, 4, 3


def theirs(case, batches, memory_format):
    network = oracle.make_network("resnet50", torch.float64).to(memory_format=memory_format)
    network.layout = memory_format
    return oracle.train(case, network, batches), oracle.state(network)


def main():
    torch.set_num_threads(1)
    verdict = oracle.Verdict()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for name, schedule in SCHEDULES.items():
            case = {"workload": "resnet50", "dtype": "float64", "recipe": RECIPE, "steps": STEPS, "batch": BATCH,
                    "schedule": schedule}
            batches = [oracle.make_batch("resnet50", BATCH, i) for i in range(STEPS)]
            start = oracle.state(oracle.make_network("resnet50", torch.float64))
            written = oracle.write_case(folder, name, case, batches)
            oracle.run_ranks(folder, [[written]])
            ours = oracle.result(written)
            losses, weights = theirs(case, batches, torch.contiguous_format)
            other_losses, other_weights = theirs(case, batches, torch.channels_last)
            own = oracle.difference(other_weights, weights)
            print(f"PyTorch, NHWC against NCHW: parameters {own:.2g}, "
                  f"losses {[f'{abs(a - b) / b:.2g}' for a, b in zip(other_losses, losses)]} of "
                  f"{[round(x, 3) for x in losses]}")
            verdict.losses(name, ours["loss"], losses)
            verdict.tensors(name, ours, weights, max(1e-8, FACTOR * own))
            moved = oracle.difference(weights, start)
            verdict.true(name, f"the weights moved by {moved:.2g}", moved > 1e-3)
    verdict.exit()


if __name__ == "__main__":
    main()
