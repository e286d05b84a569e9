// Keeps a report on disk while it grows: journal.jsonl gets one fsynced line per event, report.json
// is a complete version that follows it. Knows nothing of what is measured.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "report/keep/disk.h"
#include "report/keep/output_folder.h"
#include "report/record/report.h"

namespace scalemark::reporting {

using SteadyTime = std::chrono::steady_clock::time_point;

// Decides when report.json is written again while a run lasts: every 10 s at most, and for at most
// 1 % of the time, since every rank waits meanwhile. Pure.
class SavePace {
 public:
  bool due(SteadyTime now) const { return now >= next_; }
  void saved(SteadyTime began, SteadyTime ended);

 private:
  SteadyTime next_;
};

// All methods may be called from any thread. An error while writing is thrown as io_error() (74)
// with the path and the system's reason; report.json is then still the previous version.
class ReportWriter {
 public:
  using Clock = std::function<SteadyTime()>;

  // Writes report.json with status partial at once, so that a run that is killed leaves one.
  // `report` holds the earlier sessions' points when the folder is continued.
  ReportWriter(OutputFolder folder, Report report, Clock clock = std::chrono::steady_clock::now);
  ReportWriter(std::filesystem::path folder, Report report,
               ExistingFolder existing = ExistingFolder::kRefuse)
      : ReportWriter(OutputFolder(std::move(folder), existing), std::move(report)) {}

  // When it returns, all is in the journal. report.json follows by SavePace; read_earlier()
  // combines the two.
  void add_point(PointRecord point, std::vector<Finding> findings = {},
                 std::vector<TelemetryRecord> telemetry = {});
  void add_collective(CollectiveRecord run, std::vector<Finding> findings = {},
                      std::vector<TelemetryRecord> telemetry = {});
  void add_links(std::vector<LinkRecord> links, std::vector<Finding> findings = {});
  void add_finding(Finding finding);

  // Records an error that ends the run: it is written into report.json at once, with the space that
  // was held back for it, even when writing to the journal fails.
  void add_error(ErrorRecord error);

  // Changes what is derived from the points: summaries, sessions. The journal does not record this;
  // report.json follows by SavePace.
  void amend(const std::function<void(Report&)>& change);

  // Writes to the journal only: "warmup", "window", "epoch" ...; `text` is for people, and may be
  // empty.
  void event(std::string_view name, std::string_view text = {});

  // Sets status, exit code and end; with kPartial, where another session will continue, only the
  // status. Later calls only write to the journal, so the first close that succeeds decides. Works
  // on a full disk, since space was held back. `before` gets the closed report before it is saved;
  // if it throws, the report stays open.
  void close(ReportStatus status, int exit_code,
             const std::function<void(const Report&)>& before = {});

  Report report() const;
  const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  template <class Row>
  void add(const char* name, std::vector<Row>& rows, Row row, std::vector<Finding> findings,
           std::vector<TelemetryRecord> telemetry);
  void append(std::string_view event, std::string_view key, const std::string& json);
  // Appends to journal and report.
  void append_findings(std::vector<Finding> findings);
  void append_telemetry(std::vector<TelemetryRecord> telemetry);
  void save();
  void save_in_time();
  void give_reserve_back();

  mutable std::mutex mutex_;
  OutputFolder folder_;
  Report report_;
  SpaceReserve reserve_;
  Clock clock_;
  SavePace durations_;
  std::size_t saved_bytes_ = 0;    // the size of report.json
  std::size_t unsaved_bytes_ = 0;  // the journal has grown by them since report.json was written
  bool ending_ = false, closed_ = false;
};

// Closes the report of a run whose rank 0 could not, with the error that ended it and all rows of
// its journal. Returns false where none was left open. Throws as OutputFolder does, or io_error().
bool close_left_open(const std::filesystem::path& folder, ErrorRecord error, int exit_code,
                     ExistingFolder existing);

}  // namespace scalemark::reporting
