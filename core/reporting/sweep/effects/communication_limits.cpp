#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"
#include "core/reporting/sweep/runs.h"
#include "core/reporting/words/words.h"
#include "core/statistics/mean_interval.h"

namespace scalemark::reporting {
namespace {

constexpr std::array kShares{0.30, 0.10};

// One batch size has the share's upper bound, the end of its 95 % interval over runs.
struct MeasuredBatch {
  std::int64_t batch = 0;
  std::optional<double> upper;
};

std::optional<MeasuredBatch> measured(const Runs& runs, const std::string& axis) {
  if (runs.empty()) return std::nullopt;
  std::vector<double> shares;
  for (const PointRecord* run : runs) {
    const auto& network_s = run->communication.network_s;
    if (!network_s || !(run->step_mean_over_ranks_s > 0)) return std::nullopt;
    shares.push_back(*network_s / run->step_mean_over_ranks_s);
  }
  const PointRecord& first = *runs.front();
  const auto batch = axis == "batch_size" ? first.batch_size.value_or(0) : first.global_batch_size;
  const auto ci95 = statistics::mean_interval(shares);
  return MeasuredBatch{.batch = batch,
                       .upper = is_finite(ci95) ? std::optional(ci95->high) : std::nullopt};
}

// Ascending, each batch size once.
std::vector<MeasuredBatch> batches_of(const SweepRuns& runs, const ComparedGroups& comparison) {
  std::vector<MeasuredBatch> batches;
  for (const auto& value : comparison.values) {
    const auto one = measured(runs_of(runs, value.group).ok, comparison.axis);
    if (one) batches.push_back(*one);
  }
  std::ranges::sort(batches, {}, &MeasuredBatch::batch);
  return batches;
}

std::optional<std::int64_t> first_below(const std::vector<MeasuredBatch>& batches, double share) {
  std::optional<std::int64_t> from;
  for (auto batch = batches.rbegin(); batch != batches.rend(); ++batch) {
    if (!batch->upper || *batch->upper >= share) break;
    from = batch->batch;
  }
  return from;
}

}  // namespace

std::vector<CommunicationLimit> communication_limits_of(
    const SweepRuns& runs, const std::vector<ComparedGroups>& comparisons) {
  std::vector<CommunicationLimit> limits;
  for (const ComparedGroups& comparison : comparisons) {
    if (comparison.axis != "batch_size" && comparison.axis != "global_batch_size") continue;
    const auto batches = batches_of(runs, comparison);
    if (batches.size() < 2) continue;
    for (const double share : kShares) {
      limits.push_back({.axis = comparison.axis,
                        .fixed = comparison.fixed,
                        .share = share,
                        .from = first_below(batches, share),
                        .smallest = batches.front().batch,
                        .largest = batches.back().batch});
    }
  }
  for (CommunicationLimit& limit : limits) limit.in_words = limit_in_words(limit, limits);
  return limits;
}

}  // namespace scalemark::reporting
