#include "apps/scalemark/read_reports.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "apps/scalemark/commands.h"
#include "core/base/characters.h"
#include "core/base/error.h"
#include "core/base/file_kind.h"
#include "core/base/text.h"
#include "core/settings/config_file.h"
#include "report/judge/collectives/collectives.h"
#include "report/judge/judge.h"
#include "report/judge/point/disturbances.h"
#include "report/keep/earlier.h"
#include "report/record/report_json.h"
#include "report/record/verdict.h"

namespace scalemark::cli {
namespace {

namespace fs = std::filesystem;

std::vector<reporting::NamedReport> named(std::vector<reporting::Report> reports,
                                          const std::string& path) {
  std::vector<reporting::NamedReport> all;
  for (reporting::Report& report : reports) {
    reporting::complete_values(report);
    reporting::complete_older(report);
    reporting::set_standings(report);
    all.push_back({path, std::move(report)});
  }
  return all;
}

// Adds the last rows of a run of collectives that was killed: they are in the journal only. Those
// of a sweep, whose summary they would contradict, count where runs are judged one by one.
void add_last_rows(reporting::Report& report, const std::string& folder, bool of_sweeps) {
  const bool of_comm = report.invocation.command == "comm";
  if (report.status != reporting::ReportStatus::kPartial || !(of_comm || of_sweeps)) return;
  report = reporting::read_earlier(folder).value_or(std::move(report));
  if (of_comm) reporting::summarise_collectives(report);
}

std::vector<reporting::NamedReport> read_file(const std::string& path, bool of_fleet = false) {
  if (!fs::exists(path)) {
    throw no_input("'" + path + "' is not there",
                   "a report.json, or a folder that holds one, is expected");
  }
  const std::string file =
      fs::is_directory(path) ? (fs::path(path) / "report.json").string() : path;
  if (!fs::exists(file)) {
    throw no_input("'" + path + "' holds no report.json");
  }
  auto reports = reporting::reports_from(settings::read_text_file(file), file);
  if (fs::is_directory(path)) {
    for (reporting::Report& report : reports) add_last_rows(report, path, of_fleet);
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
      throw no_input("'" + path + "' holds no report.json", "nor do its folders");
    }
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

// Two reports are of one run where a sign of one is among those that the other seeks.
struct Signs {
  std::vector<std::string> own, sought;
};

// The reports of a launch share its run id. A resumed run is a launch of its own: it shares the
// first session with the report that it continues, which has one session fewer.
Signs signs_of(const reporting::Report& report) {
  std::string launch =
      "launch\n" + report.run_id + "\n" + report.invocation.command + "\n" + report.started;
  for (const auto& host : report.environment.hosts) launch += "\n" + host.hostname;
  Signs signs{.own = {launch}, .sought = {launch}};
  if (report.sessions.empty()) return signs;
  const reporting::SessionRecord& session = report.sessions.front();
  const std::string begun = session.started + "\n" + session.hostname + "\n" +
                            session.command_line + "\n" + report.started;
  const bool is_resumed = report.sessions.size() > 1;
  signs.own.push_back((is_resumed ? "resumed\n" : "begun\n") + begun);
  signs.sought.push_back("resumed\n" + begun);
  if (is_resumed) signs.sought.push_back("begun\n" + begun);
  return signs;
}

// How far a run had come when its report was written.
std::pair<std::size_t, std::string> state_of(const reporting::Report& report) {
  return {report.points.size() + report.collectives.size(), report.finished};
}

// The paths of reports that were left out, each once, and how many reports they held.
struct LeftOut {
  std::vector<std::string> names;
  std::int64_t count = 0;

  void add(const std::string& name) {
    ++count;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  void print(const char* one, const char* several) const {
    if (count == 0) return;
    print_note(counted(count, "report") + (count == 1 ? " is " : " are ") +
               (count == 1 ? one : several) + ": " + listed(names));
  }
};

}  // namespace

reporting::Report example_report() {
  return reporting::report_from_json(kExampleReport, "results/example/report.json");
}

void print_changed_verdicts(const std::vector<reporting::NamedReport>& reports) {
  for (const auto& [name, report] : reports) {
    const auto* change = report.verdict ? reporting::rejudged_reason(*report.verdict) : nullptr;
    if (change) print_note(name + ": " + change->text);
  }
}

std::string pasted_text(const std::string& file) {
  std::string text = settings::read_text_file(file == "-" ? "/dev/stdin" : file);
  refuse_wide_text(text, "'" + file + "'");
  return text;
}

bool holds_report(std::string_view text) {
  constexpr std::size_t kNear = 4096;
  return text.substr(0, kNear).find("\"scalemark.report/") != std::string_view::npos;
}

std::vector<reporting::NamedReport> reports_in(std::string_view text, const std::string& path) {
  return named(reporting::reports_from(text, path), path);
}

bool are_of_one_run(const reporting::Report& a, const reporting::Report& b) {
  const Signs of_a = signs_of(a), of_b = signs_of(b);
  return std::ranges::any_of(of_b.sought, [&](const std::string& sign) {
    return std::ranges::find(of_a.own, sign) != of_a.own.end();
  });
}

std::vector<reporting::NamedReport> counted_once(std::vector<reporting::NamedReport> reports) {
  std::vector<reporting::NamedReport> all;
  std::map<std::string, std::size_t> places;  // index into `all` by the signs of a run
  LeftOut copies, earlier;
  for (reporting::NamedReport& one : reports) {
    const Signs signs = signs_of(one.report);
    const auto known = std::ranges::find_if(
        signs.sought, [&](const std::string& sign) { return places.contains(sign); });
    const std::size_t place = known == signs.sought.end() ? all.size() : places.at(*known);
    for (const std::string& sign : signs.own) places.try_emplace(sign, place);
    if (place == all.size()) {
      all.push_back(std::move(one));
      continue;
    }
    const auto is = state_of(one.report), was = state_of(all[place].report);
    (is == was ? copies : earlier).add(is > was ? all[place].name : one.name);
    if (is > was) all[place] = std::move(one);
  }
  copies.print("named twice or a copy, and counts once", "named twice or a copy, and count once");
  earlier.print("an earlier state of another, and left out",
                "earlier states of others, and left out");
  return all;
}

std::vector<reporting::NamedReport> read_named_reports(const std::vector<std::string>& paths) {
  std::vector<reporting::NamedReport> reports;
  for (const std::string& path : paths)
    std::ranges::move(read_file(path), std::back_inserter(reports));
  return counted_once(std::move(reports));
}

std::vector<reporting::Report> read_reports(const std::vector<std::string>& paths) {
  std::vector<reporting::Report> reports;
  for (auto& one : read_named_reports(paths)) reports.push_back(std::move(one.report));
  return reports;
}

std::vector<reporting::NamedReport> read_fleet(const std::vector<std::string>& paths,
                                               Unreadable* unreadable) {
  std::vector<reporting::NamedReport> fleet;
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
        std::ranges::move(read_file(file, /*of_fleet=*/true), std::back_inserter(fleet));
      } catch (const Error& error) {
        tolerate(file, error);
      }
    }
  }
  if (fleet.empty() && first) throw Error(*first);
  return counted_once(std::move(fleet));
}

ExitCode judged_by(const reporting::FailOn& fail_on, const reporting::Report& report,
                   ExitCode code) {
  const auto end = reporting::judged_end({.exit_code = code, .why = {}}, report, fail_on);
  if (!end.why.empty()) print_note(end.why);
  return end.exit_code;
}

}  // namespace scalemark::cli
