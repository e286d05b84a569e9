// Reports named on the command line: files, or folders that hold a report.json.
#pragma once

#include <string>
#include <vector>

#include "core/reporting/record/report.h"

namespace scalemark::cli {

// Throws no_input() (66) for what is not there, bad_data() (65) for what is no report.
std::vector<reporting::Report> read_reports(const std::vector<std::string>& paths);

}  // namespace scalemark::cli
