// The metrics that a rule of acceptance may name: one row each in metric_list.inc.
#pragma once

#include <array>
#include <string_view>

#include "core/base/words.h"

namespace scalemark::acceptance {

enum class PartKind { kDevice, kNode, kLink };
constexpr auto words_of(PartKind) {
  return std::to_array<Word<PartKind>>(
      {{PartKind::kDevice, "device"}, {PartKind::kNode, "node"}, {PartKind::kLink, "link"}});
}

// Whether a fleet is expected to have been measured so.
enum class Applies { kEverywhere, kWithGpus, kWithSeveralNodes };

// How values of a metric are compared: repeated rates by the rule of statistics/acceptance.h, a
// floor with each value's own interval, counts, and texts that are to be alike.
enum class ValueKind { kRate, kFloor, kCount, kFact };

enum class Metric {
#define SCALEMARK_METRIC(id, name, unit, of, applies, kind, about) id,
#include "core/reporting/acceptance/metric_list.inc"
#undef SCALEMARK_METRIC
};

struct MetricRow {
  Metric metric;
  std::string_view name, unit;
  PartKind of;
  Applies applies;
  ValueKind kind;
  std::string_view about;
};

inline constexpr std::array kMetrics = {
#define SCALEMARK_METRIC(id, name, unit, of, applies, kind, about) \
  MetricRow{Metric::id, name, unit, PartKind::of, Applies::applies, ValueKind::kind, about},
#include "core/reporting/acceptance/metric_list.inc"
#undef SCALEMARK_METRIC
};

constexpr const MetricRow& row_of(Metric metric) {
  return kMetrics.at(static_cast<std::size_t>(metric));
}

}  // namespace scalemark::acceptance
