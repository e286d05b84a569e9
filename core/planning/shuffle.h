// A random order that is the same on every machine. Pure; knows nothing of what is put in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace scalemark::planning {

// Uniform in [0, bound), the same on every machine: std::uniform_int_distribution and std::shuffle
// are free to differ between standard libraries, the generator is not.
inline std::uint64_t below(std::uint64_t bound, std::mt19937_64& random) {
  const std::uint64_t rest = (UINT64_MAX % bound + 1) % bound;  // 2^64 modulo bound
  while (true) {
    const std::uint64_t drawn = random();
    if (drawn <= UINT64_MAX - rest) return drawn % bound;
  }
}

// Fisher and Yates.
template <class T>
void shuffle(std::vector<T>& items, std::mt19937_64& random) {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[below(i, random)]);
  }
}

template <class T>
void shuffle(std::vector<T>& items, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  shuffle(items, random);
}

}  // namespace scalemark::planning
