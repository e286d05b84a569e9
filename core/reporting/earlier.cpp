#include "core/reporting/earlier.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/planning/plan.h"
#include "core/reporting/report_json.h"

namespace scalemark::reporting {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::nullopt;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// The points of a journal, in order. A line is written whole or cut off, so only the last one can
// be torn.
std::vector<PointRecord> points_of_journal(const fs::path& file) {
  std::vector<PointRecord> points;
  const auto text = text_of(file);
  if (!text) return points;
  std::istringstream lines(*text);
  std::string line;
  std::size_t number = 0;
  while (std::getline(lines, line)) {
    ++number;
    const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (json.is_discarded()) {
      if (lines.peek() == std::char_traits<char>::eof()) break;
      throw bad_data(file.string() + " is damaged in line " + std::to_string(number));
    }
    if (json.contains("point") && json["point"].is_object()) {
      points.push_back(point_from_json(json["point"].dump(), file.string()));
    }
  }
  return points;
}

void compare(std::vector<std::string>& found, const std::string& what, const std::string& before,
             const std::string& now) {
  if (before != now) found.push_back(what + " was " + before + ", now " + now);
}

}  // namespace

std::optional<Report> read_earlier(const fs::path& folder) {
  const auto text = text_of(folder / "report.json");
  if (!text) return std::nullopt;
  Report report = report_from_json(*text, (folder / "report.json").string());
  std::set<std::string> known;
  for (const auto& point : report.points) known.insert(point.id);
  for (auto& point : points_of_journal(folder / "journal.jsonl")) {
    if (known.insert(point.id).second) report.points.push_back(std::move(point));
  }
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
                    .batch_size = point.batch_size.value_or(0)});
  }
  return runs;
}

std::string kind_of_machine(const monitoring::Host& host) {
  std::string kind = host.cpu;
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
                    .git_commit = tool.git_commit,
                    .settings = std::move(settings),
                    .machines = {}};
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
  std::set<std::string> names;
  for (const auto& [name, value] : before.settings) names.insert(name);
  for (const auto& [name, value] : now.settings) names.insert(name);
  const auto value_in = [](const std::map<std::string, std::string>& settings,
                           const std::string& name) {
    const auto entry = settings.find(name);
    return entry == settings.end() ? std::string("not set") : entry->second;
  };
  for (const auto& name : names) {
    compare(found, name, value_in(before.settings, name), value_in(now.settings, name));
  }
  compare(found, "the machine", joined(before.machines, " + "), joined(now.machines, " + "));
  return found;
}

}  // namespace scalemark::reporting
