#include "report/accept/baseline.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/statistics/acceptance_baseline.h"
#include "report/accept/acceptance.h"
#include "report/accept/inventory.h"
#include "report/accept/series.h"

namespace scalemark::acceptance {
namespace {

using statistics::AcceptancePart;
using statistics::BootedPart;

using Members = std::vector<const Series*>;

BootedPart booted(const Series& series) {
  std::map<std::string, std::vector<double>> boots;
  for (const Start& start : series.starts) {
    if (std::isfinite(start.value)) boots[start.boot].push_back(std::log(start.value));
  }
  BootedPart part;
  for (auto& [boot, values] : boots) part.push_back(std::move(values));
  return part;
}

// Returns the smallest slowness that is found in a fleet with this noise, judged by this baseline.
std::optional<double> smallest_decidable(const std::vector<BootedPart>& parts, const Rules& rules,
                                         const statistics::AcceptanceReference& reference) {
  std::vector<AcceptancePart> fleet;
  for (const BootedPart& part : parts) {
    AcceptancePart& one = fleet.emplace_back();
    for (const auto& boot : part) one.values.insert(one.values.end(), boot.begin(), boot.end());
  }
  return statistics::judge_class(fleet, {rules.tolerance, rules.looks}, reference)
      .smallest_decidable;
}

void take_figures(BaselineClass& one, const std::vector<BootedPart>& parts, const Rules& rules) {
  const auto figures = statistics::baseline_of(parts);
  one.parts = static_cast<int>(parts.size());
  one.boots = static_cast<int>(figures.boots);
  for (const BootedPart& part : parts) {
    for (const auto& boot : part) one.starts += static_cast<int>(boot.size());
  }
  one.reference = std::exp(figures.reference.ln_value);
  one.standard_error = figures.reference.standard_error;
  one.lifted_by = figures.reference.lifted_by;
  one.between_parts = figures.between_parts;
  one.between_starts = figures.between_starts;
  one.between_boots = figures.between_boots;
  if (figures.boots < statistics::kBootsOfBaseline) {
    one.assumed_between_boots = figures.reference.between_boots;
  }
  one.smallest_decidable = smallest_decidable(parts, rules, figures.reference);
}

void take_suspects(BaselineClass& one, const Rule& rule, const Rules& rules,
                   const Members& members) {
  std::vector<Series> all;
  for (const Series* series : members) all.push_back(*series);
  for (const CheckResult& result : judge_by_reference(rule, rules, all, nullptr).results) {
    if (result.outcome != Outcome::kFailed) continue;
    one.suspects.push_back({result.part.name(), result.part.uuid, result.why});
  }
}

// A class of which no run counts is left out.
std::optional<BaselineClass> class_of(const Rule& rule, const Rules& rules,
                                      const Members& members) {
  std::vector<BootedPart> parts;
  std::set<std::string> machines;
  for (const Series* series : members) {
    BootedPart part = has_speed(*series) ? booted(*series) : BootedPart{};
    if (part.empty()) continue;
    machines.insert(series->part.host);
    parts.push_back(std::move(part));
  }
  if (parts.empty()) return std::nullopt;
  const MetricDefinition& definition = definition_of(rule.metric);
  BaselineClass one;
  one.metric = definition.name;
  one.of_class = members.front()->of_class;
  one.software = members.front()->software;
  one.of = definition.of;
  one.unit = definition.unit;
  one.machines = static_cast<int>(machines.size());
  take_figures(one, parts, rules);
  take_suspects(one, rule, rules, members);
  return one;
}

std::string differing_versions(const std::string& there, const std::string& here) {
  auto other = versions_of(there);
  std::vector<std::string> texts;
  for (const auto& [name, version] : versions_of(here)) {
    const std::string known = std::exchange(other[name], version);
    if (known == version) continue;
    texts.push_back(name + " " + (known.empty() ? "none" : known) + " there, " + version + " here");
  }
  const auto own = versions_of(here);
  for (const auto& [name, version] : other) {
    if (!own.contains(name)) texts.push_back(name + " " + version + " there, none here");
  }
  return listed(texts, 2);
}

}  // namespace

Baseline make_baseline(std::vector<NamedReport> reports, const std::string& made) {
  std::ranges::stable_sort(
      reports, {}, [](const NamedReport& one) -> const std::string& { return one.report.started; });
  const Rules rules = standard_rules();
  Baseline baseline{.made = made};
  for (const MetricDefinition& definition : kMetrics) {
    if (definition.kind != ValueKind::kRate) continue;
    const Rule rule{.name = std::string(definition.name),
                    .metric = definition.id,
                    .of = LimitOf::kReference,
                    .limit = 1 - rules.tolerance};
    const std::vector<Series> all = read_series(rule, reports);
    for (const Members& members : by_class(all)) {
      if (auto one = class_of(rule, rules, members)) baseline.classes.push_back(std::move(*one));
    }
  }
  if (baseline.classes.empty()) {
    throw bad_data("no run in these reports counts for a baseline",
                   "the node stage of an acceptance is expected: trainings of one node on all of "
                   "its devices, or `sweep --checks devices`");
  }
  return baseline;
}

const BaselineClass* find_class(const Baseline& baseline, Metric metric, const Series& series) {
  const auto found = std::ranges::find_if(baseline.classes, [&](const BaselineClass& one) {
    return one.metric == definition_of(metric).name && one.of_class == series.of_class &&
           one.software == series.software;
  });
  return found == baseline.classes.end() ? nullptr : &*found;
}

std::string why_without_class(const Baseline& baseline, Metric metric, const Series& series) {
  for (const BaselineClass& one : baseline.classes) {
    if (one.metric != definition_of(metric).name || one.of_class != series.of_class) continue;
    return differing_versions(one.software, series.software);
  }
  return series.of_class + " not measured there";
}

statistics::AcceptanceReference reference_of(const BaselineClass& one) {
  const double boots = one.assumed_between_boots.value_or(one.between_boots.value_or(0));
  return {.ln_value = std::log(one.reference),
          .standard_error = one.standard_error,
          .between_boots = boots,
          .lifted_by = one.lifted_by};
}

std::string name_of_baseline(const Baseline& baseline, const BaselineClass& one) {
  return std::string(kOfBaseline) + baseline.made.substr(0, 10) + ", " +
         counted(one.parts, name_of(one.of)) + ", " + counted(one.boots, "boot");
}

}  // namespace scalemark::acceptance
