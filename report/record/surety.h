// Decides how surely a number is known, and when the numbers themselves speak against quoting them,
// for every form of a report: terminal, page, Markdown, CSV, and the verdict. Pure. Source:
// METRICS.md, "How surely" and "Quotable".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/words.h"
#include "report/record/collective_records.h"
#include "report/record/comparison.h"
#include "report/record/report.h"
#include "report/record/sweep_records.h"

namespace scalemark::reporting {

// kNoInterval: the runs are from two sessions, or there are none. kWide: the upper end is above
// kWideFactor times the lower one; kNotKnown: above kUnknownFactor times, or one pair of runs whose
// efficiency is above kBeyondIdeal.
enum class Surety { kOneRun, kNoInterval, kInterval, kWide, kNotKnown };
constexpr auto words_of(Surety) {
  return std::to_array<Word<Surety>>({{Surety::kOneRun, "one_run"},
                                      {Surety::kNoInterval, "no_interval"},
                                      {Surety::kInterval, "interval"},
                                      {Surety::kWide, "wide"},
                                      {Surety::kNotKnown, "not_known"}});
}

inline constexpr double kWideFactor = 4, kUnknownFactor = 100;
// An efficiency above this is more than the ideal, and not only by its last digits.
inline constexpr double kBeyondIdeal = 1.02;

// `runs` counts the runs or pairs behind the number; `ci95` is that of a rate or ratio above 0.
Surety surety_of(std::int64_t runs, const Bounds& ci95);
Surety surety_of(const ScalingRow& row);  // judges its speed-up and efficiency
Surety surety_of(const GroupRecord& group);
Surety surety_of(const CollectiveGroup& group);  // judges its time
Surety surety_of(const EffectRecord& effect);    // judges its ratio

// Whether only two digits of the value are shown, with a mark, since its interval is wide or not
// known.
bool is_rough(Surety surety);

// Whether something disturbed a run or rate of this standing, so that nothing may be concluded from
// it. What computes a number from several must check each.
bool is_disturbed(const Standing& standing);

// Whether a number has two digits: it is rough, or something disturbed it, or it is of a row with a
// window that was not steady.
bool has_two_digits(const ScalingRow& row);
bool has_two_digits(const GroupRecord& group);
bool has_two_digits(const CollectiveGroup& group);

// Returns a standing as a number: 0 shown, 1 with care, 2 withheld. Unset: not judged.
std::optional<double> standing_number(const Standing& standing);

// Returns the text of a number as people see it: "withheld" where it was left out, and "1.41
// (withheld)" where an expert asked for it.
std::string held_text(const Standing& standing, std::string text);

// Whether the interval of a difference of shares (what is lost to a cause) is informative: it is no
// wider than all that there is to lose.
bool is_known_share(const Bounds& ci95);

// Returns what is shown instead of an interval: "one run", "-", "not known (2 runs)". Empty where
// the interval itself is to be shown.
std::string instead_of_interval(Surety surety, std::int64_t runs, std::string_view noun = "run");

// --- The numbers themselves may speak against quoting them, whatever the findings are: few runs,
// wide intervals, short windows, waits for data, stops. Source: METRICS.md, "Quotable".

// From so many runs of a point on, their number is no reason to doubt it.
inline constexpr int kRunsToQuote = 3;

// A reason to doubt the numbers, which costs the verdict `with_care`. The code is that of the
// finding that says the same, or few_runs, wide_interval, slow_steps.
struct Doubt {
  std::string code, text, remedy;
};

// Returns the gravest first, each code once.
std::vector<Doubt> doubts_of(const Report& report);

// Whether it is unknown if the windows of a group were steady. Reports of earlier versions have
// verdicts on single runs only.
bool may_hide_a_bias(const Report& report, const GroupRecord& group);

// Returns "3 of 4 runs" or "all 3 runs"; empty where there is only one.
std::string some_runs(std::size_t some, int all);

}  // namespace scalemark::reporting
