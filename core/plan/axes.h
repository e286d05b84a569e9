// From the axes of a sweep to its slices, before any point is resolved, and to the points that
// differ in one axis only, which effects and --tune compare. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "core/settings/sweep_settings.h"

namespace scalemark::planning {

struct SliceRequest {
  SliceKind kind = SliceKind::kWeak;
  // Every point of the slice has these options, sizes too; strategy only when it was asked for.
  settings::RawSettings raw;
  bool batch_auto = false;  // true: `raw` has no batch size
  std::map<std::string, std::string> fixed;
};

struct SliceQuestion {
  const std::vector<settings::Axis>& axes;  // workload among them
  const settings::RawSettings& common;
  const settings::SweepSettings& sweep;  // with world sizes decided
};

// The cross product of all axes but the world size. One for each combination and size; combinations
// that differ only in options without effect on them are one.
std::vector<SliceRequest> slice_requests(const SliceQuestion& question);

// An upper bound of the number of points, counted without making them; saturates.
std::size_t count_points(const SliceQuestion& question);

// The contradictions among the size options.
std::vector<settings::Problem> size_problems(const SliceQuestion& question);

const settings::Axis* find_axis(const std::vector<settings::Axis>& axes, std::string_view option);

// Each axis with several values gives one comparison for each combination of the others and each
// world size that was asked for: the points of the axis's values, in the order typed. Left out are
// comparisons of fewer than two different points (an exchange option on one rank), and values whose
// point has no counterpart at the first value. Another axis may have no effect at one of the values
// (readers of synthetic data): such points are compared with each of the others. The axes
// `workload` and the world size have no comparisons: other work is no effect, and scaling has its
// own tables.
std::vector<Comparison> comparisons_of(const Plan& plan, const std::vector<settings::Axis>& axes);

}  // namespace scalemark::planning
