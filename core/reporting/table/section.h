// A titled table with lines under it: made once as data, then set for a terminal or as Markdown.
// Knows nothing of reports.
#pragma once

#include <string>
#include <vector>

#include "core/base/terminal.h"
#include "core/reporting/table/text_table.h"

namespace scalemark::reporting {

struct Section {
  std::string title;               // may be empty: then none is shown
  std::vector<Column> columns;     // none: only lines
  std::vector<std::string> lines;  // under the table
};

// Lines are at most terminal.columns wide. Where that is a terminal and the table is wider, columns
// that may go are left out, the first of them first; is it wider still, each row becomes a line,
// "x: old 100, new 95", without cells that are absent. Ends with a line end.
std::string section_text(const Section& section, const Terminal& terminal);

// Begins with an empty line.
std::string section_markdown(const Section& section);

}  // namespace scalemark::reporting
