// Sums up the runs of each point: its group over repetitions, where the variance of its throughput
// comes from, and the devices of points with no exchange, whose ranks wait for nobody.

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/number_words.h"
#include "core/machine/gpus.h"
#include "core/plan/estimates.h"
#include "core/statistics/others.h"
#include "core/statistics/runs.h"
#include "core/statistics/significance.h"
#include "core/statistics/steadiness/steady.h"
#include "core/statistics/summary.h"
#include "core/statistics/variance_split.h"
#include "report/judge/sweep/runs.h"
#include "report/record/point_facts.h"
#include "report/record/report_json.h"

namespace scalemark::reporting {
namespace {

constexpr double kSecondsPerHour = 3600;

std::optional<double> samples_per_joule(const Runs& runs) {
  double samples = 0, joules = 0;
  for (const PointRecord* run : runs) {
    if (!run->energy_J || !(*run->energy_J > 0)) continue;
    samples += static_cast<double>(run->samples);
    joules += *run->energy_J;
  }
  if (!(joules > 0)) return std::nullopt;
  return samples / joules;
}

// Where neighbouring runs are correlated, the interval over runs is widened. Sessions are far
// apart, so an interval over sessions stays.
statistics::RunsEstimate estimate_of(const Runs& runs, const CourseOfRuns& course) {
  const auto rates = rates_by_session(runs);
  const auto estimate = statistics::estimate_over_sessions(rates);
  if (rates.size() > 1 || !course.drift || !course.drift->lag1) return estimate;
  std::vector<double> places;
  for (const PointRecord* run : runs) {
    if (const auto place = course.places.find(run); place != course.places.end()) {
      places.push_back(place->second);
    }
  }
  if (places.size() < runs.size()) return estimate;  // some runs have no start time
  return widened(estimate, statistics::interval_growth(places, *course.drift->lag1));
}

void set_steady(GroupRecord& group, const Runs& runs) {
  std::vector<statistics::WindowVerdict> windows;
  for (const PointRecord* run : runs) {
    auto& window = windows.emplace_back(run->steady, run->bias_bound);
    if (run->biases.size() != statistics::kDecays) continue;
    std::ranges::copy(run->biases, window.biases.emplace().begin());
  }
  const auto check = statistics::pooled_steady(windows);
  group.steady = check.steady;
  group.steady_reason = check.reason;
  group.bias_bound = check.bias_bound;
}

// Shows the spread of the runs beside their mean.
void set_spread(GroupRecord& group, const Runs& runs) {
  if (runs.size() == 1) {
    group.at_least = within_run_share(*runs.front());
    return;
  }
  const auto [slowest, fastest] = std::ranges::minmax_element(
      runs, {}, [](const PointRecord* run) { return run->samples_per_sec; });
  group.slowest = (*slowest)->samples_per_sec;
  group.fastest = (*fastest)->samples_per_sec;
}

// --- What --communication-cost measured in each repetition.

using Estimate = std::optional<statistics::MeanEstimate>;

// Gives no estimate where a run lacks the value.
Estimate estimate_of(const Runs& good, std::optional<double> CommunicationTimes::*value,
                     double (*scale)(double)) {
  std::vector<std::vector<double>> sessions;
  for (const Runs& session : by_session(good)) {
    auto& values = sessions.emplace_back();
    for (const PointRecord* run : session) {
      const auto& measured = run->communication.*value;
      if (!measured) return std::nullopt;
      values.push_back(scale(*measured));
    }
  }
  return statistics::mean_over_sessions(sessions);
}

void set(const Estimate& estimate, std::optional<double>& value, Bounds& bounds,
         double (*scale)(double)) {
  if (!estimate) return;
  value = scale(estimate->value);
  const Bounds ci95 = bounds_of(estimate->ci95);
  if (ci95) bounds = {scale(*ci95.low), scale(*ci95.high)};
}

double as_it_is(double value) { return value; }
double logarithm(double value) { return std::log(value); }
double exponential(double value) { return std::exp(value); }

// Gives a record only where every run has a cost.
std::optional<GroupCommunication> communication_of(const Runs& good) {
  using Times = CommunicationTimes;
  GroupCommunication record;
  set(estimate_of(good, &Times::cost_s, as_it_is), record.cost_s, record.cost_ci95, as_it_is);
  if (!record.cost_s) return std::nullopt;
  set(estimate_of(good, &Times::contention_s, as_it_is), record.contention_s,
      record.contention_ci95, as_it_is);
  set(estimate_of(good, &Times::efficiency, logarithm), record.efficiency, record.efficiency_ci95,
      exponential);
  return record;
}

GroupRecord group_of(const GroupRuns<PointRecord>& of, const CourseOfRuns& course,
                     const SummaryOptions& options) {
  GroupRecord group{.group = of.first().group, .stop_reason = options.stop_reason};
  if (const auto own = options.stop_reasons.find(group.group); own != options.stop_reasons.end()) {
    group.stop_reason = own->second;
  }
  for (const PointRecord* run : of.all) {
    ++group.status_counts[std::string(name_of(run->status))];
  }
  const Runs& good = of.ok;
  group.n = static_cast<int>(good.size());
  if (good.empty()) return group;

  const auto sessions = rates_by_session(good).size();
  if (sessions > 1) group.sessions = static_cast<int>(sessions);
  const auto estimate = estimate_of(good, course);
  group.samples_per_sec = estimate.value;
  group.step_time_s = step_time_of(good, estimate.value);
  set_spread(group, good);
  group.unseen_share = statistics::share_that_may_be_missed(good.size());
  group.ci95 = bounds_of(estimate.ci95);
  if (estimate.cv_between && std::isfinite(*estimate.cv_between)) {
    group.cv_between = estimate.cv_between;
  }
  set_steady(group, good);
  group.variance = variance_of(good);
  group.communication = communication_of(good);
  group.samples_per_joule = samples_per_joule(good);
  if (options.price_per_hour && *options.price_per_hour > 0) {
    const double share = static_cast<double>(good.front()->world_size) / options.launched_ranks;
    group.samples_per_dollar = estimate.value * kSecondsPerHour / (*options.price_per_hour * share);
  }
  return group;
}

}  // namespace

std::vector<GroupRecord> groups_of(const SweepRuns& runs, const CourseOfRuns& course,
                                   const SummaryOptions& options) {
  std::vector<GroupRecord> groups;
  for (const auto& group : runs) groups.push_back(group_of(group, course, options));
  return groups;
}

namespace {

// --- Variance: the runs that core/statistics/variance_split.h needs, their cost, and the sentence
// that says what would narrow the interval.

using statistics::ReplicationLevel;

statistics::SplitRun split_run(const PointRecord& run) {
  return {.ln_rate = std::log(run.samples_per_sec),
          .steps = statistics::step_noise(run.step_samples_s)};
}

double mean_of(const Runs& runs, double (*value)(const PointRecord&)) {
  double sum = 0;
  for (const PointRecord* run : runs) sum += value(*run) / static_cast<double>(runs.size());
  return sum;
}

double step_s(const PointRecord& run) { return run.wall_s / static_cast<double>(run.iterations); }

// A block of --communication-cost has as many steps as the window. Below a least number of steps
// its cost is fixed.
double cost_blocks_s(const PointRecord& run) {
  if (!run.noop_step_s) return 0;
  const auto steps = planning::kCostBlocks * planning::cost_block_steps(run.iterations);
  return static_cast<double>(steps) * step_s(run);
}
bool blocks_grow(const PointRecord& run) {
  return run.iterations > planning::kCostBlocks * planning::cost_block_steps(1);
}
double fixed_s(const PointRecord& run) {
  return run.outside_window_s.value_or(0) +
         static_cast<double>(run.warmup_iterations) * step_s(run) +
         (blocks_grow(run) ? 0 : cost_blocks_s(run));
}
double growing_s(const PointRecord& run) {
  return run.wall_s + (blocks_grow(run) ? cost_blocks_s(run) : 0);
}

std::optional<statistics::RunCost> cost_of(const Runs& runs) {
  for (const PointRecord* run : runs) {
    if (!run->outside_window_s || run->iterations < 1) return std::nullopt;
  }
  return statistics::RunCost{mean_of(runs, fixed_s), mean_of(runs, growing_s)};
}

// Writes "runs differ by 0.9 %, steps explain 0.2".
std::string what_differs(const VarianceRecord& variance) {
  const int decimals = variance.between_runs < 0.001 ? 2 : 1;
  return "runs differ by " + percent(variance.between_runs, decimals) + ", steps explain " +
         with_decimals(100 * variance.steps, decimals);
}

std::string sentence(const VarianceRecord& variance, int runs, std::size_t sessions,
                     double saved_share) {
  switch (variance.buy) {
    case ReplicationLevel::kRuns:
      return what_differs(variance) + ": longer windows will not help, more runs will";
    case ReplicationLevel::kWindows:
      return what_differs(variance) + ": windows of " +
             age_text(variance.best_window_s.value_or(0)) + " instead of " +
             age_text(variance.window_s) + " would give the same interval in " +
             percent(1 - saved_share, 0) + " of the time";
    case ReplicationLevel::kSessions:
      if (sessions < statistics::kSessionsForInterval) {
        return what_differs(variance) + ": two sessions give no interval: a third does";
      }
      return "sessions differ by " + percent(variance.sessions.value_or(0)) + ", " +
             what_differs(variance) + ": more runs will not help, more sessions will";
    case ReplicationLevel::kUnsure:
      break;
  }
  const std::string what = what_differs(variance);
  if (!variance.run_s) return what;
  return what + ": " + std::to_string(runs) + " runs cannot tell whether longer windows would help";
}

}  // namespace

std::optional<VarianceRecord> variance_of(const Runs& good) {
  std::vector<std::vector<statistics::SplitRun>> sessions;
  for (const Runs& session : by_session(good)) {
    auto& runs = sessions.emplace_back();
    for (const PointRecord* run : session) runs.push_back(split_run(*run));
  }
  const auto split = statistics::split_variance(sessions);
  if (!split || !is_finite(split->beyond_steps_ci95)) return std::nullopt;
  VarianceRecord record{.between_runs = split->between_runs,
                        .steps = split->steps,
                        .beyond_steps = split->beyond_steps,
                        .sessions = split->sessions,
                        .window_s = mean_of(good, [](const auto& run) { return run.wall_s; })};
  record.beyond_steps_ci95 = statistics::bounds_of(split->beyond_steps_ci95);
  record.sessions_ci95 = bounds_of(split->sessions_ci95);
  const auto cost = cost_of(good);
  if (cost) record.run_s = cost->fixed_s;
  const double runs_per_session =
      static_cast<double>(good.size()) / static_cast<double>(sessions.size());
  const auto advice = advise_replication(*split, cost.value_or(statistics::RunCost{}),
                                         runs_per_session, sessions.size());
  record.buy = advice.buy;
  if (advice.buy == ReplicationLevel::kWindows) {
    record.best_window_s = advice.window_growth * record.window_s;
  }
  record.in_words =
      sentence(record, static_cast<int>(good.size()), sessions.size(), advice.saved_share);
  return record;
}

namespace {

// --- Devices by themselves.

struct Place {
  int rank;
  std::string host, device, uuid;
  auto operator<=>(const Place&) const = default;
};

using BySession = std::map<int, std::vector<double>>;

struct Observed {
  BySession rates, ratios;  // ratios: to the median of the other devices
  int runs = 0;
};

// Returns one value for each rank, and nothing where a rank has no rate.
std::vector<double> ln_rates(const PointRecord& run) {
  std::vector<double> logs;
  for (const RankRecord& rank : run.ranks) {
    const double rate = static_cast<double>(rank.samples) / rank.wall_s;
    if (!(rate > 0) || !std::isfinite(rate)) return {};
    logs.push_back(std::log(rate));
  }
  return logs;
}

std::map<Place, Observed> observed_at(const Runs& runs) {
  std::map<Place, Observed> places;
  for (const PointRecord* run : runs) {
    const auto logs = ln_rates(*run);
    const statistics::Others others(logs);
    for (std::size_t r = 0; r < logs.size(); ++r) {
      const RankRecord& rank = run->ranks[r];
      Observed& observed = places[{rank.rank, rank.host, rank.device, rank.uuid}];
      ++observed.runs;
      observed.rates[run->session].push_back(std::exp(logs[r]));
      if (logs.size() < 2) continue;
      observed.ratios[run->session].push_back(std::exp(logs[r] - others.median({logs[r]})));
    }
  }
  return places;
}

statistics::RunsEstimate estimate_of(const BySession& values) {
  std::vector<std::vector<double>> sessions;
  for (const auto& [session, of_runs] : values) sessions.push_back(of_runs);
  return statistics::estimate_over_sessions(sessions);
}

void set_rates(DeviceRecord& record, const Observed& observed) {
  record.runs = observed.runs;
  const auto rate = estimate_of(observed.rates);
  record.samples_per_sec = rate.value;
  record.ci95 = bounds_of(rate.ci95);
  if (observed.ratios.empty()) return;
  const auto ratio = estimate_of(observed.ratios);
  record.deviation = ratio.value - 1;
  if (is_finite(ratio.ci95)) record.deviation_ci95 = {ratio.ci95->low - 1, ratio.ci95->high - 1};
}

void set_gpu(DeviceRecord& record, std::span<const monitoring::Host> hosts) {
  for (const monitoring::Host& host : hosts) {
    if (record.uuid.empty() || host.hostname != record.host) continue;
    const auto [gpu, instance] = monitoring::find_gpu(host.gpus, record.uuid);
    if (!gpu) continue;
    record.uuid = instance ? instance->uuid : gpu->uuid;  // CUDA does not know "MIG-"
    record.pci = gpu->pci;
    record.max_sm_clock_MHz = gpu->max_sm_clock_MHz;
    record.max_memory_clock_MHz = gpu->max_memory_clock_MHz;
  }
}

}  // namespace

std::vector<DeviceRecord> devices_of(std::span<const PointRecord> points,
                                     std::span<const monitoring::Host> hosts) {
  std::vector<DeviceRecord> devices;
  for (const auto& runs : runs_by_group(points)) {
    if (runs.ok.empty() || !is_solo(*runs.ok.front())) continue;
    for (const auto& [place, observed] : observed_at(runs.ok)) {
      DeviceRecord& record = devices.emplace_back();
      record.group = runs.first().group;
      std::tie(record.rank, record.host, record.device, record.uuid) =
          std::tie(place.rank, place.host, place.device, place.uuid);
      set_rates(record, observed);
      set_gpu(record, hosts);
    }
  }
  return devices;
}

}  // namespace scalemark::reporting
