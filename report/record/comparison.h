// Plain records of comparisons: values of an option with each other, old reports with new ones, and
// what others published with what was measured.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/words.h"
#include "core/statistics/compare.h"
#include "report/record/records.h"

namespace scalemark::reporting {

// --- Old reports against new ones, point by point, as report/say/compare judged them.
// Source: METRICS.md, "Old against new".

struct SideOfPoint {
  std::optional<double> samples_per_sec;  // exp(mean ln X) over units; unset without units
  std::size_t units = 0;
  std::string trouble;     // runs that do not count: "2 oom, 1 disturbed"; may be empty
  bool disturbed = false;  // too few others are left, so nothing is concluded
  bool too_brief = false;  // the only known disturbance: windows too brief to tell
};

struct PointAgainst {
  SideOfPoint after;
  statistics::PointChange change;
  bool absent = false;  // this side has no run of the point, so nothing is judged
  std::string certain;  // says which part of a change is certain; may be empty
  std::string reason;   // a clause that says why nothing is decided; may be empty
};

struct ComparedPoint {
  std::string group;
  std::string unit;  // X counts these: "images"; collectives: "calls"
  SideOfPoint before;
  std::vector<PointAgainst> against;  // one per further side
};

struct Difference {
  std::string what;
  std::vector<std::string> values;  // one per side, the first included
};

struct Comparison {
  double threshold = 0;
  statistics::ComparedUnit unit = statistics::ComparedUnit::kSession;
  std::vector<std::vector<std::string>> files;  // one list per side
  std::vector<std::string> quoting;   // one per side: ", quote with care"; empty: not judged
  std::vector<std::size_t> sessions;  // one number per side
  // Points that the first side shares with another one, in its order.
  std::vector<ComparedPoint> points;
  // One list per side, of points that are not compared.
  std::vector<std::vector<std::string>> only;
  std::vector<Difference> differences;    // machine, versions, settings, facts of points
  std::vector<std::string> fingerprints;  // sentences on how the machines themselves differ
};

// Counts the points with that verdict, each once for every further side.
inline std::size_t count_of(const Comparison& comparison, statistics::Change change) {
  std::size_t count = 0;
  for (const ComparedPoint& point : comparison.points) {
    for (const PointAgainst& against : point.against) {
      count += !against.absent && against.change.change == change;
    }
  }
  return count;
}

// --- Results of a sweep's options: effects, what the search of --tune found, and from which batch
// size communication stays small. Definitions: METRICS.md, "Effects".

// The effect of a value of an axis, compared with the axis's first value, all else equal.
struct EffectRecord {
  std::string axis;
  std::map<std::string, std::string> fixed;  // option -> value; contains world_size
  std::string from, to;                      // values as typed; `from` is the first
  std::vector<std::string> groups;           // two: one for `from`, one for `to`
  int pairs = 0;
  double ratio = 1;  // `to` / `from`: samples_per_sec, or calls per second of collectives
  Bounds ratio_ci95;
  std::optional<double> p_holm;
  statistics::EffectVerdict verdict = statistics::EffectVerdict::kUnsure;
  std::optional<std::int64_t> memory_delta_bytes;
  std::optional<Phases> phases_delta_s;
  std::optional<double> loss_delta;
  std::optional<std::int64_t> loss_step;  // the step of `from` at which the loss was taken
  std::string in_words;
  std::string disturbed_by;  // "4 of 6 pairs"; empty: not disturbed
  Standing standing = {};
};

// A value that --tune stopped measuring, with the number of its runs and the one-sided p of "it is
// as fast".
struct DroppedValue {
  std::string value;
  int runs = 0;
  double p = 1;
};

// The result of --tune for one combination of the other axes.
struct TuningRecord {
  std::string axis;
  std::map<std::string, std::string> fixed;
  std::string fastest, group;
  std::vector<std::string> not_distinguishable;  // values that may be as fast
  std::vector<DroppedValue> dropped;             // values that were surely slower before the end
  std::string in_words;
};

// The batch size from which communication stays below a share of the step.
struct CommunicationLimit {
  std::string axis;  // batch_size | global_batch_size
  std::map<std::string, std::string> fixed;
  double share = 0;
  std::optional<std::int64_t> from;        // unset where no measured size is surely below
  std::int64_t smallest = 0, largest = 0;  // the range that was measured
  std::string in_words;
};

// --- Published numbers beside measured ones. `scalemark reproduce` adds them to a report.

// How alike the published machine and run are to ours, which decides what may be judged.
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
  kReached,  // a claim on a rate is "at least"
  kNotReached,
  kDiffersHere,    // contradicts the claim, but other hardware cannot refute it
  kSameDirection,  // a scaled-down ratio shows no more than a direction
  kOtherDirection,
  kUndecided,
  kNotJudged,    // measured, but on other hardware, which proves nothing
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

// The reason of a claim that is undecided since too few runs were undisturbed.
inline constexpr const char* kDisturbedClaim = "something else disturbed the runs: measure again";

struct ClaimRecord {
  // The published row's id, the table that it belongs to, and where it was printed.
  std::string row, table, source;
  std::string what;  // "resnet50, amp-fp16, 8 GPUs"
  std::string metric;
  // The two ends of what is claimed. They are equal for a single number; an open end is unset.
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
