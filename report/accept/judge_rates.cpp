// Judges repeated rates of the parts of a class by the rule of statistics/acceptance.h, and puts
// what it finds into words.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/statistics/acceptance.h"
#include "core/statistics/summary.h"
#include "report/accept/acceptance.h"
#include "report/accept/series.h"

namespace scalemark::acceptance {
namespace {

using statistics::AcceptanceJudgement;
using statistics::AcceptanceOutcome;
using statistics::AcceptancePart;
using statistics::AcceptanceReason;
using statistics::ClassJudgement;

// Names the software only where two of one class differ in it.
class ClassNames {
 public:
  explicit ClassNames(const std::vector<Series>& all) {
    for (const Series& series : all) software_[series.of_class].insert(series.software);
  }
  std::string of(const Series& series) const {
    const bool differs = software_.at(series.of_class).size() > 1;
    return differs ? series.of_class + ", " + series.software : series.of_class;
  }

 private:
  std::map<std::string, std::set<std::string>> software_;
};

AcceptancePart part_of(const Series& series) {
  AcceptancePart part;
  part.unsteady = series.unsteady;
  if (!has_speed(series)) return part;
  part.values = logarithms_of(series);
  for (const Start& start : series.starts) {
    if (std::isfinite(start.value)) part.sessions.push_back(start.session);
  }
  return part;
}

std::string why_without_value(const Series& series) {
  for (const Start& start : series.starts) {
    if (!start.why.empty()) return "no run of it counts: " + start.why;
  }
  return "not measured";
}

std::string starts_text(std::size_t more) { return counted(more, "more start") + " may decide"; }

// "7.9 % slower (7.3 to 8.5)" compares with the reference.
std::string distance_text(const AcceptanceJudgement& judgement) {
  if (!judgement.from_reference) return "";
  const double half = judgement.half_width.value_or(0);
  if (!is_known(std::exp(-half), std::exp(half))) return "too noisy to tell";
  const auto below = [](double ln) { return -std::expm1(ln); };
  const double from = *judgement.from_reference, middle = below(from);
  std::string text = percent(std::abs(middle)) + (middle < 0 ? " faster" : " slower");
  if (!judgement.half_width) return text;
  const double least = below(from + *judgement.half_width),
               most = below(from - *judgement.half_width);
  if (middle < 0) return text + " (" + percent_text(-most) + " to " + percent_text(-least) + ")";
  return text + " (" + percent_text(least) + " to " + percent_text(most) + ")";
}

std::string why_text(const Series& series, const AcceptanceJudgement& judgement) {
  const std::string distance = distance_text(judgement);
  switch (judgement.reason) {
    case AcceptanceReason::kAboveLimit:
      return "";
    case AcceptanceReason::kBelowLimit:
      return distance;
    case AcceptanceReason::kIntermittent:
      return "intermittent: below the limit in " + counted(judgement.slow_runs, "run") + " of " +
             std::to_string(logarithms_of(series).size());
    case AcceptanceReason::kFewRepetitions:
      return counted(logarithms_of(series).size(), "start") +
             " so far: " + starts_text(judgement.more_repetitions);
    case AcceptanceReason::kUndecided:
      return distance + ": " + starts_text(judgement.more_repetitions);
    case AcceptanceReason::kNoControls:
      return distance + ": later starts had no two decided nodes beside them to be compared with";
    case AcceptanceReason::kLastLook:
      return distance + ": too near the limit to tell, after " +
             counted(logarithms_of(series).size(), "start");
    case AcceptanceReason::kMissing:
      return why_without_value(series);
    case AcceptanceReason::kNotFinite:
      return "a value is no number";
    case AcceptanceReason::kNoReference:
      return "nothing to compare it with: fewer than 3 of its kind";
    case AcceptanceReason::kOneOfTwo:
      return "one of these two is slower: of two, neither can be said to be at fault, and one more "
             "of its kind would tell";
    case AcceptanceReason::kFewParts:
      return "one start, and fewer than 8 of its kind";
    case AcceptanceReason::kNotSteady:
      return "its speed changed over the measured windows: it is not steady";
    case AcceptanceReason::kReferenceInDoubt:
      return "above a limit that is itself in doubt";
  }
  return "";
}

Outcome outcome_of(const AcceptanceJudgement& judgement) {
  if (judgement.outcome == AcceptanceOutcome::kPass) return Outcome::kPassed;
  if (judgement.outcome == AcceptanceOutcome::kFail) return Outcome::kFailed;
  return judgement.reason == AcceptanceReason::kMissing ? Outcome::kMissing : Outcome::kUnsure;
}

CheckResult measured_result(const Rule& rule, const Series& series) {
  CheckResult result = result_like(rule, series);
  const auto logs = logarithms_of(series);
  result.starts = logs.size();
  if (!logs.empty()) result.value = std::exp(statistics::mean(logs));
  return result;
}

// A part that was throttled, had a failed run or is faster than it can be is judged by that,
// whatever its speed.
void judge_failures(CheckResult& result, const Series& series) {
  if (const int throttled = throttled_runs(series); throttled >= kThrottledRuns) {
    result.conclude(Outcome::kFailed,
                    "throttled in " + counted(throttled, "run") + ": its speed is not judged");
    result.more_starts = 0;
  } else if (const Start* failed = failed_start(series)) {
    result.conclude(Outcome::kMissing, "a run of it failed: " + failed->why);
  } else if (const auto times = beyond_physics(series)) {
    result.conclude(Outcome::kFailed,
                    "implausible: " + with_decimals(*times, 2) + " times what physics allows");
    result.more_starts = 0;
  }
}

CheckResult result_of(const Rule& rule, const Series& series,
                      const AcceptanceJudgement& judgement) {
  CheckResult result = measured_result(rule, series);
  result.outcome = outcome_of(judgement);
  if (judgement.from_reference) {
    result.limit = rule.limit;
    result.of_reference = std::exp(*judgement.from_reference);
    if (judgement.half_width) {
      result.low = std::exp(*judgement.from_reference - *judgement.half_width);
      result.high = std::exp(*judgement.from_reference + *judgement.half_width);
    }
  }
  result.more_starts = judgement.more_repetitions;
  result.why = why_text(series, judgement);
  judge_failures(result, series);
  return result;
}

// "what 154 of 512 devices reach"
std::string reference_name(std::size_t parts, PartKind of) {
  return "what " + std::to_string(statistics::parts_that_reach(parts)) + " of " +
         std::to_string(parts) + " " + std::string(name_of(of)) + "s reach";
}

std::vector<std::string> names_of(const std::vector<const Series*>& members,
                                  const std::vector<std::size_t>& which) {
  std::vector<std::string> names;
  for (const std::size_t i : which) names.push_back(members[i]->part.name());
  return names;
}

std::string doubt_text(const ClassJudgement& judgement, const std::vector<const Series*>& members) {
  using Doubt = statistics::AcceptanceDoubt;
  if (judgement.doubt == Doubt::kNone) return "";
  std::string text = "in doubt: " + std::string(name_of(judgement.doubt));
  if (judgement.doubt == Doubt::kManyFaster) {
    text += " (" + listed(names_of(members, judgement.faster), 2) + ")";
  }
  return text + "; a baseline would tell";
}

// Describes the class of `members`. `known`: the same class in the baseline, which gives the
// reference; null: the fleet gives it.
CheckedClass class_of(const Rule& rule, const std::vector<const Series*>& members,
                      const Baseline* baseline, const BaselineClass* known) {
  const MetricDefinition& definition = definition_of(rule.metric);
  CheckedClass of;
  of.check = rule.name;
  of.of = definition.of;
  of.parts = members.size();
  of.unit = definition.unit;
  of.limit = rule.limit;
  of.reference_from =
      known ? name_of_baseline(*baseline, *known) : reference_name(members.size(), definition.of);
  if (baseline != nullptr && known == nullptr) {
    of.not_in_baseline = why_without_class(*baseline, rule.metric, *members.front());
  }
  return of;
}

// Where nothing of the first session counts, such as on a busy cluster, the next one is the first.
void begin_with_what_counts(std::vector<AcceptancePart>& parts) {
  std::size_t first = std::numeric_limits<std::size_t>::max();
  for (const AcceptancePart& part : parts) {
    if (!part.sessions.empty()) first = std::min(first, part.sessions.front());
  }
  for (AcceptancePart& part : parts) std::ranges::replace(part.sessions, first, 0U);
}

ClassJudgement judgement_on(const Rule& rule, const Rules& rules,
                            const std::vector<const Series*>& members, const BaselineClass* known) {
  std::vector<AcceptancePart> parts;
  for (const Series* series : members) parts.push_back(part_of(*series));
  begin_with_what_counts(parts);
  std::optional<statistics::AcceptanceReference> reference;
  if (known != nullptr) reference = reference_of(*known);
  return statistics::judge_class(parts, {.tolerance = 1 - rule.limit, .looks = rules.looks},
                                 reference);
}

}  // namespace

Judged judge_by_reference(const Rule& rule, const Rules& rules, const std::vector<Series>& all,
                          const Baseline* baseline) {
  Judged judged;
  const ClassNames names(all);
  for (const auto& members : by_class(all)) {
    const Series& first = *members.front();
    const BaselineClass* known = baseline ? find_class(*baseline, rule.metric, first) : nullptr;
    const ClassJudgement judgement = judgement_on(rule, rules, members, known);
    CheckedClass of = class_of(rule, members, baseline, known);
    of.of_class = names.of(first);
    if (judgement.reference) of.reference = std::exp(judgement.reference->ln_value);
    of.smallest_decidable = judgement.smallest_decidable;
    of.doubt = doubt_text(judgement, members);
    of.kept_out = names_of(members, judgement.kept_out);
    for (std::size_t i = 0; i < members.size(); ++i) {
      CheckResult result = result_of(rule, *members[i], judgement.parts[i]);
      result.of_class = of.of_class;
      if (of.reference) result.limit_from = of.reference_from;
      judged.results.push_back(std::move(result));
    }
    judged.classes.push_back(std::move(of));
  }
  return judged;
}

namespace {

// A single start has no noise of its own, and is compared as it is. The mean of several passes or
// fails where its 98 % interval lies on one side: at the limit itself each is wrong in 1 %.
void judge_against(CheckResult& result, const std::vector<double>& logs,
                   const std::vector<std::size_t>& looks) {
  const double limit = std::log(*result.limit), mean = std::log(*result.value);
  const auto interval = statistics::mean_interval(logs, kConfidenceOfFloors);
  const double low = interval ? interval->low : mean, high = interval ? interval->high : mean;
  if (high < limit) {
    const double below = -std::expm1(mean - limit);
    result.conclude(Outcome::kFailed, percent(below, below < 0.02 ? 1 : 0) + " below the limit");
  } else if (low < limit) {
    const auto next = std::ranges::upper_bound(looks, logs.size());
    if (next != looks.end()) result.more_starts = *next - logs.size();
    result.conclude(Outcome::kUnsure, result.more_starts == 0
                                          ? "too near the limit to tell"
                                          : "near the limit: " + starts_text(result.more_starts));
  }
}

}  // namespace

Judged judge_by_floor(const Rule& rule, const Rules& rules, const std::vector<Series>& all) {
  Judged judged;
  const ClassNames names(all);
  for (const Series& series : all) {
    double limit = rule.limit;
    std::string from = "the rules";
    if (rule.of != LimitOf::kNumber) {
      const auto most = series.at_most.find(rule.of);
      if (most == series.at_most.end()) {
        // Links between GPUs are of one kind: the floor of the other kind is no gap.
        if (rule.of == LimitOf::kDatasheet || series.at_most.empty())
          judged.without_most.insert(series.chip);
        continue;
      }
      limit *= most->second.per_sec;
      from = percent(rule.limit, 0) + " of the " + most->second.source;
    }
    CheckResult result = measured_result(rule, series);
    result.of_class = names.of(series);
    result.limit = limit;
    result.limit_from = from;
    if (result.value) {
      judge_against(result, logarithms_of(series), rules.looks);
    } else {
      result.conclude(Outcome::kMissing, why_without_value(series));
    }
    judge_failures(result, series);
    judged.results.push_back(std::move(result));
  }
  return judged;
}

}  // namespace scalemark::acceptance
