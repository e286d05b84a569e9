// The search for the largest batch that fits: which size to try next. Pure.
#pragma once

#include <cstdint>
#include <optional>

namespace scalemark::planning {

// Doubles from the least batch until one does not fit, then halves the gap on multiples of 8.
class BatchFinder {
 public:
  explicit BatchFinder(std::int64_t least = 1) : least_(least) {}

  // Returns the size to try next; absent when the answer is known.
  std::optional<std::int64_t> next() const;

  // The answer to next().
  void tried(bool fits);

  // The largest batch known to fit; 0 when not even the least does.
  std::int64_t largest() const { return fits_; }
  std::int64_t least() const { return least_; }

 private:
  std::int64_t least_;
  std::int64_t fits_ = 0;
  std::optional<std::int64_t> too_large_;
};

}  // namespace scalemark::planning
