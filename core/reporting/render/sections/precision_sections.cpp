#include <algorithm>
#include <functional>
#include <iterator>

#include "core/base/number_words.h"
#include "core/reporting/record/report_json.h"
#include "core/reporting/render/sections/sweep_sections.h"
#include "core/reporting/render/text.h"
#include "core/reporting/words/words.h"

namespace scalemark::reporting {
namespace {

std::vector<GroupRecord> groups_with(const Report& report,
                                     const std::function<bool(const GroupRecord&)>& test) {
  std::vector<GroupRecord> rows;
  std::ranges::copy_if(report.groups, std::back_inserter(rows), test);
  return rows;
}

// Spreads of good machines are below a tenth of a percent.
std::string spread_text(double share) { return with_decimals(100 * share, 2); }

// The group whose interval is the widest: it says what the sweep as a whole needs.
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

}  // namespace scalemark::reporting
