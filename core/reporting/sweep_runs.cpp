#include "core/reporting/sweep_runs.h"

#include <algorithm>

namespace scalemark::reporting {

RunsByGroup::RunsByGroup(std::span<const PointRecord> points) {
  for (const PointRecord& point : points) {
    Runs& runs = runs_[point.group];
    if (runs.empty()) order_.push_back(point.group);
    runs.push_back(&point);
  }
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

}  // namespace scalemark::reporting
