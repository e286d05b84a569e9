// The points of a sweep decide what it measures of its machines before its first block. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/planning/plan.h"

namespace scalemark::planning {

// An all-reduce of what a step exchanges: of the first point with the most ranks, without
// compression.
struct PlannedExchange {
  std::string backend;
  std::int64_t bytes = 0;  // of a rank
  std::string reason;      // why there is none; else empty
};
PlannedExchange exchange_of(const Plan& plan);

// Whether ranks measure their devices one after the other (--checks devices): on CPUs they share
// cores and memory. The plan has a point.
bool devices_take_turns(const Plan& plan);

// The numbers of threads of the points that can run, each once, ascending; at least one.
std::vector<int> threads_of(const Plan& plan);

}  // namespace scalemark::planning
