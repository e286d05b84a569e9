// Looking at the machine has a cost: one line tells it to people. Pure.
#pragma once

#include <span>
#include <string>

#include "core/reporting/record/report.h"

namespace scalemark::reporting {

// The largest watching_cpu_share of all runs and hosts; empty without telemetry.
std::string telemetry_cost(std::span<const Report> reports);

}  // namespace scalemark::reporting
