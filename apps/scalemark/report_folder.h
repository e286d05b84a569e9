// The report of a command that trains nothing, and the folder that --output names for it.
#pragma once

#include <filesystem>
#include <optional>

#include "core/reporting/record/report.h"
#include "core/settings/reader.h"

namespace scalemark::cli {

// Returns --output with its placeholders filled in; absent when it is not given. Throws
// configuration() (78) for a placeholder that is none, cannot_create() (73) for a folder in use
// without --overwrite.
std::optional<std::filesystem::path> report_folder(const settings::ToolValues& values);

// Makes the folder and writes its report.json, keeping its other files, with a note on stderr.
// Throws cannot_create() (73) and io_error() (74).
void write_report(const std::filesystem::path& folder, const reporting::Report& report);

}  // namespace scalemark::cli
