// Checks without repetitions: single values against a floor, counts, and facts that are to be
// alike.
#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "core/base/number_words.h"
#include "core/reporting/acceptance/acceptance.h"
#include "core/reporting/table/table.h"
#include "core/statistics/acceptance.h"

namespace scalemark::acceptance {
namespace {

constexpr std::size_t kPartsToCompare = 3;  // of two that differ neither is the odd one

// The value that 30 % of the parts reach which have one.
std::optional<double> reference_of(const std::vector<const Series*>& members) {
  std::vector<double> values;
  for (const Series* series : members) {
    const double value = series->starts.back().value;
    if (std::isfinite(value)) values.push_back(value);
  }
  if (values.size() < kPartsToCompare) return std::nullopt;
  return statistics::kth_highest(values);
}

// "36.00 GB/s (35.00 to 37.00)"
std::string value_text(const Start& one, const std::string& unit) {
  const std::string value = rate_text(one.value, unit);
  if (!one.low || !one.high) return value;
  return value + " (" + rate_range(*one.low, *one.high, one.value, unit) + ")";
}

void judge_value(CheckResult& result, const Start& one, double limit) {
  const bool below = one.value < limit;
  const bool surely = below ? one.high && *one.high < limit : !one.low || *one.low >= limit;
  if (below && surely) result.outcome = Outcome::kFailed;
  if (!surely) result.outcome = Outcome::kUnsure;
  if (result.outcome == Outcome::kPassed) return;
  result.why = value_text(one, result.unit);
  if (!one.fact.empty()) result.why = one.fact + ": " + result.why;
  if (one.burst) {
    result.why =
        "holds " + percent(one.value / *one.burst, 0) + " of its first seconds: " + result.why;
  }
  if (!surely) result.why += ", too near the limit to tell";
}

// Too many are too many, whatever else is not known.
void judge_count(CheckResult& result, std::span<const Start> starts) {
  double sum = 0;
  std::string blamed;
  const Start *missing = nullptr, *unsure = nullptr;
  for (const Start& start : starts) {
    if (std::isfinite(start.value)) {
      sum += start.value;
      if (start.value > 0) blamed = start.fact;
    } else {
      (start.why.empty() ? unsure : missing) = &start;
    }
  }
  if (sum > *result.limit) {
    result.conclude(Outcome::kFailed, blamed);
  } else if (missing != nullptr) {
    result.conclude(Outcome::kMissing, missing->why);
  } else if (unsure != nullptr) {
    result.conclude(Outcome::kUnsure, unsure->fact);
  }
  if (result.outcome == Outcome::kFailed || (missing == nullptr && unsure == nullptr)) {
    result.value = sum;
  }
}

// The value that the limit is a share of; absent: there is nothing to compare with.
std::optional<double> compared_with(const Rule& rule, const Start& one,
                                    const std::optional<double>& reference) {
  return rule.of == LimitOf::kBurst ? one.burst : reference;
}

void judge_fact(CheckResult& result, const std::string& common, std::size_t parts) {
  result.limit_from = common;
  if (result.fact.empty()) {
    result.conclude(Outcome::kUnsure, common.empty() ? "not known, and the others differ"
                                                     : "not known; the others have " + common);
  } else if (common.empty()) {
    result.conclude(Outcome::kUnsure,
                    result.fact + ": they differ, and no value is that of more than half");
  } else if (result.fact != common) {
    result.conclude(parts < kPartsToCompare ? Outcome::kUnsure : Outcome::kFailed,
                    result.fact + "; the others have " + common);
  }
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

Judged judge_single(const Rule& rule, const std::vector<Series>& all) {
  Judged judged;
  const std::string parts = std::string(name_of(row_of(rule.metric).of)) + "s";
  const std::string of_ten = std::to_string(statistics::kOfTenThatReach) + " of 10 ";
  const std::string share = percent(rule.limit, 0) + " of what ";
  for (const auto& members : by_class(all)) {
    const auto reference = reference_of(members);
    for (const Series* series : members) {
      const Start& one = series->starts.back();  // the last session counts
      const auto compared = compared_with(rule, one, reference);
      CheckResult result = result_like(rule, *series);
      if (!std::isfinite(one.value)) {
        result.conclude(Outcome::kMissing, one.why);
      } else if (rule.of != LimitOf::kNumber && !compared) {
        result.value = one.value;
        result.conclude(Outcome::kUnsure,
                        "nothing to compare it with" + (rule.of == LimitOf::kBurst
                                                            ? ": no product of the first seconds"
                                                            : ": fewer than 3 " + parts));
      } else {
        result.value = one.value;
        result.limit = rule.limit * compared.value_or(1);
        result.limit_from = rule.of == LimitOf::kNumber  ? "the rules"
                            : rule.of == LimitOf::kBurst ? share + "it reached in the first seconds"
                                                         : share + of_ten + parts + " reach";
        if (rule.of == LimitOf::kReference) result.of_reference = one.value / *compared;
        judge_value(result, one, *result.limit);
      }
      judged.results.push_back(std::move(result));
    }
  }
  return judged;
}

Judged judge_counts(const Rule& rule, const std::vector<Series>& all) {
  Judged judged;
  for (const Series& series : all) {
    CheckResult result = result_like(rule, series);
    result.limit = rule.limit;
    result.limit_from = "the rules";
    judge_count(result, series.starts);
    judged.results.push_back(std::move(result));
  }
  return judged;
}

Judged judge_facts(const Rule& rule, const std::vector<Series>& all) {
  Judged judged;
  for (const auto& members : by_class(all)) {
    const auto is_known = [](const Series* one) { return !one->starts.back().fact.empty(); };
    if (std::ranges::none_of(members, is_known)) continue;  // cards without NVLinks have none
    const std::string common = common_fact(members);
    for (const Series* series : members) {
      CheckResult result = result_like(rule, *series);
      result.fact = series->starts.back().fact;
      judge_fact(result, common, members.size());
      judged.results.push_back(std::move(result));
    }
  }
  return judged;
}

}  // namespace scalemark::acceptance
