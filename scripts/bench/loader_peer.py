"""The Python side of the loader rows of scripts/bench_against_python: torchvision's transforms over Pillow.

What a training data set does for each image: open, decode, random resized crop, flip, with --augment and --erasing
torchvision.transforms.v2 with the same policy (on Pillow's images: on tensors it is slower), uint8. One process, one
thread, whole passes over an image tree in a shuffled order. Prints images per second.

--cold      none of the files in the system's cache when a pass begins
--workers   batches of a DataLoader with so many worker processes, which it keeps
--processes the same without a DataLoader: so many processes, each of which makes batches for itself. An upper bound:
            nobody gets the batches
--memory    with --workers, a second line: memory of the process and of its workers in MiB, as JSON
"""

import argparse
import json
import multiprocessing
import os
import random
import time
from pathlib import Path

import torch
from PIL import Image
from torchvision import transforms
from torchvision.transforms import v2

BATCH = 20  # our loader-bench has the same
PASSES = 200  # over the tree as one epoch of a DataLoader: there is no wait for its end
POLICIES = {"trivial": lambda: [v2.TrivialAugmentWide()], "randaugment": lambda: [v2.RandAugment()],
            "colour-jitter": lambda: [v2.ColorJitter(0.4, 0.4, 0.4, 0.1)], "basic": list}


def transform_of(options):
    if options.augment == "basic" and not options.erasing:
        return transforms.Compose([transforms.RandomResizedCrop(options.size), transforms.RandomHorizontalFlip(),
                                   transforms.PILToTensor()])
    steps = [v2.RandomResizedCrop(options.size), v2.RandomHorizontalFlip(), *POLICIES[options.augment](), v2.PILToTensor()]
    if options.erasing:
        steps.append(v2.RandomErasing(options.erasing, value=(124, 116, 104)))
    return v2.Compose(steps)


class Images(torch.utils.data.Dataset):
    def __init__(self, options):
        self.files = sorted(path for path in options.root.rglob("*") if path.suffix.lower() in (".jpeg", ".jpg"))
        self.transform = transform_of(options)

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        with Image.open(self.files[index]) as image:
            return self.transform(image.convert("RGB"))


def passes(images, number):
    return [index for _ in range(number) for index in random.sample(range(len(images)), len(images))]


def drop_from_cache(images):
    for path in images.files:
        with open(path, "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def one_by_one(images, options):
    """Images per second of this process, without batches."""
    for index in passes(images, 1):
        images[index]
    count, passed = 0, 0
    while passed < options.seconds:
        if options.cold:
            drop_from_cache(images)
        start = time.perf_counter()
        for index in passes(images, 1):
            images[index]
        passed += time.perf_counter() - start
        count += len(images)
    return count / passed


def counted(batches, images, seconds):
    """Images per second from the end of one pass on."""
    start, count = None, -len(images)
    for batch in batches:
        count += len(batch)
        if start is None and count >= 0:
            start, count = time.perf_counter(), 0
        elif start is not None and time.perf_counter() - start >= seconds:
            break
    return count / (time.perf_counter() - start)


def memory_of(process):
    """Returns MiB. pss counts what several processes share in equal parts, rss in full for each."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()[1:]
    sizes = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines}
    return {"pss": sizes["Pss"], "rss": sizes["Rss"], "own": sizes["Private_Clean"] + sizes["Private_Dirty"]}


def of_data_loader(images, options):
    loader = torch.utils.data.DataLoader(images, BATCH, sampler=passes(images, PASSES), num_workers=options.workers,
                                         drop_last=True)
    batches = iter(loader)
    rate = counted(batches, images, options.seconds)
    workers = [process.pid for process in multiprocessing.active_children()]
    return rate, {"main": memory_of(os.getpid()), "workers": [memory_of(process) for process in workers]}


def batches_of_one(images):
    order = passes(images, PASSES)
    for first in range(0, len(order) - BATCH + 1, BATCH):
        yield torch.stack([images[index] for index in order[first:first + BATCH]])


def rate_of_one(images, options, barrier, rates):
    torch.set_num_threads(1)
    random.seed(os.getpid())
    barrier.wait()
    rates.put(counted(batches_of_one(images), images, options.seconds))


def of_processes(images, options):
    barrier, rates = multiprocessing.Barrier(options.processes), multiprocessing.Queue()
    processes = [multiprocessing.Process(target=rate_of_one, args=(images, options, barrier, rates))
                 for _ in range(options.processes)]
    for process in processes:
        process.start()
    total = sum(rates.get() for _ in processes)
    for process in processes:
        process.join()
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("size", type=int)
    parser.add_argument("seconds", type=float)
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--augment", choices=sorted(POLICIES), default="basic")
    parser.add_argument("--erasing", type=float, default=0, metavar="P")
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--processes", type=int, default=0)
    parser.add_argument("--memory", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    images = Images(options)
    memory = None
    if options.processes:
        rate = of_processes(images, options)
    elif options.workers or options.memory:
        rate, memory = of_data_loader(images, options)
    else:
        rate = one_by_one(images, options)
    print(f"{rate:.1f} images/s")
    if options.memory:
        print(json.dumps(memory))


if __name__ == "__main__":
    main()
