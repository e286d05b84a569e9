// Which ranks a point uses, and in which order points run: a random one that is the same on every
// machine, points of one environment (--env) together. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/plan/plan.h"

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

// Shuffles as Fisher and Yates do.
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

// Returns a key by which names of points sort: the numbers in them by value, so that bucket5 comes
// before bucket10, and as text behind a point.
std::string sorting_key(std::string_view name);

// Points that differ in the variables of --env need processes of their own, since libraries read
// those once: which environments a plan has, and which points run in each.

// Lists the environments of the points that can run, each once, in the order of the points; at
// least one.
std::vector<settings::Variables> environments_of(const Plan& plan);

const settings::Variables& environment_of(const PlannedPoint& point);

// Brings points of one environment together: environments in the order of their first point, the
// points of each in the order that they had.
void group_by_environment(const Plan& plan, std::vector<std::size_t>& points);

// "NCCL_ALGO=Ring NCCL_PROTO=unset"; empty: none.
std::string to_text(const settings::Variables& environment);

}  // namespace scalemark::planning
