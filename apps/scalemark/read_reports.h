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

// A note on stderr for each whose verdict is not the one that it was written with: `report` says it
// in its answer, commands that conclude from reports have no place for it.
void print_changed_verdicts(const std::vector<reporting::NamedReport>& reports);

// The reports in a text that was read from `path`, with what older versions did not write.
std::vector<reporting::NamedReport> reports_in(std::string_view text, const std::string& path);

// Each run once, wherever several reports are read: a report that is named twice or was copied is
// no further run, and neither is what a run had written before it went on or was resumed. The
// furthest counts, in the place of the first; notes on stderr name what was left out. Nodes of one
// job, which may share a run id, are told apart by their hosts.
std::vector<reporting::NamedReport> counted_once(std::vector<reporting::NamedReport> reports);
// Whether two reports are of one run, as above.
bool are_of_one_run(const reporting::Report& a, const reporting::Report& b);

// The sweep of results/example/, which the program holds.
extern const char* const kExampleReport;
reporting::Report example_report();

// Reads a fleet: a folder may hold one report for each node at any depth. Each counts once, as
// above. Throws as read_reports().
//
// With `unreadable` a report that cannot be read costs no other: its path and what is wrong with it
// go there, and only where none can be read the first error is thrown.
using Unreadable = std::vector<std::pair<std::string, std::string>>;
std::vector<reporting::NamedReport> read_fleet(const std::vector<std::string>& paths,
                                               Unreadable* unreadable = nullptr);

// `code`, or the exit code of --fail-on, with a line on stderr that says why.
ExitCode judged_by(const reporting::FailOn& fail_on, const reporting::Report& report,
                   ExitCode code);

}  // namespace scalemark::cli
