// Is each part of a fleet (a device, a node, a link) as fast as it has to be? Judges the parts of
// one class by one check: repeated values against a reference and a tolerance, with bounds that
// are wrong in at most 1 % per side for a part exactly at the limit, and with "unsure" where the
// noise allows no answer. Knows nothing of reports, hosts or rules' files.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/base/words.h"

namespace scalemark::statistics {

// A part showed this in one check. The caller decides which runs count.
struct AcceptancePart {
  // ln of a value of which larger is better (else: minus its ln), one per repetition in the order
  // of their starts. Each repetition is a process start of its own: bounds from repetitions that
  // share a start are too narrow. Empty: the part is missing, and counts as not passed.
  std::vector<double> values;
  bool unsteady = false;  // its windows, judged together, are not steady; false: also unknown
  // For each value the number of the session that it was measured in, ascending. Values that were
  // measured at one time have one number, and each part's first is 0. Empty: all are of session 0.
  std::vector<std::size_t> sessions = {};
};

// Standard deviations and errors are in ln: 0.01 is 1 %.
struct AcceptanceReference {
  double ln_value = 0;
  double standard_error = 0;  // error of ln_value
  double between_boots = 0;   // standard deviation of one part's value between boots
  double lifted_by = 0;       // noise may have raised ln_value, the k-th highest, by this much
};

struct AcceptanceRule {
  double tolerance = 0.05;  // in (0, 1): a part is to reach 1 - tolerance of the reference
  // Numbers of repetitions after which a part is judged: ascending, above 0. A look at 1 stands
  // alone, for one repetition shows no noise of its own.
  std::vector<std::size_t> looks = {3, 5, 10};
};

enum class AcceptanceOutcome { kPass, kFail, kRepeat, kUnsure };
constexpr auto words_of(AcceptanceOutcome) {
  return std::to_array<Word<AcceptanceOutcome>>({{AcceptanceOutcome::kPass, "pass"},
                                                 {AcceptanceOutcome::kFail, "fail"},
                                                 {AcceptanceOutcome::kRepeat, "repeat"},
                                                 {AcceptanceOutcome::kUnsure, "unsure"}});
}

// With fewer runs nothing shows that a part is slow now and then.
inline constexpr std::size_t kRunsForIntermittent = 10;

// At least so many decided parts must show by how much all values of a later session are shifted.
inline constexpr std::size_t kControlsOfSession = 2;

// Each belongs to one outcome.
enum class AcceptanceReason {
  kAboveLimit,  // pass
  kBelowLimit,  // fail: surely below the limit
  // fail: of 10 runs or more at least two are, each by itself, surely below the limit; and these
  // are more than chance explains where other parts of the class have such runs, too
  kIntermittent,
  kFewRepetitions,   // repeat: the first look is not reached yet
  kUndecided,        // repeat: the next look may decide
  kNoControls,       // repeat: later sessions have too few decided parts to be compared with
  kLastLook,         // unsure: too near the limit for this noise, after the last look
  kMissing,          // unsure: no value
  kNotFinite,        // unsure: a value is no finite number
  kNoReference,      // unsure: fewer than 3 parts with values, and no baseline
  kOneOfTwo,         // unsure: the only two parts differ by more than the tolerance; no baseline
  kFewParts,         // unsure: one repetition, and fewer than 8 parts to take the noise from
  kNotSteady,        // unsure: above the limit, but not steady, while most of its class is
  kReferenceInDoubt  // unsure: above a limit that is itself in doubt
};
constexpr auto words_of(AcceptanceReason) {
  return std::to_array<Word<AcceptanceReason>>(
      {{AcceptanceReason::kAboveLimit, "above the limit"},
       {AcceptanceReason::kBelowLimit, "below the limit"},
       {AcceptanceReason::kIntermittent, "intermittent"},
       {AcceptanceReason::kFewRepetitions, "too few repetitions"},
       {AcceptanceReason::kUndecided, "undecided"},
       {AcceptanceReason::kNoControls, "no controls"},
       {AcceptanceReason::kLastLook, "undecided at the last look"},
       {AcceptanceReason::kMissing, "missing"},
       {AcceptanceReason::kNotFinite, "not a number"},
       {AcceptanceReason::kNoReference, "no reference"},
       {AcceptanceReason::kOneOfTwo, "one of these two"},
       {AcceptanceReason::kFewParts, "too few parts"},
       {AcceptanceReason::kNotSteady, "not steady"},
       {AcceptanceReason::kReferenceInDoubt, "reference in doubt"}});
}

struct AcceptanceJudgement {
  AcceptanceOutcome outcome = AcceptanceOutcome::kUnsure;
  AcceptanceReason reason = AcceptanceReason::kMissing;
  // The figures below are those of the look at so many repetitions; 0: no look is reached.
  std::size_t repetitions = 0;
  std::size_t more_repetitions = 0;  // kRepeat: how many are missing until the next look
  // The part's mean less the reference, in ln; absent without a look or a reference.
  std::optional<double> from_reference;
  // from_reference +- half_width holds the truth in 99 %; absent where no noise is known.
  std::optional<double> half_width;
  std::size_t slow_runs = 0;  // single runs surely below the limit, where at least 10 were judged
};

enum class AcceptanceDoubt { kNone, kManyNotPassed, kManyFaster };
constexpr auto words_of(AcceptanceDoubt) {
  return std::to_array<Word<AcceptanceDoubt>>(
      {{AcceptanceDoubt::kNone, "none"},
       {AcceptanceDoubt::kManyNotPassed, "more than a quarter did not pass"},
       {AcceptanceDoubt::kManyFaster, "more than a twentieth are faster by the tolerance"}});
}

struct ClassJudgement {
  double limit = 0;  // ln(1 - tolerance): from_reference of a part at the limit
  // The baseline, or the fleet's own at the largest look that all of its parts reached; absent
  // where kNoReference or kOneOfTwo.
  std::optional<AcceptanceReference> reference;
  // The standard deviation of one repetition in ln, pooled over the class. Where a part has only
  // one repetition, it is the spread between parts.
  std::optional<double> spread;
  // The share by which a part must be slower than the reference, such as 0.06, so that a part with
  // the noise of the class fails at the last look at latest: with a probability of 99 % if the
  // noise is what was measured, of 95 % if 8 parts have shown it. Absent without a reference or
  // spread.
  std::optional<double> smallest_decidable;
  AcceptanceDoubt doubt = AcceptanceDoubt::kNone;
  std::vector<AcceptanceJudgement> parts;  // in the order given
  // Parts that the fleet's own reference leaves out: a sixteenth of them or less, from 16 parts on,
  // each faster than every other one by more than the tolerance.
  std::vector<std::size_t> kept_out;
  // Parts that are surely faster than the reference by more than the tolerance.
  std::vector<std::size_t> faster;
};

inline constexpr std::size_t kPartsForReference = 3;  // fewer parts are no fleet to compare with

// Judges the parts of one class (same product, check, settings and versions) against `baseline`, or
// else against the fleet itself. Without a baseline, the shift of a later session against the first
// one is taken off its values: the mean difference of the parts that passed in the first session,
// or of all parts where the later one measured all of them. With fewer than kControlsOfSession such
// parts its values do not count. Throws bug() for a rule that is not as its members say.
// Source: ACCEPTANCE_RULE.md, "The rule"; moderated t: Smyth 2004, "Linear models and empirical
// Bayes methods for assessing differential expression in microarray experiments".
ClassJudgement judge_class(std::span<const AcceptancePart> parts, const AcceptanceRule& rule,
                           const std::optional<AcceptanceReference>& baseline = {});

// A fleet's own reference is the value that so many of ten parts reach. parts_that_reach() is the
// place of that value, from 1, among those of `parts` parts in descending order, rounded up.
inline constexpr std::size_t kOfTenThatReach = 3;
constexpr std::size_t parts_that_reach(std::size_t parts) {
  return (kOfTenThatReach * parts + 9) / 10;
}
inline constexpr double kShareThatReaches = kOfTenThatReach / 10.0;

// Returns the value that kShareThatReaches of `values`, which are not empty, reach.
double kth_highest(std::span<const double> values);

// Whether a node is to blame rather than its devices: at least two of them, and at least half of
// them, failed.
bool is_node_at_fault(std::span<const AcceptanceOutcome> devices);

}  // namespace scalemark::statistics
