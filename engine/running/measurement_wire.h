// A rank's measurement as bytes, for the gather to rank 0. Not a file format: both ends are the
// same build.
#pragma once

#include <string>

#include "core/reporting/records.h"

namespace scalemark::running {

std::string to_wire(const reporting::RankMeasurement& measurement);
reporting::RankMeasurement from_wire(const std::string& bytes);

}  // namespace scalemark::running
