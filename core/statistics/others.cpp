#include "core/statistics/others.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

// The values that are left, in ascending order.
class Rest {
 public:
  Rest(std::span<const double> sorted, std::vector<double> own) : sorted_(sorted) {
    std::ranges::sort(own);
    for (const double value : own) {
      auto at = static_cast<std::size_t>(std::ranges::lower_bound(sorted, value) - sorted.begin());
      if (!out_.empty()) at = std::max(at, out_.back() + 1);  // equal values take the next place
      out_.push_back(at);
    }
  }

  std::size_t size() const { return sorted_.size() - out_.size(); }

  double operator[](std::size_t number) const {
    for (const std::size_t at : out_) number += at <= number ? 1 : 0;
    return sorted_[number];
  }

 private:
  std::span<const double> sorted_;
  std::vector<std::size_t> out_;  // ascending
};

// `at` returns the value of a number in ascending order.
template <class At>
double median_of(std::size_t size, const At& at) {
  const double middle[] = {at((size - 1) / 2), at(size / 2)};
  return quantile_of_sorted(middle, 0.5);
}

double median_of(const Rest& rest) {
  return median_of(rest.size(), [&](std::size_t i) { return rest[i]; });
}

// Returns how far the farthest of the `count` values is that are nearest to `centre`. They stand
// side by side, and it is at one end.
double distance_of_farthest(const Rest& rest, double centre, std::size_t count) {
  std::size_t first = 0, last = rest.size() - count;
  while (first < last) {
    const std::size_t middle = (first + last) / 2;
    if (centre - rest[middle] > rest[middle + count] - centre) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return std::max(std::abs(rest[first] - centre), std::abs(rest[first + count - 1] - centre));
}

}  // namespace

Others::Others(std::vector<double> sample) : sorted_(std::move(sample)) {
  std::ranges::sort(sorted_);
}

double Others::median(std::vector<double> own) const {
  return median_of(Rest(sorted_, std::move(own)));
}

double Others::spread_by_median(std::vector<double> own) const {
  const Rest rest(sorted_, std::move(own));
  const double centre = median_of(rest);
  return kMadToSpread * median_of(rest.size(), [&](std::size_t i) {
           return distance_of_farthest(rest, centre, i + 1);
         });
}

}  // namespace scalemark::statistics
