// Reports as text for people: one table over the points of one or several reports, then what there
// is to say about them. Pure; knows no files or terminals.
#pragma once

#include <span>
#include <string>

#include "core/reporting/record/report.h"

namespace scalemark::reporting {

enum class TableFormat { kText, kMarkdown };

// At most 100 columns wide in kText for values of usual size. Speed-up and efficiency are relative
// to the 1-rank point of the same settings, where one of the reports holds it; strategy none is
// preferred. Findings and errors of all reports follow the table.
std::string render_table(std::span<const Report> reports, TableFormat format = TableFormat::kText);

}  // namespace scalemark::reporting
