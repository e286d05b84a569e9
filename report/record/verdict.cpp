#include "report/record/verdict.h"

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include "core/base/error.h"
#include "core/base/plugin.h"
#include "core/base/text.h"
#include "report/record/finding_kinds.h"
#include "report/record/runs.h"
#include "report/record/surety.h"

namespace scalemark::reporting {
namespace {

constexpr std::size_t kMostReasons = 3;
constexpr const char* kResume = finding_kinds::repetitions_lost.remedy;
constexpr std::string_view kRepeat = finding_kinds::no_interval.remedy;  // for fewer runs than 5
constexpr int kRunsOfRepeat = 5;

// Asks for more runs of each point than were made: a command that repeats what was done makes
// nothing surer.
std::string more_than_made(std::string remedy, const Report& report) {
  const int made = runs_of_points(report).most;
  if (remedy != kRepeat || made < kRunsOfRepeat) return remedy;
  return remedy.substr(0, remedy.rfind(' ') + 1) + std::to_string(2 * made);
}

struct Reason {
  VerdictLevel level;
  bool blames_part, is_info;
  VerdictReason said;
};

// Whether a verdict can do without the disturbed runs. Older reports of collectives do not record
// which those are.
bool enough_are_fit(const Report& report) {
  const FitOfRuns fit(report);
  const bool any = std::ranges::any_of(report.findings,
                                       [](const Finding& found) { return disturbs(found.code); });
  if (!report.collectives.empty() && any && !fit.knows_any()) return false;
  return std::ranges::all_of(fit.groups(),
                             [](const auto& group) { return group.second.fit() >= kFitRuns; });
}

class JudgeOfReport {
 public:
  explicit JudgeOfReport(const Report& report)
      : report_(report),
        runs_(counts_of(report)),
        machine_alone_(report.points.empty() && report.collectives.empty() && report.links.empty()),
        spares_disturbed_(!machine_alone_ && enough_are_fit(report)) {}

  Verdict verdict() {
    add_end();
    for (const CollectiveRecord& run : report_.collectives) {
      if (run.status == PointStatus::kOk) add_unreported(run.disturbed);
    }
    if (runs_.ok > 0) add_doubts();
    add_findings();
    std::ranges::stable_sort(reasons_, [](const Reason& a, const Reason& b) {
      return std::tuple(b.level, b.blames_part, !b.is_info) <
             std::tuple(a.level, a.blames_part, !a.is_info);
    });
    Verdict verdict;
    if (!reasons_.empty()) verdict.level = reasons_.front().level;
    for (Reason& reason : reasons_) {
      if (verdict.reasons.size() < kMostReasons) verdict.reasons.push_back(std::move(reason.said));
    }
    return verdict;
  }

 private:
  void add(VerdictLevel level, std::string code, std::string text, std::string remedy = "") {
    const FindingKind* kind = find_finding_kind(code);
    const bool is_info = kind && kind->severity == std::string_view("info") &&
                         code != finding_kinds::slow_steps.code;
    reasons_.push_back(
        {level,
         kind && kind->blames == Blames::kPart,
         is_info,
         {std::move(code), std::move(text), more_than_made(std::move(remedy), report_)}});
  }

  // The numbers may give a reason for doubt without a finding: an earlier version had another rule,
  // or somebody removed it.
  void add_doubts() {
    for (Doubt& doubt : doubts_of(report_)) {
      add(VerdictLevel::kWithCare, std::move(doubt.code), std::move(doubt.text),
          std::move(doubt.remedy));
    }
  }

  void add_end() {
    if (!report_.scaled_down.empty()) {
      add(VerdictLevel::kWithCare, "scaled_down", "scaled down: shows the method, not the number",
          "run it without --scale-down");
    }
    if (machine_alone_) {
      add_machine();
    } else if (runs_.ok == 0 && report_.links.empty()) {
      return add(VerdictLevel::kDoNotQuote, "nothing_measured", "no run was measured");
    }
    if (report_.status != ReportStatus::kComplete) {
      add(VerdictLevel::kWithCare, kIncomplete,
          "the run did not come to its end (" + std::string(name_of(report_.status)) + ")",
          kResume);
    } else if (runs_.lost() > 0) {
      add(VerdictLevel::kWithCare, kIncomplete,
          std::to_string(runs_.lost()) + " of " + std::to_string(runs_.lost() + runs_.ok) +
              " runs failed or were out of memory",
          kResume);
    }
  }

  // A report may record a disturbance of a measurement without a finding about it.
  void add_unreported(const std::string& disturbed) {
    if (disturbed.empty()) return;
    const FindingKind& kind = disturbance_in(disturbed);
    const bool told = std::ranges::any_of(report_.findings, [&](const Finding& finding) {
      return finding.code == kind.code || repeats(finding.code, kind.code);
    });
    if (told || is_said_by_another(kind)) return;
    add(cost_of(kind), kind.code, disturbed, Wording().filled(kind.remedy).value_or(""));
  }

  // A disturbance costs less where enough undisturbed runs are left.
  VerdictLevel cost_of(const FindingKind& kind) const {
    const bool is_spared = spares_disturbed_ && kind.role == FindingRole::kDisturbs &&
                           std::string_view("error") != kind.severity;
    return is_spared ? VerdictLevel::kWithCare : kind.costs;
  }

  void add_machine() {
    const auto& all = report_.fingerprint;
    if (std::ranges::none_of(all, [](const auto& one) { return one.value.has_value(); })) {
      return add(VerdictLevel::kDoNotQuote, "nothing_measured", "nothing was measured");
    }
    for (const FingerprintRecord& one : all) {
      if (one.value) add_unreported(one.disturbed);
    }
    add(VerdictLevel::kWithCare, finding_kinds::single_repetition.code,
        "measured once: another day may differ by more than the intervals");
  }

  void add_findings() {
    for (const FindingKind& kind : all_finding_kinds()) {
      if (kind.costs == VerdictLevel::kQuotable || is_said_by_another(kind)) continue;
      std::vector<const Finding*> all;
      for (const Finding& finding : report_.findings) {
        if (finding.code == kind.code) all.push_back(&finding);
      }
      if (!all.empty()) add_finding(kind, all);
    }
    add_unknown_findings();
  }

  // The reason for a finding of scope kOfPoint has the numbers of all its findings; for other
  // scopes, those of the first.
  void add_finding(const FindingKind& kind, const std::vector<const Finding*>& all) {
    const bool of_points = kind.scope == FindingScope::kOfPoint;
    Wording wording;
    std::set<std::string> points;
    for (const Finding* finding : all) {
      if (of_points || finding == all.front()) wording.add_finding(*finding);
      if (!finding->point.empty()) points.insert(finding->point);
    }
    std::size_t runs = points.size();
    if (runs == 0 && kind.role != FindingRole::kDisturbs) runs = all.size();
    // One finding of collectives stands for several runs, and its text counts them.
    const auto told = all.front()->values.find("disturbed_runs");
    const bool tells = told != all.front()->values.end();
    if (tells) runs = static_cast<std::size_t>(told->second);
    if (of_points && runs > 0) wording.add({"some_runs", some_runs(runs, runs_.ok)});
    if (!of_points && all.size() > 1) wording.add({"more", all.size() - 1});
    const char* usual = tells       ? "{text}"
                        : of_points ? "{text}[ in {some_runs}]"
                                    : "{text}[ (and {more} more)]";
    auto text = *kind.brief ? wording.filled(kind.brief) : std::nullopt;
    if (!text) text = wording.filled(usual);
    add(cost_of(kind), kind.code, text.value_or(""), wording.filled(kind.remedy).value_or(""));
  }

  // Another version found these, so their severity alone decides what they cost.
  void add_unknown_findings() {
    std::set<std::string> seen;
    for (const Finding& finding : report_.findings) {
      if (finding.severity == "info" || find_finding_kind(finding.code)) continue;
      if (!seen.insert(finding.code).second) continue;
      add(finding.severity == "error" ? VerdictLevel::kDoNotQuote : VerdictLevel::kWithCare,
          finding.code, finding.text);
    }
  }

  bool is_said_by_another(const FindingKind& kind) const {
    const auto repeats_it = [&](const auto& other) { return repeats(kind.code, other.code); };
    return std::ranges::any_of(report_.findings, repeats_it) ||
           std::ranges::any_of(reasons_, [&](const Reason& reason) {
             return reason.said.code == kind.code || repeats_it(reason.said);
           });
  }

  const Report& report_;
  RunCounts runs_;
  bool machine_alone_;  // `doctor --measure`: values of the machine, and no runs
  bool spares_disturbed_;
  std::vector<Reason> reasons_;
};

// The report states another level, or an earlier reading found one. Reasons may differ freely.
std::optional<VerdictReason> change_of(const Verdict& stored, VerdictLevel anew, const Tool& tool) {
  if (stored.level != anew) {
    return VerdictReason{kJudgedAnew, "scalemark " + tool.version + " called it '" +
                                          quoting_words(stored.level) + "': judged anew it is '" +
                                          quoting_words(anew) + "'"};
  }
  if (const VerdictReason* told = rejudged_reason(stored)) return *told;
  return std::nullopt;
}

// Compares versions of three numbers, such as "0.9.0".
bool is_newer(const std::string& version, const std::string& than) {
  const auto numbers = [](const std::string& text) {
    std::array<int, 3> all{};
    std::istringstream in(text);
    char dot = 0;
    in >> all[0] >> dot >> all[1] >> dot >> all[2];
    return all;
  };
  return numbers(version) > numbers(than);
}

}  // namespace

std::optional<Verdict> judged(const Report& report) {
  const bool any = !report.points.empty() || !report.collectives.empty() || !report.links.empty() ||
                   !report.fingerprint.empty();
  if (!any) return std::nullopt;
  return JudgeOfReport(report).verdict();
}

std::optional<Verdict> verdict_of(const Report& report) {
  std::optional<Verdict> anew = judged(report);
  if (!anew || !report.verdict) return anew;
  const bool is_bettered = report.verdict->level > anew->level;
  if (is_bettered && is_newer(report.tool.version, program_version().version)) {
    return report.verdict;
  }
  if (const auto change = change_of(*report.verdict, anew->level, report.tool)) {
    anew->reasons.push_back(*change);
  }
  return anew;
}

std::string quoting_words(VerdictLevel level) {
  switch (level) {
    case VerdictLevel::kQuotable:
      return "quotable";
    case VerdictLevel::kWithCare:
      return "quote with care";
    case VerdictLevel::kDoNotQuote:
      break;
  }
  return "do not quote";
}

const VerdictReason* rejudged_reason(const Verdict& verdict) {
  const auto found = std::ranges::find(verdict.reasons, kJudgedAnew, &VerdictReason::code);
  return found == verdict.reasons.end() ? nullptr : &*found;
}

void complete_older(Report& report) {
  for (Finding& finding : report.findings) {
    const FindingKind* kind = find_finding_kind(finding.code);
    if (finding.domain.empty() && kind) finding.domain = name_of(kind->domain);
  }
  // A baseline compared with itself has no information.
  for (ScalingTable& table : report.scaling) {
    for (ScalingRow& row : table.rows) {
      if (row.points != table.baseline_points) continue;
      row = {.world_size = row.world_size,
             .group = row.group,
             .strategy = row.strategy,
             .points = row.points,
             .samples_per_sec = row.samples_per_sec,
             .step_time_s = row.step_time_s};
    }
  }
  report.verdict = verdict_of(report);
}

bool repeats(std::string_view code, std::string_view other) {
  const FindingKind* kind = find_finding_kind(code);
  return kind && *kind->said_by && other == kind->said_by;
}

bool disturbs(std::string_view code) { return role_of(code) == FindingRole::kDisturbs; }

bool blames_part(const Finding& finding) {
  const FindingKind* kind = find_finding_kind(finding.code);
  return kind && kind->blames == Blames::kPart;
}

}  // namespace scalemark::reporting
