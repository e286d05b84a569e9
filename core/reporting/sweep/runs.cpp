#include "core/reporting/sweep/runs.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace scalemark::reporting {
namespace {

constexpr std::size_t kNamed = 5;  // further names are counted, not listed

// The order of a report, since the order in which points ran is random.
auto reading_order(const PointRecord& p) {
  return std::tie(p.workload, p.task, p.precision, p.data, p.image_size, p.sequence_length,
                  p.batch_size, p.gradient_accumulation_steps, p.world_size, p.strategy, p.group);
}

}  // namespace

RunsByGroup::RunsByGroup(std::span<const PointRecord> points) {
  for (const PointRecord& point : points) {
    Runs& runs = runs_[point.group];
    if (runs.empty()) order_.push_back(point.group);
    runs.push_back(&point);
  }
  std::ranges::stable_sort(order_, [&](const std::string& a, const std::string& b) {
    return reading_order(*runs_.at(a).front()) < reading_order(*runs_.at(b).front());
  });
}

const Runs& RunsByGroup::all(const std::string& group) const {
  static const Runs kNone;
  const auto found = runs_.find(group);
  return found == runs_.end() ? kNone : found->second;
}

Runs RunsByGroup::ok(const std::string& group) const {
  Runs good;
  for (const PointRecord* run : all(group)) {
    if (run->status == PointStatus::kOk && run->samples_per_sec > 0) good.push_back(run);
  }
  return good;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamed); ++i) {
    text += (i ? ", " : "") + names[i];
  }
  if (names.size() > kNamed) text += " and " + std::to_string(names.size() - kNamed) + " more";
  return text;
}

bool same_ranks(const PointRecord& a, const PointRecord& b) {
  return std::ranges::equal(a.ranks, b.ranks, [](const RankRecord& x, const RankRecord& y) {
    return std::tie(x.rank, x.host, x.device) == std::tie(y.rank, y.host, y.device);
  });
}

bool is_finite(const std::optional<statistics::Interval>& interval) {
  return interval && std::isfinite(interval->low) && std::isfinite(interval->high);
}

Pairs paired(const Runs& baseline, const Runs& scaled) {
  Pairs result;
  for (const PointRecord* run : scaled) {
    const auto same_block = [&](const PointRecord* one) { return one->block == run->block; };
    const auto together = [&](const PointRecord* one) {
      return same_block(one) && one->session == run->session;
    };
    if (const auto found = std::ranges::find_if(baseline, together); found != baseline.end()) {
      result.pairs.push_back({*found, run});
    } else if (std::ranges::any_of(baseline, same_block)) {
      result.elsewhere.push_back(run->id);
    }
  }
  return result;
}

std::vector<statistics::ThroughputPair> rates_of(const std::vector<RunPair>& pairs) {
  std::vector<statistics::ThroughputPair> rates;
  for (const RunPair& pair : pairs) {
    rates.push_back({pair.baseline->samples_per_sec, pair.scaled->samples_per_sec});
  }
  return rates;
}

}  // namespace scalemark::reporting
