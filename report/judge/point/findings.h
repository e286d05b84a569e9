// A reader should know these findings beside the numbers of a point. Pure: from records to
// findings.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/machine/host.h"
#include "report/record/records.h"

namespace scalemark::reporting {

// The report gives `hosts` and `variables`; `repetitions` counts the runs of the point's group.
struct FindingContext {
  std::span<const monitoring::Host> hosts;
  std::map<std::string, std::string> variables;
  int repetitions = 1;
  std::span<const TelemetryRecord> telemetry = {};  // the point's rows only
  bool synthetic_in_loop = false;                   // used where the point's `varying` does not say
};

// Kinds of scope kOfPoint (record/finding_list.inc). A point that is not ok has none: its reason
// explains it.
std::vector<Finding> findings_of(const PointRecord& point, const FindingContext& context);

}  // namespace scalemark::reporting
