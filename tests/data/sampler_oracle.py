"""sample_indices() against torch.utils.data.DistributedSampler, index for index."""

import itertools

import torch
from torch.utils.data import DistributedSampler

from dump import Dump

SIZES = [1, 2, 3, 5, 7, 8, 9, 10, 31, 64, 100, 997, 1000, 4096, 5003]
WORLDS = [1, 2, 3, 5, 8]
SEEDS = [(0, 0), (1, 3), (42, 0), (2**32 + 5, 1), (2**63 - 5, 2)]


def theirs(size, world, rank, seed, epoch, shuffle, drop_last):
    sampler = DistributedSampler(range(size), world, rank, shuffle, seed, drop_last)
    sampler.set_epoch(epoch)
    return list(sampler)


def main():
    dump = Dump()
    compared = 0
    for size, world, (seed, epoch) in itertools.product(SIZES, WORLDS, SEEDS):
        for shuffle, drop_last in itertools.product([True, False], repeat=2):
            places = {}
            for rank in range(world):
                got = dump.text("sampler", size, world, rank, seed, epoch, int(shuffle), int(drop_last))
                indices = [int(i.rstrip("p")) for i in got]
                expected = theirs(size, world, rank, seed, epoch, shuffle, drop_last)
                assert indices == expected, (size, world, rank, seed, epoch, shuffle, drop_last)
                for i, text in enumerate(got):
                    places[rank + i * world] = text.endswith("p")
                compared += len(indices)
            # Exactly the places beyond the data set are marked as padding.
            assert all(padding == (place >= size) for place, padding in places.items())
            if not drop_last:
                assert sum(not p for p in places.values()) == size
    # Larger than any 16-bit draw, and a seed of which torch's generator keeps the low half.
    for n, seed in [(1_300_000, 7), (1_300_000, 7 + 2**32)]:
        generator = torch.Generator().manual_seed(seed)
        expected = torch.randperm(n, generator=generator)[:20].tolist()
        assert [int(i) for i in dump.text("permutation", n, seed)] == expected, (n, seed)
    print(f"{compared} indices equal")
    assert compared > 100_000


if __name__ == "__main__":
    main()
