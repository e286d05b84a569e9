#include "report/keep/earlier.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/plan/plan.h"
#include "report/keep/disk.h"
#include "report/record/finding_kinds.h"
#include "report/record/report_json.h"

namespace scalemark::reporting {
namespace {

namespace fs = std::filesystem;

const std::string kUnknownCpu = "unknown CPU";

// Adds the rows that only the journal holds, with their findings and telemetry, and the links that
// only it holds.
class JournalReplay {
 public:
  JournalReplay(Report& report, std::string origin) : report_(report), origin_(std::move(origin)) {
    for (const auto& point : report.points) known_.insert(point.id);
    for (const auto& run : report.collectives) known_.insert(run.id);
  }

  void take(const nlohmann::json& line) {
    if (auto point = value_of<PointRecord>(line, "point")) {
      add_row(std::move(*point), report_.points);
    }
    if (auto run = value_of<CollectiveRecord>(line, "collective")) {
      add_row(std::move(*run), report_.collectives);
    }
    if (auto links = value_of<std::vector<LinkRecord>>(line, "links", "link")) {
      add_links(std::move(*links));
    }
    if (auto finding = value_of<Finding>(line, "finding")) add_finding(std::move(*finding));
    if (auto records = value_of<std::vector<TelemetryRecord>>(line, "telemetry")) {
      add_telemetry(std::move(*records));
    }
  }

 private:
  // Gives nothing where the line has no object or list under `key`. Messages call it `name`, if
  // there is one.
  template <class T>
  std::optional<T> value_of(const nlohmann::json& line, const char* key,
                            const char* name = nullptr) const {
    const auto found = line.find(key);
    if (found == line.end() || !found->is_structured()) return std::nullopt;
    return from_json_line<T>(found->dump(), name ? name : key, origin_);
  }

  template <class Row>
  void add_row(Row row, std::vector<Row>& rows) {
    if (!known_.insert(row.id).second) return;
    gained_.insert(row.id);
    rows.push_back(std::move(row));
  }

  void add_links(std::vector<LinkRecord> links) {
    gained_links_ = false;
    for (LinkRecord& link : links) {
      if (std::ranges::find(report_.links, link) != report_.links.end()) continue;
      gained_links_ = true;
      report_.links.push_back(std::move(link));
    }
  }

  void add_finding(Finding finding) {
    const bool of_links = finding.point.empty() && is_of_collectives(finding);
    if (of_links ? gained_links_ : gained_.contains(finding.point)) {
      report_.findings.push_back(std::move(finding));
    }
  }

  void add_telemetry(std::vector<TelemetryRecord> records) {
    for (TelemetryRecord& record : records) {
      if (gained_.contains(record.point)) report_.telemetry.push_back(std::move(record));
    }
  }

  Report& report_;
  std::string origin_;
  // Ids of all rows, and of those that the journal has added.
  std::set<std::string> known_, gained_;
  bool gained_links_ = false;  // whether the last line with links has added some
};

void add_from_journal(Report& report, const fs::path& file) {
  JournalReplay replay(report, file.string());
  for (const std::string& line : read_journal_lines(file).lines) {
    replay.take(nlohmann::json::parse(line));
  }
}

void compare(std::vector<std::string>& found, const std::string& what, const std::string& before,
             const std::string& now) {
  if (before != now) found.push_back(what + " was " + before + ", now " + now);
}

// Compares kinds of machines, sorted. Where one side does not know the model of a CPU, it is not
// compared.
void compare_machines(std::vector<std::string>& found, std::vector<std::string> before,
                      std::vector<std::string> now) {
  const auto is_unknown = [](const std::string& kind) { return kind.starts_with(kUnknownCpu); };
  if (std::ranges::any_of(before, is_unknown) || std::ranges::any_of(now, is_unknown)) {
    for (auto* kinds : {&before, &now}) {
      for (std::string& kind : *kinds) kind.erase(0, kind.find(", "));
      std::ranges::sort(*kinds);
      for (std::string& kind : *kinds) kind = kUnknownCpu + kind;
    }
  }
  compare(found, "the machine", joined(before, " + "), joined(now, " + "));
}

bool have_same_bytes(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  if (!fs::is_regular_file(a, ignored) || !fs::is_regular_file(b, ignored) ||
      fs::file_size(a, ignored) != fs::file_size(b, ignored)) {
    return false;
  }
  std::ifstream first(a, std::ios::binary), second(b, std::ios::binary);
  using Bytes = std::istreambuf_iterator<char>;
  return std::equal(Bytes(first), Bytes(), Bytes(second), Bytes()) && !first.bad() && !second.bad();
}

bool name_one_input(std::string_view a, std::string_view b) {
  std::error_code ignored;
  return a == b || fs::equivalent(a, b, ignored) || have_same_bytes(a, b);
}

// A sweep's setting may be a list of paths.
bool name_same_inputs(const std::string& setting, const std::string& before,
                      const std::string& now) {
  if (!planning::is_path(setting)) return false;
  if (name_one_input(before, now)) return true;
  const auto a = split(before, ","), b = split(now, ",");
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), name_one_input);
}

void compare_each(std::vector<std::string>& found, const std::map<std::string, std::string>& before,
                  const std::map<std::string, std::string>& now, const std::string& absent) {
  std::map<std::string, std::string> all = before;
  all.insert(now.begin(), now.end());
  for (const auto& [name, value] : all) {
    const std::string was = value_at(before, name, absent), is = value_at(now, name, absent);
    if (!name_same_inputs(name, was, is)) compare(found, name, was, is);
  }
}

}  // namespace

std::optional<Report> read_earlier(const fs::path& folder) {
  const auto text = read_if_there(folder / "report.json");
  if (!text) return std::nullopt;
  Report report = report_from_json(*text, (folder / "report.json").string());
  add_from_journal(report, folder / "journal.jsonl");
  return report;
}

std::vector<planning::EarlierRun> earlier_runs(const Report& report) {
  std::vector<planning::EarlierRun> runs;
  for (const auto& point : report.points) {
    if (point.status == PointStatus::kSkipped) continue;
    const bool ok = point.status == PointStatus::kOk;
    runs.push_back({.id = point.id,
                    .group = point.group,
                    .samples_per_sec = ok ? std::optional(point.samples_per_sec) : std::nullopt,
                    .batch_size = point.batch_size.value_or(0),
                    .block = point.block,
                    .session = point.session});
  }
  return runs;
}

std::string kind_of_machine(const monitoring::Host& host) {
  std::string kind = host.cpu.empty() ? kUnknownCpu : host.cpu;
  std::map<std::string, int> gpus;
  for (const auto& gpu : host.gpus) ++gpus[gpu.name + " (driver " + gpu.driver + ")"];
  for (const auto& [name, count] : gpus) kind += ", " + std::to_string(count) + " x " + name;
  return gpus.empty() ? kind + ", no GPU" : kind;
}

std::map<std::string, std::string> settings_texts(const std::string& json_object) {
  std::map<std::string, std::string> texts;
  const auto json = nlohmann::json::parse(json_object);
  for (const auto& [key, value] : json.items()) {
    texts[key] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return texts;
}

Sameness sameness_of(const Tool& tool, std::map<std::string, std::string> settings,
                     const std::vector<monitoring::Host>& hosts) {
  std::erase_if(settings,
                [](const auto& entry) { return !planning::must_stay_on_resume(entry.first); });
  Sameness sameness{.program_version = tool.version,
                    .git_commit = tool.git_commit + (tool.git_dirty ? ", changed" : ""),
                    .settings = std::move(settings)};
  for (const auto& [name, version] : tool.libraries) {
    sameness.libraries[name] =
        version.running_with.value_or(version.built_with.value_or("unknown"));
  }
  for (const auto& host : hosts) sameness.machines.push_back(kind_of_machine(host));
  std::ranges::sort(sameness.machines);
  return sameness;
}

Sameness sameness_of(const Report& report) {
  return sameness_of(report.tool, settings_texts(report.invocation.settings_json),
                     report.environment.hosts);
}

std::vector<std::string> differences(const Sameness& before, const Sameness& now) {
  std::vector<std::string> found;
  compare(found, "the program's version", before.program_version, now.program_version);
  compare(found, "the program's commit", before.git_commit, now.git_commit);
  compare_each(found, before.libraries, now.libraries, "not known");
  compare_each(found, before.settings, now.settings, "not set");
  compare_machines(found, before.machines, now.machines);
  return found;
}

std::vector<std::string> data_differences(const Report& earlier,
                                          const std::map<std::string, std::string>& identities) {
  std::vector<std::string> found;
  for (const auto& point : earlier.points) {
    const auto now = identities.find(point.group);
    if (now == identities.end() || point.data_identity.empty()) continue;
    std::vector<std::string> different;
    compare(different, "the content of --data " + point.data, point.data_identity, now->second);
    for (auto& text : different) {
      if (std::ranges::find(found, text) == found.end()) found.push_back(std::move(text));
    }
  }
  return found;
}

void respell_data(Report& earlier, const std::map<std::string, std::string>& identities,
                  const std::map<std::string, std::string>& data, Sameness& before,
                  const Sameness& now) {
  bool known = false, synthetic = false;
  for (PointRecord& point : earlier.points) {
    const auto identity = identities.find(point.group);
    if (identity == identities.end() || point.data_identity != identity->second) continue;
    known = true;
    synthetic = synthetic || point.data == "synthetic";
    point.data = data.at(point.group);
    const auto varying = point.varying.find("data");
    if (varying != point.varying.end()) varying->second = point.data;
  }
  if (!known || !data_differences(earlier, identities).empty()) return;
  for (const char* setting : {"data", "vocab"}) {
    const auto found = now.settings.find(setting);
    if (found != now.settings.end() && !synthetic) before.settings[setting] = found->second;
  }
}

}  // namespace scalemark::reporting
