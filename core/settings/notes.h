// Where --cuda-graphs and --fused-layers have a meaning, and notes on settings that have less, or
// more, effect than a person may expect. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/catalogue/workload.h"
#include "core/settings/checks.h"
#include "core/settings/settings.h"

namespace scalemark::settings {

// Steps that run as usual before one is captured: in these libraries search for their plans, take
// their workspaces, and c10d's reducer lays out its buckets.
inline constexpr std::int64_t kStepsBeforeGraph = 3;

struct NoGraph {
  std::string why;   // fits after "--cuda-graphs is 'on'; "
  std::string hint;  // says what to do
};

// Empty where the steps of these settings can be captured.
std::optional<NoGraph> why_no_graph(const Settings& settings, const catalogue::Workload& workload);

// Whether there are fused layers for `workload` on this device and in this layout.
bool has_fused_layers(const Settings& settings, const catalogue::Workload& workload);

std::vector<std::string> notes_on(const CheckInput& input);

}  // namespace scalemark::settings
