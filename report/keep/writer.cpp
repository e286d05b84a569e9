#include "report/keep/writer.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "report/judge/judge.h"
#include "report/keep/earlier.h"
#include "report/record/report_json.h"

namespace scalemark::reporting {
namespace {

constexpr std::size_t kReservedAtLeast = 64 << 10;  // errors and findings at the end need it
constexpr std::size_t kIndented = 2;  // size of a row in report.json relative to its journal line

// Runs each action, then rethrows the first exception.
template <class... Actions>
void run_all(Actions... actions) {
  std::exception_ptr first;
  const auto attempt = [&](auto& action) {
    try {
      action();
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  };
  (attempt(actions), ...);
  if (first) std::rethrow_exception(first);
}

}  // namespace

void SavePace::saved(SteadyTime began, SteadyTime ended) {
  constexpr std::chrono::seconds kAtMostEvery{10};
  constexpr int kShare = 100;
  next_ = ended + std::max<SteadyTime::duration>(kAtMostEvery, (kShare - 1) * (ended - began));
}

ReportWriter::ReportWriter(OutputFolder folder, Report report, Clock clock)
    : folder_(std::move(folder)),
      report_(std::move(report)),
      reserve_(folder_.path() / ".reserve"),
      clock_(std::move(clock)) {
  Journal& journal = folder_.journal();
  journal.drop_incomplete_line();
  folder_.remove_renderings();
  if (report_.started.empty()) report_.started = utc_now();
  report_.status = ReportStatus::kPartial;
  report_.exit_code.reset();
  report_.verdict.reset();
  report_.finished.clear();
  append(journal.empty() ? "started" : "continued", "", "");
  save();
}

void ReportWriter::add_point(PointRecord point, std::vector<Finding> findings,
                             std::vector<TelemetryRecord> telemetry) {
  add("point", report_.points, std::move(point), std::move(findings), std::move(telemetry));
}

void ReportWriter::add_collective(CollectiveRecord run, std::vector<Finding> findings,
                                  std::vector<TelemetryRecord> telemetry) {
  add("collective", report_.collectives, std::move(run), std::move(findings), std::move(telemetry));
}

template <class Row>
void ReportWriter::add(const char* name, std::vector<Row>& rows, Row row,
                       std::vector<Finding> findings, std::vector<TelemetryRecord> telemetry) {
  const std::lock_guard lock(mutex_);
  append(name, name, to_json_line(row, name));
  append_telemetry(std::move(telemetry));
  append_findings(std::move(findings));
  rows.push_back(std::move(row));
  save_in_time();
}

void ReportWriter::add_links(std::vector<LinkRecord> links, std::vector<Finding> findings) {
  const std::lock_guard lock(mutex_);
  append("links", "links", to_json_line(links, "link"));
  append_findings(std::move(findings));
  std::ranges::move(links, std::back_inserter(report_.links));
  save_in_time();
}

void ReportWriter::add_finding(Finding finding) {
  add("finding", report_.findings, std::move(finding), {}, {});
}

void ReportWriter::add_error(ErrorRecord error) {
  const std::lock_guard lock(mutex_);
  const std::string json = to_json_line(error, "error");
  report_.errors.push_back(std::move(error));
  give_reserve_back();
  run_all([&] { append("error", "error", json); }, [&] { save(); });
}

void ReportWriter::amend(const std::function<void(Report&)>& change) {
  const std::lock_guard lock(mutex_);
  change(report_);
  save_in_time();
}

void ReportWriter::event(std::string_view name, std::string_view text) {
  const std::lock_guard lock(mutex_);
  append(name, "text", text.empty() ? "" : to_json_line(text));
}

void ReportWriter::close(ReportStatus status, int exit_code,
                         const std::function<void(const Report&)>& before) {
  const std::lock_guard lock(mutex_);
  if (!closed_) {
    Report closed = report_;
    closed.status = status;
    if (status != ReportStatus::kPartial) {
      closed.exit_code = exit_code;
      closed.finished = utc_now();
      judge(closed);
    }
    if (before) before(closed);
    give_reserve_back();
    write_atomically(folder() / "report.json", to_json(closed));
    report_ = std::move(closed);
    closed_ = true;
  }
  append("closed", "exit_code", std::to_string(exit_code));
}

Report ReportWriter::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

void ReportWriter::append(std::string_view event, std::string_view key, const std::string& json) {
  std::string line = "{\"time\":\"" + utc_now() + "\",\"event\":" + to_json_line(event);
  if (!json.empty()) line += ",\"" + std::string(key) + "\":" + json;
  folder_.journal().append(line + "}");
  unsaved_bytes_ += line.size();
}

void ReportWriter::append_findings(std::vector<Finding> findings) {
  for (const auto& finding : findings)
    append("finding", "finding", to_json_line(finding, "finding"));
  std::ranges::move(findings, std::back_inserter(report_.findings));
}

void ReportWriter::append_telemetry(std::vector<TelemetryRecord> telemetry) {
  if (telemetry.empty()) return;
  append("telemetry", "telemetry", to_json_line(telemetry, "telemetry"));
  std::ranges::move(telemetry, std::back_inserter(report_.telemetry));
}

void ReportWriter::save() {
  const SteadyTime began = clock_();
  const std::string text = to_json(report_);
  write_atomically(folder() / "report.json", text);
  durations_.saved(began, clock_());
  saved_bytes_ = text.size();
  unsaved_bytes_ = 0;
  if (!ending_) reserve_.hold(2 * saved_bytes_ + kReservedAtLeast);
}

// Rows that report.json lacks must fit into it even when the disk is full. While no space can be
// held back for them, each row is written at once, as long as there is any space.
void ReportWriter::save_in_time() {
  const bool has_room = ending_ || reserve_.hold(2 * (saved_bytes_ + kIndented * unsaved_bytes_) +
                                                 kReservedAtLeast / 2);
  if (!has_room || closed_ || durations_.due(clock_())) save();
}

void ReportWriter::give_reserve_back() {
  ending_ = true;
  reserve_.release();
}

bool close_left_open(const std::filesystem::path& folder, ErrorRecord error, int exit_code,
                     ExistingFolder existing) {
  auto report = read_earlier(folder);
  if (!report || report->status != ReportStatus::kPartial) return false;
  ReportWriter writer(OutputFolder(folder, existing), *std::move(report));
  writer.add_error(std::move(error));
  writer.close(ReportStatus::kFailed, exit_code);
  return true;
}

}  // namespace scalemark::reporting
