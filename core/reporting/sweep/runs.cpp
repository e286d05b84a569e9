#include "core/reporting/sweep/runs.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/reporting/record/verdict.h"
#include "core/statistics/runs.h"
#include "core/statistics/summary.h"

namespace scalemark::reporting {
namespace {

// The order of a report, since the order in which points ran is random.
auto reading_order(const PointRecord& p) {
  return std::tie(p.workload, p.task, p.precision, p.data, p.image_size, p.sequence_length,
                  p.batch_size, p.gradient_accumulation_steps, p.world_size, p.strategy, p.group);
}

}  // namespace

RunsByGroup::RunsByGroup(std::span<const PointRecord> points, std::set<std::string> disturbed)
    : disturbed_(std::move(disturbed)) {
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

Runs RunsByGroup::fit(const std::string& group) const {
  Runs good = ok(group);
  const auto all = std::ssize(good);
  std::erase_if(good, [&](const PointRecord* run) { return !is_fit(*run); });
  if (!fit_decide(std::ssize(good), all)) good.clear();
  return good;
}

std::vector<Runs> by_session(const Runs& runs) {
  std::map<int, Runs> sessions;
  for (const PointRecord* run : runs) sessions[run->session].push_back(run);
  std::vector<Runs> ordered;
  for (auto& [session, its_runs] : sessions) ordered.push_back(std::move(its_runs));
  return ordered;
}
bool same_ranks(const PointRecord& a, const PointRecord& b) {
  return std::ranges::equal(a.ranks, b.ranks, [](const RankRecord& x, const RankRecord& y) {
    return std::tie(x.rank, x.host, x.device) == std::tie(y.rank, y.host, y.device);
  });
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

std::vector<std::vector<double>> rates_by_session(const Runs& runs) {
  std::vector<std::vector<double>> rates;
  for (const Runs& session : by_session(runs)) {
    auto& of_session = rates.emplace_back();
    for (const PointRecord* run : session) of_session.push_back(run->samples_per_sec);
  }
  return rates;
}

double geometric_mean(std::span<const double> values) {
  return std::exp(statistics::mean(statistics::logarithms(values)));
}

std::optional<double> step_time_of(const Runs& runs, double samples_per_sec) {
  const auto of_step = [](const PointRecord& run) {
    return static_cast<double>(run.samples) / static_cast<double>(run.iterations);
  };
  const double first = of_step(*runs.front());
  if (!(first > 0) || !std::isfinite(first)) return std::nullopt;  // imported reports lack them
  const bool same =
      std::ranges::all_of(runs, [&](const PointRecord* run) { return of_step(*run) == first; });
  const double step_s = first / samples_per_sec;
  return same && std::isfinite(step_s) ? std::optional(step_s) : std::nullopt;
}

std::vector<statistics::ThroughputPair> rates_of(const std::vector<RunPair>& pairs) {
  std::vector<statistics::ThroughputPair> rates;
  for (const RunPair& pair : pairs) {
    rates.push_back({pair.baseline->samples_per_sec, pair.scaled->samples_per_sec});
  }
  return rates;
}

}  // namespace scalemark::reporting
