// The renderings that a sweep leaves beside its report.json.
#pragma once

#include <filesystem>

#include "core/reporting/record/report.h"

namespace scalemark::reporting {

// report.md and report.html. Both or none: when one cannot be written (io_error(), 74), neither is
// left, not even an older one, which would tell of another report.
void write_renderings(const std::filesystem::path& folder, const Report& report);

}  // namespace scalemark::reporting
