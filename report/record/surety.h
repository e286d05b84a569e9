// How surely a number is known, and when the numbers themselves speak against quoting them. One
// place decides it for every form of a report: terminal, page, Markdown, CSV, and the verdict.
// Pure. Source: docs/METRICS.md, "How surely" and "Quotable".
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

// kNoInterval: the runs come from two sessions, or there is none. kWide: the upper end is above
// kWideFactor times the lower one; kNotKnown: above kUnknownFactor times.
enum class Surety { kOneRun, kNoInterval, kInterval, kWide, kNotKnown };
constexpr auto words_of(Surety) {
  return std::to_array<Word<Surety>>({{Surety::kOneRun, "one_run"},
                                      {Surety::kNoInterval, "no_interval"},
                                      {Surety::kInterval, "interval"},
                                      {Surety::kWide, "wide"},
                                      {Surety::kNotKnown, "not_known"}});
}

inline constexpr double kWideFactor = 4, kUnknownFactor = 100;

// `runs`: how many went in, or pairs of them; `ci95` belongs to a rate or ratio above 0.
Surety surety_of(std::int64_t runs, const Bounds& ci95);
Surety surety_of(const ScalingRow& row);  // judges its speed-up and efficiency
Surety surety_of(const GroupRecord& group);
Surety surety_of(const CollectiveGroup& group);  // judges its time
Surety surety_of(const EffectRecord& effect);    // judges its ratio

// Whether two digits of the value are shown, with a mark: its interval is wide, or not known.
bool is_rough(Surety surety);

// Whether something disturbed a run or rate of this standing, so that nothing may be concluded from
// it: whoever computes a number from several asks each.
bool is_disturbed(const Standing& standing);

// Whether a number has two digits: it is rough, something disturbed it, or, of a row, a window that
// was not steady went in.
bool has_two_digits(const ScalingRow& row);
bool has_two_digits(const GroupRecord& group);
bool has_two_digits(const CollectiveGroup& group);

// A standing as forms of numbers alone have it: 0 shown, 1 with care, 2 withheld. Absent: not
// judged.
std::optional<double> standing_number(const Standing& standing);

// The text of a number as people see it: "withheld" in its place where it was left out, and marked
// where an expert asked for it: "1.41 (withheld)".
std::string held_text(const Standing& standing, std::string text);

// Whether the interval of a difference of shares (what is lost to a cause) says anything: it is no
// wider than all that there is to lose.
bool is_known_share(const Bounds& ci95);

// It stands in the interval's place: "one run", "-", "not known (2 runs)". Empty where the
// interval itself is to be shown.
std::string instead_of_interval(Surety surety, std::int64_t runs, std::string_view noun = "run");

// --- The numbers themselves may speak against quoting them, whatever the findings are: few runs,
// wide intervals, short windows, waits for data, stops. Source: docs/METRICS.md, "Quotable".

// Runs of a point from which on their number is no doubt.
inline constexpr int kRunsToQuote = 3;

// Each costs the verdict `with_care`; the code of the finding that says it, or few_runs,
// wide_interval, slow_steps.
struct Doubt {
  std::string code, text, remedy;
};

// The gravest first, each code once.
std::vector<Doubt> doubts_of(const Report& report);

// Whether it is unknown if the windows of a group were steady. A report of an earlier version has
// verdicts on runs only.
bool may_hide_a_bias(const Report& report, const GroupRecord& group);

// "3 of 4 runs", "all 3 runs"; empty where there is one.
std::string some_runs(std::size_t some, int all);

}  // namespace scalemark::reporting
