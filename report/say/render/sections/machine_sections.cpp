// Shows what the numbers rest on: where their variance comes from, what communication costs, and
// the state of the machines.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/number_words.h"
#include "core/base/text.h"
#include "report/record/report_json.h"
#include "report/say/render/sections/sweep_sections.h"
#include "report/say/render/text.h"
#include "report/say/table/table.h"
#include "report/say/words/words.h"

namespace scalemark::reporting {
namespace {

std::vector<GroupRecord> groups_with(const Report& report,
                                     const std::function<bool(const GroupRecord&)>& test) {
  std::vector<GroupRecord> rows;
  std::ranges::copy_if(report.groups, std::back_inserter(rows), test);
  return rows;
}

// The spread of good machines is below a tenth of a percent.
std::string spread_text(double share) { return with_decimals(100 * share, 2); }

// Returns the group with the widest interval, which shows what the sweep as a whole needs.
const GroupRecord& widest(const std::vector<GroupRecord>& rows) {
  const auto width = [](const GroupRecord& g) {
    if (!g.ci95) return 0.0;
    return (*g.ci95.high - *g.ci95.low) / g.samples_per_sec.value_or(1);
  };
  return *std::ranges::max_element(rows, {}, width);
}

Section variance_section(const std::vector<GroupRecord>& rows) {
  const auto spread = [&](std::vector<std::string> head, auto value) {
    return numbers(
        std::move(head), rows, [&](const GroupRecord& g) { return (*g.variance).*value; },
        spread_text);
  };
  Section section{"Where variance comes from", {}, {}};
  section.columns = {
      column({"point"}, true, rows, &GroupRecord::group),
      spread({"runs", "differ %"}, &VarianceRecord::between_runs),
      spread({"by steps", "%"}, &VarianceRecord::steps),
      spread({"beyond", "%"}, &VarianceRecord::beyond_steps),
      column(
          {"95 %", "interval"}, true, rows,
          [](const auto& g) { return interval_text(g.variance->beyond_steps_ci95, spread_text); }),
      numbers(
          {"window", "s"}, rows, [](const auto& g) { return g.variance->window_s; }, readable),
      numbers(
          {"besides", "s"}, rows, [](const auto& g) { return g.variance->run_s; }, readable),
      column({"to buy"}, true, rows,
             [](const GroupRecord& g) { return name_of(g.variance->buy); })};
  if (std::ranges::any_of(rows,
                          [](const GroupRecord& g) { return g.variance->sessions.has_value(); })) {
    section.columns.insert(section.columns.end() - 1,
                           spread({"sessions", "%"}, &VarianceRecord::sessions));
  }
  section.lines.push_back(
      "standard deviations; by steps: what runs differ by because a window has so many steps; "
      "besides: what a run takes apart from its window");
  const GroupRecord& first = widest(rows);
  section.lines.push_back("widest interval, " + first.group + ": " + first.variance->in_words);
  return section;
}

Section communication_section(const std::vector<GroupRecord>& rows) {
  using Value = std::optional<double> GroupCommunication::*;
  using Interval = Bounds GroupCommunication::*;
  const auto number = [&](std::vector<std::string> head, Value value, std::string (*text)(double)) {
    return numbers(
        std::move(head), rows, [&](const GroupRecord& g) { return (*g.communication).*value; },
        text);
  };
  const auto interval = [&](Interval value, std::string (*text)(double)) {
    return column({"95 %", "interval"}, true, rows, [value, text](const GroupRecord& g) {
      return interval_text((*g.communication).*value, text);
    });
  };
  Section section{"Communication cost over repetitions", {}, {}};
  section.columns = {
      column({"point"}, true, rows, &GroupRecord::group),
      number({"cost", "ms"}, &GroupCommunication::cost_s, in_milliseconds),
      interval(&GroupCommunication::cost_ci95, in_milliseconds),
      number({"contention", "ms"}, &GroupCommunication::contention_s, in_milliseconds),
      interval(&GroupCommunication::contention_ci95, in_milliseconds),
      number({"comm.", "effic. %"}, &GroupCommunication::efficiency, percent_text),
      interval(&GroupCommunication::efficiency_ci95, percent_text)};
  section.lines.push_back(
      "of a step: mean over repetitions of the difference with and without communication");
  return section;
}

}  // namespace

std::vector<Section> precision_sections(const Report& report) {
  std::vector<Section> sections;
  const auto split =
      groups_with(report, [](const GroupRecord& g) { return g.variance.has_value(); });
  if (!split.empty()) sections.push_back(variance_section(split));
  const auto cost =
      groups_with(report, [](const GroupRecord& g) { return g.communication.has_value(); });
  if (!cost.empty()) sections.push_back(communication_section(cost));
  return sections;
}

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

// Sources are in the order of their first records.
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

// The name of a source ends with its unit, which stands behind each reading instead.
struct ReadingUnit {
  std::string_view ending;
  std::string (*text)(double);
};
constexpr auto kReadingUnits = std::to_array<ReadingUnit>(
    {{"_bytes_per_s", [](double value) { return rate_text(value, "B/s"); }},
     {"_per_s", [](double value) { return readable(value) + " per s"; }},
     {"_bytes", [](double value) { return size_text(std::round(value)); }},
     {"_share", [](double value) { return percent(value, 2); }},
     {"utilisation", [](double value) { return percent(value, 2); }},
     {"_MHz", [](double value) { return grouped(value) + " MHz"; }},
     {"_W", [](double value) { return readable(value) + " W"; }},
     {"_C", [](double value) { return readable(value) + " degrees C"; }}});

const ReadingUnit& reading_unit_of(std::string_view source) {
  static constexpr ReadingUnit kNone{"", readable};
  const auto found = std::ranges::find_if(
      kReadingUnits, [&](const ReadingUnit& unit) { return source.ends_with(unit.ending); });
  return found == kReadingUnits.end() ? kNone : *found;
}

// Writes "quota throttled periods" for "quota_throttled_periods_per_s", "busy CPUs" for
// "busy_cpus".
std::string source_in_words(std::string_view source) {
  static const std::map<std::string_view, std::string_view> kWords{
      {"cpu", "CPU"},      {"cpus", "CPUs"},   {"ecc", "ECC"},      {"hw", "hardware"},
      {"io", "I/O"},       {"pcie", "PCIe"},   {"ranks", "ranks'"}, {"sm", "SM"},
      {"steal", "stolen"}, {"sw", "software"}, {"tcp", "TCP"},      {"xid", "Xid"}};
  const std::string_view unit = reading_unit_of(source).ending;
  if (unit.starts_with('_')) source.remove_suffix(unit.size());
  std::string text;
  for (const std::string_view word : split(source, "_")) {
    text += (text.empty() ? "" : " ") + std::string(value_at(kWords, word, word));
  }
  return text;
}

std::string reading_text(const Extremes& of, double value) {
  return reading_unit_of(of.source).text(value);
}

std::string attempt_text(const Attempt& attempt) {
  std::string text = attempt.samples_per_sec ? readable(*attempt.samples_per_sec) : "failed";
  return attempt.reason.empty() ? text : text + " (" + attempt.reason + ")";
}

Section telemetry_section(const std::vector<Extremes>& rows) {
  Section section{"The machine during the window", {}, {}};
  section.columns = {
      column({"source"}, true, rows, [](const Extremes& e) { return source_in_words(e.source); }),
      column({"lowest"}, false, rows,
             [](const Extremes& e) { return reading_text(e, e.lowest->values.min); }),
      column({"means"}, true, rows,
             [](const Extremes& e) {
               return reading_text(e, e.lowest_mean) + " to " + reading_text(e, e.highest_mean);
             }),
      column({"highest"}, false, rows,
             [](const Extremes& e) { return reading_text(e, e.highest->values.max); }),
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
