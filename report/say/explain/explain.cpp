#include "report/say/explain/explain.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/catalogue/strategy.h"
#include "report/judge/judge.h"
#include "report/record/point_facts.h"
#include "report/record/surety.h"

namespace scalemark::reporting {
namespace {

constexpr double kNothing = 5e-4;  // smaller shares are not shown as parts

constexpr const char* kSlowedByExchange =
    "as many ranks with no exchange lose less than half of it: the exchange takes cores or "
    "bandwidth from the step; exchange less often (larger batches, "
    "--gradient-accumulation-steps), or send less";

// Averages a number over the ranks of all runs. Returns nothing where a run lacks it.
std::optional<double> mean_of(
    const std::vector<const PointRecord*>& runs,
    const std::function<std::optional<double>(const PointRecord&)>& number) {
  double sum = 0;
  for (const PointRecord* run : runs) {
    const auto value = number(*run);
    if (!value) return std::nullopt;
    sum += *value;
  }
  if (runs.empty()) return std::nullopt;
  return sum / static_cast<double>(runs.size());
}

// Whether as many ranks with no exchange lose less than half of what this row loses to slower
// compute. Then it is the exchange that slows the computation.
bool is_slowed_by_exchange(const ScalingTable& table, const ScalingRow& row) {
  const auto solo = std::ranges::find_if(table.rows, [&](const ScalingRow& other) {
    return other.world_size == row.world_size && !catalogue::exchanges(other.strategy);
  });
  if (solo == table.rows.end() || !solo->efficiency) return false;
  const double lost = 1 - solo->efficiency_ci95.low.value_or(*solo->efficiency);
  return lost < row.loss_of_efficiency->slower_compute / 2;
}

std::vector<LostShare> shares_of(const ScalingTable& table, const ScalingRow& row, double target) {
  if (!row.loss_of_efficiency) return {};
  const LossOfEfficiency& loss = *row.loss_of_efficiency;
  const LossIntervals ci = row.loss_of_efficiency_ci95.value_or(LossIntervals{});
  std::vector<LostShare> shares;
  for_each_loss([&](const auto& part) {
    const std::optional<double> share = loss.*part.share;
    const bool by_exchange =
        part.ci95 == &LossIntervals::slower_compute && is_slowed_by_exchange(table, row);
    shares.push_back({part.name,
                      by_exchange ? kSlowedByExchange : part.advice,
                      share.value_or(0),
                      ci.*part.ci95,
                      {}});
  });
  std::erase_if(shares, [](const LostShare& one) { return std::abs(one.share) < kNothing; });
  std::ranges::stable_sort(shares, std::greater{}, &LostShare::share);
  const double too_much = target - row.efficiency.value();
  for (LostShare& one : shares) {
    if (too_much > 0 && one.share >= too_much) one.at_most = one.share - too_much;
  }
  return shares;
}

bool has_solo_of(const Report& report, int world_size) {
  return std::ranges::any_of(report.devices, [&](const DeviceRecord& device) {
    return std::ranges::any_of(report.points, [&](const PointRecord& point) {
      return point.group == device.group && point.world_size == world_size;
    });
  });
}

void explain_missing(Explanation& all, const Report& report, const PointRecord* run,
                     const std::vector<const Report*>& collectives) {
  const ScalingRow& row = *all.row;
  const auto miss = [&](std::string text) { all.missing.push_back(std::move(text)); };
  if (!row.loss_of_efficiency) miss("where it went: the runs have no phases of steps");
  if (all.blocks < 2) miss("intervals: one block was run; --repetitions 5");
  if (!all.cost) {
    miss(std::string("what communication costs beside the waits") +
         (is_disturbed(row.standing) ? ", undisturbed" : "") + ": --communication-cost");
  }
  const auto command = run && !all.buckets ? comm_command(*run) : std::nullopt;
  if (command) {
    const char* begin = collectives.empty()
                            ? "the network by itself: "
                            : "the network by itself on these ranks and backend, undisturbed: ";
    miss(begin + *command + ", and its folder beside this one");
  }
  if (!command && !all.buckets && !collectives.empty()) {
    miss(
        "the reports of comm that were given are not used: this row has no buckets that comm "
        "measures");
  }
  if (!has_solo_of(report, row.world_size)) {
    miss("each device by itself: --strategies with none at " + std::to_string(row.world_size) +
         " ranks");
  }
  if (!all.compares_options) miss("what an option gives: --tune, or an axis such as --batch-sizes");
}

}  // namespace

Explanation explain(const Report& report, const std::vector<const Report*>& collectives,
                    const ExplainRequest& request) {
  const ChosenRow chosen = choose_row(report, request.group, collectives);
  const ScalingRow& row = *chosen.row;
  Explanation all{.table = chosen.table, .row = chosen.row, .target = request.target};
  all.blocks = static_cast<int>(row.points.size());
  all.disturbed = disturbances(report, chosen);
  all.next = next_command(report);
  if (row.standing.is_withheld()) {
    all.withheld = reason_in_words(report, row.standing);
    std::erase(all.disturbed, all.withheld);  // the first sentence names it
    all.quoting = quoting_words(std::span(&report, 1));
    return all;
  }
  all.ideal_speedup = row.ideal();
  all.shares = shares_of(*chosen.table, row, request.target);
  const auto runs = runs_of(report, row);
  all.step_s = row.step_time_s;
  all.network_s = mean_of(runs, [](const auto& run) { return run.communication.network_s; });
  all.peer_wait_s = mean_of(runs, [](const auto& run) { return run.communication.peer_wait_s; });
  if (const GroupRecord* group = find_group(report.groups, row.group))
    all.cost = group->communication;
  if (!runs.empty()) {
    const auto* strategy = catalogue::find_strategy(runs.front()->strategy);
    all.in_one_process = strategy && strategy->processes == catalogue::ProcessCount::kOne;
    all.bucket_bytes = runs.front()->bucket_bytes;
    all.overlap = overlap_of(runs);
    all.buckets = bucket_times(*runs.front(), collectives);
  }
  all.quoting = quoting_in_words(report);
  all.slow = slow_parts(report, row, collectives);
  all.best_effect = best_effect(report, row);
  all.compares_options = compares_options(report, row);
  explain_missing(all, report, runs.empty() ? nullptr : runs.front(), collectives);
  return all;
}

}  // namespace scalemark::reporting
