#include <algorithm>
#include <map>
#include <numeric>

#include "core/reporting/sweep/runs.h"

namespace scalemark::reporting {
namespace {

std::optional<double> loss_at(const PointRecord& run, std::int64_t step) {
  const auto found = std::ranges::find(run.loss_course, step, &LossAtStep::step);
  return found == run.loss_course.end() ? std::nullopt : std::optional(found->loss);
}

// After the samples of `step` steps of the baseline; absent where one of both kept no loss there.
std::optional<double> difference_at(const SweepPair& pair, std::int64_t step) {
  const std::int64_t samples = step * pair.baseline->global_batch_size;
  if (pair.scaled->global_batch_size < 1 || samples % pair.scaled->global_batch_size != 0) {
    return std::nullopt;
  }
  const auto before = loss_at(*pair.baseline, step);
  const auto after = loss_at(*pair.scaled, samples / pair.scaled->global_batch_size);
  if (!before || !after) return std::nullopt;
  return *after - *before;
}

// A loop that makes its own random data sees other samples than one that reads a fixed batch.
bool same_data(const SweepPair& pair) {
  const auto made_in_loop = [](const PointRecord& run) {
    const auto found = run.varying.find("synthetic_in_loop");
    return found == run.varying.end() ? std::string() : found->second;
  };
  return pair.baseline->data == pair.scaled->data &&
         made_in_loop(*pair.baseline) == made_in_loop(*pair.scaled);
}

}  // namespace

std::optional<LossDifference> loss_difference(const std::vector<SweepPair>& pairs) {
  const PointRecord& first = *pairs.front().baseline;
  if (!same_data(pairs.front())) return std::nullopt;
  for (std::size_t i = first.loss_course.size(); i-- > 0;) {
    LossDifference found{.mean = 0, .step = first.loss_course[i].step};
    const bool everywhere = std::ranges::all_of(pairs, [&](const SweepPair& pair) {
      const auto difference = difference_at(pair, found.step);
      found.mean += difference.value_or(0) / static_cast<double>(pairs.size());
      return difference.has_value();
    });
    if (everywhere) return found;
  }
  return std::nullopt;
}

}  // namespace scalemark::reporting
