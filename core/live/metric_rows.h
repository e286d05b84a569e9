// The table of metrics: a row per metric. Private to the page (metrics.cpp). Pure.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "core/base/words.h"
#include "core/live/status.h"

namespace scalemark::live {

// Named as OpenMetrics names them.
enum class MetricKind { kCounter, kGauge, kInfo };
constexpr auto words_of(MetricKind) {
  return std::to_array<Word<MetricKind>>({{MetricKind::kCounter, "counter"},
                                          {MetricKind::kGauge, "gauge"},
                                          {MetricKind::kInfo, "info"}});
}

// The status that a page shows, and when it was made, in seconds since 1970.
struct MetricMoment {
  const Status& status;
  double now_s;
};

// One series: values of the row's labels, in their order.
struct MetricSample {
  std::vector<std::string> labels;
  double value = 1;
};

struct Metric {
  const char* name;  // behind "scalemark_"
  MetricKind kind;
  std::string labels;  // with commas between
  const char* help;
  std::function<std::vector<MetricSample>(const MetricMoment&)> read;
};

// All that there are, in the order of the page.
const std::vector<Metric>& metrics();

}  // namespace scalemark::live
