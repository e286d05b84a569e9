// An earlier session of a sweep left its folder: this reads it, and says whether a new one may go
// on with it. Settings arrive as texts.
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

// The report of `folder`, with what only its journal holds: points and collectives, their findings
// and telemetry, and links, of which report.json of a killed run may lack some. An incomplete last
// line is ignored. Absent when there is no report. Throws bad_data() (65) for an invalid report,
// and for a journal that is damaged before its last line; io_error() (74) for files that are there
// and cannot be read.
std::optional<Report> read_earlier(const std::filesystem::path& folder);

// The runs of `report` that are finished, whatever their status; skipped points have none.
std::vector<planning::EarlierRun> earlier_runs(const Report& report);

// All of this must be unchanged to resume. Another host of the same kind is no difference.
struct Sameness {
  std::string program_version;
  std::string git_commit;  // "0123456789ab", or "0123456789ab, changed"
  std::map<std::string, std::string> libraries;
  std::map<std::string, std::string> settings;
  std::vector<std::string> machines;  // one text per host: kinds, sorted
};

Sameness sameness_of(const Tool& tool, std::map<std::string, std::string> settings,
                     const std::vector<monitoring::Host>& hosts);

// The members of one JSON object as texts: invocation.settings of a report, or of a plan.
std::map<std::string, std::string> settings_texts(const std::string& json_object);

// Read from an earlier report; `settings` come from its invocation.
Sameness sameness_of(const Report& report);

// In words, one per difference: "batch_size was 32, now 64". Empty: the same. Paths of inputs are
// no difference where they lead to one file or folder, or to files of the same bytes.
std::vector<std::string> differences(const Sameness& before, const Sameness& now);

// In words, one per set of data: rows of `earlier` that were measured with other data than their
// group has now. `identities`: current ones, group -> PointRecord::data_identity. Groups that no
// longer exist, and rows without an identity, do not differ.
std::vector<std::string> data_differences(const Report& earlier,
                                          const std::map<std::string, std::string>& identities);

// Where rows of `earlier` say that its data are those of now, `before` and its rows take over how
// their paths are spelled now (`data`, by group). Of text, the identity covers the vocabulary.
void respell_data(Report& earlier, const std::map<std::string, std::string>& identities,
                  const std::map<std::string, std::string>& data, Sameness& before,
                  const Sameness& now);

// "Xeon, no GPU" or "EPYC 9654, 8 x NVIDIA H100 (driver 580.65)".
std::string kind_of_machine(const monitoring::Host& host);

}  // namespace scalemark::reporting
