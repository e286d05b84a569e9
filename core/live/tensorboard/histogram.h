// Counts of float values for TensorBoard: 8 bins an octave, zero and each sign apart. Pure; knows
// nothing of files.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace scalemark::tensorboard {

struct Histogram {
  std::int64_t n = 0;                                 // finite values
  std::int64_t not_finite = 0;                        // left out of everything else
  double min = 0, max = 0, sum = 0, sum_squares = 0;  // only finite values count
  std::vector<std::int32_t> bins;    // ascending by value, only those that hold something
  std::vector<std::int64_t> counts;  // one for each bin
};
template <class A>
constexpr void fields(A& a, typename A::template Field<Histogram>& h) {
  a.values(h.n, h.not_finite, h.min, h.max, h.sum, h.sum_squares, h.bins, h.counts);
}

Histogram count_values(std::span<const float> values);

// Adds the counts of other values, for example of another rank's part.
void add(Histogram& all, const Histogram& more);

// The values of a bin lie between these. A positive bin begins with `low`, a negative one ends with
// `high`; bin 0 also holds what is too small for a normal float.
struct BinEdges {
  double low = 0, high = 0;
};
BinEdges edges_of(std::int32_t bin);

}  // namespace scalemark::tensorboard
