#include "core/planning/batch_finder.h"

#include "core/base/error.h"

namespace scalemark::planning {
namespace {

constexpr std::int64_t kMultiple = 8;
constexpr std::int64_t kMostSamples = 1 << 20;  // no batch per rank is larger than that on purpose

}  // namespace

std::optional<std::int64_t> BatchFinder::next() const {
  if (!too_large_) {
    if (fits_ >= kMostSamples) return std::nullopt;
    return fits_ == 0 ? least_ : 2 * fits_;
  }
  const std::int64_t middle = (fits_ + *too_large_) / 2 / kMultiple * kMultiple;
  if (middle > fits_ && middle < *too_large_) return middle;
  return std::nullopt;
}

void BatchFinder::tried(bool fits) {
  const auto batch = next();
  if (!batch) throw bug("a batch search that is over got an answer");
  if (fits) {
    fits_ = *batch;
  } else {
    too_large_ = *batch;
  }
}

}  // namespace scalemark::planning
