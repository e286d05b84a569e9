#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/reporting/render/sections/sweep_sections.h"
#include "core/reporting/render/text.h"
#include "core/reporting/table/table.h"

namespace scalemark::reporting {
namespace {

using monitoring::SourceSummary;

struct Extremes {
  std::string source;
  const TelemetryRecord* lowest = nullptr;
  const TelemetryRecord* highest = nullptr;
  double lowest_mean = 0, highest_mean = 0;
};

void note(Extremes& of, const TelemetryRecord& record) {
  const SourceSummary& values = record.values;
  if (of.lowest == nullptr) {
    of.lowest = of.highest = &record;
    of.lowest_mean = of.highest_mean = values.mean;
  }
  if (values.min < of.lowest->values.min) of.lowest = &record;
  if (values.max > of.highest->values.max) of.highest = &record;
  of.lowest_mean = std::min(of.lowest_mean, values.mean);
  of.highest_mean = std::max(of.highest_mean, values.mean);
}

// In the order in which sources come first.
std::vector<Extremes> extremes_of(const Report& report) {
  std::vector<Extremes> all;
  std::map<std::string, std::size_t> known;
  for (const TelemetryRecord& record : report.telemetry) {
    const auto [at, is_new] = known.try_emplace(record.values.source, all.size());
    if (is_new) all.push_back({.source = record.values.source});
    note(all[at->second], record);
  }
  return all;
}

std::string place_of(const TelemetryRecord& record) {
  std::string place = record.point.empty() ? "" : record.point + ", ";
  place += record.host;
  if (record.rank) place += " rank " + std::to_string(*record.rank);
  return record.values.device.empty() ? place : place + " " + record.values.device;
}

std::string attempt_text(const Attempt& attempt) {
  std::string text = attempt.samples_per_sec ? readable(*attempt.samples_per_sec) : "failed";
  return attempt.reason.empty() ? text : text + " (" + attempt.reason + ")";
}

Section telemetry_section(const std::vector<Extremes>& rows) {
  Section section{"The machine during the window", {}, {}};
  section.columns = {
      column({"source"}, true, rows, &Extremes::source),
      column({"lowest"}, false, rows,
             [](const Extremes& e) { return readable(e.lowest->values.min); }),
      column({"means"}, true, rows,
             [](const Extremes& e) {
               return readable(e.lowest_mean) + " to " + readable(e.highest_mean);
             }),
      column({"highest"}, false, rows,
             [](const Extremes& e) { return readable(e.highest->values.max); }),
      column({"lowest in"}, true, rows, [](const Extremes& e) { return place_of(*e.lowest); }),
      column({"highest in"}, true, rows, [](const Extremes& e) { return place_of(*e.highest); })};
  section.lines.push_back(
      "extremes of the readings over all runs, hosts and devices, and the range of the means; "
      "report.json has each by itself");
  return section;
}

Section attempts_section(const Report& report) {
  Section section{"Runs that were measured more than once", {}, {}};
  for (const PointRecord& run : report.points) {
    std::string line;
    for (const Attempt& attempt : run.attempts) {
      line += (line.empty() ? run.id + ": " : "; then ") + attempt_text(attempt);
    }
    if (!line.empty()) section.lines.push_back(line);
  }
  if (section.lines.empty()) return section;
  section.lines.push_back("the last measurement counts, whatever the others gave");
  return section;
}

}  // namespace

std::vector<Section> machine_sections(const Report& report) {
  std::vector<Section> sections;
  if (!report.fingerprint.empty()) {
    sections.push_back({kFingerprintTitle, fingerprint_columns(report.fingerprint),
                        fingerprint_notes(report.fingerprint)});
  }
  if (Section attempts = attempts_section(report); !attempts.lines.empty()) {
    sections.push_back(std::move(attempts));
  }
  if (const auto rows = extremes_of(report); !rows.empty()) {
    sections.push_back(telemetry_section(rows));
  }
  return sections;
}

}  // namespace scalemark::reporting
