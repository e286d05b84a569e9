// Which samples a rank sees in an epoch, and in which order. Pure; the only place in data/ where a
// rank enters.
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
  bool drop_last =
      false;  // drop the tail that does not divide; otherwise pad by repeating from the start
};

struct SampledIndex {
  std::int64_t index = 0;
  bool padding = false;  // a repeat that evens out the ranks; counted apart from samples
};

// Equal to torch.utils.data.DistributedSampler with the same arguments after set_epoch(epoch): the
// permutation is torch.randperm under a generator seeded with seed + epoch; rank r takes r, r +
// world, ...
std::vector<SampledIndex> sample_indices(const SamplerOptions& options, std::int64_t epoch);

// torch.randperm(n, generator seeded with `seed`) on CPU.
std::vector<std::int64_t> torch_randperm(std::int64_t n, std::uint64_t seed);

}  // namespace scalemark::data
