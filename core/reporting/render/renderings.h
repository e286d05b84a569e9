// The renderings that a sweep leaves beside its report.json.
#pragma once

#include <filesystem>

#include "core/reporting/record/report.h"

namespace scalemark::reporting {

// Writes report.md and report.html. When one cannot be written (io_error(), 74), neither is left,
// nor an older one, which would describe another report.
void write_renderings(const std::filesystem::path& folder, const Report& report);

}  // namespace scalemark::reporting
