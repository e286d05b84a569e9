#include "core/reporting/render/sections/sweep_words.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/catalogue/strategy.h"
#include "core/reporting/record/doubts.h"
#include "core/reporting/record/finding_kinds.h"
#include "core/reporting/record/surety.h"
#include "core/reporting/record/verdict.h"
#include "core/reporting/record/vocabulary.h"
#include "core/reporting/render/sections/collective_sections.h"
#include "core/reporting/render/sections/section_columns.h"
#include "core/reporting/render/sections/sweep_sections.h"
#include "core/reporting/render/text.h"

namespace scalemark::reporting {

std::string option_in_words(std::string option) {
  if (!option.starts_with("env.")) std::ranges::replace(option, '_', ' ');
  return option;
}

std::string slice_text(const ScalingTable& table, const std::vector<ScalingTable>& all) {
  std::string text;
  for (const auto& [name, value] : table.fixed) {
    const auto differs = [&](const ScalingTable& other) {
      const auto found = other.fixed.find(name);
      return found == other.fixed.end() || found->second != value;
    };
    const bool is_size = name == (table.kind == "weak" ? "batch_size" : "global_batch_size");
    if (!is_size && std::ranges::none_of(all, differs)) continue;
    text += ", " + option_in_words(name) + " " + value;
  }
  return table.kind + text;
}

namespace {

std::string fastest_sentence(const Report& report) {
  const FastestPoint& fastest = *report.fastest;
  const auto group = std::ranges::find(report.groups, fastest.group, &GroupRecord::group);
  std::string text = "Fastest: " + fastest.group;
  if (group != report.groups.end() && group->samples_per_sec) {
    text += " with " + readable(*group->samples_per_sec) + " samples/s";
  }
  if (fastest.not_told_apart.empty()) return text + ".";
  return text + "; not distinguishable from " + listed(fastest.not_told_apart) + ".";
}

// The point with the fewest repetitions decides.
std::optional<std::string> unseen_sentence(const Report& report) {
  const GroupRecord* fewest = nullptr;
  for (const GroupRecord& group : report.groups) {
    if (group.unseen_share && (!fewest || group.n < fewest->n)) fewest = &group;
  }
  if (!fewest) return std::nullopt;
  if (fewest->n == 1) return "One run cannot show that the machine has more than one state.";
  return "What " + counted(fewest->n, "run") +
         " of a point cannot see: a state of the machine that " +
         percent_text(*fewest->unseen_share) +
         " % of runs are in is missed by all of them with a chance of 5 %, a rarer one more often; "
         "no interval shows it.";
}

// Only a trend that is told apart from none. Correlated runs wander without one.
std::optional<std::string> drift_sentence(const Report& report) {
  if (!report.drift) return std::nullopt;
  const Drift& drift = *report.drift;
  const bool is_clear = drift.ci95 && (*drift.ci95.low > 0 || *drift.ci95.high < 0);
  if (!is_clear || drift.lag1) return std::nullopt;
  return "Over the sweep the common trend of speed is " + percent_text(drift.per_sweep) +
         " % (95 % interval " + share_interval(drift.ci95) + ").";
}

// The widest row that communicates of each slice.
std::vector<std::string> efficiency_sentences(const Report& report) {
  std::vector<std::string> sentences;
  for (const ScalingTable& table : report.scaling) {
    const ScalingRow* last = nullptr;
    for (const ScalingRow& row : table.rows) {
      if (catalogue::exchanges(row.strategy) && row.world_size > 1 && row.efficiency) last = &row;
    }
    if (!last) continue;
    std::string text = slice_text(table, report.scaling) + ": " + std::to_string(last->world_size) +
                       " ranks reach " + speed_up_text(*last) + "x, efficiency " +
                       efficiency_text(*last) + " %";
    if (surety_of(*last) != Surety::kNoInterval) text += " (" + efficiency_interval(*last) + ")";
    if (const auto words = waterfall_in_words(*last); !words.empty()) text += "; " + words;
    sentences.push_back(text + ".");
  }
  return sentences;
}

// Names the windows that are not known to be steady; nothing where all are.
std::vector<std::string> window_sentences(const Report& report) {
  int measured = 0, unsteady = 0, unknown = 0;
  std::optional<double> largest;
  for (const GroupRecord& group : report.groups) {
    if (group.n == 0) continue;
    ++measured;
    unsteady += group.steady == false;
    if (!may_hide_a_bias(report, group)) continue;
    ++unknown;
    largest = std::max(largest, group.bias_bound);
  }
  const auto at = [&](int n) { return std::to_string(n) + " of " + counted(measured, "point"); };
  std::vector<std::string> sentences;
  if (unsteady > 0) sentences.push_back("The windows were not steady at " + at(unsteady) + ".");
  if (unknown > 0) {
    sentences.push_back(
        "Whether the windows were steady is unknown at " + at(unknown) +
        (largest ? ": a bias up to " + percent_text(*largest) + " % could hide." : "."));
  }
  return sentences;
}

std::string runs_sentence(const std::vector<PointRecord>& points) {
  const auto ok = std::ranges::count(points, PointStatus::kOk, &PointRecord::status);
  return counted(static_cast<int>(points.size()), "run") + ", " + std::to_string(ok) + " measured.";
}

// Tells what the verdict says beyond warnings and the sentences on windows; empty: nothing.
std::string verdict_sentence(const Verdict& verdict, const Report& report) {
  static const std::set<std::string> kSaid = {
      kJudgedAnew, finding_kinds::windows_unknown.code, finding_kinds::steady_unknown.code,
      finding_kinds::windows_not_steady.code, finding_kinds::not_steady.code};
  std::vector<std::string> reasons;
  for (const VerdictReason& reason : verdict.reasons) {
    const bool is_warning = std::ranges::any_of(report.findings, [&](const Finding& finding) {
      return finding.code == reason.code && finding.severity != "info";
    });
    if (!is_warning && !kSaid.contains(reason.code)) reasons.push_back(reason.text);
  }
  // How far the numbers may be trusted is said in any case, with the gravest reason.
  if (reasons.empty() && verdict.level != VerdictLevel::kQuotable && !verdict.reasons.empty() &&
      verdict.reasons.front().code != kJudgedAnew) {
    reasons.push_back(verdict.reasons.front().text);
  }
  if (reasons.empty()) return "";
  return (verdict.level == VerdictLevel::kDoNotQuote ? "Do not quote: " : "Quote with care: ") +
         joined(reasons, "; ") + ".";
}

}  // namespace

std::vector<std::string> summary_in_words(const Report& report) {
  std::vector<std::string> sentences;
  const auto& verdict = report.verdict;
  if (const VerdictReason* change = verdict ? told_change(*verdict) : nullptr) {
    sentences.push_back(change->text + ".");
  }
  if (measures_collectives(report)) {
    std::ranges::move(collectives_in_words(report), std::back_inserter(sentences));
    return sentences;
  }
  int runs = 0, ok = 0, without = 0;
  for (const GroupRecord& group : report.groups) {
    for (const auto& [status, count] : group.status_counts) runs += count;
    ok += group.n;
    without += group.n == 0;
  }
  if (report.groups.empty()) {  // of train
    sentences.push_back(runs_sentence(report.points));
  } else {
    sentences.push_back(counted(static_cast<int>(report.groups.size()), "point") + ", " +
                        counted(runs, "run") + ", " + std::to_string(ok) + " of them measured.");
  }
  if (report.fastest) {
    sentences.push_back(fastest_sentence(report));
  } else if (ok == 0 && !report.groups.empty()) {
    sentences.push_back("No point could be measured.");
  }
  for (const TuningRecord& tuning : report.tuning) sentences.push_back(tuning.in_words + ".");
  for (auto& sentence : efficiency_sentences(report)) sentences.push_back(std::move(sentence));
  if (auto sentence = drift_sentence(report)) sentences.push_back(std::move(*sentence));
  if (auto sentence = unseen_sentence(report)) sentences.push_back(std::move(*sentence));
  if (without > 0) sentences.push_back(counted(without, "point") + " without a result.");
  const auto warnings = std::ranges::count_if(
      report.findings, [](const Finding& finding) { return finding.severity != "info"; });
  const auto windows = window_sentences(report);
  sentences.insert(sentences.end(), windows.begin(), windows.end());
  if (warnings > 0) {
    sentences.push_back(counted(static_cast<int>(warnings), "warning") +
                        ", listed under findings.");
  }
  std::string beyond = verdict ? verdict_sentence(*verdict, report) : "";
  if (!beyond.empty()) {
    sentences.push_back(std::move(beyond));
  } else if (warnings == 0 && without == 0 && windows.empty()) {
    sentences.push_back("Nothing to warn of.");
  }
  return sentences;
}

}  // namespace scalemark::reporting
