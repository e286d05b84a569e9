"""The Python side of the loader rows of scripts/bench_against_python: torchvision's transforms over Pillow.

What a training data set does for each image: open, decode, random resized crop, flip, uint8 at 224 px; one process,
one thread, whole passes over an image tree in a shuffled order; `cold`: none of the files in the system's cache when a
pass begins. Prints images per second.
"""

import os
import random
import sys
import time
from pathlib import Path

import torch
from PIL import Image
from torchvision import transforms

torch.set_num_threads(1)
root, size, seconds = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
files = sorted(path for path in root.rglob("*") if path.suffix.lower() in (".jpeg", ".jpg"))
transform = transforms.Compose([transforms.RandomResizedCrop(size), transforms.RandomHorizontalFlip(),
                                transforms.PILToTensor()])


def one_pass():
    random.shuffle(files)
    for path in files:
        with Image.open(path) as image:
            transform(image.convert("RGB"))


def drop_from_cache():
    for path in files:
        with open(path, "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


one_pass()
images, passed = 0, 0
while passed < seconds:
    if "cold" in sys.argv[4:]:
        drop_from_cache()
    start = time.perf_counter()
    one_pass()
    passed += time.perf_counter() - start
    images += len(files)
print(f"{images / passed:.1f} images/s")
