// Plain records hold measured numbers against others: the values of an option against each other,
// old reports against new ones, and what others published against what was measured.
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
// Source: docs/METRICS.md, "Old against new".

struct SideOfPoint {
  std::optional<double> samples_per_sec;  // exp(mean ln X) over units; absent without one
  std::size_t units = 0;
  std::string trouble;     // "2 oom, 1 disturbed": runs that do not count; may be empty
  bool disturbed = false;  // too few others: nothing can be said
  bool too_brief = false;  // disturbed, as far as is known by windows that were too brief to tell
};

struct PointAgainst {
  SideOfPoint after;
  statistics::PointChange change;
  bool absent = false;  // this side has no run of the point: nothing is judged
  std::string certain;  // which part of a change is certain and which is not; else empty
  std::string reason;   // why nothing is decided, as a clause; empty otherwise
};

struct ComparedPoint {
  std::string group;
  std::string unit;  // "images", of collectives "calls": what X counts
  SideOfPoint before;
  std::vector<PointAgainst> against;  // one for each further side
};

struct Difference {
  std::string what;
  std::vector<std::string> values;  // one for each side, the first included
};

struct Comparison {
  double threshold = 0;
  statistics::ComparedUnit unit = statistics::ComparedUnit::kSession;
  std::vector<std::vector<std::string>> files;  // one list for each side
  std::vector<std::string> quoting;   // ", quote with care": each side, where it was judged
  std::vector<std::size_t> sessions;  // each side measured in so many
  std::vector<ComparedPoint> points;  // that the first side shares, in its order
  std::vector<std::vector<std::string>> only;  // these of each side are not compared
  std::vector<Difference> differences;         // machine, versions, settings, what points are
  std::vector<std::string> fingerprints;       // how what the machines do by themselves differs
};

// How many points have that verdict, each counted once for each further side.
inline std::size_t count_of(const Comparison& comparison, statistics::Change change) {
  std::size_t count = 0;
  for (const ComparedPoint& point : comparison.points) {
    for (const PointAgainst& against : point.against) {
      count += !against.absent && against.change.change == change;
    }
  }
  return count;
}

// --- The options of a sweep give effects, what the search of --tune found, and from which batch
// size communication stays small. Definitions: docs/METRICS.md, "Effects".

// A value of an axis against the axis's first value, all else equal.
struct EffectRecord {
  std::string axis;
  std::map<std::string, std::string> fixed;  // option -> value, world_size among them
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
  std::string disturbed_by;  // where it is disturbed: "4 of 6 pairs"
  Standing standing = {};
};

// A value that --tune stopped measuring: after how many runs, and the one-sided p of "it is as
// fast".
struct DroppedValue {
  std::string value;
  int runs = 0;
  double p = 1;
};

// --tune found this for one combination of the other axes.
struct TuningRecord {
  std::string axis;
  std::map<std::string, std::string> fixed;
  std::string fastest, group;
  std::vector<std::string> not_distinguishable;  // values that may be as fast
  std::vector<DroppedValue> dropped;             // on the way: they were surely slower
  std::string in_words;
};

// From which batch size communication stays below a share of the step.
struct CommunicationLimit {
  std::string axis;  // batch_size | global_batch_size
  std::map<std::string, std::string> fixed;
  double share = 0;
  std::optional<std::int64_t> from;        // unset where it is sure for no measured size
  std::int64_t smallest = 0, largest = 0;  // the range that was measured
  std::string in_words;
};

// --- Published numbers beside measured ones: `scalemark reproduce` adds them to a report.

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
  kDiffersHere,    // contradicts the claim, but other hardware cannot refute it
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
