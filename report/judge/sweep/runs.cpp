#include "report/judge/sweep/runs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "core/statistics/runs.h"
#include "report/record/point_facts.h"

namespace scalemark::reporting {
namespace {

struct Started {
  const PointRecord* run;
  double at_s;
};

// Joins the sessions without the pauses between them, since nothing drifts while nothing runs.
std::vector<Started> on_one_clock(const SweepRuns& runs) {
  std::map<int, std::vector<Started>> sessions;
  for (const auto& group : runs) {
    for (const PointRecord* run : group.ok) {
      if (const auto at = seconds_of(run->started)) {
        sessions[run->session].push_back({run, *at});
      }
    }
  }
  std::vector<Started> all;
  double offset_s = 0;
  for (auto& [session, started] : sessions) {
    const auto [first, last] = std::ranges::minmax_element(started, {}, &Started::at_s);
    const double begin_s = first->at_s, length_s = last->at_s + last->run->wall_s - first->at_s;
    for (const Started& one : started) all.push_back({one.run, one.at_s - begin_s + offset_s});
    offset_s += length_s;
  }
  return all;
}

}  // namespace

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

std::vector<std::vector<double>> rates_by_session(const Runs& runs) {
  std::vector<std::vector<double>> rates;
  for (const Runs& session : by_session(runs)) {
    auto& of_session = rates.emplace_back();
    for (const PointRecord* run : session) of_session.push_back(run->samples_per_sec);
  }
  return rates;
}

std::optional<double> step_time_of(const Runs& runs, double samples_per_sec) {
  const auto of_step = [](const PointRecord& run) {
    return static_cast<double>(run.samples) / static_cast<double>(run.iterations);
  };
  const double first = of_step(*runs.front());
  if (!(first > 0) || !std::isfinite(first)) return std::nullopt;  // unknown in imported reports
  const bool same =
      std::ranges::all_of(runs, [&](const PointRecord* run) { return of_step(*run) == first; });
  const double step_s = first / samples_per_sec;
  return same && std::isfinite(step_s) ? std::optional(step_s) : std::nullopt;
}

std::vector<statistics::ThroughputPair> rates_of(const std::vector<SweepPair>& pairs) {
  std::vector<statistics::ThroughputPair> rates;
  for (const SweepPair& pair : pairs) {
    rates.push_back({pair.baseline->samples_per_sec, pair.scaled->samples_per_sec});
  }
  return rates;
}

CourseOfRuns course_of(const SweepRuns& runs) {
  std::vector<statistics::TimedRun> timed;
  std::map<std::pair<std::string, int>, std::size_t> numbers;  // point, session -> number
  auto all = on_one_clock(runs);
  // Start times are whole seconds, and runs may be shorter.
  std::ranges::stable_sort(all, {}, [](const Started& one) {
    return std::tuple(one.at_s, one.run->block, one.run->order);
  });
  CourseOfRuns course;
  for (const auto& [run, at_s] : all) {
    const auto number = numbers.try_emplace({run->group, run->session}, numbers.size()).first;
    timed.push_back({number->second, at_s, run->samples_per_sec});
    course.places[run] = static_cast<double>(course.places.size());
  }
  const auto found = timed.empty() ? std::nullopt : statistics::estimate_drift(timed);
  if (!found || !std::isfinite(found->per_sweep) || !is_finite(found->ci95)) return course;
  course.drift = Drift{found->per_sweep, {found->ci95.low, found->ci95.high}, {}};
  const auto correlation = statistics::correlation_of_runs(timed);
  if (correlation && correlation->significant) course.drift->lag1 = correlation->lag1;
  course.drifted = found->finding && !course.drift->lag1;
  return course;
}

}  // namespace scalemark::reporting
