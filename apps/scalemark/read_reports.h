// Reports named on the command line: files, or folders that hold a report.json. They are read, and
// judged by --fail-on.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "report/record/report.h"
#include "report/record/runs.h"

namespace scalemark::cli {

// Each report under the path that gave it: a file of JSON lines may give several. One that is named
// twice, or was copied, counts once, and a note says so. Throws no_input() (66) for what is not
// there, bad_data() (65) for what is no report.
std::vector<reporting::NamedReport> read_named_reports(const std::vector<std::string>& paths);
std::vector<reporting::Report> read_reports(const std::vector<std::string>& paths);

// Prints a note on stderr for each report whose verdict has changed since it was written. `report`
// says so in its answer; commands that conclude from reports have no place for it.
void print_changed_verdicts(const std::vector<reporting::NamedReport>& reports);

// Reads a file, or for "-" what comes through the pipe. Throws no_input() (66), and bad_data() (65)
// for text in UTF-16 or UTF-32.
std::string pasted_text(const std::string& file);

// Whether a text names the schema of a report near its begin.
bool holds_report(std::string_view text);

// The reports in a text that was read from `path`; what older versions did not write is filled in.
std::vector<reporting::NamedReport> reports_in(std::string_view text, const std::string& path);

// Returns each run once, wherever several reports are read. A report that is named twice or was
// copied is no further run, and neither is one that was written before the run continued or was
// resumed: the furthest counts, in the place of the first. Notes on stderr name what was left out.
// Nodes of one job, which may share a run id, differ in their hosts.
std::vector<reporting::NamedReport> counted_once(std::vector<reporting::NamedReport> reports);
// Whether two reports are of one run, as above.
bool are_of_one_run(const reporting::Report& a, const reporting::Report& b);

// The sweep of results/example/, which the program holds.
extern const char* const kExampleReport;
reporting::Report example_report();

// Reads a fleet: a folder may hold one report for each node at any depth. Each counts once, as
// above. Throws as read_reports().
//
// With `unreadable`, a report that cannot be read does not stop the others: its path and what is
// wrong with it go there, and the first error is thrown only where none can be read.
using Unreadable = std::vector<std::pair<std::string, std::string>>;
std::vector<reporting::NamedReport> read_fleet(const std::vector<std::string>& paths,
                                               Unreadable* unreadable = nullptr);

// Returns `code`, or the exit code of --fail-on, which a line on stderr then explains.
ExitCode judged_by(const reporting::FailOn& fail_on, const reporting::Report& report,
                   ExitCode code);

}  // namespace scalemark::cli
