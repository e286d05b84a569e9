#include "core/plan/presets.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/number_words.h"
#include "core/catalogue/strategy.h"
#include "core/catalogue/workload.h"
#include "core/plan/estimates.h"
#include "core/plan/order.h"
#include "core/plan/task.h"

namespace scalemark::planning {
namespace {

// All gradients; 0: nothing is exchanged.
double payload_of(const PlannedPoint& point) {
  const settings::Settings& settings = point.settings;
  const auto* workload = catalogue::find_workload(settings.task.workload);
  const auto* strategy = catalogue::find_strategy(settings.parallel.strategy);
  const bool alone = point.skipped || point.processes < 2;
  if (alone || !workload || !strategy || !strategy->exchanges) return 0;
  return sizeof(float) * static_cast<double>(workload->parameters(shape_of(*workload, settings)));
}

}  // namespace

PlannedExchange exchange_of(const Plan& plan) {
  PlannedExchange exchange;
  if (plan.world_size < 2) {
    exchange.reason = "one rank has no peer";
    return exchange;
  }
  int most_ranks = 0;
  for (const PlannedPoint& point : plan.points) {
    const double payload = payload_of(point);
    if (payload <= 0 || point.world_size <= most_ranks) continue;
    most_ranks = point.world_size;
    exchange.backend = point.settings.parallel.backend;
    exchange.bytes = static_cast<std::int64_t>(payload);
  }
  if (most_ranks == 0) exchange.reason = "no point of the sweep exchanges gradients";
  return exchange;
}

bool devices_take_turns(const Plan& plan) {
  return plan.points.front().settings.parallel.device == settings::DeviceKind::kCpu;
}

std::vector<int> threads_of(const Plan& plan) {
  std::set<int> threads;
  for (const PlannedPoint& point : plan.points) {
    if (!point.skipped) threads.insert(point.settings.parallel.threads);
  }
  if (threads.empty()) threads.insert(1);
  return {threads.begin(), threads.end()};
}

namespace {

constexpr int kRepetitions = 5;
constexpr int kFewestForIntervals = 3;
constexpr int kLeastUntilSure = 10;  // METRICS.md, "Stop when sure"
constexpr double kUntilSureMost_s = 3600;
constexpr double kQuick_s = 60, kThorough_s = 20 * 60;
constexpr double kQuickRun_s = 10;     // runs of --quick are shorter where their steps are
constexpr double kSafety = 0.8;        // estimates are rough
constexpr double kWarmupShare = 0.35;  // a run whose time is cut warms up for at most this share
constexpr double kShortestRun_s = 0.3;
constexpr double kFingerprint_s = 2;             // each measurement of the machine's fingerprint
constexpr double kFingerprintShare = 1.0 / 600;  // at most this share of the sweep's time
constexpr int kFingerprintParts = 10;            // measurements, and making files for them
constexpr int kDeviceChecks = 7;                 // at most: products of each precision, and copies
constexpr int kNodeChecks = 3;                   // all-reduce, all-to-all and exchanges of pairs
constexpr double kReplay_s = 20;                 // products of one precision
constexpr double kReplayShare = 1.0 / 60;        // at most this share of the sweep's time
constexpr int kReplays = 5;                      // at most: each precision, and training
constexpr double kClosing_s = 2;  // tables, md and html after the last run, and the ranks' end

struct Budget {
  double block_s = 0;         // time of one block; 0: no limit
  double least_window_s = 2;  // the least window that is wanted
  double least_warmup_s = 0;  // 0: the default
};

// The longest window that leaves room for the blocks of --communication-cost: as many steps again,
// but no fewer than those blocks have at least.
double affordable_window_s(const PlannedPoint& point, double left_s) {
  if (!settings::measures_communication_cost(point.settings)) return left_s;
  const double step_s = estimated_step_s(point.settings, point.world_size);
  const std::int64_t period = settings::exchange_period(point.settings);
  const double least_blocks_s =
      static_cast<double>(kCostBlocks * cost_block_steps(1, period)) * step_s;
  return std::max(0.0, std::min(left_s / 2, left_s - least_blocks_s));
}

class Scheduler {
 public:
  explicit Scheduler(Plan& plan) : plan_(plan) {
    for (PlannedPoint& point : plan.points) {
      if (!point.skipped) points_.push_back(&point);
    }
  }

  std::optional<Overrun> run() {
    if (points_.empty()) return std::nullopt;
    const settings::SweepSettings& sweep = plan_.sweep;
    plan_.stop.max_time_s = sweep.max_time_s;
    if (sweep.quick) {
      quick();
    } else if (sweep.thorough) {
      thorough();
    } else if (sweep.burn_in_hours) {
      burn_in(*sweep.burn_in_hours * 3600);
    } else {
      set_lengths({});
      plan_.stop.least_blocks = sweep.repetitions.value_or(kRepetitions);
    }
    if (sweep.until_ci) until_sure();
    if (asks_for(sweep.checks, settings::Check::kDevices)) check_devices();
    if (asks_for(sweep.checks, settings::Check::kReplay)) replay();
    if (sweep.sustain_s) {
      note("matrix products are held for " + seconds_text(*sweep.sustain_s) +
           " on each device before the first point" + turns());
    }
    plan_.estimated_s =
        start_s() + plan_.stop.least_blocks * block_s() + restarts_s() + traces_s() + checks_s();
    return overrun_;
  }

 private:
  void quick() {
    plan_.stop.least_blocks = plan_.sweep.repetitions.value_or(1);
    const double limit = plan_.stop.max_time_s.value_or(kQuick_s);
    double block = (kSafety * limit - start_s() - restarts_s()) / plan_.stop.least_blocks;
    if (!plan_.stop.max_time_s)
      block = std::min(block, kQuickRun_s * static_cast<double>(points_.size()));
    set_lengths({.block_s = block, .least_warmup_s = 1});
    hold(limit, "quick");
  }

  void thorough() {
    const double limit = plan_.stop.max_time_s.value_or(kThorough_s);
    plan_.fingerprint_s = std::min(kFingerprint_s, kFingerprintShare * limit);
    int blocks = plan_.sweep.repetitions.value_or(kRepetitions);
    plan_.stop.least_blocks = blocks;
    const double all = kSafety * limit - start_s() - restarts_s();
    const auto set = [&] { set_lengths({.block_s = all / blocks, .least_window_s = 10}); };
    set();
    if (!plan_.sweep.repetitions && blocks * block_s() > all) {
      blocks = kFewestForIntervals;
      set();
    }
    plan_.stop.least_blocks = blocks;
    note("the machine is measured by itself before the first block: " +
         rough_duration(plan_.fingerprint_s) +
         " for each precision's matrix product, memory, all-reduce, image loader and disk");
    hold(limit, "thorough");
  }

  // Plans the checks once for each start of the ranks.
  void check_devices() {
    const double limit = plan_.stop.max_time_s.value_or(kThorough_s);
    plan_.device_check_s = std::min(kFingerprint_s, kFingerprintShare * limit);
    note("each device is measured by itself before the points of each start: " +
         rough_duration(plan_.device_check_s) +
         " for each precision's matrix product and for memory" + turns() +
         (plan_.world_size > 1 ? "; then what the devices of each node exchange" : ""));
  }
  // Plans replays once: a second start would only add a few more rounds.
  void replay() {
    const double limit = plan_.stop.max_time_s.value_or(kThorough_s);
    plan_.replay_s = std::min(kReplay_s, kReplayShare * limit);
    note("each device repeats the same products for " + rough_duration(plan_.replay_s) +
         " in each precision, and the first steps of each workload twice, before the first point" +
         turns());
  }
  std::string turns() const {
    return devices_take_turns(plan_) && plan_.world_size > 1 ? ", one rank after the other" : "";
  }
  double checks_s() const {
    const int starts = plan_.sweep.fresh_process ? plan_.stop.least_blocks : 1;
    return (devices_take_turns(plan_) ? plan_.world_size : 1) *
               (starts * kDeviceChecks * plan_.device_check_s + kReplays * plan_.replay_s +
                plan_.sweep.sustain_s.value_or(0)) +
           (plan_.world_size > 1 ? starts * kNodeChecks * plan_.device_check_s : 0);
  }

  void burn_in(double all) {
    set_lengths({.block_s = all / 10, .least_window_s = 60});
    const double blocks = std::clamp((all - start_s()) / block_s(), 1.0, 1e6);
    plan_.stop.least_blocks = plan_.sweep.repetitions.value_or(static_cast<int>(blocks));
    plan_.stop.fill_time = true;
    plan_.stop.max_time_s = all;
    refuse_if_over(all, "burn_in", 1);
  }

  void until_sure() {
    StopRule& stop = plan_.stop;
    stop.until_ci = plan_.sweep.until_ci;
    stop.least_blocks = std::max(kLeastUntilSure, plan_.sweep.repetitions.value_or(0));
    if (stop.max_time_s) return;
    stop.max_time_s = kUntilSureMost_s;
    note(
        "--until-ci ends after 1 h, whether the interval is reached or not; --max-time sets "
        "another limit");
  }

  void set_lengths(const Budget& budget) {
    const double share_s = budget.block_s / static_cast<double>(points_.size());
    for (PlannedPoint* point : points_) {
      RunLength length = default_length(point->settings);
      if (budget.least_warmup_s > 0) length.least_warmup_s = budget.least_warmup_s;
      length.least_window_s = budget.least_window_s;
      if (budget.block_s != 0) {
        const double left = std::max(kShortestRun_s, share_s - estimated_setup_s(point->settings));
        length.most_warmup_s = kWarmupShare * left;
        length.most_window_s = affordable_window_s(*point, left - *length.most_warmup_s);
        length.least_warmup_s = std::min(length.least_warmup_s, *length.most_warmup_s);
        length.least_window_s =
            std::min(length.least_window_s, *length.most_window_s / kWindowMargin);
      }
      apply_options(point->settings.measuring, length);
      point->length = length;
      point->estimated_s = run_s(*point, length);
    }
  }

  static double run_s(const PlannedPoint& point, const RunLength& length) {
    const double step_s = estimated_step_s(point.settings, point.world_size);
    return estimated_setup_s(point.settings) + estimated_steps_s(point.settings, length, step_s);
  }
  double start_s() const {
    return estimated_start_s(points_.front()->settings) + kFingerprintParts * plan_.fingerprint_s;
  }
  // Each environment of each block starts new ranks, after the first.
  double restarts_s() const {
    const auto environments = static_cast<double>(environments_of(plan_).size());
    if (environments < 2) return 0;
    return (environments * plan_.stop.least_blocks - 1) *
           estimated_start_s(points_.front()->settings);
  }
  double block_s() const {
    double sum = 0;
    for (const PlannedPoint* point : points_) sum += point->estimated_s;
    return sum;
  }

  // Each point's first repetition has a trace.
  double traces_s() const {
    double sum = 0;
    for (const PlannedPoint* point : points_) {
      sum +=
          estimated_trace_s(point->settings, estimated_step_s(point->settings, point->world_size));
    }
    return sum;
  }

  void hold(double limit_s, const std::string& option) {
    plan_.stop.max_time_s = limit_s;
    plan_.stop.deadline_s = limit_s - kClosing_s;
    refuse_if_over(limit_s, option, plan_.stop.least_blocks);
  }

  void refuse_if_over(double limit_s, const std::string& option, int blocks) {
    Overrun over{.option = option, .limit_s = limit_s};
    for (const PlannedPoint* point : points_) {
      const double least_s = blocks * run_s(*point, cut_short(*point, {}));
      over.least_s += least_s;
      if (least_s <= over.longest_s) continue;
      over.longest_s = least_s;
      over.longest = static_cast<std::size_t>(point - plan_.points.data());
    }
    over.least_s += start_s() + restarts_s() + kClosing_s;
    if (over.least_s > limit_s) overrun_ = over;
  }

  void note(std::string text) { plan_.notes.push_back(std::move(text)); }

  Plan& plan_;
  std::vector<PlannedPoint*> points_;
  std::optional<Overrun> overrun_;
};

}  // namespace

std::optional<Overrun> schedule(Plan& plan) { return Scheduler(plan).run(); }

}  // namespace scalemark::planning
