// Summarises the points of a sweep: groups over repetitions, scaling tables paired within blocks,
// drift, ranks that stand out, real against synthetic data, effects of options, and findings. Reads
// and fills one report, and no file. The formulas are in core/statistics; this chooses their runs.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/machine/host.h"
#include "core/plan/enough.h"
#include "core/plan/plan.h"
#include "core/plan/sweep_schedule.h"
#include "report/record/runs.h"

namespace scalemark::reporting {

// One slice of the plan, as names of groups.
struct SliceGroups {
  std::string kind;  // weak | strong-by-batch | strong-by-accumulation
  std::map<std::string, std::string> fixed;
  std::string baseline;           // 1 rank, strategy none; empty: there is none
  std::vector<std::string> rows;  // measured points and solo ones, in any order
};

// Points that differ in one axis only, as names of groups. The first value is the axis's first.
struct ComparedGroups {
  struct Value {
    std::string value, group;
  };
  std::string axis;
  std::map<std::string, std::string> fixed;  // contains world_size
  std::vector<Value> values;
};

struct SummaryOptions {
  // Slices and comparisons are from the plan, since points do not record which value was typed
  // first.
  std::vector<SliceGroups> slices;
  std::vector<ComparedGroups> comparisons;
  std::string tuned_axis;  // the axis that --tune searches; empty: none
  // group -> why its repetitions ended, where that differs from `stop_reason`.
  std::map<std::string, std::string> stop_reasons;
  std::string stop_reason = "repetitions";
  // The price of all launched ranks together. A point pays for the ranks that it uses.
  std::optional<double> price_per_hour;
  int launched_ranks = 0;  // above 0 where there is a price
  // How much healthy devices differ (standard deviation, relative): --device-spread.
  double device_spread = 0;
};

// Replaces what a report says about its points together, and adds findings of scope kOfSweep
// (record/finding_list.inc). Source of every number: METRICS.md, "Several runs".
void summarise_sweep(Report& report, const SummaryOptions& options = {});

// Recomputes groups, scaling, findings of the sweep and all else that is derived from the points of
// a plan, with its slices, price and ranks. Findings of single points stay. `stop_reasons`: group
// -> reason, from SweepSchedule::stop_reasons().
void summarise_by_plan(Report& report, const planning::Plan& plan,
                       std::map<std::string, std::string> stop_reasons);

// Returns the devices of every solo point, by point and rank. `hosts` (environment.hosts[]) has
// their PCI addresses and clocks. Source: METRICS.md, "Devices".
std::vector<DeviceRecord> devices_of(std::span<const PointRecord> points,
                                     std::span<const monitoring::Host> hosts);

// Maps the id of a point to the number of steps that a parallel run needs before it beats one rank,
// start-up included, against the baseline of its block. Leaves out runs that never do, and all runs
// of a point unless the 95 % interval of its speed-up lies above 1.
std::map<std::string, double> break_even_steps(std::span<const PointRecord> points,
                                               const std::vector<SliceGroups>& slices);

// Returns how precisely each point is known, for --until-ci: from groups[] and scaling[], so that a
// sweep stops by the very intervals that it reports.
planning::Precisions precision_of(const Report& report);

// Decides whether the sweep's numbers are known well enough, its exit code, and the sentence that
// explains it. `schedule` is over, or has nothing more to do for these ranks.
RunEnd end_of_sweep(const Report& report, const planning::Plan& plan,
                    const planning::SweepSchedule& schedule);

}  // namespace scalemark::reporting
