// Random numbers for one sample. The sequence depends on the key alone, not on thread, rank or
// platform; knows nothing of what is drawn.
#pragma once

#include <cstdint>

#include "data/dataset.h"

namespace scalemark::data {

// SplitMix64: one multiply-xor chain per number, passes BigCrush, no state worth sharing.
// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
class SampleRandom {
 public:
  explicit SampleRandom(const SampleKey& key)
      : state_(mix(mix(mix(key.seed) ^ static_cast<std::uint64_t>(key.epoch)) ^
                   static_cast<std::uint64_t>(key.index))) {}
  explicit SampleRandom(std::uint64_t seed) : SampleRandom(SampleKey{.seed = seed}) {}

  std::uint64_t next() { return mix(state_ += kStep); }

  // In [0, 1), 53 random bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  // In [0, n), n > 0. The modulo's bias is below n / 2^64.
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(n));
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;

  static constexpr std::uint64_t mix(std::uint64_t z) {
    z += kStep;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

}  // namespace scalemark::data
