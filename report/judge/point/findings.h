// Finds what a reader should know beside the numbers of a point. Pure: from records to findings.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/machine/host.h"
#include "report/record/records.h"

namespace scalemark::reporting {

// `hosts` and `variables` are from the report; `repetitions` counts the runs of the point's group.
struct FindingContext {
  std::span<const monitoring::Host> hosts;
  std::map<std::string, std::string> variables;
  int repetitions = 1;
  std::span<const TelemetryRecord> telemetry = {};  // the rows of this point only
  bool synthetic_in_loop = false;                   // used if the point's `varying` lacks it
};

// Returns findings of scope kOfPoint (record/finding_list.inc). A point that is not ok has none,
// since its reason explains it.
std::vector<Finding> findings_of(const PointRecord& point, const FindingContext& context);

}  // namespace scalemark::reporting
