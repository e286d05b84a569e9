#include "data/load/sampler.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <random>
#include <string>

#include "core/base/error.h"

namespace scalemark::data {
namespace {

// From this size on torch draws 64 bits per step, and uses the inside-out shuffle.
constexpr std::int64_t kLarge = std::numeric_limits<std::uint32_t>::max() / 20;

std::uint64_t draw64(std::mt19937& random) {
  const std::uint64_t high = random();
  return (high << 32) | random();
}

std::vector<std::int64_t> small_permutation(std::int64_t n, std::mt19937& random) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  for (std::int64_t i = 0; i < n - 1; ++i) {
    const auto z = i + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n - i));
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(z)]);
  }
  return order;
}

std::vector<std::int64_t> large_permutation(std::int64_t n, std::mt19937& random) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    const auto z = static_cast<std::size_t>(draw64(random) % static_cast<std::uint64_t>(i + 1));
    order[static_cast<std::size_t>(i)] = order[z];
    order[z] = i;
  }
  return order;
}

void refuse_if_invalid(const SamplerOptions& o, std::int64_t epoch) {
  if (o.dataset_size < 0 || o.dealt < 0) throw bug("sampler: negative number of samples");
  if (o.world_size < 1 || o.rank < 0 || o.rank >= o.world_size) {
    throw bug("sampler: rank " + std::to_string(o.rank) + " of world size " +
              std::to_string(o.world_size));
  }
  if (epoch < 0) throw bug("sampler: negative epoch");
  if (o.seed > std::numeric_limits<std::uint64_t>::max() - static_cast<std::uint64_t>(epoch)) {
    throw configuration("seed " + std::to_string(o.seed) + " plus epoch " + std::to_string(epoch) +
                            " does not fit 64 bits",
                        "a smaller seed");
  }
}

// Counts the samples of a rank. With drop_last the remainder that does not divide is left out; else
// the ranks are filled up.
std::int64_t samples_per_rank(const SamplerOptions& o) {
  const std::int64_t left = std::max<std::int64_t>(0, o.dataset_size - o.dealt);
  return o.drop_last ? left / o.world_size : (left + o.world_size - 1) / o.world_size;
}

}  // namespace

std::vector<std::int64_t> torch_randperm(std::int64_t n, std::uint64_t seed) {
  // Like std::mt19937, torch's CPU generator uses the low 32 bits of the seed.
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  return n < kLarge ? small_permutation(n, random) : large_permutation(n, random);
}

std::vector<SampledIndex> sample_indices(const SamplerOptions& options, std::int64_t epoch) {
  refuse_if_invalid(options, epoch);
  const std::int64_t n = options.dataset_size;
  std::vector<std::int64_t> order;
  if (options.shuffle) {
    order = torch_randperm(n, options.seed + static_cast<std::uint64_t>(epoch));
  }
  const std::int64_t mine = samples_per_rank(options);
  std::vector<SampledIndex> indices(static_cast<std::size_t>(mine));
  for (std::int64_t i = 0; i < mine; ++i) {
    const std::int64_t place = options.dealt + options.rank + i * options.world_size;
    const std::int64_t source = place % n;
    indices[static_cast<std::size_t>(i)] = {
        .index = options.shuffle ? order[static_cast<std::size_t>(source)] : source,
        .padding = place >= n};
  }
  return indices;
}

}  // namespace scalemark::data
