"""A network under DistributedDataParallel over Gloo, traced by torch.profiler on two ranks, with the ranges that --trace has."""

import importlib

import torch
import torch.distributed as dist
from torch.profiler import ProfilerActivity, profile, record_function, schedule


def mlp():
    layers = [torch.nn.Linear(1024, 512), torch.nn.ReLU(inplace=True), torch.nn.Linear(512, 256), torch.nn.ReLU(inplace=True),
              torch.nn.Linear(256, 10)]
    network = torch.nn.Sequential(*layers)
    return network, torch.optim.Adam(network.parameters(), lr=1e-3, fused=True), torch.randn(8, 1024), 10


def resnet50():
    import torchvision

    network = torchvision.models.resnet50().to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(network.parameters(), lr=1e-3, momentum=0.9, fused=True)
    return network, optimizer, torch.randn(2, 3, 32, 32).to(memory_format=torch.channels_last), 1000


def train(rank, folder, workload, first, steps):
    """Steps `first` to `first + steps` of a run in FOLDER/rankN.json; the one before them warms the profiler up."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
    network, optimizer, features, classes = {"mlp": mlp, "resnet50": resnet50}[workload]()
    ddp = torch.nn.parallel.DistributedDataParallel(network)
    label = torch.randint(0, classes, (len(features),))
    with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=first - 1, warmup=1, active=steps),
                 on_trace_ready=lambda p: p.export_chrome_trace(f"{folder}/rank{rank}.json")) as profiler:
        for _ in range(first + steps):
            with record_function("data"):
                batch = features, label
            with record_function("forward"):
                loss = torch.nn.functional.cross_entropy(ddp(batch[0]), batch[1])
            with record_function("backward"):
                loss.backward()
            with record_function("optimizer"):
                optimizer.step()
                optimizer.zero_grad()
            profiler.step()
    dist.destroy_process_group()


def run(folder, workload, first, steps):
    """Ranks are forks, so that torch, and what DistributedDataParallel imports, is loaded once for both."""
    folder.mkdir()
    importlib.import_module("torch._dynamo")
    if workload == "resnet50":
        importlib.import_module("torchvision")
    torch.multiprocessing.start_processes(train, args=(str(folder), workload, first, steps), nprocs=2, start_method="fork")
    return [folder / f"rank{rank}.json" for rank in range(2)]
