// --metrics-port and --metrics-token: where rank 0 serves the pages of its run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/scalemark/rank_command.h"
#include "core/settings/layers.h"
#include "core/settings/problem.h"
#include "engine/process/run_request.h"

namespace scalemark::cli {

// Returns nothing without --metrics-port. Adds a problem for an invalid address, and for one off
// loopback without a token.
std::optional<process::MetricsAddress> metrics_address(const settings::RawSettings& raw,
                                                       std::vector<settings::Problem>& problems);

// On the process that holds rank 0, unless nothing is to run: reads the token into base.metrics and
// refuses a port that is taken, before anything is started. Throws as read_metrics_token() and
// Endpoint do. Adds warnings to `notes`.
void prepare_metrics(const settings::RawSettings& raw, ResolvedCommand& base,
                     std::vector<std::string>& notes);

}  // namespace scalemark::cli
