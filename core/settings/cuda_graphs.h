// Which steps can be captured into a CUDA graph (--cuda-graphs). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/catalogue/workload.h"
#include "core/settings/settings.h"

namespace scalemark::settings {

// Steps that run as ever before one is captured: in these libraries search for their plans, take
// their workspaces, and c10d's reducer lays out its buckets.
inline constexpr std::int64_t kStepsBeforeGraph = 3;

struct NoGraph {
  std::string why;   // fits after "--cuda-graphs is 'on'; "
  std::string hint;  // what to do
};

// Empty where the steps of these settings can be captured.
std::optional<NoGraph> why_no_graph(const Settings& settings, const catalogue::Workload& workload);

}  // namespace scalemark::settings
