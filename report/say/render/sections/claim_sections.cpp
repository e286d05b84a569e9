#include "report/say/render/sections/claim_sections.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/text.h"
#include "report/record/surety.h"
#include "report/say/table/text_table.h"

namespace scalemark::reporting {
namespace {

// Writes "0.8 to 0.85", "at least 3", "7.73".
std::string claimed_text(const ClaimRecord& claim) {
  const auto& [low, high] = std::tie(claim.claimed_low, claim.claimed_high);
  if (!low && !high) return kAbsent;
  if (!high) return "at least " + significant(*low, 4);
  if (!low) return "at most " + significant(*high, 4);
  return *low == *high ? significant(*low, 4)
                       : significant(*low, 4) + " to " + significant(*high, 4);
}

std::string measured_text(const ClaimRecord& claim) {
  if (!claim.measured) return held_text(claim.standing, kAbsent);
  std::string text = significant(*claim.measured, 4);
  const bool exact = claim.measured_ci95_low == claim.measured_ci95_high;
  if (claim.measured_ci95_low && claim.measured_ci95_high && !exact) {
    text += " (" + significant(*claim.measured_ci95_low, 4) + " to " +
            significant(*claim.measured_ci95_high, 4) + ")";
  }
  return held_text(claim.standing, std::move(text));
}

std::string spoken_verdict(ClaimVerdict verdict) {
  std::string text(name_of(verdict));
  std::ranges::replace(text, '_', ' ');
  return text;
}

bool is_shown(const ClaimRecord& claim) { return claim.verdict != ClaimVerdict::kNotTestable; }

std::vector<Column> claim_columns(const std::vector<ClaimRecord>& claims) {
  std::vector<ClaimRecord> rows;
  std::ranges::copy_if(claims, std::back_inserter(rows), is_shown);
  return {column({"row"}, true, rows, &ClaimRecord::row),
          column({"what"}, true, rows, &ClaimRecord::what),
          column({"metric"}, true, rows, &ClaimRecord::metric),
          column({"claimed"}, false, rows, claimed_text),
          column({"measured (95 %)"}, false, rows, measured_text),
          column({"verdict"}, true, rows,
                 [](const ClaimRecord& claim) { return spoken_verdict(claim.verdict); })};
}

// Lists rows by reason: "pub-0001, pub-0002: no report holds ...".
std::vector<std::string> reasons_of(const std::vector<ClaimRecord>& claims, bool shown) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
  for (const ClaimRecord& claim : claims) {
    if (claim.reason.empty() || is_shown(claim) != shown) continue;
    const std::string reason = spoken_verdict(claim.verdict) + ": " + claim.reason;
    auto found = std::ranges::find(by_reason, reason, [](const auto& one) { return one.first; });
    if (found == by_reason.end()) found = by_reason.insert(by_reason.end(), {reason, {}});
    if (found->second.empty() || found->second.back() != claim.row)
      found->second.push_back(claim.row);
  }
  std::vector<std::string> texts;
  for (const auto& [reason, rows] : by_reason) texts.push_back(listed(rows, 3) + " " + reason);
  return texts;
}

std::string tolerances_text(const std::vector<ClaimRecord>& claims) {
  std::vector<std::string> texts;
  for (const ClaimRecord& claim : claims) {
    if (!claim.tolerance || *claim.tolerance == 0) continue;
    std::string text = given_percent(*claim.tolerance) + " (" + claim.tolerance_source + ")";
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
  }
  return texts.empty() ? "" : "tolerance: " + joined(texts, ", ");
}

std::vector<std::string> claim_notes(const std::vector<ClaimRecord>& claims) {
  std::vector<std::string> notes = reasons_of(claims, /*shown=*/true);
  for (std::string& text : reasons_of(claims, /*shown=*/false)) notes.push_back(std::move(text));
  if (std::string text = tolerances_text(claims); !text.empty()) notes.push_back(std::move(text));
  return notes;
}

JunitOutcome claim_outcome(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::kRefuted:
    case ClaimVerdict::kNotReached:
      return JunitOutcome::kFailure;
    case ClaimVerdict::kUndecided:
      return JunitOutcome::kError;
    case ClaimVerdict::kNotJudged:
    case ClaimVerdict::kNotMeasured:
    case ClaimVerdict::kNotTestable:
      return JunitOutcome::kSkipped;
    default:
      return JunitOutcome::kPassed;
  }
}

}  // namespace

Section claims_section(const std::vector<ClaimRecord>& claims) {
  Section section{"Published claims", claim_columns(claims), claim_notes(claims)};
  if (section.columns.front().cells.empty()) section.columns.clear();
  section.lines.push_back(claim_counts(claims));
  return section;
}

std::string claim_counts(const std::vector<ClaimRecord>& claims) {
  std::vector<std::string> texts;
  for (const auto& word : words_of(ClaimVerdict())) {
    const auto n = std::ranges::count(claims, word.value, &ClaimRecord::verdict);
    if (n > 0) texts.push_back(std::to_string(n) + " " + spoken_verdict(word.value));
  }
  return counted(claims.size(), "claim") + ": " + joined(texts, ", ");
}

std::vector<JunitCase> claim_cases(const std::vector<ClaimRecord>& claims) {
  std::vector<JunitCase> cases;
  for (const ClaimRecord& claim : claims) {
    cases.push_back({.class_name = claim.table,
                     .name = claim.row + " " + claim.metric + ": " + claim.what,
                     .seconds = 0,
                     .outcome = claim_outcome(claim.verdict),
                     .kind = std::string(name_of(claim.verdict)),
                     .message = "claimed " + claimed_text(claim) + ", measured " +
                                measured_text(claim) +
                                (claim.reason.empty() ? "" : ": " + claim.reason)});
  }
  return cases;
}

}  // namespace scalemark::reporting
