// Checks without repetitions: links against a floor, counts, and facts that are to be alike.
#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "core/base/text.h"
#include "core/reporting/acceptance/acceptance.h"
#include "core/statistics/acceptance.h"

namespace scalemark::acceptance {
namespace {

constexpr std::size_t kPartsToCompare = 3;  // of two that differ neither is the odd one

// The value that 30 % of the parts reach.
std::optional<double> reference_of(const std::vector<Series>& all) {
  std::vector<double> values;
  for (const Series& series : all) values.push_back(series.starts.back().value);
  if (values.size() < kPartsToCompare) return std::nullopt;
  const std::size_t place = statistics::parts_that_reach(values.size()) - 1;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(place),
                           std::greater<>());
  return values[place];
}

void judge_link(CheckResult& result, const Start& link, double limit) {
  const bool below = link.value < limit;
  const bool surely = below ? link.high && *link.high < limit : !link.low || *link.low >= limit;
  if (below && surely) result.outcome = Outcome::kFailed;
  if (!surely) result.outcome = Outcome::kUnsure;
  if (result.outcome == Outcome::kPassed) return;
  result.why = significant(link.value, 3) + " GB/s";
  if (link.low && link.high) {
    result.why += " (" + significant(*link.low, 3) + " to " + significant(*link.high, 3) + ")";
  }
  if (!surely) result.why += ", too near the limit to tell";
}

// The fact that more than half of those have of which it is known; empty: none.
std::string common_fact(const std::vector<const Series*>& members) {
  std::map<std::string, std::size_t> counts;
  std::size_t known = 0;
  for (const Series* series : members) {
    const std::string& fact = series->starts.back().fact;
    if (fact.empty()) continue;
    ++counts[fact];
    ++known;
  }
  for (const auto& [fact, count] : counts) {
    if (2 * count > known) return fact;
  }
  return "";
}

}  // namespace

Judged judge_links(const Rule& rule, const std::vector<Series>& all) {
  Judged judged;
  const auto reference = reference_of(all);
  const bool of_fleet = rule.of == LimitOf::kReference;
  for (const Series& series : all) {
    const Start& link = series.starts.back();  // the last session counts
    CheckResult result = result_like(rule, series);
    result.value = link.value;
    if (of_fleet && !reference) {
      result.outcome = Outcome::kUnsure;
      result.why = "nothing to compare it with: fewer than 3 links";
    } else {
      const double limit = of_fleet ? rule.limit * *reference : rule.limit;
      result.limit = limit;
      result.limit_from =
          of_fleet ? printed("%.0f %% of what 3 of 10 links reach", 100 * rule.limit) : "the rules";
      if (of_fleet) result.of_reference = link.value / *reference;
      judge_link(result, link, limit);
    }
    judged.results.push_back(std::move(result));
  }
  return judged;
}

Judged judge_counts(const Rule& rule, const std::vector<Series>& all) {
  Judged judged;
  for (const Series& series : all) {
    CheckResult result = result_like(rule, series);
    // A cable may have been mended since: the last look at the links counts, of ranks every one.
    const bool only_last = rule.metric == Metric::kSlowNode || rule.metric == Metric::kSlowLink;
    result.value = 0;
    for (const Start& start :
         only_last ? std::span(series.starts).last(1) : std::span(series.starts)) {
      *result.value += start.value;
      if (!start.fact.empty()) result.why = start.fact;
    }
    result.limit = rule.limit;
    result.limit_from = "the rules";
    if (*result.value > rule.limit) {
      result.outcome = Outcome::kFailed;
    } else {
      result.why.clear();
    }
    judged.results.push_back(std::move(result));
  }
  return judged;
}

Judged judge_facts(const Rule& rule, const std::vector<Series>& all) {
  Judged judged;
  std::map<std::string, std::vector<const Series*>> classes;
  for (const Series& series : all) classes[series.of_class].push_back(&series);
  for (const Series& series : all) {
    const auto& members = classes[series.of_class];
    const bool any = std::ranges::any_of(
        members, [](const Series* one) { return !one->starts.back().fact.empty(); });
    if (!any) continue;  // cards without NVLinks have none to count
    const std::string common = common_fact(members);
    CheckResult result = result_like(rule, series);
    result.fact = series.starts.back().fact;
    if (result.fact.empty()) {
      result.outcome = Outcome::kUnsure;
      result.why = "not known; the others have " + common;
    } else if (common.empty()) {
      result.outcome = Outcome::kUnsure;
      result.why = result.fact + ": they differ, and no value is that of more than half";
    } else if (result.fact != common) {
      result.outcome = members.size() < kPartsToCompare ? Outcome::kUnsure : Outcome::kFailed;
      result.why = result.fact + "; the others have " + common;
    }
    if (!common.empty()) result.limit_from = common;
    judged.results.push_back(std::move(result));
  }
  return judged;
}

}  // namespace scalemark::acceptance
