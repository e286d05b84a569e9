// Published numbers beside measured ones: what `scalemark reproduce` adds to a report.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/base/words.h"
#include "core/reporting/record/records.h"

namespace scalemark::reporting {

// How alike the published machine and run are to ours: what may be judged.
enum class ClaimBasis { kSameHardware, kOtherPrecision, kOtherHardware, kScaledDown };
constexpr auto words_of(ClaimBasis) {
  return std::to_array<Word<ClaimBasis>>({{ClaimBasis::kSameHardware, "same_hardware"},
                                          {ClaimBasis::kOtherPrecision, "other_precision"},
                                          {ClaimBasis::kOtherHardware, "other_hardware"},
                                          {ClaimBasis::kScaledDown, "scaled_down"}});
}

enum class ClaimVerdict {
  kConfirmed,
  kRefuted,
  kReached,  // a rate is a claim "at least"
  kNotReached,
  kDiffersHere,    // what would be refuted, on other hardware
  kSameDirection,  // a scaled-down ratio is never more than a direction
  kOtherDirection,
  kUndecided,
  kNotJudged,    // measured, but on other hardware, where it says nothing
  kNotMeasured,  // the report holds nothing to compare with
  kNotTestable
};
constexpr auto words_of(ClaimVerdict) {
  return std::to_array<Word<ClaimVerdict>>({{ClaimVerdict::kConfirmed, "confirmed"},
                                            {ClaimVerdict::kRefuted, "refuted"},
                                            {ClaimVerdict::kReached, "reached"},
                                            {ClaimVerdict::kNotReached, "not_reached"},
                                            {ClaimVerdict::kDiffersHere, "differs_here"},
                                            {ClaimVerdict::kSameDirection, "same_direction"},
                                            {ClaimVerdict::kOtherDirection, "other_direction"},
                                            {ClaimVerdict::kUndecided, "undecided"},
                                            {ClaimVerdict::kNotJudged, "not_judged"},
                                            {ClaimVerdict::kNotMeasured, "not_measured"},
                                            {ClaimVerdict::kNotTestable, "not_testable"}});
}

// The reason of a claim that is undecided since too few runs were not disturbed.
inline constexpr const char* kDisturbedClaim = "something else disturbed the runs: measure again";

struct ClaimRecord {
  std::string row, table, source;  // its id, where it stands here, and where it was printed
  std::string what;                // "resnet50, amp-fp16, 8 GPUs"
  std::string metric;
  // One number: both ends are it. An open end is absent.
  std::optional<double> claimed_low, claimed_high;
  std::optional<double> measured, measured_ci95_low, measured_ci95_high;
  std::optional<double> ratio;  // measured / the nearest end of what is claimed
  std::optional<double> tolerance;
  std::string tolerance_source;
  std::string basis;  // a word of ClaimBasis; empty where nothing was measured
  ClaimVerdict verdict = ClaimVerdict::kNotMeasured;
  std::string reason;
  std::vector<std::string> groups;
  Standing standing = {};
};

}  // namespace scalemark::reporting
