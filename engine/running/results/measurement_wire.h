// A rank's summary as bytes, for the gather to rank 0. Not a file format: both ends are the
// same build.
#pragma once

#include <string>

#include "core/reporting/point/rank_steps.h"

namespace scalemark::running {

std::string to_wire(const reporting::RankSummary& summary);
reporting::RankSummary from_wire(const std::string& bytes);

}  // namespace scalemark::running
