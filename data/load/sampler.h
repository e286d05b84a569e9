// The samples that a rank sees in an epoch, and their order. Pure; the only place in data/ that
// knows ranks.
#pragma once

#include <cstdint>
#include <vector>

namespace scalemark::data {

struct SamplerOptions {
  std::int64_t dataset_size = 0;
  int rank = 0;
  int world_size = 1;
  std::uint64_t seed = 0;
  bool shuffle = true;
  // true: the remainder that does not divide is dropped; false: samples from the start are repeated
  // as padding.
  bool drop_last = false;
  // So many of the epoch's samples, from its start, were dealt before, to any number of ranks.
  std::int64_t dealt = 0;
};

struct SampledIndex {
  std::int64_t index = 0;
  bool padding = false;  // repeated to even out the ranks; not counted as a sample
};

// Equal to torch.utils.data.DistributedSampler with the same arguments after set_epoch(epoch): the
// permutation is torch.randperm with a generator seeded with seed + epoch; rank r takes r, r +
// world, ... of what is not dealt yet. So the first k steps of W ranks deal the first k x W batches
// of the order, whatever W is.
std::vector<SampledIndex> sample_indices(const SamplerOptions& options, std::int64_t epoch);

// Returns torch.randperm(n, generator seeded with `seed`) on a CPU.
std::vector<std::int64_t> torch_randperm(std::int64_t n, std::uint64_t seed);

}  // namespace scalemark::data
