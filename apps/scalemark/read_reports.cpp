#include "apps/scalemark/read_reports.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "apps/scalemark/commands.h"
#include "core/base/error.h"
#include "core/base/hidden_files.h"
#include "core/base/text.h"
#include "core/reporting/collectives/collectives.h"
#include "core/reporting/output/earlier.h"
#include "core/reporting/record/report_json.h"
#include "core/settings/config_file.h"

namespace scalemark::cli {
namespace {

namespace fs = std::filesystem;

std::vector<reporting::NamedReport> named(std::vector<reporting::Report> reports,
                                          const std::string& path) {
  std::vector<reporting::NamedReport> all;
  for (reporting::Report& report : reports) {
    reporting::complete_older(report);
    all.push_back({path, std::move(report)});
  }
  return all;
}

// A run of collectives that was killed: its last rows are in the journal only.
void add_last_rows(reporting::Report& report, const std::string& folder) {
  if (report.status != reporting::ReportStatus::kPartial || report.invocation.command != "comm")
    return;
  report = reporting::read_earlier(folder).value_or(std::move(report));
  reporting::summarise_collectives(report);
}

std::vector<reporting::NamedReport> read_file(const std::string& path) {
  if (!fs::exists(path)) {
    throw no_input("'" + path + "' is not there",
                   "a report.json, or a folder that holds one, is expected");
  }
  const std::string file =
      fs::is_directory(path) ? (fs::path(path) / "report.json").string() : path;
  if (!fs::exists(file)) {
    throw no_input("'" + path + "' holds no report.json", "a report's file or folder is expected");
  }
  auto reports = reporting::reports_from(settings::read_text_file(file), file);
  if (fs::is_directory(path)) {
    for (reporting::Report& report : reports) add_last_rows(report, path);
  }
  return named(std::move(reports), path);
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
    for (fs::recursive_directory_iterator
             entry(path, fs::directory_options::skip_permission_denied),
         end;
         entry != end; ++entry) {
      if (is_hidden(entry->path())) {
        entry.disable_recursion_pending();  // .snapshot/ holds copies of all that is there
      } else if (entry->path().filename() == "report.json") {
        found.insert(entry->path().parent_path());
      }
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

std::vector<reporting::NamedReport> reports_in(std::string_view text, const std::string& path) {
  return named(reporting::reports_from(text, path), path);
}

namespace {

std::string key_of(const reporting::Report& report) {
  std::string key = report.run_id + "\n" + report.invocation.command + "\n" + report.started;
  for (const auto& host : report.environment.hosts) key += "\n" + host.hostname;
  return key;
}

}  // namespace

std::vector<reporting::NamedReport> CountedOnce::first_of(
    std::vector<reporting::NamedReport> reports) {
  std::vector<reporting::NamedReport> first;
  for (reporting::NamedReport& one : reports) {
    if (known_.insert(key_of(one.report)).second) {
      first.push_back(std::move(one));
      continue;
    }
    ++count_;
    const bool is_listed = std::ranges::find(repeated_, one.name) != repeated_.end();
    if (!is_listed) repeated_.push_back(one.name);
  }
  return first;
}

std::vector<std::string> CountedOnce::known_of(
    const std::vector<reporting::NamedReport>& reports) const {
  std::vector<std::string> names;
  for (const reporting::NamedReport& one : reports) {
    if (known_.contains(key_of(one.report))) names.push_back(one.name);
  }
  return names;
}

void CountedOnce::tell() const {
  if (count_ == 0) return;
  const bool one = count_ == 1;
  print_note(counted(count_, "report") + (one ? " is" : " are") + " named twice or a copy, and " +
             (one ? "counts" : "count") + " once: " + listed(repeated_));
}

std::vector<reporting::NamedReport> read_named_reports(const std::vector<std::string>& paths) {
  std::vector<reporting::NamedReport> reports;
  CountedOnce once;
  for (const std::string& path : paths)
    std::ranges::move(once.first_of(read_file(path)), std::back_inserter(reports));
  once.tell();
  return reports;
}

std::vector<reporting::Report> read_reports(const std::vector<std::string>& paths) {
  std::vector<reporting::Report> reports;
  for (auto& one : read_named_reports(paths)) reports.push_back(std::move(one.report));
  return reports;
}

std::vector<reporting::NamedReport> read_fleet(const std::vector<std::string>& paths,
                                               Unreadable* unreadable) {
  std::vector<reporting::NamedReport> fleet;
  CountedOnce once;
  std::optional<Error> first;
  const auto tolerate = [&](const std::string& path, const Error& error) {
    if (unreadable == nullptr) throw Error(error);
    unreadable->emplace_back(path, error.record().what);
    if (!first) first = error;
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
        std::ranges::move(once.first_of(read_file(file)), std::back_inserter(fleet));
      } catch (const Error& error) {
        tolerate(file, error);
      }
    }
  }
  if (fleet.empty() && first) throw Error(*first);
  once.tell();
  return fleet;
}

ExitCode judged_by(const reporting::FailOn& fail_on, const reporting::Report& report,
                   ExitCode code) {
  const auto end = reporting::judged_end({.exit_code = code, .why = {}}, report, fail_on);
  if (!end.why.empty()) print_note(end.why);
  return end.exit_code;
}

}  // namespace scalemark::cli
