// Links that comm measured are written in the form that `predict --topology` reads. Pure.
#pragma once

#include <optional>
#include <string>

#include "core/reporting/record/report.h"

namespace scalemark::reporting {

// JSON for prediction::parse_topology(): of each level of which there is a fit over sizes, latency
// and bandwidth of one message. From ring shifts (send-recv), else from all-reduces, without
// traffic or products beside them; of several series the one with the highest bandwidth, which
// "about" names. Absent when there is no such fit.
std::optional<std::string> topology_json(const Report& report);

}  // namespace scalemark::reporting
