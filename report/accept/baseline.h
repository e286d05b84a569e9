// A baseline is a document of its own (scalemark.baseline/1): it holds what a fleet that is known
// to be good reaches, for each class that was measured there. A fleet that is slow as a whole
// passes by itself, and not against a baseline. Pure. See docs/ACCEPTANCE.md, "With a baseline".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/statistics/acceptance.h"
#include "report/accept/series.h"

namespace scalemark::acceptance {

// A suspect is a part of the baseline that its own fleet would fail. It is listed, and not dropped,
// unless it has no speed (throttled, a run failed) that could be in the reference.
struct BaselineSuspect {
  std::string part, uuid, why;
};

// Standard deviations and errors are in ln: 0.01 is 1 %. So is lifted_by, by which noise may have
// raised the reference.
struct BaselineClass {
  std::string metric;              // its name in metric_list.inc
  std::string of_class, software;  // see Series
  PartKind of = PartKind::kDevice;
  int machines = 0, parts = 0;
  int boots = 0, starts = 0;  // boots of most parts (lower median); starts of all parts
  double reference = 0;       // 30 % of the parts reach it, in `unit`
  std::string unit;
  double standard_error = 0, lifted_by = 0;
  std::optional<double> between_parts, between_starts, between_boots;  // measured
  std::optional<double> assumed_between_boots;  // fewer than 2 boots: this counts instead
  std::optional<double> smallest_decidable;     // a share: such slowness is found in such a fleet
  std::vector<BaselineSuspect> suspects;
};

struct Baseline {
  std::string made;  // RFC 3339
  std::vector<BaselineClass> classes;
};

// The baseline holds all rates of the reports, whatever rules name; the standard tolerance makes
// suspects. Throws bad_data() (65) where no run counts.
Baseline make_baseline(std::vector<NamedReport> reports, const std::string& made);

// Writes the document, and reads it. Reading throws bad_data() (65) for a text that is no baseline,
// or holds what none can: numbers out of their range, unknown metrics, a class twice;
// configuration() (78) for unknown keys and for a key that is there twice.
std::string baseline_json(const Baseline& baseline);
Baseline parse_baseline(std::string_view text, const std::string& file);

// Whether a class has fewer than 2 boots or 8 parts, so that more is assumed of it.
bool is_weak(const Baseline& baseline);

// Says in at most ten lines, for the person who made it, what is in it, how sure it is, and what it
// lacks.
std::string baseline_summary(const Baseline& baseline);

// Finds the class that fits `series`; null: none.
const BaselineClass* find_class(const Baseline& baseline, Metric metric, const Series& series);
// Says why there is none: "driver 570.10 there, 580.65 here".
std::string why_without_class(const Baseline& baseline, Metric metric, const Series& series);

statistics::AcceptanceReference reference_of(const BaselineClass& one);

// "the baseline of 2026-11-26, 16 devices, 2 boots": begins every limit that comes from one.
inline constexpr std::string_view kOfBaseline = "the baseline of ";
std::string name_of_baseline(const Baseline& baseline, const BaselineClass& one);

}  // namespace scalemark::acceptance
