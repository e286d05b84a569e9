#include "apps/scalemark/read_reports.h"

#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "apps/scalemark/commands.h"
#include "core/base/error.h"
#include "core/reporting/collectives/collectives.h"
#include "core/reporting/output/earlier.h"
#include "core/reporting/record/report_json.h"
#include "core/settings/config_file.h"

namespace scalemark::cli {
namespace {

namespace fs = std::filesystem;

reporting::Report read_report(const std::string& path) {
  if (!fs::exists(path)) {
    throw no_input("'" + path + "' is not there",
                   "a report.json, or a folder that holds one, is expected");
  }
  const std::string file =
      fs::is_directory(path) ? (fs::path(path) / "report.json").string() : path;
  if (!fs::exists(file)) {
    throw no_input("'" + path + "' holds no report.json", "a report's file or folder is expected");
  }
  auto report = reporting::report_from_json(settings::read_text_file(file), file);
  // A run of collectives that was killed: its last rows are in the journal only.
  const bool may_lack_rows =
      report.status == reporting::ReportStatus::kPartial && report.invocation.command == "comm";
  if (!fs::is_directory(path) || !may_lack_rows) return report;
  report = reporting::read_earlier(path).value_or(std::move(report));
  reporting::summarise_collectives(report);
  return report;
}

// A folder without a report of its own holds one for each node: acc/1/n7/report.json.
std::vector<std::string> report_files(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path) || fs::exists(fs::path(path) / "report.json")) {
      files.push_back(path);
      continue;
    }
    std::set<std::string> found;
    for (const auto& entry :
         fs::recursive_directory_iterator(path, fs::directory_options::skip_permission_denied)) {
      if (entry.path().filename() == "report.json") found.insert(entry.path().parent_path());
    }
    if (found.empty()) {
      throw no_input("'" + path + "' holds no report.json",
                     "reports, or folders that hold them, are expected");
    }
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

}  // namespace

reporting::Report example_report() {
  return reporting::report_from_json(kExampleReport, "results/example/report.json");
}

std::vector<reporting::Report> read_reports(const std::vector<std::string>& paths) {
  std::vector<reporting::Report> reports;
  for (const std::string& path : paths) {
    reports.push_back(read_report(path));
    reporting::complete_older(reports.back());
  }
  return reports;
}

std::vector<reporting::NamedReport> read_fleet(const std::vector<std::string>& paths,
                                               Unreadable* unreadable) {
  std::vector<reporting::NamedReport> fleet;
  std::set<std::string> known;
  std::optional<Error> first;
  const auto tolerate = [&](const std::string& path, const Error& error) {
    if (unreadable == nullptr) throw Error(error);
    unreadable->emplace_back(path, error.record().what);
    if (!first) first = error;
  };
  const auto add = [&](const std::string& file) {
    reporting::Report report = std::move(read_reports({file}).front());
    std::string key = report.run_id + "\n" + report.invocation.command + "\n" + report.started;
    for (const auto& host : report.environment.hosts) key += "\n" + host.hostname;
    if (known.insert(key).second) fleet.push_back({file, std::move(report)});
  };
  for (const std::string& path : paths) {
    std::vector<std::string> files;
    try {
      files = report_files({path});
    } catch (const Error& error) {
      tolerate(path, error);
    }
    for (const std::string& file : files) {
      try {
        add(file);
      } catch (const Error& error) {
        tolerate(file, error);
      }
    }
  }
  if (fleet.empty() && first) throw Error(*first);
  return fleet;
}

ExitCode judged_by(const reporting::FailOn& fail_on, const reporting::Report& report,
                   ExitCode code) {
  const auto end = reporting::judged_end({.exit_code = code, .why = {}}, report, fail_on);
  if (!end.why.empty()) print_note(end.why);
  return end.exit_code;
}

}  // namespace scalemark::cli
