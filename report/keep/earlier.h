// Reads the folder of an earlier session of a sweep, and decides whether a new session may continue
// it. Settings arrive as texts.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/machine/host.h"
#include "core/plan/sweep_schedule.h"
#include "report/record/report.h"

namespace scalemark::reporting {

// Returns the report of `folder` with what only its journal holds: points and collectives with
// their findings and telemetry, and links. The report.json of a killed run may lack some of these.
// An incomplete last line is ignored. Returns nothing when there is no report. Throws bad_data()
// (65) for an invalid report, and for a journal that is damaged before its last line; io_error()
// (74) for files that exist and cannot be read.
std::optional<Report> read_earlier(const std::filesystem::path& folder);

// Returns the finished runs of `report`, whatever their status. Skipped points have none.
std::vector<planning::EarlierRun> earlier_runs(const Report& report);

// All of this must be unchanged for a sweep to resume. Another host of the same kind is no
// difference.
struct Sameness {
  std::string program_version;
  std::string git_commit;  // "0123456789ab", or "0123456789ab, changed"
  std::map<std::string, std::string> libraries;
  std::map<std::string, std::string> settings;
  std::vector<std::string> machines;  // one text per host, of its kind; sorted
};

Sameness sameness_of(const Tool& tool, std::map<std::string, std::string> settings,
                     const std::vector<monitoring::Host>& hosts);

// Returns the members of a JSON object as texts: invocation.settings of a report, or of a plan.
std::map<std::string, std::string> settings_texts(const std::string& json_object);

// Returns that of an earlier report, with the settings of its invocation.
Sameness sameness_of(const Report& report);

// Lists the differences in words: "batch_size was 32, now 64". Empty: there are none. Paths of
// inputs are no difference where they lead to one file or folder, or to files with the same bytes.
std::vector<std::string> differences(const Sameness& before, const Sameness& now);

// Lists, one text per set of data, the rows of `earlier` that were measured with other data than
// their group has now. `identities` maps groups to the current PointRecord::data_identity. Groups
// that no longer exist, and rows without an identity, do not differ.
std::vector<std::string> data_differences(const Report& earlier,
                                          const std::map<std::string, std::string>& identities);

// Where rows of `earlier` have the same data as now, `before` and the rows take over how the paths
// are spelled now (`data`, by group). The identity of text data covers the vocabulary.
void respell_data(Report& earlier, const std::map<std::string, std::string>& identities,
                  const std::map<std::string, std::string>& data, Sameness& before,
                  const Sameness& now);

// Returns "Xeon, no GPU" or "EPYC 9654, 8 x NVIDIA H100 (driver 580.65)".
std::string kind_of_machine(const monitoring::Host& host);

}  // namespace scalemark::reporting
