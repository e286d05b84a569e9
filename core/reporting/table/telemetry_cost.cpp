#include <algorithm>
#include <optional>

#include "core/base/number_words.h"
#include "core/reporting/table/table.h"

namespace scalemark::reporting {

std::string telemetry_cost(std::span<const Report> reports) {
  std::optional<double> most;
  for (const Report& report : reports) {
    for (const TelemetryRecord& record : report.telemetry) {
      const std::string& source = record.values.source;  // older reports have only the latter
      if (source != "watching_cpu_share" && source != "sampler_cpu_share") continue;
      most = std::max(most.value_or(0), record.values.mean);
    }
  }
  if (!most) return {};
  return "watching the run took " + percent(*most, 3) + " of one core at most";
}

}  // namespace scalemark::reporting
