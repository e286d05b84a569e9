// --metrics-port and --metrics-token: where rank 0 serves the pages of its run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/settings/layers.h"
#include "core/settings/problem.h"
#include "engine/process/run_request.h"

namespace scalemark::cli {

// Absent without --metrics-port. Adds to `problems` an address that is none, and one off loopback
// without a token.
std::optional<process::MetricsAddress> metrics_address(const settings::RawSettings& raw,
                                                       std::vector<settings::Problem>& problems);

// On the process that holds rank 0: reads the token into `metrics` and refuses a port that is
// taken, before anything is started. Throws as read_secret() and Endpoint do. Returns a warning, or
// nothing.
std::string prepare_metrics(const settings::RawSettings& raw, process::MetricsAddress& metrics);

}  // namespace scalemark::cli
